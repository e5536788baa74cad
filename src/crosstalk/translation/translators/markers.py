"""Values translated with their utterance: marks around them that a translation carries along.

mark("Two nights from friday", (("hotel-day", "friday"),))  # Two nights from <v1>friday</v1>
"""

import re
from dataclasses import dataclass
from typing import Final

from crosstalk.translation.segments import Pairs, is_label

MARK: Final = re.compile(r"<\s*(/?)\s*[vV]\s*(\d+)\s*>")
_MARKED: Final = re.compile(r"<\s*[vV]\s*(\d+)\s*>(.*?)<\s*/\s*[vV]\s*\1\s*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marked:
    """An utterance with its values marked."""

    text: str
    marks: dict[int, int]
    """Number of a mark to the position of its value."""


def mark(utterance: str, values: Pairs) -> Marked:
    """Each value that stands literally in the utterance, longest first, none inside another."""
    if MARK.search(utterance):  # somebody's own brackets: better no marks than wrong ones
        return Marked(utterance, {})
    order = sorted(range(len(values)), key=lambda number: -len(values[number][1]))
    taken: list[tuple[int, int, int]] = []
    for number in order:
        value = values[number][1]
        if is_label(value):
            continue
        spans = (match.span() for match in _pattern(value).finditer(utterance))
        free = next((span for span in spans if not _overlaps(span, taken)), None)
        if free is not None:
            taken.append((*free, number))
    text, marks, last = "", dict[int, int](), 0
    for count, (start, end, number) in enumerate(sorted(taken), start=1):
        text += f"{utterance[last:start]}<v{count}>{utterance[start:end]}</v{count}>"
        marks[count], last = number, end
    return Marked(text + utterance[last:], marks)


def _pattern(value: str) -> re.Pattern[str]:
    middle = r"\s+".join(map(re.escape, value.split()))
    before = r"(?<!\w)" if value[:1].isascii() else ""
    after = r"(?!\w)" if value[-1:].isascii() else ""
    return re.compile(before + middle + after, re.IGNORECASE)


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end, _ in taken)


def unmark(text: str) -> tuple[str, dict[int, str]]:
    """The text without marks, and what stood between those that came back whole."""
    found = {int(number): MARK.sub("", inner).strip() for number, inner in _MARKED.findall(text)}
    return MARK.sub("", text), {number: inner for number, inner in found.items() if inner}
