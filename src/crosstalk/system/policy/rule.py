"""Our rule policy: a helpful clerk with the database at hand. No learning, every step readable.

For every domain the user speaks of: find the entity meant (named, spoken of, or the best match),
offer it, and answer every question about it. Say so when there is nothing; when nothing matches,
relax the search and offer the nearest thing together with how it differs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.database.conditions import terms
from crosstalk.database.queries import Database
from crosstalk.database.relaxing import relax
from crosstalk.database.saying import answer, label
from crosstalk.database.tables import Row
from crosstalk.dialogue.acts import (
    GENERAL,
    INFORM,
    NO_OFFER,
    NOTHING,
    RECOMMEND,
    Act,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import DomainState
from crosstalk.system.dst.memory import Heard, Memory
from crosstalk.system.dst.tracker import Belief
from crosstalk.system.policy.policy import Decision

MOST_IN_A_LIST = 5
"""Nearby places and dishes named at once; wizards rarely name more."""

COURTESY = {"thank": "welcome", "bye": "bye", "greet": "greet"}
"""What is answered to a general act that comes alone."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the clerk will talk about in one domain."""

    rows: tuple[Row, ...]
    """The entity, or several to choose from; none where nothing is to be had."""
    dropped: tuple[str, ...] = ()
    """Slots the entity does not meet, because nothing meets all."""
    form: DomainState | None = None
    """The tab as searched, where it was relaxed."""
    is_new: bool = False
    """Found just now, hence to be named."""


