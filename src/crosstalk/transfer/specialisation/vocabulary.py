"""A unigram vocabulary learnt from texts: the same one from the same texts, on any machine.

The trainer of `tokenizers` leaves it to chance which of two equal pieces stays. A training that
goes on after a stop, or in several processes, needs one vocabulary: so pieces are proposed by
merging, which has no chance in it, and then weighed by how often the likeliest cuts use them.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

LONGEST: Final = 12
"""Characters of a piece."""
SHRINKING: Final = (1.2, 1.2, 1.0, 1.0)
"""Times the pieces that are wanted, after each round. Proposing more loses short pieces that longer
ones cover until those go."""
UNKNOWN: Final = "<unk>"
Piece = tuple[str, float]
"""And how likely it is, as a logarithm."""


def learn_pieces(texts: Sequence[str], size: int) -> list[Piece]:
    """At most so many pieces, likeliest first; every character that was met is one of them."""
    proposed = _proposed(texts, int(size * SHRINKING[0]))
    pieces = [(piece, -math.log(place + 2)) for place, piece in enumerate(proposed)]
    for times in SHRINKING:
        pieces = _weighed(texts, pieces, int(size * times))
    return sorted(pieces, key=lambda each: (-each[1], each[0]))


def cutter(model: models.Model) -> Tokenizer:
    """As XLM-R's in kind: after NFKC, spaces kept as a mark; digits one by one."""
    cutting = Tokenizer(model)
    cutting.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    cutting.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    return cutting


def _proposed(texts: Sequence[str], most: int) -> list[str]:
    """Characters, and then what stands together most often, in the order of merging."""
    merging = cutter(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=most, min_frequency=2, max_token_length=LONGEST, show_progress=False
    )
    merging.train_from_iterator(texts, trainer)
    places = merging.get_vocab()
    return sorted(places, key=places.__getitem__)


def _weighed(texts: Sequence[str], pieces: Sequence[Piece], most: int) -> list[Piece]:
    """The characters and the commonest others, by the cuts that are likeliest so far."""
    cutting = cutter(models.Unigram([(UNKNOWN, 0.0), *pieces], unk_id=0))
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
