"""The published rule-based simulator (CrossWOZ, section 5), as published and corrected.

    move = RuleUser(world.schema, world.language).open(goal, Random(1))

Only the current sub-goal listens. Answers fill its questions. If nothing fits, an offer is accepted
and the wishes it breaks are given up; without an offer one wish is dropped. Exclusions are never
given up: a place that has what is excluded is no offer.

As published it takes any text with `id` in it for an unresolved reference, takes answers about
another place for its own, never says which of several recommended places it has chosen, and says
nothing once everything is said but not everything answered. The corrected user does none of these.
"""

import re
from dataclasses import dataclass, replace
from random import Random

from crosstalk.dialogue.acts import AFFIRM, INFORM, NO_OFFER, RECOMMEND, REQUEST, Act, in_order
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import NOT_MARK, SERVICE_MARK, Schema, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.users.simulator import (
    BYE,
    GREET,
    THANK,
    GoalActs,
    TupleRole,
    UserMove,
    changed,
    current_subgoal,
    domain_of,
    role_of,
)
from crosstalk.worlds.conditions import Contains

OPEN_END = 10_000
"""The published upper bound of an open range."""


class OfferChecker:
    """Whether offers break wishes; `published` reads numbers as the paper's code did."""

    def __init__(self, schema: Schema, language: LanguagePack, *, published: bool = False) -> None:
        self._schema = schema
        self._language = language
        self._published = published

    def has_excluded(self, wanted: SemanticTuple, heard: tuple[Act, ...]) -> bool:
        """Whether the system says that the place has what an exclusion rules out."""
        if not wanted.is_exclusion or isinstance(wanted.value, Reference):
            return False
        slot = wanted.slot.removeprefix(NOT_MARK)
        excluded = (wanted.value,) if isinstance(wanted.value, str) else wanted.value
        told = [self._told(act, slot) for act in heard if act.domain == wanted.domain]
        return any(Contains(term).holds(text) for term in excluded for text in told if text)

    def _told(self, act: Act, slot: str) -> str:
        """The value of the slot that an act names; empty if it names none."""
        key, _, service = act.slot.partition(SERVICE_MARK)
        if act.intent == INFORM and service and key == slot:
            return service if act.value == self._language.yes else ""
        return act.value if act.intent in (INFORM, AFFIRM) and act.slot == slot else ""

    def violates(self, wanted: SemanticTuple, answers: tuple[str, ...]) -> bool:
        """Whether the answers break the wish; also True for texts that are no numbers."""
        domain = self._schema.domain(wanted.domain)
        slot = domain.slot(wanted.slot) if domain else None
        if slot is None or not isinstance(wanted.value, str):
            return True
        if not slot.kind.is_number:
            return self._published or answers[-1] != wanted.value
        forms = forms_of(self._language, wanted.domain, slot)
        read = _published_bounds if self._published else lambda text: read_bounds(forms, text)
        wish, offer = read(wanted.value), read(answers[-1])
        if wish is None or offer is None or offer.low is None:
            return True
        if slot.kind is SlotKind.RATING:
            return wish.low is not None and offer.low < wish.low
        return not wish.hold(offer.low)


def _published_bounds(text: str) -> Bounds | None:
    numbers = [float(digits) for digits in re.findall(r"\d+(?:\.\d+)?", text)]
    match numbers:
        case [one]:
            return Bounds(one, OPEN_END)
        case [low, high, *_]:
            return Bounds(low, high)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class DomainActs:
    """The system's acts about one domain."""

    nothing_fits: bool
    informed: dict[str, tuple[str, ...]]
    """Slot -> values, in the order of the acts."""
    recommended: tuple[str, ...]
    names: tuple[str, ...]
    """Every entity offered, recommended or informed."""


