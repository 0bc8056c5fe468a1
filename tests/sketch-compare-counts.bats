# sketchutils: BSD-2-Clause, see LICENSE

# sketch-compare of sketches that tell how often items occur: risers and fallers.

load helper

prepare() {
	for day in 1 2; do
		"$SKETCHUTILS_BUILD/logmaker" access 3000 $day | cut -d ' ' -f 1 >$day
	done
	# What is true: the change, by descending size and then by item.
	awk '{ n[$1] += FILENAME == 2 ? 1 : -1 } END { for (i in n) if (n[i]) print n[i] "\t" i }' 1 2 |
	    awk '{ print ($1 < 0 ? -$1 : $1) "\t" $0 }' | sort -t '	' -k 1,1nr -k 3,3 | cut -f 2- >true
}

# both OPTION...: a sketch of each day.
both() {
	for day in 1 2; do
		cms-build "$@" -o $day.sk $day
	done
}

@test "changes are exact, in order, where all counts are" {
	for type in cms spacesaving; do
		both --type $type --candidates 9000
		try 0 sketch-compare 1.sk 2.sk
		head -n 10 true >wanted
		out_is_file wanted
		try 0 sketch-compare -k 99999 1.sk 2.sk
		out_is_file true
		try 0 sketch-compare --min 5 1.sk 2.sk
		awk '$1 >= 5 || $1 <= -5' true >some
		out_is_file some
		try 0 sketch-compare --min 5 -k 2 --sure 1.sk 2.sk
		head -n 2 some | same - out
		try 0 sketch-compare --bounds -k 99999 --sure 1.sk 2.sk
		awk '{ print $1 "\t" $1 "\t" $1 "\t" $2 }' true >some
		out_is_file some
		# The other way round all signs change, and nothing else.
		try 0 sketch-compare -k 99999 2.sk 1.sk
		awk '{ print -$1 "\t" $2 }' true >some
		out_is_file some
	done
}

@test "the truth is within the bounds, and what is sure is true" {
	for options in '--candidates 20' '-M 64K --candidates 100' '-e 10% --candidates 9' \
	    '--conservative -e 10% --candidates 30' '--type spacesaving --candidates 30'; do
		# shellcheck disable=SC2086
		both $options
		try 0 sketch-compare --bounds -k 999 1.sk 2.sk
		awk -F '\t' 'NR == FNR { n[$2] = $1; next } $2 > $1 || $1 > $3 || n[$4] < $2 || n[$4] > $3 {
		    print; bad = 1 } END { exit bad || FNR < 9 }' true out
		awk -F '\t' '$2 > 0 || $3 < 0' out >sure
		try 0 sketch-compare --bounds -k 999 --sure 1.sk 2.sk
		same sure out
		try 0 sketch-compare --json -k 999 1.sk 2.sk
		jq -r 'select(.certain != false) | [.estimate, .low, .high, .item] | @tsv' out >certain
		same sure certain
	done
}

@test "--min with --sure wants so much for certain, without it by the estimate" {
	both --candidates 20
	sketch-compare --bounds -k 999 1.sk 2.sk >all
	for n in 3 6 9; do
		awk -F '\t' -v n=$n '$1 >= n || $1 <= -n' all >wanted
		try 0 sketch-compare --bounds --min $n 1.sk 2.sk
		out_is_file wanted
		awk -F '\t' -v n=$n '$2 >= n || $3 <= -n' all >wanted
		try 0 sketch-compare --bounds --min $n --sure 1.sk 2.sk
		out_is_file wanted
	done
}

@test "--share compares shares of the totals" {
	head -n 1500 2 >half
	cms-build --candidates 9000 -o 1.sk 1
	cms-build --candidates 9000 -o half.sk half
	awk '{ n[$1] += FILENAME == "half" ? 1 / 1500 : -1 / 3000 } END { for (i in n)
	    if (n[i] > 1e-9 || n[i] < -1e-9) printf "%.6g\t%s\n", n[i], i }' 1 half | sort >wanted
	try 0 sketch-compare --share -k 99999 1.sk half.sk
	sort out | same wanted -
	awk '{ a = $1 < 0 ? -$1 : $1; if (NR > 1 && a > last) exit 1; last = a }' out
	# Twice as much of everything is no change at all.
	cat 1 1 >twice
	cms-build --candidates 9000 -o twice.sk twice
	try 0 sketch-compare --share 1.sk twice.sk
	out_is ''
	cms-build -o empty.sk /dev/null
	try 0 sketch-compare --share -k 1 --bounds empty.sk 1.sk
	out_is "0.00933333	0.00933333	0.00933333	61.110.243.98"
}

