"""Differences as JSON Lines, to be read by people and filled in with choices.

{"dialogue": "7", "turn": 3, "part": "acts", "cell": ["Inform", "hotel", "price"],
 "speaker": "system", "text": "...", "a": ["85 crowns"], "b": [], "choice": ""}

A choice is "a", "b", "both" (acts), or {"value": ...} with a value of one's own, written as those
beside it; an empty one is not decided.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from crosstalk.annotation.adjudication import AnnotatedField, Cell, CellChoice, Difference, Key
from crosstalk.corpora.native import TupleRecord
from crosstalk.corpora.record_encoding import Record, decode_tuple, encode_tuple
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.errors import FormatError, Place
from crosstalk.files import open_text, writing

Choices = dict[Key, CellChoice | Cell]


def write_differences(differences: Iterable[Difference], path: Path) -> int:
    """All of them, one a line, none decided; how many there are."""
    count = 0
    with writing(path) as text:
        for difference in differences:
            text.write(json.dumps(encode_difference(difference), ensure_ascii=False) + "\n")
            count += 1
    return count


def encode_difference(difference: Difference) -> Record:
    key = difference.key
    return {
        "dialogue": key.dialogue,
        "turn": key.turn,
        "part": str(key.part),
        "cell": list(key.cell),
        "speaker": str(difference.speaker),
        "text": difference.text,
        "a": encode_cell(difference.left),
        "b": encode_cell(difference.right),
        "choice": "",
    }


def encode_cell(cell: Cell) -> Any:
    if isinstance(cell, SemanticTuple):
        return encode_tuple(cell)
    return list(cell) if isinstance(cell, tuple) else cell


def read_choices(path: Path) -> Choices:
    """The decided lines of a file of differences; the others are passed over."""
    choices: Choices = {}
    seen: set[Key] = set()
    if path.is_file() and not path.stat().st_size:  # two annotations without a difference
        return choices
    for number, record in _records(path):
        place = Place(str(path), line=number)
        key = _key(record, place)
        if key in seen:
            raise FormatError(f"{key} stands here twice", place=place, remedy="Remove one line.")
        seen.add(key)
        if (choice := record.get("choice", "")) != "":
            choices[key] = decode_choice(choice, key, place)
    return choices


def decode_choice(choice: object, key: Key, place: Place) -> CellChoice | Cell:
    """What a person wrote as the choice for a cell."""
    match choice:
        case str() if choice in set(CellChoice):
            return CellChoice(choice)
        case {"value": value, **rest} if not rest:
            return _cell(value, key, place)
        case _:
            raise FormatError(
                f"cannot read the choice {json.dumps(choice, ensure_ascii=False)}",
                place=place,
                remedy='Write "a", "b", "both" or {"value": ...}.',
            )


def _cell(value: object, key: Key, place: Place) -> Cell:
    if key.part is AnnotatedField.USER_STATE:
        if value is None or _is_row(value):
            return decode_tuple(value) if isinstance(value, dict) else None
    elif isinstance(value, str) and key.part is not AnnotatedField.ACTS:
        return value
    elif isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise FormatError(
        f"a value that does not fit {key}",
        place=place,
        remedy='Write it as the values beside it, "a" and "b", are written.',
    )


def _is_row(value: object) -> bool:
    try:
        TypeAdapter(TupleRecord).validate_python(value)
    except ValidationError:
        return False
    return True


def _records(path: Path) -> Iterator[tuple[int, Record]]:
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, _record(line, Place(str(path), line=number))


def _record(line: str, place: Place) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", place=place, remedy="One object a line.") from error
    if isinstance(record, dict):
        return record
    raise FormatError("expected an object", place=place, remedy='A line begins with "{".')


def _key(record: Record, place: Place) -> Key:
    match record:
        case {"dialogue": str(dialogue), "turn": int(turn), "part": str(part), "cell": list(cell)}:
            if part in set(AnnotatedField) and all(isinstance(each, str) for each in cell):
                return Key(dialogue, turn, AnnotatedField(part), tuple(cell))
    raise FormatError(
        "dialogue, turn, part and cell do not name a cell",
        place=place,
        remedy="Start from the file `crosstalk annotate compare --out` writes, "
        "and change only the choices.",
    )
