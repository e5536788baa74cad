"""Spotting: everything known that stands in an utterance."""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Mention, NameFinder, Place
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.quantities import Quantities
from crosstalk.language.values import TERMS, Spotted, Vocabulary
from crosstalk.simulation.assistant.asking import QUESTION_MARKS
from crosstalk.simulation.assistant.sentences import Leaning
from crosstalk.simulation.assistant.session import Asked, Session
from crosstalk.simulation.assistant.utterance import ORDINALS, Named, Span, Utterance, opened, spans

NAME_EXPECTED: Final = (Asked.NAME, Asked.PLACE, Asked.NEAR, Asked.DEPARTURE, Asked.DESTINATION)
"""Questions that are answered with a name, so that a part of one is enough."""
LONGEST_ANSWER: Final = 5
"""Words of an answer that is a name."""
CLOSE: Final = 6
"""Characters between a word for "near" and what it belongs to."""
FEW: Final = 3
"""Places of a kind of which the first is meant where one is a landmark."""
BESIDE: Final = 1
"""Characters between a name and the word that says what it is."""


class Spotter:
    """Finds names, values, kinds of places, numbers and cues of one world in one language."""

    def __init__(self, world: World, book: Phrasebook) -> None:
        self._book = book
        self._places_of = frozenset(domain.key for domain in world.schema.places)
        self.quantities = Quantities(book)
        self._names = NameFinder(world, book.cues.get("small"))
        self._vocabularies = [
            Vocabulary(world, domain, slot, book)
            for domain in world.schema.places
            for slot in domain.of_kind(*TERMS)
        ]
        self._name_slots = {d.key: d.name_slot.key for d in world.schema.places if d.name_slot}
        self._kinds = {
            (domain, word): _of_kind(world, domain, self._name_slots[domain], word)
            for domain, words in book.kinds.items()
            if domain in self._name_slots
            for word in words
        }

    def spot(self, words: str, session: Session) -> Utterance:
        """Everything in a plain text that is known, in the light of what was asked last."""
        asked = session.question.asked if session.question else None
        expected = asked in NAME_EXPECTED and len(words.split()) <= LONGEST_ANSWER
        found = [each for each in self._names.find(words) if not self._is_known(each, words)]
        mentions = [each for each in found if each.sure] or [
            each
            for each in found
            if expected or self._may_be_name(words, words[each.start : each.end])
        ]
        text, names = opened(words, mentions, self.quantities)
        values = [each for vocabulary in self._vocabularies for each in vocabulary.find(text)]
        kinds = list(self._spot_kinds(text))
        said = Utterance(text, names, values, kinds, self.quantities.find(text), self._book)
        only = {each: named for each in kinds if (named := self._only(each, said))}
        said.names += only.values()
        said.kinds = [each for each in kinds if each not in only]
        said.domains = [each for each in said.domains if not _titles(each, said.names)]
        values = self._fitting(said, session)
        said.unwanted = [each for each in values if said.takes_back(each)]
        said.values = [each for each in values if each not in said.unwanted]
        return said

    def _is_known(self, mention: Mention, words: str) -> bool:
        """Whether what resembles a name is a value, or a part of a question: `a subway stop`."""
        text = words[mention.start : mention.end]
        here = Span("", mention.start, mention.end)
        phrases = {**self._book.slots, **self._book.cues}
        if mention.share < 1 and here.within(list(spans(words, phrases))):
            return True
        return any(
            each.alone and each.end - each.start == len(text)
            for vocabulary in self._vocabularies
            if mention.share < 1 or vocabulary.kind is SlotKind.SERVICES
            for each in vocabulary.find(text)
        )

    def _may_be_name(self, utterance: str, words: str) -> bool:
        """Whether some word that may be a part of a name has no other meaning.

        A single word of a name says little in a long utterance: `my wife and I`.
        """
        if " " not in words and len(utterance.split()) > LONGEST_ANSWER + 2:
            return False
        kinds = [called for kinds in self._book.kinds.values() for called in kinds.values()]
        return any(
            not self._book.knows(word)
            and not any(called.search(word) for called in kinds)
            and not any(vocabulary.find(word) for vocabulary in self._vocabularies)
            for word in words.split()
        )

    def _spot_kinds(self, text: str) -> Iterator[Spotted]:
        for domain, word in self._kinds:
            for match in self._book.kinds[domain][word].finditer(text):
                slot = self._name_slots[domain]
                yield Spotted(domain, slot, word, match.start(), match.end())

    def _only(self, kind: Spotted, said: Utterance) -> Named | None:
        """The one place of a kind, where there is but one: `the zoo`.

        Who wants to be near the lighthouse means the first of three things that are called so.
        """
        places = self._kinds[kind.domain, kind.value]
        first = places[0][1] if places else ""
        close = any(0 <= kind.start - cue.end <= CLOSE for cue in said.cue("near", "closer"))
        few = close and len(places) <= FEW
        if not places or not (few or all(first in name for _, name in places)):
            return None
        return Named(places[:1], kind.start, kind.end, 1.0, True)

    def _fitting(self, said: Utterance, session: Session) -> list[Spotted]:
        """Of the values spotted, those of domains spoken of; of two at one place, one."""
        named = {each.key for each in said.domains} | {each.domain for each in said.kinds}
        places = named & self._places_of

        def rank(each: Spotted) -> tuple[bool, bool, int]:
            return each.domain not in places, each.domain != session.focus, each.start - each.end

        kept: list[Spotted] = []
        for each in sorted(said.values, key=rank):
            known = each.domain in places or each.domain == session.focus
            behind_near = any(0 <= each.start - cue.end <= CLOSE for cue in said.cue("near"))
            if behind_near and not each.alone:
                continue  # what follows "near" is a place, known or not
            clear = all(each.end <= other.start or other.end <= each.start for other in kept)
            if clear and (known or (each.alone and not places)):
                kept.append(each)
        return kept

    def leaning(self, text: str) -> Leaning:
        """Whether a sentence speaks of what is around a place, and whether it names the place."""
        words = plain(text)
        if any(self._book.has(ordinal, words) for ordinal in ORDINALS):
            return Leaning.NAMED
        if not self._book.has("around", words) and not self._book.has("near", words):
            return Leaning.NOT
        if not any(mention.sure for mention in self._names.find(words)):
            return Leaning.BACK
        asks = any(mark in text for mark in QUESTION_MARKS)
        return Leaning.NAMED if asks else Leaning.NOT


def _titles(word: Span, names: Sequence[Named]) -> bool:
    """Whether a word only says what a name beside it is: `the restaurant Golden Pleat`."""
    return any(
        min(abs(each.start - word.end), abs(word.start - each.end)) <= BESIDE
        and any(place[0] == word.key for place in each.places)
        for each in names
    )


def _of_kind(world: World, domain: str, slot: str, word: str) -> tuple[Place, ...]:
    names = [str(row[slot]) for row in world.tables[domain]]
    return tuple((domain, name) for name in names if plain(word) in plain(name))
