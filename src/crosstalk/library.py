"""The library: what the command line does, as functions that take and return live objects.

`import crosstalk` offers them all; this module is imported with the first one that is used.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from crosstalk.conversation.participants import Participant
from crosstalk.database.tables import World
from crosstalk.database.worlds import built_in_worlds, find_world
from crosstalk.database.worlds import load_world as _load_world
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal, goal_type
from crosstalk.errors import InputError
from crosstalk.evaluation.runs import Run
from crosstalk.system.build import ACTS, SystemCard
from crosstalk.system.build import build_system as build_system
from crosstalk.system.outside import METHODS
from crosstalk.system.parts import BuiltPart, context_of, live_part
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.users.simulator import Simulator

if TYPE_CHECKING:
    from crosstalk.evaluation.generation import GenerationScore
    from crosstalk.evaluation.policies import PolicyScores
    from crosstalk.evaluation.sessions import Plan
    from crosstalk.evaluation.tracking import TrackingScore
    from crosstalk.evaluation.understanding import UnderstandingScore
    from crosstalk.evaluation.users import UserScores
    from crosstalk.trainers.job import Job

    Score: TypeAlias = (
        UnderstandingScore | TrackingScore | PolicyScores | GenerationScore | UserScores
    )

__all__ = [
    "build_system",
    "evaluate",
    "judge",
    "load_world",
    "read_corpus",
    "sample_goals",
    "simulate",
    "train",
]

Place = str | Path


def load_world(world: Place, *, language: str | None = None, data: Place | None = None) -> World:
    """A world that ships with Crosstalk, or a world folder, as one of its languages tells it.

    `data` is the folder of fetched corpora (default: `CROSSTALK_DATA`), for worlds whose tables
    are fetched.
    """
    return _load_world(world, language=language, data=_path(data))


def read_corpus(
    path: Place, *, format: str | None = None, strict: bool = True
) -> Iterator[Dialogue]:
    """The dialogues of a corpus, one by one, in any format we know, zipped or not."""
    from crosstalk.formats.corpus import read_corpus as read

    return read(Path(path), format=format, strict=strict)


def sample_goals(
    world: World | Place, count: int, *, seed: int = 0, language: str | None = None
) -> list[Goal]:
    """The first goals of a seed, in the natural mix of types, told in words."""
    from crosstalk.goals.sampler import goal_rng, goal_sampler

    sampler = goal_sampler(_world(world, language))
    return [sampler.sample(goal_rng(seed, number)) for number in range(count)]


def simulate(
    system: Participant[Any] | None = None,
    user: str | Simulator = "rule",
    goals: int | Sequence[Goal] = 100,
    *,
    seed: int = 0,
    out: Place | None = None,
    world: World | Place | None = None,
    language: str | None = None,
    level: str | None = None,
    data: Place | None = None,
    models: Place | None = None,
    user_nlu: str = "best",
    user_nlg: str = "best",
    user_protocol: str = "",
    protocol: str = "corrected",
    exchanges: int = 15,
    patience: float = 30,
) -> Run:
    """Let simulated users pursue goals with a system; the run, as `crosstalk simulate` writes it.

    `system` is any participant (`begin`, `reply`), such as `build_system` gives; None builds the
    best one of the world. `user` is a name, a part from outside, or an object with `open` and
    `respond`. `goals` is a number (drawn from the seed) or a list. The run is written to `out`, or
    to a new temporary folder. Live objects stay in this process; what they raise is a fault that
    the report counts.
    """
    from crosstalk.evaluation.sessions import Rules
    from crosstalk.evaluation.simulation import simulate as hold_all
    from crosstalk.simulation.build import Setup, with_user

    card = getattr(system, "card", None)
    card = card if isinstance(card, SystemCard) else None
    live = _world(world or (card.world if card else "harbour"), language, _path(data))
    level = level or (card.level if card else ACTS)
    _refuse_other(card, live, level)
    protocol = card.protocol if card else protocol
    setup = Setup(
        _name(live),
        live.language.code,
        _path(data),
        _path(models),
        user=user if isinstance(user, str) else "rule",
        protocol=protocol,
        level=level,
        user_nlu=user_nlu,
        user_nlg=user_nlg,
        user_protocol=user_protocol,
        seed=seed,
    )
    if system is None:
        system = build_system(
            live, data=setup.data, models=setup.models, protocol=protocol, level=level
        )
        card = system.card
    parts: Mapping[str, BuiltPart] = card.parts if card else {"system": live_part(system)}
    context = context_of(live, data=setup.data, models=setup.models, protocol=protocol)
    simulation = with_user(setup, system, replace(context, seed=seed), parts, user)
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="crosstalk-")) / "run"
    with tempfile.TemporaryDirectory() as scratch:
        plan = _plan(goals, seed, live, Path(scratch))
        rules = Rules(seed, exchanges, patience)
        return hold_all(plan, setup, rules, folder, live=simulation)


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


def _plan(goals: int | Sequence[Goal], seed: int, world: World, scratch: Path) -> "Plan":
    """A number of goals, or a goal file with those of a list."""
    from crosstalk.evaluation.sessions import Plan
    from crosstalk.goals.files import write_goals
    from crosstalk.goals.records import GoalRecord

    if isinstance(goals, int):
        return Plan(seed, count=goals)
    records = [
        GoalRecord(
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
    """What became of a run's dialogues, as `crosstalk report RUN --json` tells it."""

    success: Mapping[str, float | None]
    """Goal type, or `overall` -> percent of dialogues in which the user got everything, and all
    of it is true."""
    finish: Mapping[str, float | None]
    """The paper's task finish in percent: everything said, answered and resolved."""
    dialogues: int
    figures: Mapping[str, Any]
    """Everything else of the report: turns, intervals, reasons of failure ..."""


