# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 1000 >thousand
}

# What it does.

@test "lines are counted once each, whatever bytes they hold" {
	printf 'one\ntwo\none\nthree\n' >lines
	try 0 hll-count lines && out_is 3
	# An empty line is an item; the last line may lack its newline.
	printf '\n\nx' >lines
	try 0 hll-count lines && out_is 2
	printf 'a\0b\na\0c\na\0b\n\377\n\303\050\na\r\na\n' >lines
	try 0 hll-count lines && out_is 6
	try 0 hll-count --crlf lines && out_is 5
	awk 'BEGIN { for (i = 0; i < 256; i++) if (i != 10) printf "%c\n", i }' >lines
	try 0 hll-count lines && out_is 255
	try 0 hll-count /dev/null && out_is 0
	try 0 hll-count --skip-empty <<<'' && out_is 0
	head -c 3000000 /dev/zero | tr '\0' x >long
	cat long <(echo) long <(echo y) >lines
	try 0 hll-count lines && out_is 2
}

@test "fields, delimiters, folding, CSV and names choose the item" {
	printf 'a  1 x\n A 1 y\nb\t2 x\n' >lines
	try 0 hll-count -f 1 lines && out_is 3
	try 0 hll-count -i -f 1 lines && out_is 2
	try 0 hll-count -f 2,3 lines && out_is 3
	try 0 hll-count -f -1 lines && out_is 2
	try 0 hll-count -f 9 lines && out_is 1
	try 0 hll-count -f 9 --skip-empty lines && out_is 0
	try 0 hll-count -d '\t' -f 2 lines && out_is 2
	# Fields that only look alike when joined.
	printf 'ab,c\na,bc\n' >lines
	try 0 hll-count -d , -f 1,2 lines && out_is 2
	printf 'day,user\nmon,"ann, the first"\nmon,ann\ntue,"ann, the first"\n' >lines
	try 0 hll-count --csv --header -f user lines && out_is 2
	tr '\n' '\0' <lines >zeros
	try 0 hll-count -z --csv --header -f user zeros
	[ "$(od -An -c out | tr -s ' ')" = ' 2 \0' ]
}

@test "--quoted takes user agents and dates as fields" {
	awk -F '"' '{ split($1, a, " "); seen[a[1] "\n" $6] } END { print length(seen) }' log >exact
	try 0 hll-count --precision 18 --quoted -f 1,9 log
	out_is_file exact
}

@test "small sets are exact at the precisions that hold them as tokens" {
	for n in 0 1 2 3 10 100 128; do
		seq "$n" >lines
		for precision in 4 9 14 18; do
			try 0 hll-count --precision "$precision" lines && out_is "$n"
		done
	done
	seq 2000 >lines
	try 0 hll-count lines && out_is 2000
	seq 32000 >lines
	try 0 hll-count --precision 18 lines && out_between 31995 32005
}

@test "the answer is within the bound from a handful to a million" {
	# 95 of 100 are to be within two standard errors, all within four.
	local far=0 all=0 seeds='1 2 3'
	long && seeds=$(seq 16)
	for n in 200 3000 10000 40000 100000 1000000; do
		seq "$n" >lines
		for row in '10 0.0325' '12 0.01625' '14 0.008125'; do
			read -r precision error <<<"$row"
			for seed in $seeds; do
				[ "$n" -le 100000 ] || [ "$seed" -le 3 ] || continue
				try 0 hll-count --seed "$seed" --precision "$precision" lines
				all=$((all + 1))
				awk -v n="$n" -v e="$error" '{ d = ($1 / n - 1) / e; if (d < 0) d = -d
				    exit !(d <= 2) }' out || far=$((far + 1))
				awk -v n="$n" -v e="$error" '{ d = ($1 / n - 1) / e; if (d < 0) d = -d
				    exit !(d <= 4) }' out
			done
		done
	done
	echo "$far of $all are off by more than two standard errors"
	[ $((far * 100)) -le $((all * 8)) ]
}

@test "--bounds hold the truth in 95 of 100 cases" {
	local missed=0
	seq 20000 >lines
	for seed in $(seq 60); do
		try 0 hll-count --bounds --precision 10 --seed "$seed" lines
		awk -F '\t' 'NF != 3 || $2 > $1 || $1 > $3 { exit 2 }
		    { exit !($2 <= 20000 && 20000 <= $3) }' out || missed=$((missed + $?))
	done
	# 3 are expected.
	echo "$missed of 60 missed"
	[ "$missed" -le 8 ]
}