class RuleStateUpdate:
    """Updates goal and state from the system's turn; `published` keeps the published defects."""

    def __init__(self, schema: Schema, language: LanguagePack, *, published: bool = False) -> None:
        self._schema = schema
        self._nothing = language.nothing
        self._published = published
        self._goal_acts = GoalActs.of(schema, language)
        self._offers = OfferChecker(schema, language, published=published)

    def current(self, tuples: Tuples) -> int | None:
        """The current sub-goal."""
        return current_subgoal(tuples, self._is_settled)

    def update(
        self, goal: Goal, tuples: Tuples, heard: tuple[Act, ...], rng: Random
    ) -> tuple[Goal, Tuples]:
        """The new goal and the new state."""
        subgoal = self.current(tuples)
        if subgoal is None:
            return goal, tuples
        about = self._about(domain_of(tuples, subgoal), heard)
        if about.nothing_fits and not about.names:
            if self._published or not self._has_chosen(goal, tuples, subgoal):
                return self._relax(goal, tuples, subgoal, rng)
            return goal, tuples
        if not (self._published and about.nothing_fits) and (
            _has_more_to_say(goal, tuples, subgoal) or self._is_of_another(tuples, subgoal, about)
        ):
            return goal, tuples
        if self._has_excluded(goal, tuples, subgoal, heard):
            return goal, reset_subgoal(goal, tuples, subgoal)
        if self._published and not about.nothing_fits:
            taken = self._fill(goal, tuples, subgoal, about)
        else:
            taken = self._accept(goal, tuples, subgoal, about)
        wanted = goal if self._published else _with_wishes_of(goal, taken)
        return wanted, self._choose(goal, taken, subgoal, about, rng)

    def _has_excluded(
        self, goal: Goal, tuples: Tuples, subgoal: int, heard: tuple[Act, ...]
    ) -> bool:
        """Whether the place offered has what the user has excluded."""
        return any(
            each.subgoal == subgoal and self._offers.has_excluded(wanted, heard)
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )

    def _is_settled(self, each: SemanticTuple) -> bool:
        """As published, any text with `id` in it counts as an unresolved reference."""
        if self._published and isinstance(each.value, str) and "id" in each.value:
            return False
        return each.is_settled

    def _about(self, domain: str, heard: tuple[Act, ...]) -> DomainActs:
        acts = [act for act in heard if act.domain == domain]
        informed: dict[str, tuple[str, ...]] = {}
        for act in acts:
            if act.intent == INFORM:
                informed[act.slot] = (*informed.get(act.slot, ()), act.value)
        recommended = tuple(act.value for act in acts if act.intent == RECOMMEND)
        names = (*recommended, *informed.get(self._goal_acts.names.get(domain, ""), ()))
        return DomainActs(any(act.intent == NO_OFFER for act in acts), informed, recommended, names)

    def _has_chosen(self, goal: Goal, tuples: Tuples, subgoal: int) -> bool:
        """Whether an entity was chosen for the sub-goal; a name in the goal does not count."""
        return any(
            each.subgoal == subgoal
            and each.slot == self._goal_acts.names.get(each.domain)
            and role_of(wanted) is not TupleRole.CONSTRAINT
            and each.is_settled
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )

    def _is_of_another(self, tuples: Tuples, subgoal: int, about: DomainActs) -> bool:
        """Whether the answer is about another entity than the chosen one.

        The published rules accept the answer nevertheless and mix two entities.
        """
        chosen = self._goal_acts.name_of(tuples, subgoal)
        return not self._published and bool(chosen and about.names) and chosen not in about.names

    def _fill(self, goal: Goal, tuples: Tuples, subgoal: int, about: DomainActs) -> Tuples:
        """Fill in answers to questions and references; wishes stay."""
        return tuple(
            self._answered(each, about.informed[each.slot])
            if each.subgoal == subgoal
            and each.slot in about.informed
            and role_of(wanted) is not TupleRole.CONSTRAINT
            else each
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )

    def _answered(
        self, each: SemanticTuple, answers: tuple[str, ...], *, anew: bool = False
    ) -> SemanticTuple:
        """The tuple with the answer; answers to list slots accumulate unless `anew`."""
        domain = self._schema.domain(each.domain)
        slot = domain.slot(each.slot) if domain else None
        if slot is None or slot.kind not in (SlotKind.LIST, SlotKind.NEARBY):
            return each.filled(answers[-1])
        if self._nothing in answers:
            return each.filled(self._nothing)
        before = each.value if isinstance(each.value, tuple) and not anew else ()
        return each.filled((*before, *(text for text in answers if text not in before)))

    def _accept(self, goal: Goal, tuples: Tuples, subgoal: int, about: DomainActs) -> Tuples:
        """Accept an offer, and give up the wishes it breaks.

        The corrected user checks every offer, with or without a `NoOffer` of the system.
        """
        if not self._published and len(set(about.names)) > 1:
            return tuples  # no telling which of the places an answer is about
        taken = []
        for wanted, each in zip(goal.tuples, tuples, strict=True):
            answers = about.informed.get(each.slot, ())
            if each.subgoal == subgoal and answers and self._listens(wanted, each):
                if role_of(wanted) is not TupleRole.CONSTRAINT or (
                    (about.nothing_fits or not self._published)
                    and self._offers.violates(wanted, answers)
                ):
                    each = self._answered(each, answers, anew=True)
                each = each.said()
            taken.append(each)
        return tuple(taken)

    def _listens(self, wanted: SemanticTuple, each: SemanticTuple) -> bool:
        """Corrected: the first answer stays; as published: the last answer wins."""
        return self._published or role_of(wanted) is TupleRole.CONSTRAINT or not each.is_settled

    def _choose(
        self, goal: Goal, tuples: Tuples, subgoal: int, about: DomainActs, rng: Random
    ) -> Tuples:
        """Choose one of the names offered, if a name was wanted."""
        several = not self._published and len(set(about.names)) > 1
        offered = about.names if several else about.recommended
        if not offered:
            return tuples
        chosen = rng.choice(offered)
        return tuple(
            replace(each, value=chosen, expressed=each.expressed or not self._published)
            if each.subgoal == subgoal
            and each.slot == self._goal_acts.names.get(each.domain)
            and role_of(wanted) is not TupleRole.CONSTRAINT
            and self._listens(wanted, each)
            else each
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )

    def _relax(self, goal: Goal, tuples: Tuples, subgoal: int, rng: Random) -> tuple[Goal, Tuples]:
        """Give up one wish, a reference last, and restart the sub-goal."""
        said: dict[TupleRole, list[int]] = {role: [] for role in TupleRole}
        for position, (wanted, each) in enumerate(zip(goal.tuples, tuples, strict=True)):
            if each.subgoal == subgoal and each.expressed and not each.is_exclusion:
                said[role_of(wanted)].append(position)
        rng.shuffle(said[TupleRole.CONSTRAINT])
        wishes = said[TupleRole.CONSTRAINT] + said[TupleRole.REFERENCE]
        if not wishes:
            return goal, tuples
        given_up = goal.tuples[wishes[0]]
        goal = changed(goal, wishes[0], () if isinstance(given_up.value, tuple) else "")
        return goal, reset_subgoal(goal, tuples, subgoal)


