"""Every rule, by one dialogue that keeps them all and one change that breaks it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.corpus_check import check
from crosstalk.corpora.slot_checks import Violation
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple
from crosstalk.dialogue.states import DomainState


def test_a_dialogue_that_keeps_every_rule(talk: Dialogue) -> None:
    assert list(check([talk])) == []


def change(dialogue: Dialogue, number: int, **fields: Any) -> Dialogue:
    """The dialogue with one turn changed."""
    turns = list(dialogue.turns)
    turns[number] = replace(turns[number], **fields)
    return replace(dialogue, turns=tuple(turns))


def with_acts(number: int, *acts: Act) -> Callable[[Dialogue], Dialogue]:
    return lambda talk: change(talk, number, acts=acts)


def with_goal(**fields: Any) -> Callable[[Dialogue], Dialogue]:
    return lambda talk: replace(talk, goal=replace(talk.goal or Goal(()), **fields))


def with_field(domain: str, slot: str, value: str) -> Callable[[Dialogue], Dialogue]:
    """One field of the form in turn 1, in both queries."""

    def changed(talk: Dialogue) -> Dialogue:
        form = talk.turns[1].first_query
        assert form is not None
        form = form.with_domain(form.get(domain).with_slot(slot, value))
        return change(talk, 1, first_query=form, last_query=form)

    return changed


def with_wish(at: int, wish: SemanticTuple) -> Callable[[Dialogue], Dialogue]:
    """One tuple exchanged, in the goal only."""

    def changed(talk: Dialogue) -> Dialogue:
        assert talk.goal is not None
        tuples = (*talk.goal.tuples[:at], wish, *talk.goal.tuples[at + 1 :])
        return replace(talk, goal=replace(talk.goal, tuples=tuples))

    return changed


@pytest.mark.parametrize(
    ("broken", "rule", "turn", "field"),
    [
        (lambda talk: replace(talk, turns=()), "turns", None, "turns"),
        (lambda talk: replace(talk, turns=talk.turns[1:]), "turns", 0, "speaker"),
        (lambda talk: replace(talk, turns=talk.turns[:-1]), "turns", 4, "speaker"),
        (lambda talk: change(talk, 2, text=" \t"), "no text", 2, "text"),
        (lambda talk: replace(talk, workers=(4, 4)), "workers", None, "workers"),
        (lambda talk: replace(talk, workers=()), "missing field", None, "workers"),
        (lambda talk: replace(talk, goal=None), "missing field", None, "goal"),
        (lambda talk: change(talk, 2, user_state=None), "missing field", 2, "user_state"),
        (lambda talk: change(talk, 3, last_query=None), "missing field", 3, "last_query"),
        (
            lambda talk: replace(talk, extras={"crosswoz": {"gaol": 1}}),
            "unknown field",
            None,
            "gaol",
        ),
        (
            with_acts(
                0, Act("Request", "酒店", "名称", ""), Act("Inform", "酒店", "评分", "4.5分以上")
            ),
            "acts order",
            0,
            "acts",
        ),
        (with_acts(4, Act("General", "thank"), Act("General", "thank")), "acts twice", 4, "acts"),
        (with_acts(4, Act("General", "welcome")), "act shape", 4, "acts[0]"),
        (with_acts(4, Act("General", "thank", "x")), "act shape", 4, "acts[0]"),
        (with_acts(4, Act("Praise", "酒店", "名称", "甲")), "act intent", 4, "acts[0]"),
        (with_acts(4, Act("NoOffer", "酒店")), "act speaker", 4, "acts[0]"),
        (with_acts(3, Act("NoOffer", "出租")), "act shape", 3, "acts[0]"),
        (with_acts(3, Act("Request", "酒店", "名称", "")), "act speaker", 3, "acts[0]"),
        (with_acts(4, Act("Request", "酒店", "名称", "甲")), "act shape", 4, "acts[0]"),
        (with_acts(3, Act("Recommend", "酒店", "地址", "甲")), "act shape", 3, "acts[0]"),
        (with_acts(4, Act("Recommend", "酒店", "名称", "甲")), "act speaker", 4, "acts[0]"),
        (with_acts(4, Act("Select", "酒店", "源领域", "酒店")), "act shape", 4, "acts[0]"),
        (with_acts(4, Act("Select", "酒店", "名称", "景点")), "act shape", 4, "acts[0]"),
        (with_acts(3, Act("Inform", "酒店", "名称", "")), "act shape", 3, "acts[0]"),
        (with_acts(3, Act("Inform", "旅店", "名称", "甲")), "unknown word", 3, "acts[0]"),
        (with_acts(3, Act("Inform", "酒店", "门票", "甲")), "unknown word", 3, "acts[0]"),
        (with_acts(0, Act("Inform", "酒店", "价格", "5元")), "first turn", 0, "acts[0]"),
        (with_acts(0, Act("Inform", "酒店", "评分", "5分")), "first turn", 0, "user_state[1]"),
        (with_goal(type=GoalType.M_T), "goal type", None, "type"),
        (with_goal(description=("一段",)), "goal description", None, "description"),
        (
            with_wish(0, SemanticTuple(1, "酒店", "评分", "5分", True)),
            "goal expressed",
            None,
            "goal[0]",
        ),
        (with_wish(2, SemanticTuple(1, "酒店", "周边餐馆", "")), "goal value", None, "goal[2]"),
        (with_wish(2, SemanticTuple(1, "酒店", "价格", "5元")), "goal order", None, "goal[2]"),
        (
            with_wish(4, SemanticTuple(4, "餐馆", "推荐菜", ("面",))),
            "sub-goal numbers",
            None,
            "goal[4]",
        ),
        (
            with_wish(3, SemanticTuple(2, "餐馆", "名称", Reference(7, nearby=True))),
            "dangling reference",
            None,
            "goal[3]",
        ),
        (
            lambda talk: change(talk, 2, user_state=talk.turns[2].user_state[:-1]),
            "user state shape",
            2,
            "user_state",
        ),
        (
            lambda talk: change(talk, 2, user_state=talk.turns[2].user_state[::-1]),
            "user state shape",
            2,
            "user_state[0]",
        ),
        (
            lambda talk: change(talk, 4, user_state=talk.turns[0].user_state),
            "expressed taken back",
            4,
            "user_state[2]",
        ),
        (
            lambda talk: replace(talk, final_goal=talk.turns[2].user_state),
            "final goal",
            None,
            "final_goal",
        ),
        (
            lambda talk: replace(talk, final_goal=talk.turns[2].user_state),
            "incomplete end",
            None,
            "final_goal[2]",
        ),
        (
            lambda talk: change(
                talk,
                1,
                last_query=talk.turns[1].last_query.with_domain(DomainState("酒店", ())),
            ),
            "form fields",
            1,
            "last_query.酒店",
        ),
        (with_field("酒店", "评分", "150分以上"), "form value", 1, "first_query.酒店.评分"),
        (with_field("酒店", "评分", "45分以上"), "form value", 1, "first_query.酒店.评分"),
        (with_field("餐馆", "人均消费", "4.5元以上"), "form value", 1, "first_query.餐馆.人均消费"),
        (with_field("酒店", "酒店类型", "行李寄存"), "form value", 1, "first_query.酒店.酒店类型"),
        (with_field("景点", "游玩时间", "4"), "form value", 1, "first_query.景点.游玩时间"),
        (with_field("景点", "名称", "4.5分以上"), "form value", 1, "first_query.景点.名称"),
    ],
)
def test_one_rule_broken(
    broken: Callable[[Dialogue], Dialogue],
    rule: str,
    turn: int | None,
    field: str,
    talk: Dialogue,
) -> None:
    found = list(check([broken(talk)], "corpus.json"))
    assert (rule, turn, field) in [(each.rule, each.turn, each.field) for each in found]
    assert {each.file for each in found} == {"corpus.json"}


def test_a_slip_in_the_form_is_told_once(talk: Dialogue) -> None:
    """The form is carried on; only the turn in which it was typed counts."""
    broken = with_field("酒店", "评分", "7分以上")(talk)
    form = broken.turns[1].last_query
    for number in (3, 5):
        broken = change(broken, number, first_query=form, last_query=form)
    values = [each for each in check([broken]) if each.rule == "form value"]
    assert [(each.turn, each.message) for each in values] == [
        (1, "'7分以上' is not a rating as the form spells it")
    ]


def test_ids_stand_once(talk: Dialogue) -> None:
    assert list(check([talk, talk])) == [
        Violation("7", None, "id", "this id has appeared before", "duplicate id")
    ]


def test_rules_of_other_corpora_stay_silent() -> None:
    dialogue = Dialogue(
        "1",
        (
            Turn(Speaker.USER, "hi", (Act("Inform", "Hotel", "Area", "east"),)),
            Turn(Speaker.SYSTEM, "?", (Act("Request", "Hotel", "Price", ""), Act("Book", "x"))),
        ),
        world="multiwoz",
        goal=Goal((SemanticTuple(1, "hotel", "area", "east"),), description=("a", "b")),
    )
    assert list(check([dialogue])) == []


def test_multiwoz_has_nothing_to_report(data_folder: Path) -> None:
    dialogues = read_corpus(data_folder / "multiwoz/test-a.json.zip", strict=False)
    assert list(check(dialogues)) == []


def test_what_is_wrong_in_the_released_val(data_folder: Path) -> None:
    found = list(check(read_corpus(data_folder / "crosswoz/val.json.zip")))
    rules = Counter(each.rule for each in found)
    assert rules == {"form value": 44, "incomplete end": 13, "first turn": 1}
    ends = {each.dialogue for each in found if "never expressed" in each.message}
    assert len(ends) == 8
    odd = [each.message for each in found if "'150分以上'" in each.message]
    assert odd == ["'150分以上' is not a rating as the form spells it"]
