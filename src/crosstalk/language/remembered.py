"""Answers about texts that are kept, by the length of the text: many short ones, a few long ones.

    self.names = remembered(self._names, 4096)

A whole conversation is asked about several times within one turn, and never again after the next
one: thousands of them would fill the memory of a server that runs for days.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Concatenate, Final, ParamSpec, TypeVar

LONG: Final = 300
"""Characters from which a text counts as long."""
MOST_LONG: Final = 64
"""How many answers about long texts one function keeps."""
P = ParamSpec("P")
T = TypeVar("T")


def remembered(
    answer: Callable[Concatenate[str, P], T], most: int
) -> Callable[Concatenate[str, P], T]:
    """The same function; it keeps its answers about the last `most` short texts."""
    short: Callable[..., T] = lru_cache(most)(answer)
    long: Callable[..., T] = lru_cache(MOST_LONG)(answer)

    def again(text: str, /, *args: P.args, **named: P.kwargs) -> T:
        return (short if len(text) <= LONG else long)(text, *args, **named)

    return again
