"""`crosstalk annotate agreement`: how far annotators agree."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import print_json, print_table, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.annotation.matching import LeftOut, Matched
    from crosstalk.evaluation.agreement import Agreement, BySide, Figure, PairAgreement

SHOWN = 3
UNITS = {
    "acts": "turn x (intent, domain, slot) of the labels given to that side, present or absent",
    "states": "cell of a turn's table or form, by what stands in it",
}

Files = Annotated[list[Path], typer.Argument(help="Two or more annotations, in any format.")]
Gold = Annotated[
    Path | None, typer.Option("--gold", help="The adjudicated version, to compare each with.")
]
Samples = Annotated[
    int, typer.Option("--samples", min=1, help="Bootstrap samples for the intervals.")
]


def agreement(
    files: Files,
    gold: Gold = None,
    seed: Seed = 0,
    samples: Samples = 1000,
    as_json: AsJson = False,
) -> None:
    """Compare annotations of the same dialogues: act F1, state accuracy, kappa, alpha.

    Dialogues are matched by id; those that are missing or have other turns are named.
    """
    from crosstalk.evaluation.agreement import Bootstrap
    from crosstalk.evaluation.agreement import agreement as agree

    if len(files) < 2 and gold is None:
        raise InputError("one annotation alone", remedy="Give two files or more, or --gold.")
    matched = matched_files([*files, *([gold] if gold else [])])
    found = agree(
        matched, gold=matched.names[-1] if gold else "", bootstrap=Bootstrap(seed, samples)
    )
    if as_json:
        print_json(_figures(found, matched, seed, samples))
    else:
        tell_left_out(matched.left_out)
        _tell(found)


def matched_files(files: list[Path]) -> "Matched":
    """The corpora of several files, brought together; a file's name is its annotator's."""
    from crosstalk.annotation.matching import match
    from crosstalk.formats.corpus import read_corpus

    if len(set(files)) < len(files):
        raise InputError("the same file is given twice", remedy="Give each annotation once.")
    return match({str(file): read_corpus(file) for file in files})


def tell_left_out(left_out: "tuple[LeftOut, ...]") -> None:
    for each in left_out[:SHOWN]:
        warn(f"left out: {each}")
    if len(left_out) > SHOWN:
        warn(f"... and {len(left_out) - SHOWN} more")


def _figures(found: "Agreement", matched: "Matched", seed: int, samples: int) -> dict[str, Any]:
    return {
        "dialogues": found.dialogues,
        "pairs": [_pair(pair) for pair in found.pairs],
        "against_gold": [_pair(pair) for pair in found.against_gold],
        "fleiss": {"acts": _figure(found.act_fleiss), "states": _figure(found.state_fleiss)},
        "alpha": {"acts": _figure(found.act_alpha), "states": _figure(found.state_alpha)},
        "units": UNITS,
        "bootstrap": {"samples": samples, "seed": seed, "drawn": "dialogues", "interval": 95},
        "left_out": [
            {"dialogue": each.dialogue, "annotation": each.annotation, "why": each.why}
            for each in matched.left_out
        ],
    }


def _pair(pair: "PairAgreement") -> dict[str, Any]:
    return {
        "a": pair.names[0],
        "b": pair.names[1],
        "dialogues": pair.dialogues,
        "act_f1": _sides(pair.act_f1),
        "state_accuracy": _sides(pair.state_accuracy),
        "cohen": {"acts": _figure(pair.act_kappa), "states": _figure(pair.state_kappa)},
    }


def _sides(figures: "BySide") -> dict[str, Any]:
    return {
        "overall": _figure(figures.overall),
        "user": _figure(figures.user),
        "system": _figure(figures.system),
    }


def _figure(figure: "Figure") -> dict[str, Any]:
    low, high = figure.low, figure.high
    span = None if low is None or high is None else [round(low, 4), round(high, 4)]
    return {"value": None if figure.value is None else round(figure.value, 4), "interval": span}


def _tell(found: "Agreement") -> None:
    header = ["", "", "95 % interval"]
    for pair in (*found.pairs, *found.against_gold):
        left, right = (Path(name).name for name in pair.names)
        print_table(f"{left} : {right}, {pair.dialogues:,} dialogues", header, _rows(pair))
    if found.pairs:
        together = {
            "Fleiss' kappa, acts": found.act_fleiss,
            "Fleiss' kappa, states": found.state_fleiss,
            "Krippendorff's alpha, acts": found.act_alpha,
            "Krippendorff's alpha, states": found.state_alpha,
        }
        rows = [_row(name, figure, 3) for name, figure in together.items()]
        print_table(f"All together, {found.dialogues:,} dialogues", header, rows)


def _rows(pair: "PairAgreement") -> list[list[str]]:
    acts, states = pair.act_f1, pair.state_accuracy
    return [
        _row("act F1 %", acts.overall, 2),
        _row("  user", acts.user, 2),
        _row("  system", acts.system, 2),
        _row("joint state accuracy %", states.overall, 2),
        _row("  user", states.user, 2),
        _row("  system", states.system, 2),
        _row("Cohen's kappa, acts", pair.act_kappa, 3),
        _row("Cohen's kappa, states", pair.state_kappa, 3),
    ]


def _row(name: str, figure: "Figure", digits: int) -> list[str]:
    if figure.value is None:
        return [name, "-", ""]
    span = f"{figure.low:.{digits}f} to {figure.high:.{digits}f}"
    return [name, f"{figure.value:.{digits}f}", span]
