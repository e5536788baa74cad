"""How an agent did in a run: success, pass^k, blame, undecided, latency, tokens, price.

    scores = score_run(run, database)
    scores.success, scores.record()

Conversations that infrastructure kept from their end, and goals that the world cannot meet, are
left out of the rates and counted aloud. Undecided ones count as not succeeded; `success_range` says
what the rate would be if all of them had failed, and if all had succeeded.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosstalk.agents.build import MCP
from crosstalk.agents.costs import Costs, costs_of
from crosstalk.agents.prices import price_of
from crosstalk.corpora.record_encoding import encode_goal
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.action_findings import findings_record
from crosstalk.evaluation.action_success import ActionCounts
from crosstalk.evaluation.comparison import Interval, PassRate, Trial, pass_rate
from crosstalk.evaluation.model_reader import ModelReader, model_reader
from crosstalk.evaluation.outcomes import Outcome, Reason
from crosstalk.evaluation.reply_flaws import counted
from crosstalk.evaluation.scores import rounded, wilson
from crosstalk.evaluation.user_fidelity import UserFidelity, user_fidelity
from crosstalk.evaluation.word_judge import RunJudge
from crosstalk.simulation.run_folders import Run
from crosstalk.worlds.queries import Database

LEFT_OUT = (Reason.INFRASTRUCTURE, Reason.GOAL)
"""Neither success nor failure of an agent."""


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    """One conversation and its outcome, without the turns."""

    trial: Trial
    outcome: Outcome
    number: int

    @property
    def counts(self) -> bool:
        return self.outcome.reason not in LEFT_OUT


@dataclass(frozen=True, slots=True)
class AgentScores:
    """The judged conversations of a run."""

    judged: tuple[JudgedTrial, ...]
    costs: Costs
    planned: int
    """Conversations that the run was to have."""
    setup: dict[str, str] = field(default_factory=dict)
    fidelity: UserFidelity = field(default_factory=UserFidelity)
    """Whether the users said their goals."""
    reruns: dict[str, int] = field(default_factory=dict)
    """Conversations held again since the user erred, further tries, those that stayed so; empty:
    nobody asked for it."""

    @property
    def trials(self) -> list[Trial]:
        return [each.trial for each in self.judged if each.counts]

    @property
    def succeeded(self) -> int:
        return sum(each.success is True for each in self.trials)

    @property
    def undecided(self) -> int:
        return sum(each.success is None for each in self.trials)

    @property
    def success(self) -> float | None:
        """Percent of the conversations that count."""
        total = len(self.trials)
        return 100 * self.succeeded / total if total else None

    @property
    def success_range(self) -> tuple[float, float] | None:
        """Percent if all undecided conversations had failed, and if all had succeeded."""
        total = len(self.trials)
        if not total:
            return None
        return 100 * self.succeeded / total, 100 * (self.succeeded + self.undecided) / total

    @property
    def interval(self) -> Interval | None:
        """95 %: Wilson's with one trial a goal, else a bootstrap over goals."""
        if not self.trials:
            return None
        if self.repeats == 1:
            return wilson(self.succeeded, len(self.trials))
        found = pass_rate(_failing_undecided(self.trials), 1)
        return (100 * found.interval[0], 100 * found.interval[1]) if found else None

    @property
    def repeats(self) -> int:
        return max(Counter(each.goal for each in self.trials).values(), default=1)

    def pass_rates(self) -> dict[int, PassRate]:
        """K -> pass^k; undecided conversations count as not succeeded."""
        trials = _failing_undecided(self.trials)
        found = {k: pass_rate(trials, k) for k in range(1, self.repeats + 1)}
        return {k: each for k, each in found.items() if each}

    @property
    def blame(self) -> dict[str, int]:
        """Who failures and interruptions are booked to, how often."""
        names = Counter(each.outcome.blame for each in self.judged if each.outcome.blame)
        return {key: names[key] for key in ("agent", "user", "reader", "world", "infrastructure")}

    @property
    def is_whole(self) -> bool:
        """Whether every planned conversation came to its end."""
        return len(self.judged) == self.planned and not self.blame["infrastructure"]

    def record(self) -> dict[str, Any]:
        """For programs; rates in percent."""
        passes = self.pass_rates()
        limits = self.interval
        between = self.success_range
        return {
            "success": rounded(self.success),
            "interval": [rounded(each) for each in limits] if limits else None,
            "success_range": [rounded(each) for each in between] if between else None,
            "dialogues": len(self.judged),
            "planned": self.planned,
            "counted": len(self.trials),
            "succeeded": self.succeeded,
            "undecided": self.undecided,
            "pass": {str(k): rounded(100 * each.value) for k, each in passes.items()},
            "pass_intervals": {
                str(k): [rounded(100 * end) for end in each.interval] for k, each in passes.items()
            },
            "blame": self.blame,
            "user_error_rate": rounded(self._share(self.blame["user"])),
            "user_fidelity": self.fidelity.record(),
            "by_type": self._by("type"),
            "reasons": dict(self.reasons().most_common()),
            "reply_flaws": self.reply_flaws,
            **({"actions": self.actions.record(), **self.findings} if self.actions else {}),
            **self.costs.record(),
            **({"reruns": self.reruns} if self.reruns else {}),
            "setup": self.setup,
        }

    @property
    def actions(self) -> ActionCounts | None:
        """What was done and was to be done in all conversations; None in runs without actions."""
        counts = [each.outcome.actions for each in self.judged if each.outcome.actions]
        return sum(counts, ActionCounts()) if "actions" in self.setup else None

    @property
    def is_deaf_to_tools(self) -> bool:
        """Whether a service was offered tools over MCP and called none in any conversation."""
        return self.setup.get("tools") == MCP and not self.costs.tool_calls and bool(self.judged)

    @property
    def reply_flaws(self) -> dict[str, int]:
        """Flaw that no verdict rests on -> number of replies that have it."""
        totals: Counter[str] = Counter()
        for each in self.judged:
            totals.update(counted(each.outcome.reply_flaws))
        return dict(totals.most_common())

    @property
    def findings(self) -> dict[str, Any]:
        """Breaches and false claims about actions: by rule, and each with its conversation."""
        return findings_record((e.trial.id, e.outcome.findings) for e in self.judged)

    def reasons(self) -> Counter[str]:
        """The first thing that each failure is booked for, in words."""
        decisive = (each.outcome.decisive for each in self.judged)
        return Counter(causes[0].words for causes in decisive if causes)

    def _by(self, key: str) -> dict[str, float | None]:
        values = dict.fromkeys((each.groups or {}).get(key, "") for each in self.trials)
        rates: dict[str, float | None] = {}
        for value in values:
            several = [each for each in self.trials if (each.groups or {}).get(key) == value]
            won = sum(each.success is True for each in several)
            rates[value] = rounded(100 * won / len(several))
        return rates

    def _share(self, count: int) -> float | None:
        return 100 * count / len(self.judged) if self.judged else None


