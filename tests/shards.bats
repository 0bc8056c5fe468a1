# sketchutils: BSD-2-Clause, see LICENSE
#
# Shards that have a name (--id): each counts once, however often it is tried,
# delivered, or both.

load helper

export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

# Builders by kind, of lines with two fields; what counts, where a part that is
# united twice changes an answer.
COUNTS='cms hdr'
SAFE='hll'
KEYED='hdr:by'
if long; then
	COUNTS+=' counting spacesaving scalable cuckoo tdigest'
	SAFE+=' bloom minhash bloom-classic redis postgres parquet dcso'
	KEYED+=' hll:by bloom:by tdigest:by minhash:by'
fi

# build KIND OPTION...: from standard input.
build() {
	local kind=$1
	shift
	case $kind in
	cms) cms-build -e 1% "$@" ;;
	spacesaving) cms-build --type spacesaving "$@" ;;
	counting | scalable | cuckoo) bloom-build -n 2000 --type "$kind" "$@" ;;
	bloom-classic) bloom-build -n 2000 --type classic "$@" ;;
	bloom) bloom-build -n 2000 "$@" ;;
	parquet | dcso) bloom-build -n 2000 --compat "$kind" "$@" ;;
	redis | postgres) hll-build --compat "$kind" "$@" ;;
	hdr | tdigest) "$kind-build" -f 2 "$@" ;;
	hll | minhash) "$kind-build" "$@" ;;
	bloom:by) bloom-build -n 500 --by 1 -f 2 "$@" ;;
	*:by) "${kind%:by}-build" --by 1 -f 2 "$@" ;;
	esac
}

# part I: its lines.
part() {
	seq $(($1 * 100)) $(($1 * 100 + 150)) | sed 's/.$/& &/'
}

# shards KIND OPTION...: w1, w2 and w3, by their ids; a longer second attempt of
# w2 in long; all of them united in all, and two that overlap in w12 and w23.
shards() {
	for i in 1 2 3; do
		part $i | build "$1" --id "web$i" "${@:2}" >w$i
	done
	{ part 2; part 7; } | build "$1" --id web2 "${@:2}" >long
	sketch-merge w1 w2 w3 >all
	sketch-merge w1 w2 >w12
	sketch-merge w2 w3 >w23
}

ids() {
	sketch-info --json "$1" >facts
	jq -rs '.[0].ids // "" | split("\n") | join(" ")' facts
}

@test "the name is in the record, and sketch-info shows it" {
	for kind in $COUNTS $SAFE $KEYED; do
		part 1 | build "$kind" --id 'a b/1' >one
		try 0 sketch-info one
		grep -qx 'shards: *1' out
		grep -qx 'ids: *a b/1' out
		part 1 | build "$kind" >plain
		try 0 sketch-info plain
		absent '^ids' out
		absent '^shards' out
	done
	try 0 sketch-merge one
	out_is_file one
	try 0 sketch-merge -a one
	mv out text
	try 0 sketch-merge text
	[ "$(ids out)" = 'a b/1' ]
}

@test "a name has 1 to 255 bytes and no control characters" {
	long=$(printf '%0255d' 7)
	try 0 hll-build --id "$long" /dev/null
	for name in '' "${long}x" $'a\tb' $'a\n' $'\177'; do
		try 2 hll-build --id "$name" /dev/null
		err_has 'not 1 to 255 bytes without control characters'
	done
	try 0 hll-build --id $'\377 \303\274' /dev/null
	try 2 hll-count --id a /dev/null
	try 2 sketch-merge --id a /dev/null
}

@test "a shard that comes twice, byte for byte, counts once" {
	for kind in $COUNTS $SAFE $KEYED; do
		shards "$kind"
		[ "$(ids all)" = 'web1 web2 web3' ] || { echo "$kind"; ids all; false; }
		for order in 'w1 w2 w3 w1' 'w1 w2 w2 w2 w3'; do
			# shellcheck disable=SC2086
			try_any 0 sketch-merge --expect 3 $order
			same all out
			grep -qx "sketch-merge: skipped 'w[12]': shard 'web[12]' is in already" err
			# shellcheck disable=SC2086
			cat $order >file
			try_any 0 sketch-merge --expect 3 file
			same all out
		done
		try_any 0 sketch-merge w1 w2 w1 w3 w2
		[ "$(wc -l <err)" = 2 ]
		try_any 5 sketch-merge --strict w1 w2 w1 w3
		same all out
		sketch-merge -a w1 >text
		[[ $kind == *:by ]] || { try_any 0 sketch-merge w1 text w2 w3; same all out; }
		try_any 0 sketch-merge all all
		same all out
		err_is "sketch-merge: skipped 'all': its 3 shards, 'web1' to 'web3', are in already"
	done
}

