# shellcheck shell=bash
# sketchutils: BSD-2-Clause, see LICENSE
#
# Completion for bash. A program's --help is the one list of its options, so
# it is asked, and there is no second list to fall behind.

_sketchutils()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local choices=

	case $before in
	--progress) choices='auto always never' ;;
	--type) choices=$("$1" --help 2>/dev/null | sed -n 's/^.*--type \([a-z|]*\|).*/\1/p') ;;
	esac
	if [[ $choices ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
		    sed -n 's/^  \(-[^ -]\), \(--[a-z-]*\).*/\1 \2/p; s/^      \(--[a-z-]*\).*/\1/p')" \
		    -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _sketchutils hll-build hll-count bloom-build bloom-query \
    cms-build cms-topk cms-query simhash-sign simhash-dedup \
    sketch-info sketch-merge sketch-plan
