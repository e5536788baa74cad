"""A word table of a language, derived from texts: what `states.toml` has by hand.

    words = derive_words(texts, ontology, english_texts, encoder)
    words.cues["hotel"]  ->  ("hotel", "hotels", "hotel*", ...)

Nothing here knows a word of the language. `form_evidence` says how sure it is that a unit of text
says a concept; the forms of a concept are those units that are sure enough, shorter ones first,
then those that explain texts which no other form explains.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from crosstalk.files import read_json, writing
from crosstalk.language.dates import weekday_words
from crosstalk.language.state_words import Labels, StateWords, known_languages, words_of
from crosstalk.language.writing import writing_of
from crosstalk.training.boosting import Matrix
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states.concepts import CUE, Concept, ConceptFinder
from crosstalk.transfer.states.form_evidence import (
    DOUBT,
    TextEvidence,
    above_base,
    from_neighbours,
    from_sentences,
    from_translations,
)
from crosstalk.transfer.states.inflected_forms import inflected
from crosstalk.transfer.states.name_sounds import (
    LIKENESS,
    Likeness,
    ordinary_words,
    spoken_names,
)
from crosstalk.transfer.states.ontology import PLACES, Ontology
from crosstalk.transfer.states.target_texts import TargetTexts
from crosstalk.transfer.states.text_units import TextUnits, is_one_word
from crosstalk.transfer.transfer_corpora import SOURCE

LEAST_RAW, LEAST_TRANSLATED = 3, 2
"""Texts that a unit must occur in."""


COUNTED: Final = 0.01
"""Share of the numbers in digits that a counting word follows."""
LENGTH: Final = 1e-3
"""What a letter takes off a form's worth: of forms that explain the same the shortest is taken."""
DERIVED: Final = ("values", "cues", "classifiers", "generic")
SHARED_END: Final = 4
"""Names that end alike where the end is no part of what is said."""
FREQUENT, DENIED = 20, 0.2
"""A unit of so many texts is no form of a value which a smaller share of them says."""
SURE: Final = 0.25
"""From which texts with a unit speak for a value."""


@dataclass(frozen=True, slots=True)
class Explains:
    """From which evidence of texts a unit is a form."""

    share: float
    """Share of the concept among the texts with the unit that no other form explains."""
    texts: int
    """How many of them."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Set on German and English before Chinese and Russian were scored."""

    near: float = 0.6
    translated: Explains = Explains(0.5, 4)
    raw: Explains = Explains(0.5, 5)
    sounds: Likeness = LIKENESS


THRESHOLDS: Final = Thresholds()


def derive_words(
    texts: TargetTexts,
    ontology: Ontology,
    english: Sequence[str],
    encoder: CachedEncoder | None,
    limits: Thresholds = THRESHOLDS,
) -> StateWords:
    """The word table of the texts' language. `ontology` is English, `english` texts of its domain.

    Without an encoder only translated sentences are evidence.
    """
    finder, blank = ConceptFinder(ontology), blank_words(texts.language)
    evidence = gather_evidence(blank, texts.raw, texts.pairs, english, finder, encoder)
    sounded = spoken_forms(blank, texts, finder, limits.sounds)
    forms = choose_forms(evidence, limits, blank.spaces, sounded)
    return table_of(texts.language, forms, texts.raw, texts.names(ontology))


@dataclass(frozen=True, slots=True)
class LanguageEvidence:
    """All that is known of the units of one language."""

    concepts: list[Concept]
    raw: TextEvidence | None
    translated: TextEvidence | None
    near: Mapping[str, Matrix]
    """Unit -> how near it is to each concept."""


def gather_evidence(
    words: StateWords,
    foreign: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    english: Sequence[str],
    finder: ConceptFinder,
    encoder: CachedEncoder | None,
) -> LanguageEvidence:
    """`foreign` and `english` are raw texts of the domain, `pairs` any translated sentences."""
    raw = translated = None
    if encoder is not None and foreign:
        units = TextUnits.of(foreign, words, least=LEAST_RAW)
        raw = from_sentences(english, foreign, units, finder, encoder)
    sentences = [text for _, text in pairs]
    if pairs:
        units = TextUnits.of(sentences, words, least=LEAST_TRANSLATED)
        translated = from_translations(pairs, units, finder)
    near: dict[str, Matrix] = {}
    if encoder is not None:
        every = TextUnits.of(foreign, words, least=1).names
        every += TextUnits.of(sentences, words, least=LEAST_RAW).names
        single = sorted({unit for unit in every if is_one_word(unit, words)})
        if single:
            found = from_neighbours(_wordings(english, finder), single, finder, encoder)
            near = dict(zip(single, found, strict=True))
    return LanguageEvidence(finder.concepts, raw, translated, near)


