"""`crosstalk transfer specialise` and `instances`: an encoder made at home in conversations."""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import TERMINAL, print_json, print_result, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.training.checkpoint import Checkpoint
    from crosstalk.training.processes import Processes
    from crosstalk.training.progress import Progress
    from crosstalk.transfer.encoders import TextEncoder
    from crosstalk.transfer.specialisation.material import Material, Order
    from crosstalk.transfer.training_steps import Pace

Objective = Annotated[str, typer.Option("--objective", help="mlm | tlm | rs-x | rs-mono | tod")]
TextData = Annotated[
    Path,
    typer.Option(
        "--data",
        envvar="CROSSTALK_DATA",
        help="Folder of fetched corpora, of subtitles (OPUS) or of text files (en.txt, zh.txt), "
        "text file, instance file.",
    ),
]
EncoderName = Annotated[
    str,
    typer.Option(
        "--encoder",
        help="Folder of a transformers encoder, its name where it lies on this machine, a folder "
        "that this command wrote, or nano.",
    ),
]
Source = Annotated[str, typer.Option("--source", help="Language code.")]
Target = Annotated[str, typer.Option("--target", help="Language code.")]
Mix = Annotated[
    str,
    typer.Option(
        "--mix", help="mlm: mono (the target) | bi (source and target) | multi (all text files)."
    ),
]
Most = Annotated[int | None, typer.Option("--most", min=20, help="At most so many instances.")]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What of the pace was given; None: as the objective has it."""

    steps: int | None
    rate: float | None
    patience: int | None

    def applied(self, pace: "Pace") -> "Pace":
        steps = self.steps or pace.steps
        return replace(
            pace,
            steps=steps,
            check_every=min(pace.check_every, -(-steps // 4)),
            warm_up=min(pace.warm_up, steps // 10),
            rate=self.rate or pace.rate,
            patience=pace.patience if self.patience is None else self.patience,
        )


def specialise(
    objective: Objective,
    data: TextData,
    out: Annotated[Path, typer.Option("--out", help="The folder of the model.")],
    encoder: EncoderName = "nano",
    source: Source = "en",
    target: Target = "zh",
    mix: Mix = "mono",
    most: Most = None,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Steps of learning.")] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", min=1e-9, help="Highest learning rate.")
    ] = None,
    patience: Annotated[
        int | None, typer.Option("--patience", min=0, help="Checks without gain that end it.")
    ] = None,
    protocol: options.Protocol = "corrected",
    seed: options.Seed = 1,
    as_json: options.AsJson = False,
) -> None:
    """Go on training an encoder with text of two languages; the same command again resumes.

    One objective may follow another: give the folder of the first as --encoder of the second.
    Under torchrun several processes share the work.
    """
    import crosstalk.system.local_encoders  # noqa: F401  # says in words that torch is missing
    from crosstalk.training.processes import joined
    from crosstalk.transfer.specialisation.material import Order, find_material

    refuse_unknown(objective, source, target, mix)
    order = Order(objective, data, source, target, is_published(protocol), seed, most, mix)
    wishes = Wishes(steps, rate, patience)
    command = _command(order, encoder, wishes)
    refuse_place(out, encoder, command)
    material = find_material(order)
    with joined() as processes:
        told = _Work(order, material, encoder, out, wishes, processes, command).run()
        if processes.is_first:
            _tell(told, out, as_json)


@dataclass(frozen=True, slots=True)
class _Work:
    """One specialisation, with everything it needs."""

    order: "Order"
    material: "Material"
    name: str
    out: Path
    wishes: Wishes
    processes: "Processes"
    command: str

    def run(self) -> dict[str, Any]:
        from crosstalk.training.steps import nobody
        from crosstalk.transfer.specialisation.training import Lessons, specialise
        from crosstalk.transfer.training_steps import Course

        encoder, pace = self._encoder(), self._pace()
        with ExitStack() as stack:
            first = self.processes.is_first
            told = stack.enter_context(TERMINAL.training(self.out)) if first else nobody
            progress = specialise(
                encoder,
                self.order.objective,
                Lessons(self.material.lessons(self.order.objective), self.material.held_out),
                pace,
                Course(self.order.seed, self._checkpoint(pace), told, processes=self.processes),
            )
        if self.processes.is_first:
            self._write(encoder, progress)
        return self._figures(progress)

    def _encoder(self) -> "TextEncoder":
        import torch

        from crosstalk.transfer.encoders import NANO, load_encoder, nano_encoder

        if self.name == NANO:
            torch.set_num_threads(1)  # sums in one order: the same bytes whatever the cores
            return nano_encoder(self.material.texts(), seed=self.order.seed)
        return load_encoder(self.name)

    def _pace(self) -> "Pace":
        from crosstalk.transfer.encoders import is_small
        from crosstalk.transfer.specialisation.training import pace_of

        pace = pace_of(
            self.order.objective,
            nano=is_small(self.name),
            published=self.order.published,
            instances=len(self.material.lessons(self.order.objective)),
        )
        return self.wishes.applied(pace)

    def _checkpoint(self, pace: "Pace") -> "Checkpoint":
        from crosstalk.system.local_encoders import identity_of
        from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
        from crosstalk.training.identity import Identity, settings_of

        settings = settings_of(pace, without=("patience",))
        settings |= {"objective": self.order.objective, "encoder": identity_of(self.name)}
        settings |= {"processes": self.processes.count, "published": self.order.published}
        identity = Identity(settings, self.material.digest, self.order.seed)
        return Checkpoint(self.out / CHECKPOINT, identity, writes=self.processes.is_first)

    def _figures(self, progress: "Progress") -> dict[str, Any]:
        score = round(progress.best_score, 4)
        named = {"weighted_f1": score} if self.order.objective[:2] == "rs" else {"loss": -score}
        learnt = self.material.lessons(self.order.objective)
        sizes = {"learnt": len(learnt), "held_out": len(self.material.held_out)}
        return {"objective": self.order.objective, **named, **sizes, "training": asdict(progress)}

    def _write(self, encoder: "TextEncoder", progress: "Progress") -> None:
        from crosstalk.model_folders import Card, Provenance, write_card
        from crosstalk.system.local_encoders import FOLDER

        encoder.save(self.out / FOLDER)
        order = self.order
        write_card(
            self.out,
            Card(
                what=f"encoder specialised by {order.objective} from {Path(self.name).name}, "
                f"{order.source} and {order.target}",
                command=self.command,
                data=Provenance(
                    self.material.learnt_from, self.material.digest, len(self.material.learnt)
                ),
                seed=order.seed,
                figures=self._figures(progress),
                kind="encoder",
                language=f"{order.source} {order.target}",
                minutes=progress.seconds / 60,
            ),
        )


def _command(order: "Order", encoder: str, wishes: Wishes) -> str:
    """As it would have to be given again; of paths, only the names."""
    given: dict[str, object] = {
        "objective": order.objective,
        "encoder": Path(encoder).name,
        "source": order.source,
        "target": order.target,
        "data": order.data.name,
        "protocol": "paper" if order.published else "corrected",
        "seed": order.seed,
        "mix": None if order.mix == "mono" else order.mix,
        "most": order.wanted,
        **asdict(wishes),
    }
    said = (f"--{name} {value}" for name, value in given.items() if value is not None)
    return f"crosstalk transfer specialise {' '.join(said)}"


def refuse_place(out: Path, encoder: str, command: str) -> None:
    """Raise where a model would be written over something that is not this model."""
    from crosstalk.model_folders import CARD, CHECKPOINT, read_card
    from crosstalk.training.steps import METRICS

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


def instances(
    objective: Objective,
    data: TextData,
    out: Annotated[Path, typer.Option("--out", help="The folder for the instance files.")],
    source: Source = "en",
    target: Target = "zh",
    mix: Mix = "mono",
    most: Most = None,
    protocol: options.Protocol = "corrected",
    seed: options.Seed = 1,
    as_json: options.AsJson = False,
) -> None:
    """Write what is learnt from as published instance files: train and test."""
    from crosstalk.files import making_folder
    from crosstalk.transfer.specialisation.material import Order, find_material, write_instances

    refuse_unknown(objective, source, target, mix)
    if objective == "tod":
        raise InputError("tod learns from dialogues as they are", remedy="Give another objective.")
    published = is_published(protocol)
    material = find_material(Order(objective, data, source, target, published, seed, most, mix))
    ending = "json" if objective.startswith("rs") else "txt"
    files = []
    with making_folder(out):
        for split, held in (("train", material.learnt), ("test", material.held_out)):
            file = out / f"{objective}-{source}-{target}-{split}.{ending}"
            write_instances(held, file)
            files.append(str(file))
    print_result("\n".join(files), {"files": files}, as_json)


def is_published(protocol: str) -> bool:
    if protocol not in ("paper", "corrected"):
        raise InputError(f"--protocol {protocol}: unknown", remedy="Give paper or corrected.")
    return protocol == "paper"


def refuse_unknown(objective: str, source: str, target: str, mix: str) -> None:
    from crosstalk.transfer.languages import refuse_no_code
    from crosstalk.transfer.specialisation.names import MIXES, OBJECTIVES

    if objective not in OBJECTIVES:
        raise InputError(
            f"there is no objective called {objective!r}", remedy=f"Known: {', '.join(OBJECTIVES)}."
        )
    for option, language in (("--source", source), ("--target", target)):
        refuse_no_code(option, language)
    if mix not in MIXES:
        raise InputError(f"--mix {mix}: unknown", remedy=f"Give {', '.join(MIXES)}.")
    if mix != "mono" and objective != "mlm":
        raise InputError(f"--mix {mix}: only mlm mixes languages", remedy="Leave --mix out.")
    if source == target:
        raise InputError(
            f"--source {source} --target {target}: the same language",
            remedy="Give two languages.",
        )


def _tell(told: dict[str, Any], out: Path, as_json: bool) -> None:
    if as_json:
        print_json(told)
    else:
        score = told.get("weighted_f1", told.get("loss"))
        warn(f"{told['objective']}: {score:.4g} on what was held out")
        print(out)
