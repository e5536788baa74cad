"""What is known of each line before it is linked: numbers only, so that arrays can be made of them.

This is the one pass in plain Python over the lines of a log, a few microseconds a line; everything
after it works on thousands of lines at once.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crosstalk.chatlogs.mentions import Names, heads, nearly
from crosstalk.chatlogs.messages import Kind, Message
from crosstalk.chatlogs.nicks import common_words

NOBODY = -1
SHORTEST_NAME = 3
"""Letters a name must have to be found in the middle of a line."""
RECENT_NAMES = 60
"""Speakers among whom a slip of the pen is looked for."""
EDGES = str.maketrans(dict.fromkeys(".,:;!?()\"'<>@", " "))
"""No name has these marks in it; words are what stands between them."""

GREETINGS = frozenset({"hi", "hello", "hey", "hiya", "howdy", "greetings", "yo", "hola", "morning"})
THANKS = frozenset({"thanks", "thank", "thx", "ty", "cheers", "tnx", "thanx", "tks"})
SHORT_ANSWERS = frozenset(
    {"yes", "no", "yeah", "yep", "nope", "ok", "okay", "sure", "right", "yup", "ah", "oh", "lol"}
    | {"hmm", "k", "cool", "nice", "great", "heh", "haha", "true", "exactly", "well", "but", "and"}
)
EVERYBODY = frozenset({"anyone", "anybody", "someone", "somebody", "everyone", "guys", "folks"})
ASKING = frozenset({"how", "what", "where", "which", "why", "who", "when", "does", "can", "is"})
TROUBLE = frozenset(
    {"help", "problem", "question", "trying", "installed", "need", "want", "issue", "error", "just"}
)
BOT_NAME = re.compile(r"u?bot\w*\d*`?$|\w*ubot\w*`?$")

FLAGS = (
    *("question", "greets", "thanks", "short_answer", "to_all", "asks", "trouble"),
    *("link", "command", "action", "bot", "named", "names", "trails_off", "length", "words"),
)


@dataclass(slots=True)
class Lines:
    """Columns, one entry a spoken line."""

    orders: list[int] = field(default_factory=list)
    minutes: list[int] = field(default_factory=list)
    speakers: list[int] = field(default_factory=list)
    targets: list[tuple[int, int, int]] = field(default_factory=list)
    """The person spoken to and two more that are named; NOBODY where there are fewer."""
    flags: list[tuple[float, ...]] = field(default_factory=list)
    words: list[list[str]] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.orders)

    def between(self, start: int, stop: int) -> "Lines":
        return Lines(*(column[start:stop] for column in self._columns))

    def forget_before(self, place: int) -> None:
        for column in self._columns:
            del column[:place]

    @property
    def _columns(self) -> tuple[list[Any], ...]:
        first: tuple[list[Any], ...] = (self.orders, self.minutes, self.speakers, self.targets)
        return (*first, self.flags, self.words, self.messages)


class LineReader:
    """Turns messages into columns; remembers who is called what."""

    def __init__(self) -> None:
        self.names = Names()
        self._recent: dict[str, int] = {}
        self._bots: dict[str, bool] = {}

    def read(self, messages: Sequence[Message], first_order: int, lines: Lines) -> None:
        message_kind, action, rename = Kind.MESSAGE, Kind.ACTION, Kind.RENAME
        for order, message in enumerate(messages, start=first_order):
            kind = message.kind
            if kind is message_kind or kind is action:
                self._add(order, message, kind is action, lines)
            elif kind is rename:
                self.names.rename(message.sender, message.text)

    def _add(self, order: int, message: Message, is_action: bool, lines: Lines) -> None:
        _, time, _, sender, text, _, _ = message
        speaker = self.names.person(sender)
        words = text.casefold().translate(EDGES).split()
        known = set(words)
        named = self._named(text, words, speaker)
        mentioned = self._mentioned(words, known, named, speaker)
        lines.orders.append(order)
        lines.minutes.append(time // 60)
        lines.speakers.append(speaker)
        lines.targets.append(_three(named, mentioned))
        lines.words.append(words)
        bot = self._is_bot(sender)
        lines.flags.append(_flags(text, words, known, (is_action, bot, len(named), len(mentioned))))
        lines.messages.append(message)
        self._remember(sender, speaker)

    def _named(self, text: str, words: list[str], speaker: int) -> list[int]:
        """Those at the head of a line; few lines begin with a name, so that is asked first."""
        if not words:
            return []
        if words[0] in self.names.folded or text[0] == "@":
            found = [person for person in heads(text, self.names) if person != speaker]
            if found:
                return found
        slip = nearly(text, self._recent)
        return [slip] if slip is not None and slip != speaker else []

    def _mentioned(
        self, words: list[str], known: set[str], named: list[int], speaker: int
    ) -> list[int]:
        found = self.names.folded.keys() & known
        if not found or (len(found) == 1 and named and words[0] in found):
            return []
        common = common_words()
        people = [
            self.names.folded[word]
            for word in words
            if word in found and len(word) >= SHORTEST_NAME and word not in common
        ]
        return [person for person in people if person != speaker and person not in named]

    def _remember(self, name: str, speaker: int) -> None:
        folded = name.casefold()
        self._recent.pop(folded, None)
        self._recent[folded] = speaker
        if len(self._recent) > RECENT_NAMES:
            del self._recent[next(iter(self._recent))]

    def _is_bot(self, name: str) -> bool:
        found = self._bots.get(name)
        if found is None:
            found = self._bots[name] = bool(BOT_NAME.match(name.casefold()))
        return found


def _flags(
    text: str, words: list[str], known: set[str], known_already: tuple[float, float, float, float]
) -> tuple[float, ...]:
    start = 1 if known_already[2] else 0
    opening = words[start] if len(words) > start else ""
    return (
        "?" in text,
        opening in GREETINGS,
        not known.isdisjoint(THANKS),
        opening in SHORT_ANSWERS,
        not known.isdisjoint(EVERYBODY),
        not known.isdisjoint(ASKING),
        not known.isdisjoint(TROUBLE),
        "http" in text,
        text[:1] == "!",
        *known_already,
        text.endswith(("...", ",")),
        min(len(text), 300),
        len(words),
    )


def _three(named: list[int], mentioned: list[int]) -> tuple[int, int, int]:
    """The first place is for the person spoken to, not for one spoken of."""
    if not named and not mentioned:
        return NOBODY, NOBODY, NOBODY
    first = named[0] if named else NOBODY
    others = [*named[1:], *mentioned, NOBODY, NOBODY]
    return first, others[0], others[1]
