# sketchutils: BSD-2-Clause, see LICENSE
#
# What every program does alike, whatever it is about. A new program is one
# row in run_it and stands in the lists by what it reads.

load helper

READ_LINES='hll-build hll-count bloom-build bloom-query bloom-remove bloom-uniq cms-build cms-topk cms-query cms-limit hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask simhash-sign simhash-dedup minhash-build minhash-dedup'
READ_SKETCHES='sketch-compare sketch-convert sketch-info sketch-merge'
READ_NOTHING='sketch-plan'
BUILDERS='hll-build bloom-build cms-build hdr-build tdigest-build minhash-build sketch-merge'

prepare() {
	printf '%s\n' one two three two 'four five' >lines
	printf '%s\n' 1 2.5 3 2.5 -4e5 >numbers
	hll-build -o hll.sk lines
	bloom-build -o bloom.sk lines
	cms-build -o cms.sk lines
	bloom-build --compat dcso -o dcso.sk lines
	sketch-convert --to dcso -o dcso.bloom dcso.sk
}

# run_it PROGRAM [OPERAND]...: with what it cannot do without.
run_it() {
	local program=$1
	shift
	case $program in
	bloom-query) bloom-query bloom.sk "$@" ;;
	bloom-remove)
		# Again and again it has all that is asked of it.
		cat lines log 2>/dev/null | bloom-build --type counting -n 5000 -o counting.sk
		bloom-remove -c counting.sk "$@"
		;;
	cms-query) cms-query cms.sk "$@" ;;
	cms-limit) cms-limit --limit 1 "$@" ;;
	bloom-build) bloom-build -n 100 "$@" ;;
	sketch-compare)
		# It wants two.
		if [ $# -eq 0 ] || [ "${!#}" = --json ]; then set -- "$@" -; fi
		sketch-compare bloom.sk "$@"
		;;
	sketch-convert) sketch-convert --from dcso "$@" ;;
	sketch-plan) sketch-plan -n 1M -p 1% "$@" ;;
	*) "$program" "$@" ;;
	esac
}

# sample PROGRAM: an input it likes.
sample() {
	[ "$1" != sketch-convert ] || { echo dcso.bloom; return; }
	[ "$1" != sketch-compare ] || { echo bloom.sk; return; }
	case $1 in hdr-* | tdigest-*) echo numbers; return ;; esac
	case " $READ_LINES :$READ_SKETCHES " in
	*" $1 "*:*) echo lines ;;
	*:*"$1 "*) echo hll.sk ;;
	*) echo bloom ;;
	esac
}

each() {
	local failed=0 list=$1
	shift
	for program in $list; do
		"$@" "$program" || { printf '^ %s\n' "$program"; failed=1; }
	done
	return "$failed"
}

