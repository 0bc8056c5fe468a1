#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# run.sh FOLDER [SUITE...]: run the suites against the build in FOLDER, one
# more at a time than there are processors, and count. A suite is the program
# of a unit test or of a fuzz harness, a bats file, or a script; all of them
# speak TAP. Without SUITE: all there are.
#
# With CHECK_LONG=1 and no SUITE only what then does more is run: the suites in C
# that ask for it, and of the bats files the tests that do. The others would do
# again what they do without.
#
# The TAP of each lies in FOLDER/tap afterwards. A suite that ends early, or
# badly without saying so, counts as one more failure. The last line is
# "N passed, N failed, N skipped"; the status is 1 if anything failed or
# nothing passed.
set -u

# Signals that whoever started us ignores (nohup, a background job) would be
# ignored by the programs under test as well.
fresh() {
	env --default-signal=HUP,INT,QUIT,PIPE,TERM "$@"
}

# Where a bats file asks whether there is time, the function long is a command.
# shellcheck disable=SC2016 # nothing is to be expanded
asks='(^|[$(;!&|]|if|while|do|then)[[:space:]]*long([[:space:];)]|$)'

# long_tests FILE: the names of its tests that ask, as one pattern for --filter.
# Nothing if none does; everything if it asks outside of a test.
long_tests() {
	awk -v asks="$asks" '
	/^@test "/ { name = $0; sub(/^@test "/, "", name); sub(/" \{$/, "", name); inside = 1 }
	/^}/ { inside = 0 }
	!/^[[:space:]]*#/ && $0 ~ asks { if (inside) hit[name] = 1; else all = 1 }
	END {
		for (name in hit) {
			gsub(/[][\\.*+?^${}()|]/, "\\\\&", name)
			list = list (list == "" ? "" : "|") name
		}
		if (all)
			print "."
		else if (list != "")
			print "^(" list ")$"
	}' "$1"
}

# one FOLDER SUITE: its TAP into a file, one line about it for the reader.
one() {
	name=$(basename "$2")
	log=$1/tap/$name
	start=$(date +%s)
	case $2 in
	*.bats)
		only=.
		[ -z "${LONG_ONLY-}" ] || only=$(long_tests "$2")
		fresh bats --formatter tap --filter "$only" "$2"
		;;
	*.sh) fresh sh "$2" "$1" ;;
	"$1"/fuzz/*) fresh "$2" "tests/fuzz/corpus/$name" ;;
	*) fresh "$2" ;;
	esac >"$log" 2>&1 </dev/null
	status=$?
	word=ok
	verdict=
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log")
	ran=$(grep -c -E '^(not )?ok ' "$log")
	bad=$(grep -c '^not ok ' "$log")
	if [ "${plan:-none}" != "$ran" ]; then
		verdict="$name ended early: status $status, $ran of ${plan:-?} tests"
	elif [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		verdict="$name ended with status $status"
	fi
	if [ -n "$verdict" ]; then
		echo "not ok - $verdict" >>"$log"
		bad=$((bad + 1))
	fi
	[ "$bad" = 0 ] || word=FAILED
	echo "$word $name: $ran tests, $bad failed, $(($(date +%s) - start)) s"
	[ "$bad" = 0 ] || grep -v '^ok ' "$log" | head -n 80
}

if [ "$1" = --one ]; then
	one "$2" "$3"
	exit
fi

folder=$1
shift
rm -rf "$folder/tap"
mkdir -p "$folder/tap"

# Sanitized programs are slow: they are to find what is wrong in each place, and
# rounds that only make a figure surer find nothing else.
case $folder in
*-san) export CHECK_BRIEF=1 ;;
esac

# Sanitized programs end with 99 where ours use 0 to 5, and a refused
# allocation is a null pointer to them as to anyone.
export ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:${UBSAN_OPTIONS:-}"
SKETCHUTILS_BUILD=$(cd "$folder" && pwd)
export SKETCHUTILS_BUILD

# The programs may be emulated ones, started through wrappers elsewhere.
: "${SKETCHUTILS_BIN:=$SKETCHUTILS_BUILD/bin}"
export SKETCHUTILS_BIN

# asks_long SUITE: does it do more with CHECK_LONG=1?
asks_long() {
	case $1 in
	*.bats) [ -n "$(long_tests "$1")" ] ;;
	*/unit/*) grep -qE "check_(long|times)" "tests/unit/$(basename "$1").c" ;;
	*.sh) grep -q CHECK_LONG "$1" ;;
	*) false ;;
	esac
}

if [ $# = 0 ]; then
	LONG_ONLY=
	[ "${CHECK_LONG:-0}" = 0 ] || LONG_ONLY=yes
	export LONG_ONLY
	for suite in tests/*.bats tests/*.tap.sh "$folder"/unit/*_test "$folder"/fuzz/*; do
		case $suite in
		*.d | *'*'*) continue ;;
		esac
		if [ -z "$LONG_ONLY" ] || asks_long "$suite"; then
			set -- "$@" "$suite"
		fi
	done
fi
# One more than there are processors: some suites wait for locks, clocks or kills.
printf '%s\0' "$@" | xargs -0 -P $(($(nproc) + 1)) -I '{}' sh "$0" --one "$folder" '{}'

count() {
	cat "$folder"/tap/* | grep -c -E "$1"
}
skipped=$(count '^ok .* # [Ss][Kk][Ii][Pp]')
failed=$(count '^not ok ')
passed=$(($(count '^ok ') - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
