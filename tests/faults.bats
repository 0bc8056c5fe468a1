# sketchutils: BSD-2-Clause, see LICENSE
#
# Nothing is lost when something fails: every program that saves a file, and
# every call it makes, by way of tests/fault.c.

# shellcheck disable=SC2030,SC2031,SC2238,SC2181

load helper

# All that save a file, in all their ways; one for each road to it where what is
# tested is the road. PROGRAM:WAY, for saves and updates below.
SAVERS='hll-build bloom-build cms-build sketch-merge sketch-convert bloom-uniq'
WAYS="$SAVERS hdr-build tdigest-build minhash-build simhash-dedup minhash-dedup cms-limit
	hll-build:by hll-build:armor bloom-build:scalable cms-build:spacesaving sketch-merge:subtract"
UPDATERS='hll-build bloom-build cms-build hdr-build tdigest-build minhash-build'
if long; then
	SAVERS+=' hdr-build tdigest-build minhash-build simhash-dedup minhash-dedup cms-limit'
	WAYS+=' hll-build:armored-by hll-build:redis hll-build:postgres hll-build:datasketches
		bloom-build:classic bloom-build:counting bloom-build:cuckoo bloom-build:by
		cms-build:conservative hdr-build:by tdigest-build:by minhash-build:by
		sketch-merge:armor sketch-merge:keyed sketch-merge:intersect sketch-merge:fold sketch-convert:hlog'
fi

prepare() {
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
	export SKETCHUTILS_BUILD
	seq 1500 >lines
	seq 1000 2500 >more
	hll-build -o one.sk lines
	hll-build -o two.sk more
	bloom-build --compat dcso -n 1500 -o dcso.sk lines
	cms-build --candidates 0 -o cms.sk lines
	bloom-build -n 1500 --type classic -o bloom.sk lines
	hll-build --by 1 -o keyed.sk <(seq 100)
	hdr-build --by 1 -o keyed.hdr <(seq 100)
	# Unless faults can be made, the tests below mean nothing.
	fault write:1:SHORT hll-count lines >out
	rm mark
}

# fault CALL:K:WHAT COMMAND...: see tests/fault.c. Leaves a file mark if it
# came to that. A blank ends a name in LD_PRELOAD, but none in a path to search.
fault() {
	FAULT=$1 FAULT_MARK=$PWD/mark LD_LIBRARY_PATH=$SKETCHUTILS_BUILD LD_PRELOAD=fault.so "${@:2}"
}

# unsynced COMMAND...: without waiting for the disk, as nobody pulls the plug.
# (As a variable, so that the command is the shell's own child.)
unsynced=(env LD_LIBRARY_PATH="$SKETCHUTILS_BUILD" LD_PRELOAD=fault.so)

# saves PROGRAM[:WAY] FILE: what makes it write FILE, in the array run.
saves() {
	local program=${1%%:*} way=
	[ "$program" = "$1" ] || way=${1#*:}
	case $1 in
	sketch-merge) run=(sketch-merge -o "$2" one.sk two.sk) ;;
	sketch-merge:armor) run=(sketch-merge -a -o "$2" one.sk two.sk) ;;
	sketch-merge:keyed) run=(sketch-merge -o "$2" keyed.sk keyed.sk) ;;
	sketch-merge:fold) run=(sketch-merge --fold 20% -o "$2" bloom.sk) ;;
	sketch-merge:intersect) run=(sketch-merge --intersect -o "$2" bloom.sk bloom.sk) ;;
	sketch-merge:subtract) run=(sketch-merge --subtract -o "$2" cms.sk cms.sk) ;;
	sketch-convert) run=(sketch-convert --to dcso -o "$2" dcso.sk) ;;
	sketch-convert:hlog) run=(sketch-convert --to hlog -o "$2" keyed.hdr) ;;
	simhash-dedup | minhash-dedup | bloom-uniq) run=("$1" --dropped "$2" -c lines more) ;;
	cms-limit) run=(cms-limit --limit 1 --dropped "$2" -c lines more) ;;
	bloom-build) run=(bloom-build -n 5000 -o "$2" lines more) ;;
	bloom-build:by) run=(bloom-build -n 50 --by 1 -o "$2" lines) ;;
	bloom-build:*) run=(bloom-build --type "$way" -n 5000 -o "$2" lines more) ;;
	cms-build:spacesaving) run=(cms-build --type spacesaving -o "$2" lines more) ;;
	*:by) run=("$program" --by 1 -o "$2" lines more) ;;
	*:armor) run=("$program" -a -o "$2" lines more) ;;
	*:armored-by) run=("$program" -a --by 1 -o "$2" lines) ;;
	cms-build:*) run=(cms-build "--$way" -o "$2" lines more) ;;
	hll-build:*) run=(hll-build --compat "$way" -o "$2" lines more) ;;
	*) run=("$1" -o "$2" lines more) ;;
	esac
}

