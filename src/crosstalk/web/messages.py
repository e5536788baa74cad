"""What clients say on the socket, parsed once, at the door.

The words are in `design/collection.md`; unknown fields are refused.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from crosstalk.collection import commands
from crosstalk.collection.refusals import Refusal
from crosstalk.collection.roles import Role

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
    """The message; raises a Refusal that says what is wrong with it."""
    try:
        message: AnyMessage = _ANY.validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise Refusal("bad_message", f"{where}: {problem['msg']}".lstrip(": ")) from None
    return message
