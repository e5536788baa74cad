"""What people ask about two places at once: by how much they differ, what both cost, how near."""

from functools import cache

import pytest

from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System


@cache
def system(language: str) -> System:
    return build_system("harbour", language=language)


def talk(language: str, *utterances: str) -> Answer:
    session = system(language).begin()
    for utterance in utterances:
        answer, session = reply(system(language), utterance, session)
    return answer


@pytest.mark.parametrize(
    ("language", "utterances"),
    [
        ("en", ["which is cheaper, Owl House or Stone Bridge Inn?", "what's the difference?"]),
        ("zh", ["猫头鹰小屋跟石桥客栈哪个评分高", "价钱差多少"]),
        ("zh", ["猫头鹰小屋多少钱", "比石桥客栈便宜多少"]),
    ],
)
def test_by_how_much_two_places_differ(language: str, utterances: list[str]) -> None:
    text = talk(language, *utterances).text
    assert all(number in text for number in ("100", "320", "220"))


@pytest.mark.parametrize(
    ("question", "total"),
    [("两个都去，三个人总共多少钱", "840"), ("两个都去一共多少", "280")],
)
def test_what_two_places_cost_together(question: str, total: str) -> None:
    assert total in talk("zh", "市立动物园和海洋水族馆哪个便宜", question).text


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "are the zoo and the aquarium near each other?"),
        ("zh", "市立动物园跟海洋水族馆是挨着的吗"),
        ("zh", "市立动物园和海洋水族馆离得近吗"),
    ],
)
def test_whether_two_places_are_near_each_other(language: str, question: str) -> None:
    answer = talk(language, question)
    assert [act.intent for act in answer.acts] == ["Deny"]


@pytest.mark.parametrize(
    "request_", ["麻烦给我三个选择", "来三家看看", "给我看其中三家", "随便列仨"]
)
def test_a_number_of_places(request_: str) -> None:
    answer = talk("zh", "两百到五百之间带早餐的酒店", request_)
    assert sum(act.intent == "Recommend" for act in answer.acts) == 3


def test_the_other_one_of_two_that_were_counted() -> None:
    said = ["有几家酒店带温泉？", "便宜的那家叫什么", "它有会议室吗", "另外那家呢"]
    assert "云石温泉酒店" in talk("zh", *said).text


def test_the_second_cheapest_is_none_of_those_listed() -> None:
    said = ["自然历史博物馆旁边的酒店", "列几家", "带泳池的酒店里，第二便宜的是哪家"]
    answer = talk("zh", *said)
    assert "猫头鹰小屋" in answer.text and "不" not in answer.text
