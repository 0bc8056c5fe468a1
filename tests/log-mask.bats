# sketchutils: BSD-2-Clause, see LICENSE

load helper

PATH=$SKETCHUTILS_BUILD:$PATH

prepare() {
	logmaker access 300 1 >access
	logmaker messages 300 1 >messages
}

# What it does.

@test "numbers, addresses, times, paths and quoted texts become one thing" {
	printf '%s\n' 'Jan  2 03:04:05 host sshd[812]: Failed password for eve from 10.0.0.7 port 4242' \
	    'open /var/lib/x: took 12ms, id=550e8400-e29b-41d4-a716-446655440000' \
	    "cannot open 'a b': No such file" 'no value' '' >lines
	try 0 log-mask lines
	out_is "$(printf '%s\n' '<*> host sshd[<*>]: Failed password for eve from <*> port <*>' \
	    'open <*>: took <*>, id=<*>' "cannot open '<*>': No such file" 'no value' '')
"
	try 0 log-mask --norm typed lines
	out_is "$(printf '%s\n' '<time> host sshd[<num>]: Failed password for eve from <ip> port <num>' \
	    'open <path>: took <duration>, id=<uuid>' "cannot open '<str>': No such file" 'no value' '')
"
	try 0 log-mask --norm log lines
	mv out wanted
	try 0 log-mask <lines
	out_is_file wanted
}

@test "the levels that are simple do what others do" {
	cat access messages >lines
	printf '\303\204 Z 12\0\3773x4' >>lines
	try 0 log-mask --norm none lines
	{ cat lines && echo; } | same - out
	try 0 log-mask --norm case lines
	{ tr '[:upper:]' '[:lower:]' <lines && echo; } | same - out
	try 0 log-mask --norm none -i lines
	{ tr '[:upper:]' '[:lower:]' <lines && echo; } | same - out
	try 0 log-mask --norm digits lines
	{ sed -E 's/[0-9]+/#/g' lines && echo; } | same - out
	try 0 log-mask --norm digits -i lines
	{ tr '[:upper:]' '[:lower:]' <lines | sed -E 's/[0-9]+/#/g' && echo; } | same - out
}

@test "a second program, written from the manual, masks alike" {
	reference() {
		python3 "$SKETCHUTILS_TOP/tests/interop/mask.py" "$@"
	}
	reference lines "$(if long; then echo 5000; else echo 500; fi)" 1 >lines
	cat access messages >>lines
	for level in log typed; do
		try 0 log-mask --norm "$level" lines
		reference "$level" <lines >wanted
		cmp out wanted || { diff -a out wanted | head -n 6; failed; }
	done
}

# grouped NAME=LOWEST...: the lines of mill, grouped as out says.
grouped() {
	awk '!first[$0] { first[$0] = NR } { print first[$0] }' out >groups
	python3 "$SKETCHUTILS_TOP/tests/bench/score.py" truth groups >score
	for rule in "$@"; do
		awk -v name="${rule%=*}" -v least="${rule#*=}" '$1 == name { found = 1; if ($2 < least) exit 1 }
		    END { if (!found) exit 1 }' score || { cat score; failed; }
	done
}

@test "the lines of a log are told apart by their templates" {
	n=$(if long; then echo 200000; else echo 10000; fi)
	for seed in 1 2 3; do
		corpus mill "$n" "$seed" truth >mill
		templates=$(sort -u truth | wc -l)
		try 0 log-mask mill
		grouped f1=0.999 ga=0.99 precision=1
		awk -v most="$((templates * 11 / 10))" '$1 == "kept" && $2 > most { exit 1 }
		    $1 == "lost" && $2 > 0 { exit 1 }' score
		try 0 log-mask --norm typed mill
		grouped f1=0.99 precision=1
		# Numbers alone are not enough: that is why there are levels.
		try 0 log-mask --norm digits mill
		grouped kept=$((n / 2))
		long || break
	done
}

@test "fields are printed masked, as cut would print them" {
	printf '1.2.3.4,GET /,200\nbob,"POST, 5",x\n' >lines
	try 0 log-mask -d , -f 2 lines
	out_is "$(printf 'GET /\n"POST')"
	try 0 log-mask --csv -f 2 lines
	out_is "$(printf 'GET /\nPOST, <*>')"
	try 0 log-mask --csv -f 1,2 lines
	out_is "$(printf '<*>\tGET /\nbob\tPOST, <*>')"
	try 0 log-mask --csv -f 3,1 lines
	out_is "$(printf '<*>\nx\tbob')"
	printf 'id,text\n7,read 8\n' >lines
	try 0 log-mask --csv --header -f text lines
	out_is 'read <*>'
	try 0 log-mask --quoted -f 5 access
	cut -d '"' -f 2 access >requests
	mv out got
	try 0 log-mask requests
	out_is_file got
}

@test "lines: carriage returns, empty ones, a last one without its end, NULs" {
	printf 'a 5\r\n' >lines
	try 0 log-mask --crlf lines
	out_is 'a <*>'
	printf '\n5\n\n' >lines
	try 0 log-mask --skip-empty lines
	out_is '<*>'
	printf '5' >lines
	try 0 log-mask lines
	out_is '<*>'
	printf 'a 5\nb 6\0c\0' >lines
	try 0 log-mask -z lines
	printf 'a <*>\nb <*>\0c\0' | same - out
	printf '1 2\0' >lines
	try 0 log-mask -z -f 1,2 --norm digits lines
	printf '#\t#\0' | same - out
}

@test "threads, ranges of a file and a pipe make no difference" {
	corpus mill 30000 1 truth >lines
	cat access messages >>lines
	for level in digits log typed; do
		try 0 log-mask --norm "$level" -j 1 lines
		mv out wanted
		for j in 0 2 3 8; do
			try 0 log-mask --norm "$level" -j "$j" lines
			out_is_file wanted
		done
		try 0 log-mask --norm "$level" -j 2 < <(cat lines)
		out_is_file wanted
	done
}

@test "a line comes out before the next one goes in" {
	mkfifo to from
	log-mask <to >from 3>&- &
	exec 7>to 8<from
	for n in 1 23; do
		echo "line $n" >&7
		read -r got <&8
		[ "$got" = 'line <*>' ]
	done
	exec 7>&-
	wait "$!"
	exec 8<&-
}

# How it fails.

@test "a level that is none is status 2" {
	for wrong in '' Log logs 3 'log ' digit; do
		try 2 log-mask --norm "$wrong" access
		err_is "log-mask: cannot use --norm '$wrong': not none, case, digits, log or typed"
	done
	try 2 log-mask --norm
	try 2 log-mask -c access
}

@test "an input that cannot be read is told, the others are masked" {
	echo 'a 5' >one
	try_any 3 log-mask no-such-file one
	out_is 'a <*>'
	err_is "log-mask: cannot open 'no-such-file': No such file or directory"
	printf '"open\n' >lines
	try_any 0 log-mask --quoted -f 1,2 lines one
	err_has 'rejected 1 of 2 lines'
	try_any 5 log-mask --strict --quoted -f 1,2 lines one
	bloom-build -n 10 -o sketch one
	try 3 log-mask sketch
}

# Its limits.

@test "a line of 30 MB is one line, whatever it holds" {
	head -c 30000000 /dev/zero | tr '\0' 5 >long
	try 0 log-mask long
	out_is '<*>'
	yes '="a 1: ' | head -c 30000000 | tr -d '\n' >long
	try 0 log-mask long
	yes '="a <*>: ' | head -n 2 | tr -d '\n' >start
	head -c "$(wc -c <start)" out | same start -
	[ "$(wc -l <out)" = 1 ]
}