@test "several inputs are one, '-' is standard input, --each prints them apart" {
	seq 1 60 >a
	seq 41 100 >b
	try 0 hll-count a b && out_is 100
	try 0 hll-count a - <b && out_is 100
	cat a b >ab
	try 0 hll-count <ab && out_is 100
	try 0 hll-count --each a - <b
	out_is "60	a
60	standard input
100	total"
	try 0 hll-count --each --bounds a b
	out_is "60	60	60	a
60	60	60	b
100	100	100	total"
	try 0 hll-count --each a
	out_is "60	a
60	total"
}

@test "it reads standard input from where it stands, and leaves it at its end" {
	{ read -r first && hll-count && wc -c; } <thousand >out
	[ "$first" = 1 ]
	out_is "999
0"
}

@test "--by equals exact counts, in order, with ties by the keys' bytes" {
	awk '{ if (!(($7, $1) in seen)) { seen[$7, $1]; n[$7]++ } }
	    END { for (key in n) print n[key] "\t" key }' log |
	    sort -t $'\t' -k 1,1nr -k 2 >wanted
	try 0 hll-count -f 1 --by 7 log
	out_is_file wanted
	try 0 hll-count -f 1 --by 7 -k 7 log
	head -n 7 wanted >seven
	out_is_file seven
	try 0 hll-count -f 1 --by 7 -k 1000000 log
	out_is_file wanted
	try 0 hll-count -f 1 --by 7 -j 4 <log
	out_is_file wanted
	cut -f 1 wanted | uniq -d >ties
	[ "$(wc -l <ties)" -gt 5 ]
}

@test "a key of several fields is shown with TABs, one with TABs as it is" {
	printf 'x,a\tb,1\nx,a\tb,2\ny,,3\n' >lines
	try 0 hll-count -d , --by 1,2 -f 3 lines
	out_is "2	x	a	b
1	y	"
	try 0 hll-count -d , --by 1,2 -f 3 --json lines
	out_is '{"estimate":2,"low":2,"high":2,"key":"x\ta\tb"}
{"estimate":1,"low":1,"high":1,"key":"y\t"}'
	tr '\n' '\0' <lines >zeros
	try 0 hll-count -z -d , --by 1,2 -f 3 zeros
	tr '\0' '\n' <out >shown
	mv shown out
	out_is "2	x	a	b
1	y	"
}

@test "two keys that are joined differently stay two" {
	printf 'ab,c,1\na,bc,1\n' >lines
	try 0 hll-count -d , --by 1,2 -f 3 lines
	out_is "1	a	bc
1	ab	c"
}

@test "--json is one valid object a line, bytes that are no UTF-8 in base64" {
	printf 'k1 a\n\377k b\n"\\\t c\n' >lines
	try 0 hll-count -d ' ' --by 1 --json lines
	jq -e -s 'length == 3 and all(.[]; .low <= .estimate and .estimate <= .high)' out
	[ "$(jq -r 'select(.key_b64) | .key_b64' out)" = /2s= ]
	[ "$(jq -r 'select(.estimate and .key == "\"\\\t") | .estimate' out)" = 1 ]
	try 0 hll-count --json thousand
	jq -e '.estimate == 1000 and .low == 1000 and (keys | length == 3)' out
	try 0 hll-count --json --each thousand lines
	[ "$(jq -r .file out | tr '\n' ' ')" = 'thousand lines total ' ]
}

@test "a hundred thousand keys take about 100 bytes each" {
	seq 100000 | sed 's/.*/& key-of-about-twenty-&/' >lines
	try_any 0 hll-count --by 2 -f 1 --stats lines
	[ "$(wc -l <out)" = 100000 ]
	# Bytes for each key: our own notes tell the peak in MiB.
	sed -n -E 's/.* ([0-9.]+) MiB of memory at the peak$/\1/p' err >peak
	[ -s peak ]
	if [[ $SKETCHUTILS_BUILD != *-san ]]; then
		awk '{ exit !(($1 - 4) * 1048576 / 100000 < 110) }' peak
	fi
}

@test "threads, ranges of a file and a pipe make no difference" {
	for options in '-f 1' '--by 7 -f 1' '--by 6,9 -f 1' '--csv -d ; --by 1 -f 1'; do
		# shellcheck disable=SC2086
		{
			try 0 hll-count $options -j 1 log && mv out wanted
			for j in 0 2 3 8; do
				try 0 hll-count $options -j "$j" log && out_is_file wanted
			done
			try 0 hll-count $options -j 2 < <(cat log) && out_is_file wanted
		}
	done
}

# Saved sketches.

