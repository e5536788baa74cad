"""Names of rankers become trained rankers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.retrieval.material import table_of_pairs
from crosstalk.retrieval.models import BEST, LEXICAL, RECURRENT, unknown
from crosstalk.retrieval.sampling import Pair, Sampling, training_pairs
from crosstalk.retrieval.scorers import Scorer
from crosstalk.retrieval.turns import TurnTable
from crosstalk.training.identity import Identity, digest_of, settings_of
from crosstalk.training.steps import StepCallback, nobody


@dataclass(frozen=True, slots=True)
class RankerJob:
    """What is to be trained, and where it may keep what it needs to go on after a stop."""

    name: str
    folder: Path | None = None
    seed: int = 1
    epochs: int | None = None
    vectors: Path | None = None


@dataclass(frozen=True, slots=True)
class TrainedRanker:
    """A ranker and how well it does by its own validation."""

    ranker: Scorer
    score: float | None = None


Source = TurnTable | Sequence[Pair]
"""Extracted dialogues, or the pairs of a training file."""


def train_ranker(order: RankerJob, source: Source, told: StepCallback = nobody) -> TrainedRanker:
    """A name that is none of ours is a sentence encoder's."""
    if order.vectors and order.name not in RECURRENT:
        raise InputError(
            f"{order.name} has no use for word vectors", remedy="--vectors is for rnn and lstm."
        )
    if order.name in LEXICAL:
        return TrainedRanker(_lexical(order.name, _table(source)))
    if order.name in RECURRENT:
        return _recurrent(order, source, told)
    if order.name == BEST:
        return TrainedRanker(_best(order, _table(source), told))
    from crosstalk.retrieval.sentences import sentence_scorer
    from crosstalk.training.sentence_encoders import is_sentence_encoder

    if is_sentence_encoder(order.name):
        return TrainedRanker(sentence_scorer(order.name))
    raise unknown(order.name)


def _table(source: Source) -> TurnTable:
    return source if isinstance(source, TurnTable) else table_of_pairs(source)


def _pairs(source: Source, seed: int) -> Sequence[Pair]:
    if isinstance(source, TurnTable):
        return list(training_pairs(source, Sampling.V1, 1, seed))
    return source


def _lexical(name: str, table: TurnTable) -> Scorer:
    """The paper counts dialogues that have a word; for the others a turn is a document."""
    from crosstalk.retrieval.lexical import BM25, CHARACTERS, PAPER, learn_rarity

    if name == "tfidf":
        return learn_rarity(PAPER, (" ".join(turns) for turns in table.turns))
    turns = dict.fromkeys(chain.from_iterable(table.turns))
    return learn_rarity({"char": CHARACTERS, "bm25": BM25}[name], turns)


def _recurrent(order: RankerJob, source: Source, told: StepCallback) -> TrainedRanker:
    from crosstalk.files import sha256_of
    from crosstalk.retrieval.recurrent import PUBLISHED
    from crosstalk.retrieval.recurrent_training import train_recurrent
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint

    config = PUBLISHED[order.name]
    config = replace(config, epochs=order.epochs or config.epochs)
    pairs = _pairs(source, order.seed)
    checkpoint = None
    if order.folder:
        settings = settings_of(config, without=("epochs", "patience"))
        settings["vectors"] = sha256_of(order.vectors) if order.vectors else None
        identity = Identity(settings, digest_of(pairs), order.seed)
        checkpoint = Checkpoint(order.folder / CHECKPOINT, identity)
    scorer, progress = train_recurrent(
        pairs, config, seed=order.seed, vectors=order.vectors, checkpoint=checkpoint, told=told
    )
    return TrainedRanker(scorer, progress.best_score)


def _best(order: RankerJob, table: TurnTable, told: StepCallback) -> Scorer:
    from crosstalk.retrieval.reranker_training import RerankerTraining, train_reranker
    from crosstalk.training.stages import STAGES, Stages

    training = RerankerTraining()
    if order.epochs:
        training = replace(training, encoder=replace(training.encoder, passes=order.epochs))
    stages = None
    if order.folder:
        identity = Identity(settings_of(training), digest_of(table.turns), order.seed)
        stages = Stages(order.folder / STAGES, identity)
    return train_reranker(table, training, seed=order.seed, told=told, stages=stages)


def first_part(source: Source, share: float) -> Source:
    """So much of it, from the beginning, where rows of one dialogue stand together."""
    count = max(1, round(share * len(source)))
    return source.only(range(count)) if isinstance(source, TurnTable) else source[:count]
