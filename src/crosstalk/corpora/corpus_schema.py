"""The schema of a corpus that belongs to no world that ships: from its schema file and its labels.

    corpus_schema(Path("sgd/dev.zip"), read_corpus(Path("sgd/dev.zip")))

SGD and MultiWOZ 2.2 have a `schema.json` beside their dialogues, ConvLab an `ontology.json`. What
acts, states and goals mention besides is added. Slots of a state are tracked; the others are told.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora.convlab_ontology import ListedSlot, Word
from crosstalk.corpora.convlab_parse import NAMES
from crosstalk.corpora.corpus_files import beside, corpus_files
from crosstalk.corpora.dialogue_parts import EMPTY
from crosstalk.corpora.sgd import slot_of
from crosstalk.corpora.slot_checks import words_of
from crosstalk.dialogue.acts import GENERAL, NOTHING, REQUEST, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.schema import EITHER, Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.errors import FileProblem
from crosstalk.files import Source, read_json

FILES: Final = ("schema.json", "ontology.json")
OF_A_SERVICE: Final = ("intent", "count")
"""Slots of SGD's acts about a service itself: its intent, the number of results. Schemas list them
for no service."""
SPECIAL: Final = frozenset({*EMPTY, NOTHING, "?", "dontcare", "don't care", "not mentioned"})
"""Values that are no value of a slot."""
LONGEST: Final = 80
"""Letters of a value that is kept: longer ones are sentences."""
_KEY: Final = re.compile(r"[^.\s](.*[^.\s])?")


@dataclass
class _SlotUse:
    tracked: bool = False
    """A field of the state."""
    asked: bool = False
    said: bool = False
    """A user has said a value of it."""
    categorical: bool = False
    """Whether a schema file says that these are all of its values."""
    values: dict[str, None] = field(default_factory=dict)

    def add(self, value: Any) -> None:
        for each in str(value).split(EITHER) if isinstance(value, str) else value or ():
            if isinstance(each, str) and each not in SPECIAL and len(each) <= LONGEST:
                self.values.setdefault(each)


class _Uses(dict[tuple[str, str], _SlotUse]):
    """(domain, slot) -> how it is used, in the order of appearance."""

    def __missing__(self, key: tuple[str, str]) -> _SlotUse:
        self[key] = _SlotUse()
        return self[key]


def corpus_schema(path: Path, dialogues: Iterable[Dialogue], *, values: bool = True) -> Schema:
    """The domains and slots of a corpus.

    `values`: whether the values of its labels are known values of the slots; False where these
    dialogues are judged, which would show the answers.
    """
    uses = _file_uses(path)
    for dialogue in dialogues:
        _add_labels(uses, dialogue, values)
    domains = dict.fromkeys(domain for domain, _ in uses)
    return Schema(tuple(_domain(domain, uses) for domain in domains))


def listed_slots(path: Path) -> dict[Word, ListedSlot]:
    """The slots of the schema files beside a corpus, and which of them are categorical."""
    return {
        word: ListedSlot(use.categorical, tuple(use.values))
        for word, use in _file_uses(path).items()
    }


def _file_uses(path: Path) -> _Uses:
    uses = _Uses()
    for source in schema_sources(path):
        _add_file(uses, _read(source))
    return uses


def schema_sources(path: Path) -> list[Source]:
    """The schema files beside the files of a corpus, each once."""
    found = (beside(each, name) for each in corpus_files(path).sources for name in FILES)
    return list(dict.fromkeys(each for each in found if each is not None))


def _read(source: Source) -> Any:
    try:
        return read_json(source)
    except FileProblem:
        return None


def _domain(key: str, uses: _Uses) -> Domain:
    own = {slot: use for (domain, slot), use in uses.items() if domain == key}
    name = next((slot for slot in NAMES if slot in own), None)
    return Domain(
        key, DomainKind.PLACE, tuple(_slot(slot, use, slot == name) for slot, use in own.items())
    )


def _slot(key: str, use: _SlotUse, is_name: bool) -> Slot:
    kind = SlotKind.CATEGORY if use.tracked or use.said else SlotKind.TEXT
    return Slot(
        key,
        SlotKind.NAME if is_name else kind,
        search=use.tracked,
        request=use.asked or not use.tracked,
        values=tuple(use.values),
    )


# Labels


def _add_labels(uses: _Uses, dialogue: Dialogue, values: bool) -> None:
    for domain, slot in sorted(words_of(dialogue), key=str):
        if slot and slot != NOTHING and _KEY.fullmatch(slot) and _is_domain(domain):
            uses[domain, slot]
    for domain, slot, value, how in _labels(dialogue):
        if (domain, slot) not in uses:
            continue
        use = uses[domain, slot]
        use.tracked |= how == "state"
        use.asked |= how == REQUEST
        use.said |= how == Speaker.USER
        if values:
            use.add(value)


def _is_domain(key: str) -> bool:
    return bool(_KEY.fullmatch(key)) and "." not in key and key != NOTHING


def _labels(dialogue: Dialogue) -> Iterator[tuple[str, str, Any, str]]:
    """(domain, slot, value, where it stands)."""
    for turn in dialogue.turns:
        for form in {turn.first_query, turn.last_query} - {None}:
            for tab in form or ():
                yield from ((tab.domain, slot, value, "state") for slot, value in tab.slots)
        for act in turn.acts:
            if act.intent in (GENERAL, SELECT):
                continue
            if act.intent == REQUEST:
                yield act.domain, act.slot, "", REQUEST
            else:
                yield act.domain, act.slot, act.value, turn.speaker
    for each in dialogue.goal.tuples if dialogue.goal else ():
        value = each.value if isinstance(each.value, str | tuple) else ""
        yield each.domain, each.slot, value, "goal"


# Schema files


def _add_file(uses: _Uses, content: Any) -> None:
    if isinstance(content, list):
        for service in content:
            if isinstance(service, dict) and isinstance(service.get("service_name"), str):
                _add_service(uses, service)
    elif isinstance(content, dict) and isinstance(content.get("domains"), dict):
        _add_ontology(uses, content)


def _add_service(uses: _Uses, service: Mapping[str, Any]) -> None:
    """A service of SGD; what an intent takes is tracked."""
    domain = service["service_name"]
    taken: set[str] = set()
    for intent in _objects(service.get("intents")):
        taken.update(map(str, intent.get("required_slots") or ()))
        taken.update(map(str, intent.get("optional_slots") or ()))
    for slot in _objects(service.get("slots")):
        name = str(slot.get("name", ""))
        if _is_domain(domain) and _KEY.fullmatch(slot_of(domain, name)):
            use = uses[domain, slot_of(domain, name)]
            use.tracked |= name in taken
            use.categorical |= slot.get("is_categorical") is True
            use.add(tuple(map(str, slot.get("possible_values") or ())))
    for name in OF_A_SERVICE if _is_domain(domain) else ():
        uses[domain, name]


def _add_ontology(uses: _Uses, content: Mapping[str, Any]) -> None:
    """The ontology of ConvLab; what its state has is tracked."""
    tracked = content.get("state") or {}
    for domain, parts in content["domains"].items():
        slots = parts.get("slots", {}) if isinstance(parts, dict) else {}
        for slot, facts in slots.items():
            if _is_domain(domain) and _KEY.fullmatch(slot):
                use = uses[domain, slot]
                use.tracked |= slot in tracked.get(domain, {})
                use.categorical |= facts.get("is_categorical") is True
                use.add(tuple(map(str, facts.get("possible_values") or ())))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value or () if isinstance(each, dict)]
