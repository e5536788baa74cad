from collections import Counter
from random import Random

import pytest

from crosstalk.dialogue.goals import Value
from crosstalk.dialogue.schema import GoalOdds
from crosstalk.goals.place_subgoals import Constraint, constraints
from crosstalk.worlds.tables import World

DRAWS = 6000


def constraint(world: World, domain: str, slot: str) -> Constraint:
    found = constraints(world.tables[domain], world.language, GoalOdds())
    return next(each for each in found if each.slot == slot)


def drawn(world: World, domain: str, slot: str) -> list[list[tuple[str, Value]]]:
    rng = Random(1)
    source = constraint(world, domain, slot)
    return [source.draw(rng) for _ in range(DRAWS)]


def shares(pairs: list[list[tuple[str, Value]]]) -> dict[Value, float]:
    counts = Counter(value for [(_, value)] in pairs)
    return {value: count / DRAWS for value, count in counts.items()}


def test_only_slots_marked_so_are_constrained(town: World) -> None:
    found = constraints(town.tables["sight"], town.language, GoalOdds())
    assert [each.slot for each in found] == ["fee", "visit", "rating"]


def test_bands_are_drawn_by_weight_and_said_in_the_language(town: World) -> None:
    assert shares(drawn(town, "sight", "fee")) == pytest.approx(
        {"free": 10 / 15, "not free": 1 / 15, "20-50 marks": 4 / 15}, abs=0.02
    )
    assert shares(drawn(town, "sight", "rating")) == pytest.approx(
        {"4 stars or more": 0.2, "4.5 stars or more": 0.6, "5 stars": 0.2}, abs=0.02
    )


def test_bands_without_weight_are_drawn_as_rows_fall_into_them(town: World) -> None:
    """A price of 200 counts for 100-200 and for 200-300; nobody asks for 300 and more."""
    assert shares(drawn(town, "inn", "price")) == pytest.approx(
        {"100-200 marks": 1 / 3, "200-300 marks": 2 / 3}, abs=0.02
    )


def test_categories_and_durations_are_drawn_as_often_as_they_stand(town: World) -> None:
    assert shares(drawn(town, "inn", "class")) == pytest.approx(
        {"simple": 2 / 3, "grand": 1 / 3}, abs=0.02
    )
    assert shares(drawn(town, "sight", "visit"))["2 hours"] == pytest.approx(1 / 3, abs=0.02)


def test_terms_come_from_two_rows_or_more_and_evenly(town: World) -> None:
    values = [value for [(_, value)] in drawn(town, "diner", "dishes")]
    first = Counter(value[0] for value in values if isinstance(value, tuple))
    assert set(first) == {"soup", "pie"}
    assert first["soup"] / DRAWS == pytest.approx(0.5, abs=0.02)


def test_sometimes_a_second_term_from_beside_the_first(town: World) -> None:
    values = [value for [(_, value)] in drawn(town, "diner", "dishes")]
    pairs = {value for value in values if isinstance(value, tuple) and len(value) == 2}
    assert sum(value in pairs for value in values) / DRAWS == pytest.approx(0.15, abs=0.02)
    assert pairs == {
        ("soup", "pie"),
        ("soup", "trout"),
        ("soup", "dumplings"),
        ("pie", "soup"),
        ("pie", "trout"),
    }


def test_one_or_two_services_each_a_slot_of_its_own(town: World) -> None:
    found = drawn(town, "inn", "services")
    assert {value for pairs in found for _, value in pairs} == {"yes"}
    assert sum(len(pairs) == 2 for pairs in found) / DRAWS == pytest.approx(0.5, abs=0.02)
    first = Counter(pairs[0][0] for pairs in found)
    assert first["services-breakfast"] / DRAWS == pytest.approx(3 / 7, abs=0.02)
    assert all(len({slot for slot, _ in pairs}) == len(pairs) for pairs in found)


def test_services_that_exclude_each_other_are_never_both_wanted(town: World) -> None:
    wifi = {"services-wifi everywhere", "services-wifi in the hall"}
    found = drawn(town, "inn", "services")
    assert all(len(wifi & {slot for slot, _ in pairs}) < 2 for pairs in found)


def test_stray_white_space_in_the_table_is_never_drawn(town: World) -> None:
    slots = {slot for pairs in drawn(town, "inn", "services") for slot, _ in pairs}
    assert not any("\n" in slot for slot in slots)
