"""An index of responses: candidates by rare words and nearest vectors, ordered by a ranker.

Candidates share rare words with the context or, if the ranker has vectors, lie near its vector. An
index folder holds a copy of its ranker.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import making_folder, open_text, read_json, writing, writing_binary
from crosstalk.retrieval.array_files import load_arrays, open_array, save_arrays, write_array
from crosstalk.retrieval.indexed_pairs import typed_text
from crosstalk.retrieval.rankers import load_ranker
from crosstalk.retrieval.response_files import read_pairs
from crosstalk.retrieval.scorers import Scorer, Vectors, VectorScorer
from crosstalk.retrieval.tfidf import WORDS, TfIdf, learn_idf
from crosstalk.retrieval.turn_table import END_OF_LINE, END_OF_TURN, context_of, read_turns
from crosstalk.training.reporter import SILENT, Reporter

BYTES, ENDS = "texts.bin", "ends.npy"


@dataclass(frozen=True, slots=True)
class TextStore:
    """Texts on disk by number: bytes in one file, end offsets in another."""

    raw: NDArray[np.uint8]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> str:
        first = int(self.ends[number - 1]) if number else 0
        return bytes(self.raw[first : int(self.ends[number])]).decode(errors="replace")

    @classmethod
    def open(cls, folder: Path) -> "TextStore":
        ends = open_array(folder / ENDS)
        size = (folder / BYTES).stat().st_size
        raw = np.memmap(folder / BYTES, np.uint8, "r") if size else np.zeros(0, np.uint8)
        return cls(np.asarray(raw), ends)


def write_texts(folder: Path, texts: Sequence[str]) -> None:
    with writing_binary(folder / BYTES) as out:
        sizes = [out.write(text.encode(errors="replace")) for text in texts]
    write_array(folder / ENDS, np.cumsum(sizes, dtype=np.int64))


WORD_STARTS, WORD_ROWS, WORD_WEIGHTS = "word-starts.npy", "word-rows.npy", "word-worths.npy"
MOST_POSTINGS = 50_000
"""Maximum number of postings read per question, rarest words first, which bounds the time.

Four times as many give the same scores and take 8 ms longer with a million responses."""
ResponseNumbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Inverted index: for each hashed word its responses, with BM25 weights."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    worths: NDArray[np.float16]
    count: int

    def likely(self, words: NDArray[np.integer], wanted: int) -> ResponseNumbers:
        """Return the responses with the highest summed weights for these words."""
        firsts, lasts = self.starts[words], self.starts[words + 1]
        sizes = lasts - firsts
        order = [at for at in np.argsort(sizes, kind="stable") if sizes[at]]
        read = np.cumsum(sizes[order])
        kept = [
            at for at, total in zip(order, read, strict=True) if total <= MOST_POSTINGS
        ] or order[:1]
        if not kept:
            return np.zeros(0, dtype=np.int64)
        slices = [slice(firsts[at], min(lasts[at], firsts[at] + MOST_POSTINGS)) for at in kept]
        rows = np.concatenate([self.rows[each] for each in slices])
        worths = np.concatenate([self.worths[each] for each in slices]).astype(np.float32)
        return _highest_totals(rows, worths, self.count, wanted)

    @classmethod
    def open(cls, folder: Path, count: int) -> "Postings":
        arrays = [open_array(folder / name) for name in (WORD_STARTS, WORD_ROWS, WORD_WEIGHTS)]
        return cls(np.asarray(arrays[0]), arrays[1], arrays[2], count)


def _highest_totals(
    rows: NDArray[np.int32], worths: NDArray[np.float32], count: int, wanted: int
) -> ResponseNumbers:
    totals = np.bincount(rows, worths, minlength=count)
    ordered = np.sort(rows)
    found = ordered[np.diff(ordered, prepend=-1) > 0]  # np.unique takes ten times as long
    if len(found) > wanted:
        found = found[np.argpartition(-totals[found], wanted)[:wanted]]
    return found.astype(np.int64)


def write_postings(folder: Path, words: TfIdf, texts: Sequence[str]) -> None:
    worths = words.okapi(words.counts(texts)).tocsc()
    write_array(folder / WORD_STARTS, worths.indptr.astype(np.int64))
    write_array(folder / WORD_ROWS, worths.indices.astype(np.int32))
    write_array(folder / WORD_WEIGHTS, worths.data.astype(np.float16))


CENTRES, CLUSTER_STARTS, CLUSTER_ROWS, VECTORS = (
    "centres.npy",
    "starts.npy",
    "rows.npy",
    "vectors.npy",
)
CLUSTERS_SEARCHED = 24
"""Clusters searched per question, of about a thousand for a million responses."""
KMEANS_ROUNDS, SAMPLE_PER_CENTRE = 8, 40
"""Iterations of k-means, and sampled vectors per centre."""
ASSIGNED_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Approximate nearest neighbours: vectors in 8 bits, grouped by k-means cluster."""

    centres: Vectors
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    vectors: NDArray[np.int8]

    def near(self, asked: Vectors, wanted: int) -> ResponseNumbers:
        """Return the numbers of the vectors with the largest dot products."""
        clusters = np.argsort(-(self.centres @ asked))[:CLUSTERS_SEARCHED]
        slices = [slice(self.starts[each], self.starts[each + 1]) for each in clusters]
        scores = np.concatenate([self.vectors[each].astype(np.float32) @ asked for each in slices])
        rows = np.concatenate([self.rows[each] for each in slices])
        if len(rows) > wanted:
            rows = rows[np.argpartition(-scores, wanted)[:wanted]]
        return rows.astype(np.int64)

    @classmethod
    def open(cls, folder: Path) -> "Neighbours":
        centres, starts, rows, vectors = (
            open_array(folder / name) for name in (CENTRES, CLUSTER_STARTS, CLUSTER_ROWS, VECTORS)
        )
        return cls(np.asarray(centres), np.asarray(starts), rows, vectors)


