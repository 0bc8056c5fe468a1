# sketchutils: BSD-2-Clause, see LICENSE
#
# Many keys of which most have few items: answers, memory, --min and -k, and
# the same of keyed sketches that were saved and merged.

load helper

# zipf KEYS C: lines "key item", some of them twice. Key number k has about C / k
# items, one at least, and its items lie all over the lines.
zipf() {
	awk -v keys="$1" -v c="$2" 'BEGIN {
		for (r = 1; r <= c; r++) {
			last = r == 1 ? keys : int(c / r)
			for (k = 1; k <= last; k++) {
				print "key-" k, k "." r
				if (r % 10 == 0)
					print "key-" k, k "." r
			}
		}
	}'
}

# exact LINES: rows "number TAB key", as --by prints them.
exact() {
	sort -u "$1" | cut -d ' ' -f 1 | uniq -c | awk '{ print $1 "\t" $2 }' |
	    sort -t $'\t' -k 1,1nr -k 2
}

# close_to TRUTH FILE: rows of --bounds with all keys of the truth. Up to 100 items
# none is off by more than 1; above, 95 of 100 intervals hold the truth, and as
# many answers are within two standard errors.
close_to() {
	awk -F '\t' 'NR == FNR { truth[$2] = $1; keys++; next }
	    !($4 in truth) || $4 in seen { print "not a key, or twice: " $4; bad = 1; exit }
	    {
		seen[$4]; rows++; n = truth[$4]
		off = $1 > n ? $1 - n : n - $1
		if (n < 100 && off > 1) { print $4 ": " $1 ", not " n; bad = 1 }
		if (n > 100) {
			large++
			held += $2 <= n && n <= $3
			near += off <= 2 * 0.008125 * n
		}
	    }
	    END {
		print rows " rows of " keys "; of " large " large ones " held " held, " near " near"
		exit bad || rows != keys || large == 0 || held < 0.95 * large || near < 0.95 * large
	    }' "$1" "$2" >verdict || { cat verdict; failed; }
}

# peak COMMAND...: its peak memory in bytes.
peak() {
	echo $(($("$SKETCHUTILS_BUILD/stopwatch" 1 "$@" | cut -d ' ' -f 3) * 1024))
}

@test "keys with few items are exact, nearly all others within the bound" {
	zipf 3000 12000 >lines
	exact lines >truth
	try 0 hll-count --by 1 -f 2 --bounds lines
	close_to truth out
	# From a sketch, and from two parts of it.
	mv out wanted
	split -n l/2 lines part.
	hll-build --by 1 -f 2 -o a.hll part.aa
	hll-build --by 1 -f 2 -a -o b.txt part.ab
	try 0 hll-count -s --bounds a.hll b.txt && out_is_file wanted
	sketch-merge -o all.hll a.hll b.txt
	try 0 hll-count -s --bounds all.hll && out_is_file wanted
}

@test "--total is the number of different items, whatever their keys" {
	zipf 300 300 >lines
	awk '{ print $1, $2; print "other-" $1, $2 }' lines >twice
	hll-build --by 1 -f 2 -o all.hll twice
	[ "$(hll-count -s all.hll | wc -l)" = 600 ]
	n=$(sort -u lines | wc -l)
	[ "$n" -lt 2048 ]
	try 0 hll-count -s --total all.hll && out_is "$n"
	try 0 hll-count -f 2 twice && out_is "$n"
}

