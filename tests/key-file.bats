# sketchutils: BSD-2-Clause, see LICENSE
#
# --key-file: items are hashed with a secret, in every program that hashes lines.

load helper

KEYED='hll-build hll-count bloom-build bloom-query bloom-remove bloom-uniq cms-build cms-topk cms-query cms-limit simhash-sign simhash-dedup minhash-build minhash-dedup'
HEX=000102030405060708090a0b0c0d0e0f
INTEROP=$SKETCHUTILS_TOP/tests/interop

prepare() {
	printf '0123456789abcdef' >key
	echo "$HEX" >other
	seq 300 | sed 's/.*/A& b&/' >lines
	seq 600 | sed 's/.*/A& b&/' >more
}

# run_it PROGRAM [OPTION]...: on lines, with what it cannot do without.
run_it() {
	local program=$1
	shift
	case $program in
	bloom-build) "$program" -n 1000 "$@" lines ;;
	bloom-query) "$program" "$@" keyed.bloom lines ;;
	cms-query) "$program" "$@" keyed.cms lines ;;
	bloom-remove) cp counting.bloom copy.bloom && "$program" "$@" copy.bloom lines ;;
	hll-count) "$program" --precision 4 "$@" more ;;
	cms-limit) "$program" --limit 1 "$@" lines ;;
	*) "$program" "$@" lines ;;
	esac
}

build_sketches() {
	bloom-build --key-file key -n 1000 -o keyed.bloom lines
	bloom-build --key-file key --type counting -n 1000 -o counting.bloom lines
	cms-build --key-file key -o keyed.cms lines
	hll-build --key-file key -o keyed.hll lines
	minhash-build --key-file key -o keyed.mh lines
}

# What a key is.

@test "a key file holds 16 bytes, or 32 hexadecimal digits and perhaps a newline" {
	printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' >raw
	printf %s "$HEX" >digits
	tr a-f A-F <other >capitals
	hll-build --key-file raw -o wanted lines
	for form in digits other capitals; do
		try 0 hll-build --key-file "$form" lines
		same out wanted
	done
}

@test "a key file of anything else is refused, and not a byte of it is told" {
	printf 'SECRETSECRETSEC' >short
	printf 'SECRETSECRETSECRE' >long
	printf '0123456789abcdef\n' >line
	printf '%s\n\n' "$HEX" >lines2
	printf '%s\r\n' "$HEX" >crlf
	printf '%sSECRETSECRETSECR' 0123456789abcdef >digits
	: >empty
	for file in short long line lines2 crlf digits empty /dev/zero; do
		try 2 hll-count --key-file "$file" lines
		err_is "hll-count: cannot use --key-file '$file': not 16 bytes, nor 32 hexadecimal digits"
	done
}

@test "a key file that cannot be read is status 3, before anything is read or written" {
	for program in $KEYED; do
		try 3 "$program" --key-file none 1 2 3
		err_is "$program: cannot open key 'none': No such file or directory"
	done
	try 3 hll-build --key-file . -o out.hll lines
	err_is "hll-build: cannot read key '.': Is a directory"
	[ ! -e out.hll ]
	try 2 hll-count --key-file - lines
	err_is "hll-count: cannot use --key-file '-': the key must be in a file"
	chmod 0 key
	cp "$SKETCHUTILS_BIN/hll-count" .
	try 3 unprivileged ./hll-count --key-file key lines
	err_has "cannot open key 'key': Permission denied"
}

@test "a key may come by a pipe" {
	hll-build --key-file key -o wanted lines
	try 0 hll-build --key-file <(cat key) lines
	same out wanted
	mkfifo pipe
	{ head -c 7 key; sleep 0.05; tail -c +8 key; } >pipe &
	try 0 hll-build --key-file pipe lines
	same out wanted
	try 0 hll-build --key-file /dev/fd/3 lines 3<key
	same out wanted
}

@test "a key is read to its end, whatever comes between, or not at all" {
	broken() {
		env FAULT="$1" LD_LIBRARY_PATH="$SKETCHUTILS_BUILD" LD_PRELOAD=fault.so \
		    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
		    hll-build --key-file key lines
	}
	hll-build --key-file key -o wanted lines
	for fault in read:1:SHORT read:1:SHORT+ read:1:EINTR read:2:EINTR; do
		try 0 broken $fault
		same out wanted
	done
	for k in 1 2; do
		try_any 3 broken read:$k:EIO
		[ ! -s out ]
		err_is "hll-build: cannot read key 'key': Input/output error"
	done
}

# Who takes it.

