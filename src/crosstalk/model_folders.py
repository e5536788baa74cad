"""Model folders: where trained models are found, and their cards.

A model is looked for in three places: a folder of one's own (`--models`), the models inside this
package, and those of the second package `crosstalk_models`, which may not be installed.

A model folder holds what was learned, `config.json`, `metrics.jsonl` and `card.json`. The card
names the model and lists the digest of every file, so that a folder of another kind, of a newer
format, or with a missing or damaged file is refused in words before anything reads it.
"""

import hashlib
import json
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any, Final

from crosstalk import __version__
from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.files import read_json, sha256_of, writing

SHIPPED = Path(__file__).parent / "models"
"""Models inside this package: everything that `best` stands for in conversations."""
PACKAGE: Final = "crosstalk_models"
"""The second package: models of published methods and of alternative parts."""
CHECKOUT = Path(__file__).parents[2] / "packages" / "crosstalk-models" / "src" / PACKAGE
"""Where a clone of the repository has the second package, installed or not."""
PACKAGED: Final = frozenset(
    [
        "dst-trade-crosswoz",
        "nlg-sclstm-crosswoz-system",
        "nlg-sclstm-crosswoz-user",
        "nlu-bert-crosswoz",
        "nlu-bert-no-context-crosswoz",
        *(f"nlu-harbour-{code}" for code in ("ar", "de", "en", "ru", "zh")),
        *(f"nlu-practised-harbour-{code}" for code in ("ar", "de", "en", "ru", "zh")),
        "policy-sl",
        "transfer-retrieve-en",
    ]
)
"""Names of the models in the second package, so that an error can say what to install."""
INSTALL: Final = (
    'pip install "crosstalk-dialogue[models]" (in a clone: pip install ./packages/crosstalk-models)'
)
CARD = "card.json"
FORMAT: Final = 1
"""Raised when model folders change so that an older Crosstalk would misread them."""
CHECKPOINT, STAGES = "checkpoint.safetensors", "stages"
"""Files that an interrupted training resumes from; removed when the card is written."""
WEAK: Final = "weak"
"""Among the figures of a card: what was learned is too weak for `best`."""
UNSEALED = (CARD, "metrics.jsonl", CHECKPOINT, STAGES)
LIBRARIES = ("lightgbm", "numpy", "safetensors", "tokenizers", "torch", "transformers")
AGAIN = "If a training into this folder was stopped, give its command again; else train it anew: "


def find_model(name: str, models: Path | None = None, *, world: str = "") -> Path:
    """The folder of a model: the one in `models` if there is one, else an installed one.

    Raises in words where the folder is not whole, holds a model of another name, or was trained
    for another world than `world`.
    """
    for place in model_places(models):
        if (place / name / CARD).exists():
            if problem := problem_of(place / name, name=name):
                raise problem
            _refuse_other_world(place / name, world, models)
            return place / name
    raise missing_model(name, models, f"crosstalk train {name.partition('-')[0]}")


def missing_model(name: str, models: Path | None, command: str) -> InputError:
    """The error for a model that is in none of the places; `command` trains it."""
    return InputError(
        f"there is no trained model called {name!r}" + (f" in {models}" if models else ""),
        remedy=how_to_get(name, f"{command} --out {models or 'models'}")
        + "; then name its folder with --models.",
    )


def how_to_get(name: str, command: str) -> str:
    """What an error advises: to install the second package if it has the model, or to train it."""
    return (
        f"Install it: {INSTALL}; or train it: {command}"
        if name in PACKAGED
        else f"Train it: {command}"
    )


def model_places(models: Path | None = None) -> list[Path]:
    """The folders in which models are looked for, in this order; one's own is `models`."""
    return [*([models] if models else []), SHIPPED, *_packaged()]


@cache
def _packaged() -> tuple[Path, ...]:
    """The folder of the second package, found without importing it; none if it is missing."""
    if CHECKOUT.is_dir():
        return (CHECKOUT,)
    spec = find_spec(PACKAGE)
    return tuple(map(Path, spec.submodule_search_locations or ())) if spec else ()


