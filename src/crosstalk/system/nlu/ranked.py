"""`RankedNLU`: a reader proposes acts, gradient-boosted trees choose among them in context.

It reads the texts of the dialogue, the world's tables, and the acts understood in earlier turns.
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
from crosstalk.system.nlu.act_candidates import (
    ActKeyTable,
    CandidateMaker,
    Candidates,
    dialogue_context,
    scored_spans,
)
from crosstalk.system.nlu.candidate_features import FeatureMaker
from crosstalk.system.nlu.entity_lookup import EntityLookup
from crosstalk.system.nlu.reader import NetworkOutput, Reader
from crosstalk.system.nlu.understanding import Acts
from crosstalk.system.nlu.value_linking import lookup_of
from crosstalk.worlds.tables import World

THRESHOLD: Final = 0.5
"""Acts with a higher probability are predicted; best F1 in cross-validation on CrossWOZ val."""

FAINT: Final = 0.03
"""Acts with a higher probability are kept by `weigh_all`: it includes 98 % of the true ones."""

GUESSED: Final = 0.25
"""If no user act reaches the threshold, the most probable ones above this are predicted."""

EVEN: Final = 0.5

Weighed = dict[Act, float]
"""Possible acts of an utterance with their probabilities."""


class Proposer:
    """Computes the candidates of utterances and their features."""

    def __init__(self, lookup: EntityLookup, reader: Reader) -> None:
        self.reader = reader
        self.lookup = lookup
        book = ActKeyTable(reader.vocabulary, self.lookup)
        self._maker = CandidateMaker(book, self.lookup)
        self._features = FeatureMaker(book, self.lookup)

    def propose(
        self, utterance: Turn, history: Sequence[Turn], reading: NetworkOutput
    ) -> tuple[Candidates, list[Features]]:
        context = dialogue_context(utterance, history, self.lookup)
        spans = scored_spans(reading, self.lookup.spans(utterance.text))
        candidates = self._maker.candidates(context, reading, spans)
        return candidates, list(self._features.describe(context, reading, candidates))

    def guess(self, utterance: Turn, reading: NetworkOutput) -> Acts:
        """The acts that the reader predicts without the trees."""
        spans = scored_spans(reading, self.lookup.spans(utterance.text))
        context = dialogue_context(utterance, (), self.lookup)
        candidates = self._maker.candidates(context, reading, spans)
        labels = dict(zip(self.reader.vocabulary.labels, reading.labels.tolist(), strict=True))
        likely = (
            act
            for act, each in candidates.items()
            if not each.reworded and (each.score if each.span else labels.get(each.key, 0.0)) > EVEN
        )
        return tuple(sorted(likely))


class RankedNLU:
    """The reader and the trees together.

    RankedNLU.load(find_model("nlu-harbour-en"), load_world("harbour", language="en"))
    """

    def __init__(self, lookup: EntityLookup, reader: Reader, trees: Trees) -> None:
        self._proposer = Proposer(lookup, reader)
        self.lookup = lookup
        self.reader = reader
        self._trees = trees

    @classmethod
    def load(cls, folder: Path, world: World) -> "RankedNLU":
        lookup = lookup_of(world, kept_book(folder))
        return cls(lookup, Reader.load(folder, lookup.finder), boosted.load(folder)[0])

    def save(self, folder: Path) -> None:
        self.reader.save(folder)
        self.lookup.save(folder)
        boosted.save(self._trees, {}, folder)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        reading = self.reader.read(utterance.speaker, utterance.text)
        return understood(utterance, self._weigh(utterance, history, reading))

    def understand_all(self, turns: Sequence[Turn]) -> list[Acts]:
        """The acts of a whole dialogue, each turn in the context of the acts predicted before it.

        Same result as turn by turn, but faster: the reader needs no context and reads a batch.
        """
        weighed = self.weigh_all(turns)
        return [understood(turn, each) for turn, each in zip(turns, weighed, strict=True)]

    def weigh_all(self, turns: Sequence[Turn]) -> list[Weighed]:
        """Like `understand_all`, with the probabilities of all acts above `FAINT`."""
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
    """The acts above the threshold, sorted."""
    return tuple(sorted(act for act, score in weighed.items() if score > THRESHOLD))


def understood(utterance: Turn, weighed: Weighed) -> Acts:
    """The acts above the threshold; for a user turn without any, the best guess in one domain.

    System turns without an act are common, user turns without one are not.
    """
    acts = likely(weighed)
    if acts or not weighed or utterance.speaker is not Speaker.USER:
        return acts
    best = max(weighed, key=lambda act: weighed[act])
    least = max(GUESSED, weighed[best] / 2)
    same = (act for act in weighed if act.domain == best.domain and weighed[act] > least)
    return tuple(sorted(same))
