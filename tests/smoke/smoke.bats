# sketchutils: BSD-2-Clause, see LICENSE
#
# Every program in most of its ways, by one thread and by several, from a file
# and through a pipe: one answer, and not a word. For tools that look at a
# program while it runs: make tsan, make valgrind. SMOKE_LINES says how many
# lines, as they are slow.

load ../helper

LINES=${SMOKE_LINES:-20000}

prepare() {
	local make=$SKETCHUTILS_BUILD/logmaker
	"$make" log "$LINES" >log
	"$make" nums "$LINES" >nums
	"$make" messages $((LINES / 4)) >messages
	"$make" docs $((LINES / 100)) >docs
	head -n $((LINES / 2)) log >known
	printf '000102030405060708090a0b0c0d0e0f' >key
}

# alike INPUT COMMAND...: the same by -j 1 and -j 4, and by -j 3 from a pipe.
alike() {
	local input=$1
	shift
	echo "$*"
	try_any 0 "$@" -j 1 "$input" && [ ! -s err ] && mv out wanted
	[ -s wanted ]
	try 0 "$@" -j 4 "$input" && out_is_file wanted
	try 0 "$@" -j 3 < <(cat "$input") && out_is_file wanted
}

# each INPUT: every command on standard input.
each() {
	local line
	while read -r line; do
		# shellcheck disable=SC2086
		alike "$1" $line </dev/null
	done
}

@test "how many distinct" {
	each log <<-'END'
		hll-count
		hll-count --quoted -f 7 -i
		hll-count --by 7 -f 1 -k 5
		hll-build --precision 10
		hll-build -a --by 9 -f 1
		hll-build --compat redis
		hll-build --compat postgres
		hll-build --compat datasketches
		hll-build --key-file key
		hll-count --quoted --time-field 4 --tumble 1h
		minhash-build --size 64
	END
}

@test "seen before: filters of every type" {
	each log <<-'END'
		bloom-build
		bloom-build -n 50000 -p 1e-4
		bloom-build -n 50000 --type classic
		bloom-build -n 50000 --type counting
		bloom-build -n 50000 --type cuckoo
		bloom-build --type scalable -n 1000
		bloom-build -n 20000 --by 9 -f 1
		bloom-build -n 50000 --compat dcso
		bloom-build -n 50000 --compat parquet
	END
	bloom-build -n 50000 -o filter known
	each log <<-'END'
		bloom-query filter
		bloom-query -v filter
		bloom-query --tag filter
		bloom-query -c filter
	END
}

@test "lines through a filter that remembers" {
	each log <<-'END'
		bloom-uniq -f 1
		bloom-uniq -f 1 -M 256K --repeated
		bloom-uniq -f 7 -c
		cms-limit --limit 3 -f 1
		cms-limit --limit 3 -f 1 -v --once
		log-mask
		log-mask --norm typed -f 7-
	END
	try 0 bloom-uniq -f 1 --exact -j 1 log && mv out wanted
	try 0 bloom-uniq -f 1 --exact -j 4 log && out_is_file wanted
	try 0 bloom-uniq -f 1 --dropped one -j 1 log
	try 0 bloom-uniq -f 1 --dropped four -j 4 log && same one four
	for j in 1 4; do
		bloom-build --type counting -n 50000 -o filter$j known
		try 0 bloom-query --add --tag -j $j filter$j log && mv out added$j
		try 0 bloom-remove -j $j filter$j known
	done
	same added1 added4 && same filter1 filter4
}

@test "how often" {
	each log <<-'END'
		cms-build -f 1
		cms-build -f 1 --candidates 0
		cms-build -f 1 --conservative
		cms-build -f 7 --type spacesaving -M 64K
		cms-topk -f 7
		cms-topk -f 7 --bounds --rest
		cms-topk --quoted -f 1 --time-field 4 --tumble 1h -k 3
	END
	cms-build -o sketch known
	each log <<-'END'
		cms-query sketch
		cms-query --bounds sketch
		cms-query --where >0 sketch
	END
}

@test "percentiles" {
	each nums <<-'END'
		hdr-build
		hdr-build --digits 2
		hdr-quantile --bounds
		tdigest-build
		tdigest-quantile
	END
	each log <<-'END'
		hdr-quantile -f 10 --by 9
		tdigest-quantile -f 10 --by 9
	END
}

@test "near-duplicates" {
	each docs <<-'END'
		simhash-sign
		simhash-dedup
		minhash-dedup
	END
	each messages <<-'END'
		simhash-dedup --features char:3 --show counts
		minhash-dedup --features char:3 --unverified
		simhash-sign --norm typed
	END
	for j in 1 4; do
		try 0 simhash-dedup --index index$j --dropped dropped$j -j $j docs
	done
	same index1 index4 && same dropped1 dropped4
}

@test "saved sketches" {
	hll-build -o a.sk known
	hll-build -o b.sk log
	hll-build -a --by 9 -f 1 -o keyed.sk log
	try 0 sketch-merge a.sk b.sk && mv out merged.sk
	try 0 hll-count -s b.sk && mv out wanted
	try 0 hll-count -s merged.sk && out_is_file wanted
	try 0 sketch-info --json merged.sk
	try 0 sketch-compare a.sk b.sk
	try 0 hll-count -s keyed.sk
	try 0 sketch-convert --to datasketches <(hll-build --compat datasketches known)
	try 0 sketch-plan -n 1000000 hll
	head -c 1000 b.sk >cut.sk
	try 4 sketch-merge a.sk cut.sk
	try 4 hll-count -s -j 4 cut.sk
}

@test "what goes wrong with several threads at work" {
	try_any 3 hll-count -j 4 log missing log
	try_any 3 bloom-uniq -c -j 4 log missing
	{ cat log log; printf '"open\n'; } >odd
	try_any 0 hll-count --quoted -f 1 -j 4 odd && err_has 'rejected 1 of'
	try_any 5 hll-count --quoted -f 1 -j 4 --strict odd
	for program in bloom-uniq log-mask 'bloom-query -v filter'; do
		bloom-build -n 10 -o filter /dev/null
		# The reader leaves; whoever writes dies of it.
		mkfifo fifo
		# shellcheck disable=SC2086
		$program -j 4 log log log >fifo 2>err &
		head -n 1 fifo >out
		status=0
		wait $! || status=$?
		[ "$status" = 141 ] && [ ! -s err ]
		rm fifo
	done
	# A signal is the end of the input; what was decided is saved.
	mkfifo in
	bloom-uniq --state state -j 4 <in >out 2>err &
	{ cat known; sleep 0.5; kill -TERM $!; cat known; } >in || true
	status=0
	wait $! || status=$?
	[ "$status" = 143 ] && [ ! -s err ]
	sketch-info -q --verify state
}
