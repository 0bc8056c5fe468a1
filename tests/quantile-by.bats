# sketchutils: BSD-2-Clause, see LICENSE
#
# hdr-quantile, tdigest-quantile and their builders with --by: percentiles for
# each of many keys, beside sort and awk.

# shellcheck disable=SC2086 # options are several words
load helper

# zipf KEYS C: lines "key number" in no order of either. Key number k has about
# C / k numbers, one at least, some of them fractions.
zipf() {
	awk -v keys="$1" -v c="$2" 'BEGIN {
		for (r = 1; r <= c; r++) {
			last = r == 1 ? keys : int(c / r)
			for (k = 1; k <= last; k++) {
				x = (k * 7919 + r * 104729) % 100003
				print "key-" k, r % 4 ? x : x / 8
			}
		}
	}'
}

# nearest LINES: rows "n TAB min TAB p50 TAB p90 TAB max TAB key" by the definition,
# in the order in which --by prints them.
nearest() {
	LC_ALL=C sort -t ' ' -k 1,1 -k 2,2g "$1" | awk '
		function rank(share,  r) {
			r = int(share * n / 100)
			return x[r + (r * 100 < share * n)]
		}
		function row() {
			if (n > 0)
				printf "%d\t%s\t%s\t%s\t%s\t%s\n", n, x[1], rank(50), rank(90), x[n], key
		}
		$1 != key { row(); n = 0; key = $1 }
		{ x[++n] = $2 }
		END { row() }' | LC_ALL=C sort -t "$(printf '\t')" -k 1,1nr -k 6
}

# close_to TRUTH OUT ERROR: row by row, the same counts and keys, and numbers off by
# this share at most.
close_to() {
	paste "$1" "$2" | awk -F '\t' -v error="$3" '
		NF != 12 || $1 != $7 || $6 != $12 { print "not such a row: " $0; exit bad = 1 }
		{
			for (i = 2; i <= 5; i++) {
				off = $i - $(i + 6)
				if (off < 0)
					off = -off
				if (off > error * ($i < 0 ? -$i : $i) + 1e-12) {
					print $6 ": " $(i + 6) ", not " $i
					bad = 1
				}
			}
		}
		END { exit bad || NR == 0 }' >verdict || { cat verdict; failed; }
}

# peak COMMAND...: its peak memory in bytes.
peak() {
	echo $(($("$SKETCHUTILS_BUILD/stopwatch" 1 "$@" | cut -d ' ' -f 3) * 1024))
}

# t-digests of so few samples hold each of them.
@test "each key has the percentiles of its own numbers, most samples first" {
	zipf 300 900 >lines
	nearest lines >exact
	try 0 hdr-quantile --by 1 -f 2 -Q n,min,p50,p90,max lines
	close_to exact out 0.001
	try 0 hdr-quantile --digits 5 --by 1 -f 2 -Q n,min,p50,p90,max lines
	close_to exact out 0.00001
	try 0 tdigest-quantile --discrete --by 1 -f 2 -Q n,min,p50,p90,max lines
	close_to exact out 0.000001
}

@test "-k and --min choose rows of the same list" {
	zipf 300 900 >lines
	for kind in hdr tdigest; do
		$kind-quantile --by 1 -f 2 lines >all
		head -n 7 all >wanted
		try 0 $kind-quantile --by 1 -f 2 -k 7 lines
		out_is_file wanted
		awk '$1 >= 20' all >wanted
		try 0 $kind-quantile --by 1 -f 2 --min 20 lines
		out_is_file wanted
		try 0 $kind-quantile --by 1 -f 2 --min 20 -k 1000 lines
		out_is_file wanted
		try 0 $kind-quantile --by 1 -f 2 --min 1000000 lines
		out_is ''
	done
}

# So long that workers share it; keys of --csv and of several fields do not lie in
# the line.
@test "threads, ranges of a file and a pipe give the same rows and bytes" {
	zipf 1000 9000 | awk '{ print $1 "," NR % 2 "," $2 }' >lines
	while read -r kind cut; do
		$kind-quantile $cut -j 1 lines >wanted
		$kind-build $cut -j 1 -o wanted.sk lines
		try 0 $kind-quantile $cut -j 2 lines
		out_is_file wanted
		try 0 $kind-quantile $cut -j 3 < <(cat lines)
		out_is_file wanted
		$kind-build $cut -j 5 -o got.sk lines && same wanted.sk got.sk
	done <<-END
		hdr -d , --by 1 -f 3
		hdr --csv --by 1 -f 3
		tdigest -d , --by 1 -f 3
		tdigest -d , --by 1,2 -f 3
	END
}

