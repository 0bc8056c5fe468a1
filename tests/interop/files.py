#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Make the files that files/README lists.

usage: files.py FOLDER

Each is made from a golden file: the good ones below, the others by mutate.py.
Prints for each its name, a TAB and the reason that a reader gives, "ok" for
the good ones.
"""
import os
import re
import sys

from mutate import (KEYED, armor, armored, entry, extensions, header, headers, keyed, payloads,
                    with_extension)

HERE = os.path.dirname(os.path.abspath(__file__))

# What stands behind bad- or unsupported- tells of which golden file it is.
GOLDEN = [("bloom-block", "bloom-block-1"), ("bloom-classic", "bloom-classic"),
          ("bloom-counting", "bloom-counting"), ("bloom-scalable", "bloom-scalable"),
          ("hll-redis", "hll-redis"), ("hll-postgres-wide", "hll-postgres-wide"),
          ("hll-postgres-off", "hll-postgres-full"), ("hll-postgres", "hll-postgres"),
          ("hll-datasketches", "hll-datasketches"),
          ("bloom-parquet", "bloom-parquet"), ("bloom-dcso", "bloom-dcso"),
          ("seen-filters", "seen-filters"), ("seen", "seen"), ("cuckoo-full", "cuckoo-victim"), ("cuckoo", "cuckoo"), ("cms-conservative", "cms-conservative"), ("cms", "cms-candidates"),
          ("spacesaving-some", "spacesaving-some"), ("spacesaving", "spacesaving"),
          ("registers", "hll-registers-4"), ("keyed", "hll-keyed")]


def golden(name):
    with open(os.path.join(HERE, "..", "golden", name + ".sk"), "rb") as file:
        return file.read()


def good():
    """What programs may one day write, and what is left of a file by other tools."""
    one, block = golden("hll-example"), golden("bloom-block-1")
    line = armor(with_extension(one, entry(0x8001, b"a\tb")))
    return {
        "good-extension-id": with_extension(one, entry(1, b"shard-1\0shard-2\0")),
        "good-extension-id-longest": with_extension(
            one, entry(1, b" \0" + b"\xff" * 255 + b"\0")),
        "good-extension-alias": with_extension(one, entry(2, b"day 1\0")),
        "good-extension-unknown": with_extension(one, entry(0x7FFF, b"\1\2\3")),
        "good-extension-several": with_extension(
            block, entry(1, b"a\0") + entry(2, b"b\0c\0") + entry(9, b"")),
        "good-extension-large": with_extension(one, entry(3, bytes(range(256)) * 4)),
        "good-extension-key": with_extension(one, entry(0x8001, b"key")),
        "good-flag-unknown": header(one, 14, "H", 0x00F0),
        "good-armor-no-newline": armor(one),
        "good-armor-key-alone": line + b"\n",
        "good-armor-key": b"a\tb\t" + line + b"\n",
        "good-armor-key-empty": b"\t" + armor(with_extension(one, entry(0x8001, b""))) + b"\n",
        "good-mixed": one + armor(block) + b"\n" + block + armor(one),
    }


def mutations(name):
    data = golden(name)
    is_keyed = data[14] | data[15] << 8 & KEYED
    for family in [headers, extensions] + ([keyed] if is_keyed else [payloads, armored]):
        for made, bad, reason in family(data):
            yield made, (bad, reason)


def listed():
    with open(os.path.join(HERE, "files", "README"), encoding="utf-8") as file:
        return re.findall(r"^(\S+)\.sk: ", file.read(), re.M)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(arguments[0], exist_ok=True)
    made, goods = {}, good()
    for name in listed():
        sort, rest = name.split("-", 1)
        if sort == "good":
            data, reason = goods[name], "ok"
        else:
            prefix, source = next(((p, g) for p, g in GOLDEN if rest.startswith(p + "-")),
                                  ("", "hll-example"))
            if source not in made:
                made[source] = dict(mutations(source))
            if prefix != "keyed":
                rest = rest[len(prefix) + 1:] if prefix else rest
            data, reason = made[source][f"{sort}-{rest}"]
        with open(os.path.join(arguments[0], name + ".sk"), "wb") as file:
            file.write(data)
        print(name, reason, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
