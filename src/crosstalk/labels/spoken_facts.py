"""S9 by words: facts in a turn that no place at hand has, whether it has acts or not yet.

    for finding in told_against_rows(view, words): ...

At hand are the places that are selected, were selected before, or are named in the turn. What the
user has said before is repeated, not told; ranges are told of many places.
"""

import re
from collections.abc import Iterator
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import NUMBERS, Domain, Slot, SlotKind
from crosstalk.labels.findings import Finding
from crosstalk.labels.turn_views import Place, TurnView
from crosstalk.labels.word_traces import UNITS, WordTraces
from crosstalk.language.normalize import squeezed, tight
from crosstalk.language.number_forms import Bounds
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row

_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?")
_TIME: Final = re.compile(r"\d{1,2}[:：]\d{2}")
_POINTS: Final = str.maketrans({",": ".", "٫": "."})
_LONG_NUMBER: Final = re.compile(r"\+?\d[\d\- ]{4,}\d")
"""A phone number, not a price or a span of hours."""


def told_against_rows(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S9 of a domain with one selected place, by the words of the turn."""
    named = frozenset(words.names(view.text))
    hand = view.selected | view.chosen | named
    for domain in words.world.schema.places:
        chosen = {name for place, name in view.selected if place == domain.key}
        others = {name for place, name in named if place == domain.key} - chosen
        if len(chosen) != 1 or others or not words.database.find(domain.key, min(chosen)):
            continue
        for slot in domain.slots:
            for value in _wrong(view, words, domain, slot, hand):
                yield Finding("S9", view.number, domain.key, slot.key, value)


def _wrong(
    view: TurnView, words: WordTraces, domain: Domain, slot: Slot, hand: frozenset[Place]
) -> Iterator[str]:
    """What is told about a slot and stands in no row at hand."""
    if slot.kind is SlotKind.RATING:
        yield from _wrong_ratings(view, words, hand)
    elif slot.kind is SlotKind.TEXT and not slot.search:
        own = "".join(_told(words, domain, slot, hand))
        if any(letter.isalpha() for letter in own):
            yield from _wrong_texts(view, words, domain, slot, hand)
        elif own:
            yield from _wrong_numbers(view, words, hand)


def _rows(words: WordTraces, hand: frozenset[Place]) -> Iterator[tuple[Domain, Row]]:
    for key, name in hand:
        domain, row = words.world.schema.domain(key), words.database.find(key, name)
        if domain is not None and row is not None:
            yield domain, row


def _told(words: WordTraces, domain: Domain, slot: Slot, hand: frozenset[Place]) -> tuple[str, ...]:
    ours = ((each, row) for each, row in _rows(words, hand) if each.key == domain.key)
    return tuple(text for each, row in ours for text in answer(words.pack, each, row, slot.key))


def _wrong_ratings(view: TurnView, words: WordTraces, hand: frozenset[Place]) -> Iterator[str]:
    true = {
        row.get(slot.key) for domain, row in _rows(words, hand) for slot in domain.of_kind(*NUMBERS)
    }
    heard = {each for text in view.texts_of(Speaker.USER) for each, _ in words.amounts(text)}
    text = _LONG_NUMBER.sub("\n", _TIME.sub("\n", _without_names(view.text, words)))
    said = squeezed(text).translate(_POINTS)
    figures = {float(each) for each in _FIGURE.findall(said)}
    for bounds, unit in words.amounts(text):
        exact = bounds.low is not None and bounds.low == bounds.high
        if unit not in UNITS[SlotKind.RATING] or not exact or bounds.low in true:
            continue
        if bounds.low not in figures:
            continue  # "eine Bewertung" is no 1
        if bounds not in heard and not _was_a_bound(bounds, heard):
            yield f"{bounds.low:g}"


def _was_a_bound(bounds: Bounds, heard: set[Bounds]) -> bool:
    """Whether a number is one end of what the user has asked for."""
    return any(bounds.low in (each.low, each.high) for each in heard)


def _wrong_texts(
    view: TurnView, words: WordTraces, domain: Domain, slot: Slot, hand: frozenset[Place]
) -> Iterator[str]:
    """Addresses and hours of places that are not at hand."""
    known = [
        text
        for each, row in _rows(words, hand)
        for own in each.of_kind(SlotKind.TEXT)
        for text in answer(words.pack, each, row, own.key)
    ]
    if any(words.clearly_says(view.text, domain.key, slot.key, text) for text in known):
        return
    said = _without_names(view.text, words)  # some hotels are called as their street
    for value in words.world.texts(domain.key, slot.key):
        if any(tight(value) in tight(text) for text in known):
            continue  # the usual hours, without those of holidays
        if words.clearly_says(said, domain.key, slot.key, value):
            yield value
            return


def _without_names(text: str, words: WordTraces) -> str:
    """A text without the names of places, which may hold figures and streets."""
    for _, name in words.names(text):
        text = text.replace(name, "\n")
    return text


def _wrong_numbers(view: TurnView, words: WordTraces, hand: frozenset[Place]) -> Iterator[str]:
    """Phone numbers that no place at hand has, whole or in part."""
    true = "\n".join(
        _digits(text)
        for domain, row in _rows(words, hand)
        for slot in domain.of_kind(SlotKind.TEXT)
        for text in answer(words.pack, domain, row, slot.key)
    )
    heard = _digits(view.words_before)
    for said in _LONG_NUMBER.findall(squeezed(view.text)):
        digits = _digits(said)
        if len(digits) > 5 and digits not in true and digits not in heard:
            yield said.strip()


def _digits(text: str) -> str:
    return "".join(each for each in squeezed(text) if each.isdigit())
