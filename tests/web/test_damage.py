"""Stores that are damaged, and backups: told or right, and nothing is written meanwhile."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import create_engine, inspect, text
from tests.web.commands import serving
from tests.web.playing import played

from crosstalk.cli.main import run
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FileProblem, InputError, OutputError
from crosstalk.web.collect.corpus_export import collected
from crosstalk.web.collect.site import Site
from crosstalk.web.store.backups import copy_sqlite, restore, write_backup
from crosstalk.web.store.store import Store, migrate, store_url

OpenSite = Callable[..., Site]
PAGE = 4096


@pytest.fixture(scope="module")
def whole(open_site: OpenSite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with eight dialogues, closed."""
    path = tmp_path_factory.mktemp("whole") / "site.db"
    site = open_site(str(path))
    for _ in range(8):
        played(site)
    copy_sqlite(site.store.url, path.with_name("copy.db"))
    return path.with_name("copy.db")


def dialogues(path: Path) -> list[Dialogue]:
    store = Store(store_url(str(path)))
    try:
        return list(collected(store))
    finally:
        store.close()


def prints(folder: Path) -> dict[str, tuple[str, int]]:
    """Digest and time of change of every file."""
    return {
        each.name: (hashlib.sha256(each.read_bytes()).hexdigest(), each.stat().st_mtime_ns)
        for each in folder.iterdir()
    }


@pytest.mark.parametrize("seed", range(4))
def test_damaged_pages_are_told_or_the_backup_is_right(
    whole: Path, tmp_path: Path, seed: int
) -> None:
    """Twelve pages, one after the other, zeroed or filled with what is no page."""
    rng, right, told = Random(seed), dialogues(whole), 0
    pages = whole.stat().st_size // PAGE
    for number in range(12):
        hurt = tmp_path / f"{number}.db"
        data = bytearray(whole.read_bytes())
        page = rng.randrange(pages)
        filling = bytes(PAGE) if number % 2 else rng.randbytes(PAGE)
        data[page * PAGE : (page + 1) * PAGE] = filling
        hurt.write_bytes(data)
        before = hurt.read_bytes()
        out = tmp_path / f"{number}.jsonl"
        try:
            write_backup(store_url(str(hurt)), out)
        except FileProblem as problem:
            told += 1
            assert hurt.name in problem.message and not out.exists()
        else:
            copy = Store(store_url(str(tmp_path / f"{number}.copy.db")))
            restore(copy, out)
            assert list(collected(copy)) == right
            copy.close()
        assert hurt.read_bytes() == before
    assert told >= 6, "most pages hold something"


