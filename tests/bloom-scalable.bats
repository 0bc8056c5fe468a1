# sketchutils: BSD-2-Clause, see LICENSE
#
# Scalable filters through the programs: growing, uniting, warning.

load helper

# part NAME FROM: a filter of 7,000 numbers from FROM on.
part() {
	seq "$2" $(($2 + 6999)) >items
	bloom-build --type scalable -n 1000 -p 1% -o "$1" items
}

# fact NAME FILE
fact() {
	sketch-info --json "$2" >info
	jq -r ".$1" info
}

@test "a hundred times its first stage, it keeps the wanted fpp and does not warn" {
	seq 100000 >items
	try 0 bloom-build --type scalable -n 1000 -p 1% -o s.sk items
	try 0 bloom-query -c s.sk items
	out_is 100000
	seq 1000001 1100000 >absent
	try 0 bloom-query -c s.sk absent
	out_between 500 1000
	[ "$(fact stages s.sk)" = 7 ]
	fact fpp s.sk >fpp
	awk '{ exit !($1 > 0.005 && $1 <= 0.01) }' fpp
	try 0 bloom-query --strict -c s.sk absent
}

@test "a filter that is added to is the one built at once" {
	seq 7000 >items
	seq 3000 9000 >more
	bloom-build --type scalable -n 100 -o whole.sk items more
	bloom-build --type scalable -n 100 -o s.sk items
	try_any 0 bloom-query --add s.sk more
	cmp <(sketch-info --json s.sk | jq 'del(.file)') \
	    <(sketch-info --json whole.sk | jq 'del(.file)')
	same s.sk whole.sk
}

@test "two united filters have the stages of both, in their order" {
	part a.sk 1
	part b.sk 5001
	try_any 0 sketch-merge -o ab.sk a.sk b.sk
	[ "$(fact stages ab.sk)" = $(($(fact stages a.sk) + $(fact stages b.sk))) ]
	tail -c +129 a.sk >payload
	tail -c +129 b.sk >>payload
	tail -c +129 ab.sk >both
	same payload both
	seq 12000 >items
	try_any 0 bloom-query -c ab.sk items
	out_is 12000
}

@test "the union of many is past the wanted fpp: every program says so" {
	for i in 1 2 3 4 5; do part "$i.sk" "${i}00000"; done
	try_any 0 sketch-merge -o all.sk ./?.sk
	err_is "sketch-merge: WARNING: 'all.sk' is overfilled: it was united from several; its fpp is 3.49 %, not 1 %"
	[ ! -s out ]
	try_any 5 sketch-merge --strict -o strict.sk ./?.sk
	echo 100007 >line
	try_any 0 bloom-query all.sk line
	out_is 100007
	err_has "bloom-query: WARNING: 'all.sk' is overfilled: it was united from several"
	try_any 5 bloom-query --strict all.sk line
	out_is 100007

	# Two small ones have room in their promise.
	seq 30 >items
	bloom-build --type scalable -n 1000 -o c.sk items
	try 0 sketch-merge -o cc.sk c.sk c.sk
	try 0 bloom-query -q cc.sk items
}

@test "saving takes no second copy of a large one" {
	[ "${SKETCHUTILS_BUILD##*/}" != build-san ] || skip 'a sanitizer has memory of its own'
	seq 4000000 >items
	"$SKETCHUTILS_BUILD/stopwatch" 1 bloom-build -j 1 --type scalable -n 3000000 -o s.sk items >cost
	read -r _ _ peak status <cost
	[ "$status" = 0 ]
	local size
	size=$(stat -c %s s.sk)
	[ "$size" -gt 10000000 ]
	# Stages in huge pages may take up to two more megabytes each.
	[ $((peak * 1024)) -lt $((size + size / 4 + 8000000)) ]
}
