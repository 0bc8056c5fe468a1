# sketchutils: BSD-2-Clause, see LICENSE
#
# HyperLogLogs of other systems, from the command line to their tables. That the
# systems agree is tested by `make interop`; their bytes by the unit tests.

load helper

SYSTEMS='redis postgres postgres:14,5,0,0 datasketches datasketches:5'

prepare() {
	seq 3000 >lines
	seq 2000 5000 >"more"
	awk '{ print "k" $1 % 7, $1 }' lines >log
}

# convert SYSTEM FILE: its bytes; "postgres:11" is "postgres" here.
convert() {
	sketch-convert --to "${1%%:*}" "$2"
}

# What it does.

@test "the bytes are those that the systems themselves make" {
	# See tests/interop/redis.bats and its neighbours.
	printf '1\n2\n' >two
	hll-build --compat redis -o x.sk two
	convert redis x.sk | od -An -v -tx1 | tr -d ' \n' >got
	printf '48594c4c01000000000000000000008''05d66805ea28c43f3' >wanted
	same wanted got
	hll-build --compat postgres -o x.sk two
	try 0 sketch-convert --to postgres -a x.sk
	out_is '\x128b7f497692bff289820e71fbbbfe8a7b7c71'
	hll-build --compat postgres -o x.sk /dev/null
	try 0 sketch-convert --to postgres -a x.sk
	out_is '\x118b7f'
	seq 5 | hll-build --compat postgres:11,5,0,1 >x.sk
	try 0 sketch-convert --to postgres -a x.sk
	out_is '\x138b4014a12821330341c58e21'
	hll-build --compat datasketches -o x.sk two
	try 0 sketch-convert --to datasketches -a x.sk
	base64 -d out | od -An -v -tx1 | tr -d ' \n' >got
	printf '0201070c03080208aaa60f068f2cd90e' >wanted
	same wanted got
}

@test "no byte depends on threads, pipes or the order of lines" {
	sort -R --random-source=log lines >mixed
	for system in $SYSTEMS; do
		hll-build --compat "$system" -j 1 -o one.sk lines
		try 0 hll-build --compat "$system" -j 4 lines
		out_is_file one.sk
		try 0 hll-build --compat "$system" mixed
		out_is_file one.sk
		try 0 hll-build --compat "$system" -j 3 <lines
		out_is_file one.sk
		# shellcheck disable=SC2002
		cat lines | hll-build --compat "$system" >piped.sk
		same one.sk piped.sk
		hll-build --compat "$system" -j 1 --by 1 -f 2 -o keyed.sk log
		try 0 hll-build --compat "$system" -j 4 --by 1 -f 2 log
		out_is_file keyed.sk
	done
}

@test "the count of lines is the count of their sketch, and of its own bytes" {
	for system in $SYSTEMS; do
		try 0 hll-count --compat "$system" --bounds lines
		mv out counted
		hll-build --compat "$system" -o x.sk lines
		try 0 hll-count -s --bounds x.sk
		out_is_file counted
		convert "$system" x.sk >theirs
		try 0 hll-count -s --from "${system%%:*}" --bounds theirs
		out_is_file counted
		try 0 hll-count -s --from "${system%%:*}" --bounds <theirs
		out_is_file counted
		# Good to 10 % with 32 registers, too, for these lines.
		awk '{ exit !($2 <= $1 && $1 <= $3 && $2 <= 3000 && 3000 <= $3) }' counted
	done
}

