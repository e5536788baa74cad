"""`crosstalk evaluate user`: simulated users against people, turn by turn."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.evaluation_parts import Model, evaluation_world, part_to_judge, read_fitting
from crosstalk.cli.options import (
    AsJson,
    CorpusOption,
    CorpusWorld,
    Language,
    Models,
    Protocol,
    Seed,
)
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.users import UserScore, UserScores

INPUTS = "goal, gold state and acts of the user's last turn, gold system acts"
PROTOCOLS = ("paper", "corrected")
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="Passes with different draws (rule).")]


def evaluate_user(
    data: CorpusOption,
    model: Model = "best",
    protocol: Protocol = "corrected",
    seeds: Seeds = 5,
    seed: Seed = 1,
    any_order: Annotated[
        bool, typer.Option("--any-order", help="Lists are equal in any order (published: not).")
    ] = False,
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Joint state accuracy and act F1 (the Simulator rows of the paper's Table 8).

    `paper` judges the rules as published, with goals that stay relaxed once they are; `corrected`
    judges the mended rules on the goals as given. Our learned user draws nothing at random and is
    judged once.
    """
    from crosstalk.evaluation.users import score_user

    _check_protocol(protocol)
    corpus = read_fitting(data, world, language)
    built = part_to_judge("user", model, evaluation_world(corpus, None, models, protocol))
    user = built.part
    keep = built.name == "rule" and protocol == "paper"
    draws = range(seed, seed + (1 if built.name == "trees" else seeds))
    scores = [
        score_user(user, corpus.dialogues, Random(number), keep_changes=keep, ordered=not any_order)
        for number in track(draws, doing="judging")
    ]
    _refuse_empty(scores[0], data)
    result = {
        **_summary(scores),
        "model": model,
        "part": built.name,
        "protocol": protocol,
        "seeds": list(draws),
        "list_order": "any" if any_order else "as stored",
        "inputs": INPUTS,
        "world": corpus.world_name,
        "sha256": corpus.digest,
    }
    if as_json:
        print_json(result)
    else:
        _show(f"Simulated user, {built.name}, {protocol}", result)


def _check_protocol(protocol: str) -> None:
    if protocol not in PROTOCOLS:
        raise InputError(
            f"there is no protocol called {protocol!r}", remedy=f"Known: {', '.join(PROTOCOLS)}."
        )


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
