"""Which goal a pair gets: the next of the pool that is new to both."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.web.playing import Pair, newcomer

from crosstalk.collection.events import Role
from crosstalk.web.collect.jobs import arrive, close, wait
from crosstalk.web.collect.site import Site
from crosstalk.web.store.attendance import room_of

OpenSite = Callable[..., Site]


def meet(site: Site, user: int, wizard: int) -> tuple[int, str]:
    """These two in a room of their own: its number and goal."""
    for worker, role in ((user, Role.USER), (wizard, Role.WIZARD)):
        site.submit(partial(arrive, worker=worker)).result()
        site.submit(partial(wait, worker=worker, role=role)).result()
    room = site.store.read(lambda reading: room_of(reading, user))
    assert room is not None
    log = site.log(room)
    assert log
    return room, log.room.goal_id


def test_a_goal_that_came_back_goes_to_people_who_do_not_know_it(
    open_site: OpenSite, tmp_path: Path
) -> None:
    site = open_site(str(tmp_path / "site.db"), count=2)
    two = Pair(site)
    user, wizard = two.workers[Role.USER], two.workers[Role.WIZARD]
    first = site.log(two.room)
    assert first
    site.submit(partial(close, room=two.room, note="")).result()
    room, goal = meet(site, user, wizard)
    assert goal != first.room.goal_id
    # One of them with somebody new: the same; two who are new get the goal that came back.
    site.submit(partial(close, room=room, note="")).result()
    room, goal = meet(site, newcomer(site), newcomer(site))
    assert goal == first.room.goal_id
    # If nothing else is left, a known goal is better than none.
    assert meet(site, user, newcomer(site))[1] != goal
