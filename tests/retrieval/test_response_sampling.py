"""Contexts, true responses and false ones, as the two releases cut them."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.made import table

from crosstalk.retrieval.response_sampling import (
    Sampling,
    evaluation_groups,
    random_rows,
    training_pairs,
    v1_context_turns,
    v2_context_turns,
    v2_false_turn,
)
from crosstalk.retrieval.triples import hard_negatives
from crosstalk.retrieval.turn_table import TurnTable, merged, turns_of


def test_lines_of_one_sender_are_one_turn() -> None:
    assert merged(["a", "a", "b"], ["x", "y", "z"]) == ("x __eou__ y __eou__", "z __eou__")


def test_a_context_is_its_turns_again() -> None:
    [first, *_] = evaluation_groups(table(), Sampling.V2, 1, seed=1)
    assert turns_of(first.context) == list(table().turns[0][:2])
    assert turns_of("one __EOS__ two") == ["one", "two"]
    assert turns_of("") == [""]


def test_context_lengths_of_the_first_release_follow_the_inverse_law() -> None:
    sizes = Counter(v1_context_turns(at / 100_000, 99) for at in range(100_000))
    assert sizes[2] / 100_000 == pytest.approx(0.526, abs=0.005)
    assert sizes[3] / 100_000 == pytest.approx(0.175, abs=0.005)
    assert min(sizes) == 2
    assert max(sizes) <= 21


@pytest.mark.parametrize(("turns", "sizes"), [(3, {2}), (4, {2, 3}), (30, set(range(2, 19)))])
def test_context_lengths_of_the_second_release(turns: int, sizes: set[int]) -> None:
    assert {v2_context_turns(at / 1000, turns) for at in range(1000)} == sizes


@pytest.mark.parametrize(
    ("turns", "places"), [(3, {2}), (4, {3}), (6, {3, 4, 5}), (30, set(range(3, 20)))]
)
def test_false_responses_of_the_second_release_stand_where_true_ones_do(
    turns: int, places: set[int]
) -> None:
    assert {v2_false_turn(at / 1000, turns) for at in range(1000)} == places


@given(st.floats(0, 1, exclude_max=True), st.integers(3, 60))
def test_every_cut_is_inside_the_dialogue(draw: float, turns: int) -> None:
    for size in (v1_context_turns(draw, turns), v2_context_turns(draw, turns)):
        assert 2 <= size < turns
    assert 2 <= v2_false_turn(draw, turns) < turns


@pytest.mark.parametrize("sampling", list(Sampling))
@pytest.mark.parametrize("hard", [False, True])
def test_any_row_can_be_made_alone(sampling: Sampling, hard: bool) -> None:
    false = hard_negatives(table(), sampling, 5) if hard else None
    groups = list(evaluation_groups(table(), sampling, 9, seed=5, false=false))
    assert len(groups) == 40
    alone = range(17, 18)
    assert list(evaluation_groups(table(), sampling, 9, 5, alone, false)) == groups[17:18]


def test_numbers_of_a_row_do_not_depend_on_the_rows_before() -> None:
    whole = list(random_rows(7, range(3000), 3))
    assert list(random_rows(7, range(1500, 1502), 3)) == whole[1500:1502]


def test_training_pairs_of_the_first_release_use_every_turn_from_the_third_on() -> None:
    pairs = list(training_pairs(table(5), Sampling.V1, 1, seed=1))
    assert sum(right for _, _, right in pairs) == sum(len(turns) - 2 for turns in table(5).turns)
    assert len(pairs) == 2 * sum(right for _, _, right in pairs)


def test_the_first_release_skips_contexts_of_a_few_words() -> None:
    short = TurnTable((("hi __eou__", "ho __eou__", "he __eou__"),), ("q",), (0,))
    assert list(training_pairs(short, Sampling.V1, 1, seed=1)) == []
    assert list(evaluation_groups(short, Sampling.V1, 1, seed=1)) == []


def test_the_first_release_draws_lines_and_the_second_turns() -> None:
    long = TurnTable((("a a a __eou__ b b b __eou__",) * 4,), ("q",), (0,))
    [first] = evaluation_groups(long, Sampling.V1, 1, seed=1)
    [second] = evaluation_groups(long, Sampling.V2, 1, seed=1)
    assert first.false[0] in ("a a a __eou__", "b b b __eou__")
    assert second.false == long.turns[0][:1]


@pytest.mark.parametrize("negatives", [1, 3])
def test_training_pairs_of_the_second_release_go_round_and_round(negatives: int) -> None:
    pairs = list(training_pairs(table(), Sampling.V2, negatives, 1, range(4000)))
    assert len(pairs) == 4000
    share = sum(right for _, _, right in pairs) / 4000
    assert share == pytest.approx(1 / (1 + negatives), abs=0.03)
    assert [turns_of(pair[0])[0] for pair in pairs[:3]] == [table().turns[at][0] for at in range(3)]


def test_hard_false_responses_are_more_like_the_true_one_and_never_the_same() -> None:
    def shared(false: bool) -> int:
        chosen = hard_negatives(table(), Sampling.V2, 1) if false else None
        groups = evaluation_groups(table(), Sampling.V2, 3, seed=1, false=chosen)
        return sum(
            text.split()[0] == group.response.split()[0]
            for group in groups
            for text in group.false
            if text != group.response
        )

    assert shared(true := True) > 2 * shared(not true)
    groups = evaluation_groups(
        table(), Sampling.V2, 3, 1, false=hard_negatives(table(), Sampling.V2, 1)
    )
    assert all(group.response not in group.false for group in groups)


@pytest.mark.parametrize("negatives", [1, 9])
def test_the_length_of_hard_false_responses_tells_nothing(negatives: int) -> None:
    """The true one is the longest, and longer than the first false one, as often as by chance."""
    turns = varied_table(600)
    false = hard_negatives(turns, Sampling.V2, 1)
    groups = list(evaluation_groups(turns, Sampling.V2, negatives, seed=1, false=false))
    longest = sum(len(each.response) > max(map(len, each.false)) for each in groups)
    longer = sum(len(each.response) > len(each.false[0]) for each in groups)
    assert longest / len(groups) == pytest.approx(1 / (1 + negatives), abs=0.06)
    assert longer / len(groups) == pytest.approx(0.5, abs=0.07)


def varied_table(size: int) -> TurnTable:
    """Dialogues of turns of many lengths, in which long turns have many words in common."""
    rng = random.Random(1)
    words = [f"w{at}" for at in range(40)]
    turns = tuple(
        tuple(" ".join([*rng.choices(words, k=rng.randrange(1, 60)), "__eou__"]) for _ in range(4))
        for _ in range(size)
    )
    return replace(table(), turns=turns)


@pytest.mark.parametrize("seed", [-4, 2**130])
def test_any_number_is_a_seed(seed: int) -> None:
    first, again = (list(random_rows(seed, range(3), 2)) for _ in range(2))
    assert [list(row) for row in first] == [list(row) for row in again]
