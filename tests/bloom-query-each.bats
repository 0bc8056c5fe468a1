# sketchutils: BSD-2-Clause, see LICENSE
#
# bloom-query with several filters and keyed ones: --each, --tag, all types.

load helper

TYPES='block classic counting scalable cuckoo'

# One filter of each type; each has a tenth of the numbers below 1,000, and
# half of the next one's.
prepare() {
	filters=() names=()
	local first=0 type
	for type in $TYPES; do
		seq $((first + 1)) $((first + 150)) >"list.$type"
		bloom-build --type "$type" -n 1000 -p 1e-8 -o "$type.bf" "list.$type"
		filters+=(--filter "$type.bf")
		names+=("$type.bf")
		first=$((first + 100))
	done
	seq 7 7 1000 >lines
}

# rows [LINES]: what --each is to print, by the lists.
rows() {
	awk -v types="$TYPES" 'BEGIN { n = split(types, type)
	    for (i = 1; i <= n; i++) while ((getline k <("list." type[i])) > 0) has[i, k] = 1 }
	    { for (i = 1; i <= n; i++) if (has[i, $0]) print type[i] ".bf\t" $0 }' "${1:-lines}"
}

# All types.

@test "each type answers as a list would, mapped, read, armoured, as text or piped" {
	for type in $TYPES; do
		grep -Fx -f "list.$type" lines >yes
		grep -Fxv -f "list.$type" lines >no
		try 0 bloom-query "$type.bf" lines && out_is_file yes
		try 0 bloom-query -v "$type.bf" lines && out_is_file no
		try 0 bloom-query - lines <"$type.bf" && out_is_file yes
		try 0 bloom-query <(cat "$type.bf") lines && out_is_file yes
		sketch-merge -a "$type.bf" >text
		try 0 bloom-query text lines && out_is_file yes
		cat "$type.bf" "$type.bf" >twice
		try 0 bloom-query twice lines && out_is_file yes
		try 0 bloom-query -c "$type.bf" lines && out_is "$(wc -l <yes)"
		try 0 bloom-query -j 3 "$type.bf" lines && out_is_file yes
		try 1 bloom-query "$type.bf" < <(seq 5000 6000)
		try 1 bloom-query "$type.bf" /dev/null
		try 1 bloom-query -v "$type.bf" "list.$type"
	done
}

@test "fields that differ are never the same item" {
	for type in $TYPES; do
		printf 'ab,c\n' | bloom-build --type "$type" -d , -f 1,2 -n 100 -p 1e-8 -o two.bf
		try 1 bloom-query -d , -f 1,2 two.bf < <(printf 'a,bc\nabc,\n,abc\nab;c,\n')
		try 0 bloom-query -d , -f 1,2 two.bf < <(printf 'ab,c,d\n')
		out_is ab,c,d
	done
}

@test "bytes are bytes for every type: NUL, bad UTF-8, CR, empty and unended lines" {
	printf 'a\0b\n\n\377\376\r\nlast' >odd
	for type in $TYPES; do
		bloom-build --type "$type" -n 100 -p 1e-8 -o odd.bf odd
		try 0 bloom-query odd.bf odd
		{ cat odd && echo; } >wanted
		out_is_file wanted
		try 1 bloom-query odd.bf < <(printf 'a\na\0c\n\377\376\nlast\r\n \n')
	done
}

@test "lines as long as buffers, a byte less, a byte more, and 10 MB" {
	for n in 63 64 65 255 256 262143 262144 262145 524287 524288 524289 10000000; do
		head -c "$n" /dev/zero | tr '\0' q
		echo
	done >long
	bloom-build -n 100 -p 1e-9 -o long.bf long
	try 0 bloom-query long.bf long && out_is_file long
	try 0 bloom-query long.bf < <(cat long) && out_is_file long
	head -c "$(($(wc -c <long) - 1))" long >unended
	try 0 bloom-query long.bf unended && out_is_file long
	try 1 bloom-query -v long.bf long
	sed 's/^/maybe\t/' long >wanted
	try 0 bloom-query --tag long.bf long && out_is_file wanted
	sed 's/^/long.bf\t/' long >wanted
	try 0 bloom-query --each --filter long.bf long && out_is_file wanted
	tr q r <long >others
	sed 's/^/new\t/' others >wanted
	try 1 bloom-query --tag long.bf others && out_is_file wanted
}

