#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""The Bloom filters of other systems, made from lines on standard input.

usage: others.py dcso N P <LINES >FILE
       others.py parquet BLOCKS <LINES >FILE
       others.py join FILE FILE >FILE

As those systems' own sources have it, with no line of ours. Lines end in a
newline and nothing is stripped from them.
"""
import math
import struct
import sys

ONES = (1 << 64) - 1


def fnv1(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = h * 0x100000001B3 & ONES ^ byte
    return h


P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotate(x, n):
    return (x << n | x >> 64 - n) & ONES


def lane(acc, word):
    return rotate(acc + word * P2 & ONES, 31) * P1 & ONES


def xxh64(data):
    """XXH64 with seed 0, as the xxHash specification describes it."""
    at, left = 0, len(data)
    if left >= 32:
        acc = [P1 + P2 & ONES, P2, 0, -P1 & ONES]
        while left >= 32:
            acc = [lane(a, w) for a, w in zip(acc, struct.unpack_from("<4Q", data, at))]
            at, left = at + 32, left - 32
        h = sum(rotate(a, n) for a, n in zip(acc, (1, 7, 12, 18))) & ONES
        for a in acc:
            h = (h ^ lane(0, a)) * P1 + P4 & ONES
    else:
        h = P5
    h = h + len(data) & ONES
    while left >= 8:
        h = rotate(h ^ lane(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4 & ONES
        at, left = at + 8, left - 8
    if left >= 4:
        h = rotate(h ^ struct.unpack_from("<I", data, at)[0] * P1 & ONES, 23) * P2 + P3 & ONES
        at, left = at + 4, left - 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & ONES, 11) * P1 & ONES
    h = (h ^ h >> 33) * P2 & ONES
    h = (h ^ h >> 29) * P3 & ONES
    return h ^ h >> 32


def dcso(lines, n, p):
    """DCSO/bloom, version 1."""
    m = abs(math.ceil(n * math.log(p) / math.log(2) ** 2))
    k = math.ceil(math.log(2) * m / n)
    bits, count = bytearray((m + 63) // 64 * 8), 0
    for line in lines:
        h, new = fnv1(line) % (2**64 - 59), False
        for _ in range(k):
            h = (h * 18446744073709550147 & ONES) % (2**64 - 59)
            byte, bit = h % m // 8, 1 << h % m % 8
            new |= not bits[byte] & bit
            bits[byte] |= bit
        count += new
    return struct.pack("<QQdQQQ", 1, n, p, k, m, count) + bits


def join(a, b):
    """Its join of two filters of the same size."""
    if a[:40] != b[:40]:
        sys.exit("others.py: filters of unlike sizes")
    count = struct.unpack_from("<Q", a, 40)[0] + struct.unpack_from("<Q", b, 40)[0]
    return a[:40] + struct.pack("<Q", count) + bytes(x | y for x, y in zip(a[48:], b[48:]))


SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947,
        0x5C6BFB31)


def parquet(lines, blocks):
    """Apache Parquet's split block Bloom filter, and the header before it."""
    words = [0] * (8 * blocks)
    for line in lines:
        h = xxh64(line)
        block = (h >> 32) * blocks >> 32
        for i, salt in enumerate(SALT):
            words[8 * block + i] |= 1 << (((h & 0xFFFFFFFF) * salt & 0xFFFFFFFF) >> 27)
    number, head = 64 * blocks, b"\x15"
    while number > 127:
        head += bytes([number & 127 | 128])
        number >>= 7
    head += bytes([number]) + b"\x1c\x1c\0\0" * 3 + b"\0"
    return head + struct.pack(f"<{len(words)}I", *words)


def main(arguments):
    if arguments[:1] == ["join"] and len(arguments) == 3:
        made = join(*(open(name, "rb").read() for name in arguments[1:]))
    else:
        lines = sys.stdin.buffer.read().split(b"\n")
        lines = lines[:-1] if not lines[-1] else lines
        if arguments[:1] == ["dcso"] and len(arguments) == 3:
            made = dcso(lines, int(arguments[1]), float(arguments[2]))
        elif arguments[:1] == ["parquet"] and len(arguments) == 2:
            made = parquet(lines, int(arguments[1]))
        else:
            print(__doc__, file=sys.stderr)
            return 2
    sys.stdout.buffer.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
