#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# fuzz.sh FOLDER SECONDS HARNESS...: let the engine work on each harness that
# long, from its corpus, on as many at once as there are processors. New inputs go
# to FOLDER/corpus; a crash is kept in FOLDER/crashes, named, and makes the status
# 1. What an engine said lies in FOLDER/fuzz-HARNESS.log.
set -eu

# one FOLDER SECONDS HARNESS
one() {
	log=$1/fuzz-$3.log
	mkdir -p "$1/corpus/$3"
	if "$1/fuzz-engine/$3" -max_total_time="$2" -print_final_stats=1 \
	    -artifact_prefix="$1/crashes/$3-" -verbosity=0 \
	    "$1/corpus/$3" "tests/fuzz/corpus/$3" >"$log" 2>&1; then
		echo "ok $3: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
	else
		echo "FAILED $3:"
		tail -n 60 "$log"
		return 1
	fi
}

if [ "$1" = --one ]; then
	one "$2" "$3" "$4"
	exit
fi

folder=$1
seconds=$2
shift 2
mkdir -p "$folder/crashes"
printf '%s\0' "$@" |
    xargs -0 -P "$(nproc)" -I '{}' sh "$0" --one "$folder" "$seconds" '{}'
