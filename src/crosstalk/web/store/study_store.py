"""Studies in the store: arrivals, agreements, answers, and the ledger of payments."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, func, insert, not_, select, update

from crosstalk.collection.events import Role
from crosstalk.collection.pay import Work
from crosstalk.collection.questionnaires import Answer
from crosstalk.collection.rooms import Status
from crosstalk.collection.study import Outcome, digest
from crosstalk.web.store.sql_tables import (
    AGREEMENTS,
    ANSWERS,
    ARRIVALS,
    BATCHES,
    CREDITS,
    PAYMENTS,
    PRESENCE,
    ROOMS,
    SEATS,
    SETTINGS,
    STUDY_TEXTS,
    WORKERS,
)

CONSENT: Final = "consent"
STUDY: Final = "study"
"""Key of the settings that keeps the pay and platform of the study served last."""
FAILED: Final = "failed"
NO_ROOM: Final = 0


@dataclass(frozen=True, slots=True)
class Arrival:
    """A participant's visit to a study."""

    id: int
    study: str
    worker: int
    participant: str
    submission: str
    outcome: Outcome | None
    waited: float


def _arrival(row: Row[Any]) -> Arrival:
    outcome = Outcome(row.outcome) if row.outcome else None
    return Arrival(
        row.id, row.study, row.worker, row.participant, row.submission, outcome, row.waited
    )


def arrivals(connection: Connection, study: str) -> list[Arrival]:
    wanted = select(ARRIVALS).where(ARRIVALS.c.study == study).order_by(ARRIVALS.c.id)
    return [_arrival(row) for row in connection.execute(wanted)]


def known_keys(connection: Connection) -> set[str]:
    """Keys of the study served last, and of all that people have arrived for."""
    keys = set(connection.execute(select(ARRIVALS.c.study).distinct()).scalars())
    wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == STUDY)
    served = connection.execute(wanted).scalar_one_or_none()
    return keys if served is None else keys | {json.loads(served)["key"]}


def arrivals_of(connection: Connection, study: str, participant: str) -> list[Arrival]:
    """All visits of a participant, oldest first."""
    return [each for each in arrivals(connection, study) if each.participant == participant]


def arrival_of(connection: Connection, worker: int) -> Arrival | None:
    """The newest visit of a worker; None if they came by invitation."""
    wanted = select(ARRIVALS).where(ARRIVALS.c.worker == worker).order_by(ARRIVALS.c.id.desc())
    row = connection.execute(wanted.limit(1)).one_or_none()
    return _arrival(row) if row else None


def add_arrival(
    connection: Connection, study: str, worker: int, participant: str, submission: str, now: float
) -> None:
    values = {
        "study": study,
        "worker": worker,
        "participant": participant,
        "submission": submission,
        "arrived": now,
        "seen": now,
        "waited": 0.0,
    }
    connection.execute(insert(ARRIVALS).values(values))


def places_taken(connection: Connection, study: str) -> int:
    """Participants who take part or have completed; others leave their place to somebody else."""
    counted = (
        select(func.count())
        .select_from(ARRIVALS)
        .where(
            ARRIVALS.c.study == study,
            ARRIVALS.c.outcome.is_(None) | (ARRIVALS.c.outcome == Outcome.COMPLETED.value),
        )
    )
    number: int = connection.execute(counted).scalar_one()
    return number


def decide(connection: Connection, arrival: int, outcome: Outcome, now: float) -> None:
    """Record how a visit has ended; what was decided first stays."""
    undecided = update(ARRIVALS).where(ARRIVALS.c.id == arrival, ARRIVALS.c.outcome.is_(None))
    connection.execute(undecided.values(outcome=outcome.value, decided=now))


def touch(connection: Connection, worker: int, now: float) -> None:
    """Record a sign of life of a participant who takes part."""
    running = update(ARRIVALS).where(ARRIVALS.c.worker == worker, ARRIVALS.c.outcome.is_(None))
    connection.execute(running.values(seen=now))


def absent(connection: Connection, study: str, before: float) -> list[Arrival]:
    """Visits of people without an open page or a room who were last seen before some time."""
    seen = func.coalesce(ARRIVALS.c.seen, ARRIVALS.c.arrived)
    wanted = select(ARRIVALS).where(
        ARRIVALS.c.study == study,
        ARRIVALS.c.outcome.is_(None),
        seen < before,
        ARRIVALS.c.worker.not_in(select(PRESENCE.c.worker)),
        ARRIVALS.c.worker.not_in(select(SEATS.c.worker)),
    )
    return [_arrival(row) for row in connection.execute(wanted)]


