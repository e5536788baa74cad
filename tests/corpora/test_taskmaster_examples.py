"""Training examples and rewards of Taskmaster 3 and 4 as dialogues."""

import json
from pathlib import Path

import pytest
from tests.commands import caller

from crosstalk.corpora.corpus import read_corpus, recognise
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import FormatError

LINE = (
    "<PR>find_movies<PRAN>name.movie<PRAV>Emma<PRAV>Mulan<C><U>What is on?<A>Let me look."
    "<PN>find_movies<PAN>location<PAV>nearby\t[A]Emma and Mulan.\tdlg-1\n"
)
CALL = '"<U>At ""nine""."\t[PN]book[PAN]time[PAV]9[PAN]seats[PAV]2\tdlg-1\n'


def calls(dialogue: Dialogue, turn: int) -> list[tuple[str, str, str]]:
    made = dialogue.turns[turn].extras["agent"]["tool_calls"]
    return [(each["name"], each["arguments"], each["result"]) for each in made]


def test_lines_of_a_split(tmp_path: Path) -> None:
    path = tmp_path / "train-bc.tsv"
    path.write_text(LINE + CALL)
    assert recognise(path) == "taskmaster"
    spoken, called = read_corpus(path)
    assert [(turn.speaker, turn.text) for turn in spoken.turns] == [
        (Speaker.USER, "What is on?"),
        (Speaker.SYSTEM, "Let me look.\nEmma and Mulan."),
    ]
    found = '{"name.movie": ["Emma", "Mulan"]}'
    assert calls(spoken, 1) == [("find_movies", '{"location": "nearby"}', found)]
    assert (called.id, called.turns[0].text) == ("dlg-1-2", 'At "nine".')
    assert calls(called, 0) == [("book", '{"time": "9", "seats": "2"}', "")]


def test_a_line_without_an_id(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text(LINE + "<U>Hi\t[A]Hello\n")
    with pytest.raises(FormatError, match="expected context, target and id, found 2 columns"):
        list(read_corpus(tmp_path / "train.tsv"))


def reward(id: str) -> dict[str, object]:
    context = [
        {"role": "agent", "text": "Welcome."},
        {"role": "user", "text": "A latte."},
        {"role": "agent", "api": {"get_menu_items": {"query": "latte"}}},
        {"role": "api", "response": {"get_menu_items": {"items": ["latte-1"]}}},
    ]
    generation = {"role": "agent", "text": "One latte."}
    texts = {"context": json.dumps(context), "generation": json.dumps(generation)}
    return {"conversation_id": id, **texts, "reward": 1.0}


def test_rewards(tmp_path: Path) -> None:
    path = tmp_path / "reward_00.json"
    path.write_text(json.dumps([reward("dlg-1")]))
    assert recognise(path) == "taskmaster"
    (dialogue,) = read_corpus(path)
    assert [turn.text for turn in dialogue.turns] == ["Welcome.", "A latte.", "One latte."]
    assert calls(dialogue, 2) == [
        ("get_menu_items", '{"query": "latte"}', '{"items": ["latte-1"]}')
    ]
    assert dialogue.extras["taskmaster"]["reward"] == 1.0


def test_whole_conversations_are_read_rather_than_examples(tmp_path: Path) -> None:
    said = [{"index": 0, "speaker": "user", "text": "A latte."}]
    whole = [{"conversation_id": "dlg-1", "vertical": "Coffee", "utterances": said}]
    for name, text in (
        ("data/data_00.json", json.dumps(whole)),
        ("reward/reward_00.json", json.dumps([reward("dlg-2")])),
        ("splits/train/train-00.tsv", LINE),
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (dialogue,) = read_corpus(tmp_path)
    assert (len(dialogue.turns), dialogue.extras["split"]) == (1, "train")


def test_the_sample_of_taskmaster_3(
    data_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = data_folder / "corpora" / "taskmaster" / "tm3.zip"
    if not path.exists():
        pytest.skip(f"real data: {path} is not there")
    assert len(list(read_corpus(path))) == 180
    data = caller(monkeypatch, capsys, "data")
    for command in ("stats", "check", "show"):
        assert data(command, path)[0] == 0
    assert data("convert", path, tmp_path / "out.jsonl", "--to", "chat")[0] == 0
