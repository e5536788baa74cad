"""Runs: every session of a plan is simulated, written to a run folder, and can be resumed.

    simulate(Plan(seed=1, count=100), Setup(world="harbour"), SessionRules(seed=1), Path("run"))

The path from the command to one turn of a dialogue:

1. `crosstalk simulate` (cli/simulate.py), or `crosstalk.simulate` (library.py), calls `simulate`.
2. `simulate` builds the live objects (build.py), opens the folder (run_folders.py) and hands
   batches of sessions (sessions.py) to an engine: this process, other processes, or Ray.
3. The engine calls `hold` (sessions.py) for each session, which casts a user and a system.
4. `hold` calls `talk` (dialogue_loop.py), which asks both in turn for a reply: the user
   (`SimulatedUser` in users/simulator.py, with words inside `SpokenUser` in build.py) and the
   system (`System` in system/pipeline.py).

Dialogues are written in the order of their sessions, so that a run is the same, byte for byte, for
any engine and any number of workers.
"""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from crosstalk.agents.reply_cache import REPLIES
from crosstalk.corpora.record_encoding import encode_dialogue
from crosstalk.errors import InputError
from crosstalk.external_objects import source_digest
from crosstalk.files import sha256_of
from crosstalk.goals.goal_files import check_goals
from crosstalk.model_folders import folder_digest
from crosstalk.simulation.build import Setup, Simulation, build, models_of
from crosstalk.simulation.run_folders import Run, RunCard, open_run, recording
from crosstalk.simulation.sessions import Plan, Session, SessionRules, hold, planned, sessions
from crosstalk.system.build import WORDS
from crosstalk.workers import connect, over, over_cluster
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import built_in_worlds, find_world, load_world

LOCAL = "local"
RAY = "ray"
ENGINES = (LOCAL, RAY)
BATCH_SIZE = 10
"""Sessions handed to a worker at once: about a tenth of a second of work."""

Batch = tuple[Session, ...]
Lines = list[str]
"""The dialogues of a batch, one line of the native format each."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Where sessions are held; it does not change the dialogues."""

    name: str = LOCAL
    """local, or ray: the workers of a Ray cluster (`pip install ray`)."""
    workers: int = 1
    """Processes of this machine; each builds its own simulation."""
    concurrency: int = 1
    """Conversations held at the same time in threads of this process: for agents that answer over
    the network, where nearly all time is waiting."""


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
    """Hold every session of the plan that the folder does not have yet; return the finished run.

    `live`: objects to simulate with instead of those that the setup names; they stay in this
    process.
    """
    # unknown names are refused here, before anything is written
    setup = setup.with_absolute_paths() if live is None else setup
    if setup.asks_models:
        setup = replace(setup, level=WORDS, replies=(folder / REPLIES).resolve())
    simulation = live or build(setup)
    hold_all = _batch_holder(engine or Engine(), setup, simulation, rules)
    card = run_card(plan, setup, rules, simulation)
    with recording(folder, card, resume=resume) as recorder:
        recorder.keep_prompt(simulation.agents.prompt if simulation.agents else "")
        remaining = sessions(plan, simulation.world, start=recorder.held)
        progress(recorder.held, card.sessions)
        size = 1 if simulation.agents else BATCH_SIZE  # what an agent said costs money: keep it
        for lines in hold_all(_batches(remaining, size)):
            recorder.append(lines)
            progress(recorder.held, card.sessions)
            recorder.refuse_dead_services()
        recorder.finish()
    return open_run(folder)


def _batch_holder(
    engine: Engine, setup: Setup, simulation: Simulation, rules: SessionRules
) -> Callable[[Iterable[Batch]], Iterator[Lines]]:
    """The function of an engine that holds batches and returns their lines in order."""
    worker = BatchWorker(setup, rules)
    if engine.name == RAY:
        connect()  # refused before anything is written
        return lambda batches: over_cluster(worker, batches)
    if engine.name != LOCAL:
        known = ", ".join(ENGINES)
        raise InputError(f"there is no engine called {engine.name!r}", remedy=f"Known: {known}.")
    if engine.concurrency > 1:
        return lambda batches: _in_threads(batches, simulation, rules, engine.concurrency)
    if engine.workers == 1:
        return lambda batches: (hold_batch(batch, simulation, rules) for batch in batches)
    return lambda batches: over(worker, batches, workers=engine.workers)


