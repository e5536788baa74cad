"""Training of the retriever `best` on source dialogues and unrelated translated sentences.

No target dialogues are used: the trees for other languages learn from dialogues of the source with
simulated translation noise.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
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
    FirstStage,
    RetrievalHead,
    TrainedRetriever,
    build_head,
    first_of_hundred,
    head_rows,
    topics_of,
    train_head,
)
from crosstalk.transfer.overlap_scores import OverlapScores, fit_weights, stack_scores
from crosstalk.transfer.retrieval_task import (
    SIZE,
    CandidateList,
    RetrievalExchange,
    candidate_lists,
    exchanges_of,
)
from crosstalk.transfer.retriever_builder import OTHERS, STEPS, RetrieverConfig
from crosstalk.transfer.second_stage import Reading, mean_scores, train_second_stage
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
    noised,
)

import torch  # isort: skip
from dataclasses import asdict

from crosstalk.files import sha256_of
from crosstalk.model_folders import STAGES, Card, Provenance, write_card
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.sentence_encoders import cache_folder, open_cached_encoder
from crosstalk.transfer.retriever_builder import best_name

Matrix = NDArray[np.float32]
TRANSLATIONS: Final = 8_000
"""Sentence pairs per language: half a minute of one core."""
BASIS_ROWS: Final = 30_000
JUDGED: Final = 3_000
"""Development exchanges that choose the state of the head."""
MEMBERS: Final = 2
"""First stages: one for the trees to learn from, and one that learns from all dialogues."""
WEIGHED: Final = 30
"""Lists of a hundred on which the weights of the first stage are fitted."""


def source_exchanges(
    data: Path, source: str
) -> tuple[list[RetrievalExchange], list[RetrievalExchange]]:
    """Return training and development exchanges; dialogues of dev and test are not trained on."""
    train = read_dialogue_texts(find_corpus(data, source, "train").file)
    dev = read_dialogue_texts(find_corpus(data, source, "dev").file)
    known = [*dev, *test_dialogue_texts(data, source)]
    return exchanges_of(without_known(train, known)), exchanges_of(dev)


def train_cross_lingual_retriever(
    data: Path,
    encoder: CachedEncoder,
    config: RetrieverConfig,
    course: TrainingSetup,
    checkpoints: Sequence[Checkpoint | None] = (None,) * MEMBERS,
) -> TrainedRetriever:
    """Train; some twenty-five minutes of one core, a quarter of them encoding.

    One first stage learns from three quarters of the dialogues; weights and trees learn from its
    scores of the rest. The other one learns from all of them; the same trees rank with it.
    """
    exchanges, dev = source_exchanges(data, config.source)
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
    judged = reader.views(Random(config.seed).sample(dev, min(JUDGED, len(dev))))
    held = held_out(exchanges)

    def member(number: int, rows: NDArray[np.intp]) -> FirstStage:
        learnt = views.some(rows)
        directions = directions_of(basis, narrow_moments(basis, learnt), covariance, config)
        torch.manual_seed(config.seed)
        head = build_head(config, view=encoder.width)
        own = replace(course, checkpoint=checkpoints[number], part=f"head {number + 1}")
        steps = max(1, config.steps * len(rows) // len(views))
        train_head(head, learnt, partial(_judged, head, judged), head_pace(config, steps), own)
        return FirstStage(directions, head)

    members = (member(0, np.flatnonzero(~held)), member(1, np.arange(len(views))))
    new = np.flatnonzero(held)
    others, clean = [exchanges[each] for each in new], views.some(new)
    noisy = noised(clean, np.concatenate(noises), seed=config.seed)
    weights = {
        kind: fitted_weights(others, members[0].reading(seen))
        for kind, seen in ((config.source, clean), (OTHERS, noisy))
    }
    trees = train_second_stage(
        others,
        [members[0].reading(clean)],
        np.array(weights[config.source]),
        topics_of(basis),
        _lists(len(others), seed=config.seed),
        seed=config.seed,
        told=course.told,
    )
    fitted = replace(config, weights=weights, plain=fitted_weights(others))
    return TrainedRetriever(fitted, reader.mean, basis, members, trees)


def _judged(head: RetrievalHead, views: ExchangeVectors) -> float:
    return first_of_hundred(*head_rows(head, views))


def held_out(exchanges: Sequence[RetrievalExchange]) -> NDArray[np.bool_]:
    """Tell which exchanges one of the first stages does not learn from: every fourth dialogue's."""
    ids = sorted({each.dialogue for each in exchanges})
    Random("folds").shuffle(ids)
    held = frozenset(ids[::4])
    return np.array([each.dialogue in held for each in exchanges])


def head_pace(config: RetrieverConfig, steps: int) -> Pace:
    return Pace(
        steps=steps,
        check_every=max(steps // 6, 1),
        rate=1e-3,
        batch=512,
        warm_up=min(80, steps // 10),
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


def fitted_weights(
    exchanges: Sequence[RetrievalExchange], reading: Reading | None = None, *, seed: int = 9
) -> list[float]:
    """Fit the weights of overlaps and of a first stage, if there is one, on some exchanges."""
    known = []
    for listed in _lists(len(exchanges), seed=seed)[:WEIGHED]:
        rows, columns = list(listed.asked), list(listed.candidates)
        found = OverlapScores(exchanges, np.zeros(0)).marks(rows, columns)
        scores = mean_scores([reading], rows, columns) if reading else []
        known.append(stack_scores(scores, found))
    return [round(float(each), 4) for each in fit_weights(known)]


def _lists(exchanges: int, *, seed: int) -> list[CandidateList]:
    return candidate_lists(exchanges, seed=seed, size=min(SIZE, exchanges))


def _some_rows(table: Matrix, seed: int) -> Matrix:
    rows = Random(seed).sample(range(len(table)), min(BASIS_ROWS, len(table)))
    return table[sorted(rows)]


def train_retriever(
    data: Path,
    out: Path | None = None,
    *,
    source: str = "en",
    steps: int = STEPS,
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
        heads = [folder / STAGES / f"head-{number + 1}" for number in range(MEMBERS)]
        for place in heads:
            place.mkdir(parents=True, exist_ok=True)
        checkpoints = [Checkpoint(place / CHECKPOINT, identity) for place in heads]
        encoder, course = open_cached_encoder(), TrainingSetup(seed, told=told)
        learnt = train_cross_lingual_retriever(data, encoder, config, course, checkpoints)
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
