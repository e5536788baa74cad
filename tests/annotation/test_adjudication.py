"""Differences between two annotations, cell by cell."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from crosstalk.annotation.adjudication import AnnotatedField, Key, differences
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.dialogue.states import DomainState, SystemState

words = st.sampled_from(["", "a", "b", "none"])
acts = st.builds(Act, words, words, words, words)
rows = st.builds(SemanticTuple, st.just(1), words, words, words, st.booleans())
tables = st.none() | st.lists(rows, min_size=1, max_size=3).map(tuple)
tabs = st.builds(
    DomainState,
    st.just("hotel"),
    st.lists(words, max_size=3).map(lambda values: tuple(zip("xyz", values, strict=False))),
)
forms = st.none() | tabs.map(lambda tab: SystemState((tab,)))
turns = st.builds(
    Turn,
    st.just(Speaker.USER),
    st.just("words"),
    st.sets(acts, max_size=3).map(lambda some: tuple(sorted(some))),
    tables,
    forms,
    forms,
)


def one_turn(turn: Turn) -> Dialogue:
    return Dialogue("1", (turn,))


def test_two_values_of_one_slot_stand_side_by_side() -> None:
    price = Act("Inform", "hotel", "price", "85 crowns")
    left = one_turn(Turn(Speaker.SYSTEM, "85", (price,)))
    right = one_turn(Turn(Speaker.SYSTEM, "85", (replace(price, value="85"),)))
    (found,) = differences(left, right)
    assert found.key == Key("1", 1, AnnotatedField.ACTS, ("Inform", "hotel", "price"))
    assert (found.left, found.right) == (("85 crowns",), ("85",))


@given(turns)
def test_an_annotation_does_not_differ_from_itself(turn: Turn) -> None:
    assert list(differences(one_turn(turn), one_turn(turn))) == []
