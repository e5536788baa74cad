"""What can be done in harbour, in all its languages."""

from typing import Any

import pytest

from crosstalk.worlds.action_events import TableState
from crosstalk.worlds.actions import Executor, same_tables
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import find_world, languages_of, load_world

LANGUAGES = languages_of(find_world("harbour"))


@pytest.fixture(scope="module", params=LANGUAGES)
def executor(request: pytest.FixtureRequest) -> Executor:
    return Executor(Database(load_world("harbour", language=request.param)))


def entity(executor: Executor, domain: str, row: int = 0) -> Any:
    return executor.world.tables[domain].rows[row]["name"]


def calls(executor: Executor) -> list[tuple[str, dict[str, Any]]]:
    ends = {
        "departure": entity(executor, "hotel"),
        "destination": entity(executor, "restaurant", 1),
    }
    date = {"date": "2026-06-06"}
    stay = {"arrival": "2026-06-08", "nights": 2, "people": 2}
    return [
        ("table", {"entity": entity(executor, "restaurant"), "time": "19:30", "people": 4, **date}),
        ("room", {"entity": entity(executor, "hotel", 64), **stay}),
        ("tickets", {"entity": entity(executor, "attraction"), "people": 3, **date}),
        ("taxi", {"time": "18:45", **ends, **date}),
    ]


def test_everything_can_be_booked_changed_and_cancelled(executor: Executor) -> None:
    start = executor.begin("goal")
    for what, arguments in calls(executor):
        state, booked = executor.perform(start, f"book_{what}", arguments)
        assert booked.done, (what, booked.refusal)
        reference = {"reference": booked.gives["reference"]}
        when = "arrival" if what == "room" else "date"
        state, changed = executor.perform(
            state, f"change_{what}", {**reference, when: "2026-06-13"}
        )
        assert changed.done, (what, changed.refusal)
        state, cancelled = executor.perform(state, f"cancel_{what}", reference)
        assert cancelled.done
        _, again = executor.perform(state, f"cancel_{what}", reference)
        assert again.refusal and again.refusal.reason == "no_booking"
        agree = same_tables(executor.world, start, state)
        assert [key for key, same in agree.items() if not same] == [f"{_singular(what)}_bookings"]


def _singular(what: str) -> str:
    return what.removesuffix("s")


def test_results(executor: Executor) -> None:
    row = executor.world.tables["hotel"].rows[64]
    _, event = executor.perform(executor.begin(), "book_room", calls(executor)[1][1])
    assert event.gives["total"] == 2 * row["price"]  # type: ignore[operator]
    _, event = executor.perform(executor.begin(), "book_taxi", calls(executor)[3][1])
    assert event.gives["car"] in executor.world.texts("taxi", "car")


def test_refusals(executor: Executor) -> None:
    start = executor.begin()
    table = calls(executor)[0][1]
    assert reason(executor, start, "book_table", {**table, "date": "2026-06-02"}) == "closed"
    assert reason(executor, start, "book_table", {**table, "people": 9}) == "limit"
    full = next(row for row in start.tables["rooms"] if row["left"] == 0)
    stay = {"entity": full["entity"], "arrival": full["date"], "nights": 1, "people": 1}
    assert reason(executor, start, "book_room", stay) == "no_room"
    few = next(row for row in start.tables["tickets"] if row["left"] == 2)
    visit = {"entity": few["entity"], "date": few["date"]}
    assert reason(executor, start, "book_tickets", {**visit, "people": 3}) == "no_tickets"
    assert reason(executor, start, "book_tickets", {**visit, "people": 2}) == ""


def reason(executor: Executor, state: TableState, action: str, arguments: dict[str, Any]) -> str:
    event = executor.perform(state, action, arguments)[1]
    return event.refusal.reason if event.refusal else ""


def test_every_language_has_its_policy_and_every_sentence(executor: Executor) -> None:
    world = executor.world
    assert "2026-06-01" in world.policy
    actions = {action.key for action in world.schema.actions}
    assert len(actions) == 12
    assert world.language.goal and set(world.language.goal.do) == actions
    assert set(world.language.actions) == actions
    assert len(set(world.language.refusals.values())) == 9


def test_the_same_calls_have_the_same_results_in_every_language() -> None:
    results = []
    for code in LANGUAGES:
        executor = Executor(Database(load_world("harbour", language=code)))
        state = executor.begin("goal")
        codes = []
        for what, arguments in calls(executor):
            state, event = executor.perform(state, f"book_{what}", arguments)
            codes.append(event.gives["reference"])
        results.append(codes)
    assert all(codes == results[0] for codes in results)


def test_dates_outside_the_month_cannot_be_booked(executor: Executor) -> None:
    table = {**calls(executor)[0][1], "date": "2026-01-24"}
    assert reason(executor, executor.begin(), "book_table", table) == "limit"
