# sketchutils: BSD-2-Clause, see LICENSE
#
# hll-count over time: --window, --every, --tumble. rows.py is the rule of the
# manual, told once more with sets and nothing of ours, for lines of "TIME KEY
# ITEM"; sets of a few hundred items are counted exactly.

load helper

prepare() {
	cat >rows.py <<'END'
import sys
from datetime import datetime, timezone, timedelta
from math import gcd
window, every, by = int(sys.argv[1]), int(sys.argv[2]), len(sys.argv) > 3   # milliseconds
length = gcd(window, every) * 1000
count, step = window * 1000 // length, every * 1000 // length
ahead = count or 1
epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
panes, newest, fresh = {}, None, False     # pane: set of (key, item)
late = wrong = 0

def row(pane):
    span = range(pane - count + 1, pane + 1) if count else list(panes)
    all = set().union(*(panes.get(p, ()) for p in span))
    text = (epoch + timedelta(microseconds=(pane + 1) * length)).strftime('%Y-%m-%dT%H:%M:%S')
    fraction = (pane + 1) * length % 1000000 // 1000
    text += ('.%03d' % fraction if fraction else '') + 'Z'
    if not by:
        if all:
            print(text, len({item for key, item in all}), sep='\t')
        return
    of = {}
    for key, item in all:
        of[key] = of.get(key, 0) + 1
    for key in sorted(of, key=lambda k: (-of[k], k)):
        print(text, of[key], key, sep='\t')

def clock(to):
    global newest, fresh
    for p in range(newest, min(to, newest + ahead)):
        if (p + 1) % step == 0 and (count or fresh):
            row(p)
    newest, fresh = max(to, newest), False
    if count:
        for p in [p for p in panes if p <= newest - count]:
            del panes[p]

def oldest():                               # of the next row, or behind the newest
    last = newest if count < step else newest + step - 1 - newest % step
    return last - count + 1

lines = []
for line in sys.stdin:
    text, key, item = line.split()
    lines.append(((datetime.fromisoformat(text) - epoch) // timedelta(microseconds=1) // length,
                  (key, item)))
newest = lines[0][0]
for i, (pane, what) in enumerate(lines):
    if pane > newest + ahead and i + 1 < len(lines) and lines[i + 1][0] < pane - ahead:
        wrong += 1
        pane = newest
    elif pane > newest:
        clock(pane)
    elif count and pane < oldest():
        late += 1
        pane = oldest()
    panes.setdefault(pane, set()).add(what)
    fresh = True
while (newest + 1) % step:
    newest += 1
row(newest)
if late:
    print(f'hll-count: {late} of {len(lines)} lines came late, after the rows of their time',
          file=sys.stderr)
if wrong:
    print(f'hll-count: {wrong} of {len(lines)} lines had a time that is far ahead of the others',
          file=sys.stderr)
END
	# random.py SEED LINES STEP JITTER GAP: seconds; one wrong time in 500.
	cat >random.py <<'END'
import random, sys
from datetime import datetime, timezone
seed, lines, step, jitter, gap = map(int, sys.argv[1:])
r = random.Random(seed)
now = 1796043600.0
for i in range(lines):
    now += r.random() * step
    if gap and i > 1 and r.randrange(200) == 0:
        now += r.random() * gap
    t = now - (i > 1 and r.random() * jitter)      # the first two agree
    if gap and i > 1 and r.randrange(500) == 0:
        t += r.randrange(10 ** 8)
    text = datetime.fromtimestamp(t, timezone.utc).isoformat(timespec='milliseconds')
    print(text, 'k%d' % min(r.randrange(12), r.randrange(12)), 'i%d' % r.randrange(400))
END
}

