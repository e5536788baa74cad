"""Texts of another language, moved to where their originals lie."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.transfer.ridge_mapping import fit_ridge_mapping
from crosstalk.transfer.transfer_corpora import DialogueTexts
from crosstalk.transfer.translation_pairs import turn_translation_pairs

MEANINGS = {
    "room": (1, 0, 0), "train": (0, 1, 0), "taxi": (0, 0, 1),
    "zimmer": (0, 2, 1), "zug": (2, 0, 1), "taxis": (1, 1, 2),
}  # fmt: skip


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """The mean of what the words mean; to this encoder German is not English."""
    rows = [[MEANINGS.get(word, (0, 0, 0)) for word in text.split()] for text in texts]
    return np.array([np.mean(each, axis=0) for each in rows], np.float32)


PAIRS = [("zimmer", "room"), ("zug", "train"), ("taxis", "taxi"), ("zug zug", "train train")]


def test_a_text_is_moved_towards_its_original() -> None:
    mapping = fit_ridge_mapping(PAIRS, vectors)
    unseen = ["zimmer zimmer", "zug zimmer"]
    moved = mapping.moved(vectors(unseen), unseen)
    assert moved.argmax(1).tolist()[0] == 0  # a room
    before = np.abs(vectors(unseen) - vectors(["room room", "train room"])).sum()
    after = np.abs(moved - vectors(["room room", "train room"])).sum()
    assert after < before / 2


def test_what_is_like_nothing_met_is_moved_by_the_mean() -> None:
    mapping = fit_ridge_mapping(PAIRS, vectors, ridge=1e6)
    moved = mapping.moved(vectors(["????"]), ["????"])
    apart = vectors([ours for _, ours in PAIRS]) - vectors([theirs for theirs, _ in PAIRS])
    np.testing.assert_allclose(moved[0], apart.mean(0), atol=1e-3)


def written(folder: Path, name: str, dialogues: Sequence[Sequence[str]]) -> Path:
    file = folder / "multiwoz_ru" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join("\n".join(each) for each in dialogues), encoding="utf-8")
    return folder


RUSSIAN = [
    DialogueTexts("russian_dev-0001", ("привет", "да")),
    DialogueTexts("russian_dev-0002", ("такси", "нет")),
]


def test_originals_are_found_by_place_where_ids_say_nothing(tmp_path: Path) -> None:
    data = written(tmp_path, "english_dev", [["hello", "yes"], ["a taxi", "no"]])
    found = turn_translation_pairs(data, "en", RUSSIAN, RUSSIAN[1:])
    assert found == [("нет", "no"), ("такси", "a taxi")]


def test_dialogues_that_lost_a_turn_have_no_original(tmp_path: Path) -> None:
    data = written(tmp_path, "english_dev", [["hello"], ["a taxi", "no"]])
    assert len(turn_translation_pairs(data, "en", RUSSIAN, RUSSIAN)) == 2
    with pytest.raises(InputError, match="not there in the source language, en"):
        turn_translation_pairs(data, "en", RUSSIAN, RUSSIAN[:1])
