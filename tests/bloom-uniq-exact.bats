# sketchutils: BSD-2-Clause, see LICENSE
#
# bloom-uniq --exact: two passes, exact with little memory.

# Files that are read and written at once are what some tests are about.
# shellcheck disable=SC2094

load helper

prepare() {
	# 40,000 lines, of which 1,500 come twice and one a thousand times.
	{
		seq 40000
		awk 'BEGIN { for (i = 0; i < 1500; i++) print i * 17; for (i = 0; i < 1000; i++) print "often" }'
	} | awk '{ print (NR * 7919) % 42500 "\t" $0 }' | sort -n | cut -f 2 >lines
	awk '!s[$0]++' lines >first
	awk 's[$0]++' lines >others
}

@test "more keys than memory: exact all the same, by any number of threads" {
	try_any 0 bloom-uniq -M 128K lines
	cmp -s out first && failed
	for j in 1 2 3; do
		try 0 bloom-uniq --exact -M 128K -j $j lines
		out_is_file first
	done
	try 0 bloom-uniq --exact -M 128K --dropped rest lines
	out_is_file first
	same others rest
	try 0 bloom-uniq --exact -M 128K -c lines
	out_is "$(wc -l <first)"
	try_any 0 bloom-uniq --exact -M 128K --stats lines
	err_has 'exact, by a filter and the keys that repeat'
	out_is_file first
	try 0 bloom-uniq --exact -M 2M lines first lines
	out_is_file first
}

@test "fewer keys than memory: exact without a filter" {
	try_any 0 bloom-uniq --exact --stats lines
	out_is_file first
	err_has 'exact, by all keys'
	printf 'a,1\nb,1\na,2\n' >fields
	try 0 bloom-uniq --exact -d , -f 1 fields
	out_is $'a,1\nb,1'
}

@test "standard input that is a file is read twice, from where it stands" {
	try 0 bloom-uniq --exact -M 128K <lines
	out_is_file first
	{
		read -r line
		try 0 bloom-uniq --exact -M 128K -
	} <lines
	tail -n +2 lines | awk '!s[$0]++' >wanted
	out_is_file wanted
	{
		read -r line
		try 0 bloom-uniq --exact -j 2 first - lines
	} <lines
	[ -n "$line" ]
	out_is_file first
}

@test "few lines by two threads; a folder is told once, and the others are read" {
	printf 'a\nb\na\n' >few
	try 0 bloom-uniq --exact -j 2 few
	out_is $'a\nb'
	mkdir folder
	try_any 3 bloom-uniq --exact few folder few
	out_is $'a\nb'
	err_is "bloom-uniq: cannot open 'folder': Is a directory"
}

@test "a pipe can be read only once: status 2, before anything is read" {
	mkfifo in
	try 2 bloom-uniq --exact lines in
	err_is "bloom-uniq: --exact reads its input twice, and 'in' can be read only once"
	try 2 bloom-uniq --exact < <(cat lines)
	err_has "'standard input' can be read only once"
}

@test "more repeated keys than memory: status 3 and nothing is printed" {
	seq 30000 >some
	cat some some >twice
	try 3 bloom-uniq --exact -M 128K twice
	err_is 'bloom-uniq: cannot be exact: more keys are repeated than fit in -M'
	try 0 bloom-uniq --exact -M 1M twice
	out_is_file some
}

@test "a file that is missing is told once; the others are exact" {
	try_any 3 bloom-uniq --exact -M 128K lines missing
	out_is_file first
	err_is "bloom-uniq: cannot open 'missing': No such file or directory"
	try 3 bloom-uniq --exact missing
	try_any 3 bloom-uniq --exact -M 128K . lines
	out_is_file first
}

@test "a file that changes between the passes: status 3" {
	seq 100000 >growing
	# Between the passes, as the first one has come to the second file.
	cp growing copy
	mkfifo out.fifo
	bloom-uniq --exact -M 8M copy growing >out.fifo 2>err &
	tool=$!
	exec 9<out.fifo
	read -r line <&9
	[ "$line" = 1 ]
	# The second pass is held up by a full pipe.
	echo late >>growing
	cat <&9 >got
	exec 9<&-
	set +e
	wait $tool
	status=$?
	set -e
	[ "$status" = 3 ]
	err_is 'bloom-uniq: cannot be exact: the input changed while it was read'
}

@test "SIGTERM in the first pass: nothing is printed, and it dies of it" {
	long || skip 'takes long'
	seq 20000000 >many
	for i in 1 2 3 4 5; do
		bloom-uniq --exact -M 64M many >got &
		tool=$!
		sleep "0.$i"
		kill $tool
		set +e
		wait $tool
		status=$?
		set -e
		[ "$status" = 143 ]
		head -n "$(wc -l <got)" many | same - got
	done
}
