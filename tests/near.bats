# sketchutils: BSD-2-Clause, see LICENSE

# Commands with options are words here.
# shellcheck disable=SC2086

load helper

# What near-duplicate programs promise, on documents of which it is known what
# is alike: tests/bench/corpus.c makes them, tests/near.py does the sums.

PATH=$SKETCHUTILS_BUILD:$PATH

near() {
	python3 "$SKETCHUTILS_TOP/tests/near.py" "$@"
}

# few_or_many FEW MANY: how many of something this run has time for.
few_or_many() {
	if long; then echo "$2"; else echo "$1"; fi
}

# try 0, with no more on standard error than the one line that says that some were
# compared with a part of what may be alike.
try_crowded() {
	try_any 0 "$@" || return
	[ ! -s err ] || [[ $(cat err) =~ ^[a-z]*-dedup:\ [^$'\n']*compared[^$'\n']*$ ]] || failed
}

@test "signatures differ as the features do, and as edits should make them" {
	near edits "$(few_or_many 70 300)"
}

@test "texts that have nothing in common lie far apart, however short" {
	near strangers "$(few_or_many 1000 4000)"
}

@test "of pairs that share what was asked for 0.95 are found, of others none" {
	near threshold "$(few_or_many 300 4000)"
}

@test "likeness does not creep along a chain" {
	near chain
}

@test "lines of a log come down to their templates" {
	n=$(few_or_many 10000 200000)
	near mill "$n" simhash-dedup --norm log
	near mill "$n" minhash-dedup --norm log
	# The masks alone: the lines of a template are one line, of two are two.
	corpus mill "$n" 1 truth >lines
	try 0 log-mask lines
	paste truth out | sort -u >pairs
	[ "$(cut -f 1 pairs | sort -u | wc -l)" = "$(wc -l <pairs)" ]
	[ "$(cut -f 2- pairs | sort -u | wc -l)" = "$(wc -l <pairs)" ]
}

@test "a frame that all pages share makes them no near-duplicates, and hides none" {
	corpus pages 700 1 truth >pages
	corpus pages 700 1 truth 5 >copies
	for command in 'simhash-dedup --edits 5%' minhash-dedup 'minhash-dedup --similarity 0.6'; do
		try_crowded $command -c pages
		out_between 693 700
		try_crowded $command --show map copies
		cut -f 3 out >leaders
		# A copy shares 0.82, with a deviation of 0.02.
		python3 "$SKETCHUTILS_TOP/tests/bench/score.py" truth leaders >score
		awk '{ is[$1] = $2 } END { exit !(is["precision"] == 1 && is["recall"] > 0.8 && is["lost"] == 0) }' score
	done
}

@test "what passes is the same for all threads, pieces and speeds of the input" {
	corpus families 800 1 truth >lines
	corpus mill 2000 1 truth | sort -R --random-source=<(yes) >>lines
	for command in 'simhash-dedup --edits 5%' 'minhash-dedup --norm log'; do
		try 0 $command -j 1 lines
		mv out good
		for j in 2 8; do
			try 0 $command -j "$j" lines
			out_is_file good
			try 0 $command -j "$j" < <(dd bs=997 status=none <lines)
			out_is_file good
		done
		# Slowly.
		try 0 $command -j 2 < <(split -n 7 --filter='cat; sleep 0.02' lines)
		out_is_file good
	done
}

@test "a crowd whose signatures meet in a block passes whole" {
	corpus crowd "$(few_or_many 2000 200000)" 1 truth >crowd
	head -n 1000 crowd >some
	try 0 simhash-sign some
	[ "$(cut -c 13-16 out | sort -u | wc -l)" = 1 ]
	[ "$(cut -c 1-12 out | sort -u | wc -l)" -gt 900 ]
	# Of many not all are compared, which is told.
	for program in simhash-dedup minhash-dedup; do
		(ulimit -t 40 && try_crowded "$program" crowd)
		out_is_file crowd
	done
}

