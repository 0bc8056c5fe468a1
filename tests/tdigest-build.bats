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

# build OUTPUT ARGUMENT...: what tdigest-build writes without being told where.
build() {
	local output=$1
	shift
	try 0 tdigest-build "$@" && mv out "$output"
}

# What it does.

@test "threads, ranges of a file and a pipe give the same bytes" {
	"$SKETCHUTILS_BUILD/logmaker" access 10000 3 >big
	for by in '' '--by 9'; do
		# shellcheck disable=SC2086
		{
			tdigest-build -f 10 $by -j 1 -o wanted.td big 2>err
			for j in 2 8; do
				tdigest-build -f 10 $by -j $j -o got.td big 2>err && same wanted.td got.td
				tdigest-build -f 10 $by -j $j -o got.td < <(cat big) 2>err && same wanted.td got.td
			done
		}
	done
}

@test "what is saved answers as the lines do" {
	seq 50000 | awk '{ print ($1 * 7919) % 50021 / 7 }' >many
	for lines in thousand many; do
		build a.td "$lines"
		tdigest-quantile --bounds --rank 100,900 "$lines" >wanted
		try 0 tdigest-quantile --bounds --rank 100,900 -s a.td && same wanted out
	done
}

@test "--compression is recorded, and chooses the size" {
	seq 100000 >many
	build a.td many
	[ "$(param a.td 0)" = 100 ] || failed
	build b.td --compression 500 many
	[ "$(param b.td 0)" = 500 ] || failed
	[ "$(wc -c <a.td)" -lt "$(wc -c <b.td)" ] || failed
	[ "$(wc -c <a.td)" -lt 8000 ] || failed
}

@test "--update takes over what it is not told: compression and unit" {
	build old.td --compression 50 --unit ms thousand
	cp old.td new.td
	echo 3s >more
	try 0 tdigest-build --update new.td more
	[ "$(param new.td 0) $(param new.td 7)" = '50 3' ] || failed
	try 0 tdigest-quantile -s -Q n,max new.td
	out_is "n	1001
max	3000"
	# While all samples are there, an update is what one pass would be.
	rm -f updated.td
	split -n l/5 thousand part.
	for part in part.*; do
		try 0 tdigest-build --update updated.td "$part"
	done
	tdigest-quantile thousand >wanted
	try 0 tdigest-quantile -s updated.td && same wanted out
	try 4 tdigest-build --unit s --update old.td more
	err_is "tdigest-build: cannot update 'old.td': unit ms and s"
}

@test "--update: keys the input lacks, and new ones, get the settings of all" {
	seq 2000 | sed 's/^/old /' >old
	seq 2000 | sed 's/^/new /' >new
	cat old new >both
	build wanted.td --compression 20 --by 1 -f 2 both
	for compression in '200 20' '20 200'; do
		build file.td --compression "${compression% *}" --by 1 -f 2 old
		try 0 tdigest-build --compression "${compression#* }" --by 1 -f 2 --update file.td new
		[ "$(param file.td 0)" = 20 ] || failed
		sketch-merge -o got.td file.td && same file.td got.td
	done
	same wanted.td file.td
}

@test "--like takes compression and unit" {
	build like.td --compression 200 --unit us thousand
	echo 3ms >lines
	build a.td --like like.td lines
	build b.td --compression 200 --unit us lines
	same a.td b.td
	for told in '--compression 200' '--unit us'; do
		# shellcheck disable=SC2086
		try 2 tdigest-build --like like.td $told lines
		err_has '--like'
	done
}

@test "--by writes one t-digest a key, which are what each would be alone" {
	build keyed.td --by 1 -f 2 log
	for key in 200 304 404; do
		awk -v key=$key '$1 == key { print $2 }' log >lines
		tdigest-quantile --each lines | head -n 1 | sed "s/lines/$key/" >wanted
		tdigest-quantile -s keyed.td | grep "	$key\$" >got
		same wanted got
	done
	tdigest-quantile --by 1 -f 2 log >wanted
	try 0 tdigest-quantile -s keyed.td && same wanted out
	try 0 tdigest-quantile -s -k 2 keyed.td
	head -n 2 wanted >two && same two out
	try 0 tdigest-quantile -s --total -Q n keyed.td
	out_is "n	$(wc -l <log)"
}

@test "empty input makes an empty t-digest, which unites with any" {
	build empty.td /dev/null
	try 0 tdigest-quantile -s empty.td && out_is 'n	0'
	build a.td thousand
	sketch-merge empty.td a.td >b.td
	[ "$(tdigest-quantile -s a.td)" = "$(tdigest-quantile -s b.td)" ] || failed
}

# How it fails.

@test "options and files that do not fit" {
	for n in 19 1001 x; do
		try 2 tdigest-build --compression $n thousand
	done
	err_is "tdigest-build: cannot use --compression 'x': not a whole number"
	for option in --seed=1 -i -s --json --digits=3 --correct=1 --discrete; do
		try 2 tdigest-build "$option" thousand
	done
	hdr-build -o a.hdr thousand
	try 4 tdigest-build --update a.hdr thousand
	err_has hdr
	try 4 tdigest-build --like a.hdr thousand
	printf '1\nx\n' >lines
	try_any 5 tdigest-build --strict -o a.td lines
	err_has 'rejected 1 of 2 lines'
	yes '7 9223372036854775807' | head -n 3 >lines
	try_any 0 tdigest-build -f 1 -W 2 -o a.td lines
	err_is 'tdigest-build: the sum of weights passed 2^64-1 and stopped there'
}
