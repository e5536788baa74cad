"""What the tables of a world's word files mean, as annotations of their models.

    slots: Annotated[Words, Keys(Names.SLOT)]
    go: Annotated[Phrases, Placeholders("name")]

Loading ignores them; `crosstalk world check` finds them with `found_in` and compares them with the
world, so that a model is the only place where a table is described.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from crosstalk.toml_files import Location


class Names(StrEnum):
    """What the keys of a table name."""

    DOMAIN = "domain"
    RIDE = "domain of rides"
    SLOT = "slot"
    """A slot of any domain, or `domain.slot`."""
    COLUMN = "slot of a table"
    """A slot of any domain, without the domain."""
    VALUE = "value"
    """A value of the slot around it, or a part of one."""
    TERM = "value of a list"
    """A value of any slot, or one that [values] has words for."""
    NAME_PART = "part of a name"
    """A part of the name of an entity of the domain around it."""
    CUE = "cue"
    TOPIC = "topic"
    ANSWER = "answer"
    FORMER_ANSWER = "sentence"
    ACTION = "action"
    ARGUMENT = "argument"
    """An argument of any action, a kind of slot, or `other`."""
    ACTION_SENTENCE = "sentence about actions"
    """An intent, alone or with `+` and an action, an argument or a kind of slot."""
    PHRASE = "phrase"
    """Any words of the language."""


class Keys:
    """What the keys of a table name, from the outermost table inwards."""

    def __init__(self, *levels: Names) -> None:
        self.levels = levels


class Placeholders:
    """What the texts of a list must and may hold in braces; `{}` is called "" here."""

    def __init__(
        self, *needed: str, optional: tuple[str, ...] = (), ends_of_ride: bool = False
    ) -> None:
        self.needed = needed
        self.optional = optional
        self.ends_of_ride = ends_of_ride
        """The placeholders are the two ends of the ride that the key names; one may be missing."""


class Separators:
    """The texts of a list may be blank, and repeated: what stands twice is drawn twice as often."""


class FilledByGenerator:
    """The texts are answers; the check of the generator knows their placeholders."""


class MayBeBlank:
    """A text of the list may be blank: the language can leave it out."""


@dataclass(frozen=True, slots=True)
class KeyFound:
    """A key of a table."""

    at: Location
    key: str
    names: Names


@dataclass(frozen=True, slots=True)
class TextsFound:
    """A list of texts."""

    at: Location
    texts: tuple[str, ...]
    marks: tuple[object, ...]
    """The annotations of its field."""


def found_in(model: BaseModel) -> Iterator[KeyFound | TextsFound]:
    """Every key with a meaning and every list of texts that a file has."""
    return _in_model(model, ())


def _in_model(model: BaseModel, at: Location) -> Iterator[KeyFound | TextsFound]:
    for name, field in type(model).model_fields.items():
        if name in model.model_fields_set:
            marks = tuple(field.metadata)
            levels = next((mark.levels for mark in marks if isinstance(mark, Keys)), ())
            yield from _in_value(getattr(model, name), (*at, field.alias or name), levels, marks)


def _in_value(
    value: Any, at: Location, levels: tuple[Names, ...], marks: tuple[object, ...]
) -> Iterator[KeyFound | TextsFound]:
    if isinstance(value, BaseModel):
        yield from _in_model(value, at)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if levels:
                yield KeyFound((*at, key), key, levels[0])
            yield from _in_value(inner, (*at, key), levels[1:], marks)
    elif isinstance(value, list | tuple):
        if all(isinstance(each, str) for each in value):
            yield TextsFound(at, tuple(value), marks)
        else:
            for number, inner in enumerate(value):
                yield from _in_value(inner, (*at, number), levels, marks)
