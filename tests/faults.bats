# sketchutils: BSD-2-Clause, see LICENSE
#
# Nothing is lost when something fails: every program that saves a file, and
# every call it makes, by way of tests/fault.c.

# shellcheck disable=SC2030,SC2031,SC2238,SC2181

load helper

# One for each road to a file; all of them where there is time.
SAVERS='hll-build bloom-build cms-build sketch-merge sketch-convert bloom-uniq'
UPDATERS='hll-build bloom-build cms-build'
if long; then
	SAVERS+=' hdr-build tdigest-build minhash-build simhash-dedup minhash-dedup cms-limit'
	UPDATERS+=' hdr-build tdigest-build minhash-build'
fi

prepare() {
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
	seq 1500 >lines
	seq 1000 2500 >more
	hll-build -o one.sk lines
	hll-build -o two.sk more
	bloom-build --compat dcso -n 1500 -o dcso.sk lines
	# Unless faults can be made, the tests below mean nothing.
	fault write:1:SHORT hll-count lines >out
	rm mark
}

# fault CALL:K:WHAT COMMAND...: see tests/fault.c. Leaves a file mark if it
# came to that. A blank ends a name in LD_PRELOAD, but none in a path to search.
fault() {
	FAULT=$1 FAULT_MARK=$PWD/mark LD_LIBRARY_PATH=$SKETCHUTILS_BUILD LD_PRELOAD=fault.so "${@:2}"
}

# saves PROGRAM FILE: what makes PROGRAM write FILE, in the array run.
saves() {
	case $1 in
	sketch-merge) run=(sketch-merge -o "$2" one.sk two.sk) ;;
	sketch-convert) run=(sketch-convert --to dcso -o "$2" dcso.sk) ;;
	simhash-dedup | minhash-dedup | bloom-uniq) run=("$1" --dropped "$2" -c lines more) ;;
	cms-limit) run=(cms-limit --limit 1 --dropped "$2" -c lines more) ;;
	bloom-build*) run=(bloom-build -n 5000 -o "$2" lines more) ;;
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
		cp lines more one.sk two.sk dcso.sk work
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
# file ../wanted.
each() {
	local failed=0 program
	for program in $1; do
		saves "$program" wanted
		"${run[@]}" >/dev/null
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

# at_every_call CALL WHAT FUNCTION: run what is in the array run once for each
# call of that kind, with the fault there; FUNCTION STATUS judges. The last
# run is the one in which nothing happened.
at_every_call() {
	local k step=1 status
	for ((k = 1; ; k += step)); do
		# Of hundreds of allocations most are of one loop.
		[ "$1" != alloc ] || step=$((1 + k / 20))
		where=": $2 at call $k of $1"
		rm -f mark
		status=0
		fault "$1:$k:$2" "${run[@]}" >out 2>err || status=$?
		[ -e mark ] || break
		"$3" "$status"
	done
	[ "$k" -gt 1 ]
	[ "$status" = 0 ]
	where=
}

# old_or_new FILE: old, or what it is to become. A filter that could not read
# an input, or was told to stop, has dropped what it has dropped so far.
old_or_new() {
	cmp -s old "$1" || cmp -s ../wanted "$1" || filters "$program"
	cp old "$1"
}

@test "whatever call fails while a file is saved: the old file, or the new one and status 0" {
	check() {
		saves "$1" file
		echo old >old && cp old file
		judge() {
			no_temporary
			if [ "$1" = 0 ]; then
				cmp ../wanted file
				[ ! -s err ]
			else
				[ "$1" = 3 ]
				# A filter says which inputs it cannot read.
				[ "$(wc -l <err)" = 1 ] || filters "$program"
				grep -q "^$program: cannot " err
			fi
			old_or_new file
		}
		local faults='EIO ENOSPC+'
		long && faults='EIO EIO+ ENOSPC+'
		for what in $faults; do
			at_every_call save "$what" judge
		done
		unharmed() {
			[ "$1" = 0 ]
			judge 0
		}
		for what in write:EINTR write:EAGAIN write:SHORT fsync:EINTR; do
			at_every_call "${what%:*}" "${what#*:}" unharmed
		done
	}
	each "$SAVERS" check
}

@test "kill -9 at any call of a save: the old file or the new one, whole" {
	check() {
		saves "$1" file
		echo old >old && cp old file
		judge() {
			[ "$1" = 137 ]
			old_or_new file
			"${run[@]}" >/dev/null
			cmp ../wanted file
			no_temporary
			cp old file
		}
		at_every_call save KILL judge
	}
	each "$SAVERS" check
}

@test "SIGINT, SIGTERM, SIGHUP at any call of a save: no temporary is left, and the signal shows" {
	check() {
		saves "$1" file
		echo old >old && cp old file
		local signals=TERM:143
		long && signals='INT:130 TERM:143 HUP:129'
		for signal in $signals; do
			judge() {
				[ "$1" = "${signal#*:}" ]
				no_temporary
				# The shell may say so, the program says nothing.
				absent "^$program" err
				old_or_new file
			}
			at_every_call save "${signal%:*}" judge
		done
	}
	each "$SAVERS" check
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
}

# revised STATUS: nothing was lost, and what was not written is not remembered.
revised() {
	no_temporary
	if [ "$1" = 0 ]; then
		cmp new file
		cmp wanted out
		[ ! -s err ]
	else
		[ "$1" = 3 ]
		grep -q "^$program: cannot " err
		# The last step, syncing the folder, comes when it is there.
		cmp -s old file || { cmp -s new file && cmp wanted out; } || whole file
	fi
	cp old file
}

# An input that breaks off: what was read of it counts.
whole() {
	sketch-info --json "$1" | grep -q '"checksum":"ok"'
	[ "$program" = bloom-query ] && head -c "$(wc -c <out)" wanted | cmp - out
}

@test "whatever call fails while a filter is changed: nothing is lost, and nothing half done" {
	check() {
		local faults='save:EIO read:EIO alloc:ENOMEM'
		long && faults+=' save:ENOSPC+ alloc:ENOMEM+'
		revises "$1"
		for what in $faults; do
			cp old file
			at_every_call "${what%:*}" "${what#*:}" revised
		done
		right() {
			[ "$1" = 0 ]
			revised 0
		}
		faults='write:SHORT read:SHORT'
		long && faults+=' write:EINTR write:EAGAIN read:EINTR fsync:EINTR'
		for what in $faults; do
			cp old file
			at_every_call "${what%:*}" "${what#*:}" right
		done
	}
	each_of "$REVISERS" check
}

@test "killed at any call while a filter is changed: the old one or the new one" {
	check() {
		revises "$1"
		dead() {
			[ "$1" = 137 ]
			cmp -s old file || cmp new file
			cp old file
			"${run[@]}" >out
			cmp new file
			no_temporary
			cp old file
		}
		cp old file
		at_every_call save KILL dead
		# Here the input ends before it has begun, or after its end.
		told() {
			[ "$1" = 143 ]
			no_temporary
			absent "^$program" err
			cmp -s old file || cmp new file
			# What is remembered was answered.
			cmp -s old file || cmp wanted out
			cp old file
		}
		cp old file
		at_every_call save TERM told
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
		updates "$1" file lines
		"${run[@]}"
		cp file old
		updates "$1" file more
		judge() {
			no_temporary
			case $1:$(amount file) in
			0:3001 | 3:1500 | 3:3001) ;;
			*) return 1 ;;
			esac
			cp old file
		}
		at_every_call save EIO judge
		at_every_call read EIO judge
		if long; then at_every_call save ENOSPC+ judge; fi
	}
	each "$UPDATERS bloom-build:by$(long && echo " bloom-build:cuckoo")" check
}

