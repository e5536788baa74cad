"""Our understanding: a reader proposes acts, boosted trees choose among them in context.

Reads the words of the dialogue and the world's tables; of earlier turns also the acts that were
understood then.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Turn
from crosstalk.modules import boosted
from crosstalk.modules.boosted import Features, Trees
from crosstalk.modules.nlu.candidates import CandidateMaker, Candidates, KeyBook
from crosstalk.modules.nlu.facts import Facts
from crosstalk.modules.nlu.features import FeatureMaker
from crosstalk.modules.nlu.gazetteer import Gazetteer
from crosstalk.modules.nlu.reader import Reader, Reading
from crosstalk.modules.nlu.scene import scene_of
from crosstalk.modules.nlu.spans import stretches
from crosstalk.modules.nlu.understanding import Acts

THRESHOLD: Final = 0.5
"""Acts likelier than this are understood; best F1 in cross-validation on CrossWOZ val."""

EVEN: Final = 0.5


class Proposer:
    """Candidates with their features, utterance by utterance."""

    def __init__(self, world: World, reader: Reader) -> None:
        self.reader = reader
        self._facts = Facts(world, reader.gazetteer)
        book = KeyBook(reader.vocabulary, self._facts)
        self._maker = CandidateMaker(book, self._facts)
        self._features = FeatureMaker(book, self._facts)

    def propose(
        self, utterance: Turn, history: Sequence[Turn], reading: Reading
    ) -> tuple[Candidates, list[Features]]:
        scene = scene_of(utterance, history, self._facts)
        spans = stretches(reading, self._facts.find(utterance.text))
        candidates = self._maker.candidates(scene, reading, spans)
        return candidates, list(self._features.describe(scene, reading, candidates))

    def guess(self, utterance: Turn, reading: Reading) -> Acts:
        """What the reader alone makes of an utterance: the likeliest key of each span it marks."""
        spans = stretches(reading, self._facts.find(utterance.text))
        scene = scene_of(utterance, (), self._facts)
        candidates = self._maker.candidates(scene, reading, spans)
        labels = dict(zip(self.reader.vocabulary.labels, reading.labels.tolist(), strict=True))
        likely = (
            act
            for act, each in candidates.items()
            if not each.reworded and (each.score if each.span else labels.get(each.key, 0.0)) > EVEN
        )
        return tuple(sorted(likely))


class RankedUnderstanding:
    """The reader and the trees together."""

    def __init__(self, world: World, reader: Reader, trees: Trees) -> None:
        self._proposer = Proposer(world, reader)
        self._reader = reader
        self._trees = trees

    @classmethod
    def load(cls, folder: Path, world: World) -> "RankedUnderstanding":
        return cls(world, Reader.load(folder, Gazetteer.of(world)), boosted.load(folder)[0])

    def save(self, folder: Path) -> None:
        self._reader.save(folder)
        boosted.save(self._trees, {}, folder)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        reading = self._reader.read(utterance.speaker, utterance.text)
        return self._choose(utterance, history, reading)

    def understand_all(self, turns: Sequence[Turn]) -> list[Acts]:
        """A whole dialogue, each turn in the light of what was understood before it.

        The same as turn by turn, and quicker: what the reader does needs no context.
        """
        readings = self._reader.read_all([(turn.speaker, turn.text) for turn in turns])
        understood: list[Turn] = []
        for turn, reading in zip(turns, readings, strict=True):
            acts = self._choose(turn, understood, reading)
            understood.append(replace(turn, acts=acts))
        return [turn.acts for turn in understood]

    def _choose(self, utterance: Turn, history: Sequence[Turn], reading: Reading) -> Acts:
        candidates, rows = self._proposer.propose(utterance, history, reading)
        scores = self._trees.likelihoods(rows)
        chosen = (act for act, score in zip(candidates, scores, strict=True) if score > THRESHOLD)
        return tuple(sorted(chosen))
