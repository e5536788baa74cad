import pytest

from crosstalk.errors import InputError
from crosstalk.goals.goal_options import changed_odds, cross_odds
from crosstalk.worlds.tables import World


def test_odds_written_anew(town: World) -> None:
    odds = changed_odds(town.schema, {"ride": "0.5", "requests": "1,2,3", "cross.inn.sight": "0.9"})
    assert (odds.ride, odds.requests) == (0.5, (1, 2, 3))
    assert cross_odds(odds, "inn", "sight") == 0.9
    assert cross_odds(odds, "sight", "inn") == odds.cross_default
    assert odds.independent == town.schema.odds.independent


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ride", "1.5", "from 0 to 1"),
        ("ride", "often", "from 0 to 1"),
        ("ride", "nan", "from 0 to 1"),
        ("ride", "0.1,0.2", "from 0 to 1"),
        ("requests", "", "at least 0"),
        ("requests", "0,0", "at least 0"),
        ("requests", "-1,2", "at least 0"),
        ("rides", "0.1", "no odds are called 'rides'"),
        ("cross.inn.pub", "0.1", "no odds are called 'cross.inn.pub'"),
        ("cross.inn", "0.1", "no odds are called 'cross.inn'"),
    ],
)
def test_odds_that_are_none(town: World, name: str, value: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        changed_odds(town.schema, {name: value})
