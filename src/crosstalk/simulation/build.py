"""Builds a simulation from names: a system (`system/build.py`), and a user with its NLU and NLG.

`simulate` (runner.py) calls `build` with a `Setup`, which is plain data, so that every worker
process can build the same live objects; `crosstalk.simulate` calls `with_user` with a live system.
`Simulation.cast` gives the two participants of a session.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from crosstalk import external_objects
from crosstalk.agents.build import (
    SYSTEM,
    AgentOptions,
    Agents,
    build_agents,
    elsewhere,
)
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Scenario
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model
from crosstalk.simulation.dialogue_loop import Generators
from crosstalk.system import part_models
from crosstalk.system.actions.action_language import about_actions
from crosstalk.system.build import (
    ACTS,
    KINDS,
    LEVELS,
    WORDS,
    SideGenerator,
    system_of,
    with_action_nlg,
    with_action_nlu,
)
from crosstalk.system.nlg.parts import NLG, RANKED, has_world_templates
from crosstalk.system.nlu.parts import NLU
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.system.parts import (
    BEST,
    CORRECTED,
    PAPER,
    PROTOCOLS,
    BuiltPart,
    Kind,
    Part,
    PartContext,
    available,
    build_part,
    context_of,
    refuse_unknown,
    resolve,
)
from crosstalk.system.pipeline import System
from crosstalk.system.text_adapters import (
    VOICE,
    History,
    NLUAdapter,
    Says,
    Understands,
    given_acts,
    understood_extras,
    with_calls,
)
from crosstalk.users.action_user import ActionUser
from crosstalk.users.first_wishes import FirstWishUser
from crosstalk.users.hard_users import BEHAVIOURS
from crosstalk.users.perturbations import Perturb, behaviours, perturbation
from crosstalk.users.simulator import SimulatedUser, Simulator
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World

if TYPE_CHECKING:
    from crosstalk.simulation.model_user import ModelUsers
    from crosstalk.simulation.user_voice import SessionVoice, UserVoice

State = tuple[Any, History]
"""The state of the user in acts, and the dialogue as the user understood it."""


@dataclass(frozen=True, slots=True)
class SpokenUser:
    """A user that hears and says words, around one that decides in acts."""

    within: Participant[Any]
    understand: Understands
    say: Says
    voice: "SessionVoice | None" = None
    """A language model that puts the words of `say` otherwise."""

    def begin(self) -> State:
        return self.within.begin(), ()

    def reply(self, heard: Turn | None, state: State) -> tuple[Reply, State]:
        within, history = state
        taken = with_calls(self.understand(heard, history), heard) if heard else None
        history = (*history, taken) if taken else history
        reply, within = self.within.reply(taken, within)
        text = self.say(reply.turn.acts, history)
        extras = {**reply.turn.extras, **understood_extras(heard, taken)}
        if self.voice:
            text, extras[VOICE] = self.voice.phrase(reply.turn.acts, history, text)
        turn = replace(reply.turn, text=text, extras=extras)
        return replace(reply, turn=turn), (within, (*history, turn))

    def end(self, state: State) -> None:
        if end := getattr(self.within, "end", None):
            end(state[0])


@dataclass(frozen=True, slots=True)
class PerturbedSpeech:
    """The speech of a hard user: the words of an easy one, changed by the seed of the session."""

    speech: Callable[[str], Says]
    perturb: Perturb
    schema: Schema

    def __call__(self, seed: str) -> Says:
        say = self.speech(seed)

        def hard(acts: tuple[Act, ...], history: History) -> str:
            if about_actions(self.schema, acts):  # codes and dates are said as they are
                return say(acts, history)
            rng = Random(f"perturbation {seed} {len(history)}")
            return self.perturb(say(acts, history), rng)

        return hard


def is_model(user: str) -> bool:
    """Whether the name of a user is that of a language model."""
    return user.startswith("openai:")


GIVEN: Final = "given"
"""As the name of the user's NLU: the user is handed the system's acts."""


def _rule_user(context: PartContext) -> Simulator:
    from crosstalk.users.rule_user import RuleUser

    world = context.world
    return RuleUser(world.schema, world.language, published=context.protocol == PAPER)


def _tree_user(context: PartContext) -> Simulator:
    from crosstalk.users.tree_user import TreeUser
    from crosstalk.users.user_model import load_model

    model = load_model(find_model(part_models.USER, context.models))
    return TreeUser(context.world.schema, context.world.language, model)


USER: Final = Kind(
    "user",
    "user",
    {
        "rule": Part(_rule_user, reads_tables=False),
        "trees": Part(_tree_user, lambda context: (part_models.USER,), reads_tables=False),
    },
    best=("trees",),
)


def _prose(context: PartContext) -> Understanding:
    """Sentences of the world's templates word for word, all others as free prose."""
    from crosstalk.reading.prose_nlu import ProseNLU
    from crosstalk.system.nlu.rules.written import SentenceNLU

    prose = ProseNLU(str(context.folder), context.world.language.code, context.data)
    if not has_world_templates(context):
        return prose
    return SentenceNLU(context.world, context.folder, prose)


