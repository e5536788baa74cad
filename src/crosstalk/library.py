"""The library: what the command line does, as functions that take and return live objects.

`import crosstalk` offers them all; this module is imported with the first one that is used.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal, goal_type
from crosstalk.dialogue.participants import Participant
from crosstalk.errors import InputError
from crosstalk.simulation.run_folders import Run
from crosstalk.system.build import ACTS, SystemCard
from crosstalk.system.build import build_system as build_system
from crosstalk.system.external_parts import METHODS
from crosstalk.system.parts import BuiltPart, context_of, live_part
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.users.simulator import Simulator
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import built_in_worlds, find_world
from crosstalk.worlds.world import load_world as _load_world

if TYPE_CHECKING:
    from crosstalk.agents.build import AgentOptions
    from crosstalk.evaluation.agent_scores import AgentScores
    from crosstalk.evaluation.evaluator import Score
    from crosstalk.evaluation.run_comparison import RunComparison
    from crosstalk.problems import Problem
    from crosstalk.simulation.build import Setup
    from crosstalk.simulation.sessions import Plan
    from crosstalk.trainers.table import TrainKeywords

__all__ = [
    "AgentRunOptions",
    "RunOptions",
    "build_system",
    "check_world",
    "compare",
    "evaluate",
    "judge",
    "judge_agent",
    "load_world",
    "read_corpus",
    "sample_goals",
    "simulate",
    "train",
]

Place = str | Path


def load_world(world: Place, *, language: str | None = None, data: Place | None = None) -> World:
    """Load a world: its schema, its tables and one of its languages.

    Args:
        world: Name of a built-in world (`harbour`, `crosswoz`), or path of a world folder.
        language: Language code, such as `de`; None: the world's base language.
        data: Folder of fetched corpora, for worlds whose tables are fetched; None: the
            environment variable `CROSSTALK_DATA`.

    Returns:
        The world, ready to be searched or handed to the other functions.
    """
    return _load_world(world, language=language, data=_path(data))


def check_world(world: Place, *, data: Place | None = None) -> "list[Problem]":
    """Check the files of a world, as `crosstalk world check` does.

    Args:
        world: Name of a built-in world, or path of a world folder.
        data: Folder of fetched corpora, for worlds whose tables are fetched.

    Returns:
        The problems found, those that keep the world from loading first; empty if there are none.
    """
    from crosstalk.language.keywords import check_keywords
    from crosstalk.system.world_check import check_best, check_templates
    from crosstalk.worlds.check import check_world as check_files

    folder = find_world(world)
    problems = [
        *check_files(folder, data=_path(data)),
        *check_best(folder),
        *check_templates(folder),
        *check_keywords(folder),
    ]
    return sorted(problems, key=lambda problem: not problem.fatal)


def read_corpus(
    path: Place, *, format: str | None = None, strict: bool = True
) -> Iterator[Dialogue]:
    """Read the dialogues of a corpus one by one.

    Args:
        path: File or folder of the corpus, zipped or not.
        format: Name of its format; None: recognised from the content.
        strict: Whether to raise `FormatError` at the first dialogue that breaks the format's
            rules; otherwise such dialogues are read as far as possible.

    Returns:
        An iterator; nothing is read before the first dialogue is asked for.
    """
    from crosstalk.corpora.corpus import read_corpus as read

    return read(Path(path), format=format, strict=strict)


def sample_goals(
    world: World | Place,
    count: int,
    *,
    seed: int = 0,
    language: str | None = None,
    actions: bool = False,
) -> list[Goal]:
    """Sample user goals, in the mix of types that the world prescribes.

    Args:
        world: A loaded world, or a name or folder as for `load_world`.
        count: Number of goals.
        seed: Random seed; goal number i depends on the seed and i alone.
        language: Language code, if `world` is a name or a folder.
        actions: Whether something is to be done in each goal, such as a booking.

    Returns:
        The goals; `goal.description` has each one in words.
    """
    from crosstalk.goals.goal_options import GoalOptions
    from crosstalk.goals.sampler import goal_rng, goal_sampler

    sampler = goal_sampler(_world(world, language), GoalOptions(actions=actions))
    return [sampler.sample(goal_rng(seed, number)) for number in range(count)]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Settings of a simulation; `simulate` takes the fields as keywords too."""

    world: World | Place | None = None
    """World of the conversations; None: the one that the system was built for, else harbour."""
    language: str | None = None
    """Language code; None: the language of the system, else the world's base language."""
    level: str | None = None
    """What the sides exchange, `acts` or `words`; None: as the system was built."""
    data: Place | None = None
    """Folder of fetched corpora."""
    models: Place | None = None
    """Folder of models trained by you."""
    user_nlu: str = "best"
    """NLU of the simulated user; `given`: it receives the system's acts."""
    user_nlg: str = "best"
    """NLG of the simulated user."""
    user_protocol: str = ""
    """Protocol of the user, `paper` or `corrected`; empty: that of the system."""
    protocol: str = "corrected"
    """Protocol of a system that `simulate` builds itself."""
    exchanges: int | None = None
    """Maximum number of turns of each side; None: 15, with actions 25."""
    patience: float = 30
    """Maximum number of seconds a turn may take; 0: no limit."""
    actions: bool = False
    """Whether something is to be done in each conversation, such as a booking; a system of yours
    needs `build_system(..., actions=True)`."""


