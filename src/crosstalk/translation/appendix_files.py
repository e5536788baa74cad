"""The annotation files of Multi2WOZ: Appendix A (post-editing) and Appendix B (quality control).

    segments = read_segments(Path("work.json"))
    judgements = read_judgements(Path("control/ana.json"))

Both are JSON lists with one record per utterance, identified by (dialogue, turn). Field names are
matched case-insensitively, because the paper's table says `SlotValues` and its examples
`slotValues`; records are written back in the spelling they were read in. `changedUtterance` and
`changedSlotValues` are always computed from the texts; `translate check` reports flags that differ.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar

from crosstalk.corpora import json_types
from crosstalk.corpora.json_types import Unexpected
from crosstalk.errors import FormatError, Place
from crosstalk.files import read_json, writing
from crosstalk.translation.error_marks import ErrorMark
from crosstalk.translation.translation_segments import Pairs, Segment, Spelling, is_label, paired

T = TypeVar("T")
VALUES: Final = ("slotValues", "transSlotValues", "fixTransSlotValues")
NEARLY: Final = 0.9
"""As alike as `fixTransUtterence`, not as `note` and `notes`."""
Fields = dict[str, Any]
MEND: Final = "Mend the record, or make the file anew with `crosstalk translate start`."


def read_records(
    path: Path, known: Iterable[str], build: Callable[[Fields, Spelling, Fields], T]
) -> list[T]:
    """All records; `build` gets the known fields by our names, the spelling, and other fields."""
    raw = read_json(path)
    if not isinstance(raw, list):
        raise FormatError(
            f"expected a list of records, found {json_types.shown(raw)}",
            place=Place(str(path)),
            remedy="Give a file of Appendix A or B: [{...}, {...}], one record an utterance.",
        )
    names = {name.lower(): name for name in known}
    found: list[T] = []
    seen: dict[tuple[str, int], int] = {}
    for number, each in enumerate(raw):
        place = Place(str(path), field=f"[{number}]")
        try:
            fields, extras, spelling = _spelled(json_types.members(each), names)
            place = _place(path, number, fields)
            _refuse_misspelled(extras, set(names.values()) - fields.keys())
            _refuse_repeated(fields, number, seen)
            found.append(build(fields, spelling, extras))
        except Unexpected as error:
            where = Place(place.file, None, place.dialogue, place.turn, error.field or place.field)
            raise FormatError(error.message, place=where, remedy=MEND) from error
    return found


def _spelled(record: Fields, names: Mapping[str, str]) -> tuple[Fields, Fields, Spelling]:
    fields: Fields = {}
    extras: Fields = {}
    differing = []
    for spelled, value in record.items():
        ours = names.get(spelled.lower())
        if ours is None:
            extras[spelled] = value
        elif ours in fields:
            raise Unexpected(f"{ours} is given twice, in two spellings", field=spelled)
        else:
            fields[ours] = value
            if spelled != ours:
                differing.append((ours, spelled))
    quoted = isinstance(fields.get("turnID"), str)
    spelling = Spelling(tuple(differing), _listed(fields), _separator(fields), quoted)
    return fields, extras, spelling


def _separator(fields: Fields) -> str:
    services = fields.get("services")
    if not isinstance(services, str):
        return ""
    return "," if "," in services and ", " not in services else ", "


def _refuse_misspelled(extras: Fields, absent: set[str]) -> None:
    """Unknown fields are kept, but one that nearly matches ours would silently lose its text."""
    ours = {name.lower(): name for name in absent}
    for spelled in extras:
        if close := get_close_matches(spelled.lower(), ours, n=1, cutoff=NEARLY):
            raise Unexpected(f"unknown field; is {ours[close[0]]} meant?", field=spelled)


def _listed(fields: Fields) -> frozenset[str]:
    """Fields whose values are lists; missing translations follow the layout of the source."""
    like_source = isinstance(fields.get("slotValues"), list)
    return frozenset(
        name
        for name in VALUES
        if isinstance(fields.get(name), list) or (not fields.get(name) and like_source)
    )


def _place(path: Path, number: int, fields: Fields) -> Place:
    dialogue, turn = fields.get("dialogID"), fields.get("turnID")
    if isinstance(dialogue, str) and isinstance(turn, int):
        return Place(str(path), dialogue=dialogue, turn=turn)
    return Place(str(path), field=f"[{number}]")


def _refuse_repeated(fields: Fields, number: int, seen: dict[tuple[str, int], int]) -> None:
    key = dialogue_and_turn(fields)
    if key in seen:
        raise Unexpected(f"this turn has been there before, as record {seen[key]}")
    seen[key] = number


def dialogue_and_turn(fields: Fields) -> tuple[str, int]:
    dialogue = json_types.text(json_types.needed(fields, "dialogID"), "dialogID")
    turn = json_types.needed(fields, "turnID")
    if isinstance(turn, str) and turn.strip().isdecimal():
        turn = int(turn)
    found = json_types.whole(turn, "turnID")
    if found < 0:
        raise Unexpected(f"{found} is no position in a dialogue", field="turnID")
    return dialogue, found


def read_pairs(raw: Any, field: str) -> Pairs:
    """An object of slot and value, or a list of such objects; numbers are taken as text."""
    if raw is None or raw == "":
        return ()
    several = raw if isinstance(raw, list) else [raw]
    pairs = []
    for number, each in enumerate(several):
        here = f"{field}[{number}]" if isinstance(raw, list) else field
        for slot, value in json_types.members(each, here).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = str(value)
            pairs.append((slot, json_types.text(value, f"{here}.{slot}")))
    return tuple(pairs)


def write_pairs(pairs: Pairs, field: str, spelling: Spelling) -> Any:
    """An object; a list where the file has one or where a slot has two values."""
    if field in spelling.listed or len(dict(pairs)) < len(pairs):
        return [{slot: value} for slot, value in pairs]
    return dict(pairs)


def read_services(raw: Any) -> tuple[str, ...]:
    if raw is None:
        return ()
    if isinstance(raw, str):
        return tuple(each.strip() for each in raw.split(",") if each.strip())
    return json_types.texts(raw, "services")


def respelled(record: Fields, spelling: Spelling) -> Fields:
    names = dict(spelling.names)
    if spelling.quoted:
        record = {**record, "turnID": str(record["turnID"])}
    return {names.get(field, field): value for field, value in record.items()}


def write_records(records: Iterable[Fields], path: Path) -> None:
    """Streams the records, so that memory stays flat for a corpus of any size."""
    with writing(path) as file:
        file.writelines(record_chunks(records))


def record_chunks(records: Iterable[Fields]) -> Iterator[str]:
    """The text of a file, record by record."""
    before = "[\n"
    for record in records:
        yield before + json.dumps(record, ensure_ascii=False, indent=1)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


EDITING_FIELDS: Final = (
    "dialogID",
    "turnID",
    "services",
    "utterance",
    "slotValues",
    "transUtterance",
    "transSlotValues",
    "fixTransUtterance",
    "fixTransSlotValues",
    "changedUtterance",
    "changedSlotValues",
)
CLAIMED: Final = "claimed"
"""Key in a segment's extras: names of the `changed*` flags that were wrong in the file."""


