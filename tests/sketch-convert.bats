# sketchutils: BSD-2-Clause, see LICENSE
#
# Other systems' bytes. Their programs themselves are met by `make interop`;
# here a few lines of Python, which share nothing with ours, stand in for them.

load helper

OTHERS="$SKETCHUTILS_TOP/tests/interop/others.py"

prepare() {
	{ seq 300; seq 1 3 300; printf '\n%s\r\n\377\376\n' 'with a CR'; } >lines
	seq 250 3 900 >some
}

# What it does.

@test "--compat dcso and --to dcso make the file that DCSO's rules make, byte for byte" {
	for rule in '400 0.01' '1000 1e-6' '50000 0.3' '200 0.001' '1 0.5'; do
		read -r n p <<<"$rule"
		# Two of them are overfilled, and say so.
		bloom-build --compat dcso -n "$n" -p "$p" -o x.sk lines 2>err
		python3 "$OTHERS" dcso "$n" "$p" <lines >wanted
		try 0 sketch-convert --to dcso x.sk
		out_is_file wanted
	done
}

@test "--compat parquet and --to parquet make the bits that Parquet's rules make" {
	for n in 20 300 4000; do
		bloom-build --compat parquet -n "$n" -p 5% -o x.sk lines 2>err || true
		blocks=$(sketch-info --json x.sk | jq .blocks)
		python3 "$OTHERS" parquet "$blocks" <lines >wanted
		try 0 sketch-convert --to parquet x.sk
		out_is_file wanted
	done
}

@test "their file becomes a record and comes back as it was" {
	for system in dcso parquet; do
		bloom-build --compat "$system" -n 1000 lines | sketch-convert --to "$system" >theirs
		try 0 sketch-convert --from "$system" theirs
		mv out record.sk
		try 0 sketch-info -q record.sk
		try 0 sketch-convert --to "$system" record.sk
		out_is_file theirs
		try 0 sketch-convert --from "$system" --to "$system" <theirs
		out_is_file theirs
		try 0 sketch-convert --from "$system" -a theirs
		sketch-convert --to "$system" out >again
		same theirs again
	done
}

@test "a record of ours has what a file of DCSO says" {
	bloom-build --compat dcso -n 1000 -o own.sk lines
	sketch-convert --to dcso own.sk >theirs
	sketch-convert --from dcso -o read.sk theirs
	# All but the lines that were offered.
	for file in own.sk read.sk; do
		sketch-info --json "$file" | jq -c 'del(.file, .items)' >"$file.json"
	done
	same own.sk.json read.sk.json
	[ "$(sketch-info --json read.sk | jq '.items, .counted')" = "$(printf '303\n303')" ]
}

@test "what is asked of their file is what is asked of our record" {
	grep -Fx -f lines some >both
	for system in dcso parquet; do
		bloom-build --compat "$system" -n 400 -p 1e-9 -o x.sk lines
		sketch-convert --to "$system" -o x.theirs x.sk
		try 0 bloom-query x.sk some
		out_is_file both
		try 0 bloom-query --from "$system" x.theirs some
		out_is_file both
		try 1 bloom-query --from "$system" -v x.theirs lines
		try 0 bloom-query -c --from "$system" --filter x.theirs --filter x.theirs some
		out_is "$(wc -l <both)"
		# Fields and folding are the asker's.
		sed 's/^/x /' some >fields
		try 0 bloom-query -c -f 2 --from "$system" x.theirs fields
		out_is "$(wc -l <both)"
	done
}

@test "gzip is read, in all its forms" {
	bloom-build --compat dcso -n 400 lines | sketch-convert --to dcso >plain
	for level in 1 6 9; do
		gzip -n -$level <plain >wrapped
		try 0 sketch-convert --from dcso --to dcso wrapped
		out_is_file plain
	done
	gzip -c plain >named.gz
	try 0 sketch-convert --from dcso --to dcso named.gz
	out_is_file plain
	# Hardly anything in it: mostly copies.
	bloom-build --compat dcso -n 1M some | sketch-convert --to dcso >sparse
	gzip -9 <sparse >wrapped
	[ "$(wc -c <wrapped)" -lt 20000 ]
	try 0 sketch-convert --from dcso --to dcso wrapped
	out_is_file sparse
	{ head -c 1000 sparse | gzip; tail -c +1001 sparse | gzip; } >members
	try 0 sketch-convert --from dcso --to dcso members
	out_is_file sparse
}

