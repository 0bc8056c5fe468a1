# sketchutils: BSD-2-Clause, see LICENSE
#
# sketch-merge with the filters of membership: unions of every type,
# intersections, folding, and keyed ones.

load helper

# 30,000 lines, of which the 10,000 in the middle are in both halves.
prepare() {
	seq 20000 >left
	seq 10001 30000 >right
	seq 10001 20000 >common
}

# build TYPE FILE [OPTION]...: the same size whatever comes.
build() {
	bloom-build --type "$1" -n 50000 -p 0.1% -o "$2.$1" "${@:3}" "$2"
}

# fact NAME FILE: one number of sketch-info.
fact() {
	sketch-info --json "$2" | jq -r ".$1"
}

# payload FILE: its contents without the header, which counts items.
payload() {
	tail -c +129 "$1"
}

TYPES='block classic counting scalable cuckoo'

@test "every line of every part is found in a union of every type" {
	for type in $TYPES; do
		build "$type" left
		build "$type" right
		try 0 sketch-merge -o "both.$type" "left.$type" "right.$type"
		out_is ''
		[ "$(seq 30000 | bloom-query -c "both.$type")" = 30000 ]
		[ "$(fact items "both.$type")" = 40000 ]
		[ "$(seq 100001 200000 | bloom-query -c "both.$type")" -lt 250 ]
	done
}

@test "block, classic and counting unite to the filter of all lines, in any order" {
	seq 10000 >one
	seq 10001 30000 >two
	seq 30000 >all
	for type in block classic counting; do
		for part in one two all; do build "$type" "$part"; done
		try 0 sketch-merge "one.$type" "two.$type" && out_is_file "all.$type"
		try 0 sketch-merge "two.$type" "one.$type" && out_is_file "all.$type"
	done
}

@test "stages of a scalable filter come in the order of the operands" {
	build scalable left
	build scalable right
	sketch-merge -o a.sk left.scalable right.scalable
	sketch-merge -o b.sk right.scalable left.scalable
	[ "$(fact stages a.sk)" = "$(fact stages b.sk)" ]
	try_any 1 cmp -s a.sk b.sk
	[ "$(fact distinct a.sk)" = "$(fact distinct b.sk)" ]
}

@test "copies that find no slot are status 3, and nothing is written" {
	seq 100 >few
	bloom-build --type cuckoo -n 100 -o few.sk few
	try 3 sketch-merge -o out.sk few.sk few.sk few.sk
	err_has "sketch-merge: cannot merge 'few.sk': does not fit: "
	[ ! -e out.sk ]
}

@test "unlike types, sizes that share no divisor, and other probes are named" {
	seq 100 >few
	bloom-build -n 1000 -o a.sk few
	bloom-build -n 1100 -o b.sk few
	bloom-build -n 1000 -p 1e-4 -o c.sk few
	bloom-build -n 1000 --type classic -o d.sk few
	try 4 sketch-merge a.sk b.sk
	err_has "sketch-merge: cannot merge 'b.sk': blocks "
	try 4 sketch-merge a.sk c.sk
	err_is "sketch-merge: cannot merge 'c.sk': probes 1 and 2"
	try 4 sketch-merge a.sk d.sk
	err_is "sketch-merge: cannot merge 'd.sk': kind bloom-block and bloom-classic"
}

@test "an overfilled union is lamented, and status 5 with --strict" {
	seq 1000 | bloom-build -n 1000 -o a.sk
	seq 1001 2000 | bloom-build -n 1000 -o b.sk
	try_any 0 sketch-merge -o both.sk a.sk b.sk
	err_has "sketch-merge: WARNING: 'both.sk' is overfilled: about "
	try_any 5 sketch-merge --strict -o both.sk a.sk b.sk
	[ "$(seq 2000 | bloom-query -c both.sk 2>err)" = 2000 ]
	try 0 sketch-merge --strict a.sk a.sk
}

# Intersections.

