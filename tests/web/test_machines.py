"""Machine partners: the pipeline as wizard, the simulator as user, marked as such in the data."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.web.running import Running, paired

from crosstalk.collection.commands import events_of
from crosstalk.collection.events import Opened, Recorded, Role
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.room_actions import tables_of
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.goals import GoalType
from crosstalk.goals.action_goals import chosen_entities, final_tables
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.system.dst.tracker import empty_form
from crosstalk.web.collect.machines import build_machines
from crosstalk.web.collect.site import Site, SiteRules
from crosstalk.web.collect.startup import Machines, Parts, missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url
from crosstalk.worlds.actions import same_tables


@pytest.fixture(scope="module")
def machines() -> Machines:
    return build_machines("harbour", "en")


def both_machines(
    context: WorldContext, machines: Machines, seed: int, *, actions: bool = False
) -> Room:
    options = GoalOptions(only=frozenset({GoalType.S}), satisfiable=True, actions=actions)
    goal = goal_sampler(context.world, options).sample(goal_rng(seed, 0))
    form = empty_form(context.world.schema)
    opened = Opened("g", goal, "harbour", "en", form, None, None, exchanges=15)
    room = apply(None, Recorded(1, 0.0, opened))
    while role := room.next_role:
        reply = machines.reply(room, role, "seed")
        for event in events_of(context, room, reply):
            room = apply(room, Recorded(room.seq + 1, 0.0, event))
    return room


def test_two_machines_finish(context: WorldContext, machines: Machines) -> None:
    room = both_machines(context, machines, 5)
    assert room.conversation.ending is Ending.FINISHED
    dialogue = dialogue_of(1, room)
    assert dialogue.workers == ("machine", "machine")
    assert dialogue.extras["collection"]["machine"] == ["system", "user"]
    assert all(turn.text and turn.extras["collection"]["machine"] for turn in dialogue.turns)
    assert any(turn.last_query and turn.last_query.get("hotel") for turn in dialogue.system_turns)


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_two_machines_with_something_to_be_done(seed: int) -> None:
    machines = build_machines("harbour", "en", actions=True)
    room = both_machines(machines.context, machines, seed, actions=True)
    assert room.conversation.ending is Ending.FINISHED
    executor = machines.context.executor
    assert executor is not None
    chosen = chosen_entities(executor.world.schema, room.cells)
    wanted, _ = final_tables(executor, room.goal.actions, chosen, room.goal_id)
    assert all(same_tables(executor.world, wanted, tables_of(executor, room)).values())


def test_a_person_books_with_a_machine(tmp_path: Path, goals: list[StoredGoal]) -> None:
    machines = build_machines("harbour", "en", actions=True)
    rules = SiteRules(training=False, grace=0.3, pause=0)
    site = Site(Store(store_url(str(tmp_path / "site.db"))), machines.context, rules)
    site.submit(remember_world).result()
    missing_goals(site, goals[:3])
    with Running(site, Parts(machines)) as server:
        page = server.worker("Lonely").sit_down()
        page.must("machine", role="user")
        page.until(lambda: page.lobby["room"])
        page.hello(page.lobby["room"])
        page.must("say", text="book a table at Molasses for 3 tomorrow at 12:00", sure=True)
        page.until(lambda: page.view["your_turn"])
        page.must("say", text="yes, please", sure=True)
        page.until(lambda: page.view["your_turn"])
        (acted,) = [event for event in page.events if event["kind"] == "acted"]
        code = acted["message"].split()[-1]
        assert acted["done"] and code in page.events[-1]["text"]


def test_a_person_with_a_machine(
    open_site: Callable[..., Site], tmp_path: Path, machines: Machines
) -> None:
    rules = SiteRules(training=False, grace=0.3, pause=0)
    site = open_site(str(tmp_path / "site.db"), rules=rules)
    with Running(site, Parts(machines)) as server:
        page = server.worker("Lonely").sit_down()
        assert page.lobby["machines"] == ["user", "wizard"]
        page.must("machine", role="user")
        page.until(lambda: page.lobby["room"])
        page.hello(page.lobby["room"])
        assert page.view["partner"]["state"] == "machine"
        values = [page.view["cells"][cell] for cell in (0, 1)]
        text = " and ".join(str(cell["value"] or cell["slot_name"]) for cell in values)
        page.must("say", text=f"Please: {text}", ticks=[0, 1], sure=True)
        page.until(lambda: page.view["your_turn"])
        assert page.events[-1]["by"] == "wizard" and page.events[-1]["text"]


def test_a_machine_takes_over(
    open_site: Callable[..., Site], tmp_path: Path, machines: Machines
) -> None:
    rules = SiteRules(training=False, grace=0.3, pause=0)
    site = open_site(str(tmp_path / "site.db"), rules=rules)
    with Running(site, Parts(machines)) as server:
        _, _, user, wizard = paired(server)
        user.must("say", text="Hello", sure=True)
        user.close()
        wizard.until(lambda: "machine" in wizard.view["choices"])
        wizard.must("choose", choice="machine")
        wizard.must("say", text="Hello, how can I help?", sure=True)
        wizard.until(lambda: wizard.view["your_turn"])
        said = [event for event in wizard.events if event["kind"] == "turn"]
        assert [event["by"] for event in said] == ["user", "wizard", "user"]
        assert wizard.room is not None
        log = site.log(wizard.room)
        assert log and dialogue_of(1, log.room).turns[2].extras["collection"]["machine"]
        assert log.room.replaced[0][0] is Role.USER
