"""Our retriever with dialogues of the target language: their sums join those of the source."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from crosstalk.transfer.best_retriever import BestRetriever, Learnt
from crosstalk.transfer.best_training import Split, read_split, weights_on
from crosstalk.transfer.canonical import moments_of
from crosstalk.transfer.embeddings import CachedEncoder
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.views import TurnReader

WEIGHT: Final = 10.0
"""A pair of the target counts as so many of the source."""
HALF: Final = 600.0
"""Shots at which the noise of translation is half way down to its least: they hold it already."""
LEAST_NOISE: Final = 0.3
PRIOR: Final = 200.0
"""The target's own mean is believed as if the source's had been seen so many times."""
FOLDS: Final = 4
ENOUGH: Final = 400
"""Exchanges of the target from which weights are fitted anew, on folds held out."""


def with_shots(
    learnt: Learnt, language: str, encoder: CachedEncoder, shots: Sequence[Exchange]
) -> BestRetriever:
    """Closed form: no steps, no chance; fitted weights where there are shots enough."""
    base = learnt.for_language(language, encoder)
    split = read_split(TurnReader(encoder, learnt.basis), shots)
    whole = joined(learnt, language, base, split)
    if len(shots) < ENOUGH:
        return whole
    return whole.weighing(_folded_weights(learnt, language, base, split))


def joined(learnt: Learnt, language: str, base: BestRetriever, split: Split) -> BestRetriever:
    count = len(split.exchanges)
    share = count / (count + PRIOR)
    centre = (
        learnt.centre[0] + share * (split.contexts.mean(0) - learnt.centre[0]),
        learnt.centre[1] + share * (split.answers.mean(0) - learnt.centre[1]),
    )
    more = moments_of(split.contexts - centre[0], split.answers - centre[1]).times(WEIGHT)
    known = count / (count + HALF)
    noise = learnt.config.noise * (1 - known * (1 - LEAST_NOISE))
    quieter = replace(learnt, config=replace(learnt.config, noise=noise))
    return replace(base, directions=quieter.canonical(language, more), centre=centre)


def _folded_weights(
    learnt: Learnt, language: str, base: BestRetriever, split: Split
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The mean over two of the folds, each fitted on dialogues whose sums were left out."""
    dialogues = sorted({each.dialogue for each in split.exchanges})
    fold_of = {id: number % FOLDS for number, id in enumerate(dialogues)}
    folds = np.array([fold_of[each.dialogue] for each in split.exchanges])
    found = [
        weights_on(
            joined(learnt, language, base, _part(split, folds != fold)), _part(split, folds == fold)
        )
        for fold in (0, 1)
    ]
    return np.asarray(np.mean(found, axis=0))


def _part(split: Split, chosen: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Split:
    places = np.flatnonzero(chosen)
    return Split(
        [split.exchanges[at] for at in places.tolist()],
        split.contexts[places],
        split.answers[places],
    )
