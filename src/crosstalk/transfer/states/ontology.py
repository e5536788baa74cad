"""The ontology: one id per value in every language, which lets a tracker change languages.

An id is the normalised English value; a value that only another language lists is its own id. Two
English values with one translation are one value, since the other language does not tell them
apart.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from crosstalk.corpora.multiwoz_labels import ANY, NONE, normalised
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.language.state_words import FormFinder, StateWords, known_languages, words_of
from crosstalk.transfer.states.state_dialogues import label_language, state_turns, with_states
from crosstalk.transfer.states.state_slots import StateSlot
from crosstalk.transfer.transfer_corpora import SOURCE

Pairs = Mapping[str, Iterable[tuple[str, str]]]
"""Slot key -> English value or wording, and what it is in the other language."""
Forms = dict[str, str]
Spelling = Callable[[str, str], str]
"""Slot key and English label -> the label in one spelling."""
PLACES = "place"
"""The topic of all names in a derived table."""
LONGEST = 4
"""Longest wording, in words; longer ones name more than one value."""


@dataclass(slots=True)
class Ontology:
    """Ids of values, with their labels in files and their forms in texts."""

    slots: tuple[StateSlot, ...]
    labels: dict[str, dict[str, Forms]] = field(default_factory=dict)
    """Language -> slot key -> label as files write it -> id."""
    forms: dict[str, dict[str, Forms]] = field(default_factory=dict)
    """Language -> slot key -> form as texts have it -> id."""
    derived: Mapping[str, StateWords] = field(default_factory=dict)
    """Languages whose words were derived from texts (`derived_words`), not written by hand."""

    def words(self, language: str) -> StateWords:
        return self.derived.get(language) or words_of(language)

    def id_of(self, slot: str, label: str, language: str) -> str:
        """The id of a label; the label itself if it is unknown."""
        return self.labels[language].get(slot, {}).get(label, label)

    def ids(self, state: Mapping[str, str], language: str) -> dict[str, str]:
        """A state with ids in place of labels."""
        return {slot: self.id_of(slot, label, language) for slot, label in state.items()}

    def knows(self, slot: str, label: str, language: str) -> bool:
        return label in self.labels[language].get(slot, {}) or label in (ANY, NONE)


def build(
    slots: tuple[StateSlot, ...],
    english: Mapping[str, Iterable[str]],
    *,
    language: str = SOURCE,
    pairs: Pairs | None = None,
    native: Mapping[str, Iterable[str]] | None = None,
    derived: Iterable[StateWords] = (),
    spelling: Spelling = normalised,
) -> Ontology:
    """From English values; with a language, also their translations and its own values.

    `derived`: words of languages in place of their tables. `spelling`: the one spelling of an
    English label of a slot; by default slips of MultiWOZ are mended.
    """
    ontology = Ontology(slots, derived={words.language: words for words in derived})
    source = {slot.key: _normal(slot.key, english.get(slot.key, ()), spelling) for slot in slots}
    merged = {slot.key: {value: value for value in source[slot.key]} for slot in slots}
    if language != SOURCE:
        target: dict[str, Forms] = {}
        for slot in slots:
            translated = _translated(slot.key, (pairs or {}).get(slot.key, ()), spelling)
            merged[slot.key], target[slot.key] = _joined(slot, source[slot.key], translated)
            listed = (native or {}).get(slot.key, ())
            for label in (normalised(slot.key, each, english=False) for each in listed):
                target[slot.key].setdefault(label, label)
        ontology.labels[language] = target
    ontology.labels[SOURCE] = merged
    for each in (SOURCE, language):
        if each in ontology.forms or each not in (*known_languages(), *ontology.derived):
            continue
        ontology.forms[each] = {
            slot.key: dict(_forms(slot, ontology, ontology.words(each))) for slot in slots
        }
    has_table = language not in ontology.derived
    if language != SOURCE and language in ontology.forms and pairs and has_table:
        _add_wordings(ontology, pairs, language)
    return ontology


def _normal(slot: str, values: Iterable[str], spelling: Spelling) -> list[str]:
    found = dict.fromkeys(spelling(slot, value) for value in values)
    return [value for value in found if value not in (NONE, ANY)]


def _translated(slot: str, pairs: Iterable[tuple[str, str]], spelling: Spelling) -> Forms:
    """The exact value before any wording that is normalised to it."""
    exact: Forms = {}
    other: Forms = {}
    for english, foreign in pairs:
        value = spelling(slot, english)
        label = normalised(slot, foreign, english=False)
        (exact if value == english.strip().lower() else other).setdefault(value, label)
    return {**other, **exact}


def _joined(slot: StateSlot, source: list[str], translated: Forms) -> tuple[Forms, Forms]:
    """English label -> id and foreign label -> id; the first English value names the class."""
    english: Forms = {}
    foreign: Forms = {}
    for value in source:
        label = translated.get(value, value)
        english[value] = foreign.setdefault(label, value)
    return english, foreign


def _forms(slot: StateSlot, ontology: Ontology, words: StateWords) -> Iterator[tuple[str, str]]:
    """Labels, forms of the language's word table, and names without their generic words."""
    labels = ontology.labels[words.language].get(slot.key, {})
    if slot.kind in ("number", "time", "choice"):
        return
    if (
        not labels and words.language != SOURCE
    ):  # files of the language have English values, and its texts some of them
        yield from ontology.forms[SOURCE][slot.key].items()
    table = words.values.get(PLACES if slot.kind == "place" else slot.topic, {})
    english = ontology.labels[SOURCE][slot.key]
    short: dict[str, set[str]] = defaultdict(set)
    for label, id in labels.items():
        if _is_one(label):
            yield label, id
            for form in _shortened(label, words) if slot.kind == "place" else ():
                short[form].add(id)
    for form, meant in short.items():
        if len(meant) == 1 and form not in labels:
            yield form, next(iter(meant))
    for value, forms in table.items():
        if value in english:
            yield from ((form, english[value]) for form in forms)


