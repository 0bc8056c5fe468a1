# sketchutils: BSD-2-Clause, see LICENSE

# Files that are read and written at once are what some tests are about.
# shellcheck disable=SC2094

load helper

prepare() {
	# 20,000 lines, "KEY BYTES": some of 900 keys come much more often than others.
	awk 'BEGIN { x = 7
	    for (i = 0; i < 20000; i++) {
		x = x * 16807 % 2147483647; n = int(x % 900 * (x % 1009) / 1009)
		print "k" n, x % 5000
	    } }' >lines
	cat >rule.py <<'END'
# rule.py N MILLISECONDS window|tumble [EVENTS]...: the rule of the manual, told once
# more and with nothing of ours, for lines of "MILLISECONDS KEY WEIGHT" in log, which
# EVENTS make. Those that pass, that are held back, and of these the first of each
# key, to three files.
import events, sys
limit, span, mode = int(sys.argv[1]), int(sys.argv[2]) * 1000, sys.argv[3]
if sys.argv[4:]:
    events.make(*map(int, sys.argv[4:]))
back = 8 if mode == 'window' else 1
length = -(-span // back)
newest = doubted = None
late = wrong = 0
passed, told = {}, {}                       # key: {pane: sum}

def judge(pane):
    global newest, doubted, wrong
    if doubted is None:
        return
    if pane >= doubted - back:
        newest = doubted
    else:
        wrong += 1
        for book in [*passed.values(), *told.values()]:
            book.pop(doubted, None)
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

def fits(books, key, pane, weight, limit):
    book = books.setdefault(key, {})
    if mode == 'tumble':
        have = book.get(pane, 0)
    else:
        have = sum(w for p, w in book.items() if pane - back <= p != doubted)
    if have + weight > limit:
        return False
    book[pane] = book.get(pane, 0) + weight
    return True

out = [open(name, 'w') for name in ('expected', 'expected.held', 'expected.once')]
lines = open('log').readlines()
for line in lines:
    time, key, weight = line.split()
    pane = place(int(time) * 1000 // length)
    if fits(passed, key, pane, int(weight), limit):
        out[0].write(line)
    else:
        out[1].write(line)
        if fits(told, key, pane, 1, 1):
            out[2].write(line)
n = len(lines)
err = open('expected.err', 'w')
if late:
    print(f'cms-limit: {late} of {n} lines came late, from before the window', file=err)
if wrong:
    print(f'cms-limit: {wrong} of {n} lines had a time that is far ahead of the others', file=err)
END
	# events.py SEED LINES KEYS STEP JITTER GAP WEIGHT: times in milliseconds, to
	# the file log. A module as well: one start for rule and events.
	cat >events.py <<'END'
import random, sys

def make(seed, lines, keys, step, jitter, gap, weight):
    r = random.Random(seed)
    now = 1796043600000
    with open('log', 'w') as log:
        for i in range(lines):
            now += r.random() * step
            if gap and r.randrange(200) == 0:
                now += r.random() * gap
            t = now - r.random() * jitter
            if gap and r.randrange(500) == 0:
                t += r.randrange(10 ** 9)
            print('%.0f k%d %d' % (t, keys * r.random() ** 2, r.randrange(weight) + 1), file=log)

if __name__ == '__main__':
    make(*map(int, sys.argv[1:]))
END
}

logmaker() {
	"$SKETCHUTILS_BUILD/logmaker" "$@"
}

# What it does.

@test "N of each key pass, as awk does it, by any number of threads" {
	for limit in 3 40 1000; do
		awk -v n=$limit 'c[$1]++ < n' lines >expected
		awk -v n=$limit 'c[$1]++ >= n' lines >held
		awk -v n=$limit 'c[$1]++ == n' lines >first
		for j in 1 3; do
			try 0 cms-limit --limit $limit -f 1 -j $j lines
			out_is_file expected
			try 0 cms-limit --limit $limit -f 1 -j $j < <(cat lines)
			out_is_file expected
			try_any $((limit == 1000)) cms-limit --limit $limit -f 1 -j $j -v lines
			out_is_file held
			try_any $((limit == 1000)) cms-limit --limit $limit -f 1 -j $j -v --once lines
			out_is_file first
		done
	done
	for i in 1 2 3 4 5 6; do sed "s/^/longer lines than before $((i % 5)) /" lines; done >many
	awk 'c[$5, $6]++ < 30' many >expected
	for j in 1 2 5; do
		try 0 cms-limit --limit 30 -f 5,6 -j $j many
		out_is_file expected
	done
	head -n 5000 lines >one
	tail -n +5001 lines >two
	awk 'c[$0]++ < 2' lines >expected
	try 0 cms-limit --limit 2 one two
	out_is_file expected
}

@test "-W: a line passes while the sum of its key is at most N" {
	for limit in 5000 100000 10000000; do
		awk -v n=$limit 's[$1] + $2 <= n { s[$1] += $2; print }' lines >expected
		for j in 1 2; do
			try 0 cms-limit --limit $limit -W 2 -f 1 -j $j lines
			out_is_file expected
		done
	done
	# What alone is too much never passes, and what weighs nothing does.
	try 0 cms-limit --limit 7 -W 1 -f 2 - <<<$'8 a\n7 a\n0 a\n1 a\n9223372036854775807 b\n0 b'
	out_is $'7 a\n0 a\n0 b'
	try_any 0 cms-limit --limit 7 -W 1 -f 2 - <<<$'1.5 a\n-1 a\n7 a'
	out_is '7 a'
	err_has 'rejected 2 of 3 lines: a weight'
}

@test "--dropped: the lines that are not printed, in their order" {
	awk 'c[$1]++ < 9' lines >passed
	awk 'c[$1]++ >= 9' lines >held
	for j in 1 2 3; do
		try 0 cms-limit --limit 9 -f 1 -j $j --dropped rest lines
		out_is_file passed
		same held rest
		try 0 cms-limit --limit 9 -f 1 -j $j -v --dropped rest lines
		out_is_file held
		same passed rest
		try 0 cms-limit --limit 9 -f 1 -j $j -c --dropped rest lines
		out_is "$(wc -l <passed)"
		same held rest
	done
}

@test "-c, -q and -m; status 1 says that nobody is over the limit" {
	try 0 cms-limit --limit 9 -f 1 -c -v lines
	out_is "$(awk 'c[$1]++ >= 9' lines | wc -l)"
	try 0 cms-limit --limit 9 -f 1 -c -m 50 lines
	out_is 50
	awk 'c[$1]++ >= 9' lines | head -n 700 >expected
	for j in 1 2; do
		try 0 cms-limit --limit 9 -f 1 -v -m 700 -j $j lines
		out_is_file expected
		for quiet in -q '-q -v'; do
			# shellcheck disable=SC2086
			try 0 cms-limit --limit 9 -f 1 $quiet -j $j lines
			out_is ''
			# shellcheck disable=SC2086
			try 1 cms-limit --limit 9000 -f 1 $quiet -j $j lines
			out_is ''
		done
	done
	try 1 cms-limit --limit 9000 -f 1 -v lines
	out_is ''
	try 1 cms-limit --limit 9000 -f 1 -v -c lines
	out_is 0
	try 0 cms-limit --limit 1 -c /dev/null
	out_is 0
	# It does not wait for the rest.
	mkfifo pipe
	exec 7<>pipe
	printf 'a\nb\na\n' >&7
	try 0 cms-limit --limit 1 -q <pipe
}

@test "bytes come out as they came in; keys of fields, quotes, names, folded" {
	printf 'one\r\none\r\none\ntwo\0 w\ntwo\0 v\n\377\n\377\n\n\nno newline' >input
	try 0 cms-limit --limit 1 input
	printf 'one\r\none\ntwo\0 w\ntwo\0 v\n\377\n\nno newline\n' | same - out
	printf 'a\0b\0a\0a' | cms-limit --limit 2 -z >out
	printf 'a\0b\0a\0' | same - out
	printf 'id,name\n1,"a, b"\n2,"a, b"\n3,c\n' >csv
	try 0 cms-limit --limit 1 --csv --header -f name csv
	printf '1,"a, b"\n3,c\n' | same - out
	try 0 cms-limit --limit 1 -i --skip-empty - <<<$'Yes\n\nYES\n\nno'
	printf 'Yes\nno\n' | same - out
}

@test "nothing is held back wrongly of a log's addresses" {
	local count
	count=$(long && echo 1000000 || echo 30000)
	logmaker log "$count" >log
	awk 'c[$1]++ < 5' log >expected
	for j in 1 2; do
		try 0 cms-limit --limit 5 -f 1 -j $j log
		out_is_file expected
	done
}

@test "on a pipe each line comes out before the next goes in" {
	mkfifo in out.fifo
	for options in '' '--window 1h' '-W 2'; do
		# shellcheck disable=SC2086
		cms-limit --limit 2 -f 1 $options <in >out.fifo &
		pid=$!
		exec 8>in 9<out.fifo
		for line in 'a 1' 'b 1' 'a 1' 'a 1' 'c 1' 'a 1' 'b 1' 'b 1' 'd 1'; do
			echo "$line" >&8
			echo "$line" >>sent
			[ "$(grep -cx "$line" sent)" -le 2 ] || continue
			read -r -t 20 answer <&9
			[ "$answer" = "$line" ]
		done
		exec 8>&-
		wait $pid
		exec 9<&-
		rm sent
	done
}

# Windows.

# agrees N MILLISECONDS window|tumble EVENTS [OPTION]...: with the rule. EVENTS make
# the log anew, unless they are none.
agrees() {
	local limit=$1 span=$2 mode=$3 events
	read -ra events <<<"$4"
	shift 4
	python3 rule.py "$limit" "$span" "$mode" "${events[@]}"
	for j in 1 2; do
		try_any 0 cms-limit "$@" -j $j --limit "$limit" "--$mode" "${span}ms" --time-field 1 -f 2 \
		    --dropped rest log
		same expected out
		same expected.held rest
		same expected.err err
	done
	local nobody=0
	[ -s expected.once ] || nobody=1
	try_any $nobody cms-limit "$@" --limit "$limit" "--$mode" "${span}ms" --time-field 1 -f 2 \
	    -v --once log
	same expected.once out
}

@test "what passes is what the rule says, in order and out of it, over gaps and wrong times" {
	local lines
	lines=$(long && echo 20000 || echo 1500)
	for mode in window tumble; do
		agrees 5 60000 $mode "1 $lines 30 2000 0 0 1"
		agrees 3 60000 $mode "2 $lines 9 2000 30000 0 1"
		# Some come late, some times are wrong.
		agrees 70 60000 $mode "3 $lines 30 9000 200000 9000000 50" -W 3
		[ "$(wc -l <expected.err)" = 2 ]
	done
	if long; then
		for limit in 1 2 40 5000; do
			agrees $limit 61111 window "4 $lines 30 500 90000 500000 1"
			agrees $limit 3600000 window ''
			agrees $limit 777 tumble ''
		done
	fi
}

@test "no window of D has more than N; a line passes that has fewer than N in D and an eighth" {
	python3 events.py 5 2500 9 1500 0 0 1
	for limit in 1 9; do
		try 0 cms-limit --limit $limit --window 1m --time-field 1 -f 2 log
		python3 - $limit <<'END'
import sys
from collections import defaultdict
limit, span = int(sys.argv[1]), 60000
passed, out = defaultdict(list), iter(open('out').read().splitlines() + [None])
wanted = next(out)
for line in open('log').read().splitlines():
    time, key, _ = line.split()
    time, old = int(time), passed[key]
    lately = lambda span: sum(t > time - span for t in old[-limit:])
    if line == wanted:
        assert lately(span) < limit, ('too many', line)
        old.append(time)
        wanted = next(out)
    else:
        assert lately(span + span // 8) >= limit, ('too few', line)
assert wanted is None
END
	done
}

@test "a flood goes on to pass N in each window" {
	# 20 lines a second for an hour: 5 a minute pass.
	seq -f '%.0f' 1796043600000 50 1796047200000 | awk '{ print $1, "flood", 1 }' >log
	try 0 cms-limit --limit 5 --tumble 1m --time-field 1 -f 2 log
	[ "$(wc -l <out)" = 301 ]
	awk '{ n[int($1 / 60000)]++ } END { for (m in n) if (n[m] > 5) exit 1 }' out
	try 0 cms-limit --limit 5 --window 1m --time-field 1 -f 2 log
	[ "$(wc -l <out)" -ge $((5 * 60 * 8 / 9)) ]
	[ "$(wc -l <out)" -le 301 ]
	# And is told of once in each.
	try 0 cms-limit --limit 5 --tumble 1m --time-field 1 -f 2 -v --once log
	[ "$(wc -l <out)" = 60 ]
}

@test "a replay gives the same bytes at any reading speed" {
	logmaker log 10000 >log
	try 0 cms-limit --limit 1 --window 1h --time-field 4,5 -f 1 log
	mv out expected
	[ "$(wc -l <expected)" -gt 1000 ]
	[ "$(wc -l <expected)" -lt 9950 ]
	for j in 1 2 3; do
		try 0 cms-limit --limit 1 -j $j --window 1h --time-field 4,5 -f 1 < <(cat log)
		out_is_file expected
		try 0 cms-limit --limit 1 -j $j --window 1h --quoted --time-field 4 -f 1 log
		out_is_file expected
	done
	try 0 cms-limit --limit 1 --window 1h --time-field 4,5 -f 1 --line-buffered \
	    < <(dd bs=777 iflag=fullblock status=none <log)
	out_is_file expected
}

@test "by arrival: N at once, and N again once D has gone by" {
	mkfifo pipe
	for mode in window tumble; do
		cms-limit --limit 3 --$mode 400ms --line-buffered <pipe >out &
		tool=$!
		exec 7>pipe
		before=$(date +%s%N)
		tries=0
		while [ "$(wc -l <out)" -lt 7 ] && [ $tries -lt 3000 ]; do
			echo a >&7
			tries=$((tries + 1))
			sleep 0.02
		done
		after=$(date +%s%N)
		exec 7>&-
		wait $tool
		[ "$(wc -l <out)" -ge 7 ]
		# The seventh is of the third window.
		[ $((after - before)) -ge 400000000 ]
		[ $tries -gt 7 ]
	done
	logmaker urls 20000 >log
	awk 'c[$0]++ < 2' log >expected
	try 0 cms-limit --limit 2 --window 7d log
	out_is_file expected
}

@test "late lines and wrong times are told; --strict is about them" {
	printf '%s\n' '2026-11-30T13:00:00 a' '2026-11-30T13:10:00 a' '2026-11-30T13:10:01 b' \
	    '2026-11-30T13:00:01 a' '2026-11-30T13:00:01 c' '2026-11-30T13:00:02 c' >log
	try_any 0 cms-limit --limit 1 --window 1m --time-field 1 -f 2 log
	out_is "$(sed -n '1,3p;5p' log)"
	err_is 'cms-limit: 3 of 6 lines came late, from before the window'
	try_any 5 cms-limit --limit 1 --window 1m --time-field 1 -f 2 --strict log
	printf '%s\n' '2026-11-30T13:00:00 a' '2099-01-01T00:00:00 a' '2026-11-30T13:00:01 a' \
	    '2026-11-30T13:00:02 a' '2026-11-30T13:00:03 b' >log
	try_any 0 cms-limit --limit 2 --window 1m --time-field 1 -f 2 --stats log
	out_is "$(sed -n '1,3p;5p' log)"
	err_has 'cms-limit: 1 of 5 lines had a time that is far ahead of the others'
	err_has 'cms-limit: 4 passed, 1 held back'
}

# Past -M.

# most N: does no key of the file out come more often?
most() {
	sort out | uniq -c | awk -v n="$1" '$1 > n { exit 1 }'
}

# lost_as_said LOW HIGH: as many as it says, give or take: so many times it at the
# least and at the most.
lost_as_said() {
	local lost said
	lost=$(($(wc -l <expected) - $(wc -l <out)))
	said=$(sed -n 's/.*approximate.*about \([0-9.e+]*\) lines.*/\1/p' err)
	echo "lost $lost, said $said"
	awk -v lost="$lost" -v said="$said" -v low="$1" -v high="$2" \
	    'BEGIN { exit !(said > 0 && lost >= low * said && lost <= high * said) }' || failed
}

@test "past -M no more than N pass, and as many are held back wrongly as it says" {
	# 256 KiB are enough for 13,000 keys; these are 40,000.
	awk 'BEGIN { x = 7
	    for (i = 0; i < 250000; i++) {
		x = x * 16807 % 2147483647; print x % 40000 } }' >input
	awk 'c[$0]++ < 4' input >expected
	try_any 0 cms-limit --limit 4 -M 256K --stats input
	most 4
	lost_as_said 0.3 2
	err_has 'more keys than fit in -M: about'
	# Meters of a window take more bits, so it loses more.
	try_any 0 cms-limit --limit 4 -M 256K --stats --window 9999d input
	most 4
	lost_as_said 0.8 1.25
	try_any 0 cms-limit --limit 4 -M 256K input
	[ "$(wc -l <err)" = 1 ]
	cp out expected
	try_any 0 cms-limit --limit 4 -M 256K -j 4 input
	out_is_file expected
	try_any 0 cms-limit --limit 4 -M 256K -j 2 < <(cat input)
	out_is_file expected
	try_any 0 cms-limit --limit 3 -M 1M -v --once input
	cp out expected
	most 1
	try_any 0 cms-limit --limit 3 -M 1M -v --once -j 3 input
	out_is_file expected
}

@test "--strict is about more than 1 % that were held back wrongly" {
	seq 20000 >some
	try 0 cms-limit --limit 2 -M 512K --strict some
	seq 300000 >input
	try_any 5 cms-limit --limit 2 -M 256K --strict --window 1h input
	err_has 'more keys than fit in -M: about'
	[ "$(wc -l <err)" = 1 ]
}

@test "who was not seen for a window takes no memory: 130,000 keys in 512 KiB" {
	# 2,000 keys a second, and a window of one.
	awk 'BEGIN { for (i = 0; i < 200000; i++)
	    printf "%.0f %s 1\n", 1796043600000 + int(i / 2), i % 3 ? i : "often" }' >log
	for mode in window tumble; do
		try_any 0 cms-limit --limit 4 --$mode 1s --time-field 1 -f 2 -M 512K --stats log
		err_has 'exact: '
		[ "$(grep -c often out)" -gt 350 ]
		[ "$(grep -c often out)" -le 404 ]
		[ "$(grep -vc often out)" = 133333 ]
	done
}