@test "an intersection holds every common line, and few of one side alone" {
	for type in block classic counting; do
		build "$type" left
		build "$type" right
		try 0 sketch-merge --intersect -o "and.$type" "left.$type" "right.$type"
		[ "$(bloom-query -c "and.$type" common)" = 10000 ]
		[ "$(fact intersected "and.$type")" = true ]
		[ "$(fact intersected "left.$type")" = false ]
		[ "$(fact items "and.$type")" = 20000 ]
		# Less than 0.1 % of either side's own 10,000: the filters are not full.
		[ "$(seq 10000 | bloom-query -c "and.$type")" -lt 30 ]
		[ "$(seq 20001 30000 | bloom-query -c "and.$type")" -lt 30 ]
		[ "$(seq 100001 200000 | bloom-query -c "and.$type")" -lt 10 ]
		sketch-merge --intersect "right.$type" "left.$type" | cmp - "and.$type"
	done
}

@test "counters of an intersection are the smaller ones" {
	printf '%s\n' a a a b | bloom-build --type counting -n 100 -o x.sk
	printf '%s\n' a a c | bloom-build --type counting -n 100 -o y.sk
	printf '%s\n' a a | bloom-build --type counting -n 100 -o wanted.sk
	sketch-merge --intersect -o and.sk x.sk y.sk
	payload wanted.sk >wanted
	payload and.sk >got
	same wanted got
}

@test "the flag stays in what the intersection is united with" {
	build block left
	build block right
	sketch-merge --intersect -o and.sk left.block right.block
	sketch-merge -o more.sk left.block and.sk
	[ "$(fact intersected more.sk)" = true ]
	seq 5 | bloom-build --update and.sk -n 50000 -p 0.1%
	[ "$(fact intersected and.sk)" = true ]
}

@test "one sketch intersected is itself" {
	build block left
	try 0 sketch-merge --intersect left.block
	out_is_file left.block
}

@test "kinds that cannot intersect or fold are refused, and those that can are named" {
	seq 100 | cms-build -o cms.sk
	seq 100 | hll-build -o hll.sk
	seq 100 | bloom-build --type cuckoo -n 100 -o cuckoo.sk
	seq 100 | bloom-build --type scalable -o scalable.sk
	for file in cms hll cuckoo scalable; do
		try 4 sketch-merge --intersect $file.sk
		err_has "cannot intersect '$file.sk': its kind is "
		err_has 'bloom-block, bloom-classic, '
	done
	for file in cms cuckoo scalable; do
		try 4 sketch-merge --fold 64K $file.sk
		err_has "cannot fold '$file.sk': its kind is "
	done
	try 4 sketch-merge --fold 1% hll.sk
	err_has "cannot fold 'hll.sk': its kind is hll; "
	bloom-build --by 1 -n 10 -o keyed.sk common
	try 4 sketch-merge --intersect keyed.sk keyed.sk
	err_is "sketch-merge: cannot intersect 'keyed.sk': it is keyed"
}

# Folding.

@test "a folded filter has the bytes of one that was built smaller" {
	bloom-build -n 398k -o large.sk left
	bloom-build -n 199k -o small.sk left
	[ "$(fact blocks large.sk)" = 16384 ] && [ "$(fact blocks small.sk)" = 8192 ]
	try 0 sketch-merge --fold "$(fact payload_bytes small.sk)" -o folded.sk large.sk
	payload folded.sk >got
	payload small.sk >wanted
	same wanted got
	[ "$(fact capacity folded.sk)" = 199000 ]

	# By a multiple of items the bits of a classic filter may come out as one too.
	local n
	for ((n = 1000; n < 1100; n++)); do
		seq 800 | bloom-build --type classic -n $((2 * n)) -o large.sk
		seq 800 | bloom-build --type classic -n $n -o small.sk
		[ "$(fact bits large.sk)" != $((2 * $(fact bits small.sk))) ] || break
	done
	[ "$n" -lt 1100 ]
	for type in classic counting; do
		seq 800 | bloom-build --type $type -n $((2 * n)) -o large.sk
		seq 800 | bloom-build --type $type -n $n -o small.sk
		try 0 sketch-merge --fold "$(fact payload_bytes small.sk)" large.sk
		out_is_file small.sk
	done
}

