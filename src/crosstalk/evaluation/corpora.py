"""A corpus, or a run folder, that is read in the world it belongs to."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crosstalk.corpora.check import SchemaOf
from crosstalk.corpora.corpus import corpus_file, read_corpus
from crosstalk.corpora.crosswoz_words import crosswoz_schema
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.evaluation.fit import WorldChoice, choose_world, refuse_unfit
from crosstalk.files import sha256_of
from crosstalk.model_folders import folder_digest
from crosstalk.simulation.run_folders import CARD, DIALOGUES, open_run
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.worlds.world import built_in_worlds, find_world, load_world


@dataclass(frozen=True, slots=True)
class FittingCorpus:
    """A corpus with the world it is read in."""

    dialogues: list[Dialogue]
    world: str
    """A world that ships, or a world folder."""
    language: str | None
    """None: the world's own."""
    digest: str

    @property
    def world_name(self) -> str:
        return find_world(self.world).name


def read_fitting(
    data: Path,
    *,
    world: str | None = None,
    language: str | None = None,
    reporter: Reporter = SILENT,
) -> FittingCorpus:
    """A corpus or a run folder, in the world it names or in the one given; refused if it is not.

    A path that does not exist here is looked for in the data folder (CROSSTALK_DATA).
    """
    path = found(data)
    choice = choose_world(dialogues_in(path), str(data), world=world, language=language)
    dialogues = read_in_world(path, choice, source=str(data), reporter=reporter)
    return FittingCorpus(dialogues, choice.world, choice.language, digest_in(path))


def read_in_world(
    path: Path, choice: WorldChoice, *, source: str = "", reporter: Reporter = SILENT
) -> list[Dialogue]:
    """All dialogues of a corpus that fits a world; `source` is what messages call it."""
    dialogues = list(reporter.track(dialogues_in(path), doing="reading"))
    if note := refuse_unfit(dialogues, source or str(path), choice):
        reporter.notice(note)
    return dialogues


def found(data: Path) -> Path:
    """The path as given where it exists, else in the data folder where it exists there."""
    folder = os.environ.get("CROSSTALK_DATA")
    if folder and not data.exists() and (Path(folder) / data).exists():
        return Path(folder) / data
    return data


def dialogues_in(path: Path) -> Iterable[Dialogue]:
    """Of a corpus, or of a run folder."""
    return open_run(path).dialogues() if is_run(path) else read_corpus(path)


def is_run(path: Path) -> bool:
    return (path / CARD).is_file()


def digest_in(path: Path) -> str:
    return folder_digest(path / DIALOGUES) if is_run(path) else sha256_of(corpus_file(path))


def schema_finder(world: str = "") -> SchemaOf:
    """How to find the schema of a dialogue: that of `world`, or that of the world it names."""
    load = cache(lambda name: load_world(name).schema)
    ours = set(built_in_worlds()) - {"crosswoz"}  # its tables may not be there; its words are known
    if world:
        chosen: Schema = load(world)
        return lambda dialogue: chosen

    def schema_of(dialogue: Dialogue) -> Schema | None:
        return load(dialogue.world) if dialogue.world in ours else crosswoz_schema(dialogue)

    return schema_of
