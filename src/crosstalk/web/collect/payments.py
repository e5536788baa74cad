r"""Paying participants: what is due by the ledger, and batches of it as files for a platform.

    draw_batch(connection, stored_plan(connection), now)      # Batch(3, "5f1...,4.89\n", 1, 489)

A batch is kept with its file: writing it again gives the same bytes, and its lines are due no more
unless somebody says that it failed.
"""

import json
from dataclasses import dataclass

from sqlalchemy import Connection, select

from crosstalk.collection.pay import LAYOUTS, PayLine, due
from crosstalk.collection.study import Platform, Rates
from crosstalk.errors import InputError
from crosstalk.web.store import study_store
from crosstalk.web.store.sql_tables import SETTINGS, WORKERS
from crosstalk.web.store.study_store import STUDY, Arrival


@dataclass(frozen=True, slots=True)
class PayPlan:
    """By what a study pays."""

    key: str
    rates: Rates
    platform: Platform


@dataclass(frozen=True, slots=True)
class Batch:
    """A payment file that was drawn; number 0: nothing was due."""

    number: int
    body: str
    lines: int
    minor: int


@dataclass(frozen=True, slots=True)
class Earnings:
    """What somebody has earned so far, in minor units."""

    minor: int
    reward: int
    """Part of it that the platform pays by itself."""
    drawn: int
    """Part of it that stands in payment files."""


def stored_plan(connection: Connection) -> PayPlan:
    """The plan of the study served last; raises InputError if the store has none."""
    wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == STUDY)
    found = connection.execute(wanted).scalar_one_or_none()
    if found is None:
        raise InputError(
            "this store belongs to no study",
            remedy="Start the site with `crosstalk collect --study DIR`, whose [pay] says what "
            "work is worth.",
        )
    record = json.loads(found)
    rates, platform = Rates(**record["pay"]), Platform(**record["platform"])
    return PayPlan(record["key"], rates, platform)


def lines_due(connection: Connection, plan: PayPlan) -> list[PayLine]:
    """A line for everybody to whom something is due; invited workers come after participants."""
    visits = {each.worker: each for each in study_store.arrivals(connection, plan.key)}
    wanted = select(WORKERS.c.id).where(~WORKERS.c.admin).order_by(WORKERS.c.id)
    workers = connection.execute(wanted).scalars().all()
    lines = (_line(connection, plan, worker, visits.get(worker)) for worker in workers)
    return sorted((line for line in lines if line.minor > 0), key=lambda each: not each.participant)


def _line(connection: Connection, plan: PayPlan, worker: int, visit: Arrival | None) -> PayLine:
    work = study_store.work_of(connection, worker)
    granted, paid, reason = study_store.booked(connection, worker)
    minor = due(plan.rates, work, granted=granted, booked=paid)
    participant = visit.participant if visit else ""
    submission = visit.submission if visit else ""
    return PayLine(worker, participant, submission, plan.key, work, minor, reason)


def earnings(connection: Connection, plan: PayPlan, worker: int) -> Earnings:
    work = study_store.work_of(connection, worker)
    granted, drawn, _ = study_store.booked(connection, worker)
    reward = plan.rates.reward if work.completed else 0
    return Earnings(due(plan.rates, work, granted=granted) + reward, reward, drawn)


def draw_batch(connection: Connection, plan: PayPlan, now: float) -> Batch:
    """Book all that the platform can pay of what is due, and keep the file that pays it."""
    lines = [line for line in lines_due(connection, plan) if _is_payable(line, plan)]
    body = LAYOUTS[plan.platform.payment](lines, plan.rates)
    if not lines:
        return Batch(0, body, 0, 0)
    number = study_store.add_batch(connection, now)
    for line in lines:
        study_store.pay(connection, line.worker, line.minor, plan.rates.currency, now, number)
    study_store.fill_batch(connection, number, body)
    return Batch(number, body, len(lines), sum(line.minor for line in lines))


def _is_payable(line: PayLine, plan: PayPlan) -> bool:
    """A platform pays only its own participants."""
    return plan.platform.payment == "generic" or bool(line.participant)