# agrees LOG WINDOW EVERY OPTION...: milliseconds; with the rule, on any number of
# threads, and key by key.
agrees() {
	local log=$1 window=$2 every=$3 j
	shift 3
	python3 rows.py "$window" "$every" <"$log" >wanted 2>wanted.err
	python3 rows.py "$window" "$every" by <"$log" >wanted.by
	for j in 1 2; do
		try_any 0 hll-count -j $j "$@" --time-field 1 -f 3 "$log"
		same wanted out
		same wanted.err err
		try_any 0 hll-count -j $j "$@" --time-field 1 -f 3 --by 2 "$log"
		same wanted.by out
		same wanted.err err
	done
}

# until COMMAND...: wait for something that must come.
until_ok() {
	until "$@"; do sleep 0.02; done
}

more_rows_than() {
	[ "$(wc -l <out)" -gt "$1" ]
}

@test "rows are what the rule says, in order and out of order, over gaps and wrong times" {
	n=$(long && echo 8000 || echo 1500)
	python3 random.py 1 "$n" 20 0 0 >log
	agrees log 3600000 3600000 --tumble 1h
	agrees log 600000 60000 --window 10m --every 1m
	agrees log 0 3600000 --every 1h
	python3 random.py 2 "$n" 20 400 20000 >log
	agrees log 60000 60000 --tumble 1m
	agrees log 300000 60000 --window 5m --every 1m
	[ "$(wc -l <wanted.err)" = 2 ]
	agrees log 0 90000 --every 90s
	if long; then
		agrees log 86400000 86400000 --tumble 1d
		agrees log 3600000 60000 --window 1h --every 1m
	fi
}

@test "a window need not be a multiple of the step" {
	python3 random.py 3 600 20 300 9000 >log
	agrees log 150000 60000 --window 150s --every 1m
	agrees log 2500 1000 --window 2500ms --every 1s
}

@test "a replay gives the same rows at any reading speed and any number of threads" {
	"$SKETCHUTILS_BUILD/logmaker" log 10000 >lines
	for form in '--tumble 6h' '--window 3h --every 30m' '--every 1d' '--tumble 1d --by 9'; do
		read -ra options <<<"$form"
		try 0 hll-count "${options[@]}" --time-field 4,5 -f 1 --bounds lines
		mv out wanted.all
		[ "$(wc -l <wanted.all)" -gt 3 ]
		for j in 1 2 3; do
			try 0 hll-count -j $j "${options[@]}" --time-field 4,5 -f 1 --bounds <lines
			out_is_file wanted.all
			try 0 hll-count -j $j "${options[@]}" --time-field 4,5 -f 1 --bounds < <(cat lines)
			out_is_file wanted.all
		done
		try 0 hll-count "${options[@]}" --time-field 4,5 -f 1 --bounds \
		    < <(dd bs=777 iflag=fullblock status=none <lines)
		out_is_file wanted.all
		head -n 4321 lines >one
		tail -n +4322 lines >two
		try 0 hll-count "${options[@]}" --time-field 4,5 -f 1 --bounds one two
		out_is_file wanted.all
	done
}

@test "days by --tumble are what each day's lines alone would count" {
	"$SKETCHUTILS_BUILD/logmaker" log 20000 >lines
	try 0 hll-count --tumble 1d --time-field 4,5 -f 1 --bounds lines
	mv out rows
	[ "$(wc -l <rows)" = 7 ]
	for day in 6 7 8 9 10 11 12; do
		grep -F "[$(printf %02d $day)/Oct/2025:" lines >one
		hll-count -f 1 --bounds one
	done >days
	cut -f 2- rows >got
	same days got
	try 0 hll-count --every 7d --time-field 4,5 -f 1 lines
	hll-count -f 1 lines >all
	tail -n 1 out | cut -f 2 >got
	same all got
}

@test "a row is out as soon as a line has passed its end" {
	mkfifo pipe
	: >out
	hll-count --tumble 1m --time-field 1 -f 2 <pipe >out &
	tool=$!
	exec 7>pipe
	printf '1796043600 a\n1796043601 b\n1796043661 a\n' >&7
	until_ok more_rows_than 0
	out_is "$(printf '2026-11-30T13:01:00Z\t2')"
	printf '1796043722 a\n' >&7
	until_ok more_rows_than 1
	exec 7>&-
	wait $tool
	out_is "$(printf '2026-11-30T13:0%d:00Z\t%d\n' 1 2 2 1 3 1)"
}