def judge(run: Run | Place, *, data: Place | None = None) -> RunJudgement:
    """Judge the dialogues of a run, or of a run folder, against the world's tables."""
    from crosstalk.reports.summary import plain, summarise

    folder = run.folder if isinstance(run, Run) else Path(run)
    figures = plain(summarise(folder, data=_path(data)))
    return RunJudgement(figures["success"], figures["finish"], figures["dialogues"], figures)


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
    """Score a part on the dialogues of a corpus, turn by turn, under the corrected protocol.

    `kind` is nlu, dst, policy, nlg or user; `part` a name (`crosstalk system parts`), a part from
    outside or a live object; `best` is the one that scores best on a corpus, as in `crosstalk
    evaluate`. `side` says whose words an nlg generates. What the part is given of the corpus stands
    with `crosstalk evaluate`.
    """
    from crosstalk.evaluation.judged_parts import EvaluationWorld, judged_part

    if kind not in METHODS:
        known = ", ".join(METHODS)
        raise InputError(f"there is no kind of part called {kind!r}", remedy=f"Known: {known}.")
    live = _world(world, language, _path(data))
    code, speaker = live.language.code, Speaker(side)
    where = EvaluationWorld(
        _name(live), code, _path(data), _path(models), speaker=speaker, seed=seed
    )
    return _scored(kind, judged_part(kind, part, where).part, dialogues, live, speaker, seed)


def _scored(
    kind: str, part: Any, dialogues: Iterable[Dialogue], world: World, side: Speaker, seed: int
) -> "Score":
    rng = Random(seed)
    match kind:
        case "nlu":
            from crosstalk.evaluation.understanding import reader_of, score_understanding

            return score_understanding(reader_of(part), dialogues)
        case "dst":
            from crosstalk.evaluation.tracking import score_tracking

            return score_tracking(part, dialogues, world.schema, hide_system_acts=False)
        case "policy":
            from crosstalk.evaluation.policies import score_policy

            return score_policy(part, dialogues)
        case "nlg":
            from crosstalk.evaluation.generation import score_generation
            from crosstalk.system.nlg.keys import ActKeys

            keys = ActKeys.of(world.schema, world.language, side)
            code = world.language.code
            return score_generation(
                lambda acts: part.say(acts, rng), dialogues, keys, language=code
            )
        case _:
            from crosstalk.evaluation.users import score_user

            return score_user(part, list(dialogues), rng)


def train(
    kind: str,
    out: Place,
    *,
    model: str | None = None,
    world: Place | None = None,
    language: str | None = None,
    data: Place | None = None,
    practice: int = 300,
    folds: int = 0,
    seed: int = 1,
    reporter: Reporter = SILENT,
) -> Path:
    """Train a part as `crosstalk train KIND` does, and return its model folder inside `out`.

    `kind` is nlu, dst, policy, nlg or user; `model` which of them (None: our own). `data` is a
    corpus or the folder of fetched corpora; without it, so many dialogues are simulated. `folds`:
    cross-validate too; the figures stand on the model's card.
    """
    from crosstalk.trainers.job import Job

    trainers = {name: train for (part, name), train in _trainers().items() if part == kind}
    if not trainers or model not in (None, *trainers):
        known = ", ".join(f"{part} {name}" for part, name in _trainers())
        raise InputError(f"there is no trainer of {kind} {model or ''}", remedy=f"Known: {known}.")
    job = Job(
        Path(out),
        None if world is None else str(world),
        language,
        _path(data),
        practice=practice,
        folds=folds,
        seed=seed,
        reporter=reporter,
    )
    return trainers[model or next(iter(trainers))](job)


def _trainers() -> "Mapping[tuple[str, str], Callable[[Job], Path]]":
    """(kind, model) -> what trains it; the first of a kind is the default."""
    from crosstalk.trainers.dst import train_tracker
    from crosstalk.trainers.nlg import train_templates
    from crosstalk.trainers.nlu import NLUOptions, train_nlu
    from crosstalk.trainers.nlu_practised import train_practised
    from crosstalk.trainers.policy import train_policy
    from crosstalk.trainers.user import train_user

    return {
        ("nlu", "best"): lambda job: train_nlu(job, NLUOptions()),
        ("nlu", "practised"): train_practised,
        ("dst", "edits"): lambda job: train_tracker(job, "edits"),
        ("dst", "words"): lambda job: train_tracker(job, "words"),
        ("policy", "best"): lambda job: train_policy(job, "best"),
        ("policy", "sl"): lambda job: train_policy(job, "sl"),
        ("nlg", "templates"): train_templates,
        ("user", "best"): train_user,
    }


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
    """How a run calls its world: one of ours by its name, others by their folder."""
    is_ours = world.name in built_in_worlds() and world.folder in (None, find_world(world.name))
    return world.name if is_ours else str(world.folder)


def _path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)
