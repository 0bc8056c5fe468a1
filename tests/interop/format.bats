# sketchutils: BSD-2-Clause, see LICENSE
#
# The file format, by a second reader that was written from sketch(5) alone,
# and by files that must be accepted, or refused by every program.

load ../helper

HERE=$SKETCHUTILS_TOP/tests/interop
FILES=$HERE/files
GOLDEN=$SKETCHUTILS_TOP/tests/golden

# Golden files whose lines end in a newline, and those where it is NUL.
golden() {
	find "$GOLDEN" -name '*.sk' ! -name hll-armor-nul.sk ! -name hll-keyed-lines-nul.sk | sort
}

# Golden files of one binary record.
records() {
	golden | grep -v -e armor -e lines -e '/all\.sk' -e seen-window
}

# refuses PROGRAM...: status 4, one line, no output. No process but the program,
# for there are thousands of these runs.
refuses() {
	local got=0 line
	"$@" >out 2>err </dev/null || got=$?
	mapfile -t line <err
	[ "$got" = 4 ] && [ ! -s out ] && [ "${#line[@]}" = 1 ] &&
	    [[ ${line[0]} == "$1: cannot "* ]] && return
	printf '%s: status %s\n' "$*" "$got"
	show out
	show err
	return 1
}

# every FILE: all programs that read sketches refuse it, and change nothing.
every() {
	cp "$1" update.sk
	refuses sketch-info -q "$1" &&
	    refuses sketch-merge "$1" &&
	    refuses sketch-convert --to dcso "$1" &&
	    refuses sketch-merge -o new.sk "$GOLDEN/hll-tokens.sk" "$1" && [ ! -e new.sk ] &&
	    refuses hll-count -s "$1" &&
	    refuses hll-count -s --total "$1" &&
	    refuses hll-build --like "$1" lines &&
	    refuses hll-build --update update.sk lines &&
	    refuses hll-build --update update.sk --by 1 lines &&
	    refuses cms-topk -s "$1" &&
	    refuses cms-query "$1" lines &&
	    refuses cms-build --like "$1" lines &&
	    refuses cms-build --update update.sk lines &&
	    refuses bloom-query "$1" lines &&
	    refuses bloom-build --like "$1" lines &&
	    refuses bloom-build -n 9 --update update.sk lines &&
	    refuses bloom-uniq --state update.sk lines &&
	    same "$1" update.sk
}

@test "the files are those that README lists and files.py makes" {
	python3 "$HERE/files.py" made >reasons
	sed -n 's/^\([^ ]*\.sk\): .*/\1/p' "$FILES/README" | sort >told
	(cd "$FILES" && ls -- *.sk) | sort >there
	same told there
	while read -r name; do
		same "$FILES/$name" "made/$name"
	done <told
	[ "$(wc -l <reasons)" = "$(wc -l <told)" ]
}

@test "the second reader agrees with sketch-info on every good file" {
	golden | xargs python3 "$HERE/agree.py"
	python3 "$HERE/agree.py" -z "$GOLDEN/hll-armor-nul.sk" "$GOLDEN/hll-keyed-lines-nul.sk"
	python3 "$HERE/agree.py" "$FILES"/good-*.sk
}

@test "the second reader agrees on what is too large to keep" {
	seq 40000 | sed 's/.*\(...\)$/\1 &/' >lines
	hll-build --by 1 -f 2 -o chunks.sk lines
	[ "$(wc -c <chunks.sk)" -gt 131072 ]
	hll-build -a --precision 8 --by 1 -f 2 -o lines.sk lines
	hll-build --precision 16 -o registers.sk lines
	bloom-build -n 40000 -p 1e-5 -o block.sk lines
	bloom-build --type classic -o classic.sk lines
	bloom-build --type counting -n 30000 -o counting.sk lines
	bloom-build --type scalable -n 300 -p 1e-5 -o scalable.sk lines
	cms-build -M 256K -o cms.sk lines
	python3 "$HERE/agree.py" ./*.sk
}

# reasons_of PROGRAM...: the ends of its messages, one for each file in names.
reasons_of() {
	local status=0
	xargs "$@" <names 2>err >out || status=$?
	# xargs makes any failure 123.
	[ "$status" = 123 ] && sed 's/.*: //' err
}

@test "both readers give the same reason for every bad and unsupported file" {
	python3 "$HERE/files.py" made | grep -v '	ok$' >reasons
	cut -f 1 reasons | sed 's|.*|made/&.sk|' >names
	cut -f 2 reasons >wanted
	reasons_of sketch-info -q >got
	diff wanted got
	reasons_of python3 "$HERE/reader.py" >got
	diff wanted got
}

@test "every program refuses every bad and unsupported file" {
	echo a >lines
	local bad=0
	for file in "$FILES"/bad-*.sk "$FILES"/unsupported-*.sk; do
		every "$file" || bad=1
	done
	return "$bad"
}

@test "every program takes the good files that are for it" {
	echo a >lines
	for file in "$FILES"/good-*.sk; do
		try 0 sketch-info "$file"
		case ${file##*/} in
		good-mixed.sk) refuses sketch-merge "$file" ;;
		good-extension-several.sk)
			try 0 sketch-merge "$file"
			try_any 1 bloom-query "$file" lines
			;;
		*)
			try 0 sketch-merge "$file"
			try 0 hll-count -s "$file"
			try 0 hll-build --like "$file" lines
			;;
		esac
	done
}

