"""`crosstalk annotate sample`, `compare` and `adjudicate`: a second opinion, and one version."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.annotate_agreement import matched_files, tell_left_out
from crosstalk.cli.data_convert import Format
from crosstalk.cli.options import AsJson, Corpus, Seed
from crosstalk.cli.output import print_json, print_table, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.annotation.adjudication import Cell, Difference, Key
    from crosstalk.annotation.difference_files import Choices
    from crosstalk.annotation.matching import Matched
    from crosstalk.dialogue.dialogues import Dialogue

SHOWN = 20

Share = Annotated[float, typer.Option("--share", help="Of the dialogues; at least one is taken.")]
Left = Annotated[Path, typer.Argument(metavar="A", help="An annotation, in any format.")]
Right = Annotated[Path, typer.Argument(metavar="B", help="Another of the same dialogues.")]


def sample(
    file: Corpus,
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    share: Share = 0.1,
    seed: Seed = 0,
    to: Annotated[Format, typer.Option("--to", help="The format to write.")] = Format.NATIVE,
    as_json: AsJson = False,
) -> None:
    """Draw dialogues for an expert to annotate blind: words and goals, nothing annotated."""
    from random import Random

    from crosstalk.annotation.sampling import blind
    from crosstalk.annotation.sampling import sample as draw
    from crosstalk.formats.corpus import read_corpus, write_corpus

    dialogues = list(read_corpus(file))
    drawn = draw(dialogues, share, Random(seed))
    write_corpus(map(blind, drawn), out, to=to.value)
    if as_json:
        print_json({"file": str(out), "dialogues": len(drawn), "of": len(dialogues)})
    else:
        print(f"{out}: {len(drawn):,} of {len(dialogues):,} dialogues, without annotation")


def compare(
    left: Left,
    right: Right,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write all differences, one JSON object a line.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show where two annotations differ, turn by turn, side by side.

    The exit code is 1 where they differ and --out was not asked for.
    """
    from crosstalk.annotation.difference_files import encode_difference, write_differences

    matched = matched_files([left, right])
    found = list(_differences(matched))
    if out is not None:
        write_differences(found, out)
    if as_json:
        print_json([encode_difference(each) for each in found])
    else:
        tell_left_out(matched.left_out)
        _tell(found, out, left, right)
    raise typer.Exit(1 if found and out is None else 0)


def adjudicate(
    left: Left,
    right: Right,
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    choices: Annotated[
        Path, typer.Option("--choices", help="What `compare --out` wrote, with choices filled in.")
    ],
    to: Annotated[
        Format | None, typer.Option("--to", help="The format to write; default: that of A.")
    ] = None,
    otherwise: Annotated[
        str, typer.Option("--otherwise", help="a or b: for differences that nobody decided.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Merge two annotations into one by the choices somebody made between them.

    Dialogues that only one of them has, or has with other turns, are written as A has them; those
    that only B has, as B has them.
    """
    from crosstalk.annotation.difference_files import read_choices
    from crosstalk.formats.corpus import recognise, write_corpus

    matched = matched_files([left, right])
    made = read_choices(choices)
    _decide(made, [each.key for each in _differences(matched)], otherwise, choices)
    merged = list(_merged(matched, made, left, right))
    tell_left_out(matched.left_out)
    write_corpus(merged, out, to=to.value if to else recognise(left))
    if as_json:
        print_json({"file": str(out), "dialogues": len(merged), "choices": len(made)})
    else:
        print(f"{out}: {len(merged):,} dialogues, {len(made):,} differences decided")


def _differences(matched: "Matched") -> "Iterator[Difference]":
    from crosstalk.annotation.adjudication import differences

    for pair in matched.among(*matched.names):
        yield from differences(*pair)


def _tell(found: "list[Difference]", out: Path | None, left: Path, right: Path) -> None:
    shown = found if out is None else found[:SHOWN]
    if shown:
        print_table("Differences", ["", left.name, right.name], _rows(shown))
    if len(shown) < len(found):
        warn(f"{len(shown)} of {len(found):,} differences shown; all of them are in {out}")
    elif not found:
        print("no differences")


def _rows(found: "list[Difference]") -> Iterator[list[str]]:
    """Under the words of each turn, its differences."""
    for (dialogue, turn), several in groupby(
        found, lambda each: (each.key.dialogue, each.key.turn)
    ):
        differences = list(several)
        first = differences[0]
        yield [f"{dialogue}, turn {turn}, {first.speaker}: {first.text}", "", ""]
        for each in differences:
            cell = " ".join((str(each.key.part), *each.key.cell))
            yield [f"  {cell}", _cell(each.left), _cell(each.right)]


def _cell(cell: "Cell") -> str:
    """For people: a dash for nothing, `given` for an act that has no value."""
    from crosstalk.annotation.difference_files import encode_cell
    from crosstalk.dialogue.acts import NOTHING

    encoded = encode_cell(cell)
    if isinstance(encoded, dict):  # a row of the user's table: value and tick are what differs
        said = ", said" if encoded.get("expressed") else ""
        return f"{encoded['domain']} {encoded['slot']}: {encoded['value'] or '?'}{said}"
    if isinstance(encoded, list):
        return ", ".join("given" if each in ("", NOTHING) else each for each in encoded) or "-"
    return encoded or "-"


def _decide(made: "Choices", keys: "list[Key]", otherwise: str, file: Path) -> None:
    """Every difference gets its choice; refuses those without one, and choices about nothing."""
    from crosstalk.annotation.adjudication import Choice

    if otherwise not in ("", Choice.LEFT, Choice.RIGHT):
        raise InputError(f"--otherwise {otherwise}", remedy="Give a or b.")
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
    made.update((key, Choice(otherwise)) for key in undecided)


def _merged(matched: "Matched", made: "Choices", left: Path, right: Path) -> "Iterator[Dialogue]":
    """In the order of A, then what only B has."""
    from crosstalk.annotation.adjudication import settle
    from crosstalk.formats.corpus import read_corpus

    both = {pair[0].id: pair for pair in matched.among(*matched.names)}
    seen = set()
    for dialogue in read_corpus(left):
        seen.add(dialogue.id)
        pair = both.get(dialogue.id)
        yield settle(pair[0], pair[1], made) if pair else dialogue
    yield from (dialogue for dialogue in read_corpus(right) if dialogue.id not in seen)
