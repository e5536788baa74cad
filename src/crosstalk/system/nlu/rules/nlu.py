"""Understanding by rules alone: no training, five languages, any world.

    RulesNLU(world, folder).understand(turn, history)

Names, values, numbers and cues are looked for in the words; how they stand to each other, and the
turns before, say what they mean.
"""

from collections.abc import Sequence
from pathlib import Path

from crosstalk.database.tables import World
from crosstalk.database.worlds import find_world
from crosstalk.dialogue.acts import Act, in_order
from crosstalk.dialogue.dialogues import Turn
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook, load_phrases
from crosstalk.system.nlu.rules.amounts import Amounts
from crosstalk.system.nlu.rules.answers import answered, put_right
from crosstalk.system.nlu.rules.context import ContextReader, TurnContext
from crosstalk.system.nlu.rules.reading import Reading
from crosstalk.system.nlu.rules.segments import Rules
from crosstalk.system.nlu.rules.spotting import Spotter


class RulesNLU:
    """Understands one world in one language by its words."""

    def __init__(self, world: World, folder: Path) -> None:
        """`folder` is the world's folder, whose `assistant/<code>.toml` has its everyday words."""
        self._world = world
        self.book: Phrasebook = load_phrases(folder, world, for_rules=True)
        spotter = Spotter(world, self.book)
        self._rules = Rules(
            world.schema,
            world.language,
            self.book.grammar,
            spotter,
            Amounts(world, spotter.quantities),
        )
        places = {
            str(row[domain.name_slot.key]): domain.key
            for domain in reversed(world.schema.places)
            if domain.name_slot
            for row in world.tables[domain.key]
        }
        self._contexts = ContextReader(world.schema, world.language.yes, places)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts of an utterance in the light of the turns before, sorted."""
        context = self._contexts.read(history)
        acts = self._read(utterance.text, context)
        corrects = self._rules.spotter.says("correction", plain(utterance.text))
        acts = list(put_right(self._world.schema, acts, context)) if corrects else acts
        return in_order(answered(self._world.schema, acts, context, self._read))

    def _read(self, text: str, context: TurnContext) -> list[Act]:
        said = self._rules.spotter.spot(text, context)
        return Reading(self._rules, said, context).acts()


def load_rules_nlu(world: World, folder: Path | None = None) -> RulesNLU:
    """The rules for a world; its folder is found by its name where none is given."""
    return RulesNLU(world, folder or find_world(world.name))
