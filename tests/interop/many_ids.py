#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""An empty HyperLogLog of so many shards.

usage: many_ids.py N
"""
import os
import sys

from mutate import entry, with_extension

HERE = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(HERE, "..", "golden", "hll-empty.sk"), "rb") as file:
    empty = file.read()
ids = b"".join(b"%06d\0" % i for i in range(int(sys.argv[1])))
sys.stdout.buffer.write(with_extension(empty, entry(1, ids)))
