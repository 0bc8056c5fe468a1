# sketchutils: BSD-2-Clause, see LICENSE
#
# Histograms of HdrHistogram, from the command line: logs, strings and tables. What
# Java wrote lies in tests/interop/hdr; unit tests hold every byte of it.

load helper

THEIRS=$BATS_TEST_DIRNAME/interop/hdr

prepare() {
	seq 10000 >lines
	awk '{ print (NR % 3 ? "get" : "put"), $1 }' lines >log
	cp "$THEIRS"/golden-*.hlog .
	# One line with a tag, one without, and three that are wrong.
	{
		head -n 6 golden-abs.hlog
		echo garbage
		echo '1.0,2.0,3,HISTFAAA'
		echo 'Tag=a,b,1.0,2.0,3,!!!!'
	} >bad.hlog
}

# What it does.

@test "a log to a table: what Java's HistogramLogProcessor makes of it" {
	for log in 2.0.1.logV0 2.0.6.logV1 2.0.7S.logV2 2.0.7S.logV3; do
		grep -v ^Tag= "$THEIRS/jHiccup-$log.hlog" >untagged
		try 0 sketch-convert --from hlog:ns --to hgrm:ms untagged
		tail -n +2 "$THEIRS/jHiccup-$log.hgrm" >wanted
		out_is_file wanted
		# The same by way of a record.
		sketch-merge --from hlog:ns untagged >union.sk
		try 0 sketch-convert --to hgrm:ms union.sk
		out_is_file wanted
	done
	for log in golden-abs.hlog golden-rel.hlog; do
		grep -v ^Tag= "$log" >untagged
		try 0 sketch-convert --from hlog:us --to hgrm:ms untagged
		tail -n +3 "$THEIRS/golden-abs.notag.hgrm" >wanted
		out_is_file wanted
		grep -v '^[0-9]' "$log" >tagged
		try 0 sketch-convert --from hlog:us --to hgrm:ms tagged
		tail -n +3 "$THEIRS/golden-abs.api.hgrm" >wanted
		out_is_file wanted
		try 0 sketch-convert --from hlog:us --to hgrm-csv:ms tagged
		tail -n +3 "$THEIRS/golden-abs.api.csv" >wanted
		out_is_file wanted
	done
}

@test "a log to a log keeps tags and times, which become absolute" {
	tail -n +2 golden-abs.hlog | cut -d , -f 1-4 >wanted
	for log in golden-abs.hlog golden-rel.hlog; do
		try 0 sketch-convert --from hlog:us --to hlog:us "$log"
		cut -d , -f 1-4 out >got
		same wanted got
		# Twice is once.
		sketch-convert --from hlog:us --to hlog:us <out >again
		same out again
	done
	# Old payloads become new ones, and answer the same.
	sketch-convert --from hlog --to hlog -o new.hlog "$THEIRS/jHiccup-2.0.1.logV0.hlog"
	[ "$(grep -c HISTi new.hlog)" = 0 ]
	grep -q '^1438869961.341,1.005,3.0[0-9]*,HISTFAAA' new.hlog
	hdr-quantile -s --from hlog "$THEIRS/jHiccup-2.0.1.logV0.hlog" >wanted
	try 0 hdr-quantile -s --from hlog new.hlog
	out_is_file wanted
}

@test "tags are keys, and intervals unite" {
	try 0 hdr-quantile -s --from hlog -Q n,p50,p90,p99.9,max golden-abs.hlog
	out_is "$(printf '600\t1000\t2401\t3001\t3001\t\n600\t100031\t240127\t300031\t300031\tapi')"
	try 0 hdr-quantile -s --from hlog --total -Q n,min,max golden-abs.hlog
	out_is "n	1200
min	10
max	300031"
	grep -v ^Tag= golden-rel.hlog >untagged
	try 0 hdr-quantile -s --from hlog -Q n,p90 untagged untagged
	out_is "n	1200
p90	2401"
	sketch-convert --from hlog -o keyed.sk golden-abs.hlog
	try 0 hdr-quantile -s -Q n,p50,p90,p99.9,max keyed.sk
	hdr-quantile -s --from hlog -Q n,p50,p90,p99.9,max golden-abs.hlog >wanted
	out_is_file wanted
	try 0 sketch-merge --from hlog golden-abs.hlog
	out_is_file keyed.sk
	try 0 sketch-info --json --from hlog golden-abs.hlog
	jq -e '.system == "hlog" and .kind == "hdr" and .intervals == 6' out
	try 0 sketch-info --json --each --from hlog golden-abs.hlog
	[ "$(jq -s 'map(select(.key == "api")) | length' out)" = 3 ]
	# Without tags each interval is a record.
	try 0 sketch-convert --from hlog -a untagged
	[ "$(wc -l <out)" = 3 ]
	# A file without tags has no keys.
	try 4 hdr-quantile -s --from hlog golden-abs.hlog untagged
	err_has 'keyed and plain sketches; use --total'
}

