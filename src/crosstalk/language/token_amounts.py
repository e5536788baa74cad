"""Times of day and numbers in a text, as digits and in words."""

import re
from collections.abc import Iterator, Sequence

from crosstalk.language.state_words import Clock, Words
from crosstalk.language.token_forms import Found

_CLOCK = re.compile(r"(\d{1,2})[:;.](\d{2})")
_FOUR = re.compile(r"([01]\d|2[0-4])([0-5]\d)")
MOST = 20
"""A number above that is no number of people, nights or stars."""


def times(tokens: Sequence[str], words: Words) -> Iterator[Found[str]]:
    """Every time of day as `HH:MM`; an hour of the afternoon by its word."""
    clock = words.clock
    for place, token in enumerate(tokens):
        if found := _CLOCK.fullmatch(token) or _FOUR.fullmatch(token):
            hour, minute, end = int(found[1]), int(found[2]), place + 1
        elif token.isdecimal() and len(token) <= 2 and _is_hour(tokens, place, words):
            hour, minute, end = _hour_in_words(tokens, place, clock)
        elif glued := re.fullmatch(r"(\d{1,2})(am|pm)", token):
            hour, minute, end = int(glued[1]) % 12 + 12 * (glued[2] == "pm"), 0, place + 1
        elif token in clock.noon or "".join(tokens[place : place + 2]) in clock.noon:
            hour, minute, end = 12, 0, place + 1
        else:
            continue
        if hour <= 24 and minute < 60:
            yield Found(place, end, f"{_of_day(hour, tokens, place, end, words):02}:{minute:02}")


def _is_hour(tokens: Sequence[str], place: int, words: Words) -> bool:
    after = _after(tokens, place, words)
    clock = words.clock
    if any(after.startswith(unit) for unit in clock.units):
        return True
    return words.spaces and any(after.startswith(each) for each in clock.afternoon + clock.morning)


def _after(tokens: Sequence[str], place: int, words: Words) -> str:
    return (" " if words.spaces else "").join(tokens[place + 1 : place + 4])


def _hour_in_words(tokens: Sequence[str], place: int, clock: Clock) -> tuple[int, int, int]:
    """The hour, the minute and where they end: `16点15分`, `5 o'clock`."""
    hour, end = int(tokens[place]), place + 2
    rest = tokens[end : end + 2]
    if rest and rest[0] in clock.half:
        return hour, 30, end + 1
    if rest and rest[0].isdecimal() and len(rest[0]) == 2:
        return hour, int(rest[0]), end + 1
    return hour, 0, end


def _of_day(hour: int, tokens: Sequence[str], start: int, end: int, words: Words) -> int:
    """By the word for the part of the day: after the time in English, before it in Chinese."""
    if hour > 12:
        return hour
    near = " ".join(tokens[end : end + 3]) if words.spaces else "".join(tokens[:start][-3:])
    at_edge = near.startswith if words.spaces else near.endswith
    if at_edge(words.clock.afternoon):
        return hour % 12 + 12
    return hour % 12 if at_edge(words.clock.morning) else hour


def numbers(tokens: Sequence[str], words: Words) -> Iterator[Found[str]]:
    """Small numbers that are no part of a time, as digits."""
    taken = {place for each in times(tokens, words) for place in range(each.start, each.end)}
    for place, token in enumerate(tokens):
        if place in taken:
            continue
        if token.isdecimal() and token.isascii() and int(token) <= MOST:
            yield Found(place, place + 1, str(int(token)))
        elif token in words.numbers:
            after = tokens[place + 1] if place + 1 < len(tokens) else ""
            if not words.classifiers or after in words.classifiers:
                yield Found(place, place + 1, str(words.numbers[token]))
        elif (joined := _number_phrase(tokens, place, words)) is not None:
            yield joined


def _number_phrase(tokens: Sequence[str], place: int, words: Words) -> Found[str] | None:
    for length in (4, 3, 2):
        phrase = (" " if words.spaces else "").join(tokens[place : place + length])
        if len(phrase) > 1 and phrase in words.numbers:
            return Found(place, place + length, str(words.numbers[phrase]))
    return None
