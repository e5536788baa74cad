"""What a user takes from the system's turn, by the published rules (CrossWOZ, section 5).

Only the sub-goal under way listens. Answers fill its questions; where nothing was to be had, an
offer is taken and gives up the wishes it breaks, and without an offer one wish is dropped. What is
excluded is never given up: a place that has it is no offer.
"""

from dataclasses import dataclass, replace
from random import Random

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.users.progress import TupleRole, changed, current_subgoal, domain_of, role_of
from crosstalk.users.speech import GoalSpeech
from crosstalk.users.violation import OfferJudge


@dataclass(frozen=True, slots=True)
class DomainActs:
    """The system's acts about one domain."""

    nothing_fits: bool
    informed: dict[str, tuple[str, ...]]
    """Slot -> values, in the order of the acts."""
    recommended: tuple[str, ...]
    names: tuple[str, ...]
    """Every entity offered, recommended or informed."""


class Listener:
    """`published` keeps the paper's slips: see `RuleUser`."""

    def __init__(self, schema: Schema, language: LanguagePack, *, published: bool = False) -> None:
        self._schema = schema
        self._nothing = language.nothing
        self._published = published
        self._speech = GoalSpeech.of(schema, language)
        self._judge = OfferJudge(schema, language, published=published)

    def current(self, tuples: Tuples) -> int | None:
        """The sub-goal under way."""
        return current_subgoal(tuples, self._is_settled)

    def update(
        self, goal: Goal, tuples: Tuples, heard: tuple[Act, ...], rng: Random
    ) -> tuple[Goal, Tuples]:
        """The goal as it is now wanted, and what is now known."""
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
            return goal, begun_anew(goal, tuples, subgoal)
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
            each.subgoal == subgoal and self._judge.has_excluded(wanted, heard)
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
        names = (*recommended, *informed.get(self._speech.names.get(domain, ""), ()))
        return DomainActs(any(act.intent == NO_OFFER for act in acts), informed, recommended, names)

    def _has_chosen(self, goal: Goal, tuples: Tuples, subgoal: int) -> bool:
        """Whether an entity was found for the sub-goal; a name in the goal itself is a wish."""
        return any(
            each.subgoal == subgoal
            and each.slot == self._speech.names.get(each.domain)
            and role_of(wanted) is not TupleRole.CONSTRAINT
            and each.is_settled
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )

    def _is_of_another(self, tuples: Tuples, subgoal: int, about: DomainActs) -> bool:
        """Whether the answer is about an entity other than the one already settled on.

        The published rules take the answer all the same, and mix two entities.
        """
        chosen = self._speech.name_of(tuples, subgoal)
        return not self._published and bool(chosen and about.names) and chosen not in about.names

    def _fill(self, goal: Goal, tuples: Tuples, subgoal: int, about: DomainActs) -> Tuples:
        """Take answers to questions and references; wishes stay as they are."""
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
        """The tuple with what was heard; the answers of list slots gather unless taken `anew`."""
        domain = self._schema.domain(each.domain)
        slot = domain.slot(each.slot) if domain else None
        if slot is None or slot.kind not in (SlotKind.LIST, SlotKind.NEARBY):
            return each.filled(answers[-1])
        if self._nothing in answers:
            return each.filled(self._nothing)
        before = each.value if isinstance(each.value, tuple) and not anew else ()
        return each.filled((*before, *(text for text in answers if text not in before)))

    def _accept(self, goal: Goal, tuples: Tuples, subgoal: int, about: DomainActs) -> Tuples:
        """Something was offered: take it, and give up what it breaks.

        Mended, the user sees for itself what an offer breaks, whether or not it heard an apology.
        """
        if not self._published and len(set(about.names)) > 1:
            return tuples  # no telling which of the places an answer is about
        taken = []
        for wanted, each in zip(goal.tuples, tuples, strict=True):
            answers = about.informed.get(each.slot, ())
            if each.subgoal == subgoal and answers and self._listens(wanted, each):
                if role_of(wanted) is not TupleRole.CONSTRAINT or (
                    (about.nothing_fits or not self._published)
                    and self._judge.violates(wanted, answers)
                ):
                    each = self._answered(each, answers, anew=True)
                each = each.said()
            taken.append(each)
        return tuple(taken)

    def _listens(self, wanted: SemanticTuple, each: SemanticTuple) -> bool:
        """Mended, what was answered once stays; as published, the last answer wins."""
        return self._published or role_of(wanted) is TupleRole.CONSTRAINT or not each.is_settled

    def _choose(
        self, goal: Goal, tuples: Tuples, subgoal: int, about: DomainActs, rng: Random
    ) -> Tuples:
        """One of the recommended names, where a name was wanted."""
        several = not self._published and len(set(about.names)) > 1
        offered = about.names if several else about.recommended
        if not offered:
            return tuples
        chosen = rng.choice(offered)
        return tuple(
            replace(each, value=chosen, expressed=each.expressed or not self._published)
            if each.subgoal == subgoal
            and each.slot == self._speech.names.get(each.domain)
            and role_of(wanted) is not TupleRole.CONSTRAINT
            and self._listens(wanted, each)
            else each
            for wanted, each in zip(goal.tuples, tuples, strict=True)
        )

    def _relax(self, goal: Goal, tuples: Tuples, subgoal: int, rng: Random) -> tuple[Goal, Tuples]:
        """Give up one wish, a reference last of all, and begin the sub-goal anew."""
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
        return goal, begun_anew(goal, tuples, subgoal)


def begun_anew(goal: Goal, tuples: Tuples, subgoal: int) -> Tuples:
    """The state with a sub-goal as it stands in the goal: nothing of it said or answered."""
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
    """The goal with its wishes as they are now."""
    for position, (wanted, each) in enumerate(zip(goal.tuples, tuples, strict=True)):
        if role_of(wanted) is TupleRole.CONSTRAINT and each.value != wanted.value:
            goal = changed(goal, position, each.value)
    return goal
