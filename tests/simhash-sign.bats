# sketchutils: BSD-2-Clause, see LICENSE

load helper

logmaker() {
	"$SKETCHUTILS_BUILD/logmaker" "$@"
}

prepare() {
	# shellcheck disable=SC2094
	logmaker messages 300 1 >messages
}

# reference RULE SEED: a second program, written from sketch(5).
reference() {
	python3 "$SKETCHUTILS_TOP/tests/interop/simhash.py" sign "$@"
}

# What it does.

@test "a line comes out whole, behind 16 hexadecimal digits and a TAB" {
	printf 'The quick brown fox\tjumps\r\n\na\0b \377\nno newline' >lines
	try 0 simhash-sign lines
	cut -f 1 out >digits
	absent '[^0-9a-f]' digits
	[ "$(awk '{ print length }' digits | sort -u)" = 16 ]
	[ "$(wc -l <digits)" = 4 ]
	cut -f 2- out >rest
	{ cat lines && echo; } | same - rest
}

@test "the vectors of sketch(5)" {
	local n=0
	sign() {
		n=$((n + 1))
		printf '%s\n' "$3" | try 0 simhash-sign --features "$1" --seed "$2" && cut -f 1 out >digits
		[ "$(cat digits)" = "$4" ]
	}
	# The table's columns: rule, seed, signature, document.
	sed -n '/Em signature Ta Em document/,/^\.El/s/^\.It //p' \
	    "$SKETCHUTILS_TOP/man/sketch.5" | sed '1d; s/ Ta /|/g' >table
	while IFS='|' read -r rule seed signature document; do
		[ "$document" != '(empty)' ] || document=
		sign "$rule" "$seed" "$document" "$signature"
	done <table
	[ "$n" = 7 ]
}

@test "a second program, written from sketch(5), signs alike" {
	{
		head -n 40 messages
		printf '\n---\n***\na\nThe quick fox\nfour words make three\n'
		printf 'internationalization of incomprehensibilities considered\n'
		printf '你好世界，我们来了\nÄrger über STRASSE ß İ ǅ Ω\n한국어 띄어쓰기 문장\n'
		printf ' caf\351 au lait \377\376\na\t b  c \na\0b c\r\nthe the the the and the the\n'
		printf 'สวัสดีครับ ຂໍ ស្វាគមន៍\n\343\200\200x\343\200\200y\302\205 z\n\360\220\220\200\360\220\220\250 \363\240\204\200\n'
		printf '\355\240\200 \340\200\200 \364\220\200\200 \302 \360\237\230\n'
	} >lines
	for rule in word:1 word:2 word:3 word:16 char:1 char:4 char:16; do
		for seed in 0 18446744073709551615; do
			try 0 simhash-sign --features "$rule" --seed "$seed" lines
			reference "$rule" "$seed" <lines >wanted
			out_is_file wanted
		done
	done
}

@test "a text of ASCII alone and one that takes the longer way are signed alike" {
	# A dash and an ideographic blank are no part of a word.
	sed 's/^/\xe2\x80\x94 /; s/ /\xe3\x80\x80/3' messages >dashed
	try 0 simhash-sign messages
	cut -f 1 out >wanted
	try 0 simhash-sign dashed
	cut -f 1 out | same wanted -
}

