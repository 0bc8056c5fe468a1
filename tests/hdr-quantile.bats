# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 1000 >thousand
}

# nearest FILE SHARE...: the nearest ranks of sorted numbers, by the definition.
# Shares are whole numbers of a thousandth, so that no product is rounded.
nearest() {
	local file=$1 share
	shift
	for share; do
		sort -n "$file" | awk -v share="$share" '{ v[NR] = $1 } END {
			rank = int((share * NR + 999) / 1000)
			print v[rank < 1 ? 1 : rank] }'
	done
}

# within FILE FILE ERROR: line by line, |first - second| <= ERROR * |second|.
within() {
	paste "$1" "$2" | awk -v e="$3" 'NF != 2 { exit 1 } { d = $1 - $2; if (d < 0) d = -d
	    b = $2 < 0 ? -$2 : $2; if (d > e * b) { print; bad = 1 } } END { exit bad || NR == 0 }'
}

# What it does.

@test "the usual answers: n, min, four percentiles, max and mean" {
	try 0 hdr-quantile thousand
	out_is "n	1000
min	1
p50	500
p90	900
p99	990
p99.9	999
max	1000
mean	500.5"
	try 0 hdr-quantile <thousand
	out_has_line 'p50	500'
	try 0 hdr-quantile thousand - <thousand
	out_has_line 'n	2000'
	printf 5 >last
	try 0 hdr-quantile -Q n,p50 last
	out_is "n	1
p50	5"
}

out_has_line() {
	grep -qxF -- "$1" out && return
	show out
	failed
}

@test "-Q takes shares, per cents and names, in this order, and nothing else is printed" {
	try 0 hdr-quantile -Q p99,0.5,25%,max,n,p0,p100,1e-1 -Q mean thousand
	out_is "p99	990
p50	500
p25	250
max	1000
n	1000
p0	1
p100	1000
p10	100
mean	500.5"
	try 0 hdr-quantile -Q p99.9,0.0001,p33.333333,99.9999% thousand
	out_is "p99.9	999
p0.01	1
p33.333333	334
p99.9999	1000"
}

@test "a rank is what the decimal says, not what a product of doubles does" {
	# 0.07 * 100, 0.29 * 100 and 0.57 * 100 come out above 7, 29 and 57 or below.
	seq 100 >hundred
	for i in $(seq 100); do
		printf 'p%s\t%s\n' "$i" "$i"
	done >wanted
	try 0 hdr-quantile -Q "$(seq -s , -f 'p%g' 100)" hundred
	out_is_file wanted
	try 0 hdr-quantile -Q "$(seq -s , -f '0.%02g' 99),1" hundred
	out_is_file wanted
	seq 10 >ten
	try 0 hdr-quantile -Q 0.1,0.2,0.3,0.6,0.7 ten
	out_is "p10	1
p20	2
p30	3
p60	6
p70	7"
}

@test "real numbers of ten shapes are within the promised error at all digits" {
	local digits=1 error
	shapes='uniform normal exponential lognormal bimodal constant two sorted negative tiny'
	for shape in $shapes; do
		awk -v shape="$shape" 'function u() {
				s = (s * 16807) % 2147483647
				return s / 2147483647
			}
			function draw(g) {
				if (shape == "uniform") return u()
				if (shape == "normal") return g
				if (shape == "exponential") return -log(u())
				if (shape == "lognormal") return exp(2 * g)
				if (shape == "bimodal") return u() < 0.3 ? 10 + g : 1000 + 50 * g
				if (shape == "constant") return 3.25
				if (shape == "two") return u() < 0.5 ? 0 : 1e9
				if (shape == "sorted") return i * 0.37
				if (shape == "negative") return -exp(3 * g)
				return u() * 1e-300
			}
			BEGIN {
				s = 7
				for (i = 0; i < 2000; i++)
					printf "%.17g\n", draw(sqrt(-2 * log(u())) * cos(6.283185307 * u()))
			}' >"$shape"
		sort -g "$shape" >sorted.txt
		awk '{ v[NR] = $1 } END {
			n = split("1 10 100 250 500 750 900 990 999", share, " ")
			for (i = 1; i <= n; i++)
				print v[int((share[i] * NR + 999) / 1000)]
		}' sorted.txt >exact
		digits=$((digits % 5 + 1))
		error=$(awk -v d="$digits" 'BEGIN { print 2 ^ -(d == 1 ? 4 : d == 2 ? 7 : d == 3 ? 10 : d == 4 ? 14 : 17) }')
		try 0 hdr-quantile --digits "$digits" \
		    -Q 0.001,0.01,0.1,0.25,0.5,0.75,0.9,0.99,0.999 "$shape"
		cut -f 2 out >got
		within got exact "$error" || failed
	done
}

