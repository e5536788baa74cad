"""Encoders by folder: ours, those of transformers, and those that will not do."""

import json
from pathlib import Path

import pytest
import torch
from transformers import (
    BertTokenizer,
    DistilBertConfig,
    DistilBertModel,
    GPT2Config,
    GPT2Model,
    T5Config,
)

from crosstalk.errors import InputError
from crosstalk.system.nlu.bert_network import (
    EncodedUtterance,
    JointNetwork,
    WordpieceBatch,
    fresh_encoder,
    load_encoder,
)
from crosstalk.training.transformer_encoders import EncoderShape

SHAPE = EncoderShape(layers=1, width=16, heads=2, inner=16, positions=64)


def test_an_encoder_reads_the_same_after_it_was_saved(tmp_path: Path) -> None:
    encoder = fresh_encoder(["a tea house"] * 2, SHAPE)
    encoder.save(tmp_path / "encoder")
    again = load_encoder(str(tmp_path), whole=True)
    ids = torch.tensor([encoder.words.utterance("tea")])
    assert again.words.utterance("tea") == encoder.words.utterance("tea")
    with torch.no_grad():
        first, second = (each.network(input_ids=ids) for each in (encoder, again))
    assert torch.allclose(first.last_hidden_state, second.last_hidden_state, atol=1e-2)


def test_an_encoder_that_pools_nothing_gives_its_first_vector(tmp_path: Path) -> None:
    config = DistilBertConfig(vocab_size=8, dim=16, n_heads=2, n_layers=1, hidden_dim=16)
    DistilBertModel(config).save_pretrained(tmp_path)
    letters = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c")
    vocabulary = {letter: number for number, letter in enumerate(letters)}
    BertTokenizer(vocab=vocabulary).save_pretrained(tmp_path)
    encoder = load_encoder(str(tmp_path))
    network = JointNetwork(encoder.network, tags=3, labels=2, context=True, dropout=0.0)
    words = encoder.words
    coded = [
        EncodedUtterance(words.utterance(text), words.context(["a"]), [], [])
        for text in ("a", "b c")
    ]
    tags, labels = network(WordpieceBatch.of(coded, 2, words.padding, torch.device("cpu")))
    assert tags.shape == (2, 4, 3)
    assert labels.shape == (2, 2)


def test_a_name_that_is_not_on_this_machine_is_refused_and_not_fetched() -> None:
    with pytest.raises(InputError, match="nobody/no-such-encoder") as refusal:
        load_encoder("nobody/no-such-encoder")
    assert "Nothing is downloaded" in refusal.value.remedy


def test_a_model_that_writes_is_no_encoder(tmp_path: Path) -> None:
    T5Config(d_model=8, d_ff=8, num_layers=1, num_heads=1).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="t5 model writes text"):
        load_encoder(str(tmp_path))


def test_a_tokenizer_without_marks_is_refused(tmp_path: Path) -> None:
    config = GPT2Config(vocab_size=257, n_embd=8, n_layer=1, n_head=1, n_positions=16)
    GPT2Model(config).save_pretrained(tmp_path)  # type: ignore[no-untyped-call]
    (tmp_path / "vocab.json").write_text(json.dumps({"<|endoftext|>": 0, "a": 1}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    with pytest.raises(InputError, match="cannot be used"):
        load_encoder(str(tmp_path))


@pytest.mark.parametrize("damage", ["torn weights", "no weights", "no tokenizer", "other weights"])
def test_a_damaged_folder_is_refused(tmp_path: Path, damage: str) -> None:
    fresh_encoder(["a tea house"] * 2, SHAPE).save(tmp_path)
    weights = tmp_path / "model.safetensors"
    match damage:
        case "torn weights":
            weights.write_bytes(weights.read_bytes()[:1000])
        case "no weights":
            weights.unlink()
        case "no tokenizer":
            (tmp_path / "tokenizer.json").unlink()
        case "other weights":
            larger = EncoderShape(2, 16, 2, 16, positions=64)
            config = fresh_encoder(["a tea house"] * 2, larger).network.config
            config.save_pretrained(tmp_path)
    with pytest.raises(InputError, match="cannot be used"):
        load_encoder(str(tmp_path), whole=True)