def add_waiting(connection: Connection, worker: int, seconds: float) -> None:
    """Add time in the lobby to the newest visit of a worker."""
    known = arrival_of(connection, worker)
    if known is not None and seconds > 0:
        row = update(ARRIVALS).where(ARRIVALS.c.id == known.id)
        connection.execute(row.values(waited=ARRIVALS.c.waited + seconds))


# Texts, agreements, answers


def keep_text(connection: Connection, kind: str, language: str, body: str, now: float) -> int:
    """The number of this version of a text; a text that is known keeps its number."""
    key = {"kind": kind, "language": language, "digest": digest(body)}
    wanted = select(STUDY_TEXTS.c.id).where(*(STUDY_TEXTS.c[name] == key[name] for name in key))
    known: int | None = connection.execute(wanted).scalar_one_or_none()
    if known is not None:
        return known
    added = insert(STUDY_TEXTS).values(**key, body=body, made=now).returning(STUDY_TEXTS.c.id)
    number: int = connection.execute(added).scalar_one()
    return number


def agree(connection: Connection, worker: int, text: int, now: float) -> None:
    known = and_(AGREEMENTS.c.worker == worker, AGREEMENTS.c.text == text)
    if connection.execute(select(AGREEMENTS).where(known)).one_or_none() is None:
        connection.execute(insert(AGREEMENTS).values(worker=worker, text=text, at=now))


def has_agreed(connection: Connection, worker: int, digests: set[str]) -> bool:
    """Whether a worker has agreed to one of these versions of the consent."""
    wanted = (
        select(func.count())
        .select_from(AGREEMENTS)
        .join(STUDY_TEXTS, STUDY_TEXTS.c.id == AGREEMENTS.c.text)
        .where(
            AGREEMENTS.c.worker == worker,
            STUDY_TEXTS.c.kind == CONSENT,
            STUDY_TEXTS.c.digest.in_(digests),
        )
    )
    return bool(connection.execute(wanted).scalar_one())


def add_answers(
    connection: Connection,
    worker: int,
    moment: str,
    room: int,
    text: int,
    answers: Mapping[str, Answer],
    failed_checks: int,
    now: float,
) -> None:
    values = {
        "worker": worker,
        "moment": moment,
        "room": room,
        "text": text,
        "at": now,
        "body": json.dumps(answers, ensure_ascii=False),
        "failed_checks": failed_checks,
    }
    connection.execute(insert(ANSWERS).values(values))


def answered(connection: Connection, worker: int) -> set[tuple[str, int, str]]:
    """(moment, room, questionnaire) of everything that a worker has answered."""
    wanted = (
        select(ANSWERS.c.moment, ANSWERS.c.room, STUDY_TEXTS.c.kind)
        .join(STUDY_TEXTS, STUDY_TEXTS.c.id == ANSWERS.c.text)
        .where(ANSWERS.c.worker == worker)
    )
    return {(row.moment, row.room, row.kind) for row in connection.execute(wanted)}


def all_answers(connection: Connection, worker: int | None = None) -> list[dict[str, Any]]:
    """All answers, oldest first, with the version of what was asked; `worker`: only theirs."""
    wanted = (
        select(ANSWERS, STUDY_TEXTS.c.kind, STUDY_TEXTS.c.digest, STUDY_TEXTS.c.body.label("asked"))
        .join(STUDY_TEXTS, STUDY_TEXTS.c.id == ANSWERS.c.text)
        .order_by(ANSWERS.c.id)
    )
    if worker is not None:
        wanted = wanted.where(ANSWERS.c.worker == worker)
    return [
        {
            "worker": row.worker,
            "moment": row.moment,
            "room": row.room or None,
            "questionnaire": row.kind,
            "version": row.digest,
            "asked": row.asked,
            "at": row.at,
            "answers": json.loads(row.body),
            "failed_checks": row.failed_checks,
        }
        for row in connection.execute(wanted)
    ]


# Work and payments


def finished_rooms(connection: Connection, worker: int) -> list[int]:
    """Rooms that a worker stayed in until they were finished, oldest first."""
    wanted = (
        select(CREDITS.c.room)
        .join(ROOMS, ROOMS.c.id == CREDITS.c.room)
        .where(
            CREDITS.c.worker == worker,
            not_(CREDITS.c.left),
            ROOMS.c.status == Status.FINISHED.value,
        )
        .order_by(CREDITS.c.room)
    )
    return list(dict.fromkeys(connection.execute(wanted).scalars()))


def role_in(connection: Connection, worker: int, room: int) -> str:
    """The side on which a worker ended a room; empty if they were not in it."""
    wanted = select(CREDITS.c.role).where(CREDITS.c.worker == worker, CREDITS.c.room == room)
    return connection.execute(wanted.order_by(CREDITS.c.left)).scalars().first() or ""


