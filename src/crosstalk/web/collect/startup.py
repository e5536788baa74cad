"""Preparing a site: its store, its pool of goals, and its optional parts.

site = open_site("talk.db", world)
fill_pool(site, "100", seed=0, world="harbour", data=None)
parts, missing = build_parts("harbour", world)
"""

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from sqlalchemy import delete, insert, select

from crosstalk.collection.events import Role
from crosstalk.collection.rooms import Room
from crosstalk.collection.study import Study
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import CrosstalkError, InputError, Rejection
from crosstalk.goals.goal_files import StoredGoal, read_goals, sample_stored_goals
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.goal_translation import with_descriptions
from crosstalk.goals.sampler import goal_sampler
from crosstalk.labels.checker import LabelChecker
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.web.collect.corpus_export import Annotate
from crosstalk.web.collect.settings import Settings, stored_settings
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store.room_store import add_goals, count_goals
from crosstalk.web.store.sql_tables import SETTINGS
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.store.study_store import STUDY
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, load_world

if TYPE_CHECKING:
    from crosstalk.web.collect.agent_partners import AgentSeat


class Machines(Protocol):
    """Machine partners for either role; stateless, since the history is in the room."""

    def can_play(self, role: Role) -> bool: ...

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        """The next turn of that role; called in a worker thread."""
        ...


class NoMachines:
    """A site for people only."""

    def can_play(self, role: Role) -> bool:
        return False

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        raise Rejection("no_machine", "this site has no machine partners")


def unchanged(dialogue: Dialogue) -> Dialogue:
    return dialogue


@dataclass(frozen=True, slots=True)
class Parts:
    """Optional parts of a site; the defaults are a site for people only, in any world."""

    machines: Machines = field(default_factory=NoMachines)
    voice: Generator | None = None
    """Generates the user's utterances of the training exercises."""
    annotate: Annotate | None = None
    """Adds dialogue acts to exported dialogues; None: states only."""
    reader: Understanding | None = None
    """Reads wishes in the user's messages for the wizard; None: nothing is offered."""
    drafter: Generator | None = None
    """Drafts the wizard's answers; None: nothing is drafted."""


def build_parts(
    folder: str,
    world: World,
    *,
    machines: bool = True,
    data: Path | None = None,
    models: Path | None = None,
    agent: "AgentSeat | None" = None,
    actions: bool = False,
    checker: LabelChecker | None = None,
) -> tuple[Parts, list[str]]:
    """(the parts available for a world and language, messages about those that are not).

    `checker`: the label checker of the site's rooms, for their export, too; default: another one.
    """
    missing = list[str]()
    partners: Machines = NoMachines()
    annotate: Annotate | None = None
    try:
        if machines:
            partners = _machines(folder, world.language.code, data, models, actions=actions)
    except InputError as problem:
        missing.append(f"no machine partners: {problem.message}")
    if agent is not None:
        partners = _with_agent(agent, partners, folder, world.language.code, data)
    try:
        annotate = _annotation(folder, world, checker)
    except InputError as problem:
        missing.append(f"no acts in exports: {problem.message}")
    user, wizard = (_voice(world, speaker, data) for speaker in (Speaker.USER, Speaker.SYSTEM))
    return Parts(partners, user, annotate, _reader(folder, world), wizard), missing


def _machines(
    folder: str, language: str, data: Path | None, models: Path | None, *, actions: bool
) -> Machines:
    from crosstalk.web.collect.machines import build_machines

    return build_machines(folder, language, data=data, models=models, actions=actions)


def _with_agent(
    agent: "AgentSeat", others: Machines, folder: str, language: str, data: Path | None
) -> Machines:
    from crosstalk.system.parts import context_of
    from crosstalk.web.collect.agent_partners import build_agent_partners

    return build_agent_partners(agent, context_of(folder, language=language, data=data), others)


def _annotation(folder: str, world: World, checker: LabelChecker | None) -> Annotate:
    from crosstalk.web.collect.corpus_export import annotation_in

    return annotation_in(world, find_world(folder), checker)


def _reader(folder: str, world: World) -> Understanding | None:
    """The rules that need no training, in languages that have a phrase book."""
    from crosstalk.system.nlu.rules.nlu import RulesNLU

    try:
        return RulesNLU(world, find_world(folder))
    except CrosstalkError:
        return None


def _voice(world: World, speaker: Speaker, data: Path | None) -> Generator | None:
    """The generator that speaks by templates, if there are any for the world."""
    from crosstalk.system.nlg.parts import NLG
    from crosstalk.system.parts import BEST, build_part, context_of

    try:
        context = replace(context_of(world, data=data), speaker=speaker)
        built: Generator = build_part(NLG, BEST, context).part
    except CrosstalkError:
        return None
    return built


