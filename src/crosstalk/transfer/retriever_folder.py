"""Our retriever trained into a model folder, with its card."""

from dataclasses import asdict
from pathlib import Path

from crosstalk.files import sha256_of
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.sentence_encoders import cache_folder, open_cached_encoder
from crosstalk.transfer.best_config import BestConfig
from crosstalk.transfer.best_training import train_best
from crosstalk.transfer.build_retriever import best_name
from crosstalk.transfer.corpora import find_corpus, read_talks
from crosstalk.transfer.training_steps import TrainingSetup

import torch  # isort: skip


def train_retriever(
    data: Path,
    out: Path | None = None,
    *,
    source: str = "en",
    steps: int = 1680,
    seed: int = 1,
    reporter: Reporter = SILENT,
) -> Path:
    """Learn from dialogues of the source and sentences in translation; the model's folder.

    `out` is the models folder, by default in the user's cache.
    """
    torch.set_num_threads(1)
    corpus = find_corpus(data, source, "train")
    config = BestConfig(source, steps=steps, seed=seed)
    folder = (out or cache_folder() / "models") / best_name(source)
    digest = sha256_of(corpus.file)
    identity = Identity(settings_of(config), digest, seed)
    with reporter.training(folder) as told:
        course = TrainingSetup(seed, Checkpoint(folder / CHECKPOINT, identity), told)
        learnt = train_best(data, open_cached_encoder(), config, course)
    learnt.save(folder)
    name = f"{corpus.name}, {source}; sentences in translation (Tatoeba)"
    card = Card(
        what=f"response retrieval from {source} into other languages, over a frozen encoder",
        command=f"crosstalk transfer train-retriever --source {source} --steps {steps} "
        f"--seed {seed}",
        data=Provenance(name, digest, len(read_talks(corpus.file))),
        seed=seed,
        figures={"weights": asdict(learnt.config)["weights"]},
        kind="retrieval",
        language=source,
        minutes=told.minutes,
    )
    write_card(folder, card)
    return folder
