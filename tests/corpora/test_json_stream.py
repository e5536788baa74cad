"""Reading one large JSON value piece by piece gives what reading it whole gives."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.corpora import json_stream
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.errors import FileProblem, FormatError

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=st.dictionaries(st.text(), st.dictionaries(st.text(), plain)), read=st.integers(1, 40))
@settings(max_examples=25, deadline=None)
def test_members_in_pieces(
    value: dict[str, Any], read: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("stream") / "value.json"
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2) + "\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_stream, "READ", read)
            assert dict(JsonStream(path).members()) == value


def test_items_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "READ", 3)
    (tmp_path / "list.json").write_text(
        '\ufeff[{"a": "\\u00e9é"}, {}, {"b": [1.5e3]}]', encoding="utf-8"
    )
    assert list(JsonStream(tmp_path / "list.json").items()) == [{"a": "éé"}, {}, {"b": [1500.0]}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"1": {"a": 1},\n "2": {"a": ', "line 2, dialogue 2: not valid JSON at column"),
        ('{"1": {"a": 1},\n "2": {"a": ', "the last complete dialogue is 1"),
        ('{"1": {}\n "2": {}}', "line 2: not valid JSON at column 2: expected a comma or '}'"),
        ('{"1": {}} {', "the corpus has ended, yet more follows"),
        ('{"1": {"a": 1, "a": 2}}', "the field 'a' appears twice in one object"),
        ('{"1": {"a": NaN}}', "NaN is not a JSON number"),
        ('{"1": {"a": 1e999}}', "1e999 is too large"),
        ('{"1": ' + "[" * 100_000, "nested too deeply"),
        ('{"1": {"a": "\\ud83d"}}', "half a character"),
        ('{"1": {"a": ' + "9" * 5000 + "}}", "dialogue 1: not valid JSON"),
        ("{1: {}}", "expected a key in double quotes"),
        ("[]", "expected '{'"),
    ],
)
def test_what_is_not_json(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(JsonStream(tmp_path / "broken.json").members())
    assert message in caught.value.message


def test_bytes_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "READ", 4)
    (tmp_path / "bytes.json").write_bytes('{"é": {"b": "'.encode() + b'\xff"}}')
    with pytest.raises(FileProblem, match="not UTF-8 text at byte 14"):
        list(JsonStream(tmp_path / "bytes.json").members())


def test_lines_are_counted_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "READ", 5)
    (tmp_path / "lines.json").write_text('{\n"1": {},\n"2": {},\n"3": {"a" 1}\n}')
    with pytest.raises(FormatError, match="line 4, dialogue 3: not valid JSON at column 11"):
        list(JsonStream(tmp_path / "lines.json").members())
