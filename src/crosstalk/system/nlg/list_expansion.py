"""Enumerations: a template that lists three values can list any number of them.

`[dishes1], [dishes2] and [dishes3] are good` becomes `[all dishes] are good`.
"""

from collections import Counter
from itertools import pairwise

from crosstalk.system.nlg.templates import ALL, Hole, Template

SHORTEST = 3
"""Values a list must have to show both its commas: of two, only the last comma is seen."""


def stretched(template: Template) -> Template | None:
    """The template with each list made an enumeration; None where a list is not a plain one."""
    counts = Counter(hole.key for hole in template.holes)
    parts = list(template.parts)
    for key, count in counts.items():
        if count == 1:
            continue
        if count < SHORTEST or not _enumerate(parts, key, count):
            return None
    return Template(tuple(parts))


def _enumerate(parts: list[str | Hole], key: str, count: int) -> bool:
    """Put one hole for the whole list of a key in the place of the list; False if it is none."""
    at = [place for place, part in enumerate(parts) if isinstance(part, Hole) and part.key == key]
    commas = [parts[left + 1] for left, right in pairwise(at) if right == left + 2]
    if len(commas) != count - 1 or len(set(commas[:-1])) > 1:
        return False
    first, last = commas[0], commas[-1]
    if not isinstance(first, str) or not isinstance(last, str):
        return False
    parts[at[0] : at[-1] + 1] = [Hole(key, ALL, first, last)]
    return True
