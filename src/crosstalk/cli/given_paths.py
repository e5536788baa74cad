"""What holds for every path that a command is given, whichever command it is.

What is read has to be a plain file or a folder: a pipe, a device or a loop of links is refused
before anything opens it. What is read is not replaced by what is written. Commands get this by
their class: `check_paths(app)`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from crosstalk.files import protecting, refuse_unreadable

WRITTEN = frozenset({"out", "figure", "html", "junit", "markdown", "page", "write_glossary"})
"""Names of parameters whose path is written; those of all others are read."""
IN_PLACE = frozenset({"work"})
"""Names of parameters whose file is read, and written again while the command runs."""


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
        with protecting(_checked(ctx.params)):
            return super().invoke(ctx)


class _Group(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        with protecting(_checked(ctx.params)):
            return super().invoke(ctx)


def _checked(given: Mapping[str, Any]) -> list[Path]:
    """The paths that may not be replaced; raises in words for those that cannot be read."""
    for path in _read(given):
        if _is_there(path):
            refuse_unreadable(path, may_be_folder=True)
    return list(_read({name: given[name] for name in given if name not in IN_PLACE}))


def _read(given: Mapping[str, Any]) -> Iterator[Path]:
    for name, value in given.items():
        if name not in WRITTEN:
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
