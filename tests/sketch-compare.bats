# sketchutils: BSD-2-Clause, see LICENSE

load helper

# Two days of visitors: 20,000 each, 5,000 of them on both.
prepare() {
	seq 20000 >one
	seq 15001 35000 >two
}

TYPES='block classic counting cuckoo'

build() {
	bloom-build --type "$1" -n 40000 -o "$2.$1" "$2"
}

@test "seven rows, in this order, whose numbers come first" {
	build block one
	build block two
	try 0 sketch-compare one.block two.block
	[ "$(cut -f 2 out | tr '\n' ' ')" = 'a b union intersection only_a only_b jaccard ' ]
	[ "$(grep -c '^[0-9.]*	[a-z_]*$' out)" = 7 ]
}

# That they hold in 95 of 100 cases is shown by bloom_compare_test.
@test "every type tells the truth, give or take twice the bounds" {
	for type in $TYPES; do
		build "$type" one
		build "$type" two
		try 0 sketch-compare --bounds "one.$type" "two.$type"
		cut -f 1-3 out >bounds
		printf '%s\n' 20000 20000 35000 5000 15000 15000 0.142857 | paste bounds - |
		    awk '!($2 <= $1 && $1 <= $3) { print; bad = 1 }
		        ($1 - $4) ^ 2 > ($3 - $2) ^ 2 { print; bad = 1 }
		        $3 - $2 > 500 { print; bad = 1 } END { exit bad }'
	done
}

@test "--json has the same numbers, the name, and which file a and b are" {
	build block one
	build block two
	try 0 sketch-compare --json one.block two.block
	jq -es 'map(.value) == ["a", "b", "union", "intersection", "only_a", "only_b", "jaccard"]' out
	jq -es 'all(.[]; .low <= .estimate and .estimate <= .high)' out
	jq -es 'map(.file) == ["one.block", "two.block", null, null, null, null, null]' out
	jq -r '[.estimate, .low, .high, .value] | @tsv' out | head -n 6 >wanted
	sketch-compare --bounds one.block two.block | head -n 6 >got
	same wanted got
	jq -es '.[6].estimate | . > 0.14 and . < 0.146' out
}

@test "text, bytes and standard input are the same; the other way round a and b change places" {
	build block one
	build block two
	sketch-compare --bounds one.block two.block >wanted
	sketch-merge -a -o one.txt one.block
	try 0 sketch-compare --bounds one.txt two.block && same wanted out
	try 0 sketch-compare --bounds - two.block <one.block && same wanted out
	try 0 sketch-compare --bounds one.block - < <(cat two.block) && same wanted out
	try 0 sketch-compare --bounds two.block one.block
	sed 's/a$/B/; s/b$/a/; s/B$/b/' out | sort >a
	sort wanted >b
	[ "$(grep -v jaccard a | sort)" = "$(grep -v jaccard b | sort)" ]
}

@test "a filter and itself: everything is common, for certain" {
	for type in block classic counting; do
		build "$type" one
		try 0 sketch-compare --bounds "one.$type" "one.$type"
		grep -qx '0	0	0	only_a' out
		grep -qx '0	0	0	only_b' out
		grep -qx '1	1	1	jaccard' out
	done
}

@test "what is not there is not negative, and its low bound is 0" {
	seq 100001 120000 >two
	for type in $TYPES; do
		build "$type" one
		build "$type" two
		try 0 sketch-compare --bounds "one.$type" "two.$type"
		awk '$4 == "intersection" && $2 == 0 && $1 >= 0 && $1 <= 100 && $3 > 0 && $3 < 200 { ok = 1 }
		    END { exit !ok }' out
	done
}

@test "empty filters compare" {
	: >one
	: >two
	build block one
	build block two
	try 0 sketch-compare --bounds one.block two.block
	[ "$(grep -c '^0	0	0	' out)" = 7 ]
}

@test "filters of unlike sizes are compared as if both were small" {
	bloom-build -n 199k -o large.sk one
	bloom-build -n 199k -o two.sk two
	sketch-merge --fold 128K -o small.sk two.sk
	sketch-merge --fold 128K -o wanted.sk large.sk
	try 0 sketch-compare --bounds large.sk small.sk
	sketch-compare --bounds wanted.sk small.sk >wanted
	same wanted out
	bloom-build -n 1000 -o odd.sk two 2>err
	try 4 sketch-compare large.sk odd.sk
	err_has "sketch-compare: cannot compare 'large.sk' with 'odd.sk': sizes 8192 and "
}

