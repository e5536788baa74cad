"""`crosstalk retrieve train`: a ranker of responses from a training file."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.output import track


def train(
    data: Annotated[
        Path, typer.Option("--data", help="A training file, as `retrieve triples` writes.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder of the model.")],
    model: Annotated[str, typer.Option("--model", help="tfidf (the paper's) or char.")] = "char",
) -> None:
    """Learn how rare words, or bits of words, are; a minute for a million pairs."""
    from crosstalk.model_folders import write_card
    from crosstalk.retrieval.files import read_pairs
    from crosstalk.retrieval.models import train_ranker

    texts = [
        f"{context} {response}"
        for context, response, right in track(read_pairs(data), doing="reading")
        if right
    ]
    ranker = train_ranker(model, texts)
    out.mkdir(parents=True, exist_ok=True)
    ranker.save(out)
    write_card(
        out,
        what=f"ranker of responses: {model}",
        command=f"crosstalk retrieve train --model {model} --data {data.name}",
        corpus=data,
        dialogues=len(texts),
        seed=0,
        kind="retrieval",
    )
    print(out)
