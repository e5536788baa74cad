"""Acts for what was collected: people have filled in states, the acts follow from them."""

from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, select

from crosstalk.annotation.annotator import Annotator
from crosstalk.database.worlds import find_world, load_world
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.web.archive import Annotate
from crosstalk.web.store.tables import SETTINGS


def annotation(world: str, language: str, data: Path | None = None) -> Annotate:
    """Raises in words where the world, or its keywords in that language, are missing."""
    annotator = Annotator.of(load_world(world, language=language, data=data), find_world(world))

    def annotate(dialogue: Dialogue) -> Dialogue:
        """Acts that a machine meant stay as they are."""
        derived = annotator.annotate(dialogue).turns
        turns = zip(dialogue.turns, derived, strict=True)
        return replace(
            dialogue, turns=tuple(given if given.acts else found for given, found in turns)
        )

    return annotate


def stored_world(connection: Connection) -> tuple[str, str]:
    """(world, language) that a store is about."""
    rows = connection.execute(select(SETTINGS.c.key, SETTINGS.c.value))
    known = {row[0]: row[1] for row in rows}
    return known.get("world", ""), known.get("language", "")
