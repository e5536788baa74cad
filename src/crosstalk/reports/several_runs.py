"""Several runs in one report: the same goals in several languages, or with other users or agents.

runs_record(summaries)["paired"]    each run against the first, goal by goal
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from crosstalk.evaluation.comparison import Comparison, compare, holm
from crosstalk.evaluation.scores import rounded
from crosstalk.evaluation.success_rates import Tally
from crosstalk.reports.run_summary import RunSummary, summary_record

LANGUAGE: Final = "language"
HEADER: Final = ["", "users", "goals", "success (%)", "difference", "95 % interval", "p"]


@dataclass(frozen=True, slots=True)
class PairedRun:
    """A run and what differs from the first one, on the goals that both have."""

    summary: RunSummary
    compared: Comparison
    p: float
    """Adjusted over all runs of the report (Holm)."""

    def row(self) -> list[str]:
        low, high = self.compared.interval or (0.0, 0.0)
        return [
            self.summary.run.folder.name,
            users_of(self.summary),
            f"{len(self.compared.a):,}",
            f"{100 * self.compared.rate_b:.1f}",
            f"{100 * self.compared.difference:+.1f}",
            f"{100 * low:+.1f} to {100 * high:+.1f}",
            f"{self.p:.4f}",
        ]

    def record(self) -> dict[str, Any]:
        """For programs; shares in percent."""
        limits = self.compared.interval
        return {
            "run": str(self.summary.run.folder),
            "users": users_of(self.summary),
            "goals": len(self.compared.a),
            "success": rounded(100 * self.compared.rate_b),
            "difference": rounded(100 * self.compared.difference),
            "interval": [rounded(100 * each) for each in limits] if limits else None,
            "p": round(self.p, 6),
            "lost": len(self.compared.lost),
            "won": len(self.compared.won),
        }


def users_of(summary: RunSummary) -> str:
    """What made the users of a run hard, such as `typos`."""
    return str(summary.run.card.setup.get("perturbation", "as they come"))


def paired_runs(summaries: Sequence[RunSummary]) -> list[PairedRun]:
    """All runs but the first that share goals with it."""
    first, *others = summaries
    found = [(each, compare(first.trials, each.trials)) for each in others]
    pairs = [(each, compared) for each, compared in found if compared.a]
    adjusted = holm([compared.p for _, compared in pairs])
    return [PairedRun(*pair, p) for pair, p in zip(pairs, adjusted, strict=True)]


# Languages


def are_languages(summaries: Sequence[RunSummary]) -> bool:
    """Whether runs have the same goals and parts and differ only by language."""
    languages = {summary.run.card.setup[LANGUAGE] for summary in summaries}
    return len(languages) == len(summaries) > 1 and len({_rest(each) for each in summaries}) == 1


def _rest(summary: RunSummary) -> str:
    card = summary.run.card
    others = {key: value for key, value in card.setup.items() if key != LANGUAGE}
    return str((sorted(others.items()), sorted(card.plan.items())))


def language_rows(summaries: Sequence[RunSummary]) -> list[list[str]]:
    """Language, finish, success with its interval, and the difference to the best."""
    best = max(_percent(each.judgement.everything, "success") for each in summaries)
    return [_row(summary, best) for summary in summaries]


def _row(summary: RunSummary, best: float) -> list[str]:
    tally = summary.judgement.everything
    found = tally.success_rate
    low, high = (found.low, found.high) if found else (0.0, 0.0)
    success = _percent(tally, "success")
    return [
        summary.run.card.setup[LANGUAGE],
        f"{tally.dialogues:,}",
        f"{_percent(tally, 'finish'):.1f}",
        f"{success:.1f}",
        f"{low:.0f}-{high:.0f}",
        "best" if success == best else f"{success - best:+.1f}",
    ]


def _percent(tally: Tally, measure: str) -> float:
    return getattr(tally, measure).percent or 0.0


# All of it


def runs_record(summaries: Sequence[RunSummary]) -> dict[str, Any]:
    """Several runs as JSON, those after the first compared with it."""
    told: dict[str, Any] = {"runs": [summary_record(summary) for summary in summaries]}
    if are_languages(summaries):
        told["by_language"] = _plain_languages(summaries)
    if pairs := paired_runs(summaries):
        told["paired"] = [each.record() for each in pairs]
    return told


def _plain_languages(summaries: Sequence[RunSummary]) -> Mapping[str, Mapping[str, float]]:
    best = max(_percent(each.judgement.everything, "success") for each in summaries)
    return {
        summary.run.card.setup[LANGUAGE]: {
            "finish": round(_percent(summary.judgement.everything, "finish"), 2),
            "success": round(_percent(summary.judgement.everything, "success"), 2),
            "gap": round(best - _percent(summary.judgement.everything, "success"), 2),
        }
        for summary in summaries
    }
