"""The discourse so far: places mentioned, domains visited, questions asked.

`Discourse` is a fold over turns; everything in it is known before the system's next turn.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from crosstalk.dialogue.acts import (
    AMONG,
    ANOTHER,
    ASK,
    COMPARE,
    CONFIRM,
    DIFFERENCE,
    EXCLUDE,
    FACT,
    GENERAL,
    INFORM,
    PICK,
    PUBLISHED,
    RECOMMEND,
    REQUEST,
    SELECT,
    SORT,
    STEP,
    WHICH,
    WINNER,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Speaker, Turn, exchanges
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, Schema, SlotKind
from crosstalk.dialogue.states import SystemState

Place = tuple[str, str]
"""Domain and name; the domain is empty where a ride names a place."""

MOST_RECENT = 12
"""Most places kept in `recent`."""


class UserActs:
    """The acts of a user turn, grouped into informed values, requests and Selects."""

    def __init__(self, turn: Turn, schema: Schema, yes: str) -> None:
        self.text = turn.text
        self.acts = turn.acts
        self.informed: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.asked: dict[str, set[str]] = defaultdict(set)
        self.asked_services: dict[str, list[str]] = defaultdict(list)
        self.near: dict[str, str] = {}
        """Domain searched for -> domain of the place it shall be near."""
        for act in turn.acts:
            self._sort(act, schema, yes)

    def _sort(self, act: Act, schema: Schema, yes: str) -> None:
        domain = schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        service = ""
        if slot and slot.kind is SlotKind.SERVICES:
            service = act.slot.removeprefix(slot.key).removeprefix(SERVICE_MARK)
        if act.intent == SELECT:
            self.near[act.domain] = act.value
        elif act.intent == REQUEST:
            self.asked[act.domain].add(act.slot)
            if service:
                self.asked_services[act.domain].append(service)
        elif act.intent == INFORM and slot:
            if not service:
                self.informed[act.domain, slot.key].append(act.value)
            elif act.value == yes:
                self.informed[act.domain, slot.key].append(service)

    def slots(self, domain: str) -> list[str]:
        """The slots of a domain that were informed."""
        return [slot for where, slot in self.informed if where == domain]

    def of(self, domain: str, *intents: str) -> list[Act]:
        """The acts with one of these intents about a domain."""
        return [act for act in self.acts if act.domain == domain and act.intent in intents]

    def general(self, what: str) -> bool:
        return Act(GENERAL, what) in self.acts

    def spoken(self, terms: Iterable[str]) -> list[str]:
        """The terms in the order of the utterance; acts are sorted by code point."""
        far = len(self.text)
        return sorted(terms, key=lambda term: self.text.find(term) if term in self.text else far)


class Discourse:
    """The dialogue before the user's last turn, added exchange by exchange."""

    def __init__(self, schema: Schema, yes: str) -> None:
        self.schema = schema
        self.yes = yes
        self.names = {d.key: d.name_slot.key for d in schema if d.name_slot}
        self._begin()

    def _begin(self) -> None:
        self.domain = ""
        """The domain the user spoke of last."""
        self.last: dict[str, str] = {}
        """Domain -> the entity either side spoke of last."""
        self.last_by_user: dict[str, str] = {}
        self.mentioned: dict[str, set[str]] = defaultdict(set)
        self.selected: dict[str, tuple[str, ...]] = {}
        """Domain -> results ticked for the last answer."""
        self.active: dict[str, int] = {}
        """Domain -> exchange in which the user last spoke of it."""
        self.asked: dict[str, set[str]] = defaultdict(set)
        self.asked_since_search: dict[str, set[str]] = defaultdict(set)
        """Domain -> slots requested since its last constraint or Select."""
        self.system_acts: tuple[Act, ...] = ()
        self.told: list[Act] = []
        """Everything the system has informed or recommended."""
        self.offered: dict[str, list[str]] = {}
        """Domain -> names in the last system turn."""
        self.offered_since: dict[str, list[str]] = defaultdict(list)
        """Domain -> every name the system has offered."""
        self.current: dict[str, str] = {}
        """Domain -> the place under discussion: named last, picked, or the first of a list."""
        self.place_domain = ""
        """The domain under discussion, rides left out."""
        self.ride: tuple[str, dict[str, str]] | None = None
        """The last ride, with the ends that were named."""
        self.recent: list[Place] = []
        """Places spoken of by either side, latest first."""
        self.listed: list[Place] = []
        """The places named together last, in the order in which they were named."""
        self.enumerated: list[Place] = []
        """The last such list with more than one place."""
        self.sought: dict[str, list[str]] = defaultdict(list)
        """Domain -> its name field, turn by turn: a name, or a word that several names share."""
        self.question: Act | None = None
        """The question of the last system turn."""
        self.first_form: SystemState | None = None
        self.form: SystemState | None = None
        self.exchange = 0

    @classmethod
    def of(cls, schema: Schema, yes: str, history: tuple[Turn, ...]) -> "Discourse":
        discourse = cls(schema, yes)
        for user, system in exchanges(history):
            discourse.add(user, system)
        return discourse

    def add(self, user: Turn, system: Turn) -> None:
        """Add one exchange."""
        assert user.speaker is Speaker.USER and system.speaker is Speaker.SYSTEM
        heard = self.heard(user)
        if heard.general("restart"):
            self._begin()
        self._hear(heard)
        self._see(system, goes_on=any(act.intent in (ANOTHER, STEP) for act in user.acts))
        self._forget_list(heard)
        self.exchange += 1

    def _forget_list(self, heard: UserActs) -> None:
        """Forget the list of places if new wishes led to a single one of them."""
        names = set(self.names.values())
        wished = [a for a in heard.acts if a.intent in (INFORM, EXCLUDE) and a.slot not in names]
        for domain in {act.domain for act in wished if not heard.of(act.domain, WHICH, COMPARE)}:
            offered = self.offered.get(domain, [])
            if len(offered) == 1 and len(self.listed) > 1 and (domain, offered[0]) in self.listed:
                self.listed = [(domain, offered[0])]

    def heard(self, turn: Turn) -> UserActs:
        """The acts of a user turn, with names in place of picks ("the second one")."""
        intents = {act.intent for act in turn.acts}
        if PICK in intents and SORT not in intents:  # the second cheapest is not the second named
            turn = replace(turn, acts=in_order(self._picked(act) for act in turn.acts))
        return UserActs(turn, self.schema, self.yes)

    def _picked(self, act: Act) -> Act:
        """An Inform of the name picked from the last list; other acts unchanged."""
        places = [place for place in self.listed if act.domain in ("", place[0])]
        number = int(act.value) if act.value.lstrip("-").isdigit() else 0
        at = number - 1 if number > 0 else number
        if at >= len(places):  # places were offered one by one since
            places = [place for place in self.enumerated if act.domain in ("", place[0])]
        if act.intent != PICK or not number or not -len(places) <= at < len(places):
            return act
        domain, name = places[at]
        return Act(INFORM, domain, self.names[domain], name)

    def focus(self, heard: UserActs) -> str:
        """The domain that the user speaks of now."""
        for intent in (SELECT, REQUEST, INFORM):
            counts = Counter(act.domain for act in heard.acts if act.intent == intent)
            if counts:
                return counts.most_common(1)[0][0]
        others = (a.domain for a in heard.acts if a.intent not in PUBLISHED and a.domain)
        return next((key for key in others if self.schema.domain(key)), self.domain)

    def _hear(self, heard: UserActs) -> None:
        self.domain = self.focus(heard)
        for domain, name_slot in self.names.items():
            said = heard.informed.get((domain, name_slot), [])
            if said:
                self.last[domain] = self.last_by_user[domain] = said[-1]
                self.mentioned[domain].update(said)
                self.current[domain] = said[-1]
        self._remember(self._named(heard))
        self._hear_ride(heard)
        self._attend(self.domain)
        for domain in {key for key, slot in heard.informed if slot != self.names.get(key)} | set(
            heard.near
        ):
            self.asked_since_search[domain] = set()
        for domain, slots in heard.asked.items():
            self.asked[domain] |= slots
            self.asked_since_search[domain] |= slots
        for act in heard.acts:
            self.active[act.domain] = self.exchange

    def _attend(self, key: str) -> None:
        domain = self.schema.domain(key)
        if domain and domain.kind is DomainKind.PLACE:
            self.place_domain = key

    def _hear_ride(self, heard: UserActs) -> None:
        for ride in self.schema.rides:
            ends = {slot.key for slot in ride.of_kind(SlotKind.ENDPOINT)}
            said = {
                slot: values[-1]
                for (key, slot), values in heard.informed.items()
                if key == ride.key and slot in ends
            }
            if said:
                self.ride = ride.key, said

    def _named(self, heard: UserActs) -> Iterator[Place]:
        """The places the user named: to ask about, to compare, to be near, as ends of a ride."""
        for act in heard.acts:
            if act.intent in (COMPARE, DIFFERENCE):
                yield from ((act.domain, name) for name in act.value.split(AMONG) if name)
            if act.intent == CONFIRM and (target := nearby_target(self.schema, act)):
                yield target, act.value
        for (key, slot_key), values in heard.informed.items():
            domain = self.schema.domain(key)
            slot = domain.slot(slot_key) if domain else None
            if slot and slot.kind in (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT):
                where = {SlotKind.NAME: key, SlotKind.NEARBY: slot.target}.get(slot.kind, "")
                yield from ((where, value) for value in values)

    def _remember(self, places: Iterable[Place]) -> None:
        for place in places:
            known = [each for each in self.recent if each[1] != place[1]]
            domain = place[0] or next((d for d, name in self.recent if name == place[1]), "")
            self.recent = [(domain, place[1]), *known][:MOST_RECENT]

    def _see(self, system: Turn, goes_on: bool) -> None:
        """Add a system turn; `goes_on`: the user had asked for another place."""
        self.first_form, self.form = system.first_query, system.last_query
        self.system_acts = system.acts
        self.told += [act for act in system.acts if act.intent in (INFORM, RECOMMEND)]
        self.offered = {
            domain: names_of(system.acts, domain, key) for domain, key in self.names.items()
        }
        self.question = next((act for act in system.acts if act.intent == ASK), None)
        for domain, name in self.names.items():
            typed = self.first_form.get(domain).get(name) if self.first_form else ""
            self.sought[domain].append(str(typed))
            ticked = self.form.get(domain).selected if self.form else ()
            self.selected[domain] = ticked
            self.mentioned[domain].update(self.offered[domain], ticked)
            latest = ticked if len(ticked) == 1 else self.offered[domain]
            if latest:
                self.last[domain] = latest[-1]
                self.current[domain] = latest[0]
            if len(ticked) == 1 and ticked[0] not in self.offered[domain]:
                self._remember((domain, name) for name in ticked)
        self._see_places(system, goes_on)

    def _see_places(self, system: Turn, goes_on: bool) -> None:
        told = dict.fromkeys(self._told_places(system.acts))
        places = sorted(told, key=lambda place: _position(system.text, place[1]))
        for domain, name in places:
            if name not in self.offered_since[domain]:
                self.offered_since[domain].append(name)
        around = [place for place in places if self._is_around(system.acts, place)]
        listed = around or places
        if len(listed) > 1 or (listed and listed[0] not in self.listed):
            same = goes_on and {place[0] for place in (*self.listed, *listed)} == {listed[0][0]}
            self.listed = [*self.listed, *listed] if same else listed
            self.enumerated = listed if len(listed) > 1 else self.enumerated
        if listed and len({domain for domain, _ in listed}) == 1:
            self._attend(listed[0][0])
        for domain, name in around[:1]:
            if all(act.domain != domain for act in system.acts):  # else the talk is about another
                self.current[domain] = name
        self._remember(reversed(places))
        for act in system.acts:
            if act.intent == WINNER:
                self.last[act.domain] = self.current[act.domain] = act.value
                self._remember([(act.domain, act.value)])

    def _is_around(self, acts: tuple[Act, ...], place: Place) -> bool:
        """Whether a place was named as being near another."""
        return any(nearby_target(self.schema, a) == place[0] and a.value == place[1] for a in acts)

    def _told_places(self, acts: tuple[Act, ...]) -> Iterator[Place]:
        for act in acts:
            if act.intent == FACT:
                yield act.domain, act.value.partition(AMONG)[0]
            elif act.intent in (INFORM, RECOMMEND) and act.slot == self.names.get(act.domain):
                yield act.domain, act.value
            elif act.intent == INFORM and (target := nearby_target(self.schema, act)):
                yield target, act.value


def _position(text: str, name: str) -> int:
    """The position of a name in a text; the length of the text if it is missing."""
    at = text.find(name)
    return at if at >= 0 else len(text)


def nearby_target(schema: Schema, act: Act) -> str:
    """The domain of the nearby places that an act is about; empty for other acts."""
    domain = schema.domain(act.domain)
    slot = domain.slot(act.slot) if domain else None
    return slot.target if slot and slot.kind is SlotKind.NEARBY else ""


def names_of(acts: tuple[Act, ...], domain: str, name_slot: str) -> list[str]:
    """The names a system turn offers in a domain."""
    return [
        act.value
        for act in acts
        if act.domain == domain and act.slot == name_slot and act.intent in (INFORM, RECOMMEND)
    ]
