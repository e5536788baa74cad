"""The events of a room and their JSON.

A room is stored as the list of its events and nothing else. New fields get defaults, so that old
logs stay readable.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import Field, PlainSerializer, PlainValidator, TypeAdapter

from crosstalk.corpora.native import GoalRecord, TabRecord
from crosstalk.corpora.record_encoding import decode_goal, decode_state, encode_goal, encode_state
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Extras, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.states import SlotValue, SystemState


class Role(StrEnum):
    """The two roles of a dialogue."""

    USER = "user"
    """Pursues a goal."""
    WIZARD = "wizard"
    """Searches the database and speaks as the system."""

    @property
    def other(self) -> "Role":
        return Role.WIZARD if self is Role.USER else Role.USER

    @property
    def speaker(self) -> Speaker:
        return Speaker.USER if self is Role.USER else Speaker.SYSTEM


def role_of(speaker: Speaker) -> Role:
    return Role.USER if speaker is Speaker.USER else Role.WIZARD


_GOAL: TypeAdapter[GoalRecord] = TypeAdapter(GoalRecord)
_FORM: TypeAdapter[list[TabRecord]] = TypeAdapter(list[TabRecord])


def _goal(value: Any) -> Goal:
    return value if isinstance(value, Goal) else decode_goal(dict(_GOAL.validate_python(value)))


def _form(value: Any) -> SystemState:
    if isinstance(value, SystemState):
        return value
    return decode_state([dict(tab) for tab in _FORM.validate_python(value)])


GoalField = Annotated[Goal, PlainValidator(_goal), PlainSerializer(encode_goal)]
FormField = Annotated[SystemState, PlainValidator(_form), PlainSerializer(encode_state)]
Slots = tuple[tuple[str, SlotValue], ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """A possible mistake in a turn; the person may confirm the turn all the same."""

    code: str
    message: str
    value: str = ""
    cell: int | None = None
    domain: str = ""
    slot: str = ""
    """Of hints about the wizard's form."""
    near: tuple[str, ...] = ()
    """Values that may be meant."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A room was opened: two seats, one goal, and the settings of the dialogue."""

    goal_id: str
    goal: GoalField
    world: str
    language: str
    form: FormField
    """The empty form of the world."""
    user: int | None
    """The worker's id; None: a machine."""
    wizard: int | None
    exchanges: int = 50
    grace: float = 120
    """Seconds after a disconnection until the seat counts as gone."""
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True)
class Connected:
    role: Role
    kind: Literal["connected"] = "connected"


@dataclass(frozen=True, slots=True)
class Disconnected:
    role: Role
    kind: Literal["disconnected"] = "disconnected"


@dataclass(frozen=True, slots=True)
class Gone:
    """The deadline passed while the seat was empty."""

    role: Role
    kind: Literal["gone"] = "gone"


@dataclass(frozen=True, slots=True)
class Left:
    """A person left deliberately."""

    role: Role
    text: str = ""
    kind: Literal["left"] = "left"


@dataclass(frozen=True, slots=True)
class Waited:
    """The remaining person chose to wait for the other until another deadline."""

    role: Role
    """The role that is waited for."""
    kind: Literal["waited"] = "waited"


@dataclass(frozen=True, slots=True)
class Replaced:
    """A machine has taken a seat."""

    role: Role
    kind: Literal["replaced"] = "replaced"


@dataclass(frozen=True, slots=True)
class Filled:
    """The user has written something into a cell of the goal's table."""

    cell: int
    value: SlotValue
    """Empty: the value of the goal is restored."""
    hints: tuple[Hint, ...] = ()
    dropped: bool = False
    """The user gives up the wish: any value will do."""
    unlisted: bool = False
    """The value holds something that is no word of the field, which the user insisted on."""
    kind: Literal["filled"] = "filled"


@dataclass(frozen=True, slots=True)
class Said:
    """The user's turn."""

    text: str
    ticks: tuple[int, ...] = ()
    """Cells that this utterance expresses or asks for."""
    done: bool = False
    hints: tuple[Hint, ...] = ()
    """Hints that the person confirmed."""
    acts: tuple[Act, ...] = ()
    """Dialogue acts; only for machines."""
    extras: Extras = field(default_factory=dict, hash=False)
    """Tool calls and problems of an agent that speaks; empty for people."""
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class Hinted:
    """Hints were shown instead of sending a turn, or of filling in a cell."""

    role: Role
    codes: tuple[str, ...]
    kind: Literal["hinted"] = "hinted"


@dataclass(frozen=True, slots=True)
class Queried:
    """The wizard searched with one tab of the form."""

    domain: str
    slots: Slots
    count: int
    suggested: tuple[str, ...] = ()
    """Fields taken over from what the page read in the user's message."""
    unlisted: tuple[str, ...] = ()
    """Fields with a value that is no word of the tables, which the wizard insisted on."""
    first: Slots | None = None
    """The turn's first search with what was forgotten in it; None: it stays as it is."""
    first_count: int = 0
    kind: Literal["queried"] = "queried"


@dataclass(frozen=True, slots=True)
class Selected:
    """The selected results of a domain's last query."""

    domain: str
    names: tuple[str, ...]
    kind: Literal["selected"] = "selected"


@dataclass(frozen=True, slots=True)
class Acted:
    """The wizard called an action; it was done or refused."""

    record: Extras = field(hash=False)
    """What was called and what came of it, as turns keep it."""
    title: str = ""
    """What the action does, in the world's language."""
    message: str = ""
    """What it gave, or why it was refused."""
    kind: Literal["acted"] = "acted"

    @property
    def is_done(self) -> bool:
        return "refused" not in self.record


@dataclass(frozen=True, slots=True)
class Answered:
    """The wizard's turn."""

    text: str
    hints: tuple[Hint, ...] = ()
    acts: tuple[Act, ...] = ()
    extras: Extras = field(default_factory=dict, hash=False)
    kind: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True)
class Reported:
    role: Role
    text: str
    kind: Literal["reported"] = "reported"


@dataclass(frozen=True, slots=True)
class Closed:
    """The room ends without the dialogue being finished; its goal returns to the pool."""

    note: str = ""
    kind: Literal["closed"] = "closed"


Decision = Literal["pending", "approved", "returned", "second"]
"""`second`: somebody else is to look at it, too."""
RETURN_REASONS: Final = ("goal", "ticks", "searches", "facts", "language", "manners")


@dataclass(frozen=True, slots=True)
class Reviewed:
    decision: Decision
    note: str = ""
    by: int | None = None
    reason: str = ""
    """Why a dialogue was returned, as one of `RETURN_REASONS`."""
    note_for: Role | None = None
    """The side that the note is for; None: both."""
    kind: Literal["reviewed"] = "reviewed"


Event = (
    Opened
    | Connected
    | Disconnected
    | Gone
    | Left
    | Waited
    | Replaced
    | Filled
    | Said
    | Hinted
    | Queried
    | Selected
    | Acted
    | Answered
    | Reported
    | Closed
    | Reviewed
)

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])
_BY_KIND: dict[str, TypeAdapter[Any]] = {
    each.__dataclass_fields__["kind"].default: TypeAdapter(each) for each in Event.__args__
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its place in the log."""

    seq: int
    at: float
    """Seconds since 1970."""
    event: Event


def to_json(event: Event) -> str:
    return _BY_KIND[event.kind].dump_json(event).decode()


def from_json(text: str | bytes) -> Event:
    """The event; raises pydantic's ValidationError for anything else."""
    event: Event = _EVENT.validate_json(text)
    return event
