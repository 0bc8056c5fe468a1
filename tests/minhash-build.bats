# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	seq 100 >hundred
	seq 5000 >many
}

# param FILE N: a parameter of the first record's header.
param() {
	od -An -v -tu8 -j $((48 + 8 * $2)) -N 8 "$1" | tr -d ' '
}

# hashes FILE: what is in its payload, as tests/interop/minhash.py prints it.
hashes() {
	od -An -v -tx8 -w8 -j 128 "$1" | tr -d ' ' | head -n $(($(od -An -tu8 -j 40 -N 8 "$1") / 8))
	if [ "$(param "$1" 3)" = 1 ]; then echo more; else echo all; fi
}

# reference K items|RULE SEED: the same from a second program.
reference() {
	python3 "$SKETCHUTILS_TOP/tests/interop/minhash.py" hashes "$@"
}

# row FILE FILE NAME: what sketch-compare says.
row() {
	sketch-compare "$1" "$2" | sed -n "s/	$3$//p"
}

# What it does.

@test "the smallest hashes are those that a second program finds" {
	for lines in hundred many; do
		for size in 16 1024; do
			try 0 minhash-build --size $size --seed 7 "$lines"
			hashes out >got
			reference $size items 7 <"$lines" >good
			same good got
		done
	done
	"$SKETCHUTILS_BUILD/logmaker" messages 60 >text
	printf '%s\n' '' a --- 'ÄRGER mit dem Äther' 你好世界 >>text
	for rule in word:1 word:3 char:4; do
		try 0 minhash-build --features $rule --size 200 text
		hashes out >got
		reference 200 $rule 0 <text >good
		same good got
	done
}

@test "threads, ranges of a file and a pipe give the same bytes" {
	"$SKETCHUTILS_BUILD/logmaker" access 2000 3 >log
	for options in '-f 1' '-f 1 --by 7' '-f 6- --features word:2' '-f 6- --features char:5 --by 1'; do
		# shellcheck disable=SC2086
		{
			minhash-build $options -j 1 -o wanted.mh log
			for j in 2 8; do
				minhash-build $options -j $j -o got.mh log && same wanted.mh got.mh
				minhash-build $options -j $j -o got.mh < <(cat log) && same wanted.mh got.mh
			done
		}
	done
}

@test "parts unite to the bytes of the whole, in any order and repeated" {
	split -n l/3 many part.
	for options in '--size 100' '--size 8000' '--features word:1 --size 64'; do
		# shellcheck disable=SC2086
		{
			minhash-build $options -o whole.mh many
			for part in part.a?; do minhash-build $options -o "$part.mh" "$part"; done
			sketch-merge part.ac.mh part.aa.mh part.ab.mh -o united.mh
			same whole.mh united.mh
			rm -f updated.mh
			for part in part.a?; do try 0 minhash-build $options --update updated.mh "$part"; done
			same whole.mh updated.mh
			sketch-merge whole.mh part.aa.mh -o again.mh
		}
		hashes whole.mh >a
		hashes again.mh >b
		same a b
	done
}

@test "--by: a set for each key, as it is alone" {
	sed 's/.*\(.\)/\1 &/' many >keyed
	try 0 minhash-build --size 32 --by 1 -f 2 -a keyed
	mv out lines
	[ "$(wc -l <lines)" = 10 ] || failed
	sed 's/\(.\)$/\1 \1/' many | grep ' 3$' | cut -d ' ' -f 1 >threes
	minhash-build --size 32 -o wanted.mh threes
	grep '^3' lines | cut -f 2 | sed 's/^/3\t/' >three
	try 0 sketch-info --json three
	cp out a
	try 0 sketch-info --json wanted.mh
	[ "$(jq -c '[.items, .estimate, .hashes]' <a)" = "$(jq -c '[.items, .estimate, .hashes]' <out)" ] || failed
	# Keys of a file that is updated get the smaller size, and new ones, too.
	minhash-build --size 32 --by 1 -f 2 -o few.mh keyed
	minhash-build --size 100 --by 1 -f 2 -o updated.mh keyed
	echo new 1 >more
	try 0 minhash-build --size 32 --by 1 -f 2 --update updated.mh more
	minhash-build --size 32 --by 1 -f 2 -o wanted.mh keyed more
	same wanted.mh updated.mh
	# A union of unlike sizes does not depend on the order.
	minhash-build --size 100 --by 1 -f 2 -o large.mh more
	sketch-merge few.mh large.mh -o a.mh
	sketch-merge large.mh few.mh -o b.mh
	same a.mh b.mh && same wanted.mh a.mh
}

