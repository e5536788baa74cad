"""Vectors are made once and kept by what the text says."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.sentence_encoders import CachedEncoder


class Counting:
    """An encoder that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[len(text), text.count("a")] for text in texts], np.float32)


def test_a_text_is_encoded_once_even_by_another_process(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    found = CachedEncoder(first, width=2, folder=tmp_path).vectors(["aa", "b", "aa"])
    again = CachedEncoder(second, width=2, folder=tmp_path).vectors(["b", "aa", "new"])
    assert first.asked == ["aa", "b"]
    assert second.asked == ["new"]
    assert found.tolist() == [[2, 2], [1, 0], [2, 2]]
    assert again.tolist() == [[1, 0], [2, 2], [3, 0]]


def test_a_damaged_cache_is_made_again(tmp_path: Path) -> None:
    CachedEncoder(Counting(), width=2, folder=tmp_path).vectors(["aa"])
    for shard in tmp_path.glob("*.npy"):
        shard.write_bytes(b"no longer a cache")
    encoder = Counting()
    assert CachedEncoder(encoder, width=2, folder=tmp_path).vectors(["aa"]).tolist() == [[2, 2]]
    assert encoder.asked == ["aa"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("in the way", encoding="utf-8")
    encoder = CachedEncoder(Counting(), width=2, folder=place / "below")
    assert encoder.vectors(["a"]).tolist() == [[1, 1]]


def test_many_small_writes_are_joined(tmp_path: Path) -> None:
    for number in range(70):
        CachedEncoder(Counting(), width=2, folder=tmp_path).vectors([f"text {number}"])
    encoder = Counting()
    CachedEncoder(encoder, width=2, folder=tmp_path).vectors([f"text {n}" for n in range(70)])
    assert not encoder.asked
    assert len(list(tmp_path.glob("*.npy"))) < 70
