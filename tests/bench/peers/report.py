# sketchutils: BSD-2-Clause, see LICENSE
"""RESULTS.md, its charts, and the rows that README.md quotes, out of results.json.

Nothing here measures: what is written follows from what was kept, so that a test can
write it again and compare.
"""

import collections
import json
import re
import sys
import textwrap

import answers
import measure
import questions
import svg

RESULTS = measure.BENCH / "RESULTS.md"

# Where the three go; README.md has the rows between these marks.
Places = collections.namedtuple("Places", "results plots readme")
PLACES = Places(RESULTS, measure.BENCH / "plots", measure.TOP / "README.md")
MARKS = "<!-- peers: written by make bench-peers -->", "<!-- /peers -->"

GOALS = {"exact": 5, "sketch": 2}


def scratch_places():
    return Places(measure.FOLDER / "RESULTS.md", measure.FOLDER / "plots", None)


class Table:
    """What was measured for one question, by peer and size."""

    def __init__(self, question, runs):
        self.question = question
        self.runs = {(peer, n): measure.Run(*run)
                     for name, peer, n, *run in runs if name == question.name}

    def sizes(self, peer):
        """Those at which it gave an answer."""
        return sorted(n for name, n in self.runs if name == peer.name
                      and self.runs[name, n].wall is not None and not self.failed(peer, n))

    def failed(self, peer, n):
        return self.runs[peer.name, n].note not in ("",) and not self.is_wrong(peer, n)

    def is_wrong(self, peer, n):
        return self.runs[peer.name, n].note.startswith("wrong")

    def largest(self, peer):
        """The size that the table is about, or the largest below it that it got to."""
        return max((n for n in self.sizes(peer) if n <= self.question.main), default=None)

    def note(self, peer):
        """Why there is nothing, or nothing more."""
        return next((run.note for (name, _), run in sorted(self.runs.items(),
                                                           key=lambda kept: -kept[0][1])
                     if name == peer.name and run.note), "")

    def beside(self, peer):
        """The row of ours that a peer is compared with: a sketch with our sketch."""
        kinds = ("small", "ours") if peer.kind in ("sketch", "small") else ("ours",)
        return next(p for kind in kinds for p in self.question.peers if p.kind == kind)

    def ratio(self, peer):
        """Its processor time in units of ours, at the size of its row."""
        n = self.largest(peer)
        mine = n and self.runs.get((self.beside(peer).name, n))
        return self.runs[peer.name, n].cpu / mine.cpu if mine and mine.cpu else None


def judged(question):
    return answers.judge(question, None, None)


