"""Training data of `crosstalk train`: resolves `--data` in the same way for every module.

`--data` is a corpus, or a data folder as `CROSSTALK_DATA` names it, which serves where nothing is
given. In a data folder the training split is taken where it is there, else the validation split.
A world with templates of its own and no corpus is learnt from simulated dialogues.
A corpus is learnt from in the world it names; one that does not fit the world asked for is refused.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from crosstalk.corpora.corpus import corpus_file
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.evaluation.corpus_world import (
    WorldChoice,
    choose_world,
    digest_in,
    found,
    is_run,
    read_in_world,
)
from crosstalk.evaluation.schema_worlds import notice_of
from crosstalk.language.world_files import TEMPLATES, languages_with
from crosstalk.model_folders import Provenance
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.nlg.corpus_templates import read_auto
from crosstalk.system.nlu.training_samples import TemplateGroup, groups_of
from crosstalk.training.identity import digest_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.worlds.world import find_world, is_fetched

SPLITS = ("train", "val")
ENDINGS = (".json.zip", ".json", ".jsonl")
PRACTICE = 300
"""Default number of simulated dialogues."""
HELD_OUT = 10
"""One dialogue in this many is held out if there is no validation split beside the data."""
DEFAULT = "crosswoz"
"""The world if neither --world nor a corpus names one."""


@dataclass(frozen=True, slots=True)
class DialogueSource:
    """Where the dialogues come from."""

    world: str
    language: str | None
    corpus: Path | None
    """None: simulated dialogues."""
    folder: Path | None
    """The data folder with fetched tables and templates."""

    def dialogues(
        self, *, seed: int, practice: int = PRACTICE, reporter: Reporter = SILENT
    ) -> "TrainingData":
        """Read, or simulate, the dialogues."""
        return (
            self._read(self.corpus, reporter)
            if self.corpus
            else self._simulated(seed, practice, reporter)
        )

    def read(self, corpus: Path, reporter: Reporter = SILENT) -> list[Dialogue]:
        """The dialogues of a corpus, which must fit the world."""
        return read_in_world(corpus, WorldChoice(self.world, self.language), reporter=reporter)

    def _read(self, corpus: Path, reporter: Reporter) -> "TrainingData":

        dialogues = self.read(corpus, reporter)
        name = corpus.name if is_run(corpus) else corpus_file(corpus).name
        return TrainingData(dialogues, name, digest_in(corpus), f"--data {name}")

    def _simulated(self, seed: int, count: int, reporter: Reporter) -> "TrainingData":

        held = practice_dialogues(self.world, self.language, count, seed, data=self.folder)
        dialogues = list(reporter.track(held, doing="simulating", total=count))
        spoken = dialogues[0].language
        digest = digest_of(turn for dialogue in dialogues for turn in dialogue.turns)
        told = f"{count} simulated dialogues ({spoken}, seed {seed})"
        return TrainingData(dialogues, told, digest, f"--language {spoken} --practice {count}")


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Dialogues with their provenance for the card."""

    dialogues: list[Dialogue]
    learnt_from: str
    digest: str
    option: str
    """The part of the command that names the data."""

    @property
    def provenance(self) -> Provenance:

        return Provenance(self.learnt_from, self.digest, len(self.dialogues))

    def command(self, words: str, **options: int) -> str:
        """The command that trains the same model again; options of 0 but the seed are left out."""
        told = [f" --{name} {value}" for name, value in options.items() if value or name == "seed"]
        return f"crosstalk train {words} {self.option}" + "".join(told)


def training_world(
    world: str | None,
    language: str | None,
    data: Path | None,
    *,
    out: Path | None = None,
    default: str = DEFAULT,
) -> tuple[str, str | None]:
    """World and language: as given, else as the corpus names them.

    `out`: the models folder, which gets the world of a corpus of no world that ships.
    """
    corpus, place = _corpus_in(data, world or default)
    if corpus is None:
        return world or default, language
    given = world or (default if place else None)  # a corpus in a data folder was found by name
    choice = choose_world(corpus, str(corpus), world=given, language=language, out=out)
    return choice.world, choice.language


