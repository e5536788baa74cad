"""Words of chat, their numbers, and vectors from a file."""

from pathlib import Path

import numpy as np
import pytest

from crosstalk.errors import FileProblem
from crosstalk.retrieval.chat_vocabulary import (
    RankerVocabulary,
    chat_tokens,
    first_vectors,
    learn_vocabulary,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Try http://x.org/a, it's 12", ["try", "__url__", "it", "'s", "__number__"]),
        ("see /etc/fstab now", ["see", "__path__", "now"]),
        ("apt-get update!! __eou__", ["apt-get", "update", "!!", "__eou__"]),
        ("2.6.32-generic", ["2.6.32-generic"]),
        ("", []),
    ],
)
def test_addresses_numbers_and_paths_become_tags(text: str, expected: list[str]) -> None:
    assert chat_tokens(text) == expected


def test_words_seen_once_are_unknown_and_the_last_ones_are_kept() -> None:
    vocabulary = learn_vocabulary(["disk disk sound sound once"])
    assert vocabulary.encode("once disk sound", 2).tolist() == [2, 3]
    assert vocabulary.encode("once", 5).tolist() == [1]
    assert vocabulary.encode("", 5).tolist() == [1]


@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_vectors_of_a_file_replace_random_ones(tmp_path: Path, header: str) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text(f"{header}disk 1 2 3\n. . 4 5 6\nunwanted 7 8 9\n")
    vectors = first_vectors(
        RankerVocabulary({"disk": 2, "x": 3}), 50, np.random.default_rng(1), file
    )
    assert vectors.shape == (4, 3)
    assert vectors[2].tolist() == [1, 2, 3]
    assert not vectors[0].any()
    assert 0 < abs(vectors[3]).max() <= 0.25


@pytest.mark.parametrize("text", ["disk 1 2 3\ndisk 1 2\n", "disk 1 2 x\n", "disk\n"])
def test_a_line_that_is_no_vector_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "vectors.txt").write_text(text)
    with pytest.raises(FileProblem, match="not a word and its"):
        first_vectors(
            RankerVocabulary({"disk": 2}), 3, np.random.default_rng(1), tmp_path / "vectors.txt"
        )
