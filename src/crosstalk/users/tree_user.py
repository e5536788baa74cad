"""The learned user in conversation: says what people say, and never loses its own thread.

    move = TreeUser(world.schema, world.language, load_model(folder)).open(goal, Random(1))

What is said next and how is drawn from what was learned from people, so that no two users are
alike. What is written down follows the mended rules, so that every outcome can be checked: people
sometimes note what was never said. Questions left open are asked again, wishes that were not heard
are said again, and it is always clear which place is meant.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.goals import Goal, Reference, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.users.act_choice import ActOption, Why, newly_said, sayings, wording_rows
from crosstalk.users.model import UserModel
from crosstalk.users.next_tuples import choice, decide
from crosstalk.users.predicted import PredictedUser
from crosstalk.users.rule_update import Listener
from crosstalk.users.simulator import UserMove
from crosstalk.users.situation import REQUESTED, Kinds, Situation, at_the_start, look_back
from crosstalk.users.speech import THANK, GoalSpeech, in_order


@dataclass(frozen=True, slots=True)
class _Turn:
    """What has to be said in a turn, whatever is drawn."""

    subgoal: int
    """The sub-goal under way."""
    chosen: str
    """Its entity, where there is one by now."""
    restate: bool
    """Its wishes have changed or were not heard."""
    clarify: bool
    """The system spoke of other entities too, or left a question open."""


class TreeUser:
    """Draws from what people do."""

    def __init__(self, schema: Schema, language: LanguagePack, model: UserModel) -> None:
        self._schema, self._language = schema, language
        self._kinds = Kinds(schema, language)
        self._speech = GoalSpeech.of(schema, language)
        self._listener = Listener(schema, language)
        self._model = model

    def as_judged(self) -> PredictedUser:
        """The same model in single-turn judgement: the likeliest move, nothing drawn."""
        return PredictedUser(self._schema, self._language, self._model)

    def open(self, goal: Goal, rng: Random) -> UserMove:
        now = at_the_start(self._kinds, goal)
        first = self._listener.current(goal.tuples) or 0
        return self._move(now, goal.tuples, _Turn(first, "", False, False), rng)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        wanted, known = self._listener.update(goal, tuples, heard, rng)
        now = look_back(self._kinds, wanted, tuples, said, heard)
        restarted = any(
            old.expressed and not new.expressed for old, new in zip(tuples, known, strict=True)
        )
        state = tuple(
            replace(new, expressed=new.expressed or old.expressed)
            for old, new in zip(tuples, known, strict=True)
        )
        turn = self._turn(now, state, restarted)
        if not turn.subgoal:
            return UserMove(wanted, state, self._farewell(now, state, rng))
        return self._move(now, state, turn, rng)

    def _turn(self, now: Situation, state: Tuples, restarted: bool) -> _Turn:
        subgoal = self._listener.current(state) or 0
        if not subgoal:
            return _Turn(0, "", False, False)
        chosen = self._speech.name_of(state, subgoal)
        domain = state[now.positions[subgoal][0]].domain
        name_slot = self._kinds.names.get(domain)
        names = {
            act.value
            for act in now.heard
            if act.intent in (INFORM, RECOMMEND) and (act.domain, act.slot) == (domain, name_slot)
        }
        here = [state[at] for at in now.positions[subgoal]]
        unanswered = any(each.is_open and (each.domain, each.slot) in now.asked for each in here)
        unheard = unanswered and domain not in now.about
        return _Turn(
            subgoal=subgoal,
            chosen=chosen,
            restate=restarted or (unheard and not chosen),
            clarify=bool(chosen) and (unanswered or bool(names - {chosen})),
        )

    # What is said

    def _move(self, now: Situation, state: Tuples, turn: _Turn, rng: Random) -> UserMove:
        said = self._drawn(now, state, turn, rng)
        after = list(state)
        for at in said:
            after[at] = self._speech.resolved(state[at], state).said()
        acts = self._worded(now, tuple(after), turn, rng)
        return UserMove(now.goal, tuple(after), acts)

    def _drawn(self, now: Situation, state: Tuples, turn: _Turn, rng: Random) -> list[int]:
        """Which tuples are said for the first time; never of a sub-goal before its turn.

        All wishes of a sub-goal come at once, as people have it in nineteen of twenty: what is
        refused before all was said may be had after all, and the other way round.
        """
        next_up = choice(now, state, self._kinds)
        unsaid = next_up.unsaid
        if not unsaid or state[unsaid[0]].subgoal != turn.subgoal:
            return []
        made = decide(self._model.telling, next_up, lambda odds: rng.random() < odds)
        said = [
            at for at, yes in zip(unsaid, made, strict=True) if yes or now.roles[at] != REQUESTED
        ]
        has_more = any(True for _ in self._to_repeat(now, state, turn))
        return said if said or has_more else [unsaid[0]]

    def _to_repeat(self, now: Situation, state: Tuples, turn: _Turn) -> Iterator[int]:
        """Tuples that have to be said again.

        While the entity is still to be found, its name comes before other questions.
        """
        name = now.names.get(turn.subgoal)
        searching = name is not None and not turn.chosen
        for at in now.positions.get(turn.subgoal, ()):
            each = state[at]
            if not each.expressed:
                continue
            unsettled = each.is_open or isinstance(each.value, Reference)
            if (unsettled and (not searching or at == name)) or (
                turn.restate and now.roles[at] != REQUESTED
            ):
                yield at

    def _worded(self, now: Situation, after: Tuples, turn: _Turn, rng: Random) -> tuple[Act, ...]:
        new = newly_said(now, after)
        again = set(self._to_repeat(now, after, turn)) - set(new)
        if not new and not again:
            again = {at for at in now.positions.get(turn.subgoal, ()) if after[at].expressed}
        found = sayings(now, after, new, self._speech)
        rows = wording_rows(now, after, new, found, self._kinds)
        return in_order(
            each.act
            for each, row in zip(found, rows, strict=True)
            if self._must_be_said(now, after, turn, each, again)
            or (
                self._may_be_said(now, each) and rng.random() < self._model.wording.probability(row)
            )
        )

    def _must_be_said(
        self, now: Situation, after: Tuples, turn: _Turn, each: ActOption, again: set[int]
    ) -> bool:
        if each.why is Why.SOURCE:
            return _is_one_of_several(after, each.act)
        if each.why is Why.NAMING:
            return turn.clarify and after[each.at].subgoal == turn.subgoal
        return each.why is Why.NEW or each.at in again

    def _may_be_said(self, now: Situation, each: ActOption) -> bool:
        """Whether it is for the draw to decide. Thanks come at the end, greetings at the start."""
        return each.why in (Why.SOURCE, Why.NAMING) or (each.why is Why.COURTESY and now.opening)

    def _farewell(self, now: Situation, after: Tuples, rng: Random) -> tuple[Act, ...]:
        found = [each for each in sayings(now, after, [], self._speech) if each.at < 0]
        rows = wording_rows(now, after, [], found, self._kinds)
        drawn = [
            each.act
            for each, row in zip(found, rows, strict=True)
            if rng.random() < self._model.wording.probability(row)
        ]
        return in_order(drawn or [THANK])


def _is_one_of_several(after: Tuples, source: Act) -> bool:
    """Whether the user has spoken of other entities of the same domain."""
    spoken = {each.subgoal for each in after if each.expressed and each.domain == source.domain}
    return len(spoken) > 1
