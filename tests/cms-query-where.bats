# sketchutils: BSD-2-Clause, see LICENSE

# cms-query as a filter: --where, --annotate, and what grep has.

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	# Exact up to some counts, and then not: 20 candidates, and wide counters.
	cms-build -f 1 -e 10% --candidates 20 -o log.cms log
	cms-build -f 1 --type spacesaving -M 64K --candidates 20 -o log.ss log
	cms-build -f 1 --candidates 65536 -o exact.cms log
}

# lines CONDITION: those of log for which this is true of low, high and n, what
# the sketch knows and what is true of the item.
lines() {
	awk -F '\t' "{ low = \$2; high = \$3; n = \$4; if ($1) print \$5 }" known
}

# known SKETCH: the bounds of each line's item, the truth, and the line, which has
# no TAB.
known() {
	try 0 cms-query --bounds -f 1 "$1" log
	cut -f 1-3 out >bounds
	awk 'NR == FNR { n[$1]++; next } { print n[$1] "\t" $0 }' log log | paste bounds - >known
}

@test "--where prints the lines for whose items the estimate says so" {
	local ops=('>=' '>' '<=' '<' '=' '!=') n i
	for sketch in log.cms log.ss exact.cms; do
		known $sketch
		rm -f wanted.*
		touch wanted.{0,11,19,1000}.{0..5}
		awk -F '\t' '{ for (i = split("0 11 19 1000", n, " "); i > 0; i--) {
		    high = $3 - n[i]
		    is[0] = high >= 0; is[1] = high > 0; is[2] = high <= 0; is[3] = high < 0
		    is[4] = high == 0; is[5] = high != 0
		    for (k = 0; k < 6; k++) if (is[k]) print $5 >("wanted." n[i] "." k) } }' known
		for n in 0 11 19 1000; do
			for i in 0 1 2 3 4 5; do
				status=0
				[ -s wanted.$n.$i ] || status=1
				try_any $status cms-query -f 1 --where "${ops[i]}$n" $sketch log
				out_is_file wanted.$n.$i
			done
		done
		lines 'high == 19' >wanted
		try 0 cms-query -f 1 --where '==  19' $sketch log
		out_is_file wanted
	done
}

@test "with >= none is missed, with < none is too many, and of candidates neither" {
	for sketch in log.cms log.ss; do
		known $sketch
		lines 'n >= 9' >true
		try 0 cms-query -f 1 --where '>=9' $sketch log
		[ "$(sort true | comm -23 - <(sort out) | wc -l)" = 0 ]
		lines 'n < 9' >true
		try 0 cms-query -f 1 --where '<9' --all $sketch log
		[ "$(sort true | comm -23 - <(sort out) | wc -l)" = 0 ]
		try_any "$(lines 'high < 9' | grep -q . && echo 0 || echo 1)" \
			cms-query -f 1 --where '<9' $sketch log
		[ "$(sort true | comm -13 - <(sort out) | wc -l)" = 0 ]
	done
	known exact.cms
	lines 'n >= 9' >true
	try 0 cms-query -f 1 --where '>=9' exact.cms log
	out_is_file true
}

@test "--sure prints what is certain, --all what may be" {
	for sketch in log.cms log.ss; do
		known $sketch
		for n in 5 15; do
			for pair in '>= low>=N high>=N' '< high<N low<N' '!= low>N||high<N low!=N||high!=N' \
			    '= low==N&&high==N low<=N&&high>=N'; do
				# shellcheck disable=SC2086
				set -- $pair
				for how in --sure --all; do
					[ $how = --sure ] || shift
					lines "${2//N/$n}" >wanted
					status=0
					[ -s wanted ] || status=1
					try_any $status cms-query -f 1 --where "${pair%% *}$n" $how $sketch log
					out_is_file wanted
				done
			done
		done
	done
}

@test "-v, -c, -q and -m are those of grep" {
	known log.cms
	lines 'high >= 15' >chosen
	lines 'high < 15' >others
	try 0 cms-query -f 1 -v --where '>=15' log.cms log
	out_is_file others
	try 0 cms-query -f 1 -c --where '>=15' log.cms log
	out_is "$(wc -l <chosen)"
	try 0 cms-query -f 1 -v -c --where '>=15' log.cms log
	out_is "$(wc -l <others)"
	head -n 100 log >a
	try 0 cms-query -f 1 -c --where '>=15' log.cms a log
	out_is "$(grep -cxFf <(sort -u chosen) a)	a
$(wc -l <chosen)	log"
	try 0 cms-query -f 1 -m 3 --where '>=15' log.cms log log
	{ head -n 3 chosen; head -n 3 chosen; } >six
	out_is_file six
	try 0 cms-query -f 1 -q --where '>=15' log.cms log no-such-file
	out_is ''
	try 1 cms-query -f 1 -q --where '>=3001' log.cms log
	try_any 1 cms-query -f 1 -c --where '>=3001' log.cms log
	out_is 0
}