# in_folder FUNCTION PROGRAM: run it in a fresh folder, stopping at the first
# command that fails. (set -e means nothing left of || or behind if.)
in_folder() {
	local status
	program=$2 where=
	rm -rf work && mkdir work
	set +e
	(
		set -e
		trap '[ $? = 0 ] || { printf "^ %s%s\n" "$program" "$where"; show err; }' EXIT
		cp lines more ./*.sk keyed.hdr work
		cd work
		: >err
		"$1" "$program"
	)
	status=$?
	set -e
	return "$status"
}

# filters PROGRAM: is the file its --dropped, beside its answer?
filters() {
	[ "$1" = simhash-dedup ] || [ "$1" = minhash-dedup ] || [ "$1" = bloom-uniq ] || [ "$1" = cms-limit ]
}

# each LIST FUNCTION: for every program of the list, with what it saves in the
# file ../wanted, and what it prints in ../printed.
each() {
	local failed=0 program
	for program in $1; do
		saves "$program" wanted
		"${unsynced[@]}" "${run[@]}" >printed
		set +e
		in_folder "$2" "$program"
		[ "$?" = 0 ] || failed=1
		set -e
	done
	return "$failed"
}

# no_temporary: none is left in this folder.
no_temporary() {
	local left
	left=$(find . -name '.*.new')
	[ -z "$left" ] || { printf 'left: %s\n' "$left"; return 1; }
}

# ended STATUS COMMAND...: with this status, whatever it prints.
ended() {
	local want=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || { printf '%s: status %s, not %s\n' "$*" "$got" "$want"; show err; return 1; }
}

# Where the file lies.

@test "-o may be an input: it is replaced when all has been read" {
	check() {
		local input=lines
		[ "$1" = sketch-merge ] && input=one.sk
		[ "$1" = sketch-convert ] && input=dcso.sk
		saves "$1" "$input"
		ended 0 "${run[@]}"
		cmp ../wanted "$input"
		no_temporary
	}
	each "$SAVERS" check
}

@test "-o writes through a fifo, and to /dev/stdout and /dev/fd/N behind what is there" {
	check() {
		mkfifo fifo
		saves "$1" fifo
		cat fifo >got &
		ended 0 "${run[@]}"
		wait
		cmp ../wanted got
		[ -p fifo ]
		if ! filters "$1"; then
			saves "$1" /dev/stdout
			{ echo before && "${run[@]}"; } >got
			{ echo before && cat ../wanted; } | cmp - got
		fi
		saves "$1" /dev/fd/5
		{ echo before >&5 && "${run[@]}" >/dev/null; } 5>got
		{ echo before && cat ../wanted; } | cmp - got
		no_temporary
	}
	each "$SAVERS" check
}

@test "-o through symlinks replaces the file at their end, there or not yet" {
	check() {
		mkdir -p far/deep
		echo old >far/file
		ln -s ../far/deep/link far/first
		ln -s ../file far/deep/link
		ln -s far/first outer
		for state in there dangling; do
			[ "$state" = there ] || rm far/file
			saves "$1" outer
			ended 0 "${run[@]}"
			cmp ../wanted far/file
			[ -L outer ] && [ -L far/first ] && [ -L far/deep/link ]
		done
		ln -s loop loop
		saves "$1" loop
		ended 3 "${run[@]}"
		[ -L loop ]
		no_temporary
	}
	each "$SAVERS" check
}

@test "the mode of a replaced file stays, and that of a new one is the umask's" {
	check() {
		echo old >file
		chmod 640 file
		saves "$1" file
		ended 0 "${run[@]}"
		[ "$(stat -c %a file)" = 640 ]
		saves "$1" new
		(umask 027 && ended 0 "${run[@]}")
		[ "$(stat -c %a new)" = 640 ]
	}
	each "$SAVERS" check
}

@test "a folder that cannot be written is status 3, and the old file stays" {
	check() {
		mkdir locked
		echo old >locked/file
		chmod 555 locked
		saves "$1" locked/file
		ended 3 unprivileged "${run[@]}" && err_has "$1: cannot write 'locked/file': Permission denied"
		saves "$1" locked/new
		ended 3 unprivileged "${run[@]}"
		[ "$(cat locked/file)" = old ]
		[ "$(ls -A locked)" = file ]
		chmod 755 locked
	}
	each "$SAVERS" check
}

@test "a directory, a folder that is not there and an empty name are status 3" {
	check() {
		mkdir folder
		for target in folder folder/ nowhere/file '' lines/file; do
			saves "$1" "$target"
			ended 3 "${run[@]}"
			err_has "$1: cannot write '$target': "
			[ "$(wc -l <err)" = 1 ]
		done
		no_temporary
	}
	each "$SAVERS" check
}

@test "a name of any bytes and of up to 255 of them" {
	check() {
		local long
		long=$(printf '%0255d' 1)
		for target in ./-o $'a b\n\tc' "$long" "${long:0:250}" "${long:0:249}" '*' -; do
			saves "$1" "$target"
			ended 0 "${run[@]}"
			cmp ../wanted "./${target#./}"
		done
		saves "$1" "x$long"
		ended 3 "${run[@]}"
		no_temporary
	}
	each "$SAVERS" check
}

# What the system refuses.

@test "-o /dev/full is status 3" {
	check() {
		saves "$1" /dev/full
		ended 3 "${run[@]}" && err_has "$1: cannot write '/dev/full': No space left on device"
		[ -c /dev/full ]
	}
	each "$SAVERS" check
}

@test "a limit on the size of files is status 3, and the old file stays" {
	check() {
		echo old >file
		saves "$1" file
		limited() {
			ulimit -f 1
			"${run[@]}"
		}
		ended 3 limited && err_has "$1: cannot write 'file': File too large"
		[ "$(cat file)" = old ]
		no_temporary
	}
	each "$SAVERS" check
}

@test "a full disk is status 3, and the old file stays" {
	mkdir -p disk
	mount -t tmpfs -o size=16k none disk 2>/dev/null || skip 'no tmpfs may be mounted'
	check() {
		rm -f ../disk/* ../disk/.[!.]*
		echo old >../disk/file
		head -c 8192 /dev/zero >../disk/full
		if filters "$1"; then
			seq 6000 >more
		fi
		saves "$1" ../disk/file
		[ "$1" = bloom-build ] && run=(bloom-build -n 50000 -o ../disk/file lines)
		if [ "$1" = sketch-convert ]; then
			bloom-build --compat dcso -n 50000 -o dcso.sk lines
		fi
		ended 3 "${run[@]}"
		err_has 'No space left on device'
		[ "$(cat ../disk/file)" = old ]
		[ "$(ls -A ../disk)" = "file"$'\n'"full" ]
	}
	local status
	set +e
	each "$SAVERS" check
	status=$?
	set -e
	umount disk
	return "$status"
}

# at_every_call [OPTION]... CALL:WHAT: what is in the array run, once for each
# call of that kind, with the fault there. See tests/eachcall.c.
at_every_call() {
	"$SKETCHUTILS_BUILD/eachcall" "$@" "${run[@]}"
}

# saved [OPTION]... CALL:WHAT: the same, and file is old or becomes ../wanted. A
# filter says which inputs it cannot read; when it stops there, or was told to
# stop, it has dropped what it has dropped so far.
saved() {
	# shellcheck disable=SC2046
	at_every_call -f file -n ../wanted -o ../printed $(filters "$program" && echo -a -l) "$@"
}

@test "whatever call fails while a file is saved: the old file, or the new one and status 0" {
	check() {
		saves "$1" file
		echo old >file
		for what in EIO ENOSPC+; do
			saved -s 0,3 "save:$what"
		done
		for what in write:EINTR write:EAGAIN write:SHORT fsync:EINTR; do
			saved "$what"
		done
	}
	each "$WAYS" check
}

@test "memory that is refused while a file is saved: the old file, or the new one" {
	check() {
		saves "$1" file
		echo old >file
		saved -s 0,3 -q alloc:ENOMEM
		if long; then saved -s 0,3 -q alloc:ENOMEM+; fi
	}
	each "$WAYS" check
}

@test "kill -9 at any call of a save: the old file or the new one, whole" {
	check() {
		saves "$1" file
		echo old >file
		saved -s 137 -k save:KILL
	}
	each "$WAYS" check
}

@test "SIGINT, SIGTERM, SIGHUP at any call of a save: no temporary is left, and the signal shows" {
	check() {
		saves "$1" file
		echo old >file
		local signals=TERM:143
		# What differs is the signal, then, and not the way.
		long && [[ $1 != *:* ]] && signals='INT:130 TERM:143 HUP:129'
		for signal in $signals; do
			saved -s "${signal#*:}" "save:${signal%:*}"
		done
	}
	each "$WAYS" check
}

# Programs that change a file: file is old before, and new afterwards.
REVISERS='bloom-query bloom-remove'

revises() {
	bloom-build --type counting -n 5000 -p 1e-8 -o old lines
	case $1 in
	bloom-query) run=(bloom-query --add --tag file more) ;;
	*) run=("$1" file lines) ;;
	esac
	cp old file
	"${run[@]}" >wanted
	mv file new
	cp old file
}

# revised [OPTION]... CALL:WHAT: nothing is lost, and what is not written is not
# remembered. Of an input that breaks off, what was read counts.
revised() {
	local part=false
	# shellcheck disable=SC2016 # another shell's
	if [ "$program" = bloom-query ]; then
		part='sketch-info -q --verify file &&
			head -c "$(wc -c <eachcall.out)" wanted | cmp - eachcall.out'
	fi
	at_every_call -f file -n new -o wanted -l -e "$part" "$@"
}

@test "whatever call fails while a filter is changed: nothing is lost, and nothing half done" {
	check() {
		local faults='save:EIO save:ENOSPC+ read:EIO'
		long && faults+=' save:EIO+ read:EIO+'
		revises "$1"
		for what in $faults; do
			revised -s 0,3 "$what"
		done
		for what in alloc:ENOMEM alloc:ENOMEM+; do
			revised -s 0,3 -q "$what"
		done
		for what in write:SHORT read:SHORT write:EINTR write:EAGAIN read:EINTR fsync:EINTR; do
			revised "$what"
		done
	}
	each_of "$REVISERS" check
}

@test "killed at any call while a filter is changed: the old one or the new one" {
	check() {
		revises "$1"
		revised -s 137 -k save:KILL
		# Here the input ends before it has begun, or after its end; what is
		# remembered was answered.
		revised -s 143 save:TERM
	}
	each_of "$REVISERS" check
}

# each_of LIST FUNCTION: as each, for programs that make their own files.
each_of() {
	local failed=0 program
	for program in $1; do
		set +e
		in_folder "$2" "$program"
		[ "$?" = 0 ] || failed=1
		set -e
	done
	return "$failed"
}

# updates PROGRAM FILE INPUT: in the array run.
updates() {
	case $1 in
	bloom-build) run=(bloom-build -n 100000 --update "$2" "$3") ;;
	bloom-build:by) run=(bloom-build -n 100 --by 1 --update "$2" "$3") ;;
	bloom-build:*) run=(bloom-build --type "${1#*:}" -n 100000 --update "$2" "$3") ;;
	cms-build) run=(cms-build --candidates 0 --update "$2" "$3") ;;
	cms-build:spacesaving) run=(cms-build --type spacesaving --update "$2" "$3") ;;
	*:by) run=("${1%:*}" --by 1 --update "$2" "$3") ;;
	*:armor) run=("${1%:*}" -a --update "$2" "$3") ;;
	*) run=("$1" --update "$2" "$3") ;;
	esac
}

# amount FILE: the items in it, if it is whole. --update adds none twice.
amount() {
	sketch-info --json "$1" >info
	sed -n 's/.*"items":\([0-9]*\),.*"checksum":"ok".*/\1/p' info
}

@test "--update: whatever call fails, it is added once or not at all" {
	check() {
		local faults='save:EIO read:EIO'
		long && faults+=' save:ENOSPC+ save:EIO+ read:EIO+'
		updates "$1" file lines
		"${run[@]}"
		updates "$1" file more
		cp file old
		"${run[@]}"
		mv file new
		cp old file
		for what in $faults; do
			at_every_call -f file -n new -s 0,3 "$what"
		done
		at_every_call -f file -n new -s 0,3 -q alloc:ENOMEM
		at_every_call -f file -n new -s 137 save:KILL
		at_every_call -f file -n new -s 143 save:TERM
		for what in write:SHORT read:SHORT; do
			at_every_call -f file -n new "$what"
		done
	}
	local ways='bloom-build:by'
	long && ways+=' bloom-build:cuckoo bloom-build:scalable bloom-build:counting hll-build:by hll-build:armor
		cms-build:spacesaving hdr-build:by tdigest-build:by minhash-build:by'
	each_of "$UPDATERS $ways" check
}

# killed_at_random ROUNDS JUDGE: start what is in the array run, and kill it within
# the next ten milliseconds, some before they save, some after. JUDGE looks at what
# is left.
killed_at_random() {
	local n
	for ((n = 0; n < $1; n++)); do
		"${unsynced[@]}" "${run[@]}" >/dev/null 2>&1 &
		sleep "0.00$((n % 9))5"
		kill -9 $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		"$2"
	done
}

@test "kill -9 in the middle of updates: each is there or is not, and the next one cleans up" {
	check() {
		local now before rounds=5
		long && rounds=20
		# All of them take the same road.
		long && [ "$1" = cms-build ] && rounds=200
		updates "$1" file more
		"${run[@]}"
		before=$(amount file)
		judge() {
			now=$(amount file)
			[ "$now" = "$before" ] || [ "$now" = $((before + 1501)) ]
			before=$now
		}
		killed_at_random "$rounds" judge
		"${run[@]}"
		[ "$(amount file)" = $((before + 1501)) ]
		no_temporary
	}
	each_of "$UPDATERS bloom-build:scalable$(long && echo " bloom-build:by")" check
}

@test "kill -9 in the middle of -o: no file, the old one, or the new one" {
	check() {
		local rounds=5
		long && rounds=20
		long && [ "$1" = hll-build ] && rounds=200
		saves "$1" file
		judge() {
			[ ! -e file ] || cmp -s old file || cmp ../wanted file
			[ ! -e file ] || filters "$program" || sketch-info -q --verify file
			# Half of them replace one.
			rm -f file
			[ $((n % 2)) = 0 ] || cp old file
		}
		cp one.sk old
		filters "$1" || [ "$1" = sketch-convert ] || killed_at_random "$rounds" judge
		"${run[@]}" >/dev/null
		cmp ../wanted file
		no_temporary
	}
	each "$SAVERS" check
}

@test "kill -9 in the middle of --state: it can be gone on from, and nothing is lost" {
	local rounds=5
	long && rounds=200
	sort -u lines more >all
	: >printed
	judge() {
		[ ! -e state ] || sketch-info -q --verify state
	}
	for ((n = 0; n < rounds; n++)); do
		"${unsynced[@]}" bloom-uniq --state state --save-every 1ms lines more >>printed 2>/dev/null &
		sleep "0.00$((n % 9))5"
		kill -9 $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		judge
		# From the beginning, now and then.
		[ $((n % 5)) != 4 ] || { bloom-uniq --state state lines more >>printed; sort -u printed | cmp - all; rm state; : >printed; }
	done
	bloom-uniq --state state lines more >>printed
	sort -u printed | cmp - all
	no_temporary
}

@test "eight processes that update one file lose nothing" {
	check() {
		local p i rounds=5
		long && rounds=20
		long && [ "$1" = cms-build ] && rounds=200
		for p in 1 2 3 4 5 6 7 8; do
			for ((i = 0; i < rounds; i++)); do
				seq $((p * 10000 + i * 10)) $((p * 10000 + i * 10 + 9)) >"lines.$p.$i"
			done
			cat "lines.$p".* >>all
		done
		for p in 1 2 3 4 5 6 7 8; do
			(
				for ((i = 0; i < rounds; i++)); do
					updates "$1" file "lines.$p.$i"
					"${unsynced[@]}" "${run[@]}" || echo "$p $i" >>failed
				done
			) &
		done
		wait
		[ ! -e failed ]
		[ "$(amount file)" = $((rounds * 80)) ]
		updates "$1" once all
		"${run[@]}"
		cmp once file
		no_temporary
	}
	# A t-digest depends on the order in which they come.
	each_of "${UPDATERS/ tdigest-build/}" check
}

@test "a save waits for the lock, and a temporary of the dead is no lock" {
	check() {
		echo old >file
		saves "$1" file
		: >.file.new
		exec 9<.file.new
		flock 9
		"${run[@]}" >/dev/null 9<&- &
		sleep 0.2
		[ "$(cat file)" = old ]
		exec 9<&-
		wait $!
		cmp ../wanted file
		no_temporary
		for left in 'echo rubbish >.file.new' 'echo rubbish >.file.new; chmod 0 .file.new'; do
			echo old >file
			eval "$left"
			ended 0 "${run[@]}"
			cmp ../wanted file
			no_temporary
		done
		mkdir .file.new
		ended 3 "${run[@]}" && err_has "cannot write 'file': "
	}
	each "$SAVERS" check
}

# Reading, and memory.

READERS='hll-build hll-count bloom-build bloom-query cms-build cms-topk cms-query hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask simhash-sign simhash-dedup minhash-build minhash-dedup bloom-uniq cms-limit sketch-info sketch-compare sketch-convert sketch-merge'

# reads PROGRAM: an ordinary run of it that prints something, in the array run.
reads() {
	case $1 in
	bloom-query) run=(bloom-query ../bloom.sk ../few) ;;
	cms-query) run=(cms-query ../cms.sk ../few) ;;
	cms-limit) run=(cms-limit --limit 1 ../few) ;;
	sketch-compare) run=(sketch-compare ../bloom.sk ../bloom.sk) ;;
	sketch-convert) run=(sketch-convert --from dcso ../dcso.bloom) ;;
	sketch-info) run=(sketch-info one.sk) ;;
	sketch-merge) run=(sketch-merge one.sk two.sk) ;;
	*) run=("$1" ../few) ;;
	esac
}

