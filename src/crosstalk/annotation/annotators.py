"""The annotators of a corpus whose dialogues may come from several worlds and languages.

annotators = Annotators()
acts = annotators.annotate(dialogue)
"""

from pathlib import Path

from crosstalk.annotation.annotator import Annotator
from crosstalk.database.worlds import find_world, world_with_tables
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError, WorldError


class Annotators:
    """The annotator of each dialogue's world and language, made when first needed."""

    def __init__(
        self,
        world: str | None = None,
        language: str | None = None,
        tables: Path | None = None,
    ) -> None:
        self._world = world
        self._language = language
        self._tables = tables
        self._made: dict[tuple[str, str | None], Annotator] = {}
        self.stateless = 0
        """Dialogues in which no user ticked anything: most acts of theirs cannot be derived."""

    def annotate(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue with derived acts in place of whatever acts it had."""
        return self.of(dialogue).annotate(dialogue)

    def of(self, dialogue: Dialogue) -> Annotator:
        """The annotator for a dialogue: of the world given, else of the world it names."""
        self.stateless += all(turn.user_state is None for turn in dialogue.turns)
        name = self._world or dialogue.world
        language = self._language or (dialogue.language or None)
        if not name:
            raise InputError(
                f"dialogue {dialogue.id} does not say in which world it takes place",
                remedy="Name it: --world harbour, or the folder of your own.",
            )
        if (name, language) not in self._made:
            self._made[name, language] = self._make(name, language)
        return self._made[name, language]

    def _make(self, name: str, language: str | None) -> Annotator:
        try:
            world = world_with_tables(name, language, self._tables)
            return Annotator.of(world, find_world(name))
        except WorldError as error:
            if self._world:
                raise
            remedy = f"{error.remedy} --world overrides what the dialogues say."
            raise WorldError(error.message, remedy=remedy) from error