@test "one name with two contents is refused where it would count twice" {
	local pairs='w2 long|w2 w12|w12 w23'
	if long; then pairs+='|long w2|w12 w2|all long'; fi
	IFS='|' read -ra pairs <<<"$pairs"
	for kind in $COUNTS hdr:by; do
		shards "$kind"
		for pair in "${pairs[@]}"; do
			# shellcheck disable=SC2086
			try 4 sketch-merge -o new $pair
			[ ! -e new ]
			err_is "sketch-merge: cannot merge '${pair#* }': shard 'web2' came with '${pair% *}', and was not the same"
			# shellcheck disable=SC2086
			cat $pair >file
			try 4 sketch-merge file
		done
	done
}

@test "where a retry does no harm, the attempt that got further decides" {
	for kind in $SAFE hll:by; do
		shards "$kind"
		{ part 1; part 2; part 3; part 7; } | build "$kind" >whole
		for order in 'w1 w2 long w3' 'w12 long w23' 'all long w2'; do
			# shellcheck disable=SC2086
			try 0 sketch-merge --expect 3 $order
			[ "$(ids out)" = 'web1 web2 web3' ]
			mv out union
			# shellcheck disable=SC2086
			cat $order >stream
			try 0 sketch-merge --expect 3 <stream
			out_is_file union
			sketch-info --json --each out >a
			sketch-info --json --each whole >b
			jq -c '[.kind, .key, .estimate, .distinct, .fill, .elements]' a >c
			jq -c '[.kind, .key, .estimate, .distinct, .fill, .elements]' b | diff c -
		done
	done
}

@test "a kind that says so can be united twice, and no other" {
	# As man/sketch-merge.1 has it under "retry"; the number of items apart.
	for kind in $COUNTS $SAFE; do
		part 1 | build "$kind" >plain
		sketch-merge plain plain >twice
		cmp -s <(tail -c +129 plain) <(tail -c +129 twice) && same=yes || same=no
		[[ " $SAFE " == *" $kind "* ]] && want=yes || want=no
		[ "$same" = "$want" ] || { echo "$kind: $same"; false; }
	done
}

@test "sketches without names are added as ever, and beside them" {
	part 1 | build cms >plain
	part 2 | build cms --id web2 >named
	try 0 sketch-merge --expect 2 plain plain
	try 0 sketch-merge --expect 3 plain named plain
	[ "$(ids out)" = web2 ]
	[ "$(jq .total facts)" = 453 ]
	try_any 0 sketch-merge --expect 3 plain named plain named
	try_any 4 sketch-merge --expect 4 plain named plain named
	err_is "sketch-merge: cannot merge: 4 shards were expected, and 3 came: web2 and some without id"
	try 4 sketch-merge --expect 3 plain plain
	err_is "sketch-merge: cannot merge: 3 sketches were expected, and 2 came"
}

@test "--expect counts names, and tells which came" {
	shards hll
	try 0 sketch-merge --expect 3 w12 w3
	try 4 sketch-merge --expect 4 w12 w3 -o new
	err_is "sketch-merge: cannot merge: 4 shards were expected, and 3 came: web1 web2 web3"
	[ ! -e new ]
	try 4 sketch-merge --expect 2 all
	for i in $(seq 100 199); do
		hll-build --id "server-$i.example.net" /dev/null
	done >many
	try 0 sketch-merge --expect 100 many
	try 4 sketch-merge --expect 101 many
	[ "$(wc -c <err)" -lt 600 ]
	grep -q '100 came: server-100.example.net .* and [0-9]* more$' err
}

