"""The data of the SC-LSTM: condition vectors, delexicalised utterances, vocabulary.

The condition vector has ones for the domains, intents and slots of a turn: `Inform+hotel+dishes`
said twice lights `hotel`, `hotel+Inform`, `hotel+Inform+dishes+1` and `hotel+Inform+dishes+2`. In
utterances a hole for a value is one word, always numbered: `[Inform+hotel+price1]`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.dialogue.acts import REQUEST
from crosstalk.language.tokenize import joined, wording
from crosstalk.system.nlg.act_keys import JOIN, PART, ActKeys
from crosstalk.system.nlg.generator import Texts
from crosstalk.system.nlg.template_bank import HOLE, Hole, numbered, parse

ASKED: Final = "?"
"""The index of a slot that is asked for."""
UNNUMBERED: Final = "none"
"""The index of a feature without a value."""


@dataclass(frozen=True, slots=True)
class SclstmTrainingConfig:
    """The published settings."""

    hidden: int = 100
    dropout: float = 0.25
    clip: float = 0.5
    batch: int = 256
    learning_rate: float = 0.005
    epochs: int = 75
    patience: int = 6
    """Epochs in a row without a lower validation loss that end training."""


@dataclass(frozen=True)
class SclstmConditions:
    """The features a network knows, in the order of its condition vector."""

    features: tuple[str, ...]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {feature: place for place, feature in enumerate(self.features)}

    def lit(self, features: Iterable[str]) -> list[int]:
        """The positions of the ones; features unknown from training are left out."""
        return sorted({self._places[each] for each in features if each in self._places})


def condition_features(
    group: Sequence[str], keys: ActKeys, *, facility_defect: bool = False
) -> list[str]:
    """The features of a group of act keys, each once.

    `facility_defect`: as in the published generator, where services get no number. Training never
    shows such features, so nothing makes the network say the services.
    """
    features: dict[str, None] = {}
    for key, number in numbered(group):
        intent, domain, *slot = key.split(PART)
        index = _index(key, number, keys, facility_defect)
        features[domain] = None
        features[PART.join((domain, intent))] = None
        features[PART.join((domain, intent, *slot, index))] = None
    return list(features)


def _index(key: str, number: int, keys: ActKeys, facility_defect: bool) -> str:
    intent, domain, slot, *_ = key.split(PART)
    if facility_defect and (domain, slot) in keys.services:
        return UNNUMBERED
    if keys.has_hole(key):
        return str(number)
    return ASKED if intent == REQUEST else UNNUMBERED


PAD: Final = "<pad>"
START: Final = "<sos>"
END: Final = "<eos>"
UNKNOWN: Final = "<unk>"
SPECIAL: Final = (PAD, START, END, UNKNOWN)
"""The first words of every vocabulary, in this order."""

RARE: Final = 3
"""Words with at most this count become the unknown word."""


@dataclass(frozen=True, slots=True)
class DelexicalisedUtterance:
    """An utterance without values: the keys of its acts in order, and its words."""

    group: tuple[str, ...]
    words: tuple[str, ...]


def utterances(texts: Texts, language: str) -> list[DelexicalisedUtterance]:
    """Every template of every group, with repetitions; templates without words are left out."""
    said = []
    for key, templates in texts.items():
        group = tuple(key.split(JOIN)) if key else ()
        for text in templates:
            found = tuple(_words(text, group, language))
            if found:
                said.append(DelexicalisedUtterance(group, found))
    return said


def _words(text: str, group: Sequence[str], language: str) -> Iterable[str]:
    for part in parse(text, group).parts:
        if isinstance(part, Hole):
            yield hole_word(part.key, part.number)
        else:
            yield from wording(part, language)


def hole_word(key: str, number: int) -> str:
    return f"[{key}{number}]"


@dataclass(frozen=True)
class SclstmVocabulary:
    """The words a network knows, in the order of its outputs."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, said: Iterable[DelexicalisedUtterance]) -> "SclstmVocabulary":
        counts = Counter(word for saying in said for word in saying.words)
        known = sorted(word for word, count in counts.items() if count > RARE)
        return cls((*SPECIAL, *known))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of the words, between those of start and end."""
        unknown = SPECIAL.index(UNKNOWN)
        return [
            SPECIAL.index(START),
            *(self._numbers.get(word, unknown) for word in words),
            SPECIAL.index(END),
        ]


def spoken_text(
    words: Iterable[str], values: Mapping[str, Sequence[str]], *, language: str, keep_open: bool
) -> str:
    """The utterance: unknown words and spaces left out, holes filled with the values of their key.

    `keep_open`: a hole for which there is no value is printed, as published; else it is left out.
    """
    fillings = {
        hole_word(key, number): value
        for key, texts in values.items()
        for number, value in enumerate(texts, 1)
    }
    parts = []
    for word in words:
        if word in fillings:
            parts.append(fillings[word])
        elif word not in SPECIAL and (keep_open or not HOLE.fullmatch(word)):
            parts.append(word)
    return joined(parts, language)
