"""Our understanding: a reader proposes acts, boosted trees choose among them in context.

Reads the words of the dialogue and the world's tables; of earlier turns also the acts that were
understood then.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.language.training_phrases import kept_book
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.nlu.candidates import CandidateMaker, Candidates, KeyBook
from crosstalk.system.nlu.facts import Facts
from crosstalk.system.nlu.features import FeatureMaker
from crosstalk.system.nlu.meanings import facts_of
from crosstalk.system.nlu.reader import NetworkOutput, Reader
from crosstalk.system.nlu.scene import scene_of
from crosstalk.system.nlu.spans import stretches
from crosstalk.system.nlu.understanding import Acts
from crosstalk.worlds.tables import World

THRESHOLD: Final = 0.5
"""Acts likelier than this are understood; best F1 in cross-validation on CrossWOZ val."""

FAINT: Final = 0.03
"""Acts likelier than this are worth a doubt: 98 of 100 true ones are, 97 are likelier than not."""

GUESSED: Final = 0.25
"""Where no act of a user is likelier than not, the likeliest are taken if they are likelier."""

EVEN: Final = 0.5

Weighed = dict[Act, float]
"""Acts an utterance may stand for, with their likelihoods."""


class Proposer:
    """Candidates with their features, utterance by utterance."""

    def __init__(self, facts: Facts, reader: Reader) -> None:
        self.reader = reader
        self.facts = facts
        book = KeyBook(reader.vocabulary, self.facts)
        self._maker = CandidateMaker(book, self.facts)
        self._features = FeatureMaker(book, self.facts)

    def propose(
        self, utterance: Turn, history: Sequence[Turn], reading: NetworkOutput
    ) -> tuple[Candidates, list[Features]]:
        scene = scene_of(utterance, history, self.facts)
        spans = stretches(reading, self.facts.spans(utterance.text))
        candidates = self._maker.candidates(scene, reading, spans)
        return candidates, list(self._features.describe(scene, reading, candidates))

    def guess(self, utterance: Turn, reading: NetworkOutput) -> Acts:
        """What the reader alone makes of an utterance: the likeliest key of each span it marks."""
        spans = stretches(reading, self.facts.spans(utterance.text))
        scene = scene_of(utterance, (), self.facts)
        candidates = self._maker.candidates(scene, reading, spans)
        labels = dict(zip(self.reader.vocabulary.labels, reading.labels.tolist(), strict=True))
        likely = (
            act
            for act, each in candidates.items()
            if not each.reworded and (each.score if each.span else labels.get(each.key, 0.0)) > EVEN
        )
        return tuple(sorted(likely))


class RankedUnderstanding:
    """The reader and the trees together.

    RankedUnderstanding.load(find_model("nlu-harbour-en"), load_world("harbour", language="en"))
    """

    def __init__(self, facts: Facts, reader: Reader, trees: Trees) -> None:
        self._proposer = Proposer(facts, reader)
        self.facts = facts
        self.reader = reader
        self._trees = trees

    @classmethod
    def load(cls, folder: Path, world: World) -> "RankedUnderstanding":
        facts = facts_of(world, kept_book(folder))
        return cls(facts, Reader.load(folder, facts.finder), boosted.load(folder)[0])

    def save(self, folder: Path) -> None:
        self.reader.save(folder)
        self.facts.save(folder)
        boosted.save(self._trees, {}, folder)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        reading = self.reader.read(utterance.speaker, utterance.text)
        return understood(utterance, self._weigh(utterance, history, reading))

    def understand_all(self, turns: Sequence[Turn]) -> list[Acts]:
        """A whole dialogue, each turn in the light of what was understood before it.

        The same as turn by turn, and quicker: what the reader does needs no context.
        """
        weighed = self.weigh_all(turns)
        return [understood(turn, each) for turn, each in zip(turns, weighed, strict=True)]

    def weigh_all(self, turns: Sequence[Turn]) -> list[Weighed]:
        """The same with likelihoods, faint ones included: for those who must weigh doubts."""
        readings = self.reader.read_all([(turn.speaker, turn.text) for turn in turns])
        history: list[Turn] = []
        found = []
        for turn, reading in zip(turns, readings, strict=True):
            found.append(self._weigh(turn, history, reading))
            history.append(replace(turn, acts=understood(turn, found[-1])))
        return found

    def _weigh(self, utterance: Turn, history: Sequence[Turn], reading: NetworkOutput) -> Weighed:
        candidates, rows = self._proposer.propose(utterance, history, reading)
        scores = self._trees.likelihoods(rows)
        weighed = zip(candidates, scores, strict=True)
        return {act: score for act, score in weighed if score > FAINT}


def likely(weighed: Weighed) -> Acts:
    """The acts that are likelier than not, sorted."""
    return tuple(sorted(act for act, score in weighed.items() if score > THRESHOLD))


def understood(utterance: Turn, weighed: Weighed) -> Acts:
    """The likely acts; of a user who would say nothing, the best guess about one domain.

    System turns without an act are common, user turns are not.
    """
    acts = likely(weighed)
    if acts or not weighed or utterance.speaker is not Speaker.USER:
        return acts
    best = max(weighed, key=lambda act: weighed[act])
    least = max(GUESSED, weighed[best] / 2)
    same = (act for act in weighed if act.domain == best.domain and weighed[act] > least)
    return tuple(sorted(same))