@test "-e chooses the size, and --like takes it with all else" {
	try 0 minhash-build -e 1% hundred && [ "$(param out 0)" = 2500 ] || failed
	try 0 minhash-build -e 5% --features char:5 --seed 3 hundred && mv out like.mh
	try 0 minhash-build --like like.mh many
	[ "$(param out 0) $(param out 1) $(param out 2)" = '100 2 5' ] || failed
	minhash-build --size 100 --features char:5 --seed 3 many | same - out
	try 0 minhash-build --seed 3 --update like.mh many
	minhash-build --size 100 --features char:5 --seed 3 hundred many | same - like.mh
}

@test "a text is one document with -z, wherever its lines end" {
	"$SKETCHUTILS_BUILD/logmaker" messages 20 >a
	tr ' ' '\n' <a >b
	for text in a b; do minhash-build -z --features word:3 -o $text.mh $text; done
	[ "$(row a.mh b.mh jaccard)" = 1 ] || failed
	# Line by line, runs end with lines.
	for text in a b; do minhash-build --features word:3 -o $text.mh $text; done
	[ "$(row a.mh b.mh intersection)" = 0 ] || failed
}

# Comparing.

@test "sets of up to k elements are compared exactly" {
	seq 600 1500 >other
	minhash-build --size 5000 -o a.mh many
	minhash-build --size 5000 -o b.mh other
	try 0 sketch-compare --bounds a.mh b.mh
	out_is "5000	5000	5000	a
901	901	901	b
5000	5000	5000	union
901	901	901	intersection
4099	4099	4099	only_a
0	0	0	only_b
0.1802	0.1802	0.1802	jaccard
0.1802	0.1802	0.1802	a_in_b
1	1	1	b_in_a
901	901	901	shared
5000	5000	5000	total"
}

@test "estimates of larger sets lie within their bounds, and the sample is told" {
	seq 2001 7000 >other
	minhash-build --size 500 --seed 2 -o a.mh many
	minhash-build --seed 2 -o b.mh other
	try 0 sketch-compare --bounds a.mh b.mh
	awk 'BEGIN {
		t["a"] = t["b"] = 5000; t["union"] = 7000; t["intersection"] = 3000
		t["only_a"] = t["only_b"] = 2000; t["jaccard"] = 3 / 7; t["a_in_b"] = t["b_in_a"] = .6
	}
	$4 in t && ($2 > t[$4] || t[$4] > $3 || $1 < $2 || $1 > $3) { print; bad = 1 }
	$4 == "shared" { shared = $1 }
	$4 == "total" { total = $1; if (total < 499 || total > 1000) bad = 1 }
	$4 == "jaccard" { jaccard = $1 }
	END { d = shared / total - jaccard; exit bad || d * d > 1e-10 || NR != 11 }' out || failed
	try 0 sketch-compare --json a.mh b.mh a.mh
	[ "$(jq -c 'select(.a != .b) | .shared <= .total and .a_in_b <= 1' <out | sort -u)" = true ] || failed
}

@test "unlike elements are refused by name" {
	minhash-build -o items.mh hundred
	minhash-build --features word:2 -o words.mh hundred
	minhash-build --seed 1 -o seed.mh hundred
	hll-build -o hll.sk hundred
	try 4 sketch-compare items.mh words.mh
	err_is "sketch-compare: cannot compare 'items.mh' with 'words.mh': elements items and word:2"
	try 4 sketch-merge items.mh words.mh
	err_has 'elements items and word:2'
	try 4 minhash-build --features word:3 --update words.mh many
	err_is "minhash-build: cannot update 'words.mh': elements word:2 and word:3"
	try 4 sketch-compare items.mh seed.mh
	err_has 'seed 0 and 1'
	try 4 sketch-compare items.mh hll.sk
	try 4 hll-count -s items.mh
	try 4 sketch-merge --intersect items.mh items.mh
}

# How it fails.

@test "wrong options are refused" {
	try 2 minhash-build --size 15 hundred
	try 2 minhash-build --size 65537 hundred
	try 2 minhash-build -e 0.1% hundred
	err_has 'the largest size, 65536, has a standard error of 0.195 %'
	try 2 minhash-build --size 16 -e 1% hundred
	try 2 minhash-build --features word hundred
	try 2 minhash-build --features word:17 hundred
	try 2 minhash-build -i --features word:2 hundred
	minhash-build -o a.mh hundred
	try 2 minhash-build --like a.mh --size 16 hundred
	try 2 minhash-build --like a.mh --features word:2 hundred
	try 2 minhash-build -k 5 hundred
	err_has 'use --size'
}
