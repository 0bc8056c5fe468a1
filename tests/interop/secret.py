#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Were records made with this key of these lines, and of no others?

usage: secret.py KEYFILE RECORD... <LINES

Each file holds one binary record of kind hll, bloom-block or cms, of which each line
is an item: the payload is made anew, by sketch(5) and this Python alone.
"""
import struct
import sys

from reader import Head, place, step
from siphash import fingerprint, read_key, siphash

ONES = (1 << 64) - 1
SALTS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947,
         0x5C6BFB31)


def steps(h, n):
    """s_1 to s_n: each is the s_1 of a start that is one increment further."""
    return [step(h + j * 0x9E3779B97F4A7C15 & ONES) for j in range(n)]


def zeros(x, bits):
    return bits - x.bit_length()


def hll(head, hashes):
    p, registers = head.param[:2]
    if not registers:
        tokens = {h >> 38 << 6 | zeros(h & (1 << 38) - 1, 38) + 1 for h in hashes}
        return b"".join(struct.pack("<I", t) for t in sorted(tokens))
    ranks = [0] * (1 << p)
    for h in hashes:
        at = h >> 64 - p
        ranks[at] = max(ranks[at], zeros(h & (1 << 64 - p) - 1, 64 - p) + 1)
    bits = sum(rank << 6 * i for i, rank in enumerate(ranks))
    return bits.to_bytes(3 * len(ranks) // 4, "little")


def bloom(head, hashes):
    z, j = head.param[:2]
    words = [0] * (8 * z)
    for h in hashes:
        for x in [h] if j == 1 else steps(h, j):
            for i, salt in enumerate(SALTS):
                words[8 * place(x, z) + i] |= 1 << ((x * salt & 0xFFFFFFFF) >> 27)
    return struct.pack(f"<{8 * z}I", *words)


def cms(head, items, key):
    w, d, _, _, _, saved = head.param[:6]
    cells = [0] * (w * d)
    for item in items:
        for row, s in enumerate(steps(siphash(key, item), d)):
            cells[row * w + place(s, w)] += 1
    return struct.pack(f"<{w * d}Q", *cells), saved


def candidates_hold(payload, n, key):
    """Each has the hash of its item, and there are n."""
    at = 0
    for _ in range(n):
        size, h = struct.unpack_from("<IQ", payload, at + 16)
        if h != siphash(key, payload[at + 28:at + 28 + size]):
            return False
        at += 28 + size
    return at == len(payload)


def made_of(head, payload, items, key):
    if head.kind == 6:
        counters, saved = cms(head, items, key)
        return payload.startswith(counters) and \
            candidates_hold(payload[len(counters):], saved, key)
    make = {1: bloom, 8: hll}[head.kind]
    return payload == make(head, {siphash(key, item) for item in items})


def check(name, items, key):
    with open(name, "rb") as file:
        data = file.read()
    head = Head(data[:128])
    payload = data[128 + head.extension:][:head.size]
    if head.hash != 2 or head.seed != fingerprint(key):
        sys.exit(f"{name}: made with another key: {head.seed:016x}")
    if head.items != len(items) or not made_of(head, payload, items, key):
        sys.exit(f"{name}: not made of these lines")


def main():
    key = read_key(sys.argv[1])
    items = sys.stdin.buffer.read().split(b"\n")[:-1]
    for name in sys.argv[2:]:
        check(name, items, key)


if __name__ == "__main__":
    main()
