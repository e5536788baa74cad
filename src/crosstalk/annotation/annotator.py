"""Derives dialogue acts from states: `Annotator` for one world, `Annotators` for several.

    Annotator.of(world, folder).annotate(dialogue)

Rules (act_rules.py) read the texts, both states, selections, goal and tables; they never see an
act of the dialogue.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.annotation.act_rules import SYSTEM_RULES, USER_RULES
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import RULES, Dialogue
from crosstalk.errors import InputError, WorldError
from crosstalk.labels.turn_evidence import RuleContext, TurnEvidence, UserEvidence, evidence_of
from crosstalk.language.keywords import load_keywords
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, world_with_tables

Reasons = dict[Act, tuple[str, ...]]
"""The acts of a turn, each with the names of the rules that found it."""


@dataclass(frozen=True)
class Annotator:
    """Derives the acts of whole dialogues of one world in one language."""

    context: RuleContext

    @classmethod
    def of(cls, world: World, folder: Path) -> "Annotator":
        """`folder` is the world's, which holds its keywords."""
        return cls(RuleContext(Database(world), load_keywords(folder, world.language.code)))

    def annotate(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue with derived acts in place of whatever acts it had."""
        turns = (
            replace(turn, acts=tuple(sorted(reasons)), acts_from=RULES)
            for turn, reasons in zip(dialogue.turns, self.reasons(dialogue), strict=True)
        )
        return replace(dialogue, turns=tuple(turns))

    def reasons(self, dialogue: Dialogue) -> Iterator[Reasons]:
        """Turn by turn, the derived acts and why."""
        for evidence in evidence_of(dialogue):
            yield self._reasons(evidence)

    def _reasons(self, evidence: TurnEvidence) -> Reasons:
        found: Reasons = {}
        for name, act in self._proposals(evidence):
            if name not in found.get(act, ()):
                found[act] = (*found.get(act, ()), name)
        return found

    def _proposals(self, evidence: TurnEvidence) -> Iterator[tuple[str, Act]]:
        if isinstance(evidence, UserEvidence):
            for of_user in USER_RULES:
                for act in of_user.propose(evidence, self.context):
                    yield of_user.name, act
        else:
            for of_system in SYSTEM_RULES:
                for act in of_system.propose(evidence, self.context):
                    yield of_system.name, act


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