@test "--bounds hold the exact percentile, and --rank the exact share" {
	awk '{ print $10 }' log | grep -x '[0-9]*' >bytes
	nearest bytes 500 900 990 >exact
	try 0 hdr-quantile --bounds -Q p50,p90,p99 bytes
	paste out exact | awk -F '\t' 'NF != 7 || !($3 <= $7 && $7 <= $4 && $3 <= $2 && $2 <= $4 &&
	    $5 <= $3 && $6 >= $4) { print; bad = 1 } END { exit bad || NR != 3 }' || failed
	for number in 0 1000 20000 100000; do
		awk -v number="$number" '{ n += $1 <= number } END { print n / NR }' bytes
	done >exact
	try 0 hdr-quantile --bounds --rank 0,1000 --rank 20000,100000 bytes
	paste out exact | awk -F '\t' 'NF != 5 || !($3 <= $5 + 1e-6 && $5 <= $4 + 1e-6 && $3 <= $2 &&
	    $2 <= $4) { print; bad = 1 } END { exit bad || NR != 4 }' || failed
	[ "$(cut -f 1 out | head -n 2)" = "rank 0
rank 1000" ]
}

@test "where no sample bounds a percentile its interval is open" {
	seq 5 >five
	try 0 hdr-quantile --bounds -Q p50,p99 five
	out_is "p50	3	3	3	-	-
p99	5	5	5	4	-"
	try 0 hdr-quantile --json -Q p99 five
	out_is '{"quantile":"p99","value":5,"low":5,"high":5,"ci_low":4,"ci_high":null,"certain":false}'
}

@test "empty input has n, and no number that nobody measured" {
	try 0 hdr-quantile /dev/null
	out_is 'n	0'
	try 0 hdr-quantile -Q p50,max --rank 3 /dev/null
	out_is ''
	try 0 hdr-quantile --json /dev/null
	out_is '{"quantile":"n","value":0}'
	printf '1 0\n2 0\n' >weightless
	try 0 hdr-quantile -f 1 -W 2 weightless
	out_is 'n	0'
	try 0 hdr-quantile --each -Q n,p50 /dev/null thousand
	out_is "0	-	/dev/null
1000	500	thousand
1000	500	total"
}

@test "zero, negatives, fractions, the largest and the smallest are numbers" {
	printf '%s\n' -5 0 -0 3 1.5e3 >lines
	try 0 hdr-quantile -Q n,min,p20,p40,p60,p80,max lines
	out_is "n	5
min	-5
p20	-5
p40	0
p60	0
p80	3
max	1500"
	printf '%s\n' 1.7976931348623157e308 -1.7976931348623157e308 1e-307 >lines
	try 0 hdr-quantile -Q n,min,p50,max lines
	out_is "n	3
min	-1.7976931348623157e+308
p50	1e-307
max	1.7976931348623157e+308"
	printf '0.1\n0.25\n' >lines
	try 0 hdr-quantile -Q min,p50,max lines
	out_is "min	0.1
p50	0.1
max	0.25"
}

