#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""examples.py [--into SYSTEM] FILE...: run what manuals and README.md show.
examples.py --crontab SUBSECTION FILE: print the crontab lines of a recipe.

In a manual's section EXAMPLES every display, and in Markdown every block of the
language console, is a session: a line that starts with "$ " is a
command (what goes on in the next line is shown with "> " there), the lines
below it are what it prints. Each display is run by bash, with
-e, -u and pipefail, in a copy of the working directory; a display that shows
output must print exactly that, one that shows none need only succeed.

In a COOKBOOK displays may be something else, and are sessions if they begin with
"$ ". Those of a subsection "Into SYSTEM" need that system, and are run
with --into, and no others then.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def displays(path):
    """The section, the subsection and the lines of each .Bd, as a reader sees them."""
    section, subsection, block = None, "", None
    for line in path.read_text().splitlines():
        if line.startswith(".Sh "):
            section, subsection = line[4:], ""
        elif line.startswith(".Ss "):
            subsection = line[4:]
        elif section in ("EXAMPLES", "COOKBOOK") and line.startswith(".Bd "):
            block = []
        elif line == ".Ed":
            if block is not None:
                yield section, subsection, block
            block = None
        elif block is not None and not line.startswith(r'.\"'):
            block.append(plain(line))


def console_blocks(path):
    """The lines of each ```console block."""
    block = None
    for line in path.read_text().splitlines():
        if line == "```console":
            block = []
        elif line == "```":
            if block is not None:
                yield block
            block = None
        elif block is not None:
            block.append(line)


def sessions(path, system):
    """The sessions that need this system, or those that need none."""
    if path.suffix == ".md":
        yield from console_blocks(path)
        return
    for section, subsection, block in displays(path):
        needs = subsection[5:] if subsection.startswith("Into ") else None
        if section == "COOKBOOK" and not block[0].startswith("$ "):
            continue
        if needs == system:
            yield block


def crontab(path, wanted):
    """The lines of a recipe that are no session, as they stand in a crontab."""
    for section, subsection, block in displays(path):
        if section == "COOKBOOK" and subsection == wanted and not block[0].startswith("$ "):
            print(*block, sep="\n")


def plain(line):
    """mdoc's escapes undone."""
    names = {"aq": "'", "dq": '"', "ti": "~", "ha": "^", "ga": "`"}
    line = re.sub(r"\\\((aq|dq|ti|ha|ga)", lambda m: names[m[1]], line)
    return line.replace(r"\&", "").replace(r"\-", "-").replace(r"\e", "\\")


def session(block):
    """The script, and what it is shown to print."""
    script, wanted, goes_on = [], [], False
    for line in block:
        goes_on = line.startswith("$ ") or (goes_on and line.startswith("> "))
        if goes_on:
            script.append(line[2:])
        else:
            wanted.append(line)
    return "\n".join(script), "".join(line + "\n" for line in wanted)


def run(script):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(".", folder, dirs_exist_ok=True)
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--into", metavar="SYSTEM")
    parser.add_argument("--crontab", metavar="SUBSECTION")
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    if asked.crontab:
        crontab(asked.file[0], asked.crontab)
        return 0
    ran, bad = 0, 0
    for name in asked.file:
        for block in sessions(name, asked.into):
            script, wanted = session(block)
            if not script:
                print(f"{name}: a display without a command:", *block, sep="\n  ")
                bad += 1
                continue
            done = run(script)
            ran += 1
            if done.returncode != 0 or done.stderr or (wanted and done.stdout != wanted):
                bad += 1
                print(f"{name}: status {done.returncode}\n{script}\n--- shown\n{wanted}"
                      f"--- printed\n{done.stdout}--- standard error\n{done.stderr}")
    print(f"{ran} examples, {bad} wrong")
    return bad != 0 or ran == 0


sys.exit(main())
