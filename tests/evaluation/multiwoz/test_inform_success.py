"""Each rule of the protocol on a dialogue of its own."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.evaluation.multiwoz.handmade import tables

from crosstalk.evaluation.multiwoz.inform_success import DomainGoal, Judged, judge
from crosstalk.evaluation.multiwoz.responses import Response, State, with_estimated_domains

HOTEL = {"hotel": {"area": "north"}}
NONE: frozenset[str] = frozenset()


def goal(constraints: Mapping[str, str], *answers: str) -> DomainGoal:
    return DomainGoal(constraints, frozenset(answers))


def hotel(text: str, state: State = HOTEL) -> Response:
    return Response(text, state, ("hotel",))


def judged(
    folder: Path, goals: Mapping[str, DomainGoal], *turns: Response, booked: frozenset[str] = NONE
) -> Judged:
    return judge(goals, turns, [booked] * len(turns), tables(folder))


def test_a_name_offers_all_rows_of_the_state(tmp_path: Path) -> None:
    found = judged(tmp_path, {"hotel": goal({"area": "north"})}, hotel("[hotel_name] is nice"))
    assert found.informed and found.success


def test_the_rows_offered_must_all_meet_the_goal(tmp_path: Path) -> None:
    wide = hotel("[name] is nice", {"hotel": {"stars": "4"}})  # two rows, one of them in the north
    assert not judged(tmp_path, {"hotel": goal({"area": "north"})}, wide).informed


def test_nothing_offered_informs_nobody(tmp_path: Path) -> None:
    assert not judged(tmp_path, {"hotel": goal({"area": "north"})}, hotel("hello")).informed


def test_a_goal_that_names_its_entity_is_informed(tmp_path: Path) -> None:
    assert judged(tmp_path, {"hotel": goal({"name": "allenbell"})}, hotel("hello")).informed


def test_an_offer_is_kept_while_its_rows_are_found(tmp_path: Path) -> None:
    north = hotel("[name]")
    wider = hotel("[name]", {"hotel": {"stars": "4"}})
    other = hotel("[name]", {"hotel": {"area": "centre"}})
    wish = {"hotel": goal({"area": "north"})}
    assert judged(tmp_path, wish, north, wider).informed
    assert not judged(tmp_path / "b", wish, north, other).informed


def test_a_train_is_informed_unless_a_wrong_one_is_offered(tmp_path: Path) -> None:
    early = {"leave": "09:00", "arrive": "10:30"}
    wish, asked = {"train": goal(early)}, {"train": goal(early, "TRAINID")}
    silent = Response("which day ?", {"train": {"leave": "11:00"}}, ("train",))
    wrong = Response("[train_id]", {"train": {"leave": "11:00"}}, ("train",))
    assert judged(tmp_path / "a", wish, silent).informed
    assert not judged(tmp_path / "b", asked, silent).informed
    assert not judged(tmp_path / "c", wish, wrong).informed


@pytest.mark.parametrize("domain", ["taxi", "hospital", "police"])
def test_domains_without_offers_are_informed(tmp_path: Path, domain: str) -> None:
    found = judged(tmp_path, {domain: goal({}, "PHONE")}, Response("hello", {}, (domain,)))
    assert found.informed and not found.success


def test_questions_must_be_answered_in_their_domain(tmp_path: Path) -> None:
    wish = {"hotel": goal({"name": "allenbell"}, "PHONE", "POST")}
    both = hotel("[phone] and [postcode]")
    elsewhere = Response("[phone] and [postcode]", HOTEL, ("restaurant",))
    assert judged(tmp_path / "a", wish, both).success
    assert not judged(tmp_path / "b", wish, elsewhere).success
    assert not judged(tmp_path / "c", wish, hotel("[phone]")).success


def test_a_reference_counts_only_where_people_had_booked(tmp_path: Path) -> None:
    wish = {"hotel": goal({"name": "allenbell"}, "REFERENCE")}
    said = hotel("your reference is [ref]")
    assert not judged(tmp_path / "a", wish, said).success
    assert judged(tmp_path / "b", wish, said, booked=frozenset({"hotel"})).success


def test_success_needs_inform(tmp_path: Path) -> None:
    wish = {"hotel": goal({"area": "north"}, "PHONE")}
    found = judged(tmp_path, wish, hotel("[phone]"))
    assert found.answered == {"hotel": True} and not found.success


def domains(*states: State) -> list[tuple[str, ...] | None]:
    return [turn.domains for turn in with_estimated_domains(tuple(Response("", s) for s in states))]


def test_the_domain_is_the_one_that_grew() -> None:
    train = {"train": {"day": "monday"}}
    assert domains({}, HOTEL, HOTEL, {**HOTEL, **train}) == [(), ("hotel",), ("hotel",), ("train",)]


def test_the_current_domain_stays_among_several_and_the_other_one_follows() -> None:
    first = {"hotel": {"area": "north"}}
    both = {"hotel": {"area": "north", "stars": "4"}, "train": {"day": "monday"}}
    assert domains(first, both, both) == [("hotel",), ("hotel",), ("train",)]


def test_the_fullest_of_several_new_domains_comes_next() -> None:
    both = {"hotel": {"area": "north"}, "train": {"day": "monday", "leaveAt": "10:00"}}
    assert domains(both) == [("train",)]
