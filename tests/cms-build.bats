# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 1000 >thousand
}

# param FILE N: a parameter of the first record's header, as sketch(5) numbers them.
WIDTH=0 DEPTH=1 EPSILON=2 DELTA=3 CANDIDATES=4 SAVED=5 MISSING=6 TOTAL=7
param() {
	od -An -v -tu8 -j $((48 + 8 * $2)) -N 8 "$1" | tr -d ' '
}

# real FILE N: one that is a real number.
real() {
	od -An -v -tf8 -j $((48 + 8 * $2)) -N 8 "$1" | tr -d ' '
}

# build OUTPUT ARGUMENT...: what cms-build writes without being told where.
build() {
	local output=$1
	shift
	try 0 cms-build "$@"
	mv out "$output"
}

# off_by FILE...: how much too high cms-query is for each different line.
off_by() {
	sort "${@:2}" | uniq -c | sed -E 's/^ *([0-9]+) /\1\t/' >all
	cut -f 2- all >items
	try 0 cms-query "$1" items
	paste out all | awk -F '\t' '{ print $1 - $3 }' >off
}

# What it does.

@test "0.001 and 99 % are 2,719 x 5 counters, which take 106 KiB" {
	build log.cms -f 1 log
	[ "$(param log.cms $WIDTH)" = 2719 ]
	[ "$(param log.cms $DEPTH)" = 5 ]
	[ "$(real log.cms $EPSILON)" = 0.001 ]
	[ "$(real log.cms $DELTA)" = 0.01 ]
	[ "$(param log.cms $CANDIDATES)" = 1024 ]
	[ "$(param log.cms $SAVED)" = 1024 ]
	[ "$(param log.cms $TOTAL)" = 3000 ]
	build plain.cms --candidates 0 log
	[ "$(wc -c <plain.cms)" = $((128 + 2719 * 5 * 8 + 40)) ]
	for options in '-e 0.001' '-e 0.1% --confidence 99%' '--confidence 0.99' '-e 1e-3'; do
		# shellcheck disable=SC2086
		build same.cms -f 1 $options log
		same log.cms same.cms
	done
}

@test "-e and --confidence make what the manual's table says" {
	# .It 0.1 % Ta 99.9 % Ta 2,719 x 7 Ta 149 KiB
	sed -n -E 's/^\.It ([0-9.]+) % Ta ([0-9.]+) % Ta ([0-9,]+) x ([0-9]+) Ta ([0-9.]+) ([KM])iB$/\1 \2 \3 \4 \5 \6/p' \
	    "$SKETCHUTILS_TOP/man/cms-build.1" | tr -d , >table
	[ "$(wc -l <table)" = 5 ]
	while read -r error confidence width depth size unit; do
		build empty.cms --candidates 0 -e "$error%" --confidence "$confidence%" /dev/null
		[ "$(param empty.cms $WIDTH)" = "$width" ]
		[ "$(param empty.cms $DEPTH)" = "$depth" ]
		awk -v bytes="$(wc -c <empty.cms)" -v size="$size" -v unit="$unit" 'BEGIN {
			off = bytes / 1024 / (unit == "M" ? 1024 : 1) / size - 1
			exit !(off < 0.02 && off > -0.02) }'
	done <table
}

@test "--width and --depth are taken as they are, and state the error they keep" {
	build wide.cms --width 1000 --depth 3 thousand
	[ "$(param wide.cms $WIDTH)" = 1000 ]
	[ "$(param wide.cms $DEPTH)" = 3 ]
	real wide.cms $EPSILON >epsilon
	awk '{ exit !($1 > 0.00271828 && $1 < 0.00271829) }' epsilon
	real wide.cms $DELTA >chance
	awk '{ exit !($1 > 0.04978 && $1 < 0.04979) }' chance
	build narrow.cms --width 1 --depth 1 thousand
	try 0 cms-query narrow.cms <<<nothing
	out_is "0	nothing"
	build narrow.cms --width 1 --depth 1 --candidates 0 thousand
	try 0 cms-query narrow.cms <<<nothing
	out_is "1000	nothing"
}

