# sketchutils: BSD-2-Clause, see LICENSE
#
# bloom-build with the types that do more than a set of bits does, and with a
# filter for each key. What all types do alike is in bloom-build.bats.

load helper

TYPES='block classic counting scalable cuckoo'

prepare() {
	seq 10000 >lines
}

# build OUTPUT ARGUMENT...: what bloom-build writes without being told where.
build() {
	local output=$1
	shift
	try 0 bloom-build "$@" && mv out "$output"
}

# fact NAME FILE: what sketch-info tells.
fact() {
	sketch-info --json "$2" | jq -r ".$1"
}

# none_missed FILTER FILE: every line of the file is found.
none_missed() {
	try 1 bloom-query -v "$1" "$2"
	out_is ''
}

# found_at_most N FILTER FILE
found_at_most() {
	bloom-query -c "$2" "$3" >out 2>err || [ $? = 1 ] || failed
	out_between 0 "$1"
}

# copies N: as many lines that are all alike.
copies() {
	seq "$1" | sed 's/.*/x/' >copies
}

# What they promise.

@test "the fpp at capacity is at most 1.1 times the wanted one, for every type" {
	seq 1000001 1400000 >absent
	for type in $TYPES; do
		for p in 10% 1% 0.1%; do
			build file.bf --type "$type" -n 10000 -p "$p" lines
			none_missed file.bf lines
			case $p in
			10%) found_at_most 44000 file.bf absent ;;
			1%) found_at_most 4400 file.bf absent ;;
			0.1%) found_at_most 440 file.bf absent ;;
			esac
		done
	done
}

@test "so it is for every p and n, few items and ten million" {
	long || skip 'part of make check-long'
	seq 100000001 104000000 >absent
	for n in 1 2 1000 109397 1000000 10000000; do
		seq "$n" >some
		for p in 0.1 0.01 1e-3 1e-4 1e-6; do
			case $n:$p in 10000000:0.1 | 10000000:1e-3 | 10000000:1e-4) continue ;; esac
			most=$(awk -v p="$p" 'BEGIN { mean = 4.4e6 * p; printf "%d", mean + 4 * sqrt(mean) }')
			for type in $TYPES; do
				build file.bf --type "$type" -n "$n" -p "$p" some
				none_missed file.bf some
				found_at_most "$most" file.bf absent
			done
		done
	done
}

@test "a scalable filter keeps its fpp for a hundred times the items of its first stage" {
	seq 1000001 1400000 >absent
	for p in 10% 1% 0.1%; do
		try 0 bloom-build --type scalable -n 100 -p "$p" -o file.bf lines
		[ "$(fact stages file.bf)" = 7 ]
		none_missed file.bf lines
		case $p in
		10%) found_at_most 44000 file.bf absent ;;
		1%) found_at_most 4400 file.bf absent ;;
		0.1%) found_at_most 440 file.bf absent ;;
		esac
	done
	build file.bf --type scalable lines
	[ "$(fact first_capacity file.bf)" = 100000 ]
	[ "$(fact stages file.bf)" = 1 ]
}

@test "an item that was added is never missed, however often it came" {
	cat lines lines lines >thrice
	local all='0.5 1e-8'
	! long || all='0.5 1% 1e-8'
	for type in $TYPES; do
		for p in $all; do
			for n in 1 10000; do
				head -n "$n" lines >some
				build file.bf --type "$type" -n "$n" -p "$p" some
				none_missed file.bf some
			done
			build file.bf --type "$type" -n 60000 -p "$p" thrice
			none_missed file.bf lines
		done
	done
}

