# sketchutils: BSD-2-Clause, see LICENSE
#
# The same items and options give the same bytes, on every machine and for
# ever. This also runs with the programs of an emulated big-endian machine.

load helper

GOLDEN=$SKETCHUTILS_TOP/tests/golden

# bytes_are SUM COMMAND: what the command prints has this SHA-256.
bytes_are() {
	bash -euo pipefail -c "$2" >big 2>err || { show err; return 1; }
	[ "$(sha256sum <big)" = "$1  -" ] && return
	printf '%s\n%s, not %s\n' "$2" "$(sha256sum <big)" "$1"
	return 1
}

@test "README tells of every golden file, and of no other" {
	sed -n 's/^\([a-z0-9-]*\.sk\):.*/\1/p' "$GOLDEN/README" | sort >told
	(cd "$GOLDEN" && ls -- *.sk) | sort >there
	[ "$(wc -l <told)" -ge 50 ]
	same told there
}

@test "the commands in README make the golden files, byte for byte" {
	sh "$GOLDEN/build.sh" made
	local bad=0
	for file in "$GOLDEN"/*.sk; do
		cmp "$file" "made/${file##*/}" || bad=1
	done
	return "$bad"
}

@test "sketches too large to keep here have the same checksum" {
	bytes_are f0ceb74ef6340e7e3c939c54cbca0a32e003a30f11bf5765b137c89e657a5c1f \
	    'seq 100000 | hll-build --precision 18'
	bytes_are e440aae8daabc68cc18211f2a6c8d6d55f7f7fe5b4ffdbc051a9494467928447 \
	    'seq 3000 | sed "s/.*\(..\)\$/\1 &/" | hll-build --precision 8 --by 1 -f 2'
	bytes_are 176401a4a9634ee13218177e1a2fe4394f35395d567b57174454001d5b325d91 \
	    'seq 40000 | sed "s/.*\(...\)\$/\1 &/" | hll-build --by 1 -f 2'
	bytes_are a005be10ad3bb19f65991b0f5530522465a6acbf4822b68cf8ebabb51854eb59 \
	    'seq 100000 | bloom-build -n 100k -p 1e-7'
	bytes_are ac3b3448190d094a46df19aa54bde6d02a80c7d43589e3721ccda45e94d6476d \
	    'seq 100000 | bloom-build -n 100k -p 1e-4 --type classic'
	bytes_are 5cf4763a8e6c53ccdbf09c4b5c4eaecfaabfc47d3a62407b5e4a4a7c1b0179bd \
	    'seq 100000 | bloom-build --compat dcso -n 100k | sketch-convert --to dcso'
	bytes_are a5877b29633a62062e1cc3f43d59fbf6e635a9b4f854e6ff981125f369f5a375 \
	    'seq 100000 | bloom-build --compat parquet -n 100k | sketch-convert --to parquet'
	bytes_are a45ba840df802ff04805effa5da6772f0b4089a5d4e6e46439c9d417c3a04e62 \
	    'seq 30000 | sed p | cms-build -M 256K'
	bytes_are 76075b96a791a58cb48db4da25774b6621b3e9aa40bb802dca19a56d23597bc3 \
	    '{ seq 30000 | sed p | cms-build --type spacesaving -M 256K; seq 20000 50000 | cms-build --type spacesaving -M 128K; } | sketch-merge'
}

@test "every golden file is whole" {
	local lines=()
	for file in "$GOLDEN"/*.sk; do
		case ${file##*/} in
		hll-armor-nul.sk | hll-keyed-lines-nul.sk) ;;
		*) lines+=("$file") ;;
		esac
	done
	try 0 sketch-info -q "${lines[@]}"
	try 0 sketch-info --json --each "${lines[@]}"
	jq -es 'length > 200' out
	try 0 sketch-info -q -z "$GOLDEN/hll-armor-nul.sk" "$GOLDEN/hll-keyed-lines-nul.sk"
}

@test "a record is read and written again as it was" {
	for file in "$GOLDEN"/*.sk; do
		case ${file##*/} in
		all.sk | *-lines*.sk | hll-armor-nul.sk | seen-window.sk) continue ;;
		*armor*) try 0 sketch-merge -a "$file" ;;
		# They are warned of.
		*-overfull.sk | bloom-parquet-merged.sk) try_any 0 sketch-merge "$file" ;;
		*) try 0 sketch-merge "$file" ;;
		esac
		out_is_file "$file"
	done
	try 0 sketch-merge -a -z "$GOLDEN/hll-armor-nul.sk"
	out_is_file "$GOLDEN/hll-armor-nul.sk"
	for file in "$GOLDEN"/hll-keyed-lines*.sk; do
		set -- -a
		[ "${file##*/}" != hll-keyed-lines-nul.sk ] || set -- -a -z
		try 0 sketch-merge "$@" "$file"
		out_is_file "$file"
	done
}
