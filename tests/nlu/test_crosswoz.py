"""The model that ships, on real dialogues."""

from itertools import islice
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.evaluation.nlu_scores import score_understanding, turn_by_turn
from crosstalk.model_folders import find_model
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.worlds.world import load_world


@pytest.fixture(scope="module")
def shipped(data_folder: Path) -> RankedNLU:
    world = load_world("crosswoz", data=data_folder)
    return RankedNLU.load(find_model("nlu-crosswoz-zh"), world)


def test_it_understands_test_dialogues(shipped: RankedNLU, data_folder: Path) -> None:
    """The whole of test-a gives 96.7; these are its first 40 dialogues."""
    corpus = islice(read_corpus(data_folder / "crosswoz" / "test-a.json.zip"), 40)
    score = score_understanding(shipped.understand_all, corpus)
    assert score.overall.f1 is not None
    assert score.overall.f1 > 94


def heard(shipped: RankedNLU, *texts: str) -> set[Act]:
    """What is understood of the last of these turns; the user begins."""
    sides = [Speaker.USER, Speaker.SYSTEM] * len(texts)
    turns = [Turn(side, text) for side, text in zip(sides, texts, strict=False)]
    return set(turn_by_turn(shipped)(turns)[-1])


def test_two_names_are_recommended_and_one_is_told(shipped: RankedNLU) -> None:
    ask = "我想找一个免费的景点。"
    assert heard(shipped, ask, "推荐您去天安门广场。") == {
        Act("Inform", "景点", "名称", "天安门广场")
    }
    assert heard(shipped, ask, "天安门广场和清华大学都不错。") == {
        Act("Recommend", "景点", "名称", "天安门广场"),
        Act("Recommend", "景点", "名称", "清华大学"),
    }


def test_numbers_in_other_signs_are_written_as_goals_write_them(
    shipped: RankedNLU,
) -> None:
    acts = heard(shipped, "你好，帮我找一个人均消费100到150元，评分4.5以上的餐馆。")
    assert Act("Inform", "餐馆", "人均消费", "100-150元") in acts
    assert Act("Inform", "餐馆", "评分", "4.5分以上") in acts


def test_what_does_not_exist_is_understood_without_a_value_in_the_words(
    shipped: RankedNLU,
) -> None:
    acts = heard(
        shipped,
        "我想去北京贵都大酒店，它周边有什么景点？",
        "抱歉，周边没有景点。",
    )
    assert acts == {Act("Inform", "酒店", "周边景点", "无")}


def test_the_domain_of_a_bare_question_is_the_one_spoken_of(shipped: RankedNLU) -> None:
    question = "电话是多少？"
    hotel = heard(shipped, "推荐一家高档型酒店。", "推荐您去北京贵都大酒店。", question)
    sight = heard(shipped, "推荐一个免费的景点。", "推荐您去天安门广场。", question)
    assert hotel == {Act("Request", "酒店", "电话", "")}
    assert sight == {Act("Request", "景点", "电话", "")}
