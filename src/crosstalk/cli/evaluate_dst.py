"""`crosstalk evaluate dst`: single-turn state tracking on a corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson, CorpusOption, Models, Protocol, World
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.languages import LanguagePack
    from crosstalk.dialogue.schema import Schema
    from crosstalk.system.dst.tracker import Tracker

INPUTS = {
    "rule": "gold form before, gold user acts",
    "best": "gold form before, gold acts, texts, forms and selections of all earlier turns",
}


def evaluate_dst(
    data: CorpusOption,
    model: Annotated[str, typer.Option("--model", help="rule | best")] = "best",
    protocol: Protocol = "corrected",
    world: World = "crosswoz",
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy over the 26 fields of the form (RuleDST's row in Table 8 of the paper).

    `paper` withholds the system's acts from the rules, as the published evaluation does;
    `corrected` shows them. Our tracker reads what the row of inputs says under either.
    """
    from crosstalk.database.worlds import load_schema
    from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap, wilson_of
    from crosstalk.evaluation.tracking import score_tracking
    from crosstalk.files import sha256_of
    from crosstalk.formats.corpus import corpus_file, read_corpus

    schema, language = load_schema(world)
    tracker = _build(model, schema, language, models)
    dialogues = track(read_corpus(data), doing="tracking")
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
        "sha256": sha256_of(corpus_file(data)),
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


def _build(
    model: str, schema: "Schema", language: "LanguagePack", models: Path | None
) -> "Tracker":
    from crosstalk.model_folders import find_model

    match model:
        case "rule":
            from crosstalk.system.dst.rule import RuleTracker

            return RuleTracker(schema, language)
        case "best":
            folder = find_model("dst", models)
            from crosstalk.system.dst.edits import EditTracker

            return EditTracker.load(folder, schema, language)
        case _:
            raise InputError(f"there is no tracker called {model!r}", remedy="Known: rule, best.")
