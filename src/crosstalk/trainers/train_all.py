"""`crosstalk train --all`: every model that a newcomer needs for a world, in one command.

Two trainings run at a time, each in a process of its own on one core. A complete model of the same
world, language and seed is not trained again; an interrupted training resumes.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from crosstalk.errors import InputError
from crosstalk.language.world_files import TEMPLATES, languages_with
from crosstalk.model_folders import CARD, problem_of, read_card
from crosstalk.simulation.build import parts_of as known_parts
from crosstalk.trainers.data import training_world
from crosstalk.trainers.job import Job
from crosstalk.trainers.model_quality import report_failures, report_weakness
from crosstalk.worlds.world import find_world, load_schema

TOGETHER = 2


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One training, and the models it makes."""

    kind: str
    options: tuple[str, ...]
    models: tuple[str, ...]


def train_all(job: Job) -> None:
    """Train NLU, tracker, policy, user and generators of a world, and evaluate them together."""
    world, language = training_world(
        job.world, job.language, job.data, out=job.out, default="harbour"
    )
    job = replace(job, world=world, language=language)
    _, pack = load_schema(world, language=language)
    name, started, notice = find_world(world).name, time.monotonic(), job.reporter.notice
    every = list(parts_of(name, pack.code))
    parts = [each for each in every if not _is_there(each, job, name, pack.code)]
    notice(f"{len(parts)} trainings, {TOGETHER} at a time: a few minutes on two cores")
    with ThreadPoolExecutor(TOGETHER) as pool:
        failed = [kind for kind in pool.map(lambda part: _train(part, job), parts) if kind]
    if failed:
        raise InputError(
            f"not trained: {', '.join(failed)}; what went wrong stands above",
            remedy="Mend it and give the same command again; what is done stays.",
        )
    for folder in sorted({job.out / model for part in every for model in part.models}):
        report_weakness(folder, job.reporter)
    _talk(job, world)
    minutes = (time.monotonic() - started) / 60
    notice(f"all models of {name} ({pack.code}) are in {job.out} ({minutes:.1f} min)")
    notice(f"talk to them: crosstalk chat --world {world} --models {job.out}")


def _talk(job: Job, world: str) -> None:
    """Evaluate the system as a whole, if the world has templates for conversations in words."""
    if not languages_with(find_world(world), TEMPLATES):
        return
    data = job.data if job.data and job.data.is_dir() else None
    best = known_parts(world, job.language, data, job.out)["best"]
    job.reporter.notice(
        "`best` is now " + ", ".join(f"{kind} {name}" for kind, name in best.items())
    )
    report_failures(world, job.language, job.out, data, job.seed, job.reporter)


def parts_of(world: str, language: str) -> Iterator[TrainingTask]:
    """The trainings, longest first, so that two processes end at about the same time."""
    yield TrainingTask("nlu", ("--quick",), (f"nlu-{world}-{language}",))
    yield TrainingTask("policy", (), ("policy",))
    yield TrainingTask("dst", (), ("dst",))
    yield TrainingTask("user", (), ("user",))
    sides = ("user", "system")
    sclstm = tuple(f"nlg-sclstm-{world}-{side}" for side in sides)
    yield TrainingTask("nlg", ("--model", "sclstm", "--epochs", "8"), sclstm)


def _is_there(part: TrainingTask, job: Job, world: str, language: str) -> bool:
    wanted = {"world": world, "language": language, "seed": job.seed}
    for name in part.models:
        folder = job.out / name
        if not (folder / CARD).exists() or problem_of(folder, name=name):
            return False
        card = read_card(folder)
        if any(card.get(field) != value for field, value in wanted.items()):
            return False
    job.reporter.notice(f"{part.kind}: already there")
    return True


def _train(part: TrainingTask, job: Job) -> str:
    """Run one training; return its kind if it failed, else an empty text."""
    job.reporter.notice(f"{part.kind} begins")
    given = {"--world": job.world, "--language": job.language, "--data": job.data}
    options = [word for name, value in given.items() if value for word in (name, str(value))]
    command = [sys.executable, "-m", "crosstalk", "train", part.kind, *part.options, *options]
    command += ["--seed", str(job.seed), "--out", str(job.out)]
    began = time.monotonic()
    ended = subprocess.run(command, env=_one_thread(), check=False)
    job.reporter.notice(
        f"{part.kind} {'failed' if ended.returncode else 'done'} ({time.monotonic() - began:.0f} s)"
    )
    return part.kind if ended.returncode else ""


def _one_thread() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}
