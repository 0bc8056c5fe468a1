# sketchutils: BSD-2-Clause, see LICENSE
"""How far our estimates are off, against the size of the sketch or of the input.

Beside each stands what theory says: a standard error is compared with the root mean
square over seeds, a bound with the worst that was seen.
"""

import bisect
import math
import random
import subprocess
import sys
import tempfile

SEEDS = 40


class Bench:
    """A folder that goes away, and programs run in it."""

    def __init__(self, folder, env, smoke):
        self.folder, self.env, self.smoke = folder, env, smoke

    def ask(self, command):
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=self.folder,
                              env=self.env, stdout=subprocess.PIPE, check=True, text=True)
        return done.stdout

    def number(self, command):
        return float(self.ask(command).split()[0])

    def some(self, values):
        """Every value, or the first two."""
        return values[:2] if self.smoke else values

    def seeds(self):
        return range(1, 3 if self.smoke else SEEDS + 1)


def rms(errors):
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def percent(points):
    return [[x, 100 * y] for x, y in points]


def hll(b):
    """Against the number of items, three precisions."""
    sizes = b.some([1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000])
    for n in sizes:
        b.ask(f"seq {n} >items.{n}")
    series = []
    for precision in (10, 12, 14):
        measured = [[n, rms([b.number(f"hll-count --precision {precision} --seed {seed} items.{n}")
                             / n - 1 for seed in b.seeds()])] for n in sizes]
        series.append([f"2^{precision} registers", percent(measured), "line"])
        theory = 1.04 / math.sqrt(2 ** precision)
        series.append([f"1.04 / √2^{precision}", percent([[sizes[0], theory], [sizes[-1], theory]]),
                       "beside"])
    return {"title": "hll-count: standard error against the number of distinct items",
            "note": f"root mean square over {len(b.seeds())} seeds",
            "x": ["distinct items", True, ""], "y": ["relative error", True, " %"],
            "series": series}


def bloom(b):
    """Against how full it is: items added, as a share of those it was made for."""
    capacity, probes = (1000, 10_000) if b.smoke else (100_000, 1_000_000)
    loads = b.some([0.25, 0.5, 0.75, 1, 1.25, 1.5, 2])
    b.ask(f"seq {10 * capacity} {10 * capacity + probes - 1} >strangers")
    for load in loads:
        b.ask(f"seq {round(load * capacity)} >in.{load}")
    series = []
    for kind in ("block", "classic", "counting", "scalable", "cuckoo"):
        points = []
        for load in loads:
            # A cuckoo filter takes little more than it was made for.
            if kind == "cuckoo" and load > 1:
                break
            b.ask(f"bloom-build --type {kind} -n {capacity} -o filter in.{load}")
            wrong = b.number("bloom-query -c filter strangers || test $? = 1")
            points.append([load, wrong / probes])
        series.append([kind, percent(points), "line"])
    bits, k = math.log(1 / 0.01) / math.log(2) ** 2, 7
    theory = [[load, (1 - math.exp(-k * load / bits)) ** k] for load in loads]
    series.append(["(1 − e^(−kn/m))^k", percent(theory), "theory"])
    return {"title": "Bloom filters made for 1 %: false positives against load",
            "note": f"made for {capacity:,}, asked for {probes:,} others",
            "x": ["items added / items it was made for", False, ""],
            "y": ["false positives", True, " %"], "series": series}


def visits(b, lines):
    """A log's addresses, by Zipf's law, and how often each is there."""
    b.ask(f"logmaker log {lines} | cut -d ' ' -f 1 >visits")
    rows = b.ask("sort visits | uniq -c | sort -rn").splitlines()
    return {item: int(count) for count, item in map(str.split, rows)}


