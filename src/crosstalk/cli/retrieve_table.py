"""`crosstalk retrieve table`: several rankers on one corpus, as the paper's Table 3."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import print_json, warn
from crosstalk.cli.retrieve_data import (
    Epochs,
    TestFile,
    TrainingFile,
    WordVectors,
    read_source,
)
from crosstalk.cli.retrieve_evaluate import print_selections, read_all_groups, with_baselines
from crosstalk.cli.retrieve_train import command_of, digest_of_data, train_into
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.response_selection import Selection

PAPER = ("tfidf", "rnn", "lstm")


def table(
    data: TrainingFile,
    test: TestFile,
    out: Annotated[Path, typer.Option("--out", help="A folder for the models.")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="May be given several times. Default: the paper's three."),
    ] = None,
    vectors: WordVectors = None,
    epochs: Epochs = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train each ranker, score it, and show the paper's scores beside; a stopped run goes on."""
    from crosstalk.retrieval.models import RECURRENT, load_ranker, refuse_other
    from crosstalk.retrieval.training import Order

    source, groups = read_source(data), read_all_groups(test)
    selections: dict[str, Selection] = {}
    for name in model or PAPER:
        folder = out / name.replace(":", "-").replace("/", "-")
        order = Order(name, folder, seed, epochs, vectors if name in RECURRENT else None)
        refuse_other(folder)
        if (folder / "card.json").exists():
            _refuse_trained_otherwise(folder, command_of(order, data), digest_of_data(data))
        else:
            train_into(order, source, folder, data)
        selections |= with_baselines(name, load_ranker(folder), groups)
        warn(f"{name}: done")
    if as_json:
        print_json({name: selection.record() for name, selection in selections.items()})
    else:
        print_selections(selections, len(groups), published=True)


def _refuse_trained_otherwise(folder: Path, command: str, digest: str) -> None:
    """What an earlier run left is only used where this one would have made the same."""
    from crosstalk.model_folders import read_card

    card = read_card(folder)
    if (card.get("command"), card.get("sha256", "")) != (command, digest):
        raise InputError(
            f"{folder} was trained otherwise, or on other data: {card.get('command')}",
            remedy="Give another folder with --out.",
        )
