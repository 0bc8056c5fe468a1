# sketchutils: BSD-2-Clause, see LICENSE

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	seq 1000 >thousand
}

# param FILE N: a parameter of the first record's header; 0 is the precision.
param() {
	od -An -v -tu8 -j $((48 + 8 * $2)) -N 8 "$1" | tr -d ' '
}

# build OUTPUT ARGUMENT...: what hll-build writes without being told where.
build() {
	local output=$1
	shift
	try 0 hll-build "$@" && mv out "$output"
}

count_is() {
	try 0 hll-count -s "${@:2}" && out_is "$1"
}

# What it does.

@test "a sketch of three lines has the bytes that sketch(5) explains" {
	printf 'a\nabc\n' >two
	build two.hll two
	awk '/^\.Sh EXAMPLES/ { section = 1 }
	    section && /^\.Bd/ { shown = 1; next }
	    /^\.Ed/ && shown { exit }
	    shown { $1 = ""; print }' "$SKETCHUTILS_TOP/man/sketch.5" >wanted
	od -An -v -tx1 two.hll >got
	same wanted got
}

@test "at precision 14 the registers take 12 KiB, and the header 128 bytes" {
	build log.hll -f 1 log
	[ "$(param log.hll 0)" = 14 ]
	[ "$(param log.hll 1)" = 1 ]
	[ "$(wc -c <log.hll)" = $((128 + 12288)) ]
}

@test "100 items take less than 1 KiB at any precision and are counted to within 1" {
	head -n 100 thousand >hundred
	for precision in 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
		build hundred.hll --precision "$precision" hundred
		[ "$(param hundred.hll 0)" = "$precision" ]
		[ "$(wc -c <hundred.hll)" -lt 1024 ]
		try 0 hll-count -s hundred.hll
		out_between 99 101
	done
}

@test "-e and --confidence choose what the manual's table says" {
	# .It 10 Ta 768 bytes Ta 3.25 % Ta 6.4 % Ta 128
	sed -n -E 's/^\.It ([0-9]+) Ta ([0-9,]+) bytes Ta ([0-9.]+) % Ta ([0-9.]+) % Ta ([0-9,]+)$/\1 \2 \3 \4 \5/p' \
	    "$SKETCHUTILS_TOP/man/hll-count.1" | tr -d , >table
	[ "$(wc -l <table)" = 8 ]
	seq 300000 >many
	while read -r precision bytes error within exact; do
		build empty.hll -e "$error%" /dev/null
		[ "$(param empty.hll 0)" = "$precision" ]
		build empty.hll -e "$within%" --confidence 95% /dev/null
		[ "$(param empty.hll 0)" = "$precision" ]
		build many.hll --precision "$precision" many
		[ "$(wc -c <many.hll)" = $((128 + (bytes + 63) / 64 * 64)) ]
		# As tokens while the set is exact, as registers beyond.
		head -n "$exact" many >some
		build some.hll --precision "$precision" some
		[ "$(param some.hll 1)" = 0 ]
		head -n $((exact + 10)) many >some
		build some.hll --precision "$precision" some
		[ "$(param some.hll 1)" = 1 ]
	done <table
	build empty.hll -e 1% /dev/null
	[ "$(param empty.hll 0)" = 14 ]
	build empty.hll -e 0.01 --confidence 0.95 /dev/null
	[ "$(param empty.hll 0)" = 16 ]
}

