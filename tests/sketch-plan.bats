# sketchutils: BSD-2-Clause, see LICENSE

load helper

# plan_is FILTER ARGUMENT...: the JSON of this plan fulfils the filter.
plan_is() {
	local filter=$1
	shift
	try 0 sketch-plan --json "$@"
	jq -es "$filter" out >/dev/null && return
	printf '%s: not %s\n' "$*" "$filter"
	show out
	return 1
}

@test "without a structure all of them are compared" {
	try 0 sketch-plan -n 1M -p 1%
	out_is 'STRUCTURE       ANSWERS       SIZE       BITS  PARAMETERS                         BOUND
bloom-block     seen before?  1.3 MiB    10.5  41152 blocks, 1 an item            a false yes in 0.998 %, over 1.25 n in 2.67 %, over 2 n in 15.3 %
bloom-classic   seen before?  1.1 MiB    9.6   9585059 bits, 7 an item            a false yes in 1 %, over 1.25 n in 2.76 %, over 2 n in 15.7 %
bloom-counting  seen before?  4.6 MiB    38.3  9585059 counters, 7 an item        a false yes in 1 %, over 1.25 n in 2.76 %, over 2 n in 15.7 %
bloom-scalable  seen before?  1.5 MiB    12.2  1 stage, 7 for 100 n               a false yes in 0.496 %, over 100 n in 0.976 % and 305.8 MiB
cuckoo          seen before?  1.3 MiB    10.6  265962 buckets, 10 bits a slot     a false yes in 0.733 %; past 1000002 items it may refuse
cms             how often?    106.2 KiB  -     2719 x 5 counters                  never too low; in 99 % at most 0.1 % of the total too high
spacesaving     which most?   1.3 MiB    -     65536 items and their bytes        exact up to 65536 items, then certain bounds
hll             how many?     12.0 KiB   -     16384 registers                    standard error 0.812 %; exact up to 2048 items
minhash         how alike?    8.0 KiB    -     1024 hashes                        exact up to 1024 elements, then within 0.0156 (standard error)
hdr             percentiles?  39.8 KiB   -     20386 slots                        a value at most 0.098 % wrong, certain bounds
tdigest         percentiles?  5.4 KiB    -     about 551 centroids                exact up to 2000 samples, then a rank is mostly within 0.1 %'
	cp out wanted.out
	try 0 sketch-plan
	same wanted.out out
	plan_is 'map(.structure) == ["bloom-block", "bloom-classic", "bloom-counting",
	    "bloom-scalable", "cuckoo", "cms", "spacesaving", "hll", "minhash", "hdr", "tdigest"]'
}

@test "the published sizes of Bloom filters" {
	plan_is '.[0].bits == 95851 and .[0].probes == 7' --type classic -n 10000 -p 1% bloom
	plan_is '.[0].bits >= 9.585e9 and .[0].bits < 9.586e9 and .[0].payload_bytes < 1.2e9' \
	    --type classic -n 1e9 -p 1% bloom
	plan_is '.[0].payload_bytes / 1048576 | . > 171 and . < 172' --type classic -n 1e8 -p .1% bloom
	plan_is '.[0].probes == 10' --type classic -n 1e8 -p 0.001 bloom
	plan_is '.[0].payload_bytes > 11.9e9 and .[0].payload_bytes < 12.1e9' \
	    --type classic -n 1e10 -p 1% bloom
	plan_is 'all(.[:3][]; .fpp_at_200_percent > 0.15 and .fpp_at_200_percent < 0.16)' -n 1e6 bloom
	plan_is 'all(.[:3][]; .fpp < .fpp_at_125_percent and .fpp_at_125_percent < .fpp_at_200_percent)' bloom
	plan_is '.[0].probes == 1 and .[1].probes == 7' -p 1% bloom
	plan_is '.[0].probes == 2' -p 1e-4 bloom
	plan_is '.[0].probes == 4' -p 1e-9 bloom
}

