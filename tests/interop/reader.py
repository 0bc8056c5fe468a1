#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""A second reader of sketch files, written from man/sketch.5 alone.

usage: reader.py [-z] [--keys] FILE...

Prints a flat JSON object for each record, and with --keys one for each entry
of a keyed record before that of the record. The first thing that is wrong in
a file is a line on standard error and status 4; 3 if one cannot be read.
"""
import base64
import json
import math
import struct
import sys
from itertools import groupby, pairwise

from xxh3 import xxh3_64

HASHES = {1: "xxh3", 2: "siphash", 3: "xxh64", 4: "fnv1", 5: "murmur64a", 6: "murmur3",
          7: "murmur3-coupon"}
MAGIC = b"\x8askch\r\n\x1a"
ALL_ONES = (1 << 64) - 1
SATURATED = 0x0001
KEYED = 0x0100
CONSERVATIVE = 0x0200
SIPHASH = 2
KEY = 0x8001

# What is wrong, in the words of the programs' messages.
EMPTY = "empty, not a sketch"
FOREIGN = "not a sketch"
TRUNCATED = "truncated"
HEADER = "header checksum differs"
PAYLOAD = "payload checksum differs"
PADDING = "padding is not zero"
ARMOR = "armour is not canonical base64url"
UNSUPPORTED = "needs a newer version of sketchutils"
PARAMETER = "a parameter is out of range"
SIZE = "the size contradicts the parameters"
INVARIANT = "the payload contradicts itself"

# The names that sketch-info --json has for what is called so below.
NAMES = {
    "file": "file", "record": "record", "offset": "offset", "armored": "armored",
    "format": "format", "chunks": "chunks", "kind": "kind", "version": "version", "hash": "hash", "seed": "seed",
    "fold": "ignore_case", "join": "join", "items": "items", "bytes": "bytes",
    "payload": "payload_bytes", "checksum": "checksum", "keyed": "keyed", "keys": "keys",
    "key": "key", "ids": "ids", "aliases": "aliases",
    "saturated": "saturated", "auto": "auto",
}


class Bad(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Bad(why)


def padded(n):
    return n + -n % 64


def place(x, n):
    return x * n >> 64


def step(h):
    """s_1 of a hash."""
    z = h + 0x9E3779B97F4A7C15 & ALL_ONES
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & ALL_ONES
    z = (z ^ z >> 27) * 0x94D049BB133111EB & ALL_ONES
    return z ^ z >> 31


def real(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


class Source:
    """Bytes and how many of them were used."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        need(n <= len(self.data) - self.at, TRUNCATED)
        self.at += n
        return self.data[self.at - n:self.at]


class Head:
    def __init__(self, data):
        need(data[:8] == MAGIC[:len(data)], FOREIGN)
        need(len(data) == 128, TRUNCATED)
        (form, self.kind, self.version, self.flags, self.hash, self.item_type,
         self.transform, self.join, self.extension, self.seed, self.items, self.size,
         *rest) = struct.unpack("<8x4H4BI3Q10Q", data)
        self.param, self.checksum = rest[:8], rest[8]
        need(form == 1, UNSUPPORTED)
        need(rest[9] == xxh3_64(data[:120]), HEADER)
        need(self.flags & 0xFF00 & ~(KEYED | CONSERVATIVE) == 0 and
             self.flags & (KEYED | CONSERVATIVE) != KEYED | CONSERVATIVE and self.hash in HASHES and
             self.item_type <= 2 and self.transform & 0x78 == 0 and self.transform & 7 <= 4 and
             self.join in (0, 1, 2), UNSUPPORTED)
        self.keyed = self.flags & KEYED != 0
        need(self.extension % 64 == 0, SIZE)
        need(self.items == self.size == ALL_ONES if self.keyed else self.size < 1 << 63, SIZE)

    def check(self):
        """Parameters, and the size they imply; returns the kind."""
        need(self.kind in KINDS, UNSUPPORTED)
        kind = KINDS[self.kind]
        need(self.version != 0, PARAMETER)
        need(self.version == 1, UNSUPPORTED)
        need(self.kind == 6 or self.flags & CONSERVATIVE == 0, UNSUPPORTED)
        theirs = {13: 3, 14: 4, 16: 5, 17: 6, 18: 7}.get(self.kind, 1)
        need(self.hash == theirs and self.seed == 0 or
             theirs == 1 and self.kind not in (11, 12) and self.hash in (1, SIPHASH), PARAMETER)
        need(self.item_type == 0 or self.kind in (17, 18), PARAMETER)
        need(self.transform & 7 == 0 or self.kind in (9, 19), UNSUPPORTED)
        sizes = kind.sizes(*self.param)
        if self.hash == SIPHASH and isinstance(sizes, AtLeast):
            sizes = AtLeast(sizes + 8 * self.param[5 if self.kind == 6 else 1])
        need(self.keyed or self.size in sizes, SIZE)
        return kind


def texts(value):
    need(value.endswith(b"\0"), INVARIANT)
    parts = value[:-1].split(b"\0")
    need(all(parts) and all(a < b for a, b in pairwise(parts)), INVARIANT)
    return parts


def ids_of(value):
    """The ids of shards: texts with limits of their own."""
    ids = texts(value)
    need(len(value) <= 1 << 20 and len(ids) <= 65536, INVARIANT)
    need(all(len(i) <= 255 and not any(c < 32 or c == 127 for c in i) for i in ids), INVARIANT)
    return ids


def extension_of(data):
    """Tags and values; what is known is decoded."""
    found, last, at = {}, 0, 0
    while at + 6 <= len(data):
        tag, n = struct.unpack_from("<HI", data, at)
        if tag == 0:
            break
        need(n <= len(data) - at - 6 and tag > last, INVARIANT)
        need(tag < 0x8000 or tag == KEY, UNSUPPORTED)
        value = data[at + 6:at + 6 + n]
        found[tag] = ids_of(value) if tag == 1 else texts(value) if tag == 2 else value
        last, at = tag, at + 6 + n
    need(len(data) - at < 64 and not any(data[at:]), PADDING)
    return found


