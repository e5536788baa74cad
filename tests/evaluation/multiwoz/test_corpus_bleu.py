"""Digits of sacrebleu 2.6 and of sacremoses 0.1, which the public evaluation rests on."""

import pytest

from crosstalk.evaluation.multiwoz.corpus_bleu import score, words
from crosstalk.evaluation.multiwoz.moses_spacing import moses_spacing


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("NAME is nice , book it ?", "NAME is nice, book it?"),
        ("it 's ( cheap ) .", "it 's (cheap)."),
        ("do n't", "do n't"),
        ("don't", "don't"),
        ("the guests ' rooms", "the guests' rooms"),
        ("it costs £ 5 , 300 ... ok", "it costs £5, 300... ok"),
    ],
)
def test_spacing(text: str, spaced: str) -> None:
    assert moses_spacing(text) == spaced


def test_words_of_13a() -> None:
    assert words("It's 5,300.50, or 5-6?") == ["It's", "5,300.50", ",", "or", "5", "-", "6", "?"]


def test_the_references_themselves_score_100() -> None:
    texts = ["NAME is in the AREA .", "Anything else ?"]
    assert score(texts, texts) == pytest.approx(100)


@pytest.mark.parametrize(
    ("hypotheses", "references", "digits"),
    [
        (
            ["there is a train at TIME", "you are welcome ."],
            ["there is one train at TIME .", "you are very welcome ."],
            26.937756693273887,
        ),
        (["NAME is cheap now"], ["NAME is a cheap place in the AREA"], 13.006502375572222),
        (["NAME is cheap"], ["NAME is a cheap place in the AREA"], 0.0),  # no 4-gram at all
        (["thank you"], ["bye"], 0.0),
        (["", ""], ["bye", "bye"], 0.0),
    ],
)
def test_corpus_bleu(hypotheses: list[str], references: list[str], digits: float) -> None:
    assert score(hypotheses, references) == pytest.approx(digits)
