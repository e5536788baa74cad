"""Seconds to count a corpus, reading included: `python -m benchmarks.statistics`.

CrossWOZ val (500 dialogues, 8,458 turns) where CROSSTALK_DATA names it, otherwise as many made-up
turns. The first count pays for jieba's dictionary, as every new process does.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.statistics.corpus_counts import CorpusCounts, count_corpus

Source = Callable[[], Iterator[Dialogue]]


def made_up(dialogues: int = 500, turns: int = 17) -> Iterator[Dialogue]:
    """Chinese turns of about 16 words, no two alike."""
    for number in range(dialogues):
        texts = (
            f"你好，我想找一家评分是{turn}分以上，价格在{number}元以下的酒店。"
            for turn in range(turns)
        )
        yield Dialogue(str(number), tuple(Turn(Speaker.USER, text) for text in texts))


def source() -> tuple[str, Source]:
    folder = os.environ.get("CROSSTALK_DATA")
    if not folder:
        return "made-up turns", made_up
    val = Path(folder) / "crosswoz" / "val.json.zip"
    return "CrossWOZ val", lambda: read_corpus(val)


def timed(dialogues: Source) -> tuple[float, CorpusCounts]:
    start = time.perf_counter()
    counts = count_corpus(dialogues())
    return time.perf_counter() - start, counts


def run() -> dict[str, float | str]:
    name, dialogues = source()
    cold, counts = timed(dialogues)
    warm, _ = timed(dialogues)
    return {
        "corpus": name,
        "segmentation": counts.segmentation,
        "turns": counts.total.turns,
        "tokens": counts.total.tokens,
        "vocabulary": len(counts.vocabulary),
        "first_count_seconds": round(cold, 2),
        "second_count_seconds": round(warm, 2),
        "turns_per_second": round(counts.total.turns / warm),
    }


if __name__ == "__main__":
    json.dump(run(), sys.stdout, indent=2)
    print()
