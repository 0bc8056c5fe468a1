# sketchutils: BSD-2-Clause, see LICENSE
#
# bloom-uniq --state: what was seen is kept, whatever happens.

# Files that are read and written at once are what some tests are about.
# shellcheck disable=SC2094

load helper

prepare() {
	awk 'BEGIN { x = 11
	    for (i = 0; i < 24000; i++) { x = x * 16807 % 2147483647; print "line " x % 9000 } }' >lines
	awk '!s[$0]++' lines >first
	split -n l/4 lines part.
}

# wait_for FILE N: until it has so many lines.
wait_for() {
	for _ in $(seq 1200); do
		[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ] && return
		sleep 0.05
	done
	return 1
}

# wait_until COMMAND...
wait_until() {
	for _ in $(seq 1200); do
		"$@" && return
		sleep 0.05
	done
	return 1
}

# no_temporary: none is left in this folder.
no_temporary() {
	local left
	left=$(find . -name '.*.new' -o -name '.*.now')
	[ -z "$left" ] || { echo "left: $left"; failed; }
}

logmaker() {
	"$SKETCHUTILS_BUILD/logmaker" "$@"
}

# What it does.

@test "runs over the parts are one run over all: lines and state" {
	for memory in 1G 200K 64K; do
		for repeated in '' --repeated; do
			# shellcheck disable=SC2086
			try_any 0 bloom-uniq -M $memory $repeated --state whole lines
			cp out wanted
			: >got
			for part in part.*; do
				# shellcheck disable=SC2086
				try_any 0 bloom-uniq -M $memory $repeated -j 2 --state parts "$part"
				cat out >>got
			done
			same wanted got
			same whole parts
			[ $memory = 64K ] || [ -n "$repeated" ] || same first got
			rm whole parts
		done
	done
	no_temporary
}

@test "anew: the lines of today that no day before had" {
	printf 'a\nb\na\n' >mon
	printf 'b\nc\n' >tue
	try 0 bloom-uniq --state known mon
	out_is $'a\nb'
	try 0 bloom-uniq --state known tue
	out_is c
	try 0 bloom-uniq --state known mon tue
	out_is ''
	try 0 bloom-uniq -c --state known - <<<$'c\nd'
	out_is 1
	try 0 bloom-uniq --state known - <<<d
	out_is ''
}

@test "no input at all: a state of nothing, to go on from" {
	try 0 bloom-uniq --state state /dev/null
	out_is ''
	try 0 sketch-info state
	grep -qx 'hashes: *0' out
	try 0 bloom-uniq --state state lines
	out_is_file first
}

@test "--dropped and --state: both are kept" {
	awk 's[$0]++' lines >others
	try 0 bloom-uniq --state state --dropped rest part.aa
	cp rest all
	try 0 bloom-uniq --state state --dropped rest part.ab part.ac part.ad
	cat all rest | same - others
}

@test "a state larger than -M turns into filters when it is loaded" {
	seq 20000 >some
	try 0 bloom-uniq --state state some
	cp state exact
	try_any 0 bloom-uniq -M 128K --state state some
	[ ! -s out ]
	try 0 sketch-info state
	grep -qx 'shards_as_filters: *16' out
	# As it would be if it had never been exact.
	try_any 0 bloom-uniq -M 128K --state other some
	tail -c +129 other >wanted
	tail -c +129 state | same - wanted
	# From now on it has this size, whatever -M is.
	try_any 0 bloom-uniq -M 64M --state state some
	tail -c +129 state | same - wanted
	try 3 bloom-uniq -M 64K --state state some
	err_has 'its filters take 128.0 KiB, and -M allows 64.0 KiB'
}

@test "memory for a large state: once, not twice" {
	[ "${SKETCHUTILS_BUILD##*/}" != build-san ] || skip 'a sanitizer has memory of its own'
	seq 800000 >some
	try_any 0 bloom-uniq -M 8M --state state -c some
	try 0 bloom-uniq -M 8M --state exact -c some
	peak=$("$SKETCHUTILS_BUILD/stopwatch" 1 bloom-uniq -M 8M --state state -c /dev/null | cut -d ' ' -f 3)
	echo "peak $peak kB"
	[ "$peak" -le $((8 * 1024 * 11 / 10 + 3072)) ] || failed
}

# What must agree.

@test "status 4 names what differs, and the state stays" {
	try 0 bloom-uniq --state state lines
	cp state before
	try 4 bloom-uniq --state state --seed 5 lines
	err_is "bloom-uniq: cannot use state 'state': seed 0 and 5"
	try 4 bloom-uniq --state state -i lines
	err_is "bloom-uniq: cannot use state 'state': case kept and folded (-i)"
	try 4 bloom-uniq --state state -f 1,2 lines
	err_is "bloom-uniq: cannot use state 'state': items of one field and several fields"
	try 4 bloom-uniq --state state --repeated lines
	err_is "bloom-uniq: cannot use state 'state': --repeated no and yes"
	try 4 bloom-uniq --state state --window 8h lines
	err_has "cannot use state 'state': panes of"
	bloom-build -n 10 lines -o filter
	try 4 bloom-uniq --state filter lines
	err_is "bloom-uniq: cannot use state 'filter': kind bloom-block and seen"
	hll-build lines --by 1 -f 2 -o keyed
	try 4 bloom-uniq --state keyed lines
	cat state state >both
	try 4 bloom-uniq --state both lines
	: >empty
	try 4 bloom-uniq --state empty lines
	echo text >text
	try 4 bloom-uniq --state text lines
	head -c 500 before >short
	try 4 bloom-uniq --state short lines
	{ head -c 500 before && printf xyz && tail -c +504 before; } >changed
	try 4 bloom-uniq --state changed lines
	same before state
	no_temporary
}

