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

@test "no line of --help is wider than 80 columns" {
	narrow() {
		"$1" --help >help.txt && awk 'length > 80 { print; bad = 1 } END { exit bad }' help.txt
	}
	each_command narrow
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

# Options whose argument is a number, or a list of them.
NUMBERS=' --capacity --fpp --precision --error --confidence --width --depth --candidates --top --min --max-count --limit --memory --seed --threads --window --every --tumble --save-every --distance --edits --similarity --digits --compression --size --expect --threshold --correct --range --quantile '

@test "what is no number, or one that no option takes, is status 2 and names the option" {
	local values=('' ' 1' -1 nan 1e309 '1 ' inf 0x10 1e 1..2 99999999999999999999999) next=0
	refuse() {
		local name value status all=("${values[@]}")
		help_rows "$1" >a
		while read -r name; do
			[[ $NUMBERS == *" $name "* ]] || continue
			# One after the other; all of them where there is time.
			long || all=("${values[next++ % ${#values[@]}]}")
			for value in "${all[@]}"; do
				# An interval is what a sample is: blanks may stand around any number.
				[[ $name != --correct || $value != *[\ 9]* || $value = 1e309 ]] || continue
				status=0
				"$1" "$name" "$value" >out 2>err </dev/null || status=$?
				[ "$status" = 2 ] && [ ! -s out ] && grep -qF -- "$name" err &&
				    head -n 1 err | grep -q "^$1: " ||
				    { echo "$1 $name '$value': status $status"; show err; return 1; }
			done
		done < <(grep -oE -- '--[a-z-]+ ' a | sort -u)
	}
	each_command refuse
}
