"""Judging an agent end to end: conversations with simulated users, then verdicts.

scores = judge_agent(JudgeOptions(plan, setup, rules, engine), Path("run"))
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.agents.build import SYSTEM, sees_our_tools
from crosstalk.errors import InputError
from crosstalk.evaluation.agent_scores import AgentScores, score_run
from crosstalk.evaluation.attacks import AttackScores, score_attack
from crosstalk.evaluation.user_reruns import with_reruns
from crosstalk.language.phrases import speaks
from crosstalk.simulation.build import PROSE, Setup
from crosstalk.simulation.run_folders import open_run
from crosstalk.simulation.runner import Engine, simulate, world_of
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.system.parts import BEST
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import find_world, load_world


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which conversations an agent is judged by."""

    plan: Plan
    setup: Setup
    rules: SessionRules
    engine: Engine
    resume: bool = False
    reader: str = ""
    """A language model that reads what our reader leaves unread: `openai:MODEL[@URL]`."""
    reruns: int = 0
    """Further tries of a conversation in which the user erred."""


def judge_agent(
    options: JudgeOptions,
    out: Path,
    progress: Callable[[int, int], None] = lambda held, planned: None,
) -> AgentScores:
    """Hold the conversations of a plan with an agent, and judge them; the run is kept in `out`."""
    scores = _judge_once(options, out, progress)
    if not options.reruns or not scores.is_whole:
        return scores

    def hold(goals: Path, seed: int, folder: Path) -> AgentScores:
        plan = Plan(options.plan.seed + seed, goals=goals)
        rules = replace(options.rules, seed=options.rules.seed + seed)
        return _judge_once(replace(options, plan=plan, rules=rules), folder, progress)

    return with_reruns(scores, out, options.reruns, hold)


def _judge_once(
    options: JudgeOptions, out: Path, progress: Callable[[int, int], None]
) -> AgentScores:
    setup = with_reading_user(options.setup)
    run = simulate(
        options.plan,
        setup,
        options.rules,
        out,
        engine=options.engine,
        resume=options.resume,
        progress=progress,
    )
    database = Database(world_of(run, setup.data))
    prices = setup.agent_options
    return score_run(
        run,
        database,
        data=setup.data,
        price_in=prices.price_in,
        price_out=prices.price_out,
        reader=options.reader,
    )


def judge_under_attack(
    options: JudgeOptions,
    share: float,
    out: Path,
    progress: Callable[[int, int], None] = lambda held, planned: None,
) -> AttackScores:
    """Judge an agent twice: with true tables, and with instructions in a share of their texts.

    The second run lies beside the first, in a folder whose name ends in `-poisoned`.
    """
    if options.setup.agent == SYSTEM:
        raise InputError(
            "our own system reads no instructions in tables: it has nothing to obey them with",
            remedy="Give --poison with an agent of somebody else's.",
        )
    if not sees_our_tools(options.setup.agent, options.setup.agent_options):
        raise InputError(
            f"{options.setup.agent} is offered no tools of ours, so that it would never see an "
            "instruction that stands in our tables",
            remedy="Offer a service our tools over MCP (--tools mcp), or a model its tools.",
        )
    clean = judge_agent(options, out, progress)
    attacked = replace(options, setup=replace(options.setup, poison=share))
    folder = poisoned_folder(out)
    scores = judge_agent(attacked, folder, progress)
    return score_attack(open_run(folder), scores, clean, options.setup.seed)


def poisoned_folder(out: Path) -> Path:
    """Where the run with poisoned tables lies."""
    return out.with_name(f"{out.name}-poisoned")


def with_reading_user(setup: Setup) -> Setup:
    """The setup with users who hear every agent alike, ours included, so that runs compare."""
    world = load_world(setup.world, language=setup.language, data=setup.data)
    folder = world.folder or find_world(setup.world)
    reads = setup.user_nlu == BEST and speaks(folder, world.language.code)
    return replace(setup, user_nlu=PROSE) if reads else setup


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What an agent has to reach; shares of 1."""

    success: float | None = None
    passes: tuple[tuple[int, float], ...] = ()

    def missed(self, scores: AgentScores) -> list[str]:
        """In words, what was not reached; a run without a conversation that counts reaches none."""
        missed = []
        success = scores.success or 0.0
        if self.success is not None and success < 100 * self.success:
            missed.append(f"success is {success:.1f} %, below {100 * self.success:g} %")
        rates = scores.pass_rates()
        for k, least in self.passes:
            value = 100 * rates[k].value if k in rates else 0.0
            if value < 100 * least:
                missed.append(f"pass^{k} is {value:.1f} %, below {100 * least:g} %")
        return missed


def thresholds(success: float | None, passes: Sequence[str], trials: int = 1) -> Thresholds:
    """`4:0.8` for at least 80 % of pass^4; raises for anything else.

    `trials`: conversations per goal, of which pass^k needs at least k.
    """
    read = []
    for each in passes:
        k, _, share = each.partition(":")
        try:
            read.append((int(k), float(share)))
        except ValueError:
            raise InputError(
                f"--min-pass {each!r} is no threshold", remedy="Give K:SHARE, such as 4:0.8."
            ) from None
    if most := max((k for k, _ in read if k > trials), default=0):
        raise InputError(
            f"pass^{most} needs at least {most} conversations per goal, not {trials}",
            remedy=f"Add --trials {most}.",
        )
    return Thresholds(success, tuple(read))
