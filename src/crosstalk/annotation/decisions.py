"""Two annotations compared by what their annotators did: one decision a cause.

    for decision in decisions(left, right): ...

A tick that one of two has forgotten differs in every later state, and in the acts derived from it;
it is one decision. A decision is a stretch of a track (`operations.py`) in which the two differ
without either doing anything else about it. Where the other does the same later, it was *moved*.
Acts that follow from an operation belong to its decision; others are decisions of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crosstalk.annotation.adjudication import AnnotatedField, Difference, Values, differences
from crosstalk.annotation.adjudication import Key as CellKey
from crosstalk.annotation.operations import (
    OperationKind,
    Position,
    Search,
    Subject,
    Tracks,
    TrackValue,
    comparable,
)
from crosstalk.dialogue.acts import NO_OFFER, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker

Side = TrackValue | Values
"""What one of two annotations has: the value of a track, or the values of acts."""
OF_ROWS: Final = (OperationKind.TICK, OperationKind.FILL)


@dataclass(frozen=True, slots=True, order=True)
class OperationKey:
    """Which operation of which turn."""

    dialogue: str
    turn: int
    """From 1: the first turn in which the two differ."""
    kind: OperationKind
    cell: tuple[str, ...]
    """As of `Subject`; acts: intent, domain, slot."""
    search: str = ""
    """Searches and selections: first or last search of the turn."""

    def __str__(self) -> str:
        words = (self.kind, self.search, *self.cell)
        return f"dialogue {self.dialogue}, turn {self.turn}, {' '.join(filter(None, words))}"


@dataclass(frozen=True, slots=True)
class Decision:
    """One cause of differences, to be decided."""

    key: OperationKey
    speaker: Speaker
    text: str
    """The words of the turn."""
    about: tuple[str, str]
    """Domain and slot, or domain and name of what is selected."""
    left: Side
    right: Side
    until: Position | None = None
    """Where the two agree again, or one of them does something else; None: never."""
    moved: int | None = None
    """The turn in which the other side does the same."""
    stretch: tuple[int, int] = (0, 0)
    """The places of the track in which the two differ: the first, and the one after the last."""
    explains: tuple[CellKey, ...] = field(default=(), repr=False)
    """The differing cells of states and acts that follow."""

    @property
    def subject(self) -> Subject:
        return Subject(self.key.kind, self.key.cell)


def decisions(left: Dialogue, right: Dialogue, *, acts: bool = True) -> list[Decision]:
    """What has to be decided between two annotations of the same turns, in their order.

    `acts`: also acts that no operation explains; not where acts are derived from the states.
    """
    causes = sorted(_causes(left, right), key=lambda each: _order(each.key))
    followed: list[list[CellKey]] = [[] for _ in causes]
    alone: list[Decision] = []
    for each in differences(left, right):
        cause = next((n for n, cause in enumerate(causes) if _explains(cause, each)), None)
        if cause is not None:
            followed[cause].append(each.key)
        elif acts and each.key.part is AnnotatedField.ACTS:
            alone.append(_about_acts(each))
    told = [replace(one, explains=tuple(keys)) for one, keys in zip(causes, followed, strict=True)]
    return sorted([*told, *alone], key=lambda each: _order(each.key))


def _order(key: OperationKey) -> tuple[int, int, bool, tuple[str, ...]]:
    cell = tuple(part.zfill(6) if part.isdecimal() else part for part in key.cell)
    return key.turn, list(OperationKind).index(key.kind), key.search == Search.LAST, cell


def _about_acts(each: Difference) -> Decision:
    key = OperationKey(each.key.dialogue, each.key.turn, OperationKind.ACT, each.key.cell)
    _, domain, slot = each.key.cell
    left, right = _values(each.left), _values(each.right)
    return Decision(key, each.speaker, each.text, (domain, slot), left, right, explains=(each.key,))


def _values(cell: object) -> Values:
    return cell if isinstance(cell, tuple) else ()


def _causes(left: Dialogue, right: Dialogue) -> Iterator[Decision]:
    both = Tracks.of(left, right)
    for subject in both.subjects:
        places = both.at.of(subject.kind)
        tracks = both.track(0, subject), both.track(1, subject)
        for begins, ends, moved in _stretches(*tracks, both.start(subject)):
            at = places[begins]
            turn = left.turns[at.turn - 1]
            yield Decision(
                OperationKey(left.id, at.turn, subject.kind, subject.cell, at.search),
                turn.speaker,
                turn.text,
                both.about(subject),
                tracks[0][begins],
                tracks[1][begins],
                places[ends] if ends < len(places) else None,
                places[ends].turn if moved else None,
                (begins, ends),
            )


def _stretches(
    left: Sequence[TrackValue], right: Sequence[TrackValue], start: TrackValue
) -> Iterator[tuple[int, int, bool]]:
    """Where two tracks differ: from, before, and whether it ends since the other catches up.

    A stretch also ends where one of the two changes and both still differ.
    """
    start_of_both = (comparable(start), comparable(start))
    pairs = [start_of_both, *zip(map(comparable, left), map(comparable, right), strict=True)]
    place = 1
    while place < len(pairs):
        begins = place
        place += 1
        if pairs[begins][0] == pairs[begins][1]:
            continue
        while place < len(pairs) and pairs[place] == pairs[begins]:
            place += 1
        yield begins - 1, place - 1, _is_moved(pairs[begins - 1 : begins + 1], pairs[place:])


def _is_moved(
    begin: Sequence[tuple[object, object]], rest: Sequence[tuple[object, object]]
) -> bool:
    """Whether one side does at the beginning what the other does after the stretch."""
    before, now = begin
    done = [value for was, value in zip(before, now, strict=True) if was != value]
    return bool(rest) and len(done) == 1 and rest[0] == (done[0], done[0])


def _explains(cause: Decision, each: Difference) -> bool:
    """Whether a differing cell follows from a cause."""
    key = each.key
    if key.part is AnnotatedField.ACTS:
        return _explains_act(cause, each)
    if key.part is AnnotatedField.USER_STATE:
        about, at = cause.key.kind in OF_ROWS, Position(key.turn)
    else:
        is_first = key.part is AnnotatedField.FIRST_QUERY
        about = cause.key.kind is OperationKind.SEARCH
        at = Position(key.turn, Search.FIRST if is_first else Search.LAST)
    begins = Position(cause.key.turn, cause.key.search)
    reaches = begins <= at and (cause.until is None or at < cause.until)
    return about and reaches and cause.key.cell == key.cell


def _explains_act(cause: Decision, each: Difference) -> bool:
    """Acts of the turn itself, and of the wizard's turn after which a row was filled in."""
    intent, domain, slot = each.key.cell
    turns = {turn for turn in (cause.key.turn, cause.moved) if turn}
    match cause.key.kind:
        case OperationKind.TICK:
            same = cause.about == (domain, slot) or (intent == SELECT and cause.about[0] == domain)
        case OperationKind.FILL:
            turns = {turn - 1 for turn in turns}
            same = cause.about == (domain, slot)
        case OperationKind.SEARCH:
            same = intent == NO_OFFER and cause.about[0] == domain
        case _:
            same = intent != NO_OFFER and cause.about[0] == domain
    return same and each.key.turn in turns