@test "threads, ranges of a file and a pipe give the same bytes" {
	local count=50000
	long && count=1000000
	"$SKETCHUTILS_BUILD/logmaker" urls "$count" >long.txt
	# A small counting filter has copies, one of more than 16 MiB is shared.
	for how in "counting -n $count" 'counting -n 4M' counting "scalable -n 100" scalable \
	    "cuckoo -n $((3 * count))" cuckoo; do
		# shellcheck disable=SC2086
		build wanted.bf --type $how -j 1 long.txt
		for j in 2 3; do
			# shellcheck disable=SC2086
			build got.bf --type $how -j $j long.txt && same wanted.bf got.bf
		done
		# shellcheck disable=SC2086
		build got.bf --type $how -j 2 < <(cat long.txt) && same wanted.bf got.bf
	done
}

@test "order makes no difference to a counting filter; to the others it does" {
	tac lines >backwards
	for type in counting scalable cuckoo; do
		# A scalable filter within its first stage is a set of bits like others.
		n=$([ "$type" = scalable ] && echo 100 || echo 10000)
		build one.bf --type "$type" -n "$n" lines
		build other.bf --type "$type" -n "$n" backwards
		if [ "$type" = counting ]; then
			same one.bf other.bf
		else
			if cmp -s one.bf other.bf; then failed; fi
		fi
	done
}

@test "counting filters of parts sum up to that of the whole, byte for byte" {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	build whole.bf --type counting -f 1 -n 3000 log
	mkdir parts
	split -n l/7 log parts/
	for part in parts/*; do
		bloom-build --type counting -f 1 -n 3000 -o "$part.bf" "$part"
		try 0 bloom-build --type counting -f 1 -n 3000 --update updated.bf "$part"
	done
	sketch-merge parts/*.bf >merged.bf
	same whole.bf merged.bf
	same whole.bf updated.bf
}

@test "the 15th copy makes counters permanent, the 8th a cuckoo's item" {
	copies 14
	build file.bf --type counting -n 1000 copies
	[ "$(fact permanent file.bf)" = 0 ]
	copies 15
	build file.bf --type counting -n 1000 copies
	[ "$(fact permanent file.bf)" = "$(fact probes file.bf)" ]
	copies 100000
	build file.bf --type cuckoo -n 8 copies
	[ "$(fact stored file.bf)" = 8 ]
	[ "$(fact items file.bf)" = 100000 ]
}

# Sizes that follow from the items.

@test "without -n a counting filter is as large as the different items need" {
	cat lines lines lines >thrice
	build sized.bf --type counting -n 10000 thrice
	build auto.bf --type counting thrice
	[ "$(fact auto auto.bf)" = true ] && [ "$(fact auto sized.bf)" = false ]
	tail -c +129 sized.bf >a
	tail -c +129 auto.bf >b
	same a b
	for j in 2 3; do
		build again.bf --type counting -j $j < <(cat thrice)
		same auto.bf again.bf
	done
}

@test "without -n a cuckoo filter has a slot for each copy, and as many more as it takes" {
	build auto.bf --type cuckoo lines
	[ "$(fact capacity auto.bf)" = 10000 ]
	[ "$(fact auto auto.bf)" = true ]
	none_missed auto.bf lines
	# Of twelve copies eight count.
	copies 12
	cat lines copies >some
	build auto.bf --type cuckoo some
	[ "$(fact capacity auto.bf)" = 10008 ]
	# Four of each crowd a table in which there is a slot for all of them.
	cat lines lines lines lines >often
	try 3 bloom-build --type cuckoo -n 40000 often
	for j in 1 2 3; do
		build auto.bf --type cuckoo -j $j often
		[ "$(fact stored auto.bf)" = 40000 ]
		[ "$(fact capacity auto.bf)" -gt 40000 ]
		[ -e first.bf ] || cp auto.bf first.bf
		same first.bf auto.bf
	done
	none_missed auto.bf lines
	# Ten of each crowd a table of any reasonable size.
	cat often often lines lines >often10
	try 3 bloom-build --type cuckoo -o new.bf often10
	grep -qE '^bloom-build: cannot add item [0-9]+: repeated items crowd each other out; add each once \(see bloom-uniq\)$' err
	[ ! -e new.bf ]
}

@test "hashes and what counts them stay within -M" {
	[ "${SKETCHUTILS_BUILD##*/}" != build-san ] || skip 'a sanitizer has memory of its own'
	# As many as 16 MiB are enough for, and as a quarter of that are.
	for count in 400000 1600000; do
		seq $count >items
		for type in counting cuckoo; do
			"$SKETCHUTILS_BUILD/stopwatch" 1 bloom-build -j 1 --type $type -M $((count / 100))K -o got.bf items >cost
			read -r _ _ peak status <cost
			[ "$status" = 0 ]
			local size
			size=$(stat -c %s got.bf)
			# The buffers of any program, and a page of 2 MiB at each end.
			[ $((peak * 1024)) -lt $((count / 100 * 1126 + size + 8000000)) ]
		done
	done
}

