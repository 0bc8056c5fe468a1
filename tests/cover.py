#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Which lines of lib/ do the tests run?

    cover.py FOLDER LEAST

Runs the suites against the programs in FOLDER, which count how often each line is
run, in memory that is shared with a file: so a program that is killed has counted,
too. Prints a table, and leaves the lines that were not run in FOLDER/missed.txt.
The status is 1 if less than LEAST per cent of all lines of lib/ were run, or a
suite failed.
"""

import glob
import json
import os
import shutil
import subprocess
import sys


def run_suites(folder, profiles):
    suites = [f for f in sorted(glob.glob("tests/*.bats")) if f != "tests/build.bats"]
    suites += sorted(glob.glob(folder + "/unit/*_test"))
    shutil.rmtree(profiles, ignore_errors=True)
    os.makedirs(profiles)
    # %m: a file for each program; %c: shared with it.
    environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.abspath(profiles) + "/%m%c.profraw")
    return subprocess.run(["sh", "tests/run.sh", folder] + suites, env=environment,
                          check=False).returncode


def objects(folder):
    paths = sorted(glob.glob(folder + "/bin/*") + glob.glob(folder + "/unit/*_test"))
    return paths[:1] + [word for path in paths[1:] for word in ("-object", path)]


def llvm_cov(folder, *words):
    return subprocess.run(
        ["llvm-cov", *words, "-ignore-filename-regex=^/|(^|/)(cmd|tests)/",
         "-instr-profile", folder + "/cover.profdata", *objects(folder)],
        stdout=subprocess.PIPE, check=True).stdout


def missed_lines(folder):
    """Each with its number, from what llvm-cov shows: "  12|      0|text"."""
    name = None
    for line in llvm_cov(folder, "show").decode("utf-8", "replace").splitlines():
        part = line.split("|", 2)
        if len(part) == 3 and part[1].strip() == "0":
            yield "%s:%s: %s" % (name, part[0].strip(), part[2])
        elif len(part) == 1 and line.endswith(":") and "lib/" in line:
            name = line[line.rindex("lib/"):-1]


def main():
    folder, least = sys.argv[1], float(sys.argv[2])
    profiles = folder + "/profiles"
    status = run_suites(folder, profiles)
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", folder + "/cover.profdata"] +
                   glob.glob(profiles + "/*.profraw"), check=True)

    rows, lines, run = [], 0, 0
    for file in json.loads(llvm_cov(folder, "export", "-summary-only"))["data"][0]["files"]:
        count = file["summary"]["lines"]
        if count["count"] > 0:
            name = file["filename"][file["filename"].rindex("lib/"):]
            rows.append((count["percent"], count["count"] - count["covered"], name))
            lines += count["count"]
            run += count["covered"]
    print("%8s %7s  %s" % ("lines", "missed", "file"))
    for percent, missed, name in sorted(rows):
        print("%6.1f %% %7d  %s" % (percent, missed, name))
    with open(folder + "/missed.txt", "w", encoding="utf-8") as out:
        for line in missed_lines(folder):
            out.write(line + "\n")

    percent = 100 * run / lines
    print("%6.1f %% of %d lines of lib/; those that were not run are in %s/missed.txt"
          % (percent, lines, folder))
    return 1 if status != 0 or percent < least else 0


if __name__ == "__main__":
    sys.exit(main())
