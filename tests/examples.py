#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""examples.py FILE...: run what the EXAMPLES of manuals and README.md show.

In a manual's section EXAMPLES every display, and in Markdown every block of the
language console, is a session: a line that starts with "$ " is a
command (one that ends in a backslash goes on in the next line, shown with
"> "), the lines below it are what it prints. Each display is run by bash, with
-e, -u and pipefail, in a copy of the working directory; a display that shows
output must print exactly that, one that shows none need only succeed.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def displays(path):
    """The lines of each .Bd in EXAMPLES, as a reader sees them."""
    section, block = None, None
    for line in path.read_text().splitlines():
        if line.startswith(".Sh "):
            section = line[4:]
        elif section == "EXAMPLES" and line.startswith(".Bd "):
            block = []
        elif line == ".Ed":
            if block is not None:
                yield block
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


def sessions(path):
    return console_blocks(path) if path.suffix == ".md" else displays(path)


def plain(line):
    """mdoc's escapes undone."""
    names = {"aq": "'", "dq": '"', "ti": "~", "ha": "^", "ga": "`"}
    line = re.sub(r"\\\((aq|dq|ti|ha|ga)", lambda m: names[m[1]], line)
    return line.replace(r"\&", "").replace(r"\-", "-").replace(r"\e", "\\")


def session(block):
    """The script, and what it is shown to print."""
    script, wanted = [], []
    for line in block:
        if line.startswith("$ "):
            script.append(line[2:])
        elif line.startswith("> ") and script and script[-1].endswith("\\"):
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
    ran, bad = 0, 0
    for name in sys.argv[1:]:
        for block in sessions(pathlib.Path(name)):
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