@test "when -M is used up, the size is that of what came until then" {
	# 64 KiB are enough for 6,553 hashes.
	for j in 1 2 8; do
		try_any 0 bloom-build --type counting -M 64K -j $j -o got.bf lines
		err_has "bloom-build: WARNING: 'got.bf' is overfilled: about "
		err_has ' distinct items, sized for 6553; its fpp is '
		[ -e wanted.bf ] || cp got.bf wanted.bf
		same wanted.bf got.bf
	done
	try_any 0 bloom-build --type counting -n 6553 -o sized.bf lines
	tail -c +129 sized.bf >a
	tail -c +129 got.bf >b
	same a b
	try 3 bloom-build --type cuckoo -M 64K lines
	err_has 'the filter is full, it was sized for 6553;'
	head -n 6553 lines >some
	build auto.bf --type cuckoo -M 64K some
	[ "$(fact capacity auto.bf)" = 6553 ]
}

@test "a scalable filter needs no -n, and is never sized by its items" {
	build file.bf --type scalable lines
	[ "$(fact auto file.bf)" = false ]
	try 0 bloom-build --type scalable --update new.bf lines
	same file.bf new.bf
	try 0 bloom-build --update new.bf lines
	[ "$(fact items new.bf)" = 20000 ]
	tail -c +129 file.bf >a
	tail -c +129 new.bf >b
	same a b
}

# A full cuckoo filter.

@test "a cuckoo filter refuses what does not fit, and leaves the file as it was" {
	try 3 bloom-build --type cuckoo -n 9000 lines
	grep -qE '^bloom-build: cannot add item 9[0-9]+: the filter is full, it was sized for 9000; use a larger -n \(a repeated item takes room each time: see bloom-uniq\)$' err
	for j in 1 2; do
		cp err before.err
		try 3 bloom-build --type cuckoo -n 9000 -j $j -o new.bf lines
		same before.err err
	done
	[ ! -e new.bf ] && [ ! -e .new.bf.new ]
	build old.bf --type cuckoo -n 10000 lines
	cp old.bf before.bf
	try 3 bloom-build --type cuckoo -n 9000 -o old.bf lines
	same before.bf old.bf
	seq 20001 22000 >more
	try 3 bloom-build --update old.bf more
	grep -qE "^bloom-build: cannot add item [0-9]+: 'old.bf' is full, it was sized for 10000; use a larger -n" err
	same before.bf old.bf
	[ ! -e .old.bf.new ]
	# More than -M keeps enter a filter of their own, and then do not fit.
	seq 20001 29000 >more
	try 3 bloom-build -M 64K --update old.bf more
	grep -qE "^bloom-build: cannot update 'old.bf': does not fit: 10000 and 9000 items in [0-9]+ slots$" err
	same before.bf old.bf
}

# --update and --like.