@test "kill -9 in the middle of saves: each is there or is not, and the next one cleans up" {
	local rounds=10
	long && rounds=40
	check() {
		local n=0 before now
		updates "$1" file more
		"${run[@]}"
		before=$(amount file)
		for ((n = 0; n < rounds; n++)); do
			# Some die before they save, some never.
			"${run[@]}" 2>/dev/null &
			sleep "0.00$((n % 9))5"
			kill -9 $! 2>/dev/null || true
			wait $! 2>/dev/null || true
			now=$(amount file)
			[ "$now" = "$before" ] || [ "$now" = $((before + 1501)) ]
			before=$now
		done
		"${run[@]}"
		[ "$(amount file)" = $((before + 1501)) ]
		no_temporary
	}
	each "$UPDATERS bloom-build:scalable$(long && echo " bloom-build:by")" check
}

@test "eight processes that update one file lose nothing" {
	local rounds=10
	long && rounds=40
	check() {
		local p i
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
					"${run[@]}" || echo "$p $i" >>failed
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
	each "${UPDATERS/ tdigest-build/}" check
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

# right_or_3 STATUS: the right answer, or status 3 and one line that says why;
# what is printed then is nothing, or where the answer begins.
right_or_3() {
	if [ "$1" = 0 ]; then
		cmp wanted out
		[ ! -s err ]
	else
		[ "$1" = 3 ]
		[ "$(wc -l <err)" = 1 ]
		grep -q '^[a-z]*-[a-z]*: cannot ' err
		head -c "$(wc -c <out)" wanted | cmp - out
	fi
}

right() {
	[ "$1" = 0 ]
	right_or_3 0
}

@test "memory that is refused at any moment: the right answer, or status 3 and a reason" {
	check() {
		local line
		while read -r line; do
			read -ra run <<<"$line"
			"${run[@]}" >wanted
			at_every_call alloc ENOMEM right_or_3
		done < <(grep "^$1 " ../runs)
		# The last of them once more, on a machine that has none left.
		if long; then at_every_call alloc ENOMEM+ right_or_3; fi
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
		at_every_call read EIO right_or_3
		at_every_call read EINTR right
		at_every_call read EAGAIN right
		at_every_call read SHORT right
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
			right 0
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
		cp state old
		cp state new
		bloom-uniq --state new lines | sort >all
		run=(bloom-uniq --state state lines)
		judge() {
			[ "$1" = 137 ] || no_temporary
			# A later run finds what this one has not printed.
			cp out printed
			cp state copy
			bloom-uniq --state copy lines >again
			sort -u printed again | cmp - all
			cp old state
		}
		local faults=EIO
		long && faults='EIO ENOSPC+ TERM'
		for what in $faults; do
			at_every_call save "$what" judge
			cp old state
		done
		at_every_call write KILL judge
	}
	each bloom-uniq check
}

@test "--index: whatever call fails, what the index knows was printed" {
	seq 1 2 1500 >half
	check() {
		local program=$1
		"$program" --index index ../half >/dev/null
		cp index old
		cp index new
		"$program" --index new lines | sort >all
		run=("$program" --index index lines)
		judge() {
			[ "$1" = 137 ] || no_temporary
			cp out printed
			cp index copy
			"$program" --index copy lines >again
			sort -u printed again | cmp - all
			cp old index
		}
		local faults=EIO
		long && faults='EIO ENOSPC+ TERM'
		for what in $faults; do
			at_every_call save "$what" judge
			cp old index
		done
		at_every_call write KILL judge
	}
	each 'simhash-dedup minhash-dedup' check
}
