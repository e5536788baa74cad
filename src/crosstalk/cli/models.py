"""`crosstalk models`: which trained models there are, what cards say, whether they are whole."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, Models
from crosstalk.cli.output import print_json, print_table
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.errors import CrosstalkError

app = typer.Typer(no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="A model's name, or its folder.")]
Names = Annotated[
    list[str] | None, typer.Argument(help="Names or folders of models; default: all there are.")
]
COLUMNS = ("name", "state", "world", "language", "size", "minutes")


@app.command("list")
def list_models(models: Models = None, as_json: AsJson = False) -> None:
    """List the models that ship with Crosstalk, and those of a folder of yours."""
    rows = [_row(folder, models) for folder in _folders(models)]
    if as_json:
        print_json(rows)
        return
    told = [[str(row[name]) for name in COLUMNS] for row in rows]
    print_table("Trained models", list(COLUMNS), told)


@app.command("show")
def show_model(name: Name, models: Models = None, as_json: AsJson = False) -> None:
    """Show the card of a model: data, seed, scores, versions, the command that made it."""
    from crosstalk.model_folders import read_card

    folder = _find(name, models)
    card = read_card(folder)
    if as_json:
        print_json({**card, "folder": str(folder)})
        return
    print(f"{card['name']}: {card['what']}")
    for field, value in card.items():
        if field not in ("name", "what", "files"):
            _show(field, value, indent=2)
    for file in card["files"]:
        print(f"  {file}: {_size(folder / file)}")


@app.command("check")
def check_models(names: Names = None, models: Models = None, as_json: AsJson = False) -> None:
    """Check that models are whole: the card, its format, every file. Exit 1: one is not."""
    from crosstalk.model_folders import problem_of

    folders = [_find(name, models) for name in names] if names else _folders(models)
    found = {folder: problem_of(folder, name=_expected(folder)) for folder in folders}
    if as_json:
        print_json([{"folder": str(folder), "problem": _said(p)} for folder, p in found.items()])
    else:
        for folder, problem in found.items():
            print(f"{folder.name}: whole" if problem is None else str(problem))
    if any(found.values()):
        raise typer.Exit(1)


def _said(problem: "CrosstalkError | None") -> str | None:
    return None if problem is None else problem.message


def _expected(folder: Path) -> str:
    """A model is found by its folder's name, so its card must bear the same."""
    return folder.resolve().name


def _folders(models: Path | None) -> list[Path]:
    from crosstalk.model_folders import SHIPPED, model_folders

    if models is not None and not models.is_dir():
        raise InputError(
            f"--models {models}: there is no such folder",
            remedy="Name the folder that `crosstalk train --out` wrote to.",
        )
    mine = model_folders(models) if models else []
    return mine + model_folders(SHIPPED)


def _find(name: str, models: Path | None) -> Path:
    """A folder by its path, else a model by its name: yours first, then those that ship."""
    from crosstalk.model_folders import CARD

    if (Path(name) / CARD).exists():
        return Path(name)
    folders = _folders(models)
    for folder in folders:
        if folder.name == name:
            return folder
    known = ", ".join(sorted({folder.name for folder in folders}))
    if Path(name).is_dir():
        raise InputError(f"{name}: a folder without {CARD}: not a model", remedy=f"Known: {known}.")
    raise InputError(f"there is no model called {name!r}", remedy=f"Known: {known}.")


def _row(folder: Path, models: Path | None) -> dict[str, Any]:
    from crosstalk.errors import CrosstalkError
    from crosstalk.model_folders import problem_of, read_card

    try:
        card = read_card(folder)
    except CrosstalkError:
        card = {}
    problem = problem_of(folder, name=_expected(folder))
    return {
        "name": folder.name,
        "kind": card.get("kind", ""),
        "world": card.get("world", ""),
        "language": card.get("language", ""),
        "learnt from": card.get("corpus", ""),
        "dialogues": card.get("dialogues", ""),
        "minutes": card.get("minutes", ""),
        "size": _size(*(folder / file for file in card.get("files", ()))),
        "state": "damaged" if problem else "yours" if models in folder.parents else "shipped",
        "folder": str(folder),
        "problem": _said(problem),
    }


def _size(*files: Path) -> str:
    total = sum(file.stat().st_size for file in files if file.is_file())
    return f"{total / 1e6:.1f} MB" if total >= 100_000 else f"{total / 1e3:.1f} kB"


def _show(field: str, value: Any, *, indent: int) -> None:
    if isinstance(value, dict):
        print(f"{' ' * indent}{field}:")
        for name, each in value.items():
            _show(name, each, indent=indent + 2)
        return
    print(
        f"{' ' * indent}{field}: {value:.4g}"
        if isinstance(value, float)
        else f"{' ' * indent}{field}: {value}"
    )