@test "--update in several runs is one run over all lines" {
	for type in $TYPES; do
		rm -f file.bf
		for from in 1 3001 6001 9001; do
			sed -n "$from,$((from + 2999))p" lines >part
			try 0 bloom-build --type "$type" -n 10000 --update file.bf part
		done
		build wanted.bf --type "$type" -n 10000 lines
		same wanted.bf file.bf
		# Of the file's own size if nothing is said.
		rm -f file.bf
		try 0 bloom-build --type "$type" -n 10000 --update file.bf <(head -n 5000 lines)
		try 0 bloom-build --update file.bf <(tail -n +5001 lines)
		same wanted.bf file.bf
	done
}

@test "an update of more lines than -M keeps is united with the file" {
	seq 10001 20000 >more
	for type in scalable cuckoo; do
		rm -f file.bf
		try 0 bloom-build --type "$type" -n 30000 --update file.bf lines
		try 0 bloom-build -M 80K --update file.bf more
		[ "$(fact items file.bf)" = 20000 ]
		none_missed file.bf lines
		none_missed file.bf more
	done
}

@test "--like takes over type, size, fpp, seed and -i" {
	for type in $TYPES; do
		build pattern.bf -n 12345 -p 0.3% --type "$type" --seed 5 -i <(seq 100)
		build wanted.bf -n 12345 -p 0.3% --type "$type" --seed 5 -i lines
		try 0 bloom-build --like pattern.bf -o got.bf lines
		same wanted.bf got.bf
		try 0 bloom-build --like pattern.bf --update new.bf lines
		same wanted.bf new.bf
		rm new.bf
	done
}

@test "a filter that was sized by its items is not updated without -n or --like" {
	for type in counting cuckoo; do
		build auto.bf --type "$type" lines
		cp auto.bf before.bf
		try 2 bloom-build --update auto.bf <(seq 1)
		err_is "bloom-build: cannot update 'auto.bf' without -n or --like: its size is that of its items, without room for more"
		same before.bf auto.bf
		try 0 bloom-build --like auto.bf --update auto.bf <(seq 1)
		[ "$(fact items auto.bf)" = 10001 ]
		try 2 bloom-build --type "$type" --update none.bf lines
		[ ! -e none.bf ]
	done
}

@test "--update of another type or size is status 4 before the input is read" {
	for type in $TYPES; do
		build "$type.bf" --type "$type" -n 10000 lines
	done
	cp cuckoo.bf before.bf
	try 4 bloom-build --type block -n 10000 --update cuckoo.bf no-such-file
	err_is "bloom-build: cannot update 'cuckoo.bf': type cuckoo and block"
	try 4 bloom-build --type cuckoo -n 20000 --update cuckoo.bf no-such-file
	grep -qE "^bloom-build: cannot update 'cuckoo.bf': 26[0-9]+ buckets of 10-bit fingerprints and 53[0-9]+ of 10$" err
	try 4 bloom-build --type cuckoo -n 10000 -p 0.1% --update cuckoo.bf no-such-file
	grep -qE "buckets of 10-bit fingerprints and 26[0-9]+ of 13$" err
	same before.bf cuckoo.bf
	try 4 bloom-build --type counting -n 10000 -p 1e-4 --update counting.bf no-such-file
	err_is "bloom-build: cannot update 'counting.bf': probes 7 and 13"
	try 4 bloom-build --type counting -n 10000 --update classic.bf no-such-file
	err_is "bloom-build: cannot update 'classic.bf': type classic and counting"
	try 4 bloom-build --type scalable --seed 3 --update scalable.bf no-such-file
	err_is "bloom-build: cannot update 'scalable.bf': seed 0 and 3"
}

# What they say.

