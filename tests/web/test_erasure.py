"""Erasing a person: nothing of them is left, in the store, its log, its backups or exports."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.commands import caller
from tests.web.conftest import OpenSite
from tests.web.playing import Pair, newcomer, played_by

from crosstalk.collection.study import Platform, Rates
from crosstalk.errors import FileProblem, InputError, OutputError
from crosstalk.web.accounts import Accounts
from crosstalk.web.collect.payments import PayPlan, draw_batch
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store.backups import restore, write_backup
from crosstalk.web.store.erasure import Erasure, Level, erase, erase_again, read_erasures
from crosstalk.web.store.sql_tables import ROOMS, WORKERS
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.store.study_store import (
    add_answers,
    add_arrival,
    batch_file,
    fill_batch,
    grant,
    keep_text,
)
from crosstalk.web.store.worker_store import change_worker, worker_named

MARKS = (
    "Zebulon Quirk",
    "pid-zebulon",
    "sub-zebulon",
    "note-zebulon",
    "answer-zebulon",
    "why-zebulon",
)
SPOKEN = "spoken-zebulon"
"""What they said; it stays unless their dialogues are removed."""


def with_somebody(site: Site) -> None:
    """A store in which a person has left traces everywhere."""
    worker, other = newcomer(site, "Zebulon Quirk"), newcomer(site, "Olga")

    def task(work: Transaction) -> None:
        connection, now = work.connection, work.now
        change_worker(connection, worker, admin=False, note="note-zebulon")
        add_arrival(connection, "pilot", worker, "pid-zebulon", "sub-zebulon", now)
        text = keep_text(connection, "satisfaction", "all", "{}", now)
        answers = {"wrong": "answer-zebulon"}
        add_answers(connection, worker, "after", 0, text, answers, 0, now)
        grant(connection, worker, 5, "USD", "why-zebulon", now)

    site.submit(task).result()
    played_by(site, Pair(site, worker, other), SPOKEN)
    site.submit(lambda work: change_worker(work.connection, other, admin=False)).result()


def holds(folder: Path, mark: str) -> list[str]:
    """Names of files that hold a text."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path.name for path in files if mark.encode() in path.read_bytes()]


