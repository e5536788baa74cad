"""`crosstalk logs evaluate`: methods against days whose links people wrote down."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.chatlogs.thread_filter import SURE
from crosstalk.cli.logs_extract import (
    MethodName,
    QuestionChain,
    ReadingName,
    Silence,
    Sure,
    build_settings,
)
from crosstalk.cli.logs_stats import tell_problems
from crosstalk.cli.options import AsJson, Models
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.cli.threads import one_thread_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crosstalk.chatlogs.annotated import Annotated as AnnotatedDay
    from crosstalk.evaluation.chatlogs import LinkScores


def evaluate(
    logs: Annotated[
        Path, typer.Argument(help="Folder or zip of NAME.raw.txt with NAME.annotation.txt.")
    ],
    method: MethodName = "links",
    reading: ReadingName = "overlap",
    question_chain: QuestionChain = False,
    silence: Silence = None,
    sure: Sure = SURE,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Links, conversations and two-person dialogues, as the field scores them.

    Every day is judged on its own; conversations that began before its annotated part are cut
    there.
    """
    one_thread_each()
    from crosstalk.chatlogs.annotated import read_annotated
    from crosstalk.chatlogs.methods import build_extractor
    from crosstalk.evaluation.chatlogs import judge

    settings = build_settings(method, reading, question_chain, silence, models, sure)
    problems: list[str] = []
    days = track(_noting(read_annotated(logs), problems), doing="judging")
    scores = judge(days, lambda: build_extractor(settings), sure=sure)
    if as_json:
        print_json({**settings.record(), **score_record(scores), "problems": problems})
    else:
        _print(method, scores)
        tell_problems(problems)


def _noting(days: "Iterator[AnnotatedDay]", problems: list[str]) -> "Iterator[AnnotatedDay]":
    for day in days:
        problems += day.problems
        yield day


def score_record(scores: "LinkScores") -> dict[str, Any]:
    from crosstalk.evaluation.rates import bootstrap

    separation, two = scores.separation, scores.two_person
    return {
        "lines": separation.lines,
        "link": {"p": scores.link.precision, "r": scores.link.recall, "f": scores.link.f1},
        "vi": separation.variation,
        "one_to_one": separation.one_to_one,
        "exact": {
            "p": separation.exact.precision,
            "r": separation.exact.recall,
            "f": separation.exact.f1,
        },
        "two_person": {
            "dialogues": two.true_start.total,
            "exact_or_prefix": two.exact_or_prefix.percent,
            "purity": two.purity.percent,
            "true_start": two.true_start.percent,
        },
        "intervals": {name: bootstrap(scores.by_day, read) for name, read in FIGURES.items()},
        "interval": f"95 %, bootstrap over the {len(scores.by_day)} days",
    }


FIGURES: dict[str, "Callable[[LinkScores], float | None]"] = {
    "link_f": lambda scores: scores.link.f1,
    "vi": lambda scores: scores.separation.variation,
    "one_to_one": lambda scores: scores.separation.one_to_one,
    "exact_f": lambda scores: scores.separation.exact.f1,
    "exact_or_prefix": lambda scores: scores.two_person.exact_or_prefix.percent,
    "purity": lambda scores: scores.two_person.purity.percent,
    "true_start": lambda scores: scores.two_person.true_start.percent,
}


def _print(method: str, scores: "LinkScores") -> None:
    separation, two = scores.separation, scores.two_person
    rows = [
        ["link precision", percent(scores.link.precision)],
        ["link recall", percent(scores.link.recall)],
        ["link F", percent(scores.link.f1)],
        ["variation of information", percent(separation.variation)],
        ["one-to-one", percent(separation.one_to_one)],
        ["exact conversations, precision", percent(separation.exact.precision)],
        ["exact conversations, recall", percent(separation.exact.recall)],
        ["exact conversations, F", percent(separation.exact.f1)],
        ["two-person dialogues", str(two.true_start.total)],
        ["... exact or a true prefix", percent(two.exact_or_prefix.percent)],
        ["... purity of lines", percent(two.purity.percent)],
        ["... true start", percent(two.true_start.percent)],
    ]
    print_table(f"{method}, {separation.lines:,} annotated lines", ["", "%"], rows)