@test "the programs that hash lines have it, and no others" {
	for command in $(make --no-print-directory -s -C "$SKETCHUTILS_TOP" show-COMMANDS); do
		"$command" --help >help
		if [[ " $KEYED " == *" $command "* ]]; then
			grep -q '^      --key-file FILE   *hash with the secret key in this file$' help
		else
			absent key-file help
			try 2 "$command" --key-file key lines
		fi
	done
}

@test "each of them gives another answer with another key, and the same with the same" {
	build_sketches
	# By its hash alone, so that an answer shows which one it was.
	local program
	for program in hll-build hll-count bloom-build cms-build minhash-build simhash-sign; do
		try 0 run_it "$program" --key-file key
		cp out wanted
		try 0 run_it "$program" --key-file <(cat key)
		same out wanted
		try 0 run_it "$program" --key-file other
		cmp -s out wanted && { echo "$program"; false; }
		try 0 run_it "$program"
		cmp -s out wanted && { echo "$program without"; false; }
		true
	done
	# The others answer as they do without, but for what is probable.
	for program in bloom-query bloom-remove bloom-uniq cms-topk cms-query cms-limit simhash-dedup minhash-dedup; do
		try_any 0 run_it "$program" --key-file key
		cp out wanted
		[ "$(grep -c . wanted)" = "$(case $program in bloom-remove) echo 0 ;; cms-topk) echo 10 ;; *) echo 300 ;; esac)" ] ||
		    [ "$program" = simhash-dedup ] || { echo "$program"; false; }
	done
}

@test "it excludes --seed, --compat and -s" {
	build_sketches
	try 2 hll-count --key-file key --seed 1 lines
	err_is 'hll-count: --seed and --key-file exclude each other'
	try 2 hll-build --key-file key --compat redis lines
	err_is 'hll-build: --compat and --key-file exclude each other'
	try 2 hll-count -s --key-file key keyed.hll
	err_is 'hll-count: -s and --key-file exclude each other'
	try 2 cms-topk -s --key-file key keyed.cms
	err_is 'cms-topk: -s and --key-file exclude each other'
}

# The hashes are those of a second program.

