#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# fuzz.sh FOLDER SECONDS HARNESS...: let the engine work on each harness that
# long, from its corpus. New inputs go to FOLDER/corpus; a crash is kept in
# FOLDER/crashes, named, and makes the status 1.
set -eu

folder=$1
seconds=$2
shift 2
failed=0
mkdir -p "$folder/crashes"
for harness; do
	mkdir -p "$folder/corpus/$harness"
	echo "fuzzing $harness for $seconds s"
	"$folder/fuzz-engine/$harness" -max_total_time="$seconds" -print_final_stats=1 \
	    -artifact_prefix="$folder/crashes/$harness-" -verbosity=0 \
	    "$folder/corpus/$harness" "tests/fuzz/corpus/$harness" || failed=1
done
[ "$failed" = 0 ]
