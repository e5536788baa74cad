"""`crosstalk fetch` as a person types it, with a folder served as a mirror."""

import hashlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run

TRAIN, NOTES = b"{}" * 1000, b"read me"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A tiny catalogue, a server that has its files, and an empty folder to work in."""
    content = {
        "urls": ["https://corpora.invalid/{repository}/{revision}/{path}"],
        "toys": {
            "title": "Toys: two files",
            "licence": "CC0-1.0",
            "attribution": ["A. Maker. Toys. 2026."],
            "repository": "owner/name",
            "revision": "main",
            "files": [
                {
                    "path": "data/train.json",
                    "to": "train.json",
                    "size": len(TRAIN),
                    "sha256": hashlib.sha256(TRAIN).hexdigest(),
                },
                {"path": "NOTES", "to": "notes.txt"},
            ],
        },
    }
    monkeypatch.setattr("crosstalk.corpora.catalogue._content", lambda: content)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    for name in ("CROSSTALK_DATA", "CROSSTALK_MIRROR", "http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    files = tmp_path / "served" / "owner" / "name" / "main"
    (files / "data").mkdir(parents=True)
    (files / "data/train.json").write_bytes(TRAIN)
    (files / "NOTES").write_bytes(NOTES)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    handler = partial(Quiet, directory=tmp_path / "served")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["crosstalk", *words])
        capsys.readouterr()
        try:
            run()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def test_it_says_what_from_where_and_under_which_licence(mirror: str, crosstalk: Any) -> None:
    code, out, err = crosstalk("fetch", "toys", "--mirror", mirror)
    assert code == 0
    for words in ("Toys: two files", "2 files, at least 0.0 MB", "to data/toys", "CC0-1.0", mirror):
        assert words in err
    assert "A. Maker. Toys. 2026." in err
    assert "obtained toys/train.json (verified)" in err
    assert "obtained toys/notes.txt (no digest was published)" in err
    assert out == "data: 2 obtained\n"
    assert Path("data/toys/train.json").read_bytes() == TRAIN
    assert Path("data/toys/notes.txt").read_bytes() == NOTES


def test_the_folder_and_the_mirror_may_come_from_the_environment(
    mirror: str, crosstalk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSTALK_DATA", "corpora")
    monkeypatch.setenv("CROSSTALK_MIRROR", mirror)
    assert crosstalk("fetch", "toys")[0] == 0
    assert Path("corpora/toys/train.json").read_bytes() == TRAIN
    code, out, _ = crosstalk("fetch", "toys", "--json")
    assert code == 0
    assert [file["state"] for file in json.loads(out)["files"]] == ["present", "present"]
    assert [file["verified"] for file in json.loads(out)["files"]] == [True, False]


def test_a_file_that_differs_is_left_alone_and_the_answer_is_no(
    mirror: str, crosstalk: Any
) -> None:
    Path("data/toys").mkdir(parents=True)
    Path("data/toys/train.json").write_bytes(b"mine")
    code, out, err = crosstalk("fetch", "toys", "--mirror", mirror)
    assert (code, out) == (1, "data: 1 different, 1 obtained\n")
    assert "it has 4 bytes, the published file 2,000" in err
    assert Path("data/toys/train.json").read_bytes() == b"mine"


def test_without_a_name_it_lists_the_catalogue(mirror: str, crosstalk: Any) -> None:
    code, out, _ = crosstalk("fetch")
    assert code == 0 and "toys" in out and "CC0-1.0" in out
    (entry,) = json.loads(crosstalk("fetch", "--json")[1])["datasets"]
    assert (entry["name"], entry["files"], entry["known_size"]) == ("toys", 2, len(TRAIN))
    assert not Path("data").exists()


def test_addresses_are_listed_without_going_online(mirror: str, crosstalk: Any) -> None:
    code, out, _ = crosstalk("fetch", "toys", "--list")
    assert (code, out.splitlines()) == (
        0,
        [
            "https://corpora.invalid/owner/name/main/data/train.json",
            "https://corpora.invalid/owner/name/main/NOTES",
        ],
    )
    files = json.loads(crosstalk("fetch", "toys", "--list", "--json")[1])["files"]
    assert files[0]["to"] == "toys/train.json"
    assert files[0]["sha256"] == hashlib.sha256(TRAIN).hexdigest()


def test_offline_it_tells_the_way_out(mirror: str, crosstalk: Any) -> None:
    code, out, err = crosstalk("fetch", "toys", "--mirror", "http://127.0.0.1:9")
    assert (code, out) == (2, "")
    for words in (
        "no connection",
        "crosstalk fetch toys --list",
        "crosstalk fetch toys --from DIR",
    ):
        assert words in err
    assert not Path("data").exists()


def test_files_may_come_from_a_folder(mirror: str, crosstalk: Any, tmp_path: Path) -> None:
    clone = tmp_path / "served/owner/name/main"
    code, out, _ = crosstalk("fetch", "toys", "--from", str(clone))
    assert (code, out) == (0, "data: 2 obtained\n")
    (clone / "NOTES").unlink()
    code, out, err = crosstalk("fetch", "toys", "--from", str(clone), "--data", "other")
    assert (code, out) == (1, "other: 1 obtained, 1 missing\n")
    assert "missing toys/notes.txt" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tois"], "Did you mean toys?"),
        (["toys", "--from", "nowhere"], "nowhere is not a folder"),
        (["toys", "--from", "."], "none of the files is there"),
        (["toys", "--mirror", "somewhere"], "not an http(s) address"),
    ],
)
def test_wrong_input_is_answered_in_words(
    mirror: str, crosstalk: Any, words: list[str], said: str
) -> None:
    code, _, err = crosstalk("fetch", *words)
    assert code == 2
    assert said in err and "Traceback" not in err
    assert not Path("data").exists()


def test_a_data_folder_that_is_a_file_is_told(mirror: str, crosstalk: Any) -> None:
    Path("data").write_bytes(b"")
    code, _, err = crosstalk("fetch", "toys", "--mirror", mirror)
    assert code == 2 and "A part of the path is a file" in err


def test_at_a_terminal_it_asks_first(
    mirror: str, crosstalk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *words, **options: pytest.fail("asked"))
    assert crosstalk("fetch", "toys", "--mirror", mirror, "--yes")[0] == 0
    with pytest.raises(pytest.fail.Exception, match="asked"):
        crosstalk("fetch", "toys", "--mirror", mirror)