@test "--update adds, creates, and keeps the settings of the file" {
	for system in $SYSTEMS; do
		rm -f x.sk
		try 0 hll-build --compat "$system" --update x.sk lines
		out_is ''
		try 0 hll-build --compat "${system%%:*}" --update x.sk more
		hll-build --compat "$system" -o both.sk lines more
		same both.sk x.sk
		# The same again changes the number of items only.
		hll-build --compat "$system" --update x.sk more
		sketch-info --json x.sk | jq -c 'del(.file, .items)' >again
		sketch-info --json both.sk | jq -c 'del(.file, .items)' >once
		same once again
		rm -f x.sk
		hll-build --compat "$system" --update x.sk --by 1 -f 2 log
		head -n 100 log >few
		try 0 hll-build --compat "$system" --update x.sk --by 1 -f 2 few
		hll-build --compat "$system" -o both.sk --by 1 -f 2 log few
		same both.sk x.sk
	done
}

@test "--like takes the system from a sketch, and its type of item" {
	for system in $SYSTEMS; do
		hll-build --compat "$system" -o x.sk lines
		try 0 hll-build --like x.sk lines
		out_is_file x.sk
	done
	hll-build --compat postgres:12 --item int64 -o x.sk lines
	try 0 hll-build --like x.sk lines
	out_is_file x.sk
}

@test "parts unite to the whole, armoured or not, keyed or not" {
	for system in $SYSTEMS; do
		hll-build --compat "$system" -o one.sk lines
		hll-build --compat "$system" -a -o two.sk more
		hll-build --compat "$system" -o whole.sk lines more
		try 0 sketch-merge one.sk two.sk
		# Of DataSketches a united one says that it is one.
		convert "$system" out >got
		convert "$system" whole.sk >wanted
		same wanted got
		try 0 hll-count -s one.sk two.sk
		mv out united
		try 0 hll-count --compat "$system" lines more
		out_is_file united
		try 0 hll-count -s --each one.sk two.sk
		[ "$(tail -n 1 out)" = "$(cat united)	total" ]
		hll-build --compat "$system" --by 1 -f 2 -o keyed.sk log
		hll-build --compat "$system" -a --by 1 -f 2 -o lines.sk log
		hll-count -s keyed.sk >rows
		[ "$(wc -l <rows)" = 7 ]
		try 0 hll-count --compat "$system" --by 1 -f 2 log
		out_is_file rows
		try 0 hll-count -s lines.sk keyed.sk
		out_is_file rows
		sort -r lines.sk >turned.sk
		try 0 sketch-merge turned.sk
		cp out merged.sk
		same keyed.sk merged.sk
		try 0 sketch-merge keyed.sk keyed.sk
		sketch-convert --to "${system%%:*}" --keyed out >got
		sketch-convert --to "${system%%:*}" --keyed keyed.sk >wanted
		same wanted got
		try 0 hll-count -s --total keyed.sk
		mv out total
		hll-build --compat "$system" -f 2 log | hll-count -s >wanted
		same wanted total
	done
}

@test "--top, --min and --json answer for theirs" {
	awk '{ print $1 % 50 ? "small" $1 : "large", $1 }' lines >log
	hll-build --compat redis --by 1 -f 2 -o keyed.sk log
	try 0 hll-count -s -k 2 keyed.sk
	out_is $'60\tlarge\n1\tsmall1'
	try 0 hll-count -s --min 2 --json keyed.sk
	jq -e '.key == "large" and .estimate == 60 and .low <= 60 and .high >= 60' out
}

@test "--item hashes numbers and UTF-16 as a column does" {
	printf '%s\n' 1 -5 +7 007 >numbers
	try 0 hll-count --compat postgres --item int64 numbers
	out_is 3
	# hll_hash_bigint(1)
	echo 1 | hll-build --compat postgres --item int64 >x.sk
	try 0 sketch-convert --to postgres -a x.sk
	out_is '\x128b7f004403b7fb05c44a'
	[ "$(sketch-info --json x.sk | jq -r .item)" = int64 ]
	printf 'a\n\303\274\n' >words
	printf 'a\0\n\374\0\n' >wide
	hll-build --compat datasketches --item utf16 words | sketch-convert --to datasketches >got
	hll-build --compat datasketches wide | sketch-convert --to datasketches >wanted
	same wanted got
	# Each field of keyed lines, too.
	printf 'x 1\ny 2\nx one\n' >keyed
	try_any 0 hll-count --compat postgres --item int64 --by 1 -f 2 keyed
	out_is $'1\tx\n1\ty'
	err_is 'hll-count: rejected 1 of 3 lines: an item that is no whole number -2^63..2^63-1'
	try_any 5 hll-build --strict --compat postgres --item int64 -o x.sk keyed
	printf '\377\n' >wrong
	try_any 0 hll-count --compat datasketches --item utf16 wrong
	err_has 'an item that is not UTF-8'
}

