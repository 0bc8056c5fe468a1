# sketchutils: BSD-2-Clause, see LICENSE
#
# bloom-query --add: ask and add in one pass, and remember.

load helper

TYPES='block classic counting scalable cuckoo'

prepare() {
	# 3,000 lines, about half of them repeated ones.
	awk 'BEGIN { x = 5; for (i = 0; i < 3000; i++) { x = x * 16807 % 2147483647; print x % 2000 } }' >lines
	awk '{ print (s[$0]++ ? "maybe" : "new") "\t" $0 }' lines >tagged
	awk 's[$0]++' lines >repeated
	awk '!s[$0]++' lines >first
}

# fresh [TYPE]: an empty filter, with room for the lines, in the file seen.
fresh() {
	bloom-build --type "${1:-block}" -n 5000 -p 1e-8 -o seen /dev/null
}

# wait_for FILE N: until it has so many lines.
wait_for() {
	for _ in $(seq 600); do
		[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ] && return
		sleep 0.05
	done
	return 1
}

# What it does.

@test "every line is answered as a list of all that came before would" {
	for type in $TYPES; do
		fresh "$type"
		try 0 bloom-query --add --tag seen lines
		out_is_file tagged
		# All are remembered.
		try 1 bloom-query --add -v seen lines
		try 1 bloom-query -v seen lines
		fresh "$type"
		try 0 bloom-query --add seen lines
		out_is_file repeated
		fresh "$type"
		try 0 bloom-query --add -v seen lines
		out_is_file first
		fresh "$type"
		try 0 bloom-query --add -c seen lines lines
		printf '%s\tlines\n3000\tlines\n' "$(wc -l <repeated)" >wanted
		out_is_file wanted
		fresh "$type"
		try 0 bloom-query --add -v -c seen lines
		out_is "$(wc -l <first)"
	done
}

@test "status 1: none was seen, or with -v none was new" {
	fresh
	try 1 bloom-query --add seen first
	out_is ''
	try 1 bloom-query --add -v seen lines
	fresh
	try 1 bloom-query --add --tag seen first
	sed 's/^/new\t/' first >wanted
	out_is_file wanted
}

@test "in pieces, by threads or through a pipe: the same lines and the same bytes" {
	for type in block cuckoo scalable; do
		fresh "$type" && mv seen empty
		cp empty whole && try 0 bloom-query --add --tag whole lines
		cp empty parts
		split -n l/4 lines part.
		: >got
		for part in part.*; do
			try_any 0 bloom-query --add --tag parts "$part"
			cat out >>got
		done
		same tagged got
		same whole parts
		for j in 2 3; do
			cp empty seen
			try 0 bloom-query --add --tag -j $j seen lines
			out_is_file tagged
			same whole seen
		done
		cp empty seen
		try 0 bloom-query --add --tag -j 2 seen < <(cat lines)
		out_is_file tagged
		same whole seen
		cp empty seen
		try 0 bloom-query --add --tag seen part.*
		out_is_file tagged
		same whole seen
	done
}

@test "many threads over a large file decide as one does" {
	"$SKETCHUTILS_BUILD/logmaker" urls 60000 >long
	for j in 1 4; do
		bloom-build -n 100k -o "seen$j" /dev/null
		try 0 bloom-query --add -v -j $j "seen$j" long
		mv out "out$j"
	done
	same out1 out4
	same seen1 seen4
}

@test "the file is what bloom-build makes of the same lines" {
	for type in block classic; do
		bloom-build --type "$type" -n 5000 -p 1e-8 -o built lines
		fresh "$type"
		try 0 bloom-query --add seen lines
		same built seen
	done
	# Unlike bloom-build, it adds a repeated line but once.
	for type in counting cuckoo; do
		bloom-build --type "$type" -n 5000 -p 1e-8 -o built first
		fresh "$type"
		try 1 bloom-query --add seen first
		same built seen
	done
}

@test "items are counted as they were offered" {
	fresh
	try 0 bloom-query --add seen lines
	try 0 bloom-query --add seen lines
	try 0 sketch-info --json seen
	grep -q '"items":6000,' out
}

@test "armour stays armour, a link a link, and the mode the mode" {
	bloom-build -a -n 5000 -p 1e-8 -o text /dev/null
	chmod 600 text
	ln -s text link
	try 0 bloom-query --add --tag link lines
	out_is_file tagged
	[ -L link ] && [ "$(stat -c %a text)" = 600 ]
	fresh
	bloom-query --add seen lines >/dev/null
	sketch-merge -a seen >wanted
	same wanted text
	tr '\n' '\0' <text >zeros
	printf 'a\0b\0a\0' >asked
	try 0 bloom-query --add -z zeros asked
	printf 'a\0' >wanted
	out_is_file wanted
	[ "$(tail -c 1 zeros | od -An -tx1)" = ' 00' ]
}

@test "a file to which nothing was offered is not written" {
	fresh
	touch -d '2001-02-03' seen
	try 1 bloom-query --add seen /dev/null
	try 1 bloom-query --add --skip-empty seen < <(printf '\n\n')
	[ "$(date -r seen +%Y)" = 2001 ]
	[ "$(find . -name '.*')" = . ]
}