class RunKeywords(TypedDict, total=False):
    """The fields of `RunOptions` as keywords."""

    world: World | Place | None
    language: str | None
    level: str | None
    data: Place | None
    models: Place | None
    user_nlu: str
    user_nlg: str
    user_protocol: str
    protocol: str
    exchanges: int | None
    patience: float
    actions: bool


def simulate(
    system: Participant[Any] | str | None = None,
    user: str | Simulator = "rule",
    goals: int | Sequence[Goal] = 100,
    *,
    seed: int = 0,
    out: Place | None = None,
    options: RunOptions | None = None,
    **keywords: Unpack[RunKeywords],
) -> Run:
    """Let simulated users pursue goals in conversations with a system.

    Exceptions of a live object end its conversation, not the run; the judgement counts them as
    faults of that side.

    Args:
        system: Any object with `begin` and `reply`, such as `build_system` returns; the name of
            an agent, as `--agent` takes it (`openai:MODEL@URL`, `python:file.py:name`, ...); None:
            the default system of the world.
        user: Name of a simulated user, `package.module:Object`, or an object with `open` and
            `respond`.
        goals: Number of goals to sample, or the goals themselves.
        seed: Random seed of the goals and of both sides.
        out: Folder to write the run to; None: a new temporary folder.
        options: World, language, level and limits of the conversations.
        **keywords: Single fields of `RunOptions`; they override `options`.

    Returns:
        The run: `run.folder`, `run.card` and `run.dialogues()`.
    """
    from crosstalk.simulation.build import with_user
    from crosstalk.simulation.runner import simulate as hold_all
    from crosstalk.simulation.sessions import session_rules

    chosen = replace(options or RunOptions(), **keywords)
    if isinstance(system, str) and system != "system":
        return _simulate_agent(system, user, goals, seed, out, chosen)
    system = None if isinstance(system, str) else system
    live, setup = _setup(system, user, seed, chosen)
    if system is None:
        system = build_system(
            live,
            data=setup.data,
            models=setup.models,
            protocol=setup.protocol,
            level=setup.level,
            actions=chosen.actions,
        )
    card = _card(system)
    parts: Mapping[str, BuiltPart] = card.parts if card else {"system": live_part(system)}
    context = context_of(live, data=setup.data, models=setup.models, protocol=setup.protocol)
    simulation = with_user(setup, system, replace(context, seed=seed), parts, user)
    with tempfile.TemporaryDirectory() as scratch:
        plan = _plan(goals, seed, live, Path(scratch), actions=chosen.actions)
        rules = session_rules(seed, chosen.exchanges, chosen.patience, actions=chosen.actions)
        return hold_all(plan, setup, rules, _folder(out), live=simulation)


def _simulate_agent(
    agent: str,
    user: str | Simulator,
    goals: int | Sequence[Goal],
    seed: int,
    out: Place | None,
    options: RunOptions,
) -> Run:
    from crosstalk.simulation.runner import simulate as hold_all
    from crosstalk.simulation.sessions import session_rules

    if not isinstance(user, str):
        raise InputError("an agent by name talks to a user by name", remedy="Give user='rule'.")
    live, setup = _setup(None, user, seed, replace(options, level="words"))
    folder = _folder(out)
    with tempfile.TemporaryDirectory() as scratch:
        plan = _plan(goals, seed, live, Path(scratch), actions=options.actions)
        rules = session_rules(seed, options.exchanges, options.patience, actions=options.actions)
        return hold_all(plan, replace(setup, agent=agent), rules, folder)


