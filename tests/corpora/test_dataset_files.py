"""Files that were fetched elsewhere are taken over when they prove to be the published ones."""

import hashlib
from pathlib import Path

import pytest

from crosstalk.corpora.catalogue import RemoteFile
from crosstalk.corpora.dataset_files import FetchResult, FileOutcome, copier, obtain
from crosstalk.errors import FileProblem

BODY = b'{"dialogues": []}'
FILE = RemoteFile(
    dataset="corpus",
    path="data/corpus/train.json",
    to="splits/train.json",
    repository="owner/name",
    revision="main",
    size=len(BODY),
    sha256=hashlib.sha256(BODY).hexdigest(),
)


def copy(source: Path, target: Path) -> FileOutcome:
    (outcome,) = obtain([FILE], target, copier(source))
    return outcome


@pytest.mark.parametrize(
    "layout",
    ["corpus/splits/train.json", "splits/train.json", "data/corpus/train.json", "train.json"],
)
def test_a_data_folder_a_clone_and_a_heap_of_files_will_do(tmp_path: Path, layout: str) -> None:
    offered = tmp_path / "elsewhere" / layout
    offered.parent.mkdir(parents=True)
    offered.write_bytes(BODY)
    assert copy(tmp_path / "elsewhere", tmp_path) == FileOutcome(
        FILE, FetchResult.OBTAINED, verified=True
    )
    assert (tmp_path / "corpus/splits/train.json").read_bytes() == BODY


def test_another_file_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/train.json").write_bytes(BODY.swapcase())
    outcome = copy(tmp_path / "elsewhere", tmp_path)
    assert outcome.state is FetchResult.DIFFERENT
    assert hashlib.sha256(BODY.swapcase()).hexdigest() in outcome.note
    assert FILE.sha256 in outcome.note
    assert not (tmp_path / "corpus").exists()


def test_the_right_one_is_found_behind_a_wrong_one(tmp_path: Path) -> None:
    (tmp_path / "elsewhere/data/corpus").mkdir(parents=True)
    (tmp_path / "elsewhere/splits").mkdir()
    (tmp_path / "elsewhere/splits/train.json").write_bytes(b"something else")
    (tmp_path / "elsewhere/data/corpus/train.json").write_bytes(BODY)
    assert copy(tmp_path / "elsewhere", tmp_path).state is FetchResult.OBTAINED


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert copy(tmp_path / "elsewhere", tmp_path).state is FetchResult.MISSING


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(BODY)
    with pytest.raises(FileProblem, match="is not a folder"):
        copier(tmp_path / "file")
