#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""An empty HyperLogLog of so many shards; or so many empty sketches, each of the
shard 'common' and one of its own, of t-digests a line for each of as many keys.

usage: many_ids.py N [hll | tdigest]
"""
import base64
import os
import sys

from mutate import entry, with_extension

HERE = os.path.dirname(os.path.abspath(__file__))



def golden(name):
    with open(os.path.join(HERE, "..", "golden", name + "-empty.sk"), "rb") as file:
        return file.read()


def main(count, kind=None):
    out = sys.stdout.buffer
    if kind is None:
        ids = b"".join(b"%06d\0" % i for i in range(count))
        out.write(with_extension(golden("hll"), entry(1, ids)))
        return
    empty = golden(kind)
    for i in range(count):
        ids = entry(1, b"common\0u%06d\0" % i)
        if kind == "hll":
            out.write(with_extension(empty, ids))
            continue
        key = b"k%06d" % i
        record = with_extension(empty, ids + entry(0x8001, key))
        out.write(key + b"\tsk1:" + base64.urlsafe_b64encode(record).rstrip(b"=") + b"\n")


main(int(sys.argv[1]), *sys.argv[2:])