def spoken_forms(
    words: StateWords, texts: TargetTexts, finder: ConceptFinder, likeness: Likeness
) -> dict[str, list[str]]:
    """Name -> what it is called where another alphabet spells it by sound."""
    names = [value for topic, value in finder.concepts if topic == PLACES]
    units = TextUnits.of(texts.raw, words, least=LEAST_RAW).names
    ordinary = ordinary_words(english for english, _ in texts.pairs)
    return spoken_names(names, units, ordinary, ordinary_words(texts.raw), likeness)


def _wordings(english: Sequence[str], finder: ConceptFinder) -> list[str]:
    """The frequent words of English texts, and the forms of all concepts."""
    units = TextUnits.of(english, finder.words, least=5)
    return [*(unit for unit in units.names if is_one_word(unit, finder.words)), *finder.forms]


def choose_forms(
    evidence: LanguageEvidence,
    limits: Thresholds,
    spaces: bool,
    sounded: Mapping[str, Sequence[str]],
) -> dict[Concept, list[str]]:
    """The forms of every concept; a value's are no other value's of its topic.

    What sounds like one name is that one's, whatever else speaks for another.
    """
    owners = _owners(evidence) | {
        (PLACES, unit): name for name, units in sounded.items() for unit in units
    }
    known = set(evidence.raw.units.names) if evidence.raw is not None else None
    denied = _denied(evidence)
    forms: dict[Concept, list[str]] = {}
    for column, concept in enumerate(evidence.concepts):
        allowed = _allowed(known, owners, concept)
        found = list(sounded.get(concept[1], ())) if concept[0] == PLACES else []
        near = _near(evidence, column, _allowed(None, owners, concept), limits, spaces, denied)
        found += [unit for unit in near if unit not in found]
        for texts, least in ((evidence.translated, limits.translated), (evidence.raw, limits.raw)):
            if texts is not None:
                found += _explaining(texts, column, found, allowed, least)
        forms[concept] = found
    if spaces:
        vocabulary = sorted(evidence.near)
        for (topic, value), said in forms.items():
            if topic != CUE:
                own = [word for word in vocabulary if owners.get((topic, word), value) == value]
                said += inflected(said, own, vocabulary)
    return forms


def _denied(evidence: LanguageEvidence) -> list[set[str]]:
    """For every concept the frequent units whose texts hardly ever say it."""
    found: list[set[str]] = [set() for _ in evidence.concepts]
    if evidence.raw is not None:
        names, seen, trust = evidence.raw.units.names, evidence.raw.seen(), evidence.raw.trust()
        for place, column in zip(*np.nonzero(trust < DENIED), strict=True):
            if seen[place] >= FREQUENT and evidence.concepts[column][0] != CUE:
                found[column].add(names[place])
    return found


def _owners(evidence: LanguageEvidence) -> dict[tuple[str, str], str]:
    """Topic and unit -> the value of the topic for which all evidence together is strongest."""
    claims: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))

    def claim(unit: str, column: int, trust: float) -> None:
        topic, value = evidence.concepts[column]
        if topic != CUE:
            claims[topic, unit][value] += trust

    for unit, row in evidence.near.items():
        for column in np.flatnonzero(row):
            claim(unit, int(column), float(row[column]))
    for texts in (evidence.translated, evidence.raw):
        if texts is not None:
            trust = texts.trust()
            for place, column in zip(*np.nonzero(trust >= SURE), strict=True):
                claim(texts.units.names[place], int(column), float(trust[place, column]))
    return {unit: max(found, key=lambda each: found[each]) for unit, found in claims.items()}


def _allowed(
    known: set[str] | None, owners: Mapping[tuple[str, str], str], concept: Concept
) -> Callable[[str], bool]:
    """Whether a unit may be a form: it occurs in raw texts, and is no sibling's."""
    topic, value = concept

    def is_allowed(unit: str) -> bool:
        return (known is None or unit in known) and owners.get((topic, unit), value) == value

    return is_allowed


def _near(
    evidence: LanguageEvidence,
    column: int,
    allowed: Callable[[str], bool],
    limits: Thresholds,
    spaces: bool,
    denied: Sequence[set[str]],
) -> list[str]:
    """The units whose nearest English wording says the concept, frequent ones first."""
    counts = evidence.raw.units.counts if evidence.raw is not None else {}
    units = [
        unit
        for unit, row in evidence.near.items()
        if row[column] >= limits.near and unit not in denied[column]
    ]
    kept: list[str] = []
    for unit in sorted(filter(allowed, units), key=lambda each: (-counts.get(each, 0), each)):
        if not any(_contains(unit, other, spaces) for other in kept):
            kept.append(unit)
    return kept