@test "large block filters can be halved six times" {
	bloom-build -n 1M -o a.sk common
	local bytes
	bytes=$(fact payload_bytes a.sk)
	for part in 2 4 8 16 32 64; do
		try 0 sketch-merge --fold $((bytes / part)) -o b.sk a.sk
		[ "$(fact payload_bytes b.sk)" = $((bytes / part)) ]
		[ "$(fact capacity b.sk)" = $((1000000 / part)) ]
		[ "$(bloom-query -c b.sk common)" = 10000 ]
	done
}

@test "--fold with a probability finds the smallest filter that keeps it" {
	bloom-build -n 1M -o a.sk common
	for fpp in 5% 0.01 1e-3; do
		try 0 sketch-merge --fold $fpp --strict -o b.sk a.sk
		sketch-info --json b.sk | jq -e '.fpp <= .wanted_fpp and .distinct < .capacity'
		# What is smaller still has more.
		local blocks
		blocks=$(fact blocks b.sk)
		for ((d = blocks - 1; 41152 % d != 0; d--)); do :; done
		try_any 0 sketch-merge --fold $((d * 32)) -o c.sk a.sk
		[ "$(fact blocks c.sk)" = $d ]
		sketch-info --json b.sk c.sk | jq -es '.[1].fpp > .[0].wanted_fpp'
		[ "$(bloom-query -c b.sk common)" = 10000 ]
	done
}

@test "--fold refuses what is not near, or not good enough, and tells what is" {
	bloom-build -n 1000 -p 1% -o a.sk common 2>err
	try 4 sketch-merge --fold 1% a.sk
	err_has "sketch-merge: cannot fold 'a.sk': its fpp is "
	# 5 * 19 * 101 bits.
	seq 10 | bloom-build --type classic -n 1001 -o b.sk
	[ "$(fact bits b.sk)" = 9595 ]
	try 4 sketch-merge --fold 1000 b.sk
	err_is "sketch-merge: cannot fold 'b.sk': it can have 240 B or 1.2 KiB, and nothing near 1000 B"
	seq 10 | bloom-build -n 1M -o c.sk
	try 4 sketch-merge --fold 31 c.sk
	err_is "sketch-merge: cannot fold 'c.sk': its least size is 32 B"
	for to in 0 1x 60% 1e-12 '' -1; do
		try 2 sketch-merge "--fold=$to" c.sk
		err_has --fold
	done
}

@test "a size that is large enough already changes nothing" {
	build block left
	try 0 sketch-merge --fold 1G left.block
	out_is_file left.block
}

@test "with --fold unlike sizes unite as far as it allows" {
	bloom-build -n 400k -o a.sk left
	bloom-build -n 199k -o b.sk right
	[ "$(fact blocks a.sk)" = 16512 ] && [ "$(fact blocks b.sk)" = 8192 ]
	try 4 sketch-merge a.sk b.sk
	err_has 'folded to 128 the fpp is '
	try_any 0 sketch-merge --fold 8K -o both.sk a.sk b.sk
	[ "$(fact blocks both.sk)" = 128 ]
	[ "$(seq 30000 | bloom-query -c both.sk 2>err)" = 30000 ]
	try 4 sketch-merge --fold 5% a.sk b.sk
	err_has "cannot fold 'b.sk': its fpp is "
	# Half the size within what is wanted needs no option.
	bloom-build -n 200k -o c.sk right
	[ "$(fact blocks c.sk)" = 8256 ]
	try 0 sketch-merge -o both.sk a.sk c.sk
	[ "$(fact blocks both.sk)" = 8256 ]
}

