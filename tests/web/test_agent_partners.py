"""Agents of others in a seat of a room: told everything, replayed after a restart, never stuck."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.agents.scripted_endpoint import Answer, Json, calls, endpoint, fails, says
from tests.web.running import Running

from crosstalk.agents.build import AgentOptions
from crosstalk.collection.commands import events_of
from crosstalk.collection.events import Answered, Opened, Recorded, Role, Said, from_json, to_json
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.room_actions import tables_of
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.world_context import WorldContext
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.system.dst.tracker import empty_form
from crosstalk.system.parts import PartContext, context_of
from crosstalk.web.collect.agent_partners import AgentPartners, AgentSeat, build_agent_partners
from crosstalk.web.collect.site import Site, SiteRules
from crosstalk.web.collect.startup import NoMachines, Parts
from crosstalk.worlds.policy_rules import actions_of

COUNTING = """
class Counts:
    heard = []

    def begin(self):
        return 0

    def reply(self, heard, state):
        Counts.heard.append(heard.text)
        if heard.text == "crash":
            raise RuntimeError("no idea")
        return f"turn {state + 1}: {heard.text}", state + 1
"""


@pytest.fixture(scope="module")
def parts() -> PartContext:
    return context_of("harbour", language="en")


def room_of(context: WorldContext) -> Room:
    goal = goal_sampler(context.world).sample(goal_rng(5, 0))
    form = empty_form(context.world.schema)
    opened = Opened("g", goal, "harbour", "en", form, 1, None, exchanges=15)
    return apply(None, Recorded(1, 0.0, opened))


def heard(room: Room, text: str) -> Room:
    return apply(room, Recorded(room.seq + 1, 0.0, Said(text)))


def answered(context: WorldContext, partners: AgentPartners, room: Room) -> Room:
    role = room.next_role
    assert role is not None
    reply = partners.reply(room, role, "g 1")
    for event in events_of(context, room, reply):
        kept = from_json(to_json(event))
        room = apply(room, Recorded(room.seq + 1, 0.0, kept))
    return room


def counting(parts: PartContext, tmp_path: Path) -> AgentPartners:
    file = tmp_path / "counting.py"
    file.write_text(COUNTING)
    return build_agent_partners(AgentSeat(f"python:{file}:Counts"), parts, NoMachines())


def test_an_endpoint_as_wizard(context: WorldContext, parts: PartContext) -> None:
    script = [
        calls("get_hotel", '{"name": "Campus Hostel"}'),
        says("Campus Hostel it is."),
        says("You are welcome."),
    ]
    with endpoint(lambda body, number: script[number]) as server:
        options = AgentOptions(tools="native")
        seat = AgentSeat(f"openai:m@{server.url}", options=options)
        partners = build_agent_partners(seat, parts, NoMachines())
        assert partners.can_play(Role.WIZARD) and not partners.can_play(Role.USER)
        room = answered(context, partners, heard(room_of(context), "A hostel, please."))
        turn = dialogue_of(1, room).turns[1]
        assert turn.text == "Campus Hostel it is." and not turn.acts
        assert turn.last_query == empty_form(context.world.schema)
        assert turn.extras["collection"]["machine"]
        [call] = turn.extras["agent"]["tool_calls"]
        assert call["name"] == "get_hotel" and "Campus Hostel" in call["result"]

        again = build_agent_partners(seat, parts, NoMachines())  # the server was restarted
        answered(context, again, heard(room, "Thanks."))
    roles = [each["role"] for each in server.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert len(server.requests) == 3


def test_an_agent_that_books_is_seen_by_both_sides(parts: PartContext) -> None:
    context = WorldContext(parts.world, actions=True)
    table = {"entity": "Molasses", "date": "2026-06-02", "time": "12:00", "people": 3}
    script = [
        calls("book_table", json.dumps(table)),
        says("Booked."),
        calls("book_table", json.dumps(table | {"time": "13:00"})),
        says("Again."),
    ]
    with endpoint(lambda body, number: script[number]) as server:
        options = AgentOptions(tools="native", actions=True)
        seat = AgentSeat(f"openai:m@{server.url}", options=options)
        partners = build_agent_partners(seat, parts, NoMachines())
        room = answered(context, partners, heard(room_of(context), "A table, please."))
        [record] = room.acted
        assert actions_of(room.conversation.turns[1])[0].record() == record
        again = build_agent_partners(seat, parts, NoMachines())  # the server was restarted
        room = answered(context, again, heard(room, "Another one."))
    codes = {record["gives"]["reference"] for record in room.acted}
    assert len(codes) == 2
    executor = context.executor
    assert executor is not None
    booked = tables_of(executor, room).tables["table_bookings"]
    assert codes <= {row["reference"] for row in booked}


def test_a_python_agent_keeps_its_state(
    context: WorldContext, parts: PartContext, tmp_path: Path
) -> None:
    partners = counting(parts, tmp_path)
    room = answered(context, partners, heard(room_of(context), "one"))
    room = answered(context, partners, heard(room, "two"))
    assert [turn.text for turn in room.conversation.turns][1::2] == ["turn 1: one", "turn 2: two"]
    restarted = counting(parts, tmp_path)
    room = answered(context, restarted, heard(room, "three"))
    assert room.conversation.turns[-1].text == "turn 3: three"


def test_a_failing_agent_says_so_and_goes_on(
    context: WorldContext, parts: PartContext, tmp_path: Path
) -> None:
    partners = counting(parts, tmp_path)
    room = answered(context, partners, heard(room_of(context), "one"))
    room = answered(context, partners, heard(room, "crash"))
    failed = room.conversation.turns[-1]
    assert "cannot answer" in failed.text
    assert failed.extras["agent"]["failed"] == "RuntimeError: no idea"
    room = answered(context, partners, heard(room, "two"))
    assert room.conversation.turns[-1].text == "turn 2: crash\ntwo"


def test_a_slow_agent_and_broken_words(
    context: WorldContext, parts: PartContext, tmp_path: Path
) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        "import time\n"
        "def odd(messages, session):\n"
        "    if 'slow' in messages[-1]['content']:\n"
        "        time.sleep(30)\n"
        "    return 'half \\ud83d and \\x00 nothing'\n"
    )
    seat = AgentSeat(f"python:{file}:odd", options=AgentOptions(timeout=0.1))
    partners = build_agent_partners(seat, parts, NoMachines())
    room = answered(context, partners, heard(room_of(context), "hello"))
    assert room.conversation.turns[-1].text == "half  and  nothing"
    room = answered(context, partners, heard(room, "slow"))
    assert "cannot answer" in room.conversation.turns[-1].text


def test_an_agent_as_user(context: WorldContext, parts: PartContext) -> None:
    room = room_of(context)

    def script(body: Json, number: int) -> Answer:
        return says("I need a hotel.") if number == 0 else says("Thanks! [done]")

    with endpoint(script) as server:
        seat = AgentSeat(f"openai:m@{server.url}", Role.USER)
        partners = build_agent_partners(seat, parts, NoMachines())
        room = answered(context, partners, room)
        first = server.requests[0]["messages"]
        assert [each["role"] for each in first] == ["system", "user"]
        assert all(sentence in first[0]["content"] for sentence in room.goal.description)
        assert not server.requests[0].get("tools")
        assert room.conversation.turns[0].text == "I need a hotel."
        room = apply(room, Recorded(9, 0.0, Answered("How about this one?")))
        room = answered(context, partners, room)
    assert room.conversation.user_is_done
    assert room.conversation.turns[-1].text == "Thanks!"


def test_a_person_with_an_agent(
    open_site: Callable[..., Site], tmp_path: Path, parts: PartContext
) -> None:
    """Through the real server: the endpoint fails once, and the room goes on."""

    def script(body: Json, number: int) -> Answer:
        return fails(400) if number == 0 else says("The Campus Hostel is cheap.")

    site = open_site(str(tmp_path / "site.db"), rules=SiteRules(training=False, pause=0))
    with endpoint(script) as server:
        seat = AgentSeat(f"openai:m@{server.url}", options=AgentOptions(tools="native"))
        partners = build_agent_partners(seat, parts, NoMachines())
        with Running(site, Parts(partners)) as running:
            page = running.worker("Lonely").sit_down()
            assert page.lobby["machines"] == ["wizard"]
            page.must("machine", role="user")
            page.until(lambda: page.lobby["room"])
            page.hello(page.lobby["room"])
            page.must("say", text="Hello", sure=True)
            page.until(lambda: page.view["your_turn"])
            assert "cannot answer" in page.events[-1]["text"]
            page.must("say", text="Something cheap?", sure=True)
            page.until(lambda: page.view["your_turn"])
            assert page.events[-1]["text"] == "The Campus Hostel is cheap."
    assert server.requests[-1]["messages"][-1]["content"] == "Hello\nSomething cheap?"
