"""What clients say about rooms, on the socket or in requests: parsed once, then made to jobs.

The words are in `design/collection.md`; unknown fields are refused.
"""

from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from crosstalk.collection import commands
from crosstalk.collection.events import Role
from crosstalk.collection.forms import written_tab
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


class ClientMessage(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class HelloMessage(ClientMessage):
    do: Literal["hello"]
    room: RoomNumber | None = None
    last: Annotated[int, Field(ge=0)] = 0


class TypingMessage(ClientMessage):
    do: Literal["typing"]
    room: RoomNumber


class WaitMessage(ClientMessage):
    do: Literal["wait"]
    id: MessageId
    role: Annotated[Role, Field(strict=False)]


class UnwaitMessage(ClientMessage):
    do: Literal["unwait"]
    id: MessageId


class WayOutMessage(ClientMessage):
    do: Literal["way_out"]
    id: MessageId


class MachineMessage(ClientMessage):
    do: Literal["machine"]
    id: MessageId
    role: Annotated[Role, Field(strict=False)]


class RoomMessageBase(ClientMessage):
    """A message about a room; durable when acknowledged."""

    id: MessageId
    room: RoomNumber


class FillMessage(RoomMessageBase):
    do: Literal["fill"]
    cell: Annotated[int, Field(ge=0, le=999)]
    value: Value | Several
    sure: bool = False

    def command(self) -> commands.Command:
        return commands.Fill(self.cell, self.value, self.sure)


class SayMessage(RoomMessageBase):
    do: Literal["say"]
    text: Text
    ticks: Annotated[list[Annotated[int, Field(ge=0, le=999)]], Field(max_length=200)] = []
    done: bool = False
    sure: bool = False

    def command(self) -> commands.Command:
        return commands.Say(self.text, tuple(self.ticks), self.done, self.sure)


class BoundsValue(ClientMessage):
    low: Annotated[int, Field(ge=0, lt=10**9)] | Annotated[float, Field(ge=0, lt=1e9)] | None = None
    high: Annotated[int, Field(ge=0, lt=10**9)] | Annotated[float, Field(ge=0, lt=1e9)] | None = (
        None
    )


class SearchMessage(RoomMessageBase):
    domain: Short
    slots: Annotated[dict[Short, Value | Several | BoundsValue], Field(max_length=50)]

    def plain(self) -> dict[str, Any]:
        return {
            slot: value.model_dump(exclude_none=True) if isinstance(value, BoundsValue) else value
            for slot, value in self.slots.items()
        }

    def command(self) -> commands.Command:
        return commands.Search(self.domain, self.plain())


class QueryMessage(SearchMessage):
    do: Literal["query"]


class PeekMessage(SearchMessage):
    do: Literal["peek"]


class SelectMessage(RoomMessageBase):
    do: Literal["select"]
    domain: Short
    names: Several

    def command(self) -> commands.Command:
        return commands.Select(self.domain, tuple(self.names))


class ChooseMessage(RoomMessageBase):
    do: Literal["choose"]
    choice: Literal["wait", "requeue", "machine"]

    def command(self) -> commands.Command:
        return commands.Choose(self.choice)


class ReportMessage(RoomMessageBase):
    do: Literal["report"]
    text: Text

    def command(self) -> commands.Command:
        return commands.Report(self.text)


class LeaveMessage(RoomMessageBase):
    do: Literal["leave"]
    text: Text = ""

    def command(self) -> commands.Command:
        return commands.Leave(self.text)


DurableMessage = (
    FillMessage
    | SayMessage
    | QueryMessage
    | SelectMessage
    | ChooseMessage
    | ReportMessage
    | LeaveMessage
)
"""Becomes events of a room."""
RoomMessage = Annotated[DurableMessage | PeekMessage, Field(discriminator="do")]
AnyMessage = Annotated[
    HelloMessage
    | TypingMessage
    | WaitMessage
    | UnwaitMessage
    | WayOutMessage
    | MachineMessage
    | DurableMessage
    | PeekMessage,
    Field(discriminator="do"),
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


def submit(site: Site, worker: int, message: DurableMessage) -> "Future[Ack]":
    command = message.command()
    task = partial(act, worker=worker, room=message.room, client=message.id, command=command)
    return site.submit(task, tidy=True)


def result_of(site: Site, message: DurableMessage) -> dict[str, Any] | None:
    """What a durable message is answered with, besides that it is durable."""
    return _results(site, message) if isinstance(message, QueryMessage) else None


def peek(site: Site, worker: int, message: PeekMessage) -> dict[str, Any]:
    """A search that nobody records."""
    if own_room(site, worker, message.room)[1] is not Role.WIZARD:
        raise Rejection("not_your_role", "only the wizard searches")
    return _results(site, message)


def _results(site: Site, message: SearchMessage) -> dict[str, Any]:
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
