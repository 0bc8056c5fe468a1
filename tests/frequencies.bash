# shellcheck shell=bash
# sketchutils: BSD-2-Clause, see LICENSE
#
# What suites about counts load beside helper: a skewed stream, and the truth
# about any.

# zipf EVENTS KEYS [SEED]: key k is drawn with a probability as 1 / k.
zipf() {
	awk -v events="$1" -v keys="$2" -v x="${3:-1}" 'BEGIN {
		for (k = 1; k <= keys; k++)
			upto[k] = sum += 1 / k
		for (i = 0; i < events; i++) {
			x = x * 16807 % 2147483647
			at = x / 2147483647 * sum
			low = 1
			for (high = keys; low < high;) {
				middle = int((low + high) / 2)
				if (upto[middle] < at)
					low = middle + 1
				else
					high = middle
			}
			print "key " low
		}
	}'
}

# exact FILE: COUNT TAB LINE for each different line, in the order of cms-topk.
exact() {
	sort "$1" | uniq -c | sed -E 's/^ *([0-9]+) /\1\t/' | sort -t $'\t' -k 1,1nr -k 2
}

# bounds_hold EXACT: each row of out, ESTIMATE LOW HIGH ITEM, has the truth
# within its bounds and the high end as estimate.
bounds_hold() {
	awk -F '\t' 'NR == FNR { item = $0; sub(/^[0-9]+\t/, "", item); truth[item] = $1; next }
	    { n++; item = $0; sub(/^[0-9]+\t[0-9]+\t[0-9]+\t/, "", item)
	      if (!(item in truth) || $2 > truth[item] || truth[item] > $3 || $1 != $3) {
	          print "not within its bounds, but " truth[item] ": " $0; bad = 1 } }
	    END { exit bad || n == 0 }' "$1" out
}
