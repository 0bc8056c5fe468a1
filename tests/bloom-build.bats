# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 10000 >lines
}

# param FILE N: a parameter of the first record's header. 0 is the size in
# blocks or bits, 1 the probes, 2 the capacity.
param() {
	od -An -v -tu8 -j $((48 + 8 * $2)) -N 8 "$1" | tr -d ' '
}

flags() {
	od -An -v -tu2 -j 14 -N 2 "$1" | tr -d ' '
}

# build OUTPUT ARGUMENT...: what bloom-build writes without being told where.
build() {
	local output=$1
	shift
	try 0 bloom-build "$@" && mv out "$output"
}

# same_bits FILE FILE: all but the headers is equal.
same_bits() {
	tail -c +129 "$1" >bits.1
	tail -c +129 "$2" >bits.2
	same bits.1 bits.2
}

# found_between LOW HIGH FILTER FILE
found_between() {
	bloom-query -c "$3" "$4" >out 2>err
	out_between "$1" "$2"
}

# What it does.

@test "10,000 items at 1 % take 95,851 bits and 7 hashes, as published" {
	build classic.bf --type classic -n 10000 -p 1% lines
	[ "$(param classic.bf 0)" = 95851 ]
	[ "$(param classic.bf 1)" = 7 ]
	[ "$(param classic.bf 2)" = 10000 ]
	[ "$(wc -c <classic.bf)" = 12160 ]
	seq 10001 110000 >absent
	# 1.0 % of 100,000, and 4 standard deviations.
	found_between 880 1130 classic.bf absent
	# Twice as many items: 15 to 16 %.
	seq 20000 >twice
	try_any 0 bloom-build --type classic -n 10000 -p 1% -o classic.bf twice
	seq 20001 120000 >absent
	found_between 15000 16500 classic.bf absent
}

@test "blocks take 10.5 bits an item at 1 %, one block for each" {
	build block.bf -n 1M /dev/null
	[ "$(param block.bf 1)" = 1 ]
	[ $((256 * $(param block.bf 0))) -gt 10400000 ]
	[ $((256 * $(param block.bf 0))) -lt 10550000 ]
	[ "$(wc -c <block.bf)" = $((128 + (32 * $(param block.bf 0) + 63) / 64 * 64)) ]
	build default.bf --type block -p 0.01 -n 1000000 /dev/null
	same block.bf default.bf
}

@test "the fpp at capacity is the wanted one, for both types" {
	seq 1000001 1200000 >absent
	while read -r p low high; do
		for type in block classic; do
			build file.bf --type "$type" -n 10000 -p "$p" lines
			found_between "$low" "$high" file.bf absent
		done
	done <<-END
		10% 18000 22000
		1% 1780 2220
		0.1% 130 270
		1e-4 0 42
	END
}

@test "an item that was added is never missed" {
	local all='0.5 1% 1e-9'
	! long || all='0.5 1% 1e-4 1e-6 1e-9'
	for type in block classic; do
		for p in $all; do
			for n in 1 10 10000; do
				head -n "$n" lines >some
				build file.bf --type "$type" -n "$n" -p "$p" some
				try 1 bloom-query -v file.bf some
				out_is ''
				# Nor is one of too many.
				try_any 0 bloom-build --type "$type" -n 1 -p "$p" -o file.bf some
				try_any 1 bloom-query -v file.bf some
			done
		done
	done
	build file.bf -n 3000 log
	try 1 bloom-query -v file.bf log
}

@test "without -n the filter is as large as the different items need" {
	cat lines lines log lines >repeated
	distinct=$(sort -u repeated | wc -l)
	for type in block classic; do
		build sized.bf --type "$type" -n "$distinct" repeated
		build auto.bf --type "$type" repeated
		same_bits sized.bf auto.bf
		[ "$(param auto.bf 2)" = "$distinct" ]
		[ "$(flags sized.bf)" = 0 ]
		[ "$(flags auto.bf)" = 2 ]
		for j in 1 2 3; do
			build again.bf --type "$type" -j $j <repeated
			same auto.bf again.bf
			build again.bf --type "$type" -j $j < <(cat repeated)
			same auto.bf again.bf
		done
	done
}

