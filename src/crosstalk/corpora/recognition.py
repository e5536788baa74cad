"""Recognises the format of a file by its first dialogue.

    recognise_source(Path("dialogues_001.json"))  # "sgd"

Only the head of a file is read, and parsed as far as it goes (`partial_json`). A format fits if the
head has every field that the format's signature needs; of several, the one with most fields wins.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from crosstalk.corpora.formats import Format, Shape, known_formats, recognisable
from crosstalk.errors import FormatError
from crosstalk.files import Source, open_binary

HEAD: Final = 1 << 18
"""Bytes that are looked at: more than the goal and first turns of any known dialogue."""
LOOKED_AT: Final = 12
"""Items of a list in which a field is looked for."""
SHOWN: Final = 8
"""Fields of an unknown file that a message names."""
EMPTY: Final = {Shape.LIST: "convlab", Shape.BY_ID: "crosswoz"}
"""The format of a file without dialogues."""
GOALS: Final = "This looks like a file of goals; `crosstalk goals stats` counts it. "


@dataclass(frozen=True, slots=True)
class Head:
    """What the beginning of a file holds."""

    views: dict[Shape, dict[str, Any]]
    """Shape -> the first dialogue, if the file has this shape; an object may have two."""
    empty: Shape | None = None
    """The shape of a file without dialogues."""

    @property
    def description(self) -> str:
        if not self.views:
            return "neither JSON objects nor a Parquet table"
        shape, document = next(iter(self.views.items()))
        fields = [repr(field) for field in document]
        more = ", ..." if len(fields) > SHOWN else ""
        return f"{shape} with the fields {', '.join(fields[:SHOWN]) or 'none'}{more}"


@dataclass(frozen=True, slots=True)
class Match:
    """How well a format fits the head of a file."""

    format: Format
    found: int
    """Needed and usual fields that are there."""
    missing: tuple[str, ...]
    """Needed fields that are not."""
    shape_fits: bool


def recognise_source(source: Source) -> str:
    """The name of the format of a file; raises FormatError with what came close."""
    with open_binary(source) as raw:
        head = raw.read(HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    seen = look(head.decode("utf-8-sig", errors="replace"))
    if seen.empty:
        return EMPTY[seen.empty]
    matches = [_match(format, seen) for format in recognisable()]
    fitting = [each for each in matches if each.shape_fits and not each.missing]
    if not fitting:
        raise _unknown(source, seen, matches)
    return max(fitting, key=lambda each: each.found).format.name


def look(text: str) -> Head:
    """The first dialogue in the head of a file, in every shape that it may have."""
    value = partial_json(text)
    if isinstance(value, list):
        first = next((each for each in value if isinstance(each, dict)), None)
        if first is None:
            return Head({}, None if value or not re.match(r"\s*\[\s*\]", text) else Shape.LIST)
        return Head({Shape.LIST: first})
    if not isinstance(value, dict):
        return Head({})
    if not value:
        return Head({}, Shape.BY_ID if re.match(r"\s*\{\s*\}", text) else None)
    inner = next(iter(value.values()))
    return Head({Shape.OBJECT: value} | ({Shape.BY_ID: inner} if isinstance(inner, dict) else {}))


def _match(format: Format, head: Head) -> Match:
    signature = format.signature
    shape = next((each for each in signature.shapes if each in head.views), None)
    document = head.views[shape] if shape else next(iter(head.views.values()), {})
    missing = tuple(field for field in signature.needs if not has_field(document, field))
    usual = sum(has_field(document, field) for field in signature.usual)
    found = len(signature.needs) - len(missing) + usual
    return Match(format, found, missing, shape is not None)


def has_field(value: Any, path: str) -> bool:
    """Whether a value has the field of a path, as signatures write it."""
    path, _, wanted = path.partition("=")
    found = list(_at(value, path.split(".")))
    return wanted in found if wanted else bool(found)


def _at(value: Any, steps: list[str]) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value[:LOOKED_AT]:
            yield from _at(each, steps)
    elif not steps:
        yield value
    elif isinstance(value, dict) and steps[0] in value:
        inner = value[steps[0]]
        if not steps[1:] and isinstance(inner, list):
            yield inner
        else:
            yield from _at(inner, steps[1:])


def _unknown(source: Source, head: Head, matches: list[Match]) -> FormatError:
    close = [
        each
        for each in sorted(
            matches, key=lambda each: (not each.shape_fits, len(each.missing), -each.found)
        )
        if each.found and len(each.missing) <= len(each.format.signature.needs) / 2
    ]
    told = "; ".join(_closeness(each) for each in close[:3])
    goals = GOALS if any("tuples" in document for document in head.views.values()) else ""
    return FormatError(
        f"{source}: not a corpus in a format we know: it holds {head.description}"
        + (f". Closest: {told}" if told else ""),
        remedy=f"{goals}Known formats: {', '.join(known_formats())}. "
        "If it is one of them, name it with --from; docs/formats.md lists what each needs.",
    )


def _closeness(match: Match) -> str:
    lacks = f"lacks {', '.join(match.missing)}" if match.missing else ""
    shapes = " or ".join(match.format.signature.shapes)
    wants = "" if match.shape_fits else f"is {shapes}"
    return f"{match.format.name} ({' and '.join(filter(None, (wants, lacks)))})"


TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\]])|([:,])|([^\s{}\[\]:,"]+))', re.DOTALL)
ENOUGH: Final = 3
"""Objects directly inside the outermost value, after which nothing new is to be learned."""


def partial_json(text: str) -> Any:
    """The JSON value at the beginning of a text, as far as it can be parsed; None: not JSON."""
    root: list[Any] = []
    stack: list[Any] = [root]
    keys: list[str | None] = [None]
    position = closed = 0
    while closed < ENOUGH and (token := TOKEN.match(text, position)):
        position = token.end()
        string, bracket, mark, bare = token.groups()
        holder = stack[-1]
        if mark or (bracket and bracket in "}]"):
            if bracket:
                stack.pop()
                keys.pop()
                closed += len(stack) == 2 and bracket == "}"
                if len(stack) == 1:
                    break
            continue
        try:
            value: Any = ({} if bracket == "{" else []) if bracket else json.loads(string or bare)
        except ValueError:
            break
        if isinstance(holder, dict):
            if keys[-1] is None:
                if not string:
                    break
                keys[-1] = value
                continue
            holder[keys[-1]] = value
            keys[-1] = None
        else:
            holder.append(value)
        if bracket:
            stack.append(value)
            keys.append(None)
        elif holder is root:
            break
    return root[0] if root else None
