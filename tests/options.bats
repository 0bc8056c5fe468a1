# sketchutils: BSD-2-Clause, see LICENSE
#
# One list of options for each program, told twice: by --help and by the
# manual. They must be the same. What the shells offer is in installed.bats.

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
