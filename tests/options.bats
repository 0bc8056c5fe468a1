# sketchutils: BSD-2-Clause, see LICENSE
#
# One list of options for each program, told four times: by --help, by the
# manual, and by what bash, zsh and fish offer. They must be the same.

load helper

# What --help lists: a row "-f --field LIST" each, "- --by LIST" without a letter.
help_rows() {
	"$1" --help >help.txt || return
	sed -n -E 's/^  (-[^ -]), (--[a-z-]+)( [^ ]+)?( .*|$)/\1 \2\3/p
	    s/^      (--[a-z-]+)( [^ ]+)?( .*|$)/- \1\2/p' help.txt | LC_ALL=C sort
}

# What the manual's lists have, from ".It Fl f , Fl -field Ar LIST".
manual_rows() {
	awk '/^\.It Fl / {
		letter = "-"; name = ""; argument = ""
		for (i = 3; i <= NF; i++) {
			if ($i ~ /^[A-Za-z0-9]$/ && $(i - 1) == "Fl")
				letter = "-" $i
			else if ($i ~ /^-[a-z]/)
				name = "-" $i
			else if ($(i - 1) == "Ar")
				argument = " " $i
		}
		print letter, name argument
	}' "$SKETCHUTILS_TOP/man/$1.1" | LC_ALL=C sort
}

# The words of the rows alone: -f and --field.
words() {
	tr ' ' '\n' <"$1" | grep -E '^(-[^-]|--[a-z-]+)$' | LC_ALL=C sort
}

each_command() {
	local failed=0
	for command in $COMMANDS; do
		"$@" "$command" || { printf '^ %s\n' "$command"; failed=1; }
	done
	return "$failed"
}

prepare() {
	COMMANDS=$(make --no-print-directory -s -C "$SKETCHUTILS_TOP" show-COMMANDS)
}

@test "the manual lists the options that --help lists, with their arguments" {
	compare() {
		help_rows "$1" >a && manual_rows "$1" >b && [ -s a ] && diff a b
	}
	each_command compare
}

@test "the first line of --help and the manual's SYNOPSIS begin with the name" {
	compare() {
		"$1" --help >help.txt && head -n 1 help.txt | grep -q "^Usage: $1\( \|\$\)" &&
		    grep -q "^\.Nm $1\$" "$SKETCHUTILS_TOP/man/$1.1"
	}
	each_command compare
}

@test "bash offers the options that --help lists" {
	compare() {
		help_rows "$1" >a && words a >b
		bash -uc 'source "$1"
		    COMP_WORDS=("$2" -) COMP_CWORD=1
		    function=$(complete -p "$2" | sed "s/.*-F \([^ ]*\) .*/\1/")
		    "$function" "$2" - "$2"
		    printf "%s\n" "${COMPREPLY[@]}"' bash \
		    "$SKETCHUTILS_TOP/completions/sketchutils.bash" "$1" >c || return
		LC_ALL=C sort c | diff b -
	}
	each_command compare
}

@test "zsh offers the options that --help lists" {
	# Its completion system needs a terminal; what we hand to it does not.
	compare() {
		help_rows "$1" >a && words a >b
		grep -q "^#compdef .*\<$1\>" "$SKETCHUTILS_TOP/completions/sketchutils.zsh" || return
		zsh -fc '_arguments() { print -rl -- "$@" }
		    _call_program() { shift; eval "$@" }
		    words=("$2" -)
		    source "$1"' zsh \
		    "$SKETCHUTILS_TOP/completions/sketchutils.zsh" "$1" >c || return
		sed -n -E 's/^\*(-[^][]*)\[.*/\1/p' c | LC_ALL=C sort | diff b -
	}
	each_command compare
}

@test "fish offers the options that --help lists" {
	compare() {
		help_rows "$1" >a && words a >b
		fish --no-config -c "source '$SKETCHUTILS_TOP/completions/sketchutils.fish'
		    complete -C '$1 -'; complete -C '$1 --'" >c || return
		cut -f 1 c | grep '^-' | LC_ALL=C sort -u | diff b -
	}
	each_command compare
}

@test "the manuals mention only programs and pages that exist" {
	cd "$SKETCHUTILS_TOP" || return
	local bad=0 name section
	# shellcheck disable=SC2034
	while read -r _ name section _; do
		case $name in
		hll-* | bloom-* | cms-* | simhash-* | sketch* | hdr-* | tdigest-* | minhash-*)
			[ -f "man/$name.$section" ] || { echo "no man/$name.$section"; bad=1; }
			;;
		esac
	done < <(cat man/*.[157] | grep '^\.Xr ')
	return "$bad"
}
