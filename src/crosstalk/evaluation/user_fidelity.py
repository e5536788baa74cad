"""User fidelity: whether a simulated user said its goal, the whole goal, and nothing but the goal.

    fidelity = sum((user_fidelity(dialogue) for dialogue in run.dialogues()), UserFidelity())

A pure function of the dialogue and its goal: the user's acts (what it meant, or what was read in
the words of a language model), what the agent said before, and how each turn was phrased. Counts
add over dialogues.

* omitted: parts of the goal, and actions it wants done, that were never said, though the user
  ended the conversation
* invented: values that are neither the goal's nor the agent's
* contradicted: other values than the goal's that were not put right later
* stopped early: the user ended the conversation with parts unsaid or questions unanswered
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from crosstalk.dialogue.acts import EXCLUDE, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import NOT_MARK
from crosstalk.evaluation.scores import Share
from crosstalk.language.normalize import comparable
from crosstalk.simulation.user_voice import PHRASED, REPHRASED, TEMPLATE, UNCHECKED
from crosstalk.system.text_adapters import VOICE, understood_acts
from crosstalk.users.action_user import has_asked
from crosstalk.worlds.policy_rules import actions_of

HOW: Final = (PHRASED, REPHRASED, TEMPLATE, UNCHECKED)
SAID: Final = frozenset({INFORM, EXCLUDE})


@dataclass(frozen=True, slots=True)
class UserFidelity:
    """Counts of one or more dialogues."""

    dialogues: int = 0
    faithful: int = 0
    """Dialogues without any of the four."""
    parts: int = 0
    """Parts of the goals of dialogues that the user ended."""
    omitted: int = 0
    values: int = 0
    """Values said, each once a dialogue."""
    invented: int = 0
    contradicted: int = 0
    stopped_early: int = 0
    phrasing: Counter[str] = field(default_factory=Counter)
    """How turns were phrased by a language model -> number of turns."""
    problems: Counter[str] = field(default_factory=Counter)
    """Why utterances were rejected -> number of utterances."""

    def __add__(self, other: "UserFidelity") -> "UserFidelity":
        return UserFidelity(
            self.dialogues + other.dialogues,
            self.faithful + other.faithful,
            self.parts + other.parts,
            self.omitted + other.omitted,
            self.values + other.values,
            self.invented + other.invented,
            self.contradicted + other.contradicted,
            self.stopped_early + other.stopped_early,
            self.phrasing + other.phrasing,
            self.problems + other.problems,
        )

    @property
    def percent(self) -> float | None:
        """Share of faithful dialogues; None where there are none."""
        return Share(self.faithful, self.dialogues).percent

    def share_phrased(self, how: str) -> float | None:
        """Share of the turns of a language model that were said so, in percent."""
        return Share(self.phrasing[how], self.phrasing.total()).percent

    def record(self) -> dict[str, Any]:
        """For programs; shares are in percent."""
        shares = {how: _rounded(self.share_phrased(how)) for how in HOW}
        phrased = {"phrasing": shares, "turns_phrased": self.phrasing.total()}
        return {
            "faithful": _rounded(self.percent),
            "dialogues": self.dialogues,
            "omitted": self.omitted,
            "parts": self.parts,
            "invented": self.invented,
            "contradicted": self.contradicted,
            "values": self.values,
            "stopped_early": self.stopped_early,
            **(phrased if self.phrasing else {}),
            **({"rejected": dict(sorted(self.problems.items()))} if self.problems else {}),
        }


def _rounded(percent: float | None) -> float | None:
    return None if percent is None else round(percent, 2)


def user_fidelity(dialogue: Dialogue, *, actions: bool = False) -> UserFidelity:
    """The counts of one dialogue; one that no service answered counts for nothing.

    `actions`: whether the user was to ask for what the goal wants done.
    """
    phrasing, problems = _phrasing(dialogue)
    goal = dialogue.goal
    is_held = dialogue.extras.get("ending") != Ending.INFRASTRUCTURE
    if goal is None or not is_held or not dialogue.turns:
        return UserFidelity(phrasing=phrasing, problems=problems)
    has_ended = dialogue.extras.get("ending") == Ending.FINISHED
    wanted = len(goal.actions) if actions else 0
    omitted = sum(1 for _ in _omitted(dialogue, goal)) if has_ended else 0
    omitted += _unasked(dialogue, wanted) if has_ended else 0
    wrong = _wrong_values(dialogue, goal)
    final = dialogue.final_goal or goal.tuples
    stopped = has_ended and (bool(omitted) or any(each.is_open for each in _wanted(goal, final)))
    is_faithful = not (omitted or wrong.invented or wrong.contradicted or stopped)
    return UserFidelity(
        dialogues=1,
        faithful=int(is_faithful),
        parts=len(goal.tuples) + wanted if has_ended else 0,
        omitted=omitted,
        values=wrong.values,
        invented=wrong.invented,
        contradicted=wrong.contradicted,
        stopped_early=int(stopped),
        phrasing=phrasing,
        problems=problems,
    )


def _phrasing(dialogue: Dialogue) -> tuple[Counter[str], Counter[str]]:
    records = [turn.extras[VOICE] for turn in dialogue.user_turns if VOICE in turn.extras]
    problems = (one for each in records for try_ in each.get("rejected", ()) for one in try_)
    return Counter(each["how"] for each in records), Counter(problems)


def _wanted(goal: Goal, final: Tuples) -> Iterator[SemanticTuple]:
    """The questions of a goal as they stand in the end; wishes that were given up are none."""
    for wanted, each in zip(goal.tuples, final, strict=True):
        if wanted.is_open:
            yield each


def _omitted(dialogue: Dialogue, goal: Goal) -> Iterator[SemanticTuple]:
    """Wishes never said, and questions neither asked nor answered."""
    acts = [act for turn in dialogue.user_turns for act in turn.acts]
    final = dialogue.final_goal or goal.tuples
    for wanted, each in zip(goal.tuples, final, strict=True):
        is_answered = wanted.is_open and not each.is_open
        if not is_answered and not each.expressed and not _is_said(wanted, acts):
            yield wanted


def _unasked(dialogue: Dialogue, wanted: int) -> int:
    """Actions never asked for, though the user had no reason to give up: all others were done."""
    asked = [number for number in range(wanted) if has_asked(dialogue.turns, number)]
    done = sum(event.done for turn in dialogue.system_turns for event in actions_of(turn))
    return wanted - len(asked) if done >= len(asked) else 0


def _is_said(wanted: SemanticTuple, acts: list[Act]) -> bool:
    slot = wanted.slot.removeprefix(NOT_MARK)
    about = [act for act in acts if act.domain == wanted.domain]
    if wanted.is_open:
        return any(act.intent == REQUEST and act.slot == slot for act in about)
    if isinstance(wanted.value, Reference):
        return any(act.intent == SELECT or act.slot == slot for act in about)
    intent = EXCLUDE if wanted.is_exclusion else INFORM
    said = {_fold(act.value) for act in about if act.intent == intent and act.slot == slot}
    return set(_texts(wanted)) <= said


_Said = tuple[str, str, str, str]
"""Intent, domain, slot and value."""


@dataclass(frozen=True, slots=True)
class _WrongValues:
    values: int
    invented: int
    contradicted: int


def _wrong_values(dialogue: Dialogue, goal: Goal) -> _WrongValues:
    """The values that a user said which are not its goal's."""
    wished = _wished(goal)
    said: dict[_Said, None] = {}
    wrong: dict[_Said, None] = {}
    told = ""
    for turn in dialogue.turns:
        heard = understood_acts(turn) or () if turn.speaker is Speaker.USER else turn.acts
        told += "\n" + "\n".join(_fold(act.value) for act in heard)
        if turn.speaker is Speaker.SYSTEM:
            told += "\n" + _fold(turn.text)
            continue
        for act in turn.acts:
            if act.intent not in SAID or not act.value:
                continue
            key = act.intent, act.domain, act.slot, _fold(act.value)
            said[key] = None
            if key[3] not in wished.get(key[:3], ()) and key[3] not in told:
                wrong[key] = None
    order = list(said)
    invented = [key for key in wrong if key[:3] not in wished]
    contradicted = [
        key
        for key in wrong
        if key[:3] in wished and not _is_put_right(order[order.index(key) :], wished[key[:3]])
    ]
    return _WrongValues(len(said), len(invented), len(contradicted))


def _is_put_right(said: Sequence[_Said], right: set[str]) -> bool:
    """Whether the first of some values is followed by one that the goal has in its place."""
    return any(key[:3] == said[0][:3] and key[3] in right for key in said[1:])


def _wished(goal: Goal) -> dict[tuple[str, str, str], set[str]]:
    """Intent, domain and slot -> the values that the goal has there."""
    wished: dict[tuple[str, str, str], set[str]] = {}
    for each in (*goal.tuples, *goal.first_wishes):
        if not each.is_open and not isinstance(each.value, Reference):
            intent = EXCLUDE if each.is_exclusion else INFORM
            key = intent, each.domain, each.slot.removeprefix(NOT_MARK)
            wished.setdefault(key, set()).update(_texts(each))
    for action in goal.actions:
        for slot, value in ((k, v) for wish in action.wishes for k, v in wish.items()):
            wished.setdefault((INFORM, action.action, slot), set()).add(_fold(str(value)))
    return wished


def _texts(each: SemanticTuple) -> list[str]:
    value = each.value
    if isinstance(value, Reference):
        return []
    return [_fold(text) for text in ((value,) if isinstance(value, str) else value)]


def _fold(text: str) -> str:
    return " ".join(comparable(text).split())
