"""CrossWOZ files: byte for byte, in both spellings, and for dialogues of other worlds."""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.crosswoz import read_crosswoz, write_crosswoz
from crosstalk.corpora.crosswoz_schema import CHINESE, ENGLISH
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple
from crosstalk.errors import FormatError
from crosstalk.files import open_binary


def test_what_is_written_is_read(talk: Dialogue, elsewhere: Dialogue, tmp_path: Path) -> None:
    write_crosswoz([talk, elsewhere], tmp_path / "two.json")
    assert list(read_crosswoz(tmp_path / "two.json")) == [talk, elsewhere]


def test_the_layout_is_that_of_the_released_files(talk: Dialogue, tmp_path: Path) -> None:
    write_crosswoz([talk], tmp_path / "one.json")
    text = (tmp_path / "one.json").read_text(encoding="utf-8")
    plain = json.loads(text)
    assert text == json.dumps(plain, indent=4, ensure_ascii=False)
    dialogue = plain["7"]
    fields = ["sys-usr", "goal", "messages", "final_goal", "task description", "type"]
    assert list(dialogue) == fields
    assert dialogue["type"] == "不独立多领域"
    assert dialogue["goal"][3] == [2, "餐馆", "名称", "出现在id=1的周边餐馆里", False]
    assert list(dialogue["messages"][0]) == ["content", "role", "dialog_act", "user_state"]
    system = dialogue["messages"][1]
    assert list(system) == ["content", "role", "dialog_act", "sys_state", "sys_state_init"]
    assert list(system["sys_state"]["地铁"]) == ["出发地", "目的地", "selectedResults"]
    assert system["sys_state"]["酒店"]["selectedResults"] == ["甲"]


def test_no_dialogues_are_an_empty_object(tmp_path: Path) -> None:
    write_crosswoz([], tmp_path / "none.json")
    assert (tmp_path / "none.json").read_text() == "{}"
    assert list(read_crosswoz(tmp_path / "none.json")) == []


def test_zips_are_the_same_every_time(talk: Dialogue, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_crosswoz([talk], tmp_path / name / "val.json.zip")
    assert zipfile.ZipFile(tmp_path / "a" / "val.json.zip").namelist() == ["val.json"]
    first, second = ((tmp_path / name / "val.json.zip").read_bytes() for name in ("a", "b"))
    assert first == second
    assert list(read_crosswoz(tmp_path / "a" / "val.json.zip")) == [talk]


@pytest.mark.parametrize(
    ("text", "domain", "value"),
    [
        ("出现在id=2的周边酒店里", "酒店", Reference(2, nearby=True)),
        ("id=12", "出租", Reference(12, nearby=False)),
        ("出现在id=2的周边酒店里", "餐馆", "出现在id=2的周边酒店里"),  # another domain's words
        ("id=02", "出租", "id=02"),  # would not come back the same
        ("在id=2", "出租", "在id=2"),
    ],
)
def test_references(text: str, domain: str, value: Reference | str) -> None:
    assert CHINESE.parse(text, domain) == value
    assert CHINESE.render(CHINESE.parse(text, domain), domain) == text


def test_english_spelling(tmp_path: Path) -> None:
    near = SemanticTuple(2, "Hotel", "name", Reference(1, nearby=True))
    goal = Goal((near,), GoalType.CM_T, ("You stay near id=1.",))
    dialogue = Dialogue("1", (), goal, language="en", world="crosswoz")
    write_crosswoz([dialogue], tmp_path / "en.json")
    plain = json.loads((tmp_path / "en.json").read_text())["1"]
    assert plain["goal"][0][3] == "Appearing in hotels near id=1"
    assert (plain["type"], plain["task description"]) == ("CM+T", "You stay near id=1.")
    assert list(read_crosswoz(tmp_path / "en.json")) == [dialogue]
    assert ENGLISH.selected_first


def test_fields_we_have_no_word_for_are_kept(talk: Dialogue, tmp_path: Path) -> None:
    path = tmp_path / "more.json"
    write_crosswoz([talk], path)
    plain = json.loads(path.read_text(encoding="utf-8"))
    plain["7"]["note"] = {"a": [1]}
    plain["7"]["messages"][2]["predicted"] = []
    path.write_text(json.dumps(plain, ensure_ascii=False, indent=4), encoding="utf-8")
    (dialogue,) = read_crosswoz(path)
    assert dialogue.extras == {"crosswoz": {"note": {"a": [1]}}}
    write_crosswoz([dialogue], tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"messages": 3}, "dialogue 7, messages: expected a list, found a whole number 3"),
        ({"goal": [], "type": "X"}, "dialogue 7, type: expected one of 单领域"),
        ({"type": "单领域"}, "dialogue 7: the field 'goal' is missing"),
        ({"sys-usr": [1, True]}, "dialogue 7, sys-usr[1]: expected a worker's number or name"),
        ({"goal": [[1, "酒店", "名称", ""]]}, "dialogue 7, goal[0]: expected [sub-goal, domain"),
        (
            {"goal": [[True, "酒店", "名称", "", False]]},
            "goal[0].sub-goal: expected a whole number",
        ),
        ({"final_goal": [[1, "酒店", [], "", False]]}, "final_goal[0].slot: expected text"),
        (
            {"messages": [{"content": "", "role": "x"}]},
            "dialogue 7, turn 0, role: expected usr or sys, found text 'x'",
        ),
        (
            {"messages": [{"content": "", "role": "sys", "sys_state": {"酒店": {"名称": 1}}}]},
            "turn 0, sys_state.酒店.名称: expected text or a list of texts",
        ),
        ({"messages": [{"role": "usr"}]}, "turn 0: the field 'content' is missing"),
    ],
)
def test_wrong_types_are_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps({"7": {"messages": [], **change}}), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(read_crosswoz(path))
    assert message in caught.value.message
    assert caught.value.message.startswith(str(path))


