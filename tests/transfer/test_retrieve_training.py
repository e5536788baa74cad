"""Retrievers learnt from small talk: ours with a made-up encoder, the published from nothing."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import FileProblem
from crosstalk.evaluation.retrieval_transfer import figures, rank_answers
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer import dual_encoder
from crosstalk.transfer.cross_lingual_retriever import (
    MEMBER,
    MODEL,
    dequantised,
    load_retriever,
    quantised,
)
from crosstalk.transfer.retrieval_task import RetrievalExchange, exchanges_of
from crosstalk.transfer.retriever_builder import RetrieverConfig
from crosstalk.transfer.retriever_training import train_cross_lingual_retriever
from crosstalk.transfer.ridge_mapping import fit_ridge_mapping
from crosstalk.transfer.step_training import Pace, TrainingSetup
from crosstalk.transfer.transfer_corpora import read_dialogue_texts
from crosstalk.transfer.turn_vectors import ExchangeVectoriser, first_and_last_sentence

THINGS = ("room", "train", "taxi", "table", "museum", "ticket", "college", "park")
WIDTH = 24


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def bag(texts: Sequence[str]) -> NDArray[np.float32]:
    """A text as the sum of a fixed random vector for each of its words."""
    rows = np.zeros((len(texts), WIDTH), np.float32)
    for row, text in enumerate(texts):
        for word in text.split():
            digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
            numbers = np.random.default_rng(int.from_bytes(digest, "big"))
            rows[row] += numbers.normal(size=WIDTH)
    return rows


def corpus(file: Path, dialogues: int, first: int) -> Path:
    """The answer follows from what was asked for, and shares no word with it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    texts = []
    for number in range(first, first + dialogues):
        lines = []
        for turn in range(3):
            thing, shade = THINGS[(number + turn) % 8], (number * 7 + turn) % 12
            opening = "" if turn else f" q{number}"
            lines += [f"ask {thing} {shade}th{opening}", f"give {thing.upper()}S no{shade}"]
        texts.append("\n".join(lines))
    file.write_text("\n\n".join(texts), encoding="utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    for name, size, first in (
        ("english_train", 90, 0),
        ("english_dev", 60, 1000),
        ("russian_dev", 60, 2000),
    ):
        corpus(data / "multiwoz_ru" / name, size, first)
    return data


QUICK = RetrieverConfig("en", width=16, directions=8, hidden=16, out=8, steps=40)


def in_russian(text: str) -> str:
    """Words that share nothing with the English ones."""
    return text.replace("th", "ый").translate(str.maketrans("aegiknost", "аегикносю")).swapcase()


def test_ours_learns_is_kept_and_reads_another_language_through_an_interpreter(
    folder: Path, tmp_path: Path
) -> None:
    encoder = CachedEncoder(bag, width=WIDTH, folder=None)
    train_cross_lingual_retriever(folder, encoder, QUICK, TrainingSetup(1)).save(tmp_path / "model")
    zero = load_retriever(tmp_path / "model").for_language("ru", encoder)
    english = read_dialogue_texts(corpus(tmp_path / "test.txt", 60, 5000))
    russian = [replace(each, texts=tuple(map(in_russian, each.texts))) for each in english]
    pairs = [
        (in_russian(text), text)
        for talk in read_dialogue_texts(folder / "multiwoz_ru" / "english_dev")
        for text in talk.texts
    ]
    few = zero.with_mapping(fit_ridge_mapping(pairs, zero.plain.rows), 0.9)
    exchanges = exchanges_of(russian)
    answers = [each.response for each in exchanges]
    at_ten = [
        figures(rank_answers(read(exchanges), answers, seed=1, distinct=True))["r100@10"]
        for read in (zero.read, few.read)
    ]
    assert at_ten[1] > at_ten[0] + 10, at_ten
    assert at_ten[1] > 25  # chance is at most 10 and a little


def test_views_are_turns_and_their_first_and_last_sentences() -> None:
    assert first_and_last_sentence("Sure. It is 5.50 pounds. Anything else?") == (
        "Sure.",
        "Anything else?",
    )
    assert first_and_last_sentence("Ok. Done now.") == (
        "Ok. Done now.",
        "Ok. Done now.",
    )  # too short to stand
    assert first_and_last_sentence("没有问题的。需要预订吗？") == ("没有问题的。", "需要预订吗？")
    reader = ExchangeVectoriser(
        CachedEncoder(bag, width=WIDTH, folder=None), np.zeros(WIDTH, np.float32)
    )
    views = reader.views([RetrievalExchange("1", ("hello there",), "What for?")])
    context = views.contexts(np.array([0]))[0].reshape(-1)
    assert np.allclose(context[:WIDTH], 20 * bag(["hello there"])[0], rtol=1e-3, atol=0.05)
    assert not context[3 * WIDTH : 8 * WIDTH].any()  # nothing was said before


def test_matrices_are_kept_in_a_byte_a_number() -> None:
    matrix = np.random.default_rng(1).normal(size=(40, 7)).astype(np.float32)
    raw = quantised({"a": matrix, "b": matrix[0]})
    assert raw["a"].dtype == np.int8
    again = dequantised(raw)
    assert set(again) == {"a", "b"}
    assert np.abs(again["a"] - matrix).max() < np.abs(matrix).max() / 127
    assert np.array_equal(again["b"], matrix[0])


BFLOAT16 = b'{"mean":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
STRANGE = len(BFLOAT16).to_bytes(8, "little") + BFLOAT16 + bytes(2)
"""A file of a type of numbers that NumPy has not."""


@pytest.mark.parametrize(
    ("name", "content"),
    [(MODEL, b"torn"), (MODEL, STRANGE), (MEMBER.format(0), b"torn"), (MEMBER.format(1), b"torn")],
    ids=["torn", "strange numbers", "torn first stage", "torn second one"],
)
def test_a_damaged_retriever_is_refused(
    folder: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    encoder = CachedEncoder(bag, width=WIDTH, folder=None)
    train_cross_lingual_retriever(folder, encoder, replace(QUICK, steps=1), TrainingSetup(1)).save(
        tmp_path / "model"
    )
    file = tmp_path / "model" / name
    assert file.stat().st_size < 5_000_000
    file.write_bytes(content)
    with pytest.raises(FileProblem, match="cannot be read as a retriever"):
        load_retriever(tmp_path / "model")


def test_the_published_one_is_trained_once_and_takes_shots(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = replace(dual_encoder.FROM_NOTHING, pace=Pace(6, 3, 1e-3, batch=8), context=24, answer=8)
    monkeypatch.setattr(dual_encoder, "FROM_NOTHING", quick)
    test = corpus(tmp_path / "test.txt", 60, 5000)
    models = tmp_path / "models"
    base = ["transfer", "retrieve", "--model", "published", "--target", "ru", "--seeds", "1"]
    base += ["--data", str(folder), "--test", str(test), "--models", str(models), "--json"]
    for shots in ("0", "1"):
        found = CliRunner().invoke(app, [*base, "--shots", shots])
        assert found.exit_code == 0, found.output
        told = json.loads(found.stdout)
        assert set(told) >= {"r100@1", "r100@3", "r100@5", "r100@10", "seeds"}
    assert len(list(models.iterdir())) == 1
