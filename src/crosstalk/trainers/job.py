"""What every training is asked for, and the card that every trained model gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack

from crosstalk.model_folders import Card, write_card
from crosstalk.trainers.data import PRACTICE, DialogueSource, TrainingData, find_source
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.stages import STAGES, Stages
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, world_with_tables


@dataclass(frozen=True, slots=True)
class Job:
    """From what to train, where to, and how; options that a part does not know are ignored."""

    out: Path
    """The models folder; each model becomes a folder inside it."""
    world: str | None = None
    """None: that of the corpus."""
    language: str | None = None
    data: Path | None = None
    """A corpus, or the folder of fetched corpora; None: dialogues are simulated."""
    tables: Path | None = None
    """The folder of fetched corpora, where `data` is a corpus."""
    practice: int = PRACTICE
    """Number of simulated dialogues, where there is no corpus."""
    patience: int = 0
    """Stop after so many rounds or epochs without gain; 0: do not."""
    folds: int = 0
    """Cross-validate too, in so many parts; 0: do not."""
    seed: int = 1
    reporter: Reporter = field(default=SILENT, compare=False)

    def source(self) -> DialogueSource:
        """Raises in words where there is nothing to learn from."""
        return find_source(self.world, self.language, self.data, self.reporter)

    def material(self, source: DialogueSource) -> TrainingData:
        return source.material(seed=self.seed, practice=self.practice, reporter=self.reporter)

    def world_of(self, source: DialogueSource) -> World:
        """The world with its tables."""
        return world_with_tables(source.world, source.language, source.folder or self.tables)


class JobKeywords(TypedDict, total=False):
    """Fields of `Job` as keywords, with paths as text or as `Path`."""

    world: str | Path | None
    language: str | None
    data: str | Path | None
    tables: str | Path | None
    practice: int
    patience: int
    folds: int
    seed: int


def job_of(out: str | Path, **keywords: Unpack[JobKeywords]) -> Job:
    """A job whose options are given as keywords."""
    given: dict[str, Any] = dict(keywords)
    for name, kind in (("world", str), ("data", Path), ("tables", Path)):
        if given.get(name) is not None:
            given[name] = kind(given[name])
    return Job(Path(out), **given)


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """What the card of a trained model says beside what the job says."""

    what: str
    command: str
    """The words between `crosstalk train` and `--world`."""
    material: TrainingData
    world: str
    language: str
    minutes: float
    figures: Mapping[str, Any] = field(default_factory=dict)


def write_job_card(folder: Path, job: Job, trained: TrainedModel) -> None:
    """The card, with the command that trains the same again."""
    world = find_world(trained.world).name
    options = {"seed": job.seed, "patience": job.patience, "folds": job.folds}
    command = trained.material.command(f"{trained.command} --world {world}", **options)
    write_card(
        folder,
        Card(
            what=trained.what,
            command=command,
            data=trained.material.provenance,
            seed=job.seed,
            figures=trained.figures,
            world=world,
            language=trained.language,
            minutes=trained.minutes,
        ),
    )


def stages_of(folder: Path, config: Any, material: TrainingData, seed: int, **more: Any) -> Stages:
    """The stages of a training that is known by its settings, its data and its seed."""
    identity = Identity({**settings_of(config), **more}, material.digest, seed)
    return Stages(folder / STAGES, identity)
