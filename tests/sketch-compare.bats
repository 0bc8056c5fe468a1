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
	err_has 'transform none and fold'
	try 4 sketch-compare one.block probes.sk
	err_has 'probes 1 and 2'
	seq 10 | bloom-build --type cuckoo -n 10 -o a.sk
	seq 10 | bloom-build --type cuckoo -n 99 -o b.sk
	try 4 sketch-compare a.sk b.sk
	err_has 'buckets '
}

@test "kinds that cannot tell, keyed sketches and files of several are refused" {
	build block one
	hll-build -o hll.sk one
	cms-build -o cms.sk one
	bloom-build --type scalable -o scalable.sk one
	for file in hll cms scalable; do
		try 4 sketch-compare $file.sk $file.sk
		err_has "sketch-compare: cannot compare '$file.sk': its kind is "
		err_has 'bloom-block, bloom-classic, '
	done
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

@test "exactly two operands" {
	build block one
	for operands in '' one.block 'one.block one.block one.block'; do
		# shellcheck disable=SC2086
		try 2 sketch-compare $operands
		err_has 'two are needed'
	done
	try 2 sketch-compare - - <one.block
}

@test "-z ends rows with NUL" {
	build block one
	build block two
	sketch-compare one.block two.block | tr '\n' '\0' >wanted
	try 0 sketch-compare -z one.block two.block
	same wanted out
}
