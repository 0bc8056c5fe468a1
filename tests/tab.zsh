# sketchutils: BSD-2-Clause, see LICENSE
#
# tab.zsh FOLDER: what zsh offers where TAB is typed. Lines come on standard
# input; each is typed in an interactive zsh on a terminal, which has FOLDER
# in its fpath and is otherwise as it comes. For each it prints the words, and
# then a line "=".

# The zsh on the terminal reads this file, too.
if [[ -o interactive ]]; then
	fpath=($folder $fpath)
	autoload -Uz compinit && compinit -u -D
	LISTMAX=9999

	# All that is offered passes here; -O asks which of the words fit.
	compadd() {
		local -a fit
		if [[ " ${@[1,(i)(-|--)]}" != *\ -[OAD]\ * ]]; then
			builtin compadd -O fit "$@"
			offered+=($fit)
		fi
		builtin compadd "$@"
	}
	tab() {
		offered=()
		zle complete-word
		BUFFER=
		zle -I
		print -rl -- '<' $offered '>'
	}
	zle -N tab
	bindkey '^I' tab
	print '<>'
	return
fi

# await MARK: what it says up to there, without the terminal's CR.
await() {
	local said
	zpty -r -m child said "*$1"$'\r\n' || exit
	print -rn -- ${${said%$1$'\r\n'}//$'\r'}
}

zmodload zsh/zpty || exit
zpty child 'exec env TERM=dumb zsh -f -i' || exit
zpty -w child "PS1= RPS1= folder=${(q)1}; source ${(q)0:a}"
await '<>' >/dev/null
while IFS= read -r line; do
	zpty -n -w child $line$'\t'
	await '<' >/dev/null
	await '>'
	print =
done
zpty -d child