@test "empty items are what they are to each system" {
	printf '\n\n1\n' >items
	try 0 hll-count --compat redis items
	out_is 2
	try 0 hll-count --compat postgres items
	out_is 2
	try 0 hll-count --compat postgres:11,5,0,1 items
	out_is 1
	try 0 hll-count --compat datasketches items
	out_is 1
	try_any 0 hll-build --compat datasketches --stats -o x.sk items
	err_has '2 empty items ignored, as datasketches does'
}

@test "rows go out and come back, whatever the keys are" {
	printf 'a b;1\n;2\n"q",r;3\n\\N;4\n\\.;5\nc\td;6\n\001\377;7\nb\\\\n;8\n\r;9\n' >log
	for system in postgres datasketches; do
		hll-build --compat "$system" -d ';' --by 1 -f 2 -o keyed.sk log
		try 0 sketch-convert --to "$system" --keyed keyed.sk
		mv out rows
		[ "$system" != postgres ] || [ "$(wc -l <rows)" = 9 ]
		try 0 sketch-convert --from "$system" rows
		sketch-convert --to "$system" --keyed out >again
		same rows again
		hll-count -s keyed.sk >wanted
		try 0 hll-count -s --from "$system" rows
		out_is_file wanted
		sketch-merge --from "$system" rows rows >merged.sk
		try 0 hll-count -s merged.sk
		out_is_file wanted
	done
}

@test "a key of several fields is several columns" {
	printf 'a;b;1\na,x;"b";2\n' >log
	hll-build --compat postgres -d ';' --by 1,2 -f 3 -o keyed.sk log
	sketch-convert --to postgres --keyed keyed.sk >rows
	cut -f 1,2 rows >columns
	printf 'a\tb\na,x\t"b"\n' >wanted
	same wanted columns
	try 0 hll-count -s --from postgres rows
	mv out counted
	hll-count -s keyed.sk >wanted
	same wanted counted
	hll-build --compat datasketches -z -d ';' --by 1,2 -f 3 -o keyed.sk <(tr '\n' '\0' <log)
	sketch-convert -z --to datasketches --keyed keyed.sk | cut -c 1-15 >rows
	head -n 2 rows | cut -d A -f 1 >columns
	printf 'a,b,\n"a,x","""b""",\n' >wanted
	same wanted columns
}

@test "what psql prints comes in: with NULL, CR, one value a line, and from a pipe" {
	one='\x128b7f497692bff289820e' two='\x128b7f71fbbbfe8a7b7c71'
	printf 'x\t%s\ny\t\\N\nz\t%s\r\n' "$one" "$two" >rows
	try 0 hll-count -s --from postgres rows
	out_is $'1\tx\n1\tz'
	printf 'x\t\\%s\nx\t\\%s\n\\.\n' "$one" "$two" >rows
	try 0 hll-count -s --from postgres rows
	out_is $'2\tx'
	printf '%s\n\\%s' "$one" "$two" >rows
	try 0 hll-count -s --from postgres <rows
	out_is 2
	try 0 hll-count -s --each --from postgres rows
	out_is $'2\trows\n2\ttotal'
	printf '%s\n' "$one" | tr a-f A-F >rows
	try 0 hll-count -s --from postgres rows
	out_is 1
	try 0 sketch-info --json --from postgres rows
	jq -e '.system == "postgres" and .kind == "hll-postgres" and .estimate == 1' out
}

