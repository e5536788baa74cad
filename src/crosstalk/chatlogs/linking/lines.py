"""What is known of each line before it is linked: numbers only, so that arrays can be made of them.

This is the one pass in plain Python over the lines of a log, some ten microseconds a line;
everything after it works on whole days at once.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from crosstalk.chatlogs.mentions import EDGES, Names, heads, nearly
from crosstalk.chatlogs.messages import Kind, Message
from crosstalk.chatlogs.nicks import common_words

NOBODY = -1
MENTIONED = 3
"""People named in a line that are looked at."""
RECENT_NAMES = 60
"""Speakers among whom a slip of the pen is looked for."""

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
    """Columns, one entry a spoken line; `keep_last` bounds them."""

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

    def keep_last(self, count: int) -> None:
        spare = max(0, len(self) - count)
        columns: tuple[list[Any], ...] = (self.orders, self.minutes, self.speakers, self.targets)
        for column in (*columns, self.flags, self.words, self.messages):
            del column[:spare]


class LineReader:
    """Turns messages into columns; remembers who is called what."""

    def __init__(self) -> None:
        self.names = Names()
        self._recent: dict[str, int] = {}

    def read(self, messages: Iterable[Message], first_order: int, lines: Lines) -> None:
        for order, message in enumerate(messages, start=first_order):
            if message.is_speech:
                self._add(order, message, lines)
            elif message.kind is Kind.RENAME:
                self.names.rename(message.sender, message.text)

    def _add(self, order: int, message: Message, lines: Lines) -> None:
        speaker = self.names.person(message.sender)
        tokens = message.text.casefold().split()
        words = [word for token in tokens if (word := token.strip(EDGES))]
        named, mentioned = self._people(message.text, words, speaker)
        lines.orders.append(order)
        lines.minutes.append(message.time // 60)
        lines.speakers.append(speaker)
        lines.targets.append(_three(named, mentioned))
        lines.words.append(words)
        lines.flags.append(_flags(message, words, len(named), len(mentioned)))
        lines.messages.append(message)
        self._remember(message.sender.casefold(), speaker)

    def _people(self, text: str, words: list[str], speaker: int) -> tuple[list[int], list[int]]:
        named = [person for person in heads(text, self.names) if person != speaker]
        if not named:
            slip = nearly(text, self._recent)
            named = [slip] if slip is not None and slip != speaker else []
        folded = self.names.folded
        common = common_words()
        mentioned = [
            person
            for word in words
            if len(word) > 2
            and (person := folded.get(word)) is not None
            and word not in common
            and person != speaker
            and person not in named
        ]
        return named, mentioned

    def _remember(self, name: str, speaker: int) -> None:
        self._recent.pop(name, None)
        self._recent[name] = speaker
        if len(self._recent) > RECENT_NAMES:
            del self._recent[next(iter(self._recent))]


def _three(named: list[int], mentioned: list[int]) -> tuple[int, int, int]:
    """The first place is for the person spoken to, not for one spoken of."""
    first = named[0] if named else NOBODY
    others = [*named[1:], *mentioned, NOBODY, NOBODY]
    return first, others[0], others[1]


def _flags(message: Message, words: list[str], named: int, mentioned: int) -> tuple[float, ...]:
    text = message.text
    said = words[1:] if named else words
    known = set(said)
    opening = said[0] if said else ""
    return (
        "?" in text,
        opening in GREETINGS,
        not known.isdisjoint(THANKS),
        opening in SHORT_ANSWERS,
        not known.isdisjoint(EVERYBODY),
        not known.isdisjoint(ASKING),
        not known.isdisjoint(TROUBLE),
        "http" in text,
        text.startswith("!"),
        message.kind is Kind.ACTION,
        bool(BOT_NAME.match(message.sender.casefold())),
        named,
        mentioned,
        text.endswith(("...", ",")),
        min(len(text), 300),
        len(words),
    )