@test "what is no number is rejected and told, --strict makes it status 5" {
	printf '%s\n' 1 x '' nan inf 0x10 1e999 1,5 2 >lines
	try_any 0 hdr-quantile -Q n,max lines
	out_is "n	2
max	2"
	err_has 'hdr-quantile: rejected 7 of 9 lines: '
	try_any 5 hdr-quantile --strict lines
	try_any 0 hdr-quantile --skip-empty -Q n lines
	err_has 'rejected 6 of 9 lines'
}

@test "fields, CSV, weights and NUL records" {
	awk '{ print $10 }' log | grep -x '[0-9]*' >bytes
	try_any 0 hdr-quantile bytes && cp out wanted
	try_any 0 hdr-quantile -f 10 log && same wanted out
	printf 'route,ms\n"a, b",3\nc,5\n' >lines
	try 0 hdr-quantile --csv --header -f ms -Q n,p50,max lines
	out_is "n	2
p50	3
max	5"
	printf '3 2\n5 8\n' >lines
	try 0 hdr-quantile -f 1 -W 2 -Q n,p20,p21,mean lines
	out_is "n	10
p20	3
p21	5
mean	4.6"
	printf '1\0002\0003\000' >zeros
	try 0 hdr-quantile -z -Q p50 zeros
	[ "$(od -An -c out | tr -d ' \n')" = 'p50\t2\0' ]
	try 2 hdr-quantile -f 1,2 lines
	err_is "hdr-quantile: cannot use -f: one field holds the number"
}

@test "units of time are read with --unit, and limits may have others" {
	printf '%s\n' 12ms 3.4s '7 us' 250 >lines
	try 0 hdr-quantile --unit ms -Q n,min,p50,p75,max --rank 1s,300 lines
	out_is "n	4
min	0.007
p50	12
p75	250
max	3400
rank 1s	0.75
rank 300	0.75"
	try_any 0 hdr-quantile -Q n lines
	out_is 'n	1'
	err_has 'rejected 3 of 4 lines'
	err_has '--unit'
	try 2 hdr-quantile --rank 1s lines
	err_is "hdr-quantile: cannot use '--rank 1s': the numbers have no unit (see --unit)"
	try 2 hdr-quantile --unit parsec lines
	err_is "hdr-quantile: cannot use --unit 'parsec': not ns, us, ms, s, min, h or d"
}

@test "--slo is kept, broken or uncertain, and only the first is status 0" {
	try 0 hdr-quantile --slo 990:99% thousand
	out_is 'slo 990:99%	0.99	kept'
	try 1 hdr-quantile --slo 989:99% thousand
	out_is 'slo 989:99%	0.989	broken'
	try 1 hdr-quantile --slo 500:p50 --slo 500:0.501 thousand
	out_is "slo 500:p50	0.5	kept
slo 500:0.501	0.5	broken"
	# Of 1 digit, 500 is in a slot with 496 to 511.
	try 1 hdr-quantile --digits 1 --bounds --slo 500:50% thousand
	out_is 'slo 500:50%	0.5	0.495	0.511	uncertain'
	try 0 hdr-quantile --digits 1 -q --slo 512:50% thousand
	out_is ''
	try 1 hdr-quantile -q --slo 100:50% thousand
	out_is ''
	# Nothing measured is nothing shown.
	try 1 hdr-quantile --slo 100:50% /dev/null
	out_is ''
	try 0 hdr-quantile --slo 0:0% thousand
	try 0 hdr-quantile --json --slo 990:99% thousand
	out_is '{"quantile":"slo 990:99%","value":0.99,"low":0.99,"high":0.99,"kept":true}'
	printf '%s\n' 12ms 3.4s >lines
	try 0 hdr-quantile --unit s --slo 250ms:50% lines
	try 1 hdr-quantile --unit ms --slo 3:99% --slo 1min:1 lines
}

@test "a share below 1 is never printed as 1" {
	printf '7 9999999\n9 1\n' >lines
	try 0 hdr-quantile --rank 8 -f 1 -W 2 lines
	out_is 'rank 8	0.9999999'
}

