"""`crosstalk translate agreement`: what two annotators accept, and how far they agree."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.agreement import Figure
    from crosstalk.evaluation.quality_control import ControlReport, Pair, QuestionAgreement

SHOWN = 3
WHY = "both annotators always gave the same answer: kappa is 0/0 and not defined"
TOLD = {"acceptable": "acceptable", "values_match": "values match", "both": "both"}
LINES = {
    "both say yes, %": ("accepted", 2),
    "same answer, %": ("agreement", 2),
    "Cohen's kappa": ("kappa", 3),
    "prevalence": ("prevalence", 3),
    "bias": ("bias", 3),
    "PABAK": ("pabak", 3),
    "Gwet's AC1": ("ac1", 3),
}

Judged = Annotated[
    list[Path],
    typer.Argument(help="Two files, two folders of files, or folders of `translate control`."),
]
Samples = Annotated[
    int, typer.Option("--samples", min=1, help="Bootstrap samples for the intervals.")
]


def agreement(
    judged: Judged,
    seed: options.Seed = 0,
    samples: Samples = 1000,
    as_json: options.AsJson = False,
) -> None:
    """Compare two annotators (Appendix B): share accepted, agreement, kappa, PABAK, AC1.

    Folders that `translate control` made hold both annotators; several are pooled. Per language and
    split where records say them (`language`, `split`) or file names do.
    """
    from crosstalk.evaluation.agreement import Bootstrap
    from crosstalk.evaluation.quality_control import by_group, judge_agreement

    by = Bootstrap(seed, samples)
    pairs, left_out = _pairs(judged)
    if not pairs:
        raise InputError(
            "the two share no utterance", remedy="Give files that were drawn together."
        )
    overall, groups = judge_agreement(pairs, by), by_group(pairs, by)
    if as_json:
        print_json(
            {
                "overall": _report(overall),
                "groups": {name: _report(report) for name, report in groups.items()},
                "left_out": left_out,
                "bootstrap": {"samples": samples, "seed": seed, "drawn": "dialogues"},
            }
        )
        return
    for line in left_out[:SHOWN]:
        warn(f"left out: {line}")
    if len(left_out) > SHOWN:
        warn(f"... and {len(left_out) - SHOWN} more")
    if not any(getattr(overall, question).units for question in TOLD):
        warn("there is no utterance that both have answered: every figure is a dash")
    _tell("All", overall)
    for name, report in groups.items():
        if report != overall:  # one language of one split is all there is
            _tell(name, report)


def _pairs(places: Sequence[Path]) -> "tuple[list[Pair], list[str]]":
    from crosstalk.evaluation.quality_control import Pair
    from crosstalk.translation.annotator_pairs import files_in_pairs, in_pairs

    pairs: list[Pair] = []
    left_out: list[str] = []
    for files in files_in_pairs(places):
        found, missing = in_pairs(*files)
        left_out += missing
        pairs += [
            Pair(
                each.first.dialogue,
                each.language,
                each.split,
                (each.first.acceptable, each.second.acceptable),
                (each.first.values_match, each.second.values_match),
                each.first.has_values,
            )
            for each in found
        ]
    return pairs, left_out


def _report(report: "ControlReport") -> dict[str, Any]:
    from crosstalk.evaluation.quality_control import QUESTIONS

    return {
        "dialogues": report.dialogues,
        "utterances": report.utterances,
        **{name: _question(getattr(report, name)) for name in QUESTIONS},
    }


def _question(found: "QuestionAgreement") -> dict[str, Any]:
    names = ("accepted", "agreement", "kappa", "prevalence", "bias", "pabak", "ac1")
    record: dict[str, Any] = {
        "units": found.units,
        "table": dict(zip(("yes_yes", "yes_no", "no_yes", "no_no"), found.table, strict=True)),
        **{name: _figure(getattr(found, name)) for name in names},
    }
    if found.units and found.kappa.value is None:
        record["kappa"]["undefined"] = WHY
    return record


def _figure(figure: "Figure") -> dict[str, Any]:
    low, high = figure.low, figure.high
    span = None if low is None or high is None else [round(low, 6), round(high, 6)]
    return {"value": None if figure.value is None else round(figure.value, 12), "interval": span}


def _tell(name: str, report: "ControlReport") -> None:
    """One line a figure, one column a question."""
    questions: list[QuestionAgreement] = [getattr(report, question) for question in TOLD]
    rows = [["answered", *(f"{each.units:,}" for each in questions)]]
    for title, (field, digits) in LINES.items():
        rows.append([title, *(_cell(getattr(each, field), digits) for each in questions)])
    title = f"{name}: {report.dialogues:,} dialogues, {report.utterances:,} utterances"
    print_table(title, ["95 % intervals", *TOLD.values()], rows)


def _cell(figure: "Figure", digits: int) -> str:
    if figure.value is None:
        return "-"
    span = "" if figure.low is None else f"\n{figure.low:.{digits}f} to {figure.high:.{digits}f}"
    return f"{figure.value:.{digits}f}{span}"
