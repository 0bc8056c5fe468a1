#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""quality.py [--smoke] [--only WORD] [--list]: who finds what is alike.

Documents of which it is known what is alike (build/corpus), grouped by our
programs and by others that are here. For each: processor time, and what score.py
says of the groups. Others are there after `make bench-peers`, and the program
simhash comes with Debian's package of that name.

--smoke: few documents, to see that every row works. The status is 1 if a command
failed, not if it found little.
"""

import argparse
import collections
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys

import score

TOP = pathlib.Path(__file__).parents[2]
FOLDER = TOP / "build" / "bench"
ENVIRONMENT = dict(os.environ, LC_ALL="C",
                   PATH=f"{TOP}/build/bin:{TOP}/build:{os.environ['PATH']}")

PEERS = TOP / "build" / "peers" / "bin" / "python"
LEADERS = [str(PEERS if PEERS.exists() else "python3"), str(TOP / "tests" / "bench" / "leaders.py")]

# What corpus is asked for, how many documents, and how many for --smoke.
Set = collections.namedtuple("Set", "ask n few")
SETS = {
    "families": Set("families {n} 1 {truth}", 2000, 200),
    "pairs that share 0.8": Set("jaccard {n} 1 {truth} 80", 2000, 50),
    "pairs that share 0.85": Set("jaccard {n} 1 {truth} 85", 2000, 50),
    "pages in one frame": Set("pages {n} 1 {truth}", 2000, 200),
    "pages in one frame, and copies": Set("pages {n} 1 {truth} 5", 2000, 100),
    "log": Set("mill {n} 1 {truth}", 100000, 2000),
    "log with plain names": Set("mill {n} 1 {truth} 20", 100000, 2000),
}

# For sets whose name begins so: a command that prints for each line of {lines}
# the number of the one that stands for it.
ROWS = [
    ("families", "simhash-dedup --edits 10% --show map {lines} | cut -f 3"),
    ("families", "minhash-dedup --similarity 0.6 --show map {lines} | cut -f 3"),
    ("families", "{leaders} datasketch 2 0.6 {lines}"),
    ("families", "{leaders} rensa 2 0.6 {lines}"),
    ("families", "{leaders} simhash 2 0.6 {lines}"),
    ("pairs", "minhash-dedup --features word:1 --similarity 0.8 --show map {lines} | cut -f 3"),
    ("pairs", "{leaders} datasketch 1 0.8 {lines}"),
    ("pairs", "{leaders} rensa 1 0.8 {lines}"),
    ("pages", "simhash-dedup --edits 5% --show map {lines} | cut -f 3"),
    ("pages", "minhash-dedup --show map {lines} | cut -f 3"),
    ("pages", "minhash-dedup --similarity 0.6 --show map {lines} | cut -f 3"),
    ("pages", "{leaders} datasketch 2 0.6 {lines}"),
    ("pages", "{leaders} rensa 2 0.6 {lines}"),
    ("log", "{leaders} exact 1 1 {lines}"),
    ("log", "log-mask {lines} | {leaders} exact 1 1 /dev/stdin"),
    ("log", "simhash-dedup --norm log --show map {lines} | cut -f 3"),
    ("log", "simhash-dedup --norm log --features word:1 --edits 20% --show map {lines} | cut -f 3"),
    ("log", "minhash-dedup --norm log --show map {lines} | cut -f 3"),
    ("log", "minhash-dedup --norm log --features word:1 --similarity 0.6 --show map {lines} | cut -f 3"),
]


def documents(name, smoke):
    """The file of a set and its truth, made when asked for."""
    known = SETS[name]
    lines = FOLDER / (name.replace(" ", "-") + (".smoke" if smoke else ""))
    truth = lines.with_name(lines.name + ".truth")
    if not truth.exists():
        new = truth.with_name(truth.name + ".new")
        ask = known.ask.format(n=known.few if smoke else known.n, truth=shlex.quote(str(new)))
        with open(lines, "wb") as out:
            subprocess.run(["corpus", *shlex.split(ask)], stdout=out, env=ENVIRONMENT, check=True)
        new.rename(truth)
    return lines, score.read(truth)


def absent(command):
    """Who of this command is not here, if anybody."""
    words = command.split()
    if words[0] == "{leaders}":
        asked = subprocess.run([*LEADERS, words[1]], env=ENVIRONMENT, check=False,
                               stderr=subprocess.DEVNULL)
        return words[1] if asked.returncode else None
    return None if shutil.which(words[0], path=ENVIRONMENT["PATH"]) else words[0]


def measure(command):
    """What it printed, as numbers, and the seconds of processor time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], env=ENVIRONMENT,
                          stdout=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"quality.py: {command}: status {done.returncode}")
    return ([int(line) for line in done.stdout.split()],
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description="who finds what is alike")
    parser.add_argument("--smoke", action="store_true", help="few documents")
    parser.add_argument("--only", default="", metavar="WORD", help="rows with this in them")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    asked, _ = parser.parse_known_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        rows = [command for group, command in ROWS
                if name.startswith(group) and (asked.only in name or asked.only in command)]
        if asked.list:
            print(*(f"{name}: {command}" for command in rows), sep="\n")
            continue
        if not rows:
            continue
        lines, truth = documents(name, asked.smoke)
        print(f"{name}: {len(truth)} documents, {len(set(truth))} groups")
        print("   cpu s  precision   recall      f1      ga     ari    kept   lost")
        for command in rows:
            missing = absent(command)
            if missing:
                print(f"   {missing} is not here")
                continue
            groups, seconds = measure(command.format(lines=shlex.quote(str(lines)),
                                                     leaders=shlex.join(LEADERS)))
            found = score.score(truth, groups)
            short = (command.replace("{leaders} ", "").replace(" --show map {lines} | cut -f 3", "")
                     .removesuffix(" {lines}"))
            print(f"{seconds:8.2f} {found.precision:10.4f} {found.recall:8.4f} {found.f1:7.4f}"
                  f" {found.ga:7.4f} {found.ari:7.4f} {found.kept:7} {found.lost:6}   {short}",
                  flush=True)


main()
