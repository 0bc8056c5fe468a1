#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Damaged and unsupported files, made from a good one.

usage: mutate.py GOOD FOLDER

GOOD holds one binary record. Writes FOLDER/bad-*.sk and unsupported-*.sk, the
same bytes every time, and prints for each: its name, a TAB, the reason that a
reader gives. Where the damage is not to a checksum, the checksums are made
right again: they prove nothing about intent.
"""
import base64
import os
import struct
import sys

from reader import (ARMOR, EMPTY, FOREIGN, HEADER, INVARIANT, PADDING, PARAMETER, PAYLOAD,
                    SIZE, TRUNCATED, UNSUPPORTED, padded)
from xxh3 import xxh3_64

KEYED = 0x0100
ALL_ONES = (1 << 64) - 1
NAN = 0x7FF8000000000000
ONE = 0x3FF0000000000000
TERABYTE = 1 << 40

# Parameters out of range, by kind: name, index, value.
OUT_OF_RANGE = {
    1: [("blocks-0", 0, 0), ("blocks-many", 0, (1 << 40) + 1), ("probes-0", 1, 0),
        ("probes-5", 1, 5), ("probes-wrap", 1, 257), ("fpp-0", 3, 0), ("fpp-nan", 3, NAN),
        ("unused", 7, 1)],
    2: [("bits-0", 0, 0), ("bits-many", 0, (1 << 48) + 1), ("probes-0", 1, 0),
        ("probes-65", 1, 65), ("probes-wrap", 1, 257), ("fpp-0", 3, 0), ("fpp-nan", 3, NAN),
        ("unused", 4, 1)],
    3: [("counters-0", 0, 0), ("counters-many", 0, (1 << 48) + 1), ("probes-0", 1, 0),
        ("probes-65", 1, 65), ("probes-wrap", 1, 257), ("fpp-0", 3, 0), ("fpp-nan", 3, NAN),
        ("unused", 4, 1)],
    4: [("capacity-0", 2, 0), ("fpp-0", 3, 0), ("fpp-nan", 3, NAN), ("fpp-large", 3, ONE),
        ("unused-0", 0, 1), ("unused-1", 1, 1), ("unused-4", 4, 1), ("unused-7", 7, 1)],
    5: [("buckets-0", 0, 0), ("buckets-odd", 0, 3), ("buckets-many", 0, (1 << 40) + 2),
        ("bits-7", 1, 7), ("bits-33", 1, 33), ("bits-wrap", 1, 256 + 8), ("fpp-0", 3, 0),
        ("fpp-nan", 3, NAN), ("fpp-large", 3, ONE), ("used-many", 4, (1 << 42) + 1),
        ("victim-large", 5, 1 << 32), ("bucket-many", 6, 1 << 40), ("bucket-odd", 6, 1),
        ("unused", 7, 1)],
    6: [("width-0", 0, 0), ("width-many", 0, (1 << 40) + 1), ("depth-0", 1, 0),
        ("depth-65", 1, 65), ("epsilon-0", 2, 0), ("epsilon-nan", 2, NAN), ("delta-nan", 3, NAN),
        ("capacity-many", 4, 65537), ("candidates-over", 5, 65536)],
    7: [("capacity-0", 0, 0), ("capacity-many", 0, 65537), ("candidates-over", 1, 65537),
        ("missing-over", 2, ALL_ONES), ("exact-2", 4, 2), ("unused", 5, 1), ("unused-7", 7, 1)],
    13: [("blocks-0", 0, 0), ("blocks-many", 0, 1 << 26), ("probes-0", 1, 0), ("probes-2", 1, 2),
         ("fpp-0", 3, 0), ("fpp-nan", 3, NAN), ("unused", 4, 1)],
    14: [("bits-0", 0, 0), ("bits-many", 0, (1 << 48) + 1), ("probes-0", 1, 0),
         ("probes-256", 1, 256), ("fpp-0", 3, 0), ("fpp-1", 3, ONE), ("fpp-nan", 3, NAN),
         ("unused", 5, 1)],
    8: [("precision-3", 0, 3), ("precision-19", 0, 19), ("precision-wrap", 0, 256 + 14),
        ("encoding-2", 1, 2), ("unused", 2, 1)],
    9: [("unit-2", 0, 2), ("run-0", 1, 0), ("run-17", 1, 17), ("distance-65", 2, 65),
        ("distance-wrap", 2, (1 << 32) + 6), ("bands", 3, 1), ("rows", 3, 1 << 32),
        ("similarity-many", 4, 1000001), ("documents-many", 5, (1 << 32) - 1),
        ("ids-many", 6, (1 << 48) + 1), ("signatures-many", 7, 1 << 32)],
    19: [("unit-2", 0, 2), ("run-0", 1, 0), ("distance", 2, 1), ("bands-0", 3, 1 << 32),
         ("rows-0", 3, 8), ("rows-17", 3, 17 << 32 | 1), ("bands-many", 3, 7 << 32 | 19),
         ("bands-wrap", 3, 0xFFFFFFFF | 2 << 32), ("similarity-many", 4, 1000001),
         ("documents-many", 5, (1 << 32) - 1), ("ids-many", 6, (1 << 48) + 1),
         ("signatures-many", 7, 1 << 32)],
    10: [("size-15", 0, 15), ("size-many", 0, 65537), ("size-wrap", 0, (1 << 32) + 16),
         ("unit-3", 1, 3), ("run-17", 2, 17), ("run-wrap", 2, 256 + 2), ("more-2", 3, 2),
         ("unused", 4, 1), ("unused-7", 7, 1)],
    11: [("digits-0", 0, 0), ("digits-6", 0, 6), ("digits-wrap", 0, 256 + 3), ("interval-nan", 1, NAN),
         ("interval-minus", 1, ONE | 1 << 63), ("fractions-2", 2, 2), ("loose-2", 3, 2),
         ("lowest-nan", 5, NAN), ("lowest-minus", 5, ONE | 1 << 63), ("lowest-huge", 5, 0x783 << 52 | 1),
         ("unused-6", 6, 1), ("unit-8", 7, 8)],
    12: [("compression-19", 0, 19), ("compression-1001", 0, 1001), ("compression-wrap", 0, (1 << 32) + 100),
         ("centroids-many", 1, 11001), ("mixed-many", 2, ALL_ONES), ("unused", 4, 1), ("unused-6", 6, 1),
         ("unit-8", 7, 8)],
    16: [("unused-0", 0, 1), ("unused", 7, 1)],
    17: [("log2m-3", 0, 3), ("log2m-18", 0, 18), ("log2m-wrap", 0, (1 << 32) + 11),
         ("regwidth-0", 1, 0), ("regwidth-9", 1, 9), ("expthresh-64", 2, 64), ("sparseon-2", 3, 2),
         ("type-0", 4, 0), ("type-5", 4, 5), ("unused", 5, 1)],
    18: [("lgk-3", 0, 3), ("lgk-22", 0, 22), ("lgk-wrap", 0, (1 << 32) + 12), ("form-2", 1, 2),
         ("unused", 3, 1), ("unused-7", 7, 1)],
    15: [("blocks-many", 0, (1 << 36) + 1), ("blocks-few", 0, 127), ("filters-many", 1, 1 << 16),
         ("hashes-many", 2, (1 << 59) + 1), ("repeated", 3, 2), ("length", 4, 1 << 63),
         ("doubted", 6, 2), ("unused", 7, 1)],
}


def put(data, at, form, value):
    """The data with one number changed."""
    out = bytearray(data)
    struct.pack_into("<" + form, out, at, value)
    return bytes(out)


def flip(data, at, bit=0):
    return put(data, at, "B", data[at] ^ 1 << bit)


def sign_header(data):
    return put(data, 120, "Q", xxh3_64(data[:120]))


def sign(data):
    """Both checksums of a record that is not keyed, or of a keyed one's head."""
    end = len(data)
    if struct.unpack_from("<H", data, 14)[0] & KEYED:
        end = 128 + struct.unpack_from("<I", data, 20)[0]
    return sign_header(put(data, 112, "Q", xxh3_64(data[128:end])))


