#!/usr/bin/env bats
# sketchutils: BSD-2-Clause, see LICENSE
#
# Tables in memory are hashed with numbers that are others in each run: it shows in
# no output, and keys that were chosen to meet cost no more than others.

load helper

prepare() {
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
}

# with ENTROPY COMMAND...: "" for a system that has none. A blank ends a name in
# LD_PRELOAD, but none in a path to search.
with() {
	local entropy=$1
	shift
	if [ -n "$entropy" ]; then
		set -- env ENTROPY="$entropy" "$@"
	fi
	COMPARES=$PWD/compares LD_LIBRARY_PATH=$SKETCHUTILS_BUILD LD_PRELOAD=entropy.so "$@"
}

# alike COMMAND...: the same output, in runs with unlike salts and with two threads
alike() {
	local entropy
	rm -f first
	for entropy in 1 2 3 4 5 ''; do
		with "$entropy" "$@" >got || failed
		if [ -e first ]; then
			same first got || return
		else
			[ -s got ] || failed
			mv got first
		fi
	done
	if "$1" --help | grep -q -- --threads; then
		with 6 "$@" -j 2 >got || failed
		same first got
	fi
}

@test "each run draws its own salt, and does without if the system has none" {
	seq 50 | awk '{ print $1 % 7, $1 }' >lines
	with 1 hll-count --by 1 lines >one
	[ "$(wc -l <one)" = 7 ]
	with '' hll-count --by 1 lines >none
	same one none
	if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -o trace hll-count --by 1 lines >got
		grep -q '^getrandom(.*) = 24$' trace || failed
		same one got
	fi
}

@test "no byte of an answer depends on the salt: one sketch for each key" {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 7 >log
	alike hll-count -f 1 --by 7 log
	alike hll-count -f 1 --by 7 -k 5 --bounds log
	alike hll-build -f 1 --by 7 log
	alike hll-build -f 7 --by 1 --compat redis log
	alike minhash-build -f 1 --by 7 log
	alike minhash-build -f 1 log
	for system in redis postgres datasketches; do
		alike hll-build -f 1 --compat "$system" log
	done
	alike bloom-build -f 1 --by 7 log
	alike bloom-build -f 1 --by 7 -n 100 --type counting log
	alike hdr-quantile -f 10 --by 7 log
	alike hdr-build -f 10 --by 7 log
	alike tdigest-quantile -f 10 --by 7 log
	alike tdigest-build -f 10 --by 7 log
	hll-build -f 1 --by 7 -o a log
	hll-build -f 1 --by 9 -o b log
	alike sketch-merge a b
	alike hll-count -s a b
	alike hll-count -s --total a b
}

@test "no byte of an answer depends on the salt: counts and limits" {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 7 >log
	"$SKETCHUTILS_BUILD/crafted" crowd 3000 >crowd
	alike cms-topk -f 1 -k 100 --bounds log
	alike cms-topk -f 1 -k 100 --bounds -M 64K log crowd
	alike cms-topk -f 1 -k 9 --also count -W 10 -M 64K log
	alike cms-build -f 1 log
	alike cms-build --type spacesaving crowd log
	cms-build --type spacesaving -o a log
	cms-build --type spacesaving -o b crowd
	alike sketch-merge a b
	alike cms-query a log
	alike cms-limit -f 1 --limit 2 log
	alike cms-limit --limit 1 -M 256K crowd log
}

@test "no byte of an answer depends on the salt: what was seen, what is alike" {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 7 >log
	"$SKETCHUTILS_BUILD/logmaker" messages 500 7 >messages
	"$SKETCHUTILS_BUILD/crafted" crowd 20000 >crowd
	alike bloom-uniq -f 1 log
	alike bloom-uniq -M 64K log crowd log
	alike bloom-build -f 1 log
	alike bloom-build crowd log
	alike bloom-build --type counting crowd log
	alike bloom-build --type cuckoo log
	for n in 1 2 3; do
		with "$n" bloom-uniq --state "state$n" crowd log >/dev/null || failed
	done
	same state1 state2
	same state1 state3
	alike simhash-dedup messages
	alike minhash-dedup messages
	alike minhash-dedup --similarity 0.5 messages
}

# compares ENTROPY LOW HIGH COMMAND...: so often it compared bytes
compares() {
	local entropy=$1 low=$2 high=$3 n
	shift 3
	with "$entropy" "$@" >/dev/null || failed
	read -r n <compares
	[ "$n" -ge "$low" ] && [ "$n" -le "$high" ] && return
	echo "$*: $n compares, not $low to $high"
	failed
}

# Where n of them all meet, the last one is compared with n - 1 others. A few, with a
# salt, are those of sorting, and of an index that is salted only when there is a crowd.
@test "2,000 that were chosen to meet: without a salt all are compared, with one few" {
	"$SKETCHUTILS_BUILD/crafted" keys 2000 >keys
	"$SKETCHUTILS_BUILD/crafted" same 2000 >items
	for tool in 'hll-count -d , --by 1 -f 2' 'hll-build -d , --by 1 -f 2 --compat redis' \
	    'bloom-build -d , --by 1 -f 2' 'hdr-quantile -j 1 -d , --by 1 -f 2'; do
		read -ra words <<<"$tool"
		compares 0 1990000 9000000 "${words[@]}" keys
		compares 1 1 40000 "${words[@]}" keys
	done
	compares 0 1990000 9000000 cms-topk items
	compares 1 1 300000 cms-topk items
	"$SKETCHUTILS_BUILD/crafted" same 20000 >items
	compares 1 1 900000 cms-topk items
	compares 1 1 900000 cms-topk -M 256K items
	compares 1 1 1500000 cms-build --type spacesaving --candidates 20000 -o sketch items
	compares 1 1 1500000 cms-query sketch items
}
