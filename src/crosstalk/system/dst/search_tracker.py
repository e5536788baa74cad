"""The rule tracker for conversations: the search form as the user wants it now.

It reads the acts of the whole dialogue so far. It differs from the published rules (section 15 of
our notes on CrossWOZ): a Select finds its source among the names of this turn, of the form, or
spoken of last; a new search in a domain starts from an empty tab; a name that is only the source
of a Select is not searched for. Beyond the published acts it tracks exclusions, withdrawn wishes,
ranking, and less or more than the place under discussion has.
"""

from dataclasses import replace

from crosstalk.dialogue.acts import (
    AMONG,
    ANOTHER,
    COMPARE,
    COUNT,
    DIFFERENCE,
    DROP,
    EXCLUDE,
    HALF,
    INFORM,
    LESS,
    MORE,
    REFINE,
    REQUEST,
    SORT,
    STEP,
    Act,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import NOT_MARK, Band, Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.language.opening_hours import is_wish
from crosstalk.system.dst.discourse import Discourse, UserActs, nearby_target
from crosstalk.system.dst.rule_tracker import appended, nearby_slot, open_requests
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.worlds.conditions import terms
from crosstalk.worlds.queries import Database, ends_of

CLEARLY = 0.8
"""*Cheaper* means at least a fifth less, if there is such a place."""
SEARCHES = frozenset({EXCLUDE, DROP, SORT, STEP})
"""Intents beyond the published ones that change the search."""


class SearchTracker:
    """Tracks the form, one tab per domain, by rules."""

    def __init__(
        self, schema: Schema, language: LanguagePack, database: Database | None = None
    ) -> None:
        """`database` has the values of the place under discussion, to which *cheaper* refers."""
        self._schema = schema
        self._language = language
        self._database = database

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        discourse = Discourse.of(self._schema, self._language.yes, history)
        heard = discourse.heard(history[-1])
        if heard.general("restart"):
            discourse = Discourse(self._schema, self._language.yes)
            belief = DialogueState(empty_form(self._schema))
        form = belief.form
        for domain in self._schema:
            if domain.kind is DomainKind.PLACE:
                form = self._search(form, domain, discourse, heard)
            else:
                form = self._ride(form, domain, discourse, heard)
        spoken = {act.domain for act in heard.acts}
        before = tuple(
            each
            for each in belief.requests
            if each[0] in spoken and (discourse.question or not _names(discourse, each))
        )
        before = () if heard.general("restart") else before
        requests = open_requests(before, discourse.system_acts, heard.acts)
        return DialogueState(form, discourse.focus(heard), requests, discourse)

    def _search(
        self, form: SystemState, domain: Domain, discourse: Discourse, heard: UserActs
    ) -> SystemState:
        key, name = domain.key, discourse.names.get(domain.key, "")
        tab = form.get(key)
        if heard.of(key, COMPARE, DIFFERENCE):
            return form  # of places known; nothing is looked for
        said = [slot for slot in heard.slots(key) if slot != name]
        for act in heard.of(key, DROP):
            tab = self._dropped(tab, act)
        if key in heard.near:
            tab = self._near(form, key, heard.near[key], discourse, heard)
        elif self._starts_anew(tab, domain, said, discourse, heard):
            tab = tab.cleared()
        if heard.of(key, REFINE):
            tab = self._around(tab, domain, discourse)
        around = any(_is_nearby(domain, slot, key) for slot in said)
        if around and not heard.of(key, REFINE):
            tab = tab.cleared()
        if any(_is_nearby(domain, slot) for slot in said):
            tab = _without_nearby(tab, domain)
        for slot in said:
            tab = self._write(tab, domain, slot, heard)
        for act in heard.of(key, EXCLUDE):
            tab = self._exclude(tab, domain, act)
        for act in heard.of(key, SORT):
            tab = replace(tab, order=(act.slot, act.value))
        for act in heard.of(key, STEP):
            tab = self._step(tab, domain, act, discourse.current.get(key, ""))
        changed = bool(said or heard.of(key, *SEARCHES))
        kind = self._kind(key, discourse) if heard.of(key, REFINE, ANOTHER) else ""
        return form.with_domain(self._name(tab, key, name, changed, heard, kind))

    def _starts_anew(
        self,
        tab: DomainState,
        domain: Domain,
        said: list[str],
        discourse: Discourse,
        heard: UserActs,
    ) -> bool:
        slot = discourse.names.get(domain.key, "")
        named = [
            name for name in heard.informed.get((domain.key, slot), []) if name != tab.get(slot)
        ]
        kinds = [name for name in named if self._is_kind(domain.key, name)]
        wishes = said or kinds or heard.of(domain.key, EXCLUDE, SORT)
        if not wishes or heard.of(domain.key, REFINE):
            return False
        if heard.of(domain.key, COUNT):
            return True
        if discourse.domain == domain.key and self._changes(tab, domain, said, heard):
            return False
        return starts_anew(domain, discourse, heard, self._says_again(tab, domain, heard))

    def _around(self, tab: DomainState, domain: Domain, discourse: Discourse) -> DomainState:
        """The tab; near the other place, if the last turn named places near it."""
        told = [act for act in discourse.system_acts if act.intent == INFORM]
        sources = {act.domain for act in told if nearby_target(self._schema, act) == domain.key}
        source = next(iter(sources), "")
        slot = nearby_slot(self._schema, domain.key, source)
        if not source or not slot or tab.constraints:
            return tab
        return tab.with_slot(slot, discourse.current.get(source, ""))

    def _dropped(self, tab: DomainState, act: Act) -> DomainState:
        """The tab without a wish, or without one term of it, wanted or excluded."""
        if not act.slot:
            return tab.cleared()
        fields = [act.slot, NOT_MARK + act.slot]
        for field in fields:
            before = terms(self._language, tab.get(field))
            part = act.value.lower()
            left = tuple(term for term in before if act.value and part not in term.lower())
            if tab.get(field):
                tab = tab.with_slot(field, appended("", left, self._separator) if left else "")
        order = tab.order
        return replace(tab, order=None if order and order[0] == act.slot else order)

    @property
    def _separator(self) -> str:
        return self._language.term_separator

    def _exclude(self, tab: DomainState, domain: Domain, act: Act) -> DomainState:
        """The tab with one more exclusion, which is no wish any longer."""
        slot = domain.slot(act.slot)
        if slot is None or not slot.search:
            return tab
        if slot.kind in (SlotKind.LIST, SlotKind.SERVICES, SlotKind.CATEGORY, SlotKind.NAME):
            tab = self._dropped(tab, act)
        before = tab.excluded(slot.key)
        return tab.with_slot(NOT_MARK + slot.key, tuple(dict.fromkeys((*before, act.value))))

    def _step(self, tab: DomainState, domain: Domain, act: Act, current: str) -> DomainState:
        """A bound just beyond the value of the place under discussion; without one, an order."""
        slot = domain.slot(act.slot)
        way, _, other = act.value.partition(AMONG)
        row = self._database.find(domain.key, other or current) if self._database else None
        if slot is None or self._database is None:
            return tab
        if row is None or not isinstance(row.get(slot.key), int | float):
            return replace(tab, order=(slot.key, "max" if way == MORE else "min"))
        band = step_band(self._database, tab, domain, slot, way, row[slot.key])
        if band is None:
            return tab
        text = say_band(forms_of(self._language, domain.key, slot), band)
        return replace(tab.with_slot(slot.key, text), order=None)

    def _near(
        self, form: SystemState, key: str, source: str, discourse: Discourse, heard: UserActs
    ) -> DomainState:
        """A tab with only the place to be near."""
        name = discourse.names.get(source, "")
        said = heard.informed.get((source, name), [])
        place = (said and said[-1]) or discourse.last.get(source) or form.get(source).get(name)
        tab = form.get(key).cleared()
        slot = nearby_slot(self._schema, key, source)
        return tab.with_slot(slot, place) if slot and place else tab

    def _write(self, tab: DomainState, domain: Domain, slot: str, heard: UserActs) -> DomainState:
        found = domain.slot(slot)
        values = heard.informed[domain.key, slot]
        opening = found and found.kind is SlotKind.TEXT and is_wish(values[-1])
        if found is None or not (found.search or opening):
            return tab
        if not found.kind.is_list:
            return tab.with_slot(slot, values[-1])
        tab = self._wanted_again(tab, slot, values)
        known = self._possible(domain, slot, terms(self._language, tab.get(slot)))
        before = appended("", known, self._separator)
        new = tuple(value for value in values if value not in known)
        return tab.with_slot(slot, appended(before, new, self._language.term_separator))

    def _possible(self, domain: Domain, slot: str, wished: tuple[str, ...]) -> tuple[str, ...]:
        """The terms of a wish without those that no place has, if another was said since."""
        database = self._database
        if database is None:
            return wished
        return tuple(term for term in wished if database.search(domain.key, {slot: (term,)}))

    def _wanted_again(self, tab: DomainState, slot: str, values: list[str]) -> DomainState:
        """The tab without exclusions of what is now wished for."""
        excluded = tab.excluded(slot)
        left = tuple(term for term in excluded if term not in values)
        return tab if left == excluded else tab.with_slot(NOT_MARK + slot, left)

    def _changes(self, tab: DomainState, domain: Domain, said: list[str], heard: UserActs) -> bool:
        """Whether a wish gets another value and none is repeated: the other wishes still hold."""
        single = [key for key in said if (slot := domain.slot(key)) and not slot.kind.is_list]
        now = {key: heard.informed[domain.key, key][-1] for key in single if tab.get(key)}
        return bool(now) and all(tab.get(key) != value for key, value in now.items())

    def _says_again(self, tab: DomainState, domain: Domain, heard: UserActs) -> bool:
        """Whether a slot of the form is informed again, with any value."""
        for slot in heard.slots(domain.key):
            found, before = domain.slot(slot), tab.get(slot)
            if found and before and not found.kind.is_list:
                return True
            known = terms(self._language, before)
            if any(value in known for value in heard.informed[domain.key, slot]):
                return True
        return False

    def _name(
        self, tab: DomainState, key: str, name: str, searches: bool, heard: UserActs, kind: str
    ) -> DomainState:
        """The name field: the name said, unless it is only a source; a new search clears it.

        `kind` is what it falls back to: "museum" for the best of the museums.
        """
        said = heard.informed.get((key, name), [])
        if said and key not in heard.near.values():
            return tab.with_slot(name, said[-1])
        ends = (searches or heard.of(key, ANOTHER)) and not self._is_kind(key, tab.get(name))
        if key in heard.near:
            return tab.with_slot(name, "")
        return tab.with_slot(name, kind) if ends else tab

    def _kind(self, key: str, discourse: Discourse) -> str:
        """The word for several places that was searched for before one was named."""
        for sought in reversed(discourse.sought[key]):
            if not sought or self._is_kind(key, sought):
                return sought
        return ""

    def _is_kind(self, key: str, said: SlotValue) -> bool:
        """Whether the name field holds a word that several names share, such as museum."""
        known = self._database and isinstance(said, str) and self._database.find(key, said)
        return bool(said) and self._database is not None and not known

    def _ride(
        self, form: SystemState, domain: Domain, discourse: Discourse, heard: UserActs
    ) -> SystemState:
        tab = form.get(domain.key)
        for slot in domain.of_kind(SlotKind.ENDPOINT):
            for value in heard.informed.get((domain.key, slot.key), []):
                tab = tab.with_slot(slot.key, value)
        if heard.asked.get(domain.key):
            tab = self._completed(tab, form, domain, discourse)
        return form.with_domain(tab)

    def _is_place(self, name: str) -> bool:
        """Whether it is the name of one place, not a word that several share."""
        keys = [domain.key for domain in self._schema.places]
        database = self._database
        return database is None or any(database.find(key, name) for key in keys)

    def _completed(
        self, tab: DomainState, form: SystemState, domain: Domain, discourse: Discourse
    ) -> DomainState:
        """The missing ends of a ride: those of another ride, or the place mentioned last."""
        ends = ends_of(domain)
        others = [other for other in self._schema.rides if other is not domain]
        if not any(tab.get(end) for end in ends):
            for other in others:
                for end, theirs in zip(ends, ends_of(other), strict=True):
                    tab = tab.with_slot(end, form.get(other.key).get(theirs))
        missing = [end for end in ends if not tab.get(end)]
        if len(missing) == 1:
            known = {tab.get(end) for end in ends}
            places = (name for _, name in discourse.recent if self._is_place(name))
            place = next((name for name in places if name not in known), "")
            tab = tab.with_slot(missing[0], place)
        return tab


def _names(discourse: Discourse, request: tuple[str, str]) -> bool:
    """Whether a request asks for a place; such requests do not stay open."""
    return discourse.names.get(request[0]) == request[1]


def _is_nearby(domain: Domain, key: str, target: str = "") -> bool:
    slot = domain.slot(key)
    if slot is None or slot.kind is not SlotKind.NEARBY:
        return False
    return not target or slot.target == target


def _without_nearby(tab: DomainState, domain: Domain) -> DomainState:
    """The tab without its nearby constraints, for a search near another place."""
    for slot in domain.of_kind(SlotKind.NEARBY):
        tab = tab.with_slot(slot.key, "") if slot.search else tab
    return tab


def step_band(
    database: Database, tab: DomainState, domain: Domain, slot: Slot, way: str, base: object
) -> Band | None:
    """A band beyond `base` that contains a place which meets all other wishes."""
    others = {key: value for key, value in tab.constraints.items() if key != slot.key}
    others.pop(domain.name_slot.key if domain.name_slot else "", None)
    cells = (row.get(slot.key) for row in database.search(domain.key, others))
    numbers = [float(cell) for cell in cells if isinstance(cell, int | float)]
    start = float(str(base))
    if way == LESS:
        lower = [number for number in numbers if number < start]
        clearly = [number for number in lower if number <= start * CLEARLY]
        return Band(None, max(clearly or lower)) if lower else None
    if way == HALF:
        return Band(None, start / 2)
    higher = [number for number in numbers if number > start]
    return Band(min(higher), None) if higher else None


def starts_anew(domain: Domain, discourse: Discourse, heard: UserActs, says_again: bool) -> bool:
    """Whether the constraints of this turn open a new search instead of narrowing the present one.

    They do if something but the name was requested of the place found, if another domain came up
    since, or if a name is requested again with wishes that were said before. New wishes narrow
    the search: in text, every wish is half a request for a name.
    """
    key, name = domain.key, discourse.names.get(domain.key, "")
    if not discourse.last.get(key):
        return False
    asked = discourse.asked_since_search.get(key, set())
    again = name in asked and any(
        act == Act(REQUEST, key, name, "") for act in heard.acts if act.intent != INFORM
    )
    return bool(asked - {name}) or discourse.domain != key or (again and says_again)