@test "when -M is used up the filter fills on, and says so" {
	# 64 KiB are enough for some 6,000 hashes.
	head -n 7000 lines >some
	try_any 0 bloom-build -M 64K -o got.bf some
	enough=$(param got.bf 2)
	[ "$enough" -ge 6000 ] && [ "$enough" -lt 6800 ]
	head -n "$enough" lines >just
	build full.bf -M 64K just
	[ "$(param full.bf 2)" = "$enough" ]
	for order in cat tac 'shuf --random-source=log'; do
		$order some >ordered
		for j in 1 2 8; do
			try_any 0 bloom-build -M 64K -j $j -o got.bf ordered
			[ "$(wc -l <err)" = 1 ]
			err_has "bloom-build: 'got.bf' is overfilled: about 7"
			err_has " distinct items, sized for $enough; its fpp is "
			err_has ', not 1 %'
			[ -e wanted.bf ] || cp got.bf wanted.bf
			same wanted.bf got.bf
		done
	done
	[ "$(param got.bf 2)" = "$enough" ]
	[ "$(flags got.bf)" = 2 ]
	try_any 0 bloom-build -n "$enough" -o sized.bf some
	same_bits sized.bf got.bf
	try_any 5 bloom-build --strict -M 64K -o got.bf some
	same wanted.bf got.bf
	try_any 1 bloom-query -v got.bf some
}

