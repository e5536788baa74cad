"""Speakers, addressees and mentioned people of lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.chatlogs.nicknames import Nicknames, common_words, misspelt_name, named_at_start

Ints = NDArray[np.int64]
NOBODY = -1
SHORTEST_NAME = 3
"""Minimum letters of a name that is recognised in the middle of a line."""
RECENT_NAMES = 60
"""Number of recent speakers with whom misspelt names are compared."""
BEFORE_TEXT = (":", ",")
"""A misspelt name at the start of a line must end in one of these."""
_NONE = (NOBODY,)

NameFlags = tuple[bool, bool, bool]
"""Whether a line's first word is a name, whether that name is distinctive, and whether a
distinctive name follows; names that first occur later in the same block count too."""


@dataclass(frozen=True, slots=True)
class Addressees:
    """Speakers, addressees and mentioned people of a block; most lines name nobody."""

    speakers: list[int] = field(default_factory=list)
    named: dict[int, list[int]] = field(default_factory=dict)
    """People named at the start of a line, by its position in the block."""
    mentioned: dict[int, list[int]] = field(default_factory=dict)
    """People named in the middle of a line, by its position in the block."""

    def targets(self) -> Ints:
        """Return the addressee and two more named people for each line.

        The first column is the addressee, never a person who is only mentioned.
        """
        targets = np.full((len(self.speakers), 3), NOBODY, dtype=np.int64)
        places = list(self.named.keys() | self.mentioned.keys())
        named, mentioned = self.named, self.mentioned
        rows = [(*named.get(at, _NONE), *mentioned.get(at, ()), NOBODY, NOBODY) for at in places]
        targets[places] = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        return targets

    def counts(self, people: dict[int, list[int]]) -> Ints:
        """Count the people at each position."""
        counts = np.zeros(len(self.speakers), dtype=np.int64)
        counts[list(people)] = list(map(len, people.values()))
        return counts


def is_telling(name: str) -> bool:
    """Tell whether a name is distinctive enough to be recognised in the middle of a line."""
    return len(name) >= SHORTEST_NAME and name not in common_words()


class AddresseeReader:
    """Reads block after block; remembers names and recent speakers."""

    def __init__(self) -> None:
        self.names = Nicknames()
        self._recent: dict[str, int] = {}
        self._last = ""

    def read(
        self, messages: Sequence[LogMessage], lines: list[list[str]], found: list[NameFlags]
    ) -> Addressees:
        """Read a block; `lines` and `found` are the words and name flags of its speech lines."""
        people = Addressees()
        spoken = zip(lines, found, strict=True)
        for message in messages:
            if message.kind is LineKind.MESSAGE or message.kind is LineKind.ACTION:
                self._line(message, *next(spoken), people)
            elif message.kind is LineKind.RENAME:
                self.names.rename(message.sender, message.text)
        return people

    def _line(
        self, message: LogMessage, words: list[str], found: NameFlags, people: Addressees
    ) -> None:
        _, _, _, sender, text, _, _ = message
        at_head, telling, further = found
        place, speaker = len(people.speakers), self.names.person(sender)
        people.speakers.append(speaker)
        named = None
        if at_head or text.startswith("@") or text.partition(" ")[0].endswith(BEFORE_TEXT):
            named = self._named(text, words, speaker)
            if named:
                people.named[place] = named
        if further or (telling and not named):
            people.mentioned[place] = self._mentioned(words, named or [], speaker)
        if sender != self._last:
            self._remember(sender, speaker)

    def _named(self, text: str, words: list[str], speaker: int) -> list[int]:
        if not words:
            return []
        if words[0] in self.names.folded or text[0] == "@":
            found = [person for person in named_at_start(text, self.names) if person != speaker]
            if found:
                return found
        slip = misspelt_name(text, self._recent)
        return [slip] if slip is not None and slip != speaker else []

    def _mentioned(self, words: list[str], named: list[int], speaker: int) -> list[int]:
        known = self.names.folded
        found = known.keys() & set(words)
        if len(found) == 1 and named and words[0] in found:
            return []
        people = [known[word] for word in words if word in found and is_telling(word)]
        return [person for person in people if person != speaker and person not in named]

    def _remember(self, name: str, speaker: int) -> None:
        folded = name.casefold()
        self._recent.pop(folded, None)
        self._recent[folded] = speaker
        self._last = name
        if len(self._recent) > RECENT_NAMES:
            del self._recent[next(iter(self._recent))]
