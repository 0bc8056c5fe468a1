#!/usr/bin/env bats
# sketchutils: BSD-2-Clause, see LICENSE
#
# Known attacks, by lines whose hashes were chosen (tests/crafted.c). Each works on
# a sketch without a key, and on one with a key the same lines do nothing.

load helper

prepare() {
	printf '000102030405060708090a0b0c0d0e0f\n' >key
}

crafted() {
	"$SKETCHUTILS_BUILD/crafted" "$@" || failed
}

# distinct FILE N: it has N lines, all different
distinct() {
	[ "$(wc -l <"$1") $(sort -u "$1" | wc -l)" = "$2 $2" ] || failed
}

# field NAME FILE LOW HIGH: what sketch-info says of it
field() {
	try 0 sketch-info "$2"
	sed -n "s/^$1: *//p" out >value
	mv value out
	out_between "$3" "$4"
}

# Reviriego, Ting, "Security of HyperLogLog (HLL) Cardinality Estimation", 2020
@test "hll-count: 100,000 lines of one hash are counted as one" {
	crafted same 100000 >lines
	distinct lines 100000
	try 0 hll-count lines
	out_is 1
	try 0 hll-count --key-file key lines
	out_between 97500 102500
}

# Paterson, Raynal, "HyperLogLog: Exponentially Bad in Adversarial Settings", 2022
@test "hll-count: 100,000 different hashes of 64 registers are counted as 64" {
	crafted hide 100000 >lines
	distinct lines 100000
	try 0 hll-count --bounds lines
	out_is $'64\t64\t64'
	try 0 hll-count --key-file key lines
	out_between 97500 102500
}

@test "hll-count: behind honest lines, 100,000 hidden ones are not noticed" {
	seq 20000 >honest
	crafted hide 100000 >hidden
	try 0 hll-count honest hidden
	out_between 19800 20200
	try 0 hll-count --key-file key honest hidden
	out_between 117000 123000
}

# Reviriego, Adell, Ting, "HyperLogLog (HLL) security: Inflating cardinality
# estimates", 2020
@test "hll-count: 16,384 lines are counted as more than 10^18" {
	crafted inflate >lines
	distinct lines 16384
	try 0 hll-count lines
	out_between 1e18 1e20
	try 0 hll-count --key-file key lines
	out_between 15970 16800
}

@test "hll-build: a sketch of a whole year is spoilt by 16,384 lines of one day" {
	seq 1000 | hll-build -o day1.hll
	crafted inflate >lines
	hll-build -o day2.hll lines
	try 0 sketch-merge -o year.hll day1.hll day2.hll
	try 0 hll-count -s year.hll
	out_between 1e18 1e20
}

@test "a seed is no key: who knows it turns it round as well" {
	for seed in 7 18446744073709551557; do
		crafted --seed "$seed" same 1000 >lines
		distinct lines 1000
		try 0 hll-count --seed "$seed" lines
		out_is 1
		# And who has another one is lucky, not safe.
		try 0 hll-count lines
		out_between 980 1020
	done
}

# Gerbet, Kumar, Lauradoux, "The Power of Evil Choices in Bloom Filters", 2015
@test "bloom-build: chosen items make ten times the false positives at the same n" {
	seq 100001 300000 >absent
	for type in block classic; do
		crafted pollute "$type" 5000 0.01 >lines
		distinct lines 5000
		bloom-build --type "$type" -n 5000 -p 0.01 -o evil lines
		field fill evil 0.72 0.76
		try 0 bloom-query -c evil absent
		out_between 17000 24000
		bloom-build --type "$type" -n 5000 -p 0.01 --key-file key -o safe lines
		field fill safe 0.48 0.55
		try 0 bloom-query --key-file key -c safe absent
		out_between 1500 2300
	done
}

@test "bloom-query: whoever knows one item has as many false positives as he likes" {
	seq 1000 >members
	crafted alike members >forged
	cat members forged >both
	distinct both 2000
	for type in block classic counting cuckoo; do
		bloom-build --type "$type" -n 1000 -p 1e-6 -o open members
		try 0 bloom-query -c open forged
		out_is 1000
		bloom-build --type "$type" -n 1000 -p 1e-6 --key-file key -o safe members
		try 0 bloom-query --key-file key -c safe members
		out_is 1000
		try 1 bloom-query --key-file key -c safe forged
		out_is 0
	done
}

@test "bloom-query: a block filter can be filled in one block, and says it is empty" {
	crafted crowd 3000 >lines
	distinct lines 3000
	head -n 1000 lines >some
	tail -n 2000 lines >others
	bloom-build -n 100000 -o evil some
	field distinct evil 0 40
	try 0 bloom-query -c evil others
	out_is 2000
	bloom-build -n 100000 --key-file key -o safe some
	field distinct safe 950 1050
	try_any 1 bloom-query --key-file key -c safe others
	out_is 0
}

@test "bloom-build: of 100,000 lines of one hash, a filter that sizes itself makes one" {
	crafted same 100000 >lines
	bloom-build -o evil lines
	field capacity evil 1 1
	bloom-build --key-file key -o safe lines
	field capacity safe 100000 100000
}

# Removals: Clayton, Patton, Shrimpton, "Probabilistic Data Structures in
# Adversarial Environments", 2019
@test "bloom-remove: taking out a forged item takes out the one it is like" {
	seq 1000 >members
	crafted alike members >forged
	for type in counting cuckoo; do
		bloom-build --type "$type" -n 1000 -p 1e-6 -o evil members
		try 0 bloom-remove evil forged
		try 1 bloom-query -c evil members
		bloom-build --type "$type" -n 1000 -p 1e-6 --key-file key -o safe members
		try_any 1 bloom-remove --key-file key safe forged
		try 0 bloom-query --key-file key -c safe members
		out_is 1000
	done
}

