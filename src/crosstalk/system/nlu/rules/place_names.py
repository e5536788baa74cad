"""Names of places in an utterance: those that are meant, told from words that mean otherwise."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from crosstalk.language.names import PLAIN, SURE, Mention, NameFinder, Place, overlaps
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.values import Vocabularies
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.utterance import MARKS

DOMAIN_SHARE: Final = 0.3
KIND_SHARE: Final = 0.5
"""How much words such as *hotel* and *museum* count in a name."""
LONGEST_ANSWER: Final = 5
"""Words of an answer that is a name."""
Span = tuple[int, int]


class PlaceNames:
    """Finds the names that are meant in an utterance."""

    def __init__(
        self,
        places: Iterable[Place],
        book: Phrasebook,
        values: Vocabularies,
        cues: Mapping[str, re.Pattern[str]],
    ) -> None:
        """`cues`: phrases of which a name may not be a part."""
        self._book = book
        self._spaced = book.grammar.spaced
        self._names = NameFinder(places, book.language, book.cues.get("small"), _common(book))
        self._values = values
        self._cues = cues
        # asked for every mention of a text: a page of names took a second, most of it here
        self._phrases = lru_cache(maxsize=4)(self._phrases_of)
        self._called_things = lru_cache(maxsize=4)(self._called_things_of)

    def find(self, words: str, context: TurnContext) -> list[Mention]:
        expected = context.question is not None and len(words.split()) <= LONGEST_ANSWER
        found = self._names.find(words, (*context.recent, *context.listed))
        kept = [each for each in found if self._is_name(each, words, context)]
        sure = [each for each in kept if each.sure or self.was_spoken_of(each, context)]
        if not sure:
            sure = [each for each in kept if expected or self._may_be_name(words, each)]
        sure = [self._with_spoken_of(each, words, context) for each in sure]
        firm = [each for each in sure if each.sure or self.was_spoken_of(each, context)]
        called = list(self._called(words, firm, context))
        sure = [each for each in sure if not overlaps(each, called)]
        return sorted([*sure, *called], key=lambda each: each.start)

    def _called(
        self, words: str, mentions: Sequence[Mention], context: TurnContext
    ) -> Iterator[Mention]:
        """Places called by one word of their names: `the Belvedere`."""
        known = {*context.recent, *context.listed}
        for each in self._names.rare(words, known, context.place_domain):
            text = words[each.start : each.end]
            free = all(each.end <= other.start or other.end <= each.start for other in mentions)
            part = self._is_phrase(each, words) or self._is_part(each, words)
            part = part or self._is_one_of_many(each, words)
            meant = each.sure or self._is_pointed(each, words)
            if free and meant and not part and self._is_distinctive(text):
                yield replace(each, share=SURE)

    def _with_spoken_of(self, mention: Mention, words: str, context: TurnContext) -> Mention:
        """`The Foghorn`, after the Foghorn Hostel was mentioned: that one may be meant."""
        if self.was_spoken_of(mention, context):
            return mention
        said = f" {words[mention.start : mention.end]} "
        longer = [place for place in context.recent if said in f" {plain(place[1])} "]
        return replace(mention, places=(*longer, *mention.places)) if longer else mention

    def _is_one_of_many(self, mention: Mention, words: str) -> bool:
        """Whether an indefinite article makes a common word of it: `a table`."""
        article = self._book.cues.get("indefinite")
        before = words[: mention.start].rstrip()
        found = article.finditer(before) if article and self._spaced else ()
        return any(each.end() == len(before) for each in found)

    def was_spoken_of(self, mention: Mention, context: TurnContext) -> bool:
        """Whether a part of a name means a place that was told before."""
        return any(place in context.recent for place in mention.places)

    def _is_name(self, mention: Mention, words: str, context: TurnContext) -> bool:
        text = words[mention.start : mention.end]
        if any(mark in text for mark in MARKS):
            return False
        whole = any(plain(name) == text for _, name in mention.places)
        if not self._spaced and self._is_called(text):
            return False
        said = whole or mention.share == 1.0  # a branch is not always said
        if said and (" " in text or not self._spaced):
            return True
        if self._is_phrase(mention, words) or self._is_kind(text):
            return False
        if not (whole or self._spaced or self._is_meant(mention, words)):
            return False
        if any(
            each.alone and each.end - each.start == len(text) for each in self._values.find(text)
        ):
            return False
        known = mention.share >= PLAIN or self.was_spoken_of(mention, context)
        known = known or (mention.sure and self._is_close(text))
        nearly = known and " " in text
        return whole or nearly or not self._spaced or self._is_distinctive(text)

    def _is_close(self, text: str) -> bool:
        """Whether no function word parts the words: `city wall`, not `night at the hotel`."""
        small = self._book.cues.get("small")
        return not any(small and small.fullmatch(word) for word in text.split())

    def _is_called(self, text: str) -> bool:
        """Whether a text is what people call values: a restaurant's name may be `铜锅涮肉`."""
        for table in self._book.values.values():
            for words in table.values():
                text = words.sub("", text)
        return not text.strip()

    def _is_meant(self, mention: Mention, words: str) -> bool:
        """Whether a part of a name that says little by itself is pointed at: `海莫拉那家`."""
        text, rest = words[mention.start : mention.end], words[mention.end :].lstrip()
        light = any(each.fullmatch(text) for each in self._book.light)
        pointed = self._book.cues.get("definite")
        return not light or bool(pointed and pointed.match(rest))

    def _is_pointed(self, mention: Mention, words: str) -> bool:
        """Whether a short part of a name is under discussion as a place: `船坞那家`, `船坞呢`."""
        rest = words[mention.end :].lstrip()
        pointed, too = self._book.cues.get("definite"), self._book.cues.get("too")
        if pointed and pointed.match(rest):
            return True
        before = words[max(words.rfind(mark, 0, mention.start) for mark in MARKS) + 1 :]
        alone = words[mention.end : mention.end + 3].strip(MARKS + " ")
        opens = before.lstrip().startswith(words[mention.start : mention.end])
        return opens and bool(too and too.fullmatch(alone))

    def _is_phrase(self, mention: Mention, words: str) -> bool:
        """Whether what resembles a part of a name belongs to a longer phrase."""
        return _within(mention, self._phrases(words))

    def _phrases_of(self, words: str) -> tuple[Span, ...]:
        """Where a text has phrases and values that a part of a name may belong to."""
        patterns = [*self._book.slots.values(), *self._cues.values()]
        patterns += self._book.unsupported.values()
        spans = (each.span() for pattern in patterns for each in pattern.finditer(words))
        whole = [each for each in spans if not self._book.gapped.fullmatch(words, *each)]
        values = ((each.start, each.end) for each in self._values.find(words) if each.alone)
        return (*whole, *values)

    def _is_part(self, mention: Mention, words: str) -> bool:
        """Whether a word belongs to what people call a domain, a kind of place or a value."""
        return _within(mention, self._called_things(words))

    def _called_things_of(self, words: str) -> tuple[Span, ...]:
        tables = [*self._book.kinds.values(), *self._book.values.values(), self._book.domains]
        patterns = (pattern for table in tables for pattern in table.values())
        return tuple(each.span() for pattern in patterns for each in pattern.finditer(words))

    def _is_kind(self, text: str) -> bool:
        return any(
            called.fullmatch(text)
            for table in self._book.kinds.values()
            for called in table.values()
        )

    def _is_distinctive(self, text: str) -> bool:
        if not self._spaced:
            return not self._is_kind(text) and not self._is_all_otherwise(text)
        return any(not self._means_otherwise(word) for word in text.split())

    def _is_all_otherwise(self, text: str) -> bool:
        """Whether a stretch means something else as a whole: `海鲜`, not `中央市场`."""
        kinds = [found for words in self._kinds() if (found := words.search(text))]
        if any(len(found[0]) + 1 >= len(text) for found in kinds):
            return True
        if any(each.end - each.start + 1 >= len(text) for each in self._values.find(text)):
            return True
        return self._book.knows(text) or any(each.fullmatch(text) for each in self._book.light)

    def _kinds(self) -> Iterator[re.Pattern[str]]:
        for table in self._book.kinds.values():
            yield from table.values()

    def _means_otherwise(self, word: str) -> bool:
        if (
            word.isdigit()
            or self._book.knows(word)
            or any(light.fullmatch(word) for light in self._book.light)
        ):
            return True
        kinds = [called for kinds in self._book.kinds.values() for called in kinds.values()]
        return any(called.search(word) for called in kinds) or any(self._values.find(word))

    def _may_be_name(self, words: str, mention: Mention) -> bool:
        """A single word of a name says little in a long utterance: `my wife and I`."""
        text = words[mention.start : mention.end]
        if self._spaced and " " not in text and len(words.split()) > LONGEST_ANSWER + 2:
            return False
        return self._is_distinctive(text)

    def corrected(self, words: str, stretches: Sequence[str]) -> str:
        """The text with the names that some stretches of it resemble."""
        for stretch in stretches:
            for part, name in self._names.resembling(stretch):
                words = words.replace(part, name)
        return words


def _within(mention: Mention, spans: Iterable[Span]) -> bool:
    return any(start <= mention.start and mention.end <= end for start, end in spans)


def _common(book: Phrasebook) -> list[tuple[re.Pattern[str], float]]:
    kinds = [words for table in book.kinds.values() for words in table.values()]
    titles = [book.cues["title"]] if "title" in book.cues else []
    return [
        *((words, DOMAIN_SHARE) for words in (*book.domains.values(), *titles)),
        *((words, KIND_SHARE) for words in kinds),
    ]
