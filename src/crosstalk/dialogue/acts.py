"""Dialogue acts: what an utterance does, as (intent, domain, slot, value).

The first six intents are CrossWOZ's. The others are for what people say beyond its corpus;
`design/system.md` has a table with examples.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

INFORM: Final = "Inform"
REQUEST: Final = "Request"
RECOMMEND: Final = "Recommend"
NO_OFFER: Final = "NoOffer"
SELECT: Final = "Select"
GENERAL: Final = "General"

# What users do beyond the published acts.
EXCLUDE: Final = "Exclude"
DROP: Final = "Drop"
SORT: Final = "Sort"
STEP: Final = "Step"
REFINE: Final = "Refine"
ANOTHER: Final = "Another"
LIST: Final = "List"
COUNT: Final = "Count"
PICK: Final = "Pick"
COMPARE: Final = "Compare"
WHICH: Final = "Which"
CONFIRM: Final = "Confirm"
MULTIPLY: Final = "Multiply"
DIFFERENCE: Final = "Difference"
UNSUPPORTED: Final = "Unsupported"
IGNORED: Final = "Ignored"

# Actions: the domain of these acts is the key of an action, their slot one of its arguments.
# Users also say Inform, Affirm and Deny of an action; the system says Ask, and reads back with
# Confirm.
DO: Final = "Do"
DONE: Final = "Done"
RECALL: Final = "Recall"
"""The user asks what has been done so far; the system tells it."""
REFUSE: Final = "Refuse"

# What the system answers to them; it also says Count, Unsupported and Ignored.
AFFIRM: Final = "Affirm"
DENY: Final = "Deny"
FACT: Final = "Fact"
WINNER: Final = "Winner"
TIE: Final = "Tie"
NO_MORE: Final = "NoMore"
NO_STEP: Final = "NoStep"
NO_RECORD: Final = "NoRecord"
PRODUCT: Final = "Product"
ASK: Final = "Ask"

PUBLISHED: Final = frozenset({INFORM, REQUEST, RECOMMEND, NO_OFFER, SELECT, GENERAL})
"""The intents of CrossWOZ."""
USER_INTENTS: Final = frozenset(
    {INFORM, REQUEST, SELECT, GENERAL, EXCLUDE, DROP, SORT, STEP, REFINE, ANOTHER, LIST, COUNT}
    | {PICK, COMPARE, DIFFERENCE, WHICH, CONFIRM, MULTIPLY, UNSUPPORTED, IGNORED}
    | {DO, AFFIRM, DENY, RECALL}
)
SYSTEM_INTENTS: Final = frozenset(
    {INFORM, RECOMMEND, NO_OFFER, GENERAL, COUNT, AFFIRM, DENY, FACT, WINNER, TIE, NO_MORE}
    | {NO_STEP, NO_RECORD, PRODUCT, DIFFERENCE, UNSUPPORTED, IGNORED, ASK}
    | {CONFIRM, DONE, REFUSE, RECALL}
)
RANKED: Final = frozenset({RECOMMEND, FACT})
"""Intents whose acts stand in the order in which the places are named, best first."""

LEAST: Final = "min"
MOST: Final = "max"
"""Values of `Sort`."""
LESS: Final = "less"
MORE: Final = "more"
HALF: Final = "half"
"""Values of `Step`."""
AMONG: Final = "|"
"""Between the names of a `Compare`, and between the name and the value of a `Fact`."""

NOTHING: Final = "none"
"""Stands in the slot and value of acts that have neither: `General`, `NoOffer`."""


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """One dialogue act; `in_order` says how the acts of a turn are kept."""

    intent: str
    domain: str
    """For `General`, what is done: greet, thank, welcome, reqmore, bye."""
    slot: str = NOTHING
    value: str = NOTHING
    """Empty for `Request`; for `Select`, the domain whose entity the new one shall be near."""

    def __str__(self) -> str:
        return f"{self.intent}({self.domain}, {self.slot}, {self.value!r})"


def in_order(acts: Iterable[Act]) -> tuple[Act, ...]:
    """The acts of a turn in the order in which they are kept: sorted, without repeats.

    Places that are named in a ranking keep it.
    """
    return tuple(sorted(dict.fromkeys(acts), key=_place))


def _place(act: Act) -> tuple[str, str, str, str]:
    return act.intent, act.domain, act.slot, "" if act.intent in RANKED else act.value