@test "fields make items, and several never collide by being joined" {
	bloom-build -f 1,2 -n 100 -p 1e-9 -o seen /dev/null
	try 1 bloom-query --add -d , -f 1,2 seen < <(printf 'ab,c\na,bc\nabc,\n,abc\n')
	try 0 bloom-query --add -d , -f 1,2 seen < <(printf 'ab,c,x\na,c\n')
	out_is ab,c,x
	try 4 bloom-query --add -f 1 seen lines
	err_is "bloom-query: cannot add to 'seen': items of several fields and one field"
}

@test "bytes are bytes: NUL, bad UTF-8, CR, empty and unended lines" {
	fresh
	printf 'a\0b\n\n\377\376\r\na\0c\n\377\376\n\n\377\376\r' >odd
	try 0 bloom-query --add --tag seen odd
	{
		printf 'new\ta\0b\nnew\t\nnew\t\377\376\r\nnew\ta\0c\nnew\t\377\376\n'
		printf 'maybe\t\nmaybe\t\377\376\r\n'
	} >wanted
	out_is_file wanted
	fresh
	try 0 bloom-query --add --crlf seen odd
	printf '\377\376\n\n\377\376\r\n' >wanted
	out_is_file wanted
}

@test "lines as long as buffers, and much longer" {
	for n in 262142 262143 262144 262145 524287 524288 524289 10000000; do
		head -c "$n" /dev/zero | tr '\0' "$(printf '\\%o' $((97 + n % 26)))" >line
		{ cat line && echo && cat line && printf 'x\n' && cat line; } >long
		fresh
		try 0 bloom-query --add seen long
		{ cat line && echo; } >wanted
		out_is_file wanted
		{ printf 'new\t' && cat line && printf '\nnew\t' && cat line && printf 'x\nmaybe\t'
			cat line && echo; } >wanted
		fresh
		try 0 bloom-query --add --tag seen < <(cat long)
		out_is_file wanted
	done
}

@test "rejected lines are neither answered nor added" {
	fresh
	printf '"1"\n"2\n"1"\n' >table
	try_any 0 bloom-query --add --tag --csv -f 1 seen table
	printf 'new\t"1"\nmaybe\t"1"\n' >wanted
	out_is_file wanted
	err_is 'bloom-query: rejected 1 of 3 lines: a quote that is open, or closed in mid-field (CR at the end? see --crlf)'
	try_any 5 bloom-query --add --strict --csv -f 1 seen table
}

@test "each answer is written before the next line is waited for" {
	fresh
	mkfifo fifo
	for j in 1 2; do
		bloom-query --add --tag -j $j seen fifo >answer &
		exec 7<>fifo
		for i in 1 2 3; do
			echo "$i" >&7
			wait_for answer $i
		done
		exec 7>&-
		# For the first one, all are new.
		status=0
		wait $! || status=$?
		[ "$status" = $((2 - j)) ]
		[ "$(wc -l <answer)" = 3 ]
		rm answer
	done
}

@test "an overfilled filter is reported when it is saved" {
	bloom-build -n 850 -o seen /dev/null
	seq 1000 >many
	try_any 0 bloom-query --add -v -c seen many
	[ "$(wc -l <err)" = 1 ]
	grep -qE "^bloom-query: 'seen' is overfilled: about [0-9]+ distinct items, sized for 850; its fpp is [0-9.]+ %, not 1 %$" err
	try_any 5 bloom-query --add --strict -c seen many
}

@test "--stats bounds how many lines were taken for seen that were not" {
	bloom-build -n 1000 -p 5% -o seen /dev/null
	seq 2000 >many
	try_any 0 bloom-query --add --stats -c seen many
	read -r low high < <(sed -n 's/.*: \([0-9]*\) to \([0-9]*\) lines were taken.*/\1 \2/p' err)
	[ "$low" -le "$(cat out)" ] && [ "$(cat out)" -le "$high" ]
	[ "$(cat out)" -gt 20 ]
}

# How it ends early.

@test "a signal ends the input: what was answered is remembered, no more" {
	mkfifo fifo
	for signal in TERM INT HUP; do
		fresh
		rm -f answer
		# The shell has its background jobs ignore SIGINT.
		env --default-signal=INT bloom-query --add --tag seen fifo >answer &
		tool=$!
		exec 7<>fifo
		head -n 1000 lines >&7
		wait_for answer 1000
		printf 'half a li' >&7
		kill -s $signal $tool
		status=0
		wait $tool || status=$?
		exec 7>&-
		[ "$status" = $((128 + $(kill -l $signal))) ]
		head -n 1000 tagged | same - answer
		bloom-build -n 5000 -p 1e-8 -o wanted < <(head -n 1000 lines)
		same wanted seen
		[ "$(find . -name '.*')" = . ]
	done
}

