"""Our rule tracker for conversations: what a helpful clerk would have in the search form.

Reads the acts of the whole dialogue so far. Where the published rules fail (section 15 of our notes
on CrossWOZ): a Select finds its source among what was said this turn, typed, or spoken of last;
a new search in a domain starts from an empty tab; a name said only as a source is not searched for.
"""

from crosstalk.database.conditions import terms
from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, SlotKind
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system.dst.memory import Heard, Memory
from crosstalk.system.dst.rule import appended, nearby_slot, open_requests
from crosstalk.system.dst.tracker import Belief


class SearchTracker:
    """Keeps the tab of each domain at what the user wants there now."""

    def __init__(self, schema: Schema, language: LanguagePack) -> None:
        self._schema = schema
        self._language = language

    def update(self, belief: Belief, history: tuple[Turn, ...]) -> Belief:
        memory = Memory.of(self._schema, self._language.yes, history)
        heard = Heard(history[-1], self._schema, self._language.yes)
        form = belief.form
        for domain in self._schema:
            if domain.kind is DomainKind.PLACE:
                form = self._search(form, domain, memory, heard)
            else:
                form = self._ride(form, domain, heard)
        requests = open_requests(belief.requests, memory.system_acts, heard.acts)
        return Belief(form, memory.focus(heard), requests, memory)

    def _search(
        self, form: SystemState, domain: Domain, memory: Memory, heard: Heard
    ) -> SystemState:
        key, name = domain.key, memory.names.get(domain.key, "")
        tab = form.get(key)
        said = [slot for slot in heard.slots(key) if slot != name]
        if key in heard.near:
            tab = self._near(form, key, heard.near[key], memory, heard)
        elif said and starts_anew(domain, memory, heard, self._says_again(tab, domain, heard)):
            tab = tab.cleared()
        for slot in said:
            tab = self._write(tab, domain, slot, heard)
        return form.with_domain(self._name(tab, key, name, bool(said), heard))

    def _near(
        self, form: SystemState, key: str, source: str, memory: Memory, heard: Heard
    ) -> DomainState:
        """An empty tab but for the place to be near."""
        name = memory.names.get(source, "")
        said = heard.informed.get((source, name), [])
        place = (said and said[-1]) or memory.last.get(source) or form.get(source).get(name)
        tab = form.get(key).cleared()
        slot = nearby_slot(self._schema, key, source)
        return tab.with_slot(slot, place) if slot and place else tab

    def _write(self, tab: DomainState, domain: Domain, slot: str, heard: Heard) -> DomainState:
        found = domain.slot(slot)
        if found is None or not found.search:
            return tab
        values = heard.informed[domain.key, slot]
        if found.kind not in (SlotKind.LIST, SlotKind.SERVICES):
            return tab.with_slot(slot, values[-1])
        before = tab.get(slot)
        known = terms(self._language, before)
        new = tuple(value for value in values if value not in known)
        return tab.with_slot(slot, appended(before, new, self._language.term_separator))

    def _says_again(self, tab: DomainState, domain: Domain, heard: Heard) -> bool:
        """Whether a wish that stands in the form is said once more, whatever its value is now."""
        for slot in heard.slots(domain.key):
            found, before = domain.slot(slot), tab.get(slot)
            if found and before and found.kind not in (SlotKind.LIST, SlotKind.SERVICES):
                return True
            known = terms(self._language, before)
            if any(value in known for value in heard.informed[domain.key, slot]):
                return True
        return False

    def _name(
        self, tab: DomainState, key: str, name: str, searches: bool, heard: Heard
    ) -> DomainState:
        """A name said is what is wanted, unless it only says where; a search ends an older one."""
        said = heard.informed.get((key, name), [])
        if said and key not in heard.near.values():
            return tab.with_slot(name, said[-1])
        return tab.with_slot(name, "") if searches or key in heard.near else tab

    def _ride(self, form: SystemState, domain: Domain, heard: Heard) -> SystemState:
        tab = form.get(domain.key)
        for slot in domain.of_kind(SlotKind.ENDPOINT):
            for value in heard.informed.get((domain.key, slot.key), []):
                tab = tab.with_slot(slot.key, value)
        return form.with_domain(tab)


def starts_anew(domain: Domain, memory: Memory, heard: Heard, says_again: bool) -> bool:
    """Whether constraints said now open a new search instead of narrowing the one under way.

    They do when something but the name has been asked of the entity found, when the talk has been
    elsewhere since, or when a name is asked for once more with wishes that were said before. With
    wishes never said before it narrows: in words, every wish is half a question for a name.
    """
    key, name = domain.key, memory.names.get(domain.key, "")
    if not memory.last.get(key):
        return False
    asked = memory.asked_since_search.get(key, set())
    again = name in asked and any(
        act == Act(REQUEST, key, name, "") for act in heard.acts if act.intent != INFORM
    )
    return bool(asked - {name}) or memory.domain != key or (again and says_again)
