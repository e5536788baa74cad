"""Pairing under any order of coming, waiting, leaving and closing pages, on either store."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import delete, select, update

from crosstalk.collection.commands import Choose, Leave
from crosstalk.collection.events import Role
from crosstalk.errors import Rejection
from crosstalk.web.collect.jobs import act, arrive, close, depart, pass_time, unwait, wait, way_out
from crosstalk.web.collect.site import Logs, Site, Transaction
from crosstalk.web.store import attendance
from crosstalk.web.store.sql_tables import (
    CREDITS,
    EVENTS,
    GOALS,
    LOBBY,
    PRESENCE,
    ROOMS,
    SEATS,
    SERVERS,
)
from crosstalk.web.store.worker_store import add_worker

PEOPLE = 5
GOALS_THERE = 3


def emptied(site: Site) -> None:
    """The same workers and goals, and nothing else."""

    def task(work: Transaction) -> None:
        for table in (SEATS, CREDITS, EVENTS, ROOMS, LOBBY, PRESENCE, SERVERS):
            work.connection.execute(delete(table))
        work.connection.execute(update(GOALS).values(state="pool", room=None))

    site.submit(task).result()
    site.logs = Logs()


class Pairing(RuleBasedStateMachine):
    """People who come and go; the clock is ours."""

    site: Site
    workers: list[int]
    clock: list[float]

    def __init__(self) -> None:
        super().__init__()
        emptied(self.site)
        self.here: set[int] = set()
        self.client = 0

    people = st.integers(0, PEOPLE - 1)

    def does(self, task: Callable[[Transaction], Any]) -> Any:
        try:
            return self.site.submit(task).result()
        except Rejection as refusal:
            return refusal

    def room_of(self, worker: int) -> int | None:
        return self.site.store.read(lambda connection: attendance.room_of(connection, worker))

    @rule(person=people)
    def opens_the_page(self, person: int) -> None:
        self.does(partial(arrive, worker=self.workers[person]))
        self.here.add(self.workers[person])

    @rule(person=people)
    def closes_the_page(self, person: int) -> None:
        self.does(partial(depart, worker=self.workers[person]))
        self.here.discard(self.workers[person])

    @rule(person=people, role=st.sampled_from(Role))
    def waits(self, person: int, role: Role) -> None:
        worker = self.workers[person]
        self.opens_the_page(person)
        self.does(partial(wait, worker=worker, role=role))
        if (room := self.room_of(worker)) is not None:
            log = self.site.log(room)
            assert log
            if len(log.events) == 1:
                partners = {seat.worker for seat in log.room.seats}
                assert partners <= self.here, "nobody is paired with somebody who is not there"

    @rule(person=people, out=st.sampled_from([unwait, way_out]))
    def stops_waiting(self, person: int, out: Callable[..., None]) -> None:
        self.does(partial(out, worker=self.workers[person]))

    @rule(person=people, command=st.sampled_from([Leave(), Choose("requeue"), Choose("wait")]))
    def does_something_in_the_room(self, person: int, command: Any) -> None:
        worker = self.workers[person]
        if (room := self.room_of(worker)) is not None:
            self.client += 1
            message = f"message-{self.client}"
            self.does(partial(act, worker=worker, room=room, client=message, command=command))

    @rule(person=people)
    def the_administrator_closes_the_room(self, person: int) -> None:
        if (room := self.room_of(self.workers[person])) is not None:
            self.does(partial(close, room=room, note=""))

    @rule(seconds=st.sampled_from([1.0, 61.0, 121.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock[0] += seconds
        assert not isinstance(self.does(pass_time), Rejection)

    @invariant()
    def everything_fits_together(self) -> None:
        self.site.store.read(self._check)

    def _check(self, connection: Any) -> None:
        rooms = connection.execute(select(ROOMS)).all()
        goals = {row.id: row for row in connection.execute(select(GOALS))}
        waiting = {each.worker for each in attendance.queue(connection)}
        seats = {row.worker: row.room for row in connection.execute(select(SEATS))}
        taken = [row.goal for row in rooms if row.status == "open"]
        assert len(taken) == len(set(taken)), "a goal in two rooms"
        assert {id for id, row in goals.items() if row.state == "taken"} == set(taken)
        assert not waiting & set(seats), "waiting and in a room"
        for row in rooms:
            log = self.site.log(row.id)
            assert log and log.room.seq == row.seq and log.room.status == row.status
            staying = {
                seat.worker for seat in log.room.seats if not seat.left and row.status == "open"
            }
            assert {worker for worker, room in seats.items() if room == row.id} == staying


def test_pairing(address: str, open_site: Callable[..., Site]) -> None:
    examples = 4 if "postgresql" in address else 10  # a store over a socket is slower
    clock = [1000.0]
    site = open_site(address, count=GOALS_THERE, clock=lambda: clock[0])

    def newcomer(work: Transaction, name: str) -> int:
        return add_worker(
            work.connection, name=name, password="", interface="en", now=work.now, admin=True
        ).id

    workers = [site.submit(partial(newcomer, name=f"w{n}")).result() for n in range(PEOPLE)]

    class OnThisStore(Pairing):
        pass

    OnThisStore.site, OnThisStore.workers, OnThisStore.clock = site, workers, clock
    run_state_machine_as_test(
        OnThisStore,
        settings=settings(
            max_examples=examples,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            database=None,
        ),
    )
