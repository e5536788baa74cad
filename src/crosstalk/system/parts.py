"""How a name becomes a part: one of ours from a table, or an external one.

    built = build_part(NLU, "best", context)
    built.name, built.part

`system/<kind>/parts.py` hold the tables of a system, `simulation/build.py` that of the users.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn

from crosstalk import external_objects
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.errors import InputError
from crosstalk.language.opening_hours import OpeningHours
from crosstalk.language.phrases import Phrasebook, TermKinds, load_phrases, speaks
from crosstalk.language.quantities import Quantities
from crosstalk.model_folders import find_model, folder_digest, has_model, is_weak
from crosstalk.system import external_parts
from crosstalk.worlds.conditions import LanguageReaders
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, load_world

BEST: Final = "best"
"""Alias: the first name of a kind's order of preference that can be built for the world."""
LIVE: Final = "live"
"""Stands for the name if an object was given instead of one."""
PAPER: Final = "paper"
CORRECTED: Final = "corrected"
PROTOCOLS: Final = (PAPER, CORRECTED)


@dataclass(frozen=True, slots=True)
class PartContext:
    """What parts are built from."""

    world: World
    folder: Path
    """The world's folder."""
    database: Database
    data: Path | None = None
    """Folder of fetched corpora, for the template files that come with CrossWOZ."""
    models: Path | None = None
    """Models trained by the user; the shipped ones serve where there are none."""
    templates: Path | None = None
    """A folder of template files to speak from, instead of the world's own."""
    protocol: str = CORRECTED
    speaker: Speaker = Speaker.SYSTEM
    """The side it is built for."""
    seed: int = 0
    book: Phrasebook | None = None
    """Phrases of the world's language; None if it has none."""

    def offered(self) -> dict[str, Any]:
        """The keyword arguments that classes and functions from outside may take."""
        return {
            "world": self.world,
            "schema": self.world.schema,
            "language": self.world.language,
            "database": self.database,
            "folder": self.folder,
            "data": self.data,
            "models": self.models,
            "protocol": self.protocol,
            "speaker": self.speaker,
            "seed": self.seed,
            "rng": Random(self.seed),
        }


def context_of(
    world: World | str | Path,
    *,
    language: str | LanguagePack | None = None,
    data: Path | None = None,
    models: Path | None = None,
    protocol: str = CORRECTED,
) -> PartContext:
    """The context of a world, loaded or named; raises for unknown names.

    `language`: its code, or the language itself, which factories of agents and parts are offered.
    """
    language = language.code if isinstance(language, LanguagePack) else language
    if protocol not in PROTOCOLS:
        refuse_unknown("protocol", protocol, PROTOCOLS)
    if not isinstance(world, World):
        world = load_world(world, language=language, data=data)
    elif language not in (None, world.language.code):
        raise InputError(
            f"the world {world.name} was loaded in {world.language.code!r}, not in {language!r}",
            remedy="Load it in that language: load_world(name, language=...).",
        )
    folder = world.folder or find_world(world.name)
    book = phrases_of(folder, world)
    readers = _readers(book, world.language.days) if book else None
    database = Database(world, readers=readers)
    return PartContext(world, folder, database, data, models, protocol=protocol, book=book)


def _readers(book: Phrasebook, days: Sequence[str]) -> LanguageReaders:
    return LanguageReaders(
        Quantities(book).read_hours, OpeningHours(book, days).meets, TermKinds(book).meets
    )


def phrases_of(folder: Path, world: World) -> Phrasebook | None:
    """The phrases of the world's language; None if it has none."""
    if not speaks(folder, world.language.code):
        return None
    return load_phrases(folder, world.language, world.schema)