def cms(b):
    """Against the width: the 99th percentile over all items, as a share of the total."""
    lines = 10_000 if b.smoke else 1_000_000
    counts = visits(b, lines)
    asked = random.Random(1).sample(sorted(counts), min(20_000, len(counts)))
    with open(f"{b.folder}/asked", "w", encoding="ascii") as file:
        file.writelines(f"{item}\n" for item in asked)
    widths = b.some([64, 128, 256, 512, 1024, 2048, 4096, 8192])
    series = []
    for name, more in (("plain", ""), ("--conservative", "--conservative")):
        points = []
        for width in widths:
            told = b.ask(f"cms-build --width {width} --depth 5 --candidates 0 {more} visits |"
                         " cms-query /dev/stdin asked")
            over = sorted((int(row.split()[0]) - counts[item]) / lines
                          for row, item in zip(told.splitlines(), asked))
            points.append([width, over[round(0.99 * (len(over) - 1))]])
        series.append([name, percent(points), "line"])
    series.append(["e / width, the bound", percent([[w, math.e / w] for w in widths]), "theory"])
    return {"title": "cms-build of 5 rows: how far counts are too high, against the width",
            "note": f"of 99 in 100 items, {lines:,} lines by Zipf's law",
            "x": ["counters in a row", True, ""], "y": ["share of the total", True, " %"],
            "series": series}


def spacesaving(b):
    """Against the number of counters: twenty parts, united, and the worst that is listed."""
    lines = 10_000 if b.smoke else 1_000_000
    counts = visits(b, lines)
    b.ask("split -n l/20 visits part.")
    sizes = b.some([64, 128, 256, 512, 1024, 2048, 4096, 8192])
    over, width = [], []
    for size in sizes:
        b.ask(f"for part in part.*; do cms-build --type spacesaving --candidates {size}"
              " -o sketch.${part#part.} $part; done")
        told = [row.split() for row in b.ask(
            f"cms-topk -s -k {size} --bounds sketch.*").splitlines()]
        over.append([size, max(int(row[0]) - counts[row[3]] for row in told) / lines])
        width.append([size, max(int(row[2]) - int(row[1]) for row in told) / lines])
    return {"title": "cms-build --type spacesaving: error against the number of counters",
            "note": f"20 parts united, the worst of all that are listed, {lines:,} lines by"
                    " Zipf's law",
            "x": ["counters", True, ""], "y": ["share of the total", True, " %"],
            "series": [["too high by", percent(over), "line"],
                       ["high − low, as printed", percent(width), "line"],
                       ["1 / counters, the bound", percent([[n, 1 / n] for n in sizes]), "theory"]]}


QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99)


def numbers(b, lines):
    """Response times, sorted. Each is a number of its own: ranks are then certain."""
    draw = random.Random(1)
    values = [round(120 + 20_000 * draw.random() ** 3 * draw.lognormvariate(0, 1), 6)
              for _ in range(lines)]
    with open(f"{b.folder}/numbers", "w", encoding="ascii") as file:
        file.writelines(f"{value:.6f}\n" for value in values)
    return sorted(values)


def told_quantiles(b, command):
    asked = ",".join(f"p{q}" for q in QUANTILES)
    return [float(row.split()[1]) for row in b.ask(f"{command} -Q {asked}").splitlines()]


def hdr(b):
    """Against the size of the file, for 1 to 5 digits."""
    right = numbers(b, 2000 if b.smoke else 300_000)
    at = [right[max(math.ceil(len(right) * q / 100), 1) - 1] for q in QUANTILES]
    measured, promised = [], []
    for digits in b.some([1, 2, 3, 4, 5]):
        b.ask(f"hdr-build --digits {digits} -o histogram numbers")
        size = b.number("wc -c <histogram")
        told = told_quantiles(b, "hdr-quantile -s histogram")
        measured.append([size, max(abs(t / r - 1) for t, r in zip(told, at))])
        promised.append([size, 10.0 ** -digits])
    return {"title": "hdr-build of 1 to 5 digits: error of a percentile against size",
            "note": f"the worst of {len(QUANTILES)} percentiles from p1 to p99.99",
            "x": ["bytes of the file", True, ""], "y": ["share of the number", True, " %"],
            "series": [["worst", percent(measured), "line"],
                       ["10^−digits, the bound", percent(promised), "theory"]]}


