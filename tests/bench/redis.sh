#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# redis.sh QUESTION FILE: what a Redis server answers about a file of lines without
# blanks, quotes or backslashes. The server is ours, listens on a socket in a folder of
# its own, and ends with the script, which waits for it: whoever times the script times
# the server too. Lines go in by redis-cli --pipe, hundreds a command where a command
# takes so many. "-version" as the QUESTION prints which it is.
#
#	distinct    how many lines are different, by PFADD and PFCOUNT
#	topline     the ten most frequent, "number TAB line", by ZINCRBY, exactly
set -eu

if [ "$1" = -version ]; then
	redis-server --version | sed -n 's/.* v=\([^ ]*\).*/\1/p'
	exit 0
fi
question=$1 file=$2
folder=$(mktemp -d)
socket=$folder/socket
redis-server --port 0 --unixsocket "$socket" --dir "$folder" --save '' \
    --appendonly no --logfile "$folder/log" >/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" || :; rm -rf "$folder"' EXIT
trap 'exit 3' HUP INT TERM

ask() {
	redis-cli -s "$socket" "$@"
}

for _ in $(seq 200); do
	[ "$(ask ping 2>/dev/null)" = PONG ] && break
	sleep 0.02
done

# What the server says to each command is read and counted by redis-cli; a line it did
# not like is an error.
pipe() {
	ask --pipe >"$folder/said"
	grep -q 'errors: 0,' "$folder/said"
}

case $question in
distinct)
	mawk 'NR % 500 == 1 { printf "%sPFADD k", NR == 1 ? "" : "\r\n" }
	    { printf " %s", $0 } END { printf "\r\n" }' "$file" | pipe
	ask pfcount k
	;;
topline)
	mawk '{ printf "ZINCRBY k 1 %s\r\n", $0 }' "$file" | pipe
	ask zrevrange k 0 9 withscores | mawk 'NR % 2 { item = $0; next } { print $0 "\t" item }'
	;;
esac
