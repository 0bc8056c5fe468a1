# sketchutils: BSD-2-Clause, see LICENSE
#
# The recipes of sketch(7) that need another system, run as they stand there.

load ../helper

setup_file() {
	for system in redis postgres; do
		FOLDER=$(mktemp -d "/tmp/sk-book-$system.XXXXXX")
		echo "$FOLDER" >"$BATS_FILE_TMPDIR/$system"
		sh "$BATS_TEST_DIRNAME/server.sh" start "$system" "$FOLDER"
	done
}

teardown_file() {
	for system in redis postgres; do
		[ -e "$BATS_FILE_TMPDIR/$system" ] || continue
		FOLDER=$(cat "$BATS_FILE_TMPDIR/$system")
		sh "$BATS_TEST_DIRNAME/server.sh" stop "$system" "$FOLDER"
		rm -rf "$FOLDER"
	done
}

prepare() {
	mkdir shim logs
	PATH=$PWD/shim:$PATH
	for day in 1 2; do
		"$SKETCHUTILS_BUILD/logmaker" access 3000 $day >logs/day$day.log
	done
}

# recipe SYSTEM: run it, and compare what it prints.
recipe() {
	(cd logs && try 0 python3 "$SKETCHUTILS_TOP/tests/examples.py" --into "$1" \
	    "$SKETCHUTILS_TOP/man/sketch.7" && cat out)
}

@test "into Redis" {
	redis=$(command -v redis-cli)
	printf '#!/bin/sh\nexec "%s" -s "%s/redis.sock" "$@"\n' "$redis" \
	    "$(cat "$BATS_FILE_TMPDIR/redis")" >shim/redis-cli
	chmod +x shim/redis-cli
	recipe Redis
	# As we count them, but for the page whose visitor the recipe has added.
	hll-count --compat redis --by 7 -f 1 -k 20 logs/day1.log | grep -v /racal >ours
	while read -r _ page; do
		printf '%s\t%s\n' "$(redis-cli PFCOUNT "2025-10-06:$page")" "$page"
	done <ours >theirs
	same ours theirs
	[ "$(wc -l <ours)" = 19 ]
}

@test "into PostgreSQL" {
	PGHOST=$(cat "$BATS_FILE_TMPDIR/postgres") PGUSER=postgres
	export PGHOST PGUSER
	recipe PostgreSQL
	exact=$(cut -d ' ' -f 1 logs/day1.log | sort -u | wc -l)
	psql -Atc 'select round(# hll_union_agg(users)) from visitors' >out
	out_between $((exact * 95 / 100)) $((exact * 105 / 100))
	# The database's own hash of the same visitors adds nothing.
	awk '$7 == "/racal" { print $1 }' logs/day1.log >visitors
	psql -qc 'create table seen (address text)'
	psql -qc 'copy seen from stdin' <visitors
	psql -Atc "select users = users || (select hll_add_agg(hll_hash_text(address)) from seen)
	    from visitors where page = '/racal'" >out
	out_is t
}

@test "into Spark: its library reads the CSV as Spark's functions do" {
	recipe Spark
	# What the SQL of the recipe calls, and what those functions do.
	python3 "$SKETCHUTILS_TOP/tests/examples.py" --print 'Into Spark' \
	    "$SKETCHUTILS_TOP/man/sketch.7" >sql
	grep -qF 'hll_sketch_estimate(unbase64(_c1)) AS users FROM csv.' sql
	grep -qF 'hll_sketch_estimate(hll_union_agg(unbase64(_c1)))' sql
	hll-build --compat datasketches --by 7 -f 1 logs/day1.log |
	    sketch-convert --to datasketches --keyed -o pages.csv
	"$SKETCHUTILS_BUILD/peers/bin/python" - <<-'END' >theirs
		import base64, csv
		import datasketches as d
		union = d.hll_union(12)
		for page, text in csv.reader(open("pages.csv")):
		    sketch = d.hll_sketch.deserialize(base64.b64decode(text, validate=True))
		    union.update(sketch)
		    print(round(sketch.get_estimate()), page, sep="\t")
		print(round(union.get_estimate()), file=open("union", "w"))
	END
	hll-count -s --from datasketches pages.csv | sort >ours
	sort theirs >sorted
	same sorted ours
	# A union estimates by the order of what it was given while it has few
	# registers; the standard error is 1.6 %.
	n=$(cut -d ' ' -f 1 logs/day1.log | sort -u | wc -l)
	for total in "$(cat union)" "$(hll-count -s --from datasketches --total pages.csv)"; do
		echo "$total" >out
		out_between $((n * 96 / 100)) $((n * 104 / 100))
	done
}