@test "a union without a bit that is 0 is status 4" {
	seq 100000 | bloom-build -n 10 -o full.sk 2>err
	try 4 sketch-compare full.sk full.sk
	err_is "sketch-compare: cannot compare 'full.sk' with 'full.sk': every bit of their union is set"
}

@test "what does not match is named with both values" {
	build block one
	build block two
	build classic two
	bloom-build -n 40000 --seed 7 -o seed.sk two
	bloom-build -n 40000 -i -o fold.sk two
	bloom-build -n 40000 -p 1e-5 -o probes.sk two
	try 4 sketch-compare one.block two.classic
	err_is "sketch-compare: cannot compare 'one.block' with 'two.classic': kind bloom-block and bloom-classic"
	try 4 sketch-compare one.block seed.sk
	err_is "sketch-compare: cannot compare 'one.block' with 'seed.sk': seed 0 and 7"
	try 4 sketch-compare one.block fold.sk
	err_has 'case kept and folded (-i)'
	try 4 sketch-compare one.block probes.sk
	err_has 'probes 1 and 2'
	seq 10 | bloom-build --type cuckoo -n 10 -o a.sk
	seq 10 | bloom-build --type cuckoo -n 99 -o b.sk
	try 4 sketch-compare a.sk b.sk
	err_has 'buckets '
}

@test "kinds that cannot tell, keyed sketches and files of several are refused" {
	build block one
	bloom-build --type scalable -o scalable.sk one
	try 4 sketch-compare scalable.sk scalable.sk
	err_has "sketch-compare: cannot compare 'scalable.sk': its kind is bloom-scalable; "
	err_has 'bloom-block, bloom-classic, '
	# Of items and of how often they occur, none tells of the other.
	cms-build -o cms.sk one
	try 4 sketch-compare cms.sk one.block
	err_is "sketch-compare: cannot compare 'cms.sk' with 'one.block': kind cms and bloom-block"
	try 4 sketch-compare one.block cms.sk
	err_is "sketch-compare: cannot compare 'one.block' with 'cms.sk': kind bloom-block and cms"
	bloom-build --by 1 -n 10 -o keyed.sk <(head -n 3 one)
	try 4 sketch-compare keyed.sk one.block
	err_has "'keyed.sk': it is keyed"
	cat one.block one.block >two.sk
	try 4 sketch-compare two.sk one.block
	err_has "'two.sk': it holds more than one record"
}

@test "an intersection is said to be one, and is status 5 with --strict" {
	build block one
	build block two
	sketch-merge --intersect -o and.sk one.block two.block
	try_any 0 sketch-compare and.sk one.block
	err_is "sketch-compare: 'and.sk' is an intersection: estimates of what it holds are too high"
	[ "$(wc -l <out)" = 7 ]
	try_any 5 sketch-compare --strict and.sk one.block
}

@test "two operands at least, and one standard input" {
	build block one
	try 2 sketch-compare
	err_is 'sketch-compare: cannot compare 0 sketches: two or more are needed'
	try 2 sketch-compare one.block
	err_is 'sketch-compare: cannot compare 1 sketch: two or more are needed'
	try 2 sketch-compare - - <one.block
	try 2 sketch-compare - one.block - </dev/null
	err_is "sketch-compare: cannot compare '-' with '-': there is one standard input"
}

# Visitors of two days: few, whose tokens are exact, and many.
visitors() {
	seq 1 "$1" >day1
	seq "$2" "$3" >day2
	hll-build -o day1.hll day1
	hll-build -o day2.hll day2
}

# What comm says of two sorted files, in the order of our rows.
by_comm() {
	sort "$1" >sorted.a
	sort "$2" >sorted.b
	local a b both
	a=$(wc -l <sorted.a)
	b=$(wc -l <sorted.b)
	both=$(comm -12 sorted.a sorted.b | wc -l)
	printf '%s\n' "$a" "$b" $((a + b - both)) "$both" $((a - both)) $((b - both))
}

