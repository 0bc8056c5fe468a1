# sketchutils: BSD-2-Clause, see LICENSE
#
# cms-build --type spacesaving: sketches of the heaviest items.

load helper
load frequencies

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	cut -d ' ' -f 1 log >hosts
	exact hosts >all
}

# fact FILE NAME: what sketch-info says.
fact() {
	sketch-info --json "$1" | jq ".$2"
}

# What it does.

@test "every item with its count, exactly, and so it says" {
	try 0 cms-build --type spacesaving -f 1 log && mv out log.sk
	[ "$(fact log.sk kind)" = '"spacesaving"' ]
	[ "$(fact log.sk exact)" = true ]
	[ "$(fact log.sk candidates)" = 65536 ]
	[ "$(fact log.sk candidates_saved)" = "$(wc -l <all)" ]
	[ "$(fact log.sk total)" = 3000 ]
	[ "$(fact log.sk missing)" = 0 ]
	try 0 cms-topk -s -k 65536 log.sk && out_is_file all
	cut -f 2 all >items
	try 0 cms-query log.sk items
	cut -f 1 all | paste - items | same - out
	echo nobody >items
	try 0 cms-query --bounds log.sk items && out_is '0	0	0	nobody'
}

@test "--candidates keeps fewer: bounds hold for them and for any other item" {
	try 0 cms-build --type spacesaving --candidates 50 hosts && mv out few.sk
	[ "$(fact few.sk exact)" = false ]
	[ "$(fact few.sk candidates_saved)" = 50 ]
	[ "$(fact few.sk missing)" = "$(sed -n 51p all | cut -f 1)" ]
	try 0 cms-topk -s -k 50 few.sk
	head -n 50 all | same - out
	cut -f 2 all >items
	try 0 cms-query --bounds few.sk items
	bounds_hold all
	# The same items in little memory.
	zipf 50000 10000 >events
	exact events >all
	cut -f 2 all >items
	try 0 cms-build --type spacesaving -M 64K events && mv out little.sk
	[ "$(fact little.sk exact)" = false ]
	try 0 cms-query --bounds little.sk items
	bounds_hold all
	try_any 0 cms-query --stats little.sk items
	err_has "an estimate is at most $(fact little.sk error) of 50000 too high with probability 1"
}

@test "--update unites, and creates; type and number are the file's unless told" {
	split -n l/3 hosts part.
	for part in part.??; do
		try 0 cms-build --type spacesaving --update all.sk "$part"
	done
	try 0 cms-build --type spacesaving -o wanted.sk hosts
	same wanted.sk all.sk
	try 0 cms-build --type spacesaving --candidates 60 -o few.sk part.aa
	try 0 cms-build --update few.sk part.ab
	[ "$(fact few.sk candidates)" = 60 ]
	[ "$(fact few.sk kind)" = '"spacesaving"' ]
	try 0 cms-build --update few.sk --candidates 500 part.ac
	[ "$(fact few.sk candidates)" = 500 ]
	[ "$(fact few.sk total)" = 3000 ]
	try 0 cms-topk -s -k 500 --bounds few.sk
	bounds_hold all
}

@test "--like takes type, number of candidates, seed and -i" {
	try 0 cms-build --type spacesaving --candidates 70 --seed 5 -i -o like.sk hosts
	try 0 cms-build --like like.sk hosts
	same like.sk out
	try 0 cms-build --like like.sk --type spacesaving hosts
	same like.sk out
}

@test "weights, armour, threads and a pipe: the same bytes" {
	try 0 cms-build --type spacesaving -f 7 -W 10 log && mv out wanted.sk
	awk '{ sum[$7] += $10 } END { for (page in sum) printf "%d\t%s\n", sum[page], page }' log |
	    sort -t $'\t' -k 1,1nr -k 2 >pages
	try 0 cms-topk -s -k 65536 wanted.sk && out_is_file pages
	for j in 1 2 3; do
		try 0 cms-build --type spacesaving -f 7 -W 10 -j "$j" log && out_is_file wanted.sk
	done
	try 0 cms-build --type spacesaving -f 7 -W 10 -j 2 < <(cat log) && out_is_file wanted.sk
	try 0 cms-build --type spacesaving -f 7 -W 10 -a log && mv out text
	grep -q '^sk1:' text
	try 0 cms-topk -s -k 65536 text && out_is_file pages
	try 0 sketch-merge wanted.sk && out_is_file wanted.sk
	try 0 sketch-merge -a wanted.sk && out_is_file text
}

@test "--stats tells exact from approximate" {
	try_any 0 cms-build --type spacesaving --stats -o a.sk hosts
	err_has "cms-build: exact: $(wc -l <all) distinct items"
	try_any 0 cms-build --type spacesaving --candidates 10 --stats -o a.sk hosts
	err_has "cms-build: 10 candidates; any other item occurred at most $(sed -n 11p all | cut -f 1) times"
}

# How it fails.

@test "options about counters belong to the other type" {
	for option in '-e 1%' '--confidence 99%' '--width 100' '--depth 3' --conservative \
	    '--subtract --update x'; do
		# shellcheck disable=SC2086
		try 2 cms-build --type spacesaving $option hosts
		err_is "cms-build: -e, --confidence, --width, --depth, --conservative or --subtract and --type spacesaving exclude each other"
	done
	try 2 cms-build --type spacesaving --candidates 0 hosts
	err_is "cms-build: --candidates 0 and --type spacesaving exclude each other"
	try 2 cms-build --type bloom hosts
	err_is "cms-build: cannot use --type 'bloom': not cms or spacesaving"
}

@test "a file of the other type is not updated, nor like what is asked for" {
	cms-build -o a.cms hosts
	cms-build --type spacesaving -o a.sk hosts
	for options in '--update a.sk -e 1%' '--update a.sk --type cms' '--like a.sk --type cms' \
	    '--update a.sk --like a.cms' '--update a.sk --candidates 0'; do
		# shellcheck disable=SC2086
		try 4 cms-build $options hosts
		err_is "cms-build: cannot use sketch 'a.sk': its kind is spacesaving, not cms"
	done
	try 4 cms-build --update a.cms --type spacesaving hosts
	err_is "cms-build: cannot use sketch 'a.cms': its kind is cms, not spacesaving"
	try 4 sketch-merge a.cms a.sk
	try 4 cms-build --update a.sk --seed 3 hosts
	err_is "cms-build: cannot update 'a.sk': seed 0 and 3"
	try 4 sketch-merge --subtract a.sk a.sk
}

# Its limits.

@test "no lines make a sketch of nothing; sums stop at 2^64-1 and say so" {
	try 0 cms-build --type spacesaving /dev/null && mv out empty.sk
	[ "$(fact empty.sk exact)" = true ]
	[ "$(wc -c <empty.sk)" = 128 ]
	try 0 cms-topk -s empty.sk && out_is ''
	printf 'a 9223372036854775807\na 9223372036854775807\nb 5\n' >lines
	try_any 0 cms-build --type spacesaving -f 1 -W 2 -o full.sk lines
	err_is "cms-build: the sum of weights passed 2^64-1 and stopped there"
	[ "$(fact full.sk saturated)" = true ]
	try_any 0 cms-topk -s full.sk
	out_is "18446744073709551614	a
5	b"
	err_is 'cms-topk: the sum of weights passed 2^64-1: counts that large are lower bounds'
	try_any 0 cms-build --update full.sk -f 1 -W 2 lines
	try_any 0 cms-topk -s full.sk
	out_is "18446744073709551615	a
10	b"
}
