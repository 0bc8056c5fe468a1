# sketchutils: BSD-2-Clause, see LICENSE
#
# Apache Spark from PyPI. It starts once and does everything (spark.py); the tests
# look at what has come out.

load ../../helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	: "${SKETCHUTILS_BUILD:=$SKETCHUTILS_TOP/build}"
	"$SKETCHUTILS_BUILD/logmaker" access 20000 1 >access.log
	printf 'plain\ntwo\rlines\n\377\376\nlast\n' >odd.log
	hll-build --compat datasketches --by 7 -f 1 access.log |
	    sketch-convert --to datasketches --keyed -o pages.csv
	for heading in 'With Spark' 'Into Spark'; do
		python3 "$SKETCHUTILS_TOP/tests/examples.py" --print "$heading" \
		    "$SKETCHUTILS_TOP/man/sketch.7" >"${heading% Spark}"
	done
	export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON=$SKETCHUTILS_BUILD/peers/bin/python
	timeout 300 "$PYSPARK_PYTHON" "$BATS_TEST_DIRNAME/spark.py" With Into >log 2>&1 ||
	    { tail -n 30 log >&2; return 1; }
}

prepare() {
	cd "$BATS_FILE_TMPDIR" || return
}

@test "a builder in RDD.pipe and a merge behind it, as sketch(7) has them" {
	hll-build -a -f 1 access.log >wanted.hll
	same wanted.hll access.hll
}

@test "a killed builder: checkCode says so, and without it a record is missing" {
	grep -q 'exited with error code -9' noticed
	text_is silent 3
}

@test "what is not UTF-8 is replaced, and a carriage return ends a line" {
	printf 'plain\ntwo\nlines\n\357\277\275\357\277\275\nlast\n' >expected
	same expected odd
}

@test "hll_sketch_estimate and hll_union_agg of our bytes are what hll-count says" {
	hll-count -s --from datasketches pages.csv | sort >ours
	sort pages >sorted
	same sorted ours
	[ "$(wc -l <ours)" -gt 500 ]
	hll-count -s --from datasketches --total pages.csv >out
	same total out
}

@test "a sketch of Spark's own counts here what it counts there" {
	hll-count -s --from datasketches theirs.csv | sort >ours
	sort theirs >sorted
	same sorted ours
}

@test "the same visitors, theirs and ours, are no more than theirs alone" {
	awk -F '\t' '$1 != $2' both >differ
	text_is differ ''
	[ "$(wc -l <both)" = "$(wc -l <pages)" ]
}
