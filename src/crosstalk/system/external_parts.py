"""External parts: `package.module:Object`, `file.py:Object`, or an installed entry point.

    part = make_part(load_object("mine.py:Echo"), "nlu", {"world": world}, "mine.py:Echo")

An instance is used as it is. A class or function is called with those of the offered keyword
arguments that it names (all of them if it takes `**options`).
"""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from crosstalk.errors import InputError

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
    return hashlib.sha256(Path(where).read_bytes()).hexdigest()


def installed(kind: str) -> dict[str, EntryPoint]:
    """The parts of a kind that installed packages offer, by name."""
    found = (each for each in _entry_points() if each.name.startswith(f"{kind}."))
    return {each.name.removeprefix(f"{kind}."): each for each in found}


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def load_installed(entry: EntryPoint) -> Any:
    """The object of an entry point."""
    return _running(lambda: entry.load(), f"the entry point {entry.name} ({entry.value})")


def load_object(name: str) -> Any:
    """The object that `package.module:Object` or `file.py:Object` names; raises InputError."""
    where, _, what = name.rpartition(":")
    if not where or not what:
        raise InputError(f"{name!r} names no object", remedy=HOW)
    module = _file_module(Path(where), name) if where.endswith(".py") else _module(where, name)
    found: Any = module
    for attribute in what.split("."):
        if not hasattr(found, attribute):
            public = [each for each in vars(module) if not each.startswith("_")]
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
            missing = importlib.util.find_spec(where) is None
        except ModuleNotFoundError:
            missing = True
        except (ImportError, ValueError) as error:
            raise InputError(f"{name}: {where!r} is no module: {error}", remedy=HOW) from error
        if missing:
            raise InputError(
                f"{name}: there is no module {where!r}",
                remedy=f"Install the package, run in its folder, or name the file: {where}.py:...",
            )
        module: ModuleType = _running(lambda: importlib.import_module(where), name)
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
        _running(lambda: loader.exec_module(module), name)
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


def _running(work: Any, name: str) -> Any:
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
    return _running(lambda: maker(**wanted), name)


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
