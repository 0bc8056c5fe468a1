#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""A second masker of log lines, written from log-mask(1) with regular expressions.

    mask.py log|typed            <lines: what log-mask --norm prints
    mask.py lines N SEED         N lines of pieces that mean something
"""

import random
import re
import sys

SEPARATORS = rb"\x00-\x20\"'(),:;<=>\[\]{|}"
WORD = re.compile(rb"[^" + SEPARATORS + rb"]+")
OVER = rb"(?=[.!?]*(?:[" + SEPARATORS + rb"]|\Z))"


def pattern(text, **parts):
    """Upper case names in braces are put in from parts; blanks do not count."""
    text = "".join(text.split())
    for name, part in parts.items():
        text = text.replace("{" + name + "}", "(?:" + part + ")")
    return text


def compiled(text):
    return re.compile(text.encode("latin-1"), re.IGNORECASE)


def names(text):
    """Whole, or the first three letters."""
    return "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in text.split())


# Dates and times.
PARTS = {
    "B": r"[\x20\t]+",
    "Y": r"(?:19|20|21)\d\d(?!\d)",
    "M": f"(?:{names('january february march april may june july august september october november december')})(?![a-z])",
    "DAY": f"(?:{names('monday tuesday wednesday thursday friday saturday sunday')})(?![a-z])",
    "NN": r"\d\d?(?!\d)",
    "MM": r"(?:0?[1-9]|1[0-2])(?!\d)",
    "DD": r"(?:0?[1-9]|[12]\d|3[01])(?!\d)",
    "ZONE": "(?:utc|gmt|west?|cest|cet|eest|eet|msk|bst|est|edt|cst|cdt|mst|mdt|pst|pdt|ist|jst|kst|hkt"
            "|aest|aedt)(?![a-z])",
    "HALF": r"[\x20\t]*[ap]m" + OVER.decode("latin-1"),
}
PARTS["LONG"] = r"[+-](?:\d{4}|\d\d?:[0-5]\d)(?!\d)"
PARTS["SHORT"] = pattern(r"{LONG}|[+-]\d\d?(?!\d)", **PARTS)
PARTS["TAIL"] = pattern(r"(?:z|{SHORT}|{B}{LONG}|{B}{ZONE}{SHORT}?)?", **PARTS)
PARTS["YEAR"] = pattern(r"{TAIL}(?:{B}{Y})?", **PARTS)
PARTS["HHMM"] = r"(?:[01]?\d|2[0-4]):[0-5]\d(?!\d)"
PARTS["SECONDS"] = r":(?:[0-5]\d|60)(?!\d)(?::\d\d\d(?!\d)|[.,]\d+)?"
PARTS["TIGHT"] = r"(?:\d{4}(?!\d)|\d{6}(?!\d)|(?:[01]\d|2[0-4])\.[0-5]\d\.(?:[0-5]\d|60)(?!\d))(?:[.,]\d+)?"
PARTS["NUMERIC"] = pattern(r"{Y}(?P<a>[-/.]){MM}(?P=a){DD} | {NN}(?P<b>[-/.])(?:{M}|{DD})(?P=b){Y}", **PARTS)
PARTS["WHOLE"] = pattern(r"(?:{M}{B})?{NUMERIC} | {NN}{B}{M},?{B}{Y} | {M}{B}{NN},?{B}{Y} | {M}{B}{Y}",
                         **PARTS)
PARTS["YEARLESS"] = pattern(r"{NN}{B}{M} | {M}{B}{NN}", **PARTS)
PARTS["BRIEF"] = pattern(r"(?:{M}{B})?{NN}(?P<c>[-/.])(?:{M}|{DD})(?P=c)\d\d(?!\d)"
                         r"| (?!\d{4}0000)(?P<eight>(?:19|20|21)\d{6})(?!\d)", **PARTS)
# Without seconds, and followed by more colons, it is none.
PARTS["CLOCK"] = pattern(r"{HHMM}(?:{SECONDS}|(?!:\d)){HALF}?", **PARTS)
# A year comes behind a time if none stands before it.
AT = r"(?:,{B}|:|{B}){CLOCK}{tail}|[t_-](?:{CLOCK}|{TIGHT}){tail}"
PARTS["AT"] = pattern(AT.replace("{tail}", "{TAIL}"), **PARTS)
PARTS["ATYEAR"] = pattern(AT.replace("{tail}", "{YEAR}"), **PARTS)
TIMES = [compiled(pattern("(?:{DAY},?{B})?(?:" + text + ")", **PARTS) + OVER.decode("latin-1")) for text in (
    "{WHOLE}{AT}", "{WHOLE}", "{YEARLESS}{ATYEAR}", "{YEARLESS}", "{BRIEF}{AT}",
    "{HHMM}{SECONDS}{HALF}?{YEAR}", "{HHMM}{HALF}{YEAR}", "{HHMM}{TAIL}(?<=[a-z])",
    "{HHMM}(?:{SHORT}|{B}{LONG}|{B}{ZONE}{SHORT}?)(?:{B}{Y})?", "{HHMM}{B}{Y}")]

# One word.
NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
UNIT = ("(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|ns|us|ms|s|m|h|d|w|\xc2\xb5s|\xce\xbcs)")
OCTET = r"(?:\d\d?|[01]\d\d|2[0-4]\d|25[0-5])"
IP4 = rf"/?{OCTET}(?:\.{OCTET}){{3}}(?:/\d+)?"
EMAIL = compiled(r"[a-z0-9._%+-]+@(?!\.)[a-z0-9.-]+\.[a-z0-9-]+\Z")
KINDS = [(kind, compiled(f"(?:{text})\\Z")) for kind, text in (
    ("ip", IP4),
    ("num", NUMBER + "%?"),
    ("size", NUMBER + "(?!(?-i:m)\\Z)(?=.)(?:[kmgtpe]i?)?(?:b(?:(?:/|p)s)?)?"),
    ("duration", rf"{NUMBER}{UNIT}(?:\d+(?:\.\d+)?{UNIT})*"),
    ("uuid", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("mac", r"[0-9a-f]{2}(?:(?:-[0-9a-f]{2}){5}|(?:-[0-9a-f]{2}){7})|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}"),
    ("path", r"(?=.*[^/]).*/.*/.*"),
    ("version", r"(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2,})(?:[-+~_].*)?"),
    ("hex", "0x[0-9a-f]+|[0-9a-f]{6,}"),
)]
LETTERS = compiled(r"[a-f]{8,}\Z")
URL = compiled(r"[a-z][a-z0-9+.-]*://[^\x00-\x20\"'<>{|}]+")
WINDOWS = compiled(r"[a-z]:[\\/][^" + SEPARATORS.decode("latin-1") + "]*")
# Groups of hex digits, and what must not follow.
COLONS = compiled(r"(?=[0-9a-f]|::)(?:[0-9a-f]{1,4})?(?:::?[0-9a-f]{1,4})*(?:::)?(?![0-9a-f]|:[0-9a-f:]|(?<=::):)")
BEFORE = compiled(r"(?:(?<![^" + SEPARATORS.decode("latin-1") + r"])[0-9a-f]+:|::)\Z")
STOPS = b".!?"


def with_colons(line, at):
    """An address of either kind at this place: where it ends, and what it is."""
    if at > 0 and (not line[at - 1] in SEPARATED or line[at - 1:at] == b":" and
                   (line[at:at + 1] == b":" or BEFORE.search(line[:at]))):
        return None
    found = COLONS.match(line, at)
    if not found or b":" not in found[0] or found.end() - at < 3:
        return None
    groups = [g for g in found[0].split(b":") if g]
    doubles = found[0].count(b"::")
    over = re.compile(OVER).match(line, found.end())
    if over and not doubles and all(len(g) == 2 for g in groups) and len(groups) >= 6 and \
            len(groups) != 7 and any(c in b"0123456789" for c in found[0]):
        return (found.end(), "mac" if len(groups) <= 8 else "hex") if len(groups) <= 64 else None
    if not groups or not (doubles == 1 and len(groups) <= 7 or doubles == 0 and len(groups) in (7, 8)):
        return None
    word = WORD.match(line, found.end())
    end = found.end()
    if word:
        tail = word[0].rstrip(STOPS)
        end += len(tail)
        if tail and not tail[:1] == b"%" and not re.fullmatch(rb"/\d+", tail) and not KINDS[0][1].match(groups[-1] + tail):
            return None
    if doubles == 0 and len(groups) == 7 and line[found.end():found.end() + 1] != b".":
        return None
    part = found[0] if found[0].endswith(b"::") else line[at:end]
    return (end, "ip") if re.search(rb"\d", part) else None


def url_end(line, at):
    end = re.compile(rb"[^\x00-\x20\"'<>{|}]*").match(line, at).end()
    while end > at and line[end - 1] in STOPS + b",;:)]":
        end -= 1
    return end


def value_at(line, at):
    """The value that begins with the word, or the colons, at this place."""
    found = with_colons(line, at)
    if found:
        return found
    word = WORD.match(line, at)
    if not word or (at > 0 and line[at - 1] not in SEPARATED):
        return None
    url = URL.match(line, at)
    if url and line[word.end():word.end() + 1] == b":":
        end = url_end(line, at)
        if end > at + url[0].index(b"://") + 3:
            return end, "url"
    times = [t.match(line, at) for t in TIMES]
    ends = [t.end() for t in times if t and (not t.groupdict().get("eight") or
                                            19000101 <= int(t["eight"]) <= 21991231)]
    digits = re.compile(rb"[^\d]*").match(line, at).end()
    if ends and not (digits > at and with_colons(line, digits)):
        return max(ends), "time"
    windows = WINDOWS.match(line, at)
    if windows and len(windows[0].rstrip(STOPS)) > 3:
        return at + len(windows[0].rstrip(STOPS)), "path"
    text = word[0].rstrip(STOPS)
    if len(text) > 2 and text[:2] == b"\\\\" and text[2:3] != b"\\":
        return at + len(text), "path"
    if b"?" in text and (text[:1] == b"/" or text.count(b"/") > 1):
        return url_end(line, at), "path"
    if not re.search(rb"\d", text):
        kind = "hex" if LETTERS.match(text) else "email" if EMAIL.match(text) else \
            "path" if text.count(b"/") > 1 and text.strip(b"/") else None
        return (at + len(text), kind) if kind else None
    for kind, form in KINDS:
        if form.match(text):
            end = at + len(text)
            if kind == "ip":
                port = re.compile(rb":\d{1,5}(?!\d)" + OVER).match(line, end)
                end = port.end() if port else end
            return end, kind
    return at + len(text), "email" if EMAIL.match(text) else "id"


SEPARATED = bytes(c for c in range(256) if not WORD.match(bytes([c])))


class Line:
    def __init__(self, line, typed):
        self.line, self.typed = line, typed
        self.out, self.done, self.last = b"", 0, None
        self.closers, self.field = set(), -1

    def put(self, start, end, kind):
        kind = b"<" + kind.encode() + b">" if self.typed else b"<*>"
        gap = self.line[self.done:start]
        if kind != self.last or gap.strip(bytes(range(33)) + b",;:="):
            self.out += gap + kind
        self.last, self.done = kind, end

    def closing(self, at):
        quote = self.line[at:at + 1]
        for i in range(at + 1, len(self.line)):
            if self.line[i:i + 1] == quote and i not in self.closers and \
                    not re.match(rb"[A-Za-z0-9_\x80-\xff]", self.line[i + 1:i + 2]):
                before = self.line[:i]
                if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
                    return i
        return None

    def quoted(self, at):
        """Where to go on behind a quote, or None if it opens nothing to be masked."""
        line = self.line
        if at in self.closers or (at > 0 and line[at - 1] not in SEPARATED):
            return None
        close = self.closing(at)
        if close is None:
            return None
        name = line[close + 1:close + 2] == b":" and line[:at].rstrip(b" ")[-1:] in (b"{", b",")
        field = at == self.field or line[at - 1:at] == b"="
        if name:
            self.field = close + 2 + len(line[close + 2:]) - len(line[close + 2:].lstrip(b" "))
        if name or (field and b" " in line[at:close]):
            self.closers.add(close)
            return None
        self.put(at + 1, close, "str")
        return close + 1

    def masked(self):
        at = 0
        while at < len(self.line):
            if self.line[at:at + 1] in (b'"', b"'"):
                behind = self.quoted(at)
                at = at + 1 if behind is None else behind
                continue
            value = value_at(self.line, at)
            if value:
                self.put(at, *value)
                at = value[0]
            else:
                at += 1
        return self.out + self.line[self.done:]


PIECES = [p.encode("latin-1") for p in """ | |  |\t|, |: |:|=|;|(|)|[|]|{|}|"|"|'|'|\\|\\"|/|/|//|.|.|?|!|-|@|%|#
|user|Failed|a|x|deadbeef|facade|may|Jan|fri|Friday|PM|am|UTC|Z|T|http://|s3://|C:\\|::|de:ad|0x|\xc3\xa9|\xff|_
|5|0|12|03:04|03:04:05|2026|2026-01-02|02/Jan/2026|20260102|10.0.0.1|fe80::1|00:1a:2b:3c:4d:5e|1.2.3|12ms|10KB
|/usr/lib/x|+0100|eth0|a@b.c|"name":|{"k":"v w"}|m="a b"|'q'|Jan  2|2 Jan|-3|5%|v1.2|\\\\host\\x|/f?a=b|<|>
|Mon Nov 30 17:12:45 UTC 2026|Fri, 02 Jan 2026 03:04:05 GMT|2026-01-02T03:04:05.678Z|1/2/2026, 3:04 PM|x.|,"""
          .replace("\n", "").split("|")] + [b"|", b" "] * 4


def main():
    if sys.argv[1] == "lines":
        draw = random.Random(int(sys.argv[3]))
        for _ in range(int(sys.argv[2])):
            words = [PIECES[draw.randrange(len(PIECES))] for _ in range(draw.randrange(24))]
            glue = b" " if draw.randrange(2) else b""
            sys.stdout.buffer.write(glue.join(words) + b"\n")
        return
    for line in sys.stdin.buffer:
        line = line.removesuffix(b"\n")
        sys.stdout.buffer.write(Line(line, sys.argv[1] == "typed").masked() + b"\n")


if __name__ == "__main__":
    main()
