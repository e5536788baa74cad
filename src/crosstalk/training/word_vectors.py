"""Word vectors from a text file, as GloVe and word2vec write them.

    dict(read_word_vectors(Path("vectors.txt"), wanted={"tea"}))["tea"]    # array([1. , 2.5])

A line is a word and its numbers. A first line of two numbers, as word2vec writes, is none; a "word"
may hold spaces, as a few of GloVe's do.
"""

from collections.abc import Container, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem
from crosstalk.files import open_text


def read_word_vectors(
    file: Path, wanted: Container[str] | None = None
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield words with their vectors: all, or those wanted; raises FileProblem for other lines."""
    width = 0
    with open_text(file) as lines:
        for at, line in enumerate(lines, 1):
            parts = line.rstrip().split(" ")
            if at == 1 and len(parts) == 2:
                width = int(parts[1]) if parts[1].isdigit() else 0
                continue
            width = width or len(parts) - 1
            if len(parts) <= width or width < 2:
                raise _no_vector(file, at, width)
            word = " ".join(parts[:-width])
            if wanted is None or word in wanted:
                try:
                    yield word, np.array(parts[-width:], dtype=np.float32)
                except ValueError as error:
                    raise _no_vector(file, at, width) from error


def _no_vector(file: Path, line: int, width: int) -> FileProblem:
    return FileProblem(
        f"{file}, line {line}: not a word and its {max(width, 2)} numbers",
        remedy="Write each word on a line of its own, then its numbers, one space between any two.",
    )
