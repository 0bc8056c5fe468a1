#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# huge.sh FOLDER: the suites in tests/huge, if there is room for them: in
# $TMPDIR for a file of 5 GB and its copies, in memory for lines of 4 GB. What
# was measured is left in FOLDER/huge.log.
set -eu

DISK_GB=12
MEMORY_GB=10

folder=$1
place=${TMPDIR:-/tmp}
# enough WHAT HAVE NEED, both in KiB.
enough() {
	[ "$2" -ge "$(($3 * 1000000))" ] || {
		echo "check-huge: cannot run: $1 has $(($2 / 1000000)) GB free, not $3" >&2
		exit 1
	}
}
enough "$place (TMPDIR)" "$(df -Pk "$place" | awk 'NR == 2 { print $4 }')" "$DISK_GB"
enough 'the memory' "$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo)" "$MEMORY_GB"

HUGE_LOG=$(cd "$folder" && pwd)/huge.log
export HUGE_LOG
: >"$HUGE_LOG"
status=0
sh tests/run.sh "$folder" tests/huge/*.bats || status=$?
sort "$HUGE_LOG"
exit "$status"
