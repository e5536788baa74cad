"""A store full of dialogues, as if a year of collecting had passed."""

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import count, islice
from random import Random

from crosstalk.collection.commands import events_of
from crosstalk.collection.events import Event, Opened, Recorded
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.rooms import apply
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.participants import Reply
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.simulation.dialogue_loop import in_words, talk
from crosstalk.system.dst.tracker import empty_form
from crosstalk.web.collect.corpus_export import Annotate, annotation, store_records
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.collect.startup import missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.store.worker_store import add_worker

DISTINCT = 300
"""Dialogues talked; the others have the same words about the same goals under other names."""
PEOPLE = 100


def filled_store(address: str, dialogues: int) -> int:
    """Write so many finished dialogues of simulated people; how many turns they have."""
    simulation = build(Setup("harbour", words=True))
    context = WorldContext(simulation.world)
    talked = list(islice(_talks(simulation, context), min(DISTINCT, dialogues)))
    site = Site(Store(store_url(address)), context)
    try:
        site.submit(remember_world).result()
        workers = [site.submit(partial(_newcomer, number=n)).result() for n in range(PEOPLE)]
        goals = [talked[number % len(talked)][0] for number in range(dialogues)]
        records = [StoredGoal(f"goal-{n}", "harbour", "en", goal) for n, goal in enumerate(goals)]
        missing_goals(site, records)
        rng, annotate = Random(0), _remembered(annotation("harbour", "en"))
        entered = list[Future[None]]()
        for number, record in enumerate(records):
            pair, events = rng.sample(workers, 2), talked[number % len(talked)][1]
            enter = partial(_enter, goal=record.id, pair=pair, events=events, annotate=annotate)
            entered.append(site.submit(enter))
        for each in entered:
            each.result()
    finally:
        site.store.close()
    kinds = (event.kind for n in range(dialogues) for event in talked[n % len(talked)][1])
    return sum(kind in ("said", "answered") for kind in kinds)


def _newcomer(work: Transaction, number: int) -> int:
    return add_worker(
        work.connection, name=f"w{number}", password="", interface="en", now=work.now, admin=False
    ).id


def _talks(simulation: Simulation, context: WorldContext) -> Iterator[tuple[Goal, list[Event]]]:
    """Goals and the events of dialogues about them that came to their end."""
    sampler = goal_sampler(simulation.world)
    for number in count():
        goal, seed = sampler.sample(goal_rng(0, number)), str(number)
        held = talk(*simulation.cast(goal, seed), schema=simulation.world.schema, goal=goal)
        if held.ending is Ending.FINISHED:
            yield goal, _events(context, goal, in_words(held.turns, simulation.generators, seed))


def _events(context: WorldContext, goal: Goal, turns: tuple[Turn, ...]) -> list[Event]:
    opened = Opened("goal", goal, "harbour", "en", empty_form(context.world.schema), 1, 2)
    room, events = apply(None, Recorded(1, 0.0, opened)), list[Event]()
    for number, turn in enumerate(turns):
        for event in events_of(context, room, Reply(turn, done=number == len(turns) - 2)):
            events.append(event)
            room = apply(room, Recorded(room.seq + 1, 0.0, event))
    return events


def _enter(
    work: Transaction, goal: str, pair: list[int], events: list[Event], annotate: Annotate
) -> None:
    log = work.append(work.open(goal, *pair), events)
    store_records(work.connection, log.id, log.room.seq, annotate(dialogue_of(log.id, log.room)))


def _remembered(annotate: Annotate) -> Annotate:
    """The same words have the same acts."""
    known: dict[tuple[str, ...], tuple[Turn, ...]] = {}

    def again(dialogue: Dialogue) -> Dialogue:
        words = tuple(turn.text for turn in dialogue.turns)
        if words not in known:
            known[words] = annotate(dialogue).turns
        pairs = zip(dialogue.turns, known[words], strict=True)
        return replace(dialogue, turns=tuple(replace(turn, acts=own.acts) for turn, own in pairs))

    return again
