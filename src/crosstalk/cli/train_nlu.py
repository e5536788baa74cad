"""`crosstalk train nlu`: our understanding from an annotated corpus and template files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.evaluate_nlu import spoken_world
from crosstalk.cli.evaluate_policy import Tables
from crosstalk.cli.options import CorpusOption, Language, Seed, World
from crosstalk.cli.output import track, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.modules.nlu.filling import Group


def train_nlu(
    data: CorpusOption,
    out: Annotated[
        Path, typer.Option("--out", help="The models folder; the model goes to OUT/nlu-WORLD.")
    ],
    world: World = "crosswoz",
    language: Language = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="Folder of template files; default: crosswoz/templates in the data folder "
            "(CROSSTALK_DATA) for the world crosswoz, none for others.",
        ),
    ] = None,
    tables: Tables = None,
    passes: Annotated[int, typer.Option("--passes", help="Passes over all templates.")] = 3,
    seed: Seed = 1,
) -> None:
    """Train the reader and the trees that choose: ten minutes for CrossWOZ on one core.

    With template files the reader learns from them alone and the trees from the corpus; without,
    the reader learns from every other dialogue and the trees from the rest.
    """
    from crosstalk.formats.corpus import corpus_file, read_corpus
    from crosstalk.model_folders import write_card
    from crosstalk.modules.nlu.reader_training import ReaderTraining
    from crosstalk.modules.nlu.training import train_understanding

    if passes < 1:
        raise InputError(f"--passes {passes}: nothing would be learned", remedy="Give 1 or more.")
    spoken = spoken_world(world, language, tables)
    dialogues = list(track(read_corpus(data), doing="reading"))
    folder = out / f"nlu-{spoken.name}"
    understanding = train_understanding(
        spoken,
        _groups(templates or _default_templates(spoken.name, tables)),
        dialogues,
        seed=seed,
        training=ReaderTraining(passes=passes),
        report=_reporter(),
    )
    understanding.save(folder)
    write_card(
        folder,
        what="understanding: convolutional reader proposes acts, boosted trees choose in context",
        command=f"crosstalk train nlu --world {world} --data {data.name} --passes {passes} "
        f"--seed {seed}",
        corpus=corpus_file(data),
        dialogues=len(dialogues),
        seed=seed,
    )
    print(folder)


def _default_templates(world: str, tables: Path | None) -> Path | None:
    folder = tables / world / "templates" if tables else None
    if folder and folder.is_dir():
        return folder
    if world == "crosswoz":
        warn("no template files found; the reader will learn from half of the dialogues alone")
    return None


def _groups(folder: Path | None) -> "list[Group]":
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.modules.nlg.crosswoz import read_auto
    from crosstalk.modules.nlu.filling import groups_of

    if folder is None:
        return []
    return [group for side in Speaker for group in groups_of(read_auto(folder, side), side)]


def _reporter() -> Callable[[int, int, float], None]:
    """A line of progress on stderr every 100 steps."""

    def report(step: int, steps: int, loss: float) -> None:
        if step % 100 == 0:
            warn(f"step {step} of {steps}, loss {loss:.3f}")

    return report
