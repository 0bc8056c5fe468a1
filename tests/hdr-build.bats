# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 | awk '{ print $9, $10 }' |
	    grep ' [0-9]*$' >log
	seq 1000 >thousand
}

# param FILE N: a parameter of the first record's header.
param() {
	od -An -v -tu8 -j $((48 + 8 * $2)) -N 8 "$1" | tr -d ' '
}

# build OUTPUT ARGUMENT...: what hdr-build writes without being told where.
build() {
	local output=$1
	shift
	try 0 hdr-build "$@" && mv out "$output"
}

# What it does.

@test "split in any number of parts, in any order: the same bytes" {
	local counts='1 9'
	long && counts='1 2 7 30 64'
	for by in '' '--by 1'; do
		# shellcheck disable=SC2086
		build whole.hdr -f 2 $by log
		for n in $counts; do
			rm -rf parts && mkdir parts
			split -n "l/$n" log parts/
			for part in parts/*; do
				# shellcheck disable=SC2086
				hdr-build -f 2 $by -o "$part.hdr" "$part"
			done
			find parts -name '*.hdr' | shuf --random-source=log >order
			xargs sketch-merge <order >merged.hdr
			same whole.hdr merged.hdr
			rm -f updated.hdr
			while read -r part; do
				# shellcheck disable=SC2086
				try 0 hdr-build -f 2 $by --update updated.hdr "${part%.hdr}"
			done <order
			same whole.hdr updated.hdr
		done
	done
}

@test "threads, ranges of a file and a pipe give the same bytes" {
	"$SKETCHUTILS_BUILD/logmaker" access 10000 3 >big
	for by in '' '--by 9'; do
		# shellcheck disable=SC2086
		{
			hdr-build -f 10 $by -j 1 -o wanted.hdr big 2>err
			for j in 2 8; do
				hdr-build -f 10 $by -j $j -o got.hdr big 2>err && same wanted.hdr got.hdr
				hdr-build -f 10 $by -j $j -o got.hdr < <(cat big) 2>err && same wanted.hdr got.hdr
			done
		}
	done
}

@test "the order of the lines changes no byte" {
	build a.hdr -f 2 log
	sort log >sorted
	build b.hdr -f 2 sorted && same a.hdr b.hdr
	shuf --random-source=log log >shuffled
	build b.hdr -f 2 -j 3 shuffled && same a.hdr b.hdr
}

@test "a weight is so many equal samples" {
	printf '3 2\n5 0\n8 1\n' >weighted
	printf '3\n3\n8\n' >lines
	build a.hdr -f 1 -W 2 weighted
	build b.hdr lines
	# The same but for how many lines there were.
	tail -c +129 a.hdr >a.payload
	tail -c +129 b.hdr >b.payload
	same a.payload b.payload
	hdr-quantile --bounds -s a.hdr >wanted
	try 0 hdr-quantile --bounds -s b.hdr && same wanted out
}

@test "--digits are recorded, and of unlike ones the fewer are left" {
	build three.hdr thousand
	[ "$(param three.hdr 0)" = 3 ] || failed
	build one.hdr --digits 1 thousand
	[ "$(param one.hdr 0)" = 1 ] || failed
	sketch-merge three.hdr one.hdr >a.hdr
	sketch-merge one.hdr three.hdr >b.hdr
	same a.hdr b.hdr
	cat thousand thousand >twice
	build c.hdr --digits 1 twice && same a.hdr c.hdr
}

@test "--update takes over what it is not told: digits, unit and interval" {
	try 0 hdr-build --digits 2 --unit ms --correct 5ms -o old.hdr thousand
	cp old.hdr new.hdr
	echo 3s >more
	try 0 hdr-build --update new.hdr more
	[ "$(param new.hdr 0) $(param new.hdr 7)" = '2 3' ] || failed
	cat thousand more >both
	build wanted.hdr --digits 2 --unit ms --correct 5ms both
	same wanted.hdr new.hdr
	# It may get coarser, and that stays.
	try 0 hdr-build --digits 1 --update new.hdr more
	[ "$(param new.hdr 0)" = 1 ] || failed
	try 4 hdr-build --unit s --update old.hdr more
	err_is "hdr-build: cannot update 'old.hdr': unit ms and s"
	try 4 hdr-build --correct 6 --update old.hdr more
	err_has "hdr-build: cannot update 'old.hdr': "
	# An interval of a file is in the file's unit.
	try 0 hdr-build --correct 0.005s --update old.hdr more
}

@test "--like takes digits, unit and interval" {
	build like.hdr --digits 4 --unit us --correct 10 thousand
	echo 3ms >lines
	build a.hdr --like like.hdr lines
	build b.hdr --digits 4 --unit us --correct 0.01ms lines
	same a.hdr b.hdr
	for told in '--digits 4' '--unit us' '--correct 10'; do
		# shellcheck disable=SC2086
		try 2 hdr-build --like like.hdr $told lines
		err_has '--like'
	done
}

@test "--correct stores what a stall has hidden" {
	echo 100 >lines
	build a.hdr --correct 25 lines
	seq 25 25 100 >lines
	build b.hdr lines
	[ "$(hdr-quantile -s a.hdr)" = "$(hdr-quantile -s b.hdr)" ] || failed
	try 4 sketch-merge a.hdr b.hdr
	err_has interval
}

@test "--by writes one histogram a key, which are what each would be alone" {
	build keyed.hdr --by 1 -f 2 log
	for key in 200 304 404; do
		awk -v key=$key '$1 == key { print $2 }' log >lines
		hdr-quantile --each lines | head -n 1 | sed "s/lines/$key/" >wanted
		hdr-quantile -s keyed.hdr | grep "	$key\$" >got
		same wanted got
	done
	hdr-quantile -f 2 log >wanted
	try 0 hdr-quantile -s --total keyed.hdr && same wanted out
	hdr-quantile --by 1 -f 2 log >wanted
	try 0 hdr-quantile -s keyed.hdr && same wanted out
	try 0 hdr-quantile --by 1 -f 2 -k 2 log
	head -n 2 wanted >two && same two out
	try 0 hdr-quantile -s -k 2 keyed.hdr && same two out
	try 0 hdr-quantile -s --min 200 keyed.hdr
	awk '$1 >= 200' wanted >large && same large out
	try 0 hdr-quantile --by 1 -f 2 --min 200 log && same large out
	# Text, a line for each key.
	build keyed.txt -a --by 1 -f 2 log
	grep -q '^200	sk1:' keyed.txt || failed
	try 0 hdr-quantile -s keyed.txt && same wanted out
	hdr-build -f 2 -o plain.hdr log
	try 4 hdr-quantile -s keyed.hdr plain.hdr
	err_has '--total'
	try 4 hdr-build -f 2 --update keyed.hdr log
	err_has keyed
}

@test "--update: keys the input lacks, and new ones, get the settings of all" {
	sed 's/^/old /' thousand >old
	sed 's/^/new /' thousand >new
	cat old new >both
	build wanted.hdr --digits 2 --by 1 -f 2 both
	for armor in '' -a; do
		for digits in '4 2' '2 4'; do
			# shellcheck disable=SC2086
			build file.hdr $armor --digits "${digits% *}" --by 1 -f 2 old
			try 0 hdr-build --digits "${digits#* }" --by 1 -f 2 --update file.hdr new
			sketch-merge -o got.hdr file.hdr && same wanted.hdr got.hdr
			[ -n "$armor" ] || same wanted.hdr file.hdr
		done
	done
	# Text put together by hand may be anything.
	hdr-build -a --digits 4 --by 1 -f 2 new >file.txt
	hdr-build -a --digits 2 --by 1 -f 2 old >>file.txt
	try 4 hdr-build --by 1 -f 2 --update file.txt new
	err_is "hdr-build: cannot update 'file.txt': unlike settings in it; sketch-merge makes them alike"
}

@test "weights of a key past 2^64-1 are told" {
	printf '%s\n' 9223372036854775807\ {1,2}\ key >weights
	try 0 hdr-build --strict --by 3 -W 1 -f 2 -o two.hdr weights
	try_any 5 hdr-build --strict --by 3 -W 1 -f 2 --update two.hdr weights
	err_is 'hdr-build: the sum of weights passed 2^64-1 and stopped there'
	cat weights weights >four
	try_any 5 hdr-build --strict --by 3 -W 1 -f 2 -o four.hdr four
	err_is 'hdr-build: the sum of weights passed 2^64-1 and stopped there'
}

@test "an update under way elsewhere is not lost" {
	build wanted.hdr thousand
	for i in 1 2 3 4; do
		sed -n "$i~4p" thousand >part.$i
	done
	for i in 1 2 3 4; do
		hdr-build --update all.hdr part.$i &
	done
	wait
	same wanted.hdr all.hdr
}

@test "empty input makes an empty histogram, which unites with any" {
	build empty.hdr /dev/null
	try 0 hdr-quantile -s empty.hdr && out_is 'n	0'
	build a.hdr thousand
	sketch-merge empty.hdr a.hdr >b.hdr
	same a.hdr b.hdr
	build empty.hdr --by 1 /dev/null
	try 0 hdr-quantile -s empty.hdr && out_is ''
}

# How it fails.

@test "what is no number is told, and with --strict it is status 5" {
	printf '1\nx\n' >lines
	try_any 0 hdr-build -o a.hdr lines
	err_is 'hdr-build: rejected 1 of 2 lines: an item that is no number (with a unit? see --unit)'
	try_any 0 hdr-build --unit ms -o a.hdr lines
	err_is 'hdr-build: rejected 1 of 2 lines: an item that is no number'
	try_any 5 hdr-build --strict -o b.hdr lines
}

@test "options and files that do not fit" {
	try 2 hdr-build --digits 6 thousand
	try 2 hdr-build --correct 0 thousand
	err_is "hdr-build: cannot use --correct '0': not a number above 0, such as 10 or 10ms"
	try 2 hdr-build --correct 1ms thousand
	err_is "hdr-build: cannot use --correct '1ms': the numbers have no unit (see --unit)"
	try 2 hdr-build --unit ms --correct x thousand
	try 2 hdr-build -f 1,2 log
	for option in --seed=1 -i -s --json '-Q p50'; do
		# shellcheck disable=SC2086
		try 2 hdr-build $option thousand
	done
	hll-build -o a.hll thousand
	try 4 hdr-build --update a.hll thousand
	try 4 hdr-build --like a.hll thousand
	tdigest-build -o a.td thousand
	try 4 hdr-build --update a.td thousand
	err_has tdigest
	echo 1e30 >far
	try 2 hdr-build --correct 1 far
	err_has 'too short'
	yes '7 9223372036854775807' | head -n 3 >lines
	try_any 5 hdr-build --strict -f 1 -W 2 -o a.hdr lines
	err_is 'hdr-build: the sum of weights passed 2^64-1 and stopped there'
}
