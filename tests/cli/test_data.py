"""`crosstalk data convert | check | show | split | schema`, as a user types them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple
from crosstalk.dialogue.states import DomainState, SystemState

WISH = SemanticTuple(1, "hotel", "rating", "4 points or more")
NAME = SemanticTuple(1, "hotel", "name", "")
FORM = SystemState((DomainState("hotel", (("name", ""), ("rating", "4 points or more"))),))
TALK = Dialogue(
    id="1",
    language="en",
    world="harbour",
    goal=Goal((WISH, NAME), GoalType.S, ("You want a good hotel (id=1).",)),
    final_goal=(WISH.said(), NAME.filled("Anchor").said()),
    turns=(
        Turn(
            Speaker.USER,
            "A good hotel, please",
            (
                Act("Inform", "hotel", "rating", "4 points or more"),
                Act("Request", "hotel", "name", ""),
            ),
            user_state=(WISH.said(), NAME.said()),
        ),
        Turn(
            Speaker.SYSTEM,
            "The Anchor",
            (Act("Inform", "hotel", "name", "Anchor"),),
            first_query=FORM,
            last_query=FORM.with_domain(replace(FORM.get("hotel"), selected=("Anchor",))),
        ),
        Turn(
            Speaker.USER,
            "Thanks",
            (Act("General", "thank"),),
            user_state=(WISH.said(), NAME.filled("Anchor").said()),
        ),
        Turn(Speaker.SYSTEM, "Welcome", (Act("General", "welcome"),)),
    ),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    write_corpus([replace(TALK, id=str(number)) for number in range(20)], path, to="native")
    return path


class Command:
    """Runs a command; keeps what it printed."""

    def __init__(self, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch = patch
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words: str | Path) -> int:
        self._patch.setattr("sys.argv", ["crosstalk", "data", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        self.out, self.err = self._capsys.readouterr()
        assert "Traceback" not in self.err
        return int(ended.value.code or 0)

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(monkeypatch, capsys)


@pytest.mark.parametrize("format", ["crosswoz", "native", "parquet", "convlab", "multiwoz"])
def test_convert_and_back(format: str, data: Command, corpus: Path, tmp_path: Path) -> None:
    there, back = tmp_path / "there", tmp_path / "back.jsonl"
    assert data("convert", corpus, there, "--to", format) == 0
    assert "20 dialogues, 80 turns" in data.out
    assert data("convert", there, back, "--to", "native", "--json") == 0
    assert data.json == {"file": str(back), "dialogues": 20, "turns": 80}
    assert back.read_bytes() == corpus.read_bytes()


def test_convert_with_a_card(data: Command, corpus: Path, tmp_path: Path) -> None:
    assert data("convert", corpus, tmp_path / "chat.jsonl", "--to", "chat", "--card") == 0
    assert "20 task-oriented dialogues" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize(("form", "kind"), [("object", dict), ("text", str)])
def test_arguments_of_tool_calls(
    data: Command, corpus: Path, tmp_path: Path, form: str, kind: type
) -> None:
    out = tmp_path / "chat.jsonl"
    assert data("convert", corpus, out, "--to", "chat", "--arguments", form) == 0
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    messages = [message for record in records for message in record["messages"]]
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    assert calls and all(isinstance(call["function"]["arguments"], kind) for call in calls)


def test_a_card_replaces_no_other_file(data: Command, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("my notes")
    assert data("convert", corpus, tmp_path / "out.parquet", "--to", "parquet", "--card") == 2
    assert "no dataset card of ours" in data.err
    assert not (tmp_path / "out.parquet").exists()


def test_nothing_is_written_when_reading_fails(data: Command, corpus: Path, tmp_path: Path) -> None:
    with corpus.open("a") as file:
        file.write('{"id": "x", "turns": 3}\n')
    out = tmp_path / "sub" / "out.json"
    assert data("convert", corpus, out, "--to", "crosswoz") == 2
    assert "line 21, dialogue x, turns: expected a list, found a whole number 3" in data.err
    assert not out.parent.exists()


def test_convert_anyway(data: Command, corpus: Path, tmp_path: Path) -> None:
    lost = SemanticTuple(1, "hotel", "name", Reference(8, nearby=True))
    write_corpus([replace(TALK, goal=Goal((lost,)))], corpus, to="native")
    out = tmp_path / "out.json"
    assert data("convert", corpus, out, "--to", "crosswoz") == 2
    assert "goal[0]: refers to sub-goal 8, which does not exist" in data.err
    assert data("convert", corpus, out, "--to", "crosswoz", "--anyway") == 0


def test_check(data: Command, corpus: Path) -> None:
    assert data("check", corpus, "--json") == 0
    assert data.json["violations"] == []
    assert data("check", corpus) == 0
    assert "no violations" in data.out


def test_check_knows_our_worlds(data: Command, corpus: Path) -> None:
    odd = replace(TALK.turns[1], acts=(Act("Inform", "hotel", "colour", "blue"),))
    broken = replace(TALK, turns=(TALK.turns[0], odd, *TALK.turns[2:]))
    write_corpus([broken], corpus, to="native")
    assert data("check", corpus, "--json") == 1
    (violation,) = data.json["violations"]
    assert violation["message"].startswith("unknown slot 'colour' of hotel; the world has name")
    assert (violation["dialogue"], violation["turn"]) == ("1", 1)
    assert (violation["field"], violation["rule"]) == ("acts[0]", "unknown word")
    write_corpus([replace(broken, world="")], corpus, to="native")
    assert data("check", corpus) == 0  # nothing is known about its world
    assert data("check", corpus, "--world", "harbour") == 1
    assert "dialogue 1, turn 1, acts[0]: unknown slot 'colour' of hotel" in data.out


def test_check_of_what_cannot_be_read(data: Command, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text('{"1": {"messages": [')
    assert data("check", tmp_path / "cut.json", "--json") == 2
    assert "dialogue 1: not valid JSON" in data.err
    assert data.out == ""


def test_show(data: Command, corpus: Path) -> None:
    assert data("show", corpus, "--id", "3") == 0
    lines = data.out.splitlines()
    assert lines[0] == "Dialogue 3 (harbour, en, goal type S, 4 turns)"
    assert "  1 hotel: rating = 4 points or more, name ?" in lines
    assert "           says: hotel-rating = 4 points or more, hotel-name ?" in lines
    assert "           asks: hotel: rating = 4 points or more" in lines
    assert "           finds: hotel: Anchor" in lines
    assert lines[-1] == "The goal is settled."
    assert data("show", corpus, "--nth", "2", "--turns") == 0
    assert data.out == (
        "Dialogue 1 (harbour, en, goal type S, 4 turns)\n"
        "user     A good hotel, please\n"
        "system   The Anchor\n"
        "user     Thanks\n"
        "system   Welcome\n"
    )
    assert data("show", corpus, "--json") == 0
    assert data.json["id"] == "0"


def test_show_what_is_not_there(data: Command, corpus: Path) -> None:
    assert data("show", corpus, "--id", "nobody") == 2
    assert "has no dialogue with the id 'nobody'" in data.err
    assert data("show", corpus, "--nth", "21") == 2
    assert "has fewer than 21 dialogues" in data.err


def test_split(data: Command, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "parts"
    words = ("split", corpus, "--out", out, "--parts", "train=0.5,test=0.5", "--seed", "1")
    assert data(*words, "--exact", "--json") == 0
    assert [part["dialogues"] for part in data.json.values()] == [10, 10]
    ids = [
        dialogue.id for part in ("train", "test") for dialogue in read_corpus(out / f"{part}.jsonl")
    ]
    assert sorted(ids, key=int) == [str(number) for number in range(20)]
    assert "  - split: train" in (out / "README.md").read_text()
    assert data(*words) == 0
    assert "train" in data.out
    assert data("split", corpus, "--out", out, "--parts", "train=2") == 2
    assert "not between 0 and 1" in data.err


def test_schema(data: Command) -> None:
    assert data("schema") == 0
    assert data.json["title"] == "A Crosstalk dialogue"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfe\x00", "not a corpus in a format we know"),
        (b'{"1": {"messages": [], "goal": "\xff"}}', "not UTF-8 text at byte 32"),
        (b'{"1": {"messages": []}, "1": {"messages": []}}', "this id has appeared before"),
    ],
)
def test_bad_input(content: bytes, message: str, data: Command, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(content)
    assert data("convert", tmp_path / "bad", tmp_path / "out", "--to", "native") == 2
    assert message in data.err
    assert not (tmp_path / "out").exists()
    assert data("show", tmp_path / "bad", "--id", "none") == 2


def test_a_released_file_has_violations(data: Command, data_folder: Path) -> None:
    assert data("check", data_folder / "crosswoz/test-a.json.zip", "--json") == 1
    assert len(data.json["violations"]) == 23
