"""`crosstalk train policy`: a policy from annotated dialogues."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.evaluate_policy import Tables, dialogues_of, figures, world_with
from crosstalk.cli.options import CorpusOption, Seed, World
from crosstalk.cli.output import track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.modules.policy.delexicalise import Vocabulary

FOLDERS = {"sl": "policy-sl", "best": "policy"}
WHAT = {
    "sl": "the supervised policy of the CrossWOZ paper: a network of two hidden layers",
    "best": "our policy: boosted trees over acts about ranked entities",
}


def train_policy(
    data: CorpusOption,
    out: Annotated[
        Path,
        typer.Option("--out", help="The models folder; the model goes to OUT/policy[-sl]."),
    ],
    model: Annotated[str, typer.Option("--model", help="sl (the published one), best")] = "best",
    world: World = "crosswoz",
    tables: Tables = None,
    seed: Seed = 0,
) -> None:
    """Train a policy; for sl, the last of every ten dialogues chooses the epoch: half a minute."""
    from crosstalk.formats.corpus import corpus_file
    from crosstalk.model_folders import write_card

    if model not in FOLDERS:
        raise InputError(f"there is no policy called {model!r} to train", remedy="Known: sl, best.")
    live = world_with(world, tables)
    dialogues = list(track(dialogues_of(live, data), doing="reading"))
    folder = out / FOLDERS[model]
    found = (_train_sl if model == "sl" else _train_best)(dialogues, live, folder, tables, seed)
    write_card(
        folder,
        what=WHAT[model],
        command=f"crosstalk train policy --model {model} --data {data.name} --seed {seed}",
        corpus=corpus_file(data),
        dialogues=len(dialogues),
        seed=seed,
        figures=found,
    )
    print(folder)


def _train_best(
    dialogues: Sequence["Dialogue"], world: "LiveWorld", folder: Path, _: Path | None, seed: int
) -> dict[str, Any]:
    from crosstalk.database.queries import Database
    from crosstalk.modules.policy.learned_training import train_learned

    train_learned(dialogues, Database(world), seed=seed).save(folder)
    return {}


def _train_sl(
    dialogues: Sequence["Dialogue"],
    world: "LiveWorld",
    folder: Path,
    tables: Path | None,
    seed: int,
) -> dict[str, Any]:
    from crosstalk.modules.policy.sl_training import save_sl, split

    vocabulary, source = _vocabulary(dialogues, world, tables)
    training = save_sl(dialogues, world, vocabulary, folder, seed=seed)
    _, held_out = split(dialogues)
    return {
        "world": world.name,
        "acts": f"{len(vocabulary.user)} user, {len(vocabulary.system)} system, from {source}",
        "training": asdict(training),
        "held out": {"dialogues": len(held_out), **_judged(held_out, world, folder)},
    }


def _vocabulary(
    dialogues: Sequence["Dialogue"], world: "LiveWorld", tables: Path | None
) -> tuple["Vocabulary", str]:
    """The acts that were published with the corpus, which stem from its training split."""
    from crosstalk.modules.policy.delexicalise import (
        PUBLISHED_SYSTEM,
        extract_vocabulary,
        read_vocabulary,
    )

    published = tables / world.name if tables else None
    if published and (published / PUBLISHED_SYSTEM).exists():
        return read_vocabulary(published), "the files published with the corpus"
    return extract_vocabulary(dialogues), "the dialogues"


def _judged(dialogues: Sequence["Dialogue"], world: "LiveWorld", folder: Path) -> dict[str, Any]:
    """On the dialogues that chose the epoch, hence a little too good."""
    from crosstalk.evaluation.policies import answers_of_sl, score_answers
    from crosstalk.modules.policy.sl import SLPolicy

    told = {}
    for protocol in ("paper", "corrected"):
        policy = SLPolicy.load(folder, world, protocol=protocol)
        answer = answers_of_sl(policy, published=protocol == "paper")
        told[protocol] = figures(score_answers(answer, dialogues).overall)
    return told
