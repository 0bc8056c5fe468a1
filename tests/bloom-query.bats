# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	seq 1000 >seen
	seq 500 3 9000 >lines
	bloom-build -p 1e-9 -o seen.bf seen
}

# What it does.

@test "it prints what grep -Fx -f prints, and -v the rest" {
	grep -Fx -f seen lines >wanted
	try 0 bloom-query seen.bf lines
	out_is_file wanted
	grep -Fxv -f seen lines >wanted
	try 0 bloom-query -v seen.bf lines
	out_is_file wanted
	try 0 bloom-query --invert seen.bf lines
	out_is_file wanted
}

@test "at 1 % it prints all of what grep does and few lines more, in their order" {
	"$SKETCHUTILS_BUILD/logmaker" urls 60000 >long.txt
	head -n 20000 long.txt | sort -u >known
	bloom-build -p 1% -o known.bf known
	grep -Fx -f known long.txt >wanted
	try 0 bloom-query known.bf long.txt
	mv out got
	try 0 bloom-query -v known.bf long.txt
	mv out rest
	# What was printed falsely: 1 % of the absent.
	grep -Fxv -f known got >false || true
	absent=$(grep -Fxvc -f known long.txt)
	[ "$(wc -l <false)" -gt $((absent * 8 / 1000)) ]
	[ "$(wc -l <false)" -lt $((absent * 12 / 1000)) ]
	grep -Fx -f known got >true
	same wanted true
	# Every line is in one of the two, in the order of the input.
	awk -v got=got -v rest=rest '
	    BEGIN { g = (getline a <got) > 0; r = (getline b <rest) > 0 }
	    g && $0 == a { g = (getline a <got) > 0; next }
	    r && $0 == b { r = (getline b <rest) > 0; next }
	    { bad = 1; exit }
	    END { exit bad || g || r }' long.txt
}

@test "lines come out byte for byte; one without its end gets it" {
	long_line=$(printf '%0300d' 7)
	{
		printf 'a\0b\n\n\377\376\r\nx  y\t\n%s\n' "$long_line"
		head -c 1000000 /dev/zero | tr '\0' z
		printf '\n'
		head -c 63 /dev/zero | tr '\0' q
		printf '\nlast'
	} >odd
	bloom-build -p 1e-9 -o odd.bf odd
	try 0 bloom-query odd.bf odd
	{ cat odd && echo; } >wanted
	out_is_file wanted
	try 0 bloom-query odd.bf lines odd
	out_is_file wanted
	try 0 bloom-query -v odd.bf lines
	out_is_file lines
	# The item loses its CR, the line does not.
	try 0 bloom-query --crlf seen.bf < <(printf '1\r\n2\n5000\r\n3\r')
	printf '1\r\n2\n3\r\n' >wanted
	out_is_file wanted
	try 0 bloom-query -z seen.bf < <(printf '1\0005000\0002\0\0003')
	printf '1\0002\0003\0' >wanted
	out_is_file wanted
}

@test "lines of every length, each alone and all kept or dropped" {
	awk 'BEGIN { for (n = 0; n < 700; n++) { s = s "k"; print s; print "-" s } }' >ladder
	grep -v '^-' ladder >kept
	bloom-build -p 1e-9 -o kept.bf kept
	try 0 bloom-query kept.bf ladder
	out_is_file kept
	grep '^-' ladder >dropped
	try 0 bloom-query -v kept.bf ladder
	out_is_file dropped
}

@test "a field is asked for, and the whole line is printed" {
	printf '7,x,"5 5"\n"8",2000,z\n2000,7,z\n' >table
	try 0 bloom-query -d , -f 1 seen.bf table
	out_is '7,x,"5 5"'
	try 0 bloom-query --csv -f 1 seen.bf table
	head -n 2 table >wanted
	out_is_file wanted
	{ echo id,name,text && cat table; } >named
	try 0 bloom-query --csv --header -f name seen.bf named
	out_is 2000,7,z
	printf '\n7,\n' >empty
	bloom-build -p 1e-9 -o with-empty.bf empty
	try 0 bloom-query -d , -f 2 with-empty.bf empty
	out_is_file empty
	try 1 bloom-query --skip-empty -d , -f 2 with-empty.bf empty
	try 1 bloom-query -v --skip-empty -d , -f 2 with-empty.bf empty
}

