# sketchutils: BSD-2-Clause, see LICENSE

load helper

TYPES='counting cuckoo'

prepare() {
	seq 1000 >lines
	seq 1001 2000 >others
}

# build TYPE [FILE...]: into the file held; without files, of lines.
build() {
	local type=$1
	shift
	[ $# -gt 0 ] || set -- lines
	bloom-build --type "$type" -n 5000 -p 1e-8 -o held "$@"
}

wait_for() {
	for _ in $(seq 600); do
		[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ] && return
		sleep 0.05
	done
	return 1
}

# What it does.

@test "what is removed is no longer there, and the rest is" {
	for type in $TYPES; do
		build "$type"
		awk 'NR % 3 == 0' lines >gone
		awk 'NR % 3' lines >rest
		try 0 bloom-remove held gone
		try 1 bloom-query held gone
		try 1 bloom-query -v held rest
		try 0 bloom-remove held <rest
		try 1 bloom-query held lines
		# They are nobody's now.
		try 1 bloom-remove held lines
		out_is_file lines
	done
}

@test "removing all that was added leaves the bytes of an empty filter" {
	build counting
	try 0 bloom-remove held lines
	bloom-build --type counting -n 5000 -p 1e-8 -o empty /dev/null
	# The items offered stay, and are in the header; the counters follow it.
	tail -c +129 empty >a
	tail -c +129 held >b
	same a b
}

@test "what is surely absent is printed, in the order of the input, with status 1" {
	for type in $TYPES; do
		build "$type"
		seq 990 1010 >asked
		try 1 bloom-remove held asked
		seq 1001 1010 >wanted
		out_is_file wanted
		# A line that comes twice was there once.
		build "$type"
		try 1 bloom-remove held < <(printf '7\nx\n7\n8\n')
		printf 'x\n7\n' >wanted
		out_is_file wanted
	done
}

@test "what was added several times is removed as often" {
	for type in $TYPES; do
		build "$type" lines lines others
		try 0 bloom-remove held lines
		try 1 bloom-query -v held lines
		try 0 bloom-remove held lines
		try 1 bloom-query held lines
		try 1 bloom-query -v held others
	done
}

@test "an item that is no longer counted is in there for good" {
	for type in $TYPES; do
		for _ in $(seq 20); do echo often; done >many
		build "$type" many lines
		try_any 1 bloom-remove --stats held <<<often
		out_is often
		err_has '0 removed, 1 refused: 0 surely absent, 1 permanent'
		try 0 bloom-query held <<<often
		try 0 bloom-remove held lines
		try 0 bloom-query held <<<often
	done
}

@test "-c prints how many were refused, and one row for each of several inputs" {
	build cuckoo
	try 1 bloom-remove -c held lines others lines
	printf '0\tlines\n1000\tothers\n1000\tlines\n' >wanted
	out_is_file wanted
	build cuckoo
	try 0 bloom-remove -c held <lines
	out_is 0
	try 1 bloom-remove -z -c held <<<1
	[ "$(od -An -tx1 out)" = ' 31 00' ]
}

@test "-q prints nothing" {
	build cuckoo
	try 1 bloom-remove -q held others
	out_is ''
	try 0 bloom-remove -q held lines
	try 1 bloom-remove -q -c held lines
	out_is ''
}

@test "--stats tells what became of the items" {
	build counting
	try_any 1 bloom-remove --stats -q held lines others
	err_has 'bloom-remove: 1000 removed, 1000 refused: 1000 surely absent, 0 permanent'
	[ "$(wc -l <err)" = 2 ]
}

@test "threads and pipes change neither lines nor bytes" {
	awk 'BEGIN { x = 9; for (i = 0; i < 3000; i++) { x = x * 16807 % 2147483647; print x % 2500 } }' >asked
	for type in $TYPES; do
		build "$type" && mv held whole
		cp whole held && try 1 bloom-remove -j 1 held asked
		mv out wanted && mv held changed
		for j in 2 4; do
			cp whole held
			try 1 bloom-remove -j $j held asked
			out_is_file wanted
			same changed held
			cp whole held
			try 1 bloom-remove -j $j held < <(cat asked)
			out_is_file wanted
			same changed held
		done
		# A plain list says the same.
		awk 'NR == FNR { has[$0] = 1; next } has[$0] { has[$0] = 0; next } 1' lines asked |
		    same - wanted
	done
}

@test "add and remove at random, beside a plain list" {
	# 20 rounds. Within one an item may come and go several times.
	awk 'BEGIN { x = 3
	    for (r = 1; r <= 20; r++)
	        for (i = 0; i < 150; i++) {
	            x = x * 16807 % 2147483647; k = x % 400
	            if (has[k]) { print k > "out." r; has[k] = 0 } else { print k > "in." r; has[k] = 1 } }
	    for (k = 0; k < 400; k++) print k > (has[k] ? "there" : "gone") }'
	for type in $TYPES; do
		build "$type" /dev/null
		for r in $(seq 20); do
			bloom-build --update held -n 5000 -p 1e-8 --type "$type" "in.$r"
			try 0 bloom-remove held "out.$r"
		done
		try 1 bloom-query -v held there
		try 1 bloom-query held gone
	done
}

