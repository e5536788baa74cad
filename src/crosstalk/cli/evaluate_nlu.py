"""`crosstalk evaluate nlu`: understanding on a corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.corpora import read_fitting
from crosstalk.cli.evaluate_policy import Tables
from crosstalk.cli.options import AsJson, CorpusOption, CorpusWorld, Language, Models
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError, WorldError

if TYPE_CHECKING:
    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.evaluation.counts import Hits
    from crosstalk.evaluation.understanding import (
        DialogueReader,
        UnderstandingScore,
    )
    from crosstalk.system.nlu.bert import BertUnderstanding

INPUTS = {
    "best": "the words of the dialogue up to the utterance, who said them, the world's tables; "
    "acts of earlier turns as understood by the model itself",
    "bert": "the words of the utterance and of the three before it",
    "bert-no-context": "the words of the utterance",
}
SPELLINGS = ("raw", "wordpiece")


def evaluate_nlu(
    data: CorpusOption,
    model: Annotated[
        str, typer.Option("--model", help="best | bert | bert-no-context (as published)")
    ] = "best",
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
    from crosstalk.evaluation.understanding import score_understanding

    spelling = _spelling(model, values)
    _refuse_unknown(model)
    corpus = read_fitting(data, world=world, language=language)
    spoken = corpus.world, corpus.language
    dialogues = track(corpus.dialogues, doing="understanding")
    if model.startswith("bert"):
        bert = load_bert(model, *spoken, models, values=spelling)
        score = score_understanding(bert.understand_all, map(bert.as_judged, dialogues))
    else:
        score = score_understanding(_build(spoken_world(*spoken, tables), models), dialogues)
    if not score.utterances:
        raise InputError(f"{data}: holds no utterance", remedy="Give a corpus with texts and acts.")
    if as_json:
        facts = {"model": model, "inputs": INPUTS[model], "values": spelling}
        print_json(
            {**_figures(score), **facts, "world": corpus.world_name, "sha256": corpus.digest}
        )
    else:
        print_table(f"Understanding, {model}", ["", "F1 %", "precision", "recall"], _rows(score))


def _figures(score: "UnderstandingScore") -> dict[str, Any]:
    from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap

    sides = {str(side): _three(counts) for side, counts in score.by_side.items()}
    return {
        **_three(score.overall),
        "by_intent": _parts(score.by_intent),
        "by_type": _parts(score.by_type),
        **sides,
        "intervals": {"f1": bootstrap(score.by_dialogue, lambda hits: hits.f1)},
        "interval": BOOTSTRAP,
        "utterances": score.utterances,
        "utterance_accuracy": round(100 * score.perfect / score.utterances, 2),
    }


def _parts(parts: "Mapping[Any, Hits]") -> dict[str, float | None]:
    return {str(key): _rounded(parts[key].f1) for key in sorted(parts)}


def _three(counts: "Hits") -> dict[str, float | None]:
    return {
        "f1": _rounded(counts.f1),
        "precision": _rounded(counts.precision),
        "recall": _rounded(counts.recall),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _rows(score: "UnderstandingScore") -> list[list[str]]:
    parts: list[tuple[str, Hits]] = [("overall", score.overall)]
    for several in (score.by_side, score.by_intent, score.by_type):
        parts += sorted((str(key), counts) for key, counts in several.items())
    return [
        [name, percent(each.f1), percent(each.precision), percent(each.recall)]
        for name, each in parts
    ]


def spoken_world(name: str, language: str | None, tables: Path | None) -> "LiveWorld":
    """A world; where its tables are missing, the words say how these commands are told of them."""
    from crosstalk.database.worlds import load_world

    try:
        return load_world(name, language=language, data=tables)
    except WorldError as error:
        remedy = error.remedy.replace("--data", "--tables")
        raise WorldError(error.message, remedy=remedy) from error


def _refuse_unknown(model: str) -> None:
    if model not in INPUTS:
        raise InputError(f"there is no NLU called {model!r}", remedy=f"Known: {', '.join(INPUTS)}.")


def _build(world: "LiveWorld", models: Path | None) -> "DialogueReader":
    from crosstalk.model_folders import find_model

    folder = find_model(f"nlu-{world.name}-{world.language.code}", models)
    from crosstalk.system.nlu.ranked import RankedUnderstanding

    return RankedUnderstanding.load(folder, world).understand_all


def _spelling(model: str, values: str | None) -> str:
    """How values are spelled: as asked for, else as the model's figures were published."""
    if values not in (None, *SPELLINGS):
        raise InputError(f"--values {values}: unknown", remedy=f"Known: {', '.join(SPELLINGS)}.")
    if model == "best" and values == "wordpiece":
        raise InputError(
            "--values wordpiece: only models with wordpieces can spell like that",
            remedy="Leave --values away, or choose --model bert.",
        )
    return values or ("wordpiece" if model.startswith("bert") else "raw")


def bert_folder(model: str, world: str, language: str | None) -> str:
    """Of a BERTNLU; a language is named where it was asked for."""
    return f"nlu-{model}-{world}" + (f"-{language}" if language else "")


def load_bert(
    model: str, world: str, language: str | None, models: Path | None, *, values: str
) -> "BertUnderstanding":
    """A trained BERTNLU for a world; its tables are not needed."""
    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.model_folders import find_model

    _refuse_unknown(model)
    schema, _ = load_schema(world, language=language)
    folder = find_model(bert_folder(model, find_world(world).name, language), models)
    from crosstalk.system.nlu.bert import BertUnderstanding, spare_threads

    spare_threads(folder)
    return BertUnderstanding.load(folder, schema, values="raw" if values == "raw" else "wordpiece")
