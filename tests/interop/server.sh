#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# server.sh start redis|postgres FOLDER     a server of our own, with all it has in FOLDER
# server.sh stop redis|postgres FOLDER      by its process number
#
# Each listens on a socket in FOLDER only, so that no port can be taken: the path
# must be short. PostgreSQL does not run as root; there it runs as the user whom its
# package makes, to whom FOLDER is given.
set -eu

what=$2 folder=$3
version=15
programs=/usr/lib/postgresql/$version/bin

# Run as somebody who may run PostgreSQL.
plain() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"
	else
		"$@"
	fi
}

start_redis() {
	redis-server --port 0 --unixsocket "$folder/redis.sock" --dir "$folder" \
	    --daemonize yes --pidfile "$folder/redis.pid" --logfile "$folder/redis.log" \
	    --save '' --appendonly no >/dev/null
	for _ in $(seq 200); do
		redis-cli -s "$folder/redis.sock" ping >/dev/null 2>&1 && return
		sleep 0.05
	done
	cat "$folder/redis.log" >&2
	return 1
}

start_postgres() {
	mkdir "$folder/data"
	[ "$(id -u)" != 0 ] || chown -R postgres "$folder"
	cd "$folder"
	plain "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C \
	    --no-sync >"$folder/initdb.log"
	plain "$programs/pg_ctl" -D "$folder/data" -l "$folder/postgres.log" -w \
	    -o "-k '$folder' -c listen_addresses='' -c fsync=off" start >"$folder/ctl.log" ||
	    { cat "$folder/postgres.log" >&2; return 1; }
	psql -h "$folder" -U postgres -qc 'create extension hll'
}

stop() {
	[ -e "$1" ] || return 0
	pid=$(head -n 1 "$1")
	kill -s "$2" "$pid"
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.05
	done
}

case $1-$what in
start-redis) start_redis ;;
start-postgres) start_postgres ;;
stop-redis) stop "$folder/redis.pid" TERM ;;
stop-postgres) stop "$folder/data/postmaster.pid" INT ;;
esac