@test "types are mixed, mapped ones and read ones" {
	cat list.* | grep -Fx -f - lines >wanted
	try 0 bloom-query "${filters[@]}" lines
	out_is_file wanted
	cat "${names[@]}" >all.bf
	try 0 bloom-query all.bf lines
	out_is_file wanted
	cat list.* | grep -Fxv -f - lines >wanted
	try 0 bloom-query -v "${filters[@]}" lines
	out_is_file wanted
	bloom-build --type cuckoo --seed 5 -n 1000 -o other.sk lines
	try 4 bloom-query "${filters[@]}" --filter other.sk lines
	err_is "bloom-query: cannot query 'block.bf' together with 'other.sk': seed 0 and 5"
}

@test "one line of a large filter of any type takes a few megabytes" {
	long || skip 'writes 70 MB each'
	# The system may bring in neighbours of a page, up to 2 MiB each.
	limit=24
	# A sanitizer keeps books of its own.
	! grep -q fsanitize "$SKETCHUTILS_BUILD/cflags" || limit=48
	for type in $TYPES; do
		bloom-build --type "$type" -n 60M -p 1% -o large.bf < <(seq 100)
		[ "$(wc -c <large.bf)" -gt $((64 << 20)) ] || [ "$type" = scalable ]
		try_any 0 bloom-query --stats large.bf <<<7
		out_is 7
		[ "$(sed -n 's/.* read, \([0-9]*\)[.0-9]* MiB of memory.*/\1/p' err)" -lt $limit ]
	done
}

# --each.

@test "--each: a row for each filter that has the line, in the order of operands" {
	rows >wanted
	try 0 bloom-query --each "${filters[@]}" lines
	out_is_file wanted
	try 0 bloom-query --each "${filters[@]}" < <(cat lines)
	out_is_file wanted
	try 1 bloom-query --each "${filters[@]}" < <(seq 2000 3000)
	out_is ''
	try 0 bloom-query --each --filter cuckoo.bf --filter block.bf < <(printf '450\n7\n')
	printf 'cuckoo.bf\t450\nblock.bf\t7\n' >wanted
	out_is_file wanted
	try 0 bloom-query --each block.bf lines
	grep -Fx -f list.block lines | sed 's/^/block.bf\t/' >wanted
	out_is_file wanted
}

@test "--each by threads gives the same rows" {
	awk '{ line[NR] = $0 } END { for (i = 0; i < 2000; i++) for (k = 1; k <= NR; k++) print line[k] }' \
	    lines >many
	for j in 1 3; do
		try 0 bloom-query --each -j $j "${filters[@]}" many
		mv out "out.$j"
		try 0 bloom-query --each -c -j $j "${filters[@]}" many
		mv out "count.$j"
	done
	same out.1 out.3
	same count.1 count.3
	[ "$(wc -l <out.1)" = $((2000 * $(rows | wc -l))) ]
}

@test "--each -c: how many lines each has, and how many have one" {
	try 0 bloom-query --each -c "${filters[@]}" lines
	for type in $TYPES; do
		printf '%s\t%s\n' "$(grep -Fxc -f "list.$type" lines)" "$type.bf"
	done >wanted
	printf '%s\ttotal\n' "$(cat list.* | grep -Fxc -f - lines)" >>wanted
	out_is_file wanted
	# Over all inputs, in one answer: or in none.
	try 0 bloom-query --each -c "${filters[@]}" lines lines
	awk '{ print 2 * $1 "\t" $2 }' wanted >doubled
	out_is_file doubled
	try_any 3 bloom-query --each -c "${filters[@]}" lines no-such-file
	out_is ''
	try 1 bloom-query --each -c --filter block.bf --filter classic.bf /dev/null
	printf '0\tblock.bf\n0\tclassic.bf\n0\ttotal\n' >wanted
	out_is_file wanted
}

@test "--each -m stops after so many lines, not rows" {
	seq 101 110 >both
	try 0 bloom-query --each -m 2 "${filters[@]}" both
	printf '%s\n' $'block.bf\t101' $'classic.bf\t101' $'block.bf\t102' $'classic.bf\t102' >wanted
	out_is_file wanted
	try 0 bloom-query --each -c -m 2 --filter block.bf --filter classic.bf both both
	printf '4\tblock.bf\n4\tclassic.bf\n4\ttotal\n' >wanted
	out_is_file wanted
	try 0 bloom-query --each -q "${filters[@]}" both
	out_is ''
}

@test "--each: many filters, in which a line is in none, some or all" {
	local many=()
	for i in $(seq 60); do
		awk -v i="$i" '$0 % i == 0' < <(seq 200) >"multiples.$i"
		bloom-build -n 1000 -p 1e-8 -o "$i.bf" "multiples.$i"
		many+=(--filter "$i.bf")
	done
	seq 0 230 >asked
	awk '$0 >= 1 && $0 <= 200 { for (i = 1; i <= 60; i++) if ($0 % i == 0) print i ".bf\t" $0 }' \
	    asked >wanted
	try 0 bloom-query --each "${many[@]}" asked
	out_is_file wanted
}

