# sketchutils: BSD-2-Clause, see LICENSE
"""What is right, by sort and plain Python, and how far an answer is from it.

For each kind of answer a class: `truth` is found once for each input, outside of any
time, `error` compares what a program printed. An answer that cannot be read, or lacks
what was asked for, is Wrong.
"""

import json
import os
import re
import subprocess
import sys

import measure

sys.path.insert(0, str(measure.BENCH))
import score  # noqa: E402


class Wrong(Exception):
    """What the table says of such an answer."""


def rows(path):
    """"number blank item" of each line, the number first."""
    out = []
    with open(path, encoding="latin-1", newline="\n") as file:
        for line in file:
            found = re.match(r"\s*([0-9.]+)\s+(\S+)", line)
            if not found:
                raise Wrong(f"not a row: {line[:40].strip()}")
            out.append((float(found[1]), found[2]))
    return out


def numbers(path, n):
    text = path.read_text(encoding="latin-1")
    # The name of a percentile is not its value.
    found = [float(word) for word in re.findall(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:e\+?[0-9]+)?",
                                                text)]
    if len(found) < n:
        raise Wrong("no answer")
    return found[:n]


class Answer:
    """What the answers to a question have in common: the truth is computed once."""

    def __init__(self, files, env, question):
        self.files, self.env, self.question = files, env, question

    def shell(self, command):
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], env=self.env,
                              stdout=subprocess.PIPE, check=True)
        return done.stdout.decode("latin-1")

    def truth(self, n):
        path = measure.FOLDER / f"{self.question.name}-{n}.right"
        # What an older version of this file found may have another form.
        if not path.exists() or path.stat().st_mtime < os.stat(__file__).st_mtime:
            source = self.files.input(self.question.input, n)
            path.write_text(json.dumps(self.find(f"'{source}'", n)), encoding="utf-8")
        return json.loads(path.read_text(encoding="utf-8"))

    def within(self, claim, error):
        return claim is None or error[0] <= claim + 1e-9

    def told(self, error):
        return percent(error[0])


def percent(share):
    if share == 0:
        return "0"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


class Number(Answer):
    def find(self, source, _):
        if self.question.name == "field":
            return int(self.shell(f"cut -d ' ' -f 1 {source} | sort -u | wc -l"))
        return int(self.shell(f"sort -u {source} | wc -l"))

    def error(self, out, n):
        right = self.truth(n)
        return [abs(numbers(out, 1)[0] / right - 1)]


class Keys(Answer):
    """Distinct fields for each key; the hundred largest keys are looked at, ties apart."""

    def find(self, source, _):
        text = self.shell(f"cut -d ' ' -f 1,7 {source} | sort -u | cut -d ' ' -f 2 | sort |"
                          " uniq -c | sort -rn")
        counts = [line.split() for line in text.splitlines()]
        return {key: int(number) for number, key in counts[:1000]}

    def error(self, out, n):
        right = self.truth(n)
        told = sorted(rows(out), reverse=True)[:100]
        if len(told) != min(len(right), 100):
            raise Wrong(f"{len(told)} keys of 100")
        least = sorted(right.values(), reverse=True)[:100][-1]
        # Another page than those of the truth is as wrong as it has fewer addresses.
        return [sum(abs(number / right.get(key, least / 2) - 1) for number, key in told)
                / len(told)]


class Top(Answer):
    """The ten most frequent. Any of those that are as frequent as the tenth will do."""

    def find(self, source, _):
        first = f"cut -d ' ' -f 1 {source} | sort" if self.question.input == "log" else \
            f"sort {source}"
        text = self.shell(f"{first} | uniq -c | sort -rn | sed -n 1,20000p")
        return {item: int(count) for count, item in map(str.split, text.splitlines())}

    def error(self, out, n):
        right = self.truth(n)
        tenth = sorted(right.values(), reverse=True)[:10][-1]
        told = rows(out)
        if len(told) != 10:
            raise Wrong(f"{len(told)} items of 10")
        misses = sum(right.get(item, 0) < tenth for _, item in told)
        # Some name the ten, and no counts.
        named = [(count, right[item]) for count, item in told if item in right and count]
        worst = max((abs(count / true - 1) for count, true in named), default=0)
        return [max(worst, misses / 10), misses, len(named) > 0]

    def told(self, error):
        worst, misses, counted = error
        said = f"{misses} of 10 are others" if misses else percent(worst)
        return said if counted else said + ", no counts"


