"""`crosstalk evaluate nlu`: understanding on a corpus."""

from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.evaluation_parts import (
    Model,
    Tables,
    evaluation_world,
    part_to_judge,
    read_fitting,
)
from crosstalk.cli.options import AsJson, CorpusOption, CorpusWorld, Language, Models
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.counts import Hits
    from crosstalk.evaluation.understanding import UnderstandingScore

OFFERED = (
    "the words of the dialogue up to the utterance, who said them, the world's tables; "
    "acts of earlier turns as understood by the model itself"
)
"""What every NLU is given; what it reads of it is its own affair."""
INPUTS = {
    "bert": "the words of the utterance and of the three before it",
    "bert-no-context": "the words of the utterance",
}
WORDPIECES = tuple(INPUTS)
"""The NLUs that spell values as their wordpieces."""
SPELLINGS = ("raw", "wordpiece")


def evaluate_nlu(
    data: CorpusOption,
    model: Model = "best",
    values: Annotated[
        str | None,
        typer.Option(
            "--values",
            help="raw: as they stand in corpus and text; wordpiece: as wordpieces joined, which is "
            "the published way and the default of the bert models.",
        ),
    ] = None,
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Micro F1 over exact acts of both sides (the NLU rows of Tables 8 and 9 of the paper).

    Gold values are taken as they stand in the corpus; with --values wordpiece, those that the
    text holds are spelled as the model's wordpieces are.
    """
    from crosstalk.evaluation.understanding import reader_of, score_understanding

    spelling = _spelling(model, values)
    corpus = read_fitting(data, world, language)
    built = part_to_judge("nlu", model, evaluation_world(corpus, tables, models))
    dialogues = track(corpus.dialogues, doing="understanding")
    if built.name in WORDPIECES:
        bert = built.part.with_values(spelling)
        score = score_understanding(bert.understand_all, map(bert.as_judged, dialogues))
    else:
        score = score_understanding(reader_of(built.part), dialogues)
    if not score.utterances:
        raise InputError(f"{data}: holds no utterance", remedy="Give a corpus with texts and acts.")
    if as_json:
        inputs = INPUTS.get(built.name, OFFERED)
        facts = {"model": model, "part": built.name, "inputs": inputs, "values": spelling}
        print_json(
            {**score.figures(), **facts, "world": corpus.world_name, "sha256": corpus.digest}
        )
    else:
        print_table(
            f"Understanding, {built.name}", ["", "F1 %", "precision", "recall"], _rows(score)
        )


def _rows(score: "UnderstandingScore") -> list[list[str]]:
    parts: list[tuple[str, Hits]] = [("overall", score.overall)]
    for several in (score.by_side, score.by_intent, score.by_type):
        parts += sorted((str(key), counts) for key, counts in several.items())
    return [
        [name, percent(each.f1), percent(each.precision), percent(each.recall)]
        for name, each in parts
    ]


def _spelling(model: str, values: str | None) -> str:
    """How values are spelled: as asked for, else as the model's figures were published."""
    if values not in (None, *SPELLINGS):
        raise InputError(f"--values {values}: unknown", remedy=f"Known: {', '.join(SPELLINGS)}.")
    if model not in WORDPIECES and values == "wordpiece":
        raise InputError(
            "--values wordpiece: only models with wordpieces can spell like that",
            remedy="Leave --values away, or choose --model bert.",
        )
    return values or ("wordpiece" if model in WORDPIECES else "raw")
