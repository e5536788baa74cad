"""Whom a line speaks to or of: names at its head, and names anywhere in it."""

import re
from collections.abc import Mapping
from functools import lru_cache

from rapidfuzz.distance import OSA

from crosstalk.chatlogs.nicks import TRAILING, common_words

SHORTEST = 3
"""Letters a name must have to be found in the middle of a line, or from a part of it."""
HEAD = re.compile(r"@?(\S+?)[:,;.]*(?:\s|$)")
EDGES = ".,:;!?()\"'<>@"


class Names:
    """Names in use, folded, each with the number of the person behind it."""

    def __init__(self) -> None:
        self._people: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._count = 0

    def person(self, name: str) -> int:
        folded = name.casefold()
        found = self._people.get(folded)
        if found is None:
            found = self._people[folded] = self._count
            self._count += 1
        return found

    def rename(self, old: str, new: str) -> None:
        """The new name is the same person, unless somebody else was called so before."""
        self._people.setdefault(new.casefold(), self.person(old))

    def find(self, name: str) -> int | None:
        return self._people.get(name.casefold())

    @property
    def folded(self) -> Mapping[str, int]:
        return self._people


def heads(text: str, names: Names) -> list[int]:
    """People named at the head: `ann: ...`, `@ann ...`, `ann, bob: ...`, `ann ...`."""
    found: list[int] = []
    rest = text
    while rest:
        first, _, rest = rest.partition(" ")
        token = first.removeprefix("@")
        bare = token.rstrip(TRAILING)
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


def inside(text: str, names: Names) -> list[int]:
    """People named anywhere by a word that is hardly anything but a name."""
    folded = names.folded
    return [
        person
        for word in text.casefold().split()
        if len(token := word.strip(EDGES)) >= SHORTEST
        and (person := folded.get(token)) is not None
        and token not in common_words()
    ]


def nearly(text: str, recent: Mapping[str, int]) -> int | None:
    """A head that is nobody's name but nearly that of somebody who spoke lately."""
    token = text.partition(" ")[0]
    bare = token.rstrip(TRAILING).removeprefix("@").casefold()
    if token[-1:] not in (":", ",") or len(bare) < SHORTEST or bare in common_words():
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
