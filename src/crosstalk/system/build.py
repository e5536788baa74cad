"""The one table of a system's parts, and the one place where names become a system.

    system = build_system("harbour", language="en", nlu="trees", policy="rule")

Each kind of part has its names in `system/<kind>/parts.py`, one function a name, its imports
inside; `docs/parts.md` lists them. Parts from outside are named `package.module:Object` or
`file.py:Object` (`system/external_parts.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.errors import InputError
from crosstalk.system.actions.action_nlg import ActionNLG
from crosstalk.system.actions.action_nlu import ActionNLU
from crosstalk.system.actions.action_policy import ActionPolicy
from crosstalk.system.dst.parts import DST
from crosstalk.system.dst.tracker import Tracker
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.parts import NLG, RANKED
from crosstalk.system.nlu.parts import NLU
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.system.parts import (
    BEST,
    CORRECTED,
    BuiltPart,
    PartContext,
    build_part,
    context_of,
    refuse_unknown,
    resolve,
)
from crosstalk.system.pipeline import System
from crosstalk.system.policy.parts import POLICY, PUBLISHED_TRACKERS
from crosstalk.system.policy.policy import Policy
from crosstalk.system.text_adapters import (
    NLUAdapter,
    Says,
    SeededGenerator,
    SelfCheckingGenerator,
    Understands,
    given_acts,
    no_text,
)
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import refuse_tableless

ACTS: Final = "acts"
WORDS: Final = "words"
LEVELS: Final = (ACTS, WORDS)
KINDS: Final = (NLU, DST, POLICY, NLG)


@dataclass(frozen=True, slots=True)
class SystemCard:
    """What a system was built from; `simulate` takes the world from it."""

    world: World
    level: str
    protocol: str
    parts: Mapping[str, BuiltPart]
    """Kind -> the part that its name stood for; without NLU and generator at act level."""


def build_system(
    world: World | str | Path,
    *,
    language: str | LanguagePack | None = None,
    data: Path | None = None,
    models: Path | None = None,
    nlu: str | Understanding = BEST,
    dst: str | Tracker = BEST,
    policy: str | Policy = BEST,
    nlg: str | Generator = BEST,
    protocol: str = CORRECTED,
    level: str = WORDS,
    actions: bool = False,
) -> System:
    """Build a system for a world from four parts.

    Each part is given as a name (`crosstalk system parts` lists them), as
    `package.module:Object` or `file.py:Object`, or as a live object with the method of its kind.

    Args:
        world: A loaded world, the name of a built-in one, or the path of a world folder.
        language: Language code, or a language of a world; None: the world's base language.
        data: Folder of fetched corpora, for worlds whose tables or templates are fetched.
        models: Folder of models trained by you; installed models serve where it has none.
        nlu: Understands text: `understand(utterance, history)` returns acts.
        dst: Tracks the dialogue state: `update(belief, history)` returns the new belief.
        policy: Chooses the answer: `decide(belief, history)` returns a `Decision`.
        nlg: Puts acts into text: `say(acts, rng)` returns text.
        protocol: `corrected`, or `paper` for the published procedures with their quirks.
        level: `words`: the system reads and writes text; `acts`: it reads and writes acts.
        actions: Whether it does the actions of the world (`[[actions]]` of `world.toml`).

    Returns:
        A participant with `begin` and `reply`; `system.card` says what it was built from.

    Raises:
        InputError: For a name that is not known, or a model that is not there.
    """
    context = context_of(world, language=language, data=data, models=models, protocol=protocol)
    names = {"nlu": nlu, "dst": dst, "policy": policy, "nlg": nlg}
    return system_of(context, names, level, actions=actions)


def system_of(
    context: PartContext, names: Mapping[str, Any], level: str, *, actions: bool = False
) -> System:
    """The same in a context; `names` has a name or an object for each of the four kinds."""
    if level not in LEVELS:
        refuse_unknown("level", level, LEVELS)
    refuse_tableless(context.world, "a system has nothing to look up")
    parts = {
        "dst": build_part(DST, _fitting_tracker(names, context), context),
        "policy": build_part(POLICY, names["policy"], context),
    }
    understand: Understands = given_acts
    say: Says = no_text
    if level == WORDS:
        parts |= {
            "nlu": build_part(NLU, names["nlu"], context),
            "nlg": build_part(NLG, names["nlg"], context),
        }
        nlu, nlg = parts["nlu"], parts["nlg"]
        if actions:
            nlu = with_action_nlu(nlu, context.world)
            nlg = with_action_nlg(nlg, context.world, Speaker.SYSTEM)
        understand = NLUAdapter(nlu.part)
        say = SideGenerator(nlg, nlu.part, Speaker.SYSTEM)("system")
    else:
        resolved_names(context, names)  # names nobody knows are refused at either level
    card = SystemCard(context.world, level, context.protocol, parts)
    schema = context.world.schema
    tracker, policy = parts["dst"].part, parts["policy"].part
    doing = action_policy(context.database) if actions else None
    return System(schema, tracker, policy, understand, say, context.database, card, doing)


def action_policy(database: Database) -> ActionPolicy:
    """What does the actions of a world; raises InputError where it has none."""
    world = database.world
    if not world.schema.actions:
        raise InputError(
            f"in the world {world.name} nothing can be done",
            remedy="Leave actions out, or add [[actions]] to its world.toml.",
        )
    return ActionPolicy(Executor(database))


def with_action_nlu(built: BuiltPart, world: World) -> BuiltPart:
    """An NLU that also understands acts about actions."""
    return replace(built, part=ActionNLU(built.part, world))


def with_action_nlg(built: BuiltPart, world: World, speaker: Speaker) -> BuiltPart:
    """A generator that also says acts about actions."""
    return replace(built, part=ActionNLG(built.part, world, speaker))


def resolved_names(context: PartContext, names: Mapping[str, Any]) -> dict[str, str]:
    """The parts that the names of NLU and generator stand for."""
    kinds = {"nlu": NLU, "nlg": NLG}
    return {
        key: resolve(kind, names[key], context)
        for key, kind in kinds.items()
        if isinstance(names[key], str)
    }


def _fitting_tracker(names: Mapping[str, Any], context: PartContext) -> Any:
    """The name of the tracker; `best` is the one that fits the policy."""
    if names["dst"] != BEST or not isinstance(names["policy"], str):
        return names["dst"]
    return PUBLISHED_TRACKERS.get(resolve(POLICY, names["policy"], context), BEST)


@dataclass(frozen=True, slots=True)
class SideGenerator:
    """How one side speaks: with `ranked-templates` it checks its words with its own NLU first."""

    built: BuiltPart
    listener: Understanding | None
    """None: it checks nothing."""
    speaker: Speaker

    def __call__(self, seed: str) -> Says:
        """The generator of a session."""
        if self.built.name == RANKED and self.listener:
            return SelfCheckingGenerator(self.built.part, self.listener, self.speaker, seed)
        return SeededGenerator(self.built.part, seed)