@test "a HyperLogLog folds to a size, and is the one built so coarse" {
	seq 100000 | hll-build -o fine.sk
	seq 100000 | hll-build --precision 10 -o coarse.sk
	try 0 sketch-merge --fold 1K fine.sk && out_is_file coarse.sk
	seq 100000 | sed 's/.*\(.\)/\1 &/' >pairs
	hll-build --by 1 -f 2 -o fine.sk pairs
	hll-build --by 1 -f 2 --precision 10 -o coarse.sk pairs
	try 0 sketch-merge --fold 1K fine.sk && out_is_file coarse.sk
	try 0 sketch-merge --fold 1K <fine.sk && out_is_file coarse.sk
	try 4 sketch-merge --fold 500 fine.sk
	err_has 'its least size is 512 B'
}

# Keyed ones.

@test "keyed filters unite key by key, from files and from a stream" {
	sed 's/.*\(.\)/\1 &/' left >left.pairs
	sed 's/.*\(.\)/\1 &/; s/^7/seven/' right >right.pairs
	for type in block classic counting; do
		for side in left right; do
			bloom-build --type "$type" -n 6000 --by 1 -f 2 -o "$side.sk" "$side.pairs"
			bloom-build --type "$type" -n 6000 --by 1 -f 2 -a -o "$side.txt" "$side.pairs"
		done
		try 0 sketch-merge --expect 2 -o both.sk left.sk right.sk
		[ "$(fact keys both.sk)" = 11 ]
		try 0 sketch-merge < <(cat left.sk right.sk) && out_is_file both.sk
		try 0 sketch-merge left.txt right.txt && out_is_file both.sk
		try 0 sketch-merge -a left.sk right.sk && cp out both.txt
		[ "$(wc -l <both.txt)" = 11 ]
		# Each is the union of its two.
		for key in 0 3 seven; do
			for side in left right both; do
				grep "^$key	" "$side.txt" >"$side.one" || true
			done
			cat left.one right.one | sketch-merge -a - >wanted
			same wanted both.one
		done
	done
}

@test "keyed filters fold key by key" {
	{ seq -f 'a %g' 2000; seq -f 'b %g' 20; } >pairs
	bloom-build -n 50000 --by 1 -f 2 -o big.sk pairs
	try 0 sketch-merge --fold 1% -o small.sk big.sk
	[ "$(wc -c <small.sk)" -lt $(($(wc -c <big.sk) / 4)) ]
	sketch-info --each --json small.sk | jq -es '.[0].fpp <= 0.01 and .[1].blocks < .[0].blocks'
	[ "$(seq 2000 | bloom-query -c small.sk)" = 2000 ]
	try 0 sketch-merge --fold 1% <big.sk && out_is_file small.sk
}

@test "keyed filters whose keys do not unite are refused before anything is written" {
	seq -f 'a %g' 900 | bloom-build -n 1000 --by 1 -f 2 -o a.sk
	seq -f 'a %g' 900 | bloom-build -n 1100 --by 1 -f 2 -o b.sk
	try 4 sketch-merge a.sk b.sk
	err_has "cannot merge 'b.sk': blocks "
	try 4 sketch-merge < <(cat a.sk b.sk)
	err_has "cannot merge 'standard input': blocks "
	seq -f 'a %g' 99 | hll-build --by 1 -f 2 -o h.sk
	try 4 sketch-merge a.sk h.sk
	err_is "sketch-merge: cannot merge 'h.sk': kind bloom-block and hll"
}

@test "how many keys are overfilled is told in one line" {
	seq -f 'a %g' 100 | bloom-build -n 100 --by 1 -f 2 -o a.sk
	{ seq -f 'a %g' 101 200; seq -f 'b %g' 50; } | bloom-build -n 100 --by 1 -f 2 -o b.sk
	try_any 0 sketch-merge -o both.sk a.sk b.sk
	err_is 'sketch-merge: 1 keys have an overfilled filter: their fpp is higher than the wanted one'
	try_any 5 sketch-merge --strict -o both.sk <(cat a.sk b.sk)
	err_is 'sketch-merge: 1 keys have an overfilled filter: their fpp is higher than the wanted one'
}
