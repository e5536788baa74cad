"""Phrase books: how people say things in one language of a world, `phrases/<code>.toml`.

A book serves twice: training utterances are put together from it, and where its phrases stand in a
text is told to the reader. A world without one is understood from its templates alone.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.language.file_rules import Keys, MayBeBlank, Names, Placeholders, Separators
from crosstalk.language.world_files import PHRASES, world_file
from crosstalk.toml_files import read_model

KEPT: Final = "phrases.json"
"""The book a model was trained with, in its folder."""

Phrases = tuple[str, ...]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Numbers(_Part):
    """How amounts are said; {} stands for the number."""

    below: Annotated[Phrases, Placeholders("")] = ()
    above: Annotated[Phrases, Placeholders("")] = ()
    about: Annotated[Phrases, Placeholders("")] = ()
    range: Annotated[Phrases, Placeholders("", "")] = ()
    money: Phrases = ()
    """What prices are counted in."""
    points: Phrases = ()
    """What ratings are counted in."""
    words: Annotated[Mapping[str, float], Keys(Names.PHRASE)] = {}


class SayingPhrases(_Part):
    """What is said besides wishes and questions."""

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
    """One domain."""

    words: Phrases = ()
    """What says that it is meant."""
    it: Annotated[Phrases, MayBeBlank()] = ()
    """What it is called once it has been spoken of."""
    find: Annotated[Phrases, Placeholders(optional=("adj",))] = ()
    """Asks for a place; {adj} is where adjectives stand."""
    go: Annotated[Phrases, Placeholders("name")] = ()
    """Names one: {name}."""


class NearPhrases(_Part):
    """Where a place shall be."""

    place: Annotated[Phrases, Placeholders("place")] = ()
    there: Phrases = ()
    the: Annotated[Mapping[str, Phrases], Keys(Names.DOMAIN)] = {}
    """Near the place of that domain, without its name."""


class Alias(_Part):
    """Words for a value: `domain.slot` or slot -> the value, or `low..high`."""

    slots: Annotated[Mapping[str, str], Keys(Names.SLOT)]
    say: Phrases
    adj: Phrases = ()
    """Forms that stand with the noun."""


class TrainingPhrases(_Part):
    """One language of one world."""

    endings: Phrases = ()
    """What words lose before they are compared."""
    beginnings: Phrases = ()
    """What may be written in one with the word after it."""
    keyboard: Phrases = ()
    """Rows of keys, for typing errors."""
    numbers: Numbers = Numbers()
    say: SayingPhrases = SayingPhrases()
    ask: Asking = Asking()
    domains: Annotated[Mapping[str, DomainPhrases], Keys(Names.DOMAIN)] = {}
    near: NearPhrases = NearPhrases()
    want: Annotated[Mapping[str, Phrases], Keys(Names.SLOT), Placeholders("v")] = {}
    """Slot -> wishes: {v} is the value."""
    rides: Annotated[Mapping[str, Phrases], Keys(Names.RIDE), Placeholders(ends_of_ride=True)] = {}
    """Domain -> ways to ask for a ride; the placeholders are its ends."""
    values: tuple[Alias, ...] = ()

    def save(self, folder: Path) -> None:
        with writing(folder / KEPT) as text:
            json.dump(self.model_dump(by_alias=True), text, ensure_ascii=False, indent=1)


def load_book(world: Path, code: str) -> TrainingPhrases:
    """The book of a world's folder; an empty one where there is none. Raises WorldError."""
    name = world_file(world, PHRASES, code)
    if not (world / name).exists():
        return TrainingPhrases()
    return read_model(world, name, TrainingPhrases)[0]


def kept_book(model: Path) -> TrainingPhrases | None:
    """The book a model was trained with, which may be empty; None: it reads without one."""
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
    """What a table of a book holds for a slot of a domain, or for the slot in all of them."""
    return table.get(f"{domain}.{slot}") or table.get(slot, ())
