"""What holds for every path that a command is given, whichever command it is.

What is read has to be a plain file or a folder: a pipe, a device or a loop of links is refused
before anything opens it. What is read is not replaced by what is written. Commands get this by
their class: `check_paths(app)`.

A path is read unless its option says otherwise: `readable=False` for what is only written,
`writable=True` for what is read, and written again while the command runs.
"""

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import ParameterInfo

from crosstalk.files import protecting, refuse_unreadable


def check_paths(app: typer.Typer) -> None:
    """Let all commands of an application, and of the groups in it, check their paths."""
    for command in app.registered_commands:
        command.cls = _Command
    for group in app.registered_groups:
        group.cls = _Group
        if group.typer_instance:
            check_paths(group.typer_instance)


class _Command(TyperCommand):
    def invoke(self, ctx: Any) -> Any:
        with protecting(_checked(ctx.params, self.callback)):
            return super().invoke(ctx)


class _Group(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        with protecting(_checked(ctx.params, self.callback)):
            return super().invoke(ctx)


def written(command: Callable[..., Any] | None) -> set[str]:
    """Names of the parameters of a command whose path is only written."""
    return {name for name, option in _options(command) if option.readable is False}


def _in_place(command: Callable[..., Any] | None) -> set[str]:
    return {name for name, option in _options(command) if option.writable}


def _options(command: Callable[..., Any] | None) -> Iterator[tuple[str, ParameterInfo]]:
    """Names of a command's parameters, and what is said of them beside their type."""
    for name, given in signature(command).parameters.items() if command else ():
        for option in getattr(given.annotation, "__metadata__", ()):
            if isinstance(option, ParameterInfo):
                yield name, option


def _checked(given: Mapping[str, Any], command: Callable[..., Any] | None) -> list[Path]:
    """The paths that may not be replaced; raises in words for those that cannot be read."""
    left_out = written(command)
    for path in _paths(given, left_out):
        if _is_there(path):
            refuse_unreadable(path, may_be_folder=True)
    return list(_paths(given, left_out | _in_place(command)))


def _paths(given: Mapping[str, Any], left_out: set[str]) -> Iterator[Path]:
    for name, value in given.items():
        if name not in left_out:
            several = value if isinstance(value, (list, tuple)) else [value]
            yield from (each for each in several if isinstance(each, Path))


def _is_there(path: Path) -> bool:
    """Whether anything bears the name; commands say in their own words what they are missing."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True