@test "-c prints how many, and one row for each of several inputs" {
	n=$(grep -Fxc -f seen lines)
	try 0 bloom-query -c seen.bf lines
	out_is "$n"
	try 0 bloom-query -c seen.bf <lines
	out_is "$n"
	try 0 bloom-query -v -c seen.bf lines
	out_is $(($(wc -l <lines) - n))
	try 0 bloom-query -c seen.bf lines seen - < <(cat lines)
	printf '%s\tlines\n1000\tseen\n%s\tstandard input\n' "$n" "$n" >wanted
	out_is_file wanted
	echo none >none
	try 1 bloom-query -c seen.bf none
	out_is 0
	try 1 bloom-query -z -c seen.bf none
	[ "$(od -An -tx1 out)" = ' 30 00' ]
	# No row for what could not be read, nor its lines in another's.
	try_any 3 bloom-query -c seen.bf none no-such-file seen .
	printf '0\tnone\n1000\tseen\n' >wanted
	out_is_file wanted
	[ "$(wc -l <err)" = 2 ]
}

@test "-q says it with the status, at the first line" {
	try 0 bloom-query -q seen.bf lines
	out_is ''
	try 1 bloom-query -q seen.bf <<<none
	try 1 bloom-query -q -v seen.bf seen
	try 0 bloom-query -q -c seen.bf lines
	out_is ''
	# At once: nobody ever closes this fifo.
	mkfifo fifo
	exec 7<>fifo
	echo 5 >&7
	try 0 bloom-query -q seen.bf fifo
	echo 5 >&7
	try 0 bloom-query -q -j 2 seen.bf fifo
	exec 7>&-
}

@test "-m stops each input after so many lines" {
	try 0 bloom-query -m 2 seen.bf lines seen
	printf '%s\n' 500 503 1 2 >wanted
	out_is_file wanted
	try 0 bloom-query -m 3 -c seen.bf lines seen
	printf '3\tlines\n3\tseen\n' >wanted
	out_is_file wanted
	try 0 bloom-query -v -m 1 seen.bf lines
	out_is 1001
	try 0 bloom-query -j 4 -m 167 seen.bf lines
	grep -Fx -f seen lines >wanted
	out_is_file wanted
	try 0 bloom-query -m 166 seen.bf lines
	head -n 166 wanted >first
	out_is_file first
	try 0 bloom-query -m 99999 seen.bf lines
	out_is_file wanted
	try 2 bloom-query -m 0 seen.bf lines
	err_is "bloom-query: cannot use -m '0': not in 1..18446744073709551615"
}

@test "several filters: a line was seen if one of them has it" {
	local filters=()
	for i in $(seq 0 19); do
		seq $((i * 100 + 1)) $((i * 100 + 50)) >part
		cat part >>all
		if [ $((i % 2)) = 0 ]; then
			bloom-build -p 1e-9 -o "$i.bf" part
		else
			bloom-build -p 1e-7 --type classic -o "$i.bf" part
		fi
		filters+=(--filter "$i.bf")
	done
	seq 3000 >asked
	grep -Fx -f all asked >wanted
	try 0 bloom-query "${filters[@]}" asked
	out_is_file wanted
	try 0 bloom-query "${filters[@]}" <asked
	out_is_file wanted
	# The same as one file, and as text.
	cat {0..19}.bf >all.bf
	try 0 bloom-query all.bf asked
	out_is_file wanted
	try 0 bloom-query - asked <all.bf
	out_is_file wanted
	{ cat 0.bf && bloom-build -p 1e-9 -a <all && cat 1.bf; } >mixed.bf
	try 0 bloom-query mixed.bf asked
	out_is_file wanted
}