@test "the largest numbers there are have a sign, too" {
	printf 'a 9223372036854775807\na 9223372036854775807\n' >a
	cms-build -f 1 -W 2 -o a.sk a
	cms-build -o b.sk <<<b
	try 0 sketch-compare --bounds a.sk b.sk
	out_is '-18446744073709551614	-18446744073709551614	-18446744073709551614	a
1	1	1	b'
	try 0 sketch-compare --json b.sk a.sk
	out_is '{"estimate":18446744073709551614,"low":18446744073709551614,"high":18446744073709551614,"item":"a"}
{"estimate":-1,"low":-1,"high":-1,"item":"b"}'
	cat a a >c
	cms-build -f 1 -W 2 -o c.sk c 2>/dev/null
	try_any 5 sketch-compare --strict b.sk c.sk
	err_is "sketch-compare: 'c.sk': the sum of weights passed 2^64-1: counts that large are lower bounds"
}

@test "one side may have no candidates, and sizes may differ" {
	cms-build --candidates 0 -e 0.01% -o 1.sk 1
	cms-build --candidates 9000 -o 2.sk 2
	try 0 sketch-compare --bounds -k 9999 1.sk 2.sk
	awk -F '\t' 'NR == FNR { n[$2] = $1; next } n[$4] < $2 || n[$4] > $3 { print; bad = 1 }
	    END { exit bad || FNR < 9 }' true out
	cms-build --candidates 0 -o 2.sk 2
	try 4 sketch-compare 1.sk 2.sk
	err_is "sketch-compare: cannot compare '1.sk' with '2.sk': both were built with --candidates 0"
}

@test "on a terminal bounds that differ follow, and ~ what is not certain" {
	printf '%s\n' a a >one
	printf '%s\n' b b b b c c c >two
	cms-build --width 1 --depth 1 --candidates 1 -o one.sk one
	cms-build --width 1 --depth 1 --candidates 1 -o two.sk two
	script -qec 'sketch-compare one.sk two.sk' /dev/null >screen </dev/null
	tr -d '\r' <screen >out
	out_is "4	b
1	a  (-2 to 1) ~"
	try 0 sketch-compare --json one.sk two.sk
	out_is '{"estimate":4,"low":4,"high":4,"item":"b"}
{"estimate":1,"low":-2,"high":1,"certain":false,"item":"a"}'
}

@test "items of several fields are shown with TABs, and --stats tells totals and the rest" {
	printf 'x y\nx y\nz y\n' >one
	cms-build -f 1,2 -o one.sk one
	cms-build -f 1,2 -o none.sk /dev/null
	try 0 sketch-compare none.sk one.sk
	out_is '2	x	y
1	z	y'
	both --candidates 20
	try_any 0 sketch-compare --stats -k 1 1.sk 2.sk
	err_has 'sketch-compare: the totals are 3000 and 3000'
	err_has 'sketch-compare: an item that neither sketch lists rose by at most '
	try 0 sketch-compare 1.sk 1.sk
	out_is ''
}

@test "more than two, unlike ones and options that say nothing are refused" {
	both --candidates 20
	try 2 sketch-compare 1.sk 2.sk 1.sk
	err_is "sketch-compare: cannot compare 3 sketches of kind cms: two are needed"
	cms-build --type spacesaving -o ss.sk 1
	try 4 sketch-compare 1.sk ss.sk
	err_is "sketch-compare: cannot compare '1.sk' with 'ss.sk': kind cms and spacesaving"
	cms-build --seed 3 -o seed.sk 1
	try 4 sketch-compare 1.sk seed.sk
	err_is "sketch-compare: cannot compare '1.sk' with 'seed.sk': seed 0 and 3"
	hll-build -o 1.hll 1
	for option in '-k 3' '--min 3' --sure --share; do
		# shellcheck disable=SC2086
		try 2 sketch-compare $option 1.hll 1.hll
		err_is "sketch-compare: ${option% *} is about how often items occur, and a sketch of kind hll does not tell"
	done
	try 2 sketch-compare --min 3 --share 1.sk 2.sk
	err_is "sketch-compare: --min and --share exclude each other"
}
