"""Understanding by rules alone: no training, five languages, any world.

    RulesNLU(world, folder).understand(turn, history)

Names, values, numbers and cues are looked for in the words; how they stand to each other, and the
turns before, say what they mean.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.acts import REQUEST, Act, in_order
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook, load_phrases
from crosstalk.language.world_files import ASSISTANT, world_file
from crosstalk.system.nlg.world_templates import has_templates
from crosstalk.system.nlu.rules.amounts import Amounts
from crosstalk.system.nlu.rules.answers import answered, counted_again, put_right, wished_for
from crosstalk.system.nlu.rules.context import ContextReader, TurnContext
from crosstalk.system.nlu.rules.reading import UtteranceReading
from crosstalk.system.nlu.rules.segments import ReadingRules
from crosstalk.system.nlu.rules.spotting import Spotter
from crosstalk.system.nlu.rules.written import WrittenSentences, spoken_of
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world


class RulesNLU:
    """Understands one world in one language by its words."""

    def __init__(self, world: World, folder: Path, *, templates: bool = True) -> None:
        """`folder` is the world's folder, whose `assistant/<code>.toml` has its everyday words.

        `templates`: whether the sentences of the world's templates are known word for word.
        """
        self._templates = templates
        self._world = world
        self._folder = folder
        self._has_words = (folder / world_file(folder, ASSISTANT, world.language.code)).exists()
        self._sentences: dict[Speaker, WrittenSentences] = {}
        self.book: Phrasebook = load_phrases(folder, world.language, world.schema)
        spotter = Spotter(world, self.book)
        self._rules = ReadingRules(
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
        """The acts of an utterance in the light of the turns before, sorted.

        An utterance that consists of sentences of the world's templates means what these were
        written for; questions that the rules see beyond that count too.
        """
        if not (written := self._written(utterance.speaker)):
            return self._by_rules(utterance, history)
        reading = written.read(utterance.text, spoken_of(history))
        if utterance.speaker is Speaker.SYSTEM:
            return in_order(reading.acts)
        if reading.rest and not self._has_words:
            rest = self._by_rules(replace(utterance, text=reading.rest), history)
            return in_order({*reading.acts, *rest})
        acts = self._by_rules(utterance, history)
        return acts if reading.rest or _asks_more(acts, reading.acts) else in_order(reading.acts)

    def _written(self, speaker: Speaker) -> WrittenSentences | None:
        code = self._world.language.code
        if not self._templates or not has_templates(self._folder, code):
            return None
        if speaker not in self._sentences:
            strict = self._has_words and speaker is Speaker.USER
            self._sentences[speaker] = WrittenSentences(
                self._world, self._folder, speaker, strict=strict
            )
        return self._sentences[speaker]

    def _by_rules(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        context = self._contexts.read(history)
        acts = self._read(utterance.text, context)
        words = plain(utterance.text)
        cues = self._rules.spotter.cues
        if cues.says("correction", words) or cues.says("instead_of", words):
            acts = list(put_right(self._world.schema, acts, context))
            acts = list(counted_again(acts, context, cues.last_number(words)))
        if cues.says("having", words):
            acts = list(wished_for(self._world.schema, acts, context, self._world.language.yes))
        return in_order(answered(self._world.schema, acts, context, self._read))

    def _read(self, text: str, context: TurnContext) -> list[Act]:
        said = self._rules.spotter.spot(text, context)
        return UtteranceReading(self._rules, said, context).acts()


def _asks_more(acts: Sequence[Act], written: Sequence[Act]) -> bool:
    """Whether a reading has all of another, and questions beside."""
    beside = set(acts) - set(written)
    return set(written) <= set(acts) and all(act.intent == REQUEST for act in beside)


def load_rules_nlu(world: World, folder: Path | None = None) -> RulesNLU:
    """The rules for a world; its folder is found by its name where none is given."""
    return RulesNLU(world, folder or find_world(world.name))
