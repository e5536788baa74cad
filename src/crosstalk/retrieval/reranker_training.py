"""Training of the ranker `best`: cross-fitted encoders, then gradient-boosted trees.

Folds are consecutive dialogues, which separates those from logs by time. An encoder's scores on its
own training dialogues are too optimistic, so the trees learn from its scores on the held-out fold.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise

import numpy as np

from crosstalk.errors import InputError
from crosstalk.retrieval.hashed_encoder import HashedEncoder, bags_of
from crosstalk.retrieval.hashed_encoder_training import (
    HashedTraining,
    TrainingPairs,
    prepare,
    train_hashed,
)
from crosstalk.retrieval.indexed_pairs import index_turns, indexed_blocks, typed_text
from crosstalk.retrieval.ranking_features import RankingFeatures, learn_ranking_features
from crosstalk.retrieval.reranker import Reranker, Table, table_of
from crosstalk.retrieval.response_sampling import ResponseGroup, Sampling, evaluation_groups
from crosstalk.retrieval.scorers import Vectors
from crosstalk.retrieval.turn_table import TurnTable
from crosstalk.training.ranking_trees import TreeSettings, train_ranking_trees
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody


@dataclass(frozen=True, slots=True)
class RerankerTraining:
    """Settings."""

    encoder: HashedTraining = field(default_factory=HashedTraining)
    folds: int = 3
    groups: int = 20_000
    """Maximum number of true responses in the trees' training data."""
    cuts: int = 3
    """True responses sampled per dialogue."""
    false: int = 9
    members: int = 2
    """Number of boosters with different seeds; averaging two gains half a point."""
    trees: TreeSettings = field(default_factory=TreeSettings)

    def parts(self, dialogues: int) -> list[range]:
        """Return the dialogue numbers of each fold."""
        ends = [dialogues * number // self.folds for number in range(self.folds + 1)]
        return [range(first, last) for first, last in pairwise(ends)]


def train_reranker(
    table: TurnTable,
    training: RerankerTraining,
    *,
    seed: int,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> Reranker:
    """Train the ranker; with `stages`, finished encoders survive an interruption.

    Raises InputError before anything is trained if a fold has nothing to learn from.
    """
    parts = training.parts(len(table))
    groups = [_groups(table, part, training, seed) for part in parts]
    turns = dict.fromkeys(typed_text(turn) for turn in chain.from_iterable(table.turns))
    features = learn_ranking_features(list(turns))
    encoders = _encoders(table, training, seed, told, stages)
    rows = [
        _rows(of_part, training, features, encoder)
        for of_part, encoder in zip(groups, encoders, strict=True)
    ]
    whole = np.concatenate(rows)
    trees = tuple(
        train_ranking_trees(
            *(whole, 1 + training.false, training.trees),
            seed=seed + each,
            told=told,
            part=f"trees {each + 1}",
        )
        for each in range(training.members)
    )
    return Reranker(features, encoders, trees)


def _encoders(
    table: TurnTable,
    training: RerankerTraining,
    seed: int,
    told: StepCallback,
    stages: Stages | None,
) -> tuple[HashedEncoder, ...]:
    """Train one encoder per fold, on the dialogues of all other folds."""
    pairs, idf = _training_pairs(table, training)

    def encoder(number: int, part: range) -> HashedEncoder:
        held_out = (pairs.owners >= part.start) & (pairs.owners < part.stop)
        return train_hashed(
            pairs.only(np.flatnonzero(~held_out)),
            pairs.only(np.flatnonzero(held_out)),
            idf,
            training.encoder,
            seed=seed + number,
            told=told,
            part=f"encoder {number + 1}",
        )

    return tuple(
        _kept(stages, f"encoder {number}", partial(encoder, number, part))
        for number, part in enumerate(training.parts(len(table)))
    )


def _training_pairs(table: TurnTable, training: RerankerTraining) -> tuple[TrainingPairs, Vectors]:
    """Return every turn but the first of every dialogue, with its context."""
    cuts = [(at, turn) for at, turns in enumerate(table.turns) for turn in range(1, len(turns))]
    contexts = [table.turns[at][:turn] for at, turn in cuts]
    responses = [table.turns[at][turn] for at, turn in cuts]
    pairs = index_turns(contexts, range(len(cuts)), responses)
    return prepare(pairs, [at for at, _ in cuts], training.encoder.sizes)


def _kept(stages: Stages | None, name: str, make: Callable[[], HashedEncoder]) -> HashedEncoder:
    if stages is None:
        return make()
    return HashedEncoder.load(stages.folder(name, lambda place: make().save(place)))


def _groups(
    table: TurnTable, part: range, training: RerankerTraining, seed: int
) -> list[ResponseGroup]:
    """Return what the trees learn from in a fold, sampled as in the second release.

    False responses are whole turns, whatever the file has: trees that learn from single lines,
    as the first release has them, learn that a true response is a long one, and little else.
    """
    few = part[: training.groups // (training.folds * training.cuts)]
    groups = [
        group
        for again in range(training.cuts)
        for group in evaluation_groups(table, Sampling.V2, training.false, seed + again, few)
    ]
    if not groups:
        raise InputError(
            f"a fold of {len(part):,} conversations has nothing to learn from",
            remedy="Give more conversations, or another ranker: crosstalk retrieve train --help.",
        )
    return groups


def _rows(
    groups: list[ResponseGroup],
    training: RerankerTraining,
    features: RankingFeatures,
    encoder: HashedEncoder,
) -> Table:
    """Return the trees' training rows of a fold."""
    contexts = [group.context for group in groups for _ in range(1 + training.false)]
    responses = [text for group in groups for text in (group.response, *group.false)]
    return np.concatenate(
        [
            table_of(features.columns(pairs), encoder.cosines(bags_of(pairs, encoder.idf)))
            for pairs in indexed_blocks(contexts, responses)
        ]
    )
