"""What the two annotation files have in common: records by (dialogue, turn), tolerant of spelling.

Field names are matched whatever their case: the paper's table says `SlotValues`, its examples
`slotValues`. Records are written back in the spelling they came in.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar

from crosstalk.corpora import expect
from crosstalk.corpora.expect import Unexpected
from crosstalk.errors import FormatError, Place
from crosstalk.files import read_json, writing
from crosstalk.translation.segments import Pairs, Spelling

T = TypeVar("T")
VALUES: Final = ("slotValues", "transSlotValues", "fixTransSlotValues")
NEARLY: Final = 0.9
"""As alike as `fixTransUtterence`, not as `note` and `notes`."""
Fields = dict[str, Any]
MEND: Final = "Mend the record, or make the file anew with `crosstalk translate start`."


def read_records(
    path: Path, known: Iterable[str], build: Callable[[Fields, Spelling, Fields], T]
) -> list[T]:
    """Every record: its known fields by our names, how it spells them, and the fields besides."""
    raw = read_json(path)
    if not isinstance(raw, list):
        raise FormatError(
            f"expected a list of records, found {expect.shown(raw)}",
            place=Place(str(path)),
            remedy="Give a file of Appendix A or B: [{...}, {...}], one record an utterance.",
        )
    names = {name.lower(): name for name in known}
    found: list[T] = []
    seen: dict[tuple[str, int], int] = {}
    for number, each in enumerate(raw):
        place = Place(str(path), field=f"[{number}]")
        try:
            fields, extras, spelling = _spelled(expect.members(each), names)
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
    """Other people's fields are kept; one that is nearly ours would take its text with it."""
    ours = {name.lower(): name for name in absent}
    for spelled in extras:
        if close := get_close_matches(spelled.lower(), ours, n=1, cutoff=NEARLY):
            raise Unexpected(f"unknown field; is {ours[close[0]]} meant?", field=spelled)


def _listed(fields: Fields) -> frozenset[str]:
    """Translations that are not there yet will look like their source."""
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
    dialogue = expect.text(expect.needed(fields, "dialogID"), "dialogID")
    turn = expect.needed(fields, "turnID")
    if isinstance(turn, str) and turn.strip().isdecimal():
        turn = int(turn)
    found = expect.whole(turn, "turnID")
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
        for slot, value in expect.members(each, here).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = str(value)
            pairs.append((slot, expect.text(value, f"{here}.{slot}")))
    return tuple(pairs)


def write_pairs(pairs: Pairs, field: str, spelling: Spelling) -> Any:
    """An object, unless the file has a list or a slot has two values."""
    if field in spelling.listed or len(dict(pairs)) < len(pairs):
        return [{slot: value} for slot, value in pairs]
    return dict(pairs)


def read_services(raw: Any) -> tuple[str, ...]:
    if raw is None:
        return ()
    if isinstance(raw, str):
        return tuple(each.strip() for each in raw.split(",") if each.strip())
    return expect.texts(raw, "services")


def respelled(record: Fields, spelling: Spelling) -> Fields:
    names = dict(spelling.names)
    if spelling.quoted:
        record = {**record, "turnID": str(record["turnID"])}
    return {names.get(field, field): value for field, value in record.items()}


def write_records(records: Iterable[Fields], path: Path) -> None:
    """One record after the other, so that a corpus of any size is written in little memory."""
    with writing(path) as file:
        file.writelines(record_chunks(records))


def record_chunks(records: Iterable[Fields]) -> Iterator[str]:
    """The text of a file, record by record."""
    before = "[\n"
    for record in records:
        yield before + json.dumps(record, ensure_ascii=False, indent=1)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
