#compdef hll-build hll-count bloom-build bloom-query bloom-remove bloom-uniq cms-build cms-topk cms-query cms-limit simhash-sign simhash-dedup minhash-build minhash-dedup hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask sketch-compare sketch-convert sketch-info sketch-merge sketch-plan
# sketchutils: BSD-2-Clause, see LICENSE
#
# Completion for zsh. A program's --help is the one list of its options, so it
# is asked, and there is no second list to fall behind.

_sketchutils() {
	local line text
	local -a specs names match mbegin mend

	for line in ${(f)"$(_call_program options ${(q)words[1]} --help 2>/dev/null)"}; do
		# Letter, name, argument, a few words.
		[[ $line =~ '^  (-[^ -],|   ) (--[a-z-]+)( [^ ]+)?  *([^ ].*)?$' ]] || continue
		names=(${match[1]%,} $match[2])
		names=(${names:#  *})
		text=${match[4]//[\[\]]/ }
		specs+=("*"${^names}"[$text]${match[3]:+:${match[3]# }:$(_sketchutils_action $match[2,3])}")
	done
	_arguments -s -S : $specs '*:file:_files'
}

# What may stand behind an option, by its name and its argument's.
_sketchutils_action() {
	case $1$2 in
	'--progress '*) echo '(auto always never)' ;;
	'--also '*) echo '(count mean count,mean)' ;;
	'--precision '*) echo "($(echo {4..18}))" ;;
	'--digits '*) echo '(1 2 3 4 5)' ;;
	'--unit '*) echo '(ns us ms s min h d)' ;;
	*' SYSTEM')
		case ${words[1]:t} in
		hll-*) echo '(redis postgres datasketches)' ;;
		bloom-*) echo '(dcso parquet)' ;;
		hdr-*) echo '(hlog hdr-base64)' ;;
		sketch-convert)
			echo '(redis postgres datasketches dcso parquet hlog hdr-base64 hgrm hgrm-csv)'
			;;
		*) echo '(redis postgres datasketches dcso parquet hlog hdr-base64)' ;;
		esac
		;;
	*'|'*) echo "(${2//|/ })" ;;
	*' FIL'*) echo _files ;;
	*) echo ' ' ;;
	esac
}

_sketchutils "$@"
