# sketchutils: BSD-2-Clause, see LICENSE

# Files that are read and written at once are what some tests are about.
# shellcheck disable=SC2094

load helper

prepare() {
	# 20,000 lines of 8,000 kinds, in no order, of many lengths, some empty.
	awk 'BEGIN { x = 7
	    for (i = 0; i < 20000; i++) {
		x = x * 16807 % 2147483647; n = x % 8000
		print n % 1000 ? n substr("                              abcdefghijklmnopqrstuvwxyz", 1, n % 57) n : ""
	    } }' >lines
	awk '!s[$0]++' lines >first
	awk 's[$0]++ == 1' lines >second
	awk 's[$0]++' lines >others
}

# plainly END <LINES: each line that ends in END (a byte's number) once, by
# Python, which takes any byte for what it is.
plainly() {
	python3 -c '
import sys
end = bytes([int(sys.argv[1])])
data = sys.stdin.buffer.read()
lines = data.split(end)
if lines[-1] == b"":
    lines.pop()
sys.stdout.buffer.write(b"".join(line + end for line in dict.fromkeys(lines)))' "$1"
}

logmaker() {
	"$SKETCHUTILS_BUILD/logmaker" "$@"
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

@test "each line the first time, as awk does it, by any number of threads" {
	for j in 1 2 3 8; do
		try 0 bloom-uniq -j $j lines
		out_is_file first
		try 0 bloom-uniq -j $j <lines
		out_is_file first
		try 0 bloom-uniq -j $j < <(cat lines)
		out_is_file first
	done
	# A file that is worth several blocks and ranges.
	for i in 1 2 3 4 5 6 7 8; do sed "s/$/$((i % 5))&/;s/^/a longer beginning of a line /" lines; done >many
	awk '!s[$0]++' many >wanted
	for j in 1 2 5; do
		try 0 bloom-uniq -j $j many
		out_is_file wanted
		try 0 bloom-uniq -j $j < <(cat many)
		out_is_file wanted
	done
	try 0 bloom-uniq lines many lines
	awk '!s[$0]++' lines many >wanted
	out_is_file wanted
}

@test "bytes come out as they came in: CR, NUL, no UTF-8, and the last newline" {
	printf 'one\r\none\ntwo\0 words\ntwo\0 word\n\377\376 \303\050\n\n\t x\n\none\nno newline' >input
	plainly 10 <input >wanted
	try 0 bloom-uniq input
	out_is_file wanted
	tr '\n' '\0' <lines >zeros
	plainly 0 <zeros >wanted
	try 0 bloom-uniq -z zeros
	out_is_file wanted
	printf 'a\r\na\nb\n' >input
	try 0 bloom-uniq --crlf input
	printf 'a\r\nb\n' | same - out
	try 0 bloom-uniq /dev/null
	out_is ''
}

@test "a line of ten megabytes, and lines that end at the edges of blocks" {
	{ head -c 10000000 /dev/zero | tr '\0' x; echo; echo short; } >long
	cat long long lines long >input
	awk '!s[$0]++' input >wanted
	for j in 1 2; do
		try 0 bloom-uniq -j $j input
		out_is_file wanted
	done
	# 64 bytes a line: 256 KiB, 512 KiB and 4 MiB are whole lines.
	seq 100000 | awk '{ printf "%063d\n", $1 % 40000 }' >input
	awk '!s[$0]++' input >wanted
	for j in 1 2 3; do
		try 0 bloom-uniq -j $j input
		out_is_file wanted
	done
}

@test "-f chooses the key, and the whole line comes out" {
	printf '%s\n' 'ab cd 1' 'a bcd 2' 'ab cd 3' 'abcd  4' 'ab' 'ab  ' >input
	try 0 bloom-uniq -f 1,2 input
	printf '%s\n' 'ab cd 1' 'a bcd 2' 'abcd  4' 'ab' | same - out
	try 0 bloom-uniq -f 2 -d , - <<<$'1,x\n2,y\n3,x'
	printf '%s\n' 1,x 2,y | same - out
	printf 'id,name\n1,"a, b"\n2,"a, b"\n3,c\n' >csv
	try 0 bloom-uniq --csv --header -f name csv
	printf '1,"a, b"\n3,c\n' | same - out
	try 0 bloom-uniq -i - <<<$'Yes\nYES\nno'
	printf 'Yes\nno\n' | same - out
	try 0 bloom-uniq --skip-empty - <<<$'\na\n\na'
	out_is a
}

@test "--repeated: each key that comes again, once, at its second line" {
	for j in 1 2 3; do
		try 0 bloom-uniq --repeated -j $j lines
		out_is_file second
		try 0 bloom-uniq --repeated -j $j < <(cat lines)
		out_is_file second
	done
	try 0 bloom-uniq --repeated first
	out_is ''
}

@test "--dropped: the lines that do not pass, in their order" {
	for j in 1 2 3; do
		try 0 bloom-uniq -j $j --dropped rest lines
		out_is_file first
		same others rest
		try 0 bloom-uniq -j $j -c --dropped rest lines
		out_is "$(wc -l <first)"
		same others rest
	done
	try 0 bloom-uniq --repeated --dropped rest - <<<$'a\na\na\nb'
	out_is a
	text_is rest $'a\na\nb'
	try 0 bloom-uniq --dropped rest /dev/null
	text_is rest ''
}

@test "-c: how many would pass" {
	try 0 bloom-uniq -c lines
	out_is "$(wc -l <first)"
	try 0 bloom-uniq -c --repeated lines
	out_is "$(wc -l <second)"
	try 0 bloom-uniq -c /dev/null
	out_is 0
	try 0 bloom-uniq -c -z /dev/null
	printf '0\0' | same - out
}

@test "on a pipe each kept line comes out before the next goes in" {
	mkfifo in out.fifo
	bloom-uniq <in >out.fifo &
	pid=$!
	exec 8>in 9<out.fifo
	for line in one two one three two four; do
		echo $line >&8
		case " $(cat known 2>/dev/null) " in
		*" $line "*) ;;
		*)
			read -r -t 20 answer <&9
			[ "$answer" = $line ]
			printf '%s ' $line >>known
			;;
		esac
	done
	exec 8>&-
	wait $pid
	exec 9<&-
}

