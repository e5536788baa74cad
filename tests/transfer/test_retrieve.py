"""Response retrieval across languages: candidate lists, scores, our retriever and the published."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import InputError
from crosstalk.evaluation.retrieval_transfer import figures, rank_answers
from crosstalk.transfer.cca import fit_cca, moments_of
from crosstalk.transfer.overlap_scores import NAMES, fit_weights, overlaps, stack_scores
from crosstalk.transfer.retrieval_task import RetrievalExchange, candidate_lists


class Knowing:
    """Scores the right answer highest where it is told to."""

    def __init__(self, right: Sequence[bool]) -> None:
        self._right = right

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        scores = np.zeros((len(asked), len(candidates)))
        for row, each in enumerate(asked):
            scores[row, row] = 1.0 if self._right[each] else -1.0
        return scores


@given(st.integers(100, 350), st.integers(0, 9))
def test_every_exchange_is_asked_once_among_a_hundred_that_hold_its_own(
    count: int, seed: int
) -> None:
    lists = candidate_lists(count, seed=seed)
    assert sorted(each for listed in lists for each in listed.asked) == list(range(count))
    for listed in lists:
        assert len(set(listed.candidates)) == 100
        assert listed.candidates[: len(listed.asked)] == listed.asked


def test_lists_follow_from_the_seed_and_too_few_exchanges_are_refused() -> None:
    assert candidate_lists(200, seed=1) == candidate_lists(200, seed=1)
    assert candidate_lists(200, seed=1) != candidate_lists(200, seed=2)
    with pytest.raises(InputError, match="99 exchanges are too few"):
        candidate_lists(99, seed=1)


def test_recall_counts_the_right_ones() -> None:
    right = [number % 4 == 0 for number in range(200)]
    answers = [f"answer {number}" for number in range(200)]
    told = figures(rank_answers(Knowing(right), answers, seed=1))
    assert told == {"r100@1": 25.0, "r100@3": 25.0, "r100@5": 25.0, "r100@10": 25.0}


def test_equal_answers_cost_as_chance_does_and_nothing_once_distinct() -> None:
    class Same:
        def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
            return np.array([[float(a % 50 == c % 50) for c in candidates] for a in asked])

    answers = [f"answer {number % 50}" for number in range(100)]
    assert figures(rank_answers(Same(), answers, seed=1))["r100@1"] == 50.0
    assert figures(rank_answers(Same(), answers, seed=1, distinct=True))["r100@1"] == 100.0


def test_canonical_correlations_find_pairs_and_sums_add() -> None:
    numbers = np.random.default_rng(0)
    hidden = numbers.normal(size=(600, 5))
    contexts = hidden @ numbers.normal(size=(5, 12)) + 0.1 * numbers.normal(size=(600, 12))
    answers = hidden @ numbers.normal(size=(5, 8)) + 0.1 * numbers.normal(size=(600, 8))
    halves = moments_of(contexts[:250], answers[:250]) + moments_of(
        contexts[250:500], answers[250:500]
    )
    whole = moments_of(contexts[:500], answers[:500])
    np.testing.assert_allclose(halves.both, whole.both)
    left, right, off = fit_cca(whole, width=5, ridge=0.001).placed(contexts[500:], answers[500:])
    assert ((left @ right.T - off).argmax(1) == np.arange(100)).mean() > 0.9


def test_words_numbers_and_codes_taken_over_are_seen_in_any_script() -> None:
    asked = [RetrievalExchange("a", ("我要17:30的火车", "TR1840可以吗？", "请预订TR1840"), "")]
    found = overlaps(asked, ["TR1840已预订", "再见，祝您愉快", "17:30出发", "请预订TR1840"])
    kinds = dict(zip(NAMES, np.moveaxis(found[0], 1, 0), strict=True))
    assert kinds["codes of the dialogue"].tolist() == [1, 0, 0, 1]
    assert kinds["numbers of earlier turns"].tolist() == [1, 0, 1, 1]
    assert kinds["said before"].tolist() == [0, 0, 0, 1]
    assert kinds["words of the last turn"][0] > kinds["words of the last turn"][1]


def test_weights_are_fitted_to_what_tells_right_from_wrong() -> None:
    numbers = np.random.default_rng(1)
    telling, idle = np.eye(50) + 0.3 * numbers.normal(size=(50, 50)), numbers.normal(size=(50, 50))
    weights = fit_weights([stack_scores([telling, idle], np.zeros((50, 50, 1)))])
    assert weights[0] > 5 * abs(weights[1])


THINGS = ("room", "train", "taxi", "table", "museum", "ticket", "college", "park")


def corpus(file: Path, dialogues: int, seed: int) -> Path:
    """Small talk in which the answer names what was asked for."""
    rng, texts = random.Random(seed), []
    for number in range(dialogues):
        lines = []
        for _ in range(3):
            thing, hour = rng.choice(THINGS), rng.randint(1, 23)
            lines += [
                f"I need a {thing} at {hour}:15",
                f"Your {thing} at {hour}:15 is number {number}",
            ]
        texts.append("\n".join(lines))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join(texts), encoding="utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    for name, size in (("english_train", 60), ("english_dev", 20), ("russian_dev", 20)):
        corpus(data / "multiwoz_ru" / name, size, seed=size + len(name))
    return data


def retrieve(data: Path, test: Path, *words: object) -> tuple[int, str]:
    order = ["transfer", "retrieve", "--target", "ru", "--data", data, "--test", test, *words]
    found = CliRunner().invoke(app, [str(each) for each in order])
    return found.exit_code, found.stdout if found.exit_code == 0 else str(found.exception)


def test_without_encoder_weights_answers_are_ranked_by_words_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"nowhere_to_be_found": "sentences"}
    monkeypatch.setattr("crosstalk.transfer.retriever_builder.NEEDED", missing)
    test = corpus(tmp_path / "test.txt", 60, seed=5)
    code, told = retrieve(folder, test, "--json", "--models", tmp_path / "none")
    assert code == 0, told
    figures = json.loads(told)
    assert figures["seeds"] == [1, 2, 3]
    assert figures["exchanges"] == 120
    assert figures["r100@1"] > 20
    assert figures["r100@10"] >= figures["r100@1"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--target", "cn"), "not a language code"),
        (("--shots", "7"), "--shots 7"),
        (("--model", "newest"), "no retriever called"),
        (("--seeds", "one"), "not numbers"),
        (("--protocol", "mine"), "--protocol mine"),
        (("--source", "tr"), "no retriever for the source language"),
        (("--target", "en", "--shots", "5"), "the target is the source"),
    ],
)
def test_wrong_words_are_answered_in_words(
    folder: Path, tmp_path: Path, words: tuple[str, str], problem: str
) -> None:
    test = corpus(tmp_path / "test.txt", 60, seed=5)
    code, told = retrieve(folder, test, *words, "--models", tmp_path / "none")
    assert code
    assert problem in told
