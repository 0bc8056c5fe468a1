# sketchutils: BSD-2-Clause, see LICENSE

load helper

# build KIND FILE...: a sketch whose parts unite to the whole, byte for byte.
build() {
	case $1 in
	hll) hll-build "${@:2}" ;;
	hll-coarse) hll-build --precision 6 "${@:2}" ;;
	bloom) bloom-build -n 20000 "${@:2}" ;;
	bloom-classic) bloom-build -n 20000 -p 1e-4 --type classic "${@:2}" ;;
	cms) cms-build -e 1% --candidates 0 "${@:2}" ;;
	keyed) hll-build --by 1 -f 2 --precision 8 "${@:2}" ;;
	hdr) hdr-build -f 2 "${@:2}" ;;
	hdr-keyed) hdr-build --by 1 -f 2 --digits 2 "${@:2}" ;;
	esac
}

KINDS='hll hll-coarse bloom bloom-classic cms keyed hdr hdr-keyed'

# Lines of two fields, 20,000 of them: some keys are in all parts, some in one.
prepare() {
	seq 20000 | sed 's/.*\(..\)\(.\)$/\1 &\2/; s/^.$/& &/; s/^.. 1/&0/' >lines
}

# parts N: the lines in N files part.*, and their names in the array part, in
# no order.
parts() {
	rm -f part.*
	split -n "l/$1" -a 3 lines part.
	mapfile -t part < <(printf '%s\n' part.* | shuf --random-source=lines)
}

@test "sketches of 1 to 64 parts, in any order, unite to the sketch of the whole" {
	local counts
	for kind in $KINDS; do
		build "$kind" -o whole.sk lines
		counts='1 5'
		[ "$kind" != hll ] || counts='2 64'
		if long; then counts='1 2 5 13 64'; fi
		for count in $counts; do
			parts "$count"
			for file in "${part[@]}"; do
				build "$kind" -o "$file.sk" "$file"
			done
			try 0 sketch-merge --expect "$count" "${part[@]/%/.sk}"
			out_is_file whole.sk
		done
	done
}

@test "files, one file of all, standard input, text and bytes mixed are the same" {
	parts 5
	for kind in $KINDS; do
		build "$kind" -o whole.sk lines
		: >all.sk
		: >mixed.sk
		: >text.sk
		for file in "${part[@]}"; do
			build "$kind" -o "$file.sk" "$file"
			build "$kind" -a -o "$file.txt" "$file"
			cat "$file.sk" >>all.sk
			cat "$file.txt" >>text.sk
			cat "$file.sk" "$file.txt" >>mixed.sk
		done
		try 0 sketch-merge all.sk && out_is_file whole.sk
		try 0 sketch-merge <all.sk && out_is_file whole.sk
		try 0 sketch-merge - <text.sk && out_is_file whole.sk
		try 0 sketch-merge text.sk && out_is_file whole.sk
		try 0 sketch-merge <(cat all.sk) && out_is_file whole.sk
		try 0 sketch-merge "${part[0]}.txt" - "${part[1]}.sk" "${part[2]}.txt" \
		    < <(cat "${part[3]}.sk" "${part[4]}.txt") && out_is_file whole.sk
		# Each part twice: other numbers of items, and of events for cms.
		try 0 sketch-merge mixed.sk
		[ "$(wc -c <out)" = "$(wc -c <whole.sk)" ] || [[ $kind == *keyed || $kind == hdr ]]
		tr '\n' '\0' <text.sk >nul.sk
		try 0 sketch-merge -z nul.sk && out_is_file whole.sk
		build "$kind" -a -o whole.txt lines
		try 0 sketch-merge -a all.sk && out_is_file whole.txt
	done
}

@test "uniting a part twice changes the number of items alone, but counts add up" {
	for kind in hll hll-coarse bloom bloom-classic; do
		build "$kind" -o one.sk lines
		sketch-merge -o two.sk one.sk one.sk
		sketch-info --json one.sk | jq -S 'del(.file)' >one
		sketch-info --json two.sk | jq -S 'del(.file)' >two
		jq -es '.[0].items * 2 == .[1].items' one two
		jq -S 'del(.items)' one >a
		jq -S 'del(.items)' two >b
		same a b
	done
	build keyed -o one.sk lines
	sketch-merge -o two.sk one.sk one.sk
	sketch-info --each --json one.sk | jq -c 'del(.file, .items)' >a
	sketch-info --each --json two.sk | jq -c 'del(.file, .items)' >b
	same a b
	build cms -o one.sk lines
	sketch-merge -o two.sk one.sk one.sk
	sketch-info --json one.sk two.sk >both
	jq -es '.[0].total * 2 == .[1].total' both
}