@test "an item seen 7,000 times among 50,000 is off by at most 50" {
	awk 'BEGIN { for (i = 0; i < 50000; i++) print i % 50 < 7 ? "often" : "other " int(i * i / 7) % 20000 }' >events
	[ "$(grep -c often events)" = 7000 ]
	for candidates in 0 1024; do
		build events.cms --candidates $candidates events
		try 0 cms-query events.cms <<<often
		awk '{ exit !($1 >= 7000 && $1 <= 7050) }' out
	done
}

@test "no count is too low, and at most 1 in 100 by more than the bound too high" {
	# A mixture of flat and skewed: some 20,000 items.
	awk 'BEGIN { x = 1; for (i = 0; i < 50000; i++) { x = x * 16807 % 2147483647
		print i % 2 ? x % 20000 : int(20000 ^ (x / 2147483647)) } }' >events
	local far=0 all=0 seeds='1 2 3'
	long && seeds=$(seq 8)
	for seed in $seeds; do
		for candidates in '0' '100 -M 64K' '1024 -M 64K'; do
			# shellcheck disable=SC2086
			build events.cms -e 0.2% --seed "$seed" --candidates $candidates events
			off_by events.cms events
			awk '$1 < 0 { print "too low by", -$1; bad = 1 } END { exit bad || !NR }' off
			all=$((all + $(wc -l <off)))
			far=$((far + $(awk '$1 > 100' off | wc -l)))
		done
	done
	echo "$far of $all are further off than 100"
	[ "$all" -gt 50000 ]
	[ $((far * 100)) -le "$all" ]
}

@test "candidates are exact while the distinct items fit the memory" {
	build log.cms -f 1 log
	sort log | cut -d ' ' -f 1 | sort | uniq -c | sort -k 1,1nr -k 2 | head -n 1000 |
	    awk '{ print $1 "\t" $1 "\t" $1 "\t" $2 }' >wanted
	try 0 cms-topk -s -k 1000 --bounds log.cms
	out_is_file wanted
}

@test "-W adds weights: the counters are those of the lines repeated" {
	printf '%s\n' 'a 3' 'b 0' 'c 1' 'a 2' >weighed
	printf '%s\n' a c a a a a >repeated
	build one.cms --candidates 0 -f 1 -W 2 weighed
	build two.cms --candidates 0 repeated
	tail -c +129 one.cms >a
	tail -c +129 two.cms >b
	same a b
	[ "$(param one.cms $TOTAL)" = 6 ]
	printf 'weight,key\n3,a\n0,b\n1,c\n2,a\n' >lines
	build two.cms --candidates 0 --csv --header -f key -W weight lines
	same one.cms two.cms
}