def tdigest(b):
    """Against the compression, in ranks."""
    right = numbers(b, 2000 if b.smoke else 300_000)
    sizes = b.some([20, 50, 100, 200, 500, 1000])
    groups = {"p25 to p75": [25, 50, 75], "p1 to p10, p90 to p99": [1, 5, 10, 90, 95, 99],
              "p99.5 to p99.99": [99.5, 99.9, 99.99]}
    found = {name: [] for name in groups}
    for size in sizes:
        told = dict(zip(QUANTILES, told_quantiles(
            b, f"tdigest-quantile --compression {size} numbers")))
        for name, members in groups.items():
            found[name].append([size, max(abs(bisect.bisect_right(right, told[q]) / len(right)
                                              - q / 100) for q in members)])
    return {"title": "tdigest-quantile: error of ranks against the compression",
            "note": f"the worst percentile of each group, {len(right):,} numbers",
            "x": ["compression", True, ""], "y": ["share of the ranks", True, " %"],
            "series": [*([name, percent(points), "line"] for name, points in found.items()),
                       ["0.1 % at 100, as 1 / compression",
                        percent([[n, 0.1 / n] for n in sizes]), "theory"]]}


def minhash(b):
    """Against the number of hashes kept, for two similarities."""
    n = 1000 if b.smoke else 20_000
    sizes = b.some([16, 64, 256, 1024, 4096])
    series = []
    for shared in (0.2, 0.5, 0.8):
        # Two sets of n elements that share x of them have the similarity x / (2n - x).
        both = round(2 * n * shared / (1 + shared))
        b.ask(f"seq {n} >left; seq {n - both + 1} {2 * n - both} >right")
        truth = both / (2 * n - both)
        points = []
        for size in sizes:
            errors = []
            for seed in b.seeds():
                told = b.ask(f"minhash-build --size {size} --seed {seed} left >l.mh;"
                             f" minhash-build --size {size} --seed {seed} right >r.mh;"
                             " sketch-compare l.mh r.mh")
                value = next(row.split()[0] for row in told.splitlines()
                             if row.endswith("\tjaccard"))
                errors.append(float(value) - truth)
            points.append([size, rms(errors)])
        series.append([f"similarity {shared}", points, "line"])
        series.append([f"√(J(1−J)/K), J = {shared}",
                       [[k, math.sqrt(truth * (1 - truth) / k)] for k in sizes], "beside"])
    return {"title": "minhash-build: standard error of the similarity against its size",
            "note": f"root mean square over {len(b.seeds())} seeds, sets of {n:,}",
            "x": ["hashes kept", True, ""], "y": ["error of the similarity", True, ""],
            "series": series}


def simhash(b):
    """Recall against how much was edited, at three distances."""
    pairs = 50 if b.smoke else 1000
    shares = b.some([1, 2, 3, 5, 7, 10, 15, 20])
    series = []
    for distance in (3, 6, 10):
        found, theory = [], []
        for share in shares:
            b.ask(f"corpus edits {pairs} 1 /dev/null substitute 200 {share} >texts.{share}")
            kept = b.ask(f"simhash-dedup --distance {distance} --unverified --show map"
                         f" texts.{share}").splitlines()
            # The second of a pair stands behind the first.
            hits = sum(row.split("\t")[2] != str(i + 1) for i, row in enumerate(kept)
                       if i % 2 == 1)
            found.append([share, 100 * hits / pairs])
            # Of runs of two words that many are still the same; a bit differs as often
            # as a random plane parts the two vectors.
            cosine = (1 - share / 100) ** 2
            bit = math.acos(cosine) / math.pi
            theory.append([share, 100 * sum(math.comb(64, d) * bit ** d * (1 - bit) ** (64 - d)
                                            for d in range(distance + 1))])
        series.append([f"at most {distance} of 64 bits", found, "line"])
        series.append([f"theory for {distance}", theory, "beside"])
    return {"title": "simhash-dedup: pairs found against words substituted",
            "note": f"{pairs:,} pairs of texts of 200 words; theory: random planes",
            "x": ["words substituted, %", False, ""], "y": ["pairs found", False, " %"],
            "series": series}


CHARTS = {"hll": hll, "bloom": bloom, "cms": cms, "spacesaving": spacesaving, "hdr": hdr,
          "tdigest": tdigest, "minhash": minhash, "simhash": simhash}


def measure(smoke, env):
    """All charts, by name, as they are kept in results.json."""
    out = {}
    for name, chart in CHARTS.items():
        print(f"accuracy of {name}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            out[name] = chart(Bench(folder, env, smoke))
    return out