@test "a field is removed, folded and joined as the filter has it" {
	printf 'ab c\nA bc\n' >table
	bloom-build --type cuckoo -n 100 -p 1e-8 -i -f 1,2 -o held table
	try 1 bloom-remove -d , -f 2,1 held < <(printf 'C,AB,x\nb,ac\nbc,a\n')
	out_is b,ac
	try 4 bloom-remove -f 1 held table
	err_is "bloom-remove: cannot remove from 'held': items of several fields and one field"
}

@test "lines come out byte for byte; one without its end gets it" {
	printf 'a\0b\n\n\377\376\r\n%0300d\nlast' 7 >odd
	head -c 300000 /dev/zero | tr '\0' z >>odd
	build cuckoo
	try 1 bloom-remove held odd
	{ cat odd && echo; } >wanted
	out_is_file wanted
	build cuckoo odd
	try 0 bloom-remove held odd
	try 1 bloom-query held odd
}

@test "armour stays armour, a link a link, the mode the mode; the items stay" {
	for type in $TYPES; do
		bloom-build -a --type "$type" -n 5000 -p 1e-8 -o text lines
		chmod 600 text
		ln -sf text link
		try 1 bloom-remove link < <(seq 500 1500)
		[ -L link ] && [ "$(stat -c %a text)" = 600 ]
		build "$type"
		try 0 bloom-remove -q held < <(seq 500 1000)
		sketch-merge -a held >wanted
		same wanted text
		try 0 sketch-info --json text
		grep -q '"items":1000,' out
	done
}

@test "if nothing was removed the file is not written" {
	build counting
	touch -d '2001-02-03' held
	try 1 bloom-remove -q held others
	try 0 bloom-remove held /dev/null
	[ "$(date -r held +%Y)" = 2001 ]
	[ "$(find . -name '.*')" = . ]
}

@test "what bloom-query --add added is removed by as many lines" {
	for type in $TYPES; do
		build "$type" /dev/null
		cat lines lines lines >often
		try 0 bloom-query --add -c held often
		try 0 bloom-remove held lines
		try 1 bloom-query held lines
	done
}

# How it ends early.

@test "a refused line is written before the next one is waited for" {
	build cuckoo
	mkfifo fifo
	bloom-remove held fifo >answer &
	exec 7<>fifo
	echo a >&7
	wait_for answer 1
	echo b >&7
	wait_for answer 2
	exec 7>&-
	status=0
	wait $! || status=$?
	[ "$status" = 1 ]
	printf 'a\nb\n' | same - answer
}

@test "a signal ends the input: what was removed until then is saved" {
	mkfifo fifo
	for signal in TERM INT HUP; do
		build counting
		rm -f answer
		env --default-signal=INT bloom-remove held fifo >answer &
		tool=$!
		exec 7<>fifo
		{ head -n 400 lines && echo x; } >&7
		wait_for answer 1
		kill -s $signal $tool
		status=0
		wait $tool || status=$?
		exec 7>&-
		[ "$status" = $((128 + $(kill -l $signal))) ]
		mv held got
		build counting
		try 0 bloom-remove held < <(head -n 400 lines)
		same held got
		[ "$(find . -name '.*')" = . ]
	done
}

