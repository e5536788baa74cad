"""What dataset libraries cannot load lies beside its Parquet table, which the card names."""

from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.corpora.dataset_card import Counted
from crosstalk.corpora.dataset_export import DatasetExport
from crosstalk.corpora.split import split_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import OutputError


def export(dialogues: list[Dialogue], out: Path, to: str) -> str:
    """Writes the dialogues with a card, and gives the card."""
    made = DatasetExport.of([out], to=to)
    counted = Counted(dialogues)
    write_corpus(counted, out, to=to)
    made.finish([counted.counts], made_from="val.json")
    return (made.folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "to"),
    [("all.jsonl", "native"), ("data.zip", "convlab"), ("val.json.zip", "multiwoz")],
)
def test_a_table_lies_beside_formats_without_columns(
    talk: Dialogue, elsewhere: Dialogue, tmp_path: Path, name: str, to: str
) -> None:
    card = export([talk, elsewhere], tmp_path / name, to)
    table = tmp_path / f"{name.split('.')[0]}.parquet"
    assert f"    path: '{table.name}'\n" in card
    assert f"`{name}` | 2" in card
    assert list(read_corpus(table)) == list(read_corpus(tmp_path / name, strict=False))


def test_a_format_with_columns_needs_none(talk: Dialogue, tmp_path: Path) -> None:
    card = export([talk], tmp_path / "chat.jsonl", "chat")
    assert "    path: 'chat.jsonl'\n" in card
    assert sorted(each.name for each in tmp_path.iterdir()) == ["README.md", "chat.jsonl"]


def test_in_a_folder_of_convlab_the_card_is_its_readme(talk: Dialogue, tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    export([talk], folder, "convlab")
    written = {each.name for each in folder.iterdir()}
    assert written == {"README.md", "data.zip", "data.parquet", "dummy_data.json", "preprocess.py"}


def test_a_table_of_others_is_not_replaced(talk: Dialogue, tmp_path: Path) -> None:
    (tmp_path / "all.parquet").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"all\.parquet is there already"):
        DatasetExport.of([tmp_path / "all.jsonl"], to="native")
    (tmp_path / "all.parquet").unlink()
    export([talk], tmp_path / "all.jsonl", "native")
    export([talk], tmp_path / "all.jsonl", "native")  # one of ours is


def test_a_part_without_dialogues_has_an_empty_table(talk: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk], tmp_path / "one.jsonl", to="native")
    split_corpus(tmp_path / "one.jsonl", tmp_path / "parts", {"train": 0.5, "test": 0.5})
    rows = [len(list(read_corpus(each))) for each in (tmp_path / "parts").glob("*.parquet")]
    assert sorted(rows) == [0, 1]
