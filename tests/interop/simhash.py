#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""SimHash a second time, written from sketch(5) alone: slow, short, and without
an index.

    simhash.py sign UNIT:N SEED|KEYFILE     <lines: what simhash-sign prints
    simhash.py dedup UNIT:N DISTANCE S      <lines: those that pass, by comparing
                                            each with all that did; S = 0: unverified
"""

import collections
import functools
import sys
import unicodedata

from siphash import read_key, siphash
from xxh3 import xxh3_64

MASK = (1 << 64) - 1
P = [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0,
     0x082EFA98EC4E6C89, 0x452821E638D01377, 0xBE5466CF34E90C6C]
# Each character of these is a word.
ALONE = [
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007),
    (0x3021, 0x3029), (0x303B, 0x303B), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F),
]
IDEOGRAPHS = [(0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]


def fold(a, b):
    product = a * b
    return (product >> 64) ^ (product & MASK)


def characters(document):
    """Folded; a byte that is not UTF-8 comes as a lone surrogate."""
    for c in document.decode("utf-8", "surrogateescape"):
        yield next((t for t in (c.casefold(), c.lower()) if len(t) == 1), c)


def among(c, ranges):
    return any(low <= ord(c) <= high for low, high in ranges)


def is_letter(c):
    return unicodedata.category(c)[0] in "LMN"


def is_gap(c):
    """Up to 256 unassigned characters with a letter at either end."""
    ends = []
    for step in (-1, 1):
        at = ord(c)
        while abs(at - ord(c)) <= 256 and 0 < at < 0x10FFFF and unicodedata.category(chr(at)) == "Cn":
            at += step
        ends.append(at)
    return (unicodedata.category(c) == "Cn" and ends[1] - ends[0] - 1 <= 256 and
            all(is_letter(chr(at)) for at in ends))


@functools.lru_cache(None)
def is_word(c):
    return is_letter(c) or is_gap(c) or 0xDC80 <= ord(c) <= 0xDCFF


@functools.lru_cache(None)
def is_alone(c):
    return among(c, IDEOGRAPHS) or (is_letter(c) and among(c, ALONE))


def words(document):
    word = ""
    for c in characters(document):
        if is_word(c) and not is_alone(c):
            word += c
            continue
        if word:
            yield word
        word = ""
        if is_alone(c):
            yield c
    if word:
        yield word


def one_blank(document):
    text = "".join(" " if c in "\t\n\v\f\r\x85" or unicodedata.category(c)[0] == "Z" else c
                   for c in characters(document))
    return " ".join(part for part in text.split(" ") if part)


def piece_hash(text, seed):
    """seed: a number, or the 16 bytes of a key."""
    data = text.encode("utf-8", "surrogateescape")
    if isinstance(seed, bytes):
        return siphash(seed, data)
    if len(data) > 16:
        return xxh3_64(data, seed)
    padded = data.ljust(16, b"\0")
    x, y = (int.from_bytes(padded[i:i + 8], "little") for i in (0, 8))
    return fold(x ^ P[0] ^ seed, y ^ ((P[1] + len(data) * P[2]) & MASK))


def features(document, rule, seed):
    unit, n = rule.split(":")
    n = int(n)
    if unit == "char":
        text = one_blank(document)
        runs = [[text[i:i + n]] for i in range(max(1, len(text) - n + 1))] if text else []
    else:
        all_words = list(words(document))
        runs = [all_words[i:i + n] for i in range(max(1, len(all_words) - n + 1))]
        runs = [run for run in runs if run]
    if not runs:
        hash_all = siphash(seed, document) if isinstance(seed, bytes) else xxh3_64(document, seed)
        return [fold(hash_all ^ P[5], P[4])]
    found = []
    for run in runs:
        hashes = [piece_hash(piece, seed) for piece in run]
        f = fold(hashes[0] ^ P[3], P[4] ^ (hashes[1] if len(hashes) > 1 else 0))
        for h in hashes[2:]:
            f = fold(f ^ P[3], h ^ P[4])
        found.append(f)
    return found


def seed_of(text):
    """A number, or the key in the file of this name."""
    return int(text) if text.isdigit() else read_key(text)


def signature(found):
    votes = found + ([min(found)] if len(found) % 2 == 0 else [])
    return sum((2 * sum(f >> bit & 1 for f in votes) > len(votes)) << bit for bit in range(64))


class Document:
    def __init__(self, text, rule):
        self.features = features(text, rule, 0)
        self.signature = signature(self.features)
        self.bag = collections.Counter(f & 0xFFFFFFFF for f in self.features)


def similarity(a, b):
    """Multiset Jaccard of the features' low halves."""
    return sum((a.bag & b.bag).values()) / sum((a.bag | b.bag).values())


def alike(a, b, distance, least):
    if a.features == b.features:
        return True
    return (len(a.features) >= 4 and len(b.features) >= 4 and
            bin(a.signature ^ b.signature).count("1") <= distance and
            (least == 0 or similarity(a, b) >= least))


def main():
    what, rule = sys.argv[1:3]
    lines = [line + b"\n" for line in sys.stdin.buffer.read().split(b"\n")[:-1]]
    if what == "sign":
        for line in lines:
            text = b"%016x\t" % signature(features(line[:-1], rule, seed_of(sys.argv[3])))
            sys.stdout.buffer.write(text + line)
        return
    kept = []
    for line in lines:
        new = Document(line[:-1], rule)
        if not any(alike(new, old, int(sys.argv[3]), float(sys.argv[4])) for old in kept):
            kept.append(new)
            sys.stdout.buffer.write(line)


if __name__ == "__main__":
    main()
