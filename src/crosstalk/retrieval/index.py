"""Many responses, searched by context: likely ones are looked up, a ranker puts them in order.

Looked up are those that share the context's rare words, and, if the ranker places texts as
vectors, those near the context. An index folder holds a copy of its ranker.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import making_folder, open_text, read_json, writing
from crosstalk.retrieval.arranged import shown
from crosstalk.retrieval.arrays import load_arrays, save_arrays
from crosstalk.retrieval.files import read_pairs
from crosstalk.retrieval.lexical import WORDS, TfIdf, learn_rarity
from crosstalk.retrieval.models import load_ranker
from crosstalk.retrieval.neighbours import VECTORS, Neighbours, write_neighbours
from crosstalk.retrieval.postings import Postings, write_postings
from crosstalk.retrieval.scorers import Placing, Scorer, Vectors
from crosstalk.retrieval.text_store import TextStore, write_texts
from crosstalk.retrieval.turns import END_OF_LINE, END_OF_TURN, context_of, read_turns
from crosstalk.training.reporter import SILENT, Reporter

FILE, MODEL, RARITY = "index.json", "model", "word-rarity.safetensors"
FORMAT = 2
LOOKED_UP = 16
"""Responses looked up in each of the two ways, and then put in order."""
BLOCK = 50_000
REMEDY = "Make it anew: crosstalk retrieve index SOURCE --model MODEL --out INDEX"


def read_responses(source: Path, reporter: Reporter = SILENT) -> list[str]:
    """Every different response of a folder of dialogues, a file of triples or a text file.

    All turns but the first of each dialogue; or true responses; or lines.
    """
    if source.is_dir():
        found = [turn for turns in read_turns(source).turns for turn in turns[1:]]
    elif ".csv" in source.suffixes:
        pairs = reporter.track(read_pairs(source), doing="reading")
        found = [said for _, said, right in pairs if right]
    else:
        with open_text(source) as lines:
            found = [line.strip() for line in lines if line.strip()]
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class IndexedResponse:
    """One indexed response, stored as one line."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class ResponseIndex:
    """An index, opened: the files stay on disk and are read where they are needed."""

    ranker: Scorer
    texts: TextStore
    words: TfIdf
    postings: Postings
    neighbours: Neighbours | None

    def ask(self, context: str, *, wanted: int = 5) -> list[IndexedResponse]:
        """The best responses to a context, best first."""
        with _threads().limit(limits=1, user_api="blas"):
            rows = self._looked_up(context)
            if not len(rows):
                return []
            responses = [self.texts[int(row)] for row in rows]
            scores = self.ranker.score([context] * len(responses), responses)
        best = np.argsort(-scores, kind="stable")[:wanted]
        return [IndexedResponse(shown(responses[at]), float(scores[at])) for at in best]

    def _looked_up(self, context: str) -> NDArray[np.int64]:
        rows = self.postings.likely(self.words.counts([_plain(context)]).indices, LOOKED_UP)
        if self.neighbours and isinstance(self.ranker, Placing):
            [asked] = self.ranker.place_contexts([context])
            rows = np.union1d(rows, self.neighbours.near(asked, LOOKED_UP))
        return rows

    @classmethod
    def open(cls, folder: Path) -> "ResponseIndex":
        count = _count(folder)
        arrays = load_arrays(folder, {"rarity": (WORDS.columns,), "length": (1,)}, name=RARITY)
        words = TfIdf(WORDS, arrays["rarity"].astype(np.float32), float(arrays["length"][0]))
        near = Neighbours.open(folder) if (folder / VECTORS).exists() else None
        opened = cls(
            load_ranker(folder / MODEL),
            TextStore.open(folder),
            words,
            Postings.open(folder, count),
            near,
        )
        if len(opened.texts) != count:
            raise _damaged(folder, f"it holds {len(opened.texts)} texts instead of {count}")
        return opened


def make_index(responses: Sequence[str], model: Path, folder: Path) -> None:
    """Refuses a folder that holds anything else; what a broken-off run left is written over."""
    _refuse_other(folder)
    if not responses:
        raise InputError("there are no responses to index", remedy="Give a source that has some.")
    ranker = load_ranker(model)
    with making_folder(folder):
        (folder / FILE).unlink(missing_ok=True)
        write_texts(folder, responses)
        words = learn_rarity(WORDS, (_plain(text) for text in responses))
        arrays = {"rarity": words.rarity, "length": np.array([words.mean_length])}
        save_arrays(folder, arrays, name=RARITY)
        write_postings(folder, words, [_plain(text) for text in responses])
        if isinstance(ranker, Placing):
            write_neighbours(folder, _placed(ranker, responses))
        shutil.rmtree(folder / MODEL, ignore_errors=True)
        shutil.copytree(model, folder / MODEL)
        sizes = {file.name: file.stat().st_size for file in folder.iterdir() if file.is_file()}
        with writing(folder / FILE) as text:
            json.dump({"format": FORMAT, "responses": len(responses), "files": sizes}, text)


@lru_cache
def _threads() -> ThreadpoolController:
    """Products as small as those of one question take longer on several cores than on one."""
    return ThreadpoolController()


def question(turns: Sequence[str]) -> str:
    """A context from turns as they were typed."""
    return context_of([f"{turn} {END_OF_LINE}" for turn in turns])


def _placed(ranker: Placing, responses: Sequence[str]) -> Vectors:
    blocks = range(0, len(responses), BLOCK)
    return np.concatenate([ranker.place_responses(responses[at : at + BLOCK]) for at in blocks])


def _plain(text: str) -> str:
    return text.replace(END_OF_LINE, " ").replace(END_OF_TURN, " ")


def _refuse_other(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file", remedy="Name a folder for the index.")
    known = (FILE, MODEL, RARITY)
    if (
        folder.is_dir()
        and any(folder.iterdir())
        and not any((folder / name).exists() for name in known)
    ):
        raise InputError(
            f"{folder} holds something else than an index", remedy="Name another folder."
        )


def _count(folder: Path) -> int:
    """How many responses the index holds; raises where a file is missing or has another size."""
    if not (folder / FILE).exists():
        raise InputError(f"{folder}: not an index of responses, or not a whole one", remedy=REMEDY)
    raw = read_json(folder / FILE)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise _damaged(folder, f"{FILE} is not of format {FORMAT}")
    for name, size in raw.get("files", {}).items():
        file = folder / name
        if not file.exists() or file.stat().st_size != size:
            raise _damaged(folder, f"{name} is missing or not whole")
    return int(raw.get("responses", 0))


def _damaged(folder: Path, problem: str) -> FileProblem:
    return FileProblem(f"{folder}: the index is damaged: {problem}", remedy=REMEDY)
