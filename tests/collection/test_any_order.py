"""Whatever people do, in whatever order: a room never breaks, and never forgets."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.collection.conftest import GOAL

from crosstalk.collection.commands import (
    Choose,
    Command,
    Fill,
    Leave,
    Report,
    Say,
    Search,
    Select,
    connected,
    decide,
    disconnected,
    overdue,
)
from crosstalk.collection.events import Event, Opened, Recorded, Role, from_json, to_json
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.room_views import shown_events, view
from crosstalk.collection.rooms import Status, apply, replay
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import Rejection
from crosstalk.system.dst.tracker import empty_form
from crosstalk.worlds.world import load_world

DESK = WorldContext(load_world("harbour"))
ROLES = st.sampled_from(Role)
VALUES = st.one_of(
    st.text(max_size=20),
    st.lists(st.text(max_size=10), max_size=3),
    st.sampled_from(["none", "yes", "4.5", "Campus Hostel", "200-300 crowns"]),
)
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        Say,
        text=st.text(max_size=30),
        ticks=st.lists(st.integers(-1, 12), max_size=4).map(tuple),
        done=st.booleans(),
        sure=st.booleans(),
    ),
    st.builds(Fill, cell=st.integers(-1, 12), value=VALUES, sure=st.booleans()),
    st.builds(
        Search,
        domain=st.sampled_from(["hotel", "taxi", "nowhere"]),
        slots=st.dictionaries(
            st.sampled_from(["price", "name", "services", "departure", "nothing"]),
            st.one_of(VALUES, st.just({"low": 100}), st.just({"low": "x"})),
            max_size=2,
        ),
    ),
    st.builds(
        Select,
        domain=st.sampled_from(["hotel", "taxi", "nowhere"]),
        names=st.lists(st.sampled_from(["Campus Hostel", "Nobody"]), max_size=2).map(tuple),
    ),
    st.builds(Choose, choice=st.sampled_from(["wait", "requeue", "machine"])),
    st.builds(Report, text=st.text(max_size=10)),
    st.builds(Leave, text=st.text(max_size=10)),
)


class AnyOrder(RuleBasedStateMachine):
    """Two people and their connections."""

    def __init__(self) -> None:
        super().__init__()
        form = empty_form(DESK.world.schema)
        first = Opened("g", GOAL, "harbour", "en", form, 1, 2, exchanges=4)
        self.now = 0.0
        self.log = [Recorded(1, 0.0, first)]
        self.room = replay(self.log)

    def happen(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.log.append(Recorded(self.room.seq + 1, self.now, event))
            self.room = apply(self.room, self.log[-1])

    @rule(role=ROLES, command=COMMANDS)
    def somebody_does_something(self, role: Role, command: Command) -> None:
        before, status = self.room, self.room.status
        try:
            events = decide(DESK, self.room, role, command)
        except Rejection as refusal:
            assert refusal.code and refusal.message
            return
        self.happen(events)
        assert status is Status.OPEN or isinstance(command, Report)
        assert not before.seat(role).left or isinstance(command, Report)

    @precondition(lambda self: self.room.next_role)
    @rule(text=st.text("ab", min_size=1))
    def whose_turn_it_is_says_something(self, text: str) -> None:
        assert self.room.next_role
        self.somebody_does_something(self.room.next_role, Say(text, sure=True))

    @rule(role=ROLES)
    def a_connection_is_lost(self, role: Role) -> None:
        self.happen(disconnected(self.room, role))

    @rule(role=ROLES)
    def a_connection_is_made(self, role: Role) -> None:
        self.happen(connected(self.room, role))

    @rule(seconds=st.sampled_from([1.0, 60.0, 121.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.happen(overdue(self.room, self.now))
        assert self.room.deadline is None or self.room.deadline > self.now

    @invariant()
    def the_log_tells_the_same_story(self) -> None:
        written = [Recorded(each.seq, each.at, from_json(to_json(each.event))) for each in self.log]
        assert replay(written) == self.room

    @invariant()
    def turns_alternate_and_states_keep_their_shape(self) -> None:
        dialogue = dialogue_of(1, self.room)
        speakers = [turn.speaker for turn in dialogue.turns]
        assert speakers == [Speaker.USER, Speaker.SYSTEM] * (len(speakers) // 2) + (
            [Speaker.USER] * (len(speakers) % 2)
        )
        said: set[int] = set()
        for turn in dialogue.user_turns:
            now = {at for at, each in enumerate(turn.user_state or ()) if each.expressed}
            assert len(turn.user_state or ()) == len(GOAL.tuples) and said <= now
            said = now

    @invariant()
    def each_side_sees_its_own_notes_only(self) -> None:
        kinds = {role: {each["kind"] for each in shown_events(self.log, role)} for role in Role}
        assert "filled" not in kinds[Role.WIZARD]
        assert not {"queried", "selected"} & kinds[Role.USER]
        assert "cells" not in view(DESK, self.room, Role.WIZARD)
        assert "form" not in view(DESK, self.room, Role.USER)

    @invariant()
    def a_room_without_people_is_not_open(self) -> None:
        seats = self.room.seats
        alone = all(seat.is_machine or seat.is_lost for seat in seats)
        assert not (alone and self.room.status is Status.OPEN), self.room


AnyOrder.TestCase.settings = settings(
    max_examples=30, stateful_step_count=25, deadline=None, derandomize=True
)
TestAnyOrder = AnyOrder.TestCase