def header(data, at, form, value):
    """One header field changed, its checksum right."""
    return sign_header(put(data, at, form, value))


def with_extension(data, extension):
    """The record with this extension instead of its own."""
    old = 128 + struct.unpack_from("<I", data, 20)[0]
    new = extension + bytes(-len(extension) % 64)
    return sign(put(data[:128], 20, "I", len(new)) + new + data[old:])


def with_payload(data, payload, head=None):
    """The record with this payload instead of its own."""
    start = 128 + struct.unpack_from("<I", data, 20)[0]
    head = put(head or data[:128], 40, "Q", len(payload))
    return sign(head + data[128:start] + payload + bytes(-len(payload) % 64))


def entry(tag, value):
    return struct.pack("<HI", tag, len(value)) + value


def headers(good):
    """What can be wrong with any record's first 128 bytes."""
    yield "bad-empty", b"", EMPTY
    yield "bad-magic", flip(good, 0), FOREIGN
    yield "bad-magic-line-end", good.replace(b"\r\n", b"\n", 1), FOREIGN
    yield "bad-header-bit", flip(good, 33), HEADER
    yield "bad-header-checksum", flip(good, 120), HEADER
    for cut in {1, 7, 8, 100, 127, 128, len(good) - 64, len(good) - 1} - {len(good)}:
        yield f"bad-truncated-{cut}", good[:cut], TRUNCATED
    yield "bad-trailing-newline", good + b"\n", FOREIGN
    yield "bad-trailing-zeros", good + bytes(64), FOREIGN
    yield "bad-trailing-text", good + b"192.0.2.1 - -\n", FOREIGN
    yield "bad-trailing-magic", good + good[:8], TRUNCATED
    yield "bad-extension-unpadded", header(good, 20, "I", 63), SIZE
    yield "bad-kind-version-0", header(good, 12, "H", 0), PARAMETER

    ours = good[16] in (1, 2)
    for hash_id in 1, 3, 4, 5, 6:
        if hash_id != good[16] and not (ours and hash_id == 1):
            yield f"bad-hash-{hash_id}", header(good, 16, "B", hash_id), PARAMETER
    if not ours:
        yield "bad-seed", header(good, 24, "Q", 1), PARAMETER
    if struct.unpack_from("<H", good, 10)[0] not in (17, 18):
        yield "bad-item-type", header(good, 17, "B", 1), PARAMETER

    yield "unsupported-format", header(good, 8, "H", 2), UNSUPPORTED
    yield "unsupported-kind", header(good, 10, "H", 999), UNSUPPORTED
    yield "unsupported-kind-0", header(good, 10, "H", 0), UNSUPPORTED
    yield "unsupported-kind-version", header(good, 12, "H", 2), UNSUPPORTED
    flags, kind = struct.unpack_from("<H", good, 14)[0], struct.unpack_from("<H", good, 10)[0]
    for bit in range(9, 16):
        # Counters of cms may be conservative; but not one for each key.
        also = KEYED if kind == 6 and bit == 9 else 0
        yield (f"unsupported-flag-{bit}", header(good, 14, "H", flags | 1 << bit | also),
               UNSUPPORTED)
    yield "unsupported-hash", header(good, 16, "B", 200), UNSUPPORTED
    yield "unsupported-item-type", header(good, 17, "B", 3), UNSUPPORTED
    yield "unsupported-transform", header(good, 18, "B", 5 if good[10] in (9, 19) else 1), UNSUPPORTED
    yield "unsupported-join", header(good, 19, "B", 3), UNSUPPORTED

    for name, index, value in OUT_OF_RANGE[kind]:
        yield f"bad-parameter-{name}", header(good, 48 + 8 * index, "Q", value), PARAMETER