def _failing_undecided(trials: Iterable[Trial]) -> list[Trial]:
    return [
        Trial(each.goal, each.trial, bool(each.success), each.id, each.groups) for each in trials
    ]


def score_run(
    run: Run,
    database: Database,
    *,
    data: Path | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    reader: str = "",
) -> AgentScores:
    """Judge a run anew, one dialogue after the other.

    `reader`: a language model, `openai:MODEL[@URL]`, that reads what our reader leaves unread.
    """
    setup = dict(run.card.setup)
    model_of_reader = model_reader(reader, run.folder) if reader else None
    if model_of_reader:
        setup["reader"] = model_of_reader.name
    judged = tuple(_judged(run, database, data, model_of_reader))
    model = setup.get("agent", "").removeprefix("openai:").partition("@")[0]
    costs = costs_of(run.folder, run.dialogues(), price_of(model, price_in, price_out))
    actions = "actions" in setup
    said = (user_fidelity(each, actions=actions) for each in run.dialogues())
    fidelity = sum(said, UserFidelity())
    return AgentScores(judged, costs, run.card.sessions, setup, fidelity)


def _judged(
    run: Run, database: Database, data: Path | None, model: ModelReader | None
) -> Iterator[JudgedTrial]:
    judge = RunJudge(run, database, data, model)
    for number, dialogue in enumerate(run.dialogues()):
        outcome = judge.judge(dialogue)
        yield JudgedTrial(trial_of(dialogue, outcome, run), outcome, number)


def trial_of(dialogue: Dialogue, outcome: Outcome, run: Run) -> Trial:
    """A dialogue as a trial of its goal."""
    setup = run.card.setup
    groups = {
        "language": dialogue.language,
        "type": str(outcome.type or ""),
        "perturbation": setup.get("perturbation", "none"),
        "blame": outcome.blame,
    }
    repeat = int(dialogue.extras.get("repeat", 0))
    return Trial(goal_digest(dialogue), repeat, outcome.verdict, dialogue.id, groups)


def goal_digest(dialogue: Dialogue) -> str:
    """SHA-256 of what is wanted: runs are paired by it."""
    goal = encode_goal(dialogue.goal) if dialogue.goal else dialogue.id
    wanted = goal.get("tuples", goal) if isinstance(goal, dict) else goal
    if isinstance(goal, dict) and "actions" in goal:
        wanted = [wanted, goal["actions"]]
    return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]


def failures(scores: AgentScores) -> Sequence[JudgedTrial]:
    """Conversations without success, in order."""
    return [each for each in scores.judged if each.outcome.verdict is not True]
