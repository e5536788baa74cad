"""One CrossWOZ dialogue that keeps every rule, written by hand, and ways to break it."""

from dataclasses import replace

import pytest

from crosstalk.corpora.crosswoz_schema import CHINESE
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.states import DomainState, SystemState

EMPTY = SystemState(
    tuple(
        DomainState(domain.key, tuple((slot.key, "") for slot in domain.form))
        for domain in CHINESE.schema
    )
)


def asking(domain: str, slot: str, value: str, *selected: str) -> SystemState:
    tab = EMPTY.get(domain).with_slot(slot, value)
    return EMPTY.with_domain(replace(tab, selected=selected))


def said(tuples: Tuples, *numbers: int) -> Tuples:
    return tuple(each.said() if number in numbers else each for number, each in enumerate(tuples))


def filled(tuples: Tuples, **values: str) -> Tuples:
    """Keys are `_` and the number of a tuple."""
    return tuple(
        each.filled(values[f"_{number}"]) if f"_{number}" in values else each
        for number, each in enumerate(tuples)
    )


@pytest.fixture
def talk() -> Dialogue:
    """Type CM: a hotel, then a restaurant near it; six turns, one relaxed query."""
    goal = (
        SemanticTuple(1, "酒店", "评分", "4.5分以上"),
        SemanticTuple(1, "酒店", "名称", ""),
        SemanticTuple(1, "酒店", "周边餐馆", ()),
        SemanticTuple(2, "餐馆", "名称", Reference(1, nearby=True)),
        SemanticTuple(2, "餐馆", "推荐菜", ("面",)),
    )
    first = said(goal, 0, 1)
    second = said(filled(first, _1="甲"), 2, 3, 4)
    last = filled(second, _2="无", _3="乙")
    return Dialogue(
        id="7",
        language="zh",
        world="crosswoz",
        workers=(3, 4),
        goal=Goal(goal, GoalType.CM, ("住酒店(id=1)。", "去id=1附近的餐馆(id=2)。")),
        final_goal=last,
        turns=(
            Turn(
                Speaker.USER,
                "找个4.5分以上的酒店\t",
                (Act("Inform", "酒店", "评分", "4.5分以上"), Act("Request", "酒店", "名称", "")),
                user_state=first,
            ),
            Turn(
                Speaker.SYSTEM,
                "甲酒店。",
                (Act("Inform", "酒店", "名称", "甲"),),
                first_query=asking("酒店", "评分", "4.5分以上"),
                last_query=asking("酒店", "评分", "4分以上", "甲"),
            ),
            Turn(
                Speaker.USER,
                "附近有餐馆吗?想吃面",
                (
                    Act("Inform", "餐馆", "推荐菜", "面"),
                    Act("Request", "酒店", "周边餐馆", ""),
                    Act("Select", "餐馆", "源领域", "酒店"),
                ),
                user_state=second,
            ),
            Turn(
                Speaker.SYSTEM,
                "没有, 乙吧。",
                (
                    Act("Inform", "酒店", "周边餐馆", "无"),
                    Act("Inform", "餐馆", "名称", "乙"),
                    Act("NoOffer", "餐馆"),
                ),
                first_query=asking("餐馆", "推荐菜", "面"),
                last_query=asking("餐馆", "推荐菜", "面", "乙"),
            ),
            Turn(Speaker.USER, "谢谢", (Act("General", "thank"),), user_state=last),
            Turn(
                Speaker.SYSTEM,
                "不客气",
                (Act("General", "welcome"),),
                first_query=EMPTY,
                last_query=EMPTY,
            ),
        ),
    )


@pytest.fixture
def elsewhere() -> Dialogue:
    """A dialogue of another world and language, with things that no foreign format holds."""
    goal = (
        SemanticTuple(1, "hotel", "services-sauna", "yes"),
        SemanticTuple(2, "taxi", "from", Reference(1, nearby=False)),
    )
    form = SystemState((DomainState("hotel", (("name", ""), ("dishes", ("a", "b"))), ("Anker",)),))
    return Dialogue(
        id="harbour-1",
        language="de",
        world="harbour",
        workers=("anna", 7),
        goal=Goal(goal),
        turns=(
            Turn(Speaker.USER, "Ein Hotel mit Sauna", user_state=said(goal, 0)),
            Turn(
                Speaker.SYSTEM, "Anker", (Act("Inform", "hotel", "name", "Anker"),), last_query=form
            ),
        ),
        extras={"note": {"by": ["x", 1, None]}},
    )
