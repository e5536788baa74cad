"""The policy interface, and the view of one domain that rule-based policies work on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosstalk.dialogue.acts import COUNT, INFORM, NO_RECORD, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import EITHER, SERVICE_MARK, Domain, SlotKind
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.worlds.conditions import terms
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, texts


@dataclass(frozen=True, slots=True)
class Decision:
    """The next system turn, at act level."""

    acts: tuple[Act, ...]
    """Sorted, without repeats."""
    form: SystemState
    """The last query, perhaps relaxed, with the results the answer speaks of selected."""


class Policy(Protocol):
    """Decides on the next system turn."""

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        """Answer the last turn of `history`, which is the user's."""
        ...


MOST_IN_A_LIST = 5
"""Nearby places and dishes named at once; wizards rarely name more."""


@dataclass(frozen=True, slots=True)
class DomainContext:
    """One domain in one turn, with the database at hand."""

    database: Database
    discourse: Discourse
    heard: UserActs
    domain: Domain
    tab: DomainState
    """What is searched for in the domain."""
    asked: tuple[str, ...]
    """Slots that were asked for and not answered yet."""

    @property
    def pack(self) -> LanguagePack:
        return self.database.world.language

    @property
    def key(self) -> str:
        return self.domain.key

    @property
    def named(self) -> list[str]:
        """Names of places that the user has just said."""
        slot = self.domain.name_slot
        return self.heard.informed.get((self.key, slot.key), []) if slot else []

    @property
    def current(self) -> Row | None:
        """The place under discussion: named just now, or spoken of last."""
        names = [*reversed(self.named), self.discourse.current.get(self.key, "")]
        rows = (self.database.find(self.key, name) for name in names if name)
        return next((row for row in rows if row is not None), None)

    @property
    def was_counted(self) -> bool:
        """Whether the last answer was a count; a place found earlier need not be among those."""
        told = self.discourse.system_acts
        return any(act.intent == COUNT and act.domain == self.key for act in told)

    def acts(self, *intents: str) -> list[Act]:
        return self.heard.of(self.key, *intents)

    def name(self, row: Row) -> str:
        slot = self.domain.name_slot
        return str(row[slot.key]) if slot else ""

    def named_act(self, row: Row, intent: str = INFORM) -> Act:
        slot = self.domain.name_slot
        return Act(intent, self.key, slot.key if slot else "", self.name(row))

    def rows(self) -> tuple[Row, ...]:
        """The places that meet all wishes, in the order the user wants."""
        return self.ranked(self.database.search(self.key, self.tab.constraints))

    def ranked(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """By the order of the tab, places without a value last.

        Without an order, places that have the wished terms word for word come first.
        """
        if not self.tab.order:
            wished = self._wished_terms()
            return tuple(sorted(rows, key=lambda row: -self._literal(row, wished)))
        slot, way = self.tab.order
        sign = 1 if way == "min" else -1

        def place(row: Row) -> tuple[bool, float]:
            number = self.database.measure(row.get(slot))
            return (True, 0.0) if number is None else (False, sign * number)

        return tuple(sorted(rows, key=place))

    def _literal(self, row: Row, wished: Sequence[str]) -> int:
        """How many of the wished terms the lists hold word for word."""
        slots = self.domain.of_kind(SlotKind.LIST) if wished else ()
        lists = [text for slot in slots for text in texts(row.get(slot.key))]
        return sum(term in lists for term in wished)

    def _wished_terms(self) -> list[str]:
        """The terms wished for in list slots, such as dishes; alternatives one by one."""
        wishes = [self.tab.get(slot.key) for slot in self.domain.of_kind(SlotKind.LIST)]
        said = [term for wish in wishes for term in terms(self.pack, wish)]
        return [each for term in said for each in term.split(EITHER)]

    def tell(self, row: Row, key: str) -> Iterator[Act]:
        """What the row says about a slot; for services as a whole, each by itself."""
        slot = self.domain.slot(key)
        if slot is None:
            yield Act(NO_RECORD, self.key, key, self.name(row))
            return
        if slot.kind is SlotKind.SERVICES and key == slot.key:
            for service in answer(self.pack, self.domain, row, key)[:MOST_IN_A_LIST]:
                yield Act(INFORM, self.key, f"{key}{SERVICE_MARK}{service}", self.pack.yes)
            return
        values = answer(self.pack, self.domain, row, key)
        if slot.kind is SlotKind.SERVICES:
            values = (self.pack.yes if self.has(row, key) else self.pack.no,)
        if slot.kind is SlotKind.LIST:
            values = tuple(value for value in values if value not in slot.tags) or values
        for value in values[:MOST_IN_A_LIST]:
            yield Act(INFORM, self.key, key, value)

    def has(self, row: Row, key: str) -> bool:
        """Whether a place has a service; False for services outside the tables."""
        return self.domain.slot(key) is not None and self.database.offers(self.key, row, key)
