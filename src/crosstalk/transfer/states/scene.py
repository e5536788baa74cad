"""One utterance as read: which values it may name, which cues stand where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crosstalk.language import token_amounts
from crosstalk.language.state_words import StateWords
from crosstalk.language.token_forms import FormFinder, FormMatch
from crosstalk.transfer.states.ontology import Ontology, finder_of

BREAKS = frozenset(",.;!?，。；！？、")
QUESTIONS = frozenset("?？")


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A stretch of text that may name a value, in one slot or in several."""

    start: int
    end: int
    values: Mapping[str, str]
    """Slot key -> value id."""
    inside: bool
    """Whether it is part of a longer mention: `cinema` in the name of one."""


@dataclass(frozen=True, slots=True)
class TokenizedUtterance:
    """Tokens, and what was found in them."""

    tokens: tuple[str, ...]
    mentions: tuple[ValueMention, ...]
    cues: Mapping[str, tuple[int, ...]]
    """Cue -> the tokens where one of its forms begins."""
    clauses: tuple[int, ...]
    """For every token, the number of its clause."""
    step: float
    """How far one token is, in words."""

    @property
    def asks(self) -> bool:
        return any(token in QUESTIONS for token in self.tokens)

    def values_of(self, slot: str) -> dict[str, ValueMention]:
        """Every value that may be meant for a slot, by its last mention."""
        return {each.values[slot]: each for each in self.mentions if slot in each.values}


SILENCE = TokenizedUtterance((), (), {}, (), 1.0)


class UtteranceReader:
    """Reads the utterances of one language."""

    def __init__(self, ontology: Ontology, language: str) -> None:
        self._words: StateWords = ontology.words(language)
        self._values = finder_of(ontology, language)
        self._times = [slot.key for slot in ontology.slots if slot.kind == "time"]
        self._numbers = [slot.key for slot in ontology.slots if slot.kind == "number"]
        forms: dict[str, list[str]] = {}
        for cue, said in self._words.cues.items():
            for form in said:
                forms.setdefault(form, []).append(cue)
        self._cues: FormFinder[list[str]] = FormFinder(self._words, forms)
        self._read: dict[str, TokenizedUtterance] = {}

    def read(self, text: str) -> TokenizedUtterance:
        if text not in self._read:
            self._read[text] = self._utterance(self._words.tokens(text))
        return self._read[text]

    def _utterance(self, tokens: list[str]) -> TokenizedUtterance:
        cues: dict[str, list[int]] = {}
        for found in self._cues.find(tokens):
            for cue in found.what:
                cues.setdefault(cue, []).append(found.start)
        return TokenizedUtterance(
            tuple(tokens),
            tuple(_sifted(list(self._meanings(tokens)))),
            {cue: tuple(places) for cue, places in cues.items()},
            tuple(_clauses(tokens)),
            self._words.step,
        )

    def _meanings(self, tokens: list[str]) -> Iterator[FormMatch[dict[str, str]]]:
        yield from self._values.find(tokens)
        for slots, amount in (
            (self._times, token_amounts.times),
            (self._numbers, token_amounts.numbers),
        ):
            for found in amount(tokens, self._words) if slots else ():
                yield FormMatch(found.start, found.end, dict.fromkeys(slots, found.what))


def _sifted(found: Sequence[FormMatch[dict[str, str]]]) -> Iterator[ValueMention]:
    """Without what a longer form of the same slot covers."""
    for each in found:
        longer = [
            other
            for other in found
            if other.start <= each.start
            and each.end <= other.end
            and other.end - other.start > each.end - each.start
        ]
        values = {
            slot: id
            for slot, id in each.what.items()
            if not any(slot in other.what for other in longer)
        }
        if values:
            yield ValueMention(each.start, each.end, values, bool(longer))


def _clauses(tokens: Sequence[str]) -> Iterator[int]:
    number = 0
    for token in tokens:
        yield number
        number += token in BREAKS
