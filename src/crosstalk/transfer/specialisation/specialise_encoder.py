"""Specialise an encoder: find instances, train, write the model folder with its card.

request = InstanceRequest("mlm", Path("data"), source="en", target="de")
specialise_into(Path("models/mlm-de"), request, "nano")
"""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.model_folders import CARD, CHECKPOINT, Card, Provenance, read_card, write_card
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.processes import Processes, joined
from crosstalk.training.progress import Progress
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.small_encoders import NANO, is_small, nano_encoder
from crosstalk.training.steps import METRICS, nobody
from crosstalk.training.transformer_encoders import (
    FOLDER,
    TransformerEncoder,
    identity_of,
    load_masked_lm,
)
from crosstalk.transfer.specialisation.objectives import ObjectiveData, pace_of, specialise
from crosstalk.transfer.specialisation.training_instances import (
    InstanceRequest,
    InstanceSet,
    find_instances,
    refuse_unknown,
)
from crosstalk.transfer.step_training import Pace, TrainingSetup


@dataclass(frozen=True, slots=True)
class PaceOptions:
    """Overrides of the objective's pace; None keeps its value."""

    steps: int | None = None
    rate: float | None = None
    patience: int | None = None

    def applied(self, pace: Pace) -> Pace:
        steps = self.steps or pace.steps
        return replace(
            pace,
            steps=steps,
            check_every=min(pace.check_every, -(-steps // 4)),
            warm_up=min(pace.warm_up, steps // 10),
            rate=self.rate or pace.rate,
            patience=pace.patience if self.patience is None else self.patience,
        )


def specialise_into(
    out: Path,
    request: InstanceRequest,
    encoder: str = NANO,
    pace: PaceOptions | None = None,
    reporter: Reporter = SILENT,
) -> dict[str, Any] | None:
    """Continue training an encoder and write its folder; returns its figures for JSON.

    `encoder` is a folder, a name or `nano`. Under torchrun several processes share the work; all
    but the first return None. The same call again resumes what was stopped.
    """
    refuse_unknown(request)
    pace = pace or PaceOptions()
    command = command_of(request, encoder, pace)
    refuse_place(out, encoder, command)
    instance_set = find_instances(request)
    with joined() as processes:
        work = _Specialisation(request, instance_set, encoder, out, pace, processes, command)
        figures = work.run(reporter)
    return figures if processes.is_first else None


@dataclass(frozen=True, slots=True)
class _Specialisation:
    """One training with all its inputs."""

    request: InstanceRequest
    instance_set: InstanceSet
    name: str
    out: Path
    options: PaceOptions
    processes: Processes
    command: str

    def run(self, reporter: Reporter) -> dict[str, Any]:
        encoder, pace = self._encoder(), self._pace()
        objective, first = self.request.objective, self.processes.is_first
        objective_data = ObjectiveData(
            self.instance_set.training_part(objective), self.instance_set.held_out
        )
        with ExitStack() as stack:
            told = stack.enter_context(reporter.training(self.out)) if first else nobody
            course = TrainingSetup(
                self.request.seed, self._checkpoint(pace), told, processes=self.processes
            )
            progress = specialise(encoder, objective, objective_data, pace, course)
        if first:
            self._write(encoder, progress)
        return self._figures(progress)

    def _encoder(self) -> TransformerEncoder:
        if self.name == NANO:
            use_single_thread()
            return nano_encoder(self.instance_set.texts(), seed=self.request.seed)
        return load_masked_lm(self.name)

    def _pace(self) -> Pace:
        pace = pace_of(
            self.request.objective,
            nano=is_small(self.name),
            published=self.request.published,
            instances=len(self.instance_set.training_part(self.request.objective)),
        )
        return self.options.applied(pace)

    def _checkpoint(self, pace: Pace) -> Checkpoint:
        settings = settings_of(pace, without=("patience",))
        settings |= {"objective": self.request.objective, "encoder": identity_of(self.name)}
        settings |= {"processes": self.processes.count, "published": self.request.published}
        identity = Identity(settings, self.instance_set.digest, self.request.seed)
        return Checkpoint(self.out / CHECKPOINT, identity, writes=self.processes.is_first)

    def _figures(self, progress: Progress) -> dict[str, Any]:
        score = round(progress.best_score, 4)
        named = {"weighted_f1": score} if self.request.objective[:2] == "rs" else {"loss": -score}
        learnt = self.instance_set.training_part(self.request.objective)
        sizes = {"learnt": len(learnt), "held_out": len(self.instance_set.held_out)}
        return {"objective": self.request.objective, **named, **sizes, "training": asdict(progress)}

    def _write(self, encoder: TransformerEncoder, progress: Progress) -> None:
        encoder.save(self.out / FOLDER)
        request, instance_set = self.request, self.instance_set
        card = Card(
            what=f"encoder specialised by {request.objective} from {Path(self.name).name}, "
            f"{request.source} and {request.target}",
            command=self.command,
            data=Provenance(
                instance_set.learnt_from, instance_set.digest, len(instance_set.learnt)
            ),
            seed=request.seed,
            figures=self._figures(progress),
            kind="encoder",
            language=f"{request.source} {request.target}",
            minutes=progress.seconds / 60,
        )
        write_card(self.out, card)


def command_of(request: InstanceRequest, encoder: str, pace: PaceOptions) -> str:
    """Return the command for the card; paths are shortened to names."""
    given: dict[str, object] = {
        "objective": request.objective,
        "encoder": Path(encoder).name,
        "source": request.source,
        "target": request.target,
        "data": request.data.name,
        "protocol": "paper" if request.published else "corrected",
        "seed": request.seed,
        "mix": None if request.mix == "mono" else request.mix,
        "most": request.wanted,
        **asdict(pace),
    }
    said = (f"--{name} {value}" for name, value in given.items() if value is not None)
    return f"crosstalk transfer specialise {' '.join(said)}"


def refuse_place(out: Path, encoder: str, command: str) -> None:
    """Raise `InputError` if the folder holds anything but this model."""
    remedy = "Name another folder with --out."
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out}: is a file; a folder is expected", remedy=remedy)
    if out.is_dir() and Path(encoder).is_dir() and out.samefile(encoder):
        raise InputError(f"--out {out}: is the folder of --encoder, which stays", remedy=remedy)
    held = {each.name for each in out.iterdir()} if out.is_dir() else set()
    if CARD in held:
        card = read_card(out)
        if card.get("command") != command:
            raise InputError(f"--out {out}: holds another model: {card['what']}", remedy=remedy)
    elif CHECKPOINT not in held and (others := sorted(held - {METRICS})):
        named = ", ".join(others[:3])
        raise InputError(f"--out {out}: holds something else: {named}", remedy=remedy)
