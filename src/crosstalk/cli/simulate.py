"""`crosstalk simulate`: users with goals talk to a system; every dialogue is kept."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, progress_bar, renamed, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.runs import Run
    from crosstalk.evaluation.sessions import Plan

PerType = Annotated[
    int | None,
    typer.Option("--per-type", min=1, help="So many goals of each type, drawn in natural order."),
]
Count = Annotated[
    int | None,
    typer.Option("-n", "--count", min=1, help="So many goals in the natural mix; default: 100."),
]
GoalFile = Annotated[
    Path | None, typer.Option("--goals", metavar="FILE", help="The goals of a file instead.")
]
Out = Annotated[Path, typer.Option("--out", metavar="RUN", help="Folder to write the run to.")]
Tracker = Annotated[str | None, typer.Option("--tracker", hidden=True)]
Protocol = Annotated[
    str, typer.Option("--protocol", help="Of the system: paper (quirks included) or corrected.")
]
User = Annotated[str, typer.Option("--user", help=f"The simulated user: {options.PART}.")]
UserNlu = Annotated[
    str,
    typer.Option(
        "--user-nlu",
        help="Understands the system's words: a name as for --nlu, or given: the user is handed "
        "the system's acts.",
    ),
]
UserNlg = Annotated[
    str, typer.Option("--user-nlg", help="Puts the user's acts into words: as for --nlg.")
]
UserProtocol = Annotated[
    str,
    typer.Option(
        "--user-protocol",
        help="Of the user: paper (published policy, templates as drawn, hearing without context) "
        "or corrected; default: that of --protocol.",
    ),
]
Level = Annotated[
    str,
    typer.Option("--level", help="What the sides hear of each other: acts, or words alone."),
]
Words = Annotated[
    bool, typer.Option("--words", help="Put every turn of a conversation in acts into words too.")
]
WiderActs = Annotated[
    float,
    typer.Option(
        "--wider-acts",
        metavar="SHARE",
        min=0,
        max=1,
        help="Share of user turns said with acts beyond the published ones, where they fit: "
        "yes / no questions, how many there are, the answer once more, another place.",
    ),
]
Workers = Annotated[int, typer.Option("-j", "--workers", min=1, help="Processes.")]
EngineName = Annotated[
    str, typer.Option("--engine", help="local, or ray: an existing Ray cluster.")
]
MaxTurns = Annotated[
    int, typer.Option("--max-turns", min=1, help="Number of turns each side may take.")
]
Trials = Annotated[
    int, typer.Option("--trials", min=1, help="Number of conversations per goal (for pass^k).")
]
Timeout = Annotated[
    float, typer.Option("--timeout", min=0, help="Seconds a turn may take; 0: no limit.")
]
Repeat = Annotated[int | None, typer.Option("--repeat", min=1, hidden=True)]
Exchanges = Annotated[int | None, typer.Option("--exchanges", min=1, hidden=True)]
Patience = Annotated[float | None, typer.Option("--patience", min=0, hidden=True)]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")]
Models = Annotated[Path | None, typer.Option("--models", help="Folder of models you have trained.")]


def simulate(
    out: Out,
    world: options.World = "harbour",
    language: options.Language = None,
    per_type: PerType = None,
    count: Count = None,
    goals: GoalFile = None,
    nlu: options.Nlu = "best",
    dst: options.Dst = "best",
    policy: options.Policy = "best",
    nlg: options.Nlg = "best",
    protocol: Protocol = "corrected",
    user: User = "rule",
    user_nlu: UserNlu = "best",
    user_nlg: UserNlg = "best",
    user_protocol: UserProtocol = "",
    level: Level = "acts",
    words: Words = False,
    exclusions: options.Exclusions = 0.0,
    wider_acts: WiderActs = 0.0,
    seed: options.Seed = 0,
    trials: Trials = 1,
    max_turns: MaxTurns = 15,
    timeout: Timeout = 30,
    workers: Workers = 1,
    engine: EngineName = "local",
    resume: Resume = False,
    data: options.Data = None,
    models: Models = None,
    tracker: Tracker = None,
    repeat: Repeat = None,
    exchanges: Exchanges = None,
    patience: Patience = None,
    as_json: options.AsJson = False,
) -> None:
    """Let simulated users pursue goals with a system, and keep every dialogue.

    The same seed gives the same dialogues, whatever the number of workers and the engine.
    """
    from crosstalk.evaluation.sessions import Rules
    from crosstalk.evaluation.simulation import Engine
    from crosstalk.evaluation.simulation import simulate as run_it
    from crosstalk.simulation.build import Setup

    dst = renamed("--tracker", tracker, "--dst", dst)
    trials = renamed("--repeat", repeat, "--trials", trials)
    max_turns = renamed("--exchanges", exchanges, "--max-turns", max_turns)
    timeout = renamed("--patience", patience, "--timeout", timeout)
    plan = _plan(seed, per_type, count, goals, trials, exclusions)
    setup = Setup(world, language, data, models, level=level, words=words, seed=seed)
    setup = replace(setup, wider_acts=wider_acts)
    setup = replace(setup, nlu=nlu, dst=dst, policy=policy, nlg=nlg, protocol=protocol)
    setup = replace(
        setup, user=user, user_nlu=user_nlu, user_nlg=user_nlg, user_protocol=user_protocol
    )
    rules, workshop = Rules(seed, max_turns, timeout), Engine(engine, workers)
    began = time.monotonic()
    with _told_when_stopped(out), progress_bar("Simulating") as progress:
        run = run_it(plan, setup, rules, out, engine=workshop, resume=resume, progress=progress)
    _tell(run, time.monotonic() - began, as_json)
    if goals is not None:
        _warn_of_unsatisfiable(goals, run, data)


def _plan(
    seed: int,
    per_type: int | None,
    count: int | None,
    goals: Path | None,
    repeat: int,
    exclusions: float,
) -> "Plan":
    from crosstalk.evaluation.sessions import Plan

    given = [name for name, value in _ways(per_type, count, goals).items() if value is not None]
    if len(given) > 1:
        raise InputError(
            f"{' and '.join(given)} cannot go together", remedy="Give one of the three."
        )
    if goals and exclusions:
        raise InputError(
            "--goals and --exclusions cannot go together",
            remedy="Draw the goals with `crosstalk goals sample --exclusions SHARE` instead.",
        )
    if not given:
        count = 100
    return Plan(seed, per_type or 0, count or 0, goals, repeat, exclusions)


def _ways(
    per_type: int | None, count: int | None, goals: Path | None
) -> dict[str, int | Path | None]:
    return {"--per-type": per_type, "-n": count, "--goals": goals}


def _warn_of_unsatisfiable(goals: Path, run: "Run", data: Path | None) -> None:
    """Goals of one's own may contradict themselves, or name what is no longer in the tables."""
    from crosstalk.evaluation.goal_check import unsatisfiable
    from crosstalk.evaluation.simulation import world_of

    if found := unsatisfiable(goals, world_of(run, data)):
        some = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
        warn(f"{len(found)} goals cannot be met as they stand: {some}")


def _tell(run: "Run", seconds: float, as_json: bool) -> None:
    if run.card.aliases:
        warn("; ".join(run.card.aliases))
    if as_json:
        print_json({"run": str(run.folder), "dialogues": run.card.sessions})
        return
    warn(f"{run.card.sessions:,} dialogues in {run.folder} ({seconds:.0f} s)")
    warn(f"`crosstalk report {run.folder}` judges them")


@contextmanager
def _told_when_stopped(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        warn(f"stopped; the same command with --resume goes on with what is in {out}")
        raise