@test "bloom-build: ten items of the same two buckets fill a cuckoo filter of 10,000" {
	crafted nest 10000 0.01 >lines
	distinct lines 10
	try 3 bloom-build --type cuckoo -n 10000 -o evil lines
	err_has "cannot add item 10: the filter is full"
	try 0 bloom-build --type cuckoo -n 10000 --key-file key -o safe lines
}

@test "bloom-uniq: lines that differ are dropped when their hashes do not" {
	crafted same 100000 >lines
	try 0 bloom-uniq lines
	[ "$(wc -l <out)" = 1 ]
	try 0 bloom-uniq --key-file key lines
	out_is_file lines
	# A key of one run's own: nobody needs it afterwards.
	try 0 bloom-uniq --key-file <(head -c 16 /dev/urandom) lines
	out_is_file lines
}

@test "cms-limit: one key's limit is used up for all that have its hash" {
	crafted same 10000 >lines
	try 0 cms-limit --limit 2 lines
	[ "$(wc -l <out)" = 2 ]
	try 0 cms-limit --limit 2 --key-file key lines
	out_is_file lines
}

# Cormode, Muthukrishnan, "An Improved Data Stream Summary", 2005, has the sketch;
# Markelon, Filic, Shrimpton, "Compact Frequency Estimators in Adversarial
# Environments", 2023, the attack
@test "cms-query: five lines raise the count of an item that never came" {
	seq 2000 >honest
	crafted cover target 1000 >lines
	echo target >target
	cms-build --candidates 0 -o open honest lines
	try 0 cms-query --bounds open target
	out_is $'1000\t0\t1000\ttarget'
	# The bound holds for 5,000 + 2,000 lines: 7 in 99 %.
	cms-build --candidates 0 --key-file key -o safe honest lines
	try 0 cms-query --key-file key safe target
	[ "$(cut -f 1 out)" -le 7 ]
}

@test "cms-query: the counts of candidates cannot be raised" {
	yes target | head -n 500 >target
	head -n 400 target >some
	crafted alike some >lines
	head -n 1 target >one
	cms-build -o open target lines
	try 0 cms-query --bounds open one
	out_is $'500\t500\t500\ttarget'
	cms-build --candidates 0 -o open target lines
	try 0 cms-query --bounds open one
	out_is $'900\t0\t900\ttarget'
}

@test "cms-topk: light lines of one cell crowd out heavy ones, but no bound is wrong" {
	crafted crowd 100000 >light
	distinct light 100000
	seq 100 | awk '{ for (i = 0; i < 50; i++) print }' >heavy
	try 0 cms-topk -M 64K -k 5 --bounds light heavy
	# One occurrence each, and it does not claim more.
	awk -F '\t' '$2 > 1 || $3 < 50 { exit 1 }' out || failed
	try 0 cms-topk -M 64K -k 5 --bounds --key-file key light heavy
	awk -F '\t' '$2 != 50 || $4 > 100 { exit 1 }' out || failed
}

@test "sketch-compare: lines of the lowest hashes make two sets look the same" {
	seq 20000 >a
	seq 30001 50000 >b
	crafted low 1024 >low
	for set in a b; do
		minhash-build -o "$set.open" "$set" low
		minhash-build -o "$set.safe" --key-file key "$set" low
	done
	try 0 sketch-compare a.open b.open
	grep -q $'^1\tjaccard$' out || failed
	# Truly it is 1024 in 41024: 0.025, standard error 0.005.
	try 0 sketch-compare a.safe b.safe
	awk -F '\t' '$2 == "jaccard" { seen = $1 < 0.05 } END { exit !seen }' out || failed
}

@test "simhash-dedup: two texts of one signature without a word in common are both kept" {
	crafted twins >twins
	distinct twins 2
	try 0 simhash-sign --features word:1 twins
	[ "$(cut -c 1-16 out | sort -u | wc -l)" = 1 ]
	try 0 simhash-dedup --features word:1 twins
	out_is_file twins
	# Unless nobody looks.
	try 0 simhash-dedup --features word:1 --unverified twins
	[ "$(wc -l <out)" = 1 ]
	try 0 simhash-dedup --features word:1 --unverified --key-file key twins
	out_is_file twins
}

@test "simhash-dedup: verification counts 32 bits of each word, and they can be made to meet" {
	crafted doubles >doubles
	distinct doubles 2
	# Not a word is in both.
	[ "$(tr ' ' '\n' <doubles | sort | uniq -d | wc -l)" = 0 ]
	try 0 simhash-dedup --features word:1 doubles
	[ "$(wc -l <out)" = 1 ]
	try 0 simhash-dedup --features word:1 --key-file key doubles
	out_is_file doubles
	# Slots come from all 64 bits.
	try 0 minhash-dedup --features word:1 --similarity 0.1 doubles
	out_is_file doubles
}

# Here no key is needed: what a run remembers for itself is salted.
@test "dedup: lines that have the same 128 bits of hash are not taken for each other" {
	crafted same128 1000 >lines
	distinct lines 1000
	for tool in simhash-dedup minhash-dedup; do
		try 0 "$tool" lines
		out_is_file lines
	done
	ENTROPY=0 LD_LIBRARY_PATH=$SKETCHUTILS_BUILD LD_PRELOAD=entropy.so \
	    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" minhash-dedup lines >unsalted
	[ "$(wc -l <unsalted)" = 1 ]
}