def _refuse_other_world(folder: Path, world: str, models: Path | None) -> None:
    trained_for = read_card(folder).get("world", "")
    if world and trained_for and trained_for != world:
        kind = folder.name.partition("-")[0]
        raise InputError(
            f"{folder.name}: this model was trained for the world {trained_for}, not for {world}",
            remedy=f"Train one: crosstalk train {kind} --world {world} --out {models or 'models'}, "
            "then name the folder with --models.",
        )


def has_model(name: str, models: Path | None = None) -> bool:
    """Whether there is a model of this name, in `models` or installed."""
    return any((place / name / CARD).is_file() for place in model_places(models))


def is_weak(folder: Path) -> bool:
    """Whether the training that made a model found it weak: its card says `"weak": true`."""
    return read_card(folder).get("figures", {}).get(WEAK) is True


def folder_digest(folder: Path) -> str:
    """SHA-256 of the files of a model."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def model_folders(models: Path) -> list[Path]:
    """The model folders of a folder, by name."""
    try:
        return sorted(card.parent for card in models.glob(f"*/{CARD}"))
    except OSError:
        return []


def all_model_folders(models: Path | None = None) -> list[Path]:
    """The model folders of one's own folder, then those that are installed."""
    if models is not None and not models.is_dir():
        raise InputError(
            f"--models {models}: there is no such folder",
            remedy="Name the folder that `crosstalk train --out` wrote to.",
        )
    return [folder for place in model_places(models) for folder in model_folders(place)]


def locate_model(name: str, models: Path | None = None) -> Path:
    """A folder by its path, else a model by its name, whole or not: one's own first."""
    if (Path(name) / CARD).exists():
        return Path(name)
    folders = all_model_folders(models)
    for folder in folders:
        if folder.name == name:
            return folder
    known = ", ".join(sorted({folder.name for folder in folders}))
    if Path(name).is_dir():
        raise InputError(f"{name}: a folder without {CARD}: not a model", remedy=f"Known: {known}.")
    raise InputError(f"there is no model called {name!r}", remedy=f"Known: {known}.")


def problem_under_name(folder: Path) -> CrosstalkError | None:
    """As `problem_of`; a model is found by its folder's name, so its card must bear the same."""
    return problem_of(folder, name=folder.resolve().name)


def model_summary(folder: Path, models: Path | None = None) -> dict[str, Any]:
    """What a list of models says of one, as JSON; `models` is one's own folder."""
    try:
        card = read_card(folder)
    except CrosstalkError:  # the problem says why
        card = {}
    problem = problem_under_name(folder)
    return {
        "name": folder.name,
        "kind": card.get("kind", ""),
        "world": card.get("world", ""),
        "language": card.get("language", ""),
        "learnt from": card.get("corpus", ""),
        "dialogues": card.get("dialogues", ""),
        "minutes": card.get("minutes", ""),
        "size": size_of(*(folder / file for file in card.get("files", ()))),
        "state": "damaged" if problem else "yours" if models in folder.parents else "shipped",
        "folder": str(folder),
        "problem": problem.message if problem else None,
    }


def size_of(*files: Path) -> str:
    """The size of some files in words."""
    total = sum(file.stat().st_size for file in files if file.is_file())
    return f"{total / 1e6:.1f} MB" if total >= 100_000 else f"{total / 1e3:.1f} kB"


def problem_of(folder: Path, *, name: str = "") -> CrosstalkError | None:
    """Why a model cannot be used; None if it can. `name`: the expected name of the model."""
    train = f"`crosstalk train {(name or folder.name).partition('-')[0]} --help`."
    try:
        card = read_card(folder)
    except CrosstalkError as error:
        return error
    if card["format"] > FORMAT:
        return InputError(
            f"{folder}: a model of format {card['format']}; this Crosstalk ({__version__}) reads "
            f"formats up to {FORMAT}",
            remedy="Use a newer Crosstalk, or train it anew: " + train,
        )
    if name and card["name"] != name:
        return InputError(
            f"{folder}: holds the model {card['name']!r} ({card['what']}), not {name!r}",
            remedy="Name the models folder that holds the right one, or train it: " + train,
        )
    if damages := list(_damages(folder, card["files"])):
        return FileProblem(f"{folder}: {'; '.join(damages)}", remedy=AGAIN + train)
    return None


