# sketchutils: BSD-2-Clause, see LICENSE
#
# What GNU parallel, xargs and a sort between mappers and reducers cut a job into is
# united to the bytes of a single run. Other machines are in fleet.bats.

load ../helper

setup_file() {
	"$SKETCHUTILS_BUILD/logmaker" access 6000 1 >"$BATS_FILE_TMPDIR/log"
}

prepare() {
	export PARALLEL_HOME=$PWD/.parallel
	ln -s "$BATS_FILE_TMPDIR/log" log
	builders=(
		'hll-build -f 1'
		'hll-build -a -f 1'
		'bloom-build -n 10k -f 1'
		'cms-build --candidates 0 -f 7'
		'hdr-build -f 10'
		'minhash-build -f 1'
		'hll-build --by 7 -f 1'
	)
}

# merged RECORDS WHOLE [BUILDER]: as many as that, and together they are the whole.
merged() {
	local armor=()
	[[ ${3-} != *' -a '* ]] || armor=(-a)
	try 0 sketch-merge "${armor[@]}" --expect "$1" parts || return
	out_is_file "$2"
}

@test "--pipepart: a record for each job, united to that of the whole file" {
	for builder in "${builders[@]}"; do
		$builder log >whole
		parallel -k -j 3 --pipepart -a log --block -1 "$builder" >parts
		merged 3 whole "$builder"
	done
}

@test "--pipe: the same from a stream, in order or as they come" {
	for builder in "${builders[@]}"; do
		$builder log >whole
		parallel -k -j 2 --pipe --block 500k "$builder" <log >parts
		merged 3 whole "$builder"
	done
	for _ in 1 2 3; do
		parallel -j 4 --round-robin --pipe --block 50k hll-build -f 1 <log >parts
		hll-build -f 1 log >whole
		merged 4 whole
	done
}

@test "--recend: lines that end in NUL are cut at NUL" {
	# A newline within an item must not be where a job begins.
	awk '{ printf "%s\n%s%c", $1, NR, 0 }' log >zero
	for builder in 'hll-build -z' 'cms-build --candidates 0 -z' 'bloom-build -n 10k -z'; do
		$builder zero >whole
		parallel -k -j 3 --pipepart --recend '\0' -a zero --block -1 "$builder" >parts
		merged 3 whole
		parallel -k -j 3 --pipe --recend '\0' --block 40k "$builder" <zero >parts
		merged 3 whole
	done
}

@test "a job for each compressed file" {
	split -n l/5 log part.
	gzip part.*
	for builder in "${builders[@]}"; do
		$builder log >whole
		parallel -k "set -o pipefail; zcat {} | $builder" ::: part.*.gz >parts
		merged 5 whole "$builder"
	done
}

@test "trees of merges, over files of any name" {
	split -n l/20 log part.
	mkdir saved
	for file in part.*; do
		hll-build -f 1 -o saved/$'a "b\n'"$file" "$file"
	done
	hll-build -f 1 log >whole
	find saved -type f -print0 >names
	parallel -0 -n 3 sketch-merge {} <names >parts
	merged 7 whole
	parallel -0 -X -j 4 sketch-merge {} <names >parts
	merged 4 whole
	xargs -0 -n 3 sketch-merge <names >parts
	merged 7 whole
	xargs -0 cat <names >parts
	merged 20 whole
}

@test "no input: no job, which is refused; an empty shard is a record" {
	parallel --pipe hll-build -f 1 <&- >parts
	[ ! -s parts ]
	try 4 sketch-merge parts && err_has 'empty, not a sketch'
	try 4 sketch-merge --expect 3 parts
	try 0 sketch-merge --expect 0 parts && out_is ''
	: >nothing
	for builder in "${builders[@]}"; do
		[[ $builder != *--by* ]] || continue
		$builder log >whole
		parallel -k "$builder" ::: nothing log nothing >parts
		merged 3 whole "$builder"
	done
}

@test "a killed job: the engine's status tells, and the number of sketches" {
	split -n l/4 -d log part.
	# The third dies before it has written anything.
	killed() { parallel -k '[ {#} != 3 ] || kill -9 $$; hll-build -f 1 {}' ::: part.*; }
	hll-build -f 1 log >whole
	got=0
	killed >parts || got=$?
	[ "$got" = 1 ]
	try 4 sketch-merge --expect 4 -o united parts
	err_has '4 sketches were expected, and 3 came'
	[ ! -e united ]
	# Without --expect it would be a sketch like any other.
	try 0 sketch-merge parts
	! cmp -s out whole || failed
	got=0
	bash -o pipefail -c "$(declare -f killed)"'; killed | sketch-merge >out' || got=$?
	[ "$got" != 0 ]
	# One that dies in the middle of a record.
	parallel -k 'hll-build -f 1 {} | if [ {#} = 3 ]; then head -c 3000; else cat; fi' ::: part.* >parts
	try 4 sketch-merge --expect 4 parts
	# The decompressor of a job dies: the job must not hide it.
	gzip part.*
	head -c 5000 part.02.gz >cut && mv cut part.02.gz
	got=0
	parallel -k 'set -o pipefail; zcat {} 2>/dev/null | hll-build -f 1' ::: part.*.gz >parts || got=$?
	[ "$got" = 1 ]
}