# By arrival: nothing here depends on how long anything takes.

@test "by arrival rows come while nothing does, one a step, at multiples of it" {
	mkfifo pipe
	: >out
	hll-count --every 100ms <pipe >out &
	tool=$!
	exec 7>pipe
	printf 'a\nb\na\n' >&7
	until_ok grep -q "Z$(printf '\t')2$" out
	n=$(wc -l <out)
	until_ok more_rows_than $((n + 2))
	exec 7>&-
	wait $tool
	python3 - <<'END'
from datetime import datetime
rows = [line.split() for line in open('out')]
times = [datetime.fromisoformat(t).timestamp() for t, n in rows]
tenths = [round(10 * t) for t in times]
assert all(abs(10 * t - n) < 0.01 for t, n in zip(times, tenths)), times
assert tenths == sorted(set(tenths)), tenths
counts = [int(n) for t, n in rows]
assert counts == sorted(counts) and counts[-1] == 2, counts
END
}

@test "by arrival a window forgets, and says 0" {
	mkfifo pipe
	: >out
	hll-count --window 200ms --every 100ms <pipe >out &
	tool=$!
	exec 7>pipe
	until_ok more_rows_than 0
	printf 'a\nb\na\n' >&7
	until_ok grep -q "Z$(printf '\t')[12]$" out
	until_ok sh -c 'tail -n 1 out | grep -q "	0$"'
	exec 7>&-
	wait $tool
	# Both lines, unless a step's end came between them.
	python3 - <<'END'
counts = [int(line.split()[1]) for line in open('out')]
first = next(i for i, n in enumerate(counts) if n)
assert not any(counts[:first]) and max(counts) <= 2 and counts[-1] == 0, counts
assert 1 <= sum(n > 0 for n in counts) <= 3, counts
END
}

@test "by arrival the step under way has its row at the end" {
	printf '%s\n' a b a c >lines
	# This step began in 1970 and ends a hundred years later.
	try 0 hll-count --tumble 36500d lines
	out_is "$(printf '2069-12-07T00:00:00Z\t3')"
	try 0 hll-count --every 36500d -j 2 lines lines
	out_is "$(printf '2069-12-07T00:00:00Z\t3')"
	try 0 hll-count --window 36500d --every 36500d </dev/null
	out_is "$(printf '2069-12-07T00:00:00Z\t0')"
	try 0 hll-count --tumble 36500d --by 1 </dev/null
	out_is ''
}

# What rows look like.

@test "rows by key, the largest first in each step, and -k of them" {
	printf '%s\n' '1796043600 x a' '1796043601 x b' '1796043602 y a' '1796043603 z a' \
	    '1796047200 y a' '1796047201 y b' '1796047202 x a' >log
	try 0 hll-count --tumble 1h --time-field 1 --by 2 -f 3 log
	printf '%s\n' '14:2:x' '14:1:y' '14:1:z' '15:2:y' '15:1:x' |
	    awk -F: '{ print "2026-11-30T" $1 ":00:00Z\t" $2 "\t" $3 }' >want
	out_is_file want
	try 0 hll-count --tumble 1h --time-field 1 --by 2 -f 3 -k 1 log
	grep ':00:00Z	2' want >want.top
	out_is_file want.top
	try 0 hll-count --tumble 1h --time-field 1 --by 2 -f 3 --min 2 log
	out_is_file want.top
	try 0 hll-count --window 2h --every 1h --time-field 1 --by 2 -f 3 -k 2 log
	printf '%s\n' '14:2:x' '14:1:y' '15:2:x' '15:2:y' |
	    awk -F: '{ print "2026-11-30T" $1 ":00:00Z\t" $2 "\t" $3 }' >want
	out_is_file want
}

