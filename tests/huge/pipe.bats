# sketchutils: BSD-2-Clause, see LICENSE
#
# A thousand million lines through a pipe: memory is what it was after ten
# million, and the answer is within its bound. What the lines are, flood says.

load ../helper

SIZES='10000000 100000000 1000000000'

# peak: what --stats says of memory, in MiB.
peak() {
	sed -n -E 's/.* ([0-9.]+) MiB of memory at the peak$/\1/p' err
}

# through FUNCTION COMMAND...: with each number of lines. FUNCTION LINES looks
# at the answer in out and at err.
through() {
	local judge=$1 lines at
	shift
	: >peaks
	for lines in $SIZES; do
		at=$SECONDS
		try_any 0 "$@" --stats < <("$SKETCHUTILS_BUILD/flood" "$lines")
		err_has ": $lines lines, 0 rejected"
		peak >>peaks
		echo "$*: $lines lines, $(tail -n 1 peaks) MiB, $((SECONDS - at)) s" |
		    tee -a "${HUGE_LOG:-/dev/null}"
		"$judge" "$lines"
	done
	# The same, but for pages that the system happened to give.
	awk '{ if (NR == 1 || $1 < low) low = $1; if ($1 > high) high = $1 }
	    END { exit !(NR == 3 && high <= low + 1) }' peaks
}

# holds EXPRESSION NAME=VALUE...: awk says that it is true.
holds() {
	local expression=$1 values=()
	shift
	for value; do values+=(-v "$value"); done
	awk "${values[@]}" "BEGIN { exit !($expression) }" && return
	echo "not so: $expression, where $*" | tee -a "${HUGE_LOG:-/dev/null}"
	failed
}

@test "hll-count: within three standard errors" {
	judge() {
		holds '(out - (n * 0.9 + 100)) ^ 2 <= (3 * 0.0081 * n * 0.9) ^ 2' n="$1" out="$(cat out)"
	}
	through judge hll-count
}

@test "cms-topk: the heavy ones are found, between bounds that are true" {
	judge() {
		[ "$(wc -l <out)" = 100 ]
		awk -v n="$1" '$4 >= 100 || $2 > n / 1000 || $3 < n / 1000 { bad = 1 } END { exit bad }' out
	}
	through judge cms-topk -M 1M -k 100 --bounds
}

@test "cms-build: never too low, and seldom further too high than it says" {
	judge() {
		seq 0 99 >heavy
		cms-query sketch heavy >asked
		awk -v n="$1" '$1 < n / 1000 { bad = 1 } $1 > n / 1000 + n / 1000 { high++ }
		    END { exit bad || high > 5 || NR != 100 }' asked
	}
	through judge cms-build -o sketch
}

@test "bloom-uniq: what is lost when memory is full is about what it says" {
	judge() {
		local said
		said=$(sed -n 's/^bloom-uniq: more keys than fit in -M: about \([0-9]*\) new.*/\1/p' err)
		holds 'said > 0 && out + said * 0.9 <= d && out + said * 1.15 >= d' \
		    said="$said" out="$(cat out)" d=$(($1 / 10 * 9 + 100))
	}
	through judge bloom-uniq -c -M 16M
}

@test "bloom-uniq: with memory enough, as many pass as there are" {
	SIZES=100000000
	d=90000100
	try_any 0 bloom-uniq -c -M 2G < <("$SKETCHUTILS_BUILD/flood" "$SIZES")
	out_is "$d"
}

@test "cms-limit: what is held back for want of memory is about what it says" {
	judge() {
		local said
		said=$(sed -n 's/^cms-limit: more keys than fit in -M: about \([0-9]*\) lines.*/\1/p' err)
		holds 'said > 0 && out + said * 0.85 <= d && out + said * 1.15 >= d' \
		    said="$said" out="$(cat out)" d=$(($1 / 10 * 9 + 100))
	}
	through judge cms-limit --limit 1 -c -M 16M
}

@test "hdr-quantile: the true percentile is between its bounds" {
	judge() {
		awk -v n="$1" '
		# The rank-th of the numbers in order: a tenth is below 100, and of any
		# ten others in a row, one is left out.
		function at(rank) { return (rank - n / 10) / 0.9 + 999 }
		$1 == "n" { ok += $2 == n }
		$1 == "min" { ok += $2 == 0 }
		$1 == "p50" { ok += $3 <= at(0.5 * n) + 2 && $4 >= at(0.5 * n) - 2 }
		$1 == "p99" { ok += $3 <= at(0.99 * n) + 2 && $4 >= at(0.99 * n) - 2 }
		END { exit ok != 4 }' out
	}
	through judge hdr-quantile --bounds -Q n,min,p50,p99
}
