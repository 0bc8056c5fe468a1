# sketchutils: BSD-2-Clause, see LICENSE
#
# Completion for fish. A program's --help is the one list of its options, so it
# is asked, and there is no second list to fall behind.

# The systems whose sketches a program makes or reads.
function __sketchutils_systems --argument-names program
    switch $program
        case 'hll-*'
            echo redis postgres datasketches
        case 'bloom-*'
            echo dcso parquet
        case 'hdr-*'
            echo hlog hdr-base64
        case sketch-convert
            echo redis postgres datasketches dcso parquet hlog hdr-base64 hgrm hgrm-csv
        case '*'
            echo redis postgres datasketches dcso parquet hlog hdr-base64
    end
end

function __sketchutils_complete --argument-names program
    for line in (command $program --help 2>/dev/null)
        # Letter, name, argument, a few words.
        set -l part (string match --regex '^  (-[^ -],|   ) --([a-z-]+)( \S+|) *(.*)$' -- $line)
        or continue
        set -l spec --command $program --long-option $part[3] --description $part[5]
        if string match --quiet -- '-*' $part[2]
            set -a spec --short-option (string sub --start 2 --length 1 -- $part[2])
        end
        if test -n "$part[4]"
            set -a spec --require-parameter
            switch $part[3]$part[4]
                case 'progress *'
                    set -a spec --no-files --arguments 'auto always never'
                case 'also *'
                    set -a spec --no-files --arguments 'count mean count,mean'
                case 'precision *'
                    set -a spec --no-files --arguments (string join ' ' (seq 4 18))
                case 'digits *'
                    set -a spec --no-files --arguments '1 2 3 4 5'
                case 'unit *'
                    set -a spec --no-files --arguments 'ns us ms s min h d'
                case '* SYSTEM'
                    set -a spec --no-files --arguments (__sketchutils_systems $program)
                case '*|*'
                    set -a spec --no-files --arguments (string replace --all '|' ' ' -- $part[4])
                case '* FIL*'
                    set -a spec --force-files
                case '*'
                    set -a spec --no-files
            end
        end
        complete $spec
    end
end

set -l programs hll-build hll-count bloom-build bloom-query bloom-remove bloom-uniq \
    cms-build cms-topk cms-query cms-limit simhash-sign simhash-dedup minhash-build minhash-dedup \
    hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask \
    sketch-compare sketch-convert sketch-info sketch-merge sketch-plan

# fish looks for a program's completions under its name, where a link to this
# file is about that program alone.
set -l name (string replace --regex '\.fish$' '' -- (status basename))
contains -- $name $programs; and set programs $name
for program in $programs
    type --query $program; and __sketchutils_complete $program
end
