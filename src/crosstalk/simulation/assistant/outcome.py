"""What the assistant has found and decided, before it is put into words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.states import SystemState


@dataclass(frozen=True, slots=True)
class Facts:
    """Acts about one place or ride, said together."""

    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence of the language file."""

    key: str
    fills: Mapping[str, str] = field(default_factory=dict)
    acts: tuple[Act, ...] = ()
    """What it does, where that is an act of its own: naming several places."""
    asks: bool = False
    """Whether it asks something back."""


Piece = Facts | Remark


@dataclass(frozen=True, slots=True)
class Result:
    """What a search gave."""

    domain: str
    wishes: Mapping[str, str]
    count: int
    """How many meet all wishes."""
    names: tuple[str, ...]
    """The first of them; where none meets all, the one that comes closest."""
    not_met: tuple[str, ...] = ()
    """Wishes the closest one does not meet."""


def joined(outcomes: Sequence["Outcome"]) -> "Outcome":
    """Several answers in one; only the last one asks back, or answers to nothing in particular."""
    earlier = [each for each in outcomes[:-1] if each.results or each.acts]
    pieces = [piece for each in earlier for piece in each.pieces if not _asks(piece)]
    results = [result for each in outcomes for result in each.results]
    last = outcomes[-1]
    return Outcome(tuple(_once([*pieces, *last.pieces])), last.form, tuple(results))


def _asks(piece: Piece) -> bool:
    return isinstance(piece, Remark) and piece.asks


def _once(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Without facts that have been told a moment before."""
    told: set[Act] = set()
    for piece in pieces:
        if not isinstance(piece, Facts) or not told.issuperset(piece.acts):
            yield piece
        told.update(piece.acts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer in parts."""

    pieces: tuple[Piece, ...]
    form: SystemState
    results: tuple[Result, ...] = ()

    @property
    def acts(self) -> tuple[Act, ...]:
        return tuple(sorted({act for piece in self.pieces for act in piece.acts}))
