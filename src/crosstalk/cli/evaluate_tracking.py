"""`crosstalk evaluate tracking`: the state from words alone, on a corpus."""

from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.evaluation_parts import (
    Model,
    Tables,
    evaluation_world,
    part_to_judge,
    read_fitting,
)
from crosstalk.cli.options import PART, AsJson, CorpusOption, CorpusWorld, Language, Models
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.tracking import WordsScore

OFFERED = (
    "the words of the dialogue up to the user's turn, who said them, the world's tables; "
    "acts and forms as the models themselves understood and believed them"
)
"""What every tracker is given; what it reads of it is its own affair."""
INPUTS = {
    "trade": "the words of the dialogue up to the user's turn, and who said them",
}


def evaluate_tracking(
    data: CorpusOption,
    model: Model = "best",
    nlu: Annotated[
        str, typer.Option("--nlu", help=f"For trackers that read acts: {PART}; best: trees.")
    ] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy against the wizard's first form (TRADE's row in Table 8 of the paper).

    No act and no form of the corpus is shown to the tracker.
    """
    from crosstalk.database.worlds import load_schema
    from crosstalk.evaluation.tracking import form_reader, score_words

    corpus = read_fitting(data, world, language)
    where = evaluation_world(corpus, tables, models)
    built = part_to_judge("tracking", model, where)
    schema, _ = load_schema(corpus.world, language=corpus.language)
    read = form_reader(built.part, lambda: part_to_judge("nlu", nlu, where).part, schema)
    score = score_words(read, track(corpus.dialogues, doing="tracking"))
    if not score.joint.total:
        raise InputError(
            f"{data}: no system turn has a query form",
            remedy="Give a corpus with states, such as CrossWOZ val.",
        )
    if as_json:
        facts = {"model": model, "part": built.name, "inputs": INPUTS.get(built.name, OFFERED)}
        source = {"world": corpus.world_name, "sha256": corpus.digest}
        print_json({**score.figures(), **facts, **source})
    else:
        print_table(
            f"State tracking from words, {built.name}", ["", "joint accuracy %"], _rows(score)
        )


def _rows(score: "WordsScore") -> list[list[str]]:
    return [
        ["overall", percent(score.joint.percent)],
        ["Select turns", percent(score.select.percent)],
        *([str(kind), percent(each.percent)] for kind, each in sorted(score.by_type.items())),
        ["F1 of filled fields", percent(score.slots.f1)],
    ]
