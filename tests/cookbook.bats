# sketchutils: BSD-2-Clause, see LICENSE
#
# The crontab lines of sketch(7), run as cron would run them. Its sessions are
# run by manuals.bats, and those that need a server by interop/cookbook.bats.

load helper

prepare() {
	mkdir shim uniques
	# The clock says $NOW. Read it in a shell of its own, for a test's sake only.
	cat >shim/date <<-END
		#!/bin/sh
		case \$1 in
		-d) exec $(command -v date) -u -d "\$NOW \$2" "\$3" ;;
		*) exec $(command -v date) -u -d "\$NOW" "\$@" ;;
		esac
	END
	chmod +x shim/date
	# A week, from Monday 6th to Sunday 12th of October 2025.
	"$SKETCHUTILS_BUILD/logmaker" access 20000 1 >week.log
}

# recipe SUBSECTION: its lines, without the assignments.
recipe() {
	python3 "$SKETCHUTILS_TOP/tests/examples.py" --print "$1" \
	    "$SKETCHUTILS_TOP/man/sketch.7" >lines
	grep -vE '^(LC_ALL|LOG)=[^ ]*$' lines
}

# The part of a crontab line that is run: cron ends it at a % without a backslash
# and takes the backslash away from others.
command_of() {
	[[ $1 =~ ^([0-9*/]+\ ){5}(.*)$ ]] || { echo "no crontab line: $1"; failed; }
	local command=${BASH_REMATCH[2]}
	[[ ! $command =~ (^|[^\\])% ]] || { echo "a % without a backslash: $1"; failed; }
	printf '%s\n' "${command//\\%/%}"
}

# cron STATUS TIME LINE: standard output and standard error are what would be mailed.
cron() {
	local command got=0
	command=$(command_of "$3")
	NOW=$2 LOG=$PWD/access.log PATH=$PWD/shim:$PATH sh -c "$command" >mail 2>&1 || got=$?
	[ "$got" = "$1" ] || { echo "$2, status $got: $command"; show mail; failed; }
	[ "$1" != 0 ] || [ ! -s mail ] || { show mail; failed; }
}

# until_time TIME: the part of the week that is logged by then. Times are sorted.
until_time() {
	awk -v end="$1" '{ day = substr($4, 2, 2); time = substr($4, 14, 8) }
	    "2025-10-" day " " time < end' week.log
}

# The sketch of one day's lines.
day() {
	grep -F "[$1/Oct/2025:" week.log | hll-build -f 1
}

@test "a growing log: each day's sketch has all visitors of the day, no others" {
	line=$(recipe 'Uniques of each day, from a log that grows')
	for day in 06 07 08; do
		for time in 00:10 11:50 12:00 23:50; do
			until_time "2025-10-$day $time" >access.log
			cron 0 "2025-10-$day $time" "$line"
		done
	done
	# Some came in the last ten minutes before midnight.
	until_time '2025-10-08 23:50' | wc -l >before
	until_time '2025-10-09 00:00' | wc -l >after
	[ "$(cat after)" -gt "$(cat before)" ]
	# The log is rotated at midnight to the minute, but the day before is kept.
	until_time '2025-10-09 00:10' >access.log
	cron 0 '2025-10-09 00:10' "$line"
	until_time '2025-10-09 00:10' | grep -F '[09/' >access.log
	cron 0 '2025-10-09 00:20' "$line"
	for day in 06 07 08; do
		day $day >wanted.hll
		hll-count -s wanted.hll >wanted
		try 0 hll-count -s uniques/2025-10-$day.hll && out_is_file wanted
		sketch-merge wanted.hll uniques/2025-10-$day.hll >united.hll
		try 0 hll-count -s united.hll && out_is_file wanted
	done
	exact=$(grep -F '[07/Oct/2025:' week.log | cut -d ' ' -f 1 | sort -u | wc -l)
	try 0 hll-count -s uniques/2025-10-07.hll && out_is "$exact"
}

@test "rotated logs: the same bytes as from the lines of that day" {
	line=$(recipe 'Uniques of each day, from rotated logs')
	# Rotated at 6:25, by size in between, and gzip comes a day later.
	until_time '2025-10-06 06:25' | gzip >access.log.2.gz
	until_time '2025-10-07 06:25' | tail -n +"$(($(zcat access.log.2.gz | wc -l) + 1))" >access.log.1
	for day in 07 08 09; do
		until_time "2025-10-$day 00:30" | tail -n +"$(($(zcat -f access.log.2.gz access.log.1 | wc -l) + 1))" >access.log
		cron 0 "2025-10-$day 00:30" "$line"
	done
	for day in 06 07 08; do
		day $day >wanted.hll
		same wanted.hll uniques/2025-10-$day.hll
	done
}

@test "a week and a month; a week without one of its days is refused" {
	recipe 'Uniques of each week and month' >both
	[ "$(wc -l <both)" = 2 ]
	week=$(sed -n 1p both) month=$(sed -n 2p both)
	[[ $week == *' * * 1 cd '* && $month == *' 1 * * cd '* ]]
	for day in 06 07 08 09 10 11; do
		day $day >uniques/2025-10-$day.hll
	done
	cron 3 '2025-10-13 00:40' "$week"
	grep -q "2025-10-12.hll': No such file" mail
	[ ! -e uniques/2025-W41.hll ]
	day 12 >uniques/2025-10-12.hll
	cron 0 '2025-10-13 00:40' "$week"
	hll-build -f 1 week.log >wanted.hll
	same wanted.hll uniques/2025-W41.hll
	# Neither the week nor sketches of pages are in the month, a day of November is not.
	seq 100000 | hll-build -o uniques/2025-10-06.pages.hll
	seq 100000 | hll-build -o uniques/2025-11-01.hll
	cron 0 '2025-11-01 00:50' "$month"
	same wanted.hll uniques/2025-10.hll
	# Of a year that begins within a week.
	for day in 2025-12-29 2025-12-30 2025-12-31 2026-01-01 2026-01-02 2026-01-03 2026-01-04; do
		cp wanted.hll uniques/$day.hll
	done
	cron 0 '2026-01-05 00:40' "$week"
	[ -e uniques/2026-W01.hll ]
}