def extensions(good):
    yield ("unsupported-extension", with_extension(good, entry(0x8002, b"x")), UNSUPPORTED)
    for name, extension, reason in (
            ("order", entry(2, b"b\0") + entry(1, b"a\0"), INVARIANT),
            ("twice", entry(3, b"") + entry(3, b""), INVARIANT),
            ("length", struct.pack("<HI", 3, 59), INVARIANT),
            ("length-huge", struct.pack("<HI", 3, 0xFFFFFFFF), INVARIANT),
            ("padding", entry(3, b"") + b"\0\0\0\1", PADDING),
            ("block-too-many", bytes(64), PADDING),
            ("id-empty", entry(1, b""), INVARIANT),
            ("id-unended", entry(1, b"a"), INVARIANT),
            ("id-order", entry(1, b"b\0a\0"), INVARIANT),
            ("id-twice", entry(1, b"a\0a\0"), INVARIANT),
            ("id-nothing", entry(1, b"a\0\0"), INVARIANT),
            ("id-long", entry(1, b"a" * 256 + b"\0"), INVARIANT),
            ("id-control", entry(1, b"a\x1fb\0"), INVARIANT),
            ("id-delete", entry(1, b"a\x7f\0"), INVARIANT)):
        yield f"bad-extension-{name}", with_extension(good, extension), reason
    damaged = with_extension(good, entry(2, b"a\0"))
    yield "bad-extension-bit", flip(damaged, 129, 7), PAYLOAD


def may_be_empty(good):
    """No token and no coupon is a HyperLogLog too, no register of PostgreSQL's, no hash a
    MinHash, and no stage a scalable filter."""
    return ((good[10] in (8, 18) and good[56] == 0) or good[10] == 4 or
            (good[10] == 17 and good[80] in (1, 3)) or
            good[10] == 11 or (good[10] == 12 and good[56] == 0) or
            (good[10] == 10 and good[72] == 0))


