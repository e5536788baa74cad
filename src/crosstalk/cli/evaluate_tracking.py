"""`crosstalk evaluate tracking`: the state from words alone, on a corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.corpora import read_fitting
from crosstalk.cli.evaluate_nlu import spoken_world
from crosstalk.cli.evaluate_policy import Tables
from crosstalk.cli.options import AsJson, CorpusOption, CorpusWorld, Language, Models
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.evaluation.tracking_words import FormReader, WordsScore
    from crosstalk.system.dst.trade import TradeTracker

INPUTS = {
    "best": "the words of the dialogue up to the user's turn, who said them, the world's tables; "
    "acts and forms as the models themselves understood and believed them",
    "trade": "the words of the dialogue up to the user's turn, and who said them",
}


def evaluate_tracking(
    data: CorpusOption,
    model: Annotated[str, typer.Option("--model", help="best | trade (as published)")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy against the wizard's first form (TRADE's row in Table 8 of the paper).

    No act and no form of the corpus is shown to the tracker.
    """
    from crosstalk.evaluation.tracking_words import score_words

    if model not in INPUTS:
        known = ", ".join(INPUTS)
        raise InputError(f"there is no tracker called {model!r}", remedy=f"Known: {known}.")
    corpus = read_fitting(data, world=world, language=language)
    spoken = corpus.world, corpus.language
    read: FormReader
    if model == "trade":
        read = load_trade(*spoken, models).read
    else:
        read = _best(spoken_world(*spoken, tables), models)
    score = score_words(read, track(corpus.dialogues, doing="tracking"))
    if not score.joint.total:
        raise InputError(
            f"{data}: no system turn has a query form",
            remedy="Give a corpus with states, such as CrossWOZ val.",
        )
    if as_json:
        facts = {"model": model, "inputs": INPUTS[model], "world": corpus.world_name}
        print_json({**figures(score), **facts, "sha256": corpus.digest})
    else:
        print_table(f"State tracking from words, {model}", ["", "joint accuracy %"], _rows(score))


def figures(score: "WordsScore") -> dict[str, Any]:
    """As JSON."""
    from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap, wilson_of

    return {
        "joint_accuracy": _rounded(score.joint.percent),
        "slot_f1": _rounded(score.slots.f1),
        "select": _rounded(score.select.percent),
        "by_type": {
            str(kind): _rounded(share.percent) for kind, share in sorted(score.by_type.items())
        },
        "turns": score.joint.total,
        "select_turns": score.select.total,
        "intervals": {
            "joint_accuracy": bootstrap(score.by_dialogue, lambda share: share.percent),
            "select": wilson_of(score.select),
        },
        "interval": f"{BOOTSTRAP}; Select turns: Wilson",
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _rows(score: "WordsScore") -> list[list[str]]:
    return [
        ["overall", percent(score.joint.percent)],
        ["Select turns", percent(score.select.percent)],
        *([str(kind), percent(each.percent)] for kind, each in sorted(score.by_type.items())),
        ["F1 of filled fields", percent(score.slots.f1)],
    ]


def _best(world: "LiveWorld", models: Path | None) -> "FormReader":
    from crosstalk.database.queries import Database
    from crosstalk.evaluation.tracking_words import tracked
    from crosstalk.model_folders import find_model
    from crosstalk.system.dst.words import WordsTracker
    from crosstalk.system.nlu.ranked import RankedUnderstanding

    folder = find_model("dst-words", models, world=world.name)
    ears = find_model(f"nlu-{world.name}-{world.language.code}", models)
    tracker = WordsTracker.load(folder, Database(world))
    understanding = RankedUnderstanding.load(ears, world)
    return tracked(understanding.weigh_all, tracker, world.schema)


def trade_folder(world: str, language: str | None) -> str:
    """Of a TRADE; a language is named where it was asked for."""
    return f"dst-trade-{world}" + (f"-{language}" if language else "")


def load_trade(world: str, language: str | None, models: Path | None) -> "TradeTracker":
    """A trained TRADE for a world; its tables are not needed."""
    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.model_folders import find_model

    schema, pack = load_schema(world, language=language)
    folder = find_model(trade_folder(find_world(world).name, language), models)
    import torch

    from crosstalk.system.dst.trade import TradeTracker

    torch.set_num_threads(1)  # so small a network is slower on several
    return TradeTracker.load(folder, schema, language=pack.code)
