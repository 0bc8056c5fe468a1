# sketchutils: BSD-2-Clause, see LICENSE
#
# PostgreSQL with the extension hll, from Debian, on a socket of its own.

load ../helper

setup_file() {
	FOLDER=$(mktemp -d /tmp/sk-postgres.XXXXXX)
	export FOLDER
	sh "$BATS_TEST_DIRNAME/server.sh" start postgres "$FOLDER"
}

teardown_file() {
	sh "$BATS_TEST_DIRNAME/server.sh" stop postgres "$FOLDER"
	rm -rf "$FOLDER"
}

prepare() {
	seq 20000 | sed 's/.*/user &/' >lines
	awk 'BEGIN { srand(7); for (i = 0; i < 30000; i++) print "k" int(90 * rand() * rand()), int(3000 * rand()) }' >log
	sql 'set client_min_messages = warning; drop table if exists t, item'
	sql 'create table item (name text)'
}

sql() {
	psql -h "$FOLDER" -U postgres -v ON_ERROR_STOP=1 -qAt -F $'\t' -c "$1"
}

# load_items FILE: its lines as items.
load_items() {
	sql 'truncate item'
	sql 'copy item from stdin' <"$1"
}

# The shapes that both must agree on.
SHAPES='11,5,-1,1 14,5,-1,1 11,5,0,1 11,5,0,0 10,4,64,0 17,5,-1,1 4,1,0,0'

@test "our bytes are those of hll_add_agg" {
	for n in 0 1 3 160 161 700 20000; do
		head -n "$n" lines >items
		load_items items
		for shape in $SHAPES; do
			hll-build --compat postgres:"$shape" items | sketch-convert --to postgres -a >ours
			sql "select coalesce(hll_add_agg(hll_hash_text(name), $shape), hll_empty($shape))
			    from item" >theirs
			same theirs ours
		done
	done
}

@test "it counts ours as we do" {
	for n in 0 1 160 5000 20000; do
		head -n "$n" lines >items
		for shape in 11,5,-1,1 14,5,0,0 17,5,-1,1; do
			hll-build --compat postgres:"$shape" items | sketch-convert --to postgres -a >ours
			try 0 hll-count --compat postgres:"$shape" items
			out_is "$(sql "select round(hll_cardinality('$(cat ours)'::hll))")"
		done
	done
}

@test "hll_add of the same items changes nothing, and a union with theirs is theirs" {
	load_items lines
	hll-build --compat postgres lines | sketch-convert --to postgres -a >ours
	sql "create table t (users hll(11,5,-1,1))"
	sql "insert into t values ('$(cat ours)')"
	sql "update t set users = hll_add(users, hll_hash_text('user 5'))"
	sql "select users from t" >after
	same ours after
	sql "select users || (select hll_add_agg(hll_hash_text(name)) from item) from t" >after
	same ours after
	seq 15000 30000 | sed 's/.*/user &/' >later
	hll-build --compat postgres later | sketch-convert --to postgres -a >second
	sql 'copy item from stdin' <later
	sql "select '$(cat ours)'::hll || '$(cat second)'::hll" >union
	sql "select hll_add_agg(hll_hash_text(name)) from item" >theirs
	same theirs union
}

@test "numbers are those of hll_hash_bigint" {
	{ seq -3000 7 3000; printf '%s\n' 9223372036854775807 -9223372036854775808; } >numbers
	load_items numbers
	for shape in 11,5,-1,1 11,5,0,1; do
		hll-build --compat postgres:"$shape" --item int64 numbers |
		    sketch-convert --to postgres -a >ours
		sql "select hll_add_agg(hll_hash_bigint(name::bigint), $shape) from item" >theirs
		same theirs ours
	done
}

@test "the empty item counts while hashes are kept, as it does there" {
	{ echo; seq 5; } >items
	load_items items
	for shape in 11,5,-1,1 11,5,0,1; do
		hll-build --compat postgres:"$shape" items | sketch-convert --to postgres -a >ours
		sql "select hll_add_agg(hll_hash_text(name), $shape) from item" >theirs
		same theirs ours
	done
}

@test "keys go in by COPY, and their dump comes back" {
	# Keys that COPY has to escape, too.
	{ sed 's/ /;/' log; printf 'a\tb\\c;1\n\\N;2\n\\.;3\n"x",y;4\n;5\n'; } >keyed
	hll-build --compat postgres -d ';' --by 1 -f 2 -o keyed.sk keyed
	hll-count -s keyed.sk >rows
	try 0 sketch-convert --to postgres --keyed keyed.sk
	sql 'create table t (key text primary key, users hll)'
	sql 'copy t from stdin' <out
	sql 'select round(hll_cardinality(users)), key from t order by 1 desc, key collate "C"' >theirs
	same rows theirs

	sql 'copy (select key, users from t order by random()) to stdout' >dump
	try 0 hll-count -s --from postgres dump
	out_is_file rows
	try 0 hll-count -s --from postgres --total dump
	out_is "$(sql 'select round(# hll_union_agg(users)) from t')"
	sketch-convert --from postgres dump >back.sk
	sketch-convert --to postgres --keyed back.sk >again
	sort again >again.sorted
	sort dump >dump.sorted
	same dump.sorted again.sorted
	# Without keys: one value a line.
	sql 'select users from t' >values
	try 0 hll-count -s --from postgres values
	out_is "$(sql 'select round(# hll_union_agg(users)) from t')"
	# As psql prints them; a TAB in a key cannot be told there.
	sql "select key, users from t where key !~ E'\\t'" >printed
	grep -v $'a\tb' rows >fewer
	try 0 hll-count -s --from postgres printed
	out_is_file fewer
}

@test "a key of several fields fills several columns" {
	awk '{ print "2024-05-0" 1 + NR % 3, $1, $2 }' log >days
	hll-build --compat postgres --by 1,2 -f 3 -o keyed.sk days
	sketch-convert --to postgres --keyed keyed.sk >rows
	sql 'create table t (day date, page text, users hll)'
	sql 'copy t from stdin' <rows
	sql 'copy (select * from t) to stdout' >dump
	hll-count -s keyed.sk >ours
	try 0 hll-count -s --from postgres dump
	out_is_file ours
	sql 'select round(# hll_union_agg(users)), page from t group by page order by 1 desc, page' >theirs
	hll-count --compat postgres --by 2 -f 3 days >ours
	same theirs ours
}

@test "binary values come in, and NULL is passed over" {
	hll-build --compat postgres lines | sketch-convert --to postgres -a >ours
	sql "create table t (key text, users hll)"
	sql "insert into t values ('a', '$(cat ours)'), ('b', null)"
	sql "copy (select key, users from t) to stdout" >dump
	try 0 hll-count -s --from postgres dump
	out_is "$(hll-count --compat postgres lines)	a"
	sql "select encode(hll_send(users), 'hex') from t where key = 'a'" |
	    python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >raw
	try 0 hll-count -s --from postgres raw
	out_is "$(hll-count --compat postgres lines)"
	hll-build --compat postgres lines | sketch-convert --to postgres >ours.raw
	same raw ours.raw
}
