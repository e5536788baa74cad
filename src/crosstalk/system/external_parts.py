"""External parts: objects from outside (`external_objects.py`) that fit their kind.

    part = make_part(load_object("mine.py:Echo"), "nlu", {"world": world}, "mine.py:Echo")

An instance is used as it is. A class or function is called with those of the offered keyword
arguments that it names (all of them if it takes `**options`).
"""

import inspect
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.external_objects import running_outside

GROUP: Final = "crosstalk.parts"
"""Entry points of this group are named `<kind>.<name>`, such as `nlu.mine`."""
METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "nlu": ("understand",),
    "dst": ("update",),
    "policy": ("decide",),
    "nlg": ("say",),
    "user": ("open", "respond"),
}
"""Kind of part -> the methods that it must have."""


def installed(kind: str) -> dict[str, EntryPoint]:
    """The parts of a kind that installed packages offer, by name."""
    found = (each for each in _entry_points() if each.name.startswith(f"{kind}."))
    return {each.name.removeprefix(f"{kind}."): each for each in found}


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def make_part(found: Any, kind: str, offered: Mapping[str, Any], name: str) -> Any:
    """The object itself, or what it returns when called."""
    part = found
    if inspect.isclass(found) or inspect.isroutine(found):
        part = made(found, offered, name)
    check_part(part, kind, name)
    return part


def made(maker: Any, offered: Mapping[str, Any], name: str) -> Any:
    """The result of a class or factory, called with the offered arguments that it names."""
    wanted = _wanted(maker, offered, name)
    return running_outside(lambda: maker(**wanted), name)


def check_part(part: Any, kind: str, name: str) -> None:
    """Refuse an object that lacks a method of its kind."""
    lacking = [each for each in METHODS[kind] if not callable(getattr(part, each, None))]
    if lacking:
        raise InputError(
            f"{name}: {type(part).__name__} is no {kind}: it lacks the method {lacking[0]!r}",
            remedy=f"A part of kind {kind} has {' and '.join(METHODS[kind])}; see docs/parts.md.",
        )


def _wanted(maker: Any, offered: Mapping[str, Any], name: str) -> dict[str, Any]:
    try:
        parameters = inspect.signature(maker).parameters.values()
    except (TypeError, ValueError):  # some built-in classes do not tell
        return {}
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return dict(offered)
    strange = [
        each.name
        for each in parameters
        if each.default is each.empty
        and each.kind is not each.VAR_POSITIONAL
        and (each.name not in offered or each.kind is each.POSITIONAL_ONLY)
    ]
    if strange:
        raise InputError(
            f"{name}: needs {', '.join(strange)}, which nobody can give it",
            remedy=f"Offered by name are {', '.join(offered)}; give other parameters a default.",
        )
    return {each.name: offered[each.name] for each in parameters if each.name in offered}