def write_neighbours(folder: Path, vectors: Vectors, *, seed: int = 1) -> None:
    count = max(1, round(len(vectors) ** 0.5))
    centres = _centres(vectors, count, np.random.default_rng(seed))
    clusters = np.concatenate(list(_nearest_centres(vectors, centres)))
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(count + 1))
    write_array(folder / CENTRES, centres)
    write_array(folder / CLUSTER_STARTS, starts.astype(np.int64))
    write_array(folder / CLUSTER_ROWS, order.astype(np.int32))
    step = max(float(np.abs(vectors).max()), 1e-9) / 127
    write_array(folder / VECTORS, np.rint(vectors[order] / step).astype(np.int8))


def _centres(vectors: Vectors, count: int, rng: np.random.Generator) -> Vectors:
    """Run k-means on a sample; an empty cluster gets a random new centre."""
    sample = vectors[rng.permutation(len(vectors))[: count * SAMPLE_PER_CENTRE]]
    centres = sample[:count].copy()
    for _ in range(KMEANS_ROUNDS):
        nearest = np.concatenate(list(_nearest_centres(sample, centres)))
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, sample)
        sizes = np.bincount(nearest, minlength=count)
        lonely = sizes == 0
        sums[lonely] = sample[rng.integers(len(sample), size=int(lonely.sum()))]
        centres = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
    return centres


def _nearest_centres(vectors: Vectors, centres: Vectors) -> Iterator[NDArray[np.intp]]:
    half = (centres**2).sum(axis=1) / 2
    for at in range(0, len(vectors), ASSIGNED_AT_ONCE):
        yield np.argmax(vectors[at : at + ASSIGNED_AT_ONCE] @ centres.T - half, axis=1)


FILE, MODEL, RARITY = "index.json", "model", "word-rarity.safetensors"
FORMAT = 2
LOOKED_UP = 16
"""Candidates from each of the two lookups."""
BLOCK = 50_000
REMEDY = "Make it anew: crosstalk retrieve index SOURCE --model MODEL --out INDEX"


def read_responses(source: Path, reporter: Reporter = SILENT) -> list[str]:
    """Read the distinct responses of a folder of dialogues, a file of triples or a text file.

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
    """An open index; its arrays stay on disk and are memory-mapped."""

    ranker: Scorer
    texts: TextStore
    words: TfIdf
    postings: Postings
    neighbours: Neighbours | None

    def ask(self, context: str, *, wanted: int = 5) -> list[IndexedResponse]:
        """Return the best responses to a context, best first."""
        with _threads().limit(limits=1, user_api="blas"):
            rows = self._looked_up(context)
            if not len(rows):
                return []
            responses = [self.texts[int(row)] for row in rows]
            scores = self.ranker.score([context] * len(responses), responses)
        best = np.argsort(-scores, kind="stable")[:wanted]
        return [IndexedResponse(typed_text(responses[at]), float(scores[at])) for at in best]

    def _looked_up(self, context: str) -> NDArray[np.int64]:
        rows = self.postings.likely(self.words.counts([_plain(context)]).indices, LOOKED_UP)
        if self.neighbours and isinstance(self.ranker, VectorScorer):
            [asked] = self.ranker.context_vectors([context])
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
    """Write an index; refuses a folder with other files, overwrites an interrupted run."""
    _refuse_other(folder)
    if not responses:
        raise InputError("there are no responses to index", remedy="Give a source that has some.")
    ranker = load_ranker(model)
    with making_folder(folder):
        (folder / FILE).unlink(missing_ok=True)
        write_texts(folder, responses)
        words = learn_idf(WORDS, (_plain(text) for text in responses))
        arrays = {"rarity": words.idf, "length": np.array([words.mean_length])}
        save_arrays(folder, arrays, name=RARITY)
        write_postings(folder, words, [_plain(text) for text in responses])
        if isinstance(ranker, VectorScorer):
            write_neighbours(folder, _placed(ranker, responses))
        shutil.rmtree(folder / MODEL, ignore_errors=True)
        shutil.copytree(model, folder / MODEL)
        sizes = {file.name: file.stat().st_size for file in folder.iterdir() if file.is_file()}
        with writing(folder / FILE) as text:
            json.dump({"format": FORMAT, "responses": len(responses), "files": sizes}, text)


@lru_cache
def _threads() -> ThreadpoolController:
    """Limits BLAS to one thread: the small products of one question are faster that way."""
    return ThreadpoolController()


def question(turns: Sequence[str]) -> str:
    """Build a context from turns as they were typed."""
    return context_of([f"{turn} {END_OF_LINE}" for turn in turns])


def _placed(ranker: VectorScorer, responses: Sequence[str]) -> Vectors:
    blocks = range(0, len(responses), BLOCK)
    return np.concatenate([ranker.response_vectors(responses[at : at + BLOCK]) for at in blocks])


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
    """Return the number of responses; raises if a file is missing or has another size."""
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
