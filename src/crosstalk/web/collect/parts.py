"""What a site can do without: machine partners, a voice for exercises, acts for exports."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from crosstalk.collection.events import Role
from crosstalk.collection.rooms import Room
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import InputError, Rejection
from crosstalk.system.nlg.generator import Generator
from crosstalk.web.collect.exports import Annotate
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world


class Machines(Protocol):
    """Plays either role. Keeps nothing between calls: what happened so far is in the room."""

    def can_play(self, role: Role) -> bool: ...

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        """The next turn of that role; called in a thread of its own."""
        ...


class NoMachines:
    """A site for people only."""

    def can_play(self, role: Role) -> bool:
        return False

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        raise Rejection("no_machine", "this site has no machine partners")


def unchanged(dialogue: Dialogue) -> Dialogue:
    return dialogue


@dataclass(frozen=True, slots=True)
class Parts:
    """The defaults are a site for people only, in any world."""

    machines: Machines = field(default_factory=NoMachines)
    voice: Generator | None = None
    """Speaks for users in the training stage."""
    annotate: Annotate | None = None
    """Adds acts to what is exported; None: there are states only."""


def build_parts(
    folder: str,
    world: World,
    *,
    machines: bool = True,
    data: Path | None = None,
    models: Path | None = None,
) -> tuple[Parts, list[str]]:
    """Everything that this world and language have; and, in words, what they have not."""
    missing = list[str]()
    partners: Machines = NoMachines()
    annotate: Annotate | None = None
    try:
        if machines:
            partners = _machines(folder, world.language.code, data, models)
    except InputError as problem:
        missing.append(f"no machine partners: {problem.message}")
    try:
        annotate = _annotation(folder, world.language.code, data)
    except InputError as problem:
        missing.append(f"no acts in exports: {problem.message}")
    return Parts(partners, _voice(folder, world), annotate), missing


def _machines(folder: str, language: str, data: Path | None, models: Path | None) -> Machines:
    from crosstalk.web.collect.machines import build_machines

    return build_machines(folder, language, data=data, models=models)


def _annotation(folder: str, language: str, data: Path | None) -> Annotate:
    from crosstalk.web.collect.exports import annotation

    return annotation(folder, language, data)


def _voice(folder: str, world: World) -> Generator | None:
    """The world's own templates, if it has any."""
    from crosstalk.system.nlg.written import has_templates, written_generator

    place = find_world(folder)
    if not has_templates(place, world.language.code):
        return None
    return written_generator(place, world.schema, world.language, Speaker.USER)