@dataclass(frozen=True, slots=True)
class Part:
    """One row of a table: how a part of ours is built."""

    build: Callable[[PartContext], Any]
    """Imports what it needs."""
    models: Callable[[PartContext], tuple[str, ...]] = lambda context: ()
    """Names of the model folders it reads."""
    needs: tuple[str, ...] = ()
    """Packages of an extra."""
    fits: Callable[[PartContext], bool] = lambda context: True
    """Whether it can be built for the world, as far as models and packages do not tell."""
    reads_tables: bool = True
    """Whether it queries the world's tables when it is evaluated on a corpus."""

    def can_be_built(self, context: PartContext) -> bool:
        return (
            all(has_model(name, context.models) for name in self.models(context))
            and all(map(find_spec, self.needs))
            and self.fits(context)
        )

    def is_good(self, context: PartContext) -> bool:
        """Whether it can be built and none of its models was marked as weak in training."""
        return self.can_be_built(context) and not any(
            is_weak(find_model(name, context.models)) for name in self.models(context)
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """The table of one kind of part."""

    key: str
    """nlu, dst, policy, nlg or user."""
    what: str
    """Its name in messages."""
    parts: Mapping[str, Part]
    best: tuple[str, ...]
    """Order of preference. Where none can be built, the last one says what is missing."""
    asks_world: bool = True
    """Whether a world file's own choice comes before the order of preference."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names of earlier versions."""


@dataclass(frozen=True, slots=True)
class BuiltPart:
    """A part, and what its name stood for."""

    asked: str
    """The name as given."""
    name: str
    part: Any
    folders: Mapping[str, Path] = field(default_factory=dict)
    """The models it was built from."""

    def record(self) -> dict[str, str]:
        """For the card of a run."""
        found = {"asked": self.asked, "name": self.name, "class": class_name(self.part)}
        if digest := external_objects.source_digest(self.name):
            found["sha256"] = digest
        if self.folders:
            found["model"] = ", ".join(self.folders)
            found["sha256"] = ", ".join(map(folder_digest, self.folders.values()))
        return found


def class_name(part: Any) -> str:
    """The class of a part; a function's own name."""
    named = part if inspect.isroutine(part) else type(part)
    return f"{named.__module__}.{named.__qualname__}"


def resolve(kind: Kind, name: str, context: PartContext) -> str:
    """What a name stands for in a world; names from outside stand for themselves."""
    name = kind.aliases.get(name, name)
    chosen = context.world.best.get(kind.key) if kind.asks_world else None
    if name == BEST and chosen in kind.parts and context.speaker is Speaker.SYSTEM:
        return str(chosen)
    if name == BEST:
        fitting = (each for each in kind.best if kind.parts[each].is_good(context))
        return next(fitting, kind.best[-1])
    if (
        name in kind.parts
        or external_objects.is_outside(name)
        or name in external_parts.installed(kind.key)
    ):
        return name
    known = ", ".join([*kind.parts, BEST, *external_parts.installed(kind.key)])
    raise InputError(
        f"there is no {kind.what} called {name!r}",
        remedy=f"Known: {known}. Yours: package.module:Object or file.py:Object.",
    )


def build_part(kind: Kind, asked: Any, context: PartContext) -> BuiltPart:
    """The part with this name; any object but a text is the part itself."""
    if not isinstance(asked, str):
        external_parts.check_part(asked, kind.key, f"the {kind.what} given")
        return live_part(asked)
    name = resolve(kind, asked, context)
    if name in kind.parts:
        row = kind.parts[name]
        part = row.build(context)
        names = row.models(context)
        return BuiltPart(
            asked, name, part, {each: find_model(each, context.models) for each in names}
        )
    found = (
        external_objects.load_object(name)
        if external_objects.is_outside(name)
        else external_objects.load_installed(external_parts.installed(kind.key)[name])
    )
    return BuiltPart(
        asked, name, external_parts.make_part(found, kind.key, context.offered(), name)
    )


def live_part(part: Any) -> BuiltPart:
    """A live object as a part, under the name of its class."""
    return BuiltPart(LIVE, f"{type(part).__qualname__} ({LIVE})", part)


def available(kind: Kind, context: PartContext) -> list[str]:
    """The names that can be built for a world, installed ones included."""
    ours = [name for name, part in kind.parts.items() if part.can_be_built(context)]
    return [*ours, *external_parts.installed(kind.key)]


def refuse_unknown(what: str, name: str, known: tuple[str, ...]) -> NoReturn:
    """Raise InputError for an unknown name, with the known ones."""
    raise InputError(f"there is no {what} called {name!r}", remedy=f"Known: {', '.join(known)}.")
