# sketchutils: BSD-2-Clause, see LICENSE
#
# A Slurm of one node: an array of tasks, and a merge that waits for them.

load ../../helper

setup_file() {
	FOLDER=$(mktemp -d /tmp/sk-slurm.XXXXXX)
	export FOLDER
	unshare --net true || skip 'a cluster of our own needs root'
	sh "$BATS_TEST_DIRNAME/../engine.sh" start slurm "$FOLDER"
}

teardown_file() {
	sh "$BATS_TEST_DIRNAME/../engine.sh" stop slurm "$FOLDER"
	rm -rf "$FOLDER"
}

prepare() {
	export SLURM_CONF=$FOLDER/slurm.conf
	PATH=$FOLDER/bin:$PATH
	for hour in $(seq 12); do
		"$SKETCHUTILS_BUILD/logmaker" access 1000 "$hour" >"hour$hour.log"
	done
	cat hour?.log hour??.log >all.log
	hll-build -f 1 all.log >whole
	python3 "$SKETCHUTILS_TOP/tests/examples.py" --print 'With Slurm' \
	    "$SKETCHUTILS_TOP/man/sketch.7" >script
	[ -s script ]
}

# Run a script that submits jobs, and wait until none is left: half a minute at most.
submit() {
	try 0 bash -euo pipefail "$1"
	for _ in $(seq 300); do
		[ -n "$(squeue -h)" ] || return 0
		sleep 0.1
	done
	squeue
	failed
}

# The state of the job that was submitted last.
last_state() {
	job=$(sed -n 's/^Submitted batch job //p' out)
	scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'
}

@test "an array and its merge, as sketch(7) has them: the bytes of a single run" {
	submit script
	[ "$(last_state)" = COMPLETED ]
	same whole day.hll
	[ "$(cat slurm-*.out | wc -c)" = 0 ]
	# Each task has written its own part.
	for hour in 1 7 12; do
		hll-build -f 1 hour$hour.log >part
		same part part$hour.hll
	done
}

@test "counts add up: Count-Min, histograms and filters" {
	for builder in 'cms-build -f 7 --candidates 0' 'hdr-build -f 10' 'bloom-build -n 20k -f 1'; do
		rm -f part*.hll day.hll
		sed "s/hll-build -f 1/$builder/" script >other
		submit other
		$builder all.log >whole
		same whole day.hll
	done
}

@test "a failed task keeps the merge from running" {
	rm hour7.log
	submit script
	[ "$(last_state)" = CANCELLED ]
	[ ! -e day.hll ] && [ ! -e part7.hll ]
	cat slurm-*_7.out >err
	err_is "hll-build: cannot open 'hour7.log': No such file or directory"
}

@test "a killed task keeps the merge from running, and leaves no part" {
	mkdir shim
	cat >shim/hll-build <<-END
		#!/bin/sh
		[ "\$SLURM_ARRAY_TASK_ID" != 5 ] || kill -9 \$\$
		exec "$SKETCHUTILS_BIN/hll-build" "\$@"
	END
	chmod +x shim/hll-build
	PATH=$PWD/shim:$PATH submit script
	[ "$(last_state)" = CANCELLED ]
	[ ! -e day.hll ] && [ ! -e part5.hll ]
	# Whoever unites in spite of that is told.
	try 4 sketch-merge --expect 12 -o day.hll part*.hll
	[ ! -e day.hll ]
}

@test "a task that is run again replaces its part" {
	submit script
	job=$(basename slurm-*_5.out .out)
	scontrol requeue "${job#slurm-}"
	# It would wait for two minutes.
	scontrol update jobid="${job#slurm-}" starttime=now
	echo 'true' >nothing
	submit nothing
	sketch-merge --expect 12 -o again.hll part*.hll
	same whole again.hll
	[ "$(scontrol show job "${job#slurm-}" | grep -c Restarts=1)" = 1 ]
}

@test "tasks of one srun mix their output, and that is found" {
	for task in 0 1 2 3; do
		seq $((task * 10000)) $((task * 10000 + 9000)) >lines$task
	done
	cat lines? | hll-build >whole
	for armor in '' -a; do
		# Each record comes in two writes, as through any pipe that is full.
		# shellcheck disable=SC2016 # the task's shell expands
		srun -n 2 sh -c 'hll-build '$armor' lines$SLURM_PROCID >part$SLURM_PROCID
			head -c 4096 part$SLURM_PROCID
			sleep 0.4
			tail -c +4097 part$SLURM_PROCID' >mixed
		try 4 sketch-merge $armor -o union mixed
		[ ! -e union ]
	done
	# As it happens by itself: either nothing was mixed, or it is refused.
	for _ in 1 2 3 4 5 6; do
		# shellcheck disable=SC2016
		srun -Q -n 4 sh -c 'hll-build lines$SLURM_PROCID' >mixed
		got=0
		sketch-merge mixed >union 2>err || got=$?
		echo "status $got"
		if [ "$got" = 0 ]; then
			same whole union
		else
			[ "$got" = 4 ]
		fi
	done
	# shellcheck disable=SC2016
	srun -Q -n 4 sh -c 'hll-build -o own$SLURM_PROCID lines$SLURM_PROCID'
	try 0 sketch-merge --expect 4 own? && out_is_file whole
}
