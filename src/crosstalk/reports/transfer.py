"""Response retrieval across languages: tables and the figure of shots, languages side by side.

Reads what `crosstalk transfer retrieve --json` printed. Published figures are of Multi2WOZ itself;
ours are of whatever data the results name, so the two are never in one row.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_json, writing_binary

SHARES: Final = (0, 1, 5, 10, 50, 100)
FIGURES: Final = (".svg", ".pdf", ".png")
PUBLISHED: Final = Path(__file__).with_name("transfer_published.toml")


@dataclass(frozen=True, slots=True)
class Curve:
    """R_100@1 of one model in one language, by share of shots."""

    name: str
    language: str
    values: Mapping[int, float]
    is_published: bool = False


def read_results(files: Iterable[Path]) -> list[Curve]:
    found: dict[tuple[str, str], dict[int, float]] = {}
    for file in files:
        raw = read_json(file)
        try:
            key = f"{raw['model']}, {raw['data']}", str(raw["target"])
            found.setdefault(key, {})[int(raw["shots"])] = float(raw["r100@1"])
        except (KeyError, TypeError, ValueError) as error:
            raise FileProblem(
                f"{file}: not what `crosstalk transfer retrieve --json` prints",
                remedy="Keep its output in a file, and give that.",
            ) from error
    return [Curve(name, language, values) for (name, language), values in found.items()]


def published_curves(languages: Iterable[str]) -> list[Curve]:
    wanted = set(languages)
    raw: list[dict[str, Any]] = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["figures"]
    return [
        Curve(
            f"{each['name']} (paper, Multi2WOZ)",
            each["language"],
            {int(share): value for share, value in each["values"].items()},
            is_published=True,
        )
        for each in raw
        if each["language"] in wanted
    ]


def table(curves: Sequence[Curve]) -> tuple[list[str], list[list[str]]]:
    """Header and rows: a model a row, for each language a column a share."""
    languages = sorted({curve.language for curve in curves})
    header = ["", *(f"{language} {share} %" for language in languages for share in SHARES)]
    rows = []
    for name in dict.fromkeys(curve.name for curve in curves):
        values = {curve.language: curve.values for curve in curves if curve.name == name}
        cells = [values.get(language, {}).get(share) for language in languages for share in SHARES]
        rows.append([name, *("-" if each is None else f"{each:.1f}" for each in cells)])
    return header, rows


def draw(curves: Sequence[Curve], file: Path) -> None:
    """Figure 1: a panel a language, shots to the right, R_100@1 upwards; SVG, PDF or PNG."""
    if file.suffix not in FIGURES:
        raise InputError(
            f"--figure {file}: not a kind of figure we draw",
            remedy=f"Give a name that ends in {', '.join(FIGURES)}.",
        )
    from matplotlib.figure import Figure

    languages = sorted({curve.language for curve in curves})
    figure = Figure(figsize=(4.5 * len(languages), 3.6), layout="constrained")
    panels = figure.subplots(1, len(languages), sharey=True, squeeze=False)[0]
    for panel, language in zip(panels, languages, strict=True):
        for curve in (each for each in curves if each.language == language):
            shares = [share for share in SHARES if share in curve.values]
            places = [SHARES.index(share) for share in shares]
            style = "--" if curve.is_published else "-"
            heights = [curve.values[share] for share in shares]
            panel.plot(places, heights, style, marker="o", label=curve.name)
        panel.set_xticks(range(len(SHARES)), [f"{share} %" for share in SHARES])
        panel.set_title(language)
        panel.legend(fontsize=6)
    panels[0].set_ylabel("R_100@1")
    with writing_binary(file) as raw:
        figure.savefig(raw, format=file.suffix.removeprefix("."))
