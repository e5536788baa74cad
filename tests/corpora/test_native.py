"""The native format: JSON Lines under a published schema."""

import json
from pathlib import Path

import jsonschema
import pytest

from crosstalk.corpora.native import SCHEMA, native_schema, read_native, write_native
from crosstalk.corpora.record_encoding import encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import ArgumentValue, Goal, Reference, WantedAction
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import FileProblem, FormatError, OutputError


def test_one_dialogue_a_line(talk: Dialogue, elsewhere: Dialogue, tmp_path: Path) -> None:
    write_native([talk, elsewhere], tmp_path / "two.jsonl")
    lines = (tmp_path / "two.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["7", "harbour-1"]
    assert list(read_native(tmp_path / "two.jsonl")) == [talk, elsewhere]


def test_what_is_empty_or_usual_is_left_out(talk: Dialogue) -> None:
    record = encode_dialogue(talk)
    assert record["goal"]["tuples"][3] == {
        "subgoal": 2,
        "domain": "餐馆",
        "slot": "名称",
        "value": {"near": 1},
    }
    assert record["turns"][4]["acts"] == [{"intent": "General", "domain": "thank"}]
    assert record["turns"][5]["last_query"][3] == {
        "domain": "地铁",
        "slots": {"出发地": "", "目的地": ""},
    }
    assert "extras" not in record


def test_the_published_schema_is_up_to_date() -> None:
    """Else: crosstalk data schema > src/crosstalk/corpora/native.schema.json."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == native_schema()


def test_the_schema_allows_what_is_written(talk: Dialogue, elsewhere: Dialogue) -> None:
    validator = jsonschema.Draft202012Validator(native_schema())
    for dialogue in (talk, elsewhere, Dialogue("", ())):
        validator.validate(encode_dialogue(dialogue))
    assert not validator.is_valid({"id": "1", "turns": [], "unknown": 1})
    assert not validator.is_valid({"id": "1", "turns": [{"speaker": "wizard", "text": ""}]})


def test_what_a_goal_wants_done_is_kept(tmp_path: Path) -> None:
    here: dict[str, ArgumentValue] = {"entity": Reference(1, nearby=False), "people": 2}
    wanted = WantedAction("book_room", (here, {"entity": "Pilot House"}), forbidden=True)
    goal = Goal((), actions=(wanted,))
    dialogue = Dialogue("1", (), goal)
    jsonschema.Draft202012Validator(native_schema()).validate(encode_dialogue(dialogue))
    write_native([dialogue], tmp_path / "one.jsonl")
    assert list(read_native(tmp_path / "one.jsonl")) == [dialogue]


TURN = {"speaker": "user", "text": ""}
TUPLE = {"subgoal": 1, "domain": "d", "slot": "s", "value": ""}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "1"}, "line 1, dialogue 1: the field 'turns' is missing"),
        ({"id": 1, "turns": []}, "line 1, id: expected text, found a whole number 1"),
        ({"id": "1", "turns": [], "x": 1}, "dialogue 1, x: there is no such field"),
        (
            {"id": "1", "turns": [TURN, {**TURN, "speaker": "me"}]},
            "dialogue 1, turn 1, speaker: expected 'user' or 'system', found text 'me'",
        ),
        (
            {"id": "1", "turns": [{**TURN, "user_state": [{**TUPLE, "value": {"near": "x"}}]}]},
            "turn 0, user_state[0].value: expected text, a list of texts",
        ),
        (
            {"id": "1", "turns": [{**TURN, "user_state": [{**TUPLE, "value": 3}]}]},
            'turn 0, user_state[0].value: expected text, a list of texts, {"near": number}',
        ),
        (
            {"id": "1", "turns": [], "final_goal": [{**TUPLE, "expressed": 1}]},
            "final_goal[0].expressed: expected true or false, found a whole number 1",
        ),
        ({"id": "1", "turns": [], "workers": [True]}, "workers[0]: expected a number or text"),
        ([], "line 1: expected an object, found a list"),
    ],
)
def test_what_a_line_may_not_say(record: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(read_native(path))
    assert message in caught.value.message


def test_broken_lines_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"id": "1", "turns": []}\n\n{"id": "2", "tur', encoding="utf-8")
    with pytest.raises(FormatError, match="line 3: not valid JSON at column 13"):
        list(read_native(path))
    path.write_bytes(b'{"id": "1", "turns": []}\n{"id": "\xe9"}\n')
    with pytest.raises(FileProblem, match="line 2: not UTF-8 text at byte 8 of the line"):
        list(read_native(path))


def test_a_form_with_one_name_twice_cannot_be_written(tmp_path: Path) -> None:
    form = SystemState((DomainState("hotel", (("name", "a"), ("name", "b"))),))
    dialogue = Dialogue("1", (Turn(Speaker.SYSTEM, "", last_query=form),))
    with pytest.raises(OutputError, match="names a slot of 'hotel' twice"):
        write_native([dialogue], tmp_path / "twice.jsonl")
    assert not (tmp_path / "twice.jsonl").exists()
