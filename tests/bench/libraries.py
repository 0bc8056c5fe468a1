#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""libraries.py ENGINE [QUESTION FILE...]: what a Python library of sketches answers.

The questions are those of sql.py, as far as the library has something for them.
Lines are given to it one by one, as its interface is; numbers as one array. ENGINE
alone: is it here? "-version" as the QUESTION prints which.

    datasketches         Apache DataSketches: HyperLogLog of 2^14 registers of 8 bits,
                         frequent items of 2^16, KLL of k = 200, Count-Min of 2,719 x 5
    datasketches-tdigest its t-digest of compression 200, for the question quantile
    datasketch           HyperLogLog++ of 2^14 registers
"""

import heapq
import importlib.metadata
import sys


def lines(name):
    """Without the newline, as text, which is what these libraries take."""
    with open(name, encoding="latin-1", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def first_fields(name):
    return (line.split(" ", 1)[0] for line in lines(name))


def print_rows(rows):
    sys.stdout.writelines(f"{count}\t{item}\n" for count, item in rows)


class DataSketches:
    package = "datasketches"

    def __init__(self):
        import datasketches
        self.of = datasketches

    def count(self, items):
        sketch = self.of.hll_sketch(14, self.of.HLL_8)
        for item in items:
            sketch.update(item)
        print(round(sketch.get_estimate()))

    def distinct(self, name):
        self.count(lines(name))

    def field(self, name):
        self.count(first_fields(name))

    def keys(self, name):
        sketches = {}
        for line in lines(name):
            fields = line.split(" ", 7)
            sketch = sketches.get(fields[6])
            if sketch is None:
                sketch = sketches[fields[6]] = self.of.hll_sketch(14, self.of.HLL_8)
            sketch.update(fields[0])
        counts = ((round(sketch.get_estimate()), key) for key, sketch in sketches.items())
        print_rows(heapq.nlargest(100, counts))

    def top(self, items):
        sketch = self.of.frequent_strings_sketch(16)
        for item in items:
            sketch.update(item)
        found = sketch.get_frequent_items(self.of.frequent_items_error_type.NO_FALSE_NEGATIVES)
        print_rows((row[1], row[0]) for row in found[:10])

    def topfield(self, name):
        self.top(first_fields(name))

    def topline(self, name):
        self.top(lines(name))

    def quantile(self, name):
        import numpy
        sketch = self.of.kll_doubles_sketch(200)
        sketch.update(numpy.fromfile(name, sep="\n"))
        for value in sketch.get_quantiles([0.5, 0.99]):
            print(value)

    def lookup(self, name, items):
        # As wide and deep as cms-build's, for 0.1 % with 99 %.
        sketch = self.of.count_min_sketch(5, 2719)
        for line in lines(name):
            sketch.update(line)
        print_rows((round(sketch.get_estimate(item)), item) for item in lines(items))


class TDigest(DataSketches):
    def quantile(self, name):
        import numpy
        sketch = self.of.tdigest_double(200)
        sketch.update(numpy.fromfile(name, sep="\n"))
        for rank in (0.5, 0.99):
            print(sketch.get_quantile(rank))


class Datasketch:
    package = "datasketch"

    def __init__(self):
        import datasketch
        self.of = datasketch

    def count(self, items):
        sketch = self.of.HyperLogLogPlusPlus(14)
        for item in items:
            sketch.update(item.encode("latin-1"))
        print(round(sketch.count()))

    def distinct(self, name):
        self.count(lines(name))

    def field(self, name):
        self.count(first_fields(name))


ENGINES = {"datasketches": DataSketches, "datasketches-tdigest": TDigest, "datasketch": Datasketch}


def main():
    engine = ENGINES[sys.argv[1]]()
    question, *names = sys.argv[2:] or [None]
    if question == "-version":
        print(importlib.metadata.version(engine.package))
    elif question:
        getattr(engine, question)(*names)


main()
