"""Error attribution: which module failed first in a conversation in words that did not succeed.

    for goal_type, counts in blame(run, failed, data).items(): ...

The saved turns tell what each side meant, what it said and what the other side understood. A
session that fails at the level of acts too is not the fault of words and is counted apart.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from crosstalk.dialogue.acts import GENERAL, NO_OFFER, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.nlg_scores import slot_errors
from crosstalk.evaluation.outcomes import Judge
from crosstalk.simulation.build import Setup, Simulation, build, is_model
from crosstalk.simulation.run_folders import Run
from crosstalk.simulation.sessions import Session, SessionRules, hold
from crosstalk.system.build import ACTS, WORDS
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.parts import LIVE
from crosstalk.system.text_adapters import understood_acts


class Component(StrEnum):
    """The modules that can fail, in the order of an exchange."""

    ACTS = "fails in acts too"
    USER_WORDS = "the user's NLG"
    """A value is missing from the text, or is there twice."""
    UNDERSTANDING = "the system's NLU"
    """The understood acts differ from the user's and change the system's state or answer."""
    TRACKING = "tracking"
    """The state differs from what the true acts so far would have given."""
    POLICY = "policy"
    """A question that was understood is not answered."""
    WORDS = "the system's NLG"
    USER_UNDERSTANDING = "the user's NLU"
    NOBODY = "no module"
    """Everything was understood correctly."""


@dataclass(frozen=True, slots=True)
class Break:
    """The first failure in a dialogue."""

    part: Component
    turn: int
    """Position of the turn that was said, understood or answered wrongly; -1 if none was."""


class Blamer:
    """Finds the first failure of a dialogue; repeats its session in acts."""

    def __init__(self, run: Run, data: Path | None = None) -> None:
        setup = setup_of(run, data)
        self._simulation = build(setup)
        self._rules = SessionRules(run.card.plan["seed"], int(run.card.rules["exchanges"]))
        self._judge = Judge(self._simulation.database)
        world = self._simulation.world
        self._keys = {side: ActKeys.of(world.schema, world.language, side) for side in Speaker}

    def first_break(self, dialogue: Dialogue) -> Break:
        """The first failure of a dialogue without success."""
        if not self._succeeds_in_acts(dialogue):
            return Break(Component.ACTS, -1)
        found = next(self._breaks(dialogue), None)
        return found or Break(Component.NOBODY, -1)

    def _succeeds_in_acts(self, dialogue: Dialogue) -> bool:
        assert dialogue.goal is not None, "sessions always have a goal"
        extras = dialogue.extras
        numbers = extras["number"], extras["goal_number"], extras["repeat"]
        session = Session(*numbers, dialogue.id, dialogue.goal)
        return self._judge.judge(hold(session, self._simulation, self._rules)).success

    def _breaks(self, dialogue: Dialogue) -> Iterator[Break]:
        replay = _Replay(self._simulation)
        turns = dialogue.turns
        for number in range(0, len(turns) - 1, 2):
            said, answer = turns[number], turns[number + 1]
            if self._misspoken(said):
                yield Break(Component.USER_WORDS, number)
            if part := replay.exchange(said, answer):
                yield Break(part, number)
            if self._misspoken(answer):
                yield Break(Component.WORDS, number + 1)
            heard = understood_acts(turns[number + 2]) if number + 2 < len(turns) else None
            if heard is not None and _told(heard) != _told(answer.acts):
                yield Break(Component.USER_UNDERSTANDING, number + 1)

    def _misspoken(self, turn: Turn) -> bool:
        errors = slot_errors(turn.text, self._keys[turn.speaker].in_order(turn.acts))
        return bool(errors.missing + errors.repeated)


class _Replay:
    """Tracks a dialogue twice: from the understood acts and from the true ones."""

    def __init__(self, simulation: Simulation) -> None:
        system = simulation.pipeline
        self._tracker, self._policy = system.tracker, system.policy
        self._heard, self._meant = system.begin(), system.begin()

    def exchange(self, said: Turn, answer: Turn) -> Component | None:
        """The module of the system that failed in this exchange: NLU, tracking or policy."""
        understood = understood_acts(answer) or ()
        heard = (*self._heard.history, Turn(said.speaker, said.text, understood))
        meant = (*self._heard.history, Turn(said.speaker, said.text, said.acts))
        belief = self._tracker.update(self._heard.belief, heard)
        wanted = self._tracker.update(self._heard.belief, meant)
        truth = (*self._meant.history, Turn(said.speaker, said.text, said.acts))
        ideal = self._tracker.update(self._meant.belief, truth)
        self._heard = replace(self._heard, belief=belief, history=(*heard, answer))
        self._meant = replace(self._meant, belief=ideal, history=(*truth, answer))
        if set(understood) != set(said.acts) and (
            not belief.form.same_constraints(wanted.form)
            or self._policy.decide(wanted, meant).acts != answer.acts
        ):
            return Component.UNDERSTANDING
        if answer.first_query and not answer.first_query.same_constraints(ideal.form):
            return Component.TRACKING
        return Component.POLICY if _unanswered(said.acts, answer.acts) else None


def _unanswered(asked: Iterable[Act], answers: Iterable[Act]) -> bool:
    told = {(act.domain, act.slot) for act in answers if act.intent != REQUEST}
    refused = {act.domain for act in answers if act.intent == NO_OFFER}
    return any(
        act.intent == REQUEST
        and act.domain not in refused
        and not any(act.domain == key and slot.startswith(act.slot) for key, slot in told)
        for act in asked
    )


def _told(acts: Iterable[Act]) -> set[Act]:
    """The acts that matter to users: all but greetings and thanks."""
    return {act for act in acts if act.intent != GENERAL}


def setup_of(run: Run, data: Path | None = None) -> Setup:
    """The setup of a run, at the level of acts."""
    names = run.card.setup
    return Setup(
        names["world"],
        names["language"],
        data,
        user=names["user"],
        policy=names["policy"],
        dst=names.get("dst") or names["tracker"],
        protocol=names["protocol"],
        user_protocol=names.get("user_protocol", ""),
        level=ACTS,
        wider_acts=float(names.get("wider_acts", 0)),
    )


def blame(
    run: Run, failed: Iterable[Dialogue], data: Path | None = None
) -> dict[GoalType | None, Counter[Component]]:
    """Goal type -> how often each module failed first.

    Empty for runs in acts, for agents of others, whose parts nobody knows, for language models as
    users, and for runs of live objects: their sessions cannot be held again.
    """
    counts: dict[GoalType | None, Counter[Component]] = {}
    setup = run.card.setup
    live = any(part.get("asked") == LIVE for part in run.card.parts.values())
    if setup.get("level") != WORDS or live or "policy" not in setup or is_model(setup["user"]):
        return counts
    blamer = Blamer(run, data)
    for dialogue in failed:
        kind = dialogue.goal.type if dialogue.goal else None
        counts.setdefault(kind, Counter())[blamer.first_break(dialogue).part] += 1
    return counts
