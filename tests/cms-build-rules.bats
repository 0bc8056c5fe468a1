# sketchutils: BSD-2-Clause, see LICENSE

# Of cms-build and sketch-merge: conservative counters, and taking away again.

load helper

prepare() {
	for day in 1 2 3; do
		"$SKETCHUTILS_BUILD/logmaker" access 3000 $day >day$day.log
	done
	cat day1.log day2.log day3.log >log
}

# fact NAME SKETCH: one thing that sketch-info knows.
fact() {
	sketch-info --json "$2" | jq -r ".$1"
}

# counters SKETCH WIDTH: of a sketch of 5 rows.
counters() {
	tail -c +129 "$1" | head -c $((8 * 5 * $2))
}

# bounds SKETCH FILE...: every item of these lines, and some that are in none,
# is held to its bounds. Sums up by how much the estimates are too high.
bounds() {
	{ cut -d ' ' -f 1 "${@:2}" | sort | uniq -c | awk '{ print $1 "\t" $2 }'
	    seq 1000 | sed 's/^/0\tabsent/'; } >all
	cut -f 2 all >items
	try 0 cms-query --bounds "$1" items
	paste all out | awk -F '\t' '$2 != $6 || $4 > $1 || $1 > $5 { print; bad = 1 }
	    { sum += $3 - $1 } END { print sum > "excess"; exit bad || !NR }'
}

# Conservative counters.

@test "--conservative: never too low, never above plain counters, and closer" {
	try 0 cms-build -f 1 -e 1% --candidates 0 -o plain.cms log
	try 0 cms-build -f 1 -e 1% --candidates 0 --conservative -o c.cms log
	bounds plain.cms log
	mv excess plain
	bounds c.cms log
	[ "$(cat excess)" -lt $(($(cat plain) * 7 / 10)) ]
	[ "$(cat excess)" -gt 0 ]
	try 0 cms-query -f 1 plain.cms log
	mv out high
	try 0 cms-query -f 1 c.cms log
	paste out high | awk -F '\t' '$1 > $3 { bad = 1 } END { exit bad || NR != 9000 }'
	[ "$(fact conservative c.cms)" = true ]
	[ "$(fact conservative plain.cms)" = false ]
}

@test "conservative counters come from the lines in their order, and nothing else" {
	for options in '--candidates 0' '--candidates 1024' '-W 10'; do
		# shellcheck disable=SC2086
		{
			try 0 cms-build -f 1 $options --conservative -j 1 -o one.cms log
			for j in 0 2 7; do
				try 0 cms-build -f 1 $options --conservative -j $j -o two.cms log
				same one.cms two.cms
			done
			try 0 cms-build -f 1 $options --conservative -j 2 -o two.cms < <(cat log)
			same one.cms two.cms
		}
	done
	# The table that finds the candidates may be small or large.
	try 0 cms-build -f 1 --candidates 0 --conservative -o one.cms log
	counters one.cms 2719 >wanted
	for memory in 64K 64M; do
		try 0 cms-build -f 1 -M $memory --candidates 9 --conservative -o two.cms log
		counters two.cms 2719 >found
		same wanted found
	done
}

@test "conservative sketches unite with each other and with plain ones, and stay flagged" {
	cms-build -f 1 -e 1% --conservative -o c1.cms day1.log
	cms-build -f 1 -e 1% --conservative -o c2.cms day2.log
	cms-build -f 1 -e 1% -o p3.cms day3.log
	try 0 sketch-merge -o all.cms p3.cms c1.cms c2.cms
	bounds all.cms log
	[ "$(fact conservative all.cms)" = true ]
	try 0 sketch-merge -o other.cms c2.cms p3.cms c1.cms
	counters all.cms 272 >one
	counters other.cms 272 >two
	same one two
	# No worse than plain ones: those of the whole are above it.
	cms-build -f 1 -e 1% --candidates 0 -o plain.cms log
	try 0 cms-query -f 1 plain.cms log
	mv out high
	try 0 cms-query -f 1 all.cms log
	paste out high | awk -F '\t' '$1 > $3 { bad = 1 } END { exit bad || NR != 9000 }'
}

@test "a file that is updated decides whether it is conservative, and so does --like" {
	cms-build -f 1 --conservative -o c.cms day1.log
	cms-build -f 1 --conservative -o two.cms day2.log
	sketch-merge -o both.cms c.cms two.cms
	cp c.cms file.cms
	try 0 cms-build -f 1 --update file.cms day2.log
	same both.cms file.cms
	try 0 cms-build -f 1 --like c.cms -o like.cms day2.log
	same two.cms like.cms
	cms-build -f 1 -o file.cms day1.log
	try 0 cms-build -f 1 --conservative --update file.cms day2.log
	[ "$(fact conservative file.cms)" = true ]
	bounds file.cms day1.log day2.log
}

@test "a sum of conservative counters that saturates is told and recorded" {
	printf 'a 9223372036854775807\nb 7\na 9223372036854775807\na 5\n' >lines
	try_any 0 cms-build --conservative -f 1 -W 2 -o file.cms lines
	err_is 'cms-build: the sum of weights passed 2^64-1 and stopped there'
	try_any 0 cms-query file.cms <<<$'a\nb'
	out_is '18446744073709551615	a
7	b'
	[ "$(fact saturated file.cms)" = true ]
}

