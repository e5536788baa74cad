"""Languages side by side: what the same goals came to in each, and how far each is behind."""

from collections.abc import Mapping, Sequence
from typing import Any

from crosstalk.evaluation.scores import wilson
from crosstalk.evaluation.success_rates import Tally
from crosstalk.reports.summary import RunSummary, plain

LANGUAGE = "language"


def are_languages(summaries: Sequence[RunSummary]) -> bool:
    """Whether runs are about the same goals and parts, and differ by language alone."""
    languages = {summary.run.card.setup[LANGUAGE] for summary in summaries}
    return len(languages) == len(summaries) > 1 and len({_rest(each) for each in summaries}) == 1


def _rest(summary: RunSummary) -> str:
    card = summary.run.card
    others = {key: value for key, value in card.setup.items() if key != LANGUAGE}
    return str((sorted(others.items()), sorted(card.plan.items())))


def language_rows(summaries: Sequence[RunSummary]) -> list[list[str]]:
    """Language, finish, success with its interval, and points of success behind the best."""
    best = max(_percent(each.judgement.everything, "success") for each in summaries)
    return [_row(summary, best) for summary in summaries]


def _row(summary: RunSummary, best: float) -> list[str]:
    tally = summary.judgement.everything
    low, high = wilson(tally.success.right, tally.success.total)
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


def plain_runs(summaries: Sequence[RunSummary]) -> dict[str, Any]:
    """Several runs for programs; where they are one in several languages, these side by side."""
    told: dict[str, Any] = {"runs": [plain(summary) for summary in summaries]}
    if are_languages(summaries):
        told["by_language"] = _plain_languages(summaries)
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