@test "returning visitors, few: the counts of comm" {
	visitors 1000 901 1900
	try 0 sketch-compare --bounds day1.hll day2.hll
	head -n 6 out | cut -f 1 >got
	head -n 6 out | cut -f 2 >low
	head -n 6 out | cut -f 3 >high
	by_comm day1 day2 >wanted
	same wanted got
	same wanted low
	same wanted high
	tail -n 1 out | grep -qx '0.0526316	0.0526316	0.0526316	jaccard'
}

@test "returning visitors, many: within the bounds, or twice that" {
	for few in 30000 200000; do
		visitors 200000 $((200001 - few)) $((400000 - few))
		by_comm day1 day2 >wanted
		for kind in ours redis postgres:14,5,-1,1 datasketches:14; do
			[ $kind = ours ] || for day in day1 day2; do
				hll-build --compat $kind -o $day.hll $day
			done
			try 0 sketch-compare --bounds day1.hll day2.hll
			head -n 6 out | cut -f 1-3 | paste - wanted |
			    awk '!($2 <= $1 && $1 <= $3) || ($1 - $4) ^ 2 > ($3 - $2) ^ 2 { print; bad = 1 }
			        $3 - $2 > 9500 { print; bad = 1 } END { exit bad }'
		done
	done
}

@test "numbers fit together: what is in A alone and in both is A" {
	visitors 50000 40001 90000
	try 0 sketch-compare day1.hll day2.hll
	awk '{ n[$2] = $1 }
	    END { exit !((n["only_a"] + n["intersection"] - n["a"]) ^ 2 <= 1 &&
	        (n["only_b"] + n["intersection"] - n["b"]) ^ 2 <= 1 &&
	        (n["a"] + n["only_b"] - n["union"]) ^ 2 <= 1) }' out
}

@test "an overlap that is not significant says at most" {
	visitors 100000 100001 200000
	try 0 sketch-compare --bounds day1.hll day2.hll
	grep -qE '^[0-9]+	0	[1-9][0-9]*	intersection	at most$' out
	grep -qE '^[0-9.e-]+	0	0\.[0-9]+	jaccard	at most$' out
	[ "$(grep -c 'at most' out)" = 2 ]
	try 0 sketch-compare --json day1.hll day2.hll
	jq -es 'map(select(.at_most)) | map(.value) == ["intersection", "jaccard"] and
	    all(.[]; .low == 0 and .high > 0)' out
	try 0 sketch-compare day1.hll day2.hll
	[ "$(grep -c 'at most' out)" = 0 ]
	# The same rule for filters, and for what is in one of them only.
	for type in block classic; do
		bloom-build --type $type -n 100000 -o a.sk day1
		bloom-build --type $type -n 100000 -o b.sk day2
		sketch-compare --bounds a.sk b.sk |
		    awk -F '\t' '($2 == 0 && $3 > 0) != ($5 == "at most") { exit 1 }'
	done
	visitors 100000 1 100000
	try 0 sketch-compare --bounds day1.hll day2.hll
	grep -qE '^0	0	[1-9][0-9]*	only_a	at most$' out
	visitors 100000 50001 150000
	try 0 sketch-compare --bounds day1.hll day2.hll
	[ "$(grep -c 'at most' out)" = 0 ]
}

@test "on a terminal bounds and at most follow in parentheses" {
	visitors 100000 100001 200000
	script -qec 'sketch-compare day1.hll day2.hll; sketch-compare day1.hll day2.hll day2.hll' \
	    /dev/null | tr -d '\r' >screen
	grep -qE '^[0-9]+	union  \([0-9]+ to [0-9]+\)$' screen
	grep -qE '^[0-9]+	intersection  \(at most [1-9][0-9]*\)$' screen
	grep -qE '^[0-9.e-]+	jaccard  \(at most 0\.[0-9]+\)$' screen
	grep -qE '^[0-9]+	[0-9.e-]+	day1.hll	day2.hll  \(at most [1-9][0-9]*\)$' screen
	grep -qE '^[0-9]+	1	day2.hll	day2.hll  \([0-9]+ to [0-9]+\)$' screen
}

