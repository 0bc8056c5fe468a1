# sketchutils: BSD-2-Clause, see LICENSE
#
# What is a line, what is an item, and what cannot be either; told by
# hll-count and hll-build, whose small counts are exact.

load helper

# counts N [ARGUMENT]...: hll-count prints N and one end byte. Standard input
# is handed on.
counts() {
	local want=$1
	shift
	try 0 hll-count "$@" && tr '\0' '\n' <out >out.line && text_is out.line "$want"
}

# alike FILE FILE [OPTION]...: their sketches are the same, byte for byte;
# the options are for the first.
alike() {
	local first=$1 second=$2
	shift 2
	hll-build -o first.sk "$@" "$first" && hll-build -o second.sk "$second" &&
	    cmp first.sk second.sk
}

@test "no input is no item" {
	: >empty
	counts 0 empty
	counts 0 <empty
	counts 0 empty empty
	counts 0 -z empty
	counts 0 --header -f x empty
}

@test "the last line may lack its newline" {
	printf 'a\nb' >lacks
	printf 'a\nb\n' >has
	counts 2 lacks
	alike lacks has
	printf 'a' >a
	printf 'a\n' >b
	counts 1 a b
}

@test "an empty line is an item, unless --skip-empty" {
	printf '\n' >one
	counts 1 one
	printf 'a\n\n\nb\n\n' >some
	counts 3 some
	counts 2 --skip-empty some
	counts 0 --skip-empty one
	printf 'a\r\n\r\n' >crlf
	counts 1 --skip-empty --crlf crlf
	counts 2 --skip-empty crlf
	printf 'x y\nz\n' >missing
	counts 2 -f 2 missing
	counts 1 -f 2 --skip-empty missing
}

@test "a line holds any byte but its end" {
	printf 'a\0b\na\0c\na\0b\n' >nul
	counts 2 nul
	printf '\xff\xfe\n\xc3\n\xc3\xa4\n\xed\xa0\x80\n' >invalid
	counts 4 invalid
	awk 'BEGIN { for (i = 0; i < 256; i++) printf "%c\n", i }' >all
	counts 256 all
	awk 'BEGIN { for (i = 1; i < 256; i++) printf "%c%c", i, 0 }' >all.z
	counts 255 -z all.z
}

@test "with -z, records end in NUL and newlines are content" {
	printf 'a\nb\0a\0a\nb\0' >z
	counts 2 -z z
	printf 'a\nb\0a\0a\nb' >lacks
	hll-build -z -o a.sk z
	hll-build -z -o b.sk lacks
	same a.sk b.sk
	printf 'a b\0\nc b\0' >fields
	counts 1 -z -f 2 fields
	hll-count -z z >out
	printf '2\0' >wanted.z
	same wanted.z out
}

@test "a CR is content, unless --crlf drops one of them" {
	printf 'a\r\na\nb\r\r\nb\r\n' >crlf
	counts 4 crlf
	counts 3 --crlf crlf
	printf 'a\na\nb\r\nb\n' >without
	alike crlf without --crlf
	printf 'x a\r\ny a' >field
	counts 1 --crlf -f 2 field
	counts 2 -f 2 field
	printf 'a\r' >last
	printf 'a' >plain
	alike last plain --crlf
}

@test "a line of 100 MB is one item" {
	head -c 100000000 /dev/zero | tr '\0' x >long
	{ echo short; cat long; echo; echo short; } >three
	counts 2 -j 3 three
	long || return 0
	counts 1 long
	counts 1 -j 8 long
	counts 2 -f 1 <three
	for n in 1 2; do
		{ cat long; echo $n; } >>two
	done
	counts 2 two
	counts 2 -f 1- -d x --skip-empty two
}

@test "compressed input is refused by name" {
	for name in gz zst xz bz2; do
		case $name in
		gz) printf '\x1f\x8b\x08\0\0\0\0\0' ;;
		zst) printf '\x28\xb5\x2f\xfd\x04\x58' ;;
		xz) printf '\xfd7zXZ\0\0\4' ;;
		bz2) printf 'BZh91AY&SY\1\2' ;;
		esac >log.$name
	done
	try 3 hll-count log.gz
	err_is "hll-count: cannot read 'log.gz': it is gzip data, not lines (use zcat FILE | ...)"
	try 3 hll-count log.zst
	err_is "hll-count: cannot read 'log.zst': it is zstd data, not lines (use zstdcat FILE | ...)"
	try 3 hll-count log.xz
	err_is "hll-count: cannot read 'log.xz': it is xz data, not lines (use xzcat FILE | ...)"
	try 3 hll-count log.bz2
	err_is "hll-count: cannot read 'log.bz2': it is bzip2 data, not lines (use bzcat FILE | ...)"
	try 3 hll-count <log.gz
	err_has "cannot read 'standard input': it is gzip data"
	try 3 hll-count -j 2 --header -f 1 log.gz
	try 3 hll-build -o never.sk log.gz
	[ ! -e never.sk ]
	# Inside a line, or not the whole of it, it is only bytes.
	{ echo; cat log.*; } >inside
	try 0 hll-count inside
	printf 'BZh9 is text\n' >text
	counts 1 text
}

