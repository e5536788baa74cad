"""`crosstalk evaluate dst`: single-turn state tracking on a corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.corpora import FittingCorpus, read_fitting
from crosstalk.cli.evaluate_nlu import spoken_world
from crosstalk.cli.evaluate_policy import Tables
from crosstalk.cli.options import AsJson, CorpusOption, CorpusWorld, Language, Models, Protocol
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.languages import LanguagePack
    from crosstalk.dialogue.schema import Schema
    from crosstalk.system.dst.tracker import Tracker

INPUTS = {
    "rule": "gold form before, gold user acts",
    "best": "gold form before, gold acts, texts, forms and selections of all earlier turns, "
    "the world's tables",
}


def evaluate_dst(
    data: CorpusOption,
    model: Annotated[str, typer.Option("--model", help="rule | best")] = "best",
    protocol: Protocol = "corrected",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy over the 26 fields of the form (RuleDST's row in Table 8 of the paper).

    `paper` withholds the system's acts from the rules, as the published evaluation does;
    `corrected` shows them. Our tracker reads what the row of inputs says under either.
    """
    from crosstalk.database.worlds import load_schema
    from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap, wilson_of
    from crosstalk.evaluation.tracking import score_tracking

    _refuse_unknown(model)
    corpus = read_fitting(data, world=world, language=language)
    schema, pack = load_schema(corpus.world, language=corpus.language)
    tracker = _build(model, schema, pack, corpus, models, tables)
    dialogues = track(corpus.dialogues, doing="tracking")
    hidden = model == "rule" and protocol == "paper"
    score = score_tracking(tracker, dialogues, schema, hide_system_acts=hidden)
    result = {
        "overall": score.overall.percent,
        "select": score.select.percent,
        "by_type": {str(kind): share.percent for kind, share in sorted(score.by_type.items())},
        "turns": score.overall.total,
        "select_turns": score.select.total,
        "intervals": {
            "overall": bootstrap(score.by_dialogue, lambda share: share.percent),
            "select": wilson_of(score.select),
        },
        "interval": f"{BOOTSTRAP}; Select turns: Wilson",
        "model": model,
        "protocol": protocol,
        "inputs": INPUTS[model],
        "world": corpus.world_name,
        "language": pack.code,
        "sha256": corpus.digest,
    }
    if as_json:
        print_json(result)
        return
    rows = [
        ["overall", percent(score.overall.percent)],
        ["Select turns", percent(score.select.percent)],
    ]
    rows += [[str(kind), percent(share.percent)] for kind, share in sorted(score.by_type.items())]
    print_table(f"State tracking, {model}, {protocol}", ["", "joint accuracy %"], rows)


def _refuse_unknown(model: str) -> None:
    if model not in INPUTS:
        raise InputError(
            f"there is no tracker called {model!r}", remedy=f"Known: {', '.join(INPUTS)}."
        )


def _build(
    model: str,
    schema: "Schema",
    language: "LanguagePack",
    corpus: FittingCorpus,
    models: Path | None,
    tables: Path | None,
) -> "Tracker":
    from crosstalk.model_folders import find_model

    if model == "rule":
        from crosstalk.system.dst.rule import RuleTracker

        return RuleTracker(schema, language)
    folder = find_model("dst", models, world=corpus.world_name)
    from crosstalk.database.queries import Database
    from crosstalk.system.dst.edits import EditTracker

    world = spoken_world(corpus.world, corpus.language, tables)
    return EditTracker.load(folder, Database(world))
