"""Train the SC-LSTM of the CrossWOZ paper, one side or both.

train_sclstm(Job(out=Path("models"), world="harbour"), SCLSTMOptions(epochs=8))
"""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.corpus_world import WorldChoice, read_in_world
from crosstalk.files import sha256_of
from crosstalk.model_folders import CHECKPOINT, Card, Provenance, write_card
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import extract, read_auto, template_file
from crosstalk.system.part_models import SIDES, sclstm_model
from crosstalk.trainers.data import template_folder, training_world
from crosstalk.trainers.job import Job
from crosstalk.training.steps import nobody
from crosstalk.worlds.world import find_world, load_schema

if TYPE_CHECKING:
    from crosstalk.system.nlg.sclstm_data import DelexicalisedUtterance
    from crosstalk.system.nlg.sclstm_nlg import TrainedSclstm


EPOCHS: Final = 75


@dataclass(frozen=True, slots=True)
class SCLSTMOptions:
    """Options of `train_sclstm`."""

    side: Speaker | None = None
    """None: both sides, one after the other."""
    templates: Path | None = None
    """A folder of template files to learn from."""
    validation: Path | None = None
    """A corpus that chooses the epoch; None: one utterance in ten is held out."""
    epochs: int = EPOCHS


@dataclass(frozen=True, slots=True)
class _Texts:
    """Training utterances of one side, and their provenance for the card."""

    utterances: "list[DelexicalisedUtterance]"
    held_out: "list[DelexicalisedUtterance]"
    told: str
    digest: str
    option: str
    """The part of the command that names the data."""
    dialogues: int = 0


@dataclass(frozen=True, slots=True)
class _Side:
    """A job for one side of the dialogue."""

    job: Job
    options: SCLSTMOptions
    world: str
    language: str | None
    keys: ActKeys
    code: str

    @property
    def world_name(self) -> str:
        return find_world(self.world).name


def train_sclstm(job: Job, options: SCLSTMOptions) -> list[Path]:
    """Train, write a model folder for each side, return them.

    Under torchrun several processes share the work; only the first writes, the others return none.
    """
    if options.epochs < 1:
        remedy = "Give 1 or more."
        raise InputError(f"--epochs {options.epochs}: nothing would be learned", remedy=remedy)
    world, language = training_world(job.world, job.language, job.data, out=job.out)
    schema, pack = load_schema(world, language=language)
    folders = []
    for speaker in [options.side] if options.side else list(Speaker):
        keys = ActKeys.of(schema, pack, speaker)
        side = _Side(job, options, world, language, keys, pack.code)
        folder = job.out / sclstm_model(side.world_name, speaker)
        folders += _train_side(side, _texts(side), folder)
    return folders


def _texts(side: _Side) -> _Texts:
    """From template files if there are any, else from a corpus or simulated dialogues."""
    from crosstalk.system.nlg.sclstm_training import split

    found = _from_templates(side) or _from_dialogues(side)
    validation = side.options.validation
    if validation is None:
        learnt, held_out = split(found.utterances)
        return replace(found, utterances=learnt, held_out=held_out)
    choice = WorldChoice(side.world, side.language)
    judged = read_in_world(validation, choice, reporter=side.job.reporter)
    option = f"{found.option} --validation {validation.name}".strip()
    return replace(found, held_out=_utterances(judged, side), option=option)


def _from_templates(side: _Side) -> _Texts | None:
    from crosstalk.system.nlg.sclstm_data import utterances

    given, data = side.options.templates, side.job.data
    folder = given or template_folder(side.world_name, data)
    if folder is None:
        return None
    speaker = side.keys.speaker
    file = template_file(folder, "auto", speaker)
    said = utterances(read_auto(folder, speaker), side.code)
    option = f"--templates {folder.name}" if given else ""
    return _Texts(said, [], file.name, sha256_of(file), option)


def _from_dialogues(side: _Side) -> _Texts:
    data = side.job.start().data
    said = _utterances(data.dialogues, side)
    return _Texts(said, [], data.learnt_from, data.digest, data.option, len(data.dialogues))


def _utterances(dialogues: Iterable[Dialogue], side: _Side) -> "list[DelexicalisedUtterance]":
    from crosstalk.system.nlg.sclstm_data import utterances

    return utterances(extract(dialogues, side.keys), side.code)


def _train_side(side: _Side, texts: _Texts, folder: Path) -> list[Path]:
    from crosstalk.system.nlg.sclstm_data import SclstmTrainingConfig
    from crosstalk.system.nlg.sclstm_nlg import save_sclstm
    from crosstalk.system.nlg.sclstm_training import train
    from crosstalk.training.processes import joined

    keys, config = side.keys, SclstmTrainingConfig(epochs=side.options.epochs)
    with joined() as processes, ExitStack() as stack:
        first = processes.is_first
        told = stack.enter_context(side.job.reporter.training(folder)) if first else nobody
        trained = train(
            texts.utterances,
            texts.held_out,
            keys,
            config,
            seed=side.job.seed,
            processes=processes,
            checkpoint=folder / CHECKPOINT,
            told=told,
        )
    if not first:
        return []
    save_sclstm(folder, trained, side=str(keys.speaker), language=side.code, config=config)
    _write_card(folder, side, texts, trained)
    return [folder]


def _write_card(folder: Path, side: _Side, texts: _Texts, trained: "TrainedSclstm") -> None:
    job, speaker, progress = side.job, side.keys.speaker, trained.progress
    options = f"{texts.option} --epochs {side.options.epochs} --seed {job.seed}".strip()
    write_card(
        folder,
        Card(
            what=f"the SC-LSTM of the CrossWOZ paper, {speaker} side",
            command=f"crosstalk train nlg --model sclstm --world {side.world_name} "
            f"--side {SIDES[speaker]} {options}",
            data=Provenance(texts.told, texts.digest, texts.dialogues),
            seed=job.seed,
            figures={
                "learnt from": len(texts.utterances),
                "validated on": len(texts.held_out),
                "epochs": progress.epoch,
                "best epoch": progress.best_epoch,
                "validation loss a word": round(-progress.best_score, 4),
            },
            world=side.world_name,
            language=side.code,
            minutes=progress.seconds / 60,
        ),
    )