@test "no line is a shard, too; no record is none" {
	for kind in $COUNTS $SAFE $KEYED; do
		build "$kind" --id web1 </dev/null >empty
		[ -s empty ]
		part 2 | build "$kind" --id web2 >w2
		try 0 sketch-merge --expect 2 empty w2
		[ "$(ids out)" = 'web1 web2' ]
	done
	try 4 sketch-merge </dev/null
	try 4 sketch-merge --expect 1 </dev/null
	try 0 sketch-merge --expect 0 </dev/null
	out_is ''
}

@test "answers from saved sketches count a shard once, too" {
	local counts=cms saved=tdigest:by distinct=hll:by
	if long; then counts+=' spacesaving' saved+=' hdr tdigest hdr:by' distinct+=' hll'; fi
	for kind in $counts; do
		shards "$kind"
		try 0 cms-topk -s -k 1000 --expect 3 w1 w2 w3
		mv out want
		try_any 0 cms-topk -s -k 1000 --expect 3 w1 w2 w1 w3
		out_is_file want
		err_is "cms-topk: skipped 'w1': shard 'web1' is in already"
		try_any 5 cms-topk --strict -s w1 w2 w1 w3
		try 4 cms-topk -s w12 w1
		err_is "cms-topk: cannot unite 'w1': shard 'web1' came with 'w12', and was not the same"
		try 4 cms-topk -s --expect 4 w1 w2 w3
	done
	for kind in $saved; do
		shards "$kind"
		program=${kind%:by}-quantile
		try 0 "$program" -s w1 w2 w3
		mv out want
		try_any 0 "$program" -s --expect 3 w1 w2 w3 w3
		out_is_file want
		try 4 "$program" -s w2 long
		# A row for each operand, and no total in which one counts twice.
		try 0 "$program" -s --each w1 w2
		try 4 "$program" -s --each w1 w2 w1
		err_is "$program: cannot unite 'w1': shard 'web1' is in 'w1', too"
	done
	for kind in $distinct; do
		shards "$kind"
		try 0 hll-count -s w1 w2 w3
		mv out want
		try_any 0 hll-count -s --expect 3 w1 w2 w3 w3
		out_is_file want
		try 0 hll-count -s w12 w23
		out_is_file want
		try 0 hll-count -s --each w1 w1
		[ "$(wc -l <out)" = 3 ]
		try 4 hll-count -s --expect 2 w1 w2 w3
		err_is "hll-count: cannot unite: 2 shards were expected, and 3 came: web1 web2 web3"
	done
	for program in hll-count cms-topk hdr-quantile tdigest-quantile; do
		try 2 "$program" --expect 1 /dev/null
		err_has '--expect needs -s'
		try 2 "$program" -s --expect 0 /dev/null
	done
}

@test "--update adds a shard once, and says so" {
	for kind in $COUNTS $SAFE $KEYED; do
		rm -f file
		for i in 1 2; do
			part $i >lines
			build "$kind" --update file --id "web$i" <lines >none
			cp file before
			try_any 0 build "$kind" --update file --id "web$i" <lines
			same before file
			program=$(sed 's/:.*//' err)
			err_is "$program: left 'file' as it is: shard 'web$i' is in already"
			try_any 5 build "$kind" --update file --id "web$i" --strict <lines
			same before file
			[ ! -e .file.new ] || [ ! -s .file.new ]
		done
		shards "$kind"
		case $kind in
		cms | hdr* | hll* | bloom* | counting) same w12 file ;;
		esac
		# What has no name, or another, is added.
		build "$kind" --update file <lines >none
		[ "$(ids file)" = 'web1 web2' ]
		build "$kind" --update file --id web0 <lines >none
		[ "$(ids file)" = 'web0 web1 web2' ]
	done
}

@test "a text that is updated keeps the names, in each of its lines" {
	for kind in cms hll:by hdr:by; do
		rm -f file
		part 1 >lines
		build "$kind" -a --update file --id web1 <lines
		build "$kind" --update file --id web2 < <(part 2)
		grep -q 'sk1:' file
		cp file before
		try_any 0 build "$kind" --update file --id web1 <lines
		same before file
		[ "$(sketch-info --json file | jq -r '.shards' | sort -u)" = 2 ]
	done
	# Lines of unlike shards have no common front.
	part 1 | build hdr:by -a --id web1 | head -n 1 >file
	part 1 | build hdr:by -a --id web2 | tail -n 1 >>file
	try 4 hdr-build --by 1 -f 2 --update file lines
	err_has 'its parts are of unlike shards; sketch-merge unites them'
	sketch-merge -a -o file file
	try 0 hdr-build --by 1 -f 2 --update file lines
}