@test "these are all the programs there are" {
	make --no-print-directory -s -C "$SKETCHUTILS_TOP" show-COMMANDS | tr ' ' '\n' | sort >a
	tr ' ' '\n' <<<"$READ_LINES $READ_SKETCHES $READ_NOTHING" | sort >b
	same a b
	for file in "$SKETCHUTILS_TOP"/cmd/*.c; do
		basename "$file" .c
	done | sort >c
	same a c
}

ALL="$READ_LINES $READ_SKETCHES $READ_NOTHING"

@test "--help and --version go to standard output, with status 0" {
	check() {
		try 0 "$1" --help && head -n 1 out | grep -q "^Usage: $1 " &&
		    try 0 "$1" -h && try 0 "$1" --version && grep -q "^$1 (sketchutils) [0-9]" out &&
		    try 0 "$1" -V
	}
	each "$ALL" check
}

@test "an unknown option is status 2 and names the option" {
	check() {
		try 2 "$1" --no-such-option && err_has "$1: " && err_has --no-such-option &&
		    [ "$(wc -l <err)" -le 3 ] &&
		    try 2 "$1" -% && err_has "'-%'"
	}
	each "$ALL" check
}

@test "a long option must be given whole" {
	check() {
		try 2 "$1" --hel && err_has --hel && try 2 "$1" --versio && err_has --versio
	}
	each "$ALL" check
}

@test "an option that takes an argument does not go without, and the other way round" {
	check() {
		try 2 "$1" --help=x && err_has --help
	}
	each "$ALL" check
	missing() {
		try 2 "$1" -f && err_has "'-f'" && try 2 "$1" --field && err_has "'--field'"
	}
	each "$READ_LINES" missing
}

@test "a normal run has status 0 and says nothing on standard error" {
	check() {
		try 0 run_it "$1" "$(sample "$1")"
	}
	each "$READ_LINES $READ_SKETCHES" check
	try 0 run_it sketch-plan
}

@test "no operand, '-' and a file are the same input; '--' ends the options" {
	check() {
		local file
		file=$(sample "$1")
		[ "$1" = sketch-info ] && set -- "$1" --json
		run_it "$@" "$file" >wanted.out || return
		cp "$file" ./-x
		if [ "$1" != sketch-info ]; then
			try 0 run_it "$@" <"$file" && same wanted.out out &&
			    try 0 run_it "$@" - <"$file" && same wanted.out out || return
		fi
		try 0 run_it "$@" -- "$file" && same wanted.out out &&
		    try 0 run_it "$@" -- -x
	}
	each "$READ_LINES $READ_SKETCHES" check
}

@test "a full disk behind standard output is status 3" {
	check() {
		local status=0
		run_it "$1" "$(sample "$1")" >/dev/full 2>err || status=$?
		[ "$status" = 3 ] && err_has "$1: cannot write"
	}
	each "$ALL" check
	help() {
		local status
		for option in --help --version; do
			status=0
			"$1" "$option" >/dev/full 2>err || status=$?
			[ "$status" = 3 ] || return
		done
	}
	each "$ALL" help
}

@test "a closed standard output is status 3" {
	check() {
		local status=0
		run_it "$1" "$(sample "$1")" >&- 2>err || status=$?
		[ "$status" = 3 ] && err_has "$1: cannot write"
	}
	each "$READ_LINES $READ_SKETCHES" check
}

@test "a closed standard input is status 3" {
	check() {
		try 3 run_it "$1" <&- && err_has "$1: cannot"
	}
	each "$READ_LINES $READ_SKETCHES" check
}

@test "a missing file is status 3 and named" {
	check() {
		try 3 run_it "$1" no-such-file && err_has no-such-file &&
		    err_has 'No such file'
	}
	each "$READ_LINES $READ_SKETCHES" check
}

@test "a directory as input is status 3" {
	check() {
		mkdir -p folder
		try 3 run_it "$1" folder && err_has folder && err_has 'directory'
	}
	each "$READ_LINES $READ_SKETCHES" check
}

@test "control bytes in a name do not reach the terminal" {
	check() {
		try 3 run_it "$1" $'no\033[31mfile\n' && ! grep -q $'\033' err && err_has 'no?[31mfile?'
	}
	each "$READ_LINES $READ_SKETCHES" check
}

@test "compressed input is refused with a hint" {
	gzip -c lines >lines.gz
	check() {
		try 3 run_it "$1" lines.gz && err_has zcat
	}
	each "$READ_LINES" check
}

@test "a sketch given as lines is refused with a hint" {
	check() {
		try 3 run_it "$1" hll.sk && err_has sketch
	}
	each "$READ_LINES" check
}

@test "lines given as a sketch are status 4" {
	check() {
		try 4 run_it "$1" lines && err_has lines
	}
	each "$READ_SKETCHES" check
}

@test "standard output that is an input is status 2, and the input stays" {
	cp lines lines.before
	check() {
		local status=0
		# shellcheck disable=SC2094
		run_it "$1" lines >>lines 2>err || status=$?
		[ "$status" = 2 ] && same lines.before lines
	}
	each "$READ_LINES" check
	# A shell has emptied it by then.
	cp hll.sk one.sk
	# shellcheck disable=SC2094
	(sketch-merge one.sk >one.sk) 2>err && failed
	cp hll.sk one.sk
	# shellcheck disable=SC2094
	(sketch-merge one.sk >>one.sk) 2>err && failed
	same hll.sk one.sk
}

# Programs whose answer is lines of the input.
FILTERS='bloom-uniq cms-limit log-mask simhash-dedup minhash-dedup'

@test "with -z records end in NUL, those that come out, too" {
	printf 'a\nb\0\xff\r c\0\n\0' >records
	check() {
		try 0 run_it "$1" -z records && same records out
	}
	each "$FILTERS" check
	printf 'a\nb\0c\0' >records
	printf '2\0' >wanted
	try 0 hll-count -z records
	same wanted out
}

@test "a sketch is never written to a terminal" {
	check() {
		local status=0
		# script(1) is a terminal without a person.
		script -qec "$1 $(sample "$1")" /dev/null >screen </dev/null || status=$?
		[ "$status" = 2 ] && grep -q terminal screen
	}
	each "$BUILDERS" check
}

@test "a builder that fails leaves no file" {
	check() {
		try 3 run_it "$1" -o new.sk no-such-file && [ ! -e new.sk ] && [ ! -e .new.sk.new ]
	}
	each "$BUILDERS" check
}

@test "--update of a file of armour keeps it armour, and -a makes one of it" {
	seq 5 9 >more
	check() {
		local update=(run_it "$@") lines
		lines=$(sample "$1")
		rm -f text.sk binary.sk
		try 0 "${update[@]}" -a --update text.sk "$lines" && try 0 "${update[@]}" --update text.sk more &&
		    try 0 "${update[@]}" --update binary.sk "$lines" &&
		    absent sk1: binary.sk && try 0 "${update[@]}" -a --update binary.sk more &&
		    grep -q 'sk1:[A-Za-z0-9_-]*$' text.sk && same text.sk binary.sk
	}
	each "${BUILDERS% sketch-merge}" check
	check hll-build --by 1
}

@test "locale and time zone change nothing" {
	printf 'I\xc4\xb0\xff\n\xc3\x84\n1,5\n' >>lines
	check() {
		local file
		file=$(sample "$1")
		run_it "$1" "$file" >a 2>a.err
		LC_ALL=C.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Tokyo run_it "$1" "$file" >b 2>b.err
		same a b && same a.err b.err
	}
	each "$READ_LINES $READ_SKETCHES $READ_NOTHING" check
}

@test "empty input is no failure" {
	: >empty
	check() {
		local status=0
		run_it "$1" empty >out 2>err || status=$?
		case $1 in
		bloom-query) [ "$status" = 1 ] ;;
		*) [ "$status" = 0 ] ;;
		esac && [ ! -s err ]
	}
	each "$READ_LINES" check
	refuse() {
		try 4 run_it "$1" empty && err_has empty
	}
	each "$READ_SKETCHES" refuse
}

@test "threads, and a file or a pipe, make no difference" {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 >log
	cat lines >>log
	seq 3000 | cat - numbers >many
	check() {
		local log=log
		[ "$(sample "$1")" != numbers ] || log=many
		run_it "$1" -j 1 "$log" >a && run_it "$1" -j 2 "$log" >b &&
		    same a b && run_it "$1" -j 2 < <(cat "$log") >c && same a c
	}
	each "$READ_LINES" check
}

@test "equal lines, ascending and descending ones take no longer than others" {
	local n=100000
	long && n=1000000
	yes 42 | head -n "$n" >equal
	seq "$n" >ascending
	tac ascending >descending
	# What grows with the square of them would take minutes.
	linear() {
		(ulimit -t 20 && "$@" >/dev/null) || { echo "$*"; return 1; }
	}
	for order in equal ascending descending; do
		for program in hll-build hll-count bloom-uniq cms-topk cms-build minhash-build \
		    hdr-quantile tdigest-quantile tdigest-build; do
			linear "$program" "$order"
		done
		linear hll-count --by 1 "$order"
		linear tdigest-quantile --by 1 -k 1 "$order"
		linear bloom-build --by 1 -n 10 "$order"
		linear bloom-build --type scalable "$order"
		linear cms-limit --limit 3 "$order"
	done
}

@test "a program that cannot write to a closed pipe ends quietly" {
	check() {
		local status
		"$SKETCHUTILS_BUILD/logmaker" access 20000 >log
		set +o pipefail
		{ run_it "$1" log 2>err; echo $? >status; } | head -c 1 >/dev/null
		status=$(cat status)
		{ [ "$status" = 141 ] || [ "$status" = 0 ]; } && [ ! -s err ]
	}
	each "$FILTERS simhash-sign" check
	# Where the signal is ignored, writing fails: it does not read on for ever.
	ignored() {
		{ (trap '' PIPE; run_it "$1" < <(yes "$(seq 99)" | head -c 1G) 2>err; echo $? >status); } |
		    head -c 1 >/dev/null
		[ "$(cat status)" = 3 ] && err_has "$1: cannot write"
	}
	each 'log-mask simhash-sign' ignored
}

@test "--json is one flat object a row, whatever bytes a key has" {
	printf 'a\nb\n\xff\x00\n"quoted"\\\n\n' >bytes
	printf 'k 1\n\xff 2\n"q"\\ 3\n' >keyed
	flat() {
		try_any 0 "$@" && [ -s out ] &&
		    jq -es 'all(type == "object" and (map(type != "object" and type != "array") | all))' out >/dev/null
	}
	flat hll-count --json bytes
	flat hll-count --json --by 1 -f 2 keyed
	flat hll-count --json --each bytes keyed
	flat cms-topk --json bytes
	jq -es 'map(.item_b64 // empty) == ["/wA="]' out
	flat cms-query --json cms.sk bytes
	for program in hdr-quantile tdigest-quantile; do
		flat "$program" --json numbers
		flat "$program" --json --by 1 -f 2 keyed
		jq -es 'map(.key_b64 // empty) == ["/w=="]' out
	done
	flat simhash-dedup --show map --json bytes
	flat sketch-info --json bloom.sk hll.sk cms.sk
	flat sketch-compare --json bloom.sk bloom.sk
	flat sketch-plan --json -n 1M -p 1%
}