def read_segments(path: Path) -> list[Segment]:
    return read_records(path, EDITING_FIELDS, _segment)


def _segment(fields: Fields, spelling: Spelling, extras: Fields) -> Segment:
    dialogue, turn = dialogue_and_turn(fields)
    values = read_pairs(json_types.needed(fields, "slotValues"), "slotValues")
    segment = Segment(
        dialogue,
        turn,
        json_types.text(json_types.needed(fields, "utterance"), "utterance"),
        values,
        read_services(fields.get("services")),
        json_types.text(fields.get("transUtterance") or "", "transUtterance"),
        read_pairs(fields.get("transSlotValues"), "transSlotValues"),
        _edited(fields),
        _edited_values(fields, bool(values)),
        extras,
        spelling,
    )
    return segment if not (wrong := _wrong_flags(fields, segment)) else _claiming(segment, wrong)


def _edited(fields: Fields) -> str | None:
    """None where the text is empty although there is something to translate: not edited yet."""
    text = json_types.text(fields.get("fixTransUtterance") or "", "fixTransUtterance")
    done = text or (not fields["utterance"] and "fixTransUtterance" in fields)
    return text if done else None


def _edited_values(fields: Fields, wanted: bool) -> Any:
    pairs = read_pairs(fields.get("fixTransSlotValues"), "fixTransSlotValues")
    if pairs or not wanted:
        return pairs if pairs or _edited(fields) is not None else None
    return None


def _wrong_flags(fields: Fields, segment: Segment) -> list[str]:
    truth = {
        "changedUtterance": segment.changed_utterance,
        "changedSlotValues": segment.changed_values,
    }
    return [name for name, is_so in truth.items() if _flag(fields, name) not in (None, is_so)]


def _flag(fields: Fields, name: str) -> bool | None:
    given = fields.get(name)
    if given is None or given == "":
        return None
    if given in (0, 1) or (isinstance(given, str) and given in ("0", "1")):
        return bool(int(given))
    raise Unexpected(f"expected 0 or 1, found {json_types.shown(given)}", field=name)


def _claiming(segment: Segment, wrong: list[str]) -> Segment:
    return replace(segment, extras={**segment.extras, CLAIMED: wrong})


