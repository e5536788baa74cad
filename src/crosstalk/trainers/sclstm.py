"""Train the SC-LSTM of the CrossWOZ paper, one side or both.

train_sclstm(Job(out=Path("models"), world="harbour"), SCLSTMOptions(epochs=8))
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.corpus_world import WorldChoice, read_in_world
from crosstalk.files import sha256_of
from crosstalk.model_folders import CHECKPOINT, Card, Provenance, write_card
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import extract, read_auto, template_file
from crosstalk.system.part_models import SIDES, sclstm_model
from crosstalk.trainers.data import training_world
from crosstalk.trainers.job import Job
from crosstalk.worlds.world import find_world, load_schema

if TYPE_CHECKING:
    from crosstalk.system.nlg.sclstm_data import DelexicalisedUtterance
    from crosstalk.system.nlg.sclstm_nlg import TrainedSclstm


@dataclass(frozen=True, slots=True)
class SCLSTMOptions:
    """Which side, from which texts, and how long."""

    side: Speaker | None = None
    """None: one after the other."""
    templates: Path | None = None
    """A folder of template files to learn from."""
    validation: Path | None = None
    """A corpus that chooses the epoch; None: one saying in ten is held out."""
    epochs: int = 75


@dataclass(frozen=True, slots=True)
class _Texts:
    """What one side learns from, and how a card tells of it."""

    utterances: "list[DelexicalisedUtterance]"
    held_out: "list[DelexicalisedUtterance]"
    told: str
    digest: str
    option: str
    """The part of the command that names it."""
    dialogues: int = 0


@dataclass(frozen=True, slots=True)
class _Training:
    """A job in the world it is for."""

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
    """Train, write a model folder for each side, return them."""
    if options.epochs < 1:
        remedy = "Give 1 or more."
        raise InputError(f"--epochs {options.epochs}: nothing would be learned", remedy=remedy)
    world, language = training_world(job.world, job.language, job.data)
    schema, pack = load_schema(world, language=language)
    folders = []
    for speaker in [options.side] if options.side else list(Speaker):
        keys = ActKeys.of(schema, pack, speaker)
        training = _Training(job, options, world, language, keys, pack.code)
        folder = job.out / sclstm_model(training.world_name, speaker)
        _train_side(training, _texts(training), folder)
        folders.append(folder)
    return folders


def _texts(training: _Training) -> _Texts:
    """From template files where there are any, else from a corpus or simulated dialogues."""
    from crosstalk.system.nlg.sclstm_training import split

    found = _from_templates(training) or _from_dialogues(training)
    validation = training.options.validation
    if validation is None:
        learnt, held_out = split(found.utterances)
        return replace(found, utterances=learnt, held_out=held_out)
    choice = WorldChoice(training.world, training.language)
    judged = read_in_world(validation, choice, reporter=training.job.reporter)
    option = f"{found.option} --validation {validation.name}".strip()
    return replace(found, held_out=_utterances(judged, training), option=option)


def _from_templates(training: _Training) -> _Texts | None:
    from crosstalk.system.nlg.sclstm_data import utterances

    given, data = training.options.templates, training.job.data
    fetched = data / training.world_name / "templates" if data and data.is_dir() else None
    folder = given or (fetched if fetched and fetched.is_dir() else None)
    if folder is None:
        return None
    speaker = training.keys.speaker
    file = template_file(folder, "auto", speaker)
    said = utterances(read_auto(folder, speaker), training.code)
    option = f"--templates {folder.name}" if given else ""
    return _Texts(said, [], file.name, sha256_of(file), option)


def _from_dialogues(training: _Training) -> _Texts:
    job = training.job
    material = job.material(job.source())
    said = _utterances(material.dialogues, training)
    count = len(material.dialogues)
    return _Texts(said, [], material.learnt_from, material.digest, material.option, count)


def _utterances(
    dialogues: Iterable[Dialogue], training: _Training
) -> "list[DelexicalisedUtterance]":
    from crosstalk.system.nlg.sclstm_data import utterances

    return utterances(extract(dialogues, training.keys), training.code)


def _train_side(training: _Training, texts: _Texts, folder: Path) -> None:
    from crosstalk.system.nlg.sclstm_data import SclstmTrainingConfig
    from crosstalk.system.nlg.sclstm_nlg import save_sclstm
    from crosstalk.system.nlg.sclstm_training import train

    keys, config = training.keys, SclstmTrainingConfig(epochs=training.options.epochs)
    with training.job.reporter.training(folder) as watch:
        trained = train(
            texts.utterances,
            texts.held_out,
            keys,
            config,
            seed=training.job.seed,
            checkpoint=folder / CHECKPOINT,
            told=watch,
        )
    save_sclstm(folder, trained, side=str(keys.speaker), language=training.code, config=config)
    _write_card(folder, training, texts, trained)


def _write_card(folder: Path, training: _Training, texts: _Texts, trained: "TrainedSclstm") -> None:
    job, speaker, progress = training.job, training.keys.speaker, trained.progress
    options = f"{texts.option} --epochs {training.options.epochs} --seed {job.seed}".strip()
    write_card(
        folder,
        Card(
            what=f"the SC-LSTM of the CrossWOZ paper, {speaker} side",
            command=f"crosstalk train nlg --model sclstm --world {training.world_name} "
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
            world=training.world_name,
            language=training.code,
            minutes=progress.seconds / 60,
        ),
    )