def _in_threads(
    batches: Iterable[Batch], simulation: Simulation, rules: SessionRules, concurrency: int
) -> Iterator[Lines]:
    """Hold sessions in threads; their lines come back one by one, in the order of the sessions."""
    single = ((session,) for batch in batches for session in batch)
    with ThreadPoolExecutor(concurrency) as pool:
        waiting: deque[Future[Lines]] = deque()
        try:
            for batch in single:
                waiting.append(pool.submit(hold_batch, batch, simulation, rules))
                if len(waiting) >= 2 * concurrency:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@dataclass(frozen=True, slots=True)
class BatchWorker:
    """The function sent to worker processes; each builds the simulation with its first batch."""

    setup: Setup
    rules: SessionRules

    def __call__(self, batch: Batch) -> Lines:
        return hold_batch(batch, _built_once(self.setup), self.rules)


@lru_cache(maxsize=1)
def _built_once(setup: Setup) -> Simulation:
    return build(setup)


def _batches(sessions: Iterable[Session], size: int) -> Iterator[Batch]:
    remaining = iter(sessions)
    while batch := tuple(islice(remaining, size)):
        yield batch


def hold_batch(batch: Batch, simulation: Simulation, rules: SessionRules) -> Lines:
    """Hold the sessions of a batch, one after the other."""
    return [
        json.dumps(encode_dialogue(hold(session, simulation, rules)), ensure_ascii=False) + "\n"
        for session in batch
    ]


def run_card(plan: Plan, setup: Setup, rules: SessionRules, simulation: Simulation) -> RunCard:
    """Everything that the dialogues depend on."""
    world = simulation.world
    digests = {"world": world_digest(world)}
    models = models_of(simulation.parts)
    digests |= {name: folder_digest(folder) for name, folder in models.items()}
    goals: dict[str, Any] = {"per_type": plan.per_type} if plan.per_type else {"count": plan.count}
    if plan.exclusions:
        goals["exclusions"] = plan.exclusions
    if plan.actions:
        goals["actions"] = True
    if plan.goals is not None:
        check_goals(plan.goals, world)
        goals = {"goals": plan.goals.name}
        digests["goals"] = sha256_of(plan.goals)
    parts = {key: built.record() for key, built in simulation.parts.items()}
    sources = {built.name: source_digest(built.name) for built in simulation.parts.values()}
    digests |= {name: digest for name, digest in sources.items() if digest}
    if simulation.agents:
        digests |= {f"agent's {key}": value for key, value in simulation.agents.digests.items()}
    if speaker := simulation.voice or simulation.model_users:
        digests["user's prompt"] = speaker.words.digest
    return RunCard(
        setup=_names(setup, simulation),
        plan={"seed": plan.seed, **goals, "repeat": plan.repeat},
        rules={"exchanges": rules.exchanges, "patience": rules.patience},
        digests=digests,
        sessions=planned(plan, world),
        parts=parts,
    )


def _names(setup: Setup, simulation: Simulation) -> dict[str, str]:
    """World, level, protocols, and the resolved name of every part."""
    is_ours = setup.world in built_in_worlds()
    names = {key: built.name for key, built in simulation.parts.items()}
    return {
        "world": setup.world if is_ours else str(find_world(setup.world).resolve()),
        "language": simulation.world.language.code,
        "level": setup.level,
        "protocol": setup.protocol,
        "user_protocol": setup.users_protocol,
        **({"words": "yes"} if setup.words else {}),
        **({"perturbation": setup.perturbation} if setup.perturbation else {}),
        **({"poison": f"{setup.poison:g}, seed {setup.seed}"} if setup.poison else {}),
        **({"actions": "yes"} if setup.agent_options.actions else {}),
        **({"wider_acts": str(setup.wider_acts)} if setup.wider_acts else {}),
        **names,
        **(simulation.agents.card if simulation.agents else {}),
        **(simulation.voice.card if simulation.voice else {}),
    }


def world_of(run: Run, data: Path | None = None) -> World:
    """The world of a run; raises if its tables have changed since."""
    setup = run.card.setup
    world = load_world(setup["world"], language=setup["language"], data=data)
    if world_digest(world) != run.card.digests["world"]:
        raise InputError(
            f"{run.folder}: the tables of {world.name} are not those of the run any more",
            remedy="Restore them, or run it again: the dialogues can only be judged against the "
            "tables they were held with.",
        )
    return world


def world_digest(world: World) -> str:
    """SHA-256 of every cell of the tables, in the language of the world."""
    digest = hashlib.sha256(world.language.code.encode())
    for key, table in world.tables.items():
        digest.update(key.encode())
        for row in table:
            digest.update(repr(sorted(row.items())).encode())
    return digest.hexdigest()
