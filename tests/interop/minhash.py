#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""MinHash as sketch(5) has it, in plain Python: slow, and shares nothing with ours.

usage: minhash.py hashes K items|RULE SEED|KEYFILE  the k smallest, and whether there are more
       minhash.py signatures RULE SIMILARITY        keys of all bands, a document a line
       minhash.py leaders RULE SIMILARITY           which line stands for each, from 1

Documents are lines of standard input.
"""
import sys

from simhash import features, seed_of
from siphash import siphash
from xxh3 import xxh3_64

MASK = (1 << 64) - 1


def step(h, j):
    z = h + j * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def hashes(lines, k, rule, seed):
    if rule == "items":
        found = {siphash(seed, line) if isinstance(seed, bytes) else xxh3_64(line, seed)
                 for line in lines}
    else:
        found = {step(f, 1) for line in lines for f in features(line, rule, seed)}
    for h in sorted(found)[:k]:
        print(f"{h:016x}")
    print("more" if len(found) > k else "all")


def slots_of(found, slots):
    """In round after round, until none is empty; then a round for each."""
    least = [None] * slots
    for i in range(1, slots + 1):
        if None not in least:
            break
        for f in found:
            z = step(f, i)
            at, value = z * slots >> 64, i << 48 | z & (1 << 48) - 1
            if least[at] is None or value < least[at]:
                least[at] = value
    for at, value in enumerate(least):
        if value is None:
            i = slots + 1 + at
            least[at] = min(i << 48 | step(f, i) & (1 << 48) - 1 for f in found)
    return least


def shape(similarity):
    """Bands and rows: the most rows that find 0.95."""
    for rows in range(16, 0, -1):
        bands = 128 // rows
        if rows == 1 or 1 - (1 - similarity ** rows) ** bands >= 0.95:
            return bands, rows
    return None


def keys_of(found, bands, rows):
    least, keys = slots_of(found, bands * rows), []
    for b in range(bands):
        key = b
        for value in least[b * rows:(b + 1) * rows]:
            key = step(key ^ value, 1)
        keys.append(key)
    return keys


class Document:
    def __init__(self, line, number, rule, similarity):
        self.number = number
        self.found = features(line, rule, 0)
        self.ids = {f & 0xFFFFFFFF for f in self.found}
        self.keys = keys_of(set(self.found), *shape(similarity))

    def share(self, other):
        return len(self.ids & other.ids) / len(self.ids | other.ids)

    def bands_apart(self, other):
        return sum(a != b for a, b in zip(self.keys, other.keys))


def leader(document, kept, similarity):
    """The number of the one it is given to, or its own."""
    for other in kept:
        if other.found == document.found:
            return other.number
    near = [(document.bands_apart(other), other.number, other) for other in kept]
    for apart, number, other in sorted(near, key=lambda row: row[:2]):
        if apart < len(document.keys) and document.share(other) >= similarity:
            return number
    return document.number


def main():
    what, *rest = sys.argv[1:]
    lines = sys.stdin.buffer.read().split(b"\n")[:-1]
    if what == "hashes":
        hashes(lines, int(rest[0]), rest[1], seed_of(rest[2]))
        return
    rule, similarity, kept = rest[0], float(rest[1]), []
    for number, line in enumerate(lines, 1):
        new = Document(line, number, rule, similarity)
        if what == "signatures":
            print(" ".join(f"{key:016x}" for key in new.keys))
            continue
        found = leader(new, kept, similarity)
        if found == number:
            kept.append(new)
        print(found)


if __name__ == "__main__":
    main()
