#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# demo.sh FOLDER: the main questions, asked of a made-up log. Each answer
# stands below the command that gives it, and below the exact one.
set -eu

top=$(pwd)
PATH=$top/$1/bin:$top/$1:$PATH
export PATH LC_ALL=C
scratch=$1/demo
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

say() {
	printf '\n# %s\n' "$*"
}

# show COMMAND LINE: the line, then what it prints.
show() {
	printf '\n$ %s\n' "$1"
	sh -c "$1"
}

say 'A web server of last week: an Apache log of 200,000 lines.'
show 'logmaker access 200000 >access.log'
show 'head -n 2 access.log'
show 'du -h --apparent-size access.log'

say 'How many visitors? By address, with a 95 % interval; then by address and browser.'
show 'hll-count -f 1 --bounds access.log'
show 'hll-count --quoted -f 1,9 --bounds access.log'
say 'The exact answers, from sort:'
show "cut -d ' ' -f 1 access.log | sort -u | wc -l"
show "sed 's/ .*\"\\(.*\\)\"\$/ \\1/' access.log | sort -u | wc -l"

say 'How many visitors did each page have? The five most visited.'
show 'hll-count --by 7 -f 1 access.log | head -n 5'

say 'Which addresses ask most? Exact as long as they fit the memory they may have.'
show 'cms-topk -f 1 -k 10 access.log'

say 'Which of these addresses were here? A filter answers: "yes" is wrong 1 time in 100, "no" never.'
show 'bloom-build -f 1 -p 1% -o seen.sk access.log'
show "sed -n '7p;77p' access.log | cut -d ' ' -f 1 >suspects; echo 192.0.2.1 >>suspects; echo 198.51.100.7 >>suspects"
show 'cat suspects'
show 'bloom-query seen.sk suspects'

say 'Messages that differ in a name or a number only: one of each is enough.'
show 'logmaker messages 5000 >messages.txt'
show 'simhash-dedup --edits 20% --dropped more.txt messages.txt >different.txt'
show 'wc -l messages.txt different.txt more.txt'
show 'cut -c 1-76 different.txt'

say 'What was kept to answer, beside what exact answers keep.'
show 'hll-build -f 1 -o visitors.sk access.log'
show 'cms-build -f 1 -o talkers.sk access.log'
show "cut -d ' ' -f 1 access.log | sort -u >addresses.txt"
show 'wc -c visitors.sk seen.sk talkers.sk addresses.txt'
show 'sketch-info visitors.sk'

say "All of it lies in $1/demo. The tour is in README.md, the manuals are in man/."
