#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""What near-duplicate programs promise, held against documents of which the
truth is known (build/corpus). Each of these prints what it measured, and fails
if that is not as the manuals say.

    near.py edits PAIRS         distances of signatures follow the formula
    near.py strangers N         texts that have nothing in common lie far apart
    near.py threshold PAIRS     minhash-dedup finds what it was asked for
    near.py chain               likeness does not creep
    near.py mill N COMMAND...   lines of a log are told apart by their templates
"""

import collections
import math
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "bench"))
import score

SEED = 5


def corpus(kind, n, *more):
    """Documents, and the group of each."""
    with open("/dev/null", "rb") as nothing:
        done = subprocess.run(["corpus", kind, str(n), str(SEED), "truth", *map(str, more)],
                              stdin=nothing, stdout=subprocess.PIPE, check=True)
    with open("truth", encoding="ascii") as truth:
        return done.stdout, [int(line) for line in truth]


def run(*command, text):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout


def signatures(text, rule):
    return [int(line[:16], 16) for line in run("simhash-sign", "--features", rule, text=text)
            .splitlines()]


def bag(line, n):
    words = line.split()
    return collections.Counter(zip(*(words[i:] for i in range(n))))


def cosine(a, b):
    def norm(x):
        return sum(v * v for v in x.values())
    return min(1.0, sum(v * b[k] for k, v in a.items()) / math.sqrt(norm(a) * norm(b)))


def within(pairs, distance, angles):
    """The share of pairs that are to lie within this distance."""
    def tail(p):
        return sum(math.comb(64, d) * p ** d * (1 - p) ** (64 - d) for d in range(distance + 1))
    return sum(tail(angle / math.pi) for angle in angles) / pairs


def edits(pairs):
    cells = [("substitute", words, percent, n) for words in (50, 100, 400)
             for percent in (1, 2, 5, 10, 20) for n in (2, 3)]
    cells += [(how, words, percent, 2) for how in ("insert", "delete", "swap", "move")
              for words in (60, 200) for percent in (2, 10)]
    if pairs < 200:
        cells = cells[::3]
    for how, words, percent, n in cells:
        text, _ = corpus("edits", pairs, how, words, percent)
        signed = signatures(text, f"word:{n}")
        lines = text.splitlines()
        found = [(a ^ b).bit_count() for a, b in zip(signed[::2], signed[1::2])]
        angles = [math.acos(cosine(bag(a, n), bag(b, n))) for a, b in zip(lines[::2], lines[1::2])]
        mean = sum(found) / pairs
        exact = 64 / math.pi * sum(angles) / pairs
        # For so many edits as were made, one at least.
        share = max(1, (words * percent + 50) // 100) / words
        formula = 64 / math.pi * math.acos((1 - share) ** n)
        print(f"{how} {words} words {percent} % word:{n}: distance {mean:.2f},"
              f" by the features {exact:.2f}, by the formula {formula:.2f}")
        assert abs(mean - exact) < 0.8
        if how == "substitute":
            assert abs(mean - formula) < 0.8
        for k in (3, 6, 10, 16):
            promised = within(pairs, k, angles)
            deviation = math.sqrt(promised * (1 - promised) / pairs)
            recall = sum(d <= k for d in found) / pairs
            print(f"    within {k}: {recall:.3f} of pairs, promised {promised:.3f}")
            # In the tails more than the binomial says: bits are not quite independent.
            assert abs(recall - promised) <= 3 * deviation + 0.02


def strangers(n):
    cells = [(words, rule) for words in (*range(3, 11), 25, 50, 200)
             for rule in ("word:2", "word:3")]
    if n <= 1000:
        cells = cells[::3]
    for words, rule in cells:
        text, _ = corpus("strangers", n, words)
        signed = signatures(text, rule)
        # Of all pairs at once: a bit differs in ones times zeros of them.
        ones = [sum(s >> bit & 1 for s in signed) for bit in range(64)]
        mean = sum(2 * c * (n - c) for c in ones) / (n * (n - 1))
        near = n - int(run("simhash-dedup", "-c", "--unverified", "--distance", "16",
                           "--features", rule, text=text))
        chance = n * (n - 1) / 2 * within(1, 16, [math.pi / 2])
        print(f"{words} words, {rule}: distance {mean:.3f}, {near} dropped within 16,"
              f" {chance:.1f} pairs by chance")
        assert abs(mean - 32) <= 0.2
        assert near <= 3 * chance
    # Common words alone make long texts alike, as simhash-dedup(1) says.
    signed = signatures(corpus("strangers", 100, 1000)[0], "word:1")
    mean = sum((a ^ b).bit_count() for a, b in zip(signed, signed[1:])) / 99
    print(f"1000 words, word:1: distance {mean:.1f}")
    assert 8 < mean < 16


def leaders(*command, text):
    """The line that stands for each, counted from 1, how similar it is, and notes."""
    done = subprocess.run([*command, "--show", "map", "--stats"], input=text,
                          capture_output=True, check=True)
    rows = [row.split(b"\t", 3) for row in done.stdout.split(b"\n")[:-1]]
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    return [int(row[2]) for row in rows], [float(row[0]) for row in rows], done.stderr.decode()


def threshold(pairs):
    """Of pairs that share exactly what was asked for, at least 0.95 are found; of
    those that share 0.05 more, 0.99; of those that share less, none. What --stats
    says of the first is true."""
    for asked in (50, 70, 80, 90):
        command = ("minhash-dedup", "--features", "word:1", "--similarity", f"{asked}%")
        for share in (asked - 10, asked, asked + 5):
            text, truth = corpus("jaccard", pairs, share)
            told, similar, notes = leaders(*command, text=text)
            found = 0
            for number, (leader, similarity) in enumerate(zip(told, similar), 1):
                if leader != number:
                    found += 1
                    assert truth[leader - 1] == truth[number - 1], "no pair"
                    assert abs(similarity - share / 100) < 0.0001, similarity
            print(f"asked {asked} %, shared {share} %: found {found} of {pairs}")
            if share < asked:
                assert found == 0
                continue
            promises = re.search(r"find ([0-9.]+) % of pairs with .*, ([0-9.]+) % with", notes)
            promised = float(promises[1 if share == asked else 2]) / 100
            print(f"    promised {promised:.3f}")
            assert promised >= (0.95 if share == asked else 0.99)
            deviation = math.sqrt(promised * (1 - promised) / pairs)
            assert abs(found / pairs - promised) <= max(0.02, 3 * deviation)
            assert found / pairs >= (0.95 if share == asked else 0.99) - 3 * deviation


def chain():
    """A text is compared with those that passed, so every second one of a chain
    passes whose neighbours share 0.82: the next but one share 0.67."""
    text, _ = corpus("chain", 51, 82)
    told, *_ = leaders("minhash-dedup", "--features", "word:1", "--similarity", "0.8", text=text)
    # Two neighbours that are missed, 1 in 100 or so, shift the rest.
    kept = sorted(set(told))
    print("kept", kept)
    assert all(leader in (number, number - 1) for number, leader in enumerate(told, 1))
    assert 26 <= len(kept) <= 29


def mill(n, *command):
    """Nearly as many groups as templates, and no template is lost."""
    text, truth = corpus("mill", n)
    told, *_ = leaders(*command, text=text)
    found = score.score(truth, told)
    print(" ".join(command), found)
    assert found.lost == 0
    assert found.kept <= 1.1 * len(set(truth))
    assert found.f1 >= 0.99 and found.ga >= 0.95


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    {"edits": edits, "strangers": strangers, "threshold": threshold, "chain": chain,
     "mill": mill}[what](*(int(word) for word in rest[:1]), *rest[1:])