@test "two shards of 60,000 items that share 20,000 unite to 100,000" {
	seq 60000 | hll-build -o a.sk
	seq 40001 100000 | hll-build -o b.sk
	sketch-merge -o c.sk a.sk b.sk
	try 0 hll-count -s c.sk
	out_between 98400 101600
}

@test "one sketch comes out as it was" {
	for kind in $KINDS; do
		build "$kind" -o one.sk lines
		try 0 sketch-merge one.sk
		out_is_file one.sk
	done
}

@test "finer HyperLogLogs fold to the coarsest, keyed ones too" {
	head -n 12000 lines >a
	tail -n 12000 lines >b
	hll-build --precision 12 -o a.sk a
	hll-build --precision 9 -o b.sk b
	cat a b >both
	hll-build --precision 9 -o whole.sk both
	try 0 sketch-merge a.sk b.sk && out_is_file whole.sk
	try 0 sketch-merge b.sk a.sk && out_is_file whole.sk

	hll-build --precision 12 --by 1 -f 2 -o a.sk a
	hll-build --precision 5 --by 1 -f 2 -o b.sk b
	hll-build --precision 5 --by 1 -f 2 -o whole.sk both
	try 0 sketch-merge a.sk b.sk && out_is_file whole.sk
	try 0 sketch-merge b.sk a.sk && out_is_file whole.sk
	try 0 sketch-merge < <(cat a.sk b.sk) && out_is_file whole.sk
}

@test "finer histograms fold to the coarsest, keyed ones and keys of one file too" {
	head -n 12000 lines >a
	tail -n 12000 lines >b
	cat a b >both
	for by in '' '--by 1'; do
		# shellcheck disable=SC2086
		{
			hdr-build --digits 4 $by -f 2 -o a.sk a
			hdr-build --digits 2 $by -f 2 -o b.sk b
			hdr-build --digits 2 $by -f 2 -o whole.sk both
		}
		try 0 sketch-merge a.sk b.sk && out_is_file whole.sk
		try 0 sketch-merge b.sk a.sk && out_is_file whole.sk
		try 0 sketch-merge < <(cat a.sk b.sk) && out_is_file whole.sk
		try 0 sketch-merge < <(cat b.sk a.sk) && out_is_file whole.sk
	done
	# Without a key, too.
	hdr-build --digits 2 --by 1 -f 2 -o none.sk /dev/null
	hdr-build --digits 2 --by 1 -f 2 -o whole.sk a
	try 0 sketch-merge a.sk none.sk && out_is_file whole.sk
	try 0 sketch-merge <(cat none.sk a.sk) && out_is_file whole.sk
}

@test "a keyed sketch without a key lowers the precision all the same" {
	hll-build --precision 12 --by 1 -f 2 -o a.sk lines
	hll-build --precision 5 --by 1 -f 2 -o b.sk /dev/null
	hll-build --precision 5 --by 1 -f 2 -o whole.sk lines
	try 0 sketch-merge a.sk b.sk && out_is_file whole.sk
	try 0 sketch-merge <(cat a.sk b.sk) && out_is_file whole.sk
	try 0 sketch-merge b.sk && out_is_file b.sk
}

@test "Bloom filters of unlike sizes fold if they still keep their promise" {
	seq 100 | bloom-build -n 8000 -o a.sk
	seq 51 150 | bloom-build -n 8000 -o b.sk
	try 0 sketch-merge a.sk b.sk
	seq 3000 | bloom-build -n 3000 -o c.sk
	seq 3001 6000 | bloom-build -n 6000 -o d.sk
	try 4 sketch-merge c.sk d.sk
	err_has "cannot merge 'd.sk': blocks "
	err_has folded
}

