"""`crosstalk transfer retrieve`: the right answer among a hundred, in another language."""

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import (
    TERMINAL,
    percent,
    print_json,
    print_models,
    print_table,
    track,
    warn,
)
from crosstalk.cli.transfer_specialise import EncoderName, is_published
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.transfer.exchanges import Exchange
    from crosstalk.transfer.retrievers import Maker

DataFolder = Annotated[
    Path,
    typer.Option("--data", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]


def retrieve(
    data: DataFolder,
    test: Annotated[
        Path,
        typer.Option("--test", help="Dialogues in the target language, in any format we know."),
    ],
    model: Annotated[str, typer.Option("--model", help="best, or published.")] = "best",
    source: Annotated[str, typer.Option("--source", help="Language that is learnt from.")] = "en",
    target: Annotated[str, typer.Option("--target", help="Language that is judged.")] = "zh",
    shots: Annotated[
        int, typer.Option("--shots", help="Percent of the target's dialogues: 0 1 5 10 50 100.")
    ] = 0,
    encoder: EncoderName = "nano",
    seeds: Annotated[str, typer.Option("--seeds", help="Of draws and candidate lists.")] = "1,2,3",
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Each text once in a candidate list.")
    ] = False,
    protocol: options.Protocol = "corrected",
    models: Annotated[
        Path | None, typer.Option("--models", help="Where trained models are kept.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """R_100@k: how often the system's true answer is among the k best of a hundred.

    Shots are whole dialogues of the target's development split, nested, drawn by seed; none: the
    target's dialogues are not looked at. Figures are means over the seeds.
    """
    from crosstalk.transfer.embeddings import cache_folder
    from crosstalk.transfer.languages import refuse_unknown_language
    from crosstalk.transfer.retrieve_order import RetrieveOrder
    from crosstalk.transfer.retrievers import maker
    from crosstalk.transfer.shots import refuse_share

    for option, language in (("--source", source), ("--target", target)):
        refuse_unknown_language(option, language)
    refuse_share(shots)
    chosen = _seeds(seeds)
    order = RetrieveOrder(
        source, target, shots, data, models or cache_folder() / "models", encoder,
        is_published(protocol), TERMINAL.training, warn,
    )  # fmt: skip
    making, exchanges = maker(model, order), _judged(test)
    found = _by_seed(making, exchanges, chosen, distinct=distinct)
    means = {name: round(fmean(each[name] for each in found), 2) for name in found[0]}
    told = {
        **means,
        "seeds": list(chosen),
        "data": test_name(test, target),
        "source": source,
        "target": target,
        "by_seed": found,
        "exchanges": len(exchanges),
        "model": model,
        **({"encoder": encoder} if model == "published" else {}),
        "shots": shots,
        "protocol": protocol,
        "distinct": distinct,
    }
    _print(told, as_json)


def _judged(test: Path) -> "list[Exchange]":
    """The exchanges of a test file; too few are refused before anything is learnt."""
    from crosstalk.transfer.candidates import candidate_lists
    from crosstalk.transfer.corpora import read_talks
    from crosstalk.transfer.exchanges import exchanges_of

    exchanges = exchanges_of(read_talks(test))
    candidate_lists(len(exchanges), seed=0)
    return exchanges


def _by_seed(
    making: "Maker", exchanges: "list[Exchange]", seeds: tuple[int, ...], *, distinct: bool
) -> list[dict[str, float]]:
    """The figures of each seed; without shots the exchanges are read once for all."""
    from crosstalk.evaluation.transfer import figures, rank_answers

    responses, found = [each.response for each in exchanges], []
    read = None if making.order.shots else making.retriever(seeds[0])(exchanges)
    for seed in track(seeds, doing="ranking", total=len(seeds)):
        reading = read or making.retriever(seed)(exchanges)
        found.append(figures(rank_answers(reading, responses, seed=seed, distinct=distinct)))
    return found


def test_name(test: Path, target: str) -> str:
    """How results call the data: by the catalogue's folder, else by the file."""
    from crosstalk.transfer.corpora import name_of

    return name_of(test, target) or test.name


def _seeds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError as error:
        raise InputError(f"--seeds {text}: not numbers", remedy="Give such as 1,2,3.") from error


def _print(told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    columns = [name for name in told if name.startswith("r100@")]
    rows = [
        [f"seed {seed}", *(percent(found[name]) for name in columns)]
        for seed, found in zip(told["seeds"], told["by_seed"], strict=True)
    ]
    rows.append(["mean", *(percent(told[name]) for name in columns)])
    print_table(f"{told['exchanges']:,} exchanges, {told['shots']} %", ["", *columns], rows)


def train_retriever(
    data: DataFolder,
    out: Annotated[
        Path | None, typer.Option("--out", help="The models folder; default: the user's cache.")
    ] = None,
    source: Annotated[str, typer.Option("--source", help="Language that is learnt from.")] = "en",
    steps: Annotated[int, typer.Option("--steps", min=1, help="Of the head.")] = 1680,
    seed: options.Seed = 1,
    as_json: options.AsJson = False,
) -> None:
    """Learn our retriever: dialogues of the source, and sentences in translation."""
    from dataclasses import asdict

    import torch

    from crosstalk.files import sha256_of
    from crosstalk.model_folders import Card, Provenance, write_card
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
    from crosstalk.training.identity import Identity, settings_of
    from crosstalk.transfer.best_config import BestConfig
    from crosstalk.transfer.best_training import train_best
    from crosstalk.transfer.build_retriever import best_name
    from crosstalk.transfer.corpora import find_corpus, read_talks
    from crosstalk.transfer.embeddings import cache_folder, open_encoder
    from crosstalk.transfer.training_steps import Course

    torch.set_num_threads(1)
    corpus = find_corpus(data, source, "train")
    config = BestConfig(source, steps=steps, seed=seed)
    folder = (out or cache_folder() / "models") / best_name(source)
    identity = Identity(settings_of(config), sha256_of(corpus.file), seed)
    with TERMINAL.training(folder) as told:
        course = Course(seed, Checkpoint(folder / CHECKPOINT, identity), told)
        learnt = train_best(data, open_encoder(), config, course)
    learnt.save(folder)
    write_card(
        folder,
        Card(
            what=f"response retrieval from {source} into other languages, over a frozen encoder",
            command=f"crosstalk transfer train-retriever --source {source} --steps {steps} "
            f"--seed {seed}",
            data=Provenance(
                f"{corpus.name}, {source}; sentences in translation (Tatoeba)",
                sha256_of(corpus.file),
                len(read_talks(corpus.file)),
            ),
            seed=seed,
            figures={"weights": asdict(learnt.config)["weights"]},
            kind="retrieval",
            language=source,
            minutes=told.minutes,
        ),
    )
    print_models([folder], as_json)
