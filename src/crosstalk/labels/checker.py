"""The label checker: every disagreement in a dialogue, or in one of its turns.

    checker = LabelChecker.of(load_world("harbour"))
    for finding in checker.check(dialogue): print(finding)

One checker is behind the hints of the website, `crosstalk data check --labels` and the review of
finished rooms. Rules without evidence stay silent: those about acts where a turn has none, those
about searches where nobody searched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.labels import system_rules, user_rules
from crosstalk.labels.findings import Finding
from crosstalk.labels.turn_views import TurnView, turn_views
from crosstalk.labels.word_traces import WordTraces
from crosstalk.language.keywords import has_keywords, load_keywords
from crosstalk.language.phrases import load_phrases, speaks
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, world_with_tables


@dataclass(frozen=True)
class LabelChecker:
    """Checks dialogues of one world in one language."""

    words: WordTraces

    @classmethod
    def of(cls, world: World, folder: Path | None = None) -> "LabelChecker":
        """`folder` is the world's, with its keywords and phrases; both may be missing."""
        folder = folder or world.folder or find_world(world.name)
        code = world.language.code
        keywords = load_keywords(folder, code) if has_keywords(folder, code) else None
        book = load_phrases(folder, world.language, world.schema) if speaks(folder, code) else None
        return cls(WordTraces(Database(world), keywords, book))

    def check(self, dialogue: Dialogue) -> Iterator[Finding]:
        """The findings of all turns, in order."""
        for view in turn_views(dialogue):
            yield from self.check_view(view)

    def check_view(self, view: TurnView) -> Iterator[Finding]:
        of_user = view.turn.speaker is Speaker.USER
        for rule in user_rules.RULES if of_user else system_rules.RULES:
            yield from rule(view, self.words)


class LabelCheckers:
    """The checker of each dialogue's world and language, made when first needed."""

    def __init__(
        self, world: str = "", language: str | None = None, tables: Path | None = None
    ) -> None:
        """`world` and `language` hold for all dialogues, whatever they say themselves."""
        self._world, self._language, self._tables = world, language, tables
        self._made: dict[tuple[str, str | None], LabelChecker] = {}

    def check(self, dialogue: Dialogue) -> tuple[Finding, ...]:
        return tuple(self.of(dialogue).check(dialogue))

    def of(self, dialogue: Dialogue) -> LabelChecker:
        key = (self._world or dialogue.world, self._language or dialogue.language or None)
        if not key[0]:
            raise InputError(
                f"dialogue {dialogue.id} does not say in which world it takes place",
                remedy="Name it: --world harbour, or the folder of your own.",
            )
        if key not in self._made:
            world = world_with_tables(key[0], key[1], self._tables)
            self._made[key] = LabelChecker.of(world, find_world(key[0]))
        return self._made[key]
