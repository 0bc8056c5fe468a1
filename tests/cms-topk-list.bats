# sketchutils: BSD-2-Clause, see LICENSE
#
# Which items cms-topk lists: by count, by share, surely, possibly, and the rest.

load helper
load frequencies

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 3000 1 >log
	cut -d ' ' -f 1 log >hosts
	exact hosts >all
}

# A stream of which little fits 64 KiB; of each seed the same for all tests.
skewed() {
	local kept=$BATS_FILE_TMPDIR/seed${1:-1}
	if [ ! -e "$kept.all" ]; then
		zipf 50000 10000 "${1:-1}" >"$kept"
		exact "$kept" >"$kept.all"
	fi
	cp "$kept" events
	cp "$kept.all" all
}

# from LEAST: the truth from this count on.
from() {
	awk -F '\t' -v least="$1" '$1 >= least' all
}

# subset FILE FILE: each line of the first is in the second.
subset() {
	sort "$1" >a.sorted
	sort "$2" | comm -23 a.sorted - >astray
	[ ! -s astray ] || { show astray; failed; }
}

# What it does.

@test "--min lists what occurred at least so often, --threshold what has that share" {
	from 10 >wanted
	[ "$(wc -l <wanted)" -gt 10 ]
	try 0 cms-topk --min 10 hosts && out_is_file wanted
	try 0 cms-topk -f 1 --min 10 log && out_is_file wanted
	for share in 0.3% 0.003 3e-3; do
		from 9 >wanted
		try 0 cms-topk --threshold "$share" hosts && out_is_file wanted
	done
	from 1 >wanted
	try 0 cms-topk --min 1 hosts && out_is_file wanted
	try 0 cms-topk --threshold 1e-12 hosts && out_is_file wanted
	try 0 cms-topk --min 3001 hosts && out_is ''
	# Of two conditions both hold; -k cuts.
	from 10 >wanted
	try 0 cms-topk --min 10 --threshold 0.3% hosts && out_is_file wanted
	from 9 >wanted
	try 0 cms-topk --min 5 --threshold 0.3% hosts && out_is_file wanted
	try 0 cms-topk --min 9 -k 4 hosts
	head -n 4 wanted | same - out
}

@test "a share is one of the weights, and no rounding makes it a little more" {
	{ seq 93; for _ in 1 2 3 4 5 6 7; do echo a; done; } >lines
	try 0 cms-topk --threshold 7% lines && out_is "7	a"
	try 0 cms-topk --threshold 7.0000001% lines && out_is ''
	printf 'a 70\nb 29\nc 1\n' >lines
	try 0 cms-topk -f 1 -W 2 --threshold 29% lines && out_is "70	a
29	b"
	printf 'a 0\nb 0\n' >lines
	try 0 cms-topk -f 1 -W 2 --threshold 1% lines && out_is ''
	yes a | head -n 5 >lines
	try 0 cms-topk --threshold 100% lines && out_is "5	a"
	try 0 cms-topk --threshold 1% /dev/null && out_is ''
}

@test "--sure lists nothing wrongly, and --all lacks nothing" {
	local seeds=1
	long && seeds=$(seq 10)
	for seed in $seeds; do
		skewed "$seed"
		for least in 20 40; do
			from "$least" | cut -f 2 >true
			try 0 cms-topk -M 64K --min "$least" --sure events
			cut -f 2 out >sure
			subset sure true
			try_any 0 cms-topk -M 64K --min "$least" --all --bounds events
			bounds_hold all
			cut -f 4 out >may
			# What is missing occurred less often, or it is told that it may not.
			[ -s err ] || subset true may
			subset sure may
			mv out wanted
			try_any 0 cms-topk -M 64K --min "$least" --bounds events
			out_is_file wanted
		done
		# Something was left open, and the largest counts are sure.
		[ "$(wc -l <sure)" -gt 20 ]
	done
}

