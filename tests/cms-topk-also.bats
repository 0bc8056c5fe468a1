# sketchutils: BSD-2-Clause, see LICENSE
#
# cms-topk --also: how many lines a sum is of, and what a line has on average.

load helper

prepare() {
	"$SKETCHUTILS_BUILD/logmaker" access 5000 1 >log
	printf '%s\n' 'a 10' 'b 1' 'a 5' 'c 0' 'a 5' 'b 2' >lines
}

@test "sum, count and mean are those that awk adds up, in one pass" {
	awk '{ sum[$7] += $10; n[$7]++ }
	    END { for (p in n) printf "%d\t%d\t%.6g\t%s\n", sum[p], n[p], sum[p] / n[p], p }' log |
	    sort -t $'\t' -k 1,1nr -k 4 >wanted
	for j in 1 2; do
		try 0 cms-topk -j $j -k 10000 -f 7 -W 10 --also count,mean log
		out_is_file wanted
	done
	cut -f 1,2,4 wanted >counts
	try 0 cms-topk -k 10000 -f 7 -W 10 --also count log
	out_is_file counts
	awk -F '\t' -v OFS='\t' '{ print $1, $3, $2, $4 }' wanted >turned
	try 0 cms-topk -k 10000 -f 7 -W 10 --also mean,count log
	out_is_file turned
}

@test "numbers come first and the item last, whatever is asked for" {
	try 0 cms-topk -f 1 -W 2 --also count,mean lines
	out_is "20	3	6.66667	a
3	2	1.5	b
0	1	0	c"
	try 0 cms-topk -f 1 -W 2 --also count --bounds -k 1 lines
	out_is "20	20	20	3	3	3	a"
	try 0 cms-topk -f 1 -W 2 --also mean --bounds -k 1 lines
	out_is "20	20	20	6.66667	6.66667	6.66667	a"
	COLUMNS=40 try 0 cms-topk -f 1 -W 2 --also count,mean --plot lines
	out_is "20  3  6.66667  a  #####################
 3  2      1.5  b  ####
 0  1        0  c"
}

@test "--json names them, with bounds" {
	try 0 cms-topk -f 1 -W 2 --also count,mean --json -k 1 lines
	jq -c '[.estimate, .low, .high, .count, .count_low, .count_high, .mean_low, .mean_high, .item]' \
	    out >got
	text_is got '[20,20,20,3,3,3,6.666666666666667,6.666666666666667,"a"]'
	jq -e '.mean == 20 / 3' out
}

@test "the rest has its lines and its mean, too" {
	try 0 cms-topk -f 1 -W 2 --also count,mean --rest -k 1 lines
	out_is "20	3	6.66667	a
3	3	1	rest"
	try 0 cms-topk -f 1 -W 2 --also count,mean --rest lines
	tail -n 1 out >last
	text_is last '0	0	0	rest'
}

@test "in too little memory the bounds of sum, lines and mean hold" {
	seeds='1 2'
	if long; then seeds=$(seq 12); fi
	for seed in $seeds; do
		"$SKETCHUTILS_BUILD/logmaker" access 15000 "$seed" >many
		awk '{ s[$1] += $10; n[$1]++ }
		    END { for (i in s) printf "%s\t%d\t%d\t%.17g\n", i, s[i], n[i], s[i] / n[i] }' many >truth
		try_any 0 cms-topk -f 1 -W 10 -M 64K -k 100000 --also count,mean --bounds --rest many
		awk -F '\t' 'NR == FNR { s[$1] = $2; n[$1] = $3; m[$1] = $4; S += $2; N += $3; next }
		    { rows++; i = $10; open += $5 < $6 }
		    i == "rest" { s[i] = S - got; n[i] = N - had; m[i] = n[i] ? s[i] / n[i] : 0 }
		    { got += s[i]; had += n[i]
		      if ($2 > s[i] || s[i] > $3 || $1 != $3 || $5 > n[i] || n[i] > $6 || $4 != $6 ||
		          $8 > m[i] * 1.00001 || m[i] > $9 * 1.00001 || $7 < $8 || $7 > $9) {
		          print "# " $0; bad = 1 } }
		    END { exit bad || rows < 100 || open == 0 }' truth out
	done
}

@test "who is listed does not depend on what is told of them" {
	try 0 cms-topk -f 1 -W 10 -k 100000 log
	mv out plain
	try 0 cms-topk -f 1 -W 10 -k 100000 --also count log
	cut -f 1,3 out | same - plain
}

@test "--also needs weights, and lines" {
	cms-build -f 1 -W 2 -o lines.cms lines
	refuses() {
		try 2 cms-topk "${@:2}"
		head -n 1 err >first
		text_is first "cms-topk: $1"
	}
	refuses '--also needs -W: without weights the count is what is printed' --also mean lines
	refuses '-s and --also exclude each other' -s --also count lines.cms
	for list in '' sum 'count,' ',mean' 'count,,mean' Count 'count mean'; do
		refuses "cannot use --also '$list': not a list of count and mean" -W 2 --also "$list" lines
	done
	refuses "cannot use --also 'mean,count,mean': mean is there twice" \
	    -W 2 --also mean,count,mean lines
}
