# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 1000 >thousand
	cms-build -f 1 -o log.cms log
}

# What it does.

@test "each line is answered, in the order asked, also when asked again" {
	cut -d ' ' -f 1 log | sort | uniq -c | awk '{ print $2 "\t" $1 }' >all
	cut -d ' ' -f 1 log >items
	awk -F '\t' 'NR == FNR { n[$1] = $2; next } { print n[$1] "\t" $1 }' all items >wanted
	# So wide that nothing is off.
	cms-build -f 1 -e 0.001% -o wide.cms log
	try 0 cms-query wide.cms items
	out_is_file wanted
	try 0 cms-query -f 1 wide.cms log
	out_is_file wanted
	try 0 cms-query wide.cms <items
	out_is_file wanted
	try 0 cms-query log.cms <<<$'192.0.2.77\n192.0.2.77'
	[ "$(wc -l <out)" = 2 ]
	[ "$(sort -u out | wc -l)" = 1 ]
	try 0 cms-query log.cms /dev/null
	out_is ''
}

@test "no count is too low, and the bounds hold for candidates and others" {
	awk '{ n[$1]++ } END { for (i in n) print i "\t" n[i] }' log >all
	cut -f 1 all >items
	for options in '-e 10%' '-e 10% --candidates 20' '--candidates 0' '-M 64K -e 1%'; do
		# shellcheck disable=SC2086
		cms-build -f 1 $options -o some.cms log
		try 0 cms-query --bounds some.cms items
		paste all out | awk -F '\t' '$3 != $5 || $4 > $2 || $2 > $5 || $1 != $6 { print; bad = 1 }
		    END { exit bad || !NR }'
		# The high end is what is printed without bounds.
		cut -f 1,4 out >wanted
		try 0 cms-query some.cms items
		out_is_file wanted
	done
}

@test "low is what is certain: 0 but for candidates, whose counts are exact" {
	printf '%s\n' a a a b b c >lines
	cms-build --candidates 2 -o lines.cms lines
	try 0 cms-query --bounds lines.cms <<<$'a\nb\nc\nd'
	out_is "3	3	3	a
2	2	2	b
1	0	1	c
0	0	0	d"
	try 0 cms-query --json lines.cms <<<$'a\nc'
	out_is '{"estimate":3,"low":3,"high":3,"item":"a"}
{"estimate":1,"low":0,"high":1,"item":"c"}'
	# One counter for all: only the candidates are known apart.
	cms-build --width 1 --depth 1 --candidates 2 -o one.cms lines
	try 0 cms-query --bounds one.cms <<<$'a\nb\nc\nd'
	out_is "3	3	3	a
2	2	2	b
1	0	1	c
1	0	1	d"
	cms-build --width 1 --depth 1 --candidates 0 -o none.cms lines
	try 0 cms-query --bounds none.cms <<<$'a\nd'
	out_is "6	0	6	a
6	0	6	d"
}

@test "weights are summed as awk sums them" {
	awk '{ n[$7] += $10 } END { for (i in n) printf "%d\t%s\n", n[i], i }' log >wanted
	cut -f 2 wanted >items
	cms-build -f 7 -W 10 --candidates 65536 -o bytes.cms log
	try 0 cms-query bytes.cms items
	out_is_file wanted
}

@test "it makes items as the sketch did: seed and -i are taken over" {
	printf 'One\nONE\ntwo\n' >lines
	cms-build -i --seed 12 -o lines.cms lines
	try 0 cms-query lines.cms <<<$'oNe\nTWO\nthree'
	out_is "2	one
1	two
0	three"
	try 0 cms-query -i lines.cms <<<oNe
	out_is "2	one"
	cms-build --seed 12 -o lines.cms lines
	try 0 cms-query lines.cms <<<$'One\none'
	out_is "1	One
0	one"
}

@test "several fields make the items of a sketch of several, shown with TABs" {
	printf 'ab,c\na,bc\nab,c\n' >lines
	cms-build -d , -f 1,2 -o lines.cms lines
	printf 'c ab\nx ab\n' >asked
	try 0 cms-query -f 2,1 lines.cms asked
	out_is "2	ab	c
0	ab	x"
	try 4 cms-query lines.cms asked
	err_is "cms-query: cannot query 'lines.cms': items of several fields and one field"
	try 4 cms-query -f 1,2 log.cms asked
	err_is "cms-query: cannot query 'log.cms': items of one field and several fields"
	tr '\n' '\0' <lines >zeros
	cms-build -z -d , -f 1,2 -o zeros.cms zeros
	try 4 cms-query -f 2,1 zeros.cms asked
	err_is "cms-query: cannot query 'zeros.cms': items of several fields (-z) and several fields"
	try 0 cms-query -z -d , -f 1,2 zeros.cms zeros
	printf '2\tab\tc\0001\ta\tbc\0002\tab\tc\0' >wanted
	out_is_file wanted
}

@test "any bytes can be asked for" {
	printf '\n\na\0b\n\377\na\r\n' >lines
	cms-build -o lines.cms lines
	try 0 cms-query lines.cms lines
	printf '2\t\n2\t\n1\ta\0b\n1\t\377\n1\ta\r\n' >wanted
	out_is_file wanted
	try 0 cms-query --json lines.cms <<<$'\377'
	out_is '{"estimate":1,"low":1,"high":1,"item_b64":"/w=="}'
	try 0 cms-query --skip-empty --crlf lines.cms lines
	printf '1\ta\0b\n1\t\377\n0\ta\n' >wanted
	out_is_file wanted
	printf 'user,n\n"a, b",3\n' >lines
	cms-build --csv --header -f user -o lines.cms lines
	try 0 cms-query --csv --header -f user lines.cms lines
	out_is "1	a, b"
}

