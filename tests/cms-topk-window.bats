# sketchutils: BSD-2-Clause, see LICENSE
#
# cms-topk over time: --window, --every, --tumble. When rows come, and what
# becomes of late lines, is told in tests/hll-count-window.bats and
# tests/unit/panes_test.c; this is about what a list says.

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 5000 1 >log
	# Each day of October by itself.
	awk '{ print >("day" substr($4, 2, 2) + 0) }' log
}

# days FROM TO: the lines of these days.
days() {
	local day these=()
	for ((day = $1; day <= $2; day++)); do
		[ ! -f "day$day" ] || these+=("day$day")
	done
	cat /dev/null "${these[@]}"
}

# wait_for COMMAND...: for something that must come.
wait_for() {
	until "$@"; do sleep 0.02; done
}

more_rows_than() {
	[ "$(wc -l <out)" -gt "$1" ]
}

# fresh DAYS OPTION...: what each day's list should be, by a run over the lines of
# that day and those before it alone.
fresh() {
	local back=$1 day time
	shift
	for day in {6..12}; do
		days $((day - back + 1)) "$day" >part
		printf -v time '2025-10-%02dT00:00:00Z' $((day + 1))
		cms-topk "$@" part >list
		sed "s/^/$time\t/" list
	done
}

@test "each list is that of a fresh run over the lines of its window alone" {
	for options in '-f 1 -k 100000' '-f 7 -W 10 -k 5 --also count,mean --bounds --rest' \
	    '-f 9 --threshold 1% --sure'; do
		read -ra these <<<"$options"
		for form in '1 --tumble 1d' '3 --window 3d --every 1d' '7 --every 1d'; do
			read -r back form <<<"$form"
			read -ra form <<<"$form"
			try 0 cms-topk "${form[@]}" --time-field 4,5 "${these[@]}" log
			fresh "$back" "${these[@]}" >wanted
			out_is_file wanted
		done
	done
	[ "$(cut -f 1 out | sort -u | wc -l)" = 7 ]
}

@test "lines of a window may be out of order" {
	awk '{ print substr($4, 2, 14) "\t" $1 "\t" $0 }' log | LC_ALL=C sort -s -t $'\t' -k 1,2 |
	    cut -f 3- >shuffled
	cmp -s log shuffled && failed
	for options in '--tumble 1d' '--window 2d --every 1d'; do
		read -ra these <<<"$options"
		try 0 cms-topk "${these[@]}" --time-field 4,5 -f 1 -k 50 log
		mv out rows
		try 0 cms-topk "${these[@]}" --time-field 4,5 -f 1 -k 50 shuffled
		out_is_file rows
	done
}

@test "in too little memory the bounds of each list hold, and what it lacks is told" {
	# Five tables: three panes, and two unions.
	try_any 0 cms-topk --window 3d --every 1d --time-field 4,5 -f 1 -k 100000 -M 320K --bounds \
	    --stats log
	mv out rows
	missing=$(sed -n -E 's/.* any other item occurred at most ([0-9]+) times in the time of one$/\1/p' err)
	[ -n "$missing" ]
	err_has ' lists may lack some: an item that is not in one may have occurred '
	for day in 6 7 8 9 10 11 12; do
		days $((day - 2)) "$day" | cut -d ' ' -f 1 | sort | uniq -c |
		    awk '{ print $1 "\t" $2 }' >truth
		grep "^2025-10-$(printf %02d $((day + 1)))T" rows | cut -f 2- >got
		awk -F '\t' -v missing="$missing" 'NR == FNR { truth[$2] = $1; next }
		    { n++; if ($2 > truth[$4] || truth[$4] > $3 || $1 != $3) bad = 1; seen[$4] }
		    END { for (i in truth) if (!(i in seen) && truth[i] > missing) bad = 1
		          exit bad || n < 100 }' truth got || { echo "day $day"; failed; }
	done
}

@test "with weights and lines as well" {
	try_any 0 cms-topk --window 3d --every 1d --time-field 4,5 -f 1 -W 10 --also count,mean \
	    -k 100000 -M 320K --bounds log
	grep '^2025-10-12T' out | cut -f 2- >got
	days 9 11 | awk '{ s[$1] += $10; n[$1]++ }
	    END { for (i in s) printf "%s\t%d\t%d\t%.17g\n", i, s[i], n[i], s[i] / n[i] }' >truth
	# SUM LOW HIGH COUNT LOW HIGH MEAN LOW HIGH ITEM; means have six digits.
	awk -F '\t' 'NR == FNR { s[$1] = $2; n[$1] = $3; m[$1] = $4; next }
	    { rows++; i = $10; open += $2 < $3
	      if ($2 > s[i] || s[i] > $3 || $5 > n[i] || n[i] > $6 || $4 != $6 ||
	          $8 > m[i] * 1.00001 || m[i] > $9 * 1.00001 || $7 > $9 || $7 < $8) {
	          print "# " $0; bad = 1 } }
	    END { exit bad || rows < 100 || open == 0 }' truth got
}

@test "a replay gives the same lists at any reading speed and on any number of threads" {
	for form in '--tumble 6h -f 7 -k 4' '--window 1d --every 3h -f 1 -k 3 -M 1M --bounds' \
	    '--every 1d -f 7 -W 10 --also count --json'; do
		read -ra options <<<"$form"
		try_any 0 cms-topk "${options[@]}" --time-field 4,5 log
		mv out lists
		mv err said
		[ "$(wc -l <lists)" -gt 20 ]
		for j in 1 2 3; do
			try_any 0 cms-topk -j $j "${options[@]}" --time-field 4,5 <log
			out_is_file lists
			same said err
		done
		try_any 0 cms-topk "${options[@]}" --time-field 4,5 < <(cat log)
		out_is_file lists
		try_any 0 cms-topk "${options[@]}" --time-field 4,5 \
		    < <(head -c 350000 log; sleep 0.1; tail -c +350001 log | dd bs=999 status=none)
		out_is_file lists
		same said err
		head -n 2321 log >one
		tail -n +2322 log >two
		try_any 0 cms-topk "${options[@]}" --time-field 4,5 one two
		out_is_file lists
	done
}

