# sketchutils: BSD-2-Clause, see LICENSE
#
# Apache DataSketches itself, as its package for Python.

load ../helper

prepare() {
	seq 20000 | sed 's/.*/user &/' >lines
	awk 'BEGIN { srand(7); for (i = 0; i < 30000; i++) print "k" int(90 * rand() * rand()), int(3000 * rand()) }' >log
}

theirs() {
	"$SKETCHUTILS_BUILD/peers/bin/python" "$BATS_TEST_DIRNAME/sketches.py" "$@"
}

# ours LGK FILE: as raw bytes.
ours() {
	hll-build --compat datasketches:"$1" "$2" | sketch-convert --to datasketches
}

@test "it counts ours as we do" {
	for lgk in 4 7 8 12 14 21; do
		for n in 0 1 7 8 24 100 400 5000 20000; do
			head -n "$n" lines >items
			ours "$lgk" items >"ours-$lgk-$n"
			try 0 hll-count --compat datasketches:"$lgk" items
			cat out >>counts
			names+=("ours-$lgk-$n")
		done
	done
	theirs count "${names[@]}" >wanted
	same wanted counts
}

@test "while coupons are kept, our bytes are its own but for their order" {
	theirs grid 12 0,1,7,8,24,100,380 <lines
	for n in 0 1 7 8 24 100 380; do
		head -n "$n" lines >items
		sketch-convert --from datasketches --to datasketches "8-12-$n" >again
		ours 12 items >ours
		same again ours
		[ "$(wc -c <"8-12-$n")" = "$(wc -c <ours)" ]
	done
}

@test "we read each of its types, and count as it does" {
	theirs grid 4,8,12,21 0,5,100,5000,20000 <lines
	theirs count [468]-* >wanted
	for file in [468]-*; do
		try 0 hll-count -s --from datasketches "$file"
		cat out >>counts
	done
	same wanted counts
}

@test "update with the same items changes nothing" {
	for n in 5 100 5000; do
		head -n "$n" lines >items
		ours 12 items >ours
		theirs update ours <items >after
		sketch-convert --from datasketches ours >ours.sk
		sketch-convert --from datasketches after >after.sk
		same ours.sk after.sk
	done
}

@test "a union of ours and theirs is theirs alone" {
	seq 15000 30000 | sed 's/.*/user &/' >later
	cat lines later >all
	for type in 4 6 8; do
		ours 12 lines >ours
		theirs build 12 "$type" <lines >theirs
		theirs union 12 theirs theirs >alone
		theirs union 12 ours theirs >both
		same alone both
		ours 12 later >second
		theirs union 12 ours second >both
		theirs build 12 "$type" <all >theirs
		theirs union 12 theirs theirs >alone
		same alone both
		# And ours is what its union is.
		try 0 hll-count -s --from datasketches ours theirs
		out_is "$(theirs count both)"
	done
}

@test "numbers are those of its 64-bit integers" {
	{ seq -3000 7 3000; printf '%s\n' 9223372036854775807 -9223372036854775808; } >numbers
	hll-build --compat datasketches:12 --item int64 numbers | sketch-convert --to datasketches >ours
	theirs build 12 8 int64 <numbers >theirs
	theirs union 12 theirs theirs >alone
	theirs union 12 ours theirs >both
	same alone both
}

@test "the empty item is left out, as it is there" {
	{ echo; seq 5; echo; } >items
	try_any 0 hll-build --compat datasketches --stats -o ours.sk items
	err_has '2 empty items ignored, as datasketches does'
	sketch-convert --to datasketches ours.sk >ours
	theirs build 12 8 <items >theirs
	sketch-convert --from datasketches --to datasketches theirs >again
	same again ours
}

@test "keys go out as CSV, and come back" {
	{ sed 's/ /;/' log; printf '"x",y;4\n;5\n'; } >keyed
	hll-build --compat datasketches -d ';' --by 1 -f 2 -o keyed.sk keyed
	try 0 sketch-convert --to datasketches --keyed keyed.sk
	cp out table.csv
	theirs rows <table.csv | sort -t $'\t' -k 1,1rn -k 2 >wanted
	hll-count -s keyed.sk >rows
	same wanted rows
	try 0 hll-count -s --from datasketches table.csv
	out_is_file rows
	# With a TAB instead, in any order, with the ends of lines of others.
	sort -r table.csv | grep -v '"' | sed $'s/,\\([^,]*\\)$/\\\t\\1\\r/' >table.tsv
	grep -v '"' rows | sed '/\t$/d' >fewer
	try 0 hll-count -s --from datasketches table.tsv
	out_is_file fewer
}

@test "base64 on lines, and of a whole file, is what others print" {
	ours 12 lines >ours
	base64 -w 0 ours >text
	try 0 hll-count -s --from datasketches text
	out_is "$(hll-count --compat datasketches lines)"
	sketch-convert --from datasketches -a ours >armored
	sketch-convert --to datasketches -a armored >line
	echo >>text
	same text line
}