@test "head may close the pipe: it ends quietly" {
	logmaker urls 200000 >urls
	for j in 1 2; do
		set +e
		{ bloom-uniq -j $j urls 2>err; echo $? >status; } | head -n 3 >out
		set -e
		head -n 3 urls | same - out
		text_is err ''
		[ "$(cat status)" = 141 ]
	done
}

# Past -M.

@test "past -M about as many lines are lost as it says, and none is repeated" {
	# Some 12 lines of the 100,000 that 256 KiB hold 29,000 of.
	seq 100000 >all
	cat all all >input
	try_any 0 bloom-uniq -M 256K --stats input
	[ "$(sort out | uniq -d | wc -l)" = 0 ]
	awk 'NR == FNR { s[$0]; next } !($0 in s)' all out | same - /dev/null
	lost=$((100000 - $(wc -l <out)))
	said=$(sed -n 's/.*about \([0-9.e+]*\) lines lost.*/\1/p' err)
	awk -v lost="$lost" -v said="$said" \
	    'BEGIN { exit !(said > 1 && (lost - said) ^ 2 <= 25 * said + 25) }'
	cp out wanted
	# The same ones by any number of threads.
	for j in 1 2 4; do
		try_any 0 bloom-uniq -j $j -M 256K input
		out_is_file wanted
		try_any 0 bloom-uniq -j $j -M 256K < <(cat input)
		out_is_file wanted
	done
	try_any 0 bloom-uniq --repeated -M 256K input
	cp out wanted
	try_any 0 bloom-uniq --repeated -M 256K -j 3 input
	out_is_file wanted
}

@test "far past -M, where a third of all is lost, it is told to one in fifty" {
	try_any 0 bloom-uniq -c -M 256K < <(seq 1000000)
	lost=$((1000000 - $(cat out)))
	said=$(sed -n 's/.*about \([0-9]*\) new ones were taken for seen.*/\1/p' err)
	[ "$lost" -gt 300000 ]
	[ $((said - lost)) -lt $((lost / 50)) ] && [ $((lost - said)) -lt $((lost / 50)) ]
}

