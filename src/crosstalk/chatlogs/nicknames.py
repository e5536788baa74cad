"""Who is around: names heard today and yesterday, and how they are spelt."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz.distance import OSA

TRAILING = ":,.;"
NOBODY = ("", "")


@cache
def common_words() -> frozenset[str]:
    """English words and the trade's own: a line starting with one names nobody by it alone."""
    text = files("crosstalk.chatlogs").joinpath("words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


class RecentNicks:
    """Names seen lately, whatever their case; a name not seen for two days is forgotten.

    Two generations, turned at midnight: memory is that of two days, however long the log.
    """

    def __init__(self) -> None:
        self._today: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._common = common_words()

    def turn_day(self, folded: Mapping[str, str]) -> None:
        """Names of the new day, folded; of two that fold to the same the last is kept."""
        yesterday, self._today = self._today, {fold: name for name, fold in folded.items()}
        self._known = yesterday | self._today

    def named_by(self, first: str) -> tuple[str, str]:
        """Whom a line speaks to by its first word: folded, and as spelt lately; "" for nobody.

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
"""Letters a name must have to be known from a part of it."""
GHOSTS = "_`"
"""Marks that people put behind a name that is taken."""


class Nicknames:
    """Names in use, folded, each with the number of the person behind it."""

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
        """The new name is the same person, unless somebody else was called so before."""
        self._people.setdefault(new.casefold(), self.person(old))

    def first_name(self, person: int) -> str:
        """What a person was called first: one name for all of them."""
        return self._first[person]

    def find(self, name: str) -> int | None:
        return self._people.get(name.casefold())

    @property
    def folded(self) -> dict[str, int]:
        return self._people


def named_at_start(text: str, names: Nicknames) -> list[int]:
    """People named at the head: `ann: ...`, `@ann ...`, `<@ann> ...`, `ann, bob: ...`, `ann ..`."""
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
    """A head that is nobody's name but nearly that of somebody who spoke lately."""
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
