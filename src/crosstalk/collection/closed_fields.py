"""Closed fields of the wizard's form: what is typed becomes a word of the tables, or is refused.

A wish that no table knows can be searched for only by saying so: its field is named in `unlisted`.
Numbers may be searched for as they are; those that no row can have are marked, too.
"""

from collections.abc import Collection, Iterator
from typing import Final

from crosstalk.collection.events import Hint, Slots
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.schema import NUMBERS, Domain, Slot
from crosstalk.dialogue.states import SlotValue
from crosstalk.labels.field_words import CLOSED, completed, is_word_of, nearest_words
from crosstalk.worlds.conditions import several, terms

NO_SUCH_WORD: Final = "no_such_word"


def closed_tab(
    context: WorldContext, domain_key: str, slots: Slots, unlisted: Collection[str]
) -> tuple[Slots, tuple[Hint, ...], tuple[str, ...]]:
    """The fields completed, a hint for each value that is no word, and the fields kept as typed."""
    domain = context.domain(domain_key)
    assert domain is not None
    filled: list[tuple[str, SlotValue]] = []
    hints: list[Hint] = []
    kept: list[str] = []
    for key, value in slots:
        slot = domain.slot(key)
        if slot is None or not (slot.kind in CLOSED or slot.kind in NUMBERS) or not value:
            filled.append((key, value))
            continue
        words = dict(_words(context, domain, slot, value))
        wrong = tuple(typed for typed, word in words.items() if word is None)
        if wrong and (key in unlisted or slot.kind in NUMBERS):
            kept.append(key)
        else:
            hints += (word_hint(context, domain, slot, typed) for typed in wrong)
        filled.append(
            (key, _joined(context, value, [word or typed for typed, word in words.items()]))
        )
    return tuple(filled), tuple(hints), tuple(kept)


def _words(
    context: WorldContext, domain: Domain, slot: Slot, value: SlotValue
) -> Iterator[tuple[str, str | None]]:
    for each in _typed(context, slot, value):
        yield each, word_of(context, domain, slot, each)


def _typed(context: WorldContext, slot: Slot, value: SlotValue) -> tuple[str, ...]:
    return tuple(terms(context.pack, value) if slot.kind.is_list else several(value))


def word_of(context: WorldContext, domain: Domain, slot: Slot, typed: str) -> str | None:
    """The word of a field that was typed or begun; a number as it is if some row can have it."""
    words = context.checker.words
    if slot.kind in NUMBERS:
        return typed if is_word_of(words, domain, slot, typed) else None
    return completed(words, domain, slot, typed) if slot.kind in CLOSED else typed


def unlisted_fields(context: WorldContext, domain_key: str, slots: Slots) -> tuple[str, ...]:
    """The fields of a tab that hold a value which is no word of theirs."""
    domain = context.database.domain(domain_key)
    return tuple(
        key
        for key, value in slots
        if value
        and (slot := domain.slot(key)) is not None
        and not all(
            is_word_of(context.checker.words, domain, slot, each)
            for each in _typed(context, slot, value)
        )
    )


def _joined(context: WorldContext, value: SlotValue, words: list[str]) -> SlotValue:
    if not isinstance(value, str):
        return tuple(words)
    return context.pack.term_separator.join(words) if len(words) > 1 else words[0]


def with_news(
    context: WorldContext, domain_key: str, first: Slots, before: Slots, now: Slots
) -> Slots:
    """A search with what is new in the form: values of fields, and terms of lists."""
    domain, held, news = context.database.domain(domain_key), dict(before), dict(now)
    merged: list[tuple[str, SlotValue]] = []
    for key, value in first:
        old, new, slot = held.get(key, ""), news.get(key, ""), domain.slot(key)
        if slot is not None and slot.kind.is_list and value and new and new != old:
            known = _typed(context, slot, old)
            added = [each for each in _typed(context, slot, new) if each not in known]
            both = dict.fromkeys((*_typed(context, slot, value), *added))
            merged.append((key, _joined(context, new, list(both))))
        else:
            merged.append((key, value if new == old else new))
    return tuple(merged)


def word_hint(
    context: WorldContext, domain: Domain, slot: Slot, typed: str, cell: int | None = None
) -> Hint:
    """A hint that there is no such word, with the nearest three."""
    near = nearest_words(context.checker.words, domain, slot, typed)
    message = f"{slot.key} has no word {typed!r}; the nearest are {', '.join(near)}"
    return Hint(NO_SUCH_WORD, message, typed, cell, domain.key, slot.key, near)
