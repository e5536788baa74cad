"""What happens in the lobby, as jobs: waiting, pairing, ways out."""

from typing import Any

from sqlalchemy import Connection

from crosstalk.collection.lobby import Waiting, counts, pairings
from crosstalk.collection.roles import Role
from crosstalk.errors import Rejection
from crosstalk.web.collect.site import Site, Work
from crosstalk.web.store import attendance
from crosstalk.web.store.goal_pool import free_goals
from crosstalk.web.store.people import Worker, change_worker, find_worker


def pair(work: Work) -> None:
    """Open a room for everybody who can be paired now."""
    connection = work.connection
    queue = attendance.queue(connection)
    here = attendance.still_here(connection, _only(work.site))
    waiting = counts(queue, here)
    possible = min(waiting.user, waiting.wizard)
    if not possible:
        return
    for each in pairings(queue, here, free_goals(connection, possible)):
        attendance.dequeue(connection, each.user, each.wizard)
        work.open(each.goal, each.user, each.wizard)


def _only(site: Site) -> str | None:
    """Whose people count as here. A lone server knows that all others are dead already."""
    return None if site.store.shared else site.server


def wait(work: Work, worker: int, role: Role) -> None:
    """Into the queue, and out of it again at once where a partner waits."""
    _refuse_unready(work, worker)
    before = attendance.waiting(work.connection, worker)
    if before is None or before.role is not role:
        attendance.enqueue(work.connection, Waiting(worker, role, work.now))
    if not free_goals(work.connection, 1):
        attendance.dequeue(work.connection, worker)
        raise Rejection("no_goals", "all goals are taken or done; please come back later")
    work.lobby = True
    pair(work)


def unwait(work: Work, worker: int) -> None:
    if not attendance.dequeue(work.connection, worker):
        raise Rejection("not_waiting", "you are not waiting")
    work.lobby = True


def way_out(work: Work, worker: int) -> None:
    """Out of the queue after a long wait, which is credited."""
    waiting = attendance.waiting(work.connection, worker)
    if waiting is None:
        raise Rejection("not_waiting", "you are not waiting")
    if work.now < waiting.since + work.site.rules.patience:
        raise Rejection("too_early", "please wait a little longer")
    attendance.dequeue(work.connection, worker)
    known = _known(work, worker)
    change_worker(work.connection, worker, waits=known.waits + 1)
    work.lobby = True


def with_machine(work: Work, worker: int, role: Role) -> int:
    """A room with a machine in the other chair."""
    if role.other not in work.site.machine_roles:
        raise Rejection("no_machine", f"no machine plays the {role.other} here")
    _refuse_unready(work, worker)
    goals = free_goals(work.connection, 1)
    if not goals:
        raise Rejection("no_goals", "all goals are taken or done; please come back later")
    attendance.dequeue(work.connection, worker)
    seats = (worker, None) if role is Role.USER else (None, worker)
    return work.open(goals[0], *seats).id


def _refuse_unready(work: Work, worker: int) -> None:
    known = _known(work, worker)
    if known.blocked:
        raise Rejection("blocked", "your account is blocked")
    if not known.consented or (work.site.rules.training and not known.trained):
        raise Rejection("not_ready", "consent and training come first")
    if attendance.room_of(work.connection, worker) is not None:
        raise Rejection("in_a_room", "you are in a room already")


def _known(work: Work, worker: int) -> Worker:
    found = find_worker(work.connection, worker)
    if found is None:
        raise Rejection("unknown_worker", f"there is no worker {worker}")
    return found


def look_around(site: Site, connection: Connection) -> dict[str, Any]:
    """The lobby as everybody sees it; `queue` is for finding oneself."""
    queue = attendance.queue(connection)
    waiting = counts(queue, attendance.still_here(connection, _only(site)))
    return {
        "waiting": {"user": waiting.user, "wizard": waiting.wizard},
        "goals_left": bool(free_goals(connection, 1)),
        "machines": sorted(role.value for role in site.machine_roles),
        "queue": {each.worker: each for each in queue},
    }