@test "-s unites: files, a stream of them, armoured and mixed" {
	for day in 1 2 3; do
		"$SKETCHUTILS_BUILD/logmaker" access 1000 "$day" >"log$day"
		hll-build -f 1 -o "$day.hll" "log$day"
		hll-build -f 1 -a -o "$day.txt" "log$day"
	done
	try 0 hll-count -f 1 log1 log2 log3
	mv out wanted
	try 0 hll-count -s 1.hll 2.hll 3.hll && out_is_file wanted
	try 0 hll-count -s 3.txt 1.hll 2.txt && out_is_file wanted
	cat 2.hll 1.txt 3.hll 1.hll >stream
	try 0 hll-count -s <stream && out_is_file wanted
	try 0 hll-count -s - 2.hll <stream && out_is_file wanted
	# The last line may lack its newline.
	head -c -1 3.txt >cut.txt
	cat 1.hll 2.txt cut.txt >stream
	try 0 hll-count -s stream && out_is_file wanted
	try 0 hll-count -s --each 1.hll 2.txt
	{
		printf '%s\t1.hll\n' "$(hll-count -f 1 log1)"
		printf '%s\t2.txt\n' "$(hll-count -f 1 log2)"
		printf '%s\ttotal\n' "$(hll-count -f 1 log1 log2)"
	} >wanted
	out_is_file wanted
}

@test "-s of keyed sketches unites equal keys; --total and --each unite all" {
	split -n l/3 log part.
	for part in part.??; do
		hll-build -f 1 --by 7 -o "$part.hll" "$part"
		hll-build -f 1 --by 7 -a -o "$part.txt" "$part"
	done
	try 0 hll-count -f 1 --by 7 log
	mv out wanted
	try 0 hll-count -s part.??.hll && out_is_file wanted
	try 0 hll-count -s part.aa.txt part.ab.hll part.ac.txt && out_is_file wanted
	cat part.??.txt >stream
	sort stream >sorted
	try 0 hll-count -s sorted && out_is_file wanted
	try 0 hll-count -s -k 2 stream
	head -n 2 wanted | same - out
	total=$(hll-count -f 1 log)
	try 0 hll-count -s --total stream && out_is "$total"
	try 0 hll-count -s --total part.??.hll && out_is "$total"
	try 0 hll-count -s --each part.aa.hll
	out_is "$(hll-count -f 1 part.aa)	part.aa.hll
$(hll-count -f 1 part.aa)	total"
	# With --total plain and keyed ones may come together.
	hll-build -f 1 -o plain.hll log
	try 0 hll-count -s --total plain.hll part.aa.hll && out_is "$total"
}

@test "unlike precisions: the answer is that of the lowest, in any order" {
	for precision in 10 12 14 18; do
		hll-build -f 1 --precision "$precision" -o "$precision.hll" log
		hll-build -f 1 --by 7 --precision "$precision" -o "$precision.keyed" log
	done
	hll-count -f 1 --precision 10 log >wanted
	hll-count -f 1 --by 7 --precision 10 --bounds log >wanted.keyed
	unite() {
		try 0 hll-count -s "${@/%/.hll}" && out_is_file wanted &&
		    try 0 hll-count -s --bounds "${@/%/.keyed}" && out_is_file wanted.keyed
	}
	unite 10 12 14 18
	unite 18 14 12 10
	unite 14 10 18
}

# How it fails.

@test "sketches that do not match are status 4, with the field and both values" {
	hll-build -o a.hll thousand
	hll-build --seed 5 -o b.hll thousand
	hll-build -i -o c.hll thousand
	hll-build -f 1,2 -o d.hll thousand
	hll-build --by 1 -o e.hll thousand
	cms-build -o f.cms thousand
	try 4 hll-count -s a.hll b.hll
	err_is "hll-count: cannot unite 'b.hll' with what came before: seed 0 and 5"
	try 4 hll-count -s a.hll c.hll
	err_is "hll-count: cannot unite 'c.hll' with what came before: case kept and folded (-i)"
	try 4 hll-count -s --each d.hll a.hll
	err_is "hll-count: cannot unite 'a.hll' with what came before: items of several fields and one field"
	try 4 hll-count -s a.hll e.hll
	err_is "hll-count: cannot unite 'e.hll': keyed and plain sketches; use --total"
	try 4 hll-count -s e.hll a.hll
	err_is "hll-count: cannot unite 'a.hll': keyed and plain sketches; use --total"
	try 4 hll-count -s a.hll f.cms
	err_is "hll-count: cannot use sketch 'f.cms': its kind is cms, not hll"
}

@test "what is no sketch, or a damaged one, is status 4 and says where" {
	hll-build -o a.hll thousand
	: >empty
	try 4 hll-count -s empty
	err_is "hll-count: cannot read sketch 'empty': empty, not a sketch"
	try 4 hll-count -s <empty
	err_is "hll-count: cannot read sketch 'standard input': empty, not a sketch"
	try 4 hll-count -s thousand
	err_is "hll-count: cannot read sketch 'thousand': not a sketch"
	{ cat a.hll && head -c 500 a.hll; } >two.hll
	try 4 hll-count -s two.hll
	err_is "hll-count: cannot read sketch 2 of 'two.hll', at byte $(wc -c <a.hll): truncated"
	{ cat a.hll && echo; } >two.hll
	try 4 hll-count -s two.hll
	err_is "hll-count: cannot read sketch 2 of 'two.hll', at byte $(wc -c <a.hll): not a sketch"
	hll-build --by 1 -a -o lines.txt <<<key
	sed 's/^key/kex/' lines.txt >other.txt
	try 4 hll-count -s other.txt
	err_is "hll-count: cannot read sketch 'other.txt': the payload contradicts itself"
}

