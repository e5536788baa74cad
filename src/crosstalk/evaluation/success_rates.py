"""Success rates of a run: the outcomes of its dialogues counted, by goal type and overall."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from math import comb
from typing import Final

from crosstalk.collection.export import MACHINE
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.action_success import ActionCounts
from crosstalk.evaluation.outcomes import Outcome, Reason
from crosstalk.evaluation.reply_flaws import counted
from crosstalk.evaluation.scores import Rate, Share, goal_interval, rate, weighted_rate
from crosstalk.evaluation.word_judge import RunJudge
from crosstalk.simulation.run_folders import Run
from crosstalk.worlds.queries import Database

PUBLISHED: Final[Mapping[GoalType, int]] = {
    GoalType.S: 417,
    GoalType.M: 1573,
    GoalType.M_T: 691,
    GoalType.CM: 1759,
    GoalType.CM_T: 572,
}
"""Dialogues of each type in CrossWOZ's training split, as its paper counts them (5,012)."""
SOURCE: Final = "CrossWOZ's training split"


class Mix(StrEnum):
    """The mix of goal types in `overall`."""

    NATURAL = "natural"
    """All dialogues count the same."""
    PUBLISHED = "published"
    """The types' rates, weighted by `PUBLISHED`."""


def shares(counts: Mapping[GoalType, int]) -> dict[GoalType, float]:
    """The weight of each type, from easy to hard; the weights sum to 1."""
    total = sum(counts.values())
    return {kind: counts[kind] / total for kind in GoalType if counts.get(kind)}


def published_weights(among: Mapping[GoalType, int]) -> dict[GoalType, float]:
    """The published weights of the types that a run has dialogues of."""
    return shares({kind: PUBLISHED[kind] for kind, count in among.items() if count})


@dataclass(frozen=True, slots=True)
class Tally:
    """Outcomes of dialogues as counts that add."""

    finish: Share = field(default_factory=Share)
    success: Share = field(default_factory=Share)
    turns: Counter[int] = field(default_factory=Counter)
    """Length in turns -> number of dialogues."""
    reasons: Counter[Reason] = field(default_factory=Counter)
    """Reason -> number of dialogues without success."""
    repeated: int = 0
    refused: int = 0
    """Dialogues with at least one `NoOffer` of the system."""
    refused_falsely: int = 0
    changed: int = 0
    """Dialogues in which some constraint was relaxed."""
    tries: Counter[tuple[int, int]] = field(default_factory=Counter)
    """(successes, repeats) of a goal -> number of goals."""
    finished: Counter[tuple[int, int]] = field(default_factory=Counter)
    """The same for task finish."""
    actions: ActionCounts = field(default_factory=ActionCounts)
    reply_flaws: Counter[str] = field(default_factory=Counter)
    """Flaw of a reply that no verdict rests on -> number of replies."""

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
            self.finished + other.finished,
            self.actions + other.actions,
            self.reply_flaws + other.reply_flaws,
        )

    @property
    def dialogues(self) -> int:
        return self.finish.total

    @property
    def success_rate(self) -> Rate | None:
        return _rate(self.success, self.tries)

    @property
    def finish_rate(self) -> Rate | None:
        return _rate(self.finish, self.finished)

    @property
    def mean_turns(self) -> float | None:
        total = sum(length * count for length, count in self.turns.items())
        return total / self.dialogues if self.dialogues else None

    def pass_hat(self, k: int) -> float | None:
        """pass^k: mean over goals of the chance that k repeats all succeed, in percent."""
        goals = {key: count for key, count in self.tries.items() if key[1] >= k}
        if not goals:
            return None
        sums = sum(pass_hat(won, tries, k) * count for (won, tries), count in goals.items())
        return 100 * sums / sum(goals.values())


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """Count the outcomes of all repeats of one goal."""
    several = list(outcomes)
    wins = sum(outcome.success for outcome in several)
    ends = sum(outcome.finished for outcome in several)
    return Tally(
        finish=Share(ends, len(several)),
        success=Share(wins, len(several)),
        turns=Counter(outcome.turns for outcome in several),
        reasons=Counter(outcome.reason for outcome in several if outcome.reason),
        repeated=sum(outcome.repeated for outcome in several),
        refused=sum(outcome.refusals > 0 for outcome in several),
        refused_falsely=sum(outcome.false_refusals > 0 for outcome in several),
        changed=sum(outcome.goal_changed for outcome in several),
        tries=Counter([(wins, len(several))]),
        finished=Counter([(ends, len(several))]),
        actions=sum((each.actions for each in several if each.actions), ActionCounts()),
        reply_flaws=sum((Counter(counted(each.reply_flaws)) for each in several), Counter()),
    )


