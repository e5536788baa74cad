"""A vocabulary from texts: the same one every time, so that a stopped training can go on."""

from random import Random

from crosstalk.training.small_encoders import learn_pieces, unigram_tokenizer

RNG = Random(1)
SYLLABLES = ("ba", "de", "gi", "lo", "mu", "ra", "si", "to", "港", "口", "船")
TEXTS = [
    " ".join("".join(RNG.choices(SYLLABLES, k=RNG.randint(1, 4))) for _ in range(12))
    for _ in range(150)
]


def test_the_same_texts_give_the_same_vocabulary() -> None:
    first, *others = (unigram_tokenizer(TEXTS, 200).backend_tokenizer.to_str() for _ in range(4))
    assert others == [first] * 3


def test_every_character_is_a_piece_and_what_often_stands_together_too() -> None:
    pieces = learn_pieces(TEXTS, 120)
    known = {piece for piece, _ in pieces}
    assert len(pieces) <= 120
    assert {*"badegilomurasito港口船"} <= known
    assert sum(len(piece) > 1 for piece in known) > 50
    assert [score for _, score in pieces] == sorted((score for _, score in pieces), reverse=True)


def test_a_piece_may_be_asked_for_by_its_mark() -> None:
    tokenizer = unigram_tokenizer(TEXTS, 120)
    assert tokenizer.convert_tokens_to_ids(["<s>", "<pad>", "</s>", "<unk>", "<mask>"]) == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    assert tokenizer.tokenize("[SYS] ba")[0] == "[SYS]"
    assert tokenizer.decode(tokenizer.encode("bade gilo"), skip_special_tokens=True) == "bade gilo"
