#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Apache DataSketches' own HLL, for datasketches.bats.

usage: sketches.py build LGK 4|6|8 [int64] <LINES    a sketch of the lines
       sketches.py update FILE <LINES                the same with more of them
       sketches.py union LGK FILE...                 of all
       sketches.py count FILE...                     its estimate of each, rounded
       sketches.py grid LGK,... N,... <LINES         files TYPE-LGK-N of the first N lines
       sketches.py rows <CSV                         estimate TAB key of each row

Sketches are raw bytes, and go to standard output.
"""
import base64
import csv
import sys

from datasketches import hll_sketch, hll_union, tgt_hll_type

TYPES = {"4": tgt_hll_type.HLL_4, "6": tgt_hll_type.HLL_6, "8": tgt_hll_type.HLL_8}


def lines():
    return sys.stdin.buffer.read().decode().split("\n")[:-1]


def load(name):
    with open(name, "rb") as file:
        return hll_sketch.deserialize(file.read())


def save(sketch):
    sys.stdout.buffer.write(sketch.serialize_compact())


def rounded(sketch):
    return int(sketch.get_estimate() + 0.5)


def build(lgk, kind, number=None):
    sketch = hll_sketch(int(lgk), TYPES[kind])
    for item in lines():
        sketch.update(int(item) if number else item)
    save(sketch)


def update(name):
    sketch = load(name)
    for item in lines():
        sketch.update(item)
    save(sketch)


def union(lgk, *names):
    all_of_them = hll_union(int(lgk))
    for name in names:
        all_of_them.update(load(name))
    save(all_of_them.get_result(tgt_hll_type.HLL_8))


def count(*names):
    for name in names:
        print(rounded(load(name)))


def grid(lgks, counts):
    items = lines()
    for lgk in lgks.split(","):
        for n in counts.split(","):
            for kind, target in TYPES.items():
                sketch = hll_sketch(int(lgk), target)
                for item in items[:int(n)]:
                    sketch.update(item)
                with open(f"{kind}-{lgk}-{n}", "wb") as file:
                    file.write(sketch.serialize_compact())


def rows():
    for *key, value in csv.reader(sys.stdin):
        sketch = hll_sketch.deserialize(base64.b64decode(value))
        print(rounded(sketch), *key, sep="\t")


COMMANDS = {"build": build, "update": update, "union": union, "count": count, "grid": grid,
            "rows": rows}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