@test "text behind a DCSO filter is left out, and that is said" {
	bloom-build --compat dcso -n 400 lines | sketch-convert --to dcso >plain
	{ cat plain; echo 'a note'; } >noted
	try_any 0 sketch-convert --from dcso --to dcso noted
	out_is_file plain
	err_is "sketch-convert: 7 bytes behind the filter in 'noted' are left out"
	gzip -k noted
	try_any 0 sketch-convert --from dcso --to dcso noted.gz
	out_is_file plain
	try 0 bloom-query -c --from dcso noted lines
	try 0 sketch-info --json --from dcso noted
	jq -e '.other_bytes == 7 and .system == "dcso" and .kind == "bloom-dcso"' out
}

@test "unions are theirs: bits or, and counts added" {
	head -n 200 lines >a
	tail -n +150 lines >b
	for part in a b; do
		bloom-build --compat dcso -n 400 "$part" | sketch-convert --to dcso >$part.bloom
		bloom-build --compat parquet -n 400 "$part" | sketch-convert --to parquet >$part.pq
	done
	try 0 sketch-merge --from dcso a.bloom b.bloom
	sketch-convert --to dcso out >all.bloom
	python3 "$OTHERS" join a.bloom b.bloom >wanted
	same wanted all.bloom
	try 0 sketch-merge --from parquet a.pq b.pq
	sketch-convert --to parquet out >all.pq
	bloom-build --compat parquet -n 400 lines | sketch-convert --to parquet >wanted
	same wanted all.pq
}

@test "the filter does not depend on threads, pipes or -n" {
	"$SKETCHUTILS_BUILD/logmaker" urls 270000 >many
	for system in dcso parquet; do
		bloom-build --compat "$system" -j 1 -n 300k -o one.sk many
		bloom-build --compat "$system" -j 4 -n 300k -o four.sk many
		same one.sk four.sk
		bloom-build --compat "$system" -n 300k <many >pipe.sk
		same one.sk pipe.sk
		bloom-build --compat "$system" -j 1 -o one.sk many
		bloom-build --compat "$system" -j 4 -o four.sk many
		same one.sk four.sk
	done
}

@test "a size that DCSO's hash handles badly is passed over, and that is said" {
	seq 1000 >thousand
	try_any 0 bloom-build --compat dcso -n 109397 -o x.sk thousand
	err_is 'bloom-build: sized for 109398 items, not 109397: the hash of dcso handles that size badly'
	sketch-info --json x.sk | jq -e '.bits == 1048586 and .capacity == 109398'
	try 0 bloom-build --compat dcso -n 109398 -o y.sk thousand
	same x.sk y.sk
	# Without -n nobody asked for a size.
	seq 109397 >many
	try 0 bloom-build --compat dcso -o x.sk many
	# And of a file that has one the truth is told.
	seq 109397 | python3 "$OTHERS" dcso 109397 0.01 >bad.bloom
	sketch-info --json --from dcso bad.bloom | jq -e '.bits == 1048576 and .fpp > 0.2 and .fpp < 0.28'
	seq 200001 220000 >absent
	[ "$(bloom-query -c --from dcso bad.bloom absent 2>err)" -gt 4000 ]
}

@test "--update adds to a record of theirs" {
	head -n 100 lines >a
	try 0 bloom-build --compat dcso -n 1000 --update x.sk a
	try 0 bloom-build --compat dcso --update x.sk lines
	try 0 bloom-query -c x.sk lines
	out_is 403
	try 4 bloom-build --update x.sk lines
	err_has 'use --compat dcso'
	try 4 bloom-build --compat parquet -n 1000 --update x.sk lines
	err_has 'hash fnv1 and xxh64'
	try 0 bloom-build --like x.sk -o y.sk lines
	try 0 sketch-convert --to dcso -o y.bloom y.sk
	try 0 bloom-query --add x.sk some
}

