"""Which of several places offered a user picks by a word of its name: "the cathedral one".

picked_by_word(("Warehouse Nine", "Cathedral View Hotel"), "let's take the cathedral one", ...)
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from crosstalk.language.normalize import comparable, plain

SHORTEST: Final = 4
"""Letters of a word that may stand for a name."""
COMMON: Final = 5
"""Letters at the beginning that two words share, of which one is inflected or put together."""
SHORTEST_SIGNS: Final = 2
"""Signs of a name, where words are written without blanks."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def picked_by_word(
    names: Sequence[str], text: str, *, spaced: bool, is_common: Callable[[str], bool]
) -> str:
    """The only name of which a text has a word that no other name has; the last of several.

    `is_common`: whether a word is one for a kind of place, which picks nothing.
    """
    said = comparable(text)
    found = [(_where(name, names, said, spaced, is_common), name) for name in names]
    at, name = max(found, default=(-1, ""))
    return name if at >= 0 else ""


def _where(
    name: str, names: Sequence[str], said: str, spaced: bool, is_common: Callable[[str], bool]
) -> int:
    """Where a word of a name stands last in a text; -1 where none does."""
    others = [comparable(other) for other in names if other != name]
    if not spaced:
        return max((said.rfind(part) for part in _parts(comparable(name), others)), default=-1)
    words = [word for word in _WORD.findall(comparable(name)) if len(word) >= SHORTEST]
    own = [w for w in words if not any(_is_alike(w, o) for x in others for o in _WORD.findall(x))]
    return max(
        (
            found.start()
            for found in _WORD.finditer(said)
            if not is_common(found[0]) and any(_is_alike(found[0], word) for word in own)
        ),
        default=-1,
    )


def shares_word(text: str, value: str) -> bool:
    """Whether a text has a number of a value, or where it has none, a form of one of its words."""
    said, sought = plain(text), plain(value)
    if numbers := _NUMBER.findall(sought):
        return not set(numbers).isdisjoint(_NUMBER.findall(said))
    words = [word for word in _WORD.findall(sought) if len(word) >= SHORTEST - 1]
    return any(_is_alike(word, other) for word in words for other in _WORD.findall(said)) or (
        bool(sought) and sought in said
    )


def _is_alike(one: str, other: str) -> bool:
    """Whether two words begin alike: *Apothekern*, *Apothekenmuseum*."""
    if min(len(one), len(other)) < SHORTEST:
        return one == other
    return one == other or (one[:COMMON] == other[:COMMON] and min(len(one), len(other)) >= COMMON)


def _parts(name: str, others: Sequence[str]) -> list[str]:
    """Two signs of a name that no other name has."""
    pairs = [name[at : at + SHORTEST_SIGNS] for at in range(len(name) - SHORTEST_SIGNS + 1)]
    return [pair for pair in pairs if not any(pair in other for other in others)]