@test "SIGKILL, a full disk and an input that fails leave the file as it was" {
	build counting && cp held before
	mkfifo fifo
	bloom-remove held fifo >answer &
	tool=$!
	exec 7<>fifo
	{ cat lines && echo x; } >&7
	wait_for answer 1
	kill -s KILL $tool
	wait $tool || true
	exec 7>&-
	same before held
	status=0
	bloom-remove held others lines >/dev/full 2>err || status=$?
	[ "$status" = 3 ]
	err_is 'bloom-remove: cannot write standard output: No space left on device'
	same before held
	for bad in no-such-file .; do
		try 3 bloom-remove held lines "$bad"
		same before held
	done
	try 3 bloom-remove held lines held
	same before held
	[ "$(find . -name '.*')" = . ]
}

@test "many at a time take turns, and each removes its own" {
	build counting lines others
	split -n l/8 lines part.
	for part in part.*; do
		bloom-remove held "$part" >"got.$part" || echo "$part" >>failed
	done &
	for part in $(seq 1001 100 2000); do
		seq "$part" $((part + 49)) | bloom-remove held >"got.$part" || echo "$part" >>failed
	done &
	wait
	[ ! -e failed ]
	try 1 bloom-query held lines
	try 0 bloom-query -c held others
	out_is 500
}

# What it refuses.

@test "a type that cannot delete is status 4, and told which can" {
	for type in block classic scalable; do
		bloom-build --type $type -n 1000 -o held lines
		cp held before
		try 4 bloom-remove held lines
		err_is "bloom-remove: cannot remove from 'held': type $type cannot delete; counting and cuckoo can"
		same before held
	done
	[ "$(find . -name '.*')" = . ]
}

@test "a filter is needed, in a file of its own" {
	try 2 bloom-remove
	err_is 'bloom-remove: the first operand must be a filter: bloom-remove FILTER [FILE...]'
	build cuckoo
	try 2 bloom-remove - lines <held
	err_is 'bloom-remove: cannot remove from standard input: the filter must be a file'
	cat held held >both
	try 4 bloom-remove both lines
	err_is "bloom-remove: cannot use sketch 'both': it holds more than one record"
	bloom-build --type counting --by 1 -n 100 -o keyed lines
	try 4 bloom-remove keyed lines
	err_is "bloom-remove: cannot use sketch 'keyed': it is keyed"
	hll-build -o file.hll lines
	try 4 bloom-remove file.hll lines
	err_is "bloom-remove: cannot use sketch 'file.hll': its kind is hll, not bloom"
	try 4 bloom-remove lines lines
	err_is "bloom-remove: cannot read sketch 'lines': not a sketch"
	mkfifo fifo
	try 3 bloom-remove fifo lines
	err_is "bloom-remove: cannot remove from 'fifo': not a regular file"
	try 3 bloom-remove no-such-file lines
	err_is "bloom-remove: cannot open 'no-such-file': No such file or directory"
	size=$(wc -c <held)
	for cut in 1 100 128 $((size - 1)); do
		head -c "$cut" held >cut
		try 4 bloom-remove cut lines
	done
	[ "$(find . -name '.*')" = . ]
}

@test "rejected lines are reported, and neither removed nor refused" {
	build cuckoo
	printf '"1"\n"2\n"x"\n' >table
	try_any 1 bloom-remove --csv -f 1 held table
	out_is '"x"'
	err_has 'bloom-remove: rejected 1 of 3 lines'
	try 0 bloom-query held <<<2
	try_any 5 bloom-remove --strict --csv -f 1 held < <(printf '"3"\n"2\n')
	try 1 bloom-query held <<<3
}

@test "habits get an answer" {
	try 2 bloom-remove -o new held lines
	err_is "bloom-remove: unknown option '-o': the filter is rewritten in place"
}
