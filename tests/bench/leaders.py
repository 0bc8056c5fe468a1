#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""leaders.py ENGINE [N SIMILARITY FILE]: which line stands for each, by others.

As minhash-dedup goes about it: a line is compared with those that were kept, and
kept if none is like it. Printed is a number for each line, that of the line that
stands for it, counted from 1. N is of the runs of words, SIMILARITY of their
Jaccard similarity. With ENGINE alone: is it here?

    exact       equal lines, as sort -u or awk '!s[$0]++' find them
    datasketch  MinHash LSH with 128 permutations
    rensa       the same, with bands of its own choice
    simhash     Debian's program, each line a file, all pairs; its features are runs
                of 8 bytes, and SIMILARITY is that of them
"""

import os
import re
import subprocess
import sys
import tempfile

PERMUTATIONS = 128


def runs(line, n):
    words = re.findall(r"\w+", line.lower())
    return {" ".join(run) for run in zip(*(words[i:] for i in range(n)))} or {line}


def datasketch(lines, n, similarity):
    from datasketch import MinHash, MinHashLSH
    index = MinHashLSH(threshold=similarity, num_perm=PERMUTATIONS)
    for number, line in enumerate(lines, 1):
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([run.encode() for run in runs(line, n)])
        found = index.query(sketch)
        if not found:
            index.insert(number, sketch)
        yield min(found, default=number)


def rensa(lines, n, similarity):
    from rensa import RMinHash, RMinHashDeduplicator
    index = RMinHashDeduplicator(similarity, PERMUTATIONS, True)
    for number, line in enumerate(lines, 1):
        sketch = RMinHash(PERMUTATIONS, 42)
        sketch.update(list(runs(line, n)))
        found = [int(key) for key in index.get_duplicates(sketch)]
        if not found:
            index.add(str(number), sketch)
        yield min(found, default=number)


def simhash(lines, _, similarity):
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{number:08}" for number in range(len(lines))]
        for name, line in zip(names, lines):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(line + "\n")
        matrix = subprocess.run(["simhash", "-m", *names], cwd=folder, text=True,
                                stdout=subprocess.PIPE, check=True).stdout
    kept = []
    for number, row in enumerate(matrix.splitlines()[1:]):
        likeness = [float(cell) for cell in row.split()[2:]]
        found = [k for k in kept if likeness[k] >= similarity]
        if not found:
            kept.append(number)
        yield min(found, default=number) + 1


def exact(lines, *_):
    first = {}
    return (first.setdefault(line, number) for number, line in enumerate(lines, 1))


def is_here(engine):
    if engine == "simhash":
        subprocess.run(["simhash", "-m", "/dev/null"], stdout=subprocess.DEVNULL, check=True)
    elif engine != "exact":
        __import__(engine)


def main():
    engine = sys.argv[1]
    if len(sys.argv) == 2:
        is_here(engine)
        return
    n, similarity, name = sys.argv[2:]
    with open(name, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    find = {"exact": exact, "datasketch": datasketch, "rensa": rensa, "simhash": simhash}[engine]
    sys.stdout.writelines(f"{leader}\n" for leader in find(lines, int(n), float(similarity)))


if __name__ == "__main__":
    main()