@test "what the other types of filter cost" {
	# Four bits for each of a classic one, and the same fpp.
	plan_is '.[2].counters == .[1].bits and (.[2].payload_bytes / .[1].payload_bytes | . > 3.99 and . < 4.01) and
	    .[2].fpp == .[1].fpp' -n 1e6 bloom
	# Stages for twice as many each, at half the fpp: 2^7 - 1 times the first.
	plan_is '.[0].fpp <= 0.005 and .[0].fpp_at_100_n <= 0.01 and .[0].stages_at_100_n == 7 and
	    .[0].bits_at_100_n > 20 and .[0].bits_at_100_n < 30' --type scalable bloom
	# f is at least log2(8 / p) bits, and at most 94 % of the slots are used.
	plan_is '.[0].fingerprint_bits == 10 and .[0].fpp <= 0.01 and .[0].slots * 0.94 >= 1e6 and
	    .[0].bits_per_item < 10.7' --type cuckoo -n 1e6 bloom
	plan_is '.[0].fingerprint_bits == 13 and .[0].fpp <= 0.001' --type cuckoo -p 0.1% bloom
	plan_is '.[0].fingerprint_bits == 32' --type cuckoo -p 2e-9 bloom
	# Below 0.3 % cuckoo is the smallest of all.
	plan_is 'min_by(.payload_bytes).structure == "cuckoo"' -p 0.1% bloom
	plan_is 'min_by(.payload_bytes).structure == "bloom-classic"' -p 1% bloom
}

@test "the published sizes of Count-Min and HyperLogLog" {
	plan_is '.[0].width == 2719 and .[0].depth == 5' -e .001 --confidence 99% cms
	plan_is '.[0].payload_bytes == 2719 * 5 * 8' cms
	plan_is '.[0].width == 10 and .[0].depth == 3 and .[0].epsilon > 0.27' --width 10 --depth 3 cms
	plan_is '.[0].payload_bytes == 20 * 500 and .[0].exact' -n 500 spacesaving
	plan_is '.[0].payload_bytes == 20 * 65536 and (.[0].exact | not)' -n 65537 spacesaving
	plan_is '.[0].slots == 20386 and .[0].relative_error == 1 / 1024 and .[0].memory_at_most < 170000' hdr
	plan_is '.[0].slots == 32 * 16 + 1' --digits 1 --range 4294967296 hdr
	plan_is '.[0].exact_up_to == 2000 and (.[0].exact | not)' tdigest
	plan_is '.[0].centroids == 1001 and .[0].exact' --compression 20 -n 1001 tdigest
	plan_is '.[0].registers == 16384 and .[0].payload_bytes == 12288 and .[0].standard_error == 0.008125' hll
	plan_is '.[0].standard_error == 0.0325' --precision 10 hll
	plan_is '.[0].precision == 14' -e 1% hll
	plan_is '.[0].precision == 16' -e 1% --confidence 95% hll
}

