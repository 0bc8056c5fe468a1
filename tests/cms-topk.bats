# sketchutils: BSD-2-Clause, see LICENSE

load helper
load frequencies

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 1000 >thousand
}

# What it does.

@test "it equals sort | uniq -c | sort -rn on a log: lines, fields, quoted ones" {
	exact log >wanted
	try 0 cms-topk -k 10000 log && out_is_file wanted
	cut -d ' ' -f 1 log >items && exact items >wanted
	try 0 cms-topk -k 10000 -f 1 log && out_is_file wanted
	try 0 cms-topk -f 1 log
	head -n 10 wanted | same - out
	awk -F '"' '{ print $2 }' log >items && exact items >wanted
	try 0 cms-topk -k 10000 --quoted -f 5 log && out_is_file wanted
	awk -F '"' '{ split($1, a, " "); print a[1] "\t" $6 }' log >items && exact items >wanted
	try 0 cms-topk -k 10000 --quoted -f 1,9 log && out_is_file wanted
	# The very words of the old pipeline, but for its blanks and its ties.
	cut -d ' ' -f 9 log | sort | uniq -c | sort -rn | awk '{ print $1 "\t" $2 }' >wanted
	try 0 cms-topk -f 9 log && out_is_file wanted
}

@test "-W adds a field's number: bytes for each page as awk adds them up" {
	awk '{ sum[$7] += $10 } END { for (page in sum) printf "%d\t%s\n", sum[page], page }' log |
	    sort -t $'\t' -k 1,1nr -k 2 >wanted
	try 0 cms-topk -k 10000 -f 7 -W 10 log && out_is_file wanted
	try 0 cms-topk -k 3 -f 7 -W 10 log
	head -n 3 wanted | same - out
	printf 'page,bytes\n/a,1\n/b,5\n/a,3\n' >lines
	try 0 cms-topk --csv --header -f page -W bytes lines
	out_is "5	/b
4	/a"
	# A weight of nothing is one all the same.
	printf 'a 0\nb 2\n' >lines
	try 0 cms-topk -f 1 -W 2 lines
	out_is "2	b
0	a"
}

@test "the top 5 of 50,000 Zipf events over 10,000 keys are exact, from lines and saved" {
	for seed in 1 2 3; do
		zipf 50000 10000 "$seed" >events
		exact events >all
		head -n 5 all >wanted
		try 0 cms-topk -k 5 events && out_is_file wanted
		cms-build -o events.cms events
		try 0 cms-topk -s -k 5 events.cms && out_is_file wanted
	done
}

@test "in too little memory every bound holds, and what is certain is right" {
	local seeds='1 2' missing
	long && seeds=$(seq 6)
	for seed in $seeds; do
		zipf 50000 10000 "$seed" >events
		exact events >all
		try_any 0 cms-topk -M 64K -k 100000 --bounds --stats events
		err_has 'approximate: '
		bounds_hold all
		# Whatever has no row occurred at most as often as it says.
		missing=$(sed -n -E 's/.*any other occurred at most ([0-9]+) times$/\1/p' err)
		cut -f 4- out >listed
		awk -F '\t' -v missing="$missing" 'NR == FNR { listed[$0]; next }
		    !($2 in listed) && $1 > missing { print; bad = 1 } END { exit bad }' listed all
		try 0 cms-topk -M 64K -k 20 --json events
		jq -r 'select(.certain != false) | .item' out >certain
		[ "$(wc -l <certain)" -ge 5 ]
		head -n 20 all | cut -f 2 | sort >top
		sort certain | comm -23 - top >wrong
		[ ! -s wrong ]
		# Among the exact ones the order is exact, too.
		head -n 5 certain >first
		head -n 5 all | cut -f 2 | same - first
	done
}

@test "bounds hold in too little memory with weights, on flat and on skewed input" {
	zipf 30000 8000 5 | awk '{ print $0, NR * 7919 % 100 }' >weighed
	awk '{ sum[$1 " " $2] += $3 } END { for (i in sum) printf "%d\t%s\n", sum[i], i }' weighed >all
	sed 's/ \([0-9]*\)$/,\1/' weighed >lines
	try_any 0 cms-topk -d , -f 1 -W 2 -M 64K -k 100000 --bounds lines
	bounds_hold all
	awk -F '\t' '$2 < $3 { n++ } END { exit !n }' out
	seq 20000 >flat
	cat flat flat >twice
	exact twice >all
	try_any 0 cms-topk -M 64K -k 100000 --bounds twice
	bounds_hold all
	try 0 cms-topk -M 64K -k 20 --json twice
	[ "$(jq -s 'map(select(.certain == false)) | length' out)" = 20 ]
}

