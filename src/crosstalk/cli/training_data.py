"""What `crosstalk train` learns from: `--data` resolved, the same for every module.

`--data` is a corpus, or a data folder as `CROSSTALK_DATA` names it, which serves where nothing is
given. In a data folder the training split is taken where it is there, else the validation split.
A world with templates of its own and no corpus is learnt from practice dialogues, simulated ones.
A corpus is learnt from in the world it names; one that does not fit the world asked for is refused.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.corpora import dialogues_in, digest_in, found, is_run, read_in_world
from crosstalk.cli.output import track, warn
from crosstalk.errors import CrosstalkError, InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.model_folders import Provenance

TrainingData = Annotated[
    Path | None,
    typer.Option(
        "--data",
        envvar="CROSSTALK_DATA",
        help="A corpus in any format we know, or the folder of fetched corpora; a world with "
        "templates of its own needs neither: dialogues are simulated.",
    ),
]
Out = Annotated[
    Path, typer.Option("--out", help="The models folder; the model goes to a folder inside it.")
]
Practice = Annotated[
    int,
    typer.Option("--practice", min=10, help="Without a corpus: so many simulated dialogues."),
]
Folds = Annotated[
    int, typer.Option("--folds", max=20, help="Cross-validate too, in so many parts; 0: do not.")
]
Patience = Annotated[
    int,
    typer.Option(
        "--patience", min=0, help="Stop after so many rounds or epochs without gain; 0: do not."
    ),
]
SPLITS = ("train", "val")
ENDINGS = (".json.zip", ".json", ".jsonl")
PRACTICE = 300
DEFAULT = "crosswoz"
"""The world that is learnt where neither --world nor a corpus names one."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the dialogues come from."""

    world: str
    language: str | None
    corpus: Path | None
    """None: practice dialogues."""
    folder: Path | None
    """The data folder, where fetched tables and templates lie."""

    def material(self, *, seed: int, practice: int = PRACTICE) -> "Material":
        """Read, or simulate, all of it."""
        return self._read() if self.corpus else self._practised(seed, practice)

    def read(self, corpus: Path) -> "list[Dialogue]":
        """The dialogues of a corpus, which must fit the world that is learnt."""
        from crosstalk.evaluation.fit import WorldChoice

        return read_in_world(corpus, WorldChoice(self.world, self.language))

    def _read(self) -> "Material":
        from crosstalk.formats.corpus import corpus_file

        assert self.corpus is not None
        dialogues = self.read(self.corpus)
        name = self.corpus.name if is_run(self.corpus) else corpus_file(self.corpus).name
        return Material(dialogues, name, digest_in(self.corpus), f"--data {name}")

    def _practised(self, seed: int, count: int) -> "Material":
        from crosstalk.simulation.synthetic_data import practice_dialogues
        from crosstalk.training.identity import digest_of

        held = practice_dialogues(self.world, self.language, count, seed, data=self.folder)
        dialogues = list(track(held, doing="practising", total=count))
        spoken = dialogues[0].language
        digest = digest_of(turn for dialogue in dialogues for turn in dialogue.turns)
        told = f"{count} simulated dialogues ({spoken}, seed {seed})"
        return Material(dialogues, told, digest, f"--language {spoken} --practice {count}")


@dataclass(frozen=True, slots=True)
class Material:
    """Dialogues, and what the card says about them: `provenance` and `command`."""

    dialogues: "list[Dialogue]"
    learnt_from: str
    digest: str
    option: str
    """The part of the command that names the data."""

    @property
    def provenance(self) -> "Provenance":
        from crosstalk.model_folders import Provenance

        return Provenance(self.learnt_from, self.digest, len(self.dialogues))

    def command(self, words: str, **options: int) -> str:
        """The command that trains the same again; options of 0 are left out, but for the seed."""
        told = [f" --{name} {value}" for name, value in options.items() if value or name == "seed"]
        return f"crosstalk train {words} {self.option}" + "".join(told)


def training_world(
    world: str | None, language: str | None, data: Path | None, *, default: str = DEFAULT
) -> tuple[str, str | None]:
    """The world and language to learn: as given, else as the corpus names them."""
    from crosstalk.evaluation.fit import choose_world

    corpus, place = _corpus_in(data, world or default)
    if corpus is None:
        return world or default, language
    given = world or (default if place else None)  # a corpus in a data folder was found by name
    choice = choose_world(dialogues_in(corpus), str(corpus), world=given, language=language)
    return choice.world, choice.language


def _corpus_in(data: Path | None, world: str) -> tuple[Path | None, Path | None]:
    """The corpus that `--data` means for a world, and the data folder where it lies in one."""
    from crosstalk.database.worlds import find_world

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


def find_source(world: str | None, language: str | None, data: Path | None) -> Source:
    """Raises in words where there is nothing to learn from."""
    from crosstalk.database.worlds import find_world

    world, language = training_world(world, language, data)
    corpus, place = _corpus_in(data, world)
    if corpus:
        return Source(world, language, corpus, place)
    folder = find_world(world)
    if (folder / "templates").is_dir():
        warn(f"no corpus of {folder.name}: learning from simulated dialogues")
        return Source(world, language, None, data)
    raise InputError(
        f"there is nothing to learn {folder.name} from: "
        + (f"{data} does not hold {folder.name}/val.json.zip" if data else "no corpus was named"),
        remedy=source_hint(folder),
    )


def source_hint(folder: Path) -> str:
    """Where a world gets something to learn from: fetched data, or files of its own."""
    from crosstalk.database.worlds import is_fetched

    if is_fetched(folder):
        return f"Name a corpus with --data, or fetch one: crosstalk fetch {folder.name}."
    return (
        f"Name a corpus with --data, or write what people say in {folder / 'templates'}/"
        "<language>.toml (docs/nlg.md tells how); dialogues are simulated from it."
    )


def _is_data_folder(data: Path) -> bool:
    """Whether this is a folder of corpora and no corpus itself."""
    from crosstalk.formats.corpus import corpus_file

    try:
        return not is_run(data) and corpus_file(data).is_dir()
    except CrosstalkError:
        return True


def _split_of(folder: Path, *, within: Path | None) -> Path | None:
    """The training split that lies in a folder, else its validation split."""
    if within not in (folder, folder.parent):
        return None
    names = [f"{split}{ending}" for split in SPLITS for ending in ENDINGS]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def refuse_one_fold(folds: int) -> None:
    if folds == 1 or folds < 0:
        raise typer.BadParameter("give 0, or 2 and more", param_hint="--folds")