@test "a table of nothing but NULL holds no sketch" {
	printf '\\N\n' >null
	printf 'x\t\\N\ny\t\\N\n\\.\n' >nulls
	printf '\\x128b7f497692bff289820e\n' >one
	for file in null nulls; do
		for options in '' --each --total '--json -k 2'; do
			# shellcheck disable=SC2086
			try 4 hll-count -s $options --from postgres "$file"
			err_is "hll-count: cannot read the hll of PostgreSQL '$file': empty, not a sketch"
		done
		try 4 hll-count -s --each --from postgres one $file
		try 4 sketch-compare --from postgres $file one
		err_is "sketch-compare: cannot read the hll of PostgreSQL '$file': empty, not a sketch"
		for program in sketch-convert sketch-merge sketch-info; do
			try 4 $program --from postgres $file
			err_is "$program: cannot read the hll of PostgreSQL '$file': empty, not a sketch"
		done
	done
}

@test "sketch-info sums rows up, or tells of each" {
	hll-build --compat datasketches --by 1 -f 2 log | sketch-convert --to datasketches --keyed >rows
	try 0 sketch-info --json --from datasketches rows
	jq -es 'length == 1 and .[0].keys == 7' out
	try 0 sketch-info --json --each --from datasketches rows
	jq -es 'map(.key) == ["k0", "k1", "k2", "k3", "k4", "k5", "k6"]' out
}

@test "for redis-cli --pipe each key is one command" {
	printf 'a b 1\r\n' >log
	hll-build --compat redis -d ' ' --by 1,2 -f 3 -o keyed.sk log
	try 0 sketch-convert --to redis --keyed keyed.sk
	size=$(hll-build --compat redis -d ' ' -f 3 log | sketch-convert --to redis | wc -c)
	head -c 40 out | od -An -c | tr -d ' \n' >got
	# shellcheck disable=SC2016
	printf '*3\\r\\n$3\\r\\nSET\\r\\n$3\\r\\na\\tb\\r\\n$%s\\r\\nHYLL' "$size" >wanted
	head -c "$(wc -c <wanted)" got >start
	same wanted start
}

# How it fails.

@test "ours and theirs are never mixed, and both names are said" {
	hll-build -o ours.sk lines
	hll-build --compat redis -o redis.sk lines
	hll-build --compat postgres -o postgres.sk lines
	cp ours.sk before.sk
	try 4 hll-build --compat redis --update ours.sk lines
	err_is "hll-build: cannot update 'ours.sk': kind hll and hll-redis, hash xxh3 and murmur64a"
	same before.sk ours.sk
	try 4 hll-build --update redis.sk lines
	err_has 'its kind is hll-redis, and not one of ours: use --compat redis'
	try 4 hll-build --compat redis --update postgres.sk lines
	err_has 'kind hll-postgres and hll-redis'
	for pair in 'ours redis' 'redis ours' 'redis postgres'; do
		read -r a b <<<"$pair"
		for program in 'hll-count -s' sketch-merge sketch-compare; do
			# The name, and perhaps an option.
			# shellcheck disable=SC2086
			try 4 $program "$a.sk" "$b.sk"
			err_has "kind hll"
			[ "$a" = ours ] || err_has "hll-$a"
			[ "$b" = ours ] || err_has "hll-$b"
		done
	done
	try 4 sketch-convert --to redis ours.sk
	err_has 'its kind is hll, and a hash cannot be converted: build it with hll-build --compat redis'
	try 4 sketch-convert --to redis postgres.sk
	err_has "'postgres.sk' to redis: its kind is hll-postgres, and a hash cannot be converted"
	hll-build --by 1 -o keyed.sk lines
	try 4 sketch-convert --to redis --keyed keyed.sk
	err_has 'its kind is hll, and a hash cannot be converted'
}

