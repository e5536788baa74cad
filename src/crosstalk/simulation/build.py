"""Names become objects here, and only here: one branch a name, its imports inside the branch.

A `Setup` is plain data, so that every worker process can build the same live objects from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from crosstalk.conversation.participants import Participant
from crosstalk.database.queries import Database
from crosstalk.database.tables import World
from crosstalk.database.worlds import find_world, load_world
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.model_folders import find_model
from crosstalk.simulation.build_speech import (
    GENERATORS,
    PLAIN,
    READERS,
    Sources,
    build_generator,
    build_understanding,
    has_ranks,
    nlu_model,
    ranks_model,
    sclstm_model,
    unknown,
)
from crosstalk.simulation.spoken_user import SpokenUser
from crosstalk.simulation.voices import Voices
from crosstalk.system.dst.tracker import Tracker
from crosstalk.system.nlg.generator import Generator, Rephrasing
from crosstalk.system.nlg.template import TemplateNLG
from crosstalk.system.pipeline import Mind, System
from crosstalk.system.policy.policy import Policy
from crosstalk.system.speech import CarefulVoice, Ears, Says, Voice
from crosstalk.users.simulator import SimulatedUser, Simulator

PAPER: Final = "paper"
CORRECTED: Final = "corrected"
PROTOCOLS = (PAPER, CORRECTED)
USERS = ("rule", "best")
POLICIES = ("sl", "rule", "best")
TRACKERS = ("rule", "search")
ACTS: Final = "acts"
WORDS: Final = "words"
LEVELS = (ACTS, WORDS)
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
    """Whether every turn of a conversation in acts is put into words, once it is over."""
    level: str = ACTS
    """What each side hears of the other: its acts, or its words."""
    nlg: str = "best"
    """Who puts acts into words."""
    nlu: str = "best"
    """Who understands words; both sides have the same."""

    wider_acts: float = 0.0
    """Share of the user's turns that are said with acts beyond the published ones."""

    @property
    def speaks(self) -> bool:
        return self.words or self.level == WORDS

    @property
    def published(self) -> bool:
        return self.protocol == PAPER

    @property
    def tracker_name(self) -> str:
        return self.tracker or ("rule" if self.policy == "sl" else "search")


Speech = Mapping[Speaker, Callable[[str], Says]]
"""Who says what a side means, for the seed of a session."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """How each side of a conversation in words understands the other."""

    user: Ears
    system: Ears


@dataclass(frozen=True, slots=True)
class Stage:
    """The live objects of a setup; they serve any number of sessions, one after the other."""

    world: World
    database: Database
    simulator: Simulator
    system: System
    voices: Voices = field(default_factory=dict)
    hearing: Hearing | None = None
    """None: each side is given the other's acts."""
    speech: Speech = field(default_factory=dict)
    """How each side speaks where words are all that is heard."""

    def cast(self, goal: Goal, seed: str) -> tuple[Participant[Any], Participant[Mind]]:
        """The two participants of one session."""
        user = SimulatedUser(self.simulator, goal, seed)
        if self.hearing is None:
            return user, self.system
        says = {speaker: voice(seed) for speaker, voice in self.speech.items()}
        system = replace(self.system, understand=self.hearing.system, say=says[Speaker.SYSTEM])
        return SpokenUser(user, self.hearing.user, says[Speaker.USER]), system


def build(setup: Setup) -> Stage:
    """Everything sessions need; raises in words for names nobody knows."""
    for what, name, known in (
        ("protocol", setup.protocol, PROTOCOLS),
        ("level", setup.level, LEVELS),
        ("generator", setup.nlg, GENERATORS),
        ("NLU", setup.nlu, READERS),
    ):
        if name not in known:
            unknown(what, name, known)
    world = load_world(setup.world, language=setup.language, data=setup.data)
    database = Database(world)
    system = System(world.schema, build_tracker(setup, world), build_policy(setup, world, database))
    voices = build_voices(setup, world) if setup.speaks else {}
    hearing = build_hearing(setup, world) if setup.level == WORDS else None
    speech = build_speech(setup, world, voices, hearing) if hearing else {}
    user = with_wider_acts(build_user(setup, world), setup, world)
    return Stage(world, database, user, system, voices, hearing, speech)


