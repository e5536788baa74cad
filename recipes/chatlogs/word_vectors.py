"""Word vectors out of chat: words that stand in the same company are alike.

    python recipes/chatlogs/word_vectors.py FOLDER vectors.txt

FOLDER is what `crosstalk logs extract` wrote; `crosstalk retrieve train --model lstm --vectors
vectors.txt` begins with them. They are made as the linker's are
(`crosstalk.chatlogs.linking.word_vectors`), in some seconds for two million words.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from crosstalk.chatlogs.linking.word_vectors import learn_vectors
from crosstalk.retrieval.chat_vocabulary import chat_tokens

WIDTH = 100
LENGTH = 2.5
"""Of a vector: numbers of a quarter or so, as large as those of words without a vector."""


def main(folder: Path, out: Path) -> None:
    lines = list(said(folder))
    words, vectors = learn_vectors(lines, width=WIDTH)
    with out.open("w", encoding="utf-8") as file:
        for word, vector in zip(words, LENGTH * vectors, strict=True):
            file.write(f"{word} {' '.join(f'{number:.4f}' for number in vector)}\n")
    print(f"{len(words):,} words of {len(lines):,} lines")


def said(folder: Path) -> Iterator[list[str]]:
    for file in sorted((folder / "conversations").glob("*.parquet")):
        for text in pl.read_parquet(file, columns=["text"])["text"]:
            yield chat_tokens(text)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
