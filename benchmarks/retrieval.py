"""Triples a second, and the time to search a million responses: `python -m benchmarks.retrieval`.

Dialogues and responses are made up: words of a Zipf-like law, about twelve a turn. The index uses
our ranker (`best`), trained on some hundred of the dialogues; how good it is does not change how
long it takes. Options: the number of responses, and a model folder to use instead.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crosstalk.model_folders import write_card
from crosstalk.retrieval.index import ResponseIndex, make_index, question
from crosstalk.retrieval.models import KIND, save_ranker
from crosstalk.retrieval.sampling import Sampling, evaluation_groups, training_pairs
from crosstalk.retrieval.teaching import Order, train_ranker
from crosstalk.retrieval.turns import TurnTable

RESPONSES = 1_000_000
DIALOGUES, TURNS, WORDS, VOCABULARY = 20_000, 7, 12, 50_000
QUESTIONS = 200


def texts(count: int, seed: int) -> Iterator[str]:
    """Lines whose words are spread as real ones are: a few are everywhere, most are rare."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnoprstuvwyz"))
    lengths = rng.integers(2, 9, VOCABULARY)
    names = ["".join(rng.choice(letters, length)) for length in lengths]
    ranks = np.exp(rng.random((count, WORDS)) * np.log(VOCABULARY)).astype(int) - 1
    for row in ranks.tolist():
        yield " ".join([names[at] for at in row])


def dialogues(count: int) -> TurnTable:
    said = texts(count * TURNS, seed=1)
    turns = tuple(tuple(f"{next(said)} __eou__" for _ in range(TURNS)) for _ in range(count))
    return TurnTable(turns, tuple(map(str, range(count))), tuple(range(count)))


def rate(rows: Callable[[], Iterable[Any]]) -> int:
    """Rows a second of CPU, the best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        count = sum(1 for _ in rows())
        found.append(count / (time.process_time() - start))
    return round(max(found))


def model(folder: Path, table: TurnTable) -> Path:
    taught = train_ranker(Order("best", epochs=1), table.only(range(600)))
    save_ranker(folder, "best", taught.ranker)
    write_card(folder, what="made up", command="", dialogues=600, seed=1, kind=KIND)
    return folder


def search(count: int, ranker: Path, folder: Path) -> dict[str, float]:
    """Milliseconds for a question of three turns, on a wall clock and of CPU."""
    start = time.process_time()
    make_index(list(dict.fromkeys(texts(count, seed=2))), ranker, folder)
    made = time.process_time() - start
    index = ResponseIndex.open(folder)
    said = list(texts(3 * QUESTIONS, seed=3))
    walls, cpus = [], []
    for at in range(0, len(said), 3):
        wall, cpu = time.perf_counter(), time.process_time()
        index.ask(question(said[at : at + 3]))
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    return {
        "responses": len(index.texts),
        "index_cpu_seconds": round(made, 1),
        "ask_median_ms": round(float(np.median(walls)), 1),
        "ask_p95_ms": round(float(np.percentile(walls, 95)), 1),
        "ask_median_cpu_ms": round(float(np.median(cpus)), 1),
        "ask_p95_cpu_ms": round(float(np.percentile(cpus, 95)), 1),
    }


def run(count: int = RESPONSES, ranker: Path | None = None) -> dict[str, Any]:
    table = dialogues(DIALOGUES)
    found: dict[str, Any] = {
        f"{way}_training_pairs_per_second": rate(partial(training_pairs, table, way, 1, 1))
        for way in Sampling
    }
    found["groups_per_second"] = rate(lambda: evaluation_groups(table, Sampling.V2, 9, 1))
    with tempfile.TemporaryDirectory() as place:
        folder = ranker or model(Path(place) / "model", table)
        return found | search(count, folder, Path(place) / "index")


if __name__ == "__main__":
    options = sys.argv[1:]
    size = int(options[0]) if options else RESPONSES
    json.dump(run(size, Path(options[1]) if len(options) > 1 else None), sys.stdout, indent=2)
    print()
