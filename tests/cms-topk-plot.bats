# sketchutils: BSD-2-Clause, see LICENSE
#
# cms-topk --plot. What a bar looks like to the last column is in
# tests/unit/plot_test.c.

load helper

prepare() {
	unset COLUMNS LANG LC_CTYPE
	printf '%s\n' a a a a b b ccc >lines
}

# flat: so many different items that none has an exact count in 64 KiB.
flat() {
	seq 20000 >once
	cat once once once >flat
}

@test "a row is its numbers, the item and a bar as long as the count" {
	COLUMNS=40 try 0 cms-topk --plot lines
	out_is "4  a    ################################
2  b    ################
1  ccc  ########"
	export COLUMNS=40 LC_ALL=C.UTF-8
	try 0 cms-topk --plot -k 2 lines
	out_is "4  a  ██████████████████████████████████
2  b  █████████████████"
	try 0 cms-topk --plot --bounds -k 1 lines
	out_is "4  4  4  a  ████████████████████████████"
}

@test "a pipe is 80 columns wide, or what COLUMNS says, and has no escape codes" {
	try 0 cms-topk --plot lines
	[ "$(wc -L <out)" = 80 ]
	COLUMNS=123 try 0 cms-topk --plot lines
	[ "$(wc -L <out)" = 123 ]
	COLUMNS=nonsense try 0 cms-topk --plot lines
	[ "$(wc -L <out)" = 80 ]
	absent $'\033' out
}

@test "a terminal is as wide as it is, whatever COLUMNS says" {
	COLUMNS=33 script -qec 'stty cols 57 && cms-topk --plot lines' /dev/null >screen </dev/null
	tr -d '\r' <screen >got
	[ "$(wc -L <got)" = 57 ]
	[ "$(wc -l <got)" = 3 ]
}

@test "the characters are those of the first locale that is named, the numbers of none" {
	bars() {
		LC_ALL=$1 LC_CTYPE=$2 LANG=$3 try 0 cms-topk --plot lines
	}
	bars '' '' ''
	cp out ascii
	bars '' '' de_DE.UTF-8
	mv out utf8
	tr -d '#\n' <ascii >a
	sed 's/█//g' utf8 | tr -d '\n' >b
	same a b
	for names in 'C x C.UTF-8' 'POSIX C.UTF-8 C.UTF-8' 'de_DE C.UTF-8 C'; do
		read -ra of <<<"$names"
		bars "${of[@]}"
		out_is_file ascii
	done
	bars '' C en_US.UTF-8 && out_is_file ascii
	for names in 'en_US.utf8 C C' 'C.UTF-8@x C C'; do
		read -ra of <<<"$names"
		bars "${of[@]}"
		out_is_file utf8
	done
}

@test "what is not exact has a whisker from low to high, what is not certain a ~" {
	flat
	try 0 cms-topk --plot -M 64K -k 5 flat
	[ "$(grep -cE '^ *[0-9]+ ~  [0-9]+ +#*\|-+\|$' out)" = 5 ]
	[ "$(wc -l <out)" = 5 ]
	awk 'NR % 100 == 0 { print "heavy" } { print }' flat >mixed
	try 0 cms-topk --plot -M 64K -k 2 mixed
	head -n 1 out | grep -qE '^ *600    heavy +#+$'
}

@test "the bars are drawn to one scale, but for the rest, which has none" {
	seq 1000 >>lines
	COLUMNS=40 try 0 cms-topk --plot --rest -k 2 lines
	out_is "   4  a     ############################
   2  b     ##############
1001  rest"
}

@test "items are cut to fit, and shown without harm" {
	printf '%s\n' $'\033[31mred' $'tab\tto' "$(printf 'x%.0s' {1..200})" $'\377' >lines
	COLUMNS=40 try 0 cms-topk --plot lines
	absent $'[\033\t\377]' out
	[ "$(wc -L <out)" = 40 ]
	grep -qF '?[31mred ' out
	grep -qF 'tab to ' out
	grep -qE 'x{13}\.\.\. ' out
	printf '漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\nabc\n' >lines
	LC_ALL=C.UTF-8 COLUMNS=40 try 0 cms-topk --plot lines
	out_is "1  abc               ███████████████████
1  漢字漢字漢字漢…   ███████████████████"
	printf 'a,b\na,b\n' >lines
	COLUMNS=40 try 0 cms-topk --plot -d , -f 2,1 lines
	out_is "2  b a  ################################"
}

@test "--plot draws saved sketches, nothing of nothing, and excludes --json" {
	cms-build -o lines.cms lines
	cms-build --type spacesaving -o lines.ss lines
	try 0 cms-topk --plot lines
	mv out picture
	for saved in lines.cms lines.ss; do
		try 0 cms-topk --plot -s "$saved"
		out_is_file picture
	done
	try 0 cms-topk --plot </dev/null && out_is ''
	try 2 cms-topk --plot --json lines
	err_is 'cms-topk: --plot and --json exclude each other'
	# Lines for eyes, whatever ends a record.
	tr '\n' '\0' <lines >zeros
	try 0 cms-topk --plot -z zeros
	out_is_file picture
}
