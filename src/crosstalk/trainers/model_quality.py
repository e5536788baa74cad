"""The held-out figure of each trained model, with a warning if it is weak.

The card of a weak model says so, and `best` skips it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.nlu_scores import score_understanding
from crosstalk.model_folders import WEAK, read_card
from crosstalk.reports.run_summary import summarise
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.system.build import WORDS
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.training.reporter import Reporter
from crosstalk.training.steps import METRICS, read_metrics

F1: Final = "held-out f1"
LEAST_F1: Final = 90.0
LEAST_PRECISION: Final = 80.0
LEAST_SUCCESS: Final = 90.0
TALKS: Final = 50
MORE: Final = (
    "Write more sentences into templates/<language>.toml and what people call things into "
    "assistant/<language>.toml and phrases/<language>.toml of the world, or give --practice a "
    "larger number."
)


@dataclass(frozen=True, slots=True)
class HeldOutFigure:
    """A score of a model on held-out data, and the usual minimum."""

    what: str
    value: float
    least: float

    @property
    def is_weak(self) -> bool:
        return self.value < self.least

    def told(self) -> str:
        return f"{self.what} {self.value:.1f}"


def held_out_figures(understanding: RankedNLU, dialogues: Iterable[Dialogue]) -> dict[str, Any]:
    """Figures for the card of an NLU."""
    f1 = score_understanding(understanding.understand_all, dialogues).overall.f1 or 0.0
    return {F1: round(f1, 2), WEAK: f1 < LEAST_F1}


def figure_of(folder: Path) -> HeldOutFigure | None:
    """The held-out figure of a trained model; None if there is none."""
    card = read_card(folder)
    f1 = card.get("figures", {}).get(F1)
    if f1 is not None:
        return HeldOutFigure("F1 on simulated dialogues it did not learn from:", f1, LEAST_F1)
    if card.get("kind") not in ("dst", "policy", "user") or not (folder / METRICS).exists():
        return None
    last = {
        step.get("part", ""): step["score"]
        for step in read_metrics(folder / METRICS)
        if step.get("score") is not None
    }
    if not last:
        return None
    what = "average precision on one dialogue in ten, held out (the worst part):"
    return HeldOutFigure(what, min(last.values()), LEAST_PRECISION)


def report_weakness(folder: Path, reporter: Reporter) -> None:
    """Report the figure of a model, and what to do if it is weak."""
    found = figure_of(folder)
    if found is None:
        reporter.notice(f"{folder.name}: no held-out figure; judge it with `crosstalk evaluate`")
        return
    reporter.notice(f"{folder.name}: {found.told()}")
    if found.is_weak:
        reporter.notice(
            f"{folder.name} is WEAK: {found.what} {found.value:.1f}; {found.least:.0f} and more "
            f"are normal. {MORE}"
        )


def report_failures(
    world: str,
    language: str | None,
    models: Path,
    data: Path | None,
    seed: int,
    reporter: Reporter,
) -> HeldOutFigure:
    """Simulate conversations in words with the `best` modules; report how many succeed."""
    setup = Setup(
        world, language, data, models, user="rule", level=WORDS, user_nlg="template", seed=seed
    )
    with TemporaryDirectory() as place:
        run = Path(place) / "run"
        simulate(Plan(seed=seed, count=TALKS), setup, SessionRules(seed=seed), run)
        judged = summarise(run).judgement.everything
    value = 100 * judged.success.right / judged.dialogues
    what = f"verified success of {TALKS} simulated conversations in words, in percent:"
    found = HeldOutFigure(what, value, LEAST_SUCCESS)
    reporter.notice(found.told())
    if found.is_weak:
        reporter.notice(f"that is WEAK: {LEAST_SUCCESS:.0f} and more are normal. {MORE}")
    return found
