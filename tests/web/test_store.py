"""The same heart on both stores: durable, idempotent, restored, migrated."""

import json
import queue
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, func, select, text
from tests.web.playing import Pair, played

from crosstalk.collection.commands import Leave, Say
from crosstalk.collection.events import Role
from crosstalk.collection.rooms import Status
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FileProblem, InputError, OutputError, Rejection
from crosstalk.web.collect.corpus_export import collected
from crosstalk.web.collect.jobs import arrive, begin_serving, depart, pass_time
from crosstalk.web.collect.review_queue import Verdict, judge
from crosstalk.web.collect.site import Logs, Site
from crosstalk.web.store.backups import copy_sqlite, restore, write_backup
from crosstalk.web.store.room_store import count_goals
from crosstalk.web.store.sql_tables import EVENTS, METADATA, ROOMS, SETTINGS
from crosstalk.web.store.sqlite_files import StoreUnavailable
from crosstalk.web.store.still_reading import still
from crosstalk.web.store.store import Store, migrate, store_url

OpenSite = Callable[..., Site]


def dialogues(site: Site) -> list[Dialogue]:
    return list(collected(site.store))


def test_a_dialogue_and_its_goal(address: str, open_site: OpenSite) -> None:
    site = open_site(address, count=2)
    room = played(site)
    assert site.store.read(count_goals) == {"pool": 1, "taken": 0, "done": 1}
    dialogue = dialogues(site)[0]
    assert [turn.text for turn in dialogue.turns] == [
        "Hello",
        "How about Campus Hostel?",
        "Thanks",
        "Goodbye",
    ]
    task = partial(judge, room=room, verdict=Verdict("returned", "too short"), by=1)
    site.submit(task).result()
    assert site.store.read(count_goals)["pool"] == 2 and dialogues(site) == []


def test_what_is_read_again_is_what_was_there(address: str, open_site: OpenSite) -> None:
    site = open_site(address)
    room = played(site)
    before = site.log(room)
    site.logs = Logs()
    assert site.log(room) == before


