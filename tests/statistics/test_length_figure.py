"""Figure 2: the lengths of dialogues."""

from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError, OutputError
from crosstalk.statistics.corpus_counts import count_corpus
from crosstalk.statistics.dialogue_lengths import bin_width, binned
from crosstalk.statistics.length_figure import draw_lengths, save_lengths

STARTS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}


def test_lengths_fall_into_bins_of_an_exchange() -> None:
    ends, shares = binned({3: 1, 4: 1, 8: 2}, width=2)
    assert ends == [2, 4, 6, 8, 10]
    assert shares == [0, 0.5, 0, 0.5, 0]


def test_long_dialogues_get_wider_bins() -> None:
    assert [bin_width(longest) for longest in (0, 2, 60, 61, 600)] == [2, 2, 2, 4, 20]


def test_one_curve_a_goal_type(single: Dialogue, crossing: Dialogue) -> None:
    counts = count_corpus([crossing, single, replace(crossing, goal=None)])
    (axes,) = draw_lengths(counts).axes
    assert [line.get_label() for line in axes.lines] == ["S (1)", "CM (1)"]


def test_one_curve_for_a_corpus_without_types(single: Dialogue) -> None:
    (axes,) = draw_lengths(count_corpus([replace(single, goal=None)] * 3)).axes
    assert [line.get_label() for line in axes.lines] == ["all (3)"]


def test_an_empty_corpus_gives_empty_axes() -> None:
    (axes,) = draw_lengths(count_corpus([])).axes
    assert not axes.lines


@pytest.mark.parametrize("ending", STARTS)
def test_the_same_corpus_gives_the_same_bytes(
    ending: str, single: Dialogue, crossing: Dialogue, tmp_path: Path
) -> None:
    counts = count_corpus([single, crossing])
    one, other = tmp_path / f"one{ending}", tmp_path / f"other{ending}"
    save_lengths(counts, one)
    save_lengths(counts, other)
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes().startswith(STARTS[ending])


def test_the_text_of_an_svg_stays_text(single: Dialogue, tmp_path: Path) -> None:
    save_lengths(count_corpus([single]), tmp_path / "f.svg")
    drawn = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert "S (1)" in drawn and "turns per dialogue" in drawn


def test_other_endings_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in \.svg, \.pdf, \.png\n.*lengths\.svg"):
        save_lengths(count_corpus([]), tmp_path / "lengths.docx")


def test_a_folder_cannot_be_drawn_over(tmp_path: Path) -> None:
    (tmp_path / "taken.svg").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        save_lengths(count_corpus([]), tmp_path / "taken.svg")
