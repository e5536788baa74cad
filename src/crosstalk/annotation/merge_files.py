"""Two annotated corpora compared and merged: files of differences, choices, one adjudicated corpus.

    matched = match_files([Path("a.jsonl"), Path("b.jsonl")])
    write_differences(all_differences(matched), Path("choices.jsonl"))
    choices = decided(read_choices(Path("choices.jsonl")), matched, otherwise="a")
    merged = list(merge(matched, choices, Path("a.jsonl"), Path("b.jsonl")))

A difference is one line:

    {"dialogue": "7", "turn": 3, "part": "acts", "cell": ["Inform", "hotel", "price"],
     "speaker": "system", "text": "...", "a": ["85 crowns"], "b": [], "choice": ""}

A choice is "a", "b", "both" (acts), or {"value": ...} with another value, written like those of "a"
and "b"; an empty choice is not decided.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from crosstalk.annotation.adjudication import (
    AnnotatedField,
    Cell,
    CellChoice,
    Difference,
    Key,
    Matched,
    differences,
    match,
    settle,
)
from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.native import TupleRecord
from crosstalk.corpora.record_encoding import Record, decode_tuple, encode_tuple
from crosstalk.dialogue.acts import NOTHING
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import open_text, writing

Choices = dict[Key, CellChoice | Cell]


def write_differences(differences: Iterable[Difference], path: Path) -> int:
    """Write differences, one per line, without choices; return their number."""
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
    """The choices of a file of differences; lines without a choice are skipped."""
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


def match_files(files: Sequence[Path]) -> Matched:
    """Match the corpora of several files; the name of a file names its annotation."""
    if len(set(files)) < len(files):
        raise InputError("the same file is given twice", remedy="Give each annotation once.")
    return match({str(file): read_corpus(file) for file in files})


def all_differences(matched: Matched) -> Iterator[Difference]:
    """The differences in all dialogues that both annotations have."""
    for pair in matched.among(*matched.names):
        yield from differences(*pair)


def decided(made: Choices, matched: Matched, *, otherwise: str = "", file: str = "") -> Choices:
    """A choice for every difference; `otherwise` (a or b) decides those without one.

    Raises if a difference stays undecided, or a choice is about no difference; `file` is the name
    of the choices' file in messages.
    """
    if otherwise not in ("", CellChoice.LEFT, CellChoice.RIGHT):
        raise InputError(f"--otherwise {otherwise}", remedy="Give a or b.")
    keys = [each.key for each in all_differences(matched)]
    if strangers := [key for key in made if key not in set(keys)]:
        raise InputError(
            f"{file}: {len(strangers):,} choices are about no difference, such as {strangers[0]}",
            remedy="Compare the two files anew: `crosstalk annotate compare A B --out FILE`.",
        )
    undecided = [key for key in keys if key not in made]
    if undecided and not otherwise:
        raise InputError(
            f"{file}: {len(undecided):,} differences are not decided, the first in {undecided[0]}",
            remedy='Write "a", "b" or {"value": ...} as the choice of each, or take all that are '
            "left from one side: --otherwise a.",
        )
    return {**made, **{key: CellChoice(otherwise) for key in undecided}}


def merge(matched: Matched, choices: Choices, left: Path, right: Path) -> Iterator[Dialogue]:
    """The dialogues of the left file, adjudicated if both have them, then those only right has."""
    both = {pair[0].id: pair for pair in matched.among(*matched.names)}
    seen = set()
    for dialogue in read_corpus(left):
        seen.add(dialogue.id)
        pair = both.get(dialogue.id)
        yield settle(pair[0], pair[1], choices) if pair else dialogue
    yield from (dialogue for dialogue in read_corpus(right) if dialogue.id not in seen)


def cell_words(cell: Cell) -> str:
    """A cell as text: a dash if empty, `given` for an act without a value."""
    encoded = encode_cell(cell)
    if isinstance(encoded, dict):  # a row of the user's table: value and tick are what differs
        said = ", said" if encoded.get("expressed") else ""
        return f"{encoded['domain']} {encoded['slot']}: {encoded['value'] or '?'}{said}"
    if isinstance(encoded, list):
        return ", ".join("given" if each in ("", NOTHING) else each for each in encoded) or "-"
    return encoded or "-"