@test "it says when lines were probably lost; --strict is about more than 1 % a line" {
	seq 20000 >some
	try 0 bloom-uniq -M 256K some
	seq 100000 >input
	try_any 0 bloom-uniq -M 256K --strict input
	err_has 'more keys than fit in -M: about'
	[ "$(wc -l <err)" = 1 ]
	seq 300000 >input
	try_any 0 bloom-uniq -M 256K input
	[ "$(wc -l <err)" = 1 ]
	try_any 5 bloom-uniq -M 256K --strict input
	err_has 'more keys than fit in -M: about'
}

# peak COMMAND...: kilobytes of memory at the most; its output is dropped.
peak() {
	"$SKETCHUTILS_BUILD/stopwatch" 1 "$@" | cut -d ' ' -f 3
}

@test "memory: no more than a tenth above -M, before it is full and after" {
	[ "${SKETCHUTILS_BUILD##*/}" != build-san ] || skip 'a sanitizer has memory of its own'
	logmaker urls 400000 >urls
	base=$(peak bloom-uniq -c /dev/null)
	for j in 1 2; do
		for M in 2 16; do
			used=$(peak bloom-uniq -c -j $j -M ${M}M urls)
			# Blocks of the input take up to 2 MB a worker.
			echo "-j $j -M ${M}M: $used kB, $base kB of them for nothing"
			[ "$used" -le $((base + M * 1024 * 11 / 10 + j * 2048)) ] || failed
		done
	done
}

# How it fails.

@test "an input that cannot be read is told, the others are read, and the status is 3" {
	try_any 3 bloom-uniq lines missing lines
	out_is_file first
	err_is "bloom-uniq: cannot open 'missing': No such file or directory"
	try_any 3 bloom-uniq . lines
	out_is_file first
	err_has "cannot open '.': Is a directory"
	gzip -c lines >lines.gz
	try_any 3 bloom-uniq lines.gz lines
	out_is_file first
	err_has 'gzip'
}

@test "rejected lines are told, and neither pass nor are dropped" {
	printf '"a" 1\n"b 2\n"a" 3\n' >input
	try_any 0 bloom-uniq --quoted -f 1 --dropped rest input
	out_is '"a" 1'
	text_is rest '"a" 3'
	err_has 'rejected 1 of 3 lines'
	try_any 5 bloom-uniq --strict --quoted -f 1 input
}

@test "habits from other tools get an answer" {
	try 2 bloom-uniq -u lines
	err_has 'come only once'
	try 2 bloom-uniq -D lines
	err_has 'use --dropped FILE'
	try 2 bloom-uniq -w 3 lines
	err_has 'use -f LIST'
	try 2 bloom-uniq -d lines
	err_is "bloom-uniq: cannot use -d 'lines': not one byte; for lines that come again use --repeated"
	try 2 bloom-uniq -M 1K lines
	try 2 bloom-uniq --save-every 5m lines
	err_has 'needs --state'
	try 2 bloom-uniq --save-every 5 --state state lines
	for other in --repeated '--state state' '--window 1h'; do
		# shellcheck disable=SC2086
		try 2 bloom-uniq --exact $other lines
		err_has 'exclude each other'
	done
	[ ! -e state ]
}

@test "one file is not two: output, input, dropped lines, state" {
	set +e
	bloom-uniq --dropped out lines >out 2>err
	[ $? = 2 ] || failed
	set -e
	try 2 bloom-uniq --dropped a --state a lines
	err_has "both --state and --dropped"
	cp lines same
	set +e
	bloom-uniq same >>same 2>err
	[ $? = 2 ] || failed
	set -e
	err_has 'both input and standard output'
}

@test "--stats: what passed, exact or approximate, losses, the chance of equal hashes" {
	try_any 0 bloom-uniq --stats lines
	out_is_file first
	err_has '20000 lines, 0 rejected'
	err_has "$(wc -l <first) passed, $(wc -l <others) dropped"
	err_has "exact: $(wc -l <first) keys in"
	err_has 'same 64-bit hash'
	try_any 0 bloom-uniq --stats -M 64K lines
	err_has 'approximate: filters in 64.0 KiB'
}
