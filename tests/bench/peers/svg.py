# sketchutils: BSD-2-Clause, see LICENSE
"""A chart of lines as SVG, with nothing but this file.

It is read on white and on black: colours of text, grid and lines are classes, and
the reader's preference chooses. Both axes may be logarithmic. The legend stands on
the right, in the order in which the lines end, so that the eye finds them.
"""

import collections
import html
import math

# kind is line (a measurement, with marks), ours (the same, heavy), theory (dashed,
# without marks), or beside (so, and in the colour of the one before). Points are pairs.
Series = collections.namedtuple("Series", "name points kind", defaults=("line",))

Axis = collections.namedtuple("Axis", "title log unit", defaults=(False, ""))

WIDTH, HEIGHT = 860, 460
LEFT, RIGHT, TOP, BOTTOM = 78, 250, 48, 58

# Eight that colour-blind readers can tell apart, darker and lighter.
LIGHT = ("#0072b2", "#b84c00", "#00805c", "#a03d78", "#7a6a00", "#4b56c2", "#c0271a", "#6b4a2f")
DARK = ("#56b4e9", "#f0994a", "#2fc99a", "#e08fc0", "#e3d44c", "#a3abff", "#ff8b7d", "#c9a98a")

STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #333 }
.title { font-size: 15px; font-weight: 600; fill: #111 }
.small { font-size: 12px }
.back { fill: #fff }
.grid { stroke: #e3e3e3 } .axis { stroke: #777 }
polyline { fill: none !important; stroke-width: 1.6; stroke-linejoin: round }
.ours { stroke-width: 3.2 } .theory { stroke-width: 1.8; stroke-dasharray: 7 4 }
.mark { stroke: none } .plain { stroke: #666; fill: #666 }
%s
@media (prefers-color-scheme: dark) {
text { fill: #ccc } .title { fill: #eee }
.back { fill: #14171a }
.grid { stroke: #2c3136 } .axis { stroke: #8a9096 } .plain { stroke: #999; fill: #999 }
%s
}
</style>"""


def classes(colours):
    return "\n".join(f".c{i} {{ stroke: {c}; fill: {c} }}" for i, c in enumerate(colours))


def short(value):
    """A number for an axis: 0.01, 10, 1k, 10M; never 1e-05 as long as it is not tiny."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:.10f}".rstrip("0").rstrip(".") if 0 < abs(value) < 1e-4 else f"{value:g}"


class Scale:
    """From values to pixels, and where the ticks are."""

    def __init__(self, axis, values, start, end):
        self.axis, self.start, self.end = axis, start, end
        low, high = min(values), max(values)
        if axis.log:
            self.low, self.high = math.log10(low), math.log10(high)
            margin = 0.03 * (self.high - self.low or 1)
            self.low, self.high = self.low - margin, self.high + margin
            self.ticks = self.decades()
        else:
            self.low = min(low, 0)
            step = self.step(high - self.low or 1)
            self.high = step * math.ceil(high / step - 1e-9) or 1
            self.ticks = [self.low + i * step
                          for i in range(round((self.high - self.low) / step) + 1)]

    @staticmethod
    def step(span):
        unit = 10 ** math.floor(math.log10(span))
        return next(unit * m for m in (0.1, 0.2, 0.5, 1, 2) if span / (unit * m) <= 8)

    def decades(self):
        first, last = math.ceil(self.low), math.floor(self.high)
        parts = (1,) if last - first >= 2 else (1, 2, 5) if last - first >= 1 else range(1, 10)
        every = 2 if last - first > 9 else 1
        return [m * 10.0 ** d for d in range(first - 1, last + 1, every) for m in parts
                if self.low <= math.log10(m) + d <= self.high]

    def __call__(self, value):
        at = math.log10(value) if self.axis.log else value
        return self.start + (at - self.low) / (self.high - self.low) * (self.end - self.start)


def mark(shape, x, y, colour):
    """Shapes as well as colours, for those who see few of them."""
    r = 3.6
    at = f'class="mark {colour}"'
    if shape == 0:
        return f'<circle {at} cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>'
    corners = {1: ((-1, -1), (1, -1), (1, 1), (-1, 1)), 2: ((0, -1.3), (1.2, 1), (-1.2, 1)),
               3: ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0))}[shape]
    return (f'<polygon {at} points="'
            + " ".join(f"{x + r * dx:.1f},{y + r * dy:.1f}" for dx, dy in corners) + '"/>')


def frame(title, note, x, y):
    """What stands behind the lines."""
    out = [f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="24">{html.escape(title)}</text>']
    if note:
        out.append(f'<text class="small" x="{LEFT}" y="41">{html.escape(note)}</text>')
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for tick in x.ticks:
        out.append(f'<path class="grid" d="M{x(tick):.1f} {TOP}V{bottom}"/>'
                   f'<text text-anchor="middle" x="{x(tick):.1f}" y="{bottom + 19}">'
                   f"{short(tick)}{x.axis.unit}</text>")
    for tick in y.ticks:
        out.append(f'<path class="grid" d="M{LEFT} {y(tick):.1f}H{right}"/>'
                   f'<text text-anchor="end" x="{LEFT - 7}" y="{y(tick) + 4.5:.1f}">'
                   f"{short(tick)}{y.axis.unit}</text>")
    middle = (TOP + bottom) / 2
    out.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
               f'<text text-anchor="middle" x="{(LEFT + right) / 2}" y="{HEIGHT - 16}">'
               f"{html.escape(x.axis.title)}</text>"
               f'<text text-anchor="middle" transform="translate(20 {middle}) rotate(-90)">'
               f"{html.escape(y.axis.title)}</text>")
    return out


class Look(collections.namedtuple("Look", "series number")):
    """A series, and which of those that have a colour of their own it is."""

    @property
    def colour(self):
        return "plain" if self.series.kind == "theory" else f"c{self.number % len(LIGHT)}"

    def draw(self, points, marked):
        """A polyline through these pixels, and marks at those."""
        kind = {"ours": " ours", "theory": " theory", "beside": " theory"}
        out = [f'<polyline class="{self.colour}{kind.get(self.series.kind, "")}" points="'
               + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>']
        if self.series.kind in ("line", "ours"):
            # A colour that comes again has another shape.
            shape = (self.number + self.number // len(LIGHT)) % 4
            out += [mark(shape, x, y, self.colour) for x, y in marked]
        return out


def looks(series):
    out, number = [], -1
    for one in series:
        number += one.kind in ("line", "ours")
        out.append(Look(one, max(number, 0)))
    return out


def legend(shown):
    """Names on the right, a row each, from the top line to the bottom one."""
    out = []
    left, step = WIDTH - RIGHT + 16, min(21, (HEIGHT - TOP - 20) / max(len(shown), 1))
    for row, look in enumerate(shown):
        at = TOP + 8 + row * step
        out += look.draw([(left, at), (left + 26, at)], [(left + 13, at)])
        weight = ' font-weight="600"' if look.series.kind == "ours" else ""
        out.append(f'<text class="small" x="{left + 33}" y="{at + 4:.1f}"{weight}>'
                   f"{html.escape(look.series.name)}</text>")
    return out


def chart(title, x, y, series, note=""):
    """All of it, as text. A logarithmic axis has no room for zeros: they are left out."""
    def fits(point):
        return ((point[0] > 0 or not x.log) and (point[1] > 0 or not y.log))

    kept = [s._replace(points=sorted(filter(fits, s.points))) for s in series]
    shown = looks([one for one in kept if one.points])
    if not shown:
        return None
    points = [p for look in shown for p in look.series.points]
    across = Scale(x, [a for a, _ in points], LEFT, WIDTH - RIGHT)
    up = Scale(y, [b for _, b in points], HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
           f' width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{html.escape(title)}">',
           STYLE % (classes(LIGHT), classes(DARK)), *frame(title, note, across, up)]
    for look in sorted(shown, key=lambda look: look.series.kind == "ours"):
        at = [(across(a), up(b)) for a, b in look.series.points]
        out += look.draw(at, at)
    out += legend(sorted(shown, key=lambda look: -ending(look.series, x.log, y.log)))
    return "\n".join(out + ["</svg>", ""])


def ending(series, log_x, log_y):
    """How high a line would stand at the right edge, going on as it ended."""
    a, b = series.points[-1]
    at = math.log10(b) if log_y else b
    return at - math.log10(a) if log_x and log_y else at
