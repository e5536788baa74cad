"""Run the plan of a paper stage by stage; a run that was stopped goes on.

    request = ReproductionRequest("crosswoz", Path("data"), Path("out"), scale="small")
    report = reproduce(request, print)
    report.record()["tables"]

Results are in `OUT/results`, one file a stage and seed; models and runs beside them.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from crosstalk import __version__
from crosstalk.errors import InputError
from crosstalk.files import making_folder
from crosstalk.reproduction.data_files import (
    FoundFiles,
    arranged,
    described,
    find_files,
    refuse_missing,
)
from crosstalk.reproduction.plans import SCALES, PaperPlan, PlannedStage, load_plan
from crosstalk.reproduction.result_cells import filled_rows
from crosstalk.reproduction.stage_runs import ABOUT, Stage, StageFailure, read_result
from crosstalk.training.compute import AUTO, Compute
from crosstalk.training.identity import digest_of

NAME: Final = re.compile(r"\{([\w-]+)\}")
FIRST_SEED: Final = 1
DATA_VARIABLE: Final = "CROSSTALK_DATA"


@dataclass(frozen=True, slots=True)
class ReproductionRequest:
    """Which paper, on what, how large, where to."""

    paper: str
    data: Path
    out: Path
    encoder: str = ""
    """Folder or name; empty: a small one from nothing."""
    scale: str = "small"
    compute: Compute = field(default_factory=Compute)
    seeds: int = 1

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise InputError(f"--scale {self.scale}: unknown", remedy=f"Give {', '.join(SCALES)}.")
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"--out {self.out}: is a file", remedy="Name a folder.")


@dataclass(frozen=True, slots=True)
class StageRun:
    """One run of a stage: with one seed, if it has seeds."""

    stage: Stage
    planned: PlannedStage
    seed: int | None
    result: Path
    lacks: str = ""
    """Why it cannot be run; empty if it can."""

    @property
    def is_done(self) -> bool:
        return not self.lacks and self.stage.is_done(self.result)

    def record(self, state: str) -> dict[str, Any]:
        about = read_result(self.result).get(ABOUT, {}) if state == "done" else {}
        return {
            "stage": self.planned.name,
            "about": self.planned.about,
            "seed": self.seed,
            "state": state,
            "commands": list(self.stage.commands),
            "minutes": about.get("minutes"),
            "why": self.lacks,
        }


@dataclass(frozen=True)
class Reproduction:
    """A plan with everything filled in."""

    request: ReproductionRequest
    plan: PaperPlan
    files: FoundFiles

    @cached_property
    def runs(self) -> tuple[StageRun, ...]:
        """All runs of all stages, in order."""
        found: dict[str, list[StageRun]] = {}
        for planned in self.plan.stages:
            found[planned.name] = [self._run(planned, seed, found) for seed in self._seeds(planned)]
        return tuple(each for runs in found.values() for each in runs)

    @property
    def minutes(self) -> float:
        """How long the runs that are left take, roughly."""
        left = [each for each in self.runs if not each.lacks and not each.is_done]
        return sum(each.planned.minutes.get(self.request.scale, 0.0) for each in left)

    def _seeds(self, planned: PlannedStage) -> list[int | None]:
        if not planned.has_seeds:
            return [None]
        return list(range(FIRST_SEED, FIRST_SEED + self.request.seeds))

    def _run(
        self, planned: PlannedStage, seed: int | None, before: Mapping[str, Sequence[StageRun]]
    ) -> StageRun:
        named = planned.name if seed is None else f"{planned.name}-seed-{seed}"
        earlier = [_of_seed(before.get(name, ()), seed) for name in planned.after]
        gathered = [
            each
            for name, runs in before.items()
            if any(fnmatch(name, pattern) for pattern in planned.gathers)
            for each in runs
            if not each.lacks
        ]
        lacks = self._lacks(planned, earlier)
        options = self._options(seed)
        identity = tuple(_filled(command, options) for command in planned.commands)
        digests = {name: self._digests[name] for name in planned.needs if name in self._digests}
        for run in (*earlier, *gathered):
            if run is not None:
                digests[f"stage {run.planned.name}"] = digest_of([run.stage.known_by])
        stage = Stage(
            named,
            tuple(_filled(command, self._folders(seed, gathered)) for command in identity),
            identity=identity,
            inputs=digests,
        )
        return StageRun(stage, planned, seed, self.results / f"{named}.json", lacks)

    def _lacks(self, planned: PlannedStage, earlier: Sequence[StageRun | None]) -> str:
        missing = [each for each in self.files.missing if each.name in planned.needs]
        if missing:
            return "missing:\n" + "\n".join(map(described, missing))
        stopped = [each.planned.name for each in earlier if each is not None and each.lacks]
        return f"needs {stopped[0]}" if stopped else ""

    @cached_property
    def _digests(self) -> dict[str, str]:
        return self.files.digests()

    @property
    def results(self) -> Path:
        return self.request.out / "results"

    def _options(self, seed: int | None) -> dict[str, str]:
        """Words that belong to the identity of a stage."""
        request, compute = self.request, self.request.compute
        encoder = request.encoder or self.plan.encoder
        given = {
            "seed": "" if seed is None else str(seed),
            "seed-count": str(request.seeds),
            "seed-list": ",".join(str(FIRST_SEED + each) for each in range(request.seeds)),
            "encoder": shlex.quote(encoder),
            "encoder-option": f"--encoder {shlex.quote(encoder)}" if encoder else "",
            "compute": " ".join(
                f"--{name} {value}"
                for name, value in (("device", compute.device), ("precision", compute.precision))
                if value != AUTO
            ),
        }
        return {**self.plan.options, **given}

    def _folders(self, seed: int | None, gathered: Sequence[StageRun]) -> dict[str, str]:
        """Words that say where things lie on this machine."""
        out = self.request.out
        folders = {
            "data": self.files.data,
            "out": out,
            "results": self.results,
            "figures": out / "figures",
            "runs": out / "runs",
            "models": out / "models" / ("shared" if seed is None else f"seed-{seed}"),
            "shared": out / "models" / "shared",
            **self.files.found,
        }
        files = " ".join(shlex.quote(str(each.result)) for each in gathered)
        return {
            **{name: shlex.quote(str(place)) for name, place in folders.items()},
            "gathered": files,
        }

    # Results, as `result_cells` asks for them

    def of(self, stage: str) -> list[dict[str, Any]]:
        return [
            read_result(each.result)
            for each in self.runs
            if each.planned.name == stage and each.is_done
        ]

    def said(self, stage: str, fact: str) -> str:
        return next(
            (str(getattr(each, fact, "")) for each in self.plan.stages if each.name == stage), ""
        )


def _of_seed(runs: Sequence[StageRun], seed: int | None) -> StageRun | None:
    return next((each for each in runs if each.seed in (seed, None)), runs[0] if runs else None)


def _filled(command: str, words: Mapping[str, str]) -> str:
    """The command with the words that are known in place; an option may hold further ones."""
    for _ in range(2):
        command = NAME.sub(lambda found: words.get(found[1], found[0]), command)
    return " ".join(command.split())


@dataclass(frozen=True, slots=True)
class ReproductionReport:
    """What was run, and the paper's tables beside ours."""

    reproduction: Reproduction
    states: Sequence[str]
    """One for each run: planned, done, failed or skipped."""

    @property
    def failed(self) -> list[str]:
        pairs = zip(self.reproduction.runs, self.states, strict=True)
        return [run.stage.name for run, state in pairs if state == "failed"]

    def record(self) -> dict[str, Any]:
        """As JSON."""
        made, request = self.reproduction, self.reproduction.request
        pairs = zip(made.runs, self.states, strict=True)
        return {
            "paper": made.plan.name,
            "title": made.plan.title,
            "note": made.plan.note,
            "scale": request.scale,
            "encoder": request.encoder or made.plan.encoder or "small, from nothing",
            "device": request.compute.device,
            "precision": request.compute.precision,
            "seeds": [*range(FIRST_SEED, FIRST_SEED + request.seeds)],
            "version": __version__,
            "data": made.files.record(),
            "missing": [
                {
                    "file": each.place,
                    "about": each.about,
                    "fetch": each.source,
                }
                for each in made.files.missing
            ],
            "minutes": made.minutes,
            "stages": [run.record(state) for run, state in pairs],
            "tables": list(self.tables()),
            "failed": self.failed,
        }

    def tables(self) -> Iterator[dict[str, Any]]:
        """Every table with at least one figure of ours, rows filled in."""
        for table in self.reproduction.plan.tables:
            rows = filled_rows(table, self.reproduction)
            figure = self.reproduction.request.out / "figures" / table.get("figure", "none")
            drawn = {"figure": str(figure)} if figure.is_file() else {}
            if rows or drawn:
                about = {"title": table["title"], "note": table.get("note", "")}
                yield {**about, "header": table["header"], "rows": rows, **drawn}