@test "equal counts come in the order of the items' bytes" {
	printf '%s\n' b a $'a\tb' '' $'\377' aa z z >lines
	try 0 cms-topk lines
	printf '2\tz\n1\t\n1\ta\n1\ta\tb\n1\taa\n1\tb\n1\t\377\n' >wanted
	out_is_file wanted
	try 0 cms-topk -k 3 lines
	head -n 3 wanted | same - out
}

@test "the default is ten; fewer items make fewer rows, no items none" {
	try 0 cms-topk thousand
	[ "$(wc -l <out)" = 10 ]
	try 0 cms-topk -k 2000 thousand
	[ "$(wc -l <out)" = 1000 ]
	try 0 cms-topk /dev/null && out_is ''
	try 0 cms-topk --json /dev/null && out_is ''
	echo >lines
	try 0 cms-topk lines && out_is "1	"
	try 0 cms-topk --skip-empty lines && out_is ''
}

@test "any bytes are items; the last line counts without its newline" {
	printf 'a\0b\na\0b\n\377\na\r\na' >lines
	try 0 cms-topk lines
	printf '2\ta\0b\n1\ta\n1\ta\r\n1\t\377\n' >wanted
	out_is_file wanted
	try 0 cms-topk --crlf -k 1 lines
	printf '2\ta\n' | same - out
	printf 'a\nb\na' >lines
	try 0 cms-topk -k 1 <lines && out_is "2	a"
	printf 'Ab\naB\n' >lines
	try 0 cms-topk -i lines && out_is "2	ab"
	head -c 3000000 /dev/zero | tr '\0' x >long
	cat long <(echo) long <(echo) thousand >lines
	try 0 cms-topk -k 1 lines
	[ "$(cut -f 1 out)" = 2 ]
	[ "$(wc -c <out)" = 3000003 ]
}

@test "fields are printed with TABs between, and joined without doubt" {
	printf 'ab,c\na,bc\nab,c\n' >lines
	try 0 cms-topk -d , -f 1,2 lines
	out_is "2	ab	c
1	a	bc"
	try 0 cms-topk -d , -f 2,1 --json lines
	out_is '{"estimate":2,"low":2,"high":2,"item":"c\tab"}
{"estimate":1,"low":1,"high":1,"item":"bc\ta"}'
	tr '\n' '\0' <lines >zeros
	try 0 cms-topk -z -d , -f 1,2 zeros
	printf '2\tab\tc\0001\ta\tbc\0' >wanted
	out_is_file wanted
}

@test "--json: bytes that are no UTF-8 in base64, what is uncertain says so" {
	printf 'a"\\b\n\377k\n' >lines
	try 0 cms-topk --json lines
	[ "$(jq -r 'select(.item_b64) | .item_b64' out)" = /2s= ]
	[ "$(jq -r 'select(.item) | .item' out)" = 'a"\b' ]
	absent certain out
	zipf 50000 10000 >events
	try 0 cms-topk -M 64K -k 300 --json events
	jq -e -s 'length == 300 and all(.[]; .low <= .estimate and .estimate == .high)' out
	jq -e -s '.[0].certain == null and .[299].certain == false' out
}

@test "on a terminal ~ marks an uncertain row and bounds follow, in a pipe nothing" {
	zipf 50000 10000 >events
	script -qec 'cms-topk -M 64K -k 400 events' /dev/null >screen </dev/null
	grep -qE '^[0-9]+	key [0-9]+  \([0-9]+ to [0-9]+\) ~.?$' screen
	head -n 3 screen >first
	absent '~' first
	try_any 0 cms-topk -M 64K -k 400 events
	absent '[~(]' out
	script -qec 'cms-topk -M 64K -k 400 --bounds events' /dev/null >screen </dev/null
	absent '(' screen
}

@test "threads, ranges of a file and a pipe make no difference, exact or not" {
	zipf 50000 10000 >events
	for options in '-k 100000' '-k 100 -M 64K --bounds' '-f 2 -k 300 -M 64K --json' '-f 1 -W 2'; do
		# shellcheck disable=SC2086
		{
			try 0 cms-topk $options -j 1 events && mv out wanted
			for j in 0 2 3 8; do
				try 0 cms-topk $options -j "$j" events && out_is_file wanted
			done
			try 0 cms-topk $options -j 2 < <(cat events) && out_is_file wanted
		}
	done
}

