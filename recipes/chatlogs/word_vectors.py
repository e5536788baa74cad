"""Word vectors out of chat: words that stand in the same company are alike.

    python recipes/chatlogs/word_vectors.py FOLDER vectors.txt

FOLDER is what `crosstalk logs extract` wrote; `crosstalk retrieve train --model lstm --vectors
vectors.txt` begins with them. How much oftener two words stand within five words of each other
than chance has it, its logarithm where that is positive, folded into 100 numbers: a minute for two
million words.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD

from crosstalk.retrieval.chat_vocabulary import chat_tokens

WINDOW = 5
FEWEST = 5
"""Times a word must be met."""
WIDTH = 100
LENGTH = 2.5
"""Of a vector: numbers of a quarter or so, as large as those of words without a vector."""


def main(folder: Path, out: Path) -> None:
    lines = list(said(folder))
    counts = Counter(word for line in lines for word in line)
    words = sorted(word for word, count in counts.items() if count >= FEWEST)
    vectors = folded(company(lines, {word: at for at, word in enumerate(words)}))
    with out.open("w", encoding="utf-8") as file:
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{number:.4f}' for number in vector)}\n")
    print(f"{len(words):,} words of {len(lines):,} lines")


def said(folder: Path) -> Iterator[list[str]]:
    for file in sorted((folder / "conversations").glob("*.parquet")):
        for text in pl.read_parquet(file, columns=["text"])["text"]:
            yield chat_tokens(text)


def company(lines: list[list[str]], places: dict[str, int]) -> csr_array:
    """How often each word stands near each other one, nearer ones counting more."""
    near: defaultdict[tuple[int, int], float] = defaultdict(float)
    for line in lines:
        here = [places[word] for word in line if word in places]
        for at, one in enumerate(here):
            for distance, other in enumerate(here[at + 1 : at + 1 + WINDOW], 1):
                near[one, other] += 1 / distance
                near[other, one] += 1 / distance
    rows, columns = np.array(list(near)).T
    return csr_array((list(near.values()), (rows, columns)), shape=(len(places),) * 2)


def folded(near: csr_array) -> NDArray[np.float64]:
    """Positive pointwise mutual information in fewer numbers."""
    pairs = near.tocoo()
    totals = near.sum(axis=1)
    # rare company counts for less than it seems: totals to the power of 3/4
    shares = totals**0.75 / (totals**0.75).sum()
    more = np.log(pairs.data / totals[pairs.row] / shares[pairs.col])
    kept = more > 0
    positive = csr_array((more[kept], (pairs.row[kept], pairs.col[kept])), shape=near.shape)
    found = TruncatedSVD(min(WIDTH, near.shape[0] - 1), random_state=0).fit(positive)
    vectors = found.transform(positive) / np.sqrt(found.singular_values_)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(LENGTH * vectors / np.maximum(lengths, 1e-9))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