def _check_encoder(encoder: str) -> None:
    """Load the encoder once, before hours of other stages; raises `UnusableEncoder`."""
    from crosstalk.training.small_encoders import NANO

    if encoder in ("", NANO):
        return
    from transformers import AutoModel

    from crosstalk.training.transformer_encoders import load_transformer

    load_transformer(encoder, AutoModel)


def plan_reproduction(request: ReproductionRequest) -> ReproductionReport:
    """The plan and what is missing; nothing is run or written."""
    plan = load_plan(request.paper, request.scale)
    _check_encoder(request.encoder)
    made = Reproduction(request, plan, find_files(plan, request.data))
    states = [
        "done" if each.is_done else "skipped" if each.lacks else "planned" for each in made.runs
    ]
    return ReproductionReport(made, states)


def reproduce(
    request: ReproductionRequest, told: Callable[[str], None] = lambda words: None
) -> ReproductionReport:
    """Run what is not done yet; a stage that fails does not stop those that do not need it."""
    plan = load_plan(request.paper, request.scale)
    files = find_files(plan, request.data)
    refuse_missing(plan, files)
    _check_encoder(request.encoder)
    with making_folder(request.out), _without_data_variable():
        made = Reproduction(request, plan, arranged(plan, files, request.out))
        states: dict[str, str] = {}
        for number, run in enumerate(made.runs, 1):
            place = f"[{number}/{len(made.runs)}] {run.stage.name}"
            states[run.stage.name] = _state(made, run, states, partial(_tell, told, place))
    return ReproductionReport(made, list(states.values()))


