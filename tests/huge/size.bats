# sketchutils: BSD-2-Clause, see LICENSE
#
# More bytes in a file, in a line and in a filter than 32 bits can count.

load ../helper

# A file of 5 GB.
@test "a file of more than 2^32 bytes, by one thread and by several, and through a pipe" {
	n=550000000
	"$SKETCHUTILS_BUILD/flood" $n >lines
	[ "$(stat -c %s lines)" -gt 4831838208 ]
	try_any 0 hll-count -j 1 --stats lines
	err_has "$n lines, 0 rejected"
	cp out wanted
	awk -v n=$n '{ exit ($1 - n * 0.9) ^ 2 > (3 * 0.0081 * n * 0.9) ^ 2 }' out
	try 0 hll-count -j 2 lines && out_is_file wanted
	try 0 hll-count < <(cat lines) && out_is_file wanted
	try 0 hll-count < <(tail -c +2 lines)
	try 0 cms-limit --limit 400000 -c -M 64M -f 2 lines && out_is 400000
	# The last lines of it, by an offset that 32 bits cannot hold.
	{
		head -c 4831838208 >/dev/null
		try 0 hll-count
	} <lines
	[ "$(cat out)" -gt 100 ]
	rm lines
}

# line FILE: 2.2 thousand million NULs and a short line. It takes no space.
long_line() {
	truncate -s 2200000000 "$1"
	printf '\nshort\n' >>"$1"
}

@test "a line of more than 2^31 bytes is a line to all that read lines" {
	long_line lines
	try 0 hll-count -j 1 lines && out_is 2
	try 0 hll-count -j 2 lines && out_is 2
	try 0 hll-count -d x -f 1 lines && out_is 2
	try 0 bloom-uniq -c lines && out_is 2
	bloom-build -n 10 -p 1e-6 -o filter lines
	try 0 bloom-query -c filter lines && out_is 2
	bloom-build -n 10 -p 1e-6 -o short <(echo short)
	try 0 bloom-query -v -c short lines && out_is 1
	cms-build -o sketch lines
	try 0 cms-query sketch <(echo short) && out_is '1	short'
	try 0 cms-topk -k 1 -M 3G --min 2 lines && out_is ''
	try 0 cms-limit --limit 1 -c lines && out_is 2
	try_any 0 hdr-quantile -Q n lines && out_is 'n	0'
	err_has 'rejected 2 of 2 lines'
	cat lines lines >twice
	try 0 bloom-uniq twice
	cmp out lines
	rm out twice
	log-mask lines >out
	cmp out lines
	rm out lines
}

@test "a line of more than 2^32 bytes" {
	truncate -s 4400000000 lines
	printf '\nshort\n' >>lines
	try 0 hll-count -j 2 lines && out_is 2
	try 0 bloom-uniq -c lines && out_is 2
	try 0 hll-count < <(cat lines) && out_is 2
	rm lines
}

# filter OPTION...: with half a thousand million items it loses none of them, and
# takes for seen what it says.
filter() {
	local n=500000000 bits others=10000000 hits
	try 0 bloom-build -n $n -p 1% -o filter "$@" < <(seq $n)
	bits=$(($(stat -c %s filter) * 8))
	[ "$bits" -gt 4294967296 ]
	for from in 1 249000001 495000001; do
		try 0 bloom-query -c filter < <(seq "$from" $((from + 4999999)))
		out_is 5000000
	done
	try_any 0 bloom-query -c filter < <(seq 900000001 $((900000000 + others)))
	hits=$(cat out)
	echo "$*: $bits bits, $hits of $others others: $((hits * 1000000 / others)) per million" |
	    tee -a "${HUGE_LOG:-/dev/null}"
	# 1 %: not more than 1.3 times that, nor a suspicious little.
	[ "$hits" -le $((others * 13 / 1000)) ] && [ "$hits" -ge $((others * 6 / 1000)) ]
	try 0 sketch-info -q --verify filter
	rm filter
}

@test "a filter of more than 2^32 bits: block" {
	filter
}

@test "a filter of more than 2^32 bits: classic" {
	filter --type classic
}

@test "4 GB of one line again and again are one line" {
	mkfifo in
	yes 'the same line' | head -n 306783379 >in &
	try 0 bloom-uniq in
	out_is 'the same line'
	yes 'the same line' | head -n 306783379 >input
	try 0 bloom-uniq -j 2 input
	out_is 'the same line'
	rm input
}
