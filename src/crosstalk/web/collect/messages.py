"""Messages of clients, on the socket or in requests: parsed once, then submitted as jobs.

A message about a room is a command of `collection/commands.py` with an id and a room. The protocol
is in `design/collection.md`; unknown fields are rejected.
"""

from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from crosstalk.collection import commands
from crosstalk.collection.events import Role
from crosstalk.collection.wizard_form import results, written_tab
from crosstalk.errors import Rejection
from crosstalk.web.collect.jobs import Ack, Sender, act_or_hint
from crosstalk.web.collect.site import Site
from crosstalk.web.error_handlers import rejection_record
from crosstalk.web.store.room_store import Log

MessageId = Annotated[str, StringConstraints(min_length=8, max_length=64, pattern=r"^[\w-]+$")]
RoomNumber = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
message = dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))


@message
class HelloMessage:
    do: Literal["hello"]
    room: RoomNumber | None = None
    last: Annotated[int, Field(strict=True, ge=0)] = 0
    watch: Annotated[bool, Field(strict=True)] = False
    """For reviewers: only say when the room (without one, anything) has changed."""


@message
class TypingMessage:
    do: Literal["typing"]
    room: RoomNumber


@message
class WaitMessage:
    do: Literal["wait"]
    id: MessageId
    role: Role


@message
class UnwaitMessage:
    do: Literal["unwait"]
    id: MessageId


@message
class WayOutMessage:
    do: Literal["way_out"]
    id: MessageId


@message
class MachineMessage:
    do: Literal["machine"]
    id: MessageId
    role: Role


@message
class AboutRoom:
    """What every message about a room has besides its command."""

    id: MessageId
    room: RoomNumber


@message
class FillMessage(AboutRoom, commands.Fill):
    do: Literal["fill"]


@message
class SayMessage(AboutRoom, commands.Say):
    do: Literal["say"]


@message
class QueryMessage(AboutRoom, commands.Search):
    do: Literal["query"]


@message
class PeekMessage(AboutRoom, commands.Search):
    do: Literal["peek"]


@message
class SelectMessage(AboutRoom, commands.Select):
    do: Literal["select"]


@message
class PerformMessage(AboutRoom, commands.Perform):
    do: Literal["perform"]


@message
class ChooseMessage(AboutRoom, commands.Choose):
    do: Literal["choose"]


@message
class ReportMessage(AboutRoom, commands.Report):
    do: Literal["report"]


@message
class LeaveMessage(AboutRoom, commands.Leave):
    do: Literal["leave"]


DurableMessage = (
    FillMessage
    | SayMessage
    | QueryMessage
    | SelectMessage
    | PerformMessage
    | ChooseMessage
    | ReportMessage
    | LeaveMessage
)
"""Messages that become events of a room."""
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
    """The message; raises Rejection with the first problem."""
    try:
        message: AnyMessage = _ANY.validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise Rejection("bad_message", f"{where}: {problem['msg']}".lstrip(": ")) from None
    return message


def submit(site: Site, sender: Sender, message: DurableMessage) -> "Future[Ack]":
    task = partial(
        act_or_hint, worker=sender.worker, room=message.room, client=message.id, command=message
    )
    return _refusing(site.submit(sender.doing(task), tidy=True))


def _refusing(done: "Future[Ack | commands.HintedRejection]") -> "Future[Ack]":
    """The same, with a rejection raised that was recorded first."""
    answer: Future[Ack] = Future()
    answer.set_running_or_notify_cancel()

    def answered(future: "Future[Ack | commands.HintedRejection]") -> None:
        error = future.exception()
        result = None if error else future.result()
        if isinstance(result, Ack):
            answer.set_result(result)
        else:
            answer.set_exception(error or result)

    done.add_done_callback(answered)
    return answer


def result_of(site: Site, message: DurableMessage) -> dict[str, Any] | None:
    """The result in the acknowledgement of a message: those of a query, otherwise None."""
    return _results(site, message) if isinstance(message, QueryMessage) else None


def peek(site: Site, sender: Sender, message: PeekMessage) -> dict[str, Any]:
    """A search that is not recorded."""
    if own_room(site, sender, message.room)[1] is not Role.WIZARD:
        raise Rejection("not_your_role", "only the wizard searches")
    return _results(site, message)


def _results(site: Site, message: QueryMessage | PeekMessage) -> dict[str, Any]:
    return results(
        site.context, message.domain, written_tab(site.context, message.domain, message.slots)
    )


def own_room(site: Site, sender: Sender, room: int) -> tuple[Log, Role]:
    """The room, and the sender's role in it; raises Rejection if they have none."""
    site.store.read(lambda connection: sender.check(connection, site.clock()))
    log = site.log(room)
    if log is None:
        raise Rejection("unknown_room", f"there is no room {room}")
    role = log.room.role_of(sender.worker)
    if role is None:
        raise Rejection("not_yours", "this is not your room")
    return log, role


def acknowledged(id: str, ack: Ack | None, result: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "ack", "id": id, "seq": ack.seq if ack else 0, "result": result}


def rejected(id: str | None, rejection: Rejection) -> dict[str, Any]:
    return {"type": "refused", "id": id, **rejection_record(rejection)}