# peak COMMAND...: kilobytes of memory at the most; its output is dropped.
peak() {
	"$SKETCHUTILS_BUILD/stopwatch" 1 "$@" | cut -d ' ' -f 3
}

@test "memory: no more than a tenth above -M, before it is full and after" {
	[ "${SKETCHUTILS_BUILD##*/}" != build-san ] || skip 'a sanitizer has memory of its own'
	logmaker urls 300000 >urls
	base=$(peak cms-limit --limit 3 -c /dev/null)
	for j in 1 2; do
		for M in 2 8 16; do
			used=$(peak cms-limit --limit 3 -c -j $j -M ${M}M urls)
			# Blocks of the input take up to 2 MB a worker.
			echo "-j $j -M ${M}M: $used kB, $base kB of them for nothing"
			[ "$used" -le $((base + M * 1024 * 11 / 10 + j * 2048)) ] || failed
		done
	done
}

# How it fails.

@test "an input that cannot be read is told, the others are read, and the status is 3" {
	awk 'c[$0]++ < 1' lines >expected
	try_any 3 cms-limit --limit 1 lines missing lines
	out_is_file expected
	err_is "cms-limit: cannot open 'missing': No such file or directory"
	gzip -c lines >lines.gz
	try_any 3 cms-limit --limit 1 lines.gz lines
	out_is_file expected
	err_has 'gzip'
}

