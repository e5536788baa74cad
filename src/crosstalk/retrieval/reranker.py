"""Our ranker: what the encoders and all other evidence say, weighed by trees."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import CrosstalkError, FileProblem
from crosstalk.files import read_text, writing
from crosstalk.retrieval.arranged import Arranged, arrange
from crosstalk.retrieval.evidence import Evidence
from crosstalk.retrieval.hashed import HashedEncoder, bags_of
from crosstalk.retrieval.scorers import Scores, Vectors

TREES = "trees.txt"
ENCODER = "encoder"
Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reranker:
    """Each encoder learnt from other dialogues; the trees are asked with each of them."""

    evidence: Evidence
    encoders: tuple[HashedEncoder, ...]
    trees: lightgbm.Booster

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return self.score_pairs(arrange(contexts, responses))

    def score_pairs(self, pairs: Arranged) -> Scores:
        columns = self.evidence.columns(pairs)
        bags = bags_of(pairs, self.encoders[0].rarity)
        tables = [table_of(columns, each.cosines(bags)) for each in self.encoders]
        scores = [self.trees.predict(table, num_threads=1) for table in tables]
        return np.asarray(np.mean(np.asarray(scores), axis=0), dtype=np.float64)

    def place_contexts(self, contexts: Sequence[str]) -> Vectors:
        """By the first encoder: to look up, one opinion is enough."""
        bags = bags_of(arrange(contexts, []), self.encoders[0].rarity)
        return self.encoders[0].contexts(bags)[bags.pairs]

    def place_responses(self, responses: Sequence[str]) -> Vectors:
        bags = bags_of(arrange([], responses), self.encoders[0].rarity)
        return self.encoders[0].responses(bags)[bags.answers]

    def save(self, folder: Path) -> None:
        self.evidence.save(folder)
        for old in folder.glob(f"{ENCODER}-*"):
            shutil.rmtree(old)
        for number, encoder in enumerate(self.encoders):
            place = folder / f"{ENCODER}-{number}"
            place.mkdir(parents=True, exist_ok=True)
            encoder.save(place)
        with writing(folder / TREES) as text:
            text.write(self.trees.model_to_string())

    @classmethod
    def load(cls, folder: Path) -> "Reranker":
        places = sorted(folder.glob(f"{ENCODER}-*"))
        try:
            if not places:
                raise ValueError("it has no encoder")
            encoders = tuple(HashedEncoder.load(place) for place in places)
            trees = lightgbm.Booster(model_str=read_text(folder / TREES))
            return cls(Evidence.load(folder), encoders, trees)
        except (CrosstalkError, lightgbm.basic.LightGBMError, ValueError) as error:
            raise FileProblem(
                f"{folder}: not a whole ranker: {error}",
                remedy="Train it anew: crosstalk retrieve train --help",
            ) from error


def table_of(columns: dict[str, Table], cosines: Scores) -> Table:
    """A row a pair, as the trees see it."""
    return np.column_stack([*columns.values(), cosines]).astype(np.float32)
