"""Ready-made sentence encoders, none of them needed."""

import json
from pathlib import Path

import numpy as np
import pytest

from crosstalk.errors import InputError
from crosstalk.retrieval.sentence_ranker import SentenceConfig, SentenceScorer, sentence_scorer
from crosstalk.training.sentence_encoders import UNIVERSAL, is_sentence_encoder


def test_contexts_are_read_without_marks_and_once() -> None:
    read: list[str] = []

    def encode(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        read.extend(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    scorer = SentenceScorer(SentenceConfig("made up"), encode)  # type: ignore[arg-type]
    scores = scorer.score(["a __eou__ b __eou__ __eot__"] * 2, ["a b __eou__", "very long words"])
    assert read == ["a b", "a b", "very long words"]
    assert scores[0] == pytest.approx(1)
    assert scores[1] < 1


def test_names() -> None:
    assert is_sentence_encoder(UNIVERSAL)
    assert is_sentence_encoder("transformers:some/where")
    assert not is_sentence_encoder("best")


def test_a_model_that_is_not_on_this_computer_is_not_fetched(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="on this computer"):
        sentence_scorer(f"transformers:{tmp_path / 'nothing'}")


def test_a_tiny_model_of_transformers(tmp_path: Path) -> None:
    from transformers import BertConfig, BertModel

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "disk", "sound"]
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
    )
    BertModel(config).save_pretrained(tmp_path)  # type: ignore[no-untyped-call]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer"})
    )
    scorer = sentence_scorer(f"transformers:{tmp_path}")
    same, other = scorer.score(["disk __eou__ __eot__"] * 2, ["disk", "sound"])
    assert same == pytest.approx(1)
    assert other < 1