# each_reader FUNCTION: for every program that reads.
each_reader() {
	local failed=0
	seq 990 1020 >few
	bloom-build -n 2000 -o bloom.sk lines
	cms-build -o cms.sk lines
	cms-build -o cms-few.sk few
	hdr-build -o one.hdr lines
	hdr-build --by 1 -o keyed.hdr few
	sketch-convert --to hlog keyed.hdr >keyed.hlog
	tdigest-build --by 1 -o keyed.td few
	minhash-build -o one.mh lines
	hll-build --by 1 -o keyed.sk few
	hll-build --compat redis -o redis.sk few
	hll-build --compat postgres --by 1 -o keyed-postgres.sk few
	sketch-convert --to postgres --keyed keyed-postgres.sk >rows
	bloom-build -n 20 --by 1 -o keyed-bloom.sk few
	cat keyed-bloom.sk keyed-bloom.sk >keyed-twice.sk
	sketch-convert --to dcso dcso.sk >dcso.bloom
	gzip -k dcso.bloom
	for program in $READERS; do
		set +e
		in_folder "$1" "$program"
		[ "$?" = 0 ] || failed=1
		set -e
	done
	return "$failed"
}

@test "memory that is refused at any moment: the right answer, or status 3 and a reason" {
	check() {
		local line
		while read -r line; do
			read -ra run <<<"$line"
			"${run[@]}" >wanted
			at_every_call -o wanted -s 0,3 -q alloc:ENOMEM
			# And on a machine that has none left.
			if long; then at_every_call -o wanted -s 0,3 -q alloc:ENOMEM+; fi
		done < <(grep "^$1 " ../runs)
	}
	cat >runs <<-'END'
		hll-build ../few
		hll-build --compat postgres:11,5,0 ../few
		hll-count ../few
		bloom-build ../few
		bloom-query ../bloom.sk ../few
		cms-build ../few
		cms-topk ../few
		cms-query ../cms.sk ../few
		hdr-build ../few
		hdr-quantile ../few
		tdigest-build ../few
		tdigest-quantile ../few
		log-mask ../few
		simhash-sign ../few
		simhash-dedup ../few
		minhash-build ../few
		minhash-build --features word:2 --by 1 ../few
		minhash-dedup ../few
		sketch-compare ../one.mh ../one.mh
		bloom-uniq ../few
		cms-limit --limit 1 ../few
		sketch-compare ../bloom.sk ../bloom.sk
		sketch-convert --to dcso ../dcso.sk
		sketch-convert --from dcso ../dcso.bloom.gz
		sketch-info ../one.sk
		sketch-merge ../one.sk ../two.sk
		sketch-merge --fold 5% ../bloom.sk
	END
	if long; then
		cat >>runs <<-'END'
			hll-build --by 1 ../few
			hll-build -a --by 1 ../few
			hll-build -a -j 2 ../few
			hll-build --like ../one.sk ../lines
			hll-count --by 1 ../few
			hll-count --each ../few ../lines
			hll-count --json --bounds -s ../one.sk ../two.sk
			hll-count -s ../keyed.sk
			hll-count -s --total ../keyed.sk
			hll-build --compat redis -j 2 ../few
			hll-build --compat postgres --item int64 --by 1 ../few
			hll-build --compat datasketches:4 --item utf16 ../few
			hll-count --compat datasketches --by 1 -k 3 ../few
			hll-count -s --from postgres ../rows
			hll-count -s --from postgres --total ../rows
			sketch-convert --to postgres --keyed ../keyed-postgres.sk
			sketch-convert --to redis ../redis.sk
			sketch-convert --from postgres ../rows
			sketch-convert --to hlog ../keyed.hdr
			sketch-convert --to hgrm ../one.hdr
			sketch-convert --from hlog ../keyed.hlog
			hdr-quantile -s --from hlog ../keyed.hlog
			sketch-info --each --from postgres ../rows
			sketch-merge ../keyed-postgres.sk ../keyed-postgres.sk
			bloom-build -n 100 -a -j 2 ../few
			bloom-build --type classic ../lines
			bloom-build --like ../bloom.sk ../lines
			bloom-query -v --filter ../bloom.sk --filter ../bloom.sk ../more
			bloom-query -c -j 2 ../bloom.sk ../few
			bloom-query --from dcso ../dcso.bloom.gz ../few
			bloom-build --compat dcso ../lines
			bloom-build --compat parquet -j 2 -n 100 ../few
			cms-build -a ../few
			cms-build --candidates 0 -j 2 ../few
			cms-build --like ../cms.sk ../few
			cms-build --type spacesaving -a ../few
			cms-topk -k 3 -M 64K ../lines
			cms-topk --min 1 --all --rest ../few
			cms-topk --json --csv -f 1 ../few
			cms-topk --plot --rest ../few
			cms-topk --window 36500d --every 18250d -k 3 ../few
			cms-build --conservative -j 2 ../few
			cms-query --bounds --json ../cms.sk ../few
			cms-query --where >=1 --annotate ../cms.sk ../few
			cms-query --where =0 -v -c -j 2 ../cms.sk ../few ../lines
			sketch-compare --min 1 ../cms.sk ../cms-few.sk
			sketch-merge --subtract ../cms.sk ../cms.sk
			hdr-build --by 1 -a ../few
			hdr-build --like ../one.hdr ../few
			hdr-quantile --by 1 -k 3 ../few
			hdr-quantile --correct 100 --each ../few ../lines
			hdr-quantile --bounds --json -s ../one.hdr ../one.hdr
			hdr-quantile -s ../keyed.hdr
			hdr-quantile --plot -j 2 ../few
			tdigest-build --by 1 ../few
			tdigest-quantile --by 1 --json ../few
			tdigest-quantile --each ../few ../lines
			tdigest-quantile -s ../keyed.td
			log-mask --norm typed -f 1,1 -j 2 ../lines
			simhash-sign --features char:3 -j 2 ../lines
			simhash-dedup --features char:3 -j 2 ../few
			minhash-build --size 16 --features char:3 -j 2 ../lines
			minhash-build --like ../one.mh ../lines
			minhash-dedup --features char:3 --unverified -j 2 ../few
			minhash-dedup --show counts ../lines
			sketch-merge ../one.mh ../one.mh
			bloom-uniq --repeated -j 2 ../lines
			bloom-uniq --exact ../lines
			bloom-uniq --window 1h ../few
			cms-limit --limit 1e17 -M 256K --window 1h ../lines ../more
			cms-limit --limit 1 -v --once --window 1h ../lines ../more
			sketch-info --json ../bloom.sk
			sketch-info --json ../cms.sk
			sketch-info --each ../keyed.sk
			sketch-info --from dcso ../dcso.bloom
			sketch-merge ../keyed.sk ../keyed.sk
			sketch-merge -a ../bloom.sk ../bloom.sk
			sketch-merge --intersect ../bloom.sk ../bloom.sk
			sketch-merge ../keyed-bloom.sk ../keyed-bloom.sk
			sketch-merge ../keyed-twice.sk
			sketch-merge -a ../cms.sk ../cms.sk
		END
	fi
	each_reader check
}

