"""Corpus BLEU-4; the figures are NLTK 3.10's, `corpus_bleu` with `SmoothingFunction().method1`."""

import pytest

from crosstalk.evaluation.nlg_scores import Bleu, ReferenceTexts

CAT = ["the", "cat", "sat", "on", "the", "mat"]


def bleu(*pairs: tuple[list[list[str]], list[str]]) -> Bleu:
    return sum((ReferenceTexts(references).compare(said) for references, said in pairs), Bleu())


def test_people_s_own_words_score_one() -> None:
    assert bleu(([CAT], CAT)).score == 1


def test_no_word_right_scores_nothing() -> None:
    assert bleu(([CAT], ["a", "dog"])).score == 0
    assert bleu(([CAT], [])).score == 0
    assert Bleu().score == 0


def test_repeated_words_count_as_often_as_one_reference_has_them() -> None:
    counts = bleu(([["a", "a", "b"], ["b", "a"]], ["a", "a", "a", "b"]))
    assert counts.matches == (3, 2, 1, 0) and counts.totals == (4, 3, 2, 1)


def test_n_grams_do_not_reach_across_references() -> None:
    assert bleu(([["a", "b"], ["c", "d"]], ["b", "c"])).matches == (2, 0, 0, 0)


def test_short_sayings_count_one_n_gram_of_each_length() -> None:
    assert bleu(([["yes"]], ["yes"])).totals == (1, 1, 1, 1)


def test_the_closest_reference_decides_about_brevity() -> None:
    counts = bleu(([["a"] * 9, ["a"] * 5], ["a"] * 4))
    assert counts.reference_length == 5
    assert bleu(([["a"] * 3, ["a"] * 5], ["a"] * 4)).reference_length == 3  # ties: the shorter


@pytest.mark.parametrize(
    ("pairs", "score"),
    [
        ([([CAT], ["the", "cat", "sat", "on", "a", "mat"])], 0.537284965911771),
        ([([CAT, ["a", "cat"]], ["a", "cat", "sat"])], 0.316227766016838),
        ([([CAT], CAT[:4]), ([["hello"]], ["hello"])], 0.47398785011707933),
        ([([CAT], ["mat", "the", "cat", "a"])], 0.11404605374835301),
    ],
)
def test_as_nltk_counts(pairs: list[tuple[list[list[str]], list[str]]], score: float) -> None:
    assert bleu(*pairs).score == pytest.approx(score, abs=1e-12)
