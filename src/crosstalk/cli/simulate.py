"""`crosstalk simulate`: users with goals talk to a system; every dialogue is kept."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import (
    print_json,
    progress_bar,
    warn,
    warn_of_actions,
    warning_when_stopped,
)

if TYPE_CHECKING:
    from crosstalk.agents.build import AgentOptions
    from crosstalk.simulation.run_folders import Run

CHAT = "chat.jsonl"
"""The file of a run folder that --export chat writes."""


@options.with_compute
@options.with_agent_options
def simulate(
    *,
    asked: "AgentOptions",
    out: Annotated[
        Path,
        typer.Option("--out", readable=False, metavar="RUN", help="Folder to write the run to."),
    ],
    world: options.World = "harbour",
    language: options.Language = None,
    per_type: options.GoalsPerType = None,
    count: options.GoalCount = None,
    goals: options.GoalFile = None,
    agent: options.Agent = "system",
    nlu: options.Nlu = "best",
    dst: options.Dst = "best",
    policy: options.Policy = "best",
    nlg: options.Nlg = "best",
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol", help="Protocol of the system: paper (as published) or corrected."
        ),
    ] = "corrected",
    user: options.User = "rule",
    user_voice: options.UserVoice = "",
    user_nlu: Annotated[
        str,
        typer.Option(
            "--user-nlu",
            help="Understands the system's words: a name as for --nlu, or given: the user gets "
            "the system's acts.",
        ),
    ] = "best",
    user_nlg: Annotated[
        str, typer.Option("--user-nlg", help="Puts the user's acts into words: as for --nlg.")
    ] = "best",
    user_protocol: Annotated[
        str,
        typer.Option(
            "--user-protocol",
            help="Protocol of the user: paper (published policy and templates, NLU without "
            "context) or corrected; default: that of --protocol.",
        ),
    ] = "",
    level: Annotated[
        str,
        typer.Option(
            "--level",
            help="What each side receives from the other: dialogue acts, or words (text only).",
        ),
    ] = "acts",
    words: Annotated[
        bool,
        typer.Option("--words", help="With --level acts: also generate the text of every turn."),
    ] = False,
    actions: options.Actions = False,
    exclusions: options.Exclusions = 0.0,
    wider_acts: Annotated[
        float,
        typer.Option(
            "--wider-acts",
            metavar="SHARE",
            min=0,
            max=1,
            help="Share of user turns with acts beyond the published ones, where they fit: yes/no "
            "questions, counts, requests to repeat, requests for another place.",
        ),
    ] = 0.0,
    perturbation: options.Perturbation = "",
    seed: options.Seed = 0,
    trials: options.Trials = 1,
    max_turns: options.MaxTurns = None,
    timeout: options.Timeout = 30,
    workers: options.Workers = 1,
    concurrency: options.Concurrency = 1,
    engine: options.Engine = "local",
    resume: options.Resume = False,
    data: options.Data = None,
    models: options.Models = None,
    export: Annotated[
        str,
        typer.Option(
            "--export",
            help="chat: also write the dialogues that succeeded, each once, as chat messages with "
            "tool calls, to chat.jsonl in the run folder. With --level acts it means --words too.",
        ),
    ] = "",
    balance: options.Balanced = "none",
    as_json: options.AsJson = False,
) -> None:
    """Let simulated users pursue goals with a system, and write all dialogues to a run folder.

    The same seed gives the same dialogues for any number of workers and either engine.
    """
    from crosstalk.simulation.build import Setup
    from crosstalk.simulation.runner import Engine
    from crosstalk.simulation.runner import simulate as run_it
    from crosstalk.simulation.sessions import plan_of, session_rules
    from crosstalk.system.build import ACTS

    if export not in ("", "chat"):
        raise typer.BadParameter(f"{export!r} is unknown; give chat", param_hint="--export")
    if balance != "none" and not export:
        raise typer.BadParameter("goes with --export chat", param_hint="--balance")
    words = words or (level == ACTS and bool(export))
    drawn = actions and goals is None
    plan = plan_of(seed, per_type, count, goals, trials, exclusions, drawn)
    setup = Setup(
        world, language, data, models, nlu=nlu, dst=dst, policy=policy, nlg=nlg,
        protocol=protocol, user=user, user_nlu=user_nlu, user_nlg=user_nlg,
        user_protocol=user_protocol, user_voice=user_voice, level=level, words=words,
        wider_acts=wider_acts, seed=seed, perturbation=perturbation,
        agent=agent, agent_options=replace(asked, timeout=timeout, actions=actions),
    )  # fmt: skip
    rules = session_rules(seed, max_turns, timeout, actions=actions)
    workshop = Engine(engine, workers, concurrency)
    if goals is not None and not actions:
        warn_of_actions(goals)
    began = time.monotonic()
    stopped = f"the same command with --resume continues the run in {out}"
    with warning_when_stopped(stopped), progress_bar("Simulating") as progress:
        run = run_it(plan, setup, rules, out, engine=workshop, resume=resume, progress=progress)
    if export:
        _export(run, balance, data)
    _print_run(run, time.monotonic() - began, as_json)
    if goals is not None:
        _warn_of_unsatisfiable(goals, run, data)


def _export(run: "Run", balance: str, data: Path | None) -> None:
    """Write the verified dialogues of a run as chat messages."""
    from crosstalk.corpora.corpus import write_corpus
    from crosstalk.evaluation.corpus_world import WorldLookUps

    chosen = options.chosen_dialogues(run.folder, balance, data)
    lookups = WorldLookUps(run.card.setup["world"], data)
    write_corpus(chosen.dialogues, run.folder / CHAT, to="chat", lookups=lookups)
    warn(f"{chosen.told}; {len(chosen.dialogues):,} in {run.folder / CHAT}")


def _warn_of_unsatisfiable(goals: Path, run: "Run", data: Path | None) -> None:
    """Goals of one's own may contradict themselves, or name what is no longer in the tables."""
    from crosstalk.goals.goal_files import unsatisfiable
    from crosstalk.simulation.runner import world_of

    if found := unsatisfiable(goals, world_of(run, data)):
        some = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
        warn(f"{len(found)} goals cannot be met as they stand: {some}")


def _print_run(run: "Run", seconds: float, as_json: bool) -> None:
    if run.card.aliases:
        warn("; ".join(run.card.aliases))
    if as_json:
        print_json({"run": str(run.folder), "dialogues": run.card.sessions})
        return
    warn(f"{run.card.sessions:,} dialogues in {run.folder} ({seconds:.0f} s)")
    warn(f"`crosstalk report {run.folder}` judges them, `crosstalk view {run.folder}` shows them")
