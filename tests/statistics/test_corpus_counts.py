"""Whole corpora: one pass, parts that add up, and the paper's own figures."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple
from crosstalk.statistics.corpus_counts import BATCH, CorpusCounts, count_corpus


def test_two_dialogues(single: Dialogue, crossing: Dialogue) -> None:
    counts = count_corpus([single, crossing])
    assert counts.total.dialogues == 2
    assert counts.total.tokens == 7 + 5 + 4 * 2
    assert "please" in counts.vocabulary and "," in counts.vocabulary
    assert counts.types == (GoalType.S, GoalType.CM)
    assert counts.by_type[GoalType.CM].turns == 4
    assert counts.lengths == {(GoalType.S, 2): 1, (GoalType.CM, 4): 1}
    assert counts.intents[Speaker.SYSTEM, "Inform"] == 2
    assert counts.domains == {"hotel", "cafe"}
    assert counts.slots == {("hotel", "area"), ("hotel", "name"), ("cafe", "name")}
    assert counts.values == {
        ("hotel", "area", "north"),
        ("hotel", "name", "Anchor"),
        ("cafe", "name", "Mole"),
    }


def test_an_empty_corpus() -> None:
    counts = count_corpus([])
    assert counts == CorpusCounts()
    assert counts.total.dialogues == 0
    assert (counts.language, counts.segmentation, counts.types) == ("", "", ())


def test_the_language_is_what_the_dialogue_says_then_a_guess() -> None:
    turns = (Turn(Speaker.USER, "我想去故宫"),)
    assert count_corpus([Dialogue("1", turns)]).language == "zh"
    assert count_corpus([Dialogue("1", turns)]).segmentation == "jieba 0.39"
    assert count_corpus([Dialogue("1", turns, language="en")]).total.tokens == 1
    assert count_corpus([Dialogue("1", turns, language="en")], language="zh").total.tokens == 4


def test_the_language_of_most_dialogues_names_the_corpus(single: Dialogue) -> None:
    german = replace(single, language="de")
    assert count_corpus([german, replace(single, language="en"), german]).language == "de"


def test_batches_do_not_show(single: Dialogue) -> None:
    many = 3 * BATCH + 1
    counts = count_corpus(replace(single, id=str(number)) for number in range(many))
    assert counts.total.dialogues == many
    assert counts.total.tokens == many * 12
    assert counts.vocabulary == count_corpus([single]).vocabulary


TEXTS = st.sampled_from(["", "a hotel, please", "the Anchor", "我想去故宫", "да"])
ACTS = st.builds(
    Act,
    st.sampled_from(["Inform", "NoOffer", "General"]),
    st.sampled_from(["hotel", "cafe"]),
    st.sampled_from(["name", "none"]),
    st.sampled_from(["", "Anchor"]),
)
TURNS = st.builds(
    Turn, st.sampled_from(Speaker), TEXTS, st.lists(ACTS, max_size=2, unique=True).map(tuple)
)
TUPLES = st.lists(
    st.builds(
        SemanticTuple,
        st.integers(1, 3),
        st.just("hotel"),
        st.just("name"),
        st.sampled_from(["", "A", "B"]),
    ),
    max_size=3,
).map(tuple)
GOALS = st.none() | st.builds(Goal, TUPLES, st.none() | st.sampled_from(GoalType))
DIALOGUES = st.lists(
    st.builds(
        Dialogue,
        st.just("1"),
        st.lists(TURNS, max_size=3).map(tuple),
        goal=GOALS,
        final_goal=st.none() | TUPLES,
    ),
    max_size=4,
)


@given(DIALOGUES, DIALOGUES)
def test_the_counts_of_two_parts_add_up_to_those_of_the_whole(
    one: list[Dialogue], other: list[Dialogue]
) -> None:
    assert count_corpus(one) + count_corpus(other) == count_corpus(one + other)


@given(DIALOGUES)
def test_adding_nothing_changes_nothing(dialogues: list[Dialogue]) -> None:
    counts = count_corpus(dialogues)
    assert counts + CorpusCounts() == counts == CorpusCounts() + counts


@pytest.fixture(scope="module")
def val(data_folder: Path) -> CorpusCounts:
    return count_corpus(read_corpus(data_folder / "crosswoz" / "val.json.zip"))


def test_table_6_of_the_paper(val: CorpusCounts) -> None:
    total = val.total
    assert (total.dialogues, total.turns, total.tokens) == (500, 8458, 137_736)
    assert len(val.vocabulary) == 5202
    assert total.subgoals_per_goal == pytest.approx(3.26)
    assert total.tuples_per_goal == pytest.approx(14.922)
    assert total.turns_per_dialogue == pytest.approx(16.916)
    assert total.tokens_per_turn == pytest.approx(16.28, abs=0.005)


def test_table_7_by_the_paper_s_definitions(val: CorpusCounts) -> None:
    """Figures of the released val file, counted once more straight from its JSON."""
    dialogues = {kind.value: val.by_type[kind].dialogues for kind in val.types}
    assert dialogues == {"S": 39, "M": 162, "M+T": 68, "CM": 168, "CM+T": 63}
    changed = [val.by_type[kind].goal_change_rate for kind in val.types]
    assert changed == pytest.approx([0.179, 0.333, 0.279, 0.708, 0.683], abs=0.001)
    no_offer = [val.by_type[kind].no_offer_rate for kind in val.types]
    assert no_offer == pytest.approx([0.103, 0.241, 0.162, 0.619, 0.587], abs=0.001)
    queries = [val.by_type[kind].multi_query_rate for kind in val.types]
    assert queries == pytest.approx([0.053, 0.082, 0.074, 0.140, 0.126], abs=0.001)


def test_intents_and_slots_of_val(val: CorpusCounts) -> None:
    by_intent: dict[str, int] = {}
    for (_, intent), number in val.intents.items():
        by_intent[intent] = by_intent.get(intent, 0) + number
    assert by_intent == {
        "Inform": 10_344,
        "Request": 3940,
        "General": 1651,
        "Recommend": 645,
        "NoOffer": 254,
        "Select": 223,
    }
    assert (len(val.domains), len(val.slots)) == (5, 72)


def test_a_corpus_without_goal_types(data_folder: Path) -> None:
    counts = count_corpus(read_corpus(data_folder / "multiwoz" / "val.json.zip"))
    assert (counts.total.dialogues, counts.language) == (999, "en")
    assert counts.types == ()
    assert counts.total.acts_per_turn is not None
