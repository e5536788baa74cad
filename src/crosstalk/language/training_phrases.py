"""Training phrase books, `phrases/<code>.toml`: how people say things in a language of a world.

A book serves twice: synthetic training utterances are composed of its phrases, and the trained NLU
gets the phrases found in a text as input features. A model folder keeps the book it was trained
with. `AmountReader` reads numbers and bounds of a marked span with the words of such a book, since
which words are numbers is a feature of the trained reader. A world without a book is understood
from its templates alone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.language.file_rules import Keys, MayBeBlank, Names, Placeholders, Separators
from crosstalk.language.normalize import word_form
from crosstalk.language.number_forms import LEEWAY, Bounds
from crosstalk.language.numerals import Number, Numerals
from crosstalk.language.tokenize import Unit, units
from crosstalk.language.world_files import PHRASES, world_file
from crosstalk.toml_files import read_model

KEPT: Final = "phrases.json"
"""The book a model was trained with, in its folder."""

Phrases = tuple[str, ...]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Numbers(_Part):
    """How amounts are expressed; {} stands for the number."""

    below: Annotated[Phrases, Placeholders("")] = ()
    above: Annotated[Phrases, Placeholders("")] = ()
    about: Annotated[Phrases, Placeholders("")] = ()
    range: Annotated[Phrases, Placeholders("", "")] = ()
    money: Phrases = ()
    """Units of prices."""
    points: Phrases = ()
    """Units of ratings."""
    words: Annotated[Mapping[str, float], Keys(Names.PHRASE)] = {}


class SayingPhrases(_Part):
    """Phrases besides constraints and requests."""

    greet: Phrases = ()
    thank: Phrases = ()
    bye: Phrases = ()
    nothing: Phrases = ()
    """Whole utterances without any act."""
    before: Phrases = ()
    after: Phrases = ()
    correction: Phrases = ()
    instead: Annotated[Phrases, Placeholders("no", "yes")] = ()
    """{no} is taken back, {yes} is meant."""
    joined: Annotated[Phrases, Separators()] = Field(default=(" ",), alias="and")
    space: Annotated[Phrases, Separators()] = (" ", " ", ", ", " ")
    """Between the parts of a sentence."""


class Asked(_Part):
    """Ways to ask for a slot: nouns go into frames, sentences stand alone."""

    nouns: Phrases = ()
    say: Annotated[Phrases, Placeholders(optional=("it", "v"))] = ()


class Asking(_Part):
    """Questions. {x} is one or several nouns, {it} a place, {v} a service, {q} a question."""

    frames: Annotated[Phrases, Placeholders("x")] = ()
    of: Annotated[Phrases, Placeholders("q", "name")] = ()
    slots: Annotated[Mapping[str, Asked], Keys(Names.SLOT)] = {}


class DomainPhrases(_Part):
    """Phrases of one domain."""

    words: Phrases = ()
    """Words for the domain."""
    it: Annotated[Phrases, MayBeBlank()] = ()
    """How a place is referred to once it was mentioned."""
    find: Annotated[Phrases, Placeholders(optional=("adj",))] = ()
    """Asks for a place; {adj} is the position of adjectives."""
    go: Annotated[Phrases, Placeholders("name")] = ()
    """Names one: {name}."""


class NearPhrases(_Part):
    """Phrases for being near a place."""

    place: Annotated[Phrases, Placeholders("place")] = ()
    there: Phrases = ()
    the: Annotated[Mapping[str, Phrases], Keys(Names.DOMAIN)] = {}
    """Near the place of that domain, without its name."""


class Alias(_Part):
    """Words for a value: `domain.slot` or slot -> the value, or `low..high`."""

    slots: Annotated[Mapping[str, str], Keys(Names.SLOT)]
    say: Phrases
    adj: Phrases = ()
    """Forms used as adjectives."""


class TrainingPhrases(_Part):
    """The phrase book of one language of one world."""

    endings: Phrases = ()
    """Endings that are removed before words are compared."""
    beginnings: Phrases = ()
    """Prefixes that may be written together with the next word."""
    keyboard: Phrases = ()
    """Rows of keys, for typos."""
    numbers: Numbers = Numbers()
    say: SayingPhrases = SayingPhrases()
    ask: Asking = Asking()
    domains: Annotated[Mapping[str, DomainPhrases], Keys(Names.DOMAIN)] = {}
    near: NearPhrases = NearPhrases()
    want: Annotated[Mapping[str, Phrases], Keys(Names.SLOT), Placeholders("v")] = {}
    """Slot -> constraints; {v} is the value."""
    rides: Annotated[Mapping[str, Phrases], Keys(Names.RIDE), Placeholders(ends_of_ride=True)] = {}
    """Domain -> ways to ask for a ride; the placeholders are its ends."""
    values: tuple[Alias, ...] = ()

    def save(self, folder: Path) -> None:
        with writing(folder / KEPT) as text:
            json.dump(self.model_dump(by_alias=True), text, ensure_ascii=False, indent=1)


def load_book(world: Path, code: str) -> TrainingPhrases:
    """The book of a world folder, empty if there is none; raises `WorldError` if it is invalid."""
    name = world_file(world, PHRASES, code)
    if not (world / name).exists():
        return TrainingPhrases()
    return read_model(world, name, TrainingPhrases)[0]


def kept_book(model: Path) -> TrainingPhrases | None:
    """The book a model was trained with, which may be empty; None if the model uses none."""
    if not (model / KEPT).exists():
        return None
    try:
        return TrainingPhrases.model_validate(read_json(model / KEPT))
    except ValidationError as error:
        raise InputError(
            f"{model / KEPT}: not a phrase book: {error.errors()[0]['msg']}",
            remedy="Train the model anew: crosstalk train nlu --help",
        ) from error


def of_slot(table: Mapping[str, "Phrases"], domain: str, slot: str) -> Phrases:
    """The entry of a table for a slot of a domain, else for the slot in all domains."""
    return table.get(f"{domain}.{slot}") or table.get(slot, ())


_HOLE: Final = "{}"
_BELOW, _ABOVE, _ABOUT = "below", "above", "about"


class AmountReader:
    """Reads amounts with the number words and bounds of one phrase book."""

    def __init__(self, numbers: Numbers) -> None:
        self._numerals = Numerals({word_form(word): n for word, n in numbers.words.items()})
        self._scales = [
            mark
            for mark in marks_of(numbers.points)
            if len(mark) > 1 and any(map(self._numerals.values, mark))
        ]
        self.marks = sorted(
            (
                (mark, kind)
                for kind, phrases in (
                    (_BELOW, numbers.below),
                    (_ABOVE, numbers.above),
                    (_ABOUT, numbers.about),
                )
                for mark in marks_of(phrases)
            ),
            key=lambda each: -len(each[0]),
        )

    def read(self, text: str) -> Bounds | None:
        """The bounds a text gives; a number alone gives itself as both."""
        there = self._unscaled(units(text))
        found = list(self.numbers(there))
        if not found:
            return None
        if len(found) > 1 or found[0].high is not None:
            low, high = sorted((found[0].value, found[0].high or found[1].value))
            return Bounds(low, high)
        kind = self._kind([unit.plain for unit in there])
        value = found[0].value
        match kind:
            case "below":
                return Bounds(None, value)
            case "above":
                return Bounds(value, None)
            case "about" if value >= 10:
                return Bounds(round(value * (1 - LEEWAY)), round(value * (1 + LEEWAY)))
            case _:
                return Bounds(value, value)

    def _unscaled(self, there: list[Unit]) -> list[Unit]:
        """Without the scale of a rating: `of 5` is no bound."""
        forms = tuple(unit.plain for unit in there)
        for scale in self._scales:
            for at in range(1, len(forms) - len(scale) + 1):
                if forms[at : at + len(scale)] == scale:
                    return there[:at] + there[at + len(scale) :]
        return there

    def _kind(self, forms: Sequence[str]) -> str:
        """The longest mark decides: `no more than` is not `more than`."""
        for mark, kind in self.marks:
            size = len(mark)
            for at in range(len(forms) - size + 1):
                if tuple(forms[at : at + size]) == mark:
                    return kind
        return ""

    def numbers(self, there: Sequence[Unit]) -> Iterator[Number]:
        """The numbers among units, in order."""
        return self._numerals.spans([unit.plain for unit in there])


def marks_of(phrases: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The words around the number in each phrase, in normal form."""
    for phrase in phrases:
        forms = tuple(unit.plain for part in phrase.split(_HOLE) for unit in units(part))
        if forms:
            yield forms