@test "a sketch that is built has the size that was planned" {
	seq 3000 >lines
	for p in 10% 1% 1e-4 1e-6; do
		for type in block classic counting scalable cuckoo; do
			bloom-build --type "$type" -n 3000 -p "$p" -o bloom.sk lines
			plan_is ".[0].file_bytes == $(wc -c <bloom.sk)" --type "$type" -n 3000 -p "$p" bloom
		done
		# Less those that seem to be there already, it is just 100 times as many.
		bloom-build --type scalable -n 30 -p "$p" -o bloom.sk lines
		plan_is ".[0].payload_at_100_n == $(sketch-info --json bloom.sk | jq .payload_bytes)" \
		    --type scalable -n 30 -p "$p" bloom
	done
	cms-build -e .01 --confidence 90% --candidates 0 -o cms.sk lines
	plan_is ".[0].file_bytes == $(wc -c <cms.sk)" -e .01 --confidence 90% cms
	hll-build --precision 12 -o hll.sk lines
	plan_is ".[0].file_bytes == $(wc -c <hll.sk)" -n 3000 --precision 12 hll
	# A number in each of 33 slots.
	awk 'BEGIN { for (i = 16; i < 32; i++) print i / 16 "\n" i / 8; print 4 }' | hdr-build --digits 1 -o hdr.sk
	plan_is ".[0].file_bytes == $(wc -c <hdr.sk)" -n 33 --digits 1 --range 4 hdr
	[ "$(sketch-info --json hdr.sk | jq .slots_used,.payload_bytes)" = $'33\n72' ]
	seq 1000 | tdigest-build -o tdigest.sk
	plan_is ".[0].file_bytes == $(wc -c <tdigest.sk)" -n 1000 tdigest
	seq 1000 | minhash-build --size 300 -o minhash.sk
	plan_is ".[0].file_bytes == $(wc -c <minhash.sk) and .[0].exact_up_to == 300" --size 300 minhash
	seq 100 | minhash-build -e 1% -o minhash.sk
	plan_is ".[0].file_bytes == $(wc -c <minhash.sk) and .[0].exact" -n 100 -e 1% minhash
	seq 100 | hll-build -o hll.sk
	plan_is ".[0].file_bytes == $(wc -c <hll.sk)" -n 100 hll
	[ "$(wc -c <hll.sk)" = 576 ]
}

@test "several structures are planned in the order given" {
	plan_is 'map(.structure) == ["hll", "cms"]' hll cms
	try 0 sketch-plan hll cms
	[ "$(grep -c '^$' out)" = 1 ]
}

@test "what cannot be had is refused, and in the table it is told" {
	try 2 sketch-plan -e .001 hll
	err_has 'the finest, precision 18, has a standard error of 0.203 %'
	try 2 sketch-plan -n 1e15 -p 1e-9 bloom
	err_has '32 TiB'
	try 0 sketch-plan -n 1e15 -p 1e-9 -e .001
	[ "$(grep -c ' -  *-  *-  ' out)" = 7 ]
	try 2 sketch-plan -e .001 minhash
	err_has 'the largest size, 65536, has a standard error of 0.195 %'
	plan_is '.[7].impossible != null and (.[7] | has("payload_bytes") | not)' -e .001
	# Among others that can be had, it is told.
	try 2 sketch-plan --type cuckoo -p 1e-9 bloom
	err_is "sketch-plan: cannot plan 'bloom': its least fpp is 2e-09"
	plan_is '.[4].impossible == "its least fpp is 2e-09" and .[0].fpp > 0' -p 1e-9 bloom
}

@test "an option without effect is refused" {
	for arguments in '-p 1% hll' '--precision 12 cms' '-n 5 cms' '--type block hll' '--width 5 bloom' \
	    '-e .1 --width 10 cms' '--confidence 90% hll' '--confidence 90% --depth 3 cms' \
	    '-e 1% --precision 12 hll' '-e 1% --precision 12 --width 5 --size 16' '--size 16 hll' '--digits 3 hll' '--range 9 cms'; do
		# shellcheck disable=SC2086
		try 2 sketch-plan $arguments
		err_has 'has no effect on this plan'
	done
	try 0 sketch-plan -e 1% --precision 12
	try 0 sketch-plan -e 1% --width 5
}

@test "numbers out of range and unknown structures are refused" {
	try 2 sketch-plan -n 0
	err_has 'not in 1..'
	try 2 sketch-plan -p 0
	try 2 sketch-plan -p 60%
	try 2 sketch-plan -n 1x
	try 2 sketch-plan --precision 3
	try 2 sketch-plan --type square
	try 2 sketch-plan bloom-block
	err_has 'not bloom, cms, spacesaving, hll, minhash, hdr or tdigest (bloom has a --type)'
	try 2 sketch-plan ''
}
