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

# through MOST FUNCTION COMMAND...: with each number of lines. FUNCTION LINES looks
# at the answer in out and at err. Memory is the same each time, but for pages that
# the system happened to give; or, if it grows up to a ceiling, not above MOST MiB.
through() {
	local most=$1 judge=$2 lines at
	shift 2
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
	awk -v most="$most" '{ if (NR == 1 || $1 < low) low = $1; if ($1 > high) high = $1 }
	    END { exit !(NR == 3 && (most == "same" ? high <= low + 1 : high <= most)) }' peaks
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
	through same judge hll-count
}

@test "cms-topk: the heavy ones are found, between bounds that are true" {
	judge() {
		[ "$(wc -l <out)" = 100 ]
		awk -v n="$1" '$4 >= 100 || $2 > n / 1000 || $3 < n / 1000 { bad = 1 } END { exit bad }' out
	}
	through same judge cms-topk -M 1M -k 100 --bounds
}

@test "cms-build: never too low, and seldom further too high than it says" {
	judge() {
		seq 0 99 >heavy
		cms-query sketch heavy >asked
		awk -v n="$1" '$1 < n / 1000 { bad = 1 } $1 > n / 1000 + n / 1000 { high++ }
		    END { exit bad || high > 5 || NR != 100 }' asked
	}
	through same judge cms-build -o sketch
}

# lost PROGRAM LINES: of so many lines with this many different, as many are missing
# as it says, within a tenth; next to none, if it says nothing.
lost() {
	local said
	said=$(sed -n "s/^$1: more keys than fit in -M: about \([0-9]*\) .*/\1/p" err)
	holds '(lost - said) ^ 2 <= (0.1 * said + 0.0005 * n) ^ 2' n="$2" \
	    said="${said:-0}" lost=$(($2 / 10 * 9 + 100 - $(cat out)))
}

@test "bloom-uniq: what is lost when memory is full is about what it says" {
	judge() {
		lost bloom-uniq "$1"
	}
	through 522 judge bloom-uniq -c -M 512M
}

@test "cms-limit: what is held back for want of memory is about what it says" {
	judge() {
		lost cms-limit "$1"
	}
	through 522 judge cms-limit --limit 1 -c -M 512M
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
	through same judge hdr-quantile --bounds -Q n,min,p50,p99
}