@test "--correct tells what a stall has hidden, beside what was measured" {
	{ seq 98 | sed 's/.*/1/'; echo 10; echo 100; } >lines
	try 0 hdr-quantile --correct 10 -Q n,p50,p99,max lines
	# 100 is followed by 90, 80, ... 10.
	out_is "n	100	109
p50	1	1
p99	10	90
max	100	100"
	try 0 hdr-quantile --correct 10 --json -Q p99 lines
	out_is '{"quantile":"p99","value":10,"low":10,"high":10,"ci_low":1,"ci_high":null,"corrected":90,"corrected_low":90,"corrected_high":90,"corrected_ci_low":70,"corrected_ci_high":null,"certain":false}'
	# The promise is about what would have been measured.
	try 0 hdr-quantile --slo 50:99% lines
	try 1 hdr-quantile --correct 10 --slo 50:99% lines
	hdr-build -o plain.hdr lines
	hdr-build --correct 10 -o corrected.hdr lines
	try 0 hdr-quantile --correct 10 -s -Q n,p99 plain.hdr
	out_is "n	100	109
p99	10	90"
	try 0 hdr-quantile -s -Q n,p99 corrected.hdr
	out_is "n	109
p99	90"
	try 4 hdr-quantile --correct 10 -s corrected.hdr
	err_is "hdr-quantile: cannot use --correct: 'corrected.hdr' is corrected already"
	try 4 hdr-quantile -s plain.hdr corrected.hdr
	err_has corrected.hdr
	try 2 hdr-quantile --correct 0 lines
	try 2 hdr-quantile --correct 10ms lines
	err_is "hdr-quantile: cannot use --correct '10ms': the numbers have no unit (see --unit)"
	echo 1e30 >far
	try 2 hdr-quantile --correct 1 far
	err_has 'too short'
}

@test "--each prints a row for each input, and the total" {
	seq 1001 2000 >more
	try 0 hdr-quantile --each -Q n,p50,max thousand - <more
	out_is "1000	500	1000	thousand
1000	1500	2000	standard input
2000	1000	2000	total"
	try 1 hdr-quantile --each --slo 1000:100% thousand more
	out_is "1	kept	thousand
0	broken	more
0.5	broken	total"
	try 0 hdr-quantile --each --json -Q n,p50 thousand
	[ "$(head -n 1 out)" = '{"n":1000,"p50":500,"p50_low":500,"p50_high":500,"p50_ci_low":469,"p50_ci_high":532,"file":"thousand"}' ] || failed
}

@test "saved histograms unite, and give the answer of one pass" {
	awk '{ print $10 }' log | grep -x '[0-9]*' >bytes
	split -n l/5 bytes part.
	for part in part.*; do
		hdr-build -o "$part.hdr" "$part"
	done
	hdr-quantile --bounds bytes >wanted
	try 0 hdr-quantile --bounds -s part.*.hdr && same wanted out
	cat part.*.hdr >all
	try 0 hdr-quantile --bounds -s <all && same wanted out
	try 0 hdr-quantile -s --each -Q n part.*.hdr
	[ "$(wc -l <out)" = 6 ] || failed
	# Of unlike digits the fewer are left.
	hdr-build --digits 2 -o part.aa.hdr part.aa
	hdr-quantile --digits 2 --bounds bytes >wanted
	try 0 hdr-quantile --bounds -s part.*.hdr && same wanted out
}

