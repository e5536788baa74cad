"""The glossary: one translation per value, by slot or for all slots; and values that have several.

    glossary = read_glossary(Path("glossary.json"))
    glossary.translate("train-day", "friday")
    inconsistencies(segments, glossary)

A file is JSON, `{"train-day": {"friday": "пятница"}, "": {"centre": "центр"}}` (an empty slot is
every slot), or CSV or TSV with the columns source, target and, if wanted, slot.
"""

import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import csv_rows, read_json, read_text, writing
from crosstalk.language.normalize import comparable
from crosstalk.translation.translation_segments import Segment, is_label, paired

ANY: Final = ""
SHOWN: Final = 5
Terms = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Glossary:
    """(slot or ANY, normalised source value) -> its one form in the target language."""

    terms: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.terms)

    def translate(self, slot: str, value: str) -> str | None:
        """The slot's own form, or the one for all slots, or one that all slots share."""
        source = comparable(value)
        own = self.terms.get((slot, source)) or self.terms.get((ANY, source))
        if own is not None:
            return own
        return self.phrases.get(source)

    @cached_property
    def phrases(self) -> Mapping[str, str]:
        """Source -> form, of sources that have the same form in all slots; usable in sentences."""
        forms: dict[str, set[str]] = {}
        for (_, source), form in self.terms.items():
            forms.setdefault(source, set()).add(form)
        return {source: found.pop() for source, found in forms.items() if len(found) == 1}

    def with_terms(self, terms: Mapping[tuple[str, str], str]) -> "Glossary":
        return Glossary({**self.terms, **terms})


def glossary_of(segments: Iterable[Segment]) -> Glossary:
    """The most frequent form of each value, edited where there is an edit, else the machine's."""
    forms: dict[tuple[str, str], Counter[str]] = {}
    for segment in segments:
        for slot, value, form in paired(segment.values, segment.text_values):
            if form and not is_label(value):
                forms.setdefault((slot, comparable(value)), Counter())[form] += 1
    return Glossary({key: counts.most_common(1)[0][0] for key, counts in forms.items()})


def read_glossary(path: Path) -> Glossary:
    """All terms; raises FormatError where a source has two forms, naming both."""
    table = path.suffix.lower() in (".csv", ".tsv", ".txt")
    rows = table_rows(path) if table else _json_rows(path)
    terms: Terms = {}
    first: dict[tuple[str, str], str] = {}
    problems = []
    for place, slot, source, target in rows:
        key = (slot, comparable(source))
        if terms.setdefault(key, target) != target:
            problems.append(
                f"{source!r}{f' of {slot}' if slot else ''} is {terms[key]!r} ({first[key]}) "
                f"and {target!r} ({place})"
            )
        first.setdefault(key, place)
    if problems:
        more = f"\n... and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise FormatError(
            "the glossary contradicts itself: " + "\n".join(problems[:SHOWN]) + more,
            place=Place(str(path)),
            remedy="Keep one form of each, or say for which slot each of them is.",
        )
    return Glossary(terms)


def write_glossary(glossary: Glossary, path: Path) -> None:
    slots: dict[str, dict[str, str]] = {}
    for (slot, source), form in sorted(glossary.terms.items()):
        slots.setdefault(slot, {})[source] = form
    with writing(path) as file:
        json.dump(slots, file, ensure_ascii=False, indent=1)
        file.write("\n")


Row = tuple[str, str, str, str]


def _json_rows(path: Path) -> list[Row]:
    raw = read_json(path)
    try:
        slots = json_types.members(raw)
        if slots and all(isinstance(value, str) for value in slots.values()):
            slots = {ANY: slots}
        return [
            (f"{slot}.{source}" if slot else source, slot, source, _form(form, slot, source))
            for slot, terms in slots.items()
            for source, form in json_types.members(terms, slot).items()
        ]
    except json_types.Unexpected as error:
        place = Place(str(path), field=error.field)
        remedy = 'Write {"slot": {"source": "target"}}, or {"source": "target"} for all slots.'
        raise FormatError(error.message, place=place, remedy=remedy) from error


def _form(form: Any, slot: str, source: str) -> str:
    found = json_types.text(form, f"{slot}.{source}")
    if not found.strip():
        raise json_types.Unexpected("the form is empty", field=f"{slot}.{source}")
    return found


def table_rows(path: Path) -> list[Row]:
    text = read_text(path)
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    lines = list(csv_rows(path, io.StringIO(text), delimiter=separator))
    header = [name.strip().lower() for name in lines[0]] if lines else []
    if "source" not in header or "target" not in header:
        raise InputError(
            f"{path}: the first line does not name the columns source and target",
            remedy="Begin with `source,target` or `source,target,slot`.",
        )
    rows = []
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        named = dict(zip(header, (cell.strip() for cell in cells), strict=False))
        if not named.get("source") or not named.get("target"):
            raise FormatError(
                "a term needs a source and a target",
                place=Place(str(path), number),
                remedy="Fill in both, or remove the line.",
            )
        rows.append((f"line {number}", named.get("slot", ANY), named["source"], named["target"]))
    return rows


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """One value with several forms, most frequent first, or with a form not in the glossary."""

    slot: str
    value: str
    forms: tuple[tuple[str, int], ...]
    wanted: str
    """The glossary's form, or the most frequent one."""
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
    """Inconsistent values, sorted by the number of segments that would have to change."""
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