@test "more than two: a row a pair, in the order of operands" {
	visitors 60000 50001 110000
	hll-build -o day3.hll <(seq 70001 130000)
	try 0 sketch-compare day1.hll day2.hll day3.hll
	[ "$(cut -f 3-4 out)" = "$(printf 'day1.hll\tday2.hll\nday1.hll\tday3.hll\nday2.hll\tday3.hll')" ]
	for pair in '1 2' '1 3' '2 3'; do
		# shellcheck disable=SC2086
		set -- $pair
		sketch-compare "day$1.hll" "day$2.hll" | sed -n '4p;7p' | cut -f 1 | paste -s |
		    sed "s/$/	day$1.hll	day$2.hll/"
	done >wanted
	same wanted out
	try 0 sketch-compare --bounds day1.hll day2.hll day3.hll
	cut -f 1,4,7,8 out >got
	same wanted got
	awk '!($2 <= $1 && $1 <= $3 && $5 <= $4 && $4 <= $6) { exit 1 }' out
	awk '$7 == "day1.hll" && $8 == "day3.hll" { exit !($9 == "at" && $2 == 0) }' out
	# Standard input is any of them.
	try 0 sketch-compare day1.hll - day3.hll <day2.hll
	[ "$(head -n 1 out | cut -f 3-4)" = "$(printf 'day1.hll\tstandard input')" ]
}

@test "more than two, --json: one flat object a pair with every number" {
	visitors 60000 50001 110000
	for type in hll block; do
		[ $type = hll ] || for day in 1 2; do
			bloom-build -n 60000 -o day$day.$type day$day
		done
		try 0 sketch-compare --json day1.$type day2.$type day1.$type
		jq -es 'map([.a, .b]) == [["day1.'$type'", "day2.'$type'"],
		    ["day1.'$type'", "day1.'$type'"], ["day2.'$type'", "day1.'$type'"]]' out
		jq -es 'map(keys | length) | all(. == 23 or . == 24)' out
		head -n 1 out | jq '.items_a, .items_a_low, .items_a_high, .items_b, .items_b_low,
		    .items_b_high, .union, .union_low, .union_high, .intersection, .intersection_low,
		    .intersection_high, .only_a, .only_a_low, .only_a_high, .only_b, .only_b_low,
		    .only_b_high, .jaccard, .jaccard_low, .jaccard_high' >got
		sketch-compare --json day1.$type day2.$type | jq '.estimate, .low, .high' >wanted
		same wanted got
	done
	hll-build -o other.hll <(seq 200000 300000)
	try 0 sketch-compare --json day1.hll day2.hll other.hll
	jq -es 'map(.at_most) == [null, true, true] and .[1].intersection_low == 0' out
}

@test "more than two: a pair that does not match is named" {
	visitors 1000 501 1500
	hll-build --seed 7 -o seed.hll day1
	try 4 sketch-compare day1.hll day2.hll seed.hll
	err_is "sketch-compare: cannot compare 'day1.hll' with 'seed.hll': seed 0 and 7"
	hll-build --compat redis -o redis.hll day1
	try 4 sketch-compare day1.hll redis.hll
	err_is "sketch-compare: cannot compare 'day1.hll' with 'redis.hll': kind hll and hll-redis, hash xxh3 and murmur64a"
}

@test "precisions differ: the finer one is folded" {
	seq 50000 >one
	seq 30001 80000 >two
	hll-build --precision 12 -o one.hll one
	hll-build --precision 15 -o fine.hll two
	hll-build --precision 12 -o two.hll two
	sketch-compare --bounds one.hll two.hll >wanted
	try 0 sketch-compare --bounds one.hll fine.hll && same wanted out
}

@test "a HyperLogLog whose registers are all full has no size, and is status 4" {
	seq 1000 | hll-build --compat postgres:4,2,0,0 -o full.hll
	seq 5 | hll-build --compat postgres:4,2,0,0 -o few.hll
	try 4 sketch-compare few.hll full.hll
	err_is "sketch-compare: cannot compare 'few.hll' with 'full.hll': every register of the second is full, so that it may hold any number of items"
	try 4 sketch-compare full.hll full.hll few.hll
	err_is "sketch-compare: cannot compare 'full.hll' with 'full.hll': every register of the first is full, so that it may hold any number of items"
	# One that is nearly full still tells.
	seq 60 | hll-build --compat postgres:4,2,0,0 -o nearly.hll
	try 0 sketch-compare few.hll nearly.hll
}

@test "-z ends rows with NUL" {
	build block one
	build block two
	sketch-compare one.block two.block | tr '\n' '\0' >wanted
	try 0 sketch-compare -z one.block two.block
	same wanted out
}
