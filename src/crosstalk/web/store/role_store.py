"""Roles of people on the site, and what each role may do.

    may(connection, worker)        # {Permission.REVIEW, Permission.ADJUDICATE}

This table is the only one; routes ask it by `needs(Permission.REVIEW)` (`web/sessions.py`).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from crosstalk.web.store.sql_tables import ROLES
from crosstalk.web.store.worker_store import Worker


class StaffRole(StrEnum):
    """What somebody is besides a worker."""

    ADMINISTRATOR = "administrator"
    REVIEWER = "reviewer"
    PAYER = "payer"
    EXPERT = "expert"


class Permission(StrEnum):
    """What routes ask for."""

    ANNOTATE = "annotate"
    """Give second opinions."""
    REVIEW = "review"
    """See dialogues, without names; approve and return them, write to their workers."""
    ADJUDICATE = "adjudicate"
    """Settle on one of several annotations."""
    PAY = "pay"
    """See what is due and the platform's ids; draw payment files."""
    ADMINISTER = "administer"
    """Settings, roles, names, goals, invitations, exports."""


MAY: Final[Mapping[StaffRole, frozenset[Permission]]] = {
    StaffRole.ADMINISTRATOR: frozenset(Permission),
    StaffRole.REVIEWER: frozenset({Permission.REVIEW, Permission.ADJUDICATE}),
    StaffRole.PAYER: frozenset({Permission.PAY}),
    StaffRole.EXPERT: frozenset({Permission.ANNOTATE}),
}
GRANTED: Final = (StaffRole.REVIEWER, StaffRole.PAYER, StaffRole.EXPERT)
"""Roles that are given to workers; administrators are made by the site's link."""


def roles_of(connection: Connection, worker: Worker) -> frozenset[StaffRole]:
    wanted = select(ROLES.c.role).where(ROLES.c.worker == worker.id)
    given = frozenset(StaffRole(role) for role in connection.execute(wanted).scalars())
    return given | {StaffRole.ADMINISTRATOR} if worker.admin else given


def may(connection: Connection, worker: Worker) -> frozenset[Permission]:
    """Everything that the worker's roles allow."""
    if worker.admin:
        return MAY[StaffRole.ADMINISTRATOR]
    return frozenset[Permission]().union(*(MAY[role] for role in roles_of(connection, worker)))


def holders(connection: Connection, role: StaffRole) -> tuple[int, ...]:
    """The workers who were given a role, first come first."""
    wanted = select(ROLES.c.worker).where(ROLES.c.role == role.value)
    return tuple(connection.execute(wanted.order_by(ROLES.c.at, ROLES.c.worker)).scalars())


def all_roles(connection: Connection) -> dict[int, list[str]]:
    """Worker -> their roles, in the order of `StaffRole`."""
    found: dict[int, list[str]] = {}
    for row in connection.execute(select(ROLES.c.worker, ROLES.c.role)):
        found.setdefault(row.worker, []).append(row.role)
    order = [role.value for role in StaffRole]
    return {worker: sorted(roles, key=order.index) for worker, roles in found.items()}


def give(
    connection: Connection, worker: int, role: StaffRole, given: bool, by: int | None, now: float
) -> None:
    """Give a role to a worker, or take it away."""
    same = (ROLES.c.worker == worker) & (ROLES.c.role == role.value)
    connection.execute(delete(ROLES).where(same))
    if given:
        connection.execute(insert(ROLES).values(worker=worker, role=role.value, by=by, at=now))
