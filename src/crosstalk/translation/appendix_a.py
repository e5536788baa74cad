"""Appendix A, the post-editing file: one record an utterance, in and out with every field.

    segments = read_segments(Path("work.json"))

`changedUtterance` and `changedSlotValues` are written from the texts; what a file says of them is
read by nobody but `translate check`, which tells where they are wrong.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora import expect
from crosstalk.corpora.expect import Unexpected
from crosstalk.translation.appendix import (
    Fields,
    dialogue_and_turn,
    read_pairs,
    read_records,
    read_services,
    respelled,
    write_pairs,
    write_records,
)
from crosstalk.translation.segments import Segment, Spelling

FIELDS: Final = (
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
"""In the extras of a segment: what the file said of its flags, where that was wrong."""


def read_segments(path: Path) -> list[Segment]:
    return read_records(path, FIELDS, _segment)


def _segment(fields: Fields, spelling: Spelling, extras: Fields) -> Segment:
    dialogue, turn = dialogue_and_turn(fields)
    values = read_pairs(expect.needed(fields, "slotValues"), "slotValues")
    segment = Segment(
        dialogue,
        turn,
        expect.text(expect.needed(fields, "utterance"), "utterance"),
        values,
        read_services(fields.get("services")),
        expect.text(fields.get("transUtterance") or "", "transUtterance"),
        read_pairs(fields.get("transSlotValues"), "transSlotValues"),
        _edited(fields),
        _edited_values(fields, bool(values)),
        extras,
        spelling,
    )
    return segment if not (wrong := _wrong_flags(fields, segment)) else _claiming(segment, wrong)


def _edited(fields: Fields) -> str | None:
    """An empty text where there is something to translate is work not yet done."""
    text = expect.text(fields.get("fixTransUtterance") or "", "fixTransUtterance")
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
    raise Unexpected(f"expected 0 or 1, found {expect.shown(given)}", field=name)


def _claiming(segment: Segment, wrong: list[str]) -> Segment:
    return replace(segment, extras={**segment.extras, CLAIMED: wrong})


def write_segments(segments: Iterable[Segment], path: Path, *, plain: bool = False) -> None:
    """`plain`: the fields of Appendix A and no others."""
    write_records((encoded(segment, plain=plain) for segment in segments), path)


def encoded(segment: Segment, *, plain: bool = False) -> Fields:
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