def _damages(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    for name, digest in files.items():
        try:
            if sha256_of(folder / name) != digest:
                yield f"{name} is damaged: it is not the file that was written with the card"
        except CrosstalkError as error:
            yield error.message.replace(f"{folder / name}: ", f"{name}: ")


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a model; raises where it is not one, whatever state the other files are in."""
    card = read_json(folder / CARD)
    kinds: dict[str, type] = {"name": str, "what": str, "format": int, "files": dict}
    missing = [
        field
        for field, kind in kinds.items()
        if not isinstance(card, dict) or not isinstance(card.get(field), kind)
    ]
    if isinstance(card, dict) and not isinstance(card.get("figures", {}), dict):
        missing.append("figures")
    if not missing and not all(map(_is_inside, card["files"])):
        missing.append("files")
    if missing:
        raise FileProblem(
            f"{folder / CARD}: not the card of a model: {', '.join(missing)} missing or wrong",
            remedy="Train the model anew; `crosstalk train --help`.",
        )
    return dict(card)


def _is_inside(file: str) -> bool:
    """Whether a file that a card names lies in its folder."""
    path = PurePath(file)
    return not path.is_absolute() and ".." not in path.parts


@dataclass(frozen=True, slots=True)
class Provenance:
    """The data a model was trained on."""

    learnt_from: str
    """Description of the data; a file by its name."""
    digest: str = ""
    dialogues: int = 0

    @classmethod
    def of_file(cls, file: Path, dialogues: int = 0) -> "Provenance":
        return cls(file.name, sha256_of(file), dialogues)


@dataclass(frozen=True, slots=True)
class Card:
    """What the model is, from which data, by which command."""

    what: str
    command: str
    data: Provenance
    seed: int = 0
    kind: str = ""
    """nlu, dst, policy, nlg, user ...; by default the folder's name up to its first dash."""
    world: str = ""
    language: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Scores."""
    minutes: float | None = None
    """Duration of the training."""

    def record(self, name: str) -> dict[str, Any]:
        record = {
            "name": name,
            "kind": self.kind or name.partition("-")[0],
            "what": self.what,
            "command": self.command,
            "world": self.world,
            "language": self.language,
            "corpus": self.data.learnt_from,
            "sha256": self.data.digest,
            "dialogues": self.data.dialogues,
            "seed": self.seed,
            "minutes": None if self.minutes is None else round(self.minutes, 2),
            "figures": dict(self.figures),
            "versions": versions(),
        }
        return {key: value for key, value in record.items() if value not in ("", None, {})}


def write_card(folder: Path, card: Card) -> None:
    """Write `card.json`, the last file of a model; removes checkpoints and stages."""
    seal(folder, card.record(folder.name))
    (folder / CHECKPOINT).unlink(missing_ok=True)
    shutil.rmtree(folder / STAGES, ignore_errors=True)


def seal(folder: Path, card: Mapping[str, Any]) -> None:
    """Write a card with the digests of the files as they are now."""
    sealed = {**card, "format": FORMAT, "files": digests(folder)}
    with writing(folder / CARD) as text:
        json.dump(sealed, text, ensure_ascii=False, indent=1)
        text.write("\n")


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file that a model needs."""
    found = {file.relative_to(folder): file for file in sorted(folder.rglob("*")) if file.is_file()}
    return {
        name.as_posix(): sha256_of(file)
        for name, file in found.items()
        if name.parts[0] not in UNSEALED and not file.name.startswith(".")
    }


def versions() -> dict[str, str]:
    """Of Crosstalk, of Python and of the libraries that this process has used."""
    found = {"crosstalk": __version__, "python": platform.python_version()}
    for library in LIBRARIES:
        if library in sys.modules:
            try:
                found[library] = version(library)
            except PackageNotFoundError:
                continue
    return found
