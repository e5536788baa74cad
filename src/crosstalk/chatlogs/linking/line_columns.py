"""Lines as numpy columns, the input of linkers: time, speaker, addressees, word ids, flags.

Only addressees are found line by line, since names come and go.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.linking.addressees import AddresseeReader, Addressees, NameFlags, is_telling
from crosstalk.chatlogs.log_messages import LineKind, LogMessage

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

EDGES = ".,:;!?()\"'<>@"
"""Word separators; no name contains them."""


class WordIds:
    """Assigns ids to words from `first` on, with bit marks for their kinds."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self._numbers: defaultdict[str, int] = defaultdict(count(first).__next__)
        self._marks = bytearray()

    def __len__(self) -> int:
        return len(self._numbers)

    def mark(self, words: Iterable[str], mark: int) -> None:
        """Set a mark, one bit of eight, on these words."""
        places = [self._numbers[word] - self.first for word in words]
        self._grow()
        for place in places:
            self._marks[place] |= mark

    def numbers(self, lines: list[list[str]]) -> Ints:
        """Return the ids of all words, line after line."""
        return np.array(
            list(map(self._numbers.__getitem__, chain.from_iterable(lines))), dtype=np.int64
        )

    def marks(self, numbers: Ints) -> Bytes:
        self._grow()
        marks: Bytes = np.frombuffer(bytes(self._marks), dtype=np.uint8)[numbers - self.first]
        return marks

    def _grow(self) -> None:
        self._marks.extend(bytes(len(self._numbers) - len(self._marks)))


def split_words(texts: list[str]) -> list[list[str]]:
    """Split texts into lower-case words; all at once, since many small strings are slow."""
    together = "\n".join([text.replace("\n", " ") for text in texts]).casefold()
    for mark in EDGES:
        together = together.replace(mark, " ")
    return [text.split() for text in together.split("\n")] if texts else []


class WordKind(IntFlag):
    """Kinds of words that show what a line is for; a word may have several."""

    GREETING = 1
    THANKS = 2
    SHORT_ANSWER = 4
    EVERYBODY = 8
    ASKING = 16
    TROUBLE = 32
    NAME = 64
    TELLING_NAME = 128
    """A distinctive name, recognised in the middle of a line too."""


WORDS = {
    WordKind.GREETING: "hi hello hey hiya howdy greetings yo hola morning",
    WordKind.THANKS: "thanks thank thx ty cheers tnx thanx tks",
    WordKind.SHORT_ANSWER: (
        "yes no yeah yep nope ok okay sure right yup ah oh lol hmm k cool nice great heh haha true "
        "exactly well but and"
    ),
    WordKind.EVERYBODY: "anyone anybody someone somebody everyone guys folks",
    WordKind.ASKING: "how what where which why who when does can is",
    WordKind.TROUBLE: "help problem question trying installed need want issue error just",
}
"""Words of each kind, except names, which differ between logs."""


AT_ONCE = 1_000
"""Messages per block, chosen to fit the processor's cache."""
LARGEST_VOCABULARY = 500_000
"""Words besides names after which a new vocabulary begins; some 60 MB."""
LONGEST_COUNTED = 300
BOT_NAME = re.compile(r"u?bot\w*\d*`?$|\w*ubot\w*`?$")
SPOKEN = (LineKind.MESSAGE, LineKind.ACTION)

FLAGS = (
    *("question", "greets", "thanks", "short_answer", "to_all", "asks", "trouble"),
    *("link", "command", "action", "bot", "named", "names", "trails_off", "length", "words"),
)


