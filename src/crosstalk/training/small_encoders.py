"""Small encoders with random weights, and the vocabularies they learn from texts.

`character_bert` reads character by character (BERTNLU without `--encoder`); `nano_encoder` is a
small XLM-R with a unigram vocabulary (`--encoder nano` of the transfer commands).

The trainer of `tokenizers` breaks ties between equal pieces at random. Resumed trainings and
trainings in several processes need one vocabulary from the same texts, so pieces are proposed by
byte-pair merging, which is deterministic, and then weighted by how often the most likely
segmentations use them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

# First, because it says in words that torch or transformers is missing and keeps them offline.
from crosstalk.training.transformer_encoders import (  # isort: skip
    DIALOGUE_TOKENS,
    EncoderShape,
    TransformerEncoder,
    config_of,
    with_dialogue_tokens,
)

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertModel,
    BertTokenizer,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForMaskedLM,
)

from crosstalk.errors import InputError

NANO: Final = "nano"
SMALL_WIDTH: Final = 256
"""Encoders narrower than this learn at the pace of those from nothing."""
XLMR_TOKENS: Final = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
"""In the order of XLM-R."""
TOKENIZER_TEXTS: Final = 30_000
"""So many texts are enough for a small vocabulary: half a minute of one core."""
LONGEST_PIECE: Final = 12
"""Characters."""
SHRINKING: Final = (1.2, 1.2, 1.0, 1.0)
"""Vocabulary size after each round, as a multiple of the wanted size. Proposing more loses short
pieces that longer ones cover until those are dropped."""
UNKNOWN: Final = "<unk>"
ScoredPiece = tuple[str, float]
"""A piece and the logarithm of its probability."""
BERT_TOKENS: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
RARE: Final = 1
"""Characters seen so often or less become `[UNK]`, so that the encoder learns that token too."""


@dataclass(frozen=True, slots=True)
class NanoShape(EncoderShape):
    """The size of `nano`: 2 layers of 96, some 0.6 million weights."""

    width: int = 96
    inner: int = 192
    positions: int = 258
    """256 word pieces: XLM-R counts from 2."""
    vocabulary: int = 4000


def is_small(name: str) -> bool:
    """Tell whether an encoder learns at the pace of `nano`: it, and what was trained from it."""
    return name == NANO or int(config_of(name).hidden_size) < SMALL_WIDTH


def nano_encoder(
    texts: Iterable[str], *, seed: int, shape: NanoShape | None = None
) -> TransformerEncoder:
    """Build a small XLM-R with random weights and a unigram vocabulary learnt from the texts."""
    shape = shape or NanoShape()
    tokenizer = unigram_tokenizer(texts, shape.vocabulary)
    torch.manual_seed(seed)
    config = XLMRobertaConfig(**shape.settings(len(tokenizer)), type_vocab_size=1)
    network = XLMRobertaForMaskedLM(config)  # type: ignore[no-untyped-call]
    return with_dialogue_tokens(TransformerEncoder(network, tokenizer))


def unigram_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """Learn a unigram vocabulary; the same texts give the same vocabulary."""
    marks = [*XLMR_TOKENS, *DIALOGUE_TOKENS]
    learnt = [
        each for each in learn_pieces(_some(texts), size - len(marks)) if each[0] not in marks
    ]
    vocabulary = [*((mark, 0.0) for mark in marks), *learnt]
    pieces = _unigram_pipeline(models.Unigram(vocabulary, unk_id=marks.index(UNKNOWN)))
    pieces.add_special_tokens(marks)
    pieces.decoder = decoders.Metaspace()
    pieces.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=pieces,
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
    )


def _some(texts: Iterable[str]) -> list[str]:
    """Sample texts evenly, so that every language of a corpus has its share."""
    kept = list(texts)
    if not kept:
        raise InputError("there is no text to learn a vocabulary from", remedy="Give more text.")
    return kept[:: -(-len(kept) // TOKENIZER_TEXTS)]


def learn_pieces(texts: Sequence[str], size: int) -> list[ScoredPiece]:
    """Learn at most `size` pieces, most likely first; every character of the texts is one."""
    proposed = _proposed(texts, int(size * SHRINKING[0]))
    pieces = [(piece, -math.log(place + 2)) for place, piece in enumerate(proposed)]
    for times in SHRINKING:
        pieces = _weighed(texts, pieces, int(size * times))
    return sorted(pieces, key=lambda each: (-each[1], each[0]))


def _unigram_pipeline(model: models.Model) -> Tokenizer:
    """Normalise and pre-tokenise as XLM-R does: NFKC, spaces kept as a mark; digits apart."""
    cutting = Tokenizer(model)
    cutting.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    cutting.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    return cutting


def _proposed(texts: Sequence[str], most: int) -> list[str]:
    """Return characters and then frequent sequences, in the order of byte-pair merging."""
    merging = _unigram_pipeline(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=most, min_frequency=2, max_token_length=LONGEST_PIECE, show_progress=False
    )
    merging.train_from_iterator(texts, trainer)
    places = merging.get_vocab()
    return sorted(places, key=places.__getitem__)


def _weighed(texts: Sequence[str], pieces: Sequence[ScoredPiece], most: int) -> list[ScoredPiece]:
    """Keep all characters and the pieces that the most likely segmentations use most often."""
    cutting = _unigram_pipeline(models.Unigram([(UNKNOWN, 0.0), *pieces], unk_id=0))
    counted: Counter[int] = Counter()
    for cut in cutting.encode_batch_fast(list(texts), add_special_tokens=False):
        counted.update(cut.ids)
    times = {piece: counted[number] for number, (piece, _) in enumerate(pieces, 1)}
    single = [piece for piece in times if len(piece) == 1]
    longer = sorted(times.keys() - set(single), key=lambda piece: (-times[piece], piece))
    total = counted.total() + len(times)
    return [
        (piece, round(math.log((times[piece] + 0.5) / total), 6))
        for piece in (*single, *longer[: max(most - len(single), 0)])
    ]


def character_bert(texts: Iterable[str], shape: EncoderShape) -> TransformerEncoder:
    """Build a small BERT with random weights that reads texts character by character.

    By default 2 layers of 128, some 0.7 million weights.
    """
    tokenizer = BertTokenizer(vocab=_character_ids(_characters(texts)), do_lower_case=True)
    config = BertConfig(**shape.settings(len(tokenizer)))
    network = BertModel(config)  # type: ignore[no-untyped-call]
    return TransformerEncoder(network, tokenizer)


def _characters(texts: Iterable[str]) -> list[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    plain = BertTokenizer(vocab=_character_ids([]), do_lower_case=True).backend_tokenizer.normalizer
    known = {
        character
        for seen, count in counts.items()
        if count > RARE
        for character in plain.normalize_str(seen)
        if not character.isspace()
    }
    return sorted(known)


def _character_ids(characters: Iterable[str]) -> dict[str, int]:
    """Letters and digits have two ids: at the start of a word and inside it."""
    known = list(characters)
    later = [f"##{each}" for each in known if each.isalnum() and not _is_word(each)]
    return {token: number for number, token in enumerate((*BERT_TOKENS, *known, *later))}


def _is_word(character: str) -> bool:
    """Tell whether the tokenizer makes a word of the character: Chinese ones."""
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0002fa1f"