@test "several inputs are one, '-' is standard input" {
	exact log >wanted
	head -n 1000 log >a
	tail -n +1001 log >b
	try 0 cms-topk -k 10000 a b && out_is_file wanted
	try 0 cms-topk -k 10000 a - <b && out_is_file wanted
}

@test "--stats tells exact from approximate" {
	try_any 0 cms-topk --stats -f 1 log
	grep -qE '^cms-topk: 3000 lines, 0 rejected, .* read, .* of memory at the peak$' err
	items=$(cut -d ' ' -f 1 log | sort -u | wc -l)
	grep -qE "^cms-topk: exact: $items distinct items in [0-9.]+ KiB$" err
	try_any 0 cms-topk --stats -M 64K -f 1 log
	grep -qE '^cms-topk: approximate: [0-9]+ items have counters in 64.0 KiB, any other occurred at most [0-9]+ times$' err
	cms-build -f 1 -o log.cms log
	try_any 0 cms-topk --stats -s log.cms log.cms
	grep -qE '^cms-topk: 2 sketches read, .* of memory at the peak$' err
}

# Saved sketches.

@test "-s unites: files, a stream of them, armoured and mixed, in their order" {
	for day in 1 2 3; do
		"$SKETCHUTILS_BUILD/logmaker" access 1000 "$day" >"log$day"
		cms-build -f 7 -o "$day.cms" "log$day"
		cms-build -f 7 -a -o "$day.txt" "log$day"
	done
	try 0 cms-topk -f 7 log1 log2 log3
	mv out wanted
	for order in '1.cms 2.cms 3.cms' '3.txt 1.cms 2.txt' '2.txt 3.txt 1.txt'; do
		# shellcheck disable=SC2086
		{
			try 0 cms-topk -s $order && out_is_file wanted
			cat $order >stream
		}
		try 0 cms-topk -s <stream && out_is_file wanted
		try 0 cms-topk -s stream && out_is_file wanted
	done
	try 0 cms-topk -s - 2.cms 3.txt <1.cms && out_is_file wanted
	try 0 cms-topk -s -k 2 1.cms 2.cms 3.cms
	head -n 2 wanted | same - out
}

@test "bounds of united sketches hold, in whatever order, and certain ones are right" {
	zipf 40000 10000 9 >events
	exact events >all
	split -n l/4 events part.
	# Few candidates and little memory, so that much is lost.
	for part in part.??; do
		cms-build --candidates 200 -M 64K -e 1% -o "$part.cms" "$part"
	done
	for order in 'aa ab ac ad' 'ad ac ab aa' 'ac aa ad ab'; do
		# shellcheck disable=SC2086
		printf 'part.%s.cms\n' $order | xargs cat >stream
		try 0 cms-topk -s -k 1000 --bounds stream
		bounds_hold all
		try 0 cms-topk -s -k 10 --json stream
		jq -r 'select(.certain != false) | .item' out >certain
		[ "$(wc -l <certain)" -ge 3 ]
		head -n 10 all | cut -f 2 | sort >top
		sort certain | comm -23 - top >wrong
		[ ! -s wrong ]
	done
}

@test "a sketch of nothing lists nothing, one without candidates cannot be listed" {
	cms-build -o empty.cms /dev/null
	try 0 cms-topk -s empty.cms && out_is ''
	cms-build --candidates 0 -o plain.cms /dev/null
	try 0 cms-topk -s plain.cms && out_is ''
	cms-build --candidates 0 -o plain.cms thousand
	try 4 cms-topk -s plain.cms
	err_is "cms-topk: cannot list: the sketch was built with --candidates 0"
}

@test "fields of saved items are printed with TABs, however records end now" {
	printf 'ab,c\na,bc\nab,c\n' >lines
	tr '\n' '\0' <lines >zeros
	cms-build -d , -f 1,2 -o lines.cms lines
	cms-build -z -d , -f 1,2 -o zeros.cms zeros
	printf '2\tab\tc\n1\ta\tbc\n' >wanted
	try 0 cms-topk -s lines.cms && out_is_file wanted
	try 0 cms-topk -s zeros.cms && out_is_file wanted
	tr '\n' '\0' <wanted >wanted.zeros
	try 0 cms-topk -z -s lines.cms && out_is_file wanted.zeros
	try 0 cms-topk -z -s zeros.cms && out_is_file wanted.zeros
}

# How it fails.

