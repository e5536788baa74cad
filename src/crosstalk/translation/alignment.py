"""Alignment: whether an utterance contains the values that label it.

    align("星期四", "我要在周四出发。", writing_of("zh"))      # inflected: 周四

FOUND is a literal match, ignoring case and width. INFLECTED is the same word in another form: with
another ending or spelling, digits for words, another notation of a time. All else is MISSING.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import LCSseq

from crosstalk.language.figures import Figures, read_figures
from crosstalk.language.normalize import comparable
from crosstalk.language.numerals import CLOCK
from crosstalk.language.writing import Writing, writing_of
from crosstalk.translation.translation_segments import Segment, is_label, paired

SHORTEST_STEM: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")
_EDGES: Final = re.compile(r"^[^\w]+|[^\w]+$")
ONE: Final = "1"
"""Implied by every singular, so it does not count as a number: `يوم الجمعة` is not one day."""


class ValueState(StrEnum):
    """Whether and how an utterance contains a value."""

    FOUND = "found"
    INFLECTED = "inflected"
    MISSING = "missing"
    UNSPOKEN = "unspoken"
    """Missing, but the source does not contain it either: it comes from the context."""
    IGNORED = "ignored"
    """A label that is never uttered (dontcare, none), or yes and no."""


@dataclass(frozen=True, slots=True)
class ValueAlignment:
    """One value and its utterance."""

    slot: str
    source: str
    value: str
    found: ValueState
    words: str = ""
    """The matching words of the utterance, where they differ from the value."""


def align_segment(segment: Segment, source: str, target: str) -> list[ValueAlignment]:
    """Alignments of all values of a segment; a slot without a translated value is MISSING."""
    here, there = writing_of(source), writing_of(target)
    pairs = paired(segment.values, segment.text_values)
    alignments = [_aligned(segment, *each, here, there) for each in pairs]
    translated = [slot for slot, _, _ in pairs]
    for slot, value in segment.values:
        if slot in translated:
            translated.remove(slot)
        else:
            alignments.append(ValueAlignment(slot, value, "", ValueState.MISSING))
    return alignments


def _aligned(
    segment: Segment, slot: str, value: str, target: str, here: Writing, there: Writing
) -> ValueAlignment:
    if not is_checked(value, here):
        return ValueAlignment(slot, value, target, ValueState.IGNORED)
    found, words = align(target, segment.text, there)
    if (
        found is ValueState.MISSING
        and align(value, segment.utterance, here)[0] is ValueState.MISSING
    ):
        found = ValueState.UNSPOKEN
    return ValueAlignment(slot, value, target, found, words)


def is_checked(value: str, table: Writing) -> bool:
    """Whether a source value is expected to occur literally in an utterance."""
    return not is_label(value) and comparable(value) not in map(comparable, table.yes_no)


def align(value: str, text: str, table: Writing) -> tuple[ValueState, str]:
    """(state, matching words) of a value in a text; words are empty for literal matches."""
    wanted, said = comparable(value), comparable(text)
    if not wanted:
        return ValueState.MISSING, ""
    if _literal(wanted, said, table):
        return ValueState.FOUND, ""
    for form in _forms(wanted, table):
        if _literal(form, said, table):
            return ValueState.INFLECTED, form
    bare, spoken = _without_fillers(wanted, table), _without_fillers(said, table)
    if bare and (bare, spoken) != (wanted, said) and _literal(bare, spoken, table):
        return ValueState.INFLECTED, bare
    if words := _same_figures(value, text, table):
        return ValueState.INFLECTED, words
    if words := _inflected(wanted, text, table):
        return ValueState.INFLECTED, words
    return ValueState.MISSING, ""


def _literal(wanted: str, said: str, table: Writing) -> bool:
    """Whether a value occurs as whole words or numbers: 6 is not in 16, nor `art` in `party`."""
    return bool(_pattern(wanted, table.spaced).search(said))


@lru_cache(maxsize=8192)
def _pattern(wanted: str, spaced: bool) -> re.Pattern[str]:
    # Chinese is written without spaces: only Latin letters and digits have word boundaries there.
    letters = r"[^\W_]" if spaced else "[a-z0-9]"
    edges = []
    for letter, digit, word in (
        (wanted[0], r"(?<!\d)(?<!\d[.,:])", rf"(?<!{letters})"),
        (wanted[-1], r"(?!\d)(?![.,:]\d)", rf"(?!{letters})"),
    ):
        is_word = letter.isalpha() and (spaced or letter.isascii())
        edges.append(digit if letter.isdigit() else word if is_word else "")
    middle = r"\s*".join(re.escape(part) for part in wanted.split(" "))
    return re.compile(edges[0] + middle + edges[1])


def _forms(wanted: str, table: Writing) -> Iterator[str]:
    """Other spellings of a value, and the value without optional words at its ends."""
    for group in table.variants:
        spellings = [comparable(each) for each in group]
        for spelling in sorted(spellings, key=len, reverse=True):
            pattern = _pattern(spelling, table.spaced)
            if pattern.search(wanted):
                yield from (pattern.sub(other, wanted) for other in spellings)
                break
    for word in map(comparable, (*table.generic, *table.articles)):
        for shorter in (wanted.removesuffix(word), wanted.removeprefix(word)):
            shorter = shorter.strip()
            if shorter != wanted and len(shorter) > 1:
                yield shorter


def _without_fillers(text: str, table: Writing) -> str:
    for filler in table.fillers:
        text = text.replace(filler, "")
    return text


def _same_figures(value: str, text: str, table: Writing) -> str:
    """The matching number or time, if the value is nothing but that; empty: no match."""
    wanted, said = read_figures(value, table), read_figures(text, table)
    if _is_time(value, wanted):
        return value if any(wanted.times[0] & time for time in said.times) else ""
    if len(wanted.all_numbers) == 1 and not wanted.codes and _bare(value, table):
        numbers = said.all_numbers | (said.implied - {ONE})
        return next(iter(wanted.all_numbers & numbers), "")
    return ""


def _is_time(value: str, figures: Figures) -> bool:
    return len(figures.times) == 1 and bool(CLOCK.fullmatch(comparable(value)))


def _bare(value: str, table: Writing) -> bool:
    """Whether a value is a number and nothing else."""
    text = comparable(value)
    if text.isdecimal():
        return True
    signs = {*map(comparable, table.numerals), *table.units}
    return text in signs or (not table.spaced and all(sign in signs for sign in text))


def _inflected(wanted: str, text: str, table: Writing) -> str:
    """The words of the text that match all words of the value, ignoring endings and prefixes.

    They are returned as the text writes them, because normalised Arabic looks misspelt.
    """
    if not table.spaced or not table.endings:
        return ""
    words = [word for word in _WORD.findall(wanted) if word not in table.articles]
    spoken = [(word, chunk) for chunk in text.split() for word in _WORD.findall(comparable(chunk))]
    heard: list[str] = []
    position = 0
    for word in words:
        match = next(
            (n for n in range(position, len(spoken)) if _same(word, spoken[n][0], table)), None
        )
        if match is None:
            return ""
        heard.append(_EDGES.sub("", spoken[match][1]))
        position = match + 1
    return " ".join(dict.fromkeys(heard))


def _same(word: str, spoken: str, table: Writing) -> bool:
    if word == spoken:
        return True
    if word.isdigit() or spoken.isdigit():
        return False
    return any(
        _stem(one, other, table.endings)
        for one in _bare_forms(word, table)
        for other in _bare_forms(spoken, table)
    )


def _bare_forms(word: str, table: Writing) -> list[str]:
    prefixes = [comparable(prefix) for prefix in table.prefixes]
    stripped = [word.removeprefix(prefix) for prefix in prefixes if word.startswith(prefix)]
    return [word, *(each for each in stripped if len(each) > 1)]


def _stem(one: str, other: str, endings: int) -> bool:
    """Whether two words share a stem: three letters and two thirds of the shorter word."""
    if one == other:
        return True
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    shorter = min(len(one), len(other))
    if common >= max(SHORTEST_STEM, 2 * shorter / 3):
        return max(len(one), len(other)) - common <= endings
    return shorter >= 5 and _broken_plural(one, other)


def _broken_plural(one: str, other: str) -> bool:
    """Whether two words differ in inner vowels only (`Haus`, `Häuser`): at most one letter."""
    same = LCSseq.similarity(one, other)
    return bool(one[0] == other[0] and same >= min(len(one), len(other)) - 1 and same >= 4)
