#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""score.py TRUTH GROUPS: how well documents were grouped.

Both files have a line for each document, in the same order. TRUTH has the group
it belongs to, as build/corpus writes it. GROUPS has the number of the line,
counted from 1, that stands for it: its own if it was kept. Printed are

    precision  of the pairs in one group of GROUPS, the share in one of TRUTH
    recall     of the pairs in one group of TRUTH, the share in one of GROUPS
    f1         the harmonic mean of these
    ga         the share of documents in a group that is exactly right
    ari        the adjusted Rand index: 0 as by chance, 1 if all is right
    kept       groups of GROUPS
    lost       groups of TRUTH of which no document was kept
"""

import collections
import sys

Score = collections.namedtuple("Score", "precision recall f1 ga ari kept lost")


def pairs(sizes):
    return sum(n * (n - 1) // 2 for n in sizes)


def score(truth, groups):
    """Two lists, of groups and of lines that stand for them."""
    if len(truth) != len(groups):
        raise ValueError(f"{len(truth)} documents in TRUTH and {len(groups)} in GROUPS")
    true = collections.Counter(truth)
    told = collections.Counter(groups)
    cells = collections.Counter(zip(truth, groups))
    both, in_true, in_told = (pairs(c.values()) for c in (cells, true, told))
    precision = both / in_told if in_told else 1.0
    recall = both / in_true if in_true else 1.0
    right = sum(n for (t, g), n in cells.items() if n == true[t] == told[g])
    chance = in_true * in_told / max(pairs([len(truth)]), 1)
    most = (in_true + in_told) / 2
    kept = {truth[line - 1] for line in told}
    return Score(precision, recall,
                 2 * both / (in_true + in_told) if in_true + in_told else 1.0,
                 right / max(len(truth), 1),
                 (both - chance) / (most - chance) if most > chance else 1.0,
                 len(told), len(true.keys() - kept))


def read(path):
    with open(path, encoding="ascii") as file:
        return [int(line) for line in file]


def main():
    found = score(*map(read, sys.argv[1:]))
    for name, value in found._asdict().items():
        print(f"{name:9} {value}" if isinstance(value, int) else f"{name:9} {value:.4f}")


if __name__ == "__main__":
    main()
