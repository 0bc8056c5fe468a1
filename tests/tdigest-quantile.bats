# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	seq 1000 >thousand
}

# nearest FILE SHARE...: the nearest ranks of sorted numbers, by the definition.
nearest() {
	local file=$1 share
	shift
	for share; do
		sort -g "$file" | awk -v share="$share" '{ v[NR] = $1 } END {
			rank = int((share * NR + 999) / 1000)
			print v[rank < 1 ? 1 : rank] }'
	done
}

SHARES='1 10 100 250 500 750 900 990 999'
LIST=0.001,0.01,0.1,0.25,0.5,0.75,0.9,0.99,0.999

# What it does.

@test "the usual answers" {
	try 0 tdigest-quantile thousand
	out_is "n	1000
min	1
p50	500
p90	900
p99	990
p99.9	999
max	1000
mean	500.5"
	try 0 tdigest-quantile -Q max,p25 --rank 10 --slo 100:10% thousand
	out_is "max	1000
p25	250
rank 10	0.01
slo 100:10%	0.1	kept"
	try 1 tdigest-quantile -q --slo 99:10% thousand
	out_is ''
	try 0 tdigest-quantile /dev/null
	out_is 'n	0'
	try 1 tdigest-quantile -q --slo 99:10% /dev/null
}

@test "up to 1,000 samples it is exact, whatever they are" {
	for n in 1 2 10 999; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++)
		    printf "%.6g\n", exp(i * 7919 % 1009 / 10) * (i % 3 - 1) }' >lines
		# shellcheck disable=SC2086
		nearest lines $SHARES >exact
		try 0 tdigest-quantile -Q $LIST lines
		paste exact out | awk -F '\t' '$1 + 0 != $3 + 0 { print; bad = 1 } END { exit bad || NR != 9 }' ||
		    failed
	done
}

@test "ranks of ten shapes are within what the manual says, minimum and maximum exact" {
	local n=4000
	long && n=50000
	for shape in uniform normal exponential lognormal bimodal constant two sorted reversed sawtooth; do
		awk -v shape=$shape -v n=$n 'function u() {
				s = (s * 16807) % 2147483647
				return s / 2147483647
			}
			function draw(g, i) {
				if (shape == "uniform") return u()
				if (shape == "normal") return g
				if (shape == "exponential") return -log(u())
				if (shape == "lognormal") return exp(2 * g)
				if (shape == "bimodal") return u() < 0.3 ? 10 + g : 1000 + 50 * g
				if (shape == "constant") return 3.25
				if (shape == "two") return u() < 0.5 ? 0 : 1e9
				if (shape == "sorted") return i
				if (shape == "reversed") return -i
				return i % 100 + i / 1e6
			}
			BEGIN {
				s = 7
				for (i = 0; i < n; i++)
					printf "%.9g\n", draw(sqrt(-2 * log(u())) * cos(6.283185307 * u()), i)
			}' >lines
		sort -g lines >sorted
		try 0 tdigest-quantile -Q min,max,$LIST lines
		paste <(sed '3,$d' out | cut -f 2) <(sed -n '1p;$p' sorted) |
		    awk '$1 + 0 != $2 + 0 { exit 1 }' || failed
		# The ranks that a number has, against the one that was asked for.
		tail -n +3 out | awk -F '\t' 'NR == FNR { v[NR] = $1 + 0; n = NR; next }
			{
				q = substr($1, 2) / 100
				low = high = 0
				for (i = 1; i <= n; i++) {
					low += v[i] < $2 - 1e-5 * ($2 < 0 ? -$2 : $2)
					high += v[i] <= $2 + 1e-5 * ($2 < 0 ? -$2 : $2)
				}
				off = q < low / n ? low / n - q : q > high / n ? q - high / n : 0
				limit = (q > 0.5 ? 1 - q : q) < 0.05 ? 0.0002 : 0.001
				if (off > limit) { print shape, $0, off; bad = 1 }
			} END { exit bad || FNR != 9 }' shape="$shape" sorted - || failed
	done
}

@test "--discrete never tells a number between two samples" {
	awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 2 ? 8 : 1500 }' >lines
	try 0 tdigest-quantile --discrete -Q p25,p50,p75,p95 lines
	out_is "p25	8
p50	8
p75	1500
p95	1500"
}