@test "-s: another unit is shown, another kind is refused" {
	printf '%s\n' 12 3400 >lines
	hdr-build --unit ms -o ms.hdr lines
	hdr-build -o none.hdr lines
	try 0 hdr-quantile -s -Q p50,max --rank 0.02s,3s,2min ms.hdr
	out_is "p50	12
max	3400
rank 0.02s	0.5
rank 3s	0.5
rank 2min	1"
	try 0 hdr-quantile -s --unit s -Q p50,max --rank 0.02,3,120 ms.hdr
	out_is "p50	0.012
max	3.4
rank 0.02	0.5
rank 3	0.5
rank 120	1"
	try 4 hdr-quantile -s --unit s none.hdr
	err_is "hdr-quantile: cannot use --unit: the numbers in 'none.hdr' have no unit"
	try 2 hdr-quantile -s --rank 1s none.hdr
	err_is "hdr-quantile: cannot use '--rank 1s': the numbers have no unit"
	try 4 hdr-quantile -s ms.hdr none.hdr
	err_has none.hdr
	err_has unit
	seq 3 | hll-build -o three.hll
	try 4 hdr-quantile -s three.hll
	err_has hll
	tdigest-build -o three.td lines
	try 4 hdr-quantile -s three.td
	err_has tdigest
	: >empty
	try 4 hdr-quantile -s empty
	try 4 hdr-quantile -s thousand
}

@test "over time each row begins with when it ends" {
	awk 'BEGIN { for (i = 0; i < 600; i++) print 1700000000 + i, i % 60 }' >lines
	# 1700000000 is 22:13:20.
	try 0 hdr-quantile --tumble 5m --time-field 1 -f 2 -Q n,max lines
	out_is "2023-11-14T22:15:00Z	n	100
2023-11-14T22:15:00Z	max	59
2023-11-14T22:20:00Z	n	300
2023-11-14T22:20:00Z	max	59
2023-11-14T22:25:00Z	n	200
2023-11-14T22:25:00Z	max	59"
	try 0 hdr-quantile --window 10m --every 5m --time-field 1 -f 2 -Q n lines
	out_is "2023-11-14T22:15:00Z	n	100
2023-11-14T22:20:00Z	n	400
2023-11-14T22:25:00Z	n	500"
	try 0 hdr-quantile --json --tumble 1h --time-field 1 -f 2 -Q p50 lines
	[ "$(cut -c 1-63 out)" = '{"time":"2023-11-14T23:00:00Z","quantile":"p50","value":29,"low' ] || failed
	# One hour that is too slow is enough.
	echo 1700001000 500 >>lines
	try 1 hdr-quantile --tumble 5m --time-field 1 -f 2 --slo 100:100% lines
	[ "$(cut -f 4 out | tr '\n' ' ')" = 'kept kept kept broken ' ] || failed
	# Each step is what a run over its lines alone says.
	try 0 hdr-quantile --tumble 5m --time-field 1 -f 2 lines
	sed -n 's/^2023-11-14T22:20:00Z	//p' out >got
	sed -n '101,400p' lines >step
	hdr-quantile -f 2 step >wanted
	same wanted got
	try 0 hdr-quantile -j 4 --tumble 5m --time-field 1 -f 2 lines
	sed -n 's/^2023-11-14T22:20:00Z	//p' out >got && same wanted got
}

@test "no answer depends on the number of threads" {
	"$SKETCHUTILS_BUILD/logmaker" access 12000 3 >big
	hdr-quantile --bounds -f 10 -j 1 big >wanted 2>err.1
	for j in 2 8; do
		hdr-quantile --bounds -f 10 -j $j big >got 2>err.j
		same wanted got
		same err.1 err.j
		hdr-quantile --bounds -f 10 -j $j < <(cat big) >got 2>err.j
		same wanted got
	done
}

