# sketchutils: BSD-2-Clause, see LICENSE
"""What the figures were taken on: the machine, and who else was there. No names."""

import os
import platform
import re
import shlex
import subprocess

import measure

# Who, and a command that prints its version somewhere in its first line.
VERSIONS = {
    "GNU sort, uniq, join, wc": "sort --version",
    "grep": "grep --version",
    "mawk": "mawk -W version",
    "gawk": "gawk --version",
    "datamash": "datamash --version",
    "topfew, Go": "go version -m $(command -v topfew) | grep -m 1 timbray/topfew",
    "topfew, Rust": "tf --version",
    "runiq": "runiq --version",
    "huniq": "huniq --version",
    "dsrs": "dsrs --version",
    "qsv": "qsvlite --version",
    "bloom, DCSO": "bloom --version",
    "Redis": "{redis} -version",
    "simhash, Debian": "dpkg-query -W -f '${Version}' simhash",
    "DuckDB": "{sql} duckdb -version",
    "ClickHouse, by chdb": "{sql} clickhouse -version",
    "Apache DataSketches, Python": "{libraries} datasketches -version",
    "datasketch, Python": "{libraries} datasketch -version",
    "rensa, Python": "{python} -c 'from importlib.metadata import version; print(version(\"rensa\"))'",
}


def said(command, env=None):
    done = subprocess.run(["bash", "-c", command], env=env, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines and done.returncode == 0 else ""


def versions(env, peers):
    words = measure.Words(None, peers)
    out = {}
    for name, command in VERSIONS.items():
        for word, text in words.fixed.items():
            command = command.replace(word, text)
        command = command.replace("{python}", shlex.quote(str(peers / "bin" / "python")))
        found = re.search(r"v?(\d+[\w.:+-]*\d\w*(?:-\d\w*)?)", said(command, env))
        out[name] = found[1] if found else "-"
    return out


def describe():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = re.findall(r"model name\s*: (.*)", file.read())
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(re.search(r"MemTotal: *(\d+)", file.read())[1])
    with open("/etc/os-release", encoding="utf-8") as file:
        system = re.search(r'PRETTY_NAME="?([^"\n]*)', file.read())[1]
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": f"{memory / 2 ** 20:.0f} GiB",
        "kernel": re.sub(r"^(\d+\.\d+\.\d+).*", r"\1", platform.release()),
        "system": system,
        "compiler": said("${CC:-cc} --version"),
    }