@test "a sketch is refused as lines" {
	echo a | hll-build -o a.sk
	try 3 hll-count a.sk
	err_is "hll-count: cannot read 'a.sk': it is a sketch, not lines (use -s)"
	try 3 hll-build a.sk
	err_is "hll-build: cannot read 'a.sk': it is a sketch, not lines"
	try 3 hll-count <a.sk
}

@test "fields are parted by runs of blanks, or by one byte" {
	printf '  a \t b\na b  \n\ta\tb x\n' >blanks
	counts 1 -f 1 blanks
	counts 1 -f 2 blanks
	counts 2 -f -1 blanks
	counts 3 blanks
	printf 'a,,b\na,b\n,a,b\n' >commas
	counts 2 -d , -f 1 commas
	counts 3 -d , -f 2 commas
	counts 1 -d , -f -1 commas
	printf 'a\tb c\na\tb d\n' >tabs.txt
	counts 2 -d '\t' -f 2 tabs.txt
	counts 1 -f 2 tabs.txt
	printf 'a\\b c\nd\\b d\n' >backslashes
	counts 1 -d "\\" -f 2 <(tr -d ' cd' <backslashes)
	counts 2 -d "\\\\" -f 2 backslashes
}

@test "a LIST takes numbers, ranges and the last ones; a missing field is empty" {
	printf 'a b c d\na b x d\na b\n' >lines
	counts 1 -f 1,2 lines
	counts 1 -f 1-2 lines
	counts 3 -f 2-3 lines
	counts 3 -f 3- lines
	counts 2 -f 4 lines
	counts 2 -f -1 lines
	counts 1 -f 9 lines
	counts 1 -f -9 lines
	counts 3 -f 3,-1 lines
	counts 3 --field=1- lines
}

@test "the fields of an item are joined so that they stay apart" {
	printf 'ab,c\na,bc\nabc,\n,abc\n' >pairs
	counts 4 -d , -f 1,2 pairs
	counts 4 -d , -f 1-2 pairs
	# Another order is another item.
	printf 'a,b\nb,a\n' >orders
	counts 2 -d , -f 1,2 orders
	hll-build -d , -f 1,2 -o a.sk pairs
	hll-build -d , -f 1-2 -o b.sk pairs
	same a.sk b.sk
}

@test "-i folds ASCII letters and no others" {
	printf 'Key\nKEY\nkey\nKe\xc3\x84\nkE\xc3\xa4\n@[\n`{\n' >keys
	counts 7 keys
	counts 5 -i keys
	counts 5 --ignore-case keys
}

@test "--quoted reads Apache's logs by whole fields" {
	cat >access <<-'END'
	10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a b HTTP/1.0" 200 23 "http://x/" "Agent (X; Y)"
	10.0.0.2 - bob [10/Oct/2000:13:55:37 -0700] "GET /a \"b\" HTTP/1.0" 404 23 "-" "Agent (X; Y)"
	10.0.0.1 - - [10/Oct/2000:13:55:37 -0700] "GET /\\" 200 23 "-" ""
	END
	counts 2 --quoted -f 1 access
	counts 2 --quoted -f 4 access
	counts 3 --quoted -f 5 access
	counts 2 --quoted -f 6 access
	counts 2 --quoted -f 9 access
	counts 2 --quoted -f -1 access
	printf '10/Oct/2000:13:55:36 -0700\n10/Oct/2000:13:55:37 -0700\n' >stamps
	hll-build -o a.sk --quoted -f 4 access
	hll-build -o b.sk stamps stamps
	[ "$(hll-count -s a.sk b.sk)" = 2 ]
	printf 'a,"b,c",d\n' >commas
	counts 1 --quoted -d , -f 3 commas
}

@test "--csv reads quotes as RFC 4180 has them" {
	printf 'id,"a ""b"", c",3\r\nid,"a ""b"", c",4\r\n' >csv
	printf 'a "b", c\na "b", c\n' >plain
	counts 1 --csv -f 2 csv
	alike csv plain --csv -f 2
	counts 2 --csv --crlf -f 3 csv
	printf 'a;"b;c"\n' >semicolon
	counts 1 --csv -d ';' -f 2 semicolon
	printf '"b"\nb\n' >both
	counts 1 --csv -f 1 both
}

