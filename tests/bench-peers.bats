# sketchutils: BSD-2-Clause, see LICENSE
#
# The comparison with other programs: that it says who is not there, tells right answers
# from wrong ones, and that what it wrote is what it measured.

load helper

export PYTHONDONTWRITEBYTECODE=1

peers() {
	python3 "$SKETCHUTILS_TOP/tests/bench/peers" --build "$SKETCHUTILS_BUILD" --peers others \
	    --work work "$@"
}

@test "who is not there, fails or is wrong has a row that says so" {
	mkdir -p others/bin
	# Three lines are lost.
	printf '#!/bin/sh\nsed 1,3d | sort -u\n' >others/bin/huniq
	printf '#!/bin/sh\nexit 3\n' >others/bin/runiq
	chmod +x others/bin/*
	peers --only distinct --most 10000 >table 2>notes
	grep -Eq '^\| \*\*hll-count -j1\*\* \| 10 k \| [0-9.]+ \| [0-9.]+ \| [0-9]+ \| [0-9.]+ % \| 1.00 \|' table
	grep -Eq '^\| sort -u .* \| 0 \| [0-9.]+ \| (yes|\*\*no\*\*) \(5\) \|$' table
	grep -Fqx '| DuckDB | | | | | | not installed | |' table
	grep -Fqx '| runiq \| wc -l | | | | | | failed with status 3 | |' table
	grep -Eq '^\| huniq .* \| \*\*0\.0[0-9]+ %\*\* ' table
	grep -Eq '^- huniq \| wc -l is further off than it claims \(exact\): 0\.0[0-9]+ %\.$' table
}

@test "of each question a right answer is right, and a damaged one is not" {
	cat >judge.py <<'END'
import pathlib, subprocess, sys
sys.path.insert(0, sys.argv[1] + "/tests/bench/peers")
import answers, measure, questions

measure.FOLDER = pathlib.Path("work").absolute()
env = measure.environment(pathlib.Path(sys.argv[2]), pathlib.Path("others").absolute())
files = measure.Files(env)
words = measure.Words(files, pathlib.Path("others"))
out = pathlib.Path("answer")


def judged(question, peer, n, text):
    out.write_text(text)
    judge = answers.judge(question, files, env)
    try:
        return judge.within(peer.claim, judge.error(out, n))
    except answers.Wrong:
        return False


for question in questions.QUESTIONS:
    if question.name == "near":
        continue
    n = 2000
    peer = next(p for p in question.peers if p.kind == "exact" and "mawk" in p.command)
    command = words(peer.command, question.input, n)
    text = subprocess.run(["bash", "-c", command], env=env, stdout=subprocess.PIPE, check=True,
                          text=True).stdout
    first, rest = text.split("\n", 1)
    worse = {"nothing": "", "a word": "no\n" + rest, "a line less": rest}
    number = first.split()[0]
    if number.isdigit():
        worse["too much"] = first.replace(number, str(2 * int(number)), 1) + "\n" + rest
        worse["too little"] = first.replace(number, str(int(number) // 2), 1) + "\n" + rest
    print(question.name, "right" if judged(question, peer, n, text) else "NOT RIGHT",
          *(name for name, damaged in worse.items() if judged(question, peer, n, damaged)))
END
	python3 judge.py "$SKETCHUTILS_TOP" "$SKETCHUTILS_BUILD" >out 2>err
	out_is 'distinct right
field right
keys right
topfield right
topline right
dedup right
member right
quantile right
lookup right'
}

@test "a chart is XML, has a mark for each point, and leaves out what a logarithm cannot show" {
	cat >draw.py <<'END'
import sys
import xml.dom.minidom
sys.path.insert(0, sys.argv[1] + "/tests/bench/peers")
import svg

text = svg.chart("a < b & c", svg.Axis("x", True), svg.Axis("y", True, " %"),
                 [svg.Series("one", [(10, 1), (100, 0), (1000, 3)]),
                  svg.Series("of theory", [(10, 2), (1000, 2)], "theory"),
                  svg.Series("nothing", [(10, 0)])])
page = xml.dom.minidom.parseString(text)
marks = [node for name in ("circle", "polygon") for node in page.getElementsByTagName(name)]
names = [node.firstChild.data for node in page.getElementsByTagName("text")]
# One more mark in the legend.
print(len(marks), len(page.getElementsByTagName("polyline")), "nothing" in names, names[0])
print(svg.chart("none", svg.Axis("x", True), svg.Axis("y"), [svg.Series("zero", [(0, 1)])]))
END
	python3 draw.py "$SKETCHUTILS_TOP" >out
	out_is '3 4 False a < b & c
None'
}

@test "RESULTS.md, its plots and README.md say what results.json says" {
	[ -e "$SKETCHUTILS_TOP/tests/bench/results.json" ] || skip 'nothing was measured yet'
	python3 "$SKETCHUTILS_TOP/tests/bench/peers" --check
}
