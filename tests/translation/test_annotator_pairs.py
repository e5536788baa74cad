"""Two annotators: which files belong together, and which answers are about the same text."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstalk.errors import InputError
from crosstalk.translation.control import pair_files, pair_judgements


def record(turn: int, text: str, acceptable: int | None = 1) -> dict[str, Any]:
    return {
        "dialogID": "MUL1",
        "turnID": turn,
        "utterance": "Hello.",
        "SlotValues": {},
        "fixTransUtterance": text,
        "fixTransSlotValues": {},
        "UtteranceAcceptable": acceptable,
        "SlotValuesMatchAcceptable": None,
        "NOTE": "",
    }


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_samples_hold_both_annotators_and_are_never_mixed(tmp_path: Path) -> None:
    for language, text in (("de", "Hallo."), ("ar", "مرحبا.")):
        for name in ("cleo", "dan"):
            written(tmp_path / language / f"{name}.json", record(0, text))
    german, arabic = tmp_path / "de", tmp_path / "ar"
    assert pair_files([german, arabic]) == [
        (german / "cleo.json", german / "dan.json"),
        (arabic / "cleo.json", arabic / "dan.json"),
    ]
    assert pair_files([german]) == [(german / "cleo.json", german / "dan.json")]


def test_folders_of_one_annotator_each_pair_by_the_names_of_their_files(tmp_path: Path) -> None:
    for name in ("cleo", "dan"):
        written(tmp_path / name / "dev-de.json", record(0, "Hallo."))
        written(tmp_path / name / "dev-ar.json", record(0, "مرحبا."))
    pairs = pair_files([tmp_path / "cleo", tmp_path / "dan"])
    assert [(one.name, other.name) for one, other in pairs] == [
        ("dev-ar.json", "dev-ar.json"),
        ("dev-de.json", "dev-de.json"),
    ]
    (found,), _ = pair_judgements(*pairs[1])
    assert (found.language, found.split) == ("de", "dev")


def test_what_was_not_judged_by_both_is_left_out_in_words(tmp_path: Path) -> None:
    one = written(
        tmp_path / "one.json", record(0, "a"), record(1, "b"), record(2, "c"), record(3, "d", None)
    )
    other = written(
        tmp_path / "other.json", record(0, "a"), record(1, "B!"), record(3, "d"), record(4, "e")
    )
    pairs, left_out = pair_judgements(one, other)
    assert [pair.first.turn for pair in pairs] == [0, 3]
    assert left_out == [
        f"dialogue MUL1, turn 2: not in {other}",
        f"dialogue MUL1, turn 4: not in {one}",
        f"dialogue MUL1, turn 1: another translation in {other} than in {one}",
        f"dialogue MUL1, turn 3: not answered in {one}",
    ]


def test_what_is_not_two_annotators(tmp_path: Path) -> None:
    file = written(tmp_path / "folder" / "one.json", record(0, "a"))
    with pytest.raises(InputError, match="given twice"):
        pair_files([file, file])
    with pytest.raises(InputError, match="not two annotators"):
        pair_files([file])
    with pytest.raises(InputError, match="not two annotators"):
        pair_files([file, file.parent])
    with pytest.raises(InputError, match="no sample that two people have judged"):
        pair_files([file.parent])
