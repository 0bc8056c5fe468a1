#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""Print unicode.h, the classes of characters that tokens.c needs.

    python3 lib/sketch/nearness/unicode.py > lib/sketch/nearness/unicode.h

The tables are part of what a feature is, so they change only with a new
version of the SimHash record: run this by hand, not in a build.
"""

import unicodedata

LAST = 0x10FFFF

# Written without blanks between words: here each character is a word.
# Blocks of Thai, Lao, Myanmar, Khmer, kana and Han.
ALONE = [
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007),
    (0x3021, 0x3029), (0x303B, 0x303B), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F),
]
# Planes of ideographs only, whether assigned yet or not.
IDEOGRAPHS = [(0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]

HEAD = """\
/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_UNICODE_H
#define SKETCH_UNICODE_H

#include <stdint.h>

/*
 * Classes of characters from Unicode %s, written by unicode.py: do not edit.
 * Only tokens.c includes this. Ranges are in order and do not meet. Gaps of
 * unassigned characters inside a script count with their neighbours.
 */

struct unicode_range {
	uint32_t low, high;
};

/* From low to high in this step, a character's simple lower case form lies
 * so many characters away. */
struct unicode_fold {
	uint32_t low, high;
	int32_t step, away;
};
"""


def category(c):
    return unicodedata.category(chr(c))


def is_word(c):
    return category(c)[0] in "LMN"


def is_alone(c):
    if any(low <= c <= high for low, high in IDEOGRAPHS):
        return True
    return is_word(c) and any(low <= c <= high for low, high in ALONE)


def fold(c):
    for text in (chr(c).casefold(), chr(c).lower()):
        if len(text) == 1:
            return ord(text)
    return c


def ranges(test):
    found = []
    for c in range(128, LAST + 1):
        if not test(c):
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def bridged(found):
    """Join ranges that only unassigned characters of one script part."""
    joined = [found[0]]
    for low, high in found[1:]:
        gap = range(joined[-1][1] + 1, low)
        if len(gap) <= 256 and all(category(c) == "Cn" for c in gap):
            joined[-1][1] = high
        else:
            joined.append([low, high])
    return joined


def folds():
    found = []
    for c in range(128, LAST + 1):
        away = fold(c) - c
        if away == 0:
            continue
        if found:
            low, high, step, same = found[-1]
            step = c - high if low == high else step
            if away == same and c - high == step and step <= 2:
                found[-1] = (low, c, step, away)
                continue
        found.append((c, c, 1, away))
    return found


def table(comment, head, rows, per_line):
    print(f"\n/* {comment} */\n{head}[] = {{")
    for i in range(0, len(rows), per_line):
        print("\t" + " ".join(rows[i:i + per_line]))
    print("};")


def main():
    print(HEAD % unicodedata.unidata_version, end="")
    pair = [f"{{0x{a:04x}, 0x{b:04x}}}," for a, b in ranges(is_alone)]
    table("Characters that are words by themselves.",
          "static const struct unicode_range unicode_alone", pair, 4)
    pair = [f"{{0x{a:04x}, 0x{b:04x}}}," for a, b in bridged(ranges(is_word))]
    table("Letters, marks and numbers; those above are looked for first.",
          "static const struct unicode_range unicode_word", pair, 4)
    row = [f"{{0x{a:04x}, 0x{b:04x}, {s}, {d}}}," for a, b, s, d in folds()]
    table("Case folding where one character becomes one character.",
          "static const struct unicode_fold unicode_fold", row, 3)
    pair = [f"{{0x{a:04x}, 0x{b:04x}}}," for a, b in
            ranges(lambda c: category(c) in ("Zs", "Zl", "Zp") or c == 0x85)]
    table("White space above ASCII.",
          "static const struct unicode_range unicode_blank", pair, 4)
    print("\n#endif")


main()