class RulePolicy:
    """`offers` is how many matches are named at once where several fit.

    One is the default: users who pick silently among several leave the clerk guessing.
    """

    def __init__(self, database: Database, *, offers: int = 1) -> None:
        self._database = database
        self._world = database.world
        self._offers = offers

    def decide(self, belief: Belief, history: tuple[Turn, ...]) -> Decision:
        yes = self._world.language.yes
        memory = belief.memory or Memory.of(self._world.schema, yes, history)
        heard = Heard(history[-1], self._world.schema, yes)
        acts: set[Act] = set()
        form = belief.form
        for domain in self._concerned(belief, heard):
            found = self._find(domain, belief, memory, heard)
            asked = [slot for key, slot in belief.requests if key == domain.key]
            acts.update(self._offer(domain, found, belief.form.get(domain.key)))
            acts.update(self._answers(domain, found, asked))
            tab = found.form or form.get(domain.key)
            selected = tuple(label(self._world, domain, row) for row in found.rows)
            form = form.with_domain(DomainState(tab.domain, tab.slots, selected))
        acts.update(self._courtesies(heard, bool(acts)))
        return Decision(tuple(sorted(acts)), form)

    def _concerned(self, belief: Belief, heard: Heard) -> list[Domain]:
        """The domains to speak of: mentioned now, or with a question still open."""
        keys = [act.domain for act in heard.acts if act.intent != GENERAL]
        keys += [domain for domain, _ in belief.requests]
        sources = set(heard.near.values()) - set(heard.near) - {d for d, _ in belief.requests}
        found = (
            self._world.schema.domain(key) for key in dict.fromkeys(keys) if key not in sources
        )
        return [domain for domain in found if domain is not None]

    def _find(self, domain: Domain, belief: Belief, memory: Memory, heard: Heard) -> Found:
        tab = belief.form.get(domain.key)
        if domain.kind is not DomainKind.PLACE:
            return Found(self._database.search(domain.key, tab.constraints))
        searches = bool(heard.slots(domain.key)) or domain.key in heard.near
        current = self._database.find(domain.key, memory.last.get(domain.key, ""))
        if current and not searches:
            return Found((current,))
        rows = self._database.search(domain.key, tab.constraints)
        if current and current in rows:
            return Found((current,), is_new=True)
        if rows:
            return Found(self._best(rows, domain, memory), is_new=True)
        return self._nearest(domain, tab, current)

    def _best(self, rows: tuple[Row, ...], domain: Domain, memory: Memory) -> tuple[Row, ...]:
        """Places spoken of before come first; tables run from well known to little known."""
        name = memory.names[domain.key]
        spoken_of = {act.value for act in memory.told}
        ranked = sorted(rows, key=lambda row: row[name] not in spoken_of)
        return tuple(ranked[: self._offers])

    def _nearest(self, domain: Domain, tab: DomainState, current: Row | None) -> Found:
        """The entity that misses fewest wishes; the one under discussion if it is no worse."""
        relaxed = relax(self._database, domain.key, tab.constraints)
        if not relaxed.rows:
            return Found(())
        row = relaxed.rows[0]
        if current:
            worse = len(self._unmet(domain, current, tab)) > len(self._unmet(domain, row, tab))
            row = row if worse else current
        slots = tuple((key, relaxed.kept.get(key, "")) for key, _ in tab.slots)
        return Found((row,), self._unmet(domain, row, tab), DomainState(domain.key, slots), True)

    def _unmet(self, domain: Domain, row: Row, tab: DomainState) -> tuple[str, ...]:
        return self._database.unmet(domain.key, row, tab.constraints)

    def _offer(self, domain: Domain, found: Found, wanted: DomainState) -> Iterator[Act]:
        if domain.kind is not DomainKind.PLACE:
            return
        if found.dropped or not found.rows:
            yield Act(NO_OFFER, domain.key, NOTHING, NOTHING)
        if found.is_new:
            intent = RECOMMEND if len(found.rows) > 1 else INFORM
            for row in found.rows:
                yield Act(intent, domain.key, *self._named(domain, row))
        for key in found.dropped:
            for slot in self._differing(domain, key, wanted):
                yield from self._tell(domain, found.rows[0], slot)

    def _differing(self, domain: Domain, key: str, wanted: DomainState) -> list[str]:
        """The slots to tell of a wish that is not met: of services, each that was wanted."""
        slot = domain.slot(key)
        if slot is None or slot.kind is SlotKind.NEARBY:
            return []  # what it is near instead helps nobody
        if slot.kind is not SlotKind.SERVICES:
            return [key]
        wished = terms(self._world.language, wanted.get(key))
        return [f"{key}{SERVICE_MARK}{service}" for service in wished]

    def _named(self, domain: Domain, row: Row) -> tuple[str, str]:
        slot = domain.name_slot
        return (slot.key, str(row[slot.key])) if slot else (NOTHING, NOTHING)

    def _answers(self, domain: Domain, found: Found, asked: list[str]) -> Iterator[Act]:
        if domain.kind is not DomainKind.PLACE:
            yield from self._ride(domain, found.rows, asked)
        elif found.rows:
            for slot in asked:
                yield from self._tell(domain, found.rows[0], slot)

    def _tell(self, domain: Domain, row: Row, key: str) -> Iterator[Act]:
        """What the row says about a slot; for services as a whole, each by itself."""
        slot = domain.slot(key)
        pack = self._world.language
        if slot and slot.kind is SlotKind.SERVICES and key == slot.key:
            for service in answer(pack, domain, row, key)[:MOST_IN_A_LIST]:
                yield Act(INFORM, domain.key, f"{key}{SERVICE_MARK}{service}", pack.yes)
            return
        values = answer(pack, domain, row, key)
        if slot and slot.kind is SlotKind.LIST:
            values = tuple(value for value in values if value not in slot.tags) or values
        for value in values[:MOST_IN_A_LIST]:
            yield Act(INFORM, domain.key, key, value)

    def _ride(self, domain: Domain, rows: tuple[Row, ...], asked: list[str]) -> Iterator[Act]:
        for slot in asked:
            found = domain.slot(slot)
            row = next((each for each in rows if slot in each), None)
            if row is not None and found is not None:
                for value in answer(self._world.language, domain, row, slot):
                    yield Act(INFORM, domain.key, slot, value)

    def _courtesies(self, heard: Heard, answered: bool) -> Iterator[Act]:
        for act in heard.acts:
            reply = COURTESY.get(act.domain) if act.intent == GENERAL else None
            if reply and not (answered and act.domain == "greet"):
                yield Act(GENERAL, reply)
