# sketchutils: BSD-2-Clause, see LICENSE
#
# The systems themselves: DCSO's bloom from Debian, and Parquet files by DuckDB
# and by Apache Arrow.

load ../helper

PYTHON=$SKETCHUTILS_BUILD/peers/bin/python

prepare() {
	{ seq 2000; seq 1 7 2000; printf '\n\377\376\n  blanks \n'; } >lines
	seq 1900 2100 >some
}

# dcso N P: its file of the lines, as it writes it.
dcso() {
	rm -f dcso.bloom
	bloom create -n "$1" -p "$2" dcso.bloom
	bloom insert dcso.bloom <lines
}

@test "bloom and bloom-build write the same bytes" {
	for rule in '2000 0.01' '2500 0.001' '100000 1e-6' '5000 0.3' '3000 0.00000001'; do
		read -r n p <<<"$rule"
		dcso "$n" "$p"
		bloom-build --compat dcso -n "$n" -p "$p" lines 2>err | sketch-convert --to dcso >ours
		same dcso.bloom ours
	done
}

@test "bloom finds in our file what ours finds, and shows what went in" {
	bloom-build --compat dcso -n 3000 lines | sketch-convert --to dcso >ours.bloom
	bloom check ours.bloom <lines >found
	same lines found
	bloom check ours.bloom <some >theirs
	bloom-query --from dcso ours.bloom some >found
	same theirs found
	bloom show ours.bloom >shown
	grep -q 'Capacity:[[:blank:]]*3000$' shown
	counted=$(sketch-info --json --from dcso ours.bloom | jq .counted)
	grep -q "Elements present:[[:blank:]]*$counted\$" shown
	grep -q 'Bits:[[:blank:]]*28755$' shown
	# And goes on with it.
	seq 5000 5010 | bloom insert ours.bloom
	[ "$(seq 5000 5010 | bloom-query -c --from dcso ours.bloom)" = 11 ]
}

@test "we read what bloom writes, as gzip too, with its text" {
	dcso 3000 0.01
	bloom --gzip create -n 3000 -p 0.01 dcso.gz
	bloom --gzip insert dcso.gz <lines
	gzip -t dcso.gz
	try 0 sketch-convert --from dcso --to dcso dcso.gz
	out_is_file dcso.bloom
	[ "$(bloom-query -c --from dcso dcso.gz lines)" = "$(wc -l <lines)" ]
	# Its text is read from a pipe.
	echo 'made by nobody' | cat | bloom --gzip set-data dcso.gz
	try_any 0 sketch-convert --from dcso --to dcso dcso.gz
	err_has '15 bytes behind the filter'
	out_is_file dcso.bloom
	# Large and full enough that nothing can be saved, and nearly empty.
	for n in 1000000 300000; do
		bloom --gzip create -n $n -p 0.01 large.gz
		seq $n | bloom --gzip insert large.gz
		gzip -dc large.gz >large.bloom
		try 0 sketch-convert --from dcso --to dcso large.gz
		out_is_file large.bloom
	done
	bloom --gzip create -n 1000000 -p 0.01 large.gz
	gzip -dc large.gz >large.bloom
	try 0 sketch-convert --from dcso --to dcso large.gz
	out_is_file large.bloom
}

@test "its join and our union are the same" {
	head -n 1500 lines >a
	tail -n +1000 lines >b
	for part in a b; do
		bloom create -n 3000 -p 0.01 $part.bloom
		bloom insert $part.bloom <$part
	done
	sketch-merge --from dcso a.bloom b.bloom | sketch-convert --to dcso >ours
	bloom join a.bloom b.bloom
	same a.bloom ours
}

@test "the size that its hash handles badly is told by us, and is as bad as we say" {
	bloom create -n 109397 -p 0.01 bad.bloom
	seq 109397 | bloom insert bad.bloom
	fpp=$(sketch-info --json --from dcso bad.bloom | jq .fpp)
	seq 1000001 1100000 | bloom check bad.bloom | wc -l >out
	out_between "$(jq -n "$fpp * 90000 | floor")" "$(jq -n "$fpp * 110000 | ceil")"
}

# cut FILE OFFSET LENGTH
cut_out() {
	tail -c +$(($2 + 1)) "$1" | head -c "$3"
}

@test "DuckDB's filter of a column is ours, byte for byte" {
	grep -v '[^0-9]' lines | grep . | sort -u >words
	"$PYTHON" - <<-'PYTHON' >place
	import duckdb
	words = open("words").read().split()
	db = duckdb.connect()
	db.execute("create table t (s varchar)")
	db.executemany("insert into t values (?)", [[w] for w in words])
	db.execute("copy t to 'duck.parquet' (format parquet, dictionary_size_limit 1000000)")
	print(*db.execute("select bloom_filter_offset, bloom_filter_length "
	                  "from parquet_metadata('duck.parquet')").fetchone())
	PYTHON
	read -r offset length <place
	cut_out duck.parquet "$offset" "$length" >duck.pq
	[ "$(bloom-query -c --from parquet duck.pq words)" = 2000 ]
	blocks=$(sketch-info --json --from parquet duck.pq | jq .blocks)
	# The one of ours that has as many.
	for n in 1000 2000 3000 5000 8000 12000; do
		bloom-build --compat parquet -n "$n" -p 1% words 2>err | sketch-convert --to parquet >ours.pq
		[ "$(sketch-info --json --from parquet ours.pq | jq .blocks)" != "$blocks" ] || break
	done
	same duck.pq ours.pq
}

@test "Arrow's filter of a column is ours, byte for byte" {
	grep -v '[^0-9]' lines | grep . | sort -u >words
	"$PYTHON" - <<-'PYTHON' >place
	import pyarrow, pyarrow.parquet as parquet
	table = pyarrow.table({"s": open("words").read().split()})
	parquet.write_table(table, "arrow.parquet", bloom_filter_options={"s": {"ndv": 2000, "fpp": 0.01}})
	column = parquet.ParquetFile("arrow.parquet").metadata.row_group(0).column(0)
	print(column.bloom_filter_offset, column.bloom_filter_length)
	PYTHON
	read -r offset length <place
	cut_out arrow.parquet "$offset" "$length" >arrow.pq
	[ "$(bloom-query -c --from parquet arrow.pq words)" = 2000 ]
	bloom-build --compat parquet -n 2000 -p 1% words | sketch-convert --to parquet >ours.pq
	same arrow.pq ours.pq
}