TallyFigure = Callable[[Tally], float | None]
"""A number computed from a tally; None if it is undefined."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The tallies of a run by goal type, and overall."""

    by_type: dict[GoalType, Tally]
    everything: Tally
    """All dialogues, in the mix of the run."""
    mix: Mix = Mix.NATURAL
    """What `overall` weighs the types by."""
    by_pairing: Mapping["Pairing", Tally] = field(default_factory=dict)
    """Who talked with whom -> the tally of their dialogues."""

    @property
    def weights(self) -> dict[GoalType, float]:
        """Goal type -> its weight in `overall`."""
        counts = {kind: tally.dialogues for kind, tally in self.by_type.items()}
        return shares(counts) if self.mix is Mix.NATURAL else published_weights(counts)

    def overall(self, figure: TallyFigure) -> float | None:
        """A figure of all dialogues, or the types' figures weighted by the published mix."""
        if self.mix is Mix.NATURAL:
            return figure(self.everything)
        found = {kind: figure(self.by_type[kind]) for kind in self.weights}
        parts = [(self.weights[kind], each) for kind, each in found.items() if each is not None]
        weight = sum(weight for weight, _ in parts)
        return sum(weight * each for weight, each in parts) / weight if parts else None

    def overall_rate(self, rate_of: Callable[[Tally], Rate | None]) -> Rate | None:
        """A rate over all dialogues, weighted as `overall`, with its interval."""
        if self.mix is Mix.NATURAL:
            return rate_of(self.everything)
        rates = {kind: rate_of(self.by_type[kind]) for kind in self.weights}
        return weighted_rate((self.weights[kind], each) for kind, each in rates.items() if each)


def _rate(share: Share, tries: Counter[tuple[int, int]]) -> Rate | None:
    """A share with Wilson's interval, or, with several repeats a goal, a bootstrap over goals."""
    found = rate(share.right, share.total)
    if found is None or all(repeats == 1 for _, repeats in tries):
        return found
    values = [
        won / repeats for (won, repeats), count in sorted(tries.items()) for _ in range(count)
    ]
    interval = goal_interval(values)
    return replace(found, low=100 * interval[0], high=100 * interval[1]) if interval else found


Judged = tuple[Dialogue, Outcome]


def judged(run: Run, database: Database) -> Iterator[Judged]:
    """Every dialogue of a run with its outcome, in order."""
    judge = RunJudge(run, database)
    for dialogue in run.dialogues():
        yield dialogue, judge.judge(dialogue)


def judgement(run: Run, pairs: Iterable[Judged]) -> Judgement:
    """The success rates of a run; `pairs` are its dialogues in order, as from `judged`.

    If a fixed number of goals per type was drawn, `overall` weighs the types as published, because
    the mix of the run is not the natural one.
    """
    by_type: dict[GoalType, Tally] = {}
    by_pairing: dict[Pairing, Tally] = {}
    everything = Tally()
    for kind, pairing, several in _goals(pairs):
        counted = tally(several)
        everything += counted
        by_pairing[pairing] = by_pairing.get(pairing, Tally()) + counted
        if kind is not None:
            by_type[kind] = by_type.get(kind, Tally()) + counted
    mix = Mix.PUBLISHED if run.card.plan.get("per_type") and by_type else Mix.NATURAL
    types = {k: by_type[k] for k in GoalType if k in by_type}
    return Judgement(types, everything, mix, {p: by_pairing[p] for p in Pairing if p in by_pairing})


class Pairing(StrEnum):
    """Who talked with whom: the user's side first."""

    PEOPLE = "person with person"
    PERSON_USER = "person with machine"
    PERSON_WIZARD = "machine with person"
    MACHINES = "machine with machine"


def pairing_of(dialogue: Dialogue) -> Pairing:
    """Who talked, by the workers of a collected dialogue; simulated ones have none.

    A side that a machine took over counts as whoever spoke more turns.
    """
    if len(dialogue.workers) != 2:
        return Pairing.MACHINES
    wizard, user = (worker != MACHINE for worker in dialogue.workers)
    if user:
        return Pairing.PEOPLE if wizard else Pairing.PERSON_USER
    return Pairing.PERSON_WIZARD if wizard else Pairing.MACHINES


def _goals(
    pairs: Iterable[Judged],
) -> Iterator[tuple[GoalType | None, Pairing, list[Outcome]]]:
    """The outcomes of each goal and pairing; the repeats of a goal follow each other."""

    def alike(pair: Judged) -> tuple[object, Pairing]:
        return pair[0].extras.get("goal_number"), pairing_of(pair[0])

    for (_, pairing), group in groupby(pairs, key=alike):
        several = [outcome for _, outcome in group]
        yield several[0].type, pairing, several


def pass_hat(successes: int, tries: int, k: int) -> float:
    """pass^k of one goal: the chance that k of its tries all succeed, C(c, k) / C(n, k)."""
    if not 1 <= k <= tries:
        raise ValueError(f"k is {k}, which is not between 1 and {tries} tries")
    return comb(successes, k) / comb(tries, k)