@test "plain counters: split in any number of parts, in any order, the same bytes" {
	build whole.cms --candidates 0 -f 1 log
	local counts='1 2 5 33'
	long && counts='1 2 3 5 8 13 22 40 64'
	for n in $counts; do
		rm -rf parts && mkdir parts
		split -n "l/$n" log parts/
		for part in parts/*; do
			cms-build --candidates 0 -f 1 -o "$part.cms" "$part"
		done
		find parts -name '*.cms' | shuf --random-source=log >order
		xargs sketch-merge <order >merged.cms
		same whole.cms merged.cms
		rm -f updated.cms
		while read -r part; do
			try 0 cms-build --candidates 0 -f 1 --update updated.cms "${part%.cms}"
		done <order
		same whole.cms updated.cms
	done
}

@test "with candidates the counters are the whole's, and the bounds hold" {
	split -n l/3 log part.
	build whole.cms -f 1 log
	for part in part.??; do
		try 0 cms-build -f 1 --update parts.cms "$part"
	done
	counters=$((2719 * 5 * 8))
	tail -c +129 whole.cms | head -c $counters >a
	tail -c +129 parts.cms | head -c $counters >b
	same a b
	cut -d ' ' -f 1 log | sort | uniq -c | awk '{ print $2 "\t" $1 }' >all
	cut -f 1 all >items
	try 0 cms-query --bounds parts.cms items
	paste all out | awk -F '\t' '$4 > $2 || $2 > $5 { print; bad = 1 } END { exit bad || !NR }'
}

@test "--update twice equals one pass for plain counters, byte for byte" {
	cat log log >twice
	build wanted.cms --candidates 0 -f 7 -W 10 twice
	try 0 cms-build --candidates 0 -f 7 -W 10 --update got.cms log
	try 0 cms-build --candidates 0 -f 7 -W 10 --update got.cms log
	same wanted.cms got.cms
	try 0 cms-build -a --candidates 0 -f 7 -W 10 --update got.txt twice
	[ "$(wc -l <got.txt)" = 1 ]
	try 0 cms-query got.txt <<<nothing
}

@test "eight processes that update one file lose nothing" {
	local rounds=6
	long && rounds=40
	for process in 1 2 3 4 5 6 7 8; do
		for ((i = 0; i < rounds; i++)); do
			printf '%s\n' all "$process" "$process.$i" |
			    cms-build -e 1% --candidates 0 --update shared.cms
		done &
	done
	wait
	for process in 1 2 3 4 5 6 7 8; do
		for ((i = 0; i < rounds; i++)); do
			printf '%s\n' all "$process" "$process.$i"
		done
	done >every
	build wanted.cms -e 1% --candidates 0 every
	same wanted.cms shared.cms
	[ ! -e .shared.cms.new ]
}

@test "threads, ranges of a file and a pipe give the same bytes" {
	for options in '-f 1' '-f 1 --candidates 0' '-M 64K -f 1,7' '-f 7 -W 10 --candidates 20'; do
		# shellcheck disable=SC2086
		{
			build wanted.cms $options -j 1 log
			for j in 0 2 3 8; do
				build got.cms $options -j "$j" log
				same wanted.cms got.cms
			done
			build got.cms $options -j 2 < <(cat log)
			same wanted.cms got.cms
		}
	done
}

@test "what the file to update has is kept unless something else is asked for" {
	build file.cms -e 2% --confidence 90% --candidates 7 -f 1 log
	cp file.cms before.cms
	try 0 cms-build -f 1 --update file.cms log
	[ "$(param file.cms $WIDTH)" = 136 ]
	[ "$(param file.cms $DEPTH)" = 3 ]
	[ "$(param file.cms $CANDIDATES)" = 7 ]
	[ "$(param file.cms $TOTAL)" = 6000 ]
	try 0 cms-build -f 1 --candidates 20 --update file.cms log
	[ "$(param file.cms $CANDIDATES)" = 20 ]
	# The same geometry by other words.
	try 0 cms-build -f 1 --width 136 --depth 3 --update file.cms log
	[ "$(param file.cms $TOTAL)" = 12000 ]
}

@test "--like takes over geometry, error, candidates, seed and -i" {
	build pattern.cms -e 2% --confidence 90% --candidates 7 --seed 7 -i -f 1 log
	build wanted.cms -e 2% --confidence 90% --candidates 7 --seed 7 -i thousand
	try 0 cms-build --like pattern.cms -o got.cms thousand
	same wanted.cms got.cms
	try 0 cms-topk -s pattern.cms got.cms
}

@test "-o writes what standard output gets, -a the same as text" {
	build log.cms log
	try 0 cms-build -o file.cms log
	out_is ''
	same log.cms file.cms
	build log.txt -a log
	[ "$(wc -l <log.txt)" = 1 ]
	grep -qE '^sk1:inNr[A-Za-z0-9_-]+$' log.txt
	try 0 cms-topk -s -k 2000 log.txt
	mv out wanted
	try 0 cms-topk -s -k 2000 log.cms
	out_is_file wanted
	cp log both
	try 0 cms-build -o both both
	same log.cms both
}

@test "--stats tells the counters, the bound and the candidates" {
	try_any 0 cms-build --stats -o log.cms -f 1 log
	out_is ''
	err_has 'cms-build: 3000 lines, 0 rejected, '
	err_has 'cms-build: 2719 x 5 counters in 106.2 KiB; at most 3 too high with probability 0.99'
	err_has "cms-build: 1024 candidates; any other item occurred at most $(param log.cms $MISSING) times"
}

# How it fails.

@test "--update of another width, depth, seed, fold or kind is status 4, at once" {
	build file.cms -f 1 log
	cp file.cms before.cms
	# A missing input would be status 3: it is not even looked for.
	try 4 cms-build -f 1 -e 1% --update file.cms no-such-file
	err_is "cms-build: cannot update 'file.cms': width 2719 and 272"
	try 4 cms-build -f 1 --depth 4 --update file.cms no-such-file
	err_is "cms-build: cannot update 'file.cms': depth 5 and 4"
	try 4 cms-build -f 1 --seed 9 --update file.cms no-such-file
	err_is "cms-build: cannot update 'file.cms': seed 0 and 9"
	try 4 cms-build -f 1 -i --update file.cms no-such-file
	err_is "cms-build: cannot update 'file.cms': case kept and folded (-i)"
	try 4 cms-build -f 1,9 --update file.cms no-such-file
	err_is "cms-build: cannot update 'file.cms': items of one field and several fields"
	build other.cms -e 1% thousand
	try 4 cms-build --like other.cms -f 1 --update file.cms no-such-file
	err_is "cms-build: cannot update 'file.cms': width 2719 and 272"
	same before.cms file.cms
	hll-build -o file.hll thousand
	try 4 cms-build --update file.hll no-such-file
	err_is "cms-build: cannot use sketch 'file.hll': its kind is hll, not cms"
	try 4 cms-build --like file.hll no-such-file
	err_is "cms-build: cannot use sketch 'file.hll': its kind is hll, not cms"
}

@test "--update of no bytes, of lines or of a damaged sketch is status 4" {
	: >empty
	try 4 cms-build --update empty thousand
	err_is "cms-build: cannot read sketch 'empty': empty, not a sketch"
	[ ! -s empty ]
	try 4 cms-build --update thousand log
	err_is "cms-build: cannot read sketch 'thousand': not a sketch"
	build file.cms thousand
	head -c 1000 file.cms >cut.cms
	try 4 cms-build --update cut.cms log
	err_is "cms-build: cannot read sketch 'cut.cms': truncated"
	printf x | dd of=file.cms bs=1 seek=200 conv=notrunc 2>/dev/null
	try 4 cms-build --update file.cms log
	err_is "cms-build: cannot read sketch 'file.cms': payload checksum differs"
	[ ! -e .file.cms.new ]
}

@test "a failure in the middle of the inputs leaves the old file and no other" {
	build file.cms thousand
	cp file.cms before.cms
	try 3 cms-build -o file.cms thousand no-such-file
	err_is "cms-build: cannot open 'no-such-file': No such file or directory"
	try 3 cms-build --update file.cms thousand no-such-file
	same before.cms file.cms
	[ ! -e .file.cms.new ]
}

@test "options that exclude each other are status 2" {
	build file.cms thousand
	try 2 cms-build -e 1% --width 100 thousand
	err_is "cms-build: -e and --width exclude each other"
	try 2 cms-build --confidence 95% --depth 3 thousand
	err_is "cms-build: --confidence and --depth exclude each other"
	for option in '-e 1%' '--confidence 95%' '--width 10' '--depth 3' '--candidates 7'; do
		# shellcheck disable=SC2086
		try 2 cms-build --like file.cms $option thousand
		err_is "cms-build: -e, --confidence, --width, --depth or --candidates and --like exclude each other"
	done
	try 2 cms-build -o a --update b thousand
	err_is "cms-build: -o and --update exclude each other"
	try 2 cms-build --candidates 0 -M 1M thousand
	err_is "cms-build: --candidates 0 and -M exclude each other"
	try 2 cms-build -k 10 thousand
	err_is "cms-build: unknown option '-k': cms-topk -s lists; use --candidates N to keep more items by name"
}

@test "a rejected line is told, and with --strict it is status 5" {
	printf 'a 1\nb x\nc\n' >lines
	try_any 0 cms-build -f 1 -W 2 -o file.cms lines
	err_is "cms-build: rejected 2 of 3 lines: a weight that is no whole number"
	[ "$(param file.cms $TOTAL)" = 1 ]
	try_any 5 cms-build --strict -f 1 -W 2 -o file.cms lines
	try 0 cms-topk -s file.cms
	out_is "1	a"
}

# Its limits.

@test "numbers out of range are status 2" {
	for value in 0 0.6 1e-10 2; do
		try 2 cms-build -e $value thousand
		err_is "cms-build: cannot use -e '$value': not in 1e-09..0.5"
	done
	for value in 0 1 5%; do
		try 2 cms-build --confidence $value thousand
		err_has "cms-build: cannot use --confidence '$value': not in 0.1..0.99999999"
	done
	try 2 cms-build --depth 65 thousand
	err_is "cms-build: cannot use --depth '65': not in 1..64"
	try 2 cms-build --width 0 thousand
	err_has "cms-build: cannot use --width '0': not in 1.."
	try 2 cms-build --candidates 65537 thousand
	err_is "cms-build: cannot use --candidates '65537': not in 0..65536"
	try 2 cms-build -e x thousand
	err_is "cms-build: cannot use -e 'x': not a number such as 0.01 or 1%"
	# A sanitizer has its own word to say about that much memory.
	[[ $SKETCHUTILS_BUILD != *-san ]] || return 0
	try 3 cms-build --width 1e12 --depth 64 thousand
	err_is "cms-build: cannot make 1000000000000 x 64 counters, 465.7 TiB: not enough memory"
}

@test "no lines make a sketch of nothing, any bytes a candidate" {
	build empty.cms /dev/null
	[ "$(param empty.cms $TOTAL)" = 0 ]
	try 0 cms-query --bounds empty.cms thousand
	awk '$1 + $2 + $3 > 0 { bad = 1 } END { exit bad || NR != 1000 }' out
	printf '\n\na\0b\n\377\r\nlast' >lines
	build lines.cms lines
	try 0 cms-topk -s lines.cms
	printf '2\t\n1\ta\0b\n1\tlast\n1\t\377\r\n' >wanted
	out_is_file wanted
}

@test "a sum that saturates is told and recorded, also if it does so in the file" {
	printf 'a 9223372036854775807\na 9223372036854775807\n' >lines
	try 0 cms-build -f 1 -W 2 --update file.cms lines
	message='cms-build: the sum of weights passed 2^64-1 and stopped there'
	try_any 0 cms-build -f 1 -W 2 --update file.cms lines
	err_is "$message"
	[ "$(param file.cms $TOTAL)" = 18446744073709551615 ]
	# The flag SATURATED.
	[ "$(od -An -tx1 -j 14 -N 1 file.cms | tr -d ' ')" = 01 ]
	try_any 0 cms-query file.cms <<<a
	out_is "18446744073709551615	a"
	err_is "cms-query: the sum of weights passed 2^64-1: counts that large are lower bounds"
	try_any 5 cms-query --strict file.cms <<<a
	cat lines lines >twice
	try_any 5 cms-build --strict -f 1 -W 2 -o file.cms twice
	err_is "$message"
	# It is there all the same.
	try_any 0 cms-topk -s file.cms
	out_is "18446744073709551615	a"
}
