"""Tallies: the outcomes of many dialogues as counts that add."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.counts import Share
from crosstalk.evaluation.outcomes import Judge, Outcome, Reason
from crosstalk.evaluation.rates import (
    Mix,
    Rate,
    pass_hat,
    published_weights,
    rate,
    shares,
    weighted_rate,
)
from crosstalk.simulation.run_folders import Run
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class Tally:
    """Some dialogues, counted."""

    finish: Share = field(default_factory=Share)
    success: Share = field(default_factory=Share)
    turns: Counter[int] = field(default_factory=Counter)
    """Length in turns -> how many dialogues."""
    reasons: Counter[Reason] = field(default_factory=Counter)
    """Of the dialogues without success."""
    repeated: int = 0
    refused: int = 0
    """Dialogues in which the system said at least once that nothing matches."""
    refused_falsely: int = 0
    changed: int = 0
    """Dialogues in which some wish was given up."""
    tries: Counter[tuple[int, int]] = field(default_factory=Counter)
    """(successes, repeats) of a goal -> how many goals."""

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.finish + other.finish,
            self.success + other.success,
            self.turns + other.turns,
            self.reasons + other.reasons,
            self.repeated + other.repeated,
            self.refused + other.refused,
            self.refused_falsely + other.refused_falsely,
            self.changed + other.changed,
            self.tries + other.tries,
        )

    @property
    def dialogues(self) -> int:
        return self.finish.total

    @property
    def mean_turns(self) -> float | None:
        total = sum(length * count for length, count in self.turns.items())
        return total / self.dialogues if self.dialogues else None

    def pass_hat(self, k: int) -> float | None:
        """Mean over goals, in percent, of the chance that k repeats all succeed."""
        goals = {key: count for key, count in self.tries.items() if key[1] >= k}
        if not goals:
            return None
        sums = sum(pass_hat(won, tries, k) * count for (won, tries), count in goals.items())
        return 100 * sums / sum(goals.values())


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """The repeats of one goal, counted."""
    several = list(outcomes)
    wins = sum(outcome.success for outcome in several)
    return Tally(
        finish=Share(sum(outcome.finished for outcome in several), len(several)),
        success=Share(wins, len(several)),
        turns=Counter(outcome.turns for outcome in several),
        reasons=Counter(outcome.reason for outcome in several if outcome.reason),
        repeated=sum(outcome.repeated for outcome in several),
        refused=sum(outcome.refusals > 0 for outcome in several),
        refused_falsely=sum(outcome.false_refusals > 0 for outcome in several),
        changed=sum(outcome.goal_changed for outcome in several),
        tries=Counter([(wins, len(several))]),
    )


Figure = Callable[[Tally], float | None]
"""A number that some dialogues come to; None where there were none."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A whole run, counted by goal type."""

    by_type: dict[GoalType, Tally]
    everything: Tally
    """All dialogues, whatever the mix of their types."""
    mix: Mix = Mix.NATURAL
    """What `overall` weighs the types by."""

    @property
    def weights(self) -> dict[GoalType, float]:
        """Each type's part in `overall`."""
        counts = {kind: tally.dialogues for kind, tally in self.by_type.items()}
        return shares(counts) if self.mix is Mix.NATURAL else published_weights(counts)

    def overall(self, figure: Figure) -> float | None:
        """A figure of all dialogues, or the types' figures weighted by the published mix."""
        if self.mix is Mix.NATURAL:
            return figure(self.everything)
        found = {kind: figure(self.by_type[kind]) for kind in self.weights}
        parts = [(self.weights[kind], each) for kind, each in found.items() if each is not None]
        weight = sum(weight for weight, _ in parts)
        return sum(weight * each for weight, each in parts) / weight if parts else None

    def overall_rate(self, share: Callable[[Tally], Share]) -> Rate | None:
        """A share of `overall` with its interval."""
        if self.mix is Mix.NATURAL:
            return _rate(share(self.everything))
        rates = {kind: _rate(share(self.by_type[kind])) for kind in self.weights}
        return weighted_rate((self.weights[kind], each) for kind, each in rates.items() if each)


def _rate(share: Share) -> Rate | None:
    return rate(share.right, share.total)


Judged = tuple[Dialogue, Outcome]


def judged(run: Run, database: Database) -> Iterator[Judged]:
    """Every dialogue of a run with its outcome, in order."""
    judge = Judge(database)
    for dialogue in run.dialogues():
        yield dialogue, judge.judge(dialogue)


def judgement(run: Run, pairs: Iterable[Judged]) -> Judgement:
    """The counts of a run; `pairs` are its dialogues in order, as `judged` gives them.

    Where so many goals a type were drawn, the mix of the run says nothing of goals as they come:
    `overall` then weighs the types as published.
    """
    by_type: dict[GoalType, Tally] = {}
    everything = Tally()
    for kind, several in _goals(pairs):
        counted = tally(several)
        everything += counted
        if kind is not None:
            by_type[kind] = by_type.get(kind, Tally()) + counted
    mix = Mix.PUBLISHED if run.card.plan.get("per_type") and by_type else Mix.NATURAL
    return Judgement({k: by_type[k] for k in GoalType if k in by_type}, everything, mix)


def _goals(
    pairs: Iterable[Judged],
) -> Iterator[tuple[GoalType | None, list[Outcome]]]:
    """The repeats of each goal, which stand together."""
    for _, group in groupby(pairs, key=lambda pair: pair[0].extras.get("goal_number")):
        several = [outcome for _, outcome in group]
        yield several[0].type, several