@test "weights, units, fields and windows are as in hdr-quantile" {
	printf '12ms 2\n3.4s 1\nx 1\n' >lines
	for options in '' --bounds --json '--rank 1s,5ms' '--slo 1s:60%' --each '--by 1' \
	    '--by 1 --json -k 1'; do
		# shellcheck disable=SC2086
		try_any 0 tdigest-quantile --unit ms -f 1 -W 2 $options lines
		err_is "tdigest-quantile: rejected 1 of 3 lines: a weight that is no whole number, or an item that is no number"
		# shellcheck disable=SC2086
		hdr-quantile --unit ms -f 1 -W 2 $options lines >wanted 2>err
		same wanted out
	done
	awk 'BEGIN { for (i = 0; i < 600; i++) print 1700000000 + i, i % 60 }' >times
	for options in '--tumble 5m' '--window 4m --every 1m' '--every 2m --bounds -Q n,p50,p99,max' '--tumble 5m --by 2 -k 3'; do
		# shellcheck disable=SC2086
		tdigest-quantile $options --time-field 1 -f 2 times >a
		# shellcheck disable=SC2086
		hdr-quantile $options --time-field 1 -f 2 times >b
		same a b
	done
}

@test "saved parts unite, in their order" {
	seq 40000 | awk '{ print ($1 * 7919) % 40009 }' >many
	split -n l/16 many part.
	for part in part.*; do
		tdigest-build -o "$part.td" "$part"
	done
	try 0 tdigest-quantile -s -Q n,min,p50,p99,p99.9,max part.*.td
	awk '{ v[$1] = $2 } END { exit !(v["n"] == 40000 && v["min"] == 1 && v["max"] == 40008 &&
	    v["p50"] > 19700 && v["p50"] < 20300 && v["p99"] > 39550 && v["p99"] < 39660 &&
	    v["p99.9"] > 39930) }' out || { cat out; failed; }
	cp out wanted
	cat part.*.td | tdigest-quantile -s -Q n,min,p50,p99,p99.9,max >got
	same wanted got
	sketch-merge part.*.td | tdigest-quantile -s -Q n,min,p50,p99,p99.9,max >got
	same wanted got
}

@test "no answer depends on the number of threads" {
	"$SKETCHUTILS_BUILD/logmaker" access 10000 3 >big
	for by in '' '--by 9'; do
		# shellcheck disable=SC2086
		tdigest-quantile --bounds -f 10 $by -j 1 big >wanted 2>err
		for j in 2 8; do
			# shellcheck disable=SC2086
			tdigest-quantile --bounds -f 10 $by -j $j big >got 2>err && same wanted got
			# shellcheck disable=SC2086
			tdigest-quantile --bounds -f 10 $by -j $j < <(cat big) >got 2>err && same wanted got
		done
	done
}

@test "--plot draws" {
	COLUMNS=60 tdigest-quantile --plot thousand >got
	grep -qx 'samples at each number' got && grep -qx 'number at each percentile' got
	awk 'length > 60 { exit 1 }' got || failed
}

# How it fails.

@test "options and files that do not fit" {
	for option in --digits=3 --correct=1 --from=hlog --seed=1 -i --compression=19 --compression=1001; do
		try 2 tdigest-quantile "$option" thousand
	done
	err_is "tdigest-quantile: cannot use --compression '1001': not in 20..1000"
	tdigest-build -o a.td thousand
	try 2 tdigest-quantile -s --compression 100 a.td
	hdr-build -o a.hdr thousand
	try 4 tdigest-quantile -s a.hdr
	err_has hdr
	tdigest-build --unit ms -o b.td thousand
	try 4 tdigest-quantile -s a.td b.td
	err_has unit
	try_any 0 tdigest-quantile -Q n <<<x
	out_is 'n	0'
	err_has 'rejected 1 of 1 lines'
}

@test "weights do not unite past 2^64-1" {
	printf '%s\n' '1 9223372036854775807 1700000060 a' '2 9223372036854775807 1700000120 a' '3 2 1700000180 a' >lines
	sed 2q lines >two
	try 3 tdigest-quantile -f 1 -W 2 --each two two
	try 3 tdigest-quantile -f 1 -W 2 --time-field 3 --window 5m --every 1m lines
	try 3 tdigest-quantile -f 1 -W 2 --by 4 --time-field 3 --window 5m --every 1m lines
	err_is 'tdigest-quantile: cannot unite the samples: their weights are more than 2^64-1'
	try_any 0 tdigest-quantile -f 1 -W 2 -Q n,max lines
	err_is 'tdigest-quantile: the sum of weights passed 2^64-1 and stopped there'
}
