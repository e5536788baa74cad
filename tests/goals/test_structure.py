from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.goals import Reference, Tuples, subgoals
from crosstalk.dialogue.schema import GoalOdds
from crosstalk.goals.place_subgoals import place_sampler
from crosstalk.goals.structure import StructureSampler, structure_sampler
from crosstalk.worlds.tables import World

DRAWS = 3000
ALONE = GoalOdds(ride=0, cross_default=0)


def sampler(world: World, odds: GoalOdds) -> StructureSampler:
    places = {
        place.key: place_sampler(world.tables[place.key], world.language, odds)
        for place in world.schema.places
    }
    return structure_sampler(world.schema, places, odds)


def draws(world: World, odds: GoalOdds, count: int = DRAWS) -> list[Tuples]:
    source, rng = sampler(world, odds), Random(3)
    return [source.draw(rng) for _ in range(count)]


def domains(tuples: Tuples) -> list[str]:
    return [group[0].domain for _, group in subgoals(tuples)]


def test_each_place_gets_a_subgoal_four_times_in_five(town: World) -> None:
    found = Counter(len(domains(goal)) for goal in draws(town, ALONE))
    three, one = 0.8**3, 3 * 0.8 * 0.2**2 + 0.2**3
    assert found[3] / DRAWS == pytest.approx(three, abs=0.03)
    assert found[1] / DRAWS == pytest.approx(one, abs=0.02)
    assert 0 not in found


def test_places_come_in_any_order(town: World) -> None:
    orders = Counter(tuple(domains(goal)) for goal in draws(town, replace(ALONE, independent=1)))
    assert len(orders) == 6
    assert max(orders.values()) / DRAWS == pytest.approx(1 / 6, abs=0.03)


def test_a_request_for_what_is_near_may_become_a_subgoal(town: World) -> None:
    odds = GoalOdds(ride=0, cross={"sight": {"inn": 0.45, "sight": 0.0}}, cross_default=0.3)
    asked, crossed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for goal in draws(town, odds):
        groups = dict(subgoals(goal))
        for group in groups.values():
            if isinstance(group[0].value, Reference):
                source = groups[group[0].value.subgoal]
                crossed[source[0].domain, group[0].domain] += 1
            else:
                slots = [each.slot for each in group if each.value == ()]
                near = {"near_inns": "inn", "near_sights": "sight"}
                asked.update((group[0].domain, near[slot]) for slot in slots if slot in near)
    assert crossed["sight", "sight"] == 0
    assert crossed["sight", "inn"] / asked["sight", "inn"] == pytest.approx(0.45, abs=0.05)
    assert crossed["inn", "sight"] / asked["inn", "sight"] == pytest.approx(0.3, abs=0.05)


def test_subgoals_near_another_follow_it_in_the_order_of_the_odds(town: World) -> None:
    odds = GoalOdds(independent=0, ride=0, cross={"sight": {"inn": 1, "sight": 1}}, requests=(0, 1))
    both = [goal for goal in draws(town, odds) if len(domains(goal)) == 3]
    assert {tuple(domains(goal)) for goal in both} == {("sight", "inn", "sight")}
    assert all(goal[-1].subgoal == 3 for goal in both)


def test_children_have_no_children(town: World) -> None:
    for goal in draws(town, GoalOdds(cross_default=1)):
        near = {each.subgoal: each.value.subgoal for each in goal
                if isinstance(each.value, Reference) and each.value.nearby}  # fmt: skip
        assert not set(near) & set(near.values())


def test_rides_join_two_places_three_times_in_ten(town: World) -> None:
    """With three places, in a tenth of the cases by tram and by cab."""
    goals = draws(town, GoalOdds(independent=1, cross_default=0))
    rides = Counter(tuple(sorted({"tram", "cab"} & set(domains(goal)))) for goal in goals)
    assert 1 - rides[()] / DRAWS == pytest.approx(0.3, abs=0.03)
    assert rides["cab", "tram"] / DRAWS == pytest.approx(0.03, abs=0.01)
    assert rides[("cab",)] / rides[("tram",)] == pytest.approx(1, abs=0.2)


def test_no_second_ride_where_there_is_no_room(town: World) -> None:
    odds = GoalOdds(independent=1, cross_default=0, ride=1, both_rides=1, max_subgoals=4)
    assert {len(domains(goal)) for goal in draws(town, odds, 200)} == {4}
    full = replace(odds, max_subgoals=3)
    assert not any({"tram", "cab"} & set(domains(goal)) for goal in draws(town, full, 200))


def test_one_place_has_no_ride(town: World) -> None:
    odds = GoalOdds(independent=0, cross_default=0, ride=1)
    assert {len(domains(goal)) for goal in draws(town, odds, 200)} == {1}


def test_a_ride_comes_as_soon_as_both_ends_are_there(town: World) -> None:
    for goal in draws(town, GoalOdds(ride=1)):
        for number, group in subgoals(goal):
            ends = [each.value.subgoal for each in group if isinstance(each.value, Reference)]
            if group[0].domain in ("tram", "cab"):
                between = domains(goal)[ends[1] : number - 1]
                assert set(between) <= {"tram", "cab"}


@settings(deadline=None)
@given(seed=st.integers(), most=st.integers(1, 7), cross=st.sampled_from([0, 0.3, 1]))
def test_what_holds_for_every_goal(town: World, seed: int, most: int, cross: float) -> None:
    odds = GoalOdds(max_subgoals=most, cross_default=cross, ride=0.5)
    goal = sampler(town, odds).draw(Random(seed))
    numbers = [number for number, _ in subgoals(goal)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) <= most
    for number, group in subgoals(goal):
        asked = [each.is_open for each in group]
        assert asked == sorted(asked), "constraints stand before requests"
        assert len({each.slot for each in group}) == len(group)
        references = [each.value for each in group if isinstance(each.value, Reference)]
        assert all(reference.subgoal < number for reference in references)
        assert [each.value for each in group[: len(references)]] == references
        if group[0].domain in ("tram", "cab"):
            start, end = references
            assert start.subgoal < end.subgoal
    assert not any(each.expressed for each in goal)