@test "reads that are interrupted, short or failing" {
	check() {
		# It maps its files.
		[ "$1" != sketch-info ] || return 0
		reads "$1"
		"${run[@]}" >wanted
		at_every_call -o wanted -s 0,3 read:EIO
		for what in EINTR EAGAIN SHORT; do
			at_every_call -o wanted "read:$what"
		done
	}
	each_reader check
}

@test "threads that cannot be started are done without" {
	check() {
		reads "$1"
		run[-1]=-j4
		seq 300000 330000 >big
		"${run[@]}" big >wanted
		# A pipe has work for all of them, however short it is.
		for what in thread:1:EAGAIN+ thread:2:EAGAIN; do
			rm -f mark
			fault "$what" "${run[@]}" - < <(cat big) >out 2>err
			[ -e mark ]
			cmp wanted out
			[ ! -s err ]
		done
	}
	READERS=${READERS% sketch-info*} each_reader check
}

@test "closed standard input and output harm no saved file" {
	check() {
		echo old >file
		saves "$1" file
		case $1 in *-dedup) run=("$1" --dropped file lines more) ;; esac
		status=0
		"${run[@]}" <&- >&- 2>err || status=$?
		if filters "$1"; then
			[ "$status" = 3 ]
			err_has 'cannot write standard output'
		else
			[ "$status" = 0 ] && cmp ../wanted file
		fi
		"${run[@]}" <&- >&- 2>&- || true
		[ "$(cat file)" = old ] || cmp ../wanted file
		no_temporary
	}
	each "$SAVERS" check
}