@test "a quote that is open at a line's end rejects the line" {
	printf 'a,"b\nc",d\nx,y\n' >open
	try_any 0 hll-count --csv -f 1 open
	out_is 2
	err_is "hll-count: rejected 1 of 3 lines: a quote that is open, or closed in mid-field (CR at the end? see --crlf)"
	try_any 5 hll-count --csv -f 1 --strict open
	out_is 2
	printf 'a [b\nc d\n' >bracket
	try_any 0 hll-count --quoted -f 1 bracket
	out_is 1
	err_has "rejected 1 of 2 lines"
}

@test "--header: names, in each input's own order, and the line is no item" {
	printf 'user,host\na,x\nb,x\n' >one.csv
	printf 'host,time,user\nx,1,b\ny,2,c\n' >two.csv
	counts 3 --csv --header -f user one.csv two.csv
	counts 2 --csv --header -f host one.csv two.csv
	counts 3 --csv --header -f user,host one.csv two.csv
	cp one.csv again.csv
	counts 4 --csv --header -f 1 one.csv two.csv - one.csv <again.csv
	counts 4 --csv --header one.csv two.csv
	printf 'first user\n1 a\n2 a\n' >blanks
	counts 1 --header -f user blanks
	counts 2 --header -f first -j 2 blanks
	printf '"the ""user""",n\na,1\n' >quoted
	counts 1 --csv --header -f 'the "user"' quoted
	# As spreadsheets write it.
	printf '\xef\xbb\xbfuser,host\r\na,x\r\nb,x\r\n' >sheet
	counts 2 --csv --header --crlf -f user sheet
	counts 1 --csv --header --crlf -f host sheet
	try 2 hll-count --csv --header -f nobody one.csv
	err_is "hll-count: cannot find field 'nobody' in the header of 'one.csv'"
	try 2 hll-count --csv --header -f time one.csv two.csv
	try 2 hll-count -f user one.csv
	err_is "hll-count: cannot use field 'user': a name needs --header"
}

@test "no answer and no byte depends on -j, or on a pipe" {
	"$SKETCHUTILS_BUILD/logmaker" log 30000 >made.log
	local workers='2 8'
	long && workers='0 2 3 4 5 8'
	for options in '' '-f 1' '-f 7' '-f -1' '-f 1,7' '-i' '--header' '--quoted -f 4-6' '--by 9 -f 1'; do
		# shellcheck disable=SC2086
		hll-build $options -j 1 -o j1.sk made.log
		# shellcheck disable=SC2086
		hll-count $options -j 1 made.log >j1.out
		for j in $workers; do
			# shellcheck disable=SC2086
			hll-build $options -j $j -o j.sk made.log
			same j1.sk j.sk
			# shellcheck disable=SC2086
			try 0 hll-count $options -j $j made.log
			out_is_file j1.out
			# A pipe is shared in another way than a file.
			# shellcheck disable=SC2086
			hll-build $options -j $j -o j.sk < <(cat made.log)
			same j1.sk j.sk
			# shellcheck disable=SC2086
			hll-build $options -j $j -o j.sk <made.log
			same j1.sk j.sk
		done
	done
}

@test "a file of many ranges gives the same with any -j" {
	"$SKETCHUTILS_BUILD/logmaker" ids "$(long && echo 5000000 || echo 1200000)" >made.ids
	hll-build -j 1 -o j1.sk made.ids
	for j in 0 2 8; do
		hll-build -j $j -o j.sk made.ids
		same j1.sk j.sk
		hll-build -j $j -o j.sk < <(cat made.ids)
		same j1.sk j.sk
	done
}

@test "standard input is read from its offset, and left at its end" {
	printf 'skipped\na\nb\n' >lines
	for j in 1 2 8; do
		{ read -r _ && try 0 hll-count -j $j && [ -z "$(cat)" ]; } <lines
		out_is 2
	done
	cp lines again
	{ try 0 hll-count - - again -; } <lines
	out_is 3
	# An offset behind the end, as a log that was cut short leaves it.
	exec 9<lines
	tail -c +14 <&9 >rest
	printf 'x' >lines
	try 0 hll-count -j 4 <&9
	out_is 0
	exec 9<&-
}

@test "'-' is standard input among other operands; '--' ends the options" {
	printf 'a\nb\n' >one
	printf 'c\n' >two
	counts 3 one - <two
	counts 3 - one <two
	counts 1 -- - <two
	printf 'a\nb\nc\nd\n' >-f
	counts 4 -- -f
	counts 4 ./-f
}