@test "unlike settings do not unite, which is said before all is read" {
	hll-build --compat postgres:11 -o a.sk lines
	hll-build --compat postgres:12 -o b.sk lines
	try 4 hll-count -s a.sk b.sk
	err_is "hll-count: cannot unite 'b.sk' with what came before: log2m 11 and 12"
	try 4 sketch-merge a.sk b.sk
	err_has 'log2m 11 and 12'
	mkfifo never
	try 4 hll-build --compat postgres:12 --update a.sk never
	err_is "hll-build: cannot update 'a.sk': log2m 11 and 12"
	hll-build --compat postgres --item int64 -o c.sk lines
	try 4 hll-count -s a.sk c.sk
	err_has 'item type text and int64'
	try 4 hll-build --compat postgres --update c.sk lines
	err_has 'item type int64 and text'
	sketch-convert --to postgres -a a.sk | sed 's/^/k\t/' >rows
	sketch-convert --to postgres -a b.sk | sed 's/^/k\t/' >>rows
	try 4 hll-count -s --from postgres rows
	err_has 'log2m 11 and 12'
	try 4 sketch-convert --from postgres rows
	err_has 'log2m 11 and 12'
}

@test "wrong settings are named with their range" {
	for wrong in '3|LOG2M .3. is not in 4..17' '18|LOG2M' '11,6|REGWIDTH .6. is not in 1..5' \
	    '11,0|REGWIDTH' '11,5,3|EXPTHRESH .3. is not -1, 0 or a power of 2' '11,5,-2|EXPTHRESH' \
	    '11,5,-1,2|SPARSEON .2. is not in 0..1' '11,5,-1,1,1|more than the four' 'x|LOG2M' \
	    ' 11|LOG2M' '11,|REGWIDTH' '+11|LOG2M' '99999999999999999999|LOG2M'; do
		try 2 hll-build --compat "postgres:${wrong%%|*}" lines
		head -n 1 err | grep -q "^hll-build: cannot use --compat 'postgres:${wrong%%|*}': .*${wrong#*|}"
	done
	for wrong in 3 22 x '12,' -4; do
		try 2 hll-build --compat "datasketches:$wrong" lines
		err_has "LGK '$wrong' is not in 4..21"
	done
	try 2 hll-build --compat redis:14 lines
	err_has "cannot use --compat 'redis:14': redis has no settings"
	try 2 hll-build --compat mysql lines
	err_has 'not redis, postgres or datasketches'
	try 2 hll-build --compat dcso lines
	err_has 'not redis, postgres or datasketches'
	try 2 hll-build --compat post lines
	try 2 sketch-convert --from postgres:11 lines
}

@test "options that mean nothing with it are refused" {
	try 2 hll-build --compat postgres --precision 12 lines
	err_has '--compat and --precision exclude each other: use --compat postgres:LOG2M,REGWIDTH,EXPTHRESH,SPARSEON'
	try 2 hll-count --compat datasketches -e 1% lines
	err_has 'use --compat datasketches:LGK'
	try 2 hll-build --compat redis -e 1% lines
	err_has 'redis has one precision only'
	try 2 hll-build --compat redis --seed 1 lines
	try 2 hll-build --compat redis --like x.sk lines
	try 2 hll-build --item int64 lines
	err_has '--item needs --compat'
	try 2 hll-build --compat postgres --item int32 lines
	err_has "cannot use --item 'int32': not text, int64 or utf16"
	try 2 hll-build --compat redis --item int64 lines
	err_has "cannot use --item 'int64': redis hashes all items as text"
	try 2 hll-count --from redis lines
	err_has '--from needs -s'
	try 2 hll-count -s --compat redis lines
	try 2 sketch-convert --to redis -a x.sk
	err_has 'it has no text for its sketches'
	try 2 sketch-convert --to dcso --keyed x.sk
	err_has 'it has no rows for its sketches'
	try 2 sketch-convert --from redis --keyed lines
	err_has '--keyed needs --to'
	try 2 sketch-convert --to postgres --keyed -a x.sk
}