def last_room(connection: Connection, worker: int) -> int | None:
    """The newest room that a worker has been in."""
    wanted = select(func.max(CREDITS.c.room)).where(CREDITS.c.worker == worker)
    number: int | None = connection.execute(wanted).scalar_one()
    return number


def work_of(connection: Connection, worker: int) -> Work:
    """All that a worker has done; returned dialogues stay paid."""
    finished = set(finished_rooms(connection, worker))
    rows = connection.execute(select(CREDITS).where(CREDITS.c.worker == worker)).all()
    trained = select(WORKERS.c.trained, WORKERS.c.training).where(WORKERS.c.id == worker)
    training = connection.execute(trained).one()
    visits = select(ARRIVALS.c.waited, ARRIVALS.c.outcome).where(ARRIVALS.c.worker == worker)
    arrived = connection.execute(visits).all()
    roles = [row.role for row in rows if row.room in finished]
    return Work(
        user=roles.count(Role.USER.value),
        wizard=roles.count(Role.WIZARD.value),
        turns=sum(row.turns for row in rows),
        seconds=sum(row.seconds for row in rows),
        waited=sum(row.waited for row in arrived),
        trained=training.trained is not None and training.training != "{}",
        completed=any(row.outcome == Outcome.COMPLETED.value for row in arrived),
    )


def grant(
    connection: Connection, worker: int, minor: int, currency: str, reason: str, now: float
) -> None:
    """Book a bonus, which the next batch pays."""
    _book(connection, worker, "bonus", minor, currency, reason, now, None)


def pay(
    connection: Connection, worker: int, minor: int, currency: str, now: float, batch: int
) -> None:
    """Book a line of a batch."""
    _book(connection, worker, "paid", minor, currency, "", now, batch)


def _book(
    connection: Connection,
    worker: int,
    kind: str,
    minor: int,
    currency: str,
    reason: str,
    now: float,
    batch: int | None,
) -> None:
    values = {
        "worker": worker,
        "kind": kind,
        "minor": minor,
        "currency": currency,
        "reason": reason,
        "at": now,
        "batch": batch,
    }
    connection.execute(insert(PAYMENTS).values(values))


def booked(connection: Connection, worker: int) -> tuple[int, int, str]:
    """(bonuses granted, paid by batches that have not failed, reasons of bonuses not paid yet)."""
    wanted = (
        select(PAYMENTS, BATCHES.c.state)
        .outerjoin(BATCHES, BATCHES.c.id == PAYMENTS.c.batch)
        .where(PAYMENTS.c.worker == worker)
        .order_by(PAYMENTS.c.id)
    )
    rows = connection.execute(wanted).all()
    bonuses = [row for row in rows if row.kind == "bonus"]
    paid = [row for row in rows if row.kind == "paid" and row.state != FAILED]
    last = max((row.id for row in paid), default=0)
    reasons = "; ".join(row.reason for row in bonuses if row.id > last)
    return sum(row.minor for row in bonuses), sum(row.minor for row in paid), reasons


def add_batch(connection: Connection, now: float) -> int:
    added = insert(BATCHES).values(made=now, state="drawn", body="").returning(BATCHES.c.id)
    number: int = connection.execute(added).scalar_one()
    return number


def fill_batch(connection: Connection, number: int, body: str) -> None:
    connection.execute(update(BATCHES).where(BATCHES.c.id == number).values(body=body))


def batch_file(connection: Connection, number: int) -> str | None:
    """The payment file of a batch, byte by byte as it was first written."""
    wanted = select(BATCHES.c.body).where(BATCHES.c.id == number)
    body: str | None = connection.execute(wanted).scalar_one_or_none()
    return body


def mark_batch(connection: Connection, number: int, state: str) -> bool:
    """Say what became of a batch; a failed one is final, for its lines may stand in a new one."""
    changed = update(BATCHES).where(BATCHES.c.id == number, BATCHES.c.state != FAILED)
    return bool(connection.execute(changed.values(state=state)).rowcount)


def batches(connection: Connection) -> list[dict[str, Any]]:
    counted = (
        select(
            BATCHES.c.id,
            BATCHES.c.made,
            BATCHES.c.state,
            func.count(PAYMENTS.c.id).label("lines"),
            func.coalesce(func.sum(PAYMENTS.c.minor), 0).label("minor"),
        )
        .outerjoin(PAYMENTS, PAYMENTS.c.batch == BATCHES.c.id)
        .group_by(BATCHES.c.id, BATCHES.c.made, BATCHES.c.state)
        .order_by(BATCHES.c.id.desc())
    )
    return [dict(row) for row in connection.execute(counted).mappings()]
