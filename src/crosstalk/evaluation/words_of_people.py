"""People's conversations judged twice: by the wishes they ticked, and by their words.

    judged_by_words(run, verdicts).note

A person may forget to tick a wish that was said, or tick one that was not. The rates of a run go by
the ticks, as training data and comparisons with simulated users do; what the words alone say stands
beside them, and where the two differ, somebody should look.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.evaluation.offline import judge_offline
from crosstalk.evaluation.offline_verdicts import VerdictCounts, count_verdicts
from crosstalk.evaluation.scores import rounded
from crosstalk.simulation.run_folders import Run

NAMED: Final = 5
"""Dialogues that a note names."""


@dataclass(frozen=True, slots=True)
class WordsOfPeople:
    """What the words of a run's people say."""

    counts: VerdictCounts
    differ: tuple[str, ...]
    """Dialogues that succeed by one measure and not by the other."""

    @property
    def success(self) -> float | None:
        """Percent; undecided dialogues count as failed."""
        return 100 * self.counts.rate[0] if self.counts.rate else None

    @property
    def note(self) -> str:
        """In a sentence or two."""
        counts = self.counts
        text = (
            f"By their words alone, {counts.succeeded:,} of {counts.transcripts:,} succeed and "
            f"{counts.undecided:,} are undecided"
        )
        if not self.differ:
            return f"{text}; both measures agree on every dialogue."
        named = ", ".join(self.differ[:NAMED]) + (", ..." if len(self.differ) > NAMED else "")
        return f"{text}; {len(self.differ):,} come out otherwise than by the ticks ({named})."

    def record(self) -> dict[str, Any]:
        """As JSON."""
        counts = self.counts
        return {
            "success": rounded(self.success),
            "succeeded": counts.succeeded,
            "failed": counts.failed,
            "undecided": counts.undecided,
            "unjudged": counts.unjudged,
            "differ": list(self.differ),
        }


def judged_by_words(
    run: Run, by_ticks: Mapping[str, bool], data: Path | None = None
) -> WordsOfPeople:
    """Judge a run by words; `by_ticks`: dialogue -> whether it succeeds by what people ticked."""
    verdicts = list(judge_offline(run.folder, data=data))
    judged = [each for each in verdicts if not each.error]
    differ = [each.id for each in judged if by_ticks.get(each.id) != bool(each.success)]
    return WordsOfPeople(count_verdicts(verdicts), tuple(differ))