@test "units: said where a log has none, and converted" {
	try 0 hdr-quantile -s --from hlog:us --total --unit ms -Q p50,max golden-abs.hlog
	out_is "p50	2.941
max	300.031"
	try 4 hdr-quantile -s --from hlog --unit ms golden-abs.hlog
	err_has 'have no unit'
	printf '%s\n' 0.123 12ms 3 >times
	hdr-build --unit s -o times.sk times
	try 0 sketch-convert --to hlog times.sk
	tail -n 1 out | grep -q '^0.000,0.000,3000.000,HISTFAAA'
	cp out times.hlog
	try 0 hdr-quantile -s --from hlog:ns --unit ms -Q n,min,max --bounds times.hlog
	awk '$3 > 12 && NR == 2 || $4 < 12 && NR == 2 { exit 1 }' out
	try 0 sketch-convert --to hdr-base64:us times.sk
	cp out times.txt
	try 0 hdr-quantile -s --from hdr-base64:us -Q min,p50 times.txt
	out_is "min	12000
p50	123007"
	try 0 sketch-convert --to hgrm times.sk
	grep -q '^ *3.000 1.000000000000 ' out
	try 0 sketch-convert --to hgrm:ms times.sk
	grep -q '^ *3000.000 1.000000000000 ' out
}

@test "strings: one on each line, all forms in, and what is binary" {
	cut -f 2 "$THEIRS/encoded.tsv" >strings
	[ "$(grep -c ^DHIST strings)" = 2 ]
	try 0 sketch-convert --from hdr-base64 -a strings
	[ "$(wc -l <out)" = 17 ]
	grep -v ^D strings >whole
	try 0 sketch-convert --from hdr-base64 --to hdr-base64 whole
	[ "$(wc -l <out)" = 15 ]
	sketch-convert --from hdr-base64 -a whole >wanted
	cp out again
	try 0 sketch-convert --from hdr-base64 -a again
	out_is_file wanted
	# Padding may be missing.
	tr -d = <whole >unpadded
	try 0 sketch-convert --from hdr-base64 -a unpadded
	out_is_file wanted
	head -n 1 whole >one
	base64 -d one >binary
	hdr-quantile -s --from hdr-base64 one >wanted
	for system in hdr-base64 hlog; do
		try 0 hdr-quantile -s --from "$system" binary
		out_is_file wanted
	done
	# With keys before them, as in any table.
	hdr-build --by 1 -f 2 log | sketch-convert --to hdr-base64 --keyed >rows
	cut -c 1-12 rows >got
	printf '%s\n' get,HISTFAAA put,HISTFAAA >wanted
	same wanted got
	hdr-quantile --by 1 -f 2 log >wanted
	# Maxima are those of slots then: 10007 and not 10000.
	sed -E 's/\t(10000|9999)\t/\t10007\t/' wanted >slots
	cut -f 1-6,9 slots >wanted
	hdr-quantile -s --from hdr-base64 rows | cut -f 1-6,9 >got
	same wanted got
}

@test "ours go out as Java would have written them" {
	for digits in 1 2 3 4 5; do
		hdr-build --digits "$digits" lines | sketch-convert --to hgrm >got
		# Theirs is of one that was made for an hour.
		sed '$d' "$THEIRS/seq10000-s$digits.hgrm" >wanted
		sed -i '$d' got
		same wanted got
		hdr-build --digits "$digits" lines | sketch-convert --to hdr-base64 >text
		hdr-quantile -s --from hdr-base64 text -Q n,p0,p50,p75,p90 >wanted
		try 0 hdr-quantile --digits "$digits" lines -Q n,p0,p50,p75,p90
		out_is_file wanted
	done
	hdr-build --digits 3 lines | sketch-convert --to hdr-base64 | base64 -d | head -c 4 | od -An -tx1 >got
	grep -q '1c 84 93 14' got
}

@test "keys become tags, several fields with a TAB between" {
	hdr-build --by 1 -f 2 -o keyed.sk log
	try 0 sketch-convert --to hlog keyed.sk
	[ "$(grep -c '^Tag=[gp][eu]t,0.000,0.000,' out)" = 2 ]
	cp out keyed.hlog
	try 0 hdr-quantile -s --from hlog -Q n keyed.hlog
	out_is "6667	get
3333	put"
	hdr-build --by 1,2 -f 2 log | sketch-convert --to hlog >two.hlog
	grep -q "^Tag=get	1,0.000," two.hlog
	hdr-build --by 1,2 -f 2 log | hdr-quantile -s -Q min -k 5 >wanted
	try 0 hdr-quantile -s --from hlog -Q min -k 5 two.hlog
	out_is_file wanted
	# A table is of one of them.
	grep -v ^Tag=put two.hlog | head -n 3 >one.hlog
	try 0 sketch-convert --from hlog --to hgrm one.hlog
	try 4 sketch-convert --to hgrm keyed.sk
	err_has 'it takes the sketches of one key, and there are more'
}

