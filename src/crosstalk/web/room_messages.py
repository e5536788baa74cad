"""Messages about rooms, from a socket or from a request, become jobs and their answers."""

from concurrent.futures import Future
from functools import partial
from typing import Any

from crosstalk.collection.forms import written_tab
from crosstalk.collection.refusals import Refusal
from crosstalk.collection.roles import Role
from crosstalk.collection.search import results
from crosstalk.web import messages
from crosstalk.web.room_work import Ack, act
from crosstalk.web.site import Site
from crosstalk.web.store.room_log import Log


def submit(site: Site, worker: int, message: messages.Lasting) -> "Future[Ack]":
    command = message.command()
    task = partial(act, worker=worker, room=message.room, client=message.id, command=command)
    return site.submit(task, tidy=True)


def result_of(site: Site, message: messages.Lasting) -> dict[str, Any] | None:
    """What a durable message is answered with, besides that it is durable."""
    return _results(site, message) if isinstance(message, messages.Query) else None


def peek(site: Site, worker: int, message: messages.Peek) -> dict[str, Any]:
    """A search that nobody records."""
    if own_room(site, worker, message.room)[1] is not Role.WIZARD:
        raise Refusal("not_your_role", "only the wizard searches")
    return _results(site, message)


def _results(site: Site, message: messages.Searching) -> dict[str, Any]:
    return results(
        site.context, message.domain, written_tab(site.context, message.domain, message.plain())
    )


def own_room(site: Site, worker: int, room: int) -> tuple[Log, Role]:
    """The room, and who the worker is in it."""
    log = site.log(room)
    if log is None:
        raise Refusal("unknown_room", f"there is no room {room}")
    role = log.room.role_of(worker)
    if role is None:
        raise Refusal("not_yours", "this is not your room")
    return log, role


def acknowledged(id: str, ack: Ack | None, result: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "ack", "id": id, "seq": ack.seq if ack else 0, "result": result}


def refused(id: str | None, refusal: Refusal) -> dict[str, Any]:
    return {"type": "refused", "id": id, **told(refusal)}


def told(refusal: Refusal) -> dict[str, Any]:
    hints = [
        {"code": hint.code, "cell": hint.cell, "value": hint.value, "message": hint.message}
        for hint in refusal.hints
    ]
    return {"code": refusal.code, "message": refusal.message, "remedy": "", "hints": hints}
