"""`crosstalk models`: which trained models there are, what cards say, whether they are whole."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crosstalk.cli.options import AsJson, Models
from crosstalk.cli.output import print_json, print_result, print_table

app = typer.Typer(no_args_is_help=True)
COLUMNS = ("name", "state", "world", "language", "size", "minutes")


@app.command("list")
def list_models(models: Models = None, as_json: AsJson = False) -> None:
    """List the models that ship with Crosstalk, and those of a folder of yours."""
    from crosstalk.model_folders import all_model_folders, model_summary

    found = [model_summary(folder, models) for folder in all_model_folders(models)]
    if as_json:
        print_json(found)
        return
    rows = [[str(each[name]) for name in COLUMNS] for each in found]
    print_table("Trained models", list(COLUMNS), rows)


@app.command("show")
def show_model(
    name: Annotated[str, typer.Argument(help="A model's name, or its folder.")],
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Show the card of a model: data, seed, scores, versions, the command that made it."""
    from crosstalk.model_folders import locate_model, read_card, size_of

    folder = locate_model(name, models)
    card = read_card(folder)
    if as_json:
        print_json({**card, "folder": str(folder)})
        return
    print(f"{card['name']}: {card['what']}")
    for field, value in card.items():
        if field not in ("name", "what", "files"):
            _print_field(field, value, " " * 2)
    for file in card["files"]:
        print(f"  {file}: {size_of(folder / file)}")


def _print_field(field: str, value: Any, indent: str) -> None:
    if isinstance(value, dict):
        print(f"{indent}{field}:")
        for name, each in value.items():
            _print_field(name, each, indent + " " * 2)
        return
    print(f"{indent}{field}: {f'{value:.4g}' if isinstance(value, float) else value}")


@app.command("convert")
def convert_encoder(
    folder: Annotated[Path, typer.Argument(help="Folder of an encoder with pytorch_model.bin.")],
    out: Annotated[Path, typer.Option("--out", readable=False, help="The new folder.")],
    as_json: AsJson = False,
) -> None:
    """Convert an encoder's weights to safetensors, so that --encoder takes its folder.

    The old file is read in a process of its own that knows tensors and nothing else; code in it is
    refused, never run.
    """
    from crosstalk.training.encoder_conversion import convert_encoder

    made = convert_encoder(folder, out)
    print_result(str(made), {"folder": str(made)}, as_json)


@app.command("check")
def check_models(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names or folders of models; default: all there are."),
    ] = None,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Check that models are whole: the card, its format, every file. Exit 1: one is not."""
    from crosstalk.model_folders import all_model_folders, locate_model, problem_under_name

    every = [locate_model(name, models) for name in names] if names else all_model_folders(models)
    found = {folder: problem_under_name(folder) for folder in every}
    if as_json:
        problems = [(str(folder), each.message if each else None) for folder, each in found.items()]
        print_json([{"folder": folder, "problem": problem} for folder, problem in problems])
    else:
        for folder, problem in found.items():
            print(f"{folder.name}: whole" if problem is None else str(problem))
    if any(found.values()):
        raise typer.Exit(1)