@test "one sketch is one, keyed ones have keys" {
	hll-build --compat postgres -o a.sk lines
	hll-build --compat postgres --by 1 -f 2 -o keyed.sk log
	try 4 sketch-convert --to postgres a.sk a.sk
	err_has 'there are more; use -a for one on each line'
	try 4 sketch-convert --to postgres keyed.sk
	err_has 'it is keyed; use --keyed for one row per key'
	try 4 sketch-convert --to postgres -a keyed.sk
	try 4 sketch-convert --to postgres --keyed a.sk
	err_has 'it is not keyed'
	try 0 sketch-convert --to postgres -a a.sk a.sk
	[ "$(wc -l <out)" = 2 ]
	sketch-convert --to postgres -a a.sk >plain
	sketch-convert --to postgres --keyed keyed.sk >rows
	cat plain rows >mixed
	try 4 sketch-convert --from postgres mixed
	err_has 'with keys and without'
	try 4 hll-count -s --from postgres mixed
	try 0 hll-count -s --total --from postgres mixed
}

@test "text that is no row is refused with its line" {
	good='a	\x128b7f497692bff289820e'
	for wrong in 'b	128b7f' 'b	\x128b7' 'b	\x128b7g' 'b' '' 'b	\x' 'b	\x218b7f' \
	    'b	\x128b7f497692bff28982'; do
		printf '%s\n%s\n%s\n' "$good" "$wrong" "$good" >rows
		try 4 hll-count -s --from postgres rows
		grep -q ", line 2: \|'rows', line 2" err
	done
	printf 'b\t\\x128b7' >cut
	try 4 hll-count -s --from postgres cut
	for wrong in 'b,AgEH' 'b,AgEHDAMIAQiqpg8' 'b,AgEHDAMIAQiqpg8=' 'b;AgEHDAMIAQiqpg8G' \
	    '"b,AgEHDAMIAQiqpg8G' '"b"x,AgEHDAMIAQiqpg8G' 'b,AgEH DAMIAQiqpg8G' 'b,'; do
		printf 'a,AgEHDAMIAQiqpg8G\n%s\n' "$wrong" >rows
		try 4 hll-count -s --from datasketches rows
		grep -q ", line 2: \|'rows', line 2" err
	done
	try 4 hll-count -s --from redis lines
	err_is "hll-count: cannot read 'lines': not a HyperLogLog of Redis"
	: >empty
	try 4 hll-count -s --from postgres empty
	printf '%s\n' "$good" >rows
	try 4 hll-count -s rows
	err_has 'it looks like hll of PostgreSQL, as text (use --from postgres)'
	hll-build -o ours.sk lines
	for system in redis postgres datasketches; do
		try 4 hll-count -s --from "$system" ours.sk
		err_has 'it is a sketch of ours (leave --from out)'
	done
}

# Its limits.

@test "rows longer than what is read at once, and many of them" {
	hll-build --compat datasketches:18 -o large.sk lines more
	{ sketch-convert --to datasketches -a large.sk | sed 's/^/b,/'; echo a,AgEHDAMIAQiqpg8G; } >rows
	try 0 sketch-info --json --each --from datasketches rows
	jq -es 'map(.key) == ["b", "a"]' out
	seq 20000 | awk '{ print "key " $1, $1 }' >log
	for system in postgres datasketches; do
		hll-build --compat "$system" --by 2 -f 3 log | sketch-convert --to "$system" --keyed >rows
		try 0 hll-count -s --from "$system" rows
		[ "$(grep -c '^1	' out)" = 20000 ]
		try 0 hll-count -s --total --from "$system" - <rows
		out_between 19000 21000
	done
}
