"""A training job and its run: find the data, train, cross-validate, write the card.

    run = Job(out=Path("models"), data=Path("crosswoz/val.json.zip")).start()
    with run.job.reporter.training(folder) as watch:
        ...
    run.write_card(folder, "a policy", run.command("policy"), minutes=watch.minutes)

`Job` is what was asked for, `TrainingRun` the job with its data read. Every trainer works on one.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.evaluation.corpus_world import refuse_without_acts
from crosstalk.model_folders import CHECKPOINT, Card, Provenance, write_card
from crosstalk.trainers.data import (
    PRACTICE,
    DialogueSource,
    TrainingData,
    find_source,
    share_of,
)
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.stages import STAGES, Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, load_schema, world_with_tables

if TYPE_CHECKING:
    from crosstalk.training.checkpoint import Checkpoint
    from crosstalk.training.processes import Processes


@dataclass(frozen=True, slots=True)
class Job:
    """What to train from, where to, and how; a trainer ignores options that it does not have."""

    out: Path
    """The models folder; each model becomes a folder inside it."""
    world: str | None = None
    """None: the world of the corpus."""
    language: str | None = None
    data: Path | None = None
    """A corpus, or the folder of fetched corpora; None: dialogues are simulated."""
    tables: Path | None = None
    """The folder of fetched corpora, if `data` is a corpus."""
    practice: int = PRACTICE
    """Number of simulated dialogues, if there is no corpus."""
    patience: int = 0
    """Stop after this number of rounds or epochs without gain; 0: never."""
    folds: int = 0
    """Cross-validate with this number of folds; 0: do not."""
    seed: int = 1
    reporter: Reporter = field(default=SILENT, compare=False)

    def source(self) -> DialogueSource:
        """Where the dialogues come from; raises `InputError` if there is nothing to learn from."""
        return find_source(self.world, self.language, self.data, self.reporter, out=self.out)

    def start(self, share: float = 1.0, *, needs_acts: bool = True) -> "TrainingRun":
        """Read, or simulate, a share of the dialogues; refuses those without acts."""
        source = self.source()
        data = source.dialogues(seed=self.seed, practice=self.practice, reporter=self.reporter)
        if needs_acts:
            refuse_without_acts(data.dialogues, data.learnt_from)
        return TrainingRun(self, source, share_of(data, share))


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


@dataclass(frozen=True)
class TrainingRun:
    """A job with its data read."""

    job: Job
    source: DialogueSource
    data: TrainingData

    @property
    def dialogues(self) -> list[Dialogue]:
        return self.data.dialogues

    @property
    def tables(self) -> Path | None:
        """The folder of fetched corpora, which also holds tables and template files."""
        return self.source.folder or self.job.tables

    @cached_property
    def world(self) -> World:
        """The world with its tables."""
        return world_with_tables(self.source.world, self.source.language, self.tables)

    @property
    def world_name(self) -> str:
        return find_world(self.source.world).name

    @cached_property
    def schema_and_pack(self) -> tuple[Schema, LanguagePack]:
        """The world without its tables."""
        return load_schema(self.source.world, language=self.source.language)

    def stages(self, folder: Path, config: Any, **more: Any) -> Stages:
        """The stages of this training, which is identified by settings, data and seed."""
        identity = Identity({**settings_of(config), **more}, self.data.digest, self.job.seed)
        return Stages(folder / STAGES, identity)

    @contextmanager
    def joined(self, folder: Path, settings: dict[str, Any]) -> Iterator["JoinedTraining"]:
        """One process, or several under torchrun; only the first one reports and writes."""
        from crosstalk.training.checkpoint import Checkpoint
        from crosstalk.training.processes import joined

        with joined() as processes, ExitStack() as stack:
            first = processes.is_first
            told = stack.enter_context(self.job.reporter.training(folder)) if first else nobody
            settings = {**settings, "processes": processes.count}
            identity = Identity(settings, self.data.digest, self.job.seed)
            checkpoint = Checkpoint(folder / CHECKPOINT, identity, writes=first)
            yield JoinedTraining(processes, checkpoint, told)
            if first:
                checkpoint.file.unlink(missing_ok=True)

    def command(self, words: str, world: str = "", **options: int) -> str:
        """The command that trains the same model again; 0 leaves an option out."""
        given = {"seed": self.job.seed, "patience": self.job.patience, "folds": self.job.folds}
        return self.data.command(f"{words} --world {world or self.world_name}", **options or given)

    def write_card(
        self,
        folder: Path,
        what: str,
        command: str,
        *,
        language: str,
        minutes: float,
        figures: Mapping[str, Any] | None = None,
        world: str = "",
        kind: str = "",
        data: Provenance | None = None,
    ) -> None:
        """Write the card, which completes the model folder."""
        card = Card(
            what=what,
            command=command,
            data=data or self.data.provenance,
            seed=self.job.seed,
            kind=kind,
            world=world or self.world_name,
            language=language,
            figures=figures or {},
            minutes=minutes,
        )
        write_card(folder, card)


@dataclass(frozen=True, slots=True)
class JoinedTraining:
    """What one of several processes that train together needs."""

    processes: "Processes"
    checkpoint: "Checkpoint"
    told: StepCallback