@test "several files make several records, and several records go to armour" {
	for i in 1 2 3; do
		seq "$i" 100 | bloom-build --compat parquet -n 100 | sketch-convert --to parquet >$i.pq
	done
	try 0 sketch-convert --from parquet 1.pq 2.pq 3.pq
	mv out three.sk
	[ "$(sketch-info --json three.sk | jq -s length)" = 3 ]
	try 0 sketch-convert --from parquet -a 1.pq 2.pq 3.pq
	[ "$(grep -c '^sk1:' out)" = 3 ]
	try 0 sketch-convert --from parquet -a -z 1.pq 2.pq
	[ "$(tr -cd '\0' <out | wc -c)" = 2 ]
	try 4 sketch-convert --to parquet three.sk
	err_has 'takes one sketch'
	try 4 sketch-convert --from parquet --to parquet 1.pq 2.pq
	err_has "'2.pq': --to takes one sketch"
}

# How it fails.

@test "a hash cannot be converted" {
	bloom-build -n 400 -o ours.sk lines
	try 4 sketch-convert --to dcso ours.sk
	err_is "sketch-convert: cannot convert 'ours.sk' to dcso: its kind is bloom-block, and a hash cannot be converted: build it with bloom-build --compat dcso"
	hll-build -o h.sk lines
	try 4 sketch-convert --to parquet h.sk
	err_has 'its kind is hll'
	bloom-build --compat parquet -o p.sk lines
	try 4 sketch-convert --to dcso p.sk
	err_has 'its kind is bloom-parquet'
	bloom-build --compat dcso -o d.sk lines
	try 4 sketch-convert --from dcso --to parquet d.sk
}

@test "families never mix" {
	bloom-build -n 400 -o ours.sk lines
	bloom-build --compat dcso -n 400 -o dcso.sk lines
	bloom-build --compat parquet -n 400 -o parquet.sk lines
	try 4 sketch-merge ours.sk dcso.sk
	err_is "sketch-merge: cannot merge 'dcso.sk': kind bloom-block and bloom-dcso, hash xxh3 and fnv1"
	try 4 sketch-merge dcso.sk parquet.sk
	err_has 'kind bloom-dcso and bloom-parquet, hash fnv1 and xxh64'
	try 4 bloom-query --filter ours.sk --filter dcso.sk lines
	err_has 'hash xxh3 and fnv1'
	# Of one family, but of unlike sizes.
	bloom-build --compat dcso -n 500 -o other.sk lines
	try 4 sketch-merge dcso.sk other.sk
	err_has 'bits 3834 and 4792'
}

@test "what a file is, is never guessed, but told" {
	bloom-build --compat dcso -n 400 lines | sketch-convert --to dcso >x.bloom
	bloom-build --compat parquet -n 400 lines | sketch-convert --to parquet >x.pq
	gzip -c x.bloom >x.gz
	printf 'PAR1....' >x.parquet
	printf 'PWQ0....' >x.pwq
	for program in 'sketch-info' 'sketch-merge' 'sketch-convert --to dcso'; do
		read -ra run <<<"$program"
		try 4 "${run[@]}" x.bloom
		err_has 'not a sketch, but it looks like a DCSO bloom filter (use --from dcso)'
		try 4 "${run[@]}" x.pq
		err_has '(use --from parquet)'
		try 4 "${run[@]}" x.gz
		err_has 'it is gzip data'
		try 4 "${run[@]}" x.parquet
		err_has 'it is a Parquet file'
		try 4 "${run[@]}" x.pwq
		err_has 'pwqfilter'
	done
	try 4 bloom-query x.bloom lines
	err_has '(use --from dcso)'
	try 4 bloom-query - lines <x.bloom
	err_has '(use --from dcso)'
}

@test "what is none of theirs is refused by name" {
	bloom-build --compat dcso -n 400 -o x.sk lines
	sketch-convert --to dcso -o x.bloom x.sk
	bloom-build --compat parquet -n 400 lines | sketch-convert --to parquet >x.pq
	for program in sketch-info sketch-merge sketch-convert; do
		try 4 "$program" --from dcso x.sk
		err_has "'x.sk': not a DCSO bloom filter, it is a sketch of ours (leave --from out)"
		try 4 "$program" --from dcso x.pq
		err_has 'not a DCSO bloom filter, but it looks like a Parquet bloom filter'
		try 4 "$program" --from parquet x.bloom
		err_has 'not a Parquet bloom filter'
		try 4 "$program" --from dcso lines
		try 4 "$program" --from dcso /dev/null
		err_has empty
		head -c 100 x.bloom >part
		try 4 "$program" --from dcso part
		err_has "'part': truncated"
		gzip -c x.bloom | head -c 200 >part
		try 4 "$program" --from dcso part
		err_has "'part': truncated"
		{ gzip -c x.bloom; echo more; } >trailing
		try 4 "$program" --from dcso trailing
		err_has 'gzip data in it is damaged'
		{ cat x.pq; echo; } >trailing
		try 4 "$program" --from parquet trailing
		err_has 'the size contradicts'
	done
}