PROSE: Final = "prose"
"""The user's NLU for agents of others, who say things in their own words."""
USER_NLU: Final = replace(
    NLU,
    parts={**NLU.parts, PROSE: Part(_prose, fits=lambda context: context.book is not None)},
    best=("sentences", "trees-user", "trees"),
)
"""A user understands with the sentences of the world's templates, else with a model trained for
users, else with the system's model; in a world that has none of these: `given`."""
USER_NLG: Final = NLG
PUBLISHED_NLG: Final = replace(NLG, best=("template",))
"""Under the protocol `paper` users draw templates at random, as published."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The names of everything that a simulation is built from."""

    world: str = "harbour"
    language: str | None = None
    """None: the world's own."""
    data: Path | None = None
    """Folder of fetched corpora; not part of the identity of a run."""
    models: Path | None = None
    """Folder of models trained by you; None: those that ship."""
    user: str = "rule"
    policy: str = BEST
    dst: str = BEST
    """best: the one that the policy was trained with."""
    protocol: str = CORRECTED
    """Of the system's parts."""
    words: bool = False
    """Whether conversations in acts are put into words once they are over."""
    level: str = ACTS
    """What each side hears of the other: its acts, or its words."""
    nlg: str = BEST
    nlu: str = BEST
    user_nlu: str = BEST
    """A name, or `given`: the user is handed the system's acts."""
    user_nlg: str = BEST
    user_protocol: str = ""
    """Of the user's parts; empty: that of the system."""
    seed: int = 0
    """Offered to parts from outside."""
    wider_acts: float = 0.0
    """Share of the user's turns that are said with acts beyond the published ones."""
    user_voice: str = ""
    """A language model that phrases the user's turns: `openai:MODEL[@URL]`; empty: templates."""
    perturbation: str = ""
    """How hard users say and do things: names of `users/perturbations.py`, joined by `+`."""
    agent: str = SYSTEM
    """Who answers: `system`, made of the parts named here, or an agent of somebody else's."""
    agent_options: AgentOptions = field(default_factory=AgentOptions)
    poison: float = 0.0
    """Share of text cells that hold an instruction, in the tables that an agent sees."""
    replies: Path | None = None
    """File that keeps the replies of an endpoint; not part of the identity of a run."""

    @property
    def users_protocol(self) -> str:
        return self.user_protocol or self.protocol

    @property
    def asks_models(self) -> bool:
        """Whether somebody outside speaks: such conversations are held in words."""
        return self.agent != SYSTEM or bool(self.user_voice) or is_model(self.user)

    def with_absolute_paths(self) -> "Setup":
        """The same for a process in another folder: files of outside parts by absolute path."""
        names = ("user", "policy", "dst", "nlg", "nlu", "user_nlu", "user_nlg")
        parts: dict[str, Any] = {
            name: external_objects.absolute(getattr(self, name)) for name in names
        }
        return replace(self, **parts, agent=elsewhere(self.agent))


@dataclass(frozen=True, slots=True)
class Simulation:
    """The live objects of a setup, reused for all sessions."""

    world: World
    database: Database
    simulator: Simulator
    system: Participant[Any]
    generators: Generators = field(default_factory=dict)
    """Generators that put conversations in acts into words once they are over."""
    user_understands: Understands | None = None
    """The user's NLU; None: each side is given the other's acts."""
    user_says: Callable[[str], Says] | None = None
    """Seed of a session -> the user's NLG."""
    parts: Mapping[str, BuiltPart] = field(default_factory=dict)
    """The parts by key (`nlu`, `user_nlg`), with what their names were resolved to."""
    agents: Agents | None = None
    """Where somebody else's agent answers: its participants, one a session."""
    voice: "UserVoice | None" = None
    """A language model that phrases the user's turns."""
    model_users: "ModelUsers | None" = None
    """A language model that is the user, instead of the simulator."""
    actions: bool = False
    """Whether users ask for the actions of their goals."""

    @property
    def pipeline(self) -> System:
        """The system, if it is made of our four parts."""
        assert isinstance(self.system, System), "a participant of somebody else's has no parts"
        return self.system

    def cast(self, goal: Goal, seed: str) -> tuple[Participant[Any], Participant[Any]]:
        """The two participants of one session."""
        system = self._system(seed, goal.scenario)
        if self.model_users:
            return self.model_users.of_session(goal, seed), system
        simulator = FirstWishUser(self.simulator) if goal.first_wishes else self.simulator
        user: Participant[Any] = SimulatedUser(simulator, goal, seed)
        if self.actions and goal.actions:
            user = ActionUser(user, goal, self.world, seed)
        if self.user_understands is None or self.user_says is None:
            return user, system
        voice = self.voice.of_session(goal, seed) if self.voice else None
        return SpokenUser(user, self.user_understands, self.user_says(seed), voice), system

    def _system(self, seed: str, scenario: Scenario) -> Participant[Any]:
        """The system of a session, on which codes that it gives out and its tables depend."""
        if self.agents:
            return self.agents.of_session(seed, scenario)
        if isinstance(self.system, System):
            return self.system.of_session(seed, scenario)
        return self.system