@test "--min N: the keys with at least N items, from lines and from sketches" {
	zipf 500 500 >lines
	try 0 hll-count --by 1 -f 2 lines
	mv out all
	exact lines | same - all
	hll-build --by 1 -f 2 -o all.hll lines
	hll-build --by 1 -f 2 -a -o all.txt lines
	for least in 1 2 3 10 100 500 501 18446744073709551615; do
		awk -v least="$least" '$1 >= least + 0' all >wanted
		try 0 hll-count --by 1 -f 2 --min "$least" lines && out_is_file wanted
		try 0 hll-count --by 1 -f 2 --min "$least" -j 4 lines && out_is_file wanted
		try 0 hll-count -s --min "$least" all.hll && out_is_file wanted
		try 0 hll-count -s --min "$least" all.txt && out_is_file wanted
	done
	[ ! -s out ]
	# With -k, whichever leaves out more.
	for k in 1 7 50 400; do
		awk '$1 >= 10' all | head -n "$k" >wanted
		try 0 hll-count --by 1 -f 2 --min 10 -k "$k" lines && out_is_file wanted
		try 0 hll-count -s --min 10 -k "$k" all.hll && out_is_file wanted
	done
	try 0 hll-count --by 1 -f 2 --min 250 --json lines
	jq -r '"\(.estimate) \(.key)"' out >got
	text_is got "500 key-1
250 key-2"
}

@test "--min and -k take nothing that has no keys" {
	seq 10 >lines
	hll-build -o plain.hll lines
	hll-build --by 1 -o keyed.hll lines
	try 2 hll-count --min 3 lines
	err_is "hll-count: --min needs --by, or keyed sketches and -s"
	try 2 hll-count --min 0 --by 1 lines
	err_is "hll-count: cannot use --min '0': not in 1..18446744073709551615"
	try 2 hll-count -s --min 3 --total keyed.hll
	err_is "hll-count: --min and --total exclude each other"
	try 2 hll-count -s --min 3 --each keyed.hll
	err_is "hll-count: --min and --each exclude each other"
	try 4 hll-count -s --min 3 plain.hll
	err_is "hll-count: cannot use --min: 'plain.hll' is not keyed"
	try 4 hll-count -s -k 3 plain.hll
	err_is "hll-count: cannot use -k: 'plain.hll' is not keyed"
	hll-build --by 1 -o none.hll /dev/null
	try 0 hll-count -s --min 1 none.hll && out_is ''
}

@test "no order of the lines and no number of threads changes a row" {
	zipf 2000 2000 >lines
	exact lines >wanted
	sort -k 2 lines >other
	for j in 1 2 5; do
		try 0 hll-count --by 1 -f 2 -j "$j" other && out_is_file wanted
	done
	hll-build --by 1 -f 2 lines >a.hll
	hll-build --by 1 -f 2 -j 3 other >b.hll
	same a.hll b.hll
}

@test "ten million lines of a million keys: 160 bytes for each, and the key" {
	long || skip 'takes a minute'
	zipf 1000000 660000 >lines
	[ "$(wc -l <lines)" -gt 10000000 ]
	# By its making; the small form of this test counts.
	awk 'BEGIN { for (k = 1; k <= 1000000; k++) {
		n = int(660000 / k); print (n > 0 ? n : 1) "\tkey-" k } }' >truth
	try 0 hll-count --by 1 -f 2 --bounds lines
	close_to truth out
	names=$(($(cut -f 2 truth | wc -c) - 1000000))
	for command in 'hll-count' 'hll-count -k 10' 'hll-build -j 4'; do
		# shellcheck disable=SC2086
		bytes=$(peak $command --by 1 -f 2 lines)
		echo "$command: $bytes bytes, $names of them for names"
		case $SKETCHUTILS_BUILD in
		*-san*) ;;
		*) [ $((bytes - names)) -lt 160000000 ] ;;
		esac
	done
	mv out wanted
	split -n l/2 lines part.
	rm lines
	hll-build --by 1 -f 2 -o a.hll part.aa
	hll-build --by 1 -f 2 -o b.hll part.ab
	# 31 and 7 MB are merged as they come.
	[ "$(wc -c <a.hll)" -gt 20000000 ]
	case $SKETCHUTILS_BUILD in
	*-san*) sketch-merge -o all.hll a.hll b.hll ;;
	*) [ "$(peak sketch-merge -o all.hll a.hll b.hll)" -lt 6000000 ] ;;
	esac
	try 0 hll-count -s --bounds all.hll && out_is_file wanted
}
