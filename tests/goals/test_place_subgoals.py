from collections import Counter
from random import Random

import pytest

from crosstalk.dialogue.schema import SERVICE_MARK, GoalOdds
from crosstalk.goals.place_subgoals import Pairs, PlaceDraft, place_sampler
from crosstalk.worlds.tables import World

DRAWS = 6000


def drafts(world: World, domain: str, *, near: bool = False) -> list[PlaceDraft]:
    sampler = place_sampler(world.tables[domain], world.language, GoalOdds())
    rng = Random(2)
    return [sampler.draw(rng, near=near) for _ in range(DRAWS)]


def slots(pairs: Pairs) -> list[str]:
    """The slots behind the pairs; several services are one slot."""
    return list(dict.fromkeys(slot.split(SERVICE_MARK)[0] for slot, _ in pairs))


def shares(numbers: list[int]) -> dict[int, float]:
    return {number: count / len(numbers) for number, count in Counter(numbers).items()}


def is_named(draft: PlaceDraft) -> bool:
    return draft.constraints[0][0] == "name"


def test_one_in_ten_is_known_by_name_and_by_nothing_else(town: World) -> None:
    found = drafts(town, "sight")
    named = [draft for draft in found if is_named(draft)]
    assert len(named) / DRAWS == pytest.approx(0.1, abs=0.015)
    assert all(len(draft.constraints) == 1 for draft in named)
    assert shares([len(str(draft.constraints[0][1])) for draft in named]).keys() == {3, 4, 5}


def test_one_two_or_three_constraints(town: World) -> None:
    counts = [len(slots(d.constraints)) for d in drafts(town, "inn") if not is_named(d)]
    assert shares(counts) == pytest.approx({1: 0.2, 2: 0.6, 3: 0.2}, abs=0.02)


def test_a_place_with_few_slots_has_fewer_constraints(town: World) -> None:
    assert {len(draft.constraints) for draft in drafts(town, "diner")} == {1}


def test_near_another_the_name_is_neither_given_nor_asked(town: World) -> None:
    for draft in drafts(town, "sight", near=True):
        assert "name" not in slots(draft.constraints) + slots(draft.requests)


def test_the_name_is_asked_first_unless_it_is_known(town: World) -> None:
    for draft in drafts(town, "sight"):
        assert (slots(draft.requests)[0] == "name") != is_named(draft)


def test_one_or_two_requests_besides_the_name(town: World) -> None:
    counts = [len(set(slots(draft.requests)) - {"name"}) for draft in drafts(town, "sight")]
    assert shares(counts) == pytest.approx({1: 0.3, 2: 0.7}, abs=0.02)


def test_what_is_constrained_is_not_asked(town: World) -> None:
    for draft in drafts(town, "inn"):
        assert not set(slots(draft.constraints)) & set(slots(draft.requests))


def test_questions_are_empty_and_lists_stay_lists(town: World) -> None:
    asked = {pair for domain in ("sight", "inn", "diner") for draft in drafts(town, domain)
             for pair in draft.requests}  # fmt: skip
    assert ("near_inns", ()) in asked
    assert ("dishes", ()) in asked
    assert ("phone", "") in asked
    assert {value for _, value in asked} == {"", ()}


def test_services_are_asked_one_or_two_at_a_time_and_evenly(town: World) -> None:
    groups = [[slot for slot, _ in draft.requests if SERVICE_MARK in slot]
              for draft in drafts(town, "inn")]  # fmt: skip
    groups = [group for group in groups if group]
    assert shares([len(group) for group in groups]) == pytest.approx({1: 0.5, 2: 0.5}, abs=0.04)
    first = Counter(group[0] for group in groups)
    assert first["services-sauna"] / len(groups) == pytest.approx(0.25, abs=0.04)
