"""What is put right within an utterance: the later one counts, in every language."""

from functools import cache

import pytest

from crosstalk.dialogue.acts import EXCLUDE, INFORM, MULTIPLY, REQUEST, Act
from crosstalk.system.build import build_system
from crosstalk.system.chat import reply
from crosstalk.system.pipeline import System


@cache
def _system(language: str) -> System:
    return build_system("harbour", language=language)


def _understood(language: str, text: str) -> tuple[Act, ...]:
    system = _system(language)
    answer, _ = reply(system, text, system.begin())
    return answer.understood


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("en", "a hotel near the zoo, no wait, near the aquarium", "Ocean Aquarium"),
        ("en", "a hotel at the zoo, I mean the aquarium", "Ocean Aquarium"),
        ("de", "ein Hotel am Zoo, nein, doch lieber am Aquarium", "Meeresaquarium"),
        ("ru", "отель у зоопарка... хотя нет, у крепостной стены", "Прогулка по крепостной стене"),
        ("ru", "отель рядом с зоопарком, то есть с океанариумом", "Океанариум"),
        ("ru", "не у зоопарка, а у океанариума отель", "Океанариум"),
        ("ar", "فندق قرب حديقة الحيوان، لا، قرب الأكواريوم", "أكواريوم المحيط"),
        ("zh", "动物园附近的酒店，不对，水族馆附近的", "海洋水族馆"),
    ],
)
def test_near_another_place(language: str, text: str, meant: str) -> None:
    near = [act.value for act in _understood(language, text) if act.intent == INFORM]
    assert near == [meant]


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("en", "a hotel with a sauna, sorry, with a pool", "services-swimming"),
        ("en", "a hotel with a spa, no not a spa, a sauna", "services-sauna facilities"),
        ("de", "ein Hotel mit Sauna, ach nein, mit Pool", "services-Schwimmbecken"),
        ("ru", "отель с сауной, хотя нет, с бассейном", "services-бассейн"),
        ("ar", "أبي فندق فيه سبا.. لا لا مو سبا، ساونا", "services-ساونا"),
    ],
)
def test_another_service(language: str, text: str, meant: str) -> None:
    acts = _understood(language, text)
    assert [act.slot for act in acts if act.intent == INFORM] == [meant]
    assert not any(act.intent == EXCLUDE for act in acts)


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("en", "a restaurant with duck, actually lamb", "lamb"),
        ("de", "Restaurant mit Ente, nein, lieber Lamm", "Lamm"),
        ("ru", "ресторан с уткой, нет, лучше с бараниной", "баранина"),
        ("ar", "مطعم فيه بط، لا أقصد دجاج", "دجاج"),
        ("zh", "有鸭子的餐厅，不，还是羊肉吧", "羊肉"),
    ],
)
def test_another_dish(language: str, text: str, meant: str) -> None:
    acts = _understood(language, text)
    assert [act.value for act in acts if act.intent == INFORM] == [meant]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a restaurant... no, a hotel near the zoo"),
        ("en", "looking for a restaurant near the zoo. actually no, a hotel"),
        ("de", "ein Restaurant, nein doch lieber ein Hotel am Zoo"),
        ("ru", "ресторан... ой, отель у зоопарка"),
        ("ru", "не ресторан, а отель у зоопарка"),
        ("ar", "أريد مطعم.. لا، فندق قرب المنارة"),
        ("zh", "找餐厅，哦不，找酒店，动物园附近"),
    ],
)
def test_another_domain(language: str, text: str) -> None:
    assert {act.domain for act in _understood(language, text)} == {"hotel"}


@pytest.mark.parametrize(
    ("language", "text", "limit"),
    [
        ("en", "a hotel up to 200, no, 300", "300"),
        ("de", "ein Hotel bis 200, nein, bis 300", "300"),
        ("ru", "Нужен отель до 60. Ой, то есть до 160", "160"),
        ("ar", "فندق بحد أقصى 300 لا خليها 400", "400"),
        ("zh", "酒店三百以内……不不，四百以内吧", "400"),
    ],
)
def test_another_limit(language: str, text: str, limit: str) -> None:
    limits = [act.value for act in _understood(language, text) if act.intent == INFORM]
    assert len(limits) == 1
    assert limit in limits[0]


@pytest.mark.parametrize(
    ("language", "text", "destination"),
    [
        ("en", "taxi from the Swan to the zoo, no, to the aquarium", "Ocean Aquarium"),
        ("de", "Taxi zum Zoo, äh nein, zum Aquarium", "Meeresaquarium"),
        ("ru", "такси от зоопарка до маяка, ой, до океанариума", "Океанариум"),
        ("ru", "такси до маяка, нет, океанариум", "Океанариум"),
        ("ar", "تاكسي إلى حديقة الحيوان، لا قصدي إلى الأكواريوم", "أكواريوم المحيط"),
        ("zh", "打车去动物园，不对，去水族馆", "海洋水族馆"),
    ],
)
def test_another_destination(language: str, text: str, destination: str) -> None:
    acts = _understood(language, text)
    assert [act.value for act in acts if act.slot == "destination"] == [destination]


def test_another_number_of_nights() -> None:
    acts = _understood("ru", "отель «Бельведер» сколько стоит на три ночи, ой, на четыре?")
    assert [act.value for act in acts if act.intent == MULTIPLY] == ["4"]


@pytest.mark.parametrize(
    ("language", "text", "wishes"),
    [
        ("en", "a hotel with a sauna. Sorry, and a pool", 2),
        ("en", "a hotel with a sauna and better with a pool", 2),
        ("ru", "отель с бассейном. Ой, и с сауной", 2),
    ],
)
def test_what_is_added_replaces_nothing(language: str, text: str, wishes: int) -> None:
    acts = _understood(language, text)
    assert sum(act.intent == INFORM for act in acts) == wishes
    assert any(act.intent == REQUEST for act in acts)