@test "a job that is tried again counts once" {
	split -n l/4 -d log part.
	cms-build --candidates 0 -f 7 log >whole
	# It has written its record when it dies, and dies only once.
	parallel -k --retries 3 '
		cms-build --candidates 0 -f 7 {}
		[ {#} != 3 ] || [ -e tried ] || { touch tried; kill -9 $$; }' ::: part.* >parts
	[ -e tried ]
	merged 4 whole
}

@test "a job that is delivered twice counts once, by its id" {
	split -n l/4 -d log part.
	parallel -k 'cms-build --candidates 0 -f 7 --id {} {}' ::: part.* >parts
	sketch-merge --expect 4 -o once parts
	[ "$(sketch-info --json once | jq .items)" = 6000 ]
	# The third again, as from an attempt that was thought to be lost.
	cms-build --candidates 0 -f 7 --id part.02 part.02 >>parts
	try_any 0 sketch-merge --expect 4 parts && out_is_file once
	err_has "shard 'part.02' is in already"
	# A tree of unions counts shards, and not unions.
	for file in part.*; do
		cms-build --candidates 0 -f 7 --id "$file" -o saved."$file" "$file"
	done
	printf '%s\0' saved.* >names
	parallel -k -0 -n 2 sketch-merge {} <names >parts
	try 0 sketch-merge --expect 4 parts && out_is_file once
	parallel -k -0 -n 2 sketch-merge {} <names >>parts
	try_any 0 sketch-merge --expect 4 parts && out_is_file once
	# Another input under that name.
	cms-build --candidates 0 -f 7 --id part.02 part.03 >>parts
	try 4 sketch-merge -o union parts
	[ ! -e union ]
}

@test "jobs that are tried again add to one file once each" {
	split -n l/6 -d log part.
	# Each dies once: the even ones after they have added their lines, the others before.
	# shellcheck disable=SC2016 # the job's shell expands
	parallel -j 3 --retries 4 '
		[ $(({#} % 2)) = 0 ] || [ -e {}.tried ] || { touch {}.tried; kill -9 $$; }
		cms-build --candidates 0 -f 7 --update total --id {} {}
		[ -e {}.tried ] || { touch {}.tried; kill -9 $$; }' ::: part.?? 2>said
	[ "$(grep -c 'already' said)" = 3 ]
	try 0 sketch-merge --expect 6 total
	[ "$(sketch-info --json total | jq .items)" = 6000 ]
	cms-build --candidates 0 -f 7 log >whole
	cut -d ' ' -f 7 log | sort -u >pages
	cms-query whole pages >wanted
	try 0 cms-query total pages && out_is_file wanted
}

# map FILE...: a mapper for each file, whose rows are sorted as by their key.
map() {
	local file
	: >rows
	for file; do
		hll-build -a --by 7 -f 1 "$file" >row || return
		cat row >>rows
	done
	LC_ALL=C sort -t $'\t' -k 1,1 rows
}

@test "mappers print KEY TAB sketch, sort brings keys together, reducers unite" {
	split -n l/5 log part.
	: >empty
	hll-build -a --by 7 -f 1 log >whole
	map part.* empty >sorted
	[ "$(wc -l <sorted)" -gt "$(wc -l <whole)" ]
	try 0 sketch-merge -a sorted && out_is_file whole
	# Two reducers, each with half of the keys, and their files in any order.
	awk -F '\t' '{ print > ("reduce." length($1) % 2) }' sorted
	for half in 0 1; do
		sketch-merge -a reduce.$half >done.$half
	done
	try 0 sketch-merge -a done.1 done.0 && out_is_file whole
	hll-count -s -k 5 done.1 done.0 >ours
	hll-count --by 7 -f 1 -k 5 log >wanted
	same wanted ours
}

@test "a row that lost its end is refused by the reducer" {
	hll-build -a --by 7 -f 1 log >rows
	sed '$s/..$//' rows >cut
	try 4 sketch-merge -a cut
}

@test "no builder says 1, which engines take for an answer" {
	for builder in "${builders[@]}"; do
		# shellcheck disable=SC2086 # words
		try 3 $builder absent
		# shellcheck disable=SC2086
		try 2 $builder --no-such-option
		got=0
		$builder log >/dev/full 2>err || got=$?
		[ "$got" = 3 ]
	done
}
