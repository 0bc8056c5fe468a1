# shellcheck shell=bash
# sketchutils: BSD-2-Clause, see LICENSE
#
# Completion for bash. A program's --help is the one list of its options, so
# it is asked, and there is no second list to fall behind.

# What the word before takes: FILE of "  -o, --output FILE  text", or nothing.
_sketchutils_argument()
{
	[[ $2 =~ ^-[[:alpha:]]$|^--[a-z-]+$ ]] || return
	"$1" --help 2>/dev/null |
	    sed -n -E "s/^ +$2, --[a-z-]+ ([^ ]+) .*/\1/p; s/^ +(-., )?$2 ([^ ]+) .*/\2/p"
}

# The systems whose sketches a program makes or reads.
_sketchutils_systems()
{
	case $1 in
	hll-*) echo redis postgres datasketches ;;
	bloom-*) echo dcso parquet ;;
	hdr-*) echo hlog hdr-base64 ;;
	sketch-convert) echo redis postgres datasketches dcso parquet hlog hdr-base64 hgrm hgrm-csv ;;
	*) echo redis postgres datasketches dcso parquet hlog hdr-base64 ;;
	esac
}

_sketchutils()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local argument choices=
	# --type=block are three words to bash.
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]] && ((COMP_CWORD >= 2)); then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	argument=$(_sketchutils_argument "$1" "$before")

	case $before:$argument in
	--progress:*) choices='auto always never' ;;
	--also:*) choices='count mean count,mean' ;;
	--precision:*) choices=$(echo {4..18}) ;;
	--digits:*) choices=$(echo {1..5}) ;;
	--unit:*) choices='ns us ms s min h d' ;;
	*:SYSTEM) choices=$(_sketchutils_systems "$1") ;;
	*'|'*) choices=${argument//|/ } ;;
	esac
	if [[ $choices ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
	elif [[ $argument && $argument != FIL* ]]; then
		COMPREPLY=()
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
		    sed -n 's/^  \(-[^ -]\), \(--[a-z-]*\).*/\1 \2/p; s/^      \(--[a-z-]*\).*/\1/p')" \
		    -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _sketchutils hll-build hll-count bloom-build bloom-query bloom-remove bloom-uniq \
    cms-build cms-topk cms-query cms-limit simhash-sign simhash-dedup minhash-build minhash-dedup \
    hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask \
    sketch-compare sketch-convert sketch-info sketch-merge sketch-plan
