"""One form per value: where a corpus translates one value in several ways."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from crosstalk.language.normalize import comparable
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.segments import Segment, is_label, paired


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """One value with several forms, the commonest first, or one that the glossary forbids."""

    slot: str
    value: str
    forms: tuple[tuple[str, int], ...]
    wanted: str
    """The glossary's form, or the commonest."""
    where: tuple[tuple[str, int], ...]
    """Segments that have another form than the wanted one."""

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "slot": self.slot,
            "value": self.value,
            "forms": dict(self.forms),
            "wanted": self.wanted,
            "turns": [list(place) for place in self.where],
        }


def inconsistencies(
    segments: Iterable[Segment], glossary: Glossary | None = None
) -> list[Inconsistency]:
    """The worst first: values by how many segments would have to change."""
    forms: dict[tuple[str, str], Counter[str]] = {}
    places: dict[tuple[str, str], dict[str, list[tuple[str, int]]]] = {}
    for segment in segments:
        for slot, value, form in paired(segment.values, segment.text_values):
            if is_label(value) or not form:
                continue
            key = slot, comparable(value)
            forms.setdefault(key, Counter())[form] += 1
            places.setdefault(key, {}).setdefault(form, []).append(segment.key)
    found = [
        _inconsistency(key, counts, places[key], glossary or Glossary())
        for key, counts in forms.items()
    ]
    return sorted(filter(lambda each: each.where, found), key=lambda each: -len(each.where))


def _inconsistency(
    key: tuple[str, str],
    counts: Counter[str],
    places: dict[str, list[tuple[str, int]]],
    glossary: Glossary,
) -> Inconsistency:
    wanted = glossary.terms.get(key) or counts.most_common(1)[0][0]
    where = [place for form, found in places.items() if form != wanted for place in found]
    return Inconsistency(*key, tuple(counts.most_common()), wanted, tuple(where))
