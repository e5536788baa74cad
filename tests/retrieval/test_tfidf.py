"""Shared words."""

import math
from pathlib import Path

import bm25s  # type: ignore[import-untyped]
import numpy as np
import pytest

from crosstalk.retrieval.tfidf import BM25, CHARACTER_NGRAMS, PAPER_TFIDF, TfIdf, learn_idf

DOCUMENTS = ["the disk is full", "the sound is off", "the mouse"]


def test_the_papers_weights_are_count_times_log_of_rarity() -> None:
    ranker = learn_idf(PAPER_TFIDF, DOCUMENTS)
    shared = math.log(3 / 1)  # "disk": in one document of three; "the" is in all and counts nothing
    context = math.hypot(2 * shared, math.log(3 / 2))  # disk disk is
    [score] = ranker.score(["the disk disk is"], ["the disk"])
    assert score == pytest.approx(2 * shared / context, abs=1e-3)


def test_bits_of_words_find_what_whole_words_miss() -> None:
    contexts, responses = ["reinstall the drivers"], ["try installing a driver"]
    assert learn_idf(PAPER_TFIDF, DOCUMENTS).score(contexts, responses)[0] == 0
    assert learn_idf(CHARACTER_NGRAMS, DOCUMENTS).score(contexts, responses)[0] > 0.1


def test_okapi_weights_are_those_of_the_reference() -> None:
    """Their rarity is log((N - n + .5) / (n + .5) + 1); the rest of the formula is the same."""
    reference = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    reference.index([text.split() for text in DOCUMENTS], show_progress=False)
    ours = learn_idf(BM25, DOCUMENTS)
    idf = ours.idf.copy()
    for word in {word for text in DOCUMENTS for word in text.split()}:
        seen = sum(word in text.split() for text in DOCUMENTS)
        idf[ours.counts([word]).indices] = math.log((3 - seen + 0.5) / (seen + 0.5) + 1)
    same = TfIdf(BM25, idf, ours.mean_length)
    expected = reference.get_scores(["disk", "is", "sound"])
    found = same.score(["disk is sound"] * 3, DOCUMENTS)
    assert np.allclose(found / (1.2 + 1), expected, atol=1e-4)  # lucene leaves out k1 + 1


def test_a_ranker_is_the_same_after_saving(tmp_path: Path) -> None:
    ranker = learn_idf(CHARACTER_NGRAMS, DOCUMENTS)
    ranker.save(tmp_path)
    again = TfIdf.load(tmp_path).score(DOCUMENTS, DOCUMENTS[::-1])
    assert np.allclose(again, ranker.score(DOCUMENTS, DOCUMENTS[::-1]), atol=1e-3)


def test_nothing_scores_nothing() -> None:
    for settings in (PAPER_TFIDF, CHARACTER_NGRAMS, BM25):
        assert learn_idf(settings, DOCUMENTS).score([""], [""])[0] == 0
