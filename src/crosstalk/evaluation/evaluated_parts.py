"""Builds the parts that evaluations score, by the names of `system/*/parts.py`.

    built = judged_part("dst", "best", EvaluationWorld("crosswoz"))
    built.name, built.part

Some parts behave differently in conversation and on a corpus: in conversation trackers get
generated words for turns without a text, the learned policy always answers, and the learned user
draws at random.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model, has_model
from crosstalk.simulation.build import USER
from crosstalk.system.dst.parts import DST
from crosstalk.system.dst.tracker import form_tracker
from crosstalk.system.nlg.parts import NLG, RANKED
from crosstalk.system.nlu.parts import NLU
from crosstalk.system.parts import (
    CORRECTED,
    BuiltPart,
    Kind,
    PartContext,
    build_part,
    context_of,
    resolve,
)
from crosstalk.system.policy.parts import POLICY
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Table, World
from crosstalk.worlds.world import (
    find_world,
    load_outline,
    load_schema,
    load_world,
    refuse_tableless,
)

EVALUATIONS: Final = {
    "nlu": replace(NLU, best=("trees",), asks_world=False),
    "dst": replace(DST, best=("trees",), asks_world=False),
    "tracking": replace(DST, best=("trees-words",), asks_world=False),
    "policy": replace(POLICY, best=("trees",), asks_world=False),
    "nlg": replace(NLG, best=(RANKED, "template"), asks_world=False),
    "user": replace(USER, best=("trees",), asks_world=False),
}
"""Evaluation -> the table of its parts; `best` is the one that scores best on a corpus."""


@dataclass(frozen=True, slots=True)
class EvaluationWorld:
    """The world and models that a part is built with."""

    name: str
    """A world that ships, or a world folder."""
    language: str | None = None
    """None: the world's own."""
    tables: Path | None = None
    """Folder of fetched corpora."""
    models: Path | None = None
    templates: Path | None = None
    protocol: str = CORRECTED
    speaker: Speaker = Speaker.SYSTEM
    seed: int = 0
    """Offered to parts from outside."""

    def context(self) -> PartContext:
        """The context with the world's tables, whose conditions are compared as in the papers."""
        world = load_world(self.name, language=self.language, data=self.tables)
        context = context_of(world, data=self.tables, models=self.models, protocol=self.protocol)
        return replace(
            context,
            database=Database(world),
            templates=self.templates,
            speaker=self.speaker,
            seed=self.seed,
        )

    def outline(self) -> PartContext:
        """The context without the world's tables, which may not have been fetched."""
        schema, language = load_schema(self.name, language=self.language)
        folder = find_world(self.name)
        empty = {domain.key: Table(domain, ()) for domain in schema.places}
        outline = load_outline(self.name)
        world = World(outline.name, schema, language, empty, folder, tableless=outline.tableless)
        database = Database(world)
        context = PartContext(world, folder, database, self.tables, self.models)
        return replace(
            context,
            protocol=self.protocol,
            templates=self.templates,
            speaker=self.speaker,
            seed=self.seed,
        )


def judged_part(evaluation: str, asked: Any, where: EvaluationWorld) -> BuiltPart:
    """The part of a name, or a live one, as it is scored on a corpus.

    A model of another world is refused.
    """
    kind = EVALUATIONS[evaluation]
    if not isinstance(asked, str):
        return build_part(kind, asked, where.outline())
    context = where.outline()
    name = resolve(kind, asked, context)
    if name not in kind.parts or kind.parts[name].reads_tables:
        context = where.context()
    if evaluation == "policy":
        refuse_tableless(context.world, "a policy chooses among the rows that it finds")
    try:
        _refuse_other_world(kind, name, context)
        built = build_part(kind, name, context)
    except InputError as problem:
        raise _with_corpus(problem, context.world) from problem
    return replace(built, asked=asked, part=as_judged(built.part))


def _refuse_other_world(kind: Kind, name: str, context: PartContext) -> None:
    row = kind.parts.get(name)
    for model in row.models(context) if row else ():
        if has_model(model, context.models):
            find_model(model, context.models, world=context.world.name)


def _with_corpus(problem: InputError, world: World) -> InputError:
    """What a remedy says of a world without tables: its models are trained on a corpus."""
    if not world.tableless:
        return problem
    named = f"--world {world.name}"
    remedy = problem.remedy.replace(f"{named} --language {world.language.code}", named)
    return InputError(problem.message, remedy=remedy.replace(named, "--data FILE"))


def as_judged(part: Any) -> Any:
    """Switch one of our parts to its behaviour on a corpus; other parts are unchanged."""
    from crosstalk.system.policy.tree_policy import TreePolicy
    from crosstalk.users.tree_user import TreeUser

    if isinstance(part, TreePolicy | TreeUser):
        return part.as_judged()
    return form_tracker(part)


def standing_for(built: BuiltPart) -> str:
    """A notice about an alias; empty if the name is the part's own."""
    return f"{built.asked} stands for {built.name}" if built.asked != built.name else ""