@test "armour, --stats and overfill for every type" {
	for type in $TYPES; do
		build file.bf --type "$type" -n 10000 lines
		build file.txt --type "$type" -n 10000 -a lines
		[ "$(wc -l <file.txt)" = 1 ]
		sketch-info --json file.bf | jq 'del(.file, .armored, .bytes)' >a
		sketch-info --json file.txt | jq 'del(.file, .armored, .bytes)' >b
		same a b
		try 0 bloom-build --update file.txt <(seq 5)
		grep -q '^sk1:' file.txt
		try_any 0 bloom-build --stats --type "$type" -n 10000 -o file.bf lines
		grep -qE '^bloom-build: about (9[89]|10[01])[0-9]+ distinct items in [0-9.]+ KiB, [0-9.]+ bits an item, fpp (0\.[4-9]|1\.0)[0-9]* %$' err
	done
	try_any 5 bloom-build --strict --type counting -n 7500 lines
	grep -qE '^bloom-build: WARNING: the filter is overfilled: about [0-9]+ distinct items, sized for 7500; its fpp is [0-9.]+ %, not 1 %$' err
	# Copies of items that are there are no further ones.
	cat lines lines lines >thrice
	try 0 bloom-build --strict --type counting -n 10000 -o file.bf thrice
	try 0 bloom-build --strict --type scalable -n 10 -o file.bf lines
	try 0 bloom-build --strict --type cuckoo -n 10000 -o file.bf lines
}

@test "-M is a ceiling for filters of a known size, and for one that grows" {
	for type in counting cuckoo; do
		try 3 bloom-build --type "$type" -n 1M -M 1M -o new.bf lines
		grep -qE '^bloom-build: cannot make a filter of [0-9.]+ MiB: that is more than -M allows$' err
	done
	try 3 bloom-build --type scalable -n 10 -M 64K -o new.bf <(seq 100000)
	grep -qE '^bloom-build: cannot add item [0-9]+: the filter takes more than -M allows$' err
	[ ! -e new.bf ]
	try 0 bloom-build --type scalable -n 10 -M 1M -o new.bf <(seq 100000)
}

@test "numbers out of a type's range are status 2, name the range and make no file" {
	for type in $TYPES; do
		for value in 0 1 2 1e-300 51%; do
			try 2 bloom-build --type "$type" -n 10 -p "$value" -o new.bf lines
			err_has "cannot use -p '$value': not in "
		done
		for value in -1 nan; do
			try 2 bloom-build --type "$type" -n 10 -p "$value" -o new.bf lines
			err_has "cannot use -p '$value': not a number"
		done
		try 2 bloom-build --type "$type" -n 0 -o new.bf lines
		err_has "cannot use -n '0': not in 1..1000000000000000"
		try 2 bloom-build --type "$type" -n 1e30 -o new.bf lines
		try 2 bloom-build --type "$type" -n -1 -o new.bf lines
	done
	try 2 bloom-build --type cuckoo -n 10 -p 1e-9 -o new.bf lines
	err_is "bloom-build: cannot use -p '1e-9': not in 2e-09..0.5, which is what --type cuckoo can do"
	try 2 bloom-build -p 1e-9 -n 10 --type cuckoo -o new.bf lines
	while read -r type limit; do
		try 2 bloom-build --type "$type" -n 1000000000000000 -p 2e-9 -o new.bf lines
		err_is "bloom-build: cannot use -n 1000000000000000: the filter would be larger than $limit"
	done <<-END
		counting 128 TiB
		scalable 32 TiB
		cuckoo 16 TiB
	END
	[ ! -e new.bf ]
}

@test "no lines make a filter of nothing, of every type" {
	for type in $TYPES; do
		for n in '' '-n 1' '-n 1M'; do
			# shellcheck disable=SC2086
			build empty.bf --type "$type" $n /dev/null
			try 1 bloom-query empty.bf lines
		done
		try_any 0 bloom-build --type "$type" --stats -n 100 -o empty.bf /dev/null
		err_has 'about 0 distinct items'
	done
}

# A filter for each key.

BY_TYPES='block classic counting'

# Six keys with some hundreds of items each.
keyed_lines() {
	"$SKETCHUTILS_BUILD/logmaker" access 4000 1 | awk '{ print length($7) % 6, $1, $4 }' >log
	cut -d ' ' -f 1 log | sort -u >keys
	awk '{ print >"of." $1 }' log
}