def build_hearing(setup: Setup, world: World) -> Hearing:
    """As published, the user's side understands every utterance by itself."""
    understanding = build_understanding(setup.nlu, world, setup.models)
    return Hearing(Ears(understanding, in_context=not setup.published), Ears(understanding))


def build_speech(setup: Setup, world: World, voices: Voices, hearing: Hearing) -> Speech:
    """Ours listen to themselves before they speak.

    What the user thinks will be understood is what people have taught, never what practice with
    simulated users has: it knows nothing of the system it talks to.
    """
    if setup.nlg != "best":
        return {speaker: partial(Voice, voice) for speaker, voice in voices.items()}
    clerk = hearing.system.understanding
    same = nlu_model(setup.nlu, world, setup.models) == nlu_model(PLAIN, world)
    user = clerk if same else build_understanding(PLAIN, world, setup.models)
    own = {Speaker.USER: user, Speaker.SYSTEM: clerk}
    return {
        speaker: partial(CarefulVoice, _rephrasing(voice), own[speaker], speaker)
        for speaker, voice in voices.items()
    }


def _rephrasing(generator: Generator) -> Rephrasing:
    assert isinstance(generator, TemplateNLG), "our generators are made of templates"
    return generator


def build_voices(setup: Setup, world: World) -> Voices:
    folder, sources = find_world(setup.world), Sources(setup.data, setup.models)
    return {
        speaker: build_generator(
            setup.nlg, world, speaker, folder=folder, sources=sources, protocol=setup.protocol
        )
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
            unknown("user", setup.user, USERS)


def with_wider_acts(user: Simulator, setup: Setup, world: World) -> Simulator:
    if not setup.wider_acts:
        return user
    from crosstalk.users.wider_acts import WiderUser

    return WiderUser(user, world.schema, world.language, setup.wider_acts)


def build_tracker(setup: Setup, world: World) -> Tracker:
    match setup.tracker_name:
        case "rule":
            from crosstalk.system.dst.rule import RuleTracker

            return RuleTracker(world.schema, world.language)
        case "search":
            from crosstalk.system.dst.search import SearchTracker

            return SearchTracker(world.schema, world.language)
        case name:
            unknown("tracker", name, TRACKERS)


def build_policy(setup: Setup, world: World, database: Database) -> Policy:
    match setup.policy:
        case "sl":
            from crosstalk.system.policy.sl import SLPolicy

            folder = find_model(SL_MODEL, setup.models)
            return SLPolicy.load(folder, world, protocol=setup.protocol)
        case "rule" | "best":
            from crosstalk.system.policy.rule import RulePolicy

            return RulePolicy(database)
        case _:
            unknown("policy", setup.policy, POLICIES)


def _readers(setup: Setup) -> tuple[str, ...]:
    return (setup.nlu, PLAIN) if setup.nlg == "best" else (setup.nlu,)


def models_of(setup: Setup, world: World) -> dict[str, Path]:
    """The trained models a setup is built from, by name."""
    names = [USER_MODEL] * (setup.user == "best") + [SL_MODEL] * (setup.policy == "sl")
    if setup.level == WORDS:
        names += dict.fromkeys(nlu_model(x, world, setup.models) for x in _readers(setup))
    if setup.speaks and setup.nlg == "sclstm":
        names += [sclstm_model(world.name, speaker) for speaker in Speaker]
    if setup.speaks and setup.nlg == "best" and has_ranks(world, setup.models):
        names.append(ranks_model(world))
    return {name: find_model(name, setup.models) for name in names}
