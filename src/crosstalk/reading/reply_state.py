"""A reply while it is read: what was gathered so far, and helpers of all steps."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.language.patterns import FIRST_HOLE, LAST_HOLE
from crosstalk.reading.claims import Claim
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.prose import Emphasis
from crosstalk.reading.readings import (
    Named,
    ReadingContext,
    RefusalRead,
    Unread,
)

if TYPE_CHECKING:
    from crosstalk.reading.reader import ProseReader


SAME_LETTERS: Final = 0.6
"""Share of letters that two forms of a name have in common."""
UNKNOWN: Final = "?"
ATTRIBUTES: Final = (
    Found.AMOUNT,
    Found.VALUE,
    Found.FREE,
    Found.PHONE,
    Found.ADDRESS,
    Found.STATION,
    Found.HOURS,
    Found.CELL,
)
TOLD: Final = (
    *(each for each in ATTRIBUTES if each is not Found.HOURS),
    Found.CAR,
    Found.PLATE,
    Found.NAME,
)
"""What an unknown name cannot be part of."""
BEFORE_LANDMARK: Final = 3
"""Small words that may stand between *near* and the name it belongs to."""
BEFORE_NAME: Final = 80
"""Letters beside a name among which the words for *near* stand."""
HALF: Final = 0.5
"""Share of a name's letters that is said at least, of a place not spoken of before."""
BEHIND_LACK: Final = 5
"""Words between *no* and what there is none of."""
HOLE: Final = re.compile(f"[{FIRST_HOLE}-{LAST_HOLE}]")
NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
CAPITALISED: Final = re.compile(
    r"[A-ZÄÖÜА-ЯЁ][\w'’-]+(?: (?:(?:of|the|at|and|in|on|zum|zur|am|der|im|und|у|на|и) )?"
    r"[A-ZÄÖÜА-ЯЁ][\w'’-]+)+"
)
MOST_NAME_WORDS: Final = 6
"""Words of a name in bold or quotation marks; more are a sentence."""


def stands_in(scanned: Scanned, at: int) -> bool:
    return scanned.sentence.start <= at < scanned.sentence.end


def covers_most(item: Item, mark: Emphasis) -> bool:
    return item.end - item.start >= 0.6 * (mark.end - mark.start)


def plain_position(scanned: Scanned, at: int) -> int:
    """Where a position of the reply is in the words as the finders saw them, roughly."""
    before = [item for item in scanned.items if item.at >= 0 and item.start <= at]
    after = [item for item in scanned.items if item.at >= 0 and item.start > at]
    if before:
        return before[-1].at + 1
    return after[0].at if after else len(scanned.plain)


def with_names(scanned: Scanned, names: list[Item]) -> Scanned:
    if not names:
        return scanned
    kept = [
        item
        for item in scanned.items
        if not any(item.start < n.end and n.start < item.end for n in names)
    ]
    items = sorted([*kept, *names], key=lambda item: (item.start, item.end))
    return replace(scanned, items=tuple(items))


def each_once(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Claims without those that say the same of the same place again, in the same words."""
    seen = set()
    for claim in claims:
        said = plain(claim.quote)
        key = (
            claim.domain,
            claim.entity,
            claim.slot,
            claim.value,
            said,
            claim.verdict,
            claim.is_firm,
        )
        if key not in seen:
            seen.add(key)
            yield claim


def meet(one: Claim, other: Claim) -> bool:
    """Whether the quotes of two claims share some words."""
    return one.start < other.end and other.start < one.end


def unholed(words: str) -> str:
    return HOLE.sub("x", words)


def alike_stems(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of stems are forms of the same words."""
    return len(one) == len(other) and all(
        a == b or (len(a) >= 3 and len(b) >= 3 and (a.startswith(b) or b.startswith(a)))
        for a, b in zip(one, other, strict=True)
    )


def alike_letters(one: str, other: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def same_beginning(one: str, other: str) -> bool:
    return alike_letters(one, other) >= min(2, len(one), len(other))


@dataclass(slots=True)
class PendingItem:
    """An attribute said before the name it belongs to."""

    item: Item
    scanned: Scanned
    negated: bool


@dataclass(slots=True)
class ReplyState:
    """One reply and what was gathered while reading it."""

    reader: "ProseReader"
    raw: str
    context: ReadingContext
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Claim] = field(default_factory=list)
    refusals: list[RefusalRead] = field(default_factory=list)
    names: list[Named] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unknown: list[Claim] = field(default_factory=list)
    pending: list[PendingItem] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    topic: Place | None = None
    first_landmarks: dict[int, int] = field(default_factory=dict)
    """Beginning of a sentence -> where its first landmark stands."""
    last_name: int = -1
    """Where the last place stands that the reply names."""
    near_heading: bool = False
    lists_on: bool = False
    """The sentence before listed places nearby."""