@test "lines come out as they are: CR, NUL, no field, no newline at the end" {
	printf 'a x\r\na\0 y\nb\n\na  z' >lines
	cms-build -f 1 -o lines.cms lines
	try 0 cms-query -f 1 --where '=2' lines.cms lines
	printf 'a x\r\na  z\n' >wanted
	out_is_file wanted
	try 0 cms-query --crlf --skip-empty -f 1 --where '=1' lines.cms lines
	printf 'a\0 y\nb\n' >wanted
	out_is_file wanted
	tr '\n' '\0' <lines >zeros
	cms-build -z -f 1 -o zeros.cms zeros
	try 0 cms-query -z -f 1 --where '>=3' zeros.cms zeros
	printf 'a x\r\0a\0a  z\0' >wanted
	out_is_file wanted
}

@test "--annotate puts what is known before each line, or each that is printed" {
	known log.cms
	cut -f 3 bounds | paste - log >wanted
	try 0 cms-query -f 1 --annotate log.cms log
	out_is_file wanted
	paste <(awk '{ print $3 "\t" $2 "\t" $3 }' bounds) log >wanted
	try 0 cms-query -f 1 --annotate --bounds log.cms log
	out_is_file wanted
	awk -F '\t' '$1 >= 15' wanted >some
	try 0 cms-query -f 1 --annotate --bounds --where '>=15' log.cms log
	out_is_file some
	awk -F '\t' '$1 < 15' wanted >others
	try 0 cms-query -f 1 --annotate --bounds -v --where '>=15' log.cms log
	out_is_file others
	try 0 cms-query -f 1 --annotate -m 2 --where '>=15' log.cms log
	head -n 2 some | cut -f 1,4- >two
	out_is_file two
	try 0 cms-query -f 1 --json --annotate -m 1 --where '>=15' log.cms log
	jq -e --arg line "$(head -n 1 some | cut -f 4-)" \
	    '.line == $line and .estimate == .high and .low <= .high and (has("item") | not)' out
}

@test "threads, ranges of a file and a pipe make no difference" {
	for options in '' -v -c --annotate '--annotate --json'; do
		# shellcheck disable=SC2086
		{
			try 0 cms-query $options -f 1 --where '>=15' -j 1 log.cms log
			mv out wanted
			for j in 0 5; do
				try 0 cms-query $options -f 1 --where '>=15' -j "$j" log.cms log
				out_is_file wanted
			done
			try 0 cms-query $options -f 1 --where '>=15' -j 2 log.cms < <(cat log)
			out_is_file wanted
		}
	done
}

@test "a line passes as soon as it is there" {
	mkfifo asked answered
	cms-build -o often.cms <<<$'a\na\nb'
	cms-query --where '>=2' often.cms <asked >answered 3>&- &
	exec 7>asked 8<answered
	printf 'b\na\n' >&7
	# For ever, if it does not come.
	read -r answer <&8
	[ "$answer" = a ]
	exec 7>&- 8<&-
	wait
}

@test "a long line is a line" {
	{ head -c 3000000 /dev/zero | tr '\0' x && echo; echo y; } >lines
	cms-build -o lines.cms lines
	try 0 cms-query --where '=1' lines.cms lines
	out_is_file lines
	try 0 cms-query --annotate lines.cms lines
	sed 's/^/1\t/' lines >wanted
	out_is_file wanted
}

@test "conditions that are none, and options that have nothing to do, are status 2" {
	for text in x 9 '>' '=>9' '>=-1' '>=9x' ''; do
		try 2 cms-query --where "$text" log.cms log
		err_is "cms-query: cannot use --where '$text': not a comparison such as '>=1000'"
	done
	try 2 cms-query --where '>=18446744073709551616' log.cms log
	err_is "cms-query: cannot use --where '>=18446744073709551616': the count is not in 0..18446744073709551615"
	try 2 cms-query --where '>=15' --where '<19' log.cms log
	err_is "cms-query: --where is given twice: a pipe of two runs has both"
	for option in -v -c -q '-m 3' --sure --all; do
		# shellcheck disable=SC2086
		try 2 cms-query $option log.cms log
		err_is "cms-query: ${option% *} needs --where"
	done
	try 2 cms-query --where '>=1' --sure --all log.cms log
	err_is "cms-query: --sure and --all exclude each other"
	for option in --json --bounds; do
		try 2 cms-query --where '>=1' $option log.cms log
		err_is "cms-query: --where prints the lines as they are: $option needs --annotate"
	done
	for option in -c -q; do
		try 2 cms-query --where '>=1' --annotate $option log.cms log
		err_is "cms-query: --annotate and $option exclude each other"
	done
}

@test "an input that cannot be read is status 3, whatever was printed" {
	try_any 3 cms-query -f 1 -c --where '>=15' log.cms no-such-file log
	err_is "cms-query: cannot open 'no-such-file': No such file or directory"
	try_any 3 cms-query -f 1 --where '>=3001' log.cms no-such-file log
	out_is ''
}
