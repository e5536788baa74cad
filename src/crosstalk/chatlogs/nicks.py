"""Who is around: names heard today and yesterday, and how they are spelt."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

TRAILING = ":,.;"


class NickBook:
    """Names seen lately, whatever their case; a name not seen for two days is forgotten.

    Two generations, turned at midnight: memory is that of two days, however long the log.
    """

    def __init__(self) -> None:
        self._today: dict[str, str] = {}
        self._yesterday: dict[str, str] = {}

    def turn_day(self) -> None:
        self._today, self._yesterday = {}, self._today

    def add(self, names: Sequence[str]) -> None:
        """The latest spelling of a name is the one kept."""
        latest = dict.fromkeys(reversed(names))
        self._today |= {name.casefold(): name for name in reversed(latest)}

    def find(self, name: str) -> str | None:
        folded = name.casefold()
        return self._today.get(folded) or self._yesterday.get(folded)


@cache
def common_words() -> frozenset[str]:
    """English words and the trade's own: a line starting with one names nobody by it alone."""
    text = files("crosstalk.chatlogs").joinpath("words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


def addressed(text: str, book: NickBook) -> tuple[str, str]:
    """Whom a line names with its first word, and the line without it; "" for nobody.

    A known name followed by punctuation is an address; without it, only if it is no common word.
    """
    first, _, rest = text.partition(" ")
    token = first.removeprefix("@")
    bare = token.rstrip(TRAILING)
    if not rest or not bare:
        return "", text
    if token != bare:  # names may end in punctuation themselves
        found = book.find(token) or book.find(bare)
    else:
        found = book.find(bare) if bare.casefold() not in common_words() else None
    return (found, rest.lstrip()) if found else ("", text)