@test "--json tells the time, --bounds the interval, -z the end" {
	printf '%s\n' '1796043600 x a' '1796043601 x b' '1796043600.5 y a' >log
	try 0 hll-count --tumble 1h --time-field 1 --by 2 -f 3 --json log
	jq -c '[.time, .estimate, .low, .high, .key]' out >got
	text_is got '["2026-11-30T14:00:00Z",2,2,2,"x"]
["2026-11-30T14:00:00Z",1,1,1,"y"]'
	try 0 hll-count --window 1s --every 500ms --time-field 1 -f 3 --bounds log
	out_is "$(printf '2026-11-30T13:00:0%sZ\t%d\t%d\t%d\n' 0.500 1 1 1 1 1 1 1 1.500 2 2 2)"
	printf '1796043600 a\0001796043600 b\0' >zero
	try 0 hll-count --tumble 1h -z --time-field 1 -f 2 zero
	tr '\0' '!' <out >got
	printf '2026-11-30T14:00:00Z\t2!' >want
	same want got
}

@test "names of a header find the time, in each file anew" {
	printf 'when,who\n2026-11-30 13:00:00,a\n2026-11-30 13:00:01,b\n' >one
	printf 'who,x,when\na,,"2026-11-30 13:00:02"\nc,,2026-11-30 14:00:00\n' >two
	try 0 hll-count --csv --header --tumble 1h --time-field when -f who one two
	out_is "$(printf '2026-11-30T14:00:00Z\t2\n2026-11-30T15:00:00Z\t1')"
	try 2 hll-count --csv --header --tumble 1h --time-field time -f who one
	err_is "hll-count: cannot find field 'time' in the header of 'one'"
}

@test "sketches of another system, and of any precision, count over time" {
	"$SKETCHUTILS_BUILD/logmaker" log 5000 >lines
	for form in '--compat redis' '--compat postgres' '--precision 8'; do
		read -ra options <<<"$form"
		try 0 hll-count "${options[@]}" --window 1d --every 12h --time-field 4,5 -f 1 lines
		mv out rows
		# The last row's window is the log's last day.
		tail -n 1 rows | cut -f 2 >got
		day=$(tail -n 1 lines | sed 's/.*\[\([^:]*\):.*/\1/')
		grep -F "[$day:" lines >last
		hll-count "${options[@]}" -f 1 last >want
		same want got
		try 0 hll-count "${options[@]}" --tumble 7d --time-field 4,5 -f 1 --by 9 lines
		cut -f 2- out >got
		: >want
		for from in 2 9; do
			# Weeks from Thursday to Wednesday.
			awk -v from=$from '{ d = substr($4, 2, 2) + 0 } d >= from && d < from + 7' lines >week
			hll-count "${options[@]}" -f 1 --by 9 week >>want
		done
		same want got
		# Both weeks.
		try 0 hll-count "${options[@]}" --window 14d --every 7d --time-field 4,5 -f 1 --by 9 lines
		tail -n 5 out | cut -f 2- >got
		hll-count "${options[@]}" -f 1 --by 9 lines >want
		same want got
	done
}

# Late, wrong and unreadable times.

