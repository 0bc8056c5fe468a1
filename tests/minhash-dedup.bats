# sketchutils: BSD-2-Clause, see LICENSE

load helper

messages() {
	"$SKETCHUTILS_BUILD/logmaker" messages "$1" "${2:-1}"
}

# reference RULE SIMILARITY: a second program, written from sketch(5), that tells
# for each line which one stands for it.
reference() {
	python3 "$SKETCHUTILS_TOP/tests/interop/minhash.py" leaders "$@"
}

# leaders ARGUMENT...: the same of ours, in the file got.
leaders() {
	try 0 minhash-dedup --show map "$@" && cut -f 3 out >got
}

# What it does.

@test "the first of lines that are alike stays, in the order of the input" {
	printf '%s\n' 'the quick brown fox jumps over the lazy dog by the river bank today' \
	    'hello world' \
	    'The quick brown fox jumps over the lazy dog by the river bank, now!' \
	    'hello, World' hello 'the quick brown fox' >lines
	try 0 minhash-dedup lines
	out_is "the quick brown fox jumps over the lazy dog by the river bank today
hello world
hello
the quick brown fox"
	try 0 minhash-dedup -c <lines
	out_is 4
	try 0 minhash-dedup --similarity 0.9 -c lines
	out_is 5
}

@test "bytes come out as they came in: CR, NUL, no UTF-8, and the last newline" {
	printf 'one\r\ntwo\0 words\n\377\376 \303\050\n\n\t x\nno newline' >lines
	try 0 minhash-dedup lines
	{ cat lines && echo; } | same - out
}

@test "unlike short texts pass: words, ideographs, and what has no word" {
	printf '%s\n' cat dog 'cat dog' 'dog cat' 'cat dog cow' 你好世界 你好世间 我 --- '***' '' . >lines
	try 0 minhash-dedup lines && out_is_file lines
	cat lines lines >twice
	try 0 minhash-dedup twice && out_is_file lines
	try 0 minhash-dedup --features word:5 lines && out_is_file lines
}

@test "a feature counts once, however often it occurs" {
	printf '%s\n' 'go go go go stop' 'go stop' 'stop go go' >lines
	try 0 minhash-dedup --features word:1 lines
	out_is 'go go go go stop'
	# In a set of three, one is missing.
	printf '%s\n' 'a b c' 'a b' >lines
	try 0 minhash-dedup --features word:1 --similarity 66% -c lines && out_is 1
	try 0 minhash-dedup --features word:1 --similarity 67% -c lines && out_is 2
}

@test "a second program finds the same leaders" {
	{
		messages 70
		printf '%s\n' '' a 'a b c d e' 'e d c b a' '---' 'A b, c D e' 'a b c d e a b'
		messages 20 2
	} >lines
	for row in 'word:2 0.8' 'word:1 0.5' 'word:3 0.3' 'char:4 0.9'; do
		read -r rule similarity <<<"$row"
		reference "$rule" "$similarity" <lines >good
		[ "$(sort -u good | wc -l)" -gt 8 ] || failed
		leaders --features "$rule" --similarity "$similarity" lines && same good got
	done
}

@test "no line is dropped that is less similar than was asked for, and few that are as similar pass" {
	messages 800 >lines
	leaders --similarity 0.8 lines
	python3 - got lines <<'END'
import sys
told = [int(line) for line in open(sys.argv[1])]
sets = []
for line in open(sys.argv[2]):
    words = "".join(c if c.isalnum() else " " for c in line.lower()).split()
    sets.append(set(zip(words, words[1:])))
share = lambda a, b: len(a & b) / len(a | b)
kept, missed, dropped = [], 0, 0
for number, (leader, one) in enumerate(zip(told, sets), 1):
    if leader != number:
        dropped += 1
        assert share(one, sets[leader - 1]) >= 0.8, (number, leader)
        continue
    missed += any(share(one, sets[other]) >= 0.8 for other in kept)
    kept.append(number - 1)
assert dropped > 40 and missed <= 0.05 * dropped, (dropped, missed)
END
}

@test "--unverified drops by a band alone" {
	messages 1000 >lines
	try 0 minhash-dedup -c lines && verified=$(cat out)
	try 0 minhash-dedup -c --unverified lines
	[ "$(cat out)" -lt "$verified" ] || failed
	# What shares nothing is never dropped.
	seq 5000 >numbers
	try 0 minhash-dedup --unverified --similarity 0.3 numbers && out_is_file numbers
}

@test "threads, a pipe and small reads give the same bytes" {
	messages 2000 >lines
	minhash-dedup -j 1 --dropped wanted-dropped lines >wanted
	for j in 2 8; do
		try 0 minhash-dedup -j $j --dropped dropped lines && same wanted out
		same wanted-dropped dropped
		try 0 minhash-dedup -j $j < <(cat lines) && same wanted out
	done
	try 0 minhash-dedup < <(while IFS= read -r line; do echo "$line"; done <lines) && same wanted out
}

@test "--norm masks what is compared, and not what is printed" {
	printf '%s\n' 'worker 17 sent 300 bytes to 10.0.0.1' 'worker 18 sent 12 bytes to 10.0.0.77' >lines
	try 0 minhash-dedup -c lines && out_is 2
	try 0 minhash-dedup --norm log lines && out_is 'worker 17 sent 300 bytes to 10.0.0.1'
}

