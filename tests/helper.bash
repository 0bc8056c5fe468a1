# shellcheck shell=bash
# sketchutils: BSD-2-Clause, see LICENSE
#
# What every bats file loads: `load helper`. Each test gets a scratch folder
# of its own as working directory, and the programs of the build under test
# on PATH. In an estimate's test, fix the seed.
#
#	try STATUS COMMAND...    run it; stdout and stderr go to the files out and
#	                         err. Exactly this status; on 0 and 1 standard
#	                         error must be empty; on 2, 3, 4 standard output
#	                         must be, and standard error has one line that
#	                         starts with the program's name. Standard input:
#	                         try 0 hll-count <lines
#	try_any STATUS COMMAND.. the same without a rule for out and err: where
#	                         lines and a warning come together
#	out_is TEXT  err_is TEXT exactly this, and a newline (TEXT may be several
#	                         lines; an empty TEXT is an empty file)
#	out_is_file FILE         the same bytes as FILE (cmp)
#	err_has TEXT             err contains TEXT
#	same FILE FILE           cmp
#	absent PATTERN FILE      no line of FILE matches
#	unprivileged COMMAND...  run it without root's power over files
#	out_between LOW HIGH     out is one number, LOW <= it <= HIGH
#
# A tool never stands on the left of a pipe in a test: its failure would be
# lost. Use files. On the left of && the shell would forget a failure, too; but
# each of these leaves a mark, and a test that has one does not pass.

SKETCHUTILS_TOP=${BATS_TEST_DIRNAME%/tests*}
: "${SKETCHUTILS_BUILD:=$SKETCHUTILS_TOP/build}"
: "${SKETCHUTILS_BIN:=$SKETCHUTILS_BUILD/bin}"
PATH=$SKETCHUTILS_BIN:$PATH
export PATH LC_ALL=C
unset CDPATH POSIXLY_CORRECT

setup() {
	# Of what a function runs, bats would note down each command before it: ten
	# times the work of most. A failure is still found, and told by the test's line.
	set +T
	cd "$BATS_TEST_TMPDIR" || return
	if declare -F prepare >/dev/null; then prepare; fi
}

failed() {
	: >"$BATS_TEST_TMPDIR/.failed"
	return 1
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/.failed" ] || { echo 'a command above failed'; return 1; }
}

# Does this run have time? make check-long sets CHECK_LONG=1.
long() {
	[ "${CHECK_LONG:-0}" != 0 ]
}

unprivileged() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --inh-caps=-all --bounding-set=-all -- "$@"
	else
		"$@"
	fi
}

show() {
	printf -- '--- %s\n' "$1"
	head -c 2000 "$1" | cat -v
}

try_any() {
	local want=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	if [ "$got" != "$want" ]; then
		printf '%s: status %s, not %s\n' "$*" "$got" "$want"
		show out
		show err
		failed
	fi
}

try() {
	local want=$1
	try_any "$@" || return
	shift
	case $want in
	0 | 1)
		[ ! -s err ] && return
		printf '%s: standard error is not empty\n' "$*"
		show err
		failed
		;;
	2 | 3 | 4)
		if [ -s out ]; then
			printf '%s: standard output is not empty\n' "$*"
			show out
			failed || return
		fi
		# No process for it: there are thousands of these.
		local line=()
		mapfile line <err
		if [[ ! ${line[0]-} =~ ^[a-z]*-[a-z]*:\ .*$'\n'$ ]] ||
		    { [ "$want" != 2 ] && [ "${#line[@]}" != 1 ]; }; then
			printf '%s: not one line with the name of the tool\n' "$*"
			show err
			failed
		fi
		;;
	esac
}

same() {
	cmp -- "$1" "$2" && return
	show "$1"
	show "$2"
	failed
}

absent() {
	grep -q -- "$1" "$2" || return 0
	printf '"%s" is in\n' "$1"
	show "$2"
	failed
}

# text_is FILE TEXT
text_is() {
	if [ -n "$2" ]; then
		printf '%s\n' "$2" >wanted
	else
		: >wanted
	fi
	local text
	# All of it was read if no NUL ended it.
	if [ -e "$1" ] && ! IFS= read -r -d '' text <"$1" && [ "$text" = "${2:+$2$'\n'}" ]; then
		return
	fi
	same wanted "$1"
}

out_is() {
	text_is out "$1"
}

err_is() {
	text_is err "$1"
}

out_is_file() {
	same "$1" out
}

err_has() {
	local text
	IFS= read -r -d '' text <err || :
	[[ $text == *"$1"* ]] && return
	printf 'no "%s" in\n' "$1"
	show err
	failed
}

out_between() {
	awk -v low="$1" -v high="$2" 'NR == 1 && NF == 1 && $1 + 0 == $1 &&
	    $1 >= low && $1 <= high { ok = 1 } END { exit !(ok && NR == 1) }' out && return
	printf 'not one number in %s..%s:\n' "$1" "$2"
	show out
	failed
}
