# sketchutils: BSD-2-Clause, see LICENSE
#
# What people have after an installation: programs that run, manuals that man
# finds, and completions that each shell finds by the name of the program that
# stands on its command line. `make installcheck` says in INSTALLED_BINDIR and
# so on where that is; else it is installed for this, below a folder with a
# blank in its name.

load helper

run_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory -s -C "$SKETCHUTILS_TOP" "$@"
}

setup_file() {
	local root=$BATS_FILE_TMPDIR/'a root' name
	if [ -z "${INSTALLED_BINDIR-}" ]; then
		run_make install-files BUILD="${SKETCHUTILS_BIN%/bin}" RECORD="$root.record" \
		    DESTDIR="$root" PREFIX=/usr >&2 || return
	fi
	for name in BINDIR MANDIR BASHDIR ZSHDIR FISHDIR; do
		local known=INSTALLED_$name
		local folder=${!known-$(run_make "show-$name" PREFIX="$root/usr")}
		[[ $folder == /* ]] || folder=$SKETCHUTILS_TOP/$folder
		export "$known=$folder"
	done
}

prepare() {
	COMMANDS=$(run_make show-COMMANDS)
	PATH=$INSTALLED_BINDIR:$PATH
	export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD XDG_CACHE_HOME=$PWD
	touch access.log
}

# The options of a program, as its --help lists them.
options_of() {
	"$1" --help >help.txt || return
	sed -n -E 's/^  (-[^ -]), (--[a-z-]+)( .*|$)/\1\n\2/p; s/^      (--[a-z-]+)( .*|$)/\1/p' help.txt |
	    LC_ALL=C sort
}

# rows SHELL: what it offers after each line of the file lines, as a row of
# sorted words. The function SHELL prints the words, and "=" after each line.
rows() {
	"$1" <lines >answers || { show answers; return 1; }
	awk '$0 == "=" { n++; next } { print n + 0, $0 }' answers | LC_ALL=C sort -k 1n -k 2 -u |
	    awk -v n="$(wc -l <lines)" '{ row[$1] = row[$1] " " $2 }
	        END { for (i = 0; i < n; i++) print substr(row[i], 2) }'
}

# offers SHELL: for each program, what the shell offers after "-" and after
# "--" is together what --help lists. Letters are no answer to the second.
offers() {
	for command in $COMMANDS; do
		printf '%s -\n%s --\n' "$command" "$command" >&3
		options_of "$command" >options || return
		[ -s options ] || return
		printf '%s: %s\n' "$command" "$(paste -s -d ' ' options)"
	done 3>lines >told
	rows "$1" | paste -d ' ' - - >both
	for command in $COMMANDS; do
		read -r -a words || return
		printf '%s: ' "$command"
		printf '%s\n' "${words[@]}" | LC_ALL=C sort -u | paste -s -d ' '
	done <both >offered
	diff told offered
}

# chooses SHELL: after each of these lines the shell offers these words. After
# "=" one of them has the whole word, and says so by its second argument.
chooses() {
	sed -E "s/TYPE/$2/g; s/^ *//" >table <<-'END'
		bloom-build --type :block classic counting cuckoo scalable
		bloom-build --type=c:TYPEclassic TYPEcounting TYPEcuckoo
		hll-build --compat :datasketches postgres redis
		bloom-build --compat :dcso parquet
		sketch-merge --from re:redis
		sketch-convert --to h:hdr-base64 hgrm hgrm-csv hlog
		simhash-dedup --keep :first longest
		minhash-dedup --show :counts map pairs
		log-mask --norm :case digits log none typed
		hll-count ac:access.log
		hll-build -o ac:access.log
		hll-build -f ac:
	END
	cut -d : -f 1 table >lines
	cut -d : -f 2 table >told
	rows "$1" >offered
	diff told offered
}

# bash as its own package sets it up: what a command completes with is loaded
# when that command is first completed.
in_bash() {
	XDG_DATA_DIRS=${INSTALLED_BASHDIR%/bash-completion/completions} bash --norc -c '
		. /usr/share/bash-completion/bash_completion || exit
		while IFS= read -r COMP_LINE; do
			# As readline cuts it.
			IFS=" " read -r -a COMP_WORDS <<<"${COMP_LINE//=/ = }"
			[[ $COMP_LINE != *[\ =] ]] || COMP_WORDS+=("")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
			name=${COMP_WORDS[0]}
			complete -p "$name" >/dev/null 2>&1 || _completion_loader "$name"
			[[ $(complete -p "$name") =~ " -F "([^ ]+)" " ]] || exit
			"${BASH_REMATCH[1]}" "$name" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
			printf "%s\n" "${COMPREPLY[@]}" | sed "/^\$/d"
			echo =
		done'
}

# zsh with the folder in its fpath, typed at on a terminal.
in_zsh() {
	zsh -f "$SKETCHUTILS_TOP/tests/tab.zsh" "$INSTALLED_ZSHDIR"
}

# fish as it starts for anybody.
in_fish() {
	# shellcheck disable=SC2016 # fish expands them
	XDG_DATA_DIRS=${INSTALLED_FISHDIR%/fish/vendor_completions.d} fish -c '
		while read --line line
			complete -C $line | string replace --regex "\t.*" ""
			echo =
		end'
}

@test "every program runs from where it was installed" {
	for command in $COMMANDS; do
		[ "$(command -v "$command")" = "$INSTALLED_BINDIR/$command" ]
		try 0 "$command" --version
		grep -q "^$command (sketchutils) [0-9.]*" out || { show out; return 1; }
	done
}

@test "man finds the page of every program, sketch(5) and sketch(7)" {
	for command in $COMMANDS sketch.5 sketch.7; do
		local section=1 name=$command
		case $command in sketch.*) section=${command#*.} name=sketch ;; esac
		local page
		# shellcheck disable=SC2153 # setup_file sets it
		page=$(man -M "$INSTALLED_MANDIR" -w "$section" "$name") || { echo "no $name($section)"; return 1; }
		[[ $page == "$INSTALLED_MANDIR/man$section/$name.$section"* ]]
	done
}

@test "bash loads the completion of every program, with all of its options" {
	offers in_bash
}

@test "bash completes what may follow an option, and files" {
	chooses in_bash ''
}

@test "zsh loads the completion of every program, with all of its options" {
	offers in_zsh
}

@test "zsh completes what may follow an option, and files" {
	chooses in_zsh ''
}

@test "fish loads the completion of every program, with all of its options" {
	offers in_fish
}

@test "fish completes what may follow an option, and files" {
	chooses in_fish --type=
}