@test "--plot draws a histogram and a curve behind the rows" {
	awk 'BEGIN { for (i = 1; i <= 2000; i++) print exp(i % 97 / 20) }' >lines
	LC_ALL=C.UTF-8 COLUMNS=60 hdr-quantile --plot lines >utf8
	COLUMNS=60 hdr-quantile --plot lines >ascii
	hdr-quantile lines >rows
	head -n 8 utf8 >got && same rows got
	grep -qx 'samples at each number' ascii && grep -qx 'number at each percentile' ascii
	[ "$(wc -l <ascii)" = "$(wc -l <utf8)" ] || failed
	! grep -q '[^ -~	]' ascii || failed
	grep -q '[^ -~	]' utf8
	awk 'length > 60 { exit 1 }' ascii || failed
	grep -q 'p99.9' utf8 || failed
	# One sample, and none.
	echo 5 | COLUMNS=60 hdr-quantile --plot >got
	grep -q percentile got
	try 0 hdr-quantile --plot /dev/null && out_is 'n	0'
	hdr-build -o saved.hdr lines
	COLUMNS=60 hdr-quantile --plot -s saved.hdr >got && same ascii got
	for other in --json '--by 1' --each '-q --slo 1:1%' '--tumble 1h'; do
		# shellcheck disable=SC2086
		try 2 hdr-quantile --plot $other lines
		err_has 'exclude each other'
	done
}

@test "on a terminal bounds follow, and a mark where few samples tell" {
	script -qec 'hdr-quantile --digits 1 -Q p50,p99.9,n thousand' /dev/null >screen </dev/null
	tr -d '\r' <screen >got
	text_is got 'p50	511  (496 to 511)
p99.9	1000  (992 to 1000) ~
n	1000'
}

# How it fails.

@test "what -Q, --rank and --slo do not take" {
	try 2 hdr-quantile -Q 50 thousand
	err_is "hdr-quantile: cannot use -Q '50': '50' is not in 0..1 (p50 is 0.5)"
	try 2 hdr-quantile -Q p101 thousand
	try 2 hdr-quantile -Q p thousand
	err_is "hdr-quantile: cannot use -Q 'p': 'p' is not n, min, max, mean, a share such as 0.99, or p99"
	for list in '' ',' 'p50,' ',p50' -1 p-1 0x1 nan median 'p 50' 1e-13; do
		try 2 hdr-quantile "-Q$list" thousand
		try 2 hdr-quantile --quantile "$list" thousand
	done
	try 2 hdr-quantile -Q "$(seq -s , -f '0.%03g' 257)" thousand
	err_has 'more than 256 answers'
	for list in x 1,,2 '' 5kg nan 1e999; do
		try 2 hdr-quantile --rank "$list" thousand
	done
	for promise in 250 250: :99% 250:101% 250:-1 x:99% 250ms:99% 1:2:99% ''; do
		try 2 hdr-quantile --slo "$promise" thousand
	done
	try 2 hdr-quantile --slo 250ms:99% thousand
	err_is "hdr-quantile: cannot use '--slo 250ms:99%': the numbers have no unit (see --unit)"
	try 2 hdr-quantile --digits 0 thousand
	try 2 hdr-quantile --digits 6 thousand
	err_is "hdr-quantile: cannot use --digits '6': not in 1..5"
}

@test "options that do not go together" {
	hdr-build -o a.hdr thousand
	for pair in '-q' '--total' '-k 3' '--min 3' '--each --tumble 1h' '--each -k 3 --by 1' \
	    '--from hlog' '-s --digits 2' '-s -f 1' '-s --by 1' '-s -W 1' '-s --tumble 1h' \
	    '-s --each -k 1' '-s --total --min 2' '--seed 1' '-i'; do
		# shellcheck disable=SC2086
		try 2 hdr-quantile $pair a.hdr
	done
	try 4 hdr-quantile -s -k 3 a.hdr
	err_is "hdr-quantile: cannot use -k: 'a.hdr' is not keyed"
	try 2 hdr-quantile -p 99 thousand
	err_has 'use -Q p99 for a percentile'
}

@test "sums of weights stop at 2^64-1, and that is told" {
	yes '7 9223372036854775807' | head -n 3 >lines
	try_any 0 hdr-quantile -f 1 -W 2 -Q n,p50,max lines
	out_is "n	18446744073709551615
p50	7
max	7"
	err_is 'hdr-quantile: the sum of weights passed 2^64-1 and stopped there'
	try_any 5 hdr-quantile --strict -f 1 -W 2 lines
}
