"""Differences between two annotations, and a version made of choices."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.annotation.adjudication import AnnotatedField, CellChoice, Key, differences, settle
from crosstalk.annotation.annotator import Annotator
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import InputError

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


@given(turns, turns)
def test_all_from_one_side_is_that_side(left: Turn, right: Turn) -> None:
    one, other = one_turn(left), one_turn(right)
    keys = [each.key for each in differences(one, other)]
    assert settle(one, other, dict.fromkeys(keys, CellChoice.LEFT)) == one
    taken = settle(one, other, dict.fromkeys(keys, CellChoice.RIGHT))
    assert list(differences(taken, other)) == []


@given(turns)
def test_an_annotation_does_not_differ_from_itself(turn: Turn) -> None:
    assert list(differences(one_turn(turn), one_turn(turn))) == []


def test_both_and_values_of_ones_own(annotator: Annotator, dialogue: Dialogue) -> None:
    derived = annotator.annotate(dialogue)
    (thanks,) = (
        each.key
        for each in differences(dialogue, derived)
        if each.key.turn == 5 and each.key.part is AnnotatedField.ACTS
    )
    choices: dict[Key, CellChoice | tuple[str, ...]] = {
        each.key: CellChoice.BOTH for each in differences(dialogue, derived)
    }
    assert settle(dialogue, derived, choices) == derived
    settled = settle(dialogue, derived, {**choices, thanks: ()})
    assert settled.turns[4].acts == ()


def test_undecided_differences_are_refused(annotator: Annotator, dialogue: Dialogue) -> None:
    with pytest.raises(InputError, match="not decided, the first in dialogue 1, turn 1"):
        settle(dialogue, annotator.annotate(dialogue), {})


def test_a_state_cannot_be_both() -> None:
    row = SemanticTuple(1, "hotel", "type", "budget")
    left = one_turn(Turn(Speaker.USER, "", user_state=(row,)))
    right = one_turn(Turn(Speaker.USER, "", user_state=(row.said(),)))
    (found,) = differences(left, right)
    with pytest.raises(InputError, match="cannot be both"):
        settle(left, right, {found.key: CellChoice.BOTH})
    with pytest.raises(InputError, match="expected a row"):
        settle(left, right, {found.key: "said"})