@pytest.mark.parametrize("level", ["sever", "remove"])
def test_nothing_of_the_person_is_left(
    open_site: OpenSite,
    tmp_path: Path,
    level: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also after a backup from before is restored, and in new backups and exports."""

    def collect(*words: object) -> str:
        code, told, problem = caller(monkeypatch, capsys, "collect")(*words)
        assert code == 0, problem
        return told

    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    here.mkdir()
    store = here / "site.db"
    site = open_site(str(store), count=3)
    with_somebody(site)
    collect("backup", "--store", store, "--out", elsewhere / "old.jsonl")
    site.store.close()
    assert not {mark for mark in (*MARKS, SPOKEN) if not holds(here, mark)}

    erased = collect(
        "erase", "--store", store, "--worker", "Zebulon Quirk", "--level", level, "--json"
    )
    assert bool(json.loads(erased)["rooms"]) == (level == "remove")
    collect("backup", "--store", store, "--out", here / "new.jsonl")
    collect("export", "--store", store, "--to", "native", "--out", here / "talks.jsonl")
    collect("export", "--store", store, "--to", "answers", "--out", here / "answers.csv")
    again = here / "restored.db"
    list_of_erased = here / "site.db.erased.jsonl"
    old = elsewhere / "old.jsonl"
    collect("restore", old, "--store", again, "--erased", list_of_erased)

    gone = MARKS if level == "sever" else (*MARKS, SPOKEN)
    assert not {mark: where for mark in gone if (where := holds(here, mark))}
    if level == "sever":
        assert "restored.db" in holds(here, SPOKEN)


@pytest.mark.parametrize("name", ["Nobody", "admin"])
def test_only_workers_who_are_there_can_be_erased(
    open_site: OpenSite, tmp_path: Path, name: str
) -> None:
    site = open_site(str(tmp_path / "site.db"), count=1)
    Accounts(site.store).enter("", Accounts(site.store).admin_link(), "en")
    site.store.close()
    with pytest.raises(InputError):
        erase(site.store.url, name, Level.SEVER)
    assert not list(tmp_path.glob("*.erased.jsonl"))


def test_a_store_in_use_is_not_touched(open_site: OpenSite, tmp_path: Path) -> None:
    site = open_site(str(tmp_path / "site.db"), count=1)
    with pytest.raises(OutputError, match="another server"):
        erase(site.store.url, "Nobody", Level.SEVER)


def test_the_stronger_of_two_erasures_is_done_again(open_site: OpenSite, tmp_path: Path) -> None:
    site = open_site(str(tmp_path / "site.db"))
    with_somebody(site)
    known = worker_named_of(site, "Zebulon Quirk")
    erasures = [Erasure(known, Level.REMOVE, (1,)), Erasure(known, Level.SEVER)]
    assert site.store.write(lambda work: erase_again(work, erasures)).result() == 1
    rooms = site.store.read(lambda reading: list(reading.execute(select(ROOMS.c.id)).scalars()))
    assert rooms == []


@pytest.mark.parametrize("layout", ["generic", "prolific"])
def test_payment_files_name_nobody_who_was_erased(
    open_site: OpenSite, tmp_path: Path, layout: str
) -> None:
    """Amounts and the lines of others stay."""
    store = tmp_path / "site.db"
    site = open_site(str(store), count=3)
    with_somebody(site)
    link = {"participant": "id", "pattern": ".+", "template": "id={id}", "payment": layout}
    plan = PayPlan("pilot", Rates(user=300, wizard=300), Platform.model_validate(link))
    drawn = site.submit(lambda work: draw_batch(work.connection, plan, work.now)).result()
    assert "sub-zebulon" in drawn.body
    site.store.close()
    known = erase(site.store.url, "Zebulon Quirk", Level.SEVER).worker
    assert not [mark for mark in MARKS if holds(tmp_path, mark)]
    again = Store(site.store.url)
    kept = again.read(lambda reading: batch_file(reading, drawn.number)) or ""
    again.close()
    before, after = drawn.body.splitlines(), kept.splitlines()
    [(theirs, cleared)] = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    for mark in MARKS:
        theirs = theirs.replace(mark, f"erased {known}")
    assert cleared == theirs


def test_files_of_people_erased_earlier_are_cleared(open_site: OpenSite, tmp_path: Path) -> None:
    """By a version that left payment files as they were."""
    site = open_site(str(tmp_path / "site.db"), count=3)
    with_somebody(site)
    link = {"participant": "id", "pattern": ".+", "template": "id={id}", "payment": "generic"}
    plan = PayPlan("pilot", Rates(user=300, wizard=300), Platform.model_validate(link))
    number = site.submit(lambda work: draw_batch(work.connection, plan, work.now)).result().number
    whole = site.store.read(lambda reading: batch_file(reading, number)) or ""
    site.store.close()
    erase(site.store.url, "Zebulon Quirk", Level.SEVER)
    store = Store(site.store.url)
    store.write(lambda work: fill_batch(work, number, whole)).result()
    store.close()
    assert holds(tmp_path, "sub-zebulon")
    erase(site.store.url, "Olga", Level.SEVER)
    assert not holds(tmp_path, "sub-zebulon")


def test_a_list_on_postgresql(open_site: OpenSite, fresh_postgres: str, tmp_path: Path) -> None:
    site = open_site(fresh_postgres, count=3)
    with_somebody(site)
    known, kept = worker_named_of(site, "Zebulon Quirk"), tmp_path / "erased.jsonl"
    assert erase(site.store.url, "Zebulon Quirk", Level.SEVER, kept).worker == known
    assert read_erasures(kept) == [Erasure(known, Level.SEVER)]


def test_a_restore_and_its_erasures_are_one_transaction(
    open_site: OpenSite, tmp_path: Path
) -> None:
    """What ends between them leaves nothing behind."""
    site = open_site(str(tmp_path / "site.db"), count=3)
    with_somebody(site)
    backup = tmp_path / "old.jsonl"
    write_backup(site.store.url, backup)

    def cut_short() -> Iterator[Erasure]:
        yield Erasure(worker_named_of(site, "Zebulon Quirk"), Level.SEVER)
        raise FileProblem("the list ends here")

    again = Store(store_url(str(tmp_path / "again.db")))
    with pytest.raises(FileProblem):
        restore(again, backup, cut_short())
    assert again.read(lambda reading: reading.execute(select(WORKERS)).all()) == []
    again.close()


def test_a_restore_without_a_list_says_so(
    open_site: OpenSite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store, backup = tmp_path / "site.db", tmp_path / "old.jsonl"
    site = open_site(str(store), count=3)
    with_somebody(site)
    write_backup(site.store.url, backup)
    site.store.close()
    erase(site.store.url, "Zebulon Quirk", Level.SEVER)
    collect = caller(monkeypatch, capsys, "collect")
    code, _, said = collect("restore", backup, "--store", tmp_path / "other.db")
    assert code == 0
    assert "nobody was erased again" in said and "--erased" in said
    assert "site.db.erased.jsonl" in said, "the list that lies beside it"
    list_of_erased = tmp_path / "site.db.erased.jsonl"
    code, told, said = collect(
        "restore", backup, "--store", tmp_path / "third.db", "--erased", list_of_erased
    )
    assert (code, said) == (0, "") and "erased again: 1" in told


def worker_named_of(site: Site, name: str) -> int:
    found = site.store.read(lambda reading: worker_named(reading, name))
    assert found
    return found.id