def _folder(out: Place | None) -> Path:
    return Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="crosstalk-")) / "run"


def _setup(
    system: Participant[Any] | None, user: str | Simulator, seed: int, options: RunOptions
) -> "tuple[World, Setup]":
    """The world of a simulation, and its parts by name, for the card of the run."""
    from crosstalk.agents.build import AgentOptions
    from crosstalk.simulation.build import Setup

    card, data = _card(system), _path(options.data)
    live = _world(options.world or (card.world if card else "harbour"), options.language, data)
    level = options.level or (card.level if card else ACTS)
    _refuse_other(card, live, level)
    setup = Setup(
        _name(live),
        live.language.code,
        data,
        _path(options.models),
        user=user if isinstance(user, str) else "rule",
        protocol=card.protocol if card else options.protocol,
        level=level,
        user_nlu=options.user_nlu,
        user_nlg=options.user_nlg,
        user_protocol=options.user_protocol,
        seed=seed,
        agent_options=AgentOptions(actions=options.actions),
    )
    return live, setup


def _card(system: Participant[Any] | None) -> SystemCard | None:
    """The card of a system that `build_system` built; None for others."""
    card = getattr(system, "card", None)
    return card if isinstance(card, SystemCard) else None


def _refuse_other(card: SystemCard | None, world: World, level: str) -> None:
    if card is None:
        return
    if card.level != level:
        raise InputError(
            f"the system was built for the level {card.level!r}, not for {level!r}",
            remedy=f"Build it so: build_system(..., level={level!r}).",
        )
    if (card.world.name, card.world.language.code) != (world.name, world.language.code):
        raise InputError(
            f"the system was built for {card.world.name} in {card.world.language.code!r}, not for "
            f"{world.name} in {world.language.code!r}",
            remedy="Leave `world` and `language` out: they come with the system.",
        )


def _plan(
    goals: int | Sequence[Goal], seed: int, world: World, scratch: Path, *, actions: bool = False
) -> "Plan":
    """The plan for a number of goals, or for a list, which is written to a goal file."""
    from crosstalk.goals.goal_files import StoredGoal, write_goals
    from crosstalk.simulation.sessions import Plan

    if isinstance(goals, int):
        return Plan(seed, count=goals, actions=actions)
    records = [
        StoredGoal(
            f"goal-{number}",
            world.name,
            world.language.code,
            replace(goal, type=goal.type or goal_type(goal.tuples, world.rides)),
        )
        for number, goal in enumerate(goals)
    ]
    write_goals(scratch / "goals.jsonl", records)
    return Plan(seed, goals=scratch / "goals.jsonl")


@dataclass(frozen=True, slots=True)
class RunJudgement:
    """Outcome of a run's dialogues: the figures of `crosstalk report RUN --json`."""

    success: Mapping[str, float | None]
    """Goal type, or `overall` -> percent of dialogues in which the user got everything, and all
    of it is true."""
    finish: Mapping[str, float | None]
    """The paper's task finish in percent: everything said, answered and resolved."""
    dialogues: int
    """Number of dialogues."""
    figures: Mapping[str, Any]
    """All figures of the report as plain values: turns, intervals, reasons of failure ..."""


def judge(run: Run | Place, *, data: Place | None = None) -> RunJudgement:
    """Judge the dialogues of a run against the world's tables.

    Args:
        run: A run, or the folder of one.
        data: Folder of fetched corpora, for worlds whose tables are fetched.

    Returns:
        Success and finish rates by goal type, and all other figures of the report.
    """
    from crosstalk.reports.run_summary import summarise, summary_record

    folder = run.folder if isinstance(run, Run) else Path(run)
    figures = summary_record(summarise(folder, data=_path(data)))
    return RunJudgement(figures["success"], figures["finish"], figures["dialogues"], figures)