# Lines of every script and of none, no two of them equal, the last unfinished.
strange_lines() {
	printf '%s\n' '' ' ' . , '--' a b 7 8 é ё א ب 你 我 か 각 😀 🙂 \
	    你好 你们 世界你好 こんにちは こんばんは 안녕하세요 안녕히가세요 สวัสดี สวัสดีครับ \
	    'السلام عليكم' 'وعليكم السلام' 'שלום עולם' 'שלום לך' 'привет мир' 'привет всем'
	# An accent composed and not, marks alone, a joiner, a mark of direction.
	printf 'caf\303\251\ncafe\314\201\n\314\201\n\314\200\nnamaste \340\244\250\340\244\256\n\342\200\215\n\342\200\217\n'
	# No UTF-8: a lone byte, an overlong slash, a surrogate, a cut character.
	printf '\377\n\376\n\300\257\n\355\240\200\n\360\237\230\n\360\237\231\n'
	printf 'a\0b c\0d\na\0b c\0e\n\0\n\0\0\n\r\nx\r\n'
	awk 'BEGIN { for (i = 0; i < 30000; i++) printf "w%d ", i; print ""
	    for (i = 0; i < 1048576; i++) printf "x"; print "" }'
	printf 'no newline at the end'
}

@test "strange lines come out as they came, and have signatures of their own" {
	strange_lines >lines
	{ cat lines && echo; } >good
	[ "$(wc -l <good)" = "$(sort -u good | wc -l)" ]
	for command in simhash-dedup 'simhash-dedup --features word:1 --edits 5%' \
	    minhash-dedup 'minhash-dedup --features char:3'; do
		try 0 $command good lines
		out_is_file good
	done
	# With word:1 the smaller of two words would break all ties.
	for features in word:2 char:5; do
		try 0 simhash-sign --features "$features" lines
		cut -c 1-16 out | sort | uniq -d >twice
		[ ! -s twice ]
	done
}

# Lines of 30 ideographs, from the first 4,096 of them: none is like another.
ideographs() {
	python3 - "$1" <<'END'
import random, sys
draw = random.Random(1)
for _ in range(int(sys.argv[1])):
    print("".join(map(chr, draw.choices(range(0x4E00, 0x5E00), k=30))))
END
}

@test "many equal lines, empty lines and lines of ideographs take linear time" {
	n=$(few_or_many 10000 1000000)
	(
		ulimit -t 60
		for line in 'worker 7 is late again' '' 你好世界你好世界; do
			yes "$line" | head -n "$n" >lines
			for program in simhash-dedup minhash-dedup; do
				try 0 "$program" lines
				echo "$line" | same - out
			done
		done
		ideographs "$((n / 5))" >lines
		for program in simhash-dedup minhash-dedup; do
			try 0 "$program" lines
			out_is_file lines
		done
	)
}

@test "days with an index, some of them cut short, keep what one run keeps" {
	corpus mill 6000 1 truth 50 >lines
	split -n "l/$(few_or_many 10 30)" -d lines day
	for command in 'simhash-dedup --norm log' 'minhash-dedup --norm log --similarity 0.6'; do
		try_crowded $command lines
		mv out good
		rm -f index all
		for day in day*; do
			# Killed, or told to end, wherever it happens to be, and once more.
			# What a killed run has printed may come again; its last line may be a
			# part of one.
			if [[ $day == *[159] ]]; then
				for signal in KILL TERM; do
					timeout -s "$signal" "0.00$((RANDOM % 9 + 1))" $command --index index "$day" >cut || :
					head -n "$(wc -l <cut)" cut >>all
					[ ! -e index ] || sketch-info --verify index >info
				done
			fi
			try_crowded $command --index index "$day"
			cat out >>all
		done
		awk '!seen[$0]++' all | same - good
		cp index before
		try 4 $command --features word:5 --index index day01
		err_has index
		same before index
	done
}

@test "a line that passes takes the memory that the manuals say" {
	long || skip 'needs CHECK_LONG=1'
	[ "${SKETCHUTILS_BUILD##*/}" != build-san ] || skip 'a sanitizer has memory of its own'
	corpus strangers 100000 1 truth 25 >lines
	# Beside 4 bytes for each of 24 runs of words, and 8 MB for any program.
	while read -r program least most; do
		stopwatch 1 "$program" -c -j 1 lines >cost
		read -r _ _ peak status <cost
		[ "$status" = 0 ]
		bytes=$(((peak * 1024 - 8000000) / 100000 - 96))
		echo "$program: $bytes bytes a line"
		[ "$bytes" -ge "$least" ]
		[ "$bytes" -le "$most" ]
	done <<'END'
simhash-dedup 110 200
minhash-dedup 350 550
END
}
