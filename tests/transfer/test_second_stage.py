"""The trees that see a context and a response together: what they see, and what they learn."""

import numpy as np

from crosstalk.training.ranking_trees import TreeSettings, train_ranking_trees
from crosstalk.transfer.retrieval_task import CandidateList, RetrievalExchange
from crosstalk.transfer.second_stage import (
    WRONG,
    ListedPairs,
    Reading,
    shared_words,
    text_shape,
    training_rows,
)
from crosstalk.transfer.turn_vectors import ANSWER_VIEWS, TURN_OF_VIEW, ExchangeVectors


def test_words_are_weighed_by_who_said_them_and_how_rare_they_are() -> None:
    asked = RetrievalExchange("1", ("a hotel", "the Acorn is cheap", "book it"), "")
    answers = ["the Acorn it is", "the Limes it is", "the"]
    by_user, by_system, known, unknown, rarest_known, rarest_unknown = shared_words(
        [asked], answers
    )[0].T
    assert by_user[0] == by_user[1] > by_user[2] == 0, "both say `it`"
    assert by_system[0] > by_system[1] > by_system[2] > 0
    assert known[0] > known[1] and unknown[0] < unknown[1]
    assert rarest_known[0] > rarest_known[1] and rarest_unknown[0] == 0 < rarest_unknown[1]


def test_the_shape_of_a_text_is_that_of_its_translation() -> None:
    english = text_shape("It leaves at 17:30. Your reference is TR1840AB. Anything else?")
    chinese = text_shape("它17:30出发。您的编号是TR1840AB。还需要什么吗？")
    assert english[1:] == chinese[1:] == (3, 1, True, 0, 2, True, True, False)
    assert english[0] > chinese[0]


def exchanges(count: int) -> list[RetrievalExchange]:
    return [
        RetrievalExchange(str(number), (f"is it {number}?",), f"it is {number}")
        for number in range(count)
    ]


def reading(count: int, share: float, seed: int) -> Reading:
    """Vectors and scores that tell nothing."""
    rng = np.random.default_rng(seed)
    views = ExchangeVectors(
        rng.normal(size=(2 * count, 8)).astype(np.float32),
        np.repeat(np.arange(count)[:, None], len(TURN_OF_VIEW), axis=1),
        np.repeat(count + np.arange(count)[:, None], ANSWER_VIEWS, axis=1),
        np.zeros((count, 8), np.float32),
        np.zeros(count, int),
        np.zeros(count, int),
    )
    contexts, responses = rng.normal(size=(2, count, 8))
    return Reading(share, views, ((contexts, responses, np.zeros(count)),))


def test_trees_learn_from_what_pairs_share_where_scores_tell_nothing() -> None:
    count = 60
    listed = CandidateList(tuple(range(count)), tuple(range(count)))
    readings = [reading(count, 0.4, 1), reading(count, 0.6, 2)]
    first = np.random.default_rng(3).normal(size=(count, count))
    pairs = ListedPairs.of(exchanges(count), readings, np.eye(8, 2), listed)
    marks = pairs.marks(readings)
    columns = pairs.seen(marks, np.ones(marks.shape[2]))
    rows = training_rows(columns, first, np.random.default_rng(1))
    size = 1 + sum(WRONG)
    assert rows.shape == (count * size, columns.shape[2])
    assert np.array_equal(rows[::size], columns[np.arange(count), np.arange(count)])
    trees = train_ranking_trees(rows, size, TreeSettings(rounds=20, fewest=5), seed=1)
    scores = np.asarray(trees.predict(columns.reshape(-1, columns.shape[2])))
    assert (scores.reshape(count, count).argmax(1) == np.arange(count)).mean() > 0.9