@test "-k with --sure lists the certain ones, with --all whatever may be among the first" {
	local seeds=1
	long && seeds=$(seq 10)
	for seed in $seeds; do
		skewed "$seed"
		for k in 5 100; do
			head -n "$k" all | cut -f 2 >true
			try 0 cms-topk -M 64K -k "$k" --sure events
			cut -f 2 out >sure
			subset sure true
			try 0 cms-topk -M 64K -k "$k" --json events
			jq -r 'select(.certain != false) | .item' out >certain
			same sure certain
			try_any 0 cms-topk -M 64K -k "$k" --all events
			cut -f 2 out >may
			[ "$(wc -l <may)" -ge "$k" ]
			[ -s err ] || subset true may
		done
	done
	# Exact counts leave nothing open.
	for option in '' --sure --all; do
		# shellcheck disable=SC2086
		try 0 cms-topk -k 30 $option events
		head -n 30 all | same - out
	done
	# All alike, and little memory: nothing is sure, everything may be.
	seq 20000 >flat
	try 0 cms-topk -M 64K -k 5 --sure flat && out_is ''
	try_any 0 cms-topk -M 64K -k 5 --all flat
	[ "$(wc -l <out)" -gt 100 ]
	err_has 'the list may lack some: an item that is not in it may have occurred '
}

@test "a row may be lacking: it is told, and with --strict it is status 5" {
	skewed
	missing=$(cms-topk -M 64K --stats events 2>&1 >out |
	    sed -n -E 's/.*any other occurred at most ([0-9]+) times$/\1/p')
	[ "$missing" -gt 1 ]
	try 0 cms-topk -M 64K --strict --min $((missing + 1)) events
	for option in '' --all; do
		# shellcheck disable=SC2086
		try_any 5 cms-topk -M 64K --strict --min "$missing" $option events
		err_is "cms-topk: the list may lack some: an item that is not in it may have occurred $missing times; -M gives it more memory"
	done
	try 0 cms-topk -M 64K --strict --min "$missing" --sure events
	cms-build --type spacesaving --candidates 50 -o events.sk events
	left=$(sketch-info --json events.sk | jq .missing)
	try_any 5 cms-topk -s --strict --min "$left" events.sk
	err_is "cms-topk: the list may lack some: an item that is not in it may have occurred $left times; cms-build --candidates keeps more"
	try 0 cms-topk -s --strict --min $((left + 1)) events.sk
}

@test "an item is certain if its low bound reaches what is asked for" {
	skewed
	try_any 0 cms-topk -M 64K --min 30 --json events
	jq -e -s 'all(.[]; (.certain != false) == (.low >= 30))' out
	jq -e -s 'any(.[]; .certain == false) and any(.[]; .certain != false)' out
}

