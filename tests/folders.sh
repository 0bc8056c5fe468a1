#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# folders.sh make RECORD FOLDER...: make these folders and those above them,
# and add to RECORD the ones that were not there.
# folders.sh remove RECORD FOLDER...: remove, as long as they are empty, those
# of these folders and of the ones above them that RECORD has. A folder that
# somebody else made, or put something in, stays.
set -eu

verb=$1
record=$2
shift 2

make() {
	[ ! -d "$1" ] || return 0
	make "$(dirname "$1")"
	install -d -m 755 "$1"
	printf '%s\n' "$1" >>"$record"
}

remove() {
	grep -qxF -e "$1" "$record" || return 0
	[ ! -d "$1" ] || rmdir "$1" 2>/dev/null || return 0
	{ grep -vxF -e "$1" "$record" || :; } >"$record.new"
	mv "$record.new" "$record"
	remove "$(dirname "$1")"
}

case $verb in
make) mkdir -p "$(dirname "$record")" ;;
remove) [ -f "$record" ] || exit 0 ;;
esac
for folder; do
	"$verb" "$folder"
done
