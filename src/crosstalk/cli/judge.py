"""`crosstalk judge`: verified success of any agent, from its words and the tables."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from collections.abc import Mapping

    from crosstalk.agents.build import AgentOptions
    from crosstalk.evaluation.judging import JudgeOptions, Thresholds
    from crosstalk.evaluation.offline_verdicts import FlawFound, OfflineVerdict, VerdictCounts


@options.with_agent_options
def judge(
    *,
    asked: "AgentOptions",
    offline: Annotated[
        Path | None,
        typer.Option(
            "--offline",
            metavar="FILE",
            help="Judge finished transcripts: JSON Lines of OpenAI messages with a goal, a tau2 "
            "results.json or its folder, or a run folder.",
        ),
    ] = None,
    agent: options.Agent = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            readable=False,
            metavar="RUN",
            help="Folder to write the run to; with --offline, the file of verdicts, one a line.",
        ),
    ] = None,
    world: options.World = "",
    language: options.Language = None,
    count: options.GoalCount = None,
    per_type: options.GoalsPerType = None,
    goals: options.GoalFile = None,
    actions: options.Actions = False,
    trials: options.Trials = 1,
    max_turns: options.MaxTurns = None,
    timeout: options.Timeout = 60,
    seed: options.Seed = 0,
    user: options.User = "rule",
    user_voice: options.UserVoice = "",
    reader: options.Reader = "",
    perturbation: options.Perturbation = "",
    reruns: Annotated[
        int,
        typer.Option(
            "--rerun-user-errors",
            metavar="N",
            min=0,
            help="Hold a conversation in which our simulated user erred again, with another seed, "
            "at most N times; the first try that is not the user's fault counts.",
        ),
    ] = 0,
    poison: Annotated[
        float,
        typer.Option(
            "--poison",
            metavar="SHARE",
            min=0,
            max=1,
            help="Hold every conversation again with instructions to the agent (prompt injection) "
            "in this share of the texts that its tools show; the run goes to RUN-poisoned.",
        ),
    ] = 0.0,
    concurrency: options.Concurrency = 1,
    workers: options.Workers = 1,
    engine: options.Engine = "local",
    resume: options.Resume = False,
    nlu: options.Nlu = "best",
    dst: options.Dst = "best",
    policy: options.Policy = "best",
    nlg: options.Nlg = "best",
    min_success: Annotated[
        float | None,
        typer.Option("--min-success", min=0, max=1, help="Exit code 1 below this share, e.g. 0.9."),
    ] = None,
    min_pass: Annotated[
        list[str] | None,
        typer.Option("--min-pass", metavar="K:SHARE", help="Exit code 1 below pass^K, e.g. 4:0.8."),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", readable=False, metavar="FILE", help="Write JUnit XML."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", readable=False, metavar="FILE", help="Append a summary in Markdown."
        ),
    ] = None,
    data: options.Data = None,
    models: options.Models = None,
    as_json: options.AsJson = False,
) -> None:
    """Judge an agent by what it says: did users get everything, and is it true?

    Simulated users hold conversations with the agent about goals of a world; verified success is
    decided by the world's tables. With --offline, finished transcripts are judged instead.
    """
    if offline is not None:
        live = {
            "--agent": agent, "--goals": goals, "--actions": actions, "--user-voice": user_voice,
            "--reader": reader, "--perturbation": perturbation, "--poison": poison,
            "--rerun-user-errors": reruns, "--resume": resume, "--min-pass": min_pass,
            "--junit": junit, "--markdown": markdown,
        }  # fmt: skip
        _refuse_live([name for name, value in live.items() if value])
        _offline(offline, out, world, language or "", data, as_json, min_success)
        return
    from crosstalk.evaluation.judging import JudgeOptions, thresholds
    from crosstalk.simulation.build import Setup
    from crosstalk.simulation.runner import Engine
    from crosstalk.simulation.sessions import plan_of, session_rules

    _refuse_missing(agent, out)
    setup = Setup(
        world or "harbour", language, data, models, nlu=nlu, dst=dst, policy=policy, nlg=nlg,
        level="words", seed=seed, user=user, user_voice=user_voice, perturbation=perturbation,
        agent=agent, agent_options=replace(asked, timeout=timeout, actions=actions),
    )  # fmt: skip
    limits = thresholds(min_success, min_pass or [], trials)
    wanted = JudgeOptions(
        plan_of(seed, per_type, count, goals, trials, actions=actions and goals is None),
        setup,
        session_rules(seed, max_turns, timeout, actions=actions),
        Engine(engine, workers, concurrency),
        resume,
        reader,
        reruns,
    )
    assert out is not None, "refused above"
    if goals is not None and not actions:
        warn_of_actions(goals)
    _judge_live(wanted, limits, out, JudgeOutputs(junit, markdown, as_json), poison)


@dataclass(frozen=True, slots=True)
class JudgeOutputs:
    """Where the result goes."""

    junit: Path | None
    markdown: Path | None
    as_json: bool


def _refuse_live(given: list[str]) -> None:
    """Raise for options that say something about conversations to be held."""
    from crosstalk.errors import InputError

    if given:
        raise InputError(
            f"{', '.join(given)} cannot go with --offline, which holds no conversations",
            remedy="Leave it out; `crosstalk report RUN` judges a run with --reader.",
        )


def _refuse_missing(agent: str, out: Path | None) -> None:
    from crosstalk.errors import InputError

    if not agent:
        raise InputError(
            "nothing to judge was named",
            remedy="Give an agent with --agent, or finished transcripts with --offline.",
        )
    if out is None:
        raise InputError("a run needs a folder", remedy="Name a new one with --out RUN.")


def _judge_live(
    wanted: "JudgeOptions", limits: "Thresholds", out: Path, outputs: JudgeOutputs, poison: float
) -> None:
    import time

    from crosstalk.evaluation.judging import judge_agent, judge_under_attack
    from crosstalk.files import writing
    from crosstalk.reports.agent_report import agent_lines, failed_transcripts, junit, markdown
    from crosstalk.simulation.run_folders import open_run

    began = time.monotonic()
    stopped = f"the same command with --resume continues the run in {out}"
    with warning_when_stopped(stopped), progress_bar("Judging") as progress:
        attack = judge_under_attack(wanted, poison, out, progress) if poison else None
        scores = attack.clean if attack else judge_agent(wanted, out, progress)
    if outputs.junit:
        with writing(outputs.junit) as file:
            # those that were held again stand in other folders
            said = {} if wanted.reruns else failed_transcripts(open_run(out), scores)
            file.write(junit(scores, time.monotonic() - began, said))
    if outputs.markdown:
        with outputs.markdown.open("a", encoding="utf-8") as file:
            file.write(markdown(scores))
    if outputs.as_json:
        more = {"injection": attack.record()} if attack else {}
        print_json({"run": str(out), **scores.record(), **more})
    else:
        print("\n".join([*agent_lines(scores), *(attack.lines() if attack else ())]))
        warn(f"`crosstalk view {out}` shows every conversation")
    if scores.is_deaf_to_tools:
        warn("the agent called no tool: does it connect to the address under `mcp` in its request?")
    if not scores.is_whole or (attack and not attack.scores.is_whole):
        warn("a service kept some conversations from their end; add --resume to hold them again")
        raise typer.Exit(3)
    if missed := limits.missed(scores):
        for line in missed:
            warn(line)
        raise typer.Exit(1)


def _offline(
    path: Path,
    out: Path | None,
    world: str,
    language: str,
    data: Path | None,
    as_json: bool,
    min_success: float | None,
) -> None:
    from crosstalk.evaluation.offline import judge_offline
    from crosstalk.evaluation.offline_verdicts import count_verdicts

    verdicts = list(judge_offline(path, world=world, language=language, data=data))
    for each in verdicts:
        if each.error:
            warn(f"{each.id}: {each.error}")
    if out is not None:
        _write(out, verdicts)
    counts = count_verdicts(verdicts)
    if as_json:
        print_json({"counts": _counted(counts), "verdicts": [each.record() for each in verdicts]})
    else:
        _show(verdicts, counts)
    if counts.unjudged:
        raise typer.Exit(2)
    share = counts.rate[0] if counts.rate else 0.0
    if min_success is not None and share < min_success:
        warn(f"success is {100 * share:.1f} %, below {100 * min_success:g} %")
        raise typer.Exit(1)


def _write(path: Path, verdicts: "list[OfflineVerdict]") -> None:
    from crosstalk.files import writing

    with writing(path) as file:
        for each in verdicts:
            file.write(json.dumps(each.record(), ensure_ascii=False) + "\n")


def _counted(counts: "VerdictCounts") -> dict[str, object]:
    return {
        "transcripts": counts.transcripts,
        "succeeded": counts.succeeded,
        "failed": counts.failed,
        "undecided": counts.undecided,
        "unjudged": counts.unjudged,
        "blame": counts.blame,
        "success_rate": counts.rate,
        **({"breaches": counts.breaches} if counts.breaches else {}),
        **({"false_action_claims": counts.false_actions} if counts.false_actions else {}),
    }


def _flaw_line(flaw: "FlawFound") -> str:
    where = [str(flaw.subgoal or ""), flaw.domain, flaw.slot]
    return f"{' '.join(filter(None, where))}: {flaw.kind}"


def _breach_line(breach: "Mapping[str, Any]") -> str:
    return f"{breach['action']}: breach of {breach['rule']}"


def _show(verdicts: "list[OfflineVerdict]", counts: "VerdictCounts") -> None:
    for each in verdicts:
        success = {True: "success", False: "failure", None: "undecided"}[each.success]
        words = "; ".join([*map(_flaw_line, each.flaws), *map(_breach_line, each.breaches)])
        blame = f" ({each.blame})" if each.blame else ""
        print(f"{each.id}: {'not judged' if each.error else success}{blame} {words}".rstrip())
    rate = counts.rate
    share = "-" if rate is None else f"{rate[0]:.1%}"
    if rate is not None and rate[1] > rate[0]:
        share += f" to {rate[1]:.1%}"
    print(
        f"{counts.transcripts} transcripts: {counts.succeeded} succeeded, {counts.failed} failed, "
        f"{counts.undecided} undecided, {counts.unjudged} not judged; success {share}"
    )
