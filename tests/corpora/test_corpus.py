"""Any corpus by its path: recognised by what it holds, refused in words."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import FORMATS, read_corpus, recognise, write_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple
from crosstalk.errors import FileProblem, FormatError, InputError, OutputError


@pytest.mark.parametrize("format", FORMATS)
def test_formats_are_recognised_whatever_the_name(
    format: str, talk: Dialogue, tmp_path: Path
) -> None:
    write_corpus([talk], tmp_path / "corpus.dat", to=format)
    assert recognise(tmp_path / "corpus.dat") == format
    with zipfile.ZipFile(tmp_path / "packed", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "corpus.dat", "corpus")
    assert recognise(tmp_path / "packed") == format


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"1": {"messages": [', "crosswoz"),  # cut off, but clearly that
        ('{"1":{"log":[{"text":"messages"', "multiwoz"),
        ('\ufeff{"1": {"goal": {}, "log": []}}', "multiwoz"),
        ('{"goal": {"tuples": []}, "id": "1", "turns": []}', "native"),
        ("{}", "crosswoz"),
        ("[]", "convlab"),
    ],
)
def test_recognised_by_the_first_words(text: str, format: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert recognise(tmp_path / "file") == format


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\xff\xfe{\x00", b"\x00" * 50, b"[1, 2]"])
def test_what_is_no_corpus(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(FormatError, match="not a corpus in a format we know"):
        list(read_corpus(tmp_path / "file"))


def test_a_folder_is_known_by_its_file(talk: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk], tmp_path / "unified" / "dialogues.json", to="convlab")
    assert list(read_corpus(tmp_path / "unified")) == [talk]
    assert list(read_corpus(tmp_path)) == [talk]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileProblem, match="is a directory without a corpus"):
        list(read_corpus(tmp_path / "empty"))


def test_files_that_are_not_there_or_empty(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no such file"):
        list(read_corpus(tmp_path / "missing.json"))
    (tmp_path / "empty.json").touch()
    with pytest.raises(FileProblem, match="the file is empty"):
        list(read_corpus(tmp_path / "empty.json"))


@pytest.mark.parametrize("format", ["crosswoz", "native", "convlab", "parquet"])
def test_each_id_stands_once(format: str, talk: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk, talk], tmp_path / "twice", to=format)
    with pytest.raises(FormatError, match="dialogue 7, id: this id has appeared before"):
        list(read_corpus(tmp_path / "twice"))
    assert list(read_corpus(tmp_path / "twice", strict=False)) == [talk, talk]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (
            SemanticTuple(1, "餐馆", "名称", Reference(9, nearby=True)),
            r"dialogue 7, goal\[0\]: refers to sub-goal 9, which does not exist",
        ),
        (SemanticTuple(1, "餐馆", "名称", Reference(1, nearby=True)), "refers to its own sub-goal"),
        (SemanticTuple(1, "餐管", "名称", ""), "unknown domain '餐管'; the world has 景点, 餐馆"),
        (SemanticTuple(1, "餐馆", "门票", ""), "unknown slot '门票' of 餐馆; the world has 名称"),
    ],
)
def test_things_that_do_not_exist(
    wish: SemanticTuple, message: str, talk: Dialogue, tmp_path: Path
) -> None:
    write_corpus([replace(talk, goal=Goal((wish,)))], tmp_path / "odd.jsonl", to="native")
    with pytest.raises(FormatError, match=message):
        list(read_corpus(tmp_path / "odd.jsonl"))
    assert len(list(read_corpus(tmp_path / "odd.jsonl", strict=False))) == 1


@pytest.mark.parametrize("format", FORMATS)
def test_a_failed_write_leaves_what_was_there(format: str, talk: Dialogue, tmp_path: Path) -> None:
    def interrupted() -> object:
        yield talk
        raise KeyboardInterrupt

    (tmp_path / "old").write_text("precious")
    with pytest.raises(KeyboardInterrupt):
        write_corpus(interrupted(), tmp_path / "old", to=format)  # type: ignore[arg-type]
    assert (tmp_path / "old").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk(format: str, talk: Dialogue) -> None:
    with pytest.raises(OutputError, match="No space left on device"):
        write_corpus([talk], Path("/dev/full"), to=format)


def test_unknown_formats(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown format 'csv'\nChoose one of crosswoz, native"):
        write_corpus([], tmp_path / "out", to="csv")
