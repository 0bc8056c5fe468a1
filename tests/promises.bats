# sketchutils: BSD-2-Clause, see LICENSE
#
# PROMISES.md: each promise has a test, and each test that it names exists.

load helper

HERE=$SKETCHUTILS_TOP/tests

@test "every test that PROMISES.md names exists" {
	local file name bad=0 n=0
	while IFS= read -r line; do
		n=$((n + 1))
		file=${line%%: *} name=${line#*: }
		case $file in
		make\ *) grep -q "^#: $file  " "$SKETCHUTILS_TOP/Makefile" ;;
		*.bats) grep -qxF "@test \"$name\" {" "$HERE/$file" ;;
		*.c) grep -qx "	RUN($name);" "$HERE/$file" ;;
		*) false ;;
		esac || { echo "there is no $line"; bad=1; }
	done < <(sed -n 's/^ *- \(make [a-z-]*\|[a-z0-9/_-]*\.\(bats\|c\): .*\)$/\1/p' "$HERE/PROMISES.md")
	[ "$n" -ge 120 ]
	return "$bad"
}

@test "every promise of PROMISES.md has a test" {
	awk '/^## What is not/ { exit }
	    /^([0-9]+\.|-) / { if (promise) { print "no test: " promise; bad = 1 } promise = $0 }
	    /^ +- / { promise = "" }
	    END { exit bad || promise != "" }' "$HERE/PROMISES.md"
	# Of what is asked of all programs, each has its number, once.
	sed -n 's/^\([0-9]*\)\. .*/\1/p' "$HERE/PROMISES.md" | sort -n >numbers
	seq 56 | same - numbers
}

@test "sketch-merge(1) tells how every kind unites" {
	local name bad=0
	sed -n '/^const struct kind /,/^};/s/.*\.name = "\([a-z-]*\)".*/\1/p' \
	    "$SKETCHUTILS_TOP"/lib/sketch/*/*.c | sort -u >names
	[ "$(wc -l <names)" -ge 19 ]
	while read -r name; do
		case $name in
		# As ours, or told in a sentence; what is saved of a run is told elsewhere.
		bloom-dcso | bloom-parquet | hll-* | seen | simhash | bands) ;;
		*) grep -q "^\.It $name Ta " "$SKETCHUTILS_TOP/man/sketch-merge.1" ||
		    { echo "no row of $name"; bad=1; } ;;
		esac
	done <names
	return "$bad"
}

@test "SECURITY.md says how to report, and what is promised" {
	grep -qi 'report' "$SKETCHUTILS_TOP/SECURITY.md"
	grep -q -e '--key-file' "$SKETCHUTILS_TOP/SECURITY.md"
}