@test "SIGKILL leaves the old file, and the next run goes on from there" {
	fresh
	try 0 bloom-query --add -c seen lines
	cp seen before
	mkfifo fifo
	bloom-query --add --tag seen fifo >answer &
	tool=$!
	exec 7<>fifo
	echo new >&7
	wait_for answer 1
	kill -s KILL $tool
	wait $tool || true
	exec 7>&-
	same before seen
	try 0 bloom-query --add -v seen <<<new
	out_is new
	[ "$(find . -name '.*')" = . ]
}

@test "a full disk behind standard output: the filter stays as it was" {
	fresh && cp seen before
	mv seen disk
	status=0
	bloom-query --add --tag disk lines >/dev/full 2>err || status=$?
	[ "$status" = 3 ]
	err_is 'bloom-query: cannot write standard output: No space left on device'
	same before disk
	[ "$(find . -name '.*')" = . ]
	# A reader that leaves is no failure of ours, but what it missed is not remembered.
	for _ in $(seq 100); do cat lines; done >long
	bloom-query --add --tag disk long 2>err | head -n 1 >out || true
	same before disk
	try 0 bloom-query --add --tag disk lines
	out_is_file tagged
	[ "$(find . -name '.*')" = . ]
}

@test "two at a time take turns, and nothing is lost" {
	fresh
	mkfifo fifo
	bloom-query --add --tag seen fifo >answer &
	one=$!
	exec 7<>fifo
	echo first >&7
	wait_for answer 1
	bloom-query --add --tag seen lines >other 7>&- &
	two=$!
	echo last >&7
	wait_for answer 2
	[ ! -s other ]
	exec 7>&-
	# The first saw nothing that it knew.
	status=0
	wait $one || status=$?
	[ "$status" = 1 ]
	wait $two
	same tagged other
	{ echo first && echo last && cat lines; } >all
	bloom-build -n 5000 -p 1e-8 -o wanted all
	same wanted seen
}

@test "many at a time" {
	fresh
	split -n l/8 first part.
	for part in part.*; do
		bloom-query --add -v seen "$part" >"got.$part" &
	done
	wait
	cat got.* >got
	same first got
	bloom-build -n 5000 -p 1e-8 -o wanted first
	same wanted seen
}

@test "one that takes no more says so: what was added is saved and answered" {
	bloom-build --type cuckoo -n 1000 -p 1e-8 -o seen /dev/null
	seq 3000 >many
	try_any 3 bloom-query --add -v seen many
	mv out got
	n=$(wc -l <got)
	[ "$n" -ge 1000 ] && [ "$n" -lt 1100 ]
	head -n "$n" many | same - got
	# Behind it there may be a word about how full it is.
	head -n 1 err >first_line
	echo "bloom-query: cannot add line '$((n + 1))' to 'seen': it is full" | same - first_line
	try_any 1 bloom-query -v seen got
	try_any 3 bloom-query --add -c seen got many
	printf '%s\tgot\n%s\tmany\n' "$n" "$n" >wanted
	out_is_file wanted
	try 0 sketch-info --json seen
	grep -q "\"items\":$((3 * n))," out
}

@test "an input that cannot be read is named; the others are remembered" {
	fresh
	try_any 3 bloom-query --add --tag seen no-such-file lines
	out_is_file tagged
	err_is "bloom-query: cannot open 'no-such-file': No such file or directory"
	try 1 bloom-query -v seen lines
}

# What it refuses.

@test "it takes one filter, in a file of its own, with room" {
	fresh
	try 2 bloom-query --add - lines <seen
	err_is 'bloom-query: cannot add to standard input: the filter must be a file'
	try 2 bloom-query --add --filter seen --filter seen lines
	err_is 'bloom-query: --add takes one filter'
	bloom-build -o auto lines
	cp auto before
	try 2 bloom-query --add auto lines
	err_is "bloom-query: cannot add to 'auto': it was sized by its items: build it with -n or --like"
	same before auto
	try 3 bloom-query --add no-such-file lines
	err_is "bloom-query: cannot open 'no-such-file': No such file or directory"
	try 3 bloom-query --add . lines
	mkfifo fifo
	try 3 bloom-query --add fifo lines
	err_is "bloom-query: cannot add to 'fifo': not a regular file"
	cat seen seen >both
	try 4 bloom-query --add both lines
	err_is "bloom-query: cannot use sketch 'both': it holds more than one record"
	hll-build -o file.hll lines
	try 4 bloom-query --add file.hll lines
	: >empty
	try 4 bloom-query --add empty lines
	err_is "bloom-query: cannot read sketch 'empty': empty, not a sketch"
	size=$(wc -c <seen)
	for cut in 1 100 128 $((size - 1)); do
		head -c "$cut" seen >cut
		try 4 bloom-query --add cut lines
		[ "$(wc -c <cut)" = "$cut" ]
	done
	[ "$(find . -name '.*')" = . ]
}

@test "options that do not go with it are status 2" {
	fresh
	for options in '-q' '-m 1' '--each'; do
		# shellcheck disable=SC2086
		try 2 bloom-query --add $options seen lines
		err_is "bloom-query: --add and ${options% 1} exclude each other"
	done
	try 2 bloom-query --add --tag -v seen lines
	err_is 'bloom-query: --tag and -v exclude each other'
}
