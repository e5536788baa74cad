"""Who is around: names heard today and yesterday, and how they are spelt."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

TRAILING = ":,.;"
NOBODY = ("", "")


@cache
def common_words() -> frozenset[str]:
    """English words and the trade's own: a line starting with one names nobody by it alone."""
    text = files("crosstalk.chatlogs").joinpath("words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


class NickBook:
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