@test "unlike sketches are refused by file, field and both values" {
	refused() {
		try 4 sketch-merge -o old "$1" "$2"
		err_is "sketch-merge: cannot merge '$2': $3"
		text_is old 'the old one'
		try 4 sketch-merge "$1" "$2"
		try 4 sketch-merge - "$2" <"$1"
	}
	echo 'the old one' >old
	head -n 500 lines >some
	mv some lines
	hll-build -o a.sk lines
	hll-build --seed 7 -o b.sk lines
	refused a.sk b.sk 'seed 0 and 7'
	hll-build -i -o b.sk lines
	refused a.sk b.sk 'case kept and folded (-i)'
	hll-build -f 1,2 -o b.sk lines
	refused a.sk b.sk 'items of one field and several fields'
	cms-build -e 1% -o c.sk lines
	refused a.sk c.sk 'kind hll and cms'
	cms-build -e 2% -o d.sk lines
	refused c.sk d.sk 'width 272 and 136'
	cms-build -e 1% --confidence 50% -o d.sk lines
	refused c.sk d.sk 'depth 5 and 1'
	bloom-build -n 100 -o e.sk lines
	bloom-build -n 100 --type classic -o f.sk lines
	refused e.sk f.sk 'kind bloom-block and bloom-classic'
	bloom-build -n 100 -p 1e-5 -o f.sk lines
	refused e.sk f.sk 'probes 1 and 2'

	hdr-build -f 2 -o e.sk lines
	hdr-build -f 2 --unit ms -o f.sk lines
	refused e.sk f.sk 'unit none and ms'
	hdr-build -f 2 --correct 10 -o f.sk lines
	refused e.sk f.sk 'interval of --correct none and 10'
	# No key is in both.
	echo 'a 1' | hdr-build --by 1 -f 2 -o e.sk
	echo 'b 1' | hdr-build --by 1 -f 2 --unit ms -o f.sk
	refused e.sk f.sk 'unit none and ms'

	hll-build --by 1 -f 2 -o k.sk lines
	refused a.sk k.sk 'it is keyed, and those before are plain'
	refused k.sk a.sk 'it is plain, and those before are keyed'
	hll-build --by 1 -f 2 --seed 7 -o l.sk lines
	refused k.sk l.sk 'seed 0 and 7'
	head -n 5 lines >few
	hll-build -a --by 1 -f 2 --seed 7 -o l.txt few
	refused k.sk l.txt 'seed 0 and 7'
}

@test "damage anywhere leaves nothing behind" {
	for kind in $KINDS; do
		build "$kind" -o a.sk lines
		head -c -70 a.sk >b.sk
		echo 'the old one' >old
		try 4 sketch-merge -o old a.sk b.sk
		err_has b.sk
		text_is old 'the old one'
		try 4 sketch-merge a.sk b.sk
		try 4 sketch-merge b.sk a.sk
		[ ! -e .old.new ]
	done
}

@test "--expect tells that a shard is missing, or came twice" {
	parts 3
	for kind in $KINDS; do
		for file in "${part[@]}"; do
			build "$kind" -o "$file.sk" "$file"
		done
		try 0 sketch-merge --expect 3 part.*.sk
		echo 'the old one' >old
		try 4 sketch-merge --expect 4 -o old part.*.sk
		err_is 'sketch-merge: cannot merge: 4 sketches were expected, and 3 came'
		text_is old 'the old one'
		try 4 sketch-merge --expect 2 part.*.sk
		cat part.*.sk >all.sk
		try 4 sketch-merge --expect 2 all.sk
		try 4 sketch-merge --expect 4 <all.sk
		try 0 sketch-merge --expect 3 <all.sk
	done
}

@test "no sketch at all is an error, unless none is expected" {
	try 4 sketch-merge </dev/null
	err_has 'empty, not a sketch'
	try 4 sketch-merge --expect 1 </dev/null
	try 0 sketch-merge --expect 0 </dev/null
	out_is ''
	: >empty
	try 0 sketch-merge --expect 0 -o new.sk empty empty
	[ ! -e new.sk ]
	hll-build -o a.sk lines
	try 4 sketch-merge --expect 0 a.sk
	try 2 sketch-merge --expect x a.sk
	try 2 sketch-merge --expect -1 a.sk
}

@test "--keyed: no key at all is no error, a plain sketch is" {
	: >empty
	hll-build --by 1 -o keyed.sk lines
	hll-build -a --by 1 -o rows lines
	hll-build -a --by 1 -o none empty
	try 0 sketch-merge --keyed </dev/null && out_is ''
	try 0 sketch-merge -a --keyed none && out_is ''
	try 0 sketch-merge -a --keyed none rows none && out_is_file rows
	try 0 sketch-merge --keyed keyed.sk && out_is_file keyed.sk
	try 0 sketch-merge --keyed -o new.sk none
	[ ! -e new.sk ]
	hll-build -o plain.sk lines
	try 4 sketch-merge --keyed plain.sk
	err_is "sketch-merge: cannot merge 'plain.sk': it is plain, and --keyed wants keyed ones"
	try 4 sketch-merge --keyed keyed.sk plain.sk
	try 4 sketch-merge --keyed --expect 1 none
}

