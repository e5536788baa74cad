"""The lobby: who waits for which role, and who is paired with whom about which goal."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from crosstalk.collection.events import Role


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody in the queue."""

    worker: int
    role: Role
    since: float


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two people and a goal; a room is to be opened."""

    user: int
    wizard: int
    goal: str


@dataclass(frozen=True, slots=True)
class WaitingCounts:
    """How many wait for each role."""

    user: int
    wizard: int


def pairings(
    queue: Iterable[Waiting], present: Container[int], goals: Sequence[str]
) -> Iterator[Pairing]:
    """Everybody who can be paired now: first come, first served.

    Only people whose page is open count: nobody is paired with somebody who has closed it. A goal
    goes to one pair; with no goals left nobody is paired.
    """
    waiting = sorted(
        (each for each in queue if each.worker in present), key=lambda each: each.since
    )
    users = (each.worker for each in waiting if each.role is Role.USER)
    wizards = (each.worker for each in waiting if each.role is Role.WIZARD)
    for user, wizard, goal in zip(users, wizards, goals, strict=False):
        yield Pairing(user, wizard, goal)


def counts(queue: Iterable[Waiting], present: Container[int]) -> WaitingCounts:
    roles = [each.role for each in queue if each.worker in present]
    return WaitingCounts(roles.count(Role.USER), roles.count(Role.WIZARD))