@dataclass(frozen=True, slots=True)
class LineColumns:
    """Columns with one entry per speech line; `words` holds those of all lines."""

    messages: list[LogMessage]
    orders: Ints
    minutes: Ints
    speakers: Ints
    targets: Ints
    """The addressee and two more named people; NOBODY if there are fewer."""
    flags: NDArray[np.float32]
    """One column per flag of FLAGS."""
    lengths: Ints
    """Number of words of each line."""
    words: Ints
    """Word ids, line after line."""

    @classmethod
    def none(cls) -> "LineColumns":
        empty = np.zeros(0, dtype=np.int64)
        flags = np.zeros((0, len(FLAGS)), dtype=np.float32)
        return cls([], empty, empty, empty, empty.reshape(0, 3), flags, empty, empty)

    @classmethod
    def together(cls, parts: "Sequence[LineColumns]") -> "LineColumns":
        return cls(
            [message for part in parts for message in part.messages],
            np.concatenate([part.orders for part in parts]),
            np.concatenate([part.minutes for part in parts]),
            np.concatenate([part.speakers for part in parts]),
            np.concatenate([part.targets for part in parts]),
            np.concatenate([part.flags for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.words for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.messages)

    def between(self, start: int, stop: int) -> "LineColumns":
        first, count = self.lengths[:start].sum(), self.lengths[start:stop].sum()
        return LineColumns(
            self.messages[start:stop],
            self.orders[start:stop],
            self.minutes[start:stop],
            self.speakers[start:stop],
            self.targets[start:stop],
            self.flags[start:stop],
            self.lengths[start:stop],
            self.words[first : first + count],
        )


class LineReader:
    """Turns messages into columns; remembers names."""

    def __init__(self) -> None:
        self._people = AddresseeReader()
        self._known: dict[str, None] = {}
        """Names marked in the vocabulary, in a deterministic order."""
        self._vocabulary = _vocabulary(0)

    def name(self, speaker: int) -> str:
        """Return the person's first name in the log."""
        return self._people.names.first_name(speaker)

    def read(self, messages: Sequence[LogMessage], first_order: int) -> LineColumns:
        parts = [LineColumns.none()]
        for start in range(0, len(messages), AT_ONCE):
            parts.append(self._read(messages[start : start + AT_ONCE], first_order + start))
        return LineColumns.together(parts)

    def _read(self, messages: Sequence[LogMessage], first_order: int) -> LineColumns:
        self._mark_names(messages)
        orders = [at for at, message in enumerate(messages, first_order) if message.kind in SPOKEN]
        spoken = [messages[order - first_order] for order in orders]
        lines = split_words([message.text for message in spoken])
        words = self._vocabulary.numbers(lines)
        kinds = _Kinds.of(self._vocabulary.marks(words), list(map(len, lines)))
        people = self._people.read(messages, lines, kinds.names())
        return LineColumns(
            spoken,
            np.array(orders, dtype=np.int64),
            np.array([message.time for message in spoken], dtype=np.int64) // 60,
            np.array(people.speakers, dtype=np.int64),
            people.targets(),
            _flags(spoken, kinds, people),
            kinds.lengths,
            words,
        )

    def _mark_names(self, messages: Sequence[LogMessage]) -> None:
        """Mark all names that occur in these messages."""
        if len(self._vocabulary) > LARGEST_VOCABULARY + 2 * len(self._known):
            self._vocabulary = _vocabulary(self._vocabulary.first + len(self._vocabulary))
            self._mark(self._known)
        names = dict.fromkeys(message.sender for message in messages)
        names |= dict.fromkeys(m.text for m in messages if m.kind is LineKind.RENAME)
        new = {fold: None for fold in map(str.casefold, names) if fold not in self._known}
        self._mark(new)
        self._known |= new

    def _mark(self, names: Iterable[str]) -> None:
        names = list(names)
        self._vocabulary.mark(names, WordKind.NAME)
        self._vocabulary.mark(filter(is_telling, names), WordKind.TELLING_NAME)


def _vocabulary(first: int) -> WordIds:
    vocabulary = WordIds(first)
    for kind, words in WORDS.items():
        vocabulary.mark(words.split(), kind)
    return vocabulary


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Word kinds of some lines."""

    marks: Bytes
    lengths: Ints
    ends: Ints

    @classmethod
    def of(cls, marks: Bytes, lengths: list[int]) -> "_Kinds":
        return cls(marks, np.array(lengths, dtype=np.int64), np.cumsum(lengths, dtype=np.int64))

    def count(self, kind: WordKind) -> Ints:
        """Count the words of that kind in each line."""
        so_far = np.concatenate([[0], np.cumsum((self.marks & kind) > 0)])
        counts: Ints = so_far[self.ends] - so_far[self.ends - self.lengths]
        return counts

    def names(self) -> list[NameFlags]:
        first = np.zeros(len(self.lengths), dtype=np.int64)
        at_head, telling = self.at(first, WordKind.NAME), self.at(first, WordKind.TELLING_NAME)
        further = self.count(WordKind.TELLING_NAME) > telling
        return list(zip(at_head.tolist(), telling.tolist(), further.tolist(), strict=True))

    def at(self, places: Ints, kind: WordKind) -> NDArray[np.bool_]:
        """Tell whether the word at that position of each line is of that kind."""
        found = np.zeros(len(places), dtype=bool)
        reached = places < self.lengths
        wanted = (self.ends - self.lengths + places)[reached]
        found[reached] = (self.marks[wanted] & kind) > 0
        return found


def _flags(spoken: list[LogMessage], kinds: _Kinds, people: Addressees) -> NDArray[np.float32]:
    texts = [message.text for message in spoken]
    is_bot = {name: bool(BOT_NAME.match(name.casefold())) for name in {m.sender for m in spoken}}
    named = people.counts(people.named)
    opening = (named > 0).astype(np.int64)
    columns = (
        ["?" in text for text in texts],
        kinds.at(opening, WordKind.GREETING),
        kinds.count(WordKind.THANKS) > 0,
        kinds.at(opening, WordKind.SHORT_ANSWER),
        kinds.count(WordKind.EVERYBODY) > 0,
        kinds.count(WordKind.ASKING) > 0,
        kinds.count(WordKind.TROUBLE) > 0,
        ["http" in text for text in texts],
        [text[:1] == "!" for text in texts],
        [message.kind is LineKind.ACTION for message in spoken],
        [is_bot[message.sender] for message in spoken],
        named,
        people.counts(people.mentioned),
        [text.endswith(("...", ",")) for text in texts],
        np.minimum(list(map(len, texts)), LONGEST_COUNTED),
        kinds.lengths,
    )
    flags = np.empty((len(texts), len(FLAGS)), dtype=np.float32)
    for at, column in enumerate(columns):
        flags[:, at] = column
    return flags