@pytest.mark.parametrize(
    "name",
    ["crosswoz/val", "crosswoz/test-a", "crosswoz_en/human_val"],
)
def test_released_files_come_back_byte_for_byte(
    name: str, data_folder: Path, tmp_path: Path
) -> None:
    source = data_folder / f"{name}.json.zip"
    dialogues = list(read_crosswoz(source))
    write_crosswoz(dialogues, tmp_path / "copy.json")
    with open_binary(source) as raw:
        assert raw.read() == (tmp_path / "copy.json").read_bytes()
    assert {dialogue.world for dialogue in dialogues} == {"crosswoz"}
    assert {dialogue.language for dialogue in dialogues} == {"en" if "en" in name else "zh"}
    if name == "crosswoz/val":
        assert len(dialogues) == 500
        assert sum(len(dialogue.turns) for dialogue in dialogues) == 8458
        assert _references(dialogues) == (281, 280)


def _references(dialogues: list[Dialogue]) -> tuple[int, int]:
    """How many goals ask for something near another sub-goal, and how many for its very place."""
    found = [
        each.value.nearby
        for dialogue in dialogues
        for each in (dialogue.goal.tuples if dialogue.goal else ())
        if isinstance(each.value, Reference)
    ]
    return found.count(True), found.count(False)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to ask for the peak")
def test_a_long_file_needs_little_memory(talk: Dialogue, tmp_path: Path) -> None:
    """16 MB of dialogues, read in a process of its own."""
    many = (replace(talk, id=str(number)) for number in range(1000))
    write_crosswoz(many, tmp_path / "long.json")
    code = (
        "import sys; from pathlib import Path\n"
        "from crosstalk.corpora.corpus import read_corpus\n"
        "assert sum(1 for _ in read_corpus(Path(sys.argv[1]))) == 1000\n"
        "status = Path('/proc/self/status').read_text()\n"
        "print(status.split('VmHWM:')[1].split()[0])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "long.json")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (tmp_path / "long.json").stat().st_size > 16e6
    assert int(answer.stdout) < 60_000  # kilobytes; read whole, it takes 100 MB
