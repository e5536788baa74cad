"""Splits: by dialogue, the same every time, never reshuffled."""

from collections import Counter

import pytest

from crosstalk.corpora.split import Entry, exact_parts, parse_shares, stable_parts
from crosstalk.errors import InputError

SHARES = {"train": 0.8, "val": 0.1, "test": 0.1}
ENTRIES = [Entry(str(number), "S" if number % 5 else "CM") for number in range(1000)]


def test_growing_never_moves_a_dialogue() -> None:
    few = stable_parts(ENTRIES[:300], SHARES, seed=1)
    many = stable_parts(reversed(ENTRIES), SHARES, seed=1)
    assert all(many[id] == part for id, part in few.items())
    counts = Counter(many.values())
    assert abs(counts["train"] - 800) < 40
    assert abs(counts["test"] - 100) < 30


def test_another_seed_is_another_split() -> None:
    first, second = (stable_parts(ENTRIES, SHARES, seed=seed) for seed in (1, 2))
    assert first != second
    assert first == stable_parts(ENTRIES, SHARES, seed=1)


def test_exact_shares_within_each_type() -> None:
    parts = exact_parts(ENTRIES, SHARES, seed=3)
    counts = Counter((parts[each.id], each.kind) for each in ENTRIES)
    assert counts == {
        ("train", "S"): 640, ("val", "S"): 80, ("test", "S"): 80,
        ("train", "CM"): 160, ("val", "CM"): 20, ("test", "CM"): 20,
    }  # fmt: skip
    assert parts == exact_parts(reversed(ENTRIES), SHARES, seed=3)


def test_shares_as_they_are_typed() -> None:
    assert parse_shares("train=0.8, val=0.1,test=0.1") == SHARES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("train", "cannot read the part 'train'"),
        ("train=0.5,train=0.5", "cannot read the part 'train=0.5'"),
        ("../x=1", "cannot read the part"),
        ("train=most", "not between 0 and 1"),
        ("train=0.5,val=0.4", "add up to 0.9, not to 1"),
        ("train=nan,val=1", "not between 0 and 1"),
    ],
)
def test_shares_that_make_no_sense(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_shares(text)
