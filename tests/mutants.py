#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Would anybody notice? Change the source in one place at a time and see to it
that a test fails.

    mutants.py FOLDER [WORD...]

The table is tests/mutants.txt: a line "FILE: SUITE...", then lines "- OLD" that
stand exactly once in FILE, and "+ NEW" for what takes their place. A copy of the
tree in FOLDER is built with each of these changes in turn, and the suites (a unit
test, or a bats file) are run until one fails. With WORDs only the rows in whose
file or text one of them stands are tried.

The status is 1 if a change survived, if it did not compile, if the old text is not
there once, or if a suite fails without any change.
"""

import os
import shutil
import signal
import subprocess
import sys
import time

TABLE = "tests/mutants.txt"
TREE = ["Makefile", "README.md", "NEWS.md", "HACKING.md", "cmd", "lib", "tests", "man", "completions"]
# A change may keep a test from ever coming to an end. That is noticed, too.
SECONDS = 300


class Mutant:
    def __init__(self, file, suites, line):
        self.file, self.suites, self.line = file, suites, line
        self.old, self.new = [], []

    def title(self):
        return "%s: %s -> %s" % (self.file, " ".join(" ".join(self.old).split()),
                                 " ".join(" ".join(self.new).split()))


def read_table():
    mutants = []
    with open(TABLE, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            line = line.rstrip("\n")
            if line[:2] in ("- ", "+ "):
                (mutants[-1].old if line[0] == "-" else mutants[-1].new).append(line[2:])
            elif line and not line.startswith("#"):
                file, suites = line.split(": ")
                mutants.append(Mutant(file, suites.split(), number))
    return mutants


def copy_tree(folder):
    """What did not change keeps its time, so that it is not built again."""
    seen = set()
    for top in TREE:
        paths = [top] if os.path.isfile(top) else [
            os.path.join(at, name) for at, _, names in os.walk(top) for name in names]
        for path in paths:
            to = os.path.join(folder, path)
            seen.add(to)
            os.makedirs(os.path.dirname(to) or ".", exist_ok=True)
            if not os.path.exists(to) or open(to, "rb").read() != open(path, "rb").read():
                shutil.copy(path, to)
    for top in TREE:
        for at, _, names in os.walk(os.path.join(folder, top)):
            for name in names:
                if os.path.join(at, name) not in seen:
                    os.remove(os.path.join(at, name))


def run(folder, *words):
    """Its status and what it said; None if it did not end."""
    drop = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {k: v for k, v in os.environ.items() if k not in drop}
    with open(os.path.join(folder, "mutants.log"), "w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log, start_new_session=True)
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            # A make left behind would build what is written back below.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        log.seek(0)
        return status, log.read()


def build(folder, suites):
    targets = ["all", "helpers"] if any(s.endswith(".bats") for s in suites) else []
    targets += ["build/unit/" + s for s in suites if not s.endswith(".bats")]
    # Unoptimised code would be built faster and tested slower.
    return run(folder, "make", "-s", "-j%d" % len(os.sched_getaffinity(0)), "CFLAGS=-O1", *targets)


def suite_status(folder, suite):
    path = "tests/" + suite if suite.endswith(".bats") else "build/unit/" + suite
    return run(folder, "sh", "tests/run.sh", "build", path)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def attempt(folder, mutant):
    """Who caught it, or what is wrong with it."""
    path = os.path.join(folder, mutant.file)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    old, new = "\n".join(mutant.old), "\n".join(mutant.new)
    if source.count(old) != 1:
        return None, "its old text is there %d times" % source.count(old)
    write(path, source.replace(old, new))
    try:
        status, said = build(folder, mutant.suites)
        if status != 0:
            return None, "does not compile\n" + said
        for suite in mutant.suites:
            if suite_status(folder, suite)[0] != 0:
                return suite, None
        return None, "survived"
    finally:
        write(path, source)


def main():
    folder, words = sys.argv[1], sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    mutants = [m for m in read_table() if not words or any(w in m.title() for w in words)]
    copy_tree(folder)

    bad = 0
    for suite in sorted({s for m in mutants for s in m.suites}):
        status, said = build(folder, [suite])
        if status == 0:
            status, said = suite_status(folder, suite)
        if status != 0:
            print("not ok - %s fails without any change\n%s" % (suite, said))
            bad += 1
    if bad > 0:
        return 1

    for mutant in mutants:
        start = time.time()
        suite, problem = attempt(folder, mutant)
        if suite:
            print("ok - %s, caught by %s, %d s" % (mutant.title(), suite, time.time() - start))
        else:
            print("not ok - %s:%d: %s: %s" % (TABLE, mutant.line, mutant.title(), problem))
            bad += 1
        sys.stdout.flush()
    print("%d passed, %d failed, 0 skipped" % (len(mutants) - bad, bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