def write_segments(segments: Iterable[Segment], path: Path, *, plain: bool = False) -> None:
    """`plain`: the fields of Appendix A and no others."""
    write_records((segment_record(segment, plain=plain) for segment in segments), path)


def segment_record(segment: Segment, *, plain: bool = False) -> Fields:
    spelling, edited_values = segment.spelling, segment.edited_values or ()
    services = list(segment.services)
    record: Fields = {
        "dialogID": segment.dialogue,
        "turnID": segment.turn,
        "services": spelling.separator.join(services) if spelling.separator else services,
        "utterance": segment.utterance,
        "slotValues": write_pairs(segment.values, "slotValues", spelling),
        "transUtterance": segment.machine,
        "transSlotValues": write_pairs(segment.machine_values, "transSlotValues", spelling),
        "fixTransUtterance": segment.edited or "",
        "fixTransSlotValues": write_pairs(edited_values, "fixTransSlotValues", spelling),
        "changedUtterance": int(segment.changed_utterance),
        "changedSlotValues": int(segment.changed_values),
    }
    extras = {name: value for name, value in segment.extras.items() if name != CLAIMED}
    return respelled(record, spelling) | ({} if plain else extras)


CONTROL_FIELDS: Final = (
    "dialogID",
    "turnID",
    "utterance",
    "slotValues",
    "fixTransUtterance",
    "fixTransSlotValues",
    "UtteranceAcceptable",
    "SlotValuesMatchAcceptable",
    "NOTE",
    "MARKS",
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
    marks: tuple[ErrorMark, ...] = ()
    """Errors in the text, where they were marked; Appendix B has no place for them."""

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
        """Both questions are answered; the second one is only asked where there are values."""
        answered = self.values_match is not None or not self.has_values
        return self.acceptable is not None and answered

    @property
    def has_values(self) -> bool:
        """Whether there is a value to judge; `dontcare` and `none` are none."""
        return any(not is_label(value) for _, value in self.values)

    def answered(
        self,
        acceptable: bool,
        values_match: bool | None,
        note: str,
        marks: tuple[ErrorMark, ...] = (),
    ) -> "AnnotatorJudgement":
        answers = {"acceptable": acceptable, "values_match": values_match, "note": note}
        return replace(self, **answers, marks=marks)  # type: ignore[arg-type]


def blind(segment: Segment) -> AnnotatorJudgement:
    """What an annotator sees: no machine text, no editor's name, no labels such as `dontcare`."""
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
    return read_records(path, CONTROL_FIELDS, _judgement)


def _judgement(fields: Fields, spelling: Spelling, extras: Fields) -> AnnotatorJudgement:
    dialogue, turn = dialogue_and_turn(fields)
    text = json_types.text(fields.get("fixTransUtterance") or "", "fixTransUtterance")
    return AnnotatorJudgement(
        dialogue,
        turn,
        json_types.text(fields.get("utterance") or "", "utterance"),
        read_pairs(fields.get("slotValues"), "SlotValues"),
        text,
        read_pairs(fields.get("fixTransSlotValues"), "fixTransSlotValues"),
        _answer(fields, "UtteranceAcceptable"),
        _answer(fields, "SlotValuesMatchAcceptable"),
        json_types.text(fields.get("NOTE") or "", "NOTE"),
        extras,
        spelling,
        tuple(_mark(each, text) for each in fields.get("MARKS") or ()),
    )


def _mark(given: Any, text: str) -> ErrorMark:
    names = {"start", "end", "category", "severity"}
    if not isinstance(given, dict) or given.keys() != names:
        expected = "an object with start, end, category and severity"
        raise Unexpected(f"expected {expected}, found {json_types.shown(given)}", field="MARKS")
    start, end = (json_types.whole(given[name], "MARKS") for name in ("start", "end"))
    kind, how_bad = (json_types.text(given[name], "MARKS") for name in ("category", "severity"))
    mark = ErrorMark(start, end, kind, how_bad)
    if fault := mark.fault(text):
        raise Unexpected(fault, field="MARKS")
    return mark


def _answer(fields: Fields, name: str) -> bool | None:
    given = fields.get(name)
    if given is None or given == "":
        return None
    if given in (0, 1):
        return bool(given)
    if isinstance(given, str) and given.strip() in ("0", "1"):
        return given.strip() == "1"
    raise Unexpected(f"expected 0, 1 or nothing, found {json_types.shown(given)}", field=name)


def write_judgements(judgements: Iterable[AnnotatorJudgement], path: Path) -> None:
    write_records(map(judgement_record, judgements), path)


def judgement_record(each: AnnotatorJudgement) -> Fields:
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
        **({"MARKS": [mark.record() for mark in each.marks]} if each.marks else {}),
    }
    return respelled(record, each.spelling) | dict(each.extras)


def _number(answer: bool | None) -> int | None:
    return None if answer is None else int(answer)