@test "a list is out as soon as a line has passed its end" {
	mkfifo pipe
	: >out
	cms-topk --tumble 1m --time-field 1 -f 2 -k 2 <pipe >out &
	tool=$!
	exec 7>pipe
	printf '%s\n' '1796043600 a' '1796043601 b' '1796043602 b' '1796043603 c' '1796043661 a' >&7
	wait_for more_rows_than 1
	out_is "$(printf '2026-11-30T13:01:00Z\t%s\n' '2	b' '1	a')"
	exec 7>&-
	wait $tool
	out_is "$(printf '2026-11-30T13:0%s\n' '1:00Z	2	b' '1:00Z	1	a' '2:00Z	1	a')"
}

@test "by arrival lists come while nothing does, and an empty step has none" {
	mkfifo pipe
	: >out
	cms-topk --every 100ms --rest <pipe >out &
	tool=$!
	exec 7>pipe
	printf 'a\nb\na\n' >&7
	wait_for more_rows_than 5
	exec 7>&-
	wait $tool
	tail -n 3 out | cut -f 2- >got
	text_is got '2	a
1	b
0	rest'
	try 0 cms-topk --tumble 36500d --rest </dev/null
	out_is ''
	printf 'a\nb\na\n' >lines
	try 0 cms-topk --window 36500d --every 36500d -j 2 lines
	out_is "$(printf '2069-12-07T00:00:00Z\t%s\n' '2	a' '1	b')"
}

@test "by arrival a window forgets, and is silent then" {
	mkfifo pipe
	: >out
	cms-topk --window 200ms --every 100ms --plot <pipe >out &
	tool=$!
	exec 7>pipe
	printf 'a\nb\na\n' >&7
	wait_for grep -q '#' out
	# Then the window must be empty before what comes next.
	sleep 0.5
	printf 'new\n' >&7
	wait_for grep -q 'new' out
	exec 7>&-
	wait $tool
	# No picture has both.
	awk -v RS= '/ new / && / a / { bad = 1 } END { exit bad }' out
}

@test "with --plot each step has its picture below its time" {
	printf '%s\n' '1796043600 a' '1796043601 b' '1796043602 b' '1796043661 c' >lines
	COLUMNS=30 try 0 cms-topk --plot --tumble 1m --time-field 1 -f 2 lines
	out_is "2026-11-30T13:01:00Z
2  b  ########################
1  a  ############

2026-11-30T13:02:00Z
1  c  ########################"
}

@test "late lines and wrong times are counted and told" {
	printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-30T13:01:10 b' '2026-11-30T13:00:59 c' \
	    '2099-01-01T00:00:00 d' '2026-11-30T13:01:20 b' '2026-11-30T13:02:00 e' >lines
	try_any 0 cms-topk --tumble 1m --time-field 1 -f 2 lines
	out_is "$(printf '2026-11-30T13:0%s\n' '1:00Z	1	a' '2:00Z	2	b' '2:00Z	1	c' \
	    '2:00Z	1	d' '3:00Z	1	e')"
	err_is "$(printf '%s\n' 'cms-topk: 1 of 6 lines came late, after the rows of their time' \
	    'cms-topk: 1 of 6 lines had a time that is far ahead of the others')"
	try_any 5 cms-topk --tumble 1m --time-field 1 -f 2 --strict lines
}

@test "-M is for all panes together" {
	seq 200000 | awk '{ print 1796043600 + int(NR / 100), $1 " and some more bytes" }' >lines
	try_any 0 cms-topk -j 1 --window 34m --every 2m --time-field 1 -f 2- -M 4M --stats lines
	err_has 'approximate: '
	sed -n -E 's/.* ([0-9.]+) MiB of memory at the peak$/\1/p' err >peak
	[ -s peak ]
	if [[ $SKETCHUTILS_BUILD != *-san ]]; then
		awk '{ exit !($1 < 4 + 5) }' peak
	fi
	# A table of its own has all of it.
	head -n 30000 lines >less
	try_any 0 cms-topk --tumble 1d --time-field 1 -f 2- -M 4M --stats less
	err_has 'exact: all of 1 lists'
	try_any 0 cms-topk --window 1d --every 1d --time-field 1 -f 2- -M 4M --stats less
	err_has 'approximate: 1 of 1 lists'
}

@test "what cannot be meant is refused in one line" {
	refuses() {
		try 2 cms-topk "${@:2}" </dev/null
		head -n 1 err >first
		text_is first "cms-topk: $1"
	}
	refuses '--window needs --every' --window 5m
	refuses '--tumble and --window exclude each other' --tumble 1h --window 2h
	refuses '-s and --tumble exclude each other' -s --tumble 1h
	refuses '-s and --every exclude each other' -s --every 10s
	refuses '--time-field needs --window, --every or --tumble' --time-field 1
	refuses 'cannot use -M: the 30 panes of --window need 2.0 MiB at least' \
	    --window 5m --every 10s -M 1M
	refuses 'cannot use --window with --every: that makes 86400000 panes, and 65536 are the most' \
	    --window 1d --every 1ms -M 1M
}
