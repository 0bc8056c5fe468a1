# sketchutils: BSD-2-Clause, see LICENSE
#
# Redis itself, from Debian, on a socket of its own.

load ../helper

setup_file() {
	FOLDER=$(mktemp -d /tmp/sk-redis.XXXXXX)
	export FOLDER
	sh "$BATS_TEST_DIRNAME/server.sh" start redis "$FOLDER"
}

teardown_file() {
	sh "$BATS_TEST_DIRNAME/server.sh" stop redis "$FOLDER"
	rm -rf "$FOLDER"
}

prepare() {
	redis flushall >/dev/null
	{ seq 100000; printf 'a b\n\n\377\376\n  blanks \n'; } >lines
	awk 'BEGIN { srand(7); for (i = 0; i < 30000; i++) print "k" int(90 * rand() * rand()), int(3000 * rand()) }' >log
}

redis() {
	redis-cli -s "$FOLDER/redis.sock" "$@"
}

# ours N: a value of the first N lines under the key ours; redis's own under theirs.
ours() {
	head -n "$1" lines >items
	hll-build --compat redis items | sketch-convert --to redis >value
	redis -x set ours <value >said
	[ "$(cat said)" = OK ]
	redis del theirs >said
	fill theirs <items
}

# fill KEY: PFADD of each line, as the protocol has it; prints nothing.
fill() {
	# shellcheck disable=SC2016
	python3 -c '
import sys
key = sys.argv[1].encode()
for line in sys.stdin.buffer.read().split(b"\n")[:-1]:
    sys.stdout.buffer.write(b"*3\r\n$5\r\nPFADD\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n"
                            % (len(key), key, len(line), line))
' "$1" >commands
	redis --pipe <commands >said
	grep -q 'errors: 0' said
}

@test "redis counts ours as we do, and as it counts its own" {
	for n in 0 1 10 100 1000 1700 20000 100004; do
		ours "$n"
		try 0 hll-count --compat redis items
		out_is "$(redis pfcount ours)"
		[ "$n" = 0 ] || out_is "$(redis pfcount theirs)"
	done
}

@test "PFADD of the same items changes nothing" {
	for n in 10 1000 20000; do
		ours "$n"
		redis get ours >before
		# It answers 1 if a register changed.
		fill ours <items
		xargs -n 500 redis-cli -s "$FOLDER/redis.sock" pfadd ours <items >said
		absent 1 said
		redis get ours >after
		sketch-convert --from redis before >before.sk
		sketch-convert --from redis after >after.sk
		same before.sk after.sk
	done
}

@test "our bytes are those that redis has" {
	for n in 1 100 1000 20000 100004; do
		ours "$n"
		redis get theirs >theirs
		sketch-convert --from redis --to redis theirs >theirs.plain
		same value theirs.plain
	done
}

@test "a union of ours and theirs is theirs" {
	ours 20000
	redis pfmerge both ours theirs >said
	[ "$(redis pfcount both)" = "$(redis pfcount theirs)" ]
	seq 15000 30000 | hll-build --compat redis | sketch-convert --to redis >value
	redis -x set more <value >said
	seq 15000 30000 >items
	fill theirs <items
	redis pfmerge both ours more >said
	[ "$(redis pfcount both)" = "$(redis pfcount theirs)" ]
}

@test "what redis gives back counts the same, with and without its newline" {
	for n in 1 100 20000; do
		ours "$n"
		redis get theirs >dump
		try 0 hll-count -s --from redis dump
		out_is "$(redis pfcount theirs)"
		head -c -1 dump >plain
		try 0 hll-count -s --from redis plain
		out_is "$(redis pfcount theirs)"
	done
	# PFCOUNT has left its count in the value by now.
	redis get theirs >counted
	hll-build --compat redis items >ours.sk
	sketch-convert --from redis counted >theirs.sk
	try 0 hll-count -s --each ours.sk theirs.sk
	[ "$(cut -f 1 out | uniq | wc -l)" = 1 ]
}

@test "keys go in by redis-cli --pipe" {
	printf 'two words 5\r\n"quoted" 6\n\377 7\n' >>log
	try 0 hll-build --compat redis --by 1 -f 2 -o keyed.sk log
	try 0 sketch-convert --to redis --keyed keyed.sk
	redis --pipe <out >said
	grep -q 'errors: 0' said
	hll-count -s keyed.sk >rows
	[ "$(redis dbsize)" = "$(wc -l <rows)" ]
	while IFS=$'\t' read -r count key; do
		[ "$(redis pfcount "$key")" = "$count" ]
	done <rows
}