def test_a_damaged_store_is_not_served(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hurt = tmp_path / "hurt.db"
    data = bytearray(whole.read_bytes())
    for page in range(4, len(data) // PAGE):
        data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    hurt.write_bytes(data)
    for words in (
        ("--store", str(hurt), "--port", "0"),
        ("backup", "--store", str(hurt), "--out", str(tmp_path / "out.jsonl")),
        ("backup", "--store", str(hurt), "--out", str(tmp_path / "out.db")),
        ("restore", str(hurt), "--store", str(tmp_path / "new.db")),
    ):
        monkeypatch.setattr("sys.argv", ["crosstalk", "collect", *words])
        with pytest.raises(SystemExit) as ended:
            run()
        error = capsys.readouterr().err
        assert ended.value.code == 2 and "damaged" in error and "hurt.db" in error
        assert "restore the newest backup" in error
    assert [each.name for each in tmp_path.iterdir()] == ["hurt.db"]
    assert hurt.read_bytes() == data


@pytest.mark.parametrize("version", ["002", "003", "head"])
def test_a_backup_writes_nothing_to_what_it_backs_up(tmp_path: Path, version: str) -> None:
    """Neither a migration nor what a crash has left in the log."""
    source = tmp_path / "source"
    source.mkdir()
    engine = create_engine(store_url(str(source / "site.db")))
    with engine.begin() as connection:
        migrate(connection, version)
    engine.dispose()
    crashed = sqlite3.connect(source / "site.db")
    crashed.execute("PRAGMA journal_mode=WAL")
    crashed.execute("INSERT INTO settings VALUES ('note', 'only in the log')")
    crashed.commit()
    left = tmp_path / "left"
    left.mkdir()
    for each in source.glob("site.db*"):
        (left / each.name).write_bytes(each.read_bytes())
    crashed.close()
    (left / "site.db-shm").unlink()
    before = prints(left)
    url = store_url(str(left / "site.db"))
    assert write_backup(url, tmp_path / "out.jsonl") == 1
    copy_sqlite(url, tmp_path / "out.db")
    assert prints(left) == before
    again = Store(store_url(str(tmp_path / "again.db")))
    assert restore(again, left / "site.db") == 1
    again.close()
    assert prints(left) == before
    note = sqlite3.connect(tmp_path / "out.db").execute("SELECT value FROM settings").fetchone()
    assert note == ("only in the log",)


@pytest.mark.parametrize("damage", ["a letter", "a line", "the end", "no backup"])
def test_a_refused_restore_leaves_nothing_behind(
    whole: Path,
    tmp_path: Path,
    damage: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "backup.jsonl"
    write_backup(store_url(str(whole)), file)
    lines = file.read_text().splitlines(keepends=True)
    if damage == "a letter":
        lines = [line.replace("Campus Hostel", "Campus Hotel") for line in lines]
    elif damage == "a line":
        del lines[len(lines) // 2]
    elif damage == "the end":
        del lines[-1]
    else:
        lines = ["{}\n"]
    file.write_text("".join(lines))
    _refused(file, tmp_path / "far" / "away" / "new.db", monkeypatch)
    assert "Traceback" not in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["backup.jsonl"]


def _refused(file: Path, store: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["crosstalk", "collect", "restore", str(file), "--store", str(store)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2


def test_a_backup_whose_rooms_do_not_replay(
    whole: Path, tmp_path: Path, fresh_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As somebody who edits it by hand, digest and all, would make it."""
    file = tmp_path / "backup.jsonl"
    write_backup(store_url(str(whole)), file)
    lines = [line for line in file.read_text().splitlines() if '"seq": 4,' not in line]
    lines[-1] = json.dumps({"rows": len(lines) - 2})
    file.write_text("\n".join(lines) + "\n")
    _refused(file, tmp_path / "far" / "new.db", monkeypatch)
    assert [each.name for each in tmp_path.iterdir()] == ["backup.jsonl"]
    _refused(file, fresh_postgres, monkeypatch)
    engine = create_engine(store_url(fresh_postgres))
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def test_the_lock_is_on_the_file(tmp_path: Path) -> None:
    """A link or another name is no way to a second server."""
    path = tmp_path / "site.db"
    first = Store(store_url(str(path)))
    (tmp_path / "link.db").symlink_to(path)
    os.link(path, tmp_path / "hard.db")
    path.rename(tmp_path / "renamed.db")
    for name in ("hard.db", "renamed.db"):
        with pytest.raises(OutputError, match="another server"):
            Store(store_url(str(tmp_path / name)))
    (tmp_path / "renamed.db").rename(path)
    with pytest.raises(OutputError, match="another server"):
        Store(store_url(str(tmp_path / "link.db")))
    first.close()
    Store(store_url(str(path))).close()
    assert not list(tmp_path.glob("*.lock"))


def test_a_newer_store_is_not_backed_up(tmp_path: Path) -> None:
    path = tmp_path / "site.db"
    Store(store_url(str(path))).close()
    engine = create_engine(store_url(str(path)))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '999'"))
    engine.dispose()
    with pytest.raises(InputError, match="newer version"):
        write_backup(store_url(str(path)), tmp_path / "out.jsonl")


def test_a_backup_beside_a_running_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path, "--goals", "2", "--no-machines"):
        for out in ("out.jsonl", "out.db"):
            words = ["crosstalk", "collect", "backup", "--out", str(tmp_path / out)]
            monkeypatch.setattr("sys.argv", [*words, "--store", str(tmp_path / "crosstalk.db")])
            with pytest.raises(SystemExit) as ended:
                run()
            assert not ended.value.code
