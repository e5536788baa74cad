"""Files of differences and choices."""

import json
from pathlib import Path

import pytest

from crosstalk.annotation.adjudication import CellChoice, differences
from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.expert_sample import blind
from crosstalk.annotation.merge_files import read_choices, write_differences
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError

LINE = {"dialogue": "1", "turn": 2, "part": "acts", "cell": ["Inform", "hotel", "name"]}
ROW = {"subgoal": 1, "domain": "hotel", "slot": "name", "value": ""}


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_what_is_written_can_be_decided(
    annotator: Annotator, dialogue: Dialogue, tmp_path: Path
) -> None:
    found = list(differences(blind(dialogue), annotator.annotate(dialogue)))
    file = tmp_path / "differences.jsonl"
    assert write_differences(found, file) == len(found) > 10
    assert read_choices(file) == {}
    lines = file.read_text(encoding="utf-8").splitlines()
    decided = [json.loads(line) | {"choice": "b"} for line in lines]
    assert read_choices(written(file, *decided)) == {each.key: CellChoice.RIGHT for each in found}


def test_values_of_ones_own(tmp_path: Path) -> None:
    file = written(
        tmp_path / "c.jsonl",
        LINE | {"choice": {"value": ["Ferry Inn"]}},
        LINE | {"part": "first_query", "cell": ["hotel", "name"], "choice": {"value": "Ferry"}},
        LINE | {"part": "user_state", "cell": ["1"], "choice": {"value": ROW}},
    )
    texts, field, row = read_choices(file).values()
    assert (texts, field) == (("Ferry Inn",), "Ferry")
    assert not isinstance(row, str | tuple | None) and row.slot == "name"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([], "expected an object"),
        ({}, "do not name a cell"),
        (LINE | {"part": "mood"}, "do not name a cell"),
        (LINE | {"choice": "c"}, 'cannot read the choice "c"'),
        (LINE | {"choice": {"value": 3}}, "does not fit"),
        (LINE | {"part": "user_state", "choice": {"value": {**ROW, "value": 3}}}, "does not fit"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(
    line: object, message: str, tmp_path: Path
) -> None:
    file = written(tmp_path / "c.jsonl", LINE | {"turn": 1}, line)
    with pytest.raises(FormatError, match=f"line 2: .*{message}"):
        read_choices(file)


def test_one_cell_is_decided_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="stands here twice"):
        read_choices(written(tmp_path / "c.jsonl", LINE, LINE))


def test_no_differences_at_all(tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    assert write_differences([], file) == 0
    assert read_choices(file) == {}
