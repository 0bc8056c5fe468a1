#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# build.sh FOLDER: make the golden files that README lists, in FOLDER, with
# the programs on PATH.
set -eu

readme=$(dirname "$0")/README
tab=$(printf '\t')
mkdir -p "$1"
while IFS= read -r line; do
	case $line in
	"$tab"'$ '*)
		command=${line#"$tab"'$ '}
		(cd "$1" && bash -euo pipefail -c "$command" >"$name" 2>"$name.err" </dev/null) || {
			echo "$name: status $?: $command" >&2
			cat "$1/$name.err" >&2
			exit 1
		}
		rm "$1/$name.err"
		;;
	*.sk:*) name=${line%%:*} ;;
	esac
done <"$readme"