@test "lowest values above 1 are kept, and bounds tell of them" {
	grep ^unit1000 "$THEIRS/encoded.tsv" | cut -f 2 >text
	sketch-convert --from hdr-base64 -o unit.sk text
	try 0 sketch-info --json unit.sk
	jq -e '.lowest_discernible == 1000 and .highest_trackable == 3600000000' out
	try 0 hdr-quantile -s --bounds -Q p1 unit.sk
	cut -f 1-4 out >got
	printf 'p1	20479	19968	20479\n' >wanted
	same wanted got
	# A union with finer ones keeps what is certain.
	seq 5 | hdr-build -o fine.sk
	sketch-merge unit.sk fine.sk >union.sk
	try 0 hdr-quantile -s --bounds -Q min,p99 union.sk
	try 0 sketch-convert --to hdr-base64 union.sk
}

# How it fails.

@test "a damaged line of a log is told and passed over, status 4" {
	try_any 4 hdr-quantile -s --from hlog -Q n bad.hlog
	out_is "$(printf '100\t\n100\tapi')"
	err_is "hdr-quantile: cannot read 'bad.hlog', line 7: not a line of a log of histograms
hdr-quantile: cannot read the log of histograms 'bad.hlog', line 8: truncated
hdr-quantile: cannot read the log of histograms 'bad.hlog', line 9: the text is not hex digits or base64"
	try_any 4 sketch-convert --from hlog --to hlog -o new.hlog bad.hlog
	[ "$(grep -c HISTFAAA new.hlog)" = 2 ]
	try_any 4 sketch-info --from hlog bad.hlog
	grep -q '^intervals: *2$' out
	try 4 hdr-quantile --strict -s --from hlog bad.hlog
	try 4 sketch-merge --strict --from hlog -o none.sk bad.hlog
	try 4 sketch-convert --strict --from hlog -o none.sk bad.hlog
	absent none.sk
}

@test "what is no log, or a newer one, is refused at once" {
	try 4 hdr-quantile -s --from hlog lines
	err_is "hdr-quantile: cannot read 'lines', line 1: not a log of histograms"
	sed 's/version 1.3/version 2.0/' golden-abs.hlog >new
	try 4 hdr-quantile -s --from hlog new
	err_has 'line 2: needs a newer version'
	for empty in /dev/null golden-empty; do
		head -n 5 golden-abs.hlog | grep '^[#"]' >golden-empty
		try 4 hdr-quantile -s --from hlog "$empty"
		err_has empty
	done
	hdr-build -o x.sk lines
	try 4 hdr-quantile -s --from hlog x.sk
	err_has 'it is a sketch of ours (leave --from out)'
	try 4 hdr-quantile -s golden-abs.hlog
	err_has 'it looks like a log of HdrHistogram (use --from hlog)'
	cut -f 2 "$THEIRS/encoded.tsv" >strings
	try 4 hdr-quantile -s strings
	err_has 'it looks like a histogram of HdrHistogram (use --from hdr-base64)'
	try 4 sketch-info --from hdr-base64 golden-abs.hlog
	sed 's/AAAA/AAAB/' strings >damaged
	try 4 sketch-convert --from hdr-base64 damaged
}

@test "what cannot be a histogram of theirs says why" {
	hdr-build -o negative.sk <<<-1
	hdr-build -o fraction.sk <<<0.5
	hdr-build -o huge.sk <<<1e19
	seq 5 | hll-build -o x.hll
	printf 'a,b 1\n' | hdr-build --by 1 -f 2 -o comma.sk
	for row in 'hlog negative.sk numbers below 0' 'hgrm negative.sk numbers below 0' \
	    'hlog fraction.sk are not whole, and have no unit' 'hlog huge.sk above 2^63-1' \
	    'hdr-base64 huge.sk above 2^63-1' 'hlog:ms fraction.sk its numbers have no unit' \
	    'hgrm x.hll its kind is hll, not hdr' 'hlog comma.sk cannot be a tag'; do
		read -r system file why <<<"$row"
		try 4 sketch-convert --to "$system" "$file"
		err_has "$why"
	done
	# These are no numbers below 0.
	printf '%s\n' 0 -0 | hdr-build -o zero.sk
	try 0 sketch-convert --to hlog zero.sk
	try 0 sketch-convert --to hgrm fraction.sk huge.sk
	printf '%s\n' 1e19 1e300 | hdr-build -o whole.sk
	try 0 sketch-convert --to hgrm whole.sk
	[ "$(wc -c <out)" -gt 300 ]
}

@test "wrong options" {
	try 2 sketch-convert --to hlog:kg lines
	err_has 'a unit is ns, us, ms, s, min, h or d'
	try 2 sketch-convert --from hlog: lines
	try 2 sketch-convert --from redis:ms lines
	err_has 'redis has no unit'
	try 2 sketch-convert --from hgrm lines
	err_has 'not dcso, parquet, redis, postgres, datasketches, hlog or hdr-base64'
	try 2 hdr-quantile -s --from hgrm lines
	err_has 'not hlog or hdr-base64'
	try 2 sketch-convert -a --to hlog lines
	err_has 'cannot use -a with --to hlog'
	try 2 sketch-convert --keyed --to hgrm lines
	err_has 'it has no rows'
	try 2 hll-count -s --from hlog lines
	try 2 bloom-build --compat hlog -n 5 lines
}
