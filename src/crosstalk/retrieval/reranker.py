"""The ranker `best`: gradient-boosted trees over encoder cosines and ranking features."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import CrosstalkError, FileProblem
from crosstalk.files import read_text, writing
from crosstalk.retrieval.hashed_encoder import HashedEncoder, bags_of
from crosstalk.retrieval.indexed_pairs import IndexedPairs, index_pairs, indexed_blocks
from crosstalk.retrieval.ranking_features import RankingFeatures
from crosstalk.retrieval.scorers import Scores, Vectors
from crosstalk.training.booster_files import read_booster

TREES = "trees"
ENCODER = "encoder"
Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reranker:
    """Cross-fitted encoders and trees; scores are averaged over encoders and trees."""

    features: RankingFeatures
    encoders: tuple[HashedEncoder, ...]
    trees: tuple[lightgbm.Booster, ...]
    """Boosters with different seeds, averaged to reduce variance."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        blocks = [self._scores(pairs) for pairs in indexed_blocks(contexts, responses)]
        return np.concatenate([np.zeros(0), *blocks])

    def _scores(self, pairs: IndexedPairs) -> Scores:
        columns = self.features.columns(pairs)
        bags = bags_of(pairs, self.encoders[0].idf)
        tables = [table_of(columns, each.cosines(bags)) for each in self.encoders]
        rows = np.concatenate(tables)
        scores = [np.asarray(each.predict(rows, num_threads=1)) for each in self.trees]
        return np.asarray(np.mean(scores, axis=0).reshape(len(tables), -1).mean(axis=0))

    def context_vectors(self, contexts: Sequence[str]) -> Vectors:
        """Encode with the first encoder, which is enough for looking up candidates."""
        bags = bags_of(index_pairs(contexts, []), self.encoders[0].idf)
        return self.encoders[0].contexts(bags)[bags.pairs]

    def response_vectors(self, responses: Sequence[str]) -> Vectors:
        bags = bags_of(index_pairs([], responses), self.encoders[0].idf)
        return self.encoders[0].responses(bags)[bags.answers]

    def save(self, folder: Path) -> None:
        self.features.save(folder)
        for old in folder.glob(f"{ENCODER}-*"):
            shutil.rmtree(old)
        for number, encoder in enumerate(self.encoders):
            place = folder / f"{ENCODER}-{number}"
            place.mkdir(parents=True, exist_ok=True)
            encoder.save(place)
        for old in folder.glob(f"{TREES}-*.txt"):
            old.unlink()
        for number, trees in enumerate(self.trees):
            with writing(folder / f"{TREES}-{number}.txt") as text:
                text.write(trees.model_to_string())

    @classmethod
    def load(cls, folder: Path) -> "Reranker":
        places = sorted(folder.glob(f"{ENCODER}-*"))
        files = sorted(folder.glob(f"{TREES}-*.txt"))
        try:
            if not places or not files:
                raise ValueError(f"it has no {TREES if places else ENCODER}")
            encoders = tuple(HashedEncoder.load(place) for place in places)
            trees = tuple(read_booster(read_text(file)) for file in files)
            return cls(RankingFeatures.load(folder), encoders, trees)
        except (CrosstalkError, ValueError) as error:
            raise FileProblem(
                f"{folder}: not a whole ranker: {error}",
                remedy="Train it anew: crosstalk retrieve train --help",
            ) from error


def table_of(columns: dict[str, Table], cosines: Scores) -> Table:
    """Return the trees' input, one row per pair."""
    return np.column_stack([*columns.values(), cosines]).astype(np.float32)
