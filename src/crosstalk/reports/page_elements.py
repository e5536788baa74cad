"""HTML elements and SVG charts of the report page: no scripts, colours from the page's style.

    element("td", {"class": "number"}, "a < b")  ->  <td class="number">a &lt; b</td>

Children that are not `Markup` are escaped.
"""

from collections import Counter
from collections.abc import Mapping
from html import escape

from crosstalk.evaluation.scores import Rate

Attributes = Mapping[str, str]

BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Unicode marks that change the direction of the text around them."""
_CONTROLS = [code for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"]
_VISIBLE = {code: f"[U+{code:04X}]" for code in (*_CONTROLS, *BIDI, 0x2028, 0x2029)}


class Markup(str):
    """HTML that needs no escaping; only this module makes it."""

    __slots__ = ()


def text(value: str) -> Markup:
    """A text escaped for HTML; control and direction characters are shown as `[U+202E]`."""
    return Markup(escape(value.translate(_VISIBLE), quote=True))


def element(name: str, attributes: Attributes | None = None, *children: str) -> Markup:
    given = "".join(f' {key}="{text(value)}"' for key, value in (attributes or {}).items())
    return Markup(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    return Markup("".join(each if isinstance(each, Markup) else text(each) for each in children))


def isolated(value: str) -> Markup:
    """A text of any direction that does not affect its neighbours (`<bdi>`)."""
    return element("bdi", None, value)


WIDTH = 640
LEFT = 64
RIGHT = 56
ROW = 22
BARS = 140
"""Height of the bars of a histogram."""


def interval_chart(rows: dict[str, Rate | None], label: str) -> Markup:
    """One row per rate: a dot, and a line for its 95 % interval, from 0 to 100 %."""
    marks = [_interval(number, name, rate) for number, (name, rate) in enumerate(rows.items())]
    height = ROW * len(marks) + 24
    grid = [_grid_line(percent, height) for percent in (0, 25, 50, 75, 100)]
    return _figure(height, label, *grid, *marks)


def histogram(counts: Counter[int], label: str) -> Markup:
    """Number of dialogues by number of turns."""
    if not counts:
        return join()
    longest, most = max(counts), max(counts.values())
    step = (WIDTH - LEFT - RIGHT) / max(longest // 2, 1)
    bars = [
        _bar(LEFT + step * (turns // 2 - 1), step, counts[turns], most, f"{turns} turns")
        for turns in range(2, longest + 2, 2)
        if counts[turns]
    ]
    labels = [
        _label(LEFT + step * (turns / 2 - 0.5), BARS + 34, str(turns), "middle")
        for turns in range(2, longest + 1, 4 if longest > 12 else 2)
    ]
    axis = [_label(LEFT - 8, 24, f"{most:,}", "end"), _label(LEFT - 8, BARS + 20, "0", "end")]
    return _figure(BARS + 42, label, *bars, *labels, *axis)


def _figure(height: int, label: str, *children: Markup) -> Markup:
    attributes = {
        "viewBox": f"0 0 {WIDTH} {height}",
        "role": "img",
        "aria-label": label,
        "class": "figure",
    }
    return element("svg", attributes, *children)


def _across(percent: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * percent / 100


def _grid_line(percent: int, height: int) -> Markup:
    x = f"{_across(percent):.1f}"
    line = element("line", {"class": "grid", "x1": x, "x2": x, "y1": "0", "y2": str(height - 20)})
    return join(line, _label(_across(percent), height - 6, f"{percent}", "middle"))


def _interval(number: int, name: str, rate: Rate | None) -> Markup:
    y = ROW * number + ROW / 2
    middle = f"{y:.1f}"
    if rate is None:
        return _label(LEFT - 10, y + 4, name, "end")
    low, high = (f"{_across(end):.1f}" for end in (rate.low, rate.high))
    dot = {"class": "dot", "cx": f"{_across(rate.percent):.1f}", "cy": middle, "r": "4.5"}
    return join(
        _label(LEFT - 10, y + 4, name, "end"),
        element("line", {"class": "span", "x1": low, "x2": high, "y1": middle, "y2": middle}),
        element("circle", dot),
        _label(WIDTH - RIGHT + 12, y + 4, f"{rate.percent:.1f}", "start"),
    )


def _bar(x: float, step: float, count: int, most: int, name: str) -> Markup:
    tall = max(1.0, BARS * count / most)
    place = {
        "class": "bar",
        "x": f"{x + 1:.1f}",
        "y": f"{BARS + 16 - tall:.1f}",
        "width": f"{max(step - 2, 1):.1f}",
        "height": f"{tall:.1f}",
    }
    return element("rect", place, element("title", None, f"{name}: {count:,} dialogues"))


def _label(x: float, y: float, words: str, anchor: str) -> Markup:
    return element("text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, words)


# Thin bars from 0 to 100 %, as wide as their place


def rate_bar(found: Rate | None, kind: str = "rate") -> Markup:
    """A rate, with a line for its 95 % interval; an empty bar if there is none."""
    if found is None:
        return _thin_bar(kind)
    low, wide = found.low, max(found.high - found.low, 0.4)
    span = {"class": "span", "x": f"{low:.1f}", "y": "4", "width": f"{wide:.1f}", "height": "2"}
    return _thin_bar(kind, _part(0, found.percent, "filled"), element("rect", span))


def share_bar(share: float) -> Markup:
    return _thin_bar("share", _part(0, 100 * share, "filled"))


def stacked_bar(counts: Mapping[str, int]) -> Markup:
    """Counts beside each other; the keys are the classes of their parts."""
    total = sum(counts.values()) or 1
    parts, x = [], 0.0
    for kind, count in counts.items():
        parts.append(_part(x, 100 * count / total, kind))
        x += 100 * count / total
    return _thin_bar("strip", *parts)


def _thin_bar(kind: str, *parts: Markup) -> Markup:
    attributes = {
        "class": f"bar {kind}",
        "viewBox": "0 0 100 10",
        "preserveAspectRatio": "none",
        "aria-hidden": "true",
    }
    track = element("rect", {"class": "track", "width": "100", "height": "10"})
    return element("svg", attributes, track, *parts)


def _part(x: float, width: float, kind: str) -> Markup:
    place = {"class": kind, "x": f"{x:.2f}", "width": f"{width:.2f}", "height": "10"}
    return element("rect", place)
