"""The queue of dialogues that reviewers look at: order, claims, verdicts.

waiting(connection, reviewer, now)       # rooms, the most doubtful first
claim(transaction, room, reviewer)       # nobody else gets it for a quarter of an hour
judge(transaction, room, Verdict("approved"), reviewer)
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, or_, select

from crosstalk.collection.events import Decision, Reviewed, Role
from crosstalk.collection.rooms import Status
from crosstalk.errors import Rejection
from crosstalk.web.collect.corpus_export import findings_of
from crosstalk.web.collect.jobs import Ack
from crosstalk.web.collect.site import Transaction
from crosstalk.web.store.sql_tables import CLAIMS, CREDITS, ROOMS

CLAIM: Final = 15 * 60.0
"""Seconds until somebody else gets a claimed dialogue."""
NEW: Final = 3
"""A worker with fewer dialogues than this is new."""
MOST: Final = 200
"""Rooms of the queue that are looked at, oldest first."""
CLEAN: Final = 0.1
"""Share of the dialogues without any doubt that are drawn."""
BETWEEN: Final = 9
"""Doubtful dialogues before a clean one that was drawn."""
OPEN: Final = ("pending", "second")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer decides about a dialogue."""

    decision: Decision
    note: str = ""
    reason: str = ""
    note_for: Role | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A dialogue of the queue, and why it stands where it does."""

    room: int
    findings: int
    """Findings of the label checker."""
    reported: bool
    hints: int
    """Hints that were insisted on."""
    newcomer: bool
    second: bool
    """Whether somebody has asked for a second look."""

    @property
    def is_clean(self) -> bool:
        return not (self.findings or self.hints or self.reported or self.second)

    @property
    def is_sampled(self) -> bool:
        """Whether a clean dialogue is looked at all the same; the same at every look."""
        return self.is_clean and Random(f"clean {self.room}").random() < CLEAN

    @property
    def place(self) -> tuple[bool, int, int, bool, bool, int]:
        """Sorts the most doubtful first, then the oldest."""
        last = not self.second, not self.newcomer, self.room
        return not self.reported, -self.findings, -self.hints, *last


def waiting(
    connection: Connection, reviewer: int, now: float, *, own: bool = False
) -> list[Waiting]:
    """The dialogues that wait for this reviewer, in the order of `in_order`.

    Those that others look at now are left out, and second looks that the reviewer asked for.
    `own`: also dialogues that the reviewer took part in.
    """
    rows = connection.execute(_wanted(reviewer, now, own)).all()
    hints = _sums(connection, [row.id for row in rows])
    done = _dialogues(connection, {each for row in rows for each in (row.user, row.wizard) if each})
    checked = findings_of(connection, [row.id for row in rows])
    return in_order(_waiting(row, hints, done, checked.get(row.id, 0)) for row in rows)


def in_order(found: Iterable[Waiting]) -> list[Waiting]:
    """Reported ones, then by findings, hints insisted on, second looks, newcomers; clean ones last.

    After every nine doubtful dialogues stands one of the clean ones that were drawn (10 %), so that
    what the checker misses is seen.
    """
    ranked = sorted(found, key=lambda each: each.place)
    drawn = deque(each for each in ranked if each.is_sampled)
    queue = list[Waiting]()
    for number, each in enumerate((each for each in ranked if not each.is_clean), 1):
        queue.append(each)
        if number % BETWEEN == 0 and drawn:
            queue.append(drawn.popleft())
    rest = (each for each in ranked if each.is_clean and not each.is_sampled)
    return [*queue, *drawn, *rest]


def _wanted(reviewer: int, now: float, own: bool) -> Select[tuple[int, int, int, bool, str]]:
    by_others = and_(CLAIMS.c.worker != reviewer, CLAIMS.c.until > now)
    claimed = select(CLAIMS.c.room).where(by_others)
    strangers = [or_(side.is_(None), side != reviewer) for side in (ROOMS.c.user, ROOMS.c.wizard)]
    mine = or_(ROOMS.c.reviewer.is_(None), ROOMS.c.reviewer != reviewer)
    return (
        select(ROOMS.c.id, ROOMS.c.user, ROOMS.c.wizard, ROOMS.c.problem, ROOMS.c.review)
        .where(
            ROOMS.c.status == Status.FINISHED.value,
            or_(ROOMS.c.review == "pending", and_(ROOMS.c.review == "second", mine)),
            ROOMS.c.id.not_in(claimed),
            *(() if own else strangers),
        )
        .order_by(ROOMS.c.id)
        .limit(MOST)
    )


def _sums(connection: Connection, rooms: list[int]) -> dict[int, int]:
    summed = select(CREDITS.c.room, func.sum(CREDITS.c.hints)).where(CREDITS.c.room.in_(rooms))
    return {row[0]: int(row[1]) for row in connection.execute(summed.group_by(CREDITS.c.room))}


def _dialogues(connection: Connection, workers: set[int]) -> dict[int, int]:
    counted = select(CREDITS.c.worker, func.count()).where(CREDITS.c.worker.in_(workers))
    return {row[0]: row[1] for row in connection.execute(counted.group_by(CREDITS.c.worker))}


def _waiting(
    row: Row[tuple[int, int, int, bool, str]],
    hints: dict[int, int],
    done: dict[int, int],
    findings: int,
) -> Waiting:
    people = [each for each in (row.user, row.wizard) if each]
    return Waiting(
        row.id,
        findings=findings,
        reported=row.problem,
        hints=hints.get(row.id, 0),
        newcomer=any(done.get(each, 0) < NEW for each in people),
        second=row.review == "second",
    )


def claim(transaction: Transaction, room: int, reviewer: int) -> None:
    """Keep a dialogue for a reviewer; raises Rejection if somebody else has it."""
    connection = transaction.connection
    if transaction.log(room).room.status is not Status.FINISHED:
        raise Rejection("not_over", "only finished dialogues are reviewed")
    _refuse_claimed(transaction, room, reviewer)
    connection.execute(
        delete(CLAIMS).where((CLAIMS.c.worker == reviewer) | (CLAIMS.c.room == room))
    )
    until = transaction.now + CLAIM
    connection.execute(insert(CLAIMS).values(room=room, worker=reviewer, until=until))


def _refuse_claimed(transaction: Transaction, room: int, reviewer: int) -> None:
    other = select(CLAIMS.c.worker).where(
        CLAIMS.c.room == room, CLAIMS.c.worker != reviewer, CLAIMS.c.until > transaction.now
    )
    if transaction.connection.execute(other).scalar() is not None:
        raise Rejection("claimed", "another reviewer is looking at this dialogue")


def judge(transaction: Transaction, room: int, verdict: Verdict, by: int) -> Ack:
    """Record a verdict; the claim on the dialogue ends."""
    log = transaction.log(room)
    if log.room.status is not Status.FINISHED:
        raise Rejection("not_over", "only finished dialogues are reviewed")
    _refuse_claimed(transaction, room, by)
    event = Reviewed(verdict.decision, verdict.note, by, verdict.reason, verdict.note_for)
    transaction.connection.execute(delete(CLAIMS).where(CLAIMS.c.room == room))
    return Ack(room, transaction.append(log, (event,)).room.seq)
