"""Names become objects here, and only here: one branch a name, its imports inside the branch.

A `Setup` is plain data, so that every worker process can build the same live objects from it.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from crosstalk.conversation.participants import Participant
from crosstalk.database.queries import Database
from crosstalk.database.tables import World
from crosstalk.database.worlds import find_world, load_world
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model
from crosstalk.modules.dst.tracker import Tracker
from crosstalk.modules.policy.policy import Policy
from crosstalk.pipelines.system import Mind, System
from crosstalk.pipelines.voices import Voices
from crosstalk.users.simulator import SimulatedUser, Simulator

PAPER: Final = "paper"
CORRECTED: Final = "corrected"
PROTOCOLS = (PAPER, CORRECTED)
USERS = ("rule", "best")
POLICIES = ("sl", "rule", "best")
TRACKERS = ("rule", "search")
USER_MODEL = "user"
SL_MODEL = "policy-sl"


@dataclass(frozen=True, slots=True)
class Setup:
    """Who talks, about which world, by which rules."""

    world: str = "harbour"
    language: str | None = None
    """None: the world's own."""
    data: Path | None = None
    """Where fetched tables are; no part of what the run is."""
    models: Path | None = None
    """Where models trained by the user are; the shipped ones serve where there are none."""
    user: str = "rule"
    policy: str = "best"
    tracker: str = ""
    """Empty: the one that the policy is made for."""
    protocol: str = CORRECTED
    words: bool = False
    """Whether every turn is put into words, by the world's own templates."""

    @property
    def published(self) -> bool:
        return self.protocol == PAPER

    @property
    def tracker_name(self) -> str:
        return self.tracker or ("rule" if self.policy == "sl" else "search")


@dataclass(frozen=True, slots=True)
class Stage:
    """The live objects of a setup; they serve any number of sessions, one after the other."""

    world: World
    database: Database
    simulator: Simulator
    system: System
    voices: Voices = field(default_factory=dict)

    def cast(self, goal: Goal, seed: str) -> tuple[SimulatedUser, Participant[Mind]]:
        """The two participants of one session."""
        return SimulatedUser(self.simulator, goal, seed), self.system


def build(setup: Setup) -> Stage:
    """Everything sessions need; raises in words for names nobody knows."""
    if setup.protocol not in PROTOCOLS:
        _unknown("protocol", setup.protocol, PROTOCOLS)
    world = load_world(setup.world, language=setup.language, data=setup.data)
    database = Database(world)
    system = System(world.schema, build_tracker(setup, world), build_policy(setup, world, database))
    voices = build_voices(setup, world) if setup.words else {}
    return Stage(world, database, build_user(setup, world), system, voices)


def build_voices(setup: Setup, world: World) -> Voices:
    from crosstalk.modules.nlg.written import written_generator

    folder = find_world(setup.world)
    return {
        speaker: written_generator(folder, world.schema, world.language, speaker)
        for speaker in Speaker
    }


def build_user(setup: Setup, world: World) -> Simulator:
    match setup.user:
        case "rule":
            from crosstalk.users.rule import RuleUser

            return RuleUser(world.schema, world.language, published=setup.published)
        case "best":
            from crosstalk.users.learned import LearnedUser
            from crosstalk.users.model import load_model

            model = load_model(find_model(USER_MODEL, setup.models))
            return LearnedUser(world.schema, world.language, model)
        case _:
            _unknown("user", setup.user, USERS)


def build_tracker(setup: Setup, world: World) -> Tracker:
    match setup.tracker_name:
        case "rule":
            from crosstalk.modules.dst.rule import RuleTracker

            return RuleTracker(world.schema, world.language)
        case "search":
            from crosstalk.modules.dst.search import SearchTracker

            return SearchTracker(world.schema, world.language)
        case name:
            _unknown("tracker", name, TRACKERS)


def build_policy(setup: Setup, world: World, database: Database) -> Policy:
    match setup.policy:
        case "sl":
            from crosstalk.modules.policy.sl import SLPolicy

            folder = find_model(SL_MODEL, setup.models)
            return SLPolicy.load(folder, world, protocol=setup.protocol)
        case "rule" | "best":
            from crosstalk.modules.policy.rule import RulePolicy

            return RulePolicy(database)
        case _:
            _unknown("policy", setup.policy, POLICIES)


def models_of(setup: Setup) -> dict[str, Path]:
    """The trained models a setup is built from, by name."""
    names = [USER_MODEL] * (setup.user == "best") + [SL_MODEL] * (setup.policy == "sl")
    return {name: find_model(name, setup.models) for name in names}


def _unknown(what: str, name: str, known: tuple[str, ...]) -> NoReturn:
    raise InputError(f"there is no {what} called {name!r}", remedy=f"Known: {', '.join(known)}.")