def test_rooms_that_are_over_leave_memory_after_a_while(
    address: str, open_site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosstalk.web.collect.site.MOST_OVER", 2)
    site = open_site(address, count=4)
    rooms = [played(site) for _ in range(4)]
    assert site.logs.known() == rooms[-2:]
    first = site.log(rooms[0])
    assert first and first.room.status is Status.FINISHED


def test_the_same_message_again(address: str, open_site: OpenSite) -> None:
    two = Pair(open_site(address))
    first = two.does(Role.USER, Say("Hello", sure=True), "the same id")
    assert two.does(Role.USER, Say("Hello", sure=True), "the same id") == first
    with pytest.raises(Rejection, match="turn"):
        two.does(Role.USER, Say("Hello", sure=True), "another id")


def test_one_bad_job_does_not_spoil_others(address: str, open_site: OpenSite) -> None:
    site = open_site(address)
    two = Pair(site)
    broken = site.submit(lambda work: work.connection.execute(text("SELECT * FROM nowhere")).all())
    assert two.does(Role.USER, Say("Hello", sure=True)).seq == 2
    with pytest.raises(StoreUnavailable):
        broken.result()


def test_a_job_builds_on_what_nobody_was_told_yet(address: str, open_site: OpenSite) -> None:
    """Pages are told by an event loop, which may be busy while the writer goes on."""
    site = open_site(address)
    two = Pair(site)
    untold: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    site.store.writer.deliver = untold.put
    said = two.begins(Role.USER, Say("Hello", sure=True))
    tell_first = untold.get(timeout=60)
    answered = two.begins(Role.WIZARD, Say("Hello you", sure=True))
    tell_second = untold.get(timeout=60)
    tell_first()
    tell_second()
    assert (said.result().seq, answered.result().seq) == (2, 3)


def test_a_restart_is_invisible(address: str, open_site: OpenSite) -> None:
    site = open_site(address, clock=lambda: 100.0)
    two = Pair(site)
    again = Site(site.store, site.context, site.rules, clock=lambda: 105.0)
    for worker in two.workers.values():
        again.submit(partial(arrive, worker=worker)).result()
    again.clock = lambda: 130.0
    again.submit(pass_time).result()
    log = again.log(two.room)
    assert log and [each.event.kind for each in log.events] == ["opened"]


def test_who_does_not_come_back_after_a_crash_is_away(address: str, open_site: OpenSite) -> None:
    site = open_site(address, clock=lambda: 100.0)
    two = Pair(site)
    site.submit(pass_time).result()
    again = Site(site.store, site.context, site.rules, clock=lambda: 116.0)
    again.submit(partial(arrive, worker=two.workers[Role.USER])).result()
    again.submit(pass_time).result()
    log = again.log(two.room)
    assert log and log.room.seat(Role.USER).absent_since is None
    assert log.room.seat(Role.WIZARD).absent_since == 116.0 and log.room.deadline == 236.0


def test_stored_deadlines_survive(address: str, open_site: OpenSite) -> None:
    site = open_site(address, clock=lambda: 100.0)
    two = Pair(site)
    for worker in two.workers.values():
        site.submit(partial(depart, worker=worker)).result()
    again = Site(site.store, site.context, site.rules, clock=lambda: 221.0)
    again.submit(pass_time).result()
    log = again.log(two.room)
    assert log and log.room.status is Status.CLOSED


def test_a_clock_that_is_set_back_or_forward(address: str, open_site: OpenSite) -> None:
    """Events stay in order, and nobody who is here is taken for gone."""
    now = [1000.0]
    site = open_site(address, clock=lambda: now[0])
    two = Pair(site)
    for role, moved in ((Role.USER, -7200.0), (Role.WIZARD, 86_400.0), (Role.USER, -3600.0)):
        now[0] += moved
        site.submit(pass_time).result()
        two.does(role, Say("Hello", sure=True))
    site.logs = Logs()
    log = site.log(two.room)
    assert log and [each.event.kind for each in log.events] == [
        "opened",
        "said",
        "answered",
        "said",
    ]
    times = [each.at for each in log.events]
    assert times == sorted(times) and log.room.status is Status.OPEN


def test_leaving_gives_the_goal_back_and_keeps_the_pay(address: str, open_site: OpenSite) -> None:
    site = open_site(address, count=1)
    two = Pair(site)
    two.does(Role.USER, Say("Hello", sure=True))
    two.does(Role.USER, Leave())
    two.does(Role.WIZARD, Leave())
    assert site.store.read(count_goals) == {"pool": 1, "taken": 0, "done": 0}


def test_backup_and_restore(
    address: str, open_site: OpenSite, tmp_path: Path, postgres: str
) -> None:
    """From either store, while somebody talks, into SQLite."""
    site = open_site(address)
    played(site, "=SUM(1) Grüße 你好")
    talking = Pair(site)
    talking.does(Role.USER, Say("Hello", sure=True))
    file = tmp_path / "backup.jsonl"
    assert write_backup(site.store.url, file) > 100
    copy = open_site(str(tmp_path / "copy.db"), count=0)
    copy.store.write(lambda connection: connection.execute(text("DELETE FROM settings"))).result()
    restore(copy.store, file)
    assert dialogues(copy) == dialogues(site)
    copy.submit(begin_serving).result()
    log = copy.log(talking.room)
    assert log and log.room.seat(Role.USER).absent_since, "nobody is connected to the copy yet"
    assert log.room.cells == (site.log(talking.room) or log).room.cells
    with pytest.raises(OutputError, match="already"):
        restore(copy.store, file)
    played(copy)


def test_from_sqlite_to_postgresql(
    open_site: OpenSite, tmp_path: Path, fresh_postgres: str
) -> None:
    site = open_site(str(tmp_path / "site.db"))
    played(site)
    copy_sqlite(site.store.url, tmp_path / "copy.db")
    moved = open_site(fresh_postgres, count=0)
    restore(moved.store, tmp_path / "copy.db")
    assert dialogues(moved) == dialogues(site)
    played(moved)


def test_damaged_backups_change_nothing(site: Site, tmp_path: Path) -> None:
    file, cut = tmp_path / "backup.jsonl", tmp_path / "cut.jsonl"
    write_backup(site.store.url, file)
    lines = file.read_text().splitlines()
    cut.write_text("\n".join(lines[:-1]))
    store = Store(store_url(str(tmp_path / "new.db")))
    try:
        with pytest.raises(FileProblem, match="damaged"):
            restore(store, cut)
        cut.write_text(json.dumps({"id": 1}))
        with pytest.raises(FileProblem, match="not a backup"):
            restore(store, cut)
        assert restore(store, file) == len(lines) - 2
    finally:
        store.close()


def test_tables_are_what_migrations_make(address: str) -> None:
    Store(store_url(address)).close()
    engine = create_engine(store_url(address))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_a_backup_sees_one_moment(address: str, open_site: OpenSite) -> None:
    """Also while the site writes: rows of a room and its events belong together."""
    pair = Pair(open_site(address))
    counted = select(func.count()).select_from(EVENTS)
    with still(pair.site.store.url) as connection:
        before = connection.execute(select(ROOMS.c.seq, counted.scalar_subquery())).one()
        pair.does(Role.USER, Say("Hello there.", sure=True))
        assert pair.site.store.read(lambda reading: reading.execute(counted).scalar()) > before[1]
        assert connection.execute(select(ROOMS.c.seq, counted.scalar_subquery())).one() == before


@pytest.mark.parametrize("version", ["001", "002", "003"])
def test_stores_of_earlier_versions_are_brought_up_to_date(
    address: str, version: str, open_site: OpenSite
) -> None:
    """With what was in them; and then a dialogue can be held."""
    engine = create_engine(store_url(address))
    with engine.begin() as connection:
        migrate(connection, version)
        connection.execute(text("INSERT INTO settings VALUES ('note', 'from long ago')"))
    engine.dispose()
    site = open_site(address, count=1)
    played(site)
    settings: dict[str, str] = site.store.read(
        lambda reading: dict(reading.execute(select(SETTINGS)).all())
    )
    assert settings["note"] == "from long ago"
    changes = site.store.read(
        lambda reading: compare_metadata(MigrationContext.configure(reading), METADATA)
    )
    assert changes == []


def test_a_newer_store_is_refused(address: str) -> None:
    Store(store_url(address)).close()
    engine = create_engine(store_url(address))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '999'"))
    engine.dispose()
    with pytest.raises(InputError, match="newer version"):
        Store(store_url(address))


def test_one_server_an_sqlite_file(tmp_path: Path) -> None:
    first = Store(store_url(str(tmp_path / "site.db")))
    with pytest.raises(OutputError, match="another server"):
        Store(store_url(str(tmp_path / "site.db")))
    beside = Store(store_url(str(tmp_path / "site.db")), alone=False)
    beside.close()
    first.close()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("mysql://x/y", "not supported"),
        ("sqlite://", "not supported"),
        ("postgresql://nobody@127.0.0.1:1/x", "cannot be opened"),
        ("://", "no address"),
    ],
)
def test_stores_that_cannot_be(given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Store(store_url(given))


def test_files_that_are_no_stores_are_left_alone(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Sir or Madam, dear reader of this file")
    with pytest.raises(FileProblem, match="not a store"):
        Store(store_url(str(letter)))
    assert letter.read_text().startswith("Dear Sir")
    with pytest.raises(FileProblem, match="directory"):
        Store(store_url(str(tmp_path)))


@pytest.mark.parametrize("trouble", ["max_page_count = 1", "query_only = ON"])
def test_a_full_or_read_only_disk_is_told_and_survived(
    tmp_path: Path, open_site: OpenSite, trouble: str
) -> None:
    """As long as SQLite may not write, nothing is acknowledged; afterwards all goes on."""
    site = open_site(str(tmp_path / "site.db"))
    two = Pair(site)
    site.store.write(lambda connection: connection.execute(text(f"PRAGMA {trouble}"))).result()
    with pytest.raises(StoreUnavailable, match="could not record"):
        for number in range(50):
            two.does(Role.USER, Say("x" * 1900, sure=True), f"user {number}")
            two.does(Role.WIZARD, Say("x" * 1900, sure=True), f"wizard {number}")
    before = site.log(two.room)
    site.logs = Logs()
    assert site.log(two.room) == before
    two.does((before and before.room.next_role) or Role.USER, Say("It works again", sure=True))
    health = sqlite3.connect(tmp_path / "site.db").execute("PRAGMA integrity_check").fetchone()
    assert health == ("ok",)
