#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# emulated.sh FOLDER EMULATOR [SUITE...]: run the unit tests, and the golden files'
# tests with programs that are started through wrappers, on another machine's
# instructions; static programs only. Or these suites: unit/NAME, or a bats file.
set -eu

folder=$1
emulator=$2
shift 2
rm -rf "$folder/run"
mkdir -p "$folder/run/unit" "$folder/run/bin"
top=$(pwd)
for program in "$folder"/unit/*_test "$folder"/bin/*; do
	case $program in
	*.d | *'*'*) continue ;;
	esac
	wrapper=$folder/run/${program#"$folder"/}
	printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$top/$program" >"$wrapper"
	chmod +x "$wrapper"
done
SKETCHUTILS_BIN=$top/$folder/run/bin
export SKETCHUTILS_BIN
export CHECK_BRIEF=1
if [ $# = 0 ]; then
	set -- "$folder"/run/unit/*_test
	[ -f tests/golden.bats ] && set -- "$@" tests/golden.bats
else
	for suite; do
		shift
		case $suite in
		unit/*) set -- "$@" "$folder/run/$suite" ;;
		*) set -- "$@" "$suite" ;;
		esac
	done
fi
exec sh tests/run.sh "$folder" "$@"
