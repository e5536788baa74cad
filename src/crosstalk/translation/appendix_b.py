"""Appendix B, the quality control file: two questions an utterance, and a note.

judgements = read_judgements(Path("control/ana.json"))
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora import expect
from crosstalk.corpora.expect import Unexpected
from crosstalk.translation.appendix import (
    Fields,
    dialogue_and_turn,
    read_pairs,
    read_records,
    respelled,
    write_pairs,
    write_records,
)
from crosstalk.translation.segments import Pairs, Segment, Spelling, is_label, paired

FIELDS: Final = (
    "dialogID",
    "turnID",
    "utterance",
    "slotValues",
    "fixTransUtterance",
    "fixTransSlotValues",
    "UtteranceAcceptable",
    "SlotValuesMatchAcceptable",
    "NOTE",
)
PUBLISHED: Final = Spelling((("slotValues", "SlotValues"),))
"""Appendix B has the capital."""


@dataclass(frozen=True, slots=True)
class AnnotatorJudgement:
    """One utterance and what an annotator thinks of its translation."""

    dialogue: str
    turn: int
    utterance: str
    values: Pairs
    text: str
    text_values: Pairs
    acceptable: bool | None = None
    """None: not answered yet."""
    values_match: bool | None = None
    note: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict, hash=False)
    spelling: Spelling = PUBLISHED

    @property
    def key(self) -> tuple[str, int]:
        return self.dialogue, self.turn

    @property
    def language(self) -> str:
        return str(self.extras.get("language", ""))

    @property
    def split(self) -> str:
        return str(self.extras.get("split", ""))

    @property
    def finished(self) -> bool:
        """The second question is about values; where there is none it need not be answered."""
        answered = self.values_match is not None or not self.has_values
        return self.acceptable is not None and answered

    @property
    def has_values(self) -> bool:
        """Whether there is a value to judge; `dontcare` and `none` are none."""
        return any(not is_label(value) for _, value in self.values)

    def answered(
        self, acceptable: bool, values_match: bool | None, note: str
    ) -> "AnnotatorJudgement":
        return replace(self, acceptable=acceptable, values_match=values_match, note=note)


def blind(segment: Segment) -> AnnotatorJudgement:
    """What an annotator sees: no machine text, no editor, no labels that nobody says."""
    translated = list(segment.text_values)
    for slot, value, form in paired(segment.values, segment.text_values):
        if is_label(value):
            translated.remove((slot, form))
    shown = {name: segment.extras[name] for name in SHOWN if name in segment.extras}
    return AnnotatorJudgement(
        segment.dialogue,
        segment.turn,
        segment.utterance,
        tuple(pair for pair in segment.values if not is_label(pair[1])),
        segment.text,
        tuple(translated),
        extras=shown,
    )


SHOWN: Final = ("source", "language", "split", "speaker")


def read_judgements(path: Path) -> list[AnnotatorJudgement]:
    return read_records(path, FIELDS, _judgement)


def _judgement(fields: Fields, spelling: Spelling, extras: Fields) -> AnnotatorJudgement:
    dialogue, turn = dialogue_and_turn(fields)
    return AnnotatorJudgement(
        dialogue,
        turn,
        expect.text(fields.get("utterance") or "", "utterance"),
        read_pairs(fields.get("slotValues"), "SlotValues"),
        expect.text(fields.get("fixTransUtterance") or "", "fixTransUtterance"),
        read_pairs(fields.get("fixTransSlotValues"), "fixTransSlotValues"),
        _answer(fields, "UtteranceAcceptable"),
        _answer(fields, "SlotValuesMatchAcceptable"),
        expect.text(fields.get("NOTE") or "", "NOTE"),
        extras,
        spelling,
    )


def _answer(fields: Fields, name: str) -> bool | None:
    given = fields.get(name)
    if given is None or given == "":
        return None
    if given in (0, 1):
        return bool(given)
    if isinstance(given, str) and given.strip() in ("0", "1"):
        return given.strip() == "1"
    raise Unexpected(f"expected 0, 1 or nothing, found {expect.shown(given)}", field=name)


def write_judgements(judgements: Iterable[AnnotatorJudgement], path: Path) -> None:
    write_records(map(encoded, judgements), path)


def encoded(each: AnnotatorJudgement) -> Fields:
    record: Fields = {
        "dialogID": each.dialogue,
        "turnID": each.turn,
        "utterance": each.utterance,
        "slotValues": write_pairs(each.values, "slotValues", each.spelling),
        "fixTransUtterance": each.text,
        "fixTransSlotValues": write_pairs(each.text_values, "fixTransSlotValues", each.spelling),
        "UtteranceAcceptable": _number(each.acceptable),
        "SlotValuesMatchAcceptable": _number(each.values_match),
        "NOTE": each.note,
    }
    return respelled(record, each.spelling) | dict(each.extras)


def _number(answer: bool | None) -> int | None:
    return None if answer is None else int(answer)
