"""Two annotated corpora compared and merged: files of decisions, verdicts, one adjudicated corpus.

    matched = match_files([Path("a.jsonl"), Path("b.jsonl")])
    write_decisions(all_decisions(matched), Path("verdicts.jsonl"))
    verdicts = decided(read_verdicts(Path("verdicts.jsonl")), matched, otherwise="a")
    merged = list(merge(matched, verdicts, Path("a.jsonl"), Path("b.jsonl")))

A decision is one line:

    {"dialogue": "7", "turn": 3, "operation": "tick", "cell": ["4"], "about": ["hotel", "price"],
     "speaker": "user", "text": "...", "a": true, "b": false, "explains": 9, "choice": ""}

A choice is "a", "b", "both" (acts), or {"value": ...} with another value: true or false for a tick
or a selection, text or a list of texts for a row, a field, acts. An empty choice is not decided.
`cause`, `sure` and `mend` tell why the two differ, how sure the choice is, and what the guideline
should say.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crosstalk.annotation.adjudication import CellChoice, Matched, match
from crosstalk.annotation.decisions import Decision, OperationKey, Side, decisions
from crosstalk.annotation.label_states import (
    Cause,
    Sureness,
    Verdict,
    choices_of,
    label_states,
    with_labels,
)
from crosstalk.annotation.operations import OperationKind
from crosstalk.annotation.settlement import OwnValue, settle
from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.record_encoding import Record
from crosstalk.dialogue.acts import NOTHING
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import open_text, writing

Verdicts = dict[OperationKey, Verdict]


def write_decisions(found: Iterable[Decision], path: Path) -> int:
    """Write decisions, one per line, without choices; return their number."""
    count = 0
    with writing(path) as text:
        for decision in found:
            text.write(json.dumps(encode_decision(decision), ensure_ascii=False) + "\n")
            count += 1
    return count


def encode_decision(decision: Decision) -> Record:
    key = decision.key
    place = {"search": key.search} if key.kind is OperationKind.SEARCH else {}
    moved = {"moved": decision.moved} if decision.moved else {}
    return {
        "dialogue": key.dialogue,
        "turn": key.turn,
        "operation": str(key.kind),
        "cell": list(key.cell),
        **place,
        "about": list(decision.about),
        "speaker": str(decision.speaker),
        "text": decision.text,
        "a": encode_side(decision.left),
        "b": encode_side(decision.right),
        **moved,
        "explains": len(decision.explains),
        "choice": "",
        "cause": "",
        "sure": "",
        "mend": "",
    }


def encode_side(side: Side) -> Any:
    """The value of one of the two as JSON; a row is its value."""
    if isinstance(side, SemanticTuple):
        side = None if isinstance(side.value, Reference) else side.value
    return list(side) if isinstance(side, tuple) else side


def read_verdicts(path: Path) -> Verdicts:
    """The verdicts of a file of decisions; lines without a choice are skipped."""
    verdicts: Verdicts = {}
    seen: set[OperationKey] = set()
    if path.is_file() and not path.stat().st_size:  # two annotations without a difference
        return verdicts
    for number, record in _records(path):
        place = Place(str(path), line=number)
        key = _key(record, place)
        if key in seen:
            raise FormatError(f"{key} stands here twice", place=place, remedy="Remove one line.")
        seen.add(key)
        if record.get("choice", "") != "":
            verdicts[key] = decode_verdict(record, place)
    return verdicts


def decode_verdict(record: Mapping[str, Any], place: Place) -> Verdict:
    """What a person wrote about a decision."""
    return Verdict(
        _choice(record["choice"], place),
        _one_of("cause", tuple(Cause), record, place),
        _one_of("sure", tuple(Sureness), record, place),
        _one_of("mend", None, record, place),
    )


def _choice(choice: object, place: Place) -> CellChoice | OwnValue:
    match choice:
        case str() if choice in set(CellChoice):
            return CellChoice(choice)
        case {"value": bool() | str() as value, **rest} if not rest:
            return OwnValue(value)
        case {"value": list(value), **rest} if not rest:
            if all(isinstance(each, str) for each in value):
                return OwnValue(tuple(value))
    raise FormatError(
        f"cannot read the choice {json.dumps(choice, ensure_ascii=False)}",
        place=place,
        remedy='Write "a", "b", "both" or {"value": ...} with true, false, a text or texts.',
    )


def _one_of(name: str, known: Sequence[str] | None, record: Mapping[str, Any], place: Place) -> str:
    value = record.get(name, "")
    if isinstance(value, str) and (known is None or value in ("", *known)):
        return value
    words = f"one of {', '.join(known)}" if known else "text"
    raise FormatError(f"{name}: expected {words}", place=place, remedy="Or leave it empty.")


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


def _key(record: Record, place: Place) -> OperationKey:
    match record:
        case {
            "dialogue": str(dialogue),
            "turn": int(turn),
            "operation": str(kind),
            "cell": list(cell),
        } if kind in set(OperationKind) and all(isinstance(each, str) for each in cell):
            of_form = kind in (OperationKind.SEARCH, OperationKind.SELECT)
            search = record.get("search", "last") if of_form else ""
            return OperationKey(dialogue, turn, OperationKind(kind), tuple(cell), search)
    raise FormatError(
        "dialogue, turn, operation and cell do not name a decision",
        place=place,
        remedy="Start from the file `crosstalk annotate compare --out` writes, "
        "and change only the choices.",
    )


def match_files(files: Sequence[Path]) -> Matched:
    """Match the corpora of several files; the name of a file names its annotation."""
    if len(set(files)) < len(files):
        raise InputError("the same file is given twice", remedy="Give each annotation once.")
    return match({str(file): read_corpus(file) for file in files})


def all_decisions(matched: Matched) -> Iterator[Decision]:
    """What has to be decided in all dialogues that both annotations have."""
    for left, right in matched.among(*matched.names):
        yield from decisions(left, right)


def decided(made: Verdicts, matched: Matched, *, otherwise: str = "", file: str = "") -> Verdicts:
    """The verdicts, if with `otherwise` (a or b) for the rest everything is decided.

    Raises if something stays undecided, or a verdict is about no difference; `file` is the name
    of the verdicts' file in messages.
    """
    if otherwise not in ("", CellChoice.LEFT, CellChoice.RIGHT):
        raise InputError(f"--otherwise {otherwise}", remedy="Give a or b.")
    keys = [each.key for each in all_decisions(matched)]
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
    return made


def merge(
    matched: Matched, verdicts: Verdicts, left: Path, right: Path, *, otherwise: str = ""
) -> Iterator[Dialogue]:
    """The dialogues of the left file, adjudicated if both have them, then those only right has.

    Every turn of an adjudicated one says of its labels whether they were agreed on.
    """
    both = {pair[0].id: (pair[0], pair[1]) for pair in matched.among(*matched.names)}
    seen = set()
    for dialogue in read_corpus(left):
        seen.add(dialogue.id)
        pair = both.get(dialogue.id)
        yield _settled(*pair, verdicts, otherwise) if pair else dialogue
    yield from (dialogue for dialogue in read_corpus(right) if dialogue.id not in seen)


def _settled(left: Dialogue, right: Dialogue, verdicts: Verdicts, otherwise: str) -> Dialogue:
    by_default = CellChoice(otherwise) if otherwise else None
    settled = settle(left, right, choices_of(verdicts), otherwise=by_default)
    return with_labels(settled, label_states(left, right, settled, verdicts))


def side_words(side: Side) -> str:
    """A side as text: a dash if empty, yes and no, `given` for an act without a value."""
    encoded = encode_side(side)
    if isinstance(encoded, bool):
        return "yes" if encoded else "no"
    if isinstance(encoded, list):
        return ", ".join("given" if each in ("", NOTHING) else each for each in encoded) or "-"
    return encoded or "-"