@test "a filter as text, from a pipe, a fifo or behind a link" {
	grep -Fx -f seen lines >wanted
	bloom-build -a -p 1e-9 -o seen.txt seen
	try 0 bloom-query seen.txt lines
	out_is_file wanted
	try 0 bloom-query <(cat seen.bf) lines
	out_is_file wanted
	mkfifo fifo
	cat seen.bf >fifo &
	try 0 bloom-query fifo lines
	wait
	out_is_file wanted
	ln -s seen.bf link
	try 0 bloom-query link lines
	out_is_file wanted
	tr '\n' '\0' <seen.txt >zeros.txt
	tr '\n' '\0' <lines >zeros
	try 0 bloom-query -z zeros.txt zeros
	tr '\n' '\0' <wanted | same - out
}

@test "records in one file are united while they fit, else asked one by one" {
	# Ten parts of one whole: one filter, as if built at once.
	split -n l/10 seen part.
	for part in part.*; do
		bloom-build -n 1000 -o "$part.bf" "$part"
	done
	cat part.*.bf >parts.bf
	bloom-build -n 1000 -o whole.bf seen
	seq 100000 200000 >absent
	try 0 bloom-query -c whole.bf absent
	mv out wanted
	try 0 bloom-query -c parts.bf absent
	out_is_file wanted
	try 1 bloom-query -v parts.bf seen
	# Ten full ones: united their fpp would be near 1, and an alarm raised.
	# Each adds its own, which is at most 1 %.
	for i in 1 2 3 4 5 6 7 8 9 10; do
		seq $((i * 1000)) $((i * 1000 + 999)) | bloom-build -n 1000 -o "full$i.bf"
	done
	cat full*.bf >full.bf
	try 0 bloom-query -c full.bf absent
	out_between 6000 10500
	seq 1000 10999 >held
	try 1 bloom-query -v full.bf held
}

@test "the seed and the folding of case are the filter's" {
	printf 'Abc\n' >one
	bloom-build -p 1e-9 --seed 7 -i -o folded.bf one
	try 0 bloom-query folded.bf <<<aBC
	out_is aBC
	try 0 bloom-query -i folded.bf <<<ABC
	try 4 bloom-query -i seen.bf lines
	err_is "bloom-query: cannot query 'seen.bf': case kept and folded (-i)"
	bloom-build -p 1e-9 -f 1,2 -o two.bf <<<'a b'
	try 0 bloom-query -f 2,1 two.bf <<<'b a'
	try 4 bloom-query -f 1 two.bf lines
	err_is "bloom-query: cannot query 'two.bf': items of several fields and one field"
	try 4 bloom-query -f 1,2 seen.bf lines
	err_is "bloom-query: cannot query 'seen.bf': items of one field and several fields"
}

@test "filters that disagree on how items are made are status 4" {
	bloom-build --seed 7 -o seeded.bf seen
	bloom-build -i -o folded.bf seen
	try 4 bloom-query --filter seen.bf --filter seeded.bf lines
	err_is "bloom-query: cannot query 'seen.bf' together with 'seeded.bf': seed 0 and 7"
	try 4 bloom-query --filter folded.bf --filter seen.bf lines
	err_is "bloom-query: cannot query 'folded.bf' together with 'seen.bf': case folded (-i) and kept"
	cat seen.bf seeded.bf >both.bf
	try 4 bloom-query both.bf lines
	err_is "bloom-query: cannot query 'both.bf' together with 'both.bf': seed 0 and 7"
}

@test "threads and pipes change neither lines nor order" {
	"$SKETCHUTILS_BUILD/logmaker" urls 60000 >long.txt
	awk 'NR % 2' long.txt | bloom-build -o half.bf
	for options in '' -v -c '-v -c'; do
		# shellcheck disable=SC2086
		try 0 bloom-query -j 1 $options half.bf long.txt
		mv out wanted
		for j in 0 2 3; do
			# shellcheck disable=SC2086
			try 0 bloom-query -j $j $options half.bf long.txt && out_is_file wanted
			# shellcheck disable=SC2086
			try 0 bloom-query -j $j $options half.bf < <(cat long.txt) && out_is_file wanted
		done
	done
}

