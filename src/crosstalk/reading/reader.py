"""The reader of prose: what an agent wrote, as claims, offers, refusals and unread stretches.

    reader = ProseReader.of("harbour", "de")
    reading = reader.read(reply, ReadingContext(...))

It reads the words alone, with the language layer and the tables; it never sees an agent's acts and
shares nothing with what a simulated user hears.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from crosstalk.language.names import SURE, NameFinder, Place
from crosstalk.language.normalize import plain
from crosstalk.language.writing import guess_language
from crosstalk.reading.claims import TableCheck
from crosstalk.reading.readings import Reading, ReadingContext
from crosstalk.reading.reply import ReplyReader
from crosstalk.reading.reply_state import SAME_LETTERS, UNKNOWN, alike_letters, same_beginning
from crosstalk.reading.scan import Scanner
from crosstalk.worlds.world import find_world, languages_of, load_world


class ProseReader:
    """Reads replies about one world in one of its languages; knows the names of all of them."""

    def __init__(self, scanner: Scanner, folder: Path) -> None:
        self.scanner = scanner
        self.check = TableCheck(scanner)
        self.world = scanner.world
        self.words = scanner.words
        self._folder = folder
        small = scanner.book.cues.get("small")
        self.places = tuple(self._all_places())
        self._finder = NameFinder(self.places, self.world.language.code, small)

    @classmethod
    def of(cls, world: str, language: str, data: Path | None = None) -> "ProseReader":
        return _reader(world, language, data)

    def _all_places(self) -> Iterator[Place]:
        for domain in self.world.schema.places:
            if domain.name_slot:
                for row in self.world.tables[domain.key]:
                    yield domain.key, str(row[domain.name_slot.key])

    def read(self, reply: str, context: ReadingContext | None = None) -> Reading:
        return ReplyReader(self, reply, context or ReadingContext()).read()

    def is_foreign(self, text: str) -> str:
        """The code of the language a text is in where it is not this one; empty: it is this one."""
        code = self.world.language.code
        guessed = guess_language(text)
        if guessed in (code, ""):
            letters = sum(each.isalpha() for each in text)
            strange = not guessed and letters >= LONG_TEXT and not self._knows_words(text)
            return UNKNOWN if strange else ""
        return guessed

    def _knows_words(self, text: str) -> bool:
        words = plain(text).split()
        known = sum(self.scanner.book.knows(word) for word in words)
        return known >= KNOWN_SHARE * len(words)

    def named_in(self, text: str) -> Place | None:
        """The place whose name, perhaps inflected, a short text is."""
        found = self._finder.find(plain(text))
        whole = [each for each in found if each.share >= SURE]
        if len(whole) == 1 and whole[0].end - whole[0].start >= 0.6 * len(plain(text)):
            return whole[0].places[0]
        return self._inflected(plain(text).split()) if self._inflects else None

    @property
    def _inflects(self) -> bool:
        return self.scanner.facts.writing.inflects

    def _inflected(self, words: list[str]) -> Place | None:
        """The one place whose name has the same words with other endings."""
        found = []
        for place in self.places:
            names = plain(place[1]).split()
            if len(names) == len(words) and all(map(same_beginning, words, names)):
                alike = sum(map(alike_letters, words, names))
                if alike >= SAME_LETTERS * sum(map(len, words)):
                    found.append((alike, place))
        return max(found)[1] if found else None


LONG_TEXT: Final = 40
"""Letters of a text whose language should be known by its words."""


KNOWN_SHARE: Final = 0.2
"""Share of words that mean something, below which a text is in another language."""


@lru_cache(maxsize=8)
def _reader(world: str, language: str, data: Path | None) -> ProseReader:
    folder = find_world(world)
    ours = load_world(world, language=language, data=data)
    others = [
        load_world(world, language=code, data=data)
        for code in languages_of(folder)
        if code != ours.language.code
    ]
    return ProseReader(Scanner(ours, folder, others), folder)