@test "a second program makes the same records with the key" {
	hll-build --key-file key --precision 6 -o registers.sk lines
	hll-build --key-file key -o tokens.sk lines
	for p in 1e-2 1e-4 1e-6; do
		bloom-build --key-file key -n 500 -p "$p" -o "$p.sk" lines
	done
	cms-build --key-file key --width 40 --candidates 30 -o cms.sk lines
	python3 "$INTEROP/secret.py" key ./*.sk <lines
	# It can say no.
	python3 "$INTEROP/secret.py" other tokens.sk <lines 2>err || true
	grep -q 'tokens.sk: made with another key' err
	python3 "$INTEROP/secret.py" key 1e-2.sk <more 2>err || true
	grep -q '1e-2.sk: not made of these lines' err
}

@test "a second program makes the same features with the key" {
	printf '%s\n' 'The quick, internationalized fox jumps' one '' '--- ***' 'a b c d e f g' >text
	for rule in word:2 char:4; do
		try 0 simhash-sign --key-file key --features "$rule" text
		python3 "$INTEROP/simhash.py" sign "$rule" key <text >wanted
		same out wanted
	done
	for rule in word:1 word:3 char:16; do
		minhash-build --key-file other --features "$rule" -o x text
		python3 "$INTEROP/minhash.py" hashes 1024 "$rule" other <text | grep -v all >wanted
		od -An -v -tx8 -w8 -j 128 -N $((8 * $(wc -l <wanted))) x | tr -d ' ' >got
		same got wanted
	done
}

# However lines become items.

@test "any item is hashed as a whole line of the same bytes is" {
	printf '%s\n' b1 b2 '' B3 >items
	hll-build --key-file key -o wanted items
	sed 's/^/x,/; s/$/,y/' items >csv
	try 0 hll-build --key-file key -f 2 -d , csv
	same out wanted
	try 0 hll-build --key-file key -f 2 --csv csv
	same out wanted
	sed 's/^/x [/; s/$/] y/' items >quoted
	try 0 hll-build --key-file key --quoted -f 2 quoted
	same out wanted
	sed 's/$/\r/' items >cr
	try 0 hll-build --key-file key --crlf cr
	same out wanted
	tr '\n' '\0' <items >nul
	try 0 hll-build --key-file key -z nul
	same out wanted
	sed '1i x,name,y' csv >headed
	try 0 hll-build --key-file key --header -f name -d , headed
	same out wanted

	# Folded, joined, and without the empty one.
	tr B b <items | hll-build -i --key-file key -o wanted -
	try 0 hll-build --key-file key -i items
	same out wanted
	try 0 hll-build --key-file key -i -f 2 -d , csv
	same out wanted
	grep . items | hll-build --key-file key -o wanted -
	try 0 hll-build --key-file key --skip-empty items
	cmp <(tail -c +129 out) <(tail -c +129 wanted)
	printf 'b1\nx\0b2\nx\0' >joined
	hll-build --key-file key -z -o wanted joined
	printf 'b1 x\nb2 x\n' >fields
	try 0 hll-build --key-file key -f 1,2 fields
	cmp <(tail -c +129 out) <(tail -c +129 wanted)
}

@test "no byte depends on threads, and parts make the whole" {
	split -n l/3 more part.
	for build in 'hll-build' 'bloom-build -n 1000' 'cms-build --candidates 0' 'minhash-build' \
	    'hll-build -f 2' 'hll-build --by 1' 'bloom-build --type classic -n 900 -i'; do
		$build --key-file key -j 1 -o one more
		$build --key-file key -j 2 -o two more
		same two one
		$build --key-file key -j 3 -o two - <more
		same two one
		for part in part.*; do
			$build --key-file key -o "${part/part/sketch}" "$part"
		done
		try 0 sketch-merge sketch.*
		same out one
	done
	for j in 1 2; do
		bloom-build --key-file key -j $j -o auto.$j more
		cms-build --key-file key -j $j -o cms.$j more
	done
	same auto.1 auto.2
	same cms.1 cms.2
}

# The sketch knows which key.

@test "sketch-info tells the fingerprint, and no record or message the key" {
	build_sketches
	bloom-uniq --key-file key --state keyed.seen lines >out
	simhash-dedup --key-file key --index keyed.simhash lines >out
	minhash-dedup --key-file key --index keyed.bands lines >out
	for file in keyed.* counting.bloom; do
		try 0 sketch-info "$file"
		grep -qx 'hash: *siphash' out
		grep -qx 'fingerprint: *450df48ead4ff55d' out
		absent '^seed' out
		try 0 sketch-info --json "$file"
		jq -e '.hash == "siphash" and .fingerprint == "450df48ead4ff55d" and (has("seed") | not)' out
		absent 0123456789abcdef "$file"
		absent "$(printf 0123456789abcdef | od -An -tx1 | tr -d ' \n')" "$file"
	done
	hll-build --key-file other -o other.hll lines
	try 4 sketch-merge keyed.hll other.hll
	err_is "sketch-merge: cannot merge 'other.hll': made with another key: fingerprint 450df48ead4ff55d and 8538655016821594"
}

# needs VERB COMMAND...: it takes the key, and complains without and of another one.
needs() {
	local verb=$1 file=$2
	shift 2
	try 4 "$@"
	err_is "$1: cannot $verb '$file': it was made with a key: use --key-file"
	try 4 "$@" --key-file other
	err_is "$1: cannot $verb '$file': made with another key: fingerprint 450df48ead4ff55d and 8538655016821594"
	try_any 0 "$@" --key-file key
}

@test "where lines meet a keyed sketch the same key is needed" {
	build_sketches
	bloom-uniq --key-file key --state keyed.seen lines >out
	simhash-dedup --key-file key --index keyed.simhash lines >out
	minhash-dedup --key-file key --index keyed.bands lines >out
	needs query keyed.bloom bloom-query keyed.bloom lines
	needs query keyed.bloom bloom-query --filter keyed.bloom --filter counting.bloom lines
	needs 'add to' counting.bloom bloom-query --add counting.bloom lines
	needs 'remove from' counting.bloom bloom-remove counting.bloom lines
	needs query keyed.cms cms-query keyed.cms lines
	needs update keyed.hll hll-build --update keyed.hll lines
	needs update keyed.cms cms-build --update keyed.cms lines
	needs update keyed.mh minhash-build --update keyed.mh lines
	needs update keyed.bloom bloom-build --update keyed.bloom lines
	needs 'build like' keyed.hll hll-build --like keyed.hll lines
	needs 'build like' keyed.cms cms-build --like keyed.cms lines
	needs 'build like' keyed.bloom bloom-build --like keyed.bloom lines
	needs 'build like' keyed.mh minhash-build --like keyed.mh lines
	needs 'use state' keyed.seen bloom-uniq --state keyed.seen lines
	needs 'use index' keyed.simhash simhash-dedup --index keyed.simhash lines
	needs 'use index' keyed.bands minhash-dedup --index keyed.bands lines
}

# refuses VERB FILE COMMAND...: there is no key to be given.
refuses() {
	local verb=$1 file=$2
	shift 2
	cp "$file" before
	try 4 "$@" --key-file key lines
	err_is "$1: cannot $verb '$file': it was made without a key, but --key-file gives one"
	same "$file" before
}

@test "a sketch without a key has none" {
	hll-build -o plain.hll lines
	bloom-build -n 1000 -o plain.bloom lines
	bloom-build --compat dcso -n 1000 -o dcso.bloom lines
	cms-build -o plain.cms lines
	bloom-uniq --state plain.seen lines >out
	minhash-dedup --index plain.bands lines >out
	refuses query plain.bloom bloom-query plain.bloom
	refuses query dcso.bloom bloom-query dcso.bloom
	refuses 'add to' plain.bloom bloom-query --add plain.bloom
	refuses query plain.cms cms-query plain.cms
	refuses update plain.hll hll-build --update plain.hll
	refuses 'build like' plain.hll hll-build --like plain.hll
	refuses 'use state' plain.seen bloom-uniq --state plain.seen
	refuses 'use index' plain.bands minhash-dedup --index plain.bands
}

@test "no key is needed to unite, compare, convert and read answers" {
	build_sketches
	hll-build --key-file key -o more.hll more
	cms-build --key-file key -o more.cms more
	try 0 hll-count -s keyed.hll more.hll
	out_between 580 620
	try 0 sketch-merge keyed.hll more.hll
	cmp <(tail -c +129 out) <(tail -c +129 more.hll)
	try 0 sketch-compare keyed.hll more.hll
	try 0 cms-topk -s -k 2 more.cms keyed.cms
	printf '2\tA1 b1\n2\tA10 b10\n' >wanted
	same out wanted
	sketch-merge -o both.cms keyed.cms more.cms
	try 0 cms-query --key-file key both.cms more
	[ "$(grep -c '^2	' out)" -ge 300 ]
	for file in keyed.hll keyed.cms keyed.bloom keyed.mh; do
		sketch-merge -a -o text "$file"
		try 0 sketch-merge text
		same out "$file"
	done
	# What candidates keep of it agrees with what a build of all says.
	cat lines more | cms-build --key-file key -o whole.cms -
	cms-query --key-file key --bounds whole.cms more >wanted
	cms-query --key-file key --bounds both.cms more >out
	same out wanted
}

@test "sketches of unlike keys do not unite, whichever program unites them" {
	for kind in 'hll-build' 'bloom-build -n 1000' 'cms-build' 'minhash-build' 'cms-build --type spacesaving'; do
		$kind --key-file key -o a lines
		$kind --key-file other -o b lines
		$kind -o c lines
		try 4 sketch-merge a b
		err_is "sketch-merge: cannot merge 'b': made with another key: fingerprint 450df48ead4ff55d and 8538655016821594"
		try 4 sketch-merge a c
		err_is "sketch-merge: cannot merge 'c': hash siphash and xxh3"
		try 4 sketch-compare c a
		err_has 'hash xxh3 and siphash'
	done
	hll-build --key-file key -o a lines
	hll-build --key-file other -o b lines
	try 4 hll-count -s a b
	err_has 'made with another key'
	bloom-build --key-file key -n 500 -o a lines
	bloom-build --key-file other -n 500 -o b lines
	try 4 bloom-query --key-file key --filter a --filter b lines
	err_has 'made with another key'
}

@test "runs go on from each other with the key" {
	try 0 bloom-uniq --key-file key --state seen lines
	same out lines
	try 0 bloom-uniq --key-file key --state seen more
	[ "$(wc -l <out)" = 300 ]
	hll-build --key-file key -o wanted more
	hll-build --key-file key --update grown lines
	hll-build --key-file key --update grown more
	cmp <(tail -c +129 grown) <(tail -c +129 wanted)
	bloom-build --key-file key -n 1000 -o filter lines
	try 0 bloom-query --key-file key --add -v filter more
	[ "$(wc -l <out)" -ge 290 ]
	try 1 bloom-query --key-file key -v filter more
}

@test "hashes of candidates in a record are looked at like the rest of it" {
	cms-build --key-file key --width 40 --depth 3 --candidates 5 -o x lines
	try 0 sketch-info x
	# A candidate whose hash leads to a counter that is less than its count.
	python3 - <<-'END' "$INTEROP"
		import struct, sys
		sys.path.insert(0, sys.argv[1])
		from xxh3 import xxh3_64
		from siphash import siphash
		data = bytearray(open("x", "rb").read())
		at = 128 + 40 * 3 * 8
		count, error, n, h = struct.unpack_from("<QQIQ", data, at)
		assert h == siphash(b"0123456789abcdef", bytes(data[at + 28:at + 28 + n]))
		data[at:at + 16] = struct.pack("<QQ", 300, 0)
		data[112:120] = struct.pack("<Q", xxh3_64(bytes(data[128:])))
		data[120:128] = struct.pack("<Q", xxh3_64(bytes(data[:120])))
		open("bad", "wb").write(data)
	END
	try 4 sketch-info -q bad
	err_is "sketch-info: cannot read sketch 'bad': the payload contradicts itself"
}
