"""Two annotations compared by causes, and one version made of decisions."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.annotation.test_adjudication import acts, forms, words

from crosstalk.annotation.adjudication import CellChoice, differences
from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.decisions import Decision, decisions
from crosstalk.annotation.label_states import Cause, Verdict, label_states, with_labels
from crosstalk.annotation.operations import OperationKind
from crosstalk.annotation.settlement import OwnValue, settle
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import InputError

RATING = SemanticTuple(1, "hotel", "rating", "5 points")
PRICE = SemanticTuple(1, "hotel", "price", "")
GOAL = (RATING, PRICE)
USER_TURNS = 9


def ticked_at(number: int | None) -> Dialogue:
    """Nine user turns; the rating is ticked in one of them, with its act."""
    table, turns = GOAL, []
    for each in range(1, USER_TURNS + 1):
        said: tuple[Act, ...] = ()
        if each == number:
            table, said = (RATING.said(), PRICE), (Act("Inform", "hotel", "rating", "5 points"),)
        turns += [Turn(Speaker.USER, "words", said, table), Turn(Speaker.SYSTEM, "words")]
    return Dialogue("1", tuple(turns), Goal(GOAL))


def only(left: Dialogue, right: Dialogue) -> Decision:
    (found,) = decisions(left, right)
    return found


def test_a_forgotten_tick_is_one_decision() -> None:
    """Missing at user turn 2 of 9: 8 rows and 1 act differ."""
    left, right = ticked_at(2), ticked_at(None)
    assert len(list(differences(left, right))) == 9
    found = only(left, right)
    assert (found.key.kind, found.key.turn, found.moved) == (OperationKind.TICK, 3, None)
    assert len(found.explains) == 9


def test_a_tick_a_turn_later_is_one_decision() -> None:
    """Ticked at 2 by one, at 3 by the other: 1 row and 2 acts differ."""
    left, right = ticked_at(2), ticked_at(3)
    assert len(list(differences(left, right))) == 3
    found = only(left, right)
    assert (found.key.turn, found.moved, len(found.explains)) == (3, 5, 3)


def test_settling_replays_the_operations() -> None:
    left, right = ticked_at(2), ticked_at(None)
    key = only(left, right).key
    assert settle(left, right, {key: CellChoice.LEFT}) == left
    assert settle(left, right, {key: CellChoice.RIGHT}) == right
    moved = only(ticked_at(2), ticked_at(3)).key
    assert settle(ticked_at(2), ticked_at(3), {moved: CellChoice.RIGHT}) == ticked_at(3)


def test_the_ticks_of_a_turn_follow_what_is_settled() -> None:
    """The left ticked both rows; the price alone is right."""
    both, priced = (RATING.said(), PRICE.said()), (RATING, PRICE.said())
    left, right = (
        Dialogue("1", (Turn(Speaker.USER, "", user_state=table, ticks=ticks),), Goal(GOAL))
        for table, ticks in ((both, (0, 1)), ((RATING, PRICE), ()))
    )
    rating, price = decisions(left, right)
    choices = {rating.key: CellChoice.RIGHT, price.key: CellChoice.LEFT}
    (settled,) = settle(left, right, choices).turns
    assert (settled.user_state, settled.ticks) == (priced, (1,))


def test_two_fills_are_decided_one_by_one() -> None:
    def told(*values: str) -> Dialogue:
        tables = [(RATING, PRICE.filled(value)) for value in values]
        return Dialogue(
            "1", tuple(Turn(Speaker.USER, "", user_state=table) for table in tables), Goal(GOAL)
        )

    left, right = told("", "85", "85", "90"), told("", "58", "58", "90")
    found = only(left, right)
    assert (found.key.turn, len(found.explains)) == (2, 2)
    assert settle(left, right, {found.key: OwnValue("80")}) == told("", "80", "80", "90")
    first, second = decisions(told("", "85", "85"), told("", "58", "59"))
    choices = {first.key: CellChoice.LEFT, second.key: CellChoice.RIGHT}
    assert settle(told("", "85", "85"), told("", "58", "59"), choices) == told("", "85", "59")


def test_a_search_is_carried_and_a_selection_says_with_its_names() -> None:
    def asks(*forms: tuple[str, tuple[str, ...]]) -> Dialogue:
        made = (
            SystemState((DomainState("hotel", (("rating", rating),), chosen),))
            for rating, chosen in forms
        )
        turns = (Turn(Speaker.SYSTEM, "", first_query=form, last_query=form) for form in made)
        return Dialogue("1", tuple(turns))

    left = asks(("5 points", ("Ferry Inn",)), ("5 points", ("Ferry Inn",)))
    right = asks(("", ()), ("", ()))
    searched, selected = decisions(left, right)
    assert (searched.key.kind, searched.key.search) == (OperationKind.SEARCH, "first")
    assert (selected.key.cell, selected.key.turn) == (("hotel", "Ferry Inn"), 1)
    choices = {searched.key: CellChoice.RIGHT, selected.key: CellChoice.LEFT}
    assert settle(left, right, choices) == asks(*[("", ("Ferry Inn",))] * 2)


def test_what_is_undecided_is_refused_or_marked_open() -> None:
    left, right = ticked_at(2), ticked_at(None)
    with pytest.raises(InputError, match="first about dialogue 1, turn 3, tick 1"):
        settle(left, right, {})
    settled = settle(left, right, {}, otherwise=CellChoice.RIGHT)
    assert settled == right
    (_, _, labels, *_) = label_states(left, right, settled, {})
    assert labels == [
        {"operation": "tick", "cell": ["1"], "value": None, "state": "open"},
        {"operation": "act", "cell": ["Inform", "hotel", "rating"], "value": None, "state": "open"},
    ]


def test_every_label_is_marked() -> None:
    left, right = ticked_at(2), ticked_at(3)
    key = only(left, right).key
    settled = settle(left, right, {key: CellChoice.RIGHT})
    verdicts = {key: Verdict(CellChoice.RIGHT, Cause.SLIP)}
    marked = with_labels(settled, label_states(left, right, settled, verdicts))
    labels = [each for turn in marked.turns for each in turn.extras.get("labels", ())]
    assert {(each["state"], each["cause"]) for each in labels} == {("settled", "slip")}
    same = with_labels(left, label_states(left, left, left, {}))
    assert [each["state"] for each in same.turns[2].extras["labels"]] == ["agreed", "agreed"]


def test_acts_that_no_operation_explains_are_decisions() -> None:
    thanks = Act("General", "thank")
    left = ticked_at(2)
    turns = (replace(left.turns[0], acts=(thanks,)), *left.turns[1:])
    right = replace(left, turns=turns)
    found = only(left, right)
    assert (found.key.kind, found.left, found.right) == (OperationKind.ACT, (), ("none",))
    assert settle(left, right, {found.key: CellChoice.BOTH}) == right
    assert decisions(left, right, acts=False) == []


def test_derived_acts_follow(annotator: Annotator, dialogue: Dialogue) -> None:
    """A forgotten tick in a real dialogue: settled, the acts are those of the other again."""
    turns = []
    for turn in dialogue.turns:
        table = turn.user_state
        if table is not None:
            table = (replace(table[0], expressed=False), *table[1:])
        turns.append(replace(turn, user_state=table))
    left = annotator.annotate(dialogue)
    right = annotator.annotate(replace(dialogue, turns=tuple(turns)))
    (found,) = decisions(left, right, acts=False)
    choices = {found.key: CellChoice.RIGHT}
    assert settle(left, right, choices, derive=annotator.annotate) == right
    choices = {found.key: CellChoice.LEFT}
    assert settle(left, right, choices, derive=annotator.annotate) == left


def test_a_state_cannot_be_both_nor_of_another_kind() -> None:
    left, right = ticked_at(2), ticked_at(None)
    key = only(left, right).key
    with pytest.raises(InputError, match="cannot be both"):
        settle(left, right, {key: CellChoice.BOTH})
    with pytest.raises(InputError, match="expected true or false"):
        settle(left, right, {key: OwnValue("said")})


cells = st.builds(
    SemanticTuple, st.just(1), words, words, words | st.just(("a", "b")), st.booleans()
)
tables = st.none() | st.lists(cells, min_size=2, max_size=2).map(tuple)
selecting = st.lists(st.sampled_from(["p", "q"]), max_size=2, unique=True).map(tuple)


def with_selection(form: SystemState | None, names: tuple[str, ...]) -> SystemState | None:
    return form and SystemState(tuple(replace(tab, selected=names) for tab in form))


def a_turn(
    said: set[Act], table: Tuples | None, names: tuple[str, ...], *some: SystemState
) -> Turn:
    first, last = (with_selection(form, names) for form in some)
    return Turn(Speaker.USER, "words", tuple(sorted(said)), table, first, last)


annotated = st.lists(
    st.builds(a_turn, st.sets(acts, max_size=2), tables, selecting, forms, forms),
    min_size=3,
    max_size=3,
).map(lambda turns: Dialogue("1", tuple(turns)))


@given(annotated, annotated)
def test_choosing_one_side_everywhere_gives_that_side(left: Dialogue, right: Dialogue) -> None:
    keys = [each.key for each in decisions(left, right)]
    assert len(set(keys)) == len(keys)
    assert settle(left, right, dict.fromkeys(keys, CellChoice.LEFT)) == left
    if keys:
        assert settle(left, right, dict.fromkeys(keys, CellChoice.RIGHT)) == right


@given(annotated, annotated, st.integers(0, 2**20))
def test_any_choices_leave_nothing_else_to_decide(
    left: Dialogue, right: Dialogue, drawn: int
) -> None:
    """Where the right was chosen, the settled version agrees with it; elsewhere with the left."""
    found = decisions(left, right)
    choices = {
        each.key: CellChoice.RIGHT if drawn >> number & 1 else CellChoice.LEFT
        for number, each in enumerate(found)
    }
    settled = settle(left, right, choices)
    taken = {key for key, choice in choices.items() if choice is CellChoice.RIGHT}
    assert len(decisions(left, settled)) <= len(found)
    if not taken:
        assert settled == left
