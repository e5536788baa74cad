"""What happens in the lobby, as jobs: waiting, pairing, ways out."""

from typing import Any

from sqlalchemy import Connection

from crosstalk.collection.events import Role
from crosstalk.collection.lobby import Waiting, counts, pairings
from crosstalk.errors import Rejection
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store import attendance
from crosstalk.web.store.goal_pool import free_goals
from crosstalk.web.store.people import Worker, change_worker, find_worker


def pair(transaction: Transaction) -> None:
    """Open a room for everybody who can be paired now."""
    connection = transaction.connection
    queue = attendance.queue(connection)
    here = attendance.still_here(connection, _only(transaction.site))
    waiting = counts(queue, here)
    possible = min(waiting.user, waiting.wizard)
    if not possible:
        return
    for each in pairings(queue, here, free_goals(connection, possible)):
        attendance.dequeue(connection, each.user, each.wizard)
        transaction.open(each.goal, each.user, each.wizard)


def _only(site: Site) -> str | None:
    """Whose people count as here. A lone server knows that all others are dead already."""
    return None if site.store.shared else site.server


def wait(transaction: Transaction, worker: int, role: Role) -> None:
    """Into the queue, and out of it again at once where a partner waits."""
    _refuse_unready(transaction, worker)
    before = attendance.waiting(transaction.connection, worker)
    if before is None or before.role is not role:
        attendance.enqueue(transaction.connection, Waiting(worker, role, transaction.now))
    if not free_goals(transaction.connection, 1):
        attendance.dequeue(transaction.connection, worker)
        raise Rejection("no_goals", "all goals are taken or done; please come back later")
    transaction.lobby = True
    pair(transaction)


def unwait(transaction: Transaction, worker: int) -> None:
    if not attendance.dequeue(transaction.connection, worker):
        raise Rejection("not_waiting", "you are not waiting")
    transaction.lobby = True


def way_out(transaction: Transaction, worker: int) -> None:
    """Out of the queue after a long wait, which is credited."""
    waiting = attendance.waiting(transaction.connection, worker)
    if waiting is None:
        raise Rejection("not_waiting", "you are not waiting")
    if transaction.now < waiting.since + transaction.site.rules.patience:
        raise Rejection("too_early", "please wait a little longer")
    attendance.dequeue(transaction.connection, worker)
    known = _known(transaction, worker)
    change_worker(transaction.connection, worker, waits=known.waits + 1)
    transaction.lobby = True


def with_machine(transaction: Transaction, worker: int, role: Role) -> int:
    """A room with a machine in the other seat."""
    if role.other not in transaction.site.machine_roles:
        raise Rejection("no_machine", f"no machine plays the {role.other} here")
    _refuse_unready(transaction, worker)
    goals = free_goals(transaction.connection, 1)
    if not goals:
        raise Rejection("no_goals", "all goals are taken or done; please come back later")
    attendance.dequeue(transaction.connection, worker)
    seats = (worker, None) if role is Role.USER else (None, worker)
    return transaction.open(goals[0], *seats).id


def _refuse_unready(transaction: Transaction, worker: int) -> None:
    known = _known(transaction, worker)
    if known.blocked:
        raise Rejection("blocked", "your account is blocked")
    if not known.consented or (transaction.site.rules.training and not known.trained):
        raise Rejection("not_ready", "consent and training come first")
    if attendance.room_of(transaction.connection, worker) is not None:
        raise Rejection("in_a_room", "you are in a room already")


def _known(transaction: Transaction, worker: int) -> Worker:
    found = find_worker(transaction.connection, worker)
    if found is None:
        raise Rejection("unknown_worker", f"there is no worker {worker}")
    return found


def lobby_view(site: Site, connection: Connection) -> dict[str, Any]:
    """The lobby as everybody sees it; `queue` is for finding oneself."""
    queue = attendance.queue(connection)
    waiting = counts(queue, attendance.still_here(connection, _only(site)))
    return {
        "waiting": {"user": waiting.user, "wizard": waiting.wizard},
        "goals_left": bool(free_goals(connection, 1)),
        "machines": sorted(role.value for role in site.machine_roles),
        "queue": {each.worker: each for each in queue},
    }
