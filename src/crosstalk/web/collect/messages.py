"""What clients say about rooms, on the socket or in requests: parsed once, then made to jobs.

The words are in `design/collection.md`; unknown fields are refused.
"""

from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from crosstalk.collection import commands
from crosstalk.collection.forms import written_tab
from crosstalk.collection.roles import Role
from crosstalk.collection.search import results
from crosstalk.errors import Rejection
from crosstalk.web.collect.room_jobs import Ack, act
from crosstalk.web.collect.site import Site
from crosstalk.web.error_handlers import rejection_record
from crosstalk.web.store.room_log import Log

MessageId = Annotated[str, StringConstraints(min_length=8, max_length=64, pattern=r"^[\w-]+$")]
RoomNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
Short = Annotated[str, StringConstraints(max_length=200)]
Text = Annotated[str, StringConstraints(max_length=8000)]
Value = Annotated[str, StringConstraints(max_length=2000)]
Several = Annotated[list[Value], Field(max_length=50)]


class Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Hello(Message):
    do: Literal["hello"]
    room: RoomNumber | None = None
    last: Annotated[int, Field(ge=0)] = 0


class Typing(Message):
    do: Literal["typing"]
    room: RoomNumber


class Wait(Message):
    do: Literal["wait"]
    id: MessageId
    role: Annotated[Role, Field(strict=False)]


class Unwait(Message):
    do: Literal["unwait"]
    id: MessageId


class WayOut(Message):
    do: Literal["way_out"]
    id: MessageId


class Machine(Message):
    do: Literal["machine"]
    id: MessageId
    role: Annotated[Role, Field(strict=False)]


class InRoom(Message):
    """A message about a room; durable when acknowledged."""

    id: MessageId
    room: RoomNumber


class Fill(InRoom):
    do: Literal["fill"]
    cell: Annotated[int, Field(ge=0, le=999)]
    value: Value | Several
    sure: bool = False

    def command(self) -> commands.Command:
        return commands.Fill(self.cell, self.value, self.sure)


class Say(InRoom):
    do: Literal["say"]
    text: Text
    ticks: Annotated[list[Annotated[int, Field(ge=0, le=999)]], Field(max_length=200)] = []
    done: bool = False
    sure: bool = False

    def command(self) -> commands.Command:
        return commands.Say(self.text, tuple(self.ticks), self.done, self.sure)


class Bounds(Message):
    low: Annotated[int, Field(ge=0, lt=10**9)] | Annotated[float, Field(ge=0, lt=1e9)] | None = None
    high: Annotated[int, Field(ge=0, lt=10**9)] | Annotated[float, Field(ge=0, lt=1e9)] | None = (
        None
    )


class Searching(InRoom):
    domain: Short
    slots: Annotated[dict[Short, Value | Several | Bounds], Field(max_length=50)]

    def plain(self) -> dict[str, Any]:
        return {
            slot: value.model_dump(exclude_none=True) if isinstance(value, Bounds) else value
            for slot, value in self.slots.items()
        }

    def command(self) -> commands.Command:
        return commands.Search(self.domain, self.plain())


class Query(Searching):
    do: Literal["query"]


class Peek(Searching):
    do: Literal["peek"]


class Select(InRoom):
    do: Literal["select"]
    domain: Short
    names: Several

    def command(self) -> commands.Command:
        return commands.Select(self.domain, tuple(self.names))


class Choose(InRoom):
    do: Literal["choose"]
    choice: Literal["wait", "requeue", "machine"]

    def command(self) -> commands.Command:
        return commands.Choose(self.choice)


class Report(InRoom):
    do: Literal["report"]
    text: Text

    def command(self) -> commands.Command:
        return commands.Report(self.text)


class Leave(InRoom):
    do: Literal["leave"]
    text: Text = ""

    def command(self) -> commands.Command:
        return commands.Leave(self.text)


Lasting = Fill | Say | Query | Select | Choose | Report | Leave
"""Becomes events of a room."""
RoomMessage = Annotated[Lasting | Peek, Field(discriminator="do")]
AnyMessage = Annotated[
    Hello | Typing | Wait | Unwait | WayOut | Machine | Lasting | Peek, Field(discriminator="do")
]
_ANY: TypeAdapter[AnyMessage] = TypeAdapter(AnyMessage)


def parse(text: str) -> AnyMessage:
    """The message; raises a Rejection that says what is wrong with it."""
    try:
        message: AnyMessage = _ANY.validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise Rejection("bad_message", f"{where}: {problem['msg']}".lstrip(": ")) from None
    return message


def submit(site: Site, worker: int, message: Lasting) -> "Future[Ack]":
    command = message.command()
    task = partial(act, worker=worker, room=message.room, client=message.id, command=command)
    return site.submit(task, tidy=True)


def result_of(site: Site, message: Lasting) -> dict[str, Any] | None:
    """What a durable message is answered with, besides that it is durable."""
    return _results(site, message) if isinstance(message, Query) else None


def peek(site: Site, worker: int, message: Peek) -> dict[str, Any]:
    """A search that nobody records."""
    if own_room(site, worker, message.room)[1] is not Role.WIZARD:
        raise Rejection("not_your_role", "only the wizard searches")
    return _results(site, message)


def _results(site: Site, message: Searching) -> dict[str, Any]:
    return results(
        site.context, message.domain, written_tab(site.context, message.domain, message.plain())
    )


def own_room(site: Site, worker: int, room: int) -> tuple[Log, Role]:
    """The room, and who the worker is in it."""
    log = site.log(room)
    if log is None:
        raise Rejection("unknown_room", f"there is no room {room}")
    role = log.room.role_of(worker)
    if role is None:
        raise Rejection("not_yours", "this is not your room")
    return log, role


def acknowledged(id: str, ack: Ack | None, result: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "ack", "id": id, "seq": ack.seq if ack else 0, "result": result}


def rejected(id: str | None, rejection: Rejection) -> dict[str, Any]:
    return {"type": "refused", "id": id, **rejection_record(rejection)}