@test "a header that claims everything costs nothing" {
	# A sanitizer wants far more address space for itself.
	grep -q fsanitize "$SKETCHUTILS_BUILD/cflags" || ulimit -v 200000
	# 2^48 bits, k 1: 32 TiB.
	printf '\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\340\77\1\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0' >huge
	[ "$(wc -c <huge)" = 48 ]
	try 4 sketch-convert --from dcso huge
	err_has truncated
	gzip huge
	try 4 sketch-convert --from dcso huge.gz
	err_has truncated
	# A filter of 64 bits, and 20 MB of text: more than is believed.
	{ printf '\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\340\77\1\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	    head -c 20000000 /dev/zero; } | gzip >bomb.gz
	try 4 sketch-convert --from dcso bomb.gz
	err_has 'the size contradicts'
}

@test "wrong options are status 2" {
	try 2 sketch-convert lines
	err_has "--from or --to must say which system's bytes come in or go out"
	try 2 sketch-convert --from nobody lines
	err_has "cannot use --from 'nobody': not dcso, parquet"
	try 2 sketch-convert --to nobody lines
	try 2 bloom-build --compat nobody lines
	err_has "cannot use --compat 'nobody': not dcso or parquet"
	try 2 sketch-convert --to dcso -a lines
	err_has 'cannot use -a with --to dcso: it has no text'
	for with in '--type block' '--by 1' '--seed 1' '--like x.sk'; do
		# shellcheck disable=SC2086
		try 2 bloom-build --compat dcso $with lines
		err_has 'exclude each other'
	done
	for type in dcso parquet; do
		try 2 bloom-build --type "$type" lines
	done
	try 2 sketch-info --from dcso --verify lines
	err_has 'exclude each other'
	for with in --add --verify; do
		try 2 bloom-query --from dcso $with lines lines
		err_has 'exclude each other'
	done
}

@test "keyed sketches of ours have no other form" {
	bloom-build --by 1 -n 10 -o keyed.sk lines
	for system in dcso parquet; do
		try 4 sketch-convert --to "$system" keyed.sk
		err_has 'a hash cannot be converted'
		try 2 sketch-convert --to "$system" --keyed keyed.sk
		err_has 'it has no rows for its sketches'
	done
}

@test "no system's bytes go to a terminal" {
	bloom-build --compat dcso -n 400 -o x.sk lines
	for way in '--to dcso x.sk' '--from dcso x.bloom'; do
		local status=0
		script -qec "sketch-convert $way" /dev/null >screen </dev/null || status=$?
		[ "$status" = 2 ]
		grep -q terminal screen
	done
}

@test "-o replaces the file as a whole, and a failure leaves it" {
	bloom-build --compat dcso -n 400 -o x.sk lines
	echo old >x.bloom
	try 0 sketch-convert --to dcso -o x.bloom x.sk
	sketch-convert --to dcso x.sk >wanted
	same wanted x.bloom
	try 4 sketch-convert --from parquet -o x.bloom x.bloom
	same wanted x.bloom
	# Into itself.
	try 0 sketch-convert --from dcso -o x.bloom x.bloom
	try 0 sketch-info -q x.bloom
	[ ! -e .x.bloom.new ]
}

# Limits.

@test "the promise holds for both: at most 1.1 times the wanted fpp" {
	"$SKETCHUTILS_BUILD/logmaker" urls 60000 >many
	head -n 20000 many | sort -u >known
	grep -Fxv -f known many | sort -u >unknown
	absent=$(wc -l <unknown)
	for system in dcso parquet; do
		bloom-build --compat "$system" -n "$(wc -l <known)" -p 1% -o x.sk known 2>err
		try 0 bloom-query -c x.sk known
		out_is "$(wc -l <known)"
		found=$(bloom-query -c x.sk unknown || true)
		[ "$found" -le $((absent * 12 / 1000)) ]
		[ "$system" = parquet ] || [ "$found" -ge $((absent * 8 / 1000)) ]
	done
	try 2 bloom-build --compat parquet -n 2G lines
	err_has 'larger than 1 GiB'
}