def _is_one(label: str) -> bool:
    return not any(sign in label for sign in "|><或")


def _shortened(label: str, words: StateWords) -> Iterator[str]:
    """A name without `the` and without its last generic word, if enough is left."""
    plain = words.plain(label)
    if not words.spaces:
        for generic in words.generic:
            rest = words.bare(plain.removesuffix(generic))
            if rest != plain and len(rest) >= 2:
                yield rest
        return
    bare = plain.removeprefix("the ")
    yield bare
    for generic in words.generic:
        rest = bare.removesuffix(f" {generic}")
        if rest != bare and len(rest) >= 4:
            yield rest


def _add_wordings(ontology: Ontology, pairs: Pairs, language: str) -> None:
    """Translations of English wordings that hold one value: `moderately priced` -> `moderate`."""
    english, foreign = ontology.words(SOURCE), ontology.words(language)
    for slot in ontology.slots:
        if slot.kind in ("number", "time", "choice"):
            continue
        forms = ontology.forms[language][slot.key]
        finder = FormFinder(english, ontology.forms[SOURCE][slot.key])
        for wording, translation in pairs.get(slot.key, ()):
            tokens = english.tokens(wording)
            found = {each.what for each in finder.find(tokens)}
            form = foreign.bare(foreign.plain(translation).strip())
            plain = not {"not", "no", "or", "and"} & set(tokens) and _is_one(form)
            if plain and len(found) == 1 and len(form) >= 2 and len(tokens) <= LONGEST:
                forms.setdefault(form, next(iter(found)))


def finder_of(ontology: Ontology, language: str) -> FormFinder[dict[str, str]]:
    """A finder of the forms of all slots; a match maps slot keys to value ids."""
    meanings: dict[str, dict[str, str]] = defaultdict(dict)
    for slot, forms in ontology.forms[language].items():
        for form, id in forms.items():
            meanings[form][slot] = id
    return FormFinder(ontology.words(language), meanings)


def with_value_ids(dialogue: Dialogue, ontology: Ontology) -> Dialogue:
    """The same dialogue with value ids in its states."""
    language = label_language(dialogue)
    states = (ontology.ids(turn.state, language) for turn in state_turns(dialogue))
    return with_states(dialogue, states)


def unknown_values(dialogues: Iterable[Dialogue], ontology: Ontology) -> Counter[str]:
    """`slot=value` of labels that the ontology lacks, with the number of turns.

    A tracker can never predict them.
    """
    return Counter(
        f"{slot}={value}"
        for dialogue in dialogues
        for turn in state_turns(dialogue)
        for slot, value in turn.state.items()
        if not ontology.knows(slot, value, label_language(dialogue))
    )
