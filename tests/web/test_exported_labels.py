"""What leaves the site: no value outside a field's words, no act that nobody ticked.

Whatever people type and tick, insist on or leave out; a value that no table has is marked.
"""

from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.collection.conftest import GOAL, opened
from tests.collection.playing import after

from crosstalk.collection.commands import Command, Fill, Say, Search, Select, decide
from crosstalk.collection.events import Role
from crosstalk.collection.export import EXTRAS, dialogue_of
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.corpora.record_encoding import decode_dialogue, encode_dialogue
from crosstalk.dialogue.acts import INFORM, REQUEST, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference
from crosstalk.dialogue.schema import SlotKind
from crosstalk.errors import Rejection
from crosstalk.labels.field_words import is_word_of
from crosstalk.labels.turn_evidence import values_of
from crosstalk.language.gazetteer import mentions
from crosstalk.web.collect.corpus_export import annotation
from crosstalk.worlds.conditions import several
from crosstalk.worlds.world import load_world

WORLD = WorldContext(load_world("harbour"))
ANNOTATE = annotation("harbour", "en")
HOTEL, CHOWDER = "Campus Hostel", "harbour chowder"
VALUES = st.sampled_from(
    (
        *("hot", "breakf", "breakfast", "BREAKFAST", "helipad", "luxur", "Campus Host"),
        *(HOTEL, "campus hostel", CHOWDER, "chowder", "4.5", "9999 crowns", "200-300 crowns"),
        *("1 hour", "none", "yes", "Cathedral Square metro, exit D", "0482-6111857", ""),
    )
)
LISTS = st.lists(VALUES, max_size=3)
RANGES = st.sampled_from([{"low": 100}, {"low": 100, "high": 90000}, {"low": 99999}])
SAYINGS = (
    *("A hotel with breakfast", "200-300 crowns", HOTEL, CHOWDER, "What is the phone number?"),
    *("rating", "a taxi there", "near it", "thank you", "hot"),
)
WORDS = st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=4).map(", ".join)
FIELDS = {
    "hotel": ["name", "type", "services", "price", "rating", "nearby_restaurants"],
    "restaurant": ["name", "dishes", "cost", "nearby_hotels"],
    "attraction": ["duration", "fee"],
    "taxi": ["departure", "destination"],
}
TYPED: dict[str, st.SearchStrategy[Any]] = {
    "services": st.one_of(VALUES, LISTS),
    "dishes": st.one_of(VALUES, LISTS),
    **dict.fromkeys(["price", "rating", "cost", "fee"], RANGES),
}
USERS: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        Say,
        text=WORDS,
        ticks=st.lists(st.integers(0, len(GOAL.tuples) - 1), max_size=4).map(tuple),
        sure=st.just(True),
    ),
    st.builds(
        Fill,
        cell=st.integers(0, len(GOAL.tuples) - 1),
        value=st.one_of(VALUES, LISTS),
        sure=st.booleans(),
        dropped=st.sampled_from([False, False, False, True]),
    ),
)


@st.composite
def searches(draw: st.DrawFn) -> Search:
    domain = draw(st.sampled_from(sorted(FIELDS)))
    keys = draw(st.lists(st.sampled_from(FIELDS[domain]), min_size=1, max_size=3, unique=True))
    slots = {key: draw(TYPED.get(key, VALUES)) for key in keys}
    unlisted = draw(st.sampled_from([(), tuple(keys[:1]), tuple(keys), tuple(keys)]))
    return Search(domain, slots, unlisted=unlisted)


WIZARDS: st.SearchStrategy[Command] = st.one_of(
    searches(),
    searches(),
    st.builds(Select, domain=st.sampled_from(sorted(FIELDS)), names=LISTS.map(tuple)),
    st.builds(Say, text=WORDS, sure=st.just(True)),
)
FEW: dict[str, Any] = {"min_size": 1, "max_size": 4}
SESSIONS = st.lists(
    st.tuples(st.lists(USERS, **FEW), st.lists(WIZARDS, **FEW)), min_size=6, max_size=12
)
Session = list[tuple[list[Command], list[Command]]]


def attempted(room: Room, role: Role, command: Command) -> Room:
    try:
        return after(room, decide(WORLD, room, role, command))
    except Rejection:
        return room


def export(session: Session) -> Dialogue:
    """The dialogue as it is read from the site's native export."""
    room = opened(WORLD)
    for turns in session:
        for role, commands in zip(Role, turns, strict=True):
            for command in commands:
                room = attempted(room, role, command)
    return decode_dialogue(encode_dialogue(ANNOTATE(dialogue_of(1, room))))


def foreign(turn: Turn) -> Iterator[str]:
    """The fields and cells of a turn that hold something which is no word of theirs."""
    for form in (turn.first_query, turn.last_query):
        for tab in form or ():
            domain = WORLD.database.domain(tab.domain)
            for key, value in tab.constraints.items():
                slot = domain.slot(key)
                if slot and any(
                    not is_word_of(WORLD.checker.words, domain, slot, each)
                    for each in several(value)
                ):
                    yield f"{tab.domain}-{key}"
    for cell in turn.user_state or ():
        cell_slot = WORLD.slot(cell.domain, cell.slot)
        if cell_slot is None or cell_slot.kind is SlotKind.SERVICES:
            continue
        domain = WORLD.database.domain(cell.domain)
        told = (each for each in values_of(cell) if each != WORLD.pack.nothing)
        if any(not is_word_of(WORLD.checker.words, domain, cell_slot, each) for each in told):
            yield f"{cell.subgoal}-{cell.domain}-{cell.slot}"


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SESSIONS)
def test_no_value_outside_a_fields_words(commands: Session) -> None:
    marked = set[str]()
    for turn in export(commands).turns:
        marked |= set(turn.extras.get(EXTRAS, {}).get("unlisted", ()))
        assert set(foreign(turn)) <= marked


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SESSIONS)
def test_no_act_of_a_cell_that_is_not_ticked(commands: Session) -> None:
    for turn in export(commands).turns:
        if turn.speaker is not Speaker.USER:
            continue
        cells, ticks = turn.user_state or (), turn.ticks or ()
        ticked = {(cells[at].domain, cells[at].slot) for at in ticks}
        near = {cells[at].domain for at in ticks if isinstance(cells[at].value, Reference)}
        for act in turn.acts:
            slot = WORLD.slot(act.domain, act.slot)
            is_named = slot and slot.kind is SlotKind.NAME and mentions(turn.text, act.value)
            if act.intent in (INFORM, REQUEST) and not is_named:
                assert (act.domain, act.slot) in ticked
            elif act.intent == SELECT:
                assert act.domain in near
