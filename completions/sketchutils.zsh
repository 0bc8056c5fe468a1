#compdef hll-build hll-count bloom-build bloom-query bloom-remove bloom-uniq cms-build cms-topk cms-query cms-limit simhash-sign simhash-dedup minhash-build minhash-dedup hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask sketch-compare sketch-convert sketch-info sketch-merge sketch-plan
# sketchutils: BSD-2-Clause, see LICENSE
#
# Completion for zsh. A program's --help is the one list of its options, so it
# is asked, and there is no second list to fall behind.

_sketchutils() {
	local line text action
	local -a specs names match mbegin mend

	for line in ${(f)"$(_call_program options ${(q)words[1]} --help 2>/dev/null)"}; do
		# Letter, name, argument, a few words.
		[[ $line =~ '^  (-[^ -],|   ) (--[a-z-]+)( [^ ]+)?  *([^ ].*)?$' ]] || continue
		names=(${match[1]%,} $match[2])
		names=(${names:#  *})
		# With an argument: -f LIST or -fLIST, --field LIST or --field=LIST.
		[[ -z $match[3] ]] || names=(${^${(M)names:#-?}}+ ${^${(M)names:#--*}}=)
		text=${match[4]//[\[\]]/ }
		_sketchutils_action $match[2,3]
		specs+=("*"${^names}"[$text]${match[3]:+:${match[3]# }:$action}")
	done
	_arguments -s -S : $specs '*:file:_files'
}

# The action for what may stand behind an option, by its name and its argument's.
_sketchutils_action() {
	case $1$2 in
	'--progress '*) action='(auto always never)' ;;
	'--also '*) action='(count mean count,mean)' ;;
	'--precision '*) action='(4 5 6 7 8 9 10 11 12 13 14 15 16 17 18)' ;;
	'--digits '*) action='(1 2 3 4 5)' ;;
	'--unit '*) action='(ns us ms s min h d)' ;;
	*' SYSTEM')
		case ${words[1]:t} in
		hll-*) action='(redis postgres datasketches)' ;;
		bloom-*) action='(dcso parquet)' ;;
		hdr-*) action='(hlog hdr-base64)' ;;
		sketch-convert)
			action='(redis postgres datasketches dcso parquet hlog hdr-base64 hgrm hgrm-csv)'
			;;
		*) action='(redis postgres datasketches dcso parquet hlog hdr-base64)' ;;
		esac
		;;
	*'|'*) action="(${2//|/ })" ;;
	*' FIL'*) action=_files ;;
	*) action=' ' ;;
	esac
}

_sketchutils "$@"
