"""Acts that say tuples: wishes are informed or excluded, questions asked, references selected."""

from collections.abc import Iterable
from dataclasses import dataclass

from crosstalk.dialogue.acts import EXCLUDE, GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import NOT_MARK, Schema
from crosstalk.users.progress import TupleRole, domain_of

GREET = Act(GENERAL, "greet")
THANK = Act(GENERAL, "thank")
BYE = Act(GENERAL, "bye")


def in_order(acts: Iterable[Act]) -> tuple[Act, ...]:
    """Sorted, without repeats, as corpora keep the acts of a turn."""
    return tuple(sorted(set(acts)))


@dataclass(frozen=True, slots=True)
class GoalSpeech:
    """How the tuples of a world's goals become acts."""

    names: dict[str, str]
    """Domain -> the key of its name slot."""
    source: str
    """The slot of Select acts."""

    @classmethod
    def of(cls, schema: Schema, language: LanguagePack) -> "GoalSpeech":
        names = {place.key: place.name_slot.key for place in schema if place.name_slot}
        return cls(names, language.source)

    def name_of(self, tuples: Tuples, subgoal: int) -> str:
        """The entity a sub-goal has settled on so far; empty while there is none."""
        for each in tuples:
            if each.subgoal == subgoal and each.slot == self.names.get(each.domain):
                return each.value if isinstance(each.value, str) else ""
        return ""

    def say(self, each: SemanticTuple, tuples: Tuples, role: TupleRole) -> tuple[Act, ...]:
        """The acts that say one tuple of a state."""
        if role is TupleRole.REQUEST or each.is_open:
            return (Act(REQUEST, each.domain, each.slot, ""),)
        return self.inform(each, each.value, tuples)

    def inform(self, each: SemanticTuple, value: Value, tuples: Tuples) -> tuple[Act, ...]:
        """The acts that say what a tuple wants, `value` being what the goal has there."""
        if isinstance(value, Reference):
            if value.nearby:
                return self.select(each.domain, value, tuples)
            value = self.name_of(tuples, value.subgoal)
        texts = (value,) if isinstance(value, str) else value
        intent = EXCLUDE if each.is_exclusion else INFORM
        slot = each.slot.removeprefix(NOT_MARK)
        return tuple(Act(intent, each.domain, slot, text) for text in texts if text)

    def name_act(self, tuples: Tuples, subgoal: int) -> tuple[Act, ...]:
        """The act that says which entity is meant, where there is one."""
        name, domain = self.name_of(tuples, subgoal), domain_of(tuples, subgoal)
        return (Act(INFORM, domain, self.names[domain], name),) if name else ()

    def resolved(self, each: SemanticTuple, tuples: Tuples) -> SemanticTuple:
        """The end of a ride gets its name when it is said; a nearby entity is still to be found."""
        if not isinstance(each.value, Reference) or each.value.nearby:
            return each
        name = self.name_of(tuples, each.value.subgoal)
        return each.filled(name) if name else each

    def select(self, target: str, near: Reference, tuples: Tuples) -> tuple[Act, ...]:
        source = domain_of(tuples, near.subgoal)
        return (Act(SELECT, target, self.source, source), *self.name_act(tuples, near.subgoal))
