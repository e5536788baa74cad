"""Dialogues to look at: failures first, then some of each type, however long the run."""

from collections.abc import Iterable, Iterator

from crosstalk.evaluation.tallies import Judged


class Examples:
    """Keeps at most so many failures and so many successes of a stream."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._failures: list[Judged] = []
        self._successes: dict[str, list[Judged]] = {}

    def seeing(self, pairs: Iterable[Judged]) -> Iterator[Judged]:
        """The stream as it is; what is kept of it shows later."""
        for dialogue, outcome in pairs:
            here = self._failures
            if outcome.success:
                here = self._successes.setdefault(str(outcome.type), [])
            if len(here) < self._most:
                here.append((dialogue, outcome))
            yield dialogue, outcome

    def chosen(self) -> tuple[Judged, ...]:
        """All failures that fit, then successes, the types in turn; in the order of the run."""
        chosen = self._failures[: self._most]
        for pair in _in_turn(list(self._successes.values())):
            if len(chosen) >= self._most:
                break
            chosen.append(pair)
        return tuple(sorted(chosen, key=lambda pair: _number(pair)))


def _in_turn(lists: list[list[Judged]]) -> Iterator[Judged]:
    for position in range(max(map(len, lists), default=0)):
        yield from (each[position] for each in lists if position < len(each))


def _number(pair: Judged) -> int:
    return int(pair[0].extras.get("number", 0))
