"""The ontology of a corpus in ConvLab's unified format, collected from its dialogues.

ConvLab wants every domain, slot, intent and (intent, domain, slot) that occurs, and for each slot
whether it is categorical, with all of its values. A slot is categorical if the corpus's schema file
or the file it came from says so, else if its kind in the world's schema is, else if it is a service
(`facilities-sauna`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from crosstalk.corpora.convlab_parse import KINDS
from crosstalk.corpora.record_encoding import Record
from crosstalk.dialogue.schema import EITHER, SERVICE_MARK, Schema, SlotKind

SPECIAL: Final = ("", "dontcare", "?")
"""Values that stand for none; they may not be listed."""
CATEGORICAL_KINDS: Final = (SlotKind.CATEGORY, SlotKind.SERVICES)
SPEAKERS: Final = ("user", "system")
Word = tuple[str, str]
"""A domain and a slot."""
ActKey = tuple[str, str, str]
"""Intent, domain and slot."""


@dataclass(frozen=True, slots=True)
class ListedSlot:
    """A slot as the schema file of a corpus lists it."""

    categorical: bool
    values: tuple[str, ...] = ()


class Ontology:
    """What the dialogues of a corpus use; `add_*` while they are read, `document` at the end."""

    def __init__(self) -> None:
        self._values: dict[Word, dict[str, str]] = {}
        """Slot -> its values, in lower case, and as first written."""
        self._given: dict[Word, bool] = {}
        """Slot -> whether the file it came from has it as categorical."""
        self._by_schema: dict[Word, bool] = {}
        self._domains: dict[str, None] = {}
        self._state: dict[str, dict[str, str]] = defaultdict(dict)
        self._acts: dict[str, dict[ActKey, set[str]]] = {kind: {} for kind in KINDS}

    def add_schema(self, schema: Schema) -> None:
        """The domains and slots of a world, whether they occur or not."""
        for domain in schema:
            self._domains.setdefault(domain.key)
            for slot in domain.slots:
                self._by_schema[domain.key, slot.key] = slot.kind in CATEGORICAL_KINDS
                self._values.setdefault((domain.key, slot.key), {})
                if slot.search:
                    self._state[domain.key].setdefault(slot.key, "")

    def add_listed(self, slots: Mapping[Word, ListedSlot]) -> None:
        """The slots of the corpus's own schema file, which says what is categorical."""
        for (domain, slot), listed in slots.items():
            self._domains.setdefault(domain)
            self._given[domain, slot] = listed.categorical
            self._values.setdefault((domain, slot), {})
            for value in listed.values:
                self.add_value(domain, slot, value)

    def add_domains(self, domains: Iterable[str]) -> None:
        self._domains |= dict.fromkeys(domains)

    def add_value(self, domain: str, slot: str, value: str) -> None:
        """A value of a goal, a state or an act; several are joined by `|`."""
        self._domains.setdefault(domain)
        known = self._values.setdefault((domain, slot), {})
        for each in value.split(EITHER):
            if each not in SPECIAL:
                known.setdefault(each.lower(), each)

    def add_state(self, state: Record) -> None:
        for domain, slots in state.items():
            self._domains.setdefault(domain)
            for slot, value in slots.items():
                self._state[domain].setdefault(slot, "")
                self.add_value(domain, slot, value)

    def add_given(self, acts: Record) -> None:
        """The acts of a ConvLab file: whether their slots are categorical there."""
        for kind in ("categorical", "non-categorical"):
            for act in acts.get(kind, []):
                self._given.setdefault((act["domain"], act["slot"]), kind == "categorical")

    def is_categorical(self, domain: str, slot: str) -> bool:
        """Asked when all dialogues have been added; a slot without values is not categorical."""
        if not self._values.get((domain, slot)):
            return False
        if (domain, slot) in self._given:
            return self._given[domain, slot]
        service = slot.partition(SERVICE_MARK)[0]
        for name in (slot, service):
            if (domain, name) in self._by_schema:
                return self._by_schema[domain, name]
        return SERVICE_MARK in slot

    def add_acts(self, acts: Record, speaker: str) -> None:
        """The acts as they are written."""
        for kind in KINDS:
            for act in acts[kind]:
                key = (act["intent"], act["domain"], act["slot"])
                self._acts[kind].setdefault(key, set()).add(speaker)

    def document(self) -> dict[str, Any]:
        """The content of `ontology.json`."""
        intents = {key[0] for acts in self._acts.values() for key in acts}
        return {
            "domains": {
                domain: {"description": _described(domain), "slots": self._slots(domain)}
                for domain in self._domains
            },
            "intents": {name: {"description": _described(name)} for name in sorted(intents)},
            "state": {domain: dict(slots) for domain, slots in self._state.items()},
            "dialogue_acts": {
                kind: [_literal(key, speakers) for key, speakers in sorted(acts.items())]
                for kind, acts in self._acts.items()
            },
        }

    def _slots(self, domain: str) -> Record:
        return {
            slot: {
                "description": _described(slot),
                "is_categorical": self.is_categorical(domain, slot),
                "possible_values": list(values.values())
                if self.is_categorical(domain, slot)
                else [],
            }
            for (owner, slot), values in self._values.items()
            if owner == domain
        }


def _described(name: str) -> str:
    """A description, which may not be empty: the name in words."""
    return name.replace("_", " ").replace(SERVICE_MARK, ": ").strip() or "general"


def _literal(key: ActKey, speakers: set[str]) -> str:
    """The text of a Python literal, as ConvLab writes acts."""
    told = {speaker: speaker in speakers for speaker in SPEAKERS}
    return repr({**told, **dict(zip(("intent", "domain", "slot"), key, strict=True))})
