# sketchutils: BSD-2-Clause, see LICENSE
#
# Two hosts that are reached by ssh, and the recipes of sketch(7) that ask for
# nothing larger, run as they stand there.

load ../helper

setup_file() {
	FOLDER=$(mktemp -d /tmp/sk-fleet.XXXXXX)
	export FOLDER
	unshare --net --mount --uts true || skip 'hosts of our own need root'
	: "${SKETCHUTILS_BIN:=$SKETCHUTILS_BUILD/bin}"
	export SKETCHUTILS_BIN
	sh "$BATS_TEST_DIRNAME/engine.sh" start ssh "$FOLDER"
	for host in 1 2; do
		mkdir "$FOLDER/web$host-log/nginx"
		"$SKETCHUTILS_BUILD/logmaker" access 3000 $host >"$FOLDER/web$host-log/nginx/access.log"
	done
}

teardown_file() {
	sh "$BATS_TEST_DIRNAME/engine.sh" stop ssh "$FOLDER"
	rm -rf "$FOLDER"
}

prepare() {
	export PARALLEL_HOME=$PWD/.parallel
	PATH=$FOLDER/bin:$PATH
	cat "$FOLDER"/web?-log/nginx/access.log >all.log
	hll-build -f 1 all.log >whole
}

# recipe HEADING: run it by bash, here. Nothing is to be said.
recipe() {
	python3 "$SKETCHUTILS_TOP/tests/examples.py" --print "$1" \
	    "$SKETCHUTILS_TOP/man/sketch.7" >script
	[ -s script ]
	# The shell of parallel's jobs is the one that it is started by.
	SHELL=$BASH bash -eu script >out 2>err || { show err; failed; }
	[ ! -s err ] || { show err; failed; }
}

@test "each host has a name and a log of its own" {
	for host in web1 web2; do
		[ "$(ssh $host hostname)" = $host ]
		ssh $host cat /var/log/nginx/access.log >log
		same log "$FOLDER/$host-log/nginx/access.log"
	done
	! cmp -s "$FOLDER"/web?-log/nginx/access.log || failed
}

@test "a stream is cut for both hosts" {
	for builder in 'hll-build -f 1' 'cms-build -f 7 --candidates 0'; do
		$builder all.log >whole
		parallel -k -S 2/web1,2/web2 --pipe --block 250k "$builder" <all.log >parts
		try 0 sketch-merge --expect 5 parts && out_is_file whole
	done
	parallel -k -S 2/web1,2/web2 --pipe --block 250k 'hostname; cat >/dev/null' <all.log >names
	[ "$(sort -u names | wc -l)" = 2 ]
}

@test "a host that fails is noticed" {
	got=0
	# shellcheck disable=SC2016 # the other host's shell expands
	parallel --nonall -k -S web1,web2 '[ $(hostname) = web1 ] || kill -9 $$
	    hll-build -f 1 /var/log/nginx/access.log' >parts || got=$?
	[ "$got" = 1 ]
	try 4 sketch-merge --expect 2 -o united parts
	err_has '2 sketches were expected, and 1 came'
	[ ! -e united ]
	# One that is not there at all.
	got=0
	parallel --nonall -k -S web1,nowhere hll-build -f 1 /var/log/nginx/access.log >parts 2>said || got=$?
	[ "$got" != 0 ]
	try 4 sketch-merge --expect 2 parts
}

@test "with ssh, as sketch(7) has it" {
	for day in mon:1 tue:2 wed:3; do
		"$SKETCHUTILS_BUILD/logmaker" access 500 "${day#*:}" >"${day%:*}.log"
	done
	cp "$SKETCHUTILS_BIN/hll-build" .
	recipe 'With ssh'
	same whole web.hll
	same whole sent.hll
	cat mon.log tue.log wed.log | hll-build -f 1 >wanted
	same wanted days.hll
	# Nothing is left behind.
	find "$FOLDER"/web[12] -type f >left
	text_is left ''
}

@test "with GNU parallel, as sketch(7) has it" {
	for day in 1 2 3 4 5 6 7; do
		"$SKETCHUTILS_BUILD/logmaker" access 500 $day >day$day.log
	done
	cat day?.log >big.log
	mkdir saved
	for day in 1 2 3 4 5 6 7; do
		hll-build -f 1 -o "saved/a day $day.hll" day$day.log
	done
	gzip day?.log
	recipe 'With GNU parallel'
	hll-build -f 1 big.log >wanted
	for united in big week stream all; do
		same wanted $united.hll
	done
	# A day of which the end is missing.
	head -c 9000 day4.log.gz >cut && mv cut day4.log.gz
	rm ./*.hll
	sed -i 's/$/ || echo "status $?" >>failures/' script
	SHELL=$BASH bash -u script >out 2>err || true
	[ "$(wc -l <failures)" = 2 ]
	[ ! -e week.hll ] && [ ! -e stream.hll ] && [ -e big.hll ]
}