@test "sketches that do not match are status 4, with the field and both values" {
	cms-build -o a.cms thousand
	cms-build --seed 5 -o b.cms thousand
	cms-build -i -o c.cms thousand
	cms-build -f 1,2 -o d.cms thousand
	cms-build -e 1% -o e.cms thousand
	cms-build --confidence 90% -o f.cms thousand
	hll-build -o g.hll thousand
	try 4 cms-topk -s a.cms b.cms
	err_is "cms-topk: cannot unite 'b.cms' with what came before: seed 0 and 5"
	try 4 cms-topk -s a.cms c.cms
	err_is "cms-topk: cannot unite 'c.cms' with what came before: case kept and folded (-i)"
	try 4 cms-topk -s a.cms d.cms
	err_is "cms-topk: cannot unite 'd.cms' with what came before: items of one field and several fields"
	try 4 cms-topk -s a.cms a.cms e.cms
	err_is "cms-topk: cannot unite 'e.cms' with what came before: width 2719 and 272"
	try 4 cms-topk -s f.cms a.cms
	err_is "cms-topk: cannot unite 'a.cms' with what came before: depth 3 and 5"
	try 4 cms-topk -s a.cms g.hll
	err_is "cms-topk: cannot use sketch 'g.hll': its kind is hll, not cms"
	hll-build --by 1 -o h.hll thousand
	try 4 cms-topk -s h.hll
	err_is "cms-topk: cannot use sketch 'h.hll': its kind is hll, not cms"
}

@test "a keyed record is refused" {
	cms-build -o empty.cms /dev/null
	# What no program of ours makes: a keyed record without an entry.
	PYTHONPATH=$SKETCHUTILS_TOP/tests/interop python3 -B -c '
from xxh3 import xxh3_64
head = bytearray(open("empty.cms", "rb").read(128))
head[15] |= 1
head[32:48] = b"\xff" * 16
head[112:120] = xxh3_64(b"").to_bytes(8, "little")
head[120:128] = xxh3_64(bytes(head[:120])).to_bytes(8, "little")
rest = bytes(24) + xxh3_64(b"").to_bytes(8, "little") + bytes(24)
open("keyed.cms", "wb").write(bytes(head) + xxh3_64(rest).to_bytes(8, "little") + rest)'
	try 4 cms-topk -s keyed.cms
	err_is "cms-topk: cannot use sketch 'keyed.cms': it is keyed"
	try 4 cms-query keyed.cms thousand
	err_is "cms-query: cannot use sketch 'keyed.cms': it is keyed"
}

@test "what is no sketch, or a damaged one, is status 4 and says where" {
	cms-build -e 10% --candidates 3 -o a.cms thousand
	: >empty
	try 4 cms-topk -s empty
	err_is "cms-topk: cannot read sketch 'empty': empty, not a sketch"
	try 4 cms-topk -s <empty
	err_is "cms-topk: cannot read sketch 'standard input': empty, not a sketch"
	try 4 cms-topk -s thousand
	err_is "cms-topk: cannot read sketch 'thousand': not a sketch"
	{ cat a.cms && head -c 500 a.cms; } >two.cms
	try 4 cms-topk -s two.cms
	err_is "cms-topk: cannot read sketch 2 of 'two.cms', at byte $(wc -c <a.cms): truncated"
	for ((n = 0; n < $(wc -c <a.cms); n += 13)); do
		head -c "$n" a.cms >cut.cms
		try 4 cms-topk -s cut.cms
	done
}

@test "options that do not go with -s are refused" {
	cms-build -o a.cms thousand
	for option in '-f 1' '-d ,' --quoted --csv --header -i --crlf --skip-empty '-W 2' '--seed 3' '-M 1M'; do
		# shellcheck disable=SC2086
		try 2 cms-topk -s $option a.cms
		err_is "cms-topk: -s and ${option% *} exclude each other"
	done
}

@test "habits from other tools get an answer that names ours" {
	try 2 cms-topk -n 10 log
	err_is "cms-topk: unknown option '-n': use -k K to say how many"
	try 2 cms-topk -c log
	err_is "cms-topk: unknown option '-c': the count is always printed"
	try 2 cms-topk -r log
	err_is "cms-topk: unknown option '-r': the largest always come first"
	try 2 cms-topk --topp 3 log
	err_is "cms-topk: unknown option '--topp': do you mean --top?"
	try 2 cms-topk -t , log
	err_is "cms-topk: unknown option '-t': use -d C for the delimiter"
}

