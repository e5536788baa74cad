"""Single-turn scores of policies: the policy rows of CrossWOZ's Table 8.

One sample per system turn. The policy starts from the form as the wizard left it in that turn
(without what was ticked), hears the dialogue as it really was up to the user's turn, and its acts
are compared with the wizard's: exactly, and delexicalised, where only their kind and number count.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from crosstalk.dialogue.acts import SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import GoalType
from crosstalk.dialogue.states import SystemState
from crosstalk.evaluation.scores import BOOTSTRAP, Hits, bootstrap
from crosstalk.system.dst.tracker import DialogueState, current_domain
from crosstalk.system.parts import CORRECTED, PAPER, PROTOCOLS, refuse_unknown
from crosstalk.system.policy.delexicalised_acts import delexicalise
from crosstalk.system.policy.policy import Policy

if TYPE_CHECKING:  # only its training and loading need the extra `neural`
    from crosstalk.system.policy.sl_policy import SLPolicy

FLAG_RAISED = 5
"""Turns heard when the published evaluator says that the dialogue has ended, and from then on: it
compares the turn's number with the six fields of a dialogue's record, not with its length."""
TOLD_OF_END = {
    PAPER: ", that the dialogue ends (wrongly: from the third user turn on)",
    CORRECTED: ", whether this is the last exchange",
}
"""Additional input of the supervised policy, by protocol."""


@dataclass(frozen=True, slots=True)
class PolicySample:
    """One system turn to be predicted."""

    belief: DialogueState
    history: tuple[Turn, ...]
    """Up to the user's turn that is to be answered."""
    acts: tuple[Act, ...]
    """What the wizard said."""
    goal_type: GoalType | None
    is_last: bool
    """Whether it is the last turn. No system could know that, but the published policy is told."""

    @property
    def ended_as_published(self) -> bool:
        return len(self.history) >= FLAG_RAISED

    @property
    def has_select(self) -> bool:
        return any(act.intent == SELECT for act in self.history[-1].acts)


Answer = Callable[[PolicySample], Sequence[Act]]


@dataclass(frozen=True, slots=True)
class PolicyScore:
    """Acts of some turns, with their values and without."""

    exact: Hits = field(default_factory=Hits)
    delexicalised: Hits = field(default_factory=Hits)
    turns: int = 0

    def __add__(self, other: "PolicyScore") -> "PolicyScore":
        return PolicyScore(
            self.exact + other.exact,
            self.delexicalised + other.delexicalised,
            self.turns + other.turns,
        )

    def figures(self) -> dict[str, float | None]:
        """In percent, as JSON."""
        return {"exact_f1": self.exact.f1, "delex_f1": self.delexicalised.f1}


@dataclass(frozen=True, slots=True)
class PolicyScores:
    """Over all turns, over answers to a Select act, and by goal type."""

    overall: PolicyScore = PolicyScore()
    select: PolicyScore = PolicyScore()
    by_type: dict[GoalType, PolicyScore] = field(default_factory=dict)
    by_dialogue: tuple[PolicyScore, ...] = ()
    """Of all turns, for intervals."""

    def figures(self) -> dict[str, Any]:
        """In percent, as JSON."""
        return {
            **self.overall.figures(),
            "select": {**self.select.figures(), "turns": self.select.turns},
            "by_type": {str(kind): score.figures() for kind, score in sorted(self.by_type.items())},
            "turns": self.overall.turns,
            "intervals": {
                "exact_f1": bootstrap(self.by_dialogue, lambda score: score.exact.f1),
                "delex_f1": bootstrap(self.by_dialogue, lambda score: score.delexicalised.f1),
            },
            "interval": BOOTSTRAP,
        }


def score_policy(policy: Policy, dialogues: Iterable[Dialogue]) -> PolicyScores:
    """Score any policy."""
    return score_answers(answers_of(policy), dialogues)


def answers_of(policy: Policy) -> Answer:
    return lambda sample: policy.decide(sample.belief, sample.history).acts


@dataclass(frozen=True, slots=True)
class SLSwitches:
    """How the supervised policy depends on the protocol."""

    protocol: str
    lingering: bool
    """Whether bounds of earlier queries stay in the state."""
    mended: bool
    """Whether our lexicaliser replaces the published one."""

    @classmethod
    def of(cls, protocol: str, lingering: bool | None = None, mended: bool = False) -> "SLSwitches":
        """The switches of a protocol; by default bounds linger in `paper`."""
        if protocol not in PROTOCOLS:
            refuse_unknown("protocol", protocol, PROTOCOLS)
        return cls(protocol, protocol == PAPER if lingering is None else lingering, mended)

    @property
    def told(self) -> str:
        """Description of the input besides the state and earlier turns."""
        return TOLD_OF_END[self.protocol]

    def record(self) -> dict[str, str]:
        return {
            "bounds": "lingering" if self.lingering else "fresh",
            "lexicaliser": "mended" if self.mended else "published",
        }

    def answers(self, policy: "SLPolicy") -> Answer:
        """The answers of the policy with these switches."""
        judged = policy.as_judged(lingering=self.lingering, mended=self.mended)
        return answers_of_sl(judged, published=self.protocol == PAPER)


def answers_of_sl(policy: "SLPolicy", *, published: bool) -> Answer:
    """The supervised policy is told when the dialogue ends; in the published code, wrongly."""

    def answer(sample: PolicySample) -> Sequence[Act]:
        ended = sample.ended_as_published if published else sample.is_last
        return policy.speak(sample.belief, sample.history, ended=ended)

    return answer


def score_answers(answer: Answer, dialogues: Iterable[Dialogue]) -> PolicyScores:
    """Score any function that answers samples; it is called in the order of the corpus."""
    overall, select = PolicyScore(), PolicyScore()
    by_type: dict[GoalType, PolicyScore] = {}
    by_dialogue: list[PolicyScore] = []
    for dialogue in dialogues:
        by_dialogue.append(PolicyScore())
        for sample in samples(dialogue):
            score = score_turn(answer(sample), sample.acts)
            overall += score
            by_dialogue[-1] += score
            if sample.has_select:
                select += score
            if sample.goal_type:
                before = by_type.get(sample.goal_type, PolicyScore())
                by_type[sample.goal_type] = before + score
    return PolicyScores(overall, select, by_type, tuple(by_dialogue))


def samples(dialogue: Dialogue) -> Iterator[PolicySample]:
    """The system turns that answer a user and have a form."""
    for position, turn in enumerate(dialogue.turns):
        if turn.speaker is not Speaker.SYSTEM or turn.last_query is None or not position:
            continue
        history = dialogue.turns[:position]
        before = history[-2].acts if position > 1 else ()
        yield PolicySample(
            DialogueState(
                _without_ticks(turn.last_query), current_domain(history[-1].acts, before)
            ),
            history,
            turn.acts,
            dialogue.goal.type if dialogue.goal else None,
            is_last=position == len(dialogue.turns) - 1,
        )


def score_turn(guessed: Sequence[Act], true: Sequence[Act]) -> PolicyScore:
    bare = hits(delexicalise(guessed), delexicalise(true))
    return PolicyScore(hits(guessed, true), bare, turns=1)


def hits(guessed: Sequence[Act], true: Sequence[Act]) -> Hits:
    """Compare two lists of acts; duplicates count each time."""
    right = sum(act in true for act in guessed)
    return Hits(right, len(guessed) - right, sum(act not in guessed for act in true))


def _without_ticks(form: SystemState) -> SystemState:
    return SystemState(tuple(replace(tab, selected=()) for tab in form))