@test "--rest: the rows and the rest are the total; bounds hold in too little memory" {
	try 0 cms-topk -k 3 --rest hosts
	[ "$(awk '{ n += $1 } END { print n, NR }' out)" = '3000 4' ]
	[ "$(tail -n 1 out | cut -f 2)" = rest ]
	try 0 cms-topk -k 3000 --rest --json hosts
	[ "$(tail -n 1 out)" = '{"estimate":0,"low":0,"high":0,"rest":true}' ]
	try 0 cms-topk --rest /dev/null && out_is '0	rest'
	try 0 cms-topk -z -k 1 --rest --bounds <(printf 'a\0b\0a\0')
	printf '2\t2\t2\ta\0001\t1\t1\trest\0' | same - out
	# An item of this name is one.
	printf 'rest\nrest\na\n' >lines
	try 0 cms-topk -k 1 --rest --json lines
	out_is '{"estimate":2,"low":2,"high":2,"item":"rest"}
{"estimate":1,"low":1,"high":1,"rest":true}'

	skewed
	for list in '-k 300' '--min 15 --sure'; do
		# shellcheck disable=SC2086
		try 0 cms-topk -M 64K $list --rest --bounds events
		head -n -1 out | cut -f 4 | sort >listed
		truth=$(awk -F '\t' 'NR == FNR { listed[$0]; next }
		    !($2 in listed) { n += $1 } END { print n + 0 }' listed all)
		tail -n 1 out | awk -F '\t' -v truth="$truth" \
		    '{ exit !($1 == $3 && $2 <= truth && truth <= $3 && $2 < $3 && $4 == "rest") }'
	done
}

@test "saved sketches of both types are listed in all these ways" {
	split -n l/3 hosts part.
	for type in cms spacesaving; do
		for part in part.??; do
			cms-build --type "$type" -o "$part.$type" "$part"
		done
		for list in '-k 7 --rest' '--min 9' '--threshold 0.3% --sure --rest' '-k 20 --all --bounds'; do
			# shellcheck disable=SC2086
			{
				try_any 0 cms-topk $list hosts
				mv out wanted
				try 0 cms-topk -s $list part.??."$type" && out_is_file wanted
			}
		done
		try 0 cms-topk -s --type "$type" part.??."$type"
	done
	try_any 0 cms-topk -s --stats part.??.spacesaving
	err_has "exact: $(wc -l <all) distinct items"
	cms-build --type spacesaving --candidates 100 -o few.sk hosts
	try_any 0 cms-topk -s --stats few.sk
	err_has 'approximate: 100 candidates, any other item occurred at most '
}

@test "bounds of united sketches of the heaviest hold, and exact is lost for good" {
	skewed 9
	split -n l/4 events part.
	for part in part.??; do
		cms-build --type spacesaving --candidates 200 -M 64K -o "$part.sk" "$part"
	done
	for order in 'aa ab ac ad' 'ad ac ab aa' 'ac aa ad ab'; do
		# shellcheck disable=SC2086
		printf 'part.%s.sk\n' $order | xargs cat >stream
		try 0 cms-topk -s -k 1000 --bounds stream
		bounds_hold all
		try 0 cms-topk -s -k 20 --sure stream
		head -n 20 all | cut -f 2 >true
		cut -f 2 out >sure
		subset sure true
		[ "$(wc -l <sure)" -ge 3 ]
	done
	cms-build --type spacesaving -o exact.sk hosts
	[ "$(sketch-info --json exact.sk | jq .exact)" = true ]
	sketch-merge -o both.sk exact.sk exact.sk
	[ "$(sketch-info --json both.sk | jq .exact)" = true ]
	sketch-merge -o both.sk exact.sk part.aa.sk
	[ "$(sketch-info --json both.sk | jq .exact)" = false ]
}

# How it fails.

@test "mixed types, and types that lines are not counted by, are refused" {
	cms-build -o a.cms hosts
	cms-build --type spacesaving -o a.sk hosts
	try 4 cms-topk -s a.cms a.sk
	err_is "cms-topk: cannot unite 'a.sk' with what came before: kind cms and spacesaving"
	try 4 cms-topk -s --type cms a.sk
	err_is "cms-topk: cannot use sketch 'a.sk': its kind is spacesaving, not cms"
	try 0 cms-topk --type spacesaving hosts
	try 2 cms-topk --type cms hosts
	err_is "cms-topk: cannot use --type 'cms': lines are listed by spacesaving; 'cms-build' makes a sketch for -s"
	try 2 cms-topk --type bloom hosts
	err_is "cms-topk: cannot use --type 'bloom': not cms or spacesaving"
}

@test "numbers out of range are status 2, and so are --sure and --all together" {
	for value in 0 1.5 101% 1e-13; do
		try 2 cms-topk --threshold "$value" hosts
		err_is "cms-topk: cannot use --threshold '$value': not in 1e-12..1"
	done
	try 2 cms-topk --threshold x hosts
	err_is "cms-topk: cannot use --threshold 'x': not a number such as 0.01 or 1%"
	try 2 cms-topk --min 0 hosts
	err_is "cms-topk: cannot use --min '0': not in 1..18446744073709551615"
	try 2 cms-topk --sure --all hosts
	err_is "cms-topk: --sure and --all exclude each other"
}

# Its limits.

@test "where a sum saturated, the rest is anything" {
	printf 'a 9223372036854775807\nb 9223372036854775807\nc 5\n' >lines
	try_any 0 cms-topk -f 1 -W 2 -k 1 --rest --bounds lines
	out_is "9223372036854775807	9223372036854775807	9223372036854775807	a
18446744073709551615	9223372036854775808	18446744073709551615	rest"
}