DEFAULT_GOALS: Final = 100


def remember_world(transaction: Transaction) -> None:
    """Bind the store to the site's world and language; raises InputError if it has others."""
    for key, value in (
        ("world", transaction.site.context.world.name),
        ("language", transaction.site.context.pack.code),
    ):
        wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == key)
        known = transaction.connection.execute(wanted).scalar_one_or_none()
        if known is None:
            transaction.connection.execute(SETTINGS.insert().values(key=key, value=value))
        elif known != value:
            raise InputError(
                f"this store holds dialogues whose {key} is {known}, not {value}",
                remedy=f"Give --{key} {known}, or another --store.",
            )


def remember_study(transaction: Transaction, study: Study) -> None:
    """Keep the study's pay and platform, so that people can be paid while the site is closed."""
    record = {"key": study.key, "pay": study.table.pay, "platform": study.platform}
    value = json.dumps(record, default=lambda model: model.model_dump())
    connection = transaction.connection
    connection.execute(delete(SETTINGS).where(SETTINGS.c.key == STUDY))
    connection.execute(insert(SETTINGS).values(key=STUDY, value=value))


def goals_from_file(
    path: Path, world: World, folder: str, data: Path | None
) -> Iterator[StoredGoal]:
    """The goals of a file, described in the site's language."""

    def load(name: str, language: str) -> World:
        return load_world(folder if name == world.name else name, language=language, data=data)

    return with_descriptions(read_goals(path), load, language=world.language.code)


def goals_from_lines(text: str, world: World) -> Iterator[StoredGoal]:
    """The goals of an uploaded file, which must be in the site's language."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        for record in read_goals(Path(file.name)):
            if record.language != world.language.code:
                raise InputError(
                    f"the goal {record.id!r} is told in {record.language!r}",
                    remedy=f"This site speaks {world.language.code!r}; "
                    "`crosstalk goals describe --language` translates goals.",
                )
            yield record


def goals_to_draw(site: Site, count: int | None, default: int, seed: int) -> Iterator[StoredGoal]:
    """The first `count` goals of the seed; None: `default` if the store has no goals, else none."""
    if count is None:
        known = site.store.read(count_goals)
        count = 0 if any(known.values()) else default
    wishes = GoalOptions(actions=site.context.executor is not None)
    return sample_stored_goals(goal_sampler(site.context.world, wishes), count, seed=seed)


def missing_goals(site: Site, records: Iterable[StoredGoal]) -> int:
    """Add the goals that the pool does not have; returns their number."""
    found, world = list(records), site.context.world.name
    return site.store.write(partial(add_goals, records=found, world=world)).result()


def open_site(
    store: str,
    world: World,
    settings: Settings | None = None,
    *,
    actions: bool = False,
    study: Study | None = None,
) -> Site:
    """The site of a world; raises InputError and closes the store if it is of another world.

    `actions`: wizards perform actions, and goals that are drawn ask for them.
    """
    if actions and not world.schema.actions:
        raise InputError(f"the world {world.name} has no actions", remedy="Leave out --actions.")
    with ExitStack() as undo:
        opened = Store(store_url(store))
        undo.callback(opened.close)  # an open store would stay locked
        rules = (settings or Settings()).rules(opened.read(stored_settings))
        site = Site(opened, WorldContext(world, actions=actions), rules, study=study)
        site.submit(remember_world).result()
        if study is not None:
            site.submit(partial(remember_study, study=study)).result()
        undo.pop_all()
    return site


@contextmanager
def unmade_if_refused(store: Store) -> Iterator[None]:
    """Remove the store's file where the start is refused, if it was made for this start."""
    try:
        yield
    except CrosstalkError:
        if not store.shared:
            store.take_back()
        raise


def fill_pool(site: Site, goals: str | None, seed: int, world: str, data: Path | None) -> None:
    """Add goals to the pool: `goals` is a goal file, or the number of goals to sample."""
    if goals is not None and goals.removeprefix("-").isdecimal() and int(goals) < 0:
        raise InputError(f"--goals: {goals} is no number of goals", remedy="Give 0 or more.")
    if goals is not None and not goals.isdecimal():
        records = goals_from_file(Path(goals), site.context.world, world, data)
    else:
        records = goals_to_draw(site, int(goals) if goals else None, DEFAULT_GOALS, seed)
    missing_goals(site, records)