@contextmanager
def _without_data_variable() -> Iterator[None]:
    """Every command names its data; `CROSSTALK_DATA` must not add to it."""
    before = os.environ.pop(DATA_VARIABLE, None)
    try:
        yield
    finally:
        if before is not None:
            os.environ[DATA_VARIABLE] = before


def _tell(told: Callable[[str], None], place: str, words: str) -> None:
    told(f"{place}: {words}")


def _state(
    made: Reproduction, run: StageRun, states: Mapping[str, str], told: Callable[[str], None]
) -> str:
    """Run one stage, if it can be and need be."""
    earlier = [
        each.stage.name
        for each in made.runs
        if each.planned.name in run.planned.after and each.seed in (run.seed, None)
    ]
    stopped = [name for name in earlier if states.get(name) in ("failed", "skipped")]
    if run.lacks or stopped:
        told(f"skipped: {run.lacks or 'needs ' + stopped[0]}")
        return "skipped"
    if run.is_done:
        told("as before")
        return "done"
    told("\n  ".join((run.planned.about, *run.stage.commands)))
    for folder in ("results", "figures", "runs"):
        (made.request.out / folder).mkdir(parents=True, exist_ok=True)
    try:
        run.stage.run(run.result)
    except StageFailure as problem:
        told(f"failed: {problem.message}")
        return "failed"
    return "done"
