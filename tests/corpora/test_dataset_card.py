"""Dataset cards."""

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.dataset_card import CardCounts, Counted, refuse_foreign_card, write_card
from crosstalk.corpora.native import write_native
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import OutputError


def test_a_card_tells_what_is_there(talk: Dialogue, elsewhere: Dialogue, tmp_path: Path) -> None:
    dialogues = Counted([talk, elsewhere])
    path = tmp_path / "it's.jsonl"
    write_native(dialogues, path)
    write_card(tmp_path / "README.md", {path: dialogues.counts}, made_from="val.json")
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "- de\n- zh\n" in card
    assert "    path: 'it''s.jsonl'\n" in card
    assert "2 task-oriented dialogues, 8 turns." in card
    assert hashlib.sha256(path.read_bytes()).hexdigest() in card
    assert "- Goal types: CM 1\n" in card


def test_counts_add(talk: Dialogue, elsewhere: Dialogue) -> None:
    both = Counted([talk, elsewhere])
    parts = []
    for one in (talk, elsewhere):
        counted = Counted([one])
        list(counted)
        parts.append(counted.counts)
    list(both)
    assert both.counts == sum(parts, CardCounts())


def test_only_cards_of_ours_are_replaced(talk: Dialogue, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("my notes")
    with pytest.raises(OutputError, match="no dataset card of ours"):
        refuse_foreign_card(tmp_path / "README.md")
    write_card(tmp_path / "README.md", {}, made_from="val.json")
    refuse_foreign_card(tmp_path / "README.md")


def split_in(card: Path) -> str:
    """The split that a card names first."""
    (line,) = (each for each in card.read_text().splitlines() if "split:" in each)
    return line.removeprefix("  - split: ")


@pytest.mark.parametrize(
    ("name", "splits", "named"),
    [
        ("chat.jsonl", {}, "train"),  # dataset libraries call data without a split so
        ("all.jsonl", {}, "train"),  # which they refuse as the name of a split
        ("crosswoz_val.jsonl", {}, "validation"),
        ("chat.jsonl", {"test": 2}, "test"),
        ("chat.jsonl", {"test": 1, "train": 1}, "train"),
        ("chat.jsonl", {"test": 1}, "train"),
    ],
)
def test_the_split_is_that_of_the_dialogues(
    tmp_path: Path, name: str, splits: dict[str, int], named: str
) -> None:
    path = tmp_path / name
    path.write_text("{}\n")
    counts = CardCounts(dialogues=2, splits=Counter(splits))
    write_card(tmp_path / "README.md", {path: counts}, made_from="x.json")
    assert split_in(tmp_path / "README.md") == named


@pytest.mark.parametrize("extras", [{"split": "test"}, {"convlab": {"data_split": "test"}}])
def test_a_dialogue_tells_its_split(talk: Dialogue, extras: dict[str, Any]) -> None:
    counted = Counted([replace(talk, extras=extras)])
    list(counted)
    assert counted.counts.splits == {"test": 1}