@test "a file that grows or shrinks while it is read" {
	check() {
		reads "$1"
		status=0
		seq 30000 >grows
		cp grows shrinks
		unset 'run[-1]'
		# It is stopped at a full pipe, or has read all; either is well.
		mkfifo fifo
		sha1sum <fifo >/dev/null &
		"${run[@]}" -j 2 grows >fifo 2>err &
		seq 100000 >>grows
		wait $! || status=$?
		[ "$status" = 0 ]
		[ ! -s err ]
		"${run[@]}" -j 2 shrinks >out 2>err &
		truncate -s 100 shrinks
		wait $! || status=$?
		[ "$status" = 0 ]
		# What is cut off while the kernel copies it may be read as NULs, which are
		# no number.
		[ ! -s err ] || grep -qE '^[a-z]*-[a-z]*: rejected 1 of [0-9]* lines: an item that is no number' err
	}
	READERS=${READERS% sketch-info*} each_reader check
}

@test "a filter that is cut off while it is mapped is one line and status 3" {
	bloom-build -n 200000 -o big.sk lines
	mkfifo fifo
	bloom-query --line-buffered big.sk fifo >out 2>err &
	exec 7>fifo
	echo 1 >&7
	while [ ! -s out ]; do sleep 0.01; done
	truncate -s 64 big.sk
	cat lines >&7
	exec 7>&-
	status=0
	wait $! || status=$?
	[ "$status" = 3 ]
	err_is "bloom-query: cannot read 'big.sk', which changed while in use: Input/output error"
}

