#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# run.sh FOLDER [SUITE...]: run the suites against the build in FOLDER, as
# many at a time as there are processors, and count. A suite is a unit test's
# or fuzz replay's program, a bats file, or a script; all speak TAP. Without
# SUITE: all of them.
#
# The TAP of each lies in FOLDER/tap afterwards. A suite that ends early, or
# without a plan, counts as one more failure. The last line is
# "N passed, N failed, N skipped"; the status is 1 if anything failed.
set -u

folder=$1
shift
tap=$folder/tap
rm -rf "$tap"
mkdir -p "$tap"

# Sanitized programs end with 99 where ours use 0 to 5, and a refused
# allocation is a null pointer to them as to anyone.
export ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:${UBSAN_OPTIONS:-}"
SKETCHUTILS_BIN=$(cd "$folder" && pwd)/bin
SKETCHUTILS_BUILD=$(cd "$folder" && pwd)
export SKETCHUTILS_BIN SKETCHUTILS_BUILD

if [ $# = 0 ]; then
	# The long ones first, or the last one runs alone.
	set -- tests/*.bats tests/*.tap.sh "$folder"/unit/*_test "$folder"/fuzz/*
fi

# one SUITE: its TAP into the file, its exit status as the file's last line.
one='
suite=$1 folder=$2
name=$(basename "$suite")
[ -e "$suite" ] || exit 0
start=$(date +%s)
case $suite in
*.d) exit 0 ;;
*.bats) bats --formatter tap "$suite" ;;
*.sh) sh "$suite" "$folder" ;;
*/fuzz/*) "$suite" tests/fuzz/corpus/"$name" ;;
*) "$suite" ;;
esac >"$folder/tap/$name" 2>&1 </dev/null
status=$?
plan=$(sed -n "s/^1\.\.\([0-9]*\).*/\1/p" "$folder/tap/$name")
ran=$(grep -c -E "^(not )?ok " "$folder/tap/$name")
if [ "${plan:-none}" != "$ran" ]; then
	echo "not ok - $name ended early: status $status, $ran of ${plan:-?} tests"
elif [ "$status" != 0 ] && ! grep -q "^not ok " "$folder/tap/$name"; then
	echo "not ok - $name ended with status $status"
fi >>"$folder/tap/$name"
bad=$(grep -c "^not ok " "$folder/tap/$name")
printf "%s %s: %s tests, %s failed, %s s\n" "$([ "$bad" = 0 ] && echo ok || echo FAILED)" \
    "$name" "$ran" "$bad" "$(($(date +%s) - start))"
if [ "$bad" != 0 ]; then
	grep -v "^ok " "$folder/tap/$name" | head -n 60
fi
'
printf '%s\0' "$@" |
    xargs -0 -P "$(nproc)" -I '{}' sh -c "$one" run '{}' "$folder"

count() {
	cat "$tap"/* 2>/dev/null | grep -c -E "$1"
}
skipped=$(count '^ok .* # skip')
failed=$(count '^not ok ')
passed=$(($(count '^ok ') - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