@test "damage of every kind to every golden record is found, for the right reason" {
	local file some='hll-tokens hll-registers-8 hll-keyed-mixed hll-keyed-empty bloom-block-2
	    bloom-classic-empty bloom-block-auto bloom-counting-merged bloom-scalable-merged
	    cuckoo-odd cuckoo-victim cms-plain cms-saturated cms-key cms-ids cms-empty seen-repeated
	    spacesaving-bounds spacesaving-saturated spacesaving-key
	    hdr-signs hdr-saturated tdigest-gap tdigest-saturated minhash-more minhash-words simhash simhash-empty simhash-masked bands bands-merged bands-unverified hll-redis-merged hll-redis-dense hll-redis-keyed hdr-keyed-ids hll-postgres-sparse hll-postgres-full
	    hll-postgres-keyed hll-datasketches-registers hll-datasketches-hip hll-datasketches-keyed'
	if long; then some=$(records); fi
	for file in $some; do
		rm -rf made
		python3 "$HERE/mutate.py" "$GOLDEN/$(basename "$file" .sk).sk" made |
		    sort -u -t '	' -k 1,1 >reasons
		cut -f 1 reasons | sed 's|.*|made/&.sk|' >names
		cut -f 2 reasons >wanted
		reasons_of sketch-info -q >got
		diff wanted got
	done
}

@test "a cut or a flipped bit is found by every program" {
	echo a >lines
	python3 - "$GOLDEN"/{hll-example,hll-registers-4,hll-armor,hll-keyed,hll-keyed-lines}.sk \
	    "$GOLDEN"/{bloom-block-1,bloom-classic,bloom-counting,bloom-scalable,cuckoo,cms-candidates,spacesaving}.sk <<-'END'
		import os, sys
		for path in sys.argv[1:]:
		    data = open(path, "rb").read()
		    name = os.path.basename(path)
		    for part in 37, 83:
		        at = len(data) * part // 100
		        open(f"cut-{part}-{name}", "wb").write(data[:at])
		        flipped = bytearray(data)
		        flipped[at] ^= 1 << part % 8
		        open(f"bit-{part}-{name}", "wb").write(flipped)
	END
	local bad=0
	for file in cut-*.sk bit-*.sk; do
		every "$file" || bad=1
	done
	return "$bad"
}

@test "a small file that claims a terabyte fails at once, in little memory" {
	[ "${SKETCHUTILS_BUILD##*/}" = build ] || skip 'a sanitizer has memory of its own'
	echo a >lines
	head -c 100 "$FILES/bad-bloom-block-claim.sk" >bad-short-claim.sk
	local bad=0 peak status
	for file in "$FILES"/bad-*claim*.sk bad-short-claim.sk; do
		for command in 'sketch-info --verify FILE' 'sketch-merge FILE' 'hll-count -s FILE' \
		    'cms-topk -s FILE' 'bloom-query FILE lines' 'cms-query FILE lines' \
		    'bloom-build --like FILE lines'; do
			# shellcheck disable=SC2086
			"$SKETCHUTILS_BUILD/stopwatch" 1 ${command/FILE/"$file"} >cost 2>err
			read -r _ _ peak status <cost
			[ "$status" = 4 ] && [ "$peak" -lt 8000 ] && continue
			echo "$command: status $status, $peak KiB"
			bad=1
		done
	done
	return "$bad"
}
