"""Joint goal accuracy by shots, languages side by side: the published tables, and their figure.

What goes in is what `crosstalk transfer dst --json` prints. Published figures are of Multi2WOZ
itself, other dialogues and other values than those of MultiWOZ-ZH: they stand beside ours to be
looked at, not to be compared digit by digit.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crosstalk.files import writing_binary

Result = Mapping[str, Any]
SHARES: Final = (0, 1, 5, 10, 50, 100)
PUBLISHED: Final = {
    "Multi2WOZ ZH, published (TLM+RS-Mono)": (4.47, 11.63, 14.90, 17.97, 22.81, 28.84),
    "Multi2WOZ ZH, published (Mono-CC)": (3.34, 11.64, 19.73, 25.46, 34.93, 35.61),
}


def rows_of(results: Sequence[Result]) -> list[list[str]]:
    """One row a task and model, one column a share; a dash where nothing was run."""
    lines = {}
    for name, points in curves(results).items():
        lines[name] = [f"{points[share]:.2f}" if share in points else "-" for share in SHARES]
    if any(result["target"] == "zh" for result in results):
        lines |= {name: [f"{each:.2f}" for each in row] for name, row in PUBLISHED.items()}
    return [[name, *cells] for name, cells in lines.items()]


def header() -> list[str]:
    return ["joint goal accuracy", *(f"{share} %" for share in SHARES)]


def curves(results: Sequence[Result]) -> dict[str, dict[int, float]]:
    """Task and model -> share -> joint goal accuracy; a later result replaces an earlier one."""
    found: dict[str, dict[int, float]] = {}
    for result in sorted(results, key=lambda each: (each["target"], each["model"], each["shots"])):
        paper = ", selected on the target" if result["protocol"] == "paper" else ""
        name = f"{result['task']}, {result['model']}{paper}"
        found.setdefault(name, {})[result["shots"]] = result["joint_goal_accuracy"]
    return found


def draw_shots(results: Sequence[Result], path: Path) -> None:
    """Figure 1: a line a task and model. Written as the file's ending says: .svg, .pdf or .png."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    places = {share: place for place, share in enumerate(SHARES)}
    for name, points in curves(results).items():
        axes.plot([places[share] for share in points], list(points.values()), "o-", label=name)
    if any(result["target"] == "zh" for result in results):
        for name, row in PUBLISHED.items():
            axes.plot(range(len(SHARES)), row, "x:", label=name, alpha=0.7)
    axes.set_xticks(range(len(SHARES)), [f"{share}" for share in SHARES])
    axes.set_xlabel("percent of the target's dialogues")
    axes.set_ylabel("joint goal accuracy, %")
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    with writing_binary(path) as out:
        figure.savefig(out, format=path.suffix.removeprefix(".") or "svg")
