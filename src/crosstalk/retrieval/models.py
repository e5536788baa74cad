"""Names of rankers become models, and model folders become rankers again."""

from collections.abc import Iterable
from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.model_folders import problem_of, read_card
from crosstalk.retrieval.lexical import CHARACTERS, PAPER, TfIdf, learn_rarity

NAMES = ("tfidf", "char")


def train_ranker(name: str, documents: Iterable[str]) -> TfIdf:
    """`documents`: contexts with their responses."""
    match name:
        case "tfidf":
            return learn_rarity(PAPER, documents)
        case "char":
            return learn_rarity(CHARACTERS, documents)
    raise InputError(f"there is no ranker called {name!r}", remedy=f"Known: {', '.join(NAMES)}.")


def load_ranker(folder: Path) -> TfIdf:
    if problem := problem_of(folder):
        raise problem
    if read_card(folder)["kind"] != "retrieval":
        raise InputError(
            f"{folder}: holds a model of another kind",
            remedy="Train a ranker: crosstalk retrieve train --help",
        )
    return TfIdf.load(folder)
