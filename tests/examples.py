#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""examples.py [--into SYSTEM] FILE...: run what manuals and README.md show.
examples.py --print HEADING FILE: print the recipes below a heading, as they stand there.

In a manual's section EXAMPLES every display, and in Markdown every block of the
language console, is a session: a line that starts with "$ " is a
command (what goes on in the next line is shown with "> " there), the lines
below it are what it prints. Each display is run by bash, with
-e, -u and pipefail, in a copy of the working directory; a display that shows
output must print exactly that, one that shows none need only succeed.

In a COOKBOOK and PAST ONE MACHINE displays may be something else, such as lines of a
crontab, and are sessions if they begin with "$ ". The others are recipes, and so are
blocks of another language than console in Markdown; --print has them, a tested system
runs them. Sessions of a subsection "Into SYSTEM" need that system, and are run with
--into, and no others then.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


PLACES = ("EXAMPLES", "COOKBOOK", "PAST ONE MACHINE")


def displays(path):
    """The section, the subsection and the lines of each .Bd, as a reader sees them."""
    section, subsection, block = None, "", None
    for line in path.read_text().splitlines():
        if line.startswith(".Sh "):
            section, subsection = line[4:], ""
        elif line.startswith(".Ss "):
            subsection = line[4:]
        elif section in PLACES and line.startswith(".Bd "):
            block = []
        elif line == ".Ed":
            if block is not None:
                yield section, subsection, block
            block = None
        elif block is not None and not line.startswith(r'.\"'):
            block.append(plain(line))


def fenced_blocks(path):
    """The heading, the language and the lines of each ``` block."""
    heading, language, block = "", None, None
    for line in path.read_text().splitlines():
        if block is None and line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif block is None and line.startswith("```"):
            language, block = line[3:], []
        elif line == "```":
            yield heading, language, block
            block = None
        elif block is not None:
            block.append(line)


def sessions(path, system):
    """The sessions that need this system, or those that need none."""
    if path.suffix == ".md":
        yield from (b for _, language, b in fenced_blocks(path) if language == "console")
        return
    for section, subsection, block in displays(path):
        needs = subsection[5:] if subsection.startswith("Into ") else None
        if section != "EXAMPLES" and not block[0].startswith("$ "):
            continue
        if needs == system:
            yield block


def recipes(path, wanted):
    """The displays below a heading that are no session."""
    if path.suffix == ".md":
        yield from (b for heading, language, b in fenced_blocks(path)
                    if heading == wanted and language != "console")
        return
    for section, subsection, block in displays(path):
        if section != "EXAMPLES" and wanted in (section, subsection) and block[0][:2] != "$ ":
            yield block


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
    parser.add_argument("--print", metavar="HEADING")
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    if asked.print:
        for block in recipes(asked.file[0], asked.print):
            print(*block, sep="\n")
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
