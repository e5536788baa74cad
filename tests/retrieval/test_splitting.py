"""Three parts of a corpus."""

import pytest

from crosstalk.errors import InputError
from crosstalk.retrieval.triples import SplitPart, split
from crosstalk.retrieval.turn_table import TurnTable

DAY = 86_400


def copies() -> TurnTable:
    """Each question was answered twice, so that it opens two dialogues."""
    turns = tuple((f"question {at // 2}", f"answer {at}", "thanks") for at in range(1000))
    times = tuple(DAY * (at // 2) for at in range(1000))
    return TurnTable(
        turns, tuple(f"{time} {turn[0]}" for time, turn in zip(times, turns, strict=True)), times
    )


@pytest.mark.parametrize("how", ["random", "time", "1970-12-31,1971-03-01"])
def test_copies_of_a_question_stay_together_and_nothing_is_lost(how: str) -> None:
    parts = [split(copies(), how, part) for part in SplitPart]
    assert sum(map(len, parts)) == 1000
    questions = [set(part.questions) for part in parts]
    assert not questions[0] & questions[1] and not questions[1] & questions[2]
    assert all(len(part) > 3 for part in parts)


def test_by_time_the_test_part_is_the_latest() -> None:
    train, valid, test = (split(copies(), "time", part) for part in SplitPart)
    assert max(train.times) < min(valid.times) <= max(valid.times) < min(test.times)
    assert len(train) == 960


def test_a_day_belongs_to_the_part_it_ends() -> None:
    train = split(copies(), "1970-01-02,1970-01-03", SplitPart.TRAIN)
    assert set(train.times) == {0, DAY}


def test_more_dialogues_move_none_of_those_there_were() -> None:
    table = copies()
    fewer = set(split(table.only(range(600)), "random", SplitPart.TEST).questions)
    assert fewer <= set(split(table, "random", SplitPart.TEST).questions)
    assert fewer != set(split(table.only(range(600)), "random", SplitPart.TEST, seed=2).questions)


def test_an_unknown_way_is_named() -> None:
    with pytest.raises(InputError, match="sideways"):
        split(copies(), "sideways", SplitPart.TEST)


def test_days_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(InputError, match="would end before the first"):
        split(copies(), "2012-08-07,2012-04-27", SplitPart.TRAIN)