@test "case and punctuation change nothing, a word changes few bits" {
	printf '%s\n' 'the cat sat on the mat, said the dog' 'THE CAT; sat on -- the mat said The Dog!' \
	    'the cat sat on the mat, said the bird' >lines
	try 0 simhash-sign lines
	[ "$(cut -f 1 out | uniq | wc -l)" = 2 ]
	{ read -r a _ && read -r _ && read -r b _; } <out
	differ=$(((16#$a) ^ (16#$b)))
	n=0
	for ((i = 0; i < 64; i++)); do n=$((n + (differ >> i & 1))); done
	[ "$n" = 6 ]
	# Characters: punctuation counts, blanks are one.
	printf '%s\n' 'a  b, c d e f' 'A B, c d e f ' 'a b c d e f' >lines
	try 0 simhash-sign --features char:3 lines
	[ "$(cut -f 1 out | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" = '2 1 ' ]
}

@test "unrelated lines differ in 32 bits on average, however short" {
	for words in 5 6 8 9 30; do
		awk -v words="$words" 'BEGIN { srand(words); for (i = 0; i < 2000; i++)
		    for (j = 1; j <= words; j++)
			printf "w%d%s", rand() * 1e9, j < words ? " " : "\n" }' >lines
		try 0 simhash-sign lines
		cut -f 1 out | python3 -c 'if True:
			import sys
			s = [int(line, 16) for line in sys.stdin]
			d = [bin(a ^ b).count("1") for a, b in zip(s, s[1:])]
			mean = sum(d) / len(d)
			# The mean of 2,000 has a standard deviation of 0.09.
			sys.exit(not 31.6 < mean < 32.4)'
	done
}

@test "fields choose the document, and the whole line comes out" {
	printf 'x,the cat sat on the mat,1\ny,the cat sat on the mat,2\n' >lines
	try 0 simhash-sign -d , -f 2 lines
	[ "$(cut -f 1 out | uniq | wc -l)" = 1 ]
	cut -f 2 out | same lines -
	printf 'id,text\nx,"the cat, sat on ""the"" mat"\n' >lines
	try 0 simhash-sign --csv --header -f text lines
	[ "$(cut -f 1 out)" = "$(echo 'the cat sat on the mat' | simhash-sign | cut -f 1)" ]
	[ "$(cut -f 2 out)" = 'x,"the cat, sat on ""the"" mat"' ]
	printf -- '---\r\n---\n' >lines
	try 0 simhash-sign --crlf lines
	[ "$(cut -f 1 out | uniq | wc -l)" = 1 ]
	try 0 simhash-sign lines
	[ "$(cut -f 1 out | uniq | wc -l)" = 2 ]
	printf '\n\na b\n' >lines
	try 0 simhash-sign --skip-empty lines
	[ "$(cut -f 2 out)" = 'a b' ]
}

@test "-z: lines may hold newlines and end in NUL" {
	printf 'a b c\nd\0a b c d\0' >lines
	try 0 simhash-sign -z lines
	tr '\0' '\n' <out | cut -f 1 | sed 2d | uniq | wc -l >n
	[ "$(tr -cd '\0' <out | wc -c)" = 2 ]
	[ "$(cat n)" = 1 ]
}

@test "threads, ranges of a file and a pipe make no difference" {
	# shellcheck disable=SC2094
	logmaker docs 1500 3 >docs
	cat messages >>docs
	try 0 simhash-sign -j 1 docs
	mv out wanted
	for j in 0 2 3 8; do
		try 0 simhash-sign -j "$j" docs
		out_is_file wanted
	done
	try 0 simhash-sign -j 2 < <(cat docs)
	out_is_file wanted
}

@test "a line comes out before the next one goes in" {
	mkfifo to from
	simhash-sign <to >from 3>&- &
	exec 7>to 8<from
	for line in 'first of them' 'second of them'; do
		echo "$line" >&7
		read -r _ got <&8
		[ "$got" = "$line" ]
	done
	exec 7>&-
	wait "$!"
	exec 8<&-
}

# How it fails.

@test "features that are none are status 2" {
	for wrong in '' word word: word:0 word:17 word:02 word:2x char:-1 line:2 words:2 char:99999999999 'word:2 '; do
		try 2 simhash-sign --features "$wrong" messages
		err_is "simhash-sign: cannot use --features '$wrong': not word:N or char:N, N in 1..16"
	done
	try 2 simhash-sign --distance 3 messages
}

@test "an input that cannot be read is told, the others are signed" {
	head -n 1 messages >one
	simhash-sign -f 1 one >good
	try_any 3 simhash-sign -f 1 no-such-file one
	out_is_file good
	err_is "simhash-sign: cannot open 'no-such-file': No such file or directory"
	printf '"open\n' >lines
	try_any 0 simhash-sign --quoted -f 1 lines one
	out_is_file good
	err_has 'rejected 1 of 2 lines'
	try_any 5 simhash-sign --strict --quoted -f 1 lines one
	out_is_file good
}

# Its limits.

@test "a line of 30 MB is one document" {
	head -c 30000000 /dev/zero | tr '\0' x >long
	try 0 simhash-sign long
	[ "$(wc -c <out)" = 30000018 ]
	try 0 simhash-sign < <(cat messages long messages)
	[ "$(wc -l <out)" = 600 ]
}

@test "--norm, --paragraph and --files sign what the text says" {
	a='user 17 came in from 10.0.0.1 and went away again after 25 seconds'
	b='user 4 came in from 10.9.8.7 and went away again after 3 seconds'
	simhash-sign <(log-mask <(echo "$a")) | cut -f 1 >good
	try 0 simhash-sign --norm log <(printf '%s\n' "$a" "$b")
	cut -f 1 out >both
	cat good good | same - both
	cut -f 2 out >lines
	printf '%s\n' "$a" "$b" | same - lines
	printf '%s\n' "$a" '' "$a" "$b" >text
	simhash-sign <(echo "$a $b") | cut -f 1 >united
	for j in 1 3; do
		try 0 simhash-sign -j "$j" --paragraph text
		out_is "$(simhash-sign <(echo "$a"))

$(cat united)	$a
$b
"
	done
	echo "$a" >a
	printf '%s\n' "$a" "$b" >ab
	for j in 1 3; do
		try 0 simhash-sign -j "$j" --files a ab
		out_is "$(simhash-sign a | cut -f 1)	a
$(cat united)	ab"
	done
	try_any 3 simhash-sign --files a no-such
	err_is "simhash-sign: cannot read 'no-such': No such file or directory"
	try 2 simhash-sign --files --paragraph a
}
