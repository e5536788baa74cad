"""Problems of a world folder, collected so that a person sees all of them at once."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosstalk.errors import WorldError


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a world, and what to do about it."""

    file: str
    """Relative to the world folder."""
    message: str
    remedy: str = ""
    line: int | None = None
    entity: str = ""
    """Name of the row."""
    slot: str = ""
    fatal: bool = True
    """False: the world loads all the same, and something in it will read or behave badly."""

    @property
    def place(self) -> str:
        line = f"line {self.line}" if self.line is not None else ""
        return ", ".join(part for part in (self.file, line, self.entity, self.slot) if part)

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}"
        return f"{text}. {self.remedy}" if self.remedy else text


def did_you_mean(
    given: str, known: Iterable[str], otherwise: str = "", *, is_text: bool = False
) -> str:
    """What to do about an unknown word: take the known one that is nearest in spelling.

    Where none is near, `otherwise` or a list of all. `is_text`: values of tables, put in quotes.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(given, names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?" if is_text else f"Did you mean `{near[0]}`?"
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    more = ", ..." if len(names) > MOST_NAMES else ""
    return otherwise or (f"Expected one of {shown}{more}." if names else "Remove it.")


MOST_NAMES = 12
"""Known words that a remedy lists."""
SHOWN_AT_ONCE = 5


def refuse(world: str, problems: Sequence[Problem]) -> None:
    """Raise for the fatal ones among the problems, in the words `world check` uses."""
    fatal = [problem for problem in problems if problem.fatal]
    if not fatal:
        return
    shown = "\n".join(f"  {problem}" for problem in fatal[:SHOWN_AT_ONCE])
    more = f"\n  ... and {len(fatal) - SHOWN_AT_ONCE} more" if len(fatal) > SHOWN_AT_ONCE else ""
    raise WorldError(
        f"the world {world} cannot be loaded:\n{shown}{more}",
        remedy=f"`crosstalk world check {world}` lists everything there is to mend.",
    )
