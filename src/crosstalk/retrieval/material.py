"""Dialogues put together again from the rows of a training file.

A row's context holds all the turns before its response, so that the longest row of a dialogue is
the dialogue, and every turn of it is a response to those before.
"""

from collections.abc import Iterable

from crosstalk.errors import InputError
from crosstalk.retrieval.sampling import LONGEST_CONTEXT, Pair
from crosstalk.retrieval.turns import TurnTable, turns_of


def table_of_pairs(pairs: Iterable[Pair]) -> TurnTable:
    """Whatever the file's sampling; rows of one dialogue need not stand together."""
    gathered = _Gathered()
    for context, response, right in pairs:
        if right:
            gathered.add([*turns_of(context), response])
    dialogues = tuple(map(tuple, gathered.dialogues))
    if len(dialogues) < 2:
        raise InputError(
            f"{len(dialogues)} dialogues are too few to learn from",
            remedy="Give a training file with true responses of many dialogues.",
        )
    questions = tuple(turns[0] for turns in dialogues)
    return TurnTable(dialogues, questions, (0,) * len(dialogues))


class _Gathered:
    """Dialogues that grow with every true row."""

    def __init__(self) -> None:
        self.dialogues: list[list[str]] = []
        self._openings: dict[tuple[str, ...], int] = {}
        self._last: int | None = None

    def add(self, turns: list[str]) -> None:
        opening = tuple(turns[:2])
        number = self._openings.get(opening)
        if number is None and self._follows(turns):
            self.dialogues[self._last or 0].append(turns[-1])
            return
        if number is None:
            number = self._openings[opening] = len(self.dialogues)
            self.dialogues.append([])
        if len(turns) > len(self.dialogues[number]):
            self.dialogues[number] = turns
        self._last = number

    def _follows(self, turns: list[str]) -> bool:
        """A long dialogue's later rows have lost its opening; they follow upon the row before."""
        if self._last is None or len(turns) <= LONGEST_CONTEXT:
            return False
        return self.dialogues[self._last][1 - len(turns) :] == turns[:-1]
