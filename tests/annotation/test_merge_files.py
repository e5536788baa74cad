"""Files of decisions and verdicts."""

import json
from pathlib import Path

import pytest

from crosstalk.annotation.adjudication import CellChoice
from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.decisions import decisions
from crosstalk.annotation.expert_sample import blind
from crosstalk.annotation.label_states import Cause, Sureness, Verdict
from crosstalk.annotation.merge_files import read_verdicts, write_decisions
from crosstalk.annotation.settlement import OwnValue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError

LINE = {"dialogue": "1", "turn": 2, "operation": "act", "cell": ["Inform", "hotel", "name"]}


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_what_is_written_can_be_decided(
    annotator: Annotator, dialogue: Dialogue, tmp_path: Path
) -> None:
    found = list(decisions(blind(dialogue), annotator.annotate(dialogue)))
    file = tmp_path / "decisions.jsonl"
    assert write_decisions(found, file) == len(found) > 10
    assert read_verdicts(file) == {}
    lines = file.read_text(encoding="utf-8").splitlines()
    said = {"choice": "b", "cause": "slip", "sure": "sure", "mend": "Tick what is meant"}
    decided = [json.loads(line) | said for line in lines]
    verdict = Verdict(CellChoice.RIGHT, Cause.SLIP, Sureness.SURE, "Tick what is meant")
    assert read_verdicts(written(file, *decided)) == {each.key: verdict for each in found}


def test_values_of_ones_own(tmp_path: Path) -> None:
    file = written(
        tmp_path / "c.jsonl",
        LINE | {"choice": {"value": ["Ferry Inn"]}},
        LINE | {"operation": "search", "cell": ["hotel", "name"], "choice": {"value": "Ferry"}},
        LINE | {"operation": "tick", "cell": ["1"], "choice": {"value": True}},
    )
    texts, field, tick = (each.choice for each in read_verdicts(file).values())
    assert (texts, field) == (OwnValue(("Ferry Inn",)), OwnValue("Ferry"))
    assert tick == OwnValue(True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([], "expected an object"),
        ({}, "do not name a decision"),
        (LINE | {"operation": "mood"}, "do not name a decision"),
        (LINE | {"choice": "c"}, 'cannot read the choice "c"'),
        (LINE | {"choice": {"value": 3}}, "cannot read the choice"),
        (LINE | {"choice": "a", "cause": "bad luck"}, "cause: expected one of misread"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(
    line: object, message: str, tmp_path: Path
) -> None:
    file = written(tmp_path / "c.jsonl", LINE | {"turn": 1}, line)
    with pytest.raises(FormatError, match=f"line 2: .*{message}"):
        read_verdicts(file)


def test_one_cause_is_decided_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="stands here twice"):
        read_verdicts(written(tmp_path / "c.jsonl", LINE, LINE))


def test_no_differences_at_all(tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    assert write_decisions([], file) == 0
    assert read_verdicts(file) == {}
