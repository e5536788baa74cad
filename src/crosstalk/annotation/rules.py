"""Rules: each has a name, one reason, and a precision of its own (`annotate evaluate --rules`)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from crosstalk.annotation.keywords import GENERAL_KINDS, Keywords
from crosstalk.annotation.scenes import Scene
from crosstalk.dialogue.acts import GENERAL, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.worlds.queries import Database

S = TypeVar("S")


@dataclass(frozen=True)
class Knowledge:
    """What rules know besides the scene."""

    database: Database
    keywords: Keywords

    def slot(self, domain: str, slot: str) -> Slot | None:
        found = self.database.world.schema.domain(domain)
        return found.slot(slot) if found else None

    def is_kind(self, domain: str, slot: str, *kinds: SlotKind) -> bool:
        found = self.slot(domain, slot)
        return found is not None and found.kind in kinds

    @cached_property
    def services(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """Every service that some place has, by domain and slot."""
        world = self.database.world
        return {
            (domain.key, slot.key): tuple(world.texts(domain.key, slot.key))
            for domain in world.schema
            for slot in domain.of_kind(SlotKind.SERVICES)
        }


@dataclass(frozen=True, slots=True)
class Rule(Generic[S]):
    """One reason for acts."""

    name: str
    why: str
    propose: Callable[[S, Knowledge], Iterator[Act]]


def manners_of(speaker: Speaker) -> Callable[[Scene, Knowledge], Iterator[Act]]:
    """General acts, by the phrases of that side."""

    def manners(scene: Scene, know: Knowledge) -> Iterator[Act]:
        for kind in GENERAL_KINDS:
            if know.keywords.says(speaker, kind, scene.text):
                yield Act(GENERAL, kind)

    return manners
