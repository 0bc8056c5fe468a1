# sketchutils: BSD-2-Clause, see LICENSE

# What simhash-dedup and minhash-dedup have in common: lib/tool/nearness/dedup.

load helper

logmaker() {
	"$SKETCHUTILS_BUILD/logmaker" "$@"
}

# each COMMAND: run it for either program, named $dedup, in a folder of its own.
each() {
	local program home=$PWD
	for program in simhash-dedup minhash-dedup; do
		dedup=$program
		mkdir "$home/$program"
		cd "$home/$program" || return 1
		"$@"
	done
	cd "$home" || return 1
}

# out_has TEXT: it is somewhere in what was printed.
out_has() {
	grep -qF -- "$1" out || failed
}

story='the quick brown fox jumps over the lazy dog and runs away into the deep dark wood'
other='a bird in the hand is worth two in the bush they say but who would want to hold it'

# Four documents, of which the third is like the first and the fourth equals the second.
four() {
	printf '%s\n' "$story" "$other" "$story by night" "${other^^}!"
}

# What stays, and what is told of it.

longest() {
	four >lines
	try 0 "$dedup" --keep first lines
	out_is "$story
$other"
	try 0 "$dedup" --keep longest lines
	out_is "$story by night
${other^^}!"
	# Of equally long ones the first.
	{ four && four; } >lines
	try 0 "$dedup" --keep longest --dropped dropped lines
	out_is "$story by night
${other^^}!"
	[ "$(wc -l <dropped)" = 6 ] || failed
	cat out dropped | sort >a
	sort lines | same - a
	try 0 "$dedup" --keep longest -c lines
	out_is 2
	# Of files, which is long by its name does not count.
	echo "$story" >a-name-that-is-long
	echo "$story by night" >b
	echo "$story" >and-one-that-is-longer
	try 0 "$dedup" --keep longest --files a-name-that-is-long b and-one-that-is-longer
	out_is b
	try 2 "$dedup" --keep last lines
	err_is "$dedup: cannot use --keep 'last': not first or longest"
}

@test "--keep longest passes the longest of those that are alike, in the order of the input" {
	each longest
}

