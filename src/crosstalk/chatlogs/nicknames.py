"""Nicknames in use, and whom a line addresses by the name at its start."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz.distance import OSA

TRAILING = ":,.;"
NOBODY = ("", "")


@cache
def common_words() -> frozenset[str]:
    """Common words of the channel; as the first word of a line they are not an address."""
    text = files("crosstalk.chatlogs").joinpath("words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


class RecentNicks:
    """Names of today's and yesterday's speakers, ignoring case (for the paper's method).

    Memory is bounded by two days, however long the log.
    """

    def __init__(self) -> None:
        self._today: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._common = common_words()

    def turn_day(self, folded: Mapping[str, str]) -> None:
        """Start a new day; `folded` maps its names to lower case."""
        yesterday, self._today = self._today, {fold: name for name, fold in folded.items()}
        self._known = yesterday | self._today

    def named_by(self, first: str) -> tuple[str, str]:
        """Return the addressee of a line by its first word: in lower case, and as last spelt.

        A known name followed by punctuation is an address; without it, only if it is no common
        word.
        """
        token = first.removeprefix("@").casefold()
        bare = token.rstrip(TRAILING)
        if token != bare:  # names may end in punctuation themselves
            name = token if token in self._known else bare
        else:
            name = bare if bare not in self._common else ""
        found = self._known.get(name) if bare else None
        return (name, found) if found else NOBODY


SHORTEST = 3
"""Minimum letters of a misspelt or shortened name."""
GHOSTS = "_`"
"""Characters appended to a name that is taken."""


class Nicknames:
    """Names in lower case, each with the number of its person."""

    def __init__(self) -> None:
        self._people: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._first: list[str] = []

    def person(self, name: str) -> int:
        found = self._seen.get(name)
        if found is None:
            found = self._seen[name] = self._of(name.casefold())
        return found

    def _of(self, folded: str) -> int:
        found = self._people.get(folded)
        if found is None:
            # a network that splits leaves a ghost of the name; its owner comes back as `name_`
            found = self._people.get(folded.rstrip(GHOSTS))
            if found is None:
                found = len(self._first)
                self._first.append(folded)
            self._people[folded] = found
        return found

    def rename(self, old: str, new: str) -> None:
        """Assign the new name to the same person, unless it belongs to somebody else."""
        self._people.setdefault(new.casefold(), self.person(old))

    def first_name(self, person: int) -> str:
        """Return the person's first name in the log, which stands for all of them."""
        return self._first[person]

    def find(self, name: str) -> int | None:
        return self._people.get(name.casefold())

    @property
    def folded(self) -> dict[str, int]:
        return self._people


def named_at_start(text: str, names: Nicknames) -> list[int]:
    """Return the people named at the start: `ann: ...`, `<@ann> ...`, `ann, bob: ...`."""
    first, _, rest = text.partition(" ")
    if first[-1:] == ":" and (person := names.find(first[:-1])) is not None:
        return [person]  # as nine in ten do
    found: list[int] = []
    rest = text
    while rest:
        first, _, rest = rest.partition(" ")
        token = first.removeprefix("<").removeprefix("@")
        bare = token.rstrip(TRAILING + ">")
        marked = token != bare or first != token
        person = names.find(token) if marked else None
        if person is None and bare and (marked or bare.casefold() not in common_words()):
            person = names.find(bare)
        if person is None:
            break
        found.append(person)
        if token.endswith(":") or not marked:
            break
    return found


def misspelt_name(text: str, recent: Mapping[str, int]) -> int | None:
    """Return a recent speaker whose name the first word abbreviates or misspells."""
    token = text.partition(" ")[0]
    if token[-1:] not in (":", ","):
        return None
    bare = token.rstrip(TRAILING).removeprefix("@").casefold()
    if len(bare) < SHORTEST or bare in common_words():
        return None
    starting = [person for name, person in recent.items() if name.startswith(bare)]
    if starting:
        return starting[-1]
    close = [
        person
        for name, person in recent.items()
        if abs(len(name) - len(bare)) <= 2 and _is_slip(bare, name)
    ]
    return close[-1] if close else None


@lru_cache(maxsize=20_000)
def _is_slip(written: str, name: str) -> bool:
    return OSA.distance(written, name, score_cutoff=2) <= (1 if len(written) < 6 else 2)