def _contains(unit: str, part: str, spaces: bool) -> bool:
    return f" {part} " in f" {unit} " if spaces else part in unit


def _explaining(
    texts: TextEvidence,
    column: int,
    forms: Sequence[str],
    allowed: Callable[[str], bool],
    limits: Explains,
) -> list[str]:
    """Units of texts that say the concept and have none of its forms, the best first."""
    says, base = texts.says[:, column], texts.base[column]
    if says.sum() < limits.texts:
        return []
    names, within = texts.units.names, texts.units.within
    places = {name: place for place, name in enumerate(names)}
    unexplained = np.ones(within.shape[0], np.float32)
    for form in forms:
        if form in places:
            unexplained[within[:, places[form]].nonzero()[0]] = 0
    may = np.array([allowed(name) for name in names], bool)
    short = np.array([-LENGTH * len(name) for name in names], np.float32)
    found: list[str] = []
    while True:
        seen = np.asarray(within.T @ unexplained).ravel()
        hits = np.asarray(within.T @ (unexplained * says)).ravel()
        trust = above_base(hits / (seen + DOUBT), base)
        enough = may & (trust >= limits.share) & (hits >= limits.texts)
        gain = np.where(enough, np.maximum(hits * trust + short, LENGTH), 0)
        best = int(gain.argmax())
        if gain[best] <= 0:
            return found
        found.append(names[best])
        unexplained[within[:, best].nonzero()[0]] = 0


# The table


def table_of(
    language: str, forms: Mapping[Concept, Sequence[str]], raw: Sequence[str], names: Iterable[str]
) -> StateWords:
    """The word table of these forms; days of the week are those of the reader of dates."""
    values: dict[str, dict[str, tuple[str, ...]]] = {}
    cues: dict[str, tuple[str, ...]] = {}
    for (topic, name), said in forms.items():
        if topic == CUE:
            cues[name] = tuple(said)
        elif said:
            values.setdefault(topic, {})[name] = tuple(said)
    if days := weekday_words(language):
        values["day"] = dict(zip(words_of(SOURCE).values["day"], days, strict=True))
    blank = blank_words(language)
    return replace(
        blank,
        values=values,
        cues=cues,
        classifiers=tuple(_counters(raw, blank)),
        generic=tuple(_generic(names, blank)),
    )


def blank_words(language: str) -> StateWords:
    """A language of which only the writing is known, and what its files call things."""
    labels = words_of(language).labels if language in known_languages() else Labels()
    return StateWords(language, writing_of(language), (), (), {}, {}, (), {}, labels)


def _counters(raw: Sequence[str], words: StateWords) -> list[str]:
    """What follows numbers in digits, where a language writes no spaces: words for what is counted.

    A sign for a number counts there only before one of these.
    """
    if words.spaces:
        return []
    after: Counter[str] = Counter()
    for text in raw:
        tokens = words.tokens(text)
        after.update(two for one, two in pairwise(tokens) if one.isdigit() and two.isalpha())
    return sorted(each for each, count in after.items() if count >= COUNTED * after.total())


def _generic(names: Iterable[str], words: StateWords) -> list[str]:
    """Ends that many names have: what a name may be said without."""
    ends: Counter[str] = Counter()
    for name in dict.fromkeys(names):
        ends.update(_ends(name, words.spaces))
    common = [end for end, count in ends.items() if count >= SHARED_END]
    return sorted(common, key=lambda end: (-len(end), end))


def _ends(name: str, spaces: bool) -> Iterator[str]:
    if spaces:
        said = name.split()
        yield from (said[-1:] if len(said) > 1 else ())
        return
    yield from (name[-length:] for length in (2, 3, 4) if len(name) > length)


def save(words: StateWords, file: Path) -> None:
    """What was derived; the writing of the language and the names of labels are not."""
    kept = {name: getattr(words, name) for name in DERIVED}
    with writing(file) as text:
        json.dump(kept, text, ensure_ascii=False, indent=1)


def load(file: Path, language: str) -> StateWords:
    kept = read_json(file)
    return replace(
        blank_words(language),
        values={
            topic: {name: tuple(forms) for name, forms in values.items()}
            for topic, values in kept["values"].items()
        },
        cues={name: tuple(forms) for name, forms in kept["cues"].items()},
        classifiers=tuple(kept["classifiers"]),
        generic=tuple(kept["generic"]),
    )
