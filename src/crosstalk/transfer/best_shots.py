"""Our retriever with dialogues of the target language.

The sums of the shots join those of the source, the head goes on learning from both, and words of
the target itself have a score of their own. With shots enough, a fifth of them is first held out
to weigh these scores.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.transfer.best_retriever import BestRetriever, Learnt, Placed, head_placed
from crosstalk.transfer.best_training import directions_of, mixed, narrow_moments
from crosstalk.transfer.canonical import Moments
from crosstalk.transfer.embeddings import CachedEncoder
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.heads import Head, Source, train_head
from crosstalk.transfer.learning import Course, Pace
from crosstalk.transfer.target_words import TargetWords, learn_words
from crosstalk.transfer.views import Views

Matrix = NDArray[np.floating]
WEIGHT: Final = 3.0
"""A pair of the target counts as so many of the source."""
HALF: Final = 800
"""Exchanges of the target at which half of all that shots can change is changed."""
LEAST_NOISE: Final = 0.5
"""Of translation, with many shots: they hold it already."""
FEWEST: Final = 0.3
"""Steps of the head with few shots; with many they are a third or so of those it has had."""
ENOUGH: Final = 400
"""Exchanges from which on scores are weighed anew, and words have one."""
FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class ShotLesson:
    """What shots are joined with."""

    learnt: Learnt
    source: Views
    moments: Moments
    seed: int

    def joined(self, base: BestRetriever, views: Views) -> BestRetriever:
        """Without words, and with the weights there were."""
        learnt, share = self.learnt, len(views) / (len(views) + HALF)
        basis, config = learnt.directions.basis, learnt.config
        shots = narrow_moments(basis, views)
        quieter = replace(config, noise=config.noise * (1 - share * (1 - LEAST_NOISE)))
        both = self.moments.centred() + shots.centred().times(WEIGHT)
        directions = replace(
            directions_of(basis, both, learnt.noise, quieter), centre=self._centre(shots, share)
        )
        return replace(base, directions=directions, head=self._head(views, share))

    def _centre(self, shots: Moments, share: float) -> tuple[Matrix, Matrix]:
        """The target's own mean is believed as its shots grow."""
        old = self.learnt.directions.centre
        new = (shots.context / shots.count, shots.answer / shots.count)
        return old[0] + share * (new[0] - old[0]), old[1] + share * (new[1] - old[1])

    def _head(self, views: Views, share: float) -> Head:
        head = copy.deepcopy(self.learnt.head)
        sources = [Source(self.source, 1 - share / 2), Source(views, share / 2)]
        steps = max(round(self.learnt.config.steps * (FEWEST + share) / 3), 1)
        pace = Pace(steps, steps, rate=6e-4, batch=384, warm_up=min(40, steps), decay=0.05)
        train_head(head, sources, lambda: 0.0, pace, Course(self.seed))
        return head


def shot_lesson(
    learnt: Learnt, encoder: CachedEncoder, source: Sequence[Exchange], *, seed: int
) -> ShotLesson:
    """Reads the source's dialogues once for all shots."""
    views = learnt.reader(encoder).views(source)
    return ShotLesson(learnt, views, narrow_moments(learnt.directions.basis, views), seed)


def with_shots(lesson: ShotLesson, base: BestRetriever, shots: Sequence[Exchange]) -> BestRetriever:
    views = base.reader.views(shots)
    if len(shots) < ENOUGH:
        return lesson.joined(base, views)
    weights = _weights(lesson, base, shots, views)
    return replace(lesson.joined(base, views), words=learn_words(shots), weights=np.array(weights))


def _weights(
    lesson: ShotLesson, base: BestRetriever, shots: Sequence[Exchange], views: Views
) -> list[float]:
    """Fitted on a fifth of the dialogues, that was left out of all else."""
    dialogues = sorted({each.dialogue for each in shots})
    held = set(dialogues[::FOLDS])
    inside = np.array([each.dialogue in held for each in shots])
    kept, judged = np.flatnonzero(~inside), np.flatnonzero(inside)
    learnt = lesson.joined(base, views.some(kept))
    words = learn_words([shots[at] for at in kept.tolist()])
    asked = [shots[at] for at in judged.tolist()]
    return mixed(_scores(learnt, words, views.some(judged), asked), asked)


def _scores(
    learnt: BestRetriever, words: TargetWords, views: Views, asked: Sequence[Exchange]
) -> list[Placed]:
    return [learnt.directions.placed(views), head_placed(learnt.head, views), words.placed(asked)]
