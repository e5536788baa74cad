"""How well the shipped models understand what people type, language by language."""

import pytest
from tests.nlu.typed import LANGUAGES, PARTS, judge, typed

from crosstalk.model_folders import find_model
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.worlds.world import load_world

FLOORS = {"en": 87, "zh": 88, "de": 86, "ar": 89, "ru": 89}
"""F1 of all parts together, a point or two below what the models reach."""


@pytest.mark.parametrize("code", LANGUAGES)
def test_people_are_understood(code: str) -> None:
    world = load_world("harbour", language=code)
    understanding = RankedNLU.load(find_model(f"nlu-harbour-{code}"), world)
    cases = [case for part in PARTS for case in typed(world, part)]
    assert len(cases) >= 60
    hits, wrong = judge(understanding, cases)
    told = [f"{case.text}: {' '.join(map(str, said))}" for case, said in wrong]
    assert hits.f1 is not None
    assert hits.f1 >= FLOORS[code], told