@test "lines of keyed sketches are compared key by key" {
	for kind in hdr:by hll:by; do
		shards "$kind"
		for i in 1 2 3; do
			sketch-merge -a w$i >t$i
		done
		cat t1 t2 t3 | sort -k 1,1 >sorted
		try 0 sketch-merge --expect 3 sorted
		same all out
		cat sorted t2 >twice
		try_any 0 sketch-merge --expect 3 twice
		same all out
		err_is "sketch-merge: skipped $(wc -l <t2) lines: shard 'web2' is in already"
		try_any 5 sketch-merge --strict twice
		head -n 1 t2 | cat sorted - >twice
		try_any 0 sketch-merge --expect 3 twice
		same all out
		err_is "sketch-merge: skipped 1 line: shard 'web2' is in already"
	done
	shards hdr:by
	sketch-merge -a w2 >t2
	{ part 2; part 2; } | build hdr:by -a --id web2 >long.txt
	try 4 sketch-merge t2 long.txt
	err_is "sketch-merge: cannot merge 'long.txt': shard 'web2' came with 't2', and was not the same"
	# The whole and its lines are the same shard.
	try 4 sketch-merge w2 t2
	try 4 sketch-merge t2 w2
	sketch-merge -a w12 >t12
	try 4 sketch-merge t12 t2
	try 4 sketch-merge t2 t12
}

@test "what is subtracted takes its name along, and can come again" {
	shards cms
	try 0 sketch-merge --subtract all w2
	[ "$(ids out)" = 'web1 web3' ]
	mv out rest
	try 4 sketch-merge --subtract rest w2
	err_is "sketch-merge: cannot subtract 'w2': not a part: shard 'web2' is not in it"
	try 0 sketch-merge rest long
	[ "$(ids out)" = 'web1 web2 web3' ]
	part 2 | build cms >plain
	try 4 sketch-merge --subtract plain w2
	try 0 sketch-merge --subtract all plain
	[ "$(ids out)" = 'web1 web2 web3' ]

	part 2 >lines
	cp all file
	build cms --update file --subtract --id web2 <lines
	[ "$(ids file)" = 'web1 web3' ]
	try 4 cms-build -e 1% --update file --subtract --id web2 lines
	build cms --update file --id web2 <lines
	[ "$(ids file)" = 'web1 web2 web3' ]
}

@test "an intersection has no names; a comparison does not look at them" {
	shards bloom
	try 0 sketch-merge --intersect w1 w2
	[ "$(ids out)" = '' ]
	part 1 | build bloom >plain
	try 0 sketch-compare plain w2
	mv out want
	try 0 sketch-compare w1 w2
	sed 's/\<w1\>/plain/g' out | diff want -
	shards dcso
	try 0 sketch-convert --to dcso w1
	mv out want
	part 1 | build dcso | sketch-convert --to dcso | cmp - want
}

@test "what changes a filter in its place keeps its names" {
	part 1 | build counting --id web1 >file
	echo 'x y' >line
	try 0 bloom-query --add -v file line
	[ "$(ids file)" = web1 ]
	try 0 bloom-remove file line
	[ "$(ids file)" = web1 ]
	# --like takes the settings, not the contents.
	try 0 bloom-build --like file line
	[ "$(ids out)" = '' ]
}