@dataclass(frozen=True, slots=True)
class AgentRunOptions:
    """Settings of `judge_agent`, which takes the fields as keywords too."""

    world: Place = "harbour"
    """Name of a built-in world, or path of a world folder."""
    language: str | None = None
    """Language code; None: the world's base language."""
    goals: int | Place = 20
    """Number of goals to sample, or a file of goals."""
    trials: int = 1
    """Conversations per goal, for pass^k."""
    seed: int = 0
    """Random seed of the goals and of the users."""
    user: str = "rule"
    """The simulated user: `rule`, `trees`, or `openai:MODEL[@URL]`, a language model that gets the
    goal in words."""
    user_voice: str = ""
    """`openai:MODEL[@URL]`: a language model that phrases the user's turns; empty: templates."""
    perturbation: str = ""
    """Hard users, such as `typos` or `typos+all-at-once`; empty: easy ones."""
    actions: bool = False
    """Whether the agent can also do something, and users ask for it; the tables then have to end as
    the goal wants them."""
    max_turns: int | None = None
    """Turns that each side may take; None: 15, with actions 25."""
    timeout: float = 60
    """Seconds that a turn may take."""
    concurrency: int = 1
    """Conversations held at the same time."""
    data: Place | None = None
    """Folder of fetched corpora, for worlds whose tables are fetched."""
    agent_options: "AgentOptions | None" = None
    """How the agent is asked: prompt, tools, request of an HTTP service, budgets, cache; None: the
    defaults of the command line."""


class AgentRunKeywords(TypedDict, total=False):
    """The fields of `AgentRunOptions` as keywords."""

    world: Place
    language: str | None
    goals: int | Place
    trials: int
    seed: int
    user: str
    user_voice: str
    perturbation: str
    actions: bool
    max_turns: int | None
    timeout: float
    concurrency: int
    data: Place | None
    agent_options: "AgentOptions | None"


def judge_agent(
    agent: str,
    *,
    out: Place | None = None,
    options: AgentRunOptions | None = None,
    **keywords: "Unpack[AgentRunKeywords]",
) -> "AgentScores":
    """Hold conversations with an agent and judge them, as `crosstalk judge` does.

    Args:
        agent: `system`, `openai:MODEL[@URL]`, `python:module:name`, `python:file.py:name`,
            `cmd:program ...`, `http:URL` or `a2a:URL`.
        out: Folder to write the run to; None: a new temporary folder.
        options: World, language, goals, users and limits.
        **keywords: Single fields of `AgentRunOptions`; they override `options`.

    Returns:
        Success with its interval, pass^k, blame, latency, tokens; `record()` has all of it.
    """
    from crosstalk.agents.build import AgentOptions
    from crosstalk.evaluation.judging import JudgeOptions
    from crosstalk.evaluation.judging import judge_agent as judge_it
    from crosstalk.simulation.build import Setup
    from crosstalk.simulation.runner import Engine
    from crosstalk.simulation.sessions import Plan, session_rules

    chosen = replace(options or AgentRunOptions(), **keywords)
    asked = replace(
        chosen.agent_options or AgentOptions(), timeout=chosen.timeout, actions=chosen.actions
    )
    setup = Setup(
        str(chosen.world), chosen.language, _path(chosen.data), user=chosen.user,
        user_voice=chosen.user_voice, level="words", seed=chosen.seed,
        perturbation=chosen.perturbation, agent=agent, agent_options=asked,
    )  # fmt: skip
    if isinstance(chosen.goals, int):
        plan = Plan(chosen.seed, count=chosen.goals, repeat=chosen.trials, actions=chosen.actions)
    else:
        plan = Plan(chosen.seed, goals=Path(chosen.goals), repeat=chosen.trials)
    rules = session_rules(chosen.seed, chosen.max_turns, chosen.timeout, actions=chosen.actions)
    engine = Engine(concurrency=chosen.concurrency)
    return judge_it(JudgeOptions(plan, setup, rules, engine), _folder(out))


def compare(
    first: Run | Place, second: Run | Place, *, by: str = "type", force: bool = False
) -> "RunComparison":
    """Compare two runs, paired by goal: which was better, by how much, and how surely.

    Args:
        first: The run to compare with, or its folder.
        second: The newer run, or its folder.
        by: Break down by `language`, `type`, `perturbation` or `blame`.
        force: Compare runs of other tables or users all the same.

    Returns:
        Both rates, their difference with interval and p-value, goals lost and won (`record()`).
    """
    from crosstalk.evaluation.run_comparison import compare_runs

    folders = [run.folder if isinstance(run, Run) else Path(run) for run in (first, second)]
    return compare_runs(folders[0], folders[1], by=by, force=force)