@test "-W counts a number so often, for each key" {
	awk 'BEGIN { for (i = 0; i < 500; i++) print "k" i % 7, i * 31 % 101, i % 5 }' >weighted
	awk '{ for (i = 0; i < $3; i++) print $1, $2 }' weighted >repeated
	for kind in hdr tdigest; do
		$kind-quantile --by 1 -f 2 repeated >wanted
		try 0 $kind-quantile --by 1 -f 2 -W 3 weighted
		out_is_file wanted
	done
	# A key whose weights are all 0 holds no sample.
	printf 'a 5 0\nb 6 2\n' >weighted
	try 0 hdr-quantile --by 1 -f 2 -W 3 -Q n weighted
	out_is $'2\tb\n0\ta'
}

@test "over time each step has rows for its own keys" {
	awk 'BEGIN {
		for (i = 0; i < 1000; i++)
			printf "2024-05-01T%02d:%02d:%02d k%d %d\n", i / 200, i / 10 % 20, i % 10, i * i % 11, i * 37 % 1009
	}' >lines
	for kind in hdr tdigest; do
		$kind-quantile --by 2 -f 3 --tumble 1h --time-field 1 lines >got
		for hour in 00 01 02 03 04; do
			grep "T$hour:" lines >part
			$kind-quantile --by 2 -f 3 part >rows
			end=$(printf '2024-05-01T%02d:00:00Z' $((10#$hour + 1)))
			sed "s/^/$end\t/" rows
		done >wanted
		same wanted got
		# The last step of a window of three is what its hours hold.
		$kind-quantile --by 2 -f 3 --window 3h --every 1h --time-field 1 lines >got
		grep -E 'T0[234]:' lines >part
		$kind-quantile --by 2 -f 3 part >wanted
		tail -n "$(wc -l <wanted)" got | cut -f 2- >last
		same wanted last
	done
}

# Few enough that t-digests hold every sample, so nothing depends on the parts.
@test "by parts, updated, merged, in armour: the same file" {
	zipf 100 500 >lines
	split -n l/4 lines part.
	for kind in hdr tdigest; do
		$kind-build --by 1 -f 2 -o whole.sk lines
		$kind-quantile --by 1 -f 2 lines >wanted
		try 0 $kind-quantile -s whole.sk
		out_is_file wanted
		rm -f updated.sk
		for part in part.a?; do
			try 0 $kind-build --by 1 -f 2 --update updated.sk "$part"
			$kind-build --by 1 -f 2 -o "$part.sk" "$part"
			$kind-build --by 1 -f 2 -a -o "$part.txt" "$part"
		done
		same whole.sk updated.sk
		try 0 sketch-merge -o merged.sk part.ad.sk part.ab.sk part.aa.sk part.ac.sk
		same whole.sk merged.sk
		try 0 sketch-merge -o merged.sk part.ad.txt part.ab.sk part.aa.txt part.ac.txt
		same whole.sk merged.sk
		rm part.*.sk part.*.txt
	done
}

@test "an update that cannot be made leaves the file as it was" {
	printf 'a 1\nb 2\n' >lines
	for kind in hdr tdigest; do
		$kind-build -f 2 -o plain.sk lines
		cp plain.sk before
		try 4 $kind-build --by 1 -f 2 --update plain.sk lines
		err_has 'it is not keyed'
		same before plain.sk
		$kind-build --by 1 -f 2 --unit ms -o ms.sk lines
		cp ms.sk before
		try 4 $kind-build --by 1 -f 2 --unit s --update ms.sk lines
		err_has unit
		same before ms.sk
		# Lines of armour may come in any order; then merging sorts them.
		$kind-build --by 1 -f 2 -a -o lines.txt lines
		tac lines.txt >turned.txt
		cp turned.txt before
		try 4 $kind-build --by 1 -f 2 --update turned.txt lines
		err_has 'its keys do not ascend; sketch-merge sorts them'
		same before turned.txt
	done
}

@test "many keys with few samples are held in little memory" {
	case $SKETCHUTILS_BUILD in
	*-san*) skip 'sanitizers need more' ;;
	esac
	awk 'BEGIN { for (i = 0; i < 100000; i++) print "key-" i % 50000, i * 7919 % 10007 }' >lines
	for kind in hdr tdigest; do
		none=$(peak $kind-quantile -j 1 --by 1 -f 2 /dev/null)
		most=$(peak $kind-quantile -j 1 --by 1 -f 2 lines)
		# With the rows, of 16 bytes a key, and what sorts them.
		[ $(((most - none) / 50000)) -lt 250 ] || { echo "$none $most"; failed; }
	done
}
