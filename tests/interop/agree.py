#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Do sketch-info --json and reader.py say the same of these files?

usage: agree.py [-z] FILE...

Record by record, and key by key of what reader.py knows, entries of keyed
records included. Real numbers may differ in their last digits.
"""
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def rows(command):
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def main(arguments):
    zero = ["-z"] if arguments[:1] == ["-z"] else []
    files = arguments[len(zero):]
    first = rows([sys.executable, os.path.join(HERE, "reader.py"), *zero, "--keys", *files])
    second = rows(["sketch-info", *zero, "--json", "--each", *files])
    bad, facts = 0, 0
    if len(first) != len(second):
        print(f"{len(first)} rows here, {len(second)} there")
        bad += 1
    for a, b in zip(first, second):
        for name, value in a.items():
            facts += 1
            if name not in b or not same(value, b[name]):
                print(f"{a['file']}, record {a['record']}: {name} is {value!r} here, "
                      f"{b.get(name)!r} there")
                bad += 1
    print(f"{len(first)} rows, {facts} facts, {bad} differ")
    return bad != 0 or facts == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
