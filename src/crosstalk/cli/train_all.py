"""`crosstalk train --all`: every model that a newcomer needs for a world, in one command.

Two trainings at a time, each a process of its own on one core. A model that is there and whole, of
the same world, language and seed, is not trained again; one that was stopped goes on.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from crosstalk.cli.output import warn
from crosstalk.cli.weak_models import warn_of_failures, warn_of_weakness
from crosstalk.errors import InputError

TOGETHER = 2


@dataclass(frozen=True, slots=True)
class Part:
    """One training, and the models it makes."""

    kind: str
    options: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What everything is trained for."""

    world: str
    language: str | None
    data: Path | None
    out: Path
    seed: int


def train_all(order: Newcomer) -> None:
    """Train understanding, tracking, policy, user and generation; print the folders."""
    from crosstalk.database.worlds import find_world, load_schema

    _, pack = load_schema(order.world, language=order.language)
    name, started = find_world(order.world).name, time.monotonic()
    every = list(parts_of(name, pack.code))
    parts = [each for each in every if not _is_there(each, order, pack.code)]
    warn(f"{len(parts)} trainings, {TOGETHER} at a time: a few minutes on two cores")
    with ThreadPoolExecutor(TOGETHER) as pool:
        failed = [kind for kind in pool.map(lambda part: _train(part, order), parts) if kind]
    if failed:
        raise InputError(
            f"not trained: {', '.join(failed)}; what went wrong stands above",
            remedy="Mend it and give the same command again; what is done stays.",
        )
    for folder in sorted({order.out / model for part in every for model in part.models}):
        warn_of_weakness(folder)
    _talk(order)
    minutes = (time.monotonic() - started) / 60
    warn(f"all models of {name} ({pack.code}) are in {order.out} ({minutes:.1f} min)")
    warn(f"talk to them: crosstalk chat --world {order.world} --models {order.out}")


def _talk(order: Newcomer) -> None:
    """Judge the system as a whole, where the world brings templates along to talk in."""
    from crosstalk.database.worlds import find_world
    from crosstalk.simulation.build import parts_of as known_parts

    if not (find_world(order.world) / "templates").is_dir():
        return
    folder = order.data if order.data and order.data.is_dir() else None
    best = known_parts(order.world, order.language, folder, order.out)["best"]
    warn("`best` is now " + ", ".join(f"{kind} {name}" for kind, name in best.items()))
    warn_of_failures(order.world, order.language, order.out, folder, order.seed)


def parts_of(world: str, language: str) -> Iterator[Part]:
    """The longest first, so that two processes end at about the same time."""
    yield Part("nlu", ("--quick",), (f"nlu-{world}-{language}",))
    yield Part("policy", (), ("policy",))
    yield Part("dst", (), ("dst",))
    yield Part("user", (), ("user",))
    sides = ("user", "system")
    sclstm = tuple(f"nlg-sclstm-{world}-{side}" for side in sides)
    yield Part("nlg", ("--model", "sclstm", "--epochs", "8"), sclstm)


def _is_there(part: Part, order: Newcomer, language: str) -> bool:
    from crosstalk.model_folders import CARD, problem_of, read_card

    wanted = {"world": Path(order.world).name, "language": language, "seed": order.seed}
    for name in part.models:
        folder = order.out / name
        if not (folder / CARD).exists() or problem_of(folder, name=name):
            return False
        card = read_card(folder)
        if any(card.get(field) != value for field, value in wanted.items()):
            return False
    warn(f"{part.kind}: already there")
    return True


def _train(part: Part, order: Newcomer) -> str:
    """Empty, or the kind of what failed."""
    warn(f"{part.kind} begins")
    given = {"--world": order.world, "--language": order.language, "--data": order.data}
    options = [word for name, value in given.items() if value for word in (name, str(value))]
    command = [sys.executable, "-m", "crosstalk", "train", part.kind, *part.options, *options]
    command += ["--seed", str(order.seed), "--out", str(order.out)]
    began = time.monotonic()
    ended = subprocess.run(command, env=_one_thread(), check=False)
    warn(
        f"{part.kind} {'failed' if ended.returncode else 'done'} ({time.monotonic() - began:.0f} s)"
    )
    return part.kind if ended.returncode else ""


def _one_thread() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}
