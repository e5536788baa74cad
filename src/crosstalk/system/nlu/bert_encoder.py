"""The encoder inside BERTNLU: any of `transformers`, by name or folder, or a small one of our own.

Nothing is ever downloaded: a name finds what lies on this machine already. Weights are read from
safetensors only.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

# First of all, because it keeps transformers offline.
from crosstalk.system.local_encoders import WEIGHTS, EncoderShape, load_local, unusable  # isort: skip

from transformers import AutoModel, BertConfig, BertModel, BertTokenizer, PreTrainedModel

from crosstalk.system.network_files import save_halves
from crosstalk.system.nlu.bert_wordpieces import Wordpieces

SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
RARE: Final = 1
"""Characters seen so often or less are unknown to a small encoder, which so learns of such."""
MARGIN: Final = 2
"""RoBERTa and its kin count positions from 2."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A network that reads wordpieces, and what cuts texts into them."""

    network: PreTrainedModel
    words: Wordpieces

    def save(self, folder: Path) -> None:
        """As `transformers` keeps models, in half precision."""
        folder.mkdir(parents=True, exist_ok=True)
        self.network.config.save_pretrained(folder)
        self.words.tokenizer.save_pretrained(folder)
        save_halves(folder / WEIGHTS, self.network.state_dict(), {"format": "pt"})


def load_encoder(name: str, *, whole: bool = False) -> Encoder:
    """`name`: a folder, one of our BERTNLU folders, or the name of a model in the local cache.

    `whole`: refuse an encoder some of whose weights are missing; else they start at random, as
    the pooled vector of many published encoders has to.
    """
    loaded = load_local(name, AutoModel)
    if whole and loaded.missing:
        raise unusable(name, f"weights are missing: {', '.join(loaded.missing[:3])}")
    return Encoder(loaded.network, _wordpieces(name, loaded.tokenizer, loaded.config))


def _wordpieces(name: str, tokenizer: Any, config: Any) -> Wordpieces:
    if None in (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id):
        raise unusable(name, "its tokenizer has no marks for start, end and padding")
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise unusable(name, "the vocabulary of its tokenizer is missing")
    if len(tokenizer) > config.vocab_size:
        raise unusable(name, "its tokenizer knows more wordpieces than it has vectors")
    if not tokenizer.is_fast:
        raise unusable(name, "its tokenizer does not tell where in a text its wordpieces stand")
    positions = getattr(config, "max_position_embeddings", 512)
    return Wordpieces(tokenizer, positions - MARGIN)


def fresh_encoder(texts: Iterable[str], shape: EncoderShape) -> Encoder:
    """A small BERT with random weights that reads texts character by character.

    By default 2 layers of 128, some 0.7 million weights.
    """
    tokenizer = BertTokenizer(vocab=_numbered(_characters(texts)), do_lower_case=True)
    config = BertConfig(**shape.settings(len(tokenizer)))
    network = BertModel(config)  # type: ignore[no-untyped-call]
    return Encoder(network, _wordpieces("small", tokenizer, config))


def _characters(texts: Iterable[str]) -> list[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    plain = BertTokenizer(vocab=_numbered([]), do_lower_case=True).backend_tokenizer.normalizer
    known = {
        character
        for seen, count in counts.items()
        if count > RARE
        for character in plain.normalize_str(seen)
        if not character.isspace()
    }
    return sorted(known)


def _numbered(characters: Iterable[str]) -> dict[str, int]:
    """Letters and digits stand twice, as the first of a word and as a later one."""
    known = list(characters)
    later = [f"##{each}" for each in known if each.isalnum() and not _is_word(each)]
    return {token: number for number, token in enumerate((*SPECIAL, *known, *later))}


def _is_word(character: str) -> bool:
    """Chinese characters are cut apart before words are."""
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0002fa1f"