# Taking away.

@test "what is left of plain counters has the bytes of the remaining lines" {
	for options in '--candidates 0' '--candidates 9000' '--candidates 0 -W 10'; do
		# shellcheck disable=SC2086
		{
			cms-build -f 1 $options -o log.cms log
			cms-build -f 1 $options -o day2.cms day2.log
			cms-build -f 1 $options -o day3.cms day3.log
			cms-build -f 1 $options -o day1.cms day1.log
			try 0 sketch-merge --subtract -o rest.cms log.cms day3.cms day2.cms
			same day1.cms rest.cms
			try 0 sketch-merge --subtract <<<"$(sketch-merge -a log.cms; sketch-merge -a day2.cms)"
			mv out rest.cms
			cp log.cms file.cms
			try 0 cms-build -f 1 ${options#* * } --update file.cms --subtract day2.log
			same rest.cms file.cms
		}
	done
}

@test "bounds hold for what is left, whatever the candidates know" {
	for options in '' '--candidates 20' '-M 64K -e 1% --candidates 100'; do
		# shellcheck disable=SC2086
		cms-build -f 1 $options -o file.cms log
		try 0 cms-build -f 1 --update file.cms --subtract day1.log
		bounds file.cms day2.log day3.log
		cms-build -f 1 --like file.cms -o day2.cms day2.log
		try 0 sketch-merge --subtract -o rest.cms file.cms day2.cms
		bounds rest.cms day3.log
		[ "$(fact total rest.cms)" = 3000 ]
		[ "$(fact items rest.cms)" = 3000 ]
	done
}

@test "seven days on, one at a time, are those seven days" {
	cms-build -f 1 -o recent.cms day1.log day2.log
	try 0 cms-build -f 1 --update recent.cms day3.log
	try 0 cms-build -f 1 --update recent.cms --subtract day1.log
	try 0 cms-topk -s -k 5 recent.cms
	cat day2.log day3.log >last
	cut -d ' ' -f 1 last | sort | uniq -c | sort -k 1,1nr -k 2 | head -n 5 |
	    awk '{ print $1 "\t" $2 }' >wanted
	out_is_file wanted
}

@test "what was not a part is status 4, and the file is as it was" {
	cms-build -f 1 -o file.cms day1.log day2.log
	cp file.cms before.cms
	try 4 cms-build -f 1 --update file.cms --subtract day3.log
	err_is "cms-build: cannot update 'file.cms': not a part: a count would be below 0"
	cat log log >twice
	try 4 cms-build -f 1 --update file.cms --subtract twice
	err_is "cms-build: cannot update 'file.cms': not a part: 18000 items of 6000"
	same before.cms file.cms
	cms-build -f 1 -o day3.cms day3.log
	try 4 sketch-merge --subtract file.cms day3.cms
	err_is "sketch-merge: cannot subtract 'day3.cms': not a part: a count would be below 0"
	[ ! -e .file.cms.new ]
}

@test "conservative and saturated ones are not subtracted, nor other kinds, nor unlike ones" {
	cms-build -f 1 -o plain.cms log
	cms-build -f 1 --conservative -o c.cms day1.log
	try 4 sketch-merge --subtract plain.cms c.cms
	err_is "sketch-merge: cannot subtract 'c.cms': conservative counters are no sums"
	try 4 sketch-merge --subtract c.cms plain.cms
	err_is "sketch-merge: cannot subtract 'plain.cms': not a part: 9000 items of 3000"
	# Not even looked for.
	try 4 cms-build -f 1 --update c.cms --subtract no-such-file
	err_is "cms-build: cannot update 'c.cms': conservative counters are no sums"
	printf 'a 18446744073709551\na 9223372036854775807\na 9223372036854775807\n' >lines
	try_any 0 cms-build -f 1 -W 2 -o big.cms lines
	cms-build -o a.cms <<<a
	try 4 sketch-merge --subtract big.cms a.cms
	err_is "sketch-merge: cannot subtract 'a.cms': a sum reached 2^64-1 and stopped there"
	hll-build -o a.hll log
	try 4 sketch-merge --subtract a.hll a.hll
	err_is "sketch-merge: cannot subtract 'a.hll': its kind is hll; cms can"
	cms-build -e 1% -o wide.cms <<<a
	try 4 sketch-merge --subtract plain.cms wide.cms
	err_is "sketch-merge: cannot subtract 'wide.cms': width 2719 and 272"
	hll-build --by 1 -o keyed.hll log
	try 4 sketch-merge --subtract keyed.hll keyed.hll
	err_is "sketch-merge: cannot subtract 'keyed.hll': it is keyed"
}

@test "there must be something to take away from" {
	try 2 cms-build --subtract log
	err_is "cms-build: --subtract needs --update FILE"
	try 3 cms-build --subtract --update none.cms no-such-file
	err_is "cms-build: cannot update 'none.cms': No such file or directory"
	[ ! -e none.cms ]
	[ ! -e .none.cms.new ]
	try 2 cms-build --subtract --conservative --update none.cms log
	err_is "cms-build: --conservative and --subtract exclude each other"
	try 2 sketch-merge --subtract --intersect log
	err_is "sketch-merge: --intersect and --subtract exclude each other"
}