@test "numbers out of range are status 2" {
	for value in 0 4294967296; do
		try 2 cms-topk -k "$value" log
		err_is "cms-topk: cannot use -k '$value': not in 1..4294967295"
	done
	for value in -1 x 1.5 ''; do
		try 2 cms-topk -k "$value" log
		err_is "cms-topk: cannot use -k '$value': not a whole number"
	done
	try 2 cms-topk -M 1K log
	err_has "cannot use -M '1K': not in 64.0 KiB.."
}

@test "an input that fails leaves no half answer" {
	try 3 cms-topk thousand no-such-file
	err_is "cms-topk: cannot open 'no-such-file': No such file or directory"
	mkdir folder
	try 3 cms-topk thousand folder
	err_is "cms-topk: cannot open 'folder': Is a directory"
	try 3 cms-topk -s no-such-file
	err_is "cms-topk: cannot open 'no-such-file': No such file or directory"
}

@test "rejected weights are counted and told, and with --strict they are status 5" {
	printf 'a 1\nb\nc -1\nd 1.5\ne 9223372036854775808\nf +2\ng 0x1\nh 2\ni 9223372036854775807\n' >lines
	try_any 0 cms-topk -f 1 -W 2 lines
	out_is "9223372036854775807	i
2	h
1	a"
	err_is "cms-topk: rejected 6 of 9 lines: a weight that is no whole number"
	try_any 5 cms-topk -f 1 -W 2 --strict lines
	[ -s out ]
	try 2 cms-topk -W 1,2 lines
	err_is "cms-topk: cannot use -W '1,2': one field holds the weight"
}

# Its limits.

@test "sums stop at 2^64-1 and say so, from lines and saved" {
	printf 'a 9223372036854775807\na 9223372036854775807\nb 1\n' >lines
	try 0 cms-topk -f 1 -W 2 lines
	out_is "18446744073709551614	a
1	b"
	printf 'a 9223372036854775807\nb 5\n' >others
	message='the sum of weights passed 2^64-1: counts that large are lower bounds'
	try_any 0 cms-topk -f 1 -W 2 lines others
	out_is "18446744073709551615	a
6	b"
	err_is "cms-topk: $message"
	try_any 5 cms-topk -f 1 -W 2 --strict lines others
	cms-build -f 1 -W 2 -o lines.cms lines
	cms-build -f 1 -W 2 -o others.cms others
	try 0 cms-topk -s lines.cms
	try_any 0 cms-topk -s lines.cms others.cms
	out_is "18446744073709551615	a
6	b"
	err_is "cms-topk: $message"
	try_any 5 cms-topk -s --strict lines.cms others.cms
}

@test "the ceiling of memory is kept" {
	seq 2000000 | sed 's/$/ and some more bytes/' >lines
	try_any 0 cms-topk -j 1 -M 4M --stats lines
	err_has 'counters in 4.0 MiB'
	sed -n -E 's/.* ([0-9.]+) MiB of memory at the peak$/\1/p' err >peak
	[ -s peak ]
	if [[ $SKETCHUTILS_BUILD != *-san ]]; then
		awk '{ exit !($1 < 4 + 5) }' peak
	fi
}

@test "twice as many lines take no more memory" {
	[[ $SKETCHUTILS_BUILD != *-san ]] || skip 'a sanitizer has memory of its own'
	for lines in 1000000 2000000; do
		try_any 0 cms-topk -M 1M -k 1 --stats < <(seq "$lines")
		err_has "cms-topk: $lines lines, 0 rejected"
		sed -n -E 's/.* ([0-9.]+) MiB of memory at the peak$/\1/p' err
	done >peaks
	cat peaks
	awk '{ peak[NR] = $1 } END { exit !(NR == 2 && peak[2] <= peak[1] + 0.5) }' peaks
}

@test "a list that ends early for want of counters is told, and with --strict it is status 5" {
	# One item that is longer than all the memory: no counter can hold it.
	long=$(head -c 100000 /dev/zero | tr '\0' a)
	printf '%s\n' "$long" "$long" "$long" 1 2 3 >lines
	try_any 0 cms-topk -M 64K lines
	out_is ""
	err_is "cms-topk: the list ends early: an item that is not in it may have occurred 3 times; -M gives it more memory"
	try_any 5 cms-topk -M 64K --strict lines
	try 0 cms-topk -M 1M -k 3 lines
	[ "$(cut -c 1-3 out | tr '\n' ' ')" = "3	a 1	1 1	2 " ]
}
