"""Triples a second, and the time to search a million responses: `python -m benchmarks.retrieval`.

Dialogues and responses are made up: words of a Zipf-like law, about twelve a turn. The index uses
our ranker (`best`), trained on some hundred of the dialogues; how good it is does not change how
long it takes. Options: the number of responses, a model folder to use instead, and a folder of
dialogues that `logs extract` wrote: then the responses are its turns, and turns with every third
word exchanged for another of its words until there are enough, and the questions its contexts.
One core is what is meant: give OMP_NUM_THREADS=1, as `retrieve ask` does for itself.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.retrieval.rankers import KIND, RankerJob, save_ranker, train_ranker
from crosstalk.retrieval.response_index import ResponseIndex, make_index, question
from crosstalk.retrieval.response_sampling import Sampling, evaluation_groups, training_pairs
from crosstalk.retrieval.turn_table import END_OF_LINE, TurnTable, context_of, read_turns

RESPONSES = 1_000_000
DIALOGUES, TURNS, WORDS, VOCABULARY = 20_000, 7, 12, 50_000
QUESTIONS = 200
CHANGED = 1 / 3


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
    taught = train_ranker(RankerJob("best", epochs=1), table.only(range(600)))
    save_ranker(folder, "best", taught.ranker)
    write_card(folder, Card("made up", "", Provenance("made up"), kind=KIND))
    return folder


@dataclass(frozen=True, slots=True)
class Matter:
    """What is indexed, and what is asked."""

    responses: list[str]
    questions: list[str]


def made_up(count: int) -> Matter:
    said = list(texts(3 * QUESTIONS, seed=3))
    questions = [question(said[at : at + 3]) for at in range(0, len(said), 3)]
    return Matter(list(dict.fromkeys(texts(count, seed=2))), questions)


def from_dialogues(count: int, folder: Path) -> Matter:
    rng, table = Random(2), read_turns(folder)
    turns = list(dict.fromkeys(turn for each in table.turns for turn in each[1:]))
    words = [word for turn in turns for word in turn.split() if word != END_OF_LINE]
    responses = dict.fromkeys(turns[:count])
    while len(responses) < count:
        changed = [
            rng.choice(words) if word != END_OF_LINE and rng.random() < CHANGED else word
            for word in rng.choice(turns).split()
        ]
        responses[" ".join(changed)] = None
    asked = rng.sample(table.turns, QUESTIONS)
    return Matter(list(responses), [context_of(each[:-1]) for each in asked])


def search(matter: Matter, ranker: Path, folder: Path) -> dict[str, float]:
    """Milliseconds for a question, on a wall clock and of CPU."""
    start = time.process_time()
    make_index(matter.responses, ranker, folder)
    made = time.process_time() - start
    index = ResponseIndex.open(folder)
    walls, cpus = [], []
    for asked in matter.questions:
        wall, cpu = time.perf_counter(), time.process_time()
        index.ask(asked)
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


def run(
    count: int = RESPONSES, ranker: Path | None = None, real: Path | None = None
) -> dict[str, Any]:
    table = dialogues(DIALOGUES)
    found: dict[str, Any] = {
        f"{way}_training_pairs_per_second": rate(partial(training_pairs, table, way, 1, 1))
        for way in Sampling
    }
    found["groups_per_second"] = rate(lambda: evaluation_groups(table, Sampling.V2, 9, 1))
    with tempfile.TemporaryDirectory() as place:
        folder = ranker or model(Path(place) / "model", table)
        matter = from_dialogues(count, real) if real else made_up(count)
        return found | search(matter, folder, Path(place) / "index")


if __name__ == "__main__":
    options = sys.argv[1:]
    size = int(options[0]) if options else RESPONSES
    json.dump(run(size, *map(Path, options[1:3])), sys.stdout, indent=2)
    print()
