"""Names of the speakers in what they say: they tell who speaks to whom, not what fits.

A response that names the one who asked is found by the name alone; without names a ranker has to
look at the rest.
"""

from collections.abc import Iterable

NAME = "__name__"
AROUND = "\"'()<>@:,.;!?"
"""Marks that may stand around a name."""


def mask_names(text: str, names: Iterable[str]) -> str:
    """Words that are one of the names, in any case, become NAME; marks around them stay."""
    known = {name.casefold() for name in names}
    return " ".join(_masked(word, known) for word in text.split(" "))


def _masked(word: str, known: set[str]) -> str:
    if word.casefold() in known:  # names may begin or end with a mark themselves
        return NAME
    bare = word.strip(AROUND)
    return word.replace(bare, NAME) if bare.casefold() in known else word
