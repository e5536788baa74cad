"""What a field might hold stays known after the turn that brought it up."""

from crosstalk.system.dst.slot_candidates import (
    MOST_CARRIED,
    CandidateSource,
    add_candidates,
    judged,
)

FIRST = add_candidates(
    {}, {"": {CandidateSource.CLEAR, CandidateSource.KEEP}, "free": {CandidateSource.SET}}, 0
)


def test_a_value_is_remembered_with_its_source() -> None:
    later = add_candidates(
        judged(FIRST, {"": 0.25, "free": 0.75}), {"": {CandidateSource.CLEAR}}, 3
    )
    assert later["free"].last == 0
    assert later["free"].sources == {CandidateSource.SET}
    assert later["free"].likelihood == 0.75


def test_keeping_and_clearing_are_no_news() -> None:
    assert FIRST[""].count == 0
    assert FIRST["free"].count == 1
    again = add_candidates(FIRST, {"": {CandidateSource.CLEAR}, "free": {CandidateSource.KEEP}}, 1)
    assert again["free"] == FIRST["free"]


def test_said_again_is_news() -> None:
    again = add_candidates(FIRST, {"free": {CandidateSource.SET, CandidateSource.KEEP}}, 2)["free"]
    assert (again.first, again.last, again.count) == (0, 2, 2)


def test_the_least_likely_are_forgotten() -> None:
    many = add_candidates({}, {str(n): {CandidateSource.SET} for n in range(20)}, 0)
    kept = judged(many, {str(n): n / 20 for n in range(20)})
    assert list(kept) == [str(n) for n in range(20 - MOST_CARRIED, 20)]