# wait_for FILE: until it is not empty.
wait_for() {
	for _ in $(seq 600); do
		[ -s "$1" ] && return
		sleep 0.05
	done
	return 1
}

@test "an answer is written before the next line is waited for" {
	mkfifo fifo
	bloom-query seen.bf fifo >answer &
	exec 7>fifo
	echo 5 >&7
	wait_for answer
	echo 6 >&7
	exec 7>&-
	wait $!
	printf '5\n6\n' | same - answer
}

@test "an overfilled filter is reported once, and is status 5 with --strict" {
	bloom-build -n 850 -o over.bf seen 2>/dev/null
	try_any 0 bloom-query -c over.bf seen lines
	[ "$(wc -l <err)" = 1 ]
	grep -qE "^bloom-query: 'over.bf' is overfilled: about [0-9]+ distinct items, sized for 850; its fpp is (1\.[2-9]|2\.[0-4])[0-9]* %, not 1 %$" err
	bloom-build -n 700 -o over.bf seen 2>/dev/null
	try_any 0 bloom-query -c --filter seen.bf --filter over.bf seen
	[ "$(wc -l <err)" = 1 ]
	grep -q "^bloom-query: WARNING: 'over.bf' is overfilled" err
	try_any 5 bloom-query --strict -c over.bf seen
	try_any 5 bloom-query --strict -c over.bf /dev/null
	try_any 0 bloom-query --strict -q over.bf seen
	bloom-build -n 1000 -o full.bf seen
	try 0 bloom-query --strict -c full.bf seen
}

@test "--stats tells how many lines were probably taken for seen" {
	bloom-build -p 1% -o seen.bf seen
	seq 100001 200000 >absent
	try_any 0 bloom-query --stats -c seen.bf absent
	n=$(cat out)
	[ "$(wc -l <err)" = 2 ]
	grep -qE '^bloom-query: the fpp is (0\.[89]|1\.[01])[0-9]* %: about [0-9]+ lines were taken for seen, but were not$' err
	told=$(sed -n 's/.*about \([0-9]*\) lines.*/\1/p' err)
	[ $((told - n)) -lt 200 ] && [ $((n - told)) -lt 200 ]
	try_any 0 bloom-query -v --stats -c seen.bf absent
	err_has "about $told lines"
}

# How it fails.

@test "a filter is needed, and is not read twice from standard input" {
	try 2 bloom-query
	err_is 'bloom-query: the first operand must be a filter: bloom-query FILTER [FILE...]'
	try 2 bloom-query - <seen.bf
	err_is 'bloom-query: standard input can be read once: as one filter, or as lines'
	try 2 bloom-query --filter - --filter - lines <seen.bf
	try 2 bloom-query - lines - <seen.bf
}

@test "an input that cannot be read is named, the others are gone through" {
	try_any 3 bloom-query seen.bf lines no-such-file . lines
	grep -Fx -f seen lines >once
	cat once once >wanted
	out_is_file wanted
	printf '%s\n' "bloom-query: cannot open 'no-such-file': No such file or directory" \
	    "bloom-query: cannot open '.': Is a directory" >wanted
	same wanted err
	try_any 3 bloom-query -c seen.bf no-such-file
	out_is ''
	# With -q the answer counts.
	try_any 0 bloom-query -q seen.bf no-such-file lines
	try_any 3 bloom-query -q seen.bf no-such-file
}

@test "a filter that cannot be read is status 3" {
	try 3 bloom-query no-such-file lines
	err_is "bloom-query: cannot open 'no-such-file': No such file or directory"
	try 3 bloom-query . lines
	err_is "bloom-query: cannot open '.': Is a directory"
	try 3 bloom-query --filter seen.bf --filter no-such-file lines
}