@test "an operand that cannot be read is status 3, and there is no answer" {
	printf 'a\n' >one
	try 3 hll-count one none one
	err_is "hll-count: cannot open 'none': No such file or directory"
	try 3 hll-count .
	err_is "hll-count: cannot open '.': Is a directory"
	try 3 hll-build -o never.sk one none
	err_is "hll-build: cannot open 'none': No such file or directory"
	[ ! -e never.sk ]
}

@test "an input that is also standard output is refused" {
	printf 'a\n' >log
	local status=0
	# shellcheck disable=SC2094
	hll-count log >>log 2>err || status=$?
	[ "$status" = 2 ]
	err_is "hll-count: 'log' is both input and standard output"
	printf 'a\n' >wanted
	same wanted log
	status=0
	# shellcheck disable=SC2094
	hll-count <log >>log 2>err || status=$?
	[ "$status" = 2 ]
	err_is "hll-count: 'standard input' is both input and standard output"
}

@test "a wrong LIST, delimiter or number is told with the option and the value" {
	try 2 hll-count -f 0
	err_is "hll-count: cannot use -f '0': fields are numbered from 1 to 1000000"
	try 2 hll-count --field 3-2
	err_is "hll-count: cannot use --field '3-2': a range's end must not be below its start"
	try 2 hll-count -f 1,,2
	err_is "hll-count: cannot use -f '1,,2': a field is missing between commas"
	try 2 hll-count -d ab
	err_is "hll-count: cannot use -d 'ab': not one byte"
	try 2 hll-count -d ''
	try 2 hll-count -d $'\n'
	err_is "hll-count: cannot use -d: that byte already ends the record"
	try 2 hll-count -z -d '\0'
	try 2 hll-count --csv -d '"'
	err_is "hll-count: cannot use -d '\"': that byte quotes fields"
	try 2 hll-count --csv --quoted
	err_is "hll-count: --quoted and --csv exclude each other"
	try 2 hll-count -j x
	err_is "hll-count: cannot use -j 'x': not a whole number"
	try 2 hll-count -j 1025
	err_is "hll-count: cannot use -j '1025': not in 0..1024"
	try 2 hll-count --progress sometimes
	err_is "hll-count: cannot use --progress 'sometimes': not auto, always or never"
}

@test "a program has the options it can honour and no others" {
	try 2 hll-count -W 2
	err_is "hll-count: unknown option '-W': try 'hll-count --help'"
	try 2 hll-count --weight 2
	err_has "unknown option '--weight'"
	try 2 hll-build -s
	try 2 hll-count -o x
	try 2 hll-count --no-such-thing
	err_is "hll-count: unknown option '--no-such-thing': try 'hll-count --help'"
}

@test "a long option is given whole, and what is near is named" {
	try 2 hll-count --zero
	err_is "hll-count: unknown option '--zero': do you mean --zero-terminated?"
	try 2 hll-count --ignore-cas
	err_is "hll-count: unknown option '--ignore-cas': do you mean --ignore-case?"
	try 2 hll-count --delimitre=,
	err_is "hll-count: unknown option '--delimitre': do you mean --delimiter?"
	try 2 hll-count --no
	err_is "hll-count: unknown option '--no': try 'hll-count --help'"
	try 2 hll-count --crlf=1
	err_is "hll-count: option '--crlf' takes no argument"
	try 2 hll-count --field
	err_is "hll-count: option '--field' needs an argument"
	try 2 hll-count -zf
	err_is "hll-count: option '-f' needs an argument"
	try 2 hll-count --fiel
	err_is "hll-count: unknown option '--fiel': do you mean --field?"
}

@test "a habit from another tool gets an answer" {
	try 2 hll-count -t ,
	err_is "hll-count: unknown option '-t': use -d C for the delimiter"
	try 2 hll-count -F ,
	err_is "hll-count: unknown option '-F': use -d C for the delimiter"
	try 2 hll-count -0
	err_is "hll-count: unknown option '-0': use -z for NUL-terminated records"
	try 2 hll-count --fields 1
	err_is "hll-count: unknown option '--fields': use -f LIST or --field LIST"
	try 2 hll-count -n 10
	err_is "hll-count: unknown option '-n': use -k K for the K largest keys"
}

@test "--stats counts lines, and the environment changes nothing" {
	printf 'a "b\nc d\n' >lines
	try_any 0 hll-count --quoted -f 1 --stats lines
	out_is 1
	err_has "2 lines, 1 rejected, 9 B read"
	printf '\xc4\n\xe4\n' >latin
	for locale in C C.UTF-8 de_DE.ISO-8859-1 tr_TR.UTF-8; do
		LC_ALL=$locale TZ=Asia/Tokyo try 0 hll-count -i latin
		out_is 2
	done
}