def reset_subgoal(goal: Goal, tuples: Tuples, subgoal: int) -> Tuples:
    """The state with one sub-goal as in the goal: nothing of it said or answered."""
    return tuple(
        wanted if wanted.subgoal == subgoal else each
        for wanted, each in zip(goal.tuples, tuples, strict=True)
    )


def _has_more_to_say(goal: Goal, tuples: Tuples, subgoal: int) -> bool:
    return any(
        each.subgoal == subgoal and not each.expressed and role_of(wanted) is not TupleRole.REQUEST
        for wanted, each in zip(goal.tuples, tuples, strict=True)
    )


def _with_wishes_of(goal: Goal, tuples: Tuples) -> Goal:
    """The goal with the wishes of the state."""
    for position, (wanted, each) in enumerate(zip(goal.tuples, tuples, strict=True)):
        if role_of(wanted) is TupleRole.CONSTRAINT and each.value != wanted.value:
            goal = changed(goal, position, each.value)
    return goal


OPENING = ((2, 3, 4), (30, 50, 20))
"""Numbers of tuples in the first turn, and their weights."""
CONTINUING = ((2, 3, 4, 5), (40, 25, 15, 10))
"""Numbers of acts in later turns, and their weights. The published code draws 1 to 4 and says one
more; these are the numbers it says, which its figures depend on."""
SAYS_BYE = 0.05


