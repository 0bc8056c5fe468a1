# sketchutils: BSD-2-Clause, see LICENSE
#
# bloom-uniq --window. window.py is the rule of the manual, told once more and
# with nothing of ours: which lines of a log of "TIME KEY" pass.

load helper

prepare() {
	cat >window.py <<'END'
import sys
from datetime import datetime, timezone, timedelta
span, again = int(sys.argv[1]) * 1000, len(sys.argv) > 2   # of milliseconds
length, back = span // 8, 8
epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
newest = doubted = None
late = wrong = 0
first, second = {}, {}                                     # (key, pane): was new there

def judge(pane):
    global newest, doubted, wrong
    if doubted is None:
        return
    if pane >= doubted - back:
        newest = doubted
    else:
        wrong += 1
        for panes in [*first.values(), *second.values()]:
            panes.discard(doubted)
    doubted = None

def place(pane):
    global newest, doubted, late
    judge(pane)
    if newest is None or pane > newest + back:
        doubted = pane
        return pane
    newest = max(newest, pane)
    if pane < newest - back:
        late += 1
    return max(pane, newest - back)

def held(pane):
    return pane == doubted or newest is not None and newest - back <= pane <= newest

def meet(known, key, pane):
    panes = known.setdefault(key, set())
    panes &= {p for p in panes if held(p)}
    if any(p >= pane - back for p in panes):
        return False
    panes.add(pane)
    return True

for line in sys.stdin:
    text, key = line.split()
    at = (datetime.fromisoformat(text) - epoch) // timedelta(microseconds=1)
    pane = place(at // length)
    new = meet(first, key, pane)
    if again:
        new = not new and meet(second, key, pane)
    if new:
        sys.stdout.write(line)
print(late, wrong, file=sys.stderr)
END
	# random.py SEED LINES KEYS STEP JITTER GAP: seconds; one wrong time in 500.
	cat >random.py <<'END'
import random, sys
from datetime import datetime, timezone
seed, lines, keys, step, jitter, gap = map(int, sys.argv[1:])
r = random.Random(seed)
now = 1796043600.0
for i in range(lines):
    now += r.random() * step
    if gap and r.randrange(200) == 0:
        now += r.random() * gap
    t = now - r.random() * jitter
    if gap and r.randrange(500) == 0:
        t += r.randrange(10 ** 8)
    text = datetime.fromtimestamp(t, timezone.utc).isoformat(timespec='milliseconds')
    print(text, 'k%d' % r.randrange(keys))
END
}

# agrees LOG MILLISECONDS: with the rule, at any number of threads.
agrees() {
	python3 window.py "$2" <"$1" >wanted 2>counts
	python3 window.py "$2" again <"$1" >wanted.again 2>counts
	python3 - "$(cat counts)" "$(wc -l <"$1")" >wanted.err <<'END'
import sys
late, wrong = map(int, sys.argv[1].split())
n = sys.argv[2]
if late:
    print(f'bloom-uniq: {late} of {n} lines came late, from before the window')
if wrong:
    print(f'bloom-uniq: {wrong} of {n} lines had a time that is far ahead of the others')
END
	for j in 1 2; do
		try_any 0 bloom-uniq -j $j --window "$2ms" --time-field 1 -f 2 "$1"
		same wanted out
		same wanted.err err
		try_any 0 bloom-uniq -j $j --window "$2ms" --time-field 1 -f 2 --repeated "$1"
		same wanted.again out
		same wanted.err err
	done
}

@test "what passes is what the rule says, in order and out of order, over gaps and wrong times" {
	local count
	count=$(long && echo 50000 || echo 4000)
	python3 random.py 1 "$count" 300 2 0 0 >log
	agrees log 60000
	if long; then agrees log 3600000; fi
	python3 random.py 2 "$count" 300 2 30 4000 >log
	if long; then agrees log 60000; fi
	agrees log 600000
	python3 random.py 3 "$count" 50 60 2000 9000 >log
	agrees log 600000
	[ "$(cut -d ' ' -f 1 counts)" -gt 100 ]
	[ "$(cut -d ' ' -f 2 counts)" -gt 10 ]
}

@test "a key passes again no sooner than D after it passed, and from D and an eighth on" {
	python3 random.py 4 10000 200 3 0 0 >log
	for minutes in 1 8 60; do
		try 0 bloom-uniq --window ${minutes}m --time-field 1 -f 2 log
		python3 - $minutes <<'END'
import sys
from datetime import datetime, timedelta
span = timedelta(minutes=int(sys.argv[1]))
passed = iter(open('out').read().splitlines() + [None])
next_passed, last, again = next(passed), {}, 0
for line in open('log').read().splitlines():
    text, key = line.split()
    t = datetime.fromisoformat(text)
    yes = line == next_passed
    age = t - last[key] if key in last else None
    assert age is not None or yes, line
    assert not (age is not None and age < span and yes), ('too soon', line)
    assert not (age is not None and age >= span + span / 8 and not yes), ('too late', line)
    if yes:
        again += age is not None
        last[key] = t
        next_passed = next(passed)
assert next_passed is None and again > 100, again
END
	done
}

@test "keys come again one after another, not all at once" {
	# 400 keys in turn, one a second, for two hours: in each minute after the
	# first window as many pass as in any other.
	python3 -c '
for s in range(7200):
    print(1796043600 + s, "k%d" % (s % 400))' >log
	try 0 bloom-uniq --window 20m --time-field 1 -f 2 log
	awk '{ n[int(($1 - 1796043600) / 60)]++ } END { for (m in n) if (n[m] > 60) exit 1 }' out
	# 20 minutes hold 3 turns of 400 s; with an eighth more, the fourth at most.
	[ "$(wc -l <out)" -ge $((7200 / 1600 * 400)) ]
	[ "$(wc -l <out)" -le $((7200 / 1200 * 400)) ]
}

@test "a replay gives the same bytes at any reading speed and any number of threads" {
	"$SKETCHUTILS_BUILD/logmaker" log 10000 >log
	try 0 bloom-uniq --window 1h --time-field 4,5 -f 1 log
	mv out wanted
	[ "$(wc -l <wanted)" -gt 1000 ]
	[ "$(wc -l <wanted)" -lt 9950 ]
	for j in 1 2 3; do
		try 0 bloom-uniq -j $j --window 1h --time-field 4,5 -f 1 <log
		out_is_file wanted
		try 0 bloom-uniq -j $j --window 1h --time-field 4,5 -f 1 < <(cat log)
		out_is_file wanted
		try 0 bloom-uniq -j $j --window 1h --quoted --time-field 4 -f 1 log
		out_is_file wanted
	done
	# In crumbs, and in two files.
	try 0 bloom-uniq --window 1h --time-field 4,5 -f 1 --line-buffered \
	    < <(dd bs=777 iflag=fullblock status=none <log)
	out_is_file wanted
	head -n 4321 log >one
	tail -n +4322 log >two
	try 0 bloom-uniq --window 1h --time-field 4,5 -f 1 one two
	out_is_file wanted
}

@test "by arrival a key passes again, but no sooner than D after it did" {
	mkfifo pipe
	bloom-uniq --window 300ms --line-buffered <pipe >out &
	tool=$!
	exec 7>pipe
	before=$(date +%s%N)
	tries=0
	while [ "$(wc -l <out)" -lt 2 ] && [ $tries -lt 3000 ]; do
		echo a >&7
		tries=$((tries + 1))
		sleep 0.02
	done
	after=$(date +%s%N)
	exec 7>&-
	wait $tool
	[ "$(wc -l <out)" -ge 2 ]
	[ $((after - before)) -ge 300000000 ]
	[ $tries -gt 2 ]
}

@test "by arrival and in a long window it is plain bloom-uniq" {
	"$SKETCHUTILS_BUILD/logmaker" urls 30000 >log
	awk '!seen[$0]++' log >once
	for j in 1 2; do
		try 0 bloom-uniq -j $j --window 7d log
		out_is_file once
	done
	try 0 bloom-uniq --window 7d -c log
	out_is "$(wc -l <once)"
	try 0 bloom-uniq --window 7d --dropped rest log
	[ $(($(wc -l <rest) + $(wc -l <once))) = 30000 ]
}

# With --state.

@test "runs over parts of a log pass what one run over all of it does" {
	python3 random.py 5 4000 200 2 40 4000 >log
	for options in '' --repeated; do
		try_any 0 bloom-uniq $options --window 8m --time-field 1 -f 2 log
		mv out wanted.all
		rm -f state
		: >got
		# Nothing at all, one line, and parts that end anywhere.
		for range in 1,0 1,1 2,2 3,500 501,501 502,2000 2001,2001 2002,4000; do
			awk -v range=$range 'BEGIN { split(range, r, ",") } NR >= r[1] && NR <= r[2]' log >part
			try_any 0 bloom-uniq $options --window 8m --time-field 1 -f 2 --state state part
			cat out >>got
		done
		same wanted.all got
	done
	try 0 sketch-info state
}

@test "a state goes on after its filters, and a smaller -M is refused" {
	python3 -c '
for s in range(150000):
    print(1796043600 + s // 1000, "k%d" % (s // 2))' >log
	try_any 0 bloom-uniq --window 200s -M 700K --time-field 1 -f 2 log
	mv out wanted.all
	head -n 100000 log >one
	tail -n +100001 log >two
	try_any 0 bloom-uniq --window 200s -M 700K --time-field 1 -f 2 --state state one
	mv out got
	cp state half
	try_any 0 bloom-uniq --window 200s -M 700K --time-field 1 -f 2 --state state two
	cat out >>got
	same wanted.all got
	try 3 bloom-uniq --window 200s -M 650K --time-field 1 -f 2 --state half two
	err_has "cannot use state 'half': its filters take "
}

@test "a state of another window, or of none, is refused" {
	printf '1796043600 a\n' >log
	try 0 bloom-uniq --window 8h --time-field 1 -f 2 --state state log
	cp state before
	try 4 bloom-uniq --window 8m --time-field 1 -f 2 --state state log
	err_has "cannot use state 'state': panes of 1h and 1m"
	try 4 bloom-uniq -f 2 --state state log
	err_has "cannot use state 'state': panes of 1h and 0ms"
	same before state
	bloom-uniq -f 2 --state plain log >out
	try 4 bloom-uniq --window 8h --time-field 1 -f 2 --state plain log
	err_has "cannot use state 'plain': panes of 0ms and 1h"
}

# How times are written.

# passes TIME...: each is the time of one key, twice; only the first passes.
@test "times in the usual ways are known by their shape" {
	for t in 2026-11-30T13:00:00Z '2026-11-30 13:00:00' '2026-11-30 13:00:00,123' \
	    '2026-11-30T14:00:00+01:00' '[30/Nov/2026:13:00:00 +0000]' '30/Nov/2026:13:00:00' \
	    1796043600 1796043600.5 1796043600999; do
		# All but one are of the same second.
		printf '%s\tx\n1796043600\tx\n1796043675\ty\n1796043675\tx\n' "$t" >log
		try 0 bloom-uniq --window 1m -d '\t' --time-field 1 -f 2 log
		printf '%s\tx\n1796043675\ty\n1796043675\tx\n' "$t" >wanted
		out_is_file wanted
	done
}

@test "--time-format reads what the fields hold, joined by one space" {
	printf '%s\n' 'Nov   3 2026 a' 'Nov 4 2026 a' 'Nov 5 2026 a' >log
	try 0 bloom-uniq --window 1d --time-field 1-3 --time-format '%b %d %Y' -f 4 log
	out_is "$(printf 'Nov   3 2026 a\nNov 5 2026 a')"
	printf '%s\n' '30.11.2026,a,13:00' '30.11.2026,a,13:01' '30.11.2026,a,15:00' >log
	try 0 bloom-uniq --window 1h -d , --time-field 3,1 --time-format '%H:%M %d.%m.%Y' -f 2 log
	out_is "$(printf '30.11.2026,a,13:00\n30.11.2026,a,15:00')"
	printf '%s\n' '100 a' '101 a' '300 a' >log
	try 0 bloom-uniq --window 1m --time-field 1 --time-format %s -f 2 log
	out_is "$(printf '100 a\n300 a')"
}

@test "names of a header find the time, in each file anew" {
	printf 'when,who\n2026-11-30 13:00:00,a\n2026-11-30 13:00:01,b\n' >one
	printf 'who,x,when\na,,"2026-11-30 13:00:02"\na,,2026-11-30 14:00:00\n' >two
	try 0 bloom-uniq --csv --header --window 1m --time-field when -f who one two
	out_is "$(printf '%s\n' '2026-11-30 13:00:00,a' '2026-11-30 13:00:01,b' 'a,,2026-11-30 14:00:00')"
	try 2 bloom-uniq --csv --header --window 1m --time-field time -f who one
	err_is "bloom-uniq: cannot find field 'time' in the header of 'one'"
}

@test "a zone is heeded, and none is UTC whatever TZ says" {
	printf '%s\n' '2026-11-30T13:00:00Z a' '2026-11-30T15:00:30+0200 a' '2026-11-30T13:00:59 a' \
	    '2026-11-30T13:30:00-01:30 a' >log
	TZ=Asia/Tokyo try 0 bloom-uniq --window 1m --time-field 1 -f 2 log
	out_is "$(printf '2026-11-30T13:00:00Z a\n2026-11-30T13:30:00-01:30 a')"
}

# How it fails.

@test "a line whose time cannot be read is rejected and counted" {
	printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-31T13:00:00 b' c '' '2026-11-30T13:00:01 d' >log
	try_any 0 bloom-uniq --window 1m --time-field 1 -f 2 log
	out_is "$(printf '2026-11-30T13:00:00 a\n2026-11-30T13:00:01 d')"
	err_is 'bloom-uniq: rejected 3 of 5 lines: a time that is written in no usual way (see --time-format)'
	try_any 5 bloom-uniq --window 1m --time-field 1 --time-format %FT%T -f 2 --strict log
	err_is 'bloom-uniq: rejected 3 of 5 lines: a time that does not fit --time-format'
}

@test "late lines are counted and lost to no one; one wrong time moves nothing" {
	printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-30T13:10:00 a' '2026-11-30T13:10:01 b' \
	    '2026-11-30T13:00:01 a' '2026-11-30T13:00:01 c' '2026-11-30T13:00:02 c' >log
	try_any 0 bloom-uniq --window 1m --time-field 1 -f 2 log
	out_is "$(printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-30T13:10:00 a' \
	    '2026-11-30T13:10:01 b' '2026-11-30T13:00:01 c')"
	err_is 'bloom-uniq: 3 of 6 lines came late, from before the window'
	try_any 5 bloom-uniq --window 1m --time-field 1 -f 2 --strict log
	printf '%s\n' '2026-11-30T13:00:00 a' '2099-01-01T00:00:00 a' '2026-11-30T13:00:01 a' \
	    '2026-11-30T13:00:02 a' '2026-11-30T13:00:03 b' >log
	try_any 0 bloom-uniq --window 1m --time-field 1 -f 2 log
	out_is "$(printf '%s\n' '2026-11-30T13:00:00 a' '2099-01-01T00:00:00 a' '2026-11-30T13:00:03 b')"
	err_is 'bloom-uniq: 1 of 5 lines had a time that is far ahead of the others'
}

@test "what cannot be meant is refused in one line" {
	refuses() {
		try 2 bloom-uniq "${@:2}" </dev/null
		head -n 1 err >first
		text_is first "bloom-uniq: $1"
	}
	refuses "cannot use --window '90': not a duration such as 90s, 5m, 12h or 7d" --window 90
	refuses "cannot use --window '5min': not a duration such as 90s, 5m, 12h or 7d" --window 5min
	refuses "cannot use --window '0s': not in 1ms..36500d" --window 0s
	refuses "cannot use --window '1e9d': not in 1ms..36500d" --window 1e9d
	refuses '--time-field needs --window' --time-field 1
	refuses '--time-format needs --time-field' --window 1h --time-format %s
	refuses "cannot use field 'when': a name needs --header" --window 1h --time-field when
	refuses "cannot use --time-field '0': fields are numbered from 1 to 1000000" \
	    --window 1h --time-field 0
	refuses "cannot use --time-format '%d/%b': the year is missing (%Y, or %s for all)" \
	    --window 1h --time-field 1 --time-format %d/%b
	refuses "cannot use --time-format '%d/%q/%Y': from '%q/%Y' on: not one of %Y %m %b %d %H %M %S %z %s %F %T %%" \
	    --window 1h --time-field 1 --time-format %d/%q/%Y
	refuses 'cannot use -M: --window needs 640K or more' --window 1h -M 64K
}

# Its limits.

@test "past -M windows are approximate, and no key passes twice within one" {
	python3 -c '
for s in range(300000):
    print(1796043600 + s // 1000, "k%d" % (s // 2))' >log
	try_any 0 bloom-uniq --window 300s -M 700K --time-field 1 -f 2 --stats log
	err_has approximate
	cut -d ' ' -f 2 out | uniq -d >twice
	text_is twice ''
	[ "$(wc -l <out)" -gt 149000 ]
	[ "$(wc -l <out)" -lt 150000 ]
	# As many were lost as it says.
	lost=$(sed -n 's/.* about \([0-9]*\) new ones .*/\1/p' err)
	[ $((150000 - $(wc -l <out))) -gt $((lost * 8 / 10)) ]
	[ $((150000 - $(wc -l <out))) -lt $((lost * 12 / 10)) ]
}
