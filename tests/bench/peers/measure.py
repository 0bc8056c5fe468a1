# sketchutils: BSD-2-Clause, see LICENSE
"""One run of one program: how long, how much of the processors, how much memory.

What was measured is kept in a file as it comes, so that a run that was broken off goes
on where it was. Inputs are made by seed, when they are asked for.
"""

import collections
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
BENCH = TOP / "tests" / "bench"
BUILD = TOP / "build"
FOLDER = BUILD / "bench"

# wall and cpu in seconds, peak in KiB of the largest process. note says why there is
# no figure, or is empty.
Run = collections.namedtuple("Run", "wall cpu peak error note", defaults=(None, ""))

ABSENT, UNBUILT = "not installed", "could not be built"

# A second file that goes with an input, made from it.
MADE = {
    "set": "mawk '!s[$0]++' {in} | grep 'shop/[0-7]'",
    "items": "sed -n '1~{step}p' {in} | sort -u | sed -n 1,1000p",
}

KINDS = {"visits": "logmaker log {n} | cut -d ' ' -f 1",
         "families": "corpus families {n} 1 {truth}"}


def environment(build, peers):
    """Ours first, then what was installed for this, then the system's."""
    return dict(os.environ, LC_ALL="C",
                PATH=f"{build}/bin:{build}:{peers}/bin:{os.environ['PATH']}")


class Files:
    """The inputs, and what goes with them."""

    def __init__(self, env):
        self.env = env
        FOLDER.mkdir(parents=True, exist_ok=True)

    def make(self, path, command):
        """The output of a command as a file, whole or not at all."""
        if not path.exists():
            print(f"making {path.name}", file=sys.stderr)
            new = path.with_name(path.name + ".new")
            with open(new, "wb") as out:
                subprocess.run(["bash", "-c", "set -o pipefail; " + command], stdout=out,
                               env=self.env, check=True)
            new.rename(path)
        return path

    def input(self, kind, n):
        truth = FOLDER / f"{kind}-{n}.truth"
        command = KINDS.get(kind, f"logmaker {kind} {{n}}")
        return self.make(FOLDER / f"{kind}-{n}",
                         command.format(n=n, truth=shlex.quote(str(truth))))

    def beside(self, kind, n, what):
        source = self.input(kind, n)
        step = max(n // 2000, 1)
        command = MADE[what].replace("{in}", shlex.quote(str(source))).replace("{step}", str(step))
        return self.make(source.with_name(f"{source.name}.{what}"), command)


class Words:
    """What the braces of a command stand for."""

    def __init__(self, files, peers):
        self.files, self.peers = files, peers
        python = shlex.quote(str(peers / "bin" / "python"))
        script = {name: shlex.quote(str(BENCH / name))
                  for name in ("sql.py", "libraries.py", "leaders.py", "redis.sh")}
        self.fixed = {
            "{sql}": f"{python} {script['sql.py']}",
            "{libraries}": f"{python} {script['libraries.py']}",
            "{leaders}": f"{python} {script['leaders.py']}",
            "{redis}": f"sh {script['redis.sh']}",
            "{column}": f"python3 {shlex.quote(str(BENCH / 'peers' / 'column.py'))}",
            "{scratch}": shlex.quote(str(FOLDER / "scratch")),
        }

    def __call__(self, command, kind, n):
        words = dict(self.fixed)
        if "{in}" in command:
            words["{in}"] = shlex.quote(str(self.files.input(kind, n)))
        for what in ("set", "items"):
            if f"{{{what}}}" in command:
                words[f"{{{what}}}"] = shlex.quote(str(self.files.beside(kind, n, what)))
        if "{set_n}" in command:
            with open(self.files.beside(kind, n, "set"), "rb") as file:
                words["{set_n}"] = str(sum(1 for _ in file))
        for word, text in words.items():
            command = command.replace(word, text)
        return command

    def absent(self, peer, env):
        """Why there is no such program, or no engine that a script asks; None if it is here."""
        first = peer.command.split()[0]
        if first in ("{sql}", "{libraries}", "{leaders}"):
            asked = [*shlex.split(self.fixed[first]), peer.command.split()[1]]
            if pathlib.Path(asked[0]).exists() and subprocess.run(
                    asked, env=env, check=False, stderr=subprocess.DEVNULL).returncode == 0:
                return None
            return ABSENT
        who = ("redis-cli", "redis-server") if first == "{redis}" else (peer.who or first,)
        missing = [name for name in who if not shutil.which(name, path=env["PATH"])]
        if not missing:
            return None
        return UNBUILT if (self.peers / f"{missing[0]}.failed").exists() else ABSENT


def run(command, out, times, limit, env):
    """By bash, that often, with the last output in a file; None if that takes too long."""
    to = f" >{shlex.quote(str(out))}" if out else ""
    argv = ["stopwatch", str(times), "bash", "-c", f"set -o pipefail; {{ {command}; }}{to}"]
    process = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, start_new_session=True,
                               stderr=subprocess.DEVNULL)
    try:
        text, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # Whoever is left of this run, and nobody else: it has a session of its own.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    wall, cpu, peak, status = text.split()
    # A program that answers with a no says 1.
    note = f"failed with status {int(status)}" if int(status) > 1 else ""
    return Run(float(wall), float(cpu), int(peak), None, note)


class Store:
    """Runs by question, peer and size, kept as they come. The last of each counts."""

    def __init__(self, path):
        self.path = path
        self.runs = {}
        if path.exists():
            for row in path.read_text(encoding="utf-8").splitlines():
                *key, values = json.loads(row)
                done = Run(*values)
                # What failed is tried again.
                if not done.note.startswith("failed"):
                    self.runs[tuple(key)] = done

    def keep(self, question, peer, n, done):
        self.runs[question, peer, n] = done
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps([question, peer, n, done]) + "\n")
        return done

    def forget(self):
        self.path.unlink(missing_ok=True)
        self.runs = {}

    def get(self, question, peer, n):
        return self.runs.get((question, peer, n))
