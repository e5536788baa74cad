"""Odds: the constants of the generator, looked up and written anew."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from crosstalk.dialogue.schema import GoalOdds, Schema
from crosstalk.errors import InputError

PROBABILITIES = ("independent", "cross_default", "ride", "both_rides", "name_only", "second_term")
WEIGHTS = ("constraints", "requests", "services")
CROSS = "cross."


def cross_odds(odds: GoalOdds, source: str, target: str) -> float:
    """That a request for `target` entities near a `source` becomes a sub-goal."""
    return odds.cross.get(source, {}).get(target, odds.cross_default)


def changed_odds(schema: Schema, changes: Mapping[str, str]) -> GoalOdds:
    """A world's odds with some written anew.

    `{"ride": "0.5", "requests": "30,70", "cross.hotel.restaurant": "1"}`
    """
    fields: dict[str, Any] = {}
    cross = dict(schema.odds.cross)
    for name, text in changes.items():
        if name in PROBABILITIES:
            fields[name] = _probability(name, text)
        elif name in WEIGHTS:
            fields[name] = _weights(name, text)
        else:
            source, target = _places(name, schema)
            cross[source] = {**cross.get(source, {}), target: _probability(name, text)}
    return replace(schema.odds, cross=cross, **fields)


def _places(name: str, schema: Schema) -> tuple[str, str]:
    """The two place domains of `cross.SOURCE.TARGET`."""
    keys = [place.key for place in schema.places]
    source, _, target = name.removeprefix(CROSS).partition(".")
    if name.startswith(CROSS) and source in keys and target in keys:
        return source, target
    known = ", ".join((*PROBABILITIES, *WEIGHTS, f"{CROSS}SOURCE.TARGET"))
    raise InputError(
        f"no odds are called {name!r}",
        remedy=f"There are {known}, where SOURCE and TARGET are among {', '.join(keys)}.",
    )


def _probability(name: str, text: str) -> float:
    numbers = _numbers(text)
    if len(numbers) != 1 or not 0 <= numbers[0] <= 1:
        raise InputError(f"the odds {name} are {text!r}", remedy="Give a number from 0 to 1.")
    return numbers[0]


def _weights(name: str, text: str) -> tuple[float, ...]:
    numbers = _numbers(text)
    if not any(numbers) or min(numbers) < 0:
        raise InputError(
            f"the weights {name} are {text!r}",
            remedy="Give numbers of at least 0, one of them more, with commas between: 30,70.",
        )
    return numbers


def _numbers(text: str) -> tuple[float, ...]:
    """Numbers with commas between; none at all where one of them is no number."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        return ()
    return numbers if all(map(isfinite, numbers)) else ()


def parse_odds(given: Iterable[str]) -> dict[str, str]:
    """`ride=0.5`: name -> value, as text."""
    pairs = [text.partition("=") for text in given]
    for name, mark, _ in pairs:
        if not mark:
            raise InputError(f"--odds {name}: no value", remedy="Write --odds NAME=VALUE.")
    return {name: value for name, _, value in pairs}