@test "what cannot be meant is refused in one line, and habits get an answer" {
	refuses() {
		try 2 cms-limit "${@:2}" </dev/null
		head -n 1 err >first
		text_is first "cms-limit: $1"
	}
	refuses '--limit N is missing: how many lines of a key may pass'
	refuses "cannot use --limit '0': not in 1..100000000000000000" --limit 0
	refuses '--once needs -v' --limit 1 --once
	refuses '-q and --dropped exclude each other' --limit 1 -q --dropped rest
	refuses '-q and -c exclude each other' --limit 1 -q -c
	refuses '-q and -m exclude each other' --limit 1 -q -m 3
	refuses '-m and --dropped exclude each other' --limit 1 -m 3 --dropped rest
	refuses '--tumble and --window exclude each other' --limit 1 --tumble 1h --window 1h
	refuses '--time-field needs --window or --tumble' --limit 1 --time-field 1
	refuses 'cannot use -M: 256K is the least' --limit 1 -M 255K
	refuses 'cannot use -M: --once needs 1M or more' --limit 1 -M 1023K -v --once
	try 2 cms-limit -n 10 lines
	err_has 'use --limit N'
	try 2 cms-limit --rate 10/m lines
	err_has 'use --limit N --window D'
	try 2 cms-limit --limit 1 --every 1h lines
	err_has 'use --tumble D'
	try 2 cms-limit --limit 1 --by 1 lines
	err_has 'use -f LIST'
}

@test "one file is not two: output, input, held back lines" {
	set +e
	cms-limit --limit 1 --dropped out lines >out 2>err
	[ $? = 2 ] || failed
	cp lines same
	cms-limit --limit 1 same >>same 2>err
	[ $? = 2 ] || failed
	set -e
	err_has 'both input and standard output'
}

@test "--stats: what passed, exact or approximate, the chance of equal hashes" {
	try_any 0 cms-limit --limit 3 -f 1 --stats lines
	err_has '20000 lines, 0 rejected'
	err_has "$(wc -l <out) passed, $((20000 - $(wc -l <out))) held back"
	err_has "exact: $(cut -d ' ' -f 1 lines | sort -u | wc -l) keys in"
	err_has 'same 64-bit hash'
	try_any 0 cms-limit --limit 3 -f 1 -v --once --stats lines
	err_has "exact: $(cut -d ' ' -f 1 lines | sort -u | wc -l) keys in"
}
