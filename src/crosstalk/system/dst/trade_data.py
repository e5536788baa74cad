"""The data of TRADE: training settings, vocabulary, and dialogues as the words it reads and writes.

There is one sample per user turn: all utterances so far, a semicolon after each, and the words of
every filled field of the form.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.language.tokenize import joined, wording, words


@dataclass(frozen=True, slots=True)
class TradeTraining:
    """Training settings, as published except for the limit on epochs, which is seldom reached."""

    hidden: int = 100
    """Size of word vectors, encoder and decoder."""
    dropout: float = 0.2
    """Dropout rate; also the share of words that are replaced by the unknown word."""
    batch: int = 4
    rate: float = 1e-3
    lowest_rate: float = 1e-4
    halve_after: int = 1
    """Epochs without a better score after which, at the next one, the rate is halved."""
    teach: float = 0.5
    """Share of batches with teacher forcing."""
    clip: float = 10.0
    epochs: int = 200
    patience: int = 6
    longest: int = 10
    """Longest value, in words."""
    say_none: bool = True
    """Whether empty fields are also trained to generate "none"; their gate makes that needless."""


QUICK = TradeTraining(batch=32, rate=2e-3, say_none=False)
"""For training without a GPU: the same network, a tenth of the time per epoch."""


UNKNOWN: Final = "UNK"
PADDING: Final = "PAD"
END: Final = "EOS"
TERM: Final = "|"
"""Between the terms of a field that keeps several."""
NONE: Final = "none"
"""The value of an empty field."""
SPECIAL: Final = (UNKNOWN, PADDING, END, TERM, NONE)
BETWEEN: Final = ";"
FormField = tuple[str, str]
"""Domain and slot."""


@dataclass(frozen=True, slots=True)
class TradeSample:
    """A dialogue up to a user's turn, and the form that was then filled in."""

    words: tuple[str, ...]
    values: Mapping[FormField, tuple[str, ...]]
    """Of the filled fields."""


def form_fields(schema: Schema) -> tuple[FormField, ...]:
    """Every field of the query form, in its order."""
    return tuple((domain.key, slot.key) for domain in schema for slot in domain.form)


def dialogue_words(history: Sequence[Turn], language: str) -> tuple[str, ...]:
    """The words of a dialogue; before the user's first turn the system said nothing."""
    said: list[str] = [BETWEEN] if history and history[0].speaker is Speaker.USER else []
    for turn in history:
        said += [*wording(turn.text, language), BETWEEN]
    return tuple(said)


def trade_samples(dialogue: Dialogue, language: str) -> Iterator[TradeSample]:
    """One for each user turn that is answered with a form."""
    for place, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.SYSTEM and turn.first_query is not None:
            history = dialogue.turns[:place]
            yield TradeSample(
                dialogue_words(history, language), _values(turn.first_query, language)
            )


def _values(form: SystemState, language: str) -> dict[FormField, tuple[str, ...]]:
    return {
        (tab.domain, slot): value_words(value, language)
        for tab in form
        for slot, value in tab.constraints.items()
    }


def value_words(value: SlotValue, language: str) -> tuple[str, ...]:
    """In Chinese spaces are words, so that nothing is lost."""
    if isinstance(value, str):
        return tuple(words(value, language))
    terms = [word for term in value for word in (TERM, *words(term, language))]
    return tuple(terms[1:])


def value_of_words(said: Sequence[str], language: str, *, several: bool) -> SlotValue:
    """The value that these words say; `several`: the field keeps terms apart."""
    if several:
        terms: list[list[str]] = [[]]
        for word in said:
            if word == TERM:
                terms.append([])
            else:
                terms[-1].append(word)
        return tuple(joined(term, language) for term in terms if term)
    return joined([word for word in said if word != TERM], language)


@dataclass(frozen=True)
class TradeVocabulary:
    """The words a network knows, in the order of its outputs."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, samples: Iterable[TradeSample]) -> "TradeVocabulary":
        known: set[str] = set()
        for sample in samples:
            known.update(sample.words)
            known.update(word for value in sample.values.values() for word in value)
        return cls((*SPECIAL, *sorted(known.difference(SPECIAL))))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def number(self, word: str) -> int:
        return self._numbers.get(word, SPECIAL.index(UNKNOWN))

    def numbers(self, said: Iterable[str]) -> list[int]:
        return [self.number(word) for word in said]

    def copied(self, said: Sequence[str]) -> tuple[list[int], list[str]]:
        """Numbers for copying, and the words beyond the vocabulary that got one.

        The published vocabulary held the words of the test dialogues, so that all could be copied;
        here a word that nobody has seen before can be, by a number of its own in its dialogue.
        """
        new: dict[str, int] = {}
        for word in said:
            if word not in self._numbers:
                new.setdefault(word, len(self.words) + len(new))
        return [self._numbers.get(word, new.get(word, 0)) for word in said], list(new)