def seconds(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else \
        f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def times(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.2f}"


def lines(n):
    for size, letter in ((10 ** 9, " G"), (10 ** 6, " M"), (10 ** 3, " k")):
        if n >= size:
            return f"{n / size:g}{letter}"
    return str(n)


def error(question, peer, run):
    """What the answer is off by, and whether that is more than was claimed."""
    if run.note:
        return f"**{run.note}**"
    if run.error is None:
        return ""
    kind = judged(question)
    said = kind.told(run.error)
    return said if kind.within(peer.claim, run.error) else f"**{said}**"


def cell(peer):
    """A bar in the name of a pipeline would end the cell of a table."""
    name = peer.name.replace("|", "\\|")
    return f"**{name}**" if peer.kind in ("ours", "small") else name


def row(table, peer):
    n = table.largest(peer)
    if n is None:
        return f"| {cell(peer)} | | | | | | {table.note(peer) or 'too slow'} | |"
    run = table.runs[peer.name, n]
    ratio, goal = table.ratio(peer), ""
    if peer.kind in GOALS and ratio:
        goal = "yes" if ratio >= GOALS[peer.kind] else "**no**"
        goal += f" ({GOALS[peer.kind]})"
    return (f"| {cell(peer)} | {lines(n)} | {seconds(run.wall)} | {seconds(run.cpu)} |"
            f" {run.peak / 1024:.0f} | {error(table.question, peer, run)} |"
            f" {times(ratio) if ratio else ''} | {goal} |")


def remarks(table):
    """What a reader has to be told: goals missed, answers that are wrong."""
    out = []
    for peer in table.question.peers:
        n, ratio = table.largest(peer), table.ratio(peer)
        if n is None:
            continue
        run = table.runs[peer.name, n]
        if peer.kind in GOALS and ratio and ratio < GOALS[peer.kind]:
            out.append(f"Not {GOALS[peer.kind]} times ahead of {peer.name}: {times(ratio)} times.")
        if run.note:
            out.append(f"{peer.name}: {run.note}.")
        elif run.error is not None and not judged(table.question).within(peer.claim, run.error):
            out.append(f"{peer.name} is further off than it claims"
                       f" ({claim(peer.claim)}): {judged(table.question).told(run.error)}.")
    return out


def claim(promised):
    if isinstance(promised, tuple):
        return f"{answers.percent(promised[1])} of the {promised[0]}"
    return answers.percent(promised) if promised else "exact"


HEAD = ("| program | lines | wall, s | CPU, s | peak, MiB | error | CPU, ours = 1 | ahead |\n"
        "|---|--:|--:|--:|--:|--:|--:|---|")


def section(question, table, plots):
    said = (f"{sentence(question.ask)} Error: {question.error}."
            f"{' ' + question.note if question.note else ''}")
    out = [f"## {question.title}", "", textwrap.fill(said, 90), "", HEAD]
    out += [row(table, peer) for peer in question.peers]
    if found := remarks(table):
        out += ["", *(f"- {remark}" for remark in found)]
    if plots:
        out += ["", f"![Seconds against lines: {question.title}](plots/time-{question.name}.svg)"]
    return "\n".join(out) + "\n"


def sentence(text):
    return f"{text[0].upper()}{text[1:]}."


def tables(results):
    """As text, for whoever asked for some questions only."""
    asked = {run[0] for run in results["runs"]}
    return "\n".join(section(q, Table(q, results["runs"]), False)
                     for q in questions.QUESTIONS if q.name in asked)


def nearest(table, kind):
    """Of a kind the peer that takes least beside us, and how many times as much."""
    found = [(table.ratio(peer), peer.name) for peer in table.question.peers
             if peer.kind == kind and table.ratio(peer)]
    return min(found, default=None)


def summary(results):
    """A row for each question: ours, the nearest exact peer, the nearest other sketch."""
    out = ["| question | ours | lines | CPU, s | peak | nearest exact | nearest sketch | `wc` |",
           "|---|---|--:|--:|--:|---|---|--:|"]
    for question in questions.QUESTIONS:
        table = Table(question, results["runs"])
        first = question.peers[0]
        n = table.largest(first)
        if n is None:
            continue
        run = table.runs[first.name, n]
        near = [nearest(table, kind) for kind in ("exact", "sketch", "wc")]
        told = [f"{times(found[0])} × {found[1]}".replace("|", "\\|") if found else ""
                for found in near[:2]]
        name = first.name.removesuffix(" -j1")
        out.append(f"| {question.title} | `{name}` | {lines(n)} | {seconds(run.cpu)} |"
                   f" {run.peak / 1024:.0f} MiB | {told[0]} | {told[1]} |"
                   f" {times(near[2][0]) if near[2] else ''} |")
    return "\n".join(out)


INTRO = """# Beside all others

Written by `make bench-peers`; do not edit. Each program was given the same input and the
same question: one run, or the mean of five where it takes less than a third of a second;
warm cache, `LC_ALL=C`. CPU is user and system time of all
processes of the run, a server's too; the peak is that of the largest of them. Programs
start as a command does, interpreters and databases with all they load. `wc` is the
yardstick of what it costs to read the lines, and no peer.

The column before the last is a peer's CPU time in units of ours with one thread, at the
same number of lines; where a row of ours has a small `-M`, other sketches are compared
with that. The last says whether it is 5 times or more for exact answers, 2 times or more
for other sketches. A program that was too slow for the main size stands with a smaller
one. An error in bold is more than the program claims."""


def about(results):
    machine = results["machine"]
    here = (f"{machine['cores']} cores of {machine['processor']}, {machine['memory']} of memory,"
            f" Linux {machine['kernel']}, {machine['system']}; sketchutils built by"
            f" {machine['compiler']}.")
    versions = (f"{name} {version}" for name, version in results["versions"].items()
                if version != "-")
    return "\n\n".join(["## The machine and the versions", textwrap.fill(here, 90),
                        textwrap.fill("; ".join(versions) + ".", 90)]) + "\n"


def text(results):
    known = {run[0] for run in results["runs"]}
    parts = [INTRO, "", "## In short", "",
             "CPU time of the nearest peer of each kind, in units of ours.", "",
             summary(results), ""]
    for question in questions.QUESTIONS:
        if question.name in known:
            parts.append(section(question, Table(question, results["runs"]), True))
    parts.append("## How far estimates are off\n")
    for name, chart in results["accuracy"].items():
        parts.append(f"![{chart['title']}](plots/error-{name}.svg)\n")
    parts.append(about(results))
    return "\n".join(parts)


def time_chart(question, table):
    series = []
    for peer in question.peers:
        points = [(n, table.runs[peer.name, n].wall) for n in table.sizes(peer)]
        kind = {"ours": "ours", "small": "ours", "wc": "theory"}.get(peer.kind, "line")
        series.append(svg.Series(peer.name, points, kind))
    return svg.chart(question.title, svg.Axis("lines", True), svg.Axis("seconds, wall", True, " s"),
                     series, "from start to end of the program; ours are heavy, wc is dashed")


def plots(results):
    """File names and their SVG."""
    for question in questions.QUESTIONS:
        drawn = time_chart(question, Table(question, results["runs"]))
        if drawn:
            yield f"time-{question.name}.svg", drawn
    for name, chart in results["accuracy"].items():
        drawn = svg.chart(chart["title"], svg.Axis(*chart["x"]), svg.Axis(*chart["y"]),
                          [svg.Series(*series) for series in chart["series"]], chart["note"])
        if drawn:
            yield f"error-{name}.svg", drawn


def quoted(readme, results):
    """README.md with the rows of today between its marks."""
    first, last = map(re.escape, MARKS)
    machine = results["machine"]
    said = (f"One run of `make bench-peers` on {machine['cores']} cores of"
            f" {machine['processor']}: our CPU time with one thread, and in units of it that of"
            " the nearest peer, among those that answer exactly, among other sketches, and of"
            " `wc`. [RESULTS.md](tests/bench/RESULTS.md) has all peers, with their memory,"
            " errors, versions and plots.")
    block = f"{MARKS[0]}\n{said}\n\n{summary(results)}\n{MARKS[1]}"
    return re.sub(f"{first}.*?{last}", lambda _: block, readme, flags=re.S)


def rounded(value):
    """Four digits are what such figures are worth."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    return {k: rounded(v) for k, v in value.items()} if isinstance(value, dict) else value


def as_json(results):
    """A run and a chart a line, so that a change of one shows as one."""
    def dump(value):
        return json.dumps(value, ensure_ascii=False)

    def inside(value):
        if isinstance(value, list):
            return "[\n" + ",\n".join(map(dump, value)) + "\n]"
        if isinstance(value, dict):
            return "{\n" + ",\n".join(f"{dump(k)}: {dump(v)}" for k, v in value.items()) + "\n}"
        return dump(value)

    return "{\n" + ",\n".join(f"{dump(k)}: {inside(v)}" for k, v in results.items()) + "\n}\n"


def files(results, places):
    """All that follows from the results, by path."""
    results = rounded(results)
    out = {places.results: text(results), places.results.with_name("results.json"): as_json(results)}
    for name, drawn in plots(results):
        out[places.plots / name] = drawn
    if places.readme:
        out[places.readme] = quoted(places.readme.read_text(encoding="utf-8"), results)
    return out


def write(results, places):
    places.plots.mkdir(parents=True, exist_ok=True)
    for path, body in files(results, places).items():
        path.write_text(body, encoding="utf-8")
    print(f"wrote {places.results} and {places.plots}/")


def differs(results, places):
    """Says which of them are not what they should be: is there one?"""
    other = [path.name for path, body in files(results, places).items()
             if not path.exists() or path.read_text(encoding="utf-8") != body]
    for name in other:
        print(f"{name} is not what results.json says; see peers --write", file=sys.stderr)
    return bool(other)