@test "a record up to 64 KiB is written by one call" {
	one_write() {
		rm -f mark
		FAULT=write:2:EIO FAULT_MARK=$PWD/mark LD_LIBRARY_PATH=$SKETCHUTILS_BUILD \
		    LD_PRELOAD=fault.so "$@" >file && [ ! -e mark ]
	}
	seq 10000 | sed 's/.$/& &/' >lines
	one_write hll-build --id web1 lines
	[ "$(wc -c <file)" -gt 12000 ]
	one_write hll-build -a lines
	one_write hll-build -o saved lines
	one_write hll-build --update saved --id web2 lines
	one_write hdr-build --by 1 -f 2 <(head -n 2000 lines)
	one_write cms-build --candidates 0 -e 0.2% lines
	[ "$(wc -c <file)" -gt 50000 ] && [ "$(wc -c <file)" -le 65536 ]
	one_write bloom-build -n 40000 lines
	[ "$(wc -c <file)" -gt 40000 ] && [ "$(wc -c <file)" -le 65536 ]
	one_write bloom-build -n 40000 -o saved lines
	cp saved input
	one_write sketch-merge input
	# And it can be more, so the above means something.
	if one_write bloom-build -n 100000 lines 2>err; then return 1; fi
}

# Twenty shards, each tried one to four times, and killed at any call of a save but
# for the last time; then all of them are there, and none of them twice.
@test "however often it is killed and tried again, the total is exact" {
	RANDOM=8
	local rounds=20 tries killed=0 done=0
	killed_at() {
		FAULT=save:$1:KILL LD_LIBRARY_PATH=$SKETCHUTILS_BUILD LD_PRELOAD=fault.so "${@:2}"
	}
	local ways=('cms-build -e 1%')
	if long; then ways+=('hdr-build --by 1'); fi
	for way in "${ways[@]}"; do
		rm -f total
		for ((i = 1; i <= rounds; i++)); do
			seq $((i * 37)) $((i * 41)) >"lines$i"
			tries=$((RANDOM % 4))
			for ((t = 0; t < tries; t++)); do
				# shellcheck disable=SC2086
				{ killed_at $((RANDOM % 40 + 1)) $way --update total --id "day/$i" "lines$i"; } \
				    2>err && done=$((done + 1)) || killed=$((killed + 1))
			done
			# shellcheck disable=SC2086
			try_any 0 $way --update total --id "day/$i" "lines$i"
		done
		cat lines? lines?? | wc -l >want
		sketch-info --json total | jq '.items' | diff want -
		[ "$(sketch-info --json total | jq .shards)" = $rounds ]
	done
	echo "$killed killed, $done done"
	[ $killed -ge 8 ] && [ $done -ge 5 ]
}

@test "two tries at a time: one adds, the other leaves it" {
	seq 1000 >lines
	for ((i = 1; i <= 8; i++)); do
		for ((t = 0; t < 3; t++)); do
			cms-build -e 1% --update total --id "$i" lines 2>>told &
		done
	done
	wait
	[ "$(wc -l <told)" = 16 ]
	[ "$(sketch-info --json total | jq .total)" = 8000 ]
	[ "$(ids total)" = '1 2 3 4 5 6 7 8' ]
}

@test "too many names are refused, and nothing is written" {
	python3 "$SKETCHUTILS_TOP/tests/interop/many_ids.py" 65536 >most
	try 0 sketch-info -q most
	[ "$(sketch-info --json most | jq .shards)" = 65536 ]
	hll-build --id web1 /dev/null >one
	try 4 sketch-merge -o new most one
	err_is "sketch-merge: cannot merge: more than 65536 ids of shards, or 1 MiB"
	[ ! -e new ]
	cp most file
	try 4 hll-build --update file --id web1 /dev/null
	err_has 'more than 65536 ids of shards'
	same most file
	try 0 sketch-merge --expect 65536 most
	out_is_file most
}

@test "shards that overlap in any number of ways cost little, or end with a message" {
	python3 "$SKETCHUTILS_TOP/tests/interop/many_ids.py" 2000 hll >safe
	LD_LIBRARY_PATH=$SKETCHUTILS_BUILD COMPARES=$PWD/compares LD_PRELOAD=entropy.so \
		try 0 sketch-merge --expect 2001 safe
	[ "$(cat compares)" -lt 200000 ]
	python3 "$SKETCHUTILS_TOP/tests/interop/many_ids.py" 300 tdigest >lines
	try 0 sketch-merge --keyed --expect 301 lines
	long || return 0
	python3 "$SKETCHUTILS_TOP/tests/interop/many_ids.py" 6000 tdigest >lines
	try 4 sketch-merge --keyed lines
	err_is 'sketch-merge: cannot merge: shards overlap in too many ways'
}