@test "the sketch may be armoured, or come by standard input before lines in files" {
	try 0 cms-query -f 1 log.cms log
	mv out wanted
	cms-build -a -f 1 -o log.txt log
	try 0 cms-query -f 1 log.txt log
	out_is_file wanted
	try 0 cms-query -f 1 - log <log.cms
	out_is_file wanted
	try 2 cms-query -f 1 - <log.cms
	err_is "cms-query: standard input cannot be both the sketch and the lines"
	try 2 cms-query -f 1 - log - <log.cms
	err_is "cms-query: standard input cannot be both the sketch and the lines"
}

@test "threads, ranges of a file and a pipe make no difference" {
	for options in '' --bounds --json; do
		# shellcheck disable=SC2086
		{
			try 0 cms-query $options -f 1 -j 1 log.cms log
			mv out wanted
			for j in 0 2 3 8; do
				try 0 cms-query $options -f 1 -j "$j" log.cms log
				out_is_file wanted
			done
			try 0 cms-query $options -f 1 -j 2 log.cms < <(cat log)
			out_is_file wanted
		}
	done
}

@test "an answer comes as soon as the line is there" {
	mkfifo asked answered
	cms-query log.cms <asked >answered 3>&- &
	exec 7>asked 8<answered
	printf 'first\n' >&7
	# For ever, if it does not come.
	read -r answer <&8
	[ "$answer" = $'0\tfirst' ]
	exec 7>&- 8<&-
	wait
	try 0 cms-query -f 1 log.cms log
	mv out wanted
	try 0 cms-query --line-buffered -f 1 log.cms log
	out_is_file wanted
}

@test "--stats tells how much too high an estimate may be" {
	try_any 0 cms-query --stats -f 1 log.cms log
	grep -qE '^cms-query: 3000 lines, 0 rejected, .* of memory at the peak$' err
	err_has 'cms-query: an estimate is at most 3 of 3000 too high with probability 0.99'
}

@test "on a terminal differing bounds follow, in a pipe nothing" {
	printf '%s\n' a a b >lines
	cms-build --candidates 1 -o lines.cms lines
	script -qec 'cms-query lines.cms lines' /dev/null >screen </dev/null
	tr -d '\r' <screen >out
	out_is "2	a
2	a
1	b  (0 to 1)"
}

# How it fails.

@test "a sketch is needed, and must be one" {
	try 2 cms-query
	err_is "cms-query: the first operand must be a sketch: cms-query SKETCH [FILE...]"
	try 3 cms-query no-such-file thousand
	err_is "cms-query: cannot open 'no-such-file': No such file or directory"
	: >empty
	try 4 cms-query empty thousand
	err_is "cms-query: cannot read sketch 'empty': empty, not a sketch"
	try 4 cms-query - thousand <empty
	err_is "cms-query: cannot read sketch 'standard input': empty, not a sketch"
	try 4 cms-query thousand thousand
	err_is "cms-query: cannot read sketch 'thousand': not a sketch"
	hll-build -o thousand.hll thousand
	try 4 cms-query thousand.hll thousand
	err_is "cms-query: cannot use sketch 'thousand.hll': its kind is hll, not cms"
	cat log.cms log.cms >two.cms
	try 4 cms-query two.cms thousand
	err_is "cms-query: cannot use sketch 'two.cms': it holds more than one record"
	head -c 5000 log.cms >cut.cms
	try 4 cms-query cut.cms thousand
	err_is "cms-query: cannot read sketch 'cut.cms': truncated"
}

@test "an input that cannot be read is told, the others are answered, status 3" {
	printf 'x\n' >a
	printf 'y\n' >b
	try_any 3 cms-query log.cms a no-such-file b
	out_is "0	x
0	y"
	err_is "cms-query: cannot open 'no-such-file': No such file or directory"
	mkdir folder
	try_any 3 cms-query log.cms folder - <a
	out_is "0	x"
	err_is "cms-query: cannot open 'folder': Is a directory"
}

@test "options of other programs are refused with a hint" {
	try 2 cms-query -k 10 log.cms log
	err_is "cms-query: unknown option '-k': cms-topk lists the largest; cms-query answers in the order asked"
	try 2 cms-query --min 10 log.cms log
	err_is "cms-query: unknown option '--min': use --where '>=N'"
	try 2 cms-query --threshold 1% log.cms log
	err_is "cms-query: unknown option '--threshold': use --where '>=N'; shares are listed by cms-topk -s"
	try 2 cms-query -s log.cms
	err_is "cms-query: unknown option '-s': the first operand is the sketch"
	try 2 cms-query -W 2 log.cms log
	err_is "cms-query: unknown option '-W': the weights were added when the sketch was built"
	try 2 cms-query --seed 3 log.cms log
	err_is "cms-query: unknown option '--seed': the sketch's own is used"
}

@test "a rejected line is told, has no row, and with --strict is status 5" {
	printf 'a\n"b\nc\n' >lines
	try_any 0 cms-query --quoted -f 1 log.cms lines
	out_is "0	a
0	c"
	err_has 'cms-query: rejected 1 of 3 lines: '
	try_any 5 cms-query --quoted -f 1 --strict log.cms lines
}

# Its limits.

@test "a line of millions of bytes is an item like any other" {
	{ head -c 5000000 /dev/zero | tr '\0' x && echo; } >lines
	cms-build -o lines.cms lines
	try 0 cms-query lines.cms lines
	printf '1\t' | cat - lines | same - out
}