rows() {
	four >lines
	try 0 "$dedup" --show map lines
	cut -f 2- out >map
	printf '%s\n' "1	1	$story" "2	2	$other" "3	1	$story by night" "4	2	${other^^}!" |
		same - map
	[ "$(cut -f 1 out | tr '\n' ' ')" = "1.0000 1.0000 0.8889 1.0000 " ] || failed
	try 0 "$dedup" --show pairs lines
	out_is "0.8889	3	1	$story by night	$story
1.0000	4	2	${other^^}!	$other"
	try 0 "$dedup" --show counts lines
	out_is "2	$story
2	$other"
	try 0 "$dedup" --show counts --keep longest lines
	out_is "2	$story by night
2	${other^^}!"
	# Nothing was compared.
	try 0 "$dedup" --show pairs --unverified lines
	[ "$(cut -f 1-3 out)" = "-	3	1
1.0000	4	2" ] || failed
	try 2 "$dedup" --show all lines
	for options in '-c --show map' '--keep longest --show map' '--keep longest --show pairs' --json; do
		# shellcheck disable=SC2086
		try_any 2 "$dedup" $options lines
	done
}

@test "--show pairs, map and counts tell who stands for whom" {
	each rows
}

objects() {
	four >lines
	try 0 "$dedup" --show pairs --json lines
	jq -r '[.number, .representative, .item, .representative_item] | @tsv' out >rows
	printf '%s\n' "3	1	$story by night	$story" "4	2	${other^^}!	$other" | same - rows
	jq -s '.[0].similarity == 16 / 18' out | grep -qx true
	printf '%s\377\n' "$story" "$other" >lines
	try 0 "$dedup" --show counts --json lines
	[ "$(jq -r .count out | tr '\n' ' ')" = '1 1 ' ] || failed
	jq -r .item_b64 out | head -n 1 | base64 -d >item
	printf '%s\377' "$story" | same - item
}

@test "--json is an object a row, bytes and all" {
	each objects
}

@test "--show map agrees with what passes, with any number of threads" {
	logmaker messages 1500 >lines
	simhash-dedup --edits 10% --dropped dropped lines >passed
	try 0 simhash-dedup --edits 10% --show map lines
	awk -F '\t' '$2 == $3' out | cut -f 4- | same - passed
	awk -F '\t' '$2 != $3' out | cut -f 4- | same - dropped
	cp out map
	# Whoever stands for a line has passed before it.
	awk -F '\t' '$2 == $3 { passed[$2] = 1 } !passed[$3] { print }' map >wrong
	[ ! -s wrong ] || failed
	for j in 2 5; do
		try 0 simhash-dedup -j "$j" --edits 10% --show map lines && same map out
		try 0 simhash-dedup -j "$j" --edits 10% --show map <lines && same map out
		try 0 simhash-dedup -j "$j" --edits 10% --show map <(cat lines) && same map out
	done
	simhash-dedup --edits 10% --show counts lines >counts
	cut -f 3 map | sort -n | uniq -c | awk '{ print $1 }' >good
	cut -f 1 counts | same - good
}

# Masks.

masked() {
	cat >lines <<'EOF'
user 17 of 10.0.0.1 logged in after 3 tries and was sent to the front page
user 18 of 10.0.7.200 logged in after 12 tries and was sent to the front page
user 19 of 10.2.1.1 was logged out because nothing came from there for a day
EOF
	try 0 "$dedup" --similarity 1 lines && out_is_file lines
	try 0 "$dedup" --similarity 1 --norm none lines && out_is_file lines
	for level in digits log typed; do
		try 0 "$dedup" --similarity 1 --norm "$level" lines
		sed 2d lines | same - out
	done
	try 2 "$dedup" --norm logs lines
	err_is "$dedup: cannot use --norm 'logs': not none, case, digits, log or typed"
}

@test "--norm masks what is compared, and what is printed is the line" {
	each masked
}

@test "a text that came before gets its answer, even if that was forgotten" {
	# More kinds than are recalled.
	n=3000
	if long; then n=150000; fi
	seq "$n" | sed 's/.*/&a &b &c &d &e/' | tr 0-9 k-t >kinds
	seq 20000 | sed 's/.*/& times was nothing to be seen there/' >many
	cat kinds many kinds many >lines
	{ cat kinds && echo '1 times was nothing to be seen there'; } >good
	for j in 1 2 3; do
		try 0 simhash-dedup -j "$j" --norm digits --distance 0 --similarity 1 lines
		out_is_file good
	done
}

# Documents.

paragraphs() {
	local blanks=$' \t'
	cat >text <<EOF


$story
$other

$story, and
$other
$blanks

alone

$story $other
EOF
	try 0 "$dedup" --paragraph text
	out_is "$story
$other

alone
"
	try 0 "$dedup" --paragraph -c text && out_is 2
	# An end of input ends a paragraph; the last newline may be missing.
	printf 'one two three' >one
	printf 'four five six\n' >two
	try 0 "$dedup" --paragraph one two one
	out_is 'one two three

four five six
'
	try 0 "$dedup" --paragraph --dropped dropped -j 3 text - <text
	[ "$(grep -c . dropped)" = 9 ] || failed
	for option in -z '-f 1' '-d ,' --quoted --csv --header --files --crlf --skip-empty; do
		# shellcheck disable=SC2086
		try_any 2 "$dedup" --paragraph $option text
	done
}

@test "--paragraph: blank lines stand between documents" {
	each paragraphs
}

files() {
	mkdir d
	echo "$story" >d/one
	printf '%s\n' "$story" "by night" >d/two
	echo "$other" >'d/th ree'
	printf '%s' "${story^^}" >d/four
	try 0 "$dedup" --files d/one d/two 'd/th ree' d/four
	out_is 'd/one
d/th ree'
	printf '%s\n' d/one d/two 'd/th ree' d/four >names
	for j in 1 2 4; do
		try 0 "$dedup" -j "$j" --files <names
		out_is 'd/one
d/th ree'
	done
	find d -type f -print0 | sort -z >names0
	try 0 "$dedup" -z --files <names0
	printf 'd/four\0d/th ree\0' | same - out
	try_any 3 "$dedup" --files d/one no-such d d/one
	out_is d/one
	err_is "$dedup: cannot read 'no-such': No such file or directory
$dedup: cannot read 'd': Is a directory"
	gzip -k d/one
	try_any 3 "$dedup" --files d/one.gz d/one
	out_is d/one
	err_has 'zcat'
	try 2 "$dedup" --files -
	for option in '-f 1' --csv --header --paragraph --skip-empty --crlf; do
		# shellcheck disable=SC2086
		try_any 2 "$dedup" --files $option d/one
	done
}

@test "--files: each file is a document, and its name is printed" {
	each files
}

# --explain.

explained() {
	four | head -n 1 >a
	four | sed -n 3p >b
	echo "$other" >c
	echo 'too short' >d
	try 0 "$dedup" --explain a b
	out_has 'features_a:         16'
	out_has 'shared:             16'
	out_has 'only_a:             0'
	out_has 'only_b:             2'
	out_has 'a_in_b:             1'
	out_has 'alike:              yes'
	try_any 1 "$dedup" --explain a c
	out_has 'alike:              no'
	try_any 1 "$dedup" --explain a d
	[ "$dedup" = minhash-dedup ] || out_has 'too few features'
	try 0 "$dedup" --explain a - <a
	out_has 'because:            equal but for case'
	printf 'id 17 is at 10.0.0.1 and has been for all of that day' >a
	printf 'id 18 is at 10.0.0.2 and has been for all of that day' >b
	try 0 "$dedup" --explain --json --norm log a b
	jq -e '.masked_a == .masked_b and .alike and .similarity == 1 and .norm == "log"' out >yes
	try 2 "$dedup" --explain a
	try 2 "$dedup" --explain a b c
	try 3 "$dedup" --explain a no-such
	for option in --files --paragraph '--index i' '--show map' -c '--keep longest' '--dropped x'; do
		# shellcheck disable=SC2086
		try_any 2 "$dedup" --explain $option a b
	done
}

@test "--explain tells of two files whether they are alike, and why" {
	each explained
}

@test "--explain says of a pair what a run does with it" {
	# Neighbours in this order are of one kind, most of them.
	logmaker messages 60 | sort >lines
	n=0
	for i in $(seq 1 4 57); do
		sed -n "${i}p" lines >a
		sed -n "$((i + 1 + i % 3 * 3))p" lines >b
		passed=$(cat a b | simhash-dedup --edits 20% -c)
		try_any $((passed - 1)) simhash-dedup --explain --edits 20% a b
		n=$((n + 2 - passed))
	done
	[ "$n" -gt 1 ] || failed
	[ "$n" -lt 14 ] || failed
}

# --index.

indexed() {
	logmaker messages 900 >lines
	try 0 "$dedup" --similarity 0.6 lines && cp out whole
	split -l 300 lines part.
	: >parts
	for part in part.*; do
		try 0 "$dedup" --similarity 0.6 --index index "$part"
		cat out >>parts
	done
	same whole parts
	# The same bytes as of one run.
	"$dedup" --similarity 0.6 --index once lines >all
	same whole all
	same once index
	# Who stands for a line of this run: the third that the file holds.
	sed -n 3p whole >line
	try 0 "$dedup" --similarity 0.6 --index index --read-only --show map line
	[ "$(cut -f 1-3 out)" = '1.0000	1	-3' ] || failed
	try 0 "$dedup" --similarity 0.6 --index index --read-only --show pairs --json line
	jq -e '.indexed == 3 and (has("representative") | not)' out >yes
	four >new
	try 0 "$dedup" --similarity 0.6 --index index --read-only new
	out_is "$story
$other"
	same once index
}

@test "--index: several runs pass what one would, and leave the same file" {
	each indexed
}

refuses() {
	four >lines
	"$dedup" --index index lines >out
	cp index before
	for option in '--features word:3' '--features char:2' '--similarity 0.5' --unverified; do
		# shellcheck disable=SC2086
		try 4 "$dedup" --index index $option lines
		err_has "$dedup: cannot use index 'index': "
	done
	try 4 "$dedup" --index index --norm log lines
	err_is "$dedup: cannot use index 'index': norm none and log"
	try 4 "$dedup" --index index --seed 3 lines
	err_is "$dedup: cannot use index 'index': seed 0 and 3"
	try 4 "$dedup" --index index -f 1,2 lines
	err_is "$dedup: cannot use index 'index': items of one field and several fields"
	same before index
	bloom-build -n 10 lines >filter
	try 4 "$dedup" --index filter lines
	: >empty
	try 4 "$dedup" --index empty lines
	head -c 200 index >cut
	try 4 "$dedup" --index cut lines
	printf '\1' | dd of=index bs=1 seek=150 conv=notrunc status=none
	try 4 "$dedup" --index index lines
	try 2 "$dedup" --index - lines
	try 2 "$dedup" --index x --dropped x lines
	err_has 'both --index and --dropped'
	try 2 "$dedup" --read-only lines
	err_is "$dedup: --read-only needs --index FILE"
	try 3 "$dedup" --read-only --index not-there lines
	err_is "$dedup: cannot read index 'not-there': No such file or directory"
	mkfifo fifo
	try 3 "$dedup" --index fifo lines
	try 3 "$dedup" --index no-such-folder/index lines
}

@test "--index refuses a file of other settings, and one that is damaged" {
	each refuses
}

@test "the index of the other program is refused" {
	four | simhash-dedup --index index >out
	four >lines
	try 4 minhash-dedup --index index lines
	err_has 'kind simhash and '
}

united() {
	logmaker messages 300 >a
	logmaker messages 300 2 >b
	"$dedup" --index a.index a >passed.a
	"$dedup" --index b.index b >passed.b
	try 0 sketch-merge -o both.index a.index b.index
	cat passed.a passed.b a b >lines
	try 0 "$dedup" --index both.index --read-only lines
	out_is ''
	cat a.index b.index >cat.index
	try 0 "$dedup" --index cat.index --read-only lines
	out_is ''
	try 0 sketch-info both.index
	out_has 'items:              600'
	# What neither of them knows is new to both.
	four >new
	try 0 "$dedup" --index both.index --read-only -c new
	out_is 2
	"$dedup" --index c.index --norm log a >c
	try 4 sketch-merge -o no a.index c.index
	err_has 'norm none and log'
	"$dedup" --index d.index --features word:3 a >d
	try 4 sketch-merge -o no a.index d.index
	err_has 'features word:2 and word:3'
}

@test "sketch-merge unites indexes: what either knows is known" {
	each united
}

killed() {
	logmaker messages 400 >lines
	mkfifo pipe
	"$dedup" --index index <pipe >out &
	pid=$!
	exec 9>pipe
	cat lines >&9
	while [ ! -s out ]; do sleep 0.01; done
	kill -TERM "$pid"
	wait "$pid" && status=0 || status=$?
	exec 9>&-
	[ "$status" = 143 ] || failed
	# Whatever came out is known.
	cp out passed
	try 0 sketch-info index
	try 0 "$dedup" --index index -c passed
	out_is 0
}

@test "a signal ends the input: what passed is saved" {
	each killed
}

@test "killed at any time, an index is valid, and no line is lost" {
	logmaker messages 6000 >lines
	simhash-dedup lines | sort >good
	rounds=3
	if long; then rounds=15; fi
	: >passed
	for i in $(seq "$rounds"); do
		timeout -s KILL "0.0$((i % 9 + 1))" simhash-dedup --index index lines >>passed || true
		# A line may have been cut.
		echo >>passed
		if [ -e index ]; then
			try 0 sketch-info index
		fi
	done
	simhash-dedup --index index lines >>passed
	sort -u passed | comm -13 - good >lost
	[ ! -s lost ] || failed
	try 0 simhash-dedup --index index -c lines
	out_is 0
}

@test "runs that share an index take turns" {
	logmaker messages 1000 >lines
	simhash-dedup -c lines >good
	for i in 1 2 3; do
		simhash-dedup --index index -c lines >"count.$i" &
	done
	wait
	[ "$(cat count.? | awk '{ n += $1 } END { print n }')" = "$(cat good)" ] || failed
}

# -M.

filtered() {
	logmaker docs 1500 3 >lines
	"$dedup" lines >all
	for j in 1 3; do
		try_any 0 "$dedup" -j "$j" -M 1M --dropped dropped lines
		err_has '1.0 MiB is full: after '
		err_has 'were compared by a filter only'
		cp out "out.$j"
	done
	same out.1 out.3
	cat out dropped | sort >a
	sort lines | same - a
	# As long as there is room, it is the answer without a ceiling.
	n=$(sed -n 's/.*is full: after \([0-9]*\) .*/\1/p' err)
	[ "$n" -gt 100 ] || failed
	head -n "$n" all >begin
	head -n "$n" out | same - begin
	# Nearly nothing is lost, and copies are found.
	awk 'NR == FNR { passed[$0] = 1; next } !passed[$0]' out all >lost
	[ "$(wc -l <lost)" -le 15 ] || failed
	cat lines lines >twice
	try_any 0 "$dedup" -M 1M -c twice
	[ "$(cat out)" = "$(wc -l <out.1)" ] || failed
	try_any 5 "$dedup" -M 1M --strict -c lines
	# What needs to know who stands for a line cannot go on.
	for option in '--show map' '--keep longest' '--show counts' '--index i'; do
		# shellcheck disable=SC2086
		try_any 3 "$dedup" -M 1M $option lines
		err_has 'cannot keep more than'
	done
	# An index is full of what passed in all runs.
	passed=$(wc -l <out)
	try_any 3 "$dedup" -M 1M --index i lines
	err_has "cannot keep more than $((passed + $(wc -l <out))) lines in 1.0 MiB"
}

@test "-M: a filter takes the place of an index that is full, and says so" {
	each filtered
}