def has_any_length(good, size):
    """Only the payload can tell: candidates, runs, registers of many forms, weights."""
    n, mixed = struct.unpack_from("<2Q", good, 56)
    if good[10] == 12:
        return size > 9 * n + (mixed > 0) * ((n + 7) // 8)
    return (good[10] == 11 or (good[10] == 6 and good[88] > 0) or (good[10] == 7 and size > 0) or
            (good[10] == 16 and 2 < size < 12288) or (good[10] == 17 and good[80] == 3))


def payloads(good):
    """What can be wrong with a record that is not keyed."""
    start = 128 + struct.unpack_from("<I", good, 20)[0]
    size = struct.unpack_from("<Q", good, 40)[0]
    payload = good[start:start + size]

    yield "bad-payload-checksum", header(flip(good, 112), 112, "B", good[112] ^ 1), PAYLOAD
    if payload:
        yield "bad-payload-bit", flip(good, start), PAYLOAD
    if padded(size) != size:
        yield "bad-padding", sign(flip(good, len(good) - 1)), PADDING
        yield "bad-padding-bit", flip(good, len(good) - 1), PAYLOAD
    if payload:
        yield ("bad-size-short", with_payload(good, payload[:-1]),
               INVARIANT if has_any_length(good, size) else SIZE)
    if payload and not may_be_empty(good):
        yield "bad-size-none", with_payload(good, b""), SIZE
    yield "bad-size-2^63", header(good, 40, "Q", 1 << 63), SIZE
    yield "bad-size-all-ones", header(good, 40, "Q", (1 << 64) - 1), SIZE
    yield "bad-keyed-size", header(good, 14, "H", KEYED), SIZE
    yield from KINDS[struct.unpack_from("<H", good, 10)[0]](good, payload)


def bloom_block(good, payload):
    yield "bad-size-long", with_payload(good, payload + bytes(32)), SIZE
    head = put(put(good, 48, "Q", TERABYTE // 32), 40, "Q", TERABYTE)
    yield "bad-claim", sign_header(head), TRUNCATED


def bloom_classic(good, payload):
    bits = struct.unpack_from("<Q", good, 48)[0]
    yield "bad-size-long", with_payload(good, payload + b"\0"), SIZE
    head = put(put(good, 48, "Q", TERABYTE * 8), 40, "Q", TERABYTE)
    yield "bad-claim", sign_header(head), TRUNCATED
    if bits % 8:
        yield "bad-tail-bit", with_payload(good, flip(payload, len(payload) - 1, 7)), INVARIANT


def bloom_parquet(good, payload):
    yield "bad-size-long", with_payload(good, payload + bytes(32)), SIZE
    head = put(put(good, 48, "Q", (1 << 26) - 1), 40, "Q", (1 << 31) - 32)
    yield "bad-claim", sign_header(head), TRUNCATED


def bloom_dcso(good, payload):
    bits = struct.unpack_from("<Q", good, 48)[0]
    yield "bad-size-long", with_payload(good, payload + bytes(8)), SIZE
    head = put(put(good, 48, "Q", TERABYTE * 8), 40, "Q", TERABYTE)
    yield "bad-claim", sign_header(head), TRUNCATED
    if bits % 64:
        yield "bad-tail-bit", with_payload(good, flip(payload, len(payload) - 1, 7)), INVARIANT


def bloom_counting(good, payload):
    counters = struct.unpack_from("<Q", good, 48)[0]
    yield "bad-size-long", with_payload(good, payload + b"\0"), SIZE
    head = put(put(good, 48, "Q", TERABYTE * 2), 40, "Q", TERABYTE)
    yield "bad-claim", sign_header(head), TRUNCATED
    if counters % 2:
        yield "bad-tail-counter", with_payload(good, flip(payload, len(payload) - 1, 4)), INVARIANT


def bloom_scalable(good, payload):
    yield "bad-size-long", with_payload(good, payload + b"\0"), SIZE
    yield "bad-size-head", with_payload(good, bytes(64)), SIZE
    yield "bad-claim", header(good, 40, "Q", TERABYTE), TRUNCATED
    if not payload:
        return
    blocks, _, capacity, _, items = struct.unpack_from("<5Q", payload)
    for name, at, value in (
            ("blocks-0", 0, 0), ("blocks-many", 0, (1 << 40) + 1), ("blocks-past", 0, 1 << 40),
            ("blocks-wrap", 0, 1 << 59), ("probes-0", 8, 0), ("probes-5", 8, 5),
            ("probes-wrap", 8, 257), ("fpp-0", 24, 0), ("fpp-nan", 24, NAN), ("fpp-large", 24, ONE),
            ("items-0", 32, 0), ("items-many", 32, capacity + 1), ("capacity", 16, items - 1), ("capacity-many", 16, 256 * blocks + 1),
            ("zeros", 40, 1), ("zeros-last", 56, 1 << 63)):
        yield f"bad-stage-{name}", with_payload(good, put(payload, at, "Q", value)), INVARIANT
    if blocks % 2:
        yield ("bad-stage-padding",
               with_payload(good, flip(payload, 64 + 32 * blocks + 31, 7)), INVARIANT)
    yield "bad-stage-cut", with_payload(good, payload[:-64]), INVARIANT
    yield "bad-stages-many", with_payload(good, b"".join([STAGE] * 4097)), INVARIANT


def cuckoo(good, payload):
    m, f, _, _, used, victim, even = struct.unpack_from("<7Q", good, 48)
    yield "bad-size-long", with_payload(good, payload + b"\0"), SIZE
    head = put(put(good, 48, "Q", TERABYTE // 4), 40, "Q", TERABYTE // 8 * f)
    yield "bad-claim", sign_header(head), TRUNCATED
    if used > 0:
        yield "bad-used", header(good, 80, "Q", used - 1), INVARIANT
    if used < 4 * m:
        yield "bad-used-more", header(good, 80, "Q", used + 1), INVARIANT
    if victim:
        yield "bad-used-7", header(good, 80, "Q", 7), PARAMETER
        slots = int.from_bytes(payload, "little") & ~((1 << f) - 1 << 4 * f * even)
        yield ("bad-slot", with_payload(good, slots.to_bytes(len(payload), "little"),
                                        put(good[:128], 80, "Q", used - 1)), INVARIANT)
    else:
        # Nobody fills all 8 slots of two buckets and leaves a victim, but then
        # there must be 8 slots in use at least.
        reason = INVARIANT if used >= 8 else PARAMETER
        for bucket in range(0, m, 2):
            slots = int.from_bytes(payload, "little") >> 4 * f * bucket
            if any(slots >> f * slot & (1 << f) - 1 == 0 for slot in range(4)):
                head = put(put(good[:128], 88, "Q", 1), 96, "Q", bucket)
                yield "bad-victim-room", sign_header(head) + good[128:], reason
                break
    yield "bad-victim-bucket", header(put(good, 88, "Q", 0), 96, "Q", 2), PARAMETER


# The smallest stage: a block for one item.
STAGE = struct.pack("<3Qd4Q", 1, 1, 1, 0.25, 1, 0, 0, 0) + bytes(64)


def seen(good, payload):
    _, filters, n, _, length = struct.unpack_from("<5Q", good, 48)
    yield "bad-size-long", with_payload(good, payload + bytes(8)), SIZE
    head = put(put(good, 64, "Q", n + TERABYTE // 8), 40, "Q", len(payload) + TERABYTE)
    yield "bad-claim", sign_header(head), TRUNCATED
    yield "bad-parameter-blocks-alone", header(good, 48, "Q", 0 if filters else 128), PARAMETER
    if not filters:
        yield "bad-parameter-filters-alone", header(good, 56, "Q", 1), PARAMETER
    if not length:
        yield "bad-parameter-pane-alone", header(good, 88, "Q", 1), PARAMETER
        yield "bad-parameter-doubted-alone", header(good, 96, "Q", 1), PARAMETER
    if n >= 2:
        first, second = payload[:8], payload[8:16]
        yield "bad-order", with_payload(good, second + first + payload[16:]), INVARIANT
        yield "bad-twice", with_payload(good, first + first + payload[16:]), INVARIANT
        yield "bad-hash-0", with_payload(good, bytes(8) + payload[8:]), INVARIANT
    if n >= 2 and filters:
        # A hash of a shard that is a filter; and one that is past its fill.
        shard = next(i for i in range(16) if filters >> i & 1)
        hashes = sorted([*struct.unpack_from(f"<{n - 1}Q", payload), shard << 60 | 1])
        changed = struct.pack(f"<{n}Q", *hashes) + payload[8 * n:]
        yield "bad-hash-of-filter", with_payload(good, changed), INVARIANT
        shard = next(i for i in range(16) if not filters >> i & 1)
        many = struct.pack(f"<{n}Q", *(shard << 60 | i + 1 for i in range(n)))
        yield "bad-shard-overfull", with_payload(good, many + payload[8 * n:]), INVARIANT


def cms(good, payload):
    w, d, _, _, capacity, n = struct.unpack_from("<6Q", good, 48)
    head = put(put(good, 48, "Q", TERABYTE // 8 // d), 40, "Q", TERABYTE)
    head = put(head, 88, "Q", 0)
    if TERABYTE // 8 % d == 0:
        yield "bad-claim", sign_header(head), TRUNCATED
    first = 8 * w * d
    total = struct.unpack_from("<Q", good, 104)[0]
    if total < ALL_ONES:
        yield "bad-row", with_payload(good, put(payload, 0, "Q", total + 1)), INVARIANT
    if good[15] & 2:
        yield "bad-row-light", sign(put(good, 15, "B", 0)), INVARIANT
    yield from candidates(good, payload, first, n)


def candidates(good, payload, at, n):
    """What can be wrong with n of them, from there on."""
    if n < 2:
        return
    before, rows, fixed = payload[:at], [], 28 if good[16] == 2 else 20
    for _ in range(n):
        end = at + fixed + struct.unpack_from("<I", payload, at + 16)[0]
        rows.append(payload[at:end])
        at = end
    count = struct.unpack_from("<Q", rows[0])[0]
    for name, changed in (
            ("order", [rows[1], rows[0]] + rows[2:]),
            ("twice", [rows[0]] + rows[:-1]),
            ("error", [put(rows[0], 8, "Q", count + 1)] + rows[1:]),
            ("length", [put(rows[0], 16, "I", 0xFFFFFFFF)] + rows[1:]),
            ("trailing", rows + [b"\0"])):
        yield (f"bad-candidates-{name}", with_payload(good, before + b"".join(changed)),
               INVARIANT)


def spacesaving(good, payload):
    _, n, missing, total, exact = struct.unpack_from("<5Q", good, 48)
    if n > 0:
        yield "bad-claim", header(good, 40, "Q", 1 << 30), TRUNCATED
    if n > 0 and total < ALL_ONES:
        yield "bad-count", with_payload(good, put(payload, 0, "Q", total + 1)), INVARIANT
        few = put(good[:128], 72, "Q", 1)
        yield "bad-total", sign(put(few, 64, "Q", 0) + good[128:]), INVARIANT
    if n > 0 and exact:
        yield "bad-exact-error", with_payload(good, put(payload, 8, "Q", 1)), INVARIANT
        if total < ALL_ONES:
            yield "bad-exact-sum", header(good, 72, "Q", total + 1), INVARIANT
    if missing > 0:
        yield "bad-exact-missing", header(good, 80, "Q", 1), PARAMETER
    yield from candidates(good, payload, 0, n)


def hll(good, payload):
    p, encoding = struct.unpack_from("<QQ", good, 48)
    limit = max(128, (1 << p) // 8)
    many = b"".join(struct.pack("<I", i << 6 | 1) for i in range(limit + 1))
    tokens = put(good[:128], 56, "Q", 0)
    yield "bad-tokens-many", with_payload(good, many, tokens), SIZE
    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    for name, values in (("order", (129, 65)), ("twice", (65, 65)), ("rank-0", (64,)),
                         ("rank-40", (64 | 40,))):
        changed = struct.pack("<%dI" % len(values), *values)
        yield f"bad-tokens-{name}", with_payload(good, changed, tokens), INVARIANT
    if encoding == 1:
        top = put(payload, 0, "B", payload[0] & 0xC0 | 66 - p if p > 2 else 0)
        yield "bad-register", with_payload(good, top), INVARIANT


def hdr(good, payload):
    _, _, fractions, loose = struct.unpack_from("<4Q", good, 48)
    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    yield "bad-size-3", with_payload(good, bytes(3)), SIZE
    for name, bits in ("negative", 0xBFF << 52), ("nan", 0x7FF8 << 48), ("huge", 0x784 << 52):
        yield f"bad-lowest-{name}", header(good, 88, "Q", bits), PARAMETER
    yield "bad-parameter-6", header(good, 96, "Q", 1), PARAMETER
    if payload:
        yield "bad-trailing-gap", with_payload(good, payload + b"\0"), INVARIANT
        yield "bad-trailing-slots", with_payload(good, payload + b"\x80\x80\x80\x40\1"), INVARIANT
    else:
        yield "bad-fractions-of-nothing", header(good, 64, "Q", 1), INVARIANT
        yield "bad-range-of-nothing", header(good, 72, "Q", 1), INVARIANT
    # The sample 3, once, but for one thing.
    cases = [("no-slot", "c010 0000"), ("count-0", "c010 00 0000"), ("number-long", "c010 00 008100"),
             ("number-cut", "c010 00 0081"), ("least-minus-0", "8001 00 0001"),
             ("least-infinite", "ffe003 00 0001"), ("greatest-less", "c010 c010 0001"),
             ("gap-huge", "c010 00 ffffffffffffffffff0101")]
    if fractions or loose:
        yield "bad-nothing", with_payload(good, b""), INVARIANT
    if not loose:
        cases += [("gap-first", "c010 00 0101"), ("greatest-lacks", "c010 808ea202 0002")]
    if not fractions and not loose:
        cases += [("fraction", "bfc003 00 0001")]
    if fractions and not loose:
        cases += [("two-in-one", "c010 808080808080808001 0001")]
    for name, text in cases:
        yield f"bad-{name}", with_payload(good, bytes.fromhex(text)), INVARIANT


def tdigest(good, payload):
    n, mixed, total = struct.unpack_from("<3Q", good, 56)
    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    if n == 0:
        yield "bad-total-of-none", header(good, 72, "Q", 1), PARAMETER
        return
    yield "bad-trailing", with_payload(good, payload + b"\0"), INVARIANT
    yield "bad-total-0", header(good, 72, "Q", 0), PARAMETER
    yield "bad-total", header(good, 72, "Q", total - 1 if total == ALL_ONES else total + 1), INVARIANT
    yield "bad-all-mixed", header(good, 64, "Q", n), PARAMETER
    for name, mean in (("nan", NAN), ("infinite", 0x7FF << 52), ("minus-0", 1 << 63)):
        yield f"bad-mean-{name}", with_payload(good, put(payload, 0, "Q", mean)), INVARIANT
    if n > 1:
        first, last = payload[:8], payload[8 * n - 8:8 * n]
        swapped = last + payload[8:8 * n - 8] + first + payload[8 * n:]
        yield "bad-order", with_payload(good, swapped), INVARIANT
        yield "bad-equal", with_payload(good, payload[8:16] + payload[8:]), INVARIANT
    if mixed:
        yield "bad-end-mixed", with_payload(good, flip(payload, 8 * n)), INVARIANT
        if n % 8:
            yield "bad-bit-behind", with_payload(good, flip(payload, 8 * n + n // 8, 7)), INVARIANT


def minhash(good, payload):
    k, unit, _, more = struct.unpack_from("<4Q", good, 48)
    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    yield "bad-unit-alone", header(good, 56, "Q", 0 if unit else 1), PARAMETER
    yield "bad-trailing", with_payload(good, payload + b"\0"), SIZE
    if more:
        yield "bad-k-differs", header(good, 48, "Q", k + 1), SIZE
        yield "bad-short", with_payload(good, payload[:-8]), SIZE
    if len(payload) >= 16:
        yield "bad-order", with_payload(good, payload[8:16] + payload[:8] + payload[16:]), INVARIANT
        yield "bad-equal", with_payload(good, payload[:8] + payload[:8] + payload[16:]), INVARIANT


def near_index(good, payload):
    similarity, n, ids, signatures = struct.unpack_from("<4Q", good, 80)
    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    yield "bad-trailing", with_payload(good, payload + b"\0"), SIZE
    yield "bad-documents", header(good, 88, "Q", n + 1), SIZE
    if signatures > 0:
        yield "bad-demand", header(good, 80, "Q", 0 if similarity else 1), PARAMETER
    if n > 1:
        yield "bad-twice", with_payload(good, payload[:16] + payload[:16] + payload[32:]), INVARIANT
    if signatures == 0:
        return
    counts, first = 16 * n, struct.unpack_from("<I", payload, 16 * n)[0]
    yield "bad-count", with_payload(good, put(payload, counts, "I", first + 1)), INVARIANT
    yield "bad-count-many", with_payload(good, put(payload, counts, "I", ALL_ONES >> 32)), INVARIANT
    yield "bad-count-0", with_payload(good, put(payload, counts, "I", 0)), INVARIANT
    if ids > 1 and first > 1:
        at = len(payload) - 4 * ids
        swapped = payload[:at] + payload[at + 4:at + 8] + payload[at:at + 4] + payload[at + 8:]
        yield "bad-ids-order", with_payload(good, swapped), INVARIANT


def hll_redis(good, _payload):
    yield "bad-size-1", with_payload(good, b"\x7f"), SIZE
    yield "bad-size-2985", with_payload(good, bytes(2985)), SIZE
    yield "bad-size-long", with_payload(good, bytes(12289)), SIZE
    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    for name, runs in (
            ("short", "7ffe"), ("long", "007fff"), ("half", "7ffe40"), ("past", "7fff80"),
            ("zero-past", "7fff00"), ("values-past", "7ffeff"), ("two-zeros", "007ffe"),
            ("zero-wide", "40007ffe"), ("two-values", "80807ffd"), ("values-small", "81827ffa")):
        yield f"bad-runs-{name}", with_payload(good, bytes.fromhex(runs)), INVARIANT
    yield "bad-runs-many", with_payload(good, b"\x7f\xff" * 1492), INVARIANT
    yield "bad-dense-zeros", with_payload(good, bytes(12288)), INVARIANT
    yield "bad-dense-register-52", with_payload(good, b"\x34" + bytes(12287)), INVARIANT


def bit_words(*pairs):
    """Bytes of numbers and their widths, the most significant bit first."""
    text = "".join(format(number, f"0{width}b") for number, width in pairs)
    text += "0" * (-len(text) % 8)
    return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))


def hll_postgres(good, _payload):
    log2m, width, code, sparse, _ = struct.unpack_from("<5Q", good, 48)
    kept = 0 if code == 0 else (width << log2m) // 64 if code == 63 else 1 << code - 1
    full = (width << log2m) // 8

    def typed(sort, payload):
        return with_payload(good, payload, put(good[:128], 80, "Q", sort))

    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    yield "bad-empty-size", typed(1, bytes(8)), SIZE
    yield "bad-hashes-many", typed(2, bytes(8 * (kept + 1))), SIZE
    yield "bad-hashes-none", typed(2, b""), SIZE
    yield "bad-hashes-cut", typed(2, bytes(7)), SIZE
    if kept >= 2:
        for name, pair in (("order", (5, 3)), ("twice", (5, 5)), ("sign", (5, -5))):
            yield f"bad-hashes-{name}", typed(2, struct.pack(">2q", *pair)), INVARIANT
    yield "bad-sparse-large", typed(3, bytes(full + 1)), SIZE
    if sparse and 3 * (log2m + width) < width << log2m:
        one, two = [(1, log2m), (1, width)], [(2, log2m), (1, width)]
        yield "bad-sparse-order", typed(3, bit_words(*two, *one)), INVARIANT
        yield "bad-sparse-twice", typed(3, bit_words(*one, *one)), INVARIANT
        yield "bad-sparse-zero", typed(3, bit_words(*one, (2, log2m), (0, width))), INVARIANT
        yield "bad-sparse-byte", typed(3, bit_words(*one) + b"\0"), INVARIANT
        if (log2m + width) % 8:
            yield "bad-sparse-bit", typed(3, flip(words := bit_words(*one), len(words) - 1)), INVARIANT
        yield "bad-full-zeros", typed(4, bytes(full)), INVARIANT
    if not sparse:
        yield "bad-sparse-off", typed(3, bit_words((1, log2m), (1, width))), INVARIANT
    yield "bad-full-short", typed(4, b"\x55" * (full - 1)), SIZE
    yield "bad-full-long", typed(4, b"\x55" * (full + 1)), SIZE
    if width > 6:
        yield "bad-full-register", typed(4, b"\x7f" * full), INVARIANT


def hll_datasketches(good, _payload):
    lgk, form, _ = struct.unpack_from("<3Q", good, 48)
    limit = 7 if lgk < 8 else 3 << lgk - 5
    packed = 3 << lgk - 2

    def formed(form, payload, hip=0):
        return with_payload(good, payload, put(put(good[:128], 56, "Q", form), 64, "Q", hip))

    yield "bad-claim", header(good, 40, "Q", TERABYTE), SIZE
    yield "bad-coupons-many", formed(0, bytes(4 * (limit + 1))), SIZE
    yield "bad-coupons-cut", formed(0, bytes(7)), SIZE
    yield "bad-coupons-hip", formed(0, b"\0\0\0\4", ONE), PARAMETER
    one, two = 1 << 26, 2 << 26
    for name, pair in (("order", (two, one)), ("twice", (one, one)), ("rank", (one - 1, two)),
                       ("zero", (0, one))):
        yield f"bad-coupons-{name}", formed(0, struct.pack("<2I", *pair)), INVARIANT
    yield "bad-registers-zeros", formed(1, bytes(packed)), INVARIANT
    yield "bad-registers-short", formed(1, b"\1" * (packed - 1)), SIZE
    yield "bad-registers-long", formed(1, b"\1" * (packed + 1)), SIZE
    for name, hip in (("nan", NAN), ("minus", ONE | 1 << 63), ("infinite", 0x7FF << 52),
                      ("small", ONE)):
        yield f"bad-hip-{name}", formed(1, b"\1" * packed, hip), INVARIANT


KINDS = {1: bloom_block, 2: bloom_classic, 3: bloom_counting, 4: bloom_scalable, 5: cuckoo, 6: cms,
         7: spacesaving,
         8: hll, 9: near_index, 10: minhash, 11: hdr, 12: tdigest, 13: bloom_parquet, 14: bloom_dcso,
         15: seen, 16: hll_redis, 17: hll_postgres, 18: hll_datasketches,
         19: near_index}


def armor(data):
    return b"sk1:" + base64.urlsafe_b64encode(data).rstrip(b"=")


def armored(good):
    text = armor(good)
    keyed = armor(with_extension(good, entry(0x8001, b"key")))
    if len(good) % 3:
        digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        spare = digits[digits.index(text[-1:]) + 1:][:1]
        yield "bad-armor-spare-bits", text[:-1] + spare + b"\n", ARMOR
    equals = b"=" * (-len(text[4:]) % 4) or b"="
    yield "bad-armor-padding", text + equals + b"\n", ARMOR
    yield "bad-armor-cr", text + b"\r\n", ARMOR
    yield "bad-armor-blank", text[:40] + b" " + text[40:] + b"\n", ARMOR
    yield "bad-armor-plus", text[:40] + b"+" + text[41:] + b"\n", ARMOR
    yield "bad-armor-split", text[:40] + b"\n" + text[40:] + b"\n", TRUNCATED
    yield "bad-armor-cut", text[:len(text) // 4 * 4 - 4], TRUNCATED
    yield "bad-armor-nothing", b"sk1:\n", TRUNCATED
    yield "bad-armor-two", armor(good + good) + b"\n", ARMOR
    yield "bad-armor-empty-line", text + b"\n\n", FOREIGN
    yield "bad-armor-prefix", b"sk2:" + text[4:] + b"\n", FOREIGN
    yield "bad-armor-key-differs", b"kay\t" + keyed + b"\n", INVARIANT
    yield "bad-armor-key-unknown", b"key\t" + text + b"\n", INVARIANT


def number(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def chunk(entries):
    body = struct.pack("<Q", len(entries)) + entries
    body += bytes(-(8 + len(body)) % 64)
    return struct.pack("<Q", xxh3_64(body)) + body


def last_chunk(chunks, items, keys):
    sums = b"".join(c[:8] for c in chunks)
    body = struct.pack("<4Q", 0, items, keys, xxh3_64(sums)) + bytes(24)
    return struct.pack("<Q", xxh3_64(body)) + body


# An entry's variation, parameters and payload, by kind: a sketch of one item or none.
ENTRY = {8: (b"\0", b"", struct.pack("<I", 65)), 10: (b"\0", b"", bytes(8)),
         11: (b"\0", b"", bytes.fromhex("c010000001")),
         12: (b"\x0a", b"\1\1", struct.pack("<d", 3) + b"\1"), 16: (b"\0", b"", b"\x7f\xff"),
         17: (b"\x10", b"\2", bytes(8)), 18: (b"\0", b"", b"\0\0\0\4")}


def keyed(good):
    """A keyed record of our own making behind the good header."""
    start = 128 + struct.unpack_from("<I", good, 20)[0]
    head = good[:start]
    usual = ENTRY[struct.unpack_from("<H", good, 10)[0]]

    def item(key, variation=usual[0], rest=usual[1], payload=usual[2], size=None, items=b"\1"):
        return (number(len(key)) + (size or number(len(payload))) + items + variation + rest +
                key + payload)

    def whole(*chunks, items=None, keys=None, count=2):
        made = [chunk(c) for c in chunks]
        last = last_chunk(made, count if items is None else items,
                          count if keys is None else keys)
        return head + b"".join(made) + last

    a, b = item(b"a"), item(b"b")
    full = whole(a + b)
    yield "bad-keyed-items", header(good, 32, "Q", 5), SIZE
    yield "bad-keyed-size", header(good, 40, "Q", 64), SIZE
    yield "bad-keyed-unflagged", header(good, 14, "H", 0), SIZE
    yield "bad-keyed-order", whole(b + a), INVARIANT
    yield "bad-keyed-twice", whole(a + a), INVARIANT
    yield "bad-keyed-chunk-early", whole(a, b), INVARIANT
    yield "bad-keyed-chunk-bit", flip(full, start + 16), PAYLOAD
    yield "bad-keyed-chunk-checksum", flip(full, start), PAYLOAD
    yield "bad-keyed-chunk-lost", full[:start] + full[-64:], PAYLOAD
    yield "bad-keyed-padding", head + (bad := resign(flip(chunk(a), 63))) + \
        last_chunk([bad], 1, 1), PADDING
    yield "bad-keyed-total-items", whole(a + b, items=3), INVARIANT
    yield "bad-keyed-total-keys", whole(a + b, keys=3), INVARIANT
    yield "bad-keyed-total-bit", flip(full, len(full) - 48), PAYLOAD
    yield "bad-keyed-total-padding", full[:-64] + resign(flip(full[-64:], 63)), PADDING
    yield "bad-keyed-truncated", full[:-64], TRUNCATED
    yield "bad-keyed-truncated-chunk", full[:start + 17], TRUNCATED
    yield "bad-keyed-claim", put(full, start + 8, "Q", TERABYTE), TRUNCATED
    yield "bad-keyed-claim-2^63", put(full, start + 8, "Q", 1 << 63), SIZE
    yield "bad-keyed-number-long", whole(item(b"a", items=b"\x81\0") + b), INVARIANT
    yield "bad-keyed-number-large", whole(item(b"a", items=b"\xff" * 9 + b"\2") + b), INVARIANT
    yield "bad-keyed-entry-cut", whole(a + b[:-1]), INVARIANT
    yield "bad-keyed-entry-long", whole(a + item(b"b", size=b"\x7f")), INVARIANT
    yield "bad-keyed-variation", whole(a + item(b"b", b"\x80\x80\4", b"")), INVARIANT
    if struct.unpack_from("<H", good, 10)[0] == 8:
        yield "bad-keyed-same-parameter", whole(a + item(b"b", b"\2", b"\0")), INVARIANT
        yield "bad-keyed-parameter", whole(a + item(b"b", b"\2", b"\2")), PARAMETER
        yield "bad-keyed-entry-size", whole(a + item(b"b", b"\2", b"\1")), SIZE
        yield "bad-keyed-payload", whole(a + item(b"b", payload=struct.pack("<I", 64))), INVARIANT
    yield "bad-keyed-armored", armor(good) + b"\n", ARMOR


def resign(data):
    """A chunk's checksum made right."""
    return struct.pack("<Q", xxh3_64(data[8:])) + data[8:]


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], "rb") as file:
        good = file.read()
    os.makedirs(arguments[1], exist_ok=True)
    is_keyed = struct.unpack_from("<H", good, 14)[0] & KEYED
    families = [headers, extensions] + ([keyed] if is_keyed else [payloads, armored])
    for family in families:
        for name, data, reason in family(good):
            with open(os.path.join(arguments[1], name + ".sk"), "wb") as file:
                file.write(data)
            print(name, reason, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