def evaluate(
    kind: str,
    part: Any,
    dialogues: Iterable[Dialogue],
    *,
    world: World | Place,
    language: str | None = None,
    data: Place | None = None,
    models: Place | None = None,
    side: Speaker | str = Speaker.SYSTEM,
    seed: int = 0,
) -> "Score":
    """Score one part on the dialogues of a corpus, turn by turn, under the corrected protocol.

    Args:
        kind: `nlu`, `dst`, `policy`, `nlg` or `user`.
        part: Name of a part (`crosstalk system parts` lists them), `package.module:Object`, or a
            live object. `best` is the part that scores best on corpora (`docs/parts.md`).
        dialogues: Dialogues with the annotation that the kind of part is compared with.
        world: The world of the dialogues, loaded, or as for `load_world`.
        language: Language code, if `world` is a name or a folder.
        data: Folder of fetched corpora.
        models: Folder of models trained by you.
        side: Whose utterances an `nlg` generates.
        seed: Random seed of parts that draw.

    Returns:
        The score; `score.overall` has counts and ratio of the kind's main metric.
    """
    from crosstalk.evaluation.evaluated_parts import EvaluationWorld, judged_part
    from crosstalk.evaluation.evaluator import score_part

    if kind not in METHODS:
        known = ", ".join(METHODS)
        raise InputError(f"there is no kind of part called {kind!r}", remedy=f"Known: {known}.")
    live = _world(world, language, _path(data))
    code, speaker = live.language.code, Speaker(side)
    where = EvaluationWorld(
        _name(live), code, _path(data), _path(models), speaker=speaker, seed=seed
    )
    judged = judged_part(kind, part, where).part
    return score_part(kind, judged, dialogues, live, side=speaker, seed=seed)


def train(
    kind: str,
    out: Place,
    *,
    model: str | None = None,
    reporter: Reporter = SILENT,
    **options: "Unpack[TrainKeywords]",
) -> Path:
    """Train a module as `crosstalk train KIND` does.

    Args:
        kind: `nlu`, `dst`, `policy`, `nlg` or `user`.
        out: Folder of models; the new model becomes a folder inside it.
        model: Name of a trainer of this kind (`trainers/table.py`); None: the default one.
        reporter: Shows notices and progress; nothing is shown by default.
        **options: Fields of `Job` and options of the trainer. `data` is a corpus or the folder of
            fetched corpora; without it, `practice` dialogues are simulated and learned from. With
            `folds`, the model's card has the figures of a cross-validation.

    Returns:
        The model folder inside `out`; for a trainer of both sides (sclstm) the system's; `out`
        itself in processes other than the first under torchrun.
    """
    from crosstalk.trainers.job import JobKeywords, job_of
    from crosstalk.trainers.table import TRAINERS, given_options, trainers_of

    trainers = trainers_of(kind)
    if not trainers or model not in (None, *trainers):
        known = ", ".join(f"{each.kind} {each.name}" for each in TRAINERS)
        raise InputError(f"there is no trainer of {kind} {model or ''}", remedy=f"Known: {known}.")
    trainer = trainers[model or next(iter(trainers))]
    keywords: dict[str, Any] = dict(options)
    given = given_options(trainer, keywords)
    for_job = {name: keywords[name] for name in JobKeywords.__annotations__ if name in keywords}
    job = replace(job_of(out, **for_job), reporter=reporter)
    folders = trainer.train(job, **given)
    return folders[-1] if folders else job.out


def _world(world: World | Place, language: str | None, data: Path | None = None) -> World:
    if not isinstance(world, World):
        return _load_world(world, language=language, data=data)
    if language not in (None, world.language.code):
        raise InputError(
            f"the world {world.name} was loaded in {world.language.code!r}, not in {language!r}",
            remedy="Load it in that language: load_world(name, language=...).",
        )
    return world


def _name(world: World) -> str:
    """The name of a built-in world; the folder of others."""
    is_ours = world.name in built_in_worlds() and world.folder in (None, find_world(world.name))
    return world.name if is_ours else str(world.folder)


def _path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)
