"""`crosstalk translate agreement`: what two annotators accept, and how far they agree."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.agreement import Figure
    from crosstalk.evaluation.quality_control import ControlReport, Pair, QuestionAgreement
    from crosstalk.translation.appendix_b import Judgement

SHOWN = 3
WHY = "both annotators always gave the same answer: kappa is 0/0 and not defined"
SPLITS = ("train", "dev", "val", "test")
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

First = Annotated[Path, typer.Argument(help="The first annotator's file, or a folder of files.")]
Second = Annotated[Path, typer.Argument(help="The second annotator's; folders pair by file name.")]
Samples = Annotated[
    int, typer.Option("--samples", min=1, help="Bootstrap samples for the intervals.")
]


def agreement(
    first: First,
    second: Second,
    seed: options.Seed = 0,
    samples: Samples = 1000,
    as_json: options.AsJson = False,
) -> None:
    """Compare two annotators (Appendix B): share accepted, agreement, kappa, PABAK, AC1.

    Per language and split where records say them (`language`, `split`) or file names do.
    """
    from crosstalk.evaluation.agreement import Bootstrap
    from crosstalk.evaluation.quality_control import by_group, judge_agreement

    by = Bootstrap(seed, samples)
    pairs, left_out = _pairs(first, second)
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
    _tell("All", overall)
    for name, report in groups.items():
        if report != overall:  # one language of one split is all there is
            _tell(name, report)


def _pairs(first: Path, second: Path) -> "tuple[list[Pair], list[str]]":
    pairs: list[Pair] = []
    left_out: list[str] = []
    for one, other in _files(first, second):
        found, missing = _matched(one, other)
        pairs += found
        left_out += missing
    return pairs, left_out


def _files(first: Path, second: Path) -> list[tuple[Path, Path]]:
    if first.resolve() == second.resolve():
        raise InputError("the same annotator is given twice", remedy="Give two files.")
    if first.is_dir() != second.is_dir():
        raise InputError("a file and a folder", remedy="Give two files, or two folders.")
    if not first.is_dir():
        return [(first, second)]
    names = sorted({path.name for path in first.glob("*.json")})
    there = {path.name for path in second.glob("*.json")}
    if missing := [name for name in names if name not in there] + sorted(there - set(names)):
        raise InputError(
            f"only one annotator has {missing[0]}", remedy="Give folders with the same files."
        )
    if not names:
        raise InputError(f"{first} has no .json file", remedy="Give the folder of one annotator.")
    return [(first / name, second / name) for name in names]


def _matched(one: Path, other: Path) -> "tuple[list[Pair], list[str]]":
    from crosstalk.evaluation.quality_control import Pair
    from crosstalk.translation.appendix_b import read_judgements

    mine = {each.key: each for each in read_judgements(one)}
    theirs = {each.key: each for each in read_judgements(other)}
    pairs = []
    for key, left in mine.items():
        if (right := theirs.get(key)) is None:
            continue
        language, split = _about(left, one)
        pairs.append(
            Pair(
                left.dialogue,
                language,
                split,
                (left.acceptable, right.acceptable),
                (left.values_match, right.values_match),
                bool(left.values),
            )
        )
    return pairs, list(_missing(mine, theirs, one, other))


def _missing(
    mine: "dict[tuple[str, int], Judgement]",
    theirs: "dict[tuple[str, int], Judgement]",
    one: Path,
    other: Path,
) -> Iterator[str]:
    for here, there, file in ((mine, theirs, other), (theirs, mine, one)):
        for dialogue, turn in here:
            if (dialogue, turn) not in there:
                yield f"dialogue {dialogue}, turn {turn}: not in {file}"
    for judgements, file in ((mine, one), (theirs, other)):
        for each in judgements.values():
            if not each.finished and each.key in mine and each.key in theirs:
                yield f"dialogue {each.dialogue}, turn {each.turn}: not answered in {file}"


def _about(judgement: "Judgement", file: Path) -> tuple[str, str]:
    """Language and split, as the record or the file's name says: `dev-de.json`."""
    parts = file.stem.lower().replace("_", "-").split("-")
    codes = [
        part for part in parts if part in ("de", "ar", "zh", "cn", "ru", "en", "it", "fr", "es")
    ]
    splits = [part for part in parts if part in SPLITS]
    return (
        judgement.language or next(iter(codes), ""),
        judgement.split or next(iter(splits), ""),
    )


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