@test "a state must be a file of its own" {
	try 2 bloom-uniq --state - lines
	mkfifo fifo
	try 3 bloom-uniq --state fifo lines
	err_has 'not a regular file'
	try 3 bloom-uniq --state . lines
	try 3 bloom-uniq --state missing/state lines
	mkdir locked && chmod 555 locked
	try 3 unprivileged bloom-uniq --state locked/state lines
	[ ! -e locked/state ]
	set +e
	bloom-uniq --state out lines >out 2>err
	[ $? = 2 ] || failed
	set -e
	err_has 'both --state and standard output'
	# A link leads to it.
	ln -s real link
	try 0 bloom-uniq --state link lines
	[ -L link ] && [ -f real ]
}

# What must not be lost.

@test "two runs at a time take turns, and each line passes once" {
	for part in part.*; do
		bloom-uniq --state state "$part" >"out.$part" &
	done
	wait
	sort out.part.* >got
	sort first | same - got
	no_temporary
}

@test "an input that fails: what passed is in the state" {
	try_any 3 bloom-uniq --state state part.aa missing part.ab
	cp out got
	try 0 bloom-uniq --state state part.aa part.ab
	out_is ''
	try 0 bloom-uniq --state state part.ac part.ad
	cat got out | same - first
}

@test "a full disk: status 3, and the old state stays" {
	try 0 bloom-uniq --state state part.aa
	cp state before
	try_any 3 env FAULT=write:2:ENOSPC LD_LIBRARY_PATH="$SKETCHUTILS_BUILD" LD_PRELOAD=fault.so \
	    ASAN_OPTIONS=verify_asan_link_order=0 bloom-uniq --state state part.ab
	err_has 'No space left on device'
	same before state
	no_temporary
}

@test "standard output fails: nothing counts as seen" {
	try 0 bloom-uniq --state state part.aa
	cp state before
	set +e
	bloom-uniq --state state part.ab >/dev/full 2>err
	[ $? = 3 ] || failed
	set -e
	err_has 'cannot write standard output'
	same before state
	no_temporary
}

@test "SIGTERM, SIGINT and SIGHUP: what passed is saved, and it dies by the signal" {
	for signal in TERM INT HUP; do
		rm -f state
		mkfifo in
		(trap - INT; exec bloom-uniq --state state in >got 2>err) &
		tool=$!
		exec 8>in
		head -n 500 lines >&8
		wait_for got "$(head -n 500 lines | sort -u | wc -l)"
		[ ! -e state ]
		kill -s $signal $tool
		set +e
		wait $tool
		status=$?
		set -e
		exec 8>&-
		[ "$status" = $((128 + $(kill -l $signal))) ]
		head -n 500 lines | awk '!s[$0]++' | same - got
		try 0 bloom-uniq --state state lines
		cat got out | same - first
		rm in
		no_temporary
	done
}

@test "--save-every: saved while it runs, and while the pipe is idle" {
	mkfifo in
	bloom-uniq --state state --save-every 100ms in >got &
	tool=$!
	exec 8>in
	head -n 500 lines >&8
	# Nothing more comes, and yet it is saved.
	saved() { [ "$(sketch-info --json state 2>/dev/null | jq .items)" = "$1" ]; }
	wait_until saved 500
	head -n 500 lines | awk '!s[$0]++' | same - got
	tail -n +501 lines >&8
	wait_until saved 24000
	same first got
	# It still has the lock: a second run waits.
	[ -e .state.new ]
	kill -s KILL $tool
	wait $tool || true
	exec 8>&-
	try 0 bloom-uniq --state state lines
	out_is ''
	no_temporary
}

@test "kill -9 at any moment: lines may come again, none is lost" {
	logmaker ids "$(long && echo 400000 || echo 60000)" >many
	awk '!s[$0]++' many >wanted
	for i in $(seq "$(long && echo 15 || echo 2)"); do
		rm -f state .state.*
		bloom-uniq --state state --save-every 100ms -M 64M <many >got &
		tool=$!
		sleep "0.0$((i % 10))$i"
		kill -s KILL $tool 2>/dev/null || true
		set +e
		wait $tool
		set -e
		# The last line may be cut.
		bloom-uniq --state state many >>got
		awk 'NR == FNR { s[$0]; next } !($0 in s)' got wanted | same - /dev/null
	done
}

@test "sketch-merge: two states are the state of a run over both" {
	for memory in 1G 64K; do
		rm -f a b both
		try_any 0 bloom-uniq -M $memory --state a part.aa part.ab
		try_any 0 bloom-uniq -M $memory --state b part.ac part.ad
		try_any 0 bloom-uniq -M $memory --state both lines
		try 0 sketch-merge -o ab a b
		same both ab
		try 0 sketch-merge -o ba b a
		same both ba
	done
	# One exact, one not; part.aa is in both.
	try 0 bloom-uniq --state exact part.aa
	try_any 0 bloom-uniq -M 64K --state filter lines
	try 0 sketch-merge -o united exact filter
	tail -c +129 filter >wanted
	tail -c +129 united | same - wanted
	try_any 0 bloom-uniq --state united lines
	[ ! -s out ] || failed
	try_any 0 bloom-uniq -M 128K --state other - <<<"$(seq 20000)"
	try 4 sketch-merge filter other
	err_has 'filter blocks'
	try 0 bloom-uniq --repeated --state again part.aa
	try 4 sketch-merge again exact
	err_has 'repeated 1 and 0'
}
