"""What `crosstalk train` learns from: `--data` resolved, the same for every module.

`--data` is a corpus, or a data folder as `CROSSTALK_DATA` names it, which serves where nothing is
given. In a data folder the training split is taken where it is there, else the validation split.
A world with templates of its own and no corpus is learnt from practice dialogues, simulated ones.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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

    def _read(self) -> "Material":
        from crosstalk.files import sha256_of
        from crosstalk.formats.corpus import corpus_file, read_corpus

        assert self.corpus is not None
        dialogues = list(track(read_corpus(self.corpus), doing="reading"))
        file = corpus_file(self.corpus)
        return Material(dialogues, file.name, sha256_of(file), f"--data {file.name}")

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


def find_source(world: str, language: str | None, data: Path | None) -> Source:
    """Raises in words where there is nothing to learn from."""
    from crosstalk.database.worlds import find_world

    folder = find_world(world)
    if data is not None and not data.exists():
        raise InputError(
            f"--data {data}: there is no such file or folder", remedy="Check the path."
        )
    if data is not None and not _is_data_folder(data):
        return Source(world, language, data, None)
    for place in [data, data.parent] if data else []:  # or the folder of the one corpus itself
        if corpus := _split_of(place / folder.name, within=data):
            return Source(world, language, corpus, place)
    if (folder / "templates").is_dir():
        warn(f"no corpus of {folder.name}: learning from simulated dialogues")
        return Source(world, language, None, data)
    raise InputError(
        f"there is nothing to learn {folder.name} from: "
        + (f"{data} does not hold {folder.name}/val.json.zip" if data else "no corpus was named"),
        remedy=f"Name a corpus with --data, or fetch one: crosstalk fetch {folder.name}.",
    )


def _is_data_folder(data: Path) -> bool:
    """Whether this is a folder of corpora and no corpus itself."""
    from crosstalk.formats.corpus import corpus_file

    try:
        return corpus_file(data).is_dir()
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
