#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""peers [--smoke] [--full] [--only NAME] [--most N] [--build FOLDER] [--peers FOLDER] [--work FOLDER]
[--write | --check]: beside all others.

Asks each question of questions.py of every program that is here: the same input, one
run (the mean of five where that takes less than a third of a second), warm cache,
LC_ALL=C. Sizes go up until the next run would take longer than the limit. Then the
errors of our estimates are measured (accuracy.py), and all of it is written:
RESULTS.md, results.json and plots/ beside this folder, and the rows between two marks
in README.md.

What was measured is kept in build/bench/peers.jsonl until the end, so that the next
call goes on where this one was broken off.

--smoke    two small sizes, what is written goes into build/bench
--full     up to 10^9 lines, and a minute for a run
--only     questions with this in their names: printed, and not written
--most     no more lines than these: printed, and not written
--build    what is measured, instead of build
--peers    where the others are installed, instead of build/peers
--work     where files are made, instead of build/bench
--write    measure nothing, write all again from results.json
--check    write nothing: status 1 if that would change anything
"""

import argparse
import json
import pathlib
import sys

import accuracy
import answers
import machine
import measure
import questions
import report

# Seconds for a run at the main size and below, and above it.
LIMITS = {"smoke": (20, 20), "usual": (25, 8), "full": (60, 60)}


def ladder(question, mode, most):
    if mode == "smoke":
        return question.sizes[:1]
    sizes = question.sizes + (question.more if mode == "full" else ())
    return [n for n in sizes if n <= most]


def expected(before, n):
    """Seconds for the next size, by the last two: what it takes to start does not grow.
    One alone is halved for that."""
    if not before:
        return 0
    m, wall = before[-1]
    if len(before) == 1:
        return wall * n / m / 2
    k, less = before[-2]
    return wall + max(wall - less, 0) * (n - m) / (m - k)


def one(question, peer, n, words, env, seconds, limit):
    """One row: time it, and judge what it printed."""
    judge = answers.judge(question, words.files, env)
    command = words(peer.command, question.input, n)
    out = measure.FOLDER / "answer"
    # What is large is not written while it is timed.
    large = question.answer == "dedup"
    # The mean of five where that takes no time.
    times = 5 if seconds < 0.33 else 1
    done = measure.run(command, None if large else out, times, 2 * limit, env)
    if done is None:
        return measure.Run(None, None, None, None, f"more than {2 * limit} s")
    # Above the main size sort alone would take minutes.
    if done.note or peer.kind == "wc" or n > question.main:
        return done
    if large:
        measure.run(command, out, 1, 2 * limit, env)
    try:
        return done._replace(error=judge.error(out, n))
    except answers.Wrong as why:
        return done._replace(note=f"wrong: {why}")


def ask(question, sizes, limits, words, env, store):
    """All peers at all sizes."""
    for peer in question.peers:
        absent = words.absent(peer, env)
        before = []
        for n in sizes:
            limit = limits[n > question.main]
            done = store.get(question.name, peer.name, n)
            if not done:
                if absent:
                    done = measure.Run(None, None, None, None, absent)
                elif expected(before, n) > limit:
                    break
                else:
                    print(f"{question.name} {n} {peer.name}", end=" ", file=sys.stderr, flush=True)
                    # Once at the first size of all in --smoke, and in a test.
                    seconds = expected(before, n) if len(sizes) > 1 else 1
                    done = one(question, peer, n, words, env, seconds, limit)
                    print(f"{done.wall:.3f} s" if done.wall else "", done.note, file=sys.stderr)
                store.keep(question.name, peer.name, n, done)
            if done.note and not done.note.startswith("wrong"):
                break
            before.append((n, done.wall))


def collect(asked, mode, store, env, peers):
    """All that was measured, as it is kept beside the table."""
    return {
        "machine": machine.describe(),
        "versions": machine.versions(env, peers),
        "mode": mode,
        "runs": [[*key, *done] for key, done in store.runs.items()
                 if key[0] in {question.name for question in asked}],
    }


def main():
    parser = argparse.ArgumentParser(prog="peers", description="beside all others")
    parser.add_argument("--smoke", action="store_true", help="small inputs, into build/bench")
    parser.add_argument("--full", action="store_true", help="up to 10^9 lines")
    parser.add_argument("--only", default="", metavar="NAME", help="questions with this in them")
    parser.add_argument("--most", type=int, default=10 ** 12, metavar="N", help="lines")
    parser.add_argument("--build", default=measure.BUILD, type=pathlib.Path, metavar="FOLDER",
                        help="what is measured: build")
    parser.add_argument("--work", default=measure.FOLDER, type=pathlib.Path, metavar="FOLDER",
                        help="where files are made: build/bench")
    parser.add_argument("--peers", type=pathlib.Path, metavar="FOLDER",
                        help="where they are installed: build/peers")
    parser.add_argument("--write", action="store_true", help="write all again")
    parser.add_argument("--check", action="store_true", help="would that change anything?")
    given = parser.parse_args()
    mode = "smoke" if given.smoke else "full" if given.full else "usual"

    if given.write or given.check:
        if not report.PLACES.results.with_name("results.json").exists():
            sys.exit("peers: nothing was measured yet")
        results = json.loads(report.PLACES.results.with_name("results.json").read_text(encoding="utf-8"))
        if given.write:
            report.write(results, report.PLACES)
        sys.exit(given.check and report.differs(results, report.PLACES))
    some = given.only or given.most < 10 ** 12
    peers = (given.peers or given.build / "peers").absolute()
    measure.FOLDER = given.work.absolute()
    env = measure.environment(given.build.absolute(), peers)
    files = measure.Files(env)
    words = measure.Words(files, peers)
    store = measure.Store(measure.FOLDER / f"peers-{'some' if some else mode}.jsonl")
    if some:
        store.forget()
    asked = [question for question in questions.QUESTIONS if given.only in question.name]
    for question in asked:
        ask(question, ladder(question, mode, given.most), LIMITS[mode], words, env, store)
    results = collect(asked, mode, store, env, peers)
    if some:
        print(report.tables(results))
        return
    results["accuracy"] = accuracy.measure(given.smoke, env)
    report.write(results, report.scratch_places() if given.smoke else report.PLACES)
    store.forget()


main()
