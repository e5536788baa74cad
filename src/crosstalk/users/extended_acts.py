"""A simulated user that says more than the published acts, in a share of its turns.

    user = ExtendedActsUser(RuleUser(schema, language), schema, language, 0.2)

It wraps another simulator and rewords some of its turns without changing their meaning for the
goal: it asks whether a place has a service (`Confirm`) instead of requesting it, how many places
fit (`Count`) before it asks for one, or for the last answer once more (`repeat`). It refuses a
place that is not as wanted (`Another`), and if a wish is given up it takes back all wishes
(`Drop`) before it says the others again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from crosstalk.dialogue.acts import (
    AFFIRM,
    ANOTHER,
    CONFIRM,
    COUNT,
    DENY,
    DROP,
    EXCLUDE,
    GENERAL,
    INFORM,
    RECOMMEND,
    REQUEST,
    Act,
    in_order,
)
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import NOT_MARK, SERVICE_MARK, Schema, SlotKind
from crosstalk.users.rule_user import OfferChecker
from crosstalk.users.simulator import (
    GoalActs,
    Simulator,
    TupleRole,
    UserMove,
    current_subgoal,
    domain_of,
    is_finished,
    role_of,
)

REPEAT = Act(GENERAL, "repeat")
CONFIRMED = (SlotKind.SERVICES, SlotKind.LIST, SlotKind.CATEGORY)
"""Kinds of slots that yes / no questions ask about."""


TOLD = (INFORM, RECOMMEND)


class PublishedActs:
    """Translates yes / no questions about services, and their answers, into published acts."""

    def __init__(self, schema: Schema, language: LanguagePack) -> None:
        slots = ((domain.key, slot) for domain in schema for slot in domain.slots)
        self._services = {(key, slot.key) for key, slot in slots if slot.kind is SlotKind.SERVICES}
        self._answers = {CONFIRM: "", AFFIRM: language.yes, DENY: language.no}

    def of(self, acts: Iterable[Act]) -> tuple[Act, ...]:
        """`Affirm(hotel, services, spa)` as `Inform(hotel, services-spa, yes)`; others stay."""
        return tuple(map(self._published, acts))

    def _published(self, act: Act) -> Act:
        if act.intent not in self._answers or (act.domain, act.slot) not in self._services:
            return act
        intent = REQUEST if act.intent == CONFIRM else INFORM
        slot = f"{act.slot}{SERVICE_MARK}{act.value}"
        return Act(intent, act.domain, slot, self._answers[act.intent])


class ExtendedActsUser:
    """`share`: the share of turns said with extended acts, where any fits."""

    def __init__(
        self, within: Simulator, schema: Schema, language: LanguagePack, share: float
    ) -> None:
        self._within = within
        self._schema = schema
        self._share = share
        self._goal_acts = GoalActs.of(schema, language)
        self._offers = OfferChecker(schema, language)
        self._published = PublishedActs(schema, language)

    def open(self, goal: Goal, rng: Random) -> UserMove:
        move = self._within.open(goal, rng)
        ways = [*self._counted(goal.tuples, move)] if rng.random() < self._share else []
        return rng.choice(ways) if ways else move

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        if refusal := self._refusal(goal, tuples, heard):
            return refusal
        move = self._within.respond(goal, tuples, said, self._published.of(heard), rng)
        if dropped := _given_up(goal, move.goal):
            return replace(move, acts=in_order([*dropped, *move.acts]))
        if rng.random() >= self._share or is_finished(move.tuples):
            return move
        ways = [*self._confirmed(move, rng), *self._counted(tuples, move)]
        if not ways and REPEAT not in said and any(act.intent in TOLD for act in heard):
            ways.append(UserMove(goal, tuples, (REPEAT,)))
        return rng.choice(ways) if ways else move

    # Another place

    def _refusal(self, goal: Goal, tuples: Tuples, heard: tuple[Act, ...]) -> UserMove | None:
        """Asks for another place where the one offered is not as wanted."""
        subgoal = current_subgoal(tuples)
        if subgoal is None or not any(
            self._is_broken(wanted, heard) for wanted in goal.tuples if wanted.subgoal == subgoal
        ):
            return None
        state = tuple(
            self._sought_again(wanted) if wanted.subgoal == subgoal else each
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )
        return UserMove(goal, state, (Act(ANOTHER, domain_of(tuples, subgoal)),))

    def _is_broken(self, wanted: SemanticTuple, heard: tuple[Act, ...]) -> bool:
        if role_of(wanted) is not TupleRole.CONSTRAINT:
            return False
        denied = {replace(act, intent=CONFIRM) for act in heard if act.intent == DENY}
        asked = () if wanted.is_exclusion else self._questions(wanted)
        return self._offers.has_excluded(wanted, heard) or not denied.isdisjoint(asked)

    def _sought_again(self, wanted: SemanticTuple) -> SemanticTuple:
        """Wishes and the request for a name stay expressed; answers are forgotten."""
        is_name = wanted.slot == self._goal_acts.names.get(wanted.domain)
        return wanted.said() if is_name or role_of(wanted) is not TupleRole.REQUEST else wanted

    # Yes / no questions

    def _confirmed(self, move: UserMove, rng: Random) -> Iterator[UserMove]:
        """Requests for services as yes / no questions; without any, a question about a wish."""
        subgoal = current_subgoal(move.tuples) or 0
        domain, place = (
            domain_of(move.tuples, subgoal),
            self._goal_acts.name_of(move.tuples, subgoal),
        )
        if not place or not all(self._is_of_place(act, domain) for act in move.acts):
            return
        asked = [self._confirm(act) for act in move.acts]
        if set(asked) == set(move.acts):
            here = [each for each in move.goal.tuples if each.subgoal == subgoal]
            wishes = [each for each in here if role_of(each) is TupleRole.CONSTRAINT]
            questions = [act for each in wishes for act in self._questions(each)]
            asked += [rng.choice(questions)] if questions else []
        if set(asked) != set(move.acts):
            yield replace(move, acts=in_order(asked))

    def _is_of_place(self, act: Act, domain: str) -> bool:
        """Whether an act names the place under discussion or asks for something of it."""
        is_name = act.slot == self._goal_acts.names.get(domain)
        return act.domain == domain and act.intent == (INFORM if is_name else REQUEST)

    def _confirm(self, act: Act) -> Act:
        """A question for a service as a yes / no question; other acts as they are."""
        slot, _, service = act.slot.partition(SERVICE_MARK)
        is_asked = act.intent == REQUEST and service and self._kind(act) is SlotKind.SERVICES
        return Act(CONFIRM, act.domain, slot, service) if is_asked else act

    def _questions(self, wanted: SemanticTuple) -> tuple[Act, ...]:
        """The yes / no questions that ask whether a place is as wanted, or as excluded."""
        said = self._goal_acts.inform(wanted, wanted.value, ())
        asked = (act for act in said if self._kind(act) in CONFIRMED)
        return tuple(_as_question(act) for act in asked)

    def _kind(self, act: Act) -> SlotKind | None:
        domain = self._schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        return slot.kind if slot else None

    # How many there are

    def _counted(self, before: Tuples, move: UserMove) -> Iterator[UserMove]:
        """A count in place of the requests of a turn that asks for a place with wishes.

        Only for the first wishes of a sub-goal: later ones would not say which places to count.
        """
        subgoal = current_subgoal(move.tuples)
        if any(each.expressed for each in before if each.subgoal == subgoal):
            return
        for act in move.acts:
            wishes = [other for other in move.acts if self._is_wish(other, act.domain)]
            is_sought = act.intent == REQUEST and act.slot == self._goal_acts.names.get(act.domain)
            if is_sought and wishes:
                kept = [other for other in move.acts if other.intent != REQUEST]
                state = tuple(map(_unasked, before, move.tuples))
                yield UserMove(move.goal, state, in_order([*kept, Act(COUNT, act.domain)]))

    def _is_wish(self, act: Act, domain: str) -> bool:
        is_name = act.slot == self._goal_acts.names.get(act.domain)
        return act.domain == domain and act.intent in (INFORM, EXCLUDE) and not is_name


def _as_question(act: Act) -> Act:
    slot, _, service = act.slot.partition(SERVICE_MARK)
    return Act(CONFIRM, act.domain, slot.removeprefix(NOT_MARK), service or act.value)


def _given_up(before: Goal, after: Goal) -> list[Act]:
    """`Drop` acts for the domains in which a wish was given up."""
    pairs = zip(before.tuples, after.tuples, strict=True)
    domains = [old.domain for old, new in pairs if new.is_open and not old.is_open]
    return [Act(DROP, domain, "", "") for domain in domains]


def _unasked(before: SemanticTuple, after: SemanticTuple) -> SemanticTuple:
    """The tuple after the turn; a question planned for this turn is left for later."""
    asked = after.is_open and after.expressed and not before.expressed
    return replace(after, expressed=False) if asked else after
