"""The native record of a dialogue: our words as plain JSON, nothing lost.

These types are the door: pydantic checks what comes in against them, and the published schema
(`native.schema.json`) is made from them. What is empty or usual may be left out.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, JsonValue, with_config
from typing_extensions import TypedDict

CLOSED = ConfigDict(extra="forbid", strict=True)


@with_config(CLOSED)
class Near(TypedDict):
    """Some entity near the one another sub-goal settles on."""

    near: Annotated[int, Field(description="Number of the other sub-goal.")]


@with_config(CLOSED)
class At(TypedDict):
    """The very entity another sub-goal settles on: the end of a ride."""

    at: Annotated[int, Field(description="Number of the other sub-goal.")]


@with_config(CLOSED)
class TupleRecord(TypedDict):
    """One thing the user wants to say or to learn."""

    subgoal: int
    domain: str
    slot: str
    value: Annotated[
        str | list[str] | Near | At,
        Field(description="Empty text or an empty list is a question."),
    ]
    expressed: NotRequired[Annotated[bool, Field(description="Left out: false.")]]


@with_config(CLOSED)
class GoalRecord(TypedDict):
    """What the user wants from the dialogue."""

    tuples: list[TupleRecord]
    type: NotRequired[Literal["S", "M", "M+T", "CM", "CM+T"]]
    description: NotRequired[
        Annotated[list[str], Field(description="In words, one paragraph a sub-goal.")]
    ]


@with_config(CLOSED)
class ActRecord(TypedDict):
    """What an utterance does."""

    intent: str
    domain: str
    slot: NotRequired[Annotated[str, Field(description="Left out: none.")]]
    value: NotRequired[Annotated[str, Field(description="Left out: none.")]]


@with_config(CLOSED)
class TabRecord(TypedDict):
    """One domain of the database form."""

    domain: str
    slots: NotRequired[
        Annotated[dict[str, str | list[str]], Field(description="Every field, in form order.")]
    ]
    selected: NotRequired[Annotated[list[str], Field(description="Results that were ticked.")]]
    order: NotRequired[
        Annotated[tuple[str, str], Field(description="Slot the results are ranked by; min or max.")]
    ]


@with_config(CLOSED)
class TurnRecord(TypedDict):
    """One utterance with what is known about it."""

    speaker: Literal["user", "system"]
    text: str
    acts: NotRequired[list[ActRecord]]
    user_state: NotRequired[
        Annotated[list[TupleRecord], Field(description="The goal after this utterance.")]
    ]
    first_query: NotRequired[
        Annotated[list[TabRecord], Field(description="The first form submitted.")]
    ]
    last_query: NotRequired[
        Annotated[list[TabRecord], Field(description="The form the answer rests on.")]
    ]
    extras: NotRequired[dict[str, JsonValue]]


@with_config(CLOSED)
class DialogueRecord(TypedDict):
    """One conversation about one goal."""

    id: str
    world: NotRequired[str]
    language: NotRequired[str]
    workers: NotRequired[
        Annotated[list[int | str], Field(description="Who took part, wizard first.")]
    ]
    goal: NotRequired[GoalRecord]
    final_goal: NotRequired[
        Annotated[list[TupleRecord], Field(description="The goal as the user left it.")]
    ]
    turns: list[TurnRecord]
    extras: NotRequired[dict[str, JsonValue]]