@test "what is no filter, or a damaged one, is status 4" {
	: >empty
	try 4 bloom-query empty lines
	err_is "bloom-query: cannot read sketch 'empty': empty, not a sketch"
	try 4 bloom-query lines lines
	err_is "bloom-query: cannot read sketch 'lines': not a sketch"
	hll-build -o file.hll seen
	try 4 bloom-query file.hll lines
	err_is "bloom-query: cannot use sketch 'file.hll': its kind is hll, not bloom"
	cat seen.bf file.hll >mixed
	try 4 bloom-query mixed lines
	err_is "bloom-query: cannot use sketch 'mixed': its kind is hll, not bloom"
	hll-build --by 1 -o keyed.hll seen
	try 4 bloom-query keyed.hll lines
	size=$(wc -c <seen.bf)
	for cut in 1 7 127 128 129 $((size - 1)); do
		head -c "$cut" seen.bf >cut.bf
		try 4 bloom-query cut.bf lines
	done
	{ cat seen.bf && echo x; } >longer.bf
	try 4 bloom-query longer.bf lines
	err_has "bloom-query: cannot read sketch 2 of 'longer.bf', at byte $size: "
	# A bit of the header, of the payload, of the padding.
	for at in 12 50 119 127 128 1000 $((size - 1)); do
		flip "$at" seen.bf >flipped.bf
		try 4 bloom-query flipped.bf lines
	done
}

# flip AT FILE: the file with one bit of this byte changed.
flip() {
	head -c "$1" "$2"
	byte=$(od -An -v -tu1 -j "$1" -N 1 "$2" | tr -d ' ')
	# shellcheck disable=SC2059
	printf "\\$(printf %03o $((byte ^ 4)))"
	tail -c +$(($1 + 2)) "$2"
}

@test "above 64 MiB only the header is checked, unless --verify" {
	bloom-build -n 52M -o large.bf seen
	[ "$(wc -c <large.bf)" -gt $((64 << 20)) ]
	grep -Fx -f seen lines >wanted
	try 0 bloom-query large.bf lines
	out_is_file wanted
	# One line costs the pages that it touches, not the file.
	try_any 0 bloom-query --stats large.bf - <<<7
	peak=$(sed -n 's/.* read, \([0-9]*\)[.0-9]* MiB of memory.*/\1/p' err)
	limit=8
	# A sanitizer keeps books of its own.
	! grep -q fsanitize "$SKETCHUTILS_BUILD/cflags" || limit=48
	[ "$peak" -lt $limit ]
	try 0 bloom-query --verify large.bf lines
	out_is_file wanted
	printf '\377' | dd of=large.bf bs=1 seek=60000000 conv=notrunc 2>/dev/null
	try 0 bloom-query large.bf lines
	out_is_file wanted
	try 4 bloom-query --verify large.bf lines
	err_is "bloom-query: cannot read sketch 'large.bf': payload checksum differs"
	try 4 bloom-query - lines <large.bf
	printf '\377' | dd of=large.bf bs=1 seek=50 conv=notrunc 2>/dev/null
	try 4 bloom-query large.bf lines
	truncate -s 66000000 large.bf
	try 4 bloom-query large.bf lines
}

@test "a filter that is truncated while it is asked is status 3 and one line" {
	bloom-build -n 100k -o large.bf seen
	mkfifo fifo
	bloom-query large.bf fifo >answer 2>err &
	exec 7>fifo
	echo 5 >&7
	wait_for answer
	: >large.bf
	cat seen >&7
	exec 7>&-
	local status=0
	wait $! || status=$?
	[ "$status" = 3 ]
	err_is "bloom-query: cannot read 'large.bf', which changed while in use: Input/output error"
}

@test "rejected lines are reported, and are neither seen nor not" {
	printf '"1"\n"2\n"3"\n' >table
	try_any 0 bloom-query --csv -f 1 seen.bf table
	printf '"1"\n"3"\n' >wanted
	out_is_file wanted
	err_has 'bloom-query: rejected 1 of 3 lines'
	try_any 5 bloom-query --strict --csv -f 1 seen.bf table
	try_any 1 bloom-query -v --csv -f 1 seen.bf table
}

@test "habits from grep get an answer" {
	try 2 bloom-query -n seen.bf lines
	err_is "bloom-query: unknown option '-n': lines are not numbered"
	try 2 bloom-query --invert-match seen.bf lines
	err_is "bloom-query: unknown option '--invert-match': use -v or --invert"
}
