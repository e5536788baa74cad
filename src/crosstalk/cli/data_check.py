"""`crosstalk data check`: every violation with its place."""

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson, Corpus
from crosstalk.cli.output import print_json, print_table, track

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.dialogue.schema import Schema
    from crosstalk.formats.check import SchemaOf
    from crosstalk.formats.check_words import Violation


def check(
    file: Corpus,
    as_json: AsJson = False,
    world: Annotated[
        str,
        typer.Option("--world", help="Check against this world; default: the dialogues' own."),
    ] = "",
) -> None:
    """Report every violation of the rules that CrossWOZ-like corpora keep; exit 1 if any."""
    from crosstalk.formats.check import check as find_violations
    from crosstalk.formats.corpus import read_corpus

    dialogues = track(read_corpus(file, strict=False), doing="checking")
    found = list(find_violations(dialogues, str(file), schema_of=_schemas(world)))
    if as_json:
        print_json({"file": str(file), "violations": [_record(each) for each in found]})
    else:
        _tell(found, str(file))
    if found:
        raise typer.Exit(1)


def _schemas(world: str) -> "SchemaOf":
    """How to find the schema of a dialogue: that of `world`, or that of the world it names."""
    from crosstalk.database.worlds import built_in_worlds, load_world
    from crosstalk.formats.crosswoz_words import crosswoz_schema

    load = cache(lambda name: load_world(name).schema)
    ours = set(built_in_worlds()) - {"crosswoz"}  # its tables may not be there; its words are known
    if world:
        chosen: Schema = load(world)
        return lambda dialogue: chosen

    def schema_of(dialogue: "Dialogue") -> "Schema | None":
        return load(dialogue.world) if dialogue.world in ours else crosswoz_schema(dialogue)

    return schema_of


def _record(violation: "Violation") -> dict[str, str | int | None]:
    return {
        "dialogue": violation.dialogue,
        "turn": violation.turn,
        "field": violation.field,
        "message": violation.message,
        "rule": violation.rule,
    }


def _tell(found: list["Violation"], file: str) -> None:
    from crosstalk.errors import Place

    for each in found:
        place = Place(each.file, dialogue=each.dialogue, turn=each.turn, field=each.field)
        print(f"{place}: {each.message}")
    if not found:
        print(f"{file}: no violations")
        return
    kinds = Counter(each.rule for each in found)
    dialogues = {rule: {each.dialogue for each in found if each.rule == rule} for rule in kinds}
    rows = [[rule, str(count), str(len(dialogues[rule]))] for rule, count in kinds.most_common()]
    print_table("Violations", ["rule", "violations", "dialogues"], rows)
