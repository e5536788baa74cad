"""Formats are told apart by the first dialogue; an unknown file is told what came close."""

import gzip
import json
import sys
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from crosstalk.corpora.corpus import read_corpus, recognise, write_corpus
from crosstalk.corpora.file_head import partial_json
from crosstalk.corpora.formats import (
    BUILT_IN,
    GROUP,
    WRITTEN,
    Format,
    Shape,
    Signature,
    documents_reader,
    find_format,
    known_formats,
)
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import FileProblem, FormatError, InputError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, {"b": "x"', {"a": [1, {"b": "x"}]}),
        ('[{"a": null}, {"b": tr', [{"a": None}, {}]),
        ('{"a": "cut of', {}),
        ('{"a"', {}),
        ('["\\u00e9", {"q\\"": 1.5}]', ["é", {'q"': 1.5}]),
        ("a,b\n1,2", None),
        ("", None),
    ],
)
def test_json_that_is_cut_off(text: str, value: Any) -> None:
    assert partial_json(text) == value


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_format_knows_its_name(name: str) -> None:
    format = find_format(name)
    assert format.name == name
    assert (format.write is not None) == (name in WRITTEN)


def test_what_came_close_is_told(tmp_path: Path) -> None:
    turns = [{"speaker": "USER", "utterance": "hi"}]
    path = tmp_path / "odd.json"
    path.write_text(json.dumps([{"dialogue_id": "1", "services": [], "turns": turns}]))
    with pytest.raises(FormatError) as error:
        recognise(path)
    told = str(error.value)
    assert "it holds a list of objects with the fields 'dialogue_id', 'services', 'turns'" in told
    assert "Closest: sgd (lacks turns.frames); convlab (lacks dataset)" in told
    assert "Known formats: crosswoz, native" in told
    assert "--from" in told


def test_a_format_in_another_shape_is_told(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(json.dumps([{"goal": {}, "log": [{"text": "hi", "metadata": {}}]}]))
    with pytest.raises(FormatError, match=r"multiwoz \(is an object of objects\)"):
        recognise(path)


def test_a_file_of_goals_is_told(tmp_path: Path) -> None:
    (tmp_path / "goals.jsonl").write_text('{"tuples": [], "type": "S"}\n')
    with pytest.raises(FormatError, match="This looks like a file of goals"):
        recognise(tmp_path / "goals.jsonl")


PLAIN = Format(
    name="plain",
    title="One text a dialogue",
    signature=Signature((Shape.LIST,), needs=("said",)),
    read=documents_reader(
        lambda document: Dialogue(document["name"], (Turn(Speaker.USER, document["said"]),)), "name"
    ),
)


def test_formats_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("someones")
    module.PLAIN, module.OTHER = PLAIN, 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "someones", module)
    (tmp_path / "file").write_text('[{"name": "a", "said": "hi"}]')
    (dialogue,) = read_corpus(tmp_path / "file", format="someones:PLAIN")
    assert dialogue.turns[0].text == "hi"
    with pytest.raises(InputError, match=r"expected a .*Format, found int"):
        find_format("someones:OTHER")
    with pytest.raises(InputError, match="nobody:X: there is no module 'nobody'"):
        find_format("nobody:X")
    with pytest.raises(InputError, match="someones:PLAIN can only be read"):
        write_corpus([], tmp_path / "out", to="someones:PLAIN")


def test_formats_of_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("someones")
    module.PLAIN = PLAIN  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "someones", module)
    entry = EntryPoint("plain", "someones:PLAIN", GROUP)
    monkeypatch.setattr("crosstalk.external_objects.installed", lambda group: {"plain": entry})
    assert "plain" in known_formats()
    (tmp_path / "file").write_text('[{"name": "a", "said": "hi"}]')
    assert recognise(tmp_path / "file") == "plain"
    assert len(list(read_corpus(tmp_path / "file"))) == 1


def test_a_zip_of_several_files(talk: Dialogue, elsewhere: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk], tmp_path / "a.jsonl", to="native")
    write_corpus([elsewhere], tmp_path / "b.jsonl", to="native")
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.write(tmp_path / "a.jsonl", "data/a.jsonl")
        archive.write(tmp_path / "b.jsonl", "data/b.jsonl")
        archive.writestr("data/schema.json", '[{"service_name": "x"}]')
        archive.writestr("README.md", "about")
    assert recognise(tmp_path / "both.zip") == "native"
    assert list(read_corpus(tmp_path / "both.zip")) == [talk, elsewhere]
    with zipfile.ZipFile(tmp_path / "both.zip", "a") as archive:
        write_corpus([talk], tmp_path / "c.json", to="crosswoz")
        archive.write(tmp_path / "c.json", "data/c.json")
    with pytest.raises(FormatError, match=r"several formats \(native: .*a.jsonl; crosswoz"):
        recognise(tmp_path / "both.zip")


def test_a_zip_without_dialogues(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("schema.json", '[{"service_name": "x"}]')
        archive.writestr("apis.json", '{"book": {}}')
    with pytest.raises(FormatError, match=r"(?s)none of its files is a corpus.*'service_name'"):
        recognise(tmp_path / "none.zip")


def test_a_run_folder(talk: Dialogue, elsewhere: Dialogue, tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_corpus([talk], run / "dialogues" / "00000.jsonl", to="native")
    write_corpus([elsewhere], run / "dialogues" / "00001.jsonl", to="native")
    (run / "run.json").write_text("{}")
    assert recognise(run) == "native"
    assert list(read_corpus(run)) == [talk, elsewhere]
    with (run / "dialogues" / "00001.jsonl").open("a") as shard:
        shard.write('{"id": "cut of')  # a crash
    assert list(read_corpus(run)) == [talk, elsewhere]


def test_gzipped_and_line_by_line(tmp_path: Path) -> None:
    turn = {"transcript": "cheap", "belief_state": [], "turn_label": []}
    talks = [{"dialogue_idx": number, "dialogue": [turn]} for number in (1, 2)]
    lines = tmp_path / "woz.jsonl"
    lines.write_text("\n".join(map(json.dumps, talks)))
    packed = tmp_path / "woz.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(talks).encode()))
    for path in (lines, packed):
        assert [each.id for each in read_corpus(path)] == ["1", "2"]
    packed.write_bytes(packed.read_bytes()[:-12])
    with pytest.raises(FileProblem, match="the gzip cannot be unpacked"):
        list(read_corpus(packed))


def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "woz.json.gz"
    bomb.write_bytes(gzip.compress(b'[{"dialogue_idx": 1, "dialogue": [' + b" " * 50_000_000))
    with pytest.raises(FileProblem, match="the gzip unpacks to more than"):
        list(read_corpus(bomb, format="woz"))