class Dedup(Answer):
    """Lines lost, repeated or made up."""

    # Beyond this only how many lines there are is looked at.
    WHOLE = 1_000_000

    def find(self, source, _):
        return int(self.shell(f"sort -u {source} | wc -l"))

    def error(self, out, n):
        right = self.truth(n)
        source = self.files.input(self.question.input, n)
        wrong = self.shell(f"comm -3 <(sort -u '{source}') <(sort '{out}') | wc -l"
                           if n <= self.WHOLE else f"wc -l <'{out}'")
        return [abs(int(wrong) - (0 if n <= self.WHOLE else right)) / right]


class Member(Answer):
    def find(self, source, n):
        # B is what the input has of these; see MADE in measure.py.
        inside = int(self.shell(f"grep -c 'shop/[0-7]' {source}"))
        return [inside, n - inside]

    def error(self, out, n):
        inside, outside = self.truth(n)
        told = numbers(out, 1)[0]
        if told < inside:
            raise Wrong(f"{inside - told:.0f} are missing")
        return [(told - inside) / outside]


class Quantile(Answer):
    """In value, and in rank: the share of lines between the answer and the truth."""

    def find(self, source, n):
        places = [-(-n * share // 100) for share in (50, 99)]
        text = self.shell(f"sort -n {source} | sed -n "
                          + " ".join(f"-e {place}p" for place in places))
        return {"values": [int(word) for word in text.split()]}

    def error(self, out, n):
        right = self.truth(n)["values"]
        told = numbers(out, 2)
        value = max(abs(t / r - 1) for t, r in zip(told, right))
        source = self.files.input(self.question.input, n)
        low, high = ([min(pair) for pair in zip(told, right)],
                     [max(pair) for pair in zip(told, right)])
        between = self.shell(f"mawk '$1 > {low[0]} && $1 < {high[0]} {{ a++ }}"
                             f" $1 > {low[1]} && $1 < {high[1]} {{ b++ }}"
                             f" END {{ print a + 0, b + 0 }}' '{source}'")
        return [value, max(int(word) / n for word in between.split())]

    def within(self, claim, error):
        if claim is None:
            return True
        of, most = claim
        return error[of == "rank"] <= most + 1e-9

    def told(self, error):
        return f"{percent(error[0])}; rank {percent(error[1])}" if error[0] else "0"


class Near(Answer):
    def find(self, _, n):
        return None

    def error(self, out, n):
        source = self.files.input(self.question.input, n)
        truth = score.read(source.with_name(source.name + ".truth"))
        found = score.score(truth, [int(word) for word in out.read_text().split()])
        return [1 - found.recall, found.precision]

    def told(self, error):
        return f"{percent(error[0])}; {error[1]:.3f}"


class Lookup(Answer):
    def find(self, source, n):
        items = self.files.beside(self.question.input, n, "items")
        text = self.shell(f"mawk 'NR == FNR {{ n[$0] = 0; next }} $0 in n {{ n[$0]++ }}"
                          f" END {{ for (k in n) print n[k], k }}' '{items}' {source}")
        return {item: int(count) for count, item in map(str.split, text.splitlines())}

    def error(self, out, n):
        right = self.truth(n)
        told = {item: count for count, item in rows(out)}
        if told.keys() != right.keys():
            raise Wrong(f"{len(told)} items of {len(right)}")
        if any(told[item] < count for item, count in right.items()):
            raise Wrong("a count is too low")
        return [max(told[item] - count for item, count in right.items()) / n]


KINDS = {"number": Number, "keys": Keys, "top": Top, "dedup": Dedup, "member": Member,
         "quantile": Quantile, "near": Near, "lookup": Lookup}


def judge(question, files, env):
    return KINDS[question.answer](files, env, question)
