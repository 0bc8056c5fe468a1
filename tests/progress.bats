# sketchutils: BSD-2-Clause, see LICENSE
#
# The line on standard error that says how far reading is.

load helper

# on_terminal COMMAND: what it shows on a terminal without a person, in screen.
on_terminal() {
	script -qec "bash -c '$1'" /dev/null >screen </dev/null
}

# Lines that are not there all at once: longer than a second.
slow() {
	cat >slow <<-'END'
		cat log; sleep 1.2; cat log
	END
}

@test "--progress always: how far, how fast, how much longer; at the end it is gone" {
	"$SKETCHUTILS_BUILD/logmaker" access 20000 >log
	hll-count log >wanted
	hll-count --progress always log >out 2>err
	out_is_file wanted
	tr '\r' '\n' <err >steps
	grep -qE '^[0-9.]+ (KiB|MiB|B)  [0-9.]+ (B|KiB|MiB|GiB|TiB)/s  [0-9]+ %  [0-9]+:[0-5][0-9] left'$'\033\\[K$' steps
	[ "$(tail -c 4 err)" = $'\r\033[K' ]
	# Of a pipe nobody knows how much is to come.
	hll-count --progress always < <(cat log) >out 2>err
	out_is_file wanted
	absent left err
	grep -q 'B/s' err
}

@test "where nobody looks, there is none; nor with --progress never" {
	"$SKETCHUTILS_BUILD/logmaker" access 100 >log
	try 0 hll-count log
	try 0 hll-count --progress auto log
	try 0 hll-count --progress never log
	try 2 hll-count --progress sometimes log
	err_has sometimes
}

@test "on a terminal it is drawn after a second, in the foreground, if the answer goes elsewhere" {
	"$SKETCHUTILS_BUILD/logmaker" access 2000 >log
	slow
	for run in 'sh slow | hll-count >answer' 'sh slow | hll-count' \
	    'set -m; sh slow | hll-count >answer & wait' 'hll-count log >answer'; do
		mkdir -p "$((++n))"
		( cd "$n" && ln -s ../log ../slow . && on_terminal "$run" ) &
	done
	wait
	grep -q 'B/s' 1/screen
	for i in 2 3 4; do
		absent 'B/s' "$i/screen"
	done
	same 1/answer 3/answer
}