@test "a late line counts in the next row, a wrong one with the newest" {
	printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-30T13:01:10 b' '2026-11-30T13:00:59 c' \
	    '2099-01-01T00:00:00 d' '2026-11-30T13:01:20 b' '2026-11-30T13:02:00 e' >log
	try_any 0 hll-count --tumble 1m --time-field 1 -f 2 log
	out_is "$(printf '2026-11-30T13:0%d:00Z\t%d\n' 1 1 2 3 3 1)"
	err_is "$(printf '%s\n' 'hll-count: 1 of 6 lines came late, after the rows of their time' \
	    'hll-count: 1 of 6 lines had a time that is far ahead of the others')"
	try_any 5 hll-count --tumble 1m --time-field 1 -f 2 --strict log
	# In a window of two minutes it is only out of order.
	head -n 3 log >three
	try 0 hll-count --window 2m --every 1m --time-field 1 -f 2 three
	out_is "$(printf '2026-11-30T13:0%d:00Z\t%d\n' 1 1 2 3)"
	# Also if its pane is there still, but is not in the next row.
	printf '2024-05-01T00:%s x\n' 00:10 01:05 00:15 01:59 >lines
	try_any 0 hll-count --time-field 1 --window 90s --every 60s lines
	out_is "2024-05-01T00:01:00Z	1
2024-05-01T00:02:00Z	3"
	err_is 'hll-count: 1 of 4 lines came late, after the rows of their time'
	# To running totals nothing is late.
	try 0 hll-count --every 1m --time-field 1 -f 2 three
	out_is "$(printf '2026-11-30T13:0%d:00Z\t%d\n' 1 1 2 3)"
}

@test "a gap has no rows, however long it is" {
	printf '%s\n' '0001-01-01T00:00:00 a' '0001-01-01T00:00:00 b' '9999-12-31T23:59:58 c' \
	    '9999-12-31T23:59:58.998 d' >log
	try 0 hll-count --tumble 1ms --time-field 1 -f 2 log
	out_is "$(printf '%s\t%d\n' 0001-01-01T00:00:00.001Z 2 9999-12-31T23:59:58.001Z 1 9999-12-31T23:59:58.999Z 1)"
	try 0 hll-count --window 3s --every 1s --time-field 1 -f 2 log
	out_is "$(printf '%s\t%d\n' 0001-01-01T00:00:01Z 2 0001-01-01T00:00:02Z 2 \
	    0001-01-01T00:00:03Z 2 9999-12-31T23:59:59Z 2)"
}

@test "no line, no row, by the log's own time" {
	try 0 hll-count --tumble 1h --time-field 1 </dev/null
	out_is ''
	printf '\n\n' >empty
	try_any 0 hll-count --tumble 1h --time-field 1 empty
	out_is ''
	err_is 'hll-count: rejected 2 of 2 lines: a time that is written in no usual way (see --time-format)'
}

@test "a line whose time cannot be read is rejected and counted" {
	printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-31T13:00:00 b' c '' '2026-11-30T13:00:01 d' >log
	try_any 0 hll-count --tumble 1m --time-field 1 -f 2 log
	out_is "$(printf '2026-11-30T13:01:00Z\t2')"
	err_is 'hll-count: rejected 3 of 5 lines: a time that is written in no usual way (see --time-format)'
	try_any 5 hll-count --tumble 1m --time-field 1 --time-format %FT%T -f 2 --strict log
	err_is 'hll-count: rejected 3 of 5 lines: a time that does not fit --time-format'
}

@test "what cannot be meant is refused in one line" {
	refuses() {
		try 2 hll-count "${@:2}" </dev/null
		head -n 1 err >first
		text_is first "hll-count: $1"
	}
	refuses '--window needs --every' --window 5m
	refuses '--tumble and --window exclude each other' --tumble 1h --window 2h
	refuses '--tumble and --every exclude each other' --tumble 1h --every 10s
	refuses "cannot use --every '10': not a duration such as 90s, 5m, 12h or 7d" --every 10
	refuses "cannot use --tumble '0s': not in 1ms..36500d" --tumble 0s
	refuses '--time-field needs --window, --every or --tumble' --time-field 1
	refuses '--time-format needs --time-field' --tumble 1h --time-format %s
	refuses '-s and --every exclude each other' -s --every 10s
	refuses '-s and --tumble exclude each other' -s --tumble 10s
	refuses '--tumble and --each exclude each other' --each --tumble 10s
	refuses '--every and --each exclude each other' --each --window 1m --every 10s
	refuses 'cannot use --window: it is shorter than --every, so lines would be in no row' \
	    --window 5s --every 10s
	refuses 'cannot use --window with --every: that makes 86400000 panes, and 65536 are the most' \
	    --window 1d --every 1ms
}