@test "split in any number of parts, in any order: the same bytes" {
	build whole.hll -f 1 log
	# Each part is two processes.
	local counts='2 33'
	long && counts='1 2 3 5 8 13 22 40 64'
	for n in $counts; do
		rm -rf parts && mkdir parts
		split -n "l/$n" log parts/
		for part in parts/*; do
			hll-build -f 1 -o "$part.hll" "$part"
		done
		find parts -name '*.hll' | shuf --random-source=log >order
		xargs sketch-merge <order >merged.hll
		same whole.hll merged.hll
		xargs cat <order >stream
		count_is "$(hll-count -f 1 log)" stream
		rm -f updated.hll
		while read -r part; do
			try 0 hll-build -f 1 --update updated.hll "${part%.hll}"
		done <order
		same whole.hll updated.hll
	done
}

@test "two shards of 60,000 that share 20,000 unite to 100,000 within the bound" {
	seq 60000 >a
	seq 40001 100000 >b
	hll-build -o a.hll a
	hll-build -o b.hll b
	try 0 hll-count -s a.hll b.hll
	# 95 of 100 are within 1.96 standard errors of 0.8125 %.
	out_between 98408 101592
	sketch-merge a.hll b.hll >both.hll
	try 0 hll-count -s both.hll
	out_between 98408 101592
}

@test "repeated lines and repeated sketches change no register" {
	build once.hll -f 1 log
	cat log log log >thrice
	build thrice.hll -f 1 thrice
	# Header and its items aside.
	tail -c +129 once.hll >a
	tail -c +129 thrice.hll >b
	same a b
	try 0 hll-build -f 1 --update once.hll log
	tail -c +129 once.hll >b
	same a b
}

@test "threads, ranges of a file and a pipe give the same bytes" {
	for by in '' '--by 7'; do
		# shellcheck disable=SC2086
		build wanted.hll -f 1 $by -j 1 log
		for j in 0 2 3 8; do
			# shellcheck disable=SC2086
			build got.hll -f 1 $by -j "$j" log && same wanted.hll got.hll
		done
		# shellcheck disable=SC2086
		build got.hll -f 1 $by -j 2 < <(cat log) && same wanted.hll got.hll
	done
}

@test "-o writes what standard output gets, -a the same as text" {
	build log.hll log
	try 0 hll-build -o file.hll log
	out_is ''
	same log.hll file.hll
	build log.txt -a log
	[ "$(wc -l <log.txt)" = 1 ]
	grep -qE '^sk1:inNr[A-Za-z0-9_-]+$' log.txt
	{ printf inNr && cut -c 9- log.txt; } | tr -d '\n' | tr -- '-_' '+/' >base64
	while [ $(($(wc -c <base64) % 4)) != 0 ]; do printf '=' >>base64; done
	base64 -d base64 >decoded
	same log.hll decoded
}

@test "an armoured file ends in NUL with -z, and is read back so" {
	tr '\n' '\0' <thousand >zeros
	build zeros.txt -a -z zeros
	[ "$(tail -c 1 zeros.txt | od -An -tu1)" = '   0' ]
	try 0 hll-count -z -s zeros.txt
	tr '\0' '\n' <out >lines
	mv lines out
	out_is 1000
	try 0 hll-build -a -z --update zeros.txt zeros
	try 0 hll-count -z -s zeros.txt
	tr '\0' '\n' <out >lines
	mv lines out
	out_is 1000
}

@test "--by: keys and sketches survive, as bytes and as sorted lines" {
	try 0 hll-count --quoted -f 1 --by 5,6 log
	mv out wanted
	build keyed.hll --quoted -f 1 --by 5,6 log
	try 0 hll-count -s keyed.hll && out_is_file wanted
	build keyed.txt -a --quoted -f 1 --by 5,6 log
	[ "$(wc -l <keyed.txt)" = "$(wc -l <wanted)" ]
	try 0 hll-count -s keyed.txt && out_is_file wanted
	shuf --random-source=log keyed.txt >shuffled
	try 0 hll-count -s shuffled && out_is_file wanted
	sort shuffled >sorted
	try 0 hll-count -s sorted && out_is_file wanted
	# Keys as they are shown, and a line alone is the sketch of its key.
	rev keyed.txt | cut -f 2- | rev | sort >keys
	cut -f 2- wanted | sort | same - keys
	grep "^GET / HTTP/1.1"$'\t'200$'\t' keyed.txt >line
	try 0 hll-count -s line
	grep "GET / HTTP/1.1"$'\t'200'$' wanted | same - out
}

@test "--by --update equals one pass, byte for byte" {
	split -n l/5 log part.
	build wanted.hll -f 1 --by 7 log
	build wanted.txt -a -f 1 --by 7 log
	for part in part.*; do
		try 0 hll-build -f 1 --by 7 --update got.hll "$part"
		try 0 hll-build -a -f 1 --by 7 --update got.txt "$part"
	done
	same wanted.hll got.hll
	same wanted.txt got.txt
}

@test "eight processes that update one file lose nothing" {
	local rounds=6
	long && rounds=40
	for process in 1 2 3 4 5 6 7 8; do
		for ((i = 0; i < rounds; i++)); do
			seq $((process * 100000 + i * 10)) $((process * 100000 + i * 10 + 9)) |
			    hll-build --update shared.hll
		done &
	done
	wait
	for process in 1 2 3 4 5 6 7 8; do
		seq $((process * 100000)) $((process * 100000 + rounds * 10 - 1))
	done >all
	build wanted.hll all
	same wanted.hll shared.hll
	[ ! -e .shared.hll.new ]
}

@test "--update keeps the file's precision unless a lower one is asked for" {
	build fine.hll --precision 16 -f 1 log
	cp fine.hll file.hll
	try 0 hll-build -f 1 --update file.hll log
	[ "$(param file.hll 0)" = 16 ]
	try 0 hll-build -f 1 --precision 18 --update file.hll log
	[ "$(param file.hll 0)" = 16 ]
	try 0 hll-build -f 1 --precision 10 --update file.hll log
	[ "$(param file.hll 0)" = 10 ]
	build coarse.hll --precision 10 -f 1 log
	tail -c +129 coarse.hll >a
	tail -c +129 file.hll >b
	same a b
	# The same for a table of them.
	build keyed.hll --precision 10 --by 7 -f 1 log
	build file.hll --precision 16 --by 7 -f 1 /dev/null
	try 0 hll-build --by 7 -f 1 --precision 10 --update file.hll log
	same keyed.hll file.hll
	try 0 hll-build --by 7 -f 1 --precision 18 --update file.hll /dev/null
	same keyed.hll file.hll
	try 0 hll-build --by 7 -f 1 --update file.hll /dev/null
	same keyed.hll file.hll
}

@test "--like takes over precision, seed and -i, from plain and keyed sketches" {
	build pattern.hll --precision 11 --seed 7 -i -f 1 log
	build wanted.hll --precision 11 --seed 7 -i thousand
	try 0 hll-build --like pattern.hll -o got.hll thousand
	same wanted.hll got.hll
	build pattern.hll --precision 11 --seed 7 -i -f 1 --by 7 log
	try 0 hll-build --like pattern.hll -o got.hll thousand
	same wanted.hll got.hll
	build pattern.txt -a --precision 11 --seed 7 -i -f 1 --by 7 log
	try 0 hll-build --like pattern.txt -o got.hll thousand
	same wanted.hll got.hll
}

@test "-o replaces an input, keeps a mode and a link, writes through a fifo" {
	build wanted.hll thousand
	cp thousand both
	chmod 640 both
	try 0 hll-build -o both both
	same wanted.hll both
	[ "$(stat -c %a both)" = 640 ]
	ln -s both link
	: >both
	try 0 hll-build -o link thousand
	[ -L link ] && same wanted.hll both
	mkfifo fifo
	cat fifo >got &
	try 0 hll-build -o fifo thousand
	wait
	[ -p fifo ] && same wanted.hll got
	try 0 hll-build -o /dev/stdout thousand
	out_is_file wanted.hll
}

# How it fails.

@test "--update of another seed, fold, number of fields or kind is status 4, at once" {
	build file.hll -f 1 log
	cp file.hll before.hll
	# A missing input would be status 3: it is not even looked for.
	try 4 hll-build -f 1 --seed 9 --update file.hll no-such-file
	err_is "hll-build: cannot update 'file.hll': seed 0 and 9"
	try 4 hll-build -f 1 -i --update file.hll no-such-file
	err_is "hll-build: cannot update 'file.hll': case kept and folded (-i)"
	try 4 hll-build -f 1,9 --update file.hll no-such-file
	err_is "hll-build: cannot update 'file.hll': items of one field and several fields"
	try 4 hll-build -f 1 --by 7 --update file.hll log
	err_is "hll-build: cannot update 'file.hll': it is not keyed"
	same before.hll file.hll
	build keyed.hll -f 1 --by 7 log
	try 4 hll-build -f 1 --update keyed.hll log
	err_is "hll-build: cannot use sketch 'keyed.hll': it is keyed"
	cms-build -o file.cms thousand
	try 4 hll-build --update file.cms no-such-file
	err_is "hll-build: cannot use sketch 'file.cms': its kind is cms, not hll"
	try 4 hll-build --like file.cms no-such-file
	err_is "hll-build: cannot use sketch 'file.cms': its kind is cms, not hll"
}

@test "keyed lines of another seed are refused too" {
	build keyed.txt -a -f 1 --by 7 log
	cp keyed.txt before.txt
	try 4 hll-build -a --seed 3 -f 1 --by 7 --update keyed.txt log
	err_is "hll-build: cannot update 'keyed.txt': seed 0 and 3"
	build other.txt -a --seed 3 -f 1 --by 7 log
	head -n 1 other.txt >>keyed.txt
	cp keyed.txt before.txt
	try 4 hll-build -a -f 1 --by 7 --update keyed.txt log
	err_is "hll-build: cannot update 'keyed.txt': seed 3 and 0"
	same before.txt keyed.txt
	[ ! -e .keyed.txt.new ]
}

@test "--like that contradicts the options is status 4 and says both values" {
	build file.hll --seed 7 thousand
	try 4 hll-build --like file.hll --seed 8 no-such-file
	err_is "hll-build: cannot build like 'file.hll': seed 7 and 8"
	try 4 hll-build --like file.hll -i no-such-file
	err_is "hll-build: cannot build like 'file.hll': case kept and folded (-i)"
	try 3 hll-build --like no-such-file thousand
	err_is "hll-build: cannot open 'no-such-file': No such file or directory"
	cat file.hll file.hll >two.hll
	try 4 hll-build --like two.hll thousand
	err_is "hll-build: cannot use sketch 'two.hll': it holds more than one record"
}

@test "--update of no bytes, of lines or of a damaged sketch is status 4" {
	: >empty
	try 4 hll-build --update empty thousand
	err_is "hll-build: cannot read sketch 'empty': empty, not a sketch"
	[ ! -s empty ]
	try 4 hll-build --update thousand log
	err_is "hll-build: cannot read sketch 'thousand': not a sketch"
	build file.hll thousand
	head -c 1000 file.hll >cut.hll
	try 4 hll-build --update cut.hll log
	err_is "hll-build: cannot read sketch 'cut.hll': truncated"
	printf x | dd of=file.hll bs=1 seek=200 conv=notrunc 2>/dev/null
	try 4 hll-build --update file.hll log
	err_is "hll-build: cannot read sketch 'file.hll': payload checksum differs"
	[ ! -e .file.hll.new ]
}

@test "--update of what is no file is status 3" {
	mkfifo fifo
	try 3 hll-build --update fifo thousand
	err_is "hll-build: cannot update 'fifo': not a regular file"
	try 3 hll-build --update /dev/null thousand
	err_is "hll-build: cannot update '/dev/null': not a regular file"
	mkdir folder
	try 3 hll-build --update folder thousand
	err_is "hll-build: cannot update 'folder': not a regular file"
}

@test "a sketch is not written to a terminal, and that is said before the input is read" {
	local status=0
	script -qec 'hll-build no-such-file' /dev/null >screen </dev/null || status=$?
	[ "$status" = 2 ]
	grep -q '^hll-build: .*terminal' screen
	status=0
	script -qec 'hll-build --by 1 no-such-file' /dev/null >screen </dev/null || status=$?
	[ "$status" = 2 ]
	# Text is.
	script -qec 'hll-build -a thousand' /dev/null >screen </dev/null
	grep -q '^sk1:' screen
}

@test "a folder that cannot be written is status 3, and nothing is left in it" {
	mkdir folder
	build folder/old.hll thousand
	cp folder/old.hll before.hll
	chmod 555 folder
	try 3 unprivileged hll-build -o folder/new.hll log
	err_is "hll-build: cannot write 'folder/new.hll': Permission denied"
	try 3 unprivileged hll-build -o folder/old.hll log
	try 3 unprivileged hll-build --update folder/old.hll log
	err_is "hll-build: cannot write 'folder/old.hll': Permission denied"
	same before.hll folder/old.hll
	[ "$(find folder -type f | wc -l)" = 1 ]
	chmod 755 folder
	try 3 hll-build -o nowhere/new.hll log
	err_is "hll-build: cannot write 'nowhere/new.hll': No such file or directory"
}

@test "a full disk is status 3, and the old file is as it was" {
	mkdir disk
	mount -t tmpfs -o size=12k none disk 2>/dev/null || skip 'a tmpfs cannot be mounted here'
	hll-build -o disk/file.hll <<<one
	cp disk/file.hll before.hll
	local status=0
	hll-build --update disk/file.hll log 2>err || status=$?
	hll-build -f 1 --by 7 -o disk/new.hll log 2>>err || status=$status$?
	cp disk/file.hll after.hll
	find disk -type f >left
	umount disk
	[ "$status" = 33 ]
	grep -c "^hll-build: cannot write 'disk/.*': No space left on device$" err >count
	[ "$(cat count)" = 2 ]
	same before.hll after.hll
	[ "$(cat left)" = disk/file.hll ]
}

@test "a failure in the middle of the inputs leaves the old file and no other" {
	build file.hll thousand
	cp file.hll before.hll
	try 3 hll-build -o file.hll thousand no-such-file
	err_is "hll-build: cannot open 'no-such-file': No such file or directory"
	try 3 hll-build --update file.hll thousand no-such-file
	same before.hll file.hll
	[ ! -e .file.hll.new ]
}

@test "options that exclude each other are status 2" {
	try 2 hll-build -o a --update b thousand
	err_is "hll-build: -o and --update exclude each other"
	try 2 hll-build --precision 10 -e 1% thousand
	err_is "hll-build: --precision and -e exclude each other"
	build file.hll thousand
	try 2 hll-build --like file.hll -e 1% thousand
	err_is "hll-build: --precision or -e and --like exclude each other"
	try 2 hll-build --confidence 95% thousand
	err_is "hll-build: --confidence needs -e"
}

# Its limits.

@test "a precision outside 4..18, or an error that none has, is status 2" {
	for value in 3 19 0 1e3; do
		try 2 hll-build --precision "$value" thousand
		err_has "cannot use --precision '$value': not in 4..18"
	done
	for value in '' x -4 12x 4.5; do
		try 2 hll-build --precision "$value" thousand
		err_has "cannot use --precision '$value': not a whole number"
	done
	try 2 hll-build -e 0.2% thousand
	err_is "hll-build: cannot use -e '0.2%': the finest precision, 18, has a standard error of 0.203 %"
	for value in 0 2 nan -1%; do
		try 2 hll-build -e "$value" thousand
		err_has "cannot use -e '$value': not"
	done
	for value in 0 1 100%; do
		try 2 hll-build -e 1% --confidence "$value" thousand
		err_has "cannot use --confidence '$value': not in"
	done
}

@test "no lines make a sketch of nothing, no keys a record without keys" {
	build empty.hll /dev/null
	[ "$(wc -c <empty.hll)" = 128 ]
	count_is 0 empty.hll
	build empty.hll --by 1 /dev/null
	[ "$(wc -c <empty.hll)" = 192 ]
	try 0 hll-count -s empty.hll
	out_is ''
	build empty.txt -a --by 1 /dev/null
	[ ! -s empty.txt ]
}

@test "a file of the lines of no keys is updated like any other" {
	echo 'a 1' >lines
	for builder in hll-build 'hdr-build -f 2' 'bloom-build -n 10'; do
		read -ra build <<<"$builder --by 1"
		rm -f file
		try 0 "${build[@]}" -a --update file --id a /dev/null
		[ -e file ] && [ ! -s file ]
		try 4 "${build[@]}" --update file lines
		err_has 'empty, not a sketch'
		try 0 "${build[@]}" -a --update file --id b lines
		try 0 "${build[@]}" -a --id b lines
		out_is_file file
	done
}

@test "keys of any bytes and of none, with 16 million bytes at most on a line" {
	printf 'a\tb,1\na\tb,2\n,3\n\377\200,4\n' >keys
	build keyed.txt -a -d , --by 1 -f 2 keys
	try 0 hll-count -s keyed.txt
	printf '2\ta\tb\n1\t\n1\t\377\200\n' >wanted
	out_is_file wanted
	{ head -c $(((1 << 24) - 1)) /dev/zero | tr '\0' k && echo ' 1'; } >long
	build keyed.txt -a --by 1 -f 2 long
	try 0 hll-count -s keyed.txt
	[ "$(wc -c <out)" = $(((1 << 24) + 2)) ]
	sed -i 's/^/k/' long
	try 3 hll-build -a --by 1 -f 2 long
	err_is "hll-build: cannot write a line: its key has 16777216 bytes"
	build keyed.hll --by 1 -f 2 long
	try 0 hll-count -s keyed.hll
	[ "$(wc -c <out)" = $(((1 << 24) + 3)) ]
}
