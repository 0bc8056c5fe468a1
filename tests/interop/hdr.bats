# sketchutils: BSD-2-Clause, see LICENSE
#
# HdrHistogram itself, as its package for Python. What Java writes is held to the
# byte by tests/unit/hdr_golden_test.c.

load ../helper

prepare() {
	awk 'BEGIN { srand(3); for (i = 0; i < 5000; i++)
	    print int(exp(3 + 12 * rand() * rand())) }' >lines
	awk '{ print (NR % 3 ? (NR % 2 ? "get" : "put") : "-"), 1700000000 + int(NR / 1000), "1.000", $1 }' \
	    lines >log
}

theirs() {
	"$SKETCHUTILS_BUILD/peers/bin/python" "$BATS_TEST_DIRNAME/hdr.py" "$@"
}

@test "it has its numbers in the slots where ours are" {
	for digits in 1 2 3 4; do
		theirs build "$digits" <lines | theirs slots >wanted
		hdr-build --digits "$digits" lines | sketch-convert --to hdr-base64 | theirs slots >got
		same wanted got
	done
}

@test "we read its strings, and it reads what we make of them" {
	for digits in 1 2 3 4; do
		theirs build "$digits" <lines >theirs.txt
		hdr-quantile --digits "$digits" -Q n,p25,p50,p90 lines >wanted
		try 0 hdr-quantile -s --from hdr-base64 -Q n,p25,p50,p90 theirs.txt
		out_is_file wanted
		theirs slots <theirs.txt >wanted
		sketch-convert --from hdr-base64 --to hdr-base64 theirs.txt | theirs slots >got
		same wanted got
	done
}

@test "its logs come in, with tags and times, and ours are logs to it" {
	theirs log <log >theirs.hlog
	try 0 hdr-quantile -s --from hlog -Q n theirs.hlog
	sort out >got
	printf '1666	\n1667	get\n1667	put\n' | sort >wanted
	same wanted got
	theirs read theirs.hlog >wanted
	[ "$(wc -l <wanted)" -ge 15 ]
	sketch-convert --from hlog --to hlog -o ours.hlog theirs.hlog
	theirs read ours.hlog >got
	same wanted got
	# What has no time is read as well.
	hdr-build --by 1 -f 4 log | sketch-convert --to hlog >keyed.hlog
	theirs read keyed.hlog | cut -d ' ' -f 1,4 >got
	printf '%s\n' '- 1666' 'get 1667' 'put 1667' >wanted
	same wanted got
}
