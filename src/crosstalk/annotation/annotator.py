"""Acts from states: `Annotator(know).annotate(dialogue)`.

Reads words, both states, selections, goal and tables; never an act.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.annotation.keywords import load_keywords
from crosstalk.annotation.rules import Knowledge
from crosstalk.annotation.scenes import Scene, UserScene, scenes_of
from crosstalk.annotation.system_rules import SYSTEM_RULES
from crosstalk.annotation.user_rules import USER_RULES
from crosstalk.database.queries import Database
from crosstalk.database.tables import World
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue

Reasons = dict[Act, tuple[str, ...]]
"""The acts of a turn, each with the names of the rules that found it."""


@dataclass(frozen=True)
class Annotator:
    """Derives the acts of whole dialogues of one world in one language."""

    know: Knowledge

    @classmethod
    def of(cls, world: World, folder: Path) -> "Annotator":
        """`folder` is the world's, which holds its keywords."""
        return cls(Knowledge(Database(world), load_keywords(folder, world.language.code)))

    def annotate(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue with derived acts in place of whatever acts it had."""
        turns = (
            replace(turn, acts=tuple(sorted(reasons)))
            for turn, reasons in zip(dialogue.turns, self.reasons(dialogue), strict=True)
        )
        return replace(dialogue, turns=tuple(turns))

    def reasons(self, dialogue: Dialogue) -> Iterator[Reasons]:
        """Turn by turn, the derived acts and why."""
        for scene in scenes_of(dialogue):
            yield self._reasons(scene)

    def _reasons(self, scene: Scene) -> Reasons:
        found: Reasons = {}
        for name, act in self._proposals(scene):
            if name not in found.get(act, ()):
                found[act] = (*found.get(act, ()), name)
        return found

    def _proposals(self, scene: Scene) -> Iterator[tuple[str, Act]]:
        if isinstance(scene, UserScene):
            for of_user in USER_RULES:
                for act in of_user.propose(scene, self.know):
                    yield of_user.name, act
        else:
            for of_system in SYSTEM_RULES:
                for act in of_system.propose(scene, self.know):
                    yield of_system.name, act
