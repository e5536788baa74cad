"""How a wizard filled in the form in earlier turns of the same dialogue, by what the form showed."""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.candidates import Rewordings
from crosstalk.system.dst.habits import naming
from crosstalk.system.dst.memory import Heard, Memory
from crosstalk.system.dst.results import MANY, place_of

COUNTED = (
    "types nearby",
    "skips nearby",
    "types constraints",
    "skips constraints",
    "types as said",
    "rewords",
    "types asked services",
    "skips asked services",
)


@dataclass(frozen=True, slots=True)
class Naming:
    """One time that a place was spoken of which the wizard knew already."""

    typed: bool
    place: int
    """Where it stood among the results of the form as it was; MANY: not among them."""


class FormHabits:
    """Counts over the exchanges of one dialogue."""

    def __init__(self, database: Database, rewordings: Rewordings) -> None:
        self._database = database
        self._rewordings = rewordings
        self._counts = dict.fromkeys(COUNTED, 0)
        self._namings: list[Naming] = []

    @classmethod
    def of(
        cls, database: Database, rewordings: Rewordings, history: tuple[Turn, ...]
    ) -> "FormHabits":
        world = database.world
        memory, habits = Memory(world.schema, world.language.yes), cls(database, rewordings)
        for user, system in zip(history[0::2], history[1::2], strict=False):
            heard = Heard(user, world.schema, world.language.yes)
            if system.first_query:
                for domain in world.schema.places:
                    habits._see(memory, heard, domain, system.first_query)
            memory.add(user, system)
        return habits

    def features(self) -> Features:
        last = self._namings[-1] if self._namings else None
        typed = [each.place for each in self._namings if each.typed]
        skipped = [each.place for each in self._namings if not each.typed]
        return {
            **{f"habit: {name}": count for name, count in self._counts.items()},
            "last name typed": int(last.typed) if last else -1,
            "last name's place": last.place if last else -1,
            "first place typed": min(typed, default=-1),
            "last place skipped": max(skipped, default=-1),
        }

    def _see(self, memory: Memory, heard: Heard, domain: Domain, typed: SystemState) -> None:
        for habit in self._filling(heard, domain, typed):
            self._counts[habit] += 1
        before = memory.form
        for habit in naming(memory, heard, domain.key, typed) if before else ():
            assert before is not None and domain.name_slot is not None
            said = heard.informed.get((domain.key, domain.name_slot.key), [])
            name = said[0] if said else memory.last.get(domain.key, "")
            if before.get(domain.key).get(domain.name_slot.key) != name:
                place = place_of(self._database, domain, before, name)
                self._namings.append(Naming(habit.startswith("types"), place))

    def _filling(self, heard: Heard, domain: Domain, typed: SystemState) -> Iterator[str]:
        tab = typed.get(domain.key)
        for slot in domain.form:
            value = tab.get(slot.key)
            said = heard.informed.get((domain.key, slot.key), [])
            if slot.kind is SlotKind.NEARBY and heard.near.get(domain.key) == slot.target:
                yield "types nearby" if value else "skips nearby"
            elif said and slot.kind not in (SlotKind.NAME, SlotKind.NEARBY):
                yield "types constraints" if value else "skips constraints"
                known = self._rewordings.get((domain.key, slot.key, said[0]), ())
                if known and value:
                    yield "types as said" if value == said[0] else "rewords"
            elif slot.kind is SlotKind.SERVICES and heard.asked_services.get(domain.key):
                asked = heard.asked_services[domain.key]
                shown = any(service in str(value) for service in asked)
                yield "types asked services" if shown else "skips asked services"