@test "a file that claims to be empty and is not is read" {
	[ -r /proc/self/status ] || skip 'no /proc'
	for program in sketch-info sketch-merge 'sketch-compare /proc/self/status' bloom-query cms-query 'hll-count -s'; do
		# shellcheck disable=SC2086
		try 4 $program /proc/self/status
		err_has "cannot read sketch '/proc/self/status': not a sketch"
	done
}

@test "bloom-uniq --state: whatever call fails, what the state has seen was printed" {
	seq 1 2 1500 >half
	check() {
		bloom-uniq --state state ../half >/dev/null
		goes_on bloom-uniq --state state
	}
	each_of bloom-uniq check
}

# goes_on COMMAND...: the last word is a file that it goes on from. A later run
# finds what this one has not printed.
goes_on() {
	local kept=${*: -1} later
	cp "$kept" new
	run=("$@" lines)
	"${@:1:$#-1}" new lines >printed
	sort printed >all
	later="cp $kept copy; ${*:1:$#-1} copy lines >again; sort -u eachcall.out again | cmp - all"
	for what in '0,3 save:EIO' '0,3 save:EIO+' '0,3 save:ENOSPC+' '0,3 read:EIO' \
	    '143 save:TERM' '137 save:KILL' '0,3 -q alloc:ENOMEM'; do
		# shellcheck disable=SC2086
		at_every_call -f "$kept" -n new -o printed -e "$later" -l -s $what
	done
}

@test "--index: whatever call fails, what the index knows was printed" {
	seq 1 2 1500 >half
	check() {
		"$1" --index index ../half >/dev/null
		goes_on "$1" --index index
	}
	each_of 'simhash-dedup minhash-dedup' check
}