# Kinds: which sizes the parameters imply, and what the payload says.

class Hll:
    name = "hll"

    @staticmethod
    def sizes(p, encoding, *rest):
        need(4 <= p <= 18 and encoding <= 1 and not any(rest), PARAMETER)
        m = 1 << p
        return [m * 6 // 8] if encoding else range(0, 4 * max(128, m // 8) + 1, 4)

    @staticmethod
    def settings(head):
        m = 1 << head.param[0]
        return {"precision": head.param[0], "registers": m,
                "standard_error": 1.04 / math.sqrt(m)}

    @staticmethod
    def facts(head, payload):
        p, encoding = head.param[:2]
        m = 1 << p
        facts = {"encoding": "registers" if encoding else "tokens",
                 "token_limit": max(128, m // 8)}
        if not encoding:
            tokens = struct.unpack("<%dI" % (len(payload) // 4), payload)
            need(all(a < b for a, b in pairwise(tokens)), INVARIANT)
            need(all(1 <= t & 63 <= 39 for t in tokens), INVARIANT)
            n = len(tokens)
            # Two items share a token with probability 2^-26 times the sum of 4^-rank.
            # Tokens that hide an item, as expected; below 1 in 40 there are none.
            hidden = n * n / (6 * 2 ** 26)
            facts |= {"tokens": n, "estimate": n + (hidden if hidden >= 0.0253 else 0)}
        else:
            bits = int.from_bytes(payload, "little")
            counts = [0] * 66
            for i in range(0, m, 1 << 9):
                block = bits >> 6 * i & (1 << 6 * min(512, m - i)) - 1
                for j in range(min(512, m - i)):
                    counts[block >> 6 * j & 63] += 1
            need(not any(counts[66 - p:]), INVARIANT)
            facts |= {"registers_used": m - counts[0],
                      "estimate": Hll.estimate(p, counts[:66 - p])}
        return facts

    @staticmethod
    def estimate(p, counts):
        """O. Ertl, arXiv:1702.01284, and divided by its bias of order 1/m."""
        m = 1 << p
        if counts[0] == m:
            return 0.0
        z = m * Hll.tau(1 - counts[-1] / m)
        for count in reversed(counts[1:-1]):
            z = (z + count) / 2
        z += m * Hll.sigma(counts[0] / m)
        if z == 0:
            return math.inf
        return m * m / (2 * math.log(2) * z) / (1 + (3 * math.log(2) - 1) / m)

    @staticmethod
    def sigma(x):
        total, power, before = x, 1, -1
        while total != before:
            x, before = x * x, total
            total, power = total + x * power, power * 2
        return total

    @staticmethod
    def tau(x):
        if x in (0, 1):
            return 0.0
        total, power, before = 1 - x, 1, -1
        while total != before:
            x, before, power = math.sqrt(x), total, power / 2
            total -= (1 - x) ** 2 * power
        return total / 3


class HllRedis:
    name = "hll-redis"

    @staticmethod
    def sizes(*params):
        need(not any(params), PARAMETER)
        return [*range(2, 2985), 12288]

    @staticmethod
    def settings(_head):
        return {"precision": 14, "registers": 1 << 14, "standard_error": 1.04 / 128}

    @staticmethod
    def facts(_head, payload):
        dense = len(payload) == 12288
        if dense:
            bits = int.from_bytes(payload, "little").to_bytes(12288, "big")
            registers = read_bits(bits, 6)[::-1]
        else:
            registers = HllRedis.runs(payload)
        need(len(registers) == 1 << 14 and max(registers) <= 51, INVARIANT)
        need(dense or HllRedis.program(registers) == payload, INVARIANT)
        need(not dense or max(registers) > 32 or len(HllRedis.program(registers)) > 2984, INVARIANT)
        counts = [registers.count(rank) for rank in range(52)]
        return {"encoding": "dense" if dense else "sparse", "registers_used": (1 << 14) - counts[0],
                "estimate": math.floor(HllRedis.estimate(counts) + 0.5)}

    @staticmethod
    def runs(payload):
        registers, rest = [], iter(payload)
        for byte in rest:
            if byte & 0x80:
                registers += [(byte >> 2 & 31) + 1] * ((byte & 3) + 1)
            elif byte & 0x40:
                registers += [0] * (((byte & 63) << 8 | next(rest, 1 << 20)) + 1)
            else:
                registers += [0] * (byte + 1)
        return registers

    @staticmethod
    def program(registers):
        """The one way to write them as runs; ranks above 32 come out as nonsense."""
        out = bytearray()
        for rank, same in groupby(registers):
            n = len(list(same))
            if rank == 0:
                out += bytes([n - 1] if n <= 64 else [0x40 | n - 1 >> 8, n - 1 & 255])
            while rank > 0 and n > 0:
                out.append(0x80 | (rank - 1 & 31) << 2 | min(n, 4) - 1)
                n -= 4
        return bytes(out)

    @staticmethod
    def estimate(counts):
        """That of Hll, with its bias."""
        m = 1 << 14
        return Hll.estimate(14, counts) * (1 + (3 * math.log(2) - 1) / m)


def read_bits(data, *widths):
    """Numbers of so many bits in turn, the most significant first, and what is left."""
    bits, left, numbers = int.from_bytes(data, "big"), 8 * len(data), []
    text = format(bits, "b").zfill(left) if left else ""
    at = 0
    while at + sum(widths) <= left:
        for width in widths:
            numbers.append(int(text[at:at + width], 2))
            at += width
    need("1" not in text[at:] and left - at < 8, INVARIANT)
    return numbers


class HllPostgres:
    name = "hll-postgres"
    TYPES = {1: "empty", 2: "explicit", 3: "sparse", 4: "full"}

    @staticmethod
    def kept(log2m, width, code):
        return min(16383, 0 if code == 0 else (width << log2m) // 64 if code == 63 else 1 << code - 1)

    @staticmethod
    def sizes(log2m, width, code, sparse, sort, *rest):
        need(4 <= log2m <= 17 and 1 <= width <= 8 and code <= 63 and sparse <= 1 and
             1 <= sort <= 4 and not any(rest), PARAMETER)
        full = (width << log2m) // 8
        return ([0], range(8, 8 * HllPostgres.kept(log2m, width, code) + 1, 8),
                range(full + 1), [full])[sort - 1]

    @staticmethod
    def settings(head):
        log2m, width, code, sparse = head.param[:4]
        return {"log2m": log2m, "regwidth": width, "sparseon": sparse == 1,
                "expthresh": -1 if code == 63 else 1 << code - 1 if code else 0,
                "registers": 1 << log2m, "explicit_limit": HllPostgres.kept(log2m, width, code),
                "standard_error": 1.04 / math.sqrt(1 << log2m)}

    @staticmethod
    def facts(head, payload):
        log2m, width, _code, sparse, sort = head.param[:5]
        m, facts = 1 << log2m, {"encoding": HllPostgres.TYPES[head.param[4]]}
        if sort <= 2:
            hashes = [h for h, in struct.iter_unpack(">q", payload)]
            need(all(a < b for a, b in pairwise(hashes)), INVARIANT)
            return facts | {"hashes": len(hashes), "estimate": len(hashes)}
        registers = [0] * m
        if sort == 4:
            registers = read_bits(payload, width)
        else:
            words = read_bits(payload, log2m, width)
            # So few bits that the last ones would do for a word, which is none.
            while words and words[-1] == 0:
                del words[-2:]
            need(all(a < b for a, b in pairwise(words[::2])) and all(words[1::2]), INVARIANT)
            need(len(payload) == (len(words) // 2 * (log2m + width) + 7) // 8, INVARIANT)
            for index, rank in zip(words[::2], words[1::2]):
                registers[index] = rank
        used = m - registers.count(0)
        need(max(registers) <= 64 - log2m, INVARIANT)
        need((sort == 3) == (sparse == 1 and used * (log2m + width) < m * width), INVARIANT)
        return facts | {"registers_used": used, "estimate": HllPostgres.estimate(width, registers)}

    @staticmethod
    def estimate(width, registers):
        """Flajolet et al., AofA 2007, for hashes of so many bits."""
        m, zeros = len(registers), registers.count(0)
        bits = 2 ** width - 2 + m.bit_length() - 1
        alpha = {16: 0.673, 32: 0.697, 64: 0.709}.get(m, 0.7213 / (1 + 1.079 / m))
        raw = alpha * m * m / sum(2.0 ** -rank for rank in registers)
        if zeros and raw < 2.5 * m:
            return m * math.log(m / zeros)
        return raw if raw <= 2.0 ** bits / 30 else -2.0 ** bits * math.log(1 - raw / 2.0 ** bits)


class HllDatasketches:
    name = "hll-datasketches"

    @staticmethod
    def limit(lgk):
        return 7 if lgk < 8 else 3 << lgk - 5

    @staticmethod
    def sizes(lgk, form, hip, *rest):
        need(4 <= lgk <= 21 and form <= 1 and (form == 1 or hip == 0) and not any(rest), PARAMETER)
        return [3 << lgk - 2] if form else range(0, 4 * HllDatasketches.limit(lgk) + 1, 4)

    @staticmethod
    def settings(head):
        lgk = head.param[0]
        return {"lg_k": lgk, "registers": 1 << lgk, "coupons_limit": HllDatasketches.limit(lgk),
                "standard_error": 1.03896 / math.sqrt(1 << lgk)}

    @staticmethod
    def facts(head, payload):
        lgk, form, hip = head.param[:3]
        if form == 0:
            coupons = [c for c, in struct.iter_unpack("<I", payload)]
            need(all(a < b for a, b in pairwise(coupons)), INVARIANT)
            need(not coupons or coupons[0] >> 26 > 0, INVARIANT)
            n = len(coupons)
            return {"encoding": "coupons", "coupons": n, "hip": False,
                    "estimate": n + n * (n - 1) / (6 * 2 ** 26)}
        k, bits = 1 << lgk, int.from_bytes(payload, "little").to_bytes(len(payload), "big")
        zeros = read_bits(bits, 6).count(0)
        need(zeros < k, INVARIANT)
        facts = {"encoding": "registers", "registers_used": k - zeros, "hip": hip != 0}
        if hip:
            need(k - zeros - 1e-6 < real(hip) < 2 ** 64, INVARIANT)
            return facts | {"estimate": real(hip)}
        # Where that cannot be doubted, linear counting. Above, an estimate is a matter of
        # the library's table.
        linear = k * sum(1 / i for i in range(zeros + 1, k + 1))
        return facts | ({"estimate": linear} if linear < 0.5 * k else {})


class Bloom:
    @staticmethod
    def shared(head):
        return {"probes": head.param[1], "capacity": head.param[2],
                "wanted_fpp": real(head.param[3])}

    @staticmethod
    def check(size, size_max, probes, probes_max, fpp, rest):
        need(1 <= size <= size_max and 1 <= probes <= probes_max and
             1e-9 <= real(fpp) <= 0.5 and not any(rest), PARAMETER)


class BloomBlock(Bloom):
    name = "bloom-block"

    @staticmethod
    def sizes(z, probes, _capacity, fpp, *rest):
        Bloom.check(z, 1 << 40, probes, 4, fpp, rest)
        return [32 * z]

    @staticmethod
    def settings(head):
        return {"type": "block", "blocks": head.param[0], **Bloom.shared(head)}

    @staticmethod
    def facts(head, payload):
        z, probes = head.param[:2]
        mean, ones = BloomBlock.count(z, payload)
        return {"fpp": mean ** probes, "fill": ones / (256 * z)}

    @staticmethod
    def count(z, blocks):
        """The chance that one probe of an absent item passes, and the bits set."""
        mean, ones = 0.0, 0
        for words in struct.iter_unpack("<8I", blocks):
            counts = [word.bit_count() for word in words]
            ones += sum(counts)
            mean += math.prod(count / 32 for count in counts) / z
        return mean, ones


class BloomClassic(Bloom):
    name = "bloom-classic"

    @staticmethod
    def sizes(m, probes, _capacity, fpp, *rest):
        Bloom.check(m, 1 << 48, probes, 64, fpp, rest)
        return [(m + 7) // 8]

    @staticmethod
    def settings(head):
        return {"type": "classic", "bits": head.param[0], **Bloom.shared(head)}

    @staticmethod
    def facts(head, payload):
        m, probes = head.param[:2]
        bits = int.from_bytes(payload, "little")
        need(bits >> m == 0, INVARIANT)
        ones = bits.bit_count()
        return {"fpp": (ones / m) ** probes, "fill": ones / m}


class BloomParquet(BloomBlock):
    name = "bloom-parquet"

    @staticmethod
    def sizes(z, probes, _capacity, fpp, *rest):
        Bloom.check(z, (1 << 26) - 1, probes, 1, fpp, rest)
        return [32 * z]

    @staticmethod
    def settings(head):
        return BloomBlock.settings(head) | {"type": "parquet"}


class BloomDcso(Bloom):
    name = "bloom-dcso"

    @staticmethod
    def sizes(m, probes, _capacity, fpp, _counted, *rest):
        need(1 <= m <= 1 << 48 and 1 <= probes <= 255 and 0 < real(fpp) < 1 and
             not any(rest), PARAMETER)
        return [(m + 63) // 64 * 8]

    @staticmethod
    def settings(head):
        return {"type": "dcso", "bits": head.param[0], **Bloom.shared(head),
                "counted": head.param[4]}

    @staticmethod
    def facts(head, payload):
        return BloomClassic.facts(head, payload)


class BloomCounting(Bloom):
    name = "bloom-counting"

    @staticmethod
    def sizes(m, probes, _capacity, fpp, *rest):
        Bloom.check(m, 1 << 48, probes, 64, fpp, rest)
        return [(m + 1) // 2]

    @staticmethod
    def settings(head):
        return {"type": "counting", "counters": head.param[0], **Bloom.shared(head)}

    @staticmethod
    def facts(head, payload):
        m, probes = head.param[:2]
        need(m % 2 == 0 or payload[-1] < 16, INVARIANT)
        counters = [byte >> shift & 15 for byte in payload for shift in (0, 4)][:m]
        used = m - counters.count(0)
        return {"fpp": (used / m) ** probes, "fill": used / m, "permanent": counters.count(15)}


class BloomScalable(Bloom):
    name = "bloom-scalable"

    @staticmethod
    def sizes(a, b, capacity, fpp, *rest):
        need(capacity >= 1 and 1e-9 <= real(fpp) <= 0.5 and not any((a, b, *rest)), PARAMETER)
        return Lines()

    @staticmethod
    def settings(head):
        return {"type": "scalable", "first_capacity": head.param[2],
                "wanted_fpp": real(head.param[3])}

    @staticmethod
    def stages(payload):
        """Of each stage: probes, capacity, items, and the blocks."""
        source = Source(payload)
        try:
            while source.at < len(payload):
                z, probes, capacity, fpp, items, *zeros = struct.unpack("<8Q", source.take(64))
                need(1 <= z <= 1 << 40 and 1 <= probes <= 4 and 1e-18 <= real(fpp) <= 0.5 and
                     1 <= items <= capacity <= 256 * z and not any(zeros), INVARIANT)
                yield probes, capacity, items, source.take(32 * z)
                need(not any(source.take(z % 2 * 32)), INVARIANT)
        except Bad as bad:
            raise Bad(INVARIANT) from bad

    @staticmethod
    def facts(head, payload):
        stages = list(BloomScalable.stages(payload))
        need(len(stages) <= 4096, INVARIANT)
        room, items, size, ones, fpp = head.param[2], 0, 0, 0, 0.0
        for probes, capacity, n, blocks in stages:
            z = len(blocks) // 32
            mean, set_bits = BloomBlock.count(z, blocks)
            fpp += mean ** probes
            ones += set_bits
            size += z
            items += n
            room = capacity - n
        return {"stages": len(stages), "blocks": size, "fpp": min(fpp, 1.0),
                "fill": ones / (256 * size) if size else 0.0, "distinct": min(items, ALL_ONES),
                "room": room}


class Seen:
    name = "seen"

    @staticmethod
    def sizes(z, filters, n, repeated, length, number, doubted, *rest):
        need(z <= 1 << 36 and filters < 1 << 16 and (z == 0) == (filters == 0) and
             n <= 1 << 59 and repeated <= 1 and length < 1 << 63 and doubted <= 1 and
             (length > 0 or number == doubted == 0) and not any(rest), PARAMETER)
        if z:
            need(z >= 128 and any(z % 2 ** k == 0 and z >> k < 512 for k in range(64)), PARAMETER)
        return [8 * n + 32 * z * filters.bit_count()]

    @staticmethod
    def settings(head):
        _, filters, n, repeated, length, _, _, _ = head.param
        facts = {"repeated": repeated == 1}
        if length:
            facts["pane_seconds"] = length / 1e6
        return {**facts, "hashes": n, "shards_as_filters": filters.bit_count()}

    @staticmethod
    def facts(head, payload):
        z, filters, n = head.param[:3]
        hashes = struct.unpack_from(f"<{n}Q", payload)
        need(all(a < b for a, b in pairwise((0, *hashes))), INVARIANT)
        held = [0] * 16
        for h in hashes:
            held[h >> 60] += 1
        need(not any(count and filters >> i & 1 for i, count in enumerate(held)), INVARIANT)
        need(z == 0 or max(held) <= (7 * z + 1) // 2, INVARIANT)
        fpp, distinct = 0.0, float(n)
        for at in range(8 * n, len(payload), 32 * z or 1):
            mean, ones = BloomBlock.count(z, payload[at:at + 32 * z])
            fpp += mean / 16
            zeros = 1 - ones / (256 * z)
            distinct += math.log(zeros) / math.log1p(-1 / (32 * z)) if zeros else math.inf
        return {"distinct": distinct, "fpp": fpp}


class Cuckoo:
    name = "cuckoo"

    @staticmethod
    def sizes(m, f, _capacity, fpp, used, victim, bucket, *rest):
        need(2 <= m <= 1 << 40 and m % 2 == 0 and 8 <= f <= 32 and
             2e-9 <= real(fpp) <= 0.5 and used <= 4 * m and not any(rest), PARAMETER)
        if victim:
            need(victim < 1 << f and bucket < m and bucket % 2 == 0 and used >= 8, PARAMETER)
        else:
            need(bucket == 0, PARAMETER)
        return [m * f // 2]

    @staticmethod
    def settings(head):
        m, f, capacity, fpp = head.param[:4]
        return {"type": "cuckoo", "buckets": m, "fingerprint_bits": f, "capacity": capacity,
                "wanted_fpp": real(fpp)}

    @staticmethod
    def other(m, bucket, fingerprint):
        return (m - bucket - 2 * place(step(fingerprint), m // 2) - 1) % m

    @staticmethod
    def facts(head, payload):
        m, f, _, _, used, victim, bucket, _ = head.param
        bits, mask = int.from_bytes(payload, "little"), (1 << f) - 1
        slots = [bits >> f * i & mask for i in range(4 * m)]
        need(4 * m - slots.count(0) == used, INVARIANT)
        if victim:
            other = Cuckoo.other(m, bucket, victim)
            own = slots[4 * bucket:4 * bucket + 4] + slots[4 * other:4 * other + 4]
            need(0 not in own and own.count(victim) < 8, INVARIANT)
        fpp = -math.expm1(2 * used / m * math.log1p(-1 / mask))
        return {"fpp": fpp, "fill": used / (4 * m), "stored": used + (victim != 0),
                "victim": victim != 0}


class AtLeast(int):
    """Sizes from this one on: candidates have any length."""

    def __contains__(self, size):
        return size >= self


class Lines:
    """Sizes of stages: cache lines, but a stage is more than one."""

    def __contains__(self, size):
        return size % 64 == 0 and size != 64


def candidates(head, source, n):
    """Items of which something is known, by ascending bytes: count, error. Who has no
    key needs the hash of each, too, to unite them."""
    last, rows = None, []
    try:
        for _ in range(n):
            count, error, length = struct.unpack("<QQI", source.take(20))
            source.take(8 if head.hash == SIPHASH else 0)
            item = source.take(length)
            need(error <= count and (last is None or last < item), INVARIANT)
            rows.append((count, error))
            last = item
    except Bad as bad:
        raise Bad(INVARIANT) from bad
    need(source.at == len(source.data), INVARIANT)
    return rows


class Cms:
    name = "cms"

    @staticmethod
    def sizes(w, d, epsilon, delta, capacity, candidates, *_sums):
        need(1 <= w <= 1 << 40 and 1 <= d <= 64 and 0 < real(epsilon) < 3 and
             0 < real(delta) < 1 and capacity <= 65536 and candidates <= capacity, PARAMETER)
        size = 8 * w * d + 20 * candidates
        return AtLeast(size) if candidates else [size]

    @staticmethod
    def settings(head):
        w, d, epsilon, delta, capacity = head.param[:5]
        return {"width": w, "depth": d, "epsilon": real(epsilon), "delta": real(delta),
                "conservative": head.flags & CONSERVATIVE != 0, "candidates": capacity}

    @staticmethod
    def facts(head, payload):
        w, d, _, _, _, saved, missing, total = head.param
        source = Source(payload)
        for _ in range(d):
            row = min(sum(struct.unpack(f"<{w}Q", source.take(8 * w))), ALL_ONES)
            need(row <= total if head.flags & CONSERVATIVE else row == total, INVARIANT)
        candidates(head, source, saved)
        return {"candidates_saved": saved, "missing": missing, "total": total}


class SpaceSaving:
    name = "spacesaving"

    @staticmethod
    def sizes(capacity, saved, missing, total, exact, *rest):
        need(1 <= capacity <= 65536 and saved <= capacity and missing <= total and exact <= 1 and
             not (exact and missing) and not any(rest), PARAMETER)
        return AtLeast(20 * saved) if saved else [0]

    @staticmethod
    def settings(head):
        capacity, saved, missing, total, exact = head.param[:5]
        return {"candidates": capacity, "candidates_saved": saved, "missing": missing,
                "total": total, "exact": exact == 1}

    @staticmethod
    def facts(head, payload):
        _, saved, missing, total, exact = head.param[:5]
        rows = candidates(head, Source(payload), saved)
        saturated = head.flags & SATURATED != 0
        sure = sum(count - error for count, error in rows)
        need(not saturated or total == ALL_ONES, INVARIANT)
        need(all(count <= total for count, _ in rows), INVARIANT)
        need(saturated or sure <= total, INVARIANT)
        if exact:
            need(min(sure, ALL_ONES) == total and not any(e for _, e in rows), INVARIANT)
        return {"error": max([missing] + [error for _, error in rows])}


class Pairs:
    """Sizes of two numbers and of up to so many pairs of them, or of nothing."""

    def __init__(self, most):
        self.most = most

    def __contains__(self, size):
        return size == 0 or 4 <= size <= 20 * (self.most + 1)


class Hdr:
    name = "hdr"
    BITS = (0, 4, 7, 10, 14, 17)
    UNITS = ("none", "ns", "us", "ms", "s", "min", "h", "d")

    @staticmethod
    def sizes(digits, interval, fractions, loose, _highest, lowest, unused_6, unit):
        need(1 <= digits <= 5 and (interval == 0 or 0 < real(interval) < math.inf) and
             fractions <= 1 and loose <= 1 and unit < len(Hdr.UNITS) and
             (lowest == 0 or 0 < real(lowest) <= 2.0 ** 900) and not unused_6, PARAMETER)
        return Pairs((4096 << Hdr.BITS[digits]) + 1)

    @staticmethod
    def settings(head):
        digits, interval, _, _, highest = head.param[:5]
        facts = {"digits": digits, "relative_error": 2.0 ** -Hdr.BITS[digits],
                 "unit": Hdr.UNITS[head.param[7]]}
        if interval:
            facts["corrected_by"] = real(interval)
        if highest:
            facts["highest_trackable"] = highest
        if head.param[5]:
            facts["lowest_discernible"] = real(head.param[5])
        return facts

    @staticmethod
    def slot(number, bits):
        size = struct.unpack("<Q", struct.pack("<d", abs(number)))[0]
        return (size and (size >> 52 - bits) + 1) * (-1 if number < 0 else 1)

    @staticmethod
    def bounds(slot, bits, whole):
        """The slot's numbers nearest to 0 and farthest from it, without the sign."""
        if slot == 0:
            return 0.0, 0.0
        near = real(max(1, abs(slot) - 1 << 52 - bits))
        far = real((abs(slot) << 52 - bits) - 1)
        return near, float(math.floor(far)) if whole else far

    @staticmethod
    def number(source, mask):
        n = read_number(source)
        bits = int.from_bytes((n ^ mask).to_bytes(8, "little"), "big")
        need(math.isfinite(real(bits)) and bits != 1 << 63, INVARIANT)
        return n ^ mask, real(bits)

    @staticmethod
    def counts(head, payload, least, most, source):
        """Slots and counts."""
        bits, fractions, loose = Hdr.BITS[head.param[0]], head.param[2], head.param[3]
        slot, last, rows = Hdr.slot(least, bits) - 1, Hdr.slot(most, bits), []
        while source.at < len(payload):
            gap, count = read_number(source), read_number(source)
            need(count > 0 and (rows or loose or gap == 0), INVARIANT)
            slot += gap + 1
            need(slot <= last, INVARIANT)
            near, far = Hdr.bounds(slot, bits, not fractions)
            need(fractions or near == math.floor(near) <= far, INVARIANT)
            rows.append((slot, count))
        need(rows and (loose or slot == last), INVARIANT)
        return rows

    @staticmethod
    def facts(head, payload):
        bits, fractions, loose = Hdr.BITS[head.param[0]], head.param[2], head.param[3]
        if not payload:
            need(not fractions and not loose, INVARIANT)
            return {"total": 0, "whole": True, "slots_used": 0}
        source = Source(payload)
        try:
            image, least = Hdr.number(source, 0)
            _, most = Hdr.number(source, image)
            need(least <= most, INVARIANT)
            need(fractions or loose or least % 1 == most % 1 == 0, INVARIANT)
            rows = Hdr.counts(head, payload, least, most, source)
        except Bad as bad:
            raise Bad(INVARIANT) from bad
        total = sum(count for _, count in rows)
        need(total <= ALL_ONES or head.flags & SATURATED, INVARIANT)
        need(loose or total > 1 or least == most, INVARIANT)
        facts = {"total": min(total, ALL_ONES), "whole": not fractions, "slots_used": len(rows),
                 "range_exact": not loose, "least": least, "most": most}
        if not fractions:
            rank = (min(total, ALL_ONES) + 1) // 2
            for slot, count in rows:
                rank -= count
                if rank <= 0:
                    near, far = Hdr.bounds(slot, bits, True)
                    if head.param[5] and slot >= 0:
                        far = max(far, near + 2.0 ** (math.frexp(real(head.param[5]))[1] - 1) - 1)
                    facts["median"] = min(far if slot > 0 else -near, most)
                    break
        return facts


class TDigest:
    name = "tdigest"

    @staticmethod
    def sizes(compression, n, mixed, total, unused_4, unused_5, unused_6, unit):
        need(20 <= compression <= 1000 and n <= 1000 + 10 * compression and n <= total and
             (n > 0) == (total > 0) and mixed <= max(0, n - 2) and unit < len(Hdr.UNITS) and
             not unused_4 and not unused_5 and not unused_6, PARAMETER)
        fixed = 8 * n + (mixed > 0) * ((n + 7) // 8)
        return range(fixed + n, fixed + 10 * n + 1)

    @staticmethod
    def settings(head):
        compression, n, mixed, total = head.param[:4]
        return {"compression": compression, "unit": Hdr.UNITS[head.param[7]], "total": total,
                "centroids": n, "exact": mixed == 0}

    @staticmethod
    def facts(head, payload):
        _, n, mixed, total = head.param[:4]
        source, bits = Source(payload), 0
        means = [mean for mean, in struct.iter_unpack("<d", source.take(8 * n))]
        if mixed:
            bits = int.from_bytes(source.take((n + 7) // 8), "little")
        need(bits.bit_count() == mixed and bits < 1 << n, INVARIANT)
        points = [not bits >> i & 1 for i in range(n)]
        need(all(math.isfinite(mean) and (mean != 0 or math.copysign(1, mean) > 0)
                 for mean in means), INVARIANT)
        rows = list(zip(means, points))
        need(all(a < b for a, b in pairwise(rows)) and all(points[:1] + points[-1:]), INVARIANT)
        try:
            weights = [read_number(source) for _ in rows]
        except Bad as bad:
            raise Bad(INVARIANT) from bad
        need(source.at == len(payload) and sum(weights) == total, INVARIANT)
        need(all(weight >= (1 if point else 2) for weight, point in zip(weights, points)), INVARIANT)
        need(total == ALL_ONES or not head.flags & SATURATED, INVARIANT)
        if not rows:
            return {}
        facts = {"least": means[0], "most": means[-1]}
        if not mixed:
            facts |= {"median": TDigest.sample(means, weights, (total + 1) // 2),
                      "p99": TDigest.sample(means, weights, (total * 99 + 99) // 100)}
        return facts

    @staticmethod
    def sample(means, weights, rank):
        for mean, weight in zip(means, weights):
            rank -= weight
            if rank <= 0:
                return mean
        return None


class MinHash:
    name = "minhash"
    ELEMENTS = ("items", "words", "characters")

    @staticmethod
    def sizes(k, unit, run, more, *unused):
        need(16 <= k <= 65536 and unit < 3 and run <= 16 and (unit == 0) == (run == 0) and
             more < 2 and not any(unused), PARAMETER)
        return [8 * k] if more else range(0, 8 * k + 1, 8)

    @staticmethod
    def settings(head):
        k, unit, run = head.param[:3]
        return {"size": k, "standard_error": 0.5 / math.sqrt(k),
                "elements": MinHash.ELEMENTS[unit]} | ({"run": run} if unit else {})

    @staticmethod
    def facts(head, payload):
        k, more = head.param[0], head.param[3]
        hashes = [number for number, in struct.iter_unpack("<Q", payload)]
        need(all(a < b for a, b in pairwise(hashes)), INVARIANT)
        count = (k - 1) / math.ldexp(float(hashes[-1]), -64) if more else len(hashes)
        return {"hashes": len(hashes), "exact": not more, "estimate": count}


class NearIndex:
    name = "simhash"
    UNITS = ("word", "char")

    @staticmethod
    def words(param):
        need(param[2] <= 64 and not param[3], PARAMETER)
        return 1

    @classmethod
    def sizes(cls, *param):
        unit, run, _, _, similarity, n, ids, signatures = param
        need(unit < 2 and 1 <= run <= 16 and similarity <= 1000000, PARAMETER)
        words = cls.words(param)
        need(n < (1 << 32) - 1 and signatures <= n and ids <= 1 << 48, PARAMETER)
        need(ids >= signatures if similarity else not ids, PARAMETER)
        return [20 * n + 8 * words * signatures + 4 * ids]

    @classmethod
    def settings(cls, head):
        unit, run, distance, bands, similarity, n, ids, signatures = head.param
        shape = {"bands": bands & 0xFFFFFFFF, "rows": bands >> 32} if bands else {"distance": distance}
        facts = {"features": cls.UNITS[unit], "run": run} | shape | {"verified": similarity > 0}
        if similarity:
            facts |= {"similarity": similarity / 1e6, "features_kept": ids}
        return facts | {"documents": n, "signatures": signatures}

    @classmethod
    def facts(cls, head, payload):
        similarity, n, ids, signatures = head.param[4:]
        contents = [payload[16 * i:16 * i + 16] for i in range(n)]
        counts = [count for count, in struct.iter_unpack("<I", payload[16 * n:20 * n])]
        signed = sum(count > 0 for count in counts)
        need(len(set(contents)) == n and signed == signatures, INVARIANT)
        need(sum(counts) == ids if similarity else max(counts, default=0) <= 1, INVARIANT)
        numbers = [number for number, in struct.iter_unpack("<I", payload[len(payload) - 4 * ids:])]
        for count in counts if similarity else []:
            own, numbers = numbers[:count], numbers[count:]
            need(all(a < b or (a == b and cls is NearIndex) for a, b in pairwise(own)), INVARIANT)
        return {}


class Bands(NearIndex):
    name = "bands"

    @staticmethod
    def words(param):
        bands, rows = param[3] & 0xFFFFFFFF, param[3] >> 32
        need(not param[2] and 1 <= rows <= 16 and 1 <= bands <= 128 // rows, PARAMETER)
        return bands


KINDS = {1: BloomBlock, 2: BloomClassic, 3: BloomCounting, 4: BloomScalable, 5: Cuckoo, 6: Cms,
         7: SpaceSaving,
         8: Hll, 9: NearIndex, 10: MinHash, 11: Hdr, 12: TDigest, 13: BloomParquet, 14: BloomDcso, 15: Seen, 16: HllRedis,
         17: HllPostgres, 18: HllDatasketches, 19: Bands}


def describe(head, extension):
    facts = {"format": 1, "kind": KINDS[head.kind].name, "version": head.version, "hash": HASHES[head.hash],
             "fold": head.transform & 0x80 != 0,
             "join": ("none", "newline", "nul")[head.join], "keyed": head.keyed,
             "saturated": head.flags & 1 != 0, "auto": head.flags & 2 != 0}
    if head.hash == SIPHASH:
        facts["fingerprint"] = f"{head.seed:016x}"
    else:
        facts["seed"] = head.seed
    if head.kind in (9, 19):
        facts["norm"] = ("none", "case", "digits", "log", "typed")[head.transform & 7]
    facts |= KINDS[head.kind].settings(head)
    for tag, name in ((1, "ids"), (2, "aliases")):
        if tag in extension:
            facts |= text_fact(name, b"\n".join(extension[tag]))
    if 1 in extension:
        facts["shards"] = len(extension[1])
    if KEY in extension:
        facts |= key_fact(extension[KEY])
    return facts


def text_fact(name, text):
    try:
        return {name: text.decode()}
    except UnicodeDecodeError:
        return {f"{name}_b64": base64.b64encode(text).decode()}


def key_fact(key):
    return text_fact("key", key)


def read_number(source):
    n, shift = 0, 0
    while True:
        byte = source.take(1)[0]
        n |= (byte & 127) << shift
        if byte < 128:
            need((byte > 0 or shift == 0) and n <= ALL_ONES, INVARIANT)
            return n
        shift += 7


def read_entry(source, shared):
    """Key, header and payload of one entry of a keyed record."""
    key_size, size, items, variation = (read_number(source) for _ in range(4))
    need(variation < 1 << 16 and shared.flags & variation >> 8 == 0, INVARIANT)
    head = Head.__new__(Head)
    head.__dict__ |= shared.__dict__ | {
        "keyed": False, "items": items, "size": size, "param": shared.param[:],
        "flags": shared.flags & ~KEYED | variation >> 8}
    for i in range(8):
        if variation >> i & 1:
            head.param[i] = read_number(source)
            need(head.param[i] != shared.param[i], INVARIANT)
    return source.take(key_size), head, source.take(size)


def read_chunks(source, shared, show):
    """The entries, each shown, and the totals."""
    sums, keys, items, last, full = b"", 0, 0, None, True
    while True:
        start = source.at
        total, size = struct.unpack("<QQ", source.take(16))
        need(size < 1 << 62, SIZE)
        rest = source.take(padded(16 + (size or 24)) - 16)
        need(total == xxh3_64(source.data[start + 8:source.at]), PAYLOAD)
        if size == 0:
            need(struct.unpack_from("<Q", rest, 16)[0] == xxh3_64(sums), PAYLOAD)
            need(not any(rest[24:]), PADDING)
            need(struct.unpack_from("<QQ", rest) == (min(items, ALL_ONES), keys), INVARIANT)
            return {"keys": keys, "items": min(items, ALL_ONES), "chunks": len(sums) // 8}
        need(not any(rest[size:]), PADDING)
        need(full, INVARIANT)
        sums += struct.pack("<Q", total)
        entries = Source(rest[:size])
        while entries.at < size:
            need(entries.at < 65536, INVARIANT)
            try:
                key, head, payload = read_entry(entries, shared)
            except Bad as bad:
                raise Bad(INVARIANT) from bad
            need(last is None or last < key, INVARIANT)
            facts = head.check().facts(head, payload)
            show(describe(head, {}) | key_fact(key) | {"items": head.items} | facts)
            last, keys, items = key, keys + 1, items + head.items
        full = size >= 65536


def read_record(source, show):
    """One binary record: its facts and its extension."""
    start = source.at
    head = Head(source.data[start:start + 128])
    kind = head.check()
    source.at += 128
    body = source.at
    extension = source.take(head.extension)
    payload = b""
    if not head.keyed:
        payload = source.take(head.size)
        rest = source.take(-head.size % 64)
    need(head.checksum == xxh3_64(source.data[body:source.at]), PAYLOAD)
    need(head.keyed or not any(rest), PADDING)
    extension = extension_of(extension)
    facts = describe(head, extension)
    if head.keyed:
        facts |= read_chunks(source, head, show)
    else:
        facts |= {"items": head.items, "payload": head.size, **kind.facts(head, payload)}
    return facts | {"bytes": source.at - start, "checksum": "ok"}, extension


def decode_armor(text):
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError as error:
        raise Bad(ARMOR) from error
    need(base64.urlsafe_b64encode(data).rstrip(b"=") == text, ARMOR)
    return data


def read_line(source, end, show):
    """One armoured line."""
    start = source.at
    stop = source.data.find(end, start)
    line = source.data[start:stop if stop >= 0 else len(source.data)]
    source.at += len(line) + (stop >= 0)
    *key, text = line.rsplit(b"\t", 1)
    need(text.startswith(b"sk1:") and all(len(k) < 1 << 24 for k in key), FOREIGN)
    inside = Source(decode_armor(text[4:]))
    need(inside.data, TRUNCATED)
    head = Head(inside.data[:128])
    need(not head.keyed, ARMOR)
    need(128 + head.extension + padded(head.size) <= len(inside.data), TRUNCATED)
    head.check()
    need(128 + head.extension + padded(head.size) == len(inside.data), ARMOR)
    facts, extension = read_record(inside, show)
    facts["bytes"] = source.at - start
    need(not key or KEY in extension, INVARIANT)
    need(not key or extension[KEY].replace(end, b"\t") == key[0], INVARIANT)
    return facts


def read_file(name, data, end, keys):
    def show(facts, **more):
        facts = {"file": name, "record": number, "offset": offset, **more, **facts}
        print(json.dumps({NAMES.get(k, k): v for k, v in facts.items()}))

    source = Source(data)
    number, offset = 0, 0
    try:
        need(data, EMPTY)
        while source.at < len(data):
            number, offset = number + 1, source.at
            armored = data[offset:offset + 8] != MAGIC[:len(data) - offset]
            entry = (lambda facts: show(facts, armored=False)) if keys else lambda facts: None
            if armored:
                facts = read_line(source, end, entry)
            else:
                facts, _ = read_record(source, entry)
            show(facts, armored=armored)
    except Bad as bad:
        print(f"reader.py: '{name}': record {number} at byte {offset}: {bad}", file=sys.stderr)
        return 4
    return 0


def main(arguments):
    end, keys, status = b"\n", False, 0
    while arguments and arguments[0] in ("-z", "--keys"):
        if arguments.pop(0) == "-z":
            end = b"\0"
        else:
            keys = True
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for name in arguments:
        try:
            with open(name, "rb") as file:
                data = file.read()
        except OSError as error:
            print(f"reader.py: cannot read '{name}': {error.strerror}", file=sys.stderr)
            return 3
        status = max(status, read_file(name, data, end, keys))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
