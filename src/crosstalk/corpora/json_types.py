"""Types of JSON values: functions that return a value of the expected type, or raise."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from crosstalk.errors import FormatError, Place

T = TypeVar("T")

NAMES = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}


class Unexpected(Exception):
    """A value is not what its format allows; `reading` adds the place in the corpus."""

    def __init__(self, message: str, *, field: str = "", turn: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.turn = turn

    def inside(self, field: str) -> "Unexpected":
        """The same error with the field that contains its field."""
        joint = "" if not self.field or self.field.startswith("[") else "."
        return Unexpected(self.message, field=f"{field}{joint}{self.field}", turn=self.turn)


@contextmanager
def within(field: str) -> Iterator[None]:
    """Add the field that the block reads to its errors."""
    try:
        yield
    except Unexpected as error:
        raise error.inside(field) from error


@contextmanager
def at_turn(number: int) -> Iterator[None]:
    """Add the turn that the block reads to its errors."""
    try:
        yield
    except Unexpected as error:
        raise Unexpected(error.message, field=error.field, turn=number) from error


@contextmanager
def reading(file: object, dialogue: str, *, line: int | None = None) -> Iterator[None]:
    """Turn `Unexpected` into a FormatError that names file, line and dialogue."""
    try:
        yield
    except Unexpected as error:
        place = Place(str(file), line, dialogue, error.turn, error.field)
        raise FormatError(error.message, place=place) from error


def shown(value: object) -> str:
    """A short description of a value, for messages."""
    name = NAMES.get(type(value), type(value).__name__)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        brief = repr(value)
        return f"{name} {brief if len(brief) <= 40 else brief[:37] + '...'}"
    return name


def wrong(wanted: str, value: object, *, field: str = "") -> Unexpected:
    return Unexpected(f"expected {wanted}, found {shown(value)}", field=field)


def text(value: object, field: str = "") -> str:
    if type(value) is not str:
        raise wrong("text", value, field=field)
    return value


def flag(value: object, field: str = "") -> bool:
    if type(value) is not bool:
        raise wrong("true or false", value, field=field)
    return value


def whole(value: object, field: str = "") -> int:
    if type(value) is not int:
        raise wrong("a whole number", value, field=field)
    return value


def items(value: object, field: str = "") -> list[Any]:
    if type(value) is not list:
        raise wrong("a list", value, field=field)
    return value


def members(value: object, field: str = "") -> dict[str, Any]:
    if type(value) is not dict:
        raise wrong("an object", value, field=field)
    return value


def texts(value: object, field: str = "") -> tuple[str, ...]:
    found = tuple(items(value, field))
    for number, each in enumerate(found):
        text(each, f"{field}[{number}]")
    return found


def pair(value: object) -> tuple[str, str]:
    found = texts(value)
    if len(found) != 2:
        raise wrong("[slot, value]", value)
    return found[0], found[1]


def text_or_texts(value: object, field: str = "") -> str | tuple[str, ...]:
    if type(value) is str:
        return value
    if type(value) is not list:
        raise wrong("text or a list of texts", value, field=field)
    return texts(value, field)


def one_of(value: object, choices: Mapping[str, T], wanted: str, field: str = "") -> T:
    """What a word stands for; `wanted` names the words in a message."""
    if not isinstance(value, str) or value not in choices:
        raise wrong(wanted, value, field=field)
    return choices[value]


def needed(value: Mapping[str, Any], key: str) -> Any:
    if key not in value:
        raise Unexpected(f"the field {key!r} is missing")
    return value[key]


def each(value: object, build: Callable[[Any], T], field: str = "") -> tuple[T, ...]:
    """Build every item of a list; errors name the item."""
    found: list[T] = []
    for item in items(value, field):
        try:
            found.append(build(item))
        except Unexpected as error:
            raise error.inside(f"{field}[{len(found)}]") from error
    return tuple(found)