# From run to run.

@test "--keep longest: the longest of its kind stays, in the order of the input" {
	printf '%s\n' 'one two three four five six' 'hello world' \
	    'One Two Three Four Five Six!!' 'one two three four five six!' \
	    'ONE TWO THREE FOUR FIVE SIX??' 'Hello, World' >lines
	try 0 minhash-dedup --keep longest --dropped more lines
	out_is "One Two Three Four Five Six!!
Hello, World"
	# A line that had to give way is written when it does.
	printf '%s\n' 'one two three four five six' 'one two three four five six!' \
	    'ONE TWO THREE FOUR FIVE SIX??' 'hello world' >wanted
	same wanted more
	try 0 minhash-dedup --keep longest --show counts lines
	out_is "4	One Two Three Four Five Six!!
2	Hello, World"
	try 0 minhash-dedup --keep longest -c lines
	out_is 2
}

@test "--index goes on where the last run ended, as one run over all does" {
	messages 600 >lines
	minhash-dedup --similarity 0.7 lines >wanted
	split -n l/5 lines part.
	for part in part.*; do
		try 0 minhash-dedup --similarity 0.7 --index seen.idx "$part"
		cat out >>got
	done
	same wanted got
	cp seen.idx before
	try 0 minhash-dedup --similarity 0.7 --index seen.idx --read-only lines && out_is ''
	same before seen.idx
	# One pass makes the same file, but for the number of documents offered.
	minhash-dedup --similarity 0.7 --index whole.idx lines >/dev/null
	same whole.idx seen.idx
	try 0 sketch-info seen.idx
	grep -q '^kind: *bands$' out && grep -q '^rows: *5$' out
}

@test "an index holds the signatures and features that sketch(5) describes" {
	messages 30 >lines
	minhash-dedup --similarity 0.8 --index seen.idx lines >kept
	python3 "$SKETCHUTILS_TOP/tests/interop/minhash.py" signatures word:2 0.8 <kept >wanted
	python3 - seen.idx >got <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
bands, n = struct.unpack_from("<I", data, 72)[0], struct.unpack_from("<Q", data, 88)[0]
for i in range(n):
    keys = struct.unpack_from(f"<{bands}Q", data, 128 + 20 * n + 8 * bands * i)
    print(" ".join(f"{key:016x}" for key in keys))
END
	same wanted got
}

@test "an index of other settings is refused by name" {
	messages 20 >lines
	minhash-dedup --index seen.idx lines >/dev/null
	cp seen.idx before
	try 4 minhash-dedup --index seen.idx --similarity 0.7 lines
	err_is "minhash-dedup: cannot use index 'seen.idx': similarity 0.8 and 0.7"
	try 4 minhash-dedup --index seen.idx --similarity 0.801 lines
	err_is "minhash-dedup: cannot use index 'seen.idx': similarity 0.8 and 0.801"
	try 4 minhash-dedup --index seen.idx --features word:3 lines
	err_is "minhash-dedup: cannot use index 'seen.idx': features word:2 and word:3"
	try 4 minhash-dedup --index seen.idx --norm log lines
	try 4 minhash-dedup --index seen.idx --seed 1 lines
	try 4 minhash-dedup --index seen.idx --unverified lines
	try 4 simhash-dedup --index seen.idx lines
	try 4 minhash-build --like seen.idx lines
	same before seen.idx
}

# How it fails, and its limits.

@test "wrong options are refused" {
	try 2 minhash-dedup --similarity 0.05 /dev/null
	err_has '0.1'
	try 2 minhash-dedup --similarity 1.1 /dev/null
	try 2 minhash-dedup --features word:0 /dev/null
	try 2 minhash-dedup --distance 3 /dev/null
	try 2 minhash-dedup --threshold 0.8 /dev/null
	err_has 'use --similarity'
}

@test "-M is kept, and what was decided comes out" {
	seq 4000 | sed 's/.*/line & of many that are all unlike each other: &&/' >lines
	try_any 3 minhash-dedup --index index -M 1M lines
	grep -q 'cannot keep more than [0-9]* lines in 1.0 MiB' err
	head -n "$(wc -l <out)" lines | same - out
	[ "$(wc -l <out)" -gt 1000 ] || failed
}

@test "--stats tells what is found of pairs as similar as was asked for" {
	messages 200 >lines
	try_any 0 minhash-dedup --stats --similarity 0.9 lines
	err_has '10 bands of 12 slots find 96.4 % of pairs with similarity 0.9, 100.0 % with 0.95'
	try_any 0 minhash-dedup --stats --similarity 1 lines
	err_has '8 bands of 16 slots find 100.0 % of pairs with similarity 1'
}

# Lines that are all 9/11 like each other at most share bands with all others.
@test "a part that all lines have in common costs no more than in proportion" {
	n=1000
	if long; then n=100000; fi
	seq "$n" | sed 's/.*/a b c d e f g h i j k l m n o p q r s t u v w x &1 &2 &3 &4 &5/' >lines
	ulimit -t 60
	try_any 0 minhash-dedup --stats lines
	same lines out
	grep -q 'with a part of what may be alike' err
	pairs=$(sed -n 's/.*: \([0-9]*\) pairs with a band.*/\1/p' err)
	[ "$pairs" -le $((65 * n)) ] || failed
}
