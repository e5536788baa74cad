"""What was read: claims, names, refusals, rides and unread stretches of one reply."""

from dataclasses import dataclass

from crosstalk.language.names import Place
from crosstalk.reading.claims import Claim
from crosstalk.reading.facts import Station

Question = tuple[str, str]
"""Domain and slot that a user asked for."""


@dataclass(frozen=True, slots=True)
class RefusalRead:
    """Words that say that nothing matches."""

    domains: tuple[str, ...]
    """Domains the words name; empty: they name none."""
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """A place named in a reply, and in what role."""

    place: Place
    start: int
    end: int
    role: str
    """offer, listed (as being near another), landmark, or end (of a ride)."""
    alternatives: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A stretch nobody could make anything of, though it may matter."""

    quote: str
    start: int
    end: int
    why: str
    """number, name or language."""


@dataclass(frozen=True, slots=True)
class RideRead:
    """What a reply says about a ride."""

    names: tuple[tuple[Place, int], ...] = ()
    """Places named as its ends, in order, and where."""
    stations: tuple[tuple[Station, int, int], ...] = ()
    car: str = ""
    plate: str = ""
    no_station: int = 0
    """How often it says that there is no station."""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says."""

    claims: tuple[Claim, ...] = ()
    remarks: tuple[Claim, ...] = ()
    """What is said of places that no slot holds; no question is answered by it."""
    refusals: tuple[RefusalRead, ...] = ()
    names: tuple[Named, ...] = ()
    unread: tuple[Unread, ...] = ()
    ride: RideRead | None = None
    unknown: tuple[Claim, ...] = ()
    """Names that no table has, also among the claims."""
    topic: Place | None = None
    """The place spoken of at the end."""
    language: str = ""
    denies: bool = False
    """Some clause negates or regrets something."""
    says_yes: bool = False
    says_no: bool = False


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What was said before a reply, as far as it helps to read it."""

    questions: tuple[Question, ...] = ()
    """What the user asked for and has not been told."""
    topic: Place | None = None
    """The place spoken of last."""
    recent: tuple[Place, ...] = ()
    """Places spoken of, latest first."""
    wanted: str = ""
    """The domain in which the user looks for a place."""
    ride: str = ""
    """The ride's domain that the user asks for."""
    is_cut: bool = False
    """The reply ended by length."""
    users_words: str = ""
    named: tuple[Place, ...] = ()
    """Places that the user named just before."""