@test "-o may be an input, a pipe or a symbolic link" {
	parts 2
	for kind in hll keyed; do
		build "$kind" -o whole.sk lines
		build "$kind" -o a.sk part.aaa
		build "$kind" -o b.sk part.aab
		mkfifo fifo
		try 0 sketch-merge -o fifo a.sk b.sk &
		cat fifo >got.sk
		wait $!
		same whole.sk got.sk
		rm fifo
		ln -s a.sk link
		try 0 sketch-merge -o link link b.sk
		[ -L link ]
		same whole.sk a.sk
		rm link
		try 0 sketch-merge -o /dev/stdout a.sk && out_is_file whole.sk
		try 3 sketch-merge -o no/where.sk a.sk
	done
	try 3 sketch-merge -o new.sk a.sk nowhere.sk
	[ ! -e new.sk ]
}

@test "keyed lines may come in any order, and a key more than once" {
	build keyed -o whole.sk lines
	parts 3
	for file in "${part[@]}"; do
		build keyed -a -o "$file.txt" "$file"
	done
	cat part.*.txt | shuf --random-source=lines >all.txt
	try 0 sketch-merge all.txt && out_is_file whole.sk
	cut -f 2 all.txt >nokeys.txt
	try 0 sketch-merge nokeys.txt && out_is_file whole.sk
}

@test "keys of any bytes are united by their bytes" {
	printf ',a\n\t\t,b\n\377,c\nx,d\n' >odd
	hll-build -d , --by 1 -f 2 -o a.sk odd
	hll-build -a -d , --by 1 -f 2 -o a.txt odd
	try 0 sketch-merge a.txt && out_is_file a.sk
	try 0 sketch-merge -a a.sk && out_is_file a.txt
	try 0 sketch-merge a.sk a.txt
	[ "$(sketch-info --json out | jq .keys)" = 4 ]
	printf 'a b 1\na c 2\n' >fields
	hll-build --by 1,2 -f 3 -o f.sk fields
	hll-build -a --by 1,2 -f 3 -o f.txt fields
	try 0 sketch-merge -a f.sk f.sk
	[ "$(cut -f 1,2 out)" = "$(cut -f 1,2 f.txt)" ]
	try 0 sketch-merge f.txt && out_is_file f.sk
}

@test "more files than can be open at a time are merged as well" {
	hll-build --by 1 -f 2 -o a.sk lines
	sketch-merge -o whole.sk a.sk a.sk
	local many=()
	for ((i = 0; i < 600; i++)); do many+=(b.sk); done
	head -n 50 lines | hll-build --by 1 -f 2 -o b.sk
	try 0 sketch-merge --expect 600 "${many[@]}"
	sketch-info --each --json out | jq -c 'del(.file, .items, .offset, .bytes)' >got
	sketch-info --each --json b.sk | jq -c 'del(.file, .items, .offset, .bytes)' >wanted
	same wanted got
	(ulimit -n 100 && sketch-merge "${many[@]}") >again
	same out again
}

# peak COMMAND...: its peak memory in KiB.
peak() {
	"$SKETCHUTILS_BUILD/stopwatch" 1 "$@" | cut -d ' ' -f 3
}

@test "keyed files need memory for a chunk of each, not for their keys" {
	[ "${SKETCHUTILS_BUILD##*/}" = build ] || skip 'a sanitizer has memory of its own'
	seq 300000 | sed 's/.*/key-number-& &/' | hll-build --by 1 -f 2 -o a.sk
	[ "$(wc -c <a.sk)" -gt 6000000 ]
	[ "$(peak sketch-merge -o b.sk a.sk a.sk a.sk)" -lt 6000 ]
	[ "$(sketch-info --json b.sk | jq .keys)" = 300000 ]
}

@test "a union of filters needs memory for two of them, not for all" {
	[ "${SKETCHUTILS_BUILD##*/}" = build ] || skip 'a sanitizer has memory of its own'
	seq 10 | bloom-build -n 8M -o a.sk
	[ "$(peak sketch-merge -o b.sk a.sk a.sk a.sk a.sk a.sk a.sk)" -lt $((25 * $(wc -c <a.sk) / 10240)) ]
}
