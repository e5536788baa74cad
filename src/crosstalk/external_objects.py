"""Objects from outside: `package.module:Object`, `file.py:Object`, or an installed entry point.

    load_object("mine.py:Echo")

A `Registry` has the objects of one kind by name: our own, those of installed packages, and any that
a name points to.

Parts, agents and corpus formats are loaded here. Whatever external code raises becomes an
`InputError` that names it.
"""

import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Generic, TypeVar

from crosstalk.errors import InputError
from crosstalk.files import sha256_of

HOW: Final = "Give package.module:Object or file.py:Object; docs/parts.md shows both."


def is_outside(name: str) -> bool:
    """Whether a name points to an object outside this package."""
    return ":" in name


def absolute(name: str) -> str:
    """The same name with an absolute path, for processes in other folders."""
    where, _, what = name.rpartition(":")
    return f"{Path(where).resolve()}:{what}" if where.endswith(".py") else name


def source_digest(name: str) -> str:
    """SHA-256 of the file behind `file.py:Object`; empty for modules and entry points."""
    where, _, _ = name.rpartition(":")
    if not where.endswith(".py") or not Path(where).is_file():
        return ""
    return sha256_of(Path(where))


def load_installed(entry: EntryPoint) -> Any:
    """The object of an entry point."""
    return running_outside(lambda: entry.load(), f"the entry point {entry.name} ({entry.value})")


def load_object(name: str) -> Any:
    """The object that `package.module:Object` or `file.py:Object` names; raises InputError."""
    where, _, what = name.rpartition(":")
    if not where or not what:
        raise InputError(f"{name!r} names no object", remedy=HOW)
    module = _file_module(Path(where), name) if where.endswith(".py") else _module(where, name)
    found: Any = module
    for attribute in what.split("."):
        if not hasattr(found, attribute):
            public = [
                each
                for each, value in vars(module).items()
                if not each.startswith("_") and not isinstance(value, ModuleType)
            ]
            raise InputError(
                f"{name}: {where} has no {what!r}",
                remedy=f"It has {', '.join(public[:12]) or 'nothing public'}.",
            )
        found = getattr(found, attribute)
    return found


def _module(where: str, name: str) -> ModuleType:
    """An installed module, or one below the current folder."""
    with _importable(Path.cwd()):
        try:
            missing = where not in sys.modules and importlib.util.find_spec(where) is None
        except ModuleNotFoundError:
            missing = True
        except (ImportError, ValueError) as error:
            raise InputError(f"{name}: {where!r} is no module: {error}", remedy=HOW) from error
        if missing:
            raise InputError(
                f"{name}: there is no module {where!r}",
                remedy=f"Install the package, run in its folder, or name the file: {where}.py:...",
            )
        module: ModuleType = running_outside(lambda: importlib.import_module(where), name)
        return module


def _file_module(file: Path, name: str) -> ModuleType:
    """A file read anew, with the modules beside it importable as for a script."""
    if not file.is_file():
        raise InputError(f"{name}: there is no file {file}", remedy=HOW)
    place = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]
    title = f"crosstalk_part_{file.stem}_{place}"
    spec = importlib.util.spec_from_file_location(title, file)
    assert spec is not None and spec.loader is not None, "a file that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[title] = module  # dataclasses look their module up
    loader = spec.loader
    with _importable(file.resolve().parent):
        running_outside(lambda: loader.exec_module(module), name)
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    entry = str(folder)
    added = entry not in sys.path
    if added:
        sys.path.insert(0, entry)
    try:
        yield
    finally:
        if added and entry in sys.path:
            sys.path.remove(entry)


def running_outside(work: Any, name: str) -> Any:
    """Turn any error of external code into an InputError that names the code."""
    try:
        return work()
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{name}: cannot be loaded: {type(error).__name__}: {error}",
            remedy="The error comes from that code; import it in Python to see where.",
        ) from error


Item = TypeVar("Item")


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name."""
    return {each.name: each for each in entry_points(group=group)}


@dataclass(frozen=True, slots=True)
class Registry(Generic[Item]):
    """Objects of one kind, by name."""

    kind: type[Item]
    what: str
    """What messages call such an object, such as `format`."""
    group: str
    """Entry points of this group are named like the object that each loads."""
    built_in: Mapping[str, str]
    """Name -> `module:OBJECT`, imported when it is needed."""
    page: str
    """The page that shows how to write one."""

    def names(self) -> tuple[str, ...]:
        """The names of all objects, those of installed packages included."""
        return tuple(dict.fromkeys((*self.built_in, *installed(self.group))))

    def find(self, name: str) -> Item:
        """The object of a name, of `package.module:OBJECT`, or of an entry point."""
        if name in self.built_in:
            found = pkgutil.resolve_name(self.built_in[name])
        elif is_outside(name):
            found = load_object(name)
        elif name in (others := installed(self.group)):
            found = load_installed(others[name])
        else:
            raise InputError(
                f"unknown {self.what} {name!r}",
                remedy=f"Choose one of {', '.join(self.names())}, or name package.module:OBJECT.",
            )
        if not isinstance(found, self.kind):
            wanted = f"{self.kind.__module__}.{self.kind.__name__}"
            raise InputError(
                f"{name}: expected a {wanted}, found {type(found).__name__}",
                remedy=f"{self.page} shows how to write a {self.what}.",
            )
        return found