# same_filters TABLE...: the line of each key in TABLE holds the same filter,
# header and bits, as the file TABLE.KEY.
same_filters() {
	python3 - "$@" <<-'END' || failed
		import base64, struct, sys
		def record(line):
		    text = line.strip().split("sk1:")[1]
		    r = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
		    extension, = struct.unpack_from("<I", r, 20)
		    return r[:20], r[24:112], r[128 + extension:]
		for table in sys.argv[1:]:
		    for line in open(table):
		        key = line.split("\t")[0]
		        if record(line) != record(open(table + "." + key).read()):
		            sys.exit(table + ": key " + key + " has not the filter of its lines")
	END
}

@test "--by: each key has the filter that its lines alone would make" {
	keyed_lines
	i=0
	for type in $BY_TYPES; do
		for n in '' '-n 5' '-n 400'; do
			how="--type $type -f 2 $n"
			i=$((i + 1))
			# shellcheck disable=SC2086
			try_any 0 bloom-build --by 1 $how -a -o $i.table log
			cut -f 1 $i.table >got
			same keys got
			while read -r key; do
				# shellcheck disable=SC2086
				try_any 0 bloom-build $how -a -o "$i.table.$key" "of.$key"
			done <keys
			# The same in one binary record.
			# shellcheck disable=SC2086
			try_any 0 bloom-build --by 1 $how -o table.bf log
			[ "$(fact '| "\(.keys) \(.items) \(.auto)"' table.bf)" = \
			    "6 4000 $([ "$n" ] && echo false || echo true)" ]
			# shellcheck disable=SC2086
			try_any 0 bloom-build --by 1 $how -j 3 -o got.bf < <(cat log)
			same table.bf got.bf
		done
	done
	same_filters ./?.table
}

@test "--by: many keys, by any number of threads, in any order" {
	local count=30000
	long && count=300000
	"$SKETCHUTILS_BUILD/logmaker" access "$count" 3 >log
	for how in '-n 10' '' '--type counting'; do
		# shellcheck disable=SC2086
		try_any 0 bloom-build --by 7 -f 1 $how -j 1 -o wanted.bf log
		# shellcheck disable=SC2086
		try_any 0 bloom-build --by 7 -f 1 $how -j 3 -o got.bf log
		same wanted.bf got.bf
		# shellcheck disable=SC2086
		try_any 0 bloom-build --by 7 -f 1 $how -o got.bf <(tac log)
		same wanted.bf got.bf
	done
}

@test "--by with --update: day by day it becomes the record of all days" {
	keyed_lines
	for type in $BY_TYPES; do
		rm -f table.bf table.txt
		split -n l/4 log part.
		for part in part.*; do
			try 0 bloom-build --type "$type" --by 1 -f 2 -n 2000 --update table.bf "$part"
			try 0 bloom-build --type "$type" --by 1 -f 2 -n 2000 -a --update table.txt "$part"
		done
		try 0 bloom-build --type "$type" --by 1 -f 2 -n 2000 -o wanted.bf log
		same wanted.bf table.bf
		try 0 bloom-build --type "$type" --by 1 -f 2 -n 2000 -a -o wanted.txt log
		same wanted.txt table.txt
		# Without -n the file's; armour stays armour.
		rm -f table.txt
		try 0 bloom-build --type "$type" --by 1 -f 2 -n 2000 -a --update table.txt part.aa
		for part in part.a[bcd]; do
			try 0 bloom-build --by 1 -f 2 --update table.txt "$part"
		done
		same wanted.txt table.txt
		try 0 bloom-build --by 1 -f 2 --like table.txt -o got.bf log
		same wanted.bf got.bf
		try 0 bloom-build --by 1 -f 2 --like table.bf -o got.bf log
		same wanted.bf got.bf
	done
}