@test "a cut sketch, plain or keyed, is status 4 wherever it is cut" {
	head -n 9 log >some
	hll-build -o a.hll some
	hll-build --by 1 -o b.hll some
	for file in a.hll b.hll; do
		for ((n = 0; n < $(wc -c <"$file"); n += 37)); do
			head -c "$n" "$file" >cut.hll
			try 4 hll-count -s cut.hll
		done
	done
}

@test "options about lines are refused with -s, and others without it" {
	hll-build -o a.hll thousand
	for option in '-f 1' '-d ,' --quoted --csv --header -i --crlf --skip-empty '--by 1' '--seed 3'; do
		# shellcheck disable=SC2086
		try 2 hll-count -s $option a.hll
		err_is "hll-count: -s and ${option% *} exclude each other"
	done
	try 2 hll-count -s -e 1% a.hll
	err_is "hll-count: -s and --precision or -e exclude each other"
	try 2 hll-count --total thousand
	err_is "hll-count: --total needs -s"
	try 2 hll-count -k 3 thousand
	err_is "hll-count: -k needs --by, or keyed sketches and -s"
	try 2 hll-count --by 1 --each thousand
	err_is "hll-count: --by and --each exclude each other"
	try 2 hll-count -s -k 3 --total a.hll
	err_is "hll-count: -k and --total exclude each other"
	try 2 hll-count --confidence 95% thousand
	err_is "hll-count: --confidence needs -e"
	try 2 hll-count -k 0 --by 1 thousand
	err_is "hll-count: cannot use -k '0': not in 1..18446744073709551615"
}

@test "habits from other tools get an answer that names ours" {
	try 2 hll-count -n 10 --by 1 log
	err_is "hll-count: unknown option '-n': use -k K for the K largest keys"
	try 2 hll-count -t , -f 1 log
	err_is "hll-count: unknown option '-t': use -d C for the delimiter"
	try 2 hll-count --precison 10 log
	err_is "hll-count: unknown option '--precison': do you mean --precision?"
	try 2 hll-count -f user log
	err_is "hll-count: cannot use field 'user': a name needs --header"
	try 2 hll-count --header -f user log
	err_is "hll-count: cannot find field 'user' in the header of 'log'"
}

@test "an input that fails leaves no half answer" {
	try 3 hll-count --each thousand no-such-file
	err_is "hll-count: cannot open 'no-such-file': No such file or directory"
	mkdir folder
	try 3 hll-count thousand folder
	err_is "hll-count: cannot open 'folder': Is a directory"
	try 3 hll-count -s folder
	err_is "hll-count: cannot open 'folder': Is a directory"
	try 3 hll-count thousand - <&-
	err_is "hll-count: cannot read 'standard input': Bad file descriptor"
	: >secret
	chmod 000 secret
	try 3 unprivileged hll-count secret
	err_is "hll-count: cannot open 'secret': Permission denied"
}

@test "a rejected line is told, and with --strict it is status 5" {
	printf '"open\nx\n"y"\n' >lines
	try_any 0 hll-count --quoted lines
	out_is 2
	try 0 hll-count lines
	out_is 3
	try_any 0 hll-count --quoted -f 1 lines
	out_is 2
	grep -q '^hll-count: rejected 1 of 3 lines: ' err
	try_any 5 hll-count --quoted -f 1 --strict lines
	out_is 2
	try_any 0 hll-count --stats lines
	grep -qE '^hll-count: 3 lines, 0 rejected, 12 B read, .* of memory at the peak$' err
	hll-build -o a.hll lines
	try_any 0 hll-count --stats -s a.hll a.hll
	grep -qE '^hll-count: 2 sketches read, .* of memory at the peak$' err
}

# Its limits.

@test "on a terminal the interval follows the answer" {
	seq 50000 >many
	script -qec 'hll-count many' /dev/null >screen </dev/null
	read -r estimate low high <<<"$(hll-count --bounds many)"
	tr -d '\r' <screen >out
	out_is "$estimate  ($low to $high)"
}

@test "five million different lines at the finest precision are within half a percent" {
	seq 5000000 9999999 >lines
	try 0 hll-count --precision 18 lines
	out_between 4975000 5025000
}
