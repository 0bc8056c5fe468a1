#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""run.py [--smoke] [--runs N] [--only WORD] [--list]: how fast, beside what.

Each row times our program with one and with two threads and a peer that does
the same work, or the least anybody could do, in turns, on inputs made by seed:
LC_ALL=C, warm cache, output to /dev/null. Shown are ratios to the peer of the
same row: of the medians and of the minima of wall time, of the medians of
processor time, and the peak memory of our process. A limit stands behind its
figure; what is above it by less than a tenth is "near", above that "over".

--smoke: small inputs and two runs, to see that every row works; its ratios
mean nothing. The status is 1 if a command failed, not if one was slow.
"""

import argparse
import collections
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys

Row = collections.namedtuple("Row", "work ours peer one two unit", defaults=(None, None, "wall"))

# work, our command, the peer's, limit at -j1, limit at -j2, what is compared.
# {j} is the number of threads; a row without it is measured once. {ids} and
# the like are the inputs; see INPUTS and MADE. Limits are those of the design.
ROWS = [
    Row("hll-count ids", "hll-count -j{j} {ids}", "wc -l {ids}", 3.4, 2.0),
    Row("hll-count log, whole line", "hll-count -j{j} {log}", "wc -l {log}", 1.6, 0.95),
    Row("hll-count -f 7 log", "hll-count -j{j} -f 7 {log}", "wc -l {log}", 1.3),
    Row("cat ids | hll-count", "cat {ids} | hll-count", "cat {ids} | wc -l", 0.85),
    Row("cat urls | hll-count", "cat {urls} | hll-count", "cat {urls} | wc -l", 0.55),
    Row("cat log | hll-count", "cat {log} | hll-count", "cat {log} | wc -l", 0.5),
    Row("hll-count ids", "hll-count -j{j} {ids}", "sort -u {ids} | wc -l", 1 / 80, 1 / 140),
    Row("hll-count --by 7 -f 1 log", "hll-count -j{j} --by 7 -f 1 {log}",
        "mawk '!s[$7, $1]++ {{ n[$7]++ }} END {{ for (k in n) print n[k], k }}' {log}",
        1 / 20, 1 / 30),
    Row("hll-count --by 7 -f 1 log", "hll-count -j{j} --by 7 -f 1 {log}",
        "datamash -W -s -g 7 countunique 1 <{log}"),
    *(Row("hll-count --by 7 -f 1 log", "hll-count -j{j} --by 7 -f 1 {log}",
          f"{{python}} {{sql}} {engine} keys {{log}}")
      for engine in ("duckdb", "duckdb-approx", "clickhouse", "clickhouse-approx")),
    Row("hll-count -s, a year of days", "hll-count -s {year}", "cat {year}", 5),
    Row("sketch-merge, a year of days", "sketch-merge {year}", "cat {year}", 5),
    *(Row(f"hll-build --compat {system} ids", f"hll-build -j{{j}} --compat {system} {{ids}}",
          "hll-build -j{j} {ids}", 1.5, 1.5) for system in ("redis", "postgres", "datasketches")),
    Row("hll-count --key-file ids", "hll-count -j{j} --key-file {key} {ids}", "hll-count -j1 {ids}",
        2.1, 2.1, "cpu"),
    Row("hll-count --key-file log", "hll-count -j{j} --key-file {key} {log}", "hll-count -j1 {log}",
        1.5, 1.5, "cpu"),
    Row("hll-count --tumble 1h log", "hll-count -j{j} --tumble 1h --time-field 4,5 -f 1 {log}",
        "hll-count -j{j} -f 1 {log}"),
    Row("hll-count --tumble 1h log", "hll-count -j{j} --tumble 1h --time-field 4,5 -f 1 {log}",
        "mawk '{{ h = substr($4, 2, 14) }} !s[h, $1]++ {{ n[h]++ }} END {{ for (h in n) print h, n[h] }}' {log}"),
    Row("hll-count --window 1d --every 5m log",
        "hll-count -j{j} --window 1d --every 5m --time-field 4,5 -f 1 {log}",
        "hll-count -j{j} -f 1 {log}"),
    Row("bloom-build urls, 1 %", "bloom-build -j{j} -n {urls_n} -p 1% {urls}",
        "wc -l {urls}", 2.8, 1.7),
    Row("bloom-build urls, counted first", "bloom-build -j{j} {urls}", "wc -l {urls}"),
    *(Row(f"bloom-build urls, {kind}", f"bloom-build -j{{j}} --type {kind} {{urls}}", peer)
      for kind in ("counting", "scalable")
      for peer in ("wc -l {urls}", "sort -u {urls}", "mawk '!s[$0]++' {urls}")),
    *(Row("bloom-build different urls, cuckoo",
          "bloom-build -j{j} --type cuckoo -n {urls_n} {different}", peer)
      for peer in ("wc -l {different}", "sort -u {different}", "mawk '!s[$0]++' {different}")),
    Row("bloom-build --by 7 -f 1 log", "bloom-build -j{j} --by 7 -f 1 {log}",
        "mawk '!s[$7, $1]++ {{ n[$7]++ }} END {{ for (k in n) print n[k], k }}' {log}"),
    Row("bloom-build ids, 1.2 GB", "bloom-build -j{j} -n {big_n} -p 1% {ids}",
        "touches {big_bytes} {ids_n}", 1.7, 1.25),
    Row("bloom-query -c urls", "bloom-query -c -j{j} {half_filter} {urls}",
        "wc -l {urls}", 2.6, 1.5),
    Row("bloom-query urls, half written", "bloom-query -j{j} {half_filter} {urls}",
        "wc -l {urls}", 3.0),
    Row("bloom-query -c urls", "bloom-query -c -j{j} {half_filter} {urls}",
        "grep -Fxc -f {patterns} {urls}"),
    *(Row(f"bloom-query -c urls, {kind}", f"bloom-query -c -j{{j}} {{half_{kind}}} {{urls}}",
          "wc -l {urls}") for kind in ("classic", "counting", "scalable", "cuckoo")),
    Row("bloom-query 1.2 GB, one line", "bloom-query {big_filter} {one}", "true", 3.0),
    *(Row("bloom-query --add -c urls",
          'bash -c "cp {empty_filter} {scratch}; bloom-query --add -c -j{j} {scratch} {urls}"',
          peer, limit, unit="cpu")
      for peer, limit in (("mawk '!s[$0]++' {urls}", 1 / 3), ("wc -l {urls}", None))),
    Row("bloom-uniq urls", "bloom-uniq -j{j} {urls}", "mawk '!s[$0]++' {urls}", 1 / 30, 1 / 55),
    Row("bloom-uniq urls", "bloom-uniq -j{j} {urls}", "wc -l {urls}", 9, 5),
    *(Row("bloom-uniq urls", "bloom-uniq -j{j} {urls}", peer, 1 / 3, unit="cpu")
      for peer in ("sort -u {urls}", "runiq {urls}", "huniq <{urls}")),
    Row("bloom-uniq urls, a filter of 32 MiB", "bloom-uniq -M 32M -j{j} {urls}", "wc -l {urls}"),
    Row("bloom-uniq --repeated urls", "bloom-uniq --repeated -j{j} {urls}", "wc -l {urls}"),
    Row("bloom-uniq --exact urls, in 64 MiB", "bloom-uniq --exact -M 64M -j{j} {urls}",
        "wc -l {urls}"),
    *(Row("cms-limit --limit 10 -f 1 log", "cms-limit -j{j} --limit 10 -f 1 {log}", peer, *limits)
      for peer, limits in (("mawk 'c[$1]++ < 10' {log}", (1 / 6, 1 / 10)), ("wc -l {log}", ()))),
    Row("cms-limit --limit 1 urls", "cms-limit -j{j} --limit 1 {urls}",
        "mawk 'c[$0]++ < 1' {urls}", 1 / 10, 1 / 13),
    Row("cms-limit --limit 1 urls, 32 MiB", "cms-limit -M 32M -j{j} --limit 1 {urls}",
        "mawk 'c[$0]++ < 1' {urls}"),
    Row("cms-limit -W 10 -f 1 log", "cms-limit -j{j} --limit 1M -W 10 -f 1 {log}",
        "mawk 's[$1] + $10 <= 1e6 {{ s[$1] += $10; print }}' {log}", 1 / 6),
    Row("cms-limit --tumble 1h log", "cms-limit -j{j} --limit 10 --tumble 1h --time-field 4,5 -f 1 {log}",
        "mawk 'c[substr($4, 2, 14), $1]++ < 10' {log}", 1 / 5),
    Row("cms-limit --window 1h log", "cms-limit -j{j} --limit 10 --window 1h --time-field 4,5 -f 1 {log}",
        "wc -l {log}"),
    *(Row(f"bloom-remove -c urls, {kind}",
          f'bash -c "cp {{full_{kind}}} {{scratch}}; bloom-remove -c -j{{j}} {{scratch}} {{half}}"',
          peer, limit, unit="cpu")
      for kind in ("counting", "cuckoo")
      for peer, limit in (("grep -Fxvc -f {patterns} {half}", 1 / 3), ("wc -l {half}", None))),
    Row("bloom-build --compat dcso urls", "bloom-build -j{j} --compat dcso -n {urls_n} {urls}",
        "bloom create -n {urls_n} -p 0.01 {scratch} <{urls}", 1 / 3, unit="cpu"),
    Row("bloom-build --compat parquet urls", "bloom-build -j{j} --compat parquet -n {urls_n} {urls}",
        "wc -l {urls}"),
    Row("bloom-query --from dcso -c urls", "bloom-query -c -j{j} --from dcso {half_dcso} {urls}",
        "bloom check {half_dcso} <{urls}", 1 / 3, unit="cpu"),
    Row("sketch-merge, 2 x 132 MB", "sketch-merge {filter_a} {filter_b}",
        "cat {filter_a} {filter_b}", unit="cpu"),
    Row("sketch-compare, 2 x 132 MB", "sketch-compare {filter_a} {filter_b}",
        "cat {filter_a} {filter_b}", unit="cpu"),
    Row("sketch-compare, 2 x 12 KiB", "sketch-compare {hll_a} {hll_b}", "true", 2),
    Row("cms-topk -f 1 log", "cms-topk -j{j} -f 1 {log}", "wc -l {log}", 3.0, 2.5),
    Row("cms-topk -f 1 log", "cms-topk -j{j} -f 1 {log}",
        "mawk '{{ n[$1]++ }} END {{ for (k in n) print n[k], k }}' {log} | sort -rn | sed -n 1,10p"),
    Row("cms-topk -f 1 log", "cms-topk -j{j} -f 1 {log}", "topfew -f 1 {log}"),
    *(Row(f"cms-topk -f 7 -W 10{also} log", f"cms-topk -j{{j}} -f 7 -W 10{also} {{log}}",
          f"mawk '{{{{ {adds} }}}} END {{{{ for (k in s) print {prints}, k }}}}' {{log}} |"
          " sort -rn | sed -n 1,10p")
      for also, adds, prints in (
          ("", "s[$7] += $10", "s[k]"),
          (" --also count,mean", "s[$7] += $10; n[$7]++", "s[k], n[k], s[k] / n[k]"))),
    *(Row(f"cms-topk {steps} log", f"cms-topk -j{{j}} {steps} --time-field 4,5 -f 1 {{log}}",
          "cms-topk -j{j} -f 1 {log}") for steps in ("--tumble 1h", "--window 1d --every 5m")),
    Row("cms-topk ids, 64 MiB", "cms-topk -j{j} -M 64M {ids}",
        "sort {ids} | uniq -c | sort -rn", 1 / 17, 1 / 20),
    Row("cms-topk ids, 64 MiB", "cms-topk -j{j} -M 64M {ids}", "wc -l {ids}", 26),
    Row("cms-topk ids, 64 MiB", "cms-topk -j{j} -M 64M {ids}",
        "qsv frequency --no-headers -l 10 {ids}"),
    Row("cms-build -f 1 log", "cms-build -j{j} -f 1 {log}", "wc -l {log}"),
    Row("cms-build -f 1 log, spacesaving", "cms-build -j{j} --type spacesaving -f 1 {log}",
        "cms-topk -j{j} -f 1 {log}"),
    Row("cms-build -f 1 log, conservative", "cms-build -j{j} --conservative -f 1 {log}",
        "cms-build -j{j} -f 1 {log}"),
    Row("cms-query --where '>=100' -f 1 log", "cms-query -j{j} --where '>=100' -f 1 {log_cms} {log}",
        "mawk 'NR == FNR {{ n[$2] = $1; next }} n[$1] >= 100' {log_counts} {log}"),
    Row("cms-query --where '>=100' -f 1 log", "cms-query -j{j} --where '>=100' -f 1 {log_cms} {log}",
        "wc -l {log}"),
    *(Row(f"{kind}-quantile nums", f"{kind}-quantile -j{{j}} {{nums}}", peer, limit)
      for kind, limit in (("hdr", 1 / 40), ("tdigest", 1 / 15))
      for peer, limit in (("datamash perc:99 1 <{nums}", limit), ("wc -l {nums}", None),
                          ("sort -n {nums} | mawk '{{ v[NR] = $1 }}"
                           " END {{ print v[int(NR * 0.99)] }}'", None),
                          ("qsv stats --quartiles --no-headers {nums}", None))),
    Row("hdr-build nums", "hdr-build -j{j} {nums}", "wc -l {nums}"),
    *(Row(f"{kind}-quantile --by 7 -f 10 log", f"{kind}-quantile -j{{j}} --by 7 -f 10 -Q p99 {{log}}",
          "datamash -W -s -g 7 perc:99 10 <{log}") for kind in ("hdr", "tdigest")),
    Row("simhash-dedup docs, distance 6",
        "simhash-dedup -j{j} --features word:3 --distance 6 {docs}",
        "env LC_ALL=C.UTF-8 wc -w {docs}", 0.45, unit="cpu"),
    Row("simhash-dedup docs, distance 10",
        "simhash-dedup -j{j} --features word:3 --distance 10 {docs}",
        "env LC_ALL=C.UTF-8 wc -w {docs}", 0.75, unit="cpu"),
    Row("minhash-build ids", "minhash-build -j{j} {ids}", "wc -l {ids}"),
    Row("minhash-build docs", "minhash-build -j{j} --features word:3 {docs}",
        "env LC_ALL=C.UTF-8 wc -w {docs}", unit="cpu"),
    Row("minhash-build --by 7 -f 1 log", "minhash-build -j{j} --by 7 -f 1 {log}",
        "hll-build -j{j} --by 7 -f 1 {log}", unit="cpu"),
    Row("minhash-dedup docs", "minhash-dedup -j{j} {docs}",
        "env LC_ALL=C.UTF-8 wc -w {docs}", unit="cpu"),
    *(Row("minhash-dedup families", "minhash-dedup -j{j} --similarity 0.6 {families}", peer, unit="cpu")
      for peer in ("wc -w {families}", "{python} {leaders} datasketch 2 0.6 {families}",
                   "{python} {leaders} rensa 2 0.6 {families}")),
    # Lines of 217 bytes, 2 million a second; and half a million of those where 1 in
    # 20 is not equal to another when it is masked.
    *(Row(f"{program} --norm log {lines}", f"{program} -j{{j}} --norm log <{{{lines}}} 2>/dev/null",
          "wc -w {" + lines + "}", limit, unit="cpu")
      for program in ("simhash-dedup", "minhash-dedup")
      for lines, limit in (("mill", 0.4), ("plain", 1.55))),
    *(Row("simhash-dedup --norm log mill", "simhash-dedup -j{j} --norm log {mill}", peer)
      for peer in ("mawk '!s[$0]++' {mill}", "sort -u {mill}")),
    # Twice as many.
    *(Row(f"{program}, a crowd", f"{program} -c <{{crowd}} 2>/dev/null",
          f"{program} -c <{{half_crowd}} 2>/dev/null", 2.3, unit="cpu")
      for program in ("simhash-dedup", "minhash-dedup")),
    Row("simhash-sign docs", "simhash-sign -j{j} {docs}",
        "env LC_ALL=C.UTF-8 wc -w {docs}", unit="cpu"),
    *(Row("log-mask log", "log-mask -j{j} {log}", peer, limit, unit="cpu")
      for peer, limit in (("wc -w {log}", 0.5), ("sed -E 's/[0-9]+/#/g' {log}", None))),
    Row("log-mask --norm typed log", "log-mask -j{j} --norm typed {log}", "wc -w {log}", unit="cpu"),
    Row("log-mask --norm digits log", "log-mask -j{j} --norm digits {log}",
        "sed -E 's/[0-9]+/#/g' {log}", unit="cpu"),
    *(Row(f"start of {tool}", command, "true", 1.5) for tool, command in (
        ("hll-count", "hll-count {none}"), ("bloom-build", "bloom-build -n 1 {none}"),
        ("bloom-query", "bloom-query {small_filter} {none}"),
        ("bloom-uniq", "bloom-uniq {none}"), ("cms-limit", "cms-limit --limit 1 {none}"),
        ("cms-topk", "cms-topk {none}"), ("hdr-quantile", "hdr-quantile {none}"),
        ("tdigest-quantile", "tdigest-quantile {none}"), ("simhash-dedup", "simhash-dedup {none}"),
        ("minhash-dedup", "minhash-dedup {none}"), ("log-mask", "log-mask {none}"),
        ("sketch-info", "sketch-info {small_sketch}"))),
]

# Lines: for the real thing, and for --smoke.
INPUTS = {
    "ids": (30_000_000, 30_000), "urls": (10_000_000, 10_000), "log": (3_000_000, 3_000),
    "docs": (60_000, 600), "nums": (20_000_000, 20_000),
    "mill": (1_000_000, 1_000), "plain": (1_000_000, 1_000), "families": (20_000, 600),
    "crowd": (200_000, 1_000),
}

# Of these corpus knows what is alike.
CORPORA = {
    "mill": "mill {} 1 /dev/null", "plain": "mill {} 1 /dev/null 10",
    "families": "families {} 1 /dev/null", "crowd": "crowd {} 1 /dev/null",
}

# Other files, each made by a command from those.
MADE = {
    "none": "true",
    "small_sketch": "printf 'a\\n' | hll-build",
    "small_filter": "printf 'a\\n' | bloom-build",
    "half_filter": "grep 'shop/[0-7]' {urls} | bloom-build -n {urls_n} -p 1%",
    **{f"half_{kind}": f"grep 'shop/[0-7]' {{urls}} | bloom-build --type {kind}"
       for kind in ("classic", "counting", "scalable", "cuckoo")},
    "half_dcso": "grep 'shop/[0-7]' {urls} | bloom-build --compat dcso -n {urls_n} |"
                 " sketch-convert --to dcso",
    "one": "echo a",
    "key": "echo 000102030405060708090a0b0c0d0e0f",
    "scratch": "true",
    "big_filter": "bloom-build -n {big_n} -p 1% {one}",
    "empty_filter": "bloom-build -n {urls_n} -p 1% {none}",
    "half_crowd": "head -n $(($(wc -l <{crowd}) / 2)) {crowd}",
    "half": "bloom-uniq {urls} | grep 'shop/[0-7]'",
    **{f"full_{kind}": f"bloom-build --type {kind} -n {{urls_n}} {{half}}"
       for kind in ("counting", "cuckoo")},
    "different": "bloom-uniq {urls}",
    # Sized for ten times as many.
    "filter_a": "bloom-build -n {urls_n}0 {urls}",
    "filter_b": "bloom-build -n {urls_n}0 {ids}",
    "hll_a": "hll-build {urls}",
    "hll_b": "hll-build {ids}",
    "log_cms": "cms-build -f 1 {log}",
    "log_counts": "cut -d ' ' -f 1 {log} | sort | uniq -c",
    "patterns": "grep 'shop/[0-7]' {urls} | head -n 100000",
}

# And folders of files, made by a command within.
FOLDERS = {
    "year": "split -n l/365 -a 3 --filter='hll-build >\"$FILE\"' {urls} day",
}

TOP = pathlib.Path(__file__).parents[2]
FOLDER = TOP / "build" / "bench"
# Other programs' engines, that are asked by the words SCRIPT ENGINE.
SQL = TOP / "tests" / "bench" / "sql.py"
LEADERS = TOP / "tests" / "bench" / "leaders.py"
ENVIRONMENT = dict(os.environ, LC_ALL="C",
                   PATH=f"{TOP}/build/bin:{TOP}/build:{os.environ['PATH']}")

Sample = collections.namedtuple("Sample", "wall cpu peak")


def make(path, command):
    """The output of a command as a file, whole or not at all."""
    if not path.exists():
        print(f"making {path.name}", file=sys.stderr)
        new = path.with_name(path.name + ".new")
        with open(new, "wb") as out:
            subprocess.run(["bash", "-c", "set -o pipefail; " + command], stdout=out,
                           env=ENVIRONMENT, check=True)
        new.rename(path)


def make_folder(path, command):
    """A folder of what a command makes in it, whole or not at all."""
    if not path.exists():
        print(f"making {path.name}", file=sys.stderr)
        new = path.with_name(path.name + ".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        subprocess.run(["bash", "-c", command], cwd=new, env=ENVIRONMENT, check=True)
        new.rename(path)
    return shlex.join(str(file) for file in sorted(path.iterdir()))


def words(smoke):
    """What the braces in a command stand for; files are made when asked for."""
    class Words(dict):
        def __missing__(self, name):
            if name.endswith("_n"):
                return INPUTS[name[:-2]][smoke]
            if name in INPUTS:
                lines = INPUTS[name][smoke]
                path = FOLDER / f"{name}-{lines}"
                if name in CORPORA:
                    make(path, "corpus " + CORPORA[name].format(lines))
                else:
                    make(path, f"logmaker {name} {lines}")
            else:
                path = FOLDER / (name + (".smoke" if smoke else ""))
                if name in FOLDERS:
                    self[name] = make_folder(path, FOLDERS[name].format_map(self))
                    return self[name]
                make(path, MADE[name].format_map(self))
            self[name] = shlex.quote(str(path))
            return self[name]

    big = 1_000_000 if smoke else 1_000_000_000
    return Words(big_n=big, big_bytes=big * 6 // 5,
                 sql=shlex.quote(str(SQL)), leaders=shlex.quote(str(LEADERS)),
                 python=shlex.quote(str(TOP / "build" / "peers" / "bin" / "python")))


def arguments(command):
    """A pipeline needs a shell; alone, a program is timed without one."""
    if set(command) & set("|<"):
        return ["bash", "-c", "set -o pipefail; " + command]
    return shlex.split(command)


def measure(argv, times):
    """Run it that often; the time of one run, and the peak of them."""
    done = subprocess.run(["stopwatch", str(times), *argv], env=ENVIRONMENT,
                          stdout=subprocess.PIPE, check=True)
    wall, cpu, peak, status = done.stdout.split()
    if int(status) > 1:
        sys.exit(f"run.py: {shlex.join(argv)}: status {int(status)}")
    return Sample(float(wall), float(cpu), int(peak))


def engine(argv):
    """Whom the command is about: the engine that a script asks, or a program."""
    return argv[2] if argv[1:] and argv[1] in (str(SQL), str(LEADERS)) else argv[0]


def is_here(argv):
    """Is there such a program, and if that is a script, the engine it is to ask?"""
    if not shutil.which(argv[0], path=ENVIRONMENT["PATH"]):
        return False
    return engine(argv) == argv[0] or subprocess.run(argv[:3], check=False,
                                                     stderr=subprocess.DEVNULL).returncode == 0


def ratio(value):
    return f"1/{1 / value:.0f}" if value < 0.1 else f"{value:.2f}x"


def verdict(value, limit):
    if limit is None:
        return ""
    word = "" if value <= limit else "  near" if value <= 1.1 * limit else "  OVER"
    return f" <= {ratio(limit)}{word}"


def compare(row, runs, known):
    # A peer of ours has one thread, whatever the row before had.
    known["j"] = 1
    peer_command = row.peer.format_map(known)
    peer = shlex.split(peer_command)
    if not is_here(peer):
        print(f"{row.work:32} {engine(peer)} is not here")
        return
    # What takes milliseconds.
    times = 50 if row.peer in ("true", "cat {year}") else 1
    threads = (1, 2) if "{j}" in row.ours else (1,)
    commands = []
    for known["j"] in threads:
        commands.append(arguments(row.ours.format_map(known)))
    commands.append(arguments(peer_command))
    for argv in commands:
        measure(argv, 1)
    taken = [[] for _ in commands]
    for _ in range(runs):
        for argv, samples in zip(commands, taken):
            samples.append(measure(argv, times))

    middle = [Sample(*map(statistics.median, zip(*samples))) for samples in taken]
    least = [Sample(*map(min, zip(*samples))) for samples in taken]
    for j, limit, ours, fastest in zip(threads, (row.one, row.two), middle, least):
        wall, cpu = ours.wall / middle[-1].wall, ours.cpu / max(middle[-1].cpu, 1e-6)
        held = cpu if row.unit == "cpu" else wall
        print(f"{row.work:32} -j{j} {ratio(wall):>8} {ratio(fastest.wall / least[-1].wall):>8} "
              f"{ratio(cpu):>8} {ours.peak / 1024:7.1f} MiB  {row.unit}{verdict(held, limit)}")
    print(f"{'':32} beside {middle[-1].wall:.3f} s, {middle[-1].peak / 1024:.1f} MiB: "
          f"{row.peer.replace('{{', '{').replace('}}', '}')}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="ratios beside other programs")
    parser.add_argument("--smoke", action="store_true", help="small inputs, two runs")
    parser.add_argument("--runs", type=int, help="of each command; 7")
    parser.add_argument("--only", default="", metavar="WORD", help="rows with this in them")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    asked = parser.parse_args()
    rows = [row for row in ROWS if asked.only in row.work or asked.only in row.ours]
    if asked.smoke:
        rows = [row._replace(one=None, two=None) for row in rows]
    if asked.list:
        print(*(row.work for row in rows), sep="\n")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    known = words(asked.smoke)
    print(f"{'work':32} {'':3} {'wall':>8} {'least':>8} {'cpu':>8} {'peak':>11}")
    for row in rows:
        compare(row, asked.runs or (2 if asked.smoke else 7), known)


main()
