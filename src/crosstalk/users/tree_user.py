"""The learned user: boosted trees over what people said in the same situation.

    move = TreeUser(world.schema, world.language, load_model(folder)).open(goal, Random(1))

`TreeUser` holds conversations. What it says is drawn from the probabilities, so users differ; its
state follows the corrected rules, so that every outcome can be checked (people sometimes note what
was never said). It repeats questions left open and wishes not heard, and always makes clear which
place it means. `LikeliestTreeUser` takes the likeliest decision each time, for single-turn scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act, in_order
from crosstalk.dialogue.goals import Goal, Reference, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.users.act_choice import (
    ActOption,
    ActReason,
    act_option_rows,
    act_options,
    likeliest_choices,
    newly_said,
    sample_choices,
    tuple_choices,
)
from crosstalk.users.rule_user import RuleStateUpdate
from crosstalk.users.simulator import THANK, GoalActs, UserMove
from crosstalk.users.user_context import (
    REQUESTED,
    SlotKinds,
    UserContext,
    context_of,
    opening_context,
)
from crosstalk.users.user_model import UserModel
from crosstalk.users.value_choice import value_candidates, value_rows

SAID = 0.45
"""Acts at least this likely are said; best of 0.3 to 0.5 in cross-validation on val."""


class LikeliestTreeUser:
    """Takes the likeliest decision each time; for single-turn evaluation."""

    def __init__(self, schema: Schema, language: LanguagePack, model: UserModel) -> None:
        self._kinds = SlotKinds(schema, language)
        self._goal_acts = GoalActs.of(schema, language)
        self._model = model

    def open(self, goal: Goal, rng: Random) -> UserMove:
        return self._move(opening_context(self._kinds, goal), goal.tuples)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        now = context_of(self._kinds, goal, tuples, said, heard)
        return self._move(now, self._written_down(now))

    def _written_down(self, now: UserContext) -> Tuples:
        """Values that were written down count as expressed, asked for or not."""
        state = list(now.before)
        for at, each in enumerate(now.before):
            found = value_candidates(now, at, self._kinds, self._model.order)
            if len(found) > 1:
                rows = value_rows(now, at, found, self._kinds)
                odds = [self._model.values.probability(row) for row in rows]
                best = found[odds.index(max(odds))].value
                state[at] = each if best == each.value else each.filled(best).said()
        return tuple(state)

    def _move(self, now: UserContext, state: Tuples) -> UserMove:
        turn = tuple_choices(now, state, self._kinds)
        after = list(state)
        for at, yes in zip(turn.unsaid, likeliest_choices(self._model.telling, turn), strict=True):
            if yes:
                after[at] = self._goal_acts.resolved(state[at], state).said()
        return UserMove(now.goal, tuple(after), self._worded(now, tuple(after)))

    def _worded(self, now: UserContext, after: Tuples) -> tuple[Act, ...]:
        new = newly_said(now, after)
        found = act_options(now, after, new, self._goal_acts)
        rows = act_option_rows(now, after, new, found, self._kinds)
        return in_order(
            each.act
            for each, row in zip(found, rows, strict=True)
            if each.reason is ActReason.NEW or self._model.wording.probability(row) >= SAID
        )


@dataclass(frozen=True, slots=True)
class _Turn:
    """What must be said in a turn, whatever is drawn."""

    subgoal: int
    """The current sub-goal."""
    chosen: str
    """Its entity; empty if none is chosen yet."""
    restate: bool
    """Whether its wishes have changed or were not heard."""
    clarify: bool
    """Whether the system named other entities too, or left a question open."""


class TreeUser:
    """Draws what it says from the probabilities of a trained model."""

    def __init__(self, schema: Schema, language: LanguagePack, model: UserModel) -> None:
        self._schema, self._language = schema, language
        self._kinds = SlotKinds(schema, language)
        self._goal_acts = GoalActs.of(schema, language)
        self._state_update = RuleStateUpdate(schema, language)
        self._model = model

    def as_judged(self) -> LikeliestTreeUser:
        """The same model for single-turn evaluation: the likeliest turn, nothing drawn."""
        return LikeliestTreeUser(self._schema, self._language, self._model)

    def open(self, goal: Goal, rng: Random) -> UserMove:
        now = opening_context(self._kinds, goal)
        first = self._state_update.current(goal.tuples) or 0
        return self._move(now, goal.tuples, _Turn(first, "", False, False), rng)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        wanted, known = self._state_update.update(goal, tuples, heard, rng)
        now = context_of(self._kinds, wanted, tuples, said, heard)
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

    def _turn(self, now: UserContext, state: Tuples, restarted: bool) -> _Turn:
        subgoal = self._state_update.current(state) or 0
        if not subgoal:
            return _Turn(0, "", False, False)
        chosen = self._goal_acts.name_of(state, subgoal)
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

    def _move(self, now: UserContext, state: Tuples, turn: _Turn, rng: Random) -> UserMove:
        said = self._drawn(now, state, turn, rng)
        after = list(state)
        for at in said:
            after[at] = self._goal_acts.resolved(state[at], state).said()
        acts = self._worded(now, tuple(after), turn, rng)
        return UserMove(now.goal, tuple(after), acts)

    def _drawn(self, now: UserContext, state: Tuples, turn: _Turn, rng: Random) -> list[int]:
        """Positions of the tuples said for the first time, of the current sub-goal only.

        All wishes of a sub-goal are said at once, as people do in nineteen of twenty: an answer
        to part of the wishes need not hold for all of them.
        """
        next_up = tuple_choices(now, state, self._kinds)
        unsaid = next_up.unsaid
        if not unsaid or state[unsaid[0]].subgoal != turn.subgoal:
            return []
        made = sample_choices(self._model.telling, next_up, lambda odds: rng.random() < odds)
        said = [
            at for at, yes in zip(unsaid, made, strict=True) if yes or now.roles[at] != REQUESTED
        ]
        has_more = any(True for _ in self._to_repeat(now, state, turn))
        return said if said or has_more else [unsaid[0]]

    def _to_repeat(self, now: UserContext, state: Tuples, turn: _Turn) -> Iterator[int]:
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

    def _worded(self, now: UserContext, after: Tuples, turn: _Turn, rng: Random) -> tuple[Act, ...]:
        new = newly_said(now, after)
        again = set(self._to_repeat(now, after, turn)) - set(new)
        if not new and not again:
            again = {at for at in now.positions.get(turn.subgoal, ()) if after[at].expressed}
        found = act_options(now, after, new, self._goal_acts)
        rows = act_option_rows(now, after, new, found, self._kinds)
        return in_order(
            each.act
            for each, row in zip(found, rows, strict=True)
            if self._must_be_said(now, after, turn, each, again)
            or (
                self._may_be_said(now, each) and rng.random() < self._model.wording.probability(row)
            )
        )

    def _must_be_said(
        self, now: UserContext, after: Tuples, turn: _Turn, each: ActOption, again: set[int]
    ) -> bool:
        if each.reason is ActReason.SOURCE:
            return _is_one_of_several(after, each.act)
        if each.reason is ActReason.NAMING:
            return turn.clarify and after[each.at].subgoal == turn.subgoal
        return each.reason is ActReason.NEW or each.at in again

    def _may_be_said(self, now: UserContext, each: ActOption) -> bool:
        """Whether the draw decides about it. Thanks come at the end, greetings at the start."""
        return each.reason in (ActReason.SOURCE, ActReason.NAMING) or (
            each.reason is ActReason.COURTESY and now.opening
        )

    def _farewell(self, now: UserContext, after: Tuples, rng: Random) -> tuple[Act, ...]:
        found = [each for each in act_options(now, after, [], self._goal_acts) if each.at < 0]
        rows = act_option_rows(now, after, [], found, self._kinds)
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