@test "split in any number of parts, in any order: the same bytes" {
	local counts
	for type in block classic; do
		# Each part is two processes.
		counts='2 33'
		[ "$type" = block ] || counts='1 5 13'
		! long || counts='1 2 3 5 8 13 22 40 64'
		build whole.bf --type "$type" -f 1 -n 5000 log
		for n in $counts; do
			rm -rf parts && mkdir parts
			split -n "l/$n" log parts/
			for part in parts/*; do
				bloom-build --type "$type" -f 1 -n 5000 -o "$part.bf" "$part"
			done
			find parts -name '*.bf' | shuf --random-source=log >order
			xargs sketch-merge <order >merged.bf
			same whole.bf merged.bf
			rm -f updated.bf
			while read -r part; do
				try 0 bloom-build --type "$type" -f 1 -n 5000 --update updated.bf "${part%.bf}"
			done <order
			same whole.bf updated.bf
		done
	done
}

@test "threads, ranges of a file and a pipe give the same bytes" {
	local count=200000
	long && count=1500000
	"$SKETCHUTILS_BUILD/logmaker" urls "$count" >long.txt
	# A small filter has copies, one of more than 16 MiB is shared.
	for how in "-n $count" '-n 15M' '-n 10M --type classic -p 1e-4' '-p 1e-6'; do
		# shellcheck disable=SC2086
		build wanted.bf $how -j 1 long.txt
		for j in 0 2 3; do
			# shellcheck disable=SC2086
			build got.bf $how -j $j long.txt && same wanted.bf got.bf
		done
		# shellcheck disable=SC2086
		build got.bf $how -j 2 < <(cat long.txt) && same wanted.bf got.bf
	done
}

@test "several fields are one item, and differ where one of them does" {
	printf '%s\n' 'ab c' >one
	printf '%s\n' 'ab c' 'a bc' 'abc ' ' abc' 'ab  c' >asked
	build file.bf -p 1e-9 -f 1,2 one
	try 0 bloom-query -f 1,2 file.bf asked
	printf '%s\n' 'ab c' 'ab  c' >wanted
	out_is_file wanted
}

@test "items of any bytes, empty ones and a last line without its end" {
	printf 'a\0b\n\n\377\376\r\nlast' >odd
	build file.bf -p 1e-9 odd
	[ "$(param file.bf 2)" = 4 ]
	printf 'a\0b\n\n\377\376\r\nlast\na\n\377\376\n\0\n' >asked
	try 0 bloom-query file.bf asked
	head -n 4 asked >wanted
	out_is_file wanted
	build file.bf -p 1e-9 --skip-empty --crlf odd
	[ "$(param file.bf 2)" = 3 ]
	try 1 bloom-query file.bf <<<''
	try 0 bloom-query file.bf <<<$'\377\376'
}

@test "-i folds, --seed makes other bits, and both are kept in the file" {
	printf 'Abc\n' >one
	build plain.bf -n 1000 one
	build folded.bf -n 1000 -i one
	build lower.bf -n 1000 -i <<<abc
	same lower.bf folded.bf
	try 0 bloom-query folded.bf <<<aBC
	try 1 bloom-query plain.bf <<<aBC
	build seeded.bf -n 1000 --seed 7 one
	try 0 bloom-query seeded.bf <<<Abc
	cmp -s plain.bf seeded.bf && return 1
	return 0
}

@test "--update creates a file by -n, and then keeps its size" {
	try 0 bloom-build -n 10k --update file.bf lines
	build wanted.bf -n 10k lines
	same wanted.bf file.bf
	# The same items once more: the count of offered ones grows, no bit does.
	try 0 bloom-build --update file.bf lines
	same_bits wanted.bf file.bf
	[ "$(od -An -v -tu8 -j 32 -N 8 file.bf | tr -d ' ')" = 20000 ]
	try 0 bloom-build --update file.bf -n 10k /dev/null
	same_bits wanted.bf file.bf
	build pattern.bf -n 10k --type classic /dev/null
	try 0 bloom-build --update new.bf --like pattern.bf lines
	try 0 bloom-build --update new.bf /dev/null
	build wanted.bf -n 10k --type classic lines
	same wanted.bf new.bf
	try 0 bloom-build -a -n 10k --update new.txt lines
	grep -qE '^sk1:inNr[A-Za-z0-9_-]+$' new.txt
}

@test "--update of another size folds both to what fits, or refuses" {
	# 191,702 bits are twice 95,851.
	head -n 5000 lines >half
	tail -n 5000 lines >rest
	build file.bf --type classic -n 20000 half
	try 0 bloom-build --type classic -n 10000 --update file.bf rest
	build wanted.bf --type classic -n 10000 lines
	same wanted.bf file.bf
	seq 20000 >many
	build file.bf --type classic -n 20000 many
	cp file.bf before.bf
	seq 20001 30000 >others
	try 4 bloom-build --type classic -n 10000 --update file.bf others
	err_has "bloom-build: cannot update 'file.bf': bits 191702 and 95851, folded to 95851 the fpp is"
	try 4 bloom-build --type classic -n 19999 --update file.bf others
	err_has "bloom-build: cannot update 'file.bf': bits 191702 and 191692"
	same before.bf file.bf
}

@test "eight processes that update one file lose nothing" {
	local rounds=6
	long && rounds=40
	for process in 1 2 3 4 5 6 7 8; do
		for ((i = 0; i < rounds; i++)); do
			seq $((process * 100000 + i * 10)) $((process * 100000 + i * 10 + 9)) |
			    bloom-build -n 8000 --update shared.bf
		done &
	done
	wait
	for process in 1 2 3 4 5 6 7 8; do
		seq $((process * 100000)) $((process * 100000 + rounds * 10 - 1))
	done >all
	build wanted.bf -n 8000 all
	same wanted.bf shared.bf
	[ ! -e .shared.bf.new ]
}

@test "--like takes over size, type, fpp, seed and -i" {
	build pattern.bf -n 12345 -p 0.3% --type classic --seed 5 -i log
	build wanted.bf -n 12345 -p 0.3% --type classic --seed 5 -i lines
	try 0 bloom-build --like pattern.bf -o got.bf lines
	same wanted.bf got.bf
}

@test "-o replaces an input, keeps a mode and a link, writes through a fifo" {
	build wanted.bf lines
	cp lines both
	chmod 640 both
	try 0 bloom-build -o both both
	same wanted.bf both
	[ "$(stat -c %a both)" = 640 ]
	ln -s both link
	: >both
	try 0 bloom-build -o link lines
	[ -L link ] && same wanted.bf both
	mkfifo fifo
	cat fifo >got &
	try 0 bloom-build -o fifo lines
	wait
	[ -p fifo ] && same wanted.bf got
	try 0 bloom-build -o /dev/stdout lines
	out_is_file wanted.bf
}

@test "--stats tells what the filter holds by its bits" {
	try_any 0 bloom-build --stats -n 10k -o file.bf lines
	[ "$(wc -l <err)" = 2 ]
	err_has 'bloom-build: 10000 lines, 0 rejected'
	grep -qE '^bloom-build: about (9[89]|10[01])[0-9]+ distinct items in 12\.[89] KiB, 10\.[0-9] bits an item, fpp (0\.9|1\.0)[0-9]* %$' err
	try_any 0 bloom-build --stats -o file.bf /dev/null
	err_has 'about 0 distinct items in 32 B, 0.0 bits an item, fpp 0 %'
}

# Overfill.

@test "a filter that holds what it was sized for raises no alarm" {
	for type in block classic; do
		for n in 1 2 3 10 30 100 300 1000 3000 10000; do
			head -n "$n" lines >some
			cat some some some >thrice
			for p in 20% 1% 1e-5; do
				try 0 bloom-build --type "$type" -n "$n" -p "$p" -o file.bf thrice
			done
		done
	done
}

@test "one that holds more does, and a louder one from 1.25 times on" {
	for type in block classic; do
		try_any 0 bloom-build --type "$type" -n 8500 -o file.bf lines
		[ "$(wc -l <err)" = 1 ]
		grep -qE "^bloom-build: 'file.bf' is overfilled: about (9[89]|10[01])[0-9]+ distinct items, sized for 8500; its fpp is (1\.[89]|2\.[01])[0-9]* %, not 1 %$" err
		try_any 0 bloom-build --type "$type" -n 7500 -o file.bf lines
		grep -qE "^bloom-build: WARNING: 'file.bf' is overfilled: about " err
		try_any 5 bloom-build --strict --type "$type" -n 8500 lines
		err_has 'bloom-build: the filter is overfilled'
	done
	# Every bit of it.
	try_any 0 bloom-build -n 1 -o file.bf lines
	err_is "bloom-build: WARNING: 'file.bf' is overfilled: every bit is set, sized for 1; its fpp is 100 %, not 1 %"
}

@test "more items than asked for are none too many while the fpp is kept" {
	seq 20 >some
	# A block has 256 bits, and a fingerprint a whole number of them.
	head -n 5 some >few
	for type in block classic counting cuckoo; do
		try 0 bloom-build --strict --type "$type" -n 1 -o file.bf few
		try 1 bloom-query --strict -v file.bf few
	done
	head -n 10000 lines >all
	try 0 bloom-build --strict --type cuckoo -n 9700 -o file.bf all
	[ "$(sketch-info --json file.bf | jq '.fpp < .wanted_fpp')" = true ]
}

@test "an update that overfills the file says so" {
	try 0 bloom-build -n 10k --update file.bf lines
	seq 10001 15000 >others
	try_any 0 bloom-build --update file.bf others
	err_has "bloom-build: WARNING: 'file.bf' is overfilled"
	try_any 5 bloom-build --strict --update file.bf /dev/null
}

# How it fails.

@test "a filter that was sized by its items is not updated without -n or --like" {
	for type in block classic; do
		build auto.bf --type "$type" lines
		cp auto.bf before.bf
		try 2 bloom-build --update auto.bf log
		err_is "bloom-build: cannot update 'auto.bf' without -n or --like: its size is that of its items, without room for more"
		same before.bf auto.bf
		seq 10 >few
		try 0 bloom-build --like auto.bf --update auto.bf few
		same_bits before.bf auto.bf
		[ "$(flags auto.bf)" = 2 ]
	done
}

@test "--update needs -n or --like where there is no file, and -n beside -p" {
	try 2 bloom-build --update new.bf lines
	err_is "bloom-build: cannot create 'new.bf' without -n: updates to come need room; use -n or --like"
	[ ! -e new.bf ]
	try 2 bloom-build --update new.bf -p 1% lines
	err_is 'bloom-build: -p and --type need -n when --update is given'
	try 2 bloom-build --update new.bf --type block lines
	try 2 bloom-build --like x -n 10 lines
	err_is 'bloom-build: -n, -p or --type and --like exclude each other'
	try 2 bloom-build -o a --update b -n 10 lines
}

@test "--update of what does not match is status 4, before the input is read" {
	build file.bf -n 10k -f 1 log
	cp file.bf before.bf
	try 4 bloom-build -f 1 --seed 9 --update file.bf no-such-file
	err_is "bloom-build: cannot update 'file.bf': seed 0 and 9"
	try 4 bloom-build -f 1 -i --update file.bf no-such-file
	err_is "bloom-build: cannot update 'file.bf': case kept and folded (-i)"
	try 4 bloom-build -f 1,9 --update file.bf no-such-file
	err_is "bloom-build: cannot update 'file.bf': items of one field and several fields"
	try 4 bloom-build -f 1 --type classic -n 10k --update file.bf no-such-file
	err_is "bloom-build: cannot update 'file.bf': type block and classic"
	try 4 bloom-build -f 1 -p 1e-6 -n 10k --update file.bf no-such-file
	err_is "bloom-build: cannot update 'file.bf': probes 1 and 3"
	same before.bf file.bf
	hll-build -o file.hll log
	try 4 bloom-build --update file.hll no-such-file
	err_is "bloom-build: cannot use sketch 'file.hll': its kind is hll, not bloom"
	try 4 bloom-build --like file.hll no-such-file
	err_is "bloom-build: cannot use sketch 'file.hll': its kind is hll, not bloom"
}

@test "--update of no bytes, of lines or of a damaged filter is status 4" {
	: >empty
	try 4 bloom-build --update empty lines
	err_is "bloom-build: cannot read sketch 'empty': empty, not a sketch"
	try 4 bloom-build --update lines log
	err_is "bloom-build: cannot read sketch 'lines': not a sketch"
	build file.bf -n 10k lines
	head -c 1000 file.bf >cut.bf
	try 4 bloom-build --update cut.bf log
	err_is "bloom-build: cannot read sketch 'cut.bf': truncated"
	printf x | dd of=file.bf bs=1 seek=200 conv=notrunc 2>/dev/null
	try 4 bloom-build --update file.bf log
	err_is "bloom-build: cannot read sketch 'file.bf': payload checksum differs"
}

@test "a failure in the middle of the inputs leaves the old file and no other" {
	build file.bf -n 10k lines
	cp file.bf before.bf
	try 3 bloom-build -o file.bf lines no-such-file
	err_is "bloom-build: cannot open 'no-such-file': No such file or directory"
	try 3 bloom-build --update file.bf lines no-such-file
	try 3 bloom-build -o new.bf no-such-file
	same before.bf file.bf
	[ ! -e .file.bf.new ] && [ ! -e new.bf ]
}

@test "a filter larger than memory is status 3 and says how large" {
	run_small() {
		(ulimit -v 500000 && exec "$@")
	}
	for type in block classic; do
		# The address sanitizer itself needs more address space than this.
		[[ $SKETCHUTILS_BUILD == *-san ]] && break
		try 3 run_small bloom-build --type "$type" -n 1e10 lines
		grep -qE '^bloom-build: cannot make a filter of 1[12]\.[0-9] GiB: not enough memory$' err
	done
	try 3 bloom-build -M 1M -n 1M lines
	err_is 'bloom-build: cannot make a filter of 1.3 MiB: that is more than -M allows'
	try 0 bloom-build -M 2M -n 1M -o file.bf lines
}

# Its limits.

@test "-n 0 and other numbers out of range are status 2 and name the range" {
	for value in 0 1000000000000001 1e30; do
		try 2 bloom-build -n "$value" lines
		err_is "bloom-build: cannot use -n '$value': not in 1..1000000000000000"
	done
	for value in -1 nan '' 1x 0.5; do
		try 2 bloom-build -n "$value" lines
		err_is "bloom-build: cannot use -n '$value': not a whole number"
	done
	for value in 0 1 0.51 2 1e-10 100%; do
		try 2 bloom-build -p "$value" lines
		err_is "bloom-build: cannot use -p '$value': not in 1e-09..0.5"
	done
	for value in nan x -0.1; do
		try 2 bloom-build -p "$value" lines
		err_is "bloom-build: cannot use -p '$value': not a number such as 0.01 or 1%"
	done
	for type in block classic; do
		try 2 bloom-build --type "$type" -n 1000000000000000 -p 1e-9 lines
		err_is 'bloom-build: cannot use -n 1000000000000000: the filter would be larger than 32 TiB'
	done
	try 2 bloom-build --type xor lines
	err_is "bloom-build: cannot use --type 'xor': not block, classic, counting, scalable or cuckoo"
}

@test "no lines make a filter of nothing" {
	build empty.bf /dev/null
	[ "$(wc -c <empty.bf)" = 192 ]
	try 1 bloom-query empty.bf lines
	build empty.bf --type classic /dev/null
	try 1 bloom-query empty.bf lines
	build empty.bf -n 1M /dev/null
	try 1 bloom-query empty.bf lines
}
