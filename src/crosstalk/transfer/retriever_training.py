"""Training of the retriever `best` on source dialogues and unrelated translated sentences.

No target dialogues are used: the held-out data is the development split of the source, with
simulated translation noise.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.training.compute import use_single_thread
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.cca import PCA, Moments, basis_of, fit_cca, moments_of
from crosstalk.transfer.cross_lingual_retriever import (
    CCAProjection,
    Placed,
    RetrieverScores,
    TrainedRetriever,
    build_head,
    first_of_hundred,
    head_placed,
    train_head,
)
from crosstalk.transfer.overlap_scores import fit_weights
from crosstalk.transfer.retrieval_task import RetrievalExchange, candidate_lists, exchanges_of
from crosstalk.transfer.retriever_builder import OTHERS, RetrieverConfig
from crosstalk.transfer.step_training import Pace, TrainingSetup
from crosstalk.transfer.transfer_corpora import (
    find_corpus,
    read_dialogue_texts,
    test_dialogue_texts,
    without_known,
)
from crosstalk.transfer.translation_pairs import read_translations, translated_from
from crosstalk.transfer.turn_vectors import (
    ExchangeVectoriser,
    ExchangeVectors,
    answer_noise,
    context_noise,
    noise_covariance,
    translated,
)

import torch  # isort: skip
from dataclasses import asdict

from crosstalk.files import sha256_of
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.sentence_encoders import cache_folder, open_cached_encoder
from crosstalk.transfer.retriever_builder import best_name

Matrix = NDArray[np.float32]
TRANSLATIONS: Final = 8_000
"""Sentence pairs per language: half a minute of one core."""
BASIS_ROWS: Final = 30_000
WEIGHED: Final = 3_000
"""Development exchanges on which the score weights are fitted."""


def source_exchanges(
    data: Path, source: str
) -> tuple[list[RetrievalExchange], list[RetrievalExchange]]:
    """Return training and development exchanges; dialogues of dev and test are not trained on."""
    train = read_dialogue_texts(find_corpus(data, source, "train").file)
    dev = read_dialogue_texts(find_corpus(data, source, "dev").file)
    known = [*dev, *test_dialogue_texts(data, source)]
    return exchanges_of(without_known(train, known)), exchanges_of(dev)


def train_cross_lingual_retriever(
    data: Path, encoder: CachedEncoder, config: RetrieverConfig, course: TrainingSetup
) -> TrainedRetriever:
    """Train; some twelve minutes of one core, half of them encoding, half the head."""
    exchanges, held = source_exchanges(data, config.source)
    turns = sorted({text for each in exchanges for text in (each.before[-1], each.response)})
    if len(turns) < config.width:
        raise InputError(
            f"{len(turns)} different turns are too few to learn a retriever from",
            remedy="Give more dialogues.",
        )
    reader = ExchangeVectoriser(encoder, encoder.vectors(turns).mean(0))
    views = reader.views(exchanges)
    basis = basis_of(_some_rows(views.table, config.seed), config.width)
    noises = translation_differences(data, reader, config)
    covariance = noise_covariance([rows @ basis.directions for rows in noises])
    directions = directions_of(basis, narrow_moments(basis, views), covariance, config)
    chosen = Random(config.seed).sample(held, min(WEIGHED, len(held)))
    judged = reader.views(chosen)
    noised = translated(judged, np.concatenate(noises), seed=config.seed)
    torch.manual_seed(config.seed)
    head = build_head(config, view=encoder.width)
    train_head(
        head,
        views,
        lambda: first_of_hundred(*head_placed(head, judged)[:2]),
        head_pace(config),
        replace(course, part="head"),
    )
    weights = {
        name: mixed([directions.placed(rows), head_placed(head, rows)], chosen)
        for name, rows in ((config.source, judged), (OTHERS, noised))
    }
    fitted = replace(config, weights=weights, plain=mixed([], chosen))
    return TrainedRetriever(fitted, reader.mean, directions, head)


def head_pace(config: RetrieverConfig) -> Pace:
    return Pace(
        steps=config.steps,
        check_every=max(config.steps // 6, 1),
        rate=1e-3,
        batch=512,
        warm_up=min(80, config.steps // 10),
        decay=0.01,
    )


def translation_differences(
    data: Path, reader: ExchangeVectoriser, config: RetrieverConfig
) -> list[Matrix]:
    """Return, per language with sentence pairs, the vector differences of translations."""
    found = []
    for language in translated_from(config.source):
        pairs = read_translations(
            data, config.source, language, most=TRANSLATIONS, seed=config.seed
        )
        if pairs:
            ours, theirs = (reader.rows(texts) for texts in zip(*pairs, strict=True))
            found.append(theirs - ours)
    return found or [np.zeros((2, reader.encoder.width), np.float32)]


def narrow_moments(basis: PCA, views: ExchangeVectors) -> Moments:
    """Sum the moments of pairs, uncentred, over batches."""
    parts = [
        moments_of(basis.narrowed(contexts), basis.narrowed(answers))
        for contexts, answers in views.parts()
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def directions_of(
    basis: PCA, moments: Moments, noise: Matrix, config: RetrieverConfig
) -> CCAProjection:
    """Fit CCA on pairs with translation noise of this covariance added to every view."""
    centre = (moments.context / moments.count, moments.answer / moments.count)
    louder = config.noise * noise
    noised = moments.centred().noised(context_noise(louder), answer_noise(louder))
    found = fit_cca(noised, width=config.directions, ridge=config.ridge)
    return CCAProjection(basis, found, centre)


def mixed(
    placed: Sequence[Placed], exchanges: Sequence[RetrievalExchange], *, seed: int = 9
) -> list[float]:
    """Fit the weights of these scores and of the overlaps on the exchanges."""
    reading = RetrieverScores(exchanges, tuple(placed), np.zeros(0))
    size = min(100, len(exchanges))
    lists = candidate_lists(len(exchanges), seed=seed, size=size)
    weights = fit_weights([reading.marks(each.asked, each.candidates) for each in lists])
    return [round(float(each), 4) for each in weights]


def _some_rows(table: Matrix, seed: int) -> Matrix:
    rows = Random(seed).sample(range(len(table)), min(BASIS_ROWS, len(table)))
    return table[sorted(rows)]


def train_retriever(
    data: Path,
    out: Path | None = None,
    *,
    source: str = "en",
    steps: int = 1680,
    seed: int = 1,
    reporter: Reporter = SILENT,
) -> Path:
    """Train a retriever and write its model folder; returns the folder.

    `out` is the models folder, by default in the user's cache.
    """
    use_single_thread()
    corpus = find_corpus(data, source, "train")
    config = RetrieverConfig(source, steps=steps, seed=seed)
    folder = (out or cache_folder() / "models") / best_name(source)
    digest = sha256_of(corpus.file)
    identity = Identity(settings_of(config), digest, seed)
    with reporter.training(folder) as told:
        course = TrainingSetup(seed, Checkpoint(folder / CHECKPOINT, identity), told)
        learnt = train_cross_lingual_retriever(data, open_cached_encoder(), config, course)
    learnt.save(folder)
    name = f"{corpus.name}, {source}; sentences in translation (Tatoeba)"
    card = Card(
        what=f"response retrieval from {source} into other languages, over a frozen encoder",
        command=f"crosstalk transfer train-retriever --source {source} --steps {steps} "
        f"--seed {seed}",
        data=Provenance(name, digest, len(read_dialogue_texts(corpus.file))),
        seed=seed,
        figures={"weights": asdict(learnt.config)["weights"]},
        kind="retrieval",
        language=source,
        minutes=told.minutes,
    )
    write_card(folder, card)
    return folder
