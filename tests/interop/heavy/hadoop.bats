# sketchutils: BSD-2-Clause, see LICENSE
#
# Streaming of Apache Hadoop, from Maven, with the rest of Hadoop that Spark brings: a
# job is a process that sorts, splits and starts mappers and reducers as a cluster does.

load ../../helper

prepare() {
	: "${SKETCHUTILS_BUILD:=$SKETCHUTILS_TOP/build}"
	mkdir shim logs tmp
	export TMPDIR=$PWD/tmp
	sh "$BATS_TEST_DIRNAME/hadoop.sh" command "$SKETCHUTILS_BUILD" >shim/hadoop
	chmod +x shim/hadoop
	PATH=$PWD/shim:$PATH
	cp "$SKETCHUTILS_BUILD/peers/hadoop/hadoop-streaming.jar" .
	for day in 1 2 3; do
		"$SKETCHUTILS_BUILD/logmaker" access 1500 $day >logs/day$day.log
	done
	: >logs/day4.log
}

# job STATUS MAPPER: with two reducers, from logs to pages. What it says is in said.
job() {
	local got=0
	hadoop jar hadoop-streaming.jar -D mapreduce.job.reduces=2 -input logs -output pages \
	    -mapper "$2" -reducer 'sketch-merge -a --keyed' >said 2>&1 || got=$?
	[ "$got" = "$1" ] || { tail -n 20 said; failed; }
}

@test "a sketch for each page, as sketch(7) has it: the bytes of a single run" {
	python3 "$SKETCHUTILS_TOP/tests/examples.py" --print 'With Hadoop' \
	    "$SKETCHUTILS_TOP/man/sketch.7" >script
	bash -euo pipefail script >said 2>&1 || { tail -n 20 said; failed; }
	hll-build --by 7 -f 1 -o wanted.hll logs/*.log
	same wanted.hll pages.hll
	# Both reducers had work, and no key was at both.
	for part in 0 1; do
		cut -f 1 pages/part-0000$part >keys$part
		[ -s keys$part ]
	done
	sort keys0 keys1 | uniq -d >twice
	text_is twice ''
}

@test "a key of two fields, of which Hadoop sorts by the first" {
	job 0 'hll-build -a --quoted --by 6,7 -f 1'
	cat pages/part-* >rows
	sketch-merge -o united.hll rows
	hll-build --quoted --by 6,7 -f 1 -o wanted.hll logs/*.log
	same wanted.hll united.hll
}

@test "a reducer that gets no key is no failure" {
	printf 'a x\na y\n' >logs/day1.log
	rm logs/day[23].log
	job 0 'hll-build -a --by 1 -f 2'
	[ -e pages/_SUCCESS ]
	cat pages/part-* >rows
	hll-build -a --by 1 -f 2 logs/day1.log >wanted
	same wanted rows
}

@test "a mapper that fails, or is killed, fails the job" {
	printf '#!/bin/sh\nread -r line && kill -9 $$\nexec hll-build -a --by 7 -f 1\n' >shim/killed
	chmod +x shim/killed
	for mapper in 'hll-build -a --by 7 --precision 99' killed; do
		job 1 "$mapper"
		[ ! -e pages/_SUCCESS ]
		rm -rf pages
	done
}