def build(setup: Setup) -> Simulation:
    """The simulation of a setup; raises InputError for unknown names."""
    if setup.asks_models:
        setup = replace(setup, level=WORDS)
    if setup.agent != SYSTEM:
        context = _context(setup)
        heard = PROSE if setup.user_nlu == BEST and context.book is not None else setup.user_nlu
        setup = replace(setup, user_nlu=heard)
        seen = _poisoned(setup, context)
        agents = build_agents(setup.agent, seen, setup.agent_options, setup.replies)
        simulation = with_user(setup, agents.of_session("none"), context, {})
        return replace(simulation, agents=agents)
    context = _context(setup)
    names = {key: getattr(setup, key) for key in ("nlu", "dst", "policy", "nlg")}
    actions = setup.agent_options.actions
    system = system_of(context, names, setup.level, actions=actions)
    assert system.card is not None, "a system built here has its card"
    generators = {}
    if setup.words and setup.level == ACTS:
        generators[Speaker.SYSTEM] = build_part(NLG, setup.nlg, context)
    simulation = with_user(setup, system, context, dict(system.card.parts))
    if not generators:
        return simulation
    generators[Speaker.USER] = _user_generator(setup, _user_context(setup, context))
    spoken = {
        speaker: (with_action_nlg(built, context.world, speaker) if actions else built).part
        for speaker, built in generators.items()
    }
    parts = {"nlg": generators[Speaker.SYSTEM], "user_nlg": generators[Speaker.USER]}
    return replace(simulation, generators=spoken, parts={**simulation.parts, **parts})


def _context(setup: Setup) -> PartContext:
    if setup.level not in LEVELS:
        refuse_unknown("level", setup.level, LEVELS)
    if setup.users_protocol not in PROTOCOLS:
        refuse_unknown("protocol", setup.users_protocol, PROTOCOLS)
    context = context_of(
        setup.world,
        language=setup.language,
        data=setup.data,
        models=setup.models,
        protocol=setup.protocol,
    )
    return replace(context, seed=setup.seed)


def _poisoned(setup: Setup, context: PartContext) -> PartContext:
    """What an agent sees; users and judges keep the true tables."""
    if not setup.poison:
        return context
    from crosstalk.users.perturbations import injections
    from crosstalk.worlds.poisoning import poisoned

    world = poisoned(context.world, setup.poison, setup.seed, injections())
    seen = context_of(world, data=setup.data, models=setup.models, protocol=setup.protocol)
    return replace(seen, seed=setup.seed)


def _user_context(setup: Setup, context: PartContext) -> PartContext:
    return replace(context, protocol=setup.users_protocol, speaker=Speaker.USER)


