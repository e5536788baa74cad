"""Simulation: the sessions of a plan, held and recorded; killed and continued as one likes.

simulate(Plan(seed=1, count=100), Setup(world="harbour"), Rules(seed=1), Path("run"))
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.evaluation.engines import Batch, Lines, batched, here, in_processes, on_ray
from crosstalk.evaluation.goal_check import check_goals
from crosstalk.evaluation.runs import Run, RunCard, open_run, recording
from crosstalk.evaluation.sessions import Plan, SessionRules, planned, sessions
from crosstalk.model_folders import folder_digest
from crosstalk.simulation.build import Setup, Simulation, build, models_of
from crosstalk.system.outside import source_digest
from crosstalk.workers import connect
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import built_in_worlds, find_world, load_world

LOCAL = "local"
RAY = "ray"
ENGINES = (LOCAL, RAY)


@dataclass(frozen=True, slots=True)
class Engine:
    """Where sessions are held; never changes what comes out."""

    name: str = LOCAL
    workers: int = 1


def simulate(
    plan: Plan,
    setup: Setup,
    rules: SessionRules,
    folder: Path,
    *,
    engine: Engine | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] = lambda held, planned: None,
    live: Simulation | None = None,
) -> Run:
    """Hold every session of the plan that the folder has not yet; the finished run.

    `live`: objects to simulate with instead of those that the setup names; they stay in this
    process.
    """
    # what is wrong with a name shows before anything is written
    setup = setup.elsewhere() if live is None else setup
    simulation = live or build(setup)
    hold_all = _holder(engine or Engine(), simulation)
    world = simulation.world
    card = run_card(plan, setup, rules, simulation)
    with recording(folder, card, resume=resume) as recorder:
        remaining = sessions(plan, world, start=recorder.held)
        progress(recorder.held, card.sessions)
        for lines in hold_all(batched(remaining), setup, rules):
            recorder.append(lines)
            progress(recorder.held, card.sessions)
        recorder.finish()
    return open_run(folder)


Holder = Callable[[Iterable[Batch], Setup, SessionRules], Iterator[Lines]]


def _holder(engine: Engine, simulation: Simulation) -> Holder:
    """The function that holds sessions, wherever it does."""
    if engine.name == RAY:
        connect()  # refused before anything is written
        return on_ray
    if engine.name != LOCAL:
        known = ", ".join(ENGINES)
        raise InputError(f"there is no engine called {engine.name!r}", remedy=f"Known: {known}.")
    if engine.workers == 1:
        return lambda batches, setup, rules: here(batches, simulation, rules)
    return partial(in_processes, workers=engine.workers)


def run_card(plan: Plan, setup: Setup, rules: SessionRules, simulation: Simulation) -> RunCard:
    """What decides about every byte of the dialogues."""
    world = simulation.world
    digests = {"world": world_digest(world)}
    models = models_of(simulation.parts)
    digests |= {name: folder_digest(folder) for name, folder in models.items()}
    goals: dict[str, Any] = {"per_type": plan.per_type} if plan.per_type else {"count": plan.count}
    if plan.exclusions:
        goals["exclusions"] = plan.exclusions
    if plan.goals is not None:
        check_goals(plan.goals, world)
        goals = {"goals": plan.goals.name}
        digests["goals"] = hashlib.sha256(plan.goals.read_bytes()).hexdigest()
    parts = {key: built.record() for key, built in simulation.parts.items()}
    sources = {built.name: source_digest(built.name) for built in simulation.parts.values()}
    digests |= {name: digest for name, digest in sources.items() if digest}
    return RunCard(
        setup=_names(setup, simulation),
        plan={"seed": plan.seed, **goals, "repeat": plan.repeat},
        rules={"exchanges": rules.exchanges, "patience": rules.patience},
        digests=digests,
        sessions=planned(plan, world),
        parts=parts,
    )


def _names(setup: Setup, simulation: Simulation) -> dict[str, str]:
    """World, level and protocols, and what the name of every part stood for."""
    is_ours = setup.world in built_in_worlds()
    names = {key: built.name for key, built in simulation.parts.items()}
    return {
        "world": setup.world if is_ours else str(find_world(setup.world).resolve()),
        "language": simulation.world.language.code,
        "level": setup.level,
        "protocol": setup.protocol,
        "user_protocol": setup.users_protocol,
        **({"words": "yes"} if setup.words else {}),
        **({"wider_acts": str(setup.wider_acts)} if setup.wider_acts else {}),
        **names,
    }


def world_of(run: Run, data: Path | None = None) -> World:
    """The world a run was held in; raises when its tables are no longer the same."""
    setup = run.card.setup
    world = load_world(setup["world"], language=setup["language"], data=data)
    if world_digest(world) != run.card.digests["world"]:
        raise InputError(
            f"{run.folder}: the tables of {world.name} are not those of the run any more",
            remedy="Restore them, or run it again: what was true then cannot be checked now.",
        )
    return world


def world_digest(world: World) -> str:
    """SHA-256 of every cell of a world, as its language writes them."""
    digest = hashlib.sha256(world.language.code.encode())
    for key, table in world.tables.items():
        digest.update(key.encode())
        for row in table:
            digest.update(repr(sorted(row.items())).encode())
    return digest.hexdigest()
