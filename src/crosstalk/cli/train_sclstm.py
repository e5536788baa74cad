"""`crosstalk train nlg --model sclstm`: the network of the CrossWOZ paper, a side at a time."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.cli.corpora import read_in_world
from crosstalk.cli.evaluate_nlg import speaker_of
from crosstalk.cli.training_data import find_source
from crosstalk.cli.training_progress import watching
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.nlg.keys import ActKeys
    from crosstalk.system.nlg.sclstm_training import Trained
    from crosstalk.system.nlg.sclstm_words import Saying


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody wants trained."""

    world: str
    language: str | None
    data: Path | None
    """A corpus, or the data folder."""
    templates: Path | None
    validation: Path | None
    epochs: int
    seed: int


@dataclass(frozen=True, slots=True)
class Learnt:
    """What one side learns from, and how a card tells of it."""

    sayings: "list[Saying]"
    held_out: "list[Saying]"
    told: str
    digest: str
    option: str
    """The part of the command that names it."""
    dialogues: int = 0


def train_sclstm(order: Order, out: Path, side: str | None) -> None:
    """One side, or one after the other."""
    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.system.nlg.keys import ActKeys
    from crosstalk.system.part_models import sclstm_model

    if order.epochs < 1:
        remedy = "Give 1 or more."
        raise InputError(f"--epochs {order.epochs}: nothing would be learned", remedy=remedy)
    schema, pack = load_schema(order.world, language=order.language)
    for speaker in [speaker_of(side)] if side else list(Speaker):
        keys = ActKeys.of(schema, pack, speaker)
        folder = out / sclstm_model(find_world(order.world).name, speaker)
        learnt = _learnt(order, keys, pack.code)
        _train_side(order, learnt, keys, pack.code, folder)
        print(folder)


def _learnt(order: Order, keys: "ActKeys", language: str) -> Learnt:
    """From template files where there are any, else from a corpus or practice dialogues."""
    from crosstalk.system.nlg.sclstm_training import split

    found = _from_templates(order, keys, language) or _from_dialogues(order, keys, language)
    if order.validation:
        from crosstalk.evaluation.fit import WorldChoice

        choice = WorldChoice(order.world, order.language)
        held_out = _sayings(read_in_world(order.validation, choice), keys, language)
        option = f"{found.option} --validation {order.validation.name}"
        return Learnt(
            found.sayings, held_out, found.told, found.digest, option.strip(), found.dialogues
        )
    learnt, held_out = split(found.sayings)
    return Learnt(learnt, held_out, found.told, found.digest, found.option, found.dialogues)


def _from_templates(order: Order, keys: "ActKeys", language: str) -> Learnt | None:
    from crosstalk.database.worlds import find_world
    from crosstalk.files import sha256_of
    from crosstalk.system.nlg.crosswoz import read_auto, template_file
    from crosstalk.system.nlg.sclstm_words import sayings

    data = order.data
    fetched = data / find_world(order.world).name / "templates" if data and data.is_dir() else None
    folder = order.templates or (fetched if fetched and fetched.is_dir() else None)
    if folder is None:
        return None
    file = template_file(folder, "auto", keys.speaker)
    said = sayings(read_auto(folder, keys.speaker), language)
    option = f"--templates {folder.name}" if order.templates else ""
    return Learnt(said, [], file.name, sha256_of(file), option)


def _from_dialogues(order: Order, keys: "ActKeys", language: str) -> Learnt:
    material = find_source(order.world, order.language, order.data).material(seed=order.seed)
    said = _sayings(material.dialogues, keys, language)
    count = len(material.dialogues)
    return Learnt(said, [], material.learnt_from, material.digest, material.option, count)


def _sayings(dialogues: "Iterable[Dialogue]", keys: "ActKeys", language: str) -> "list[Saying]":
    from crosstalk.system.nlg.extraction import extract
    from crosstalk.system.nlg.sclstm_words import sayings

    return sayings(extract(dialogues, keys), language)


def _train_side(order: Order, learnt: Learnt, keys: "ActKeys", language: str, folder: Path) -> None:
    from crosstalk.model_folders import CHECKPOINT
    from crosstalk.system.nlg.sclstm import save_sclstm
    from crosstalk.system.nlg.sclstm_training import TrainingConfig, train

    config = TrainingConfig(epochs=order.epochs)
    with watching(folder) as told:
        trained = train(
            learnt.sayings,
            learnt.held_out,
            keys,
            config,
            seed=order.seed,
            checkpoint=folder / CHECKPOINT,
            told=told,
        )
    save_sclstm(folder, trained, side=str(keys.speaker), language=language, config=config)
    write_sclstm_card(folder, order, learnt, trained, keys, language)


def write_sclstm_card(
    folder: Path,
    order: Order,
    learnt: Learnt,
    trained: "Trained",
    keys: "ActKeys",
    language: str,
) -> None:
    from crosstalk.database.worlds import find_world
    from crosstalk.model_folders import Card, Provenance, write_card
    from crosstalk.system.part_models import SIDES

    world, progress = find_world(order.world).name, trained.progress
    options = f"{learnt.option} --epochs {order.epochs} --seed {order.seed}".strip()
    write_card(
        folder,
        Card(
            what=f"the SC-LSTM of the CrossWOZ paper, {keys.speaker} side",
            command=f"crosstalk train nlg --model sclstm --world {world} "
            f"--side {SIDES[keys.speaker]} {options}",
            data=Provenance(learnt.told, learnt.digest, learnt.dialogues),
            seed=order.seed,
            figures={
                "learnt from": len(learnt.sayings),
                "validated on": len(learnt.held_out),
                "epochs": progress.epoch,
                "best epoch": progress.best_epoch,
                "validation loss a word": round(-progress.best_score, 4),
            },
            world=world,
            language=language,
            minutes=progress.seconds / 60,
        ),
    )