class RuleUser:
    """Pursues one sub-goal after the other, in goal order."""

    def __init__(self, schema: Schema, language: LanguagePack, *, published: bool = False) -> None:
        self._published = published
        self._goal_acts = GoalActs.of(schema, language)
        self._state_update = RuleStateUpdate(schema, language, published=published)

    def open(self, goal: Goal, rng: Random) -> UserMove:
        first = goal.tuples[0].subgoal if goal.tuples else 0
        size = sum(each.subgoal == first for each in goal.tuples)
        count = min(size, rng.choices(*OPENING)[0])
        return self._move(goal, goal.tuples, range(count), [GREET])

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        goal, known = self._state_update.update(goal, tuples, heard, rng)
        subgoal = self._state_update.current(known)
        if subgoal is None:
            acts = (THANK, BYE) if rng.random() < SAYS_BYE else (THANK,)
            return UserMove(goal, known, in_order(acts))
        next_up = self._next(goal, known, subgoal, rng)
        named = () if self._published else self._clarified(known, subgoal, said, heard)
        return self._move(goal, known, next_up, [*named])

    def _next(self, goal: Goal, tuples: Tuples, subgoal: int, rng: Random) -> list[int]:
        """Positions of the tuples said next: all references, then the drawn number of acts."""
        here = [
            (at, role_of(wanted))
            for at, wanted in enumerate(goal.tuples)
            if wanted.subgoal == subgoal
        ]
        unsaid = [(at, role) for at, role in here if not tuples[at].expressed]
        references = [at for at, role in unsaid if role is TupleRole.REFERENCE]
        queue = [at for at, role in unsaid if role is TupleRole.CONSTRAINT] + [
            at
            for at, role in here
            if role is TupleRole.REQUEST and not (tuples[at].expressed and not tuples[at].is_open)
        ]
        wanted = rng.choices(*CONTINUING)[0]
        if not references and not queue and not self._published:
            return [at for at, role in here if role is not TupleRole.REQUEST]
        return self._up_to(wanted, goal, tuples, references, queue)

    def _up_to(
        self, wanted: int, goal: Goal, tuples: Tuples, references: list[int], queue: list[int]
    ) -> list[int]:
        said = list(references)
        count = sum(len(self._acts(goal, tuples, at)) for at in references)
        for at in queue:
            if count >= wanted:
                break
            said.append(at)
            count += len(self._acts(goal, tuples, at))
        return said

    def _clarified(
        self, tuples: Tuples, subgoal: int, said: tuple[Act, ...], heard: tuple[Act, ...]
    ) -> tuple[Act, ...]:
        """The act naming the chosen entity, if the system named others or left a question open."""
        chosen = self._goal_acts.name_act(tuples, subgoal)
        names = {
            act.value
            for act in heard
            if act.intent in (INFORM, RECOMMEND)
            and chosen
            and (act.domain, act.slot) == (chosen[0].domain, chosen[0].slot)
        }
        asked = {(act.domain, act.slot) for act in said if act.intent == REQUEST}
        unanswered = any(
            each.is_open and each.subgoal == subgoal and (each.domain, each.slot) in asked
            for each in tuples
        )
        return chosen if unanswered or names - {act.value for act in chosen} else ()

    def _move(
        self, goal: Goal, tuples: Tuples, said: list[int] | range, acts: list[Act]
    ) -> UserMove:
        after = list(tuples)
        for at in said:
            acts.extend(self._acts(goal, tuples, at))
            after[at] = self._goal_acts.resolved(tuples[at], tuples).said()
        return UserMove(goal, tuple(after), in_order(acts))

    def _acts(self, goal: Goal, tuples: Tuples, at: int) -> tuple[Act, ...]:
        return self._goal_acts.say(tuples[at], tuples, role_of(goal.tuples[at]))
