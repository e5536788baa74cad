"""Whole dialogues on a site without any sockets: quick, for tests of what comes after."""

import uuid
from concurrent.futures import Future
from functools import partial

from crosstalk.collection.commands import Choose, Command, Fill, Say, Search, Select
from crosstalk.collection.events import Role
from crosstalk.web.collect.jobs import Ack, act, arrive, wait
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store.attendance import room_of
from crosstalk.web.store.worker_store import add_worker

__all__ = ["Choose", "Pair", "newcomer", "pair", "played"]


def newcomer(site: Site, name: str = "") -> int:
    def task(work: Transaction) -> int:
        return add_worker(
            work.connection,
            name=name or uuid.uuid4().hex,
            password="",
            interface="en",
            now=work.now,
            admin=True,
        ).id

    return site.submit(task).result()


class Pair:
    """Two people in a room."""

    def __init__(self, site: Site, user: int | None = None, wizard: int | None = None) -> None:
        self.site = site
        self.workers = {
            Role.USER: user or newcomer(site),
            Role.WIZARD: wizard or newcomer(site),
        }
        for role, worker in self.workers.items():
            site.submit(partial(arrive, worker=worker)).result()
            site.submit(partial(wait, worker=worker, role=role)).result()
        room = site.store.read(lambda reading: room_of(reading, self.workers[Role.USER]))
        assert room is not None
        self.room = room

    def begins(self, role: Role, command: Command, client: str | None = None) -> "Future[Ack]":
        message = client or uuid.uuid4().hex
        worker = self.workers[role]
        task = partial(act, worker=worker, room=self.room, client=message, command=command)
        return self.site.submit(task)

    def does(self, role: Role, command: Command, client: str | None = None) -> Ack:
        return self.begins(role, command, client).result()


def pair(site: Site) -> Pair:
    return Pair(site)


def played(site: Site, text: str = "Hello") -> int:
    """A short dialogue from greeting to goodbye; its room."""
    return played_by(site, Pair(site), text)


def finish(site: Site, user: int, wizard: int) -> int:
    """A short dialogue of two who may enter the lobby; its room."""
    return played_by(site, Pair(site, user, wizard), "Hello")


def played_by(site: Site, two: Pair, text: str) -> int:
    """A short dialogue of two who are in a room."""
    two.does(Role.USER, Say(text, ticks=(0,), sure=True))
    two.does(Role.WIZARD, Search("hotel", {"price": {"low": 900}}))
    two.does(Role.WIZARD, Search("hotel", {"price": {"low": 100}}))
    two.does(Role.WIZARD, Select("hotel", ("Campus Hostel",)))
    two.does(Role.WIZARD, Say("How about Campus Hostel?", sure=True))
    log = site.log(two.room)
    assert log
    for number in range(len(log.room.cells)):
        two.does(Role.USER, Fill(number, "none", sure=True))
    everything = tuple(range(len(log.room.cells)))
    two.does(Role.USER, Say("Thanks", everything, done=True, sure=True))
    two.does(Role.WIZARD, Say("Goodbye", sure=True))
    return two.room
