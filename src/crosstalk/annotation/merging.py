"""Two annotated corpora compared and merged: files in, one adjudicated corpus out.

matched = match_files([Path("a.jsonl"), Path("b.jsonl")])
choices = decided(read_choices(Path("choices.jsonl")), matched, otherwise="a")
merged = list(merge(matched, choices, Path("a.jsonl"), Path("b.jsonl")))
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from crosstalk.annotation.adjudication import Cell, CellChoice, Difference, differences, settle
from crosstalk.annotation.difference_files import Choices, encode_cell
from crosstalk.annotation.matching import Matched, match
from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import NOTHING
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError


def match_files(files: Sequence[Path]) -> Matched:
    """The corpora of several files, brought together; a file's name is its annotator's."""
    if len(set(files)) < len(files):
        raise InputError("the same file is given twice", remedy="Give each annotation once.")
    return match({str(file): read_corpus(file) for file in files})


def all_differences(matched: Matched) -> Iterator[Difference]:
    """Of every dialogue that all annotations have."""
    for pair in matched.among(*matched.names):
        yield from differences(*pair)


def decided(made: Choices, matched: Matched, *, otherwise: str = "", file: str = "") -> Choices:
    """A choice for every difference; `otherwise` (a or b) decides what nobody decided.

    Raises where a difference stays undecided, and where a choice is about no difference; `file` is
    where the choices come from.
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
    """The dialogues of the left file, settled where both have them, then what only right has."""
    both = {pair[0].id: pair for pair in matched.among(*matched.names)}
    seen = set()
    for dialogue in read_corpus(left):
        seen.add(dialogue.id)
        pair = both.get(dialogue.id)
        yield settle(pair[0], pair[1], choices) if pair else dialogue
    yield from (dialogue for dialogue in read_corpus(right) if dialogue.id not in seen)


def cell_words(cell: Cell) -> str:
    """A cell for people: a dash for nothing, `given` for an act that has no value."""
    encoded = encode_cell(cell)
    if isinstance(encoded, dict):  # a row of the user's table: value and tick are what differs
        said = ", said" if encoded.get("expressed") else ""
        return f"{encoded['domain']} {encoded['slot']}: {encoded['value'] or '?'}{said}"
    if isinstance(encoded, list):
        return ", ".join("given" if each in ("", NOTHING) else each for each in encoded) or "-"
    return encoded or "-"