@test "--by with --update of what does not match leaves the file as it was" {
	keyed_lines
	try 0 bloom-build --by 1 -f 2 -n 2000 -o table.bf log
	cp table.bf before.bf
	try 4 bloom-build --by 1 -f 2 -n 2000 --type classic --update table.bf log
	err_is "bloom-build: cannot update 'table.bf': type block and classic"
	try 4 bloom-build --by 1 -f 2 --seed 4 --update table.bf log
	err_is "bloom-build: cannot update 'table.bf': seed 0 and 4"
	try 4 bloom-build -f 2 -n 2000 --update table.bf log
	err_is "bloom-build: cannot use sketch 'table.bf': it is keyed"
	try 4 bloom-build --by 1 -f 2 -n 100 --update table.bf log
	err_has "bloom-build: cannot update 'table.bf': blocks "
	same before.bf table.bf
	try 0 bloom-build -f 2 -n 4000 -o plain.bf log
	try 4 bloom-build --by 1 -f 2 --update plain.bf log
	err_is "bloom-build: cannot update 'plain.bf': it is not keyed"
	try 0 bloom-build --by 1 -f 2 -o auto.bf log
	try 0 bloom-build --by 1 -f 2 --like auto.bf -o got.bf log
	same auto.bf got.bf
	try 2 bloom-build --by 1 -f 2 --update auto.bf log
	err_has "bloom-build: cannot update 'auto.bf' without -n or --like"
	cat table.bf table.bf >twice.bf
	try 4 bloom-build --by 1 -f 2 --update twice.bf log
	err_is "bloom-build: cannot update 'twice.bf': its keys do not ascend; sketch-merge sorts them"
	[ ! -e .twice.bf.new ]
}

@test "--by: what is overfilled is told in one line, with one key of it" {
	keyed_lines
	try_any 0 bloom-build --by 1 -f 2 -n 5 -o table.bf log
	[ "$(wc -l <err)" = 1 ]
	grep -qE '^bloom-build: [0-9]+ of 6 filters are overfilled, sized for 5 items each: that of .0. to begin with$' err
	try_any 5 bloom-build --strict --by 1 -f 2 -n 5 -o table.bf log
	try 0 bloom-build --strict --by 1 -f 2 -o table.bf log
	try_any 0 bloom-build --stats --by 1 -f 2 -n 2000 -o table.bf log
	grep -qE '^bloom-build: 6 keys, [0-9.]+ KiB of filters$' err
}

@test "--by: keys of any bytes, of no lines, too many for -M, and types that cannot" {
	printf 'b\tx\n\tx\na\n\377\0\ty\nb\tz\n' >odd
	try 0 bloom-build -d '\t' --by 1 -f 2 -n 10 -o table.bf odd
	[ "$(fact keys table.bf)" = 4 ]
	try 0 bloom-build -d '\t' --by 1,2 -f 2 -n 10 -o table.bf odd
	[ "$(fact keys table.bf)" = 5 ]
	try 0 bloom-build --by 1 -n 10 -o table.bf /dev/null
	[ "$(fact keys table.bf)" = 0 ]
	try 0 bloom-build --by 1 -n 10 --update table.bf odd
	for j in 1 2; do
		try 3 bloom-build -M 1M --by 1 -j $j -o new.bf <(seq 100000)
		err_is 'bloom-build: cannot hold one filter per key: that takes more than -M allows'
	done
	for type in scalable cuckoo; do
		try 2 bloom-build --type $type --by 1 -n 10 -o new.bf lines
		err_is "bloom-build: cannot use --by with --type $type: only block, classic and counting can do that"
	done
	[ ! -e new.bf ]
}

@test "--by: a key of few items costs little while a filter would be large" {
	# 20,000 keys with a filter of 1.3 KiB each are 25 MiB; their items are not.
	awk 'BEGIN { for (i = 0; i < 20000; i++) print i, i }' >log
	try 0 bloom-build --by 1 -f 2 -n 1000 -M 8M -o table.bf log
	[ "$(fact keys table.bf)" = 20000 ]
}
