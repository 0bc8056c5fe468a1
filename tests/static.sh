#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# static.sh FOLDER: the programs in FOLDER ask for no library and no loader, so
# that they run wherever they are copied; their sizes; and the golden files'
# tests with them, which know every byte.
set -eu

folder=$1
for program in "$folder"/bin/*; do
	needs=$(readelf -ldW "$program" | grep -E '\(NEEDED\)|INTERP') || continue
	echo "not static: $program"
	echo "$needs"
	exit 1
done
wc -c "$folder"/bin/*
SKETCHUTILS_BIN=$(cd "$folder/bin" && pwd)
export SKETCHUTILS_BIN
exec sh tests/run.sh "$folder" tests/golden.bats