@test "several records in a file, and a file named twice, count as one" {
	cat block.bf classic.bf >two.bf
	seq 140 160 >asked
	try 0 bloom-query --each --filter two.bf --filter block.bf asked
	awk '{ print "two.bf\t" $0 } $0 <= 150 { print "block.bf\t" $0 }' asked >wanted
	out_is_file wanted
	try 0 bloom-query --each --filter block.bf --filter two.bf --filter block.bf asked
	awk '$0 <= 150 { print "block.bf\t" $0 } { print "two.bf\t" $0 }' asked >wanted
	out_is_file wanted
	try 0 bloom-query --each - asked <two.bf
	sed 's/^/standard input\t/' asked >wanted
	out_is_file wanted
}

# Keyed.

# keyed: days 1 to 3 as keys, in a record and as lines.
keyed() {
	for day in 10 2 3; do
		seq $day 20 200 | sed "s/^/$day /"
	done >log
	bloom-build --by 1 -f 2 -n 100 -p 1e-8 -o keyed.bf "$@" log
	bloom-build --by 1 -f 2 -n 100 -p 1e-8 -a -o keyed.txt "$@" log
	awk '{ print $1 "\t" $2 }' log >pairs
}

@test "a keyed file: seen if any key has it, and --each says which" {
	for options in '' '--type classic' '--type counting'; do
		# shellcheck disable=SC2086
		keyed $options
		cut -f 2 pairs | sort -un >asked
		echo 5 >>asked
		for file in keyed.bf keyed.txt; do
			try 0 bloom-query -v $file asked
			out_is 5
			try 0 bloom-query --each $file asked
			# Keys are in the order of their bytes.
			awk 'NR == FNR { has[$1, $2] = 1; next }
			    { for (i = 1; i <= 3; i++) { k = i == 1 ? 10 : i; if (has[k, $0]) print k "\t" $0 } }' \
			    pairs asked >wanted
			out_is_file wanted
			try 0 bloom-query --each -c $file asked
			printf '10\t10\n10\t2\n10\t3\n30\ttotal\n' >wanted
			out_is_file wanted
			try 0 bloom-query --each - asked <$file
			mv out got
			try 0 bloom-query --each $file asked
			out_is_file got
		done
	done
}

@test "a keyed file without a key has nothing, alone or beside others" {
	try 0 bloom-build -o none.bf --by 1 -n 10 /dev/null
	printf 'a\n\n' >asked
	for j in 1 2; do
		try 1 bloom-query -j $j none.bf asked
		out_is ''
	done
	try 0 bloom-query -v none.bf asked
	out_is_file asked
	try 1 bloom-query --tag none.bf asked
	out_is $'new\ta\nnew\t'
	try 1 bloom-query --each none.bf asked
	try 1 bloom-query --each -c none.bf asked
	out_is $'0\ttotal'
	try_any 1 bloom-query -q --stats none.bf asked
	err_has 'the fpp is 0 %'
	try 0 bloom-build -o one.bf -n 10 <<<a
	try 0 bloom-query --filter none.bf --filter one.bf asked
	out_is a
}

@test "one key in several files is one name, beside names of files" {
	keyed
	bloom-build --by 1 -f 2 -n 100 -p 1e-8 -o more.bf < <(printf '2 x\n4 y\n')
	bloom-build -n 100 -p 1e-8 -o plain.bf < <(printf 'x\n2\n')
	try 0 bloom-query --each --filter plain.bf --filter keyed.bf --filter more.bf < <(
		printf '2\nx\ny\n')
	printf 'plain.bf\t2\n2\t2\nplain.bf\tx\n2\tx\n4\ty\n' >wanted
	out_is_file wanted
	cat plain.bf keyed.bf more.bf >all.bf
	try 0 bloom-query --each -c all.bf < <(printf '2\nx\ny\n')
	printf '2\tall.bf\n0\t10\n2\t2\n0\t3\n1\t4\n3\ttotal\n' >wanted
	out_is_file wanted
}

@test "a key of several fields is shown with TABs, an empty one as nothing" {
	printf 'a,b,x\n,,x\na,,y\n' >table
	bloom-build --by 1,2 -f 3 -d , -n 100 -p 1e-8 -o keyed.bf table
	try 0 bloom-query --each keyed.bf < <(printf 'x\ny\n')
	printf '\t\tx\na\tb\tx\na\t\ty\n' >wanted
	out_is_file wanted
	printf ' x\n' | bloom-build --by 1 -f 2 -d ' ' -n 100 -p 1e-8 -o keyed.bf
	try 0 bloom-query --each keyed.bf <<<x
	printf '\tx\n' >wanted
	out_is_file wanted
}

