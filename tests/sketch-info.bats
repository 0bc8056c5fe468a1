# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	seq 100 | hll-build -o hll.sk
	seq 100 | bloom-build -n 100 -o bloom.sk
	seq 100 | cms-build -e 10% -o cms.sk
	seq 100 | sed 's/.*\(.\)/\1 &/' >pairs
	hll-build --by 1 -f 2 -o keyed.sk pairs
}

@test "a record is a paragraph of names and values" {
	try 0 sketch-info hll.sk
	out_is 'file:               hll.sk
record:             1
offset:             0
armored:            no
format:             1
kind:               hll
version:            1
hash:               xxh3
seed:               0
ignore_case:        no
join:               none
keyed:              no
auto:               no
saturated:          no
intersected:        no
items:              100
payload_bytes:      400
precision:          14
registers:          16384
standard_error:     0.008125
encoding:           tokens
tokens:             100
token_limit:        2048
estimate:           100
low:                100
high:               100
memory:             544
bytes:              576
checksum:           ok'
}

@test "an empty line stands between two records, in one file or in two" {
	cat hll.sk bloom.sk >both.sk
	try 0 sketch-info both.sk cms.sk
	[ "$(grep -c '^$' out)" = 2 ]
	[ "$(grep -c '^kind: ' out)" = 3 ]
	grep -q '^offset: *576$' out
}

@test "--json prints a flat object for each record, with all digits" {
	cat hll.sk bloom.sk cms.sk keyed.sk >all.sk
	try 0 sketch-info --json all.sk
	[ "$(wc -l <out)" = 4 ]
	jq -es 'all(.[]; type == "object" and all(.[]; type != "object" and type != "array"))' out
	jq -es 'map(.kind) == ["hll", "bloom-block", "cms", "hll"]' out
	jq -es 'map(.record) == [1, 2, 3, 4] and .[1].offset == .[0].bytes' out
	jq -es '.[1].capacity == 100 and .[1].wanted_fpp == 0.01 and .[1].probes == 1' out
	jq -es '.[2].width == 28 and .[2].depth == 5 and .[2].total == 100' out
	jq -es '.[3].keyed and .[3].keys == 10 and .[3].items == 100 and .[3].chunks == 1' out
	jq -es 'all(.[]; .checksum == "ok")' out
}

@test "seed, transform, join rule and flags are told" {
	printf '1 A\n1 a\n' >lines
	hll-build -i --seed 42 -f 1,2 -o a.sk lines
	seq 30 | bloom-build -o b.sk
	printf 'a 9223372036854775807\na 9223372036854775807\nb 9\n' >weights
	cms-build --width 4 --depth 1 -f 1 -W 2 -o c.sk weights 2>/dev/null
	try 0 sketch-info --json a.sk b.sk c.sk
	jq -es '.[0].seed == 42 and .[0].ignore_case and .[0].join == "newline"' out
	jq -es '.[0].auto == false and .[1].auto and .[1].saturated == false and .[2].saturated' out
}

@test "text is told as what it is, and its key" {
	hll-build -a --by 1 -f 2 -o lines.sk pairs
	try 0 sketch-info --json lines.sk
	jq -es 'length == 10 and all(.[]; .armored) and (map(.key) | join("")) == "0123456789"' out
	tr '\n' '\0' <lines.sk >nul.sk
	try 0 sketch-info --json -z nul.sk
	jq -es 'length == 10' out
}

@test "--each describes the sketch of every key before the whole" {
	try 0 sketch-info --each --json keyed.sk
	jq -es 'length == 11 and (.[0:10] | all(.[]; .items == 10 and .tokens == 10 and .keyed == false)) and
	    .[10].keys == 10' out
	try 0 sketch-info --each keyed.sk
	[ "$(grep -c '^key: ' out)" = 10 ]
	[ "$(grep -c '^kind: ' out)" = 1 ]
}

@test "a key of any bytes is shown without harm, and whole in JSON" {
	printf '\033[31m\377 1\n' | hll-build -d ' ' --by 1 -f 2 -o odd.sk
	try 0 sketch-info --each odd.sk
	absent "$(printf '\033')" out
	try 0 sketch-info --each --json odd.sk
	jq -es '.[0].key_b64 == "G1szMW3/"' out
}

@test "-q prints nothing: the status tells" {
	try 0 sketch-info -q hll.sk bloom.sk cms.sk keyed.sk
	out_is ''
	head -c 500 hll.sk >bad.sk
	try 4 sketch-info -q hll.sk bad.sk
	err_is "sketch-info: cannot read sketch 'bad.sk': truncated"
}

@test "what comes before damage is described, and the next file too" {
	{ cat hll.sk; head -c 200 cms.sk; } >bad.sk
	try_any 4 sketch-info --json bad.sk bloom.sk
	jq -es 'map(.kind) == ["hll", "bloom-block"]' out
	err_is "sketch-info: cannot read sketch 2 of 'bad.sk', at byte 576: truncated"
}

@test "a keyed record is described only when all of it was found right" {
	head -c -64 keyed.sk >bad.sk
	try 4 sketch-info bad.sk
	err_has truncated
}

@test "a missing file does not keep the others from being described; the first failure counts" {
	try_any 3 sketch-info --json nowhere.sk hll.sk
	jq -es 'length == 1' out
	: >empty.sk
	try_any 4 sketch-info --json empty.sk nowhere.sk hll.sk
	jq -es 'length == 1' out
	[ "$(wc -l <err)" = 2 ]
}

@test "records over 64 MiB are verified with --verify only, or from a pipe" {
	seq 1000 | bloom-build -n 56M -o large.sk
	[ "$(wc -c <large.sk)" -gt 67108864 ]
	try 0 sketch-info --json large.sk
	jq -es '.[0].checksum == "not verified" and .[0].capacity == 56000000 and
	    (.[0] | has("fpp") | not)' out
	try 0 sketch-info --json --verify large.sk
	jq -es '.[0].checksum == "ok" and .[0].distinct == 1000' out
	try 0 sketch-info --json <large.sk
	jq -es '.[0].checksum == "ok"' out

	cat hll.sk large.sk hll.sk >three.sk
	rm large.sk
	try 0 sketch-info --json three.sk
	jq -es 'map(.checksum) == ["ok", "not verified", "ok"]' out
	printf '\377' | dd of=three.sk bs=1 seek=1000000 conv=notrunc 2>/dev/null
	try 0 sketch-info -q three.sk
	try 4 sketch-info -q --verify three.sk
	err_is "sketch-info: cannot read sketch 2 of 'three.sk', at byte 576: payload checksum differs"
	head -c 50000000 three.sk >cut.sk
	try 4 sketch-info -q cut.sk
	err_has truncated
}

@test "an unverified filter of any size is described in little memory" {
	[ "${SKETCHUTILS_BUILD##*/}" = build ] || skip 'a sanitizer has memory of its own'
	seq 10 | bloom-build -n 56M -o large.sk
	"$SKETCHUTILS_BUILD/stopwatch" 1 sketch-info large.sk >cost
	[ "$(cut -d ' ' -f 3 cost)" -lt 6000 ]
}

@test "options that contradict each other are refused" {
	try 2 sketch-info -q --json hll.sk
	try 2 sketch-info -q --each hll.sk
	try 2 sketch-info -a hll.sk
}