def _corpus_in(data: Path | None, world: str) -> tuple[Path | None, Path | None]:
    """The corpus that `--data` means for a world, and its data folder if it is in one."""
    if data is None:
        return None, None
    data = found(data)
    if not data.exists():
        raise InputError(
            f"--data {data}: there is no such file or folder", remedy="Check the path."
        )
    if not _is_data_folder(data):
        return data, None
    name = find_world(world).name
    for place in (data, data.parent):  # or the folder of the one corpus itself
        if corpus := _split_of(place / name, within=data):
            return corpus, place
    return None, None


def find_source(
    world: str | None,
    language: str | None,
    data: Path | None,
    reporter: Reporter = SILENT,
    *,
    out: Path | None = None,
) -> DialogueSource:
    """Find the dialogues to learn from; raises `InputError` if there are none."""
    world, language = training_world(world, language, data, out=out)
    corpus, place = _corpus_in(data, world)
    if corpus:
        if told := notice_of(world, corpus):
            reporter.notice(told)
        return DialogueSource(world, language, corpus, place)
    folder = find_world(world)
    if languages_with(folder, TEMPLATES):
        reporter.notice(f"no corpus of {folder.name}: learning from simulated dialogues")
        return DialogueSource(world, language, None, data)
    raise InputError(
        f"there is nothing to learn {folder.name} from: "
        + (f"{data} does not hold {folder.name}/val.json.zip" if data else "no corpus was named"),
        remedy=source_hint(folder),
    )


def source_hint(folder: Path) -> str:
    """How to get training data for a world: fetched data, or templates of its own."""
    if is_fetched(folder):
        return f"Name a corpus with --data, or fetch one: crosstalk fetch {folder.name}."
    return (
        f"Name a corpus with --data, or write what people say in {folder / 'templates'}/"
        "<language>.toml (docs/nlg.md tells how); dialogues are simulated from it."
    )


def _is_data_folder(data: Path) -> bool:
    """Whether this is a folder of corpora, not a corpus itself."""
    try:
        return not is_run(data) and corpus_file(data).is_dir()
    except CrosstalkError:
        return True


def _split_of(folder: Path, *, within: Path | None) -> Path | None:
    """The training split in a folder, else its validation split."""
    if within not in (folder, folder.parent):
        return None
    names = [f"{split}{ending}" for split in SPLITS for ending in ENDINGS]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def share_of(material: TrainingData, share: float) -> TrainingData:
    """A share of the dialogues, in their order; a smaller share is always part of a larger one."""
    if share == 1:
        return material
    every = list(range(len(material.dialogues)))
    Random(0).shuffle(every)
    kept = sorted(every[: max(2, round(share * len(every)))])
    return replace(
        material,
        dialogues=[material.dialogues[number] for number in kept],
        learnt_from=f"{len(kept)} dialogues of {material.learnt_from}",
        option=f"{material.option} --share {share:g}",
    )


def split_off(
    material: TrainingData, source: DialogueSource, reporter: Reporter = SILENT
) -> tuple[list[Dialogue], list[Dialogue]]:
    """(training, held-out) dialogues: the validation split beside the data, else one in ten."""
    if beside := validation_beside(source, reporter):
        return material.dialogues, beside
    learnt = [each for number, each in enumerate(material.dialogues, 1) if number % HELD_OUT]
    held_out = material.dialogues[HELD_OUT - 1 :: HELD_OUT]
    if not held_out:
        raise InputError(
            f"{len(material.dialogues)} dialogues are too few: every tenth is held out",
            remedy="Give a corpus of ten dialogues or more.",
        )
    return learnt, held_out


def validation_beside(source: DialogueSource, reporter: Reporter = SILENT) -> list[Dialogue]:
    """The validation split beside a training split; empty where there is none."""
    corpus = source.corpus
    if corpus and corpus.name.startswith("train"):
        beside = corpus.with_name("val" + corpus.name.removeprefix("train"))
        if beside.exists():
            return source.read(beside, reporter)
    return []


def template_folder(world: str, tables: Path | None) -> Path | None:
    """The folder of a world's template files among the fetched corpora; None if there is none."""
    folder = tables / world / "templates" if tables else None
    return folder if folder and folder.is_dir() else None


def template_groups(folder: Path | None) -> list[TemplateGroup]:
    """The template files of both sides; none without a folder."""
    if folder is None:
        return []
    return [group for side in Speaker for group in groups_of(read_auto(folder, side), side)]