@test "a thousand keys" {
	seq 3000 | awk '{ print $1 % 1000, $1 }' >log
	bloom-build --by 1 -f 2 -n 10 -p 1e-8 -o keyed.bf log
	try 0 bloom-query --each keyed.bf < <(seq 3000 -1 2990)
	seq 3000 -1 2990 | awk '{ print $1 % 1000 "\t" $1 }' >wanted
	out_is_file wanted
}

# --tag.

@test "--tag prints every line, with new or maybe before it" {
	for type in $TYPES; do
		awk 'NR == FNR { has[$0] = 1; next } { print (has[$0] ? "maybe" : "new") "\t" $0 }' \
		    "list.$type" lines >wanted
		try 0 bloom-query --tag "$type.bf" lines
		out_is_file wanted
		try 0 bloom-query --tag -j 2 "$type.bf" < <(cat lines)
		out_is_file wanted
	done
	try 1 bloom-query --tag block.bf < <(printf 'x\n\ny')
	printf 'new\tx\nnew\t\nnew\ty\n' >wanted
	out_is_file wanted
	try 0 bloom-query --tag -z block.bf < <(printf '7\0008')
	printf 'maybe\t7\0maybe\t8\0' >wanted
	out_is_file wanted
	try 1 bloom-query --tag block.bf /dev/null
	try 0 bloom-query --tag "${filters[@]}" < <(printf '7\n2000\n450\n')
	printf 'maybe\t7\nnew\t2000\nmaybe\t450\n' >wanted
	out_is_file wanted
}

@test "lines of every length are tagged as they are" {
	awk 'BEGIN { for (n = 0; n < 600; n++) { s = s "k"; print s; print "-" s } }' >ladder
	grep -v '^-' ladder | bloom-build -p 1e-9 -o kept.bf
	sed 's/^-/new\t-/; t; s/^/maybe\t/' ladder >wanted
	try 0 bloom-query --tag kept.bf ladder
	out_is_file wanted
}

@test "--tag: rejected and skipped lines are not printed" {
	printf '"1"\n"2\n\n"x"\n' >table
	try_any 0 bloom-query --tag --csv --skip-empty -f 1 block.bf table
	printf 'maybe\t"1"\nnew\t"x"\n' >wanted
	out_is_file wanted
	err_has 'bloom-query: rejected 1 of 4 lines'
}

# How it fails.

@test "options that contradict each other are status 2" {
	for options in '--tag -v' '--tag -c' '--tag -q' '--tag -m 1' '--tag --each' '--each -v'; do
		# shellcheck disable=SC2086
		try 2 bloom-query $options block.bf lines
		read -r one two _ <<<"$options"
		err_is "bloom-query: $one and $two exclude each other"
	done
}

@test "a keyed file that is damaged is status 4, wherever" {
	keyed
	size=$(wc -c <keyed.bf)
	for cut in 100 128 200 $((size - 64)) $((size - 1)); do
		head -c "$cut" keyed.bf >cut.bf
		try 4 bloom-query --each cut.bf lines
		err_has "bloom-query: cannot read sketch 'cut.bf'"
	done
	for at in 40 130 150 $((size - 30)); do
		cp keyed.bf flipped.bf
		printf '\252' | dd of=flipped.bf bs=1 seek="$at" conv=notrunc 2>/dev/null
		cmp -s keyed.bf flipped.bf || try 4 bloom-query --each flipped.bf lines
	done
	hll-build --by 1 -o keyed.hll log
	try 4 bloom-query keyed.hll lines
	err_is "bloom-query: cannot use sketch 'keyed.hll': its kind is hll, not bloom"
}

@test "every byte of a header, and every cut of it: an answer or status 4" {
	local step=23
	long && step=1
	for type in block counting scalable cuckoo; do
		for at in $(seq 0 $step 127) 10 16 41 48; do
			cp "$type.bf" bad.bf
			printf '\377' | dd of=bad.bf bs=1 seek="$at" conv=notrunc 2>/dev/null
			cmp -s "$type.bf" bad.bf || try 4 bloom-query bad.bf lines
			head -c "$at" "$type.bf" >bad.bf
			try 4 bloom-query bad.bf lines
		done
		{ cat "$type.bf" && printf x; } >bad.bf
		try 4 bloom-query bad.bf lines
	done
}