def with_user(
    setup: Setup,
    system: Participant[Any],
    context: PartContext,
    parts: Mapping[str, BuiltPart],
    user: Any = None,
) -> Simulation:
    """A simulation of a live system; `user`: a live simulator instead of the setup's."""
    if setup.level == ACTS and (setup.user_voice or is_model(setup.user)):
        raise InputError(
            f"{setup.user_voice or setup.user} speaks words, and this simulation is held in acts",
            remedy="Hold it in words: --level words, or level='words'.",
        )
    users = _user_context(setup, context)
    named = "rule" if is_model(setup.user) else setup.user
    simulator = build_part(USER, named if user is None else user, users)
    for behaviour in behaviours(setup.perturbation):
        hard = BEHAVIOURS[behaviour](simulator.part, context.world)
        simulator = replace(simulator, part=hard)
    if setup.wider_acts:
        simulator = _with_wider_acts(simulator, setup.wider_acts, context.world)
    known = {**parts, "user": simulator}
    world, database = context.world, context.database
    actions = setup.agent_options.actions
    if setup.level == ACTS:
        _refuse_unknown_speech(setup, users)
        return Simulation(world, database, simulator.part, system, parts=known, actions=actions)
    generator = _user_generator(setup, users)
    hearing = user_nlu_name(setup.user_nlu, users)
    listener = _user_nlu(setup, users, parts.get("nlu"), checks=generator.name == RANKED)
    heard = {"user_nlu": BuiltPart(setup.user_nlu, GIVEN, given_acts)}
    understand: Understands = given_acts
    if listener and hearing != GIVEN:
        heard = {"user_nlu": listener}
        nlu = with_action_nlu(listener, world) if actions else listener
        understand = NLUAdapter(nlu.part, in_context=users.protocol != PAPER or actions)
    elif listener:
        heard["user_check"] = listener
    speech: Callable[[str], Says] = SideGenerator(
        with_action_nlg(generator, world, Speaker.USER) if actions else generator,
        listener.part if listener else None,
        Speaker.USER,
    )
    perturb = perturbation(setup.perturbation, world.language.code)
    simulation = Simulation(
        world,
        database,
        simulator.part,
        system,
        user_understands=understand,
        user_says=PerturbedSpeech(speech, perturb, world.schema),
        parts={**known, **heard, "user_nlg": generator},
        actions=actions,
    )
    if setup.user_voice:
        from crosstalk.simulation.user_voice import build_voice

        voice = build_voice(setup.user_voice, context, setup.agent_options, setup.replies)
        return replace(simulation, user_says=speech, voice=replace(voice, perturb=perturb))
    if is_model(setup.user) and user is None:
        return _with_model_user(setup, simulation, context, perturb)
    return simulation


def _with_model_user(
    setup: Setup, simulation: Simulation, context: PartContext, perturb: Perturb
) -> Simulation:
    """The simulation with a language model instead of the simulator and its NLG."""
    from crosstalk.simulation.model_user import build_model_users

    assert simulation.user_understands is not None, "in words, users understand words"
    users = build_model_users(
        setup.user, context, simulation.user_understands, setup.agent_options, setup.replies
    )
    users = replace(users, perturb=perturb)
    name = users.client.endpoint.name
    parts = {**simulation.parts, "user": BuiltPart(name, name, users)}
    del parts["user_nlg"]
    return replace(simulation, model_users=users, parts=parts)


def _with_wider_acts(user: BuiltPart, share: float, world: World) -> BuiltPart:
    from crosstalk.users.extended_acts import ExtendedActsUser

    return replace(user, part=ExtendedActsUser(user.part, world.schema, world.language, share))


def _refuse_unknown_speech(setup: Setup, users: PartContext) -> None:
    user_nlu_name(setup.user_nlu, users)
    resolve(USER_NLG, setup.user_nlg, users)


def _user_generator(setup: Setup, users: PartContext) -> BuiltPart:
    kind = PUBLISHED_NLG if users.protocol == PAPER else USER_NLG
    return build_part(kind, setup.user_nlg, users)


def user_nlu_name(asked: str, users: PartContext) -> str:
    """The name of the user's NLU; `best` is `given` in a world without a good NLU of its own."""
    if asked == GIVEN:
        return GIVEN
    name = resolve(USER_NLU, asked, users)
    hears = asked != BEST or USER_NLU.parts[name].is_good(users)
    return name if hears else GIVEN


def _user_nlu(
    setup: Setup, users: PartContext, systems: BuiltPart | None, *, checks: bool
) -> BuiltPart | None:
    """The NLU with which the user understands and checks its own words; None if it needs none."""
    asked = BEST if setup.user_nlu == GIVEN else setup.user_nlu
    if user_nlu_name(asked, users) == GIVEN and not checks:
        return None
    name = resolve(USER_NLU, asked, users)
    if systems is not None and systems.name == name and name in NLU.parts:
        return replace(systems, asked=asked)  # the same model need not be loaded twice
    return build_part(USER_NLU, asked, users)


def parts_of(
    world: str, language: str | None, data: Path | None, models: Path | None
) -> dict[str, Any]:
    """The names that can be built for a world, by kind, and what `best` stands for."""
    context = context_of(world, language=language, data=data, models=models)
    users = replace(context, speaker=Speaker.USER)
    kinds = (*KINDS, USER)
    best = {kind.key: resolve(kind, BEST, context) for kind in kinds}
    best |= {
        "user_nlu": user_nlu_name(BEST, users),
        "user_nlg": resolve(USER_NLG, BEST, users),
    }
    return {**{kind.key: available(kind, context) for kind in kinds}, "best": best}


def models_of(parts: Mapping[str, BuiltPart]) -> dict[str, Path]:
    """The trained models that parts were built from, by name."""
    return {name: folder for built in parts.values() for name, folder in built.folders.items()}
