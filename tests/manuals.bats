# sketchutils: BSD-2-Clause, see LICENSE
#
# The manuals are well-formed, complete, and their examples do what they show.

load helper

prepare() {
	COMMANDS=$(make --no-print-directory -s -C "$SKETCHUTILS_TOP" show-COMMANDS)
}

@test "every program has a manual, every manual its sections" {
	local bad=0
	for command in $COMMANDS; do
		for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
			grep -qx "\.Sh $section" "$SKETCHUTILS_TOP/man/$command.1" ||
			    { echo "man/$command.1 has no $section"; bad=1; }
		done
	done
	return "$bad"
}

@test "mandoc -T lint has nothing to say" {
	mandoc -T lint -W warning "$SKETCHUTILS_TOP"/man/*.[157]
}

# Its own renderer: in groff a cell of a table that does not fit goes to pieces.
@test "man has nothing to say either, at 80 columns" {
	local page bad=0
	for page in "$SKETCHUTILS_TOP"/man/*.[157]; do
		LC_ALL=C MANWIDTH=80 man -l "$page" 2>said >/dev/null
		[ ! -s said ] || { echo "${page##*/}: $(head -n 1 said)"; bad=1; }
	done
	return "$bad"
}

@test "the examples of README and of every manual print what is shown" {
	# A plausible log, and seven days of it as a roll-up would find them.
	"$SKETCHUTILS_BUILD/logmaker" access 20000 1 >access.log
	for day in 1 2 3 4 5 6 7; do
		"$SKETCHUTILS_BUILD/logmaker" access 3000 "$day" >"day$day.log"
	done
	"$SKETCHUTILS_BUILD/logmaker" messages 2000 1 >messages.txt
	python3 "$SKETCHUTILS_TOP/tests/examples.py" "$SKETCHUTILS_TOP"/man/*.[17] \
	    "$SKETCHUTILS_TOP/README.md"
}

@test "the recipes for other machines are the same in sketch(7) and README" {
	print() { python3 "$SKETCHUTILS_TOP/tests/examples.py" --print "$1" "$SKETCHUTILS_TOP/$2"; }
	print 'PAST ONE MACHINE' man/sketch.7 >manual
	print 'Past one machine' README.md >readme
	same manual readme
	[ "$(grep -c 'sketch-merge' manual)" -ge 10 ]
}
