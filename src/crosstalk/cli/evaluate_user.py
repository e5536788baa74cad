"""`crosstalk evaluate user`: simulated users against people, turn by turn."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, CorpusOption, Models, Protocol, Seed, World
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.dialogue.languages import LanguagePack
    from crosstalk.dialogue.schema import Schema
    from crosstalk.evaluation.users import UserScore, UserScores
    from crosstalk.users.simulator import Simulator

INPUTS = "goal, gold state and acts of the user's last turn, gold system acts"
PROTOCOLS = ("paper", "corrected")
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="Passes with different draws (rule).")]


def evaluate_user(
    data: CorpusOption,
    model: Annotated[str, typer.Option("--model", help="rule | best")] = "best",
    protocol: Protocol = "corrected",
    seeds: Seeds = 5,
    seed: Seed = 1,
    any_order: Annotated[
        bool, typer.Option("--any-order", help="Lists are equal in any order (published: not).")
    ] = False,
    world: World = "crosswoz",
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Joint state accuracy and act F1 (the Simulator rows of the paper's Table 8).

    `paper` judges the rules as published, with goals that stay relaxed once they are; `corrected`
    judges the mended rules on the goals as given. Our learned user draws nothing at random and is
    judged once.
    """
    from crosstalk.database.worlds import load_schema
    from crosstalk.evaluation.users import score_user
    from crosstalk.files import sha256_of
    from crosstalk.formats.corpus import corpus_file, read_corpus

    _check_protocol(protocol)
    schema, language = load_schema(world)
    user = _build(model, schema, language, published=protocol == "paper", models=models)
    dialogues = list(track(read_corpus(data), doing="reading"))
    refuse_other_world(dialogues, schema, data, world)
    published = model == "rule" and protocol == "paper"
    draws = range(seed, seed + (seeds if model == "rule" else 1))
    scores = [
        score_user(user, dialogues, Random(number), keep_changes=published, ordered=not any_order)
        for number in track(draws, doing="judging")
    ]
    _refuse_empty(scores[0], data)
    result = {
        **_summary(scores),
        "model": model,
        "protocol": protocol,
        "seeds": list(draws),
        "list_order": "any" if any_order else "as stored",
        "inputs": INPUTS,
        "sha256": sha256_of(corpus_file(data)),
    }
    if as_json:
        print_json(result)
    else:
        _show(f"Simulated user, {model}, {protocol}", result)


def refuse_other_world(
    dialogues: Sequence["Dialogue"], schema: "Schema", data: Path, world: str
) -> None:
    """Where the slots' kinds are unknown, figures would be low and nobody would know why."""
    for dialogue in dialogues:
        for each in dialogue.goal.tuples if dialogue.goal else ():
            if schema.domain(each.domain) is None:
                raise InputError(
                    f"{data}: dialogue {dialogue.id}: the goal speaks of the domain {each.domain}, "
                    f"which the world {world} does not have",
                    remedy="Name the corpus's own world with --world.",
                )


def _check_protocol(protocol: str) -> None:
    if protocol not in PROTOCOLS:
        raise InputError(
            f"there is no protocol called {protocol!r}", remedy=f"Known: {', '.join(PROTOCOLS)}."
        )


def _build(
    model: str,
    schema: "Schema",
    language: "LanguagePack",
    *,
    published: bool,
    models: Path | None,
) -> "Simulator":
    match model:
        case "rule":
            from crosstalk.users.rule import RuleUser

            return RuleUser(schema, language, published=published)
        case "best":
            from crosstalk.model_folders import find_model
            from crosstalk.users.model import NAME, load_model
            from crosstalk.users.predicted import PredictedUser

            return PredictedUser(schema, language, load_model(find_model(NAME, models)))
        case _:
            raise InputError(f"there is no user called {model!r}", remedy="Known: rule, best.")


def _refuse_empty(scores: "UserScores", data: Path) -> None:
    if not scores.overall.states.total:
        raise InputError(
            f"{data}: no dialogue with a goal and user states to judge against",
            remedy="Give a corpus with goals, such as CrossWOZ.",
        )


def _summary(scores: Sequence["UserScores"]) -> dict[str, Any]:
    from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap

    overall = [each.overall for each in scores]
    kinds = sorted({kind for each in scores for kind in each.by_type})
    by_type = {str(kind): _means([each.by_type[kind] for each in scores]) for kind in kinds}
    return {
        **_means(overall),
        "by_type": by_type,
        "spread": {key: _over(overall, read, pstdev) for key, read in FIGURES.items()},
        "states": overall[0].states.total,
        "intervals": {key: bootstrap(scores[0].by_dialogue, read) for key, read in FIGURES.items()},
        "interval": f"{BOOTSTRAP}, first seed",
    }


FIGURES: dict[str, Callable[["UserScore"], float | None]] = {
    "state_accuracy": lambda score: score.states.percent,
    "act_f1": lambda score: score.acts.f1,
}


def _means(scores: Sequence["UserScore"]) -> dict[str, float | None]:
    return {key: _over(scores, read, fmean) for key, read in FIGURES.items()}


def _over(
    scores: Sequence["UserScore"],
    read: Callable[["UserScore"], float | None],
    reduce: Callable[[list[float]], float],
) -> float | None:
    values = [value for score in scores if (value := read(score)) is not None]
    return reduce(values) if values else None


def _show(title: str, result: dict[str, Any]) -> None:
    rows = [("overall", result), *result["by_type"].items()]
    print_table(
        title,
        ["", "state accuracy %", "act F1 %"],
        [[name, percent(row["state_accuracy"]), percent(row["act_f1"])] for name, row in rows],
    )
