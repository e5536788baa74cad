"""Listening: from words to what was said about which domain, in the light of the talk so far.

    Listener(world, book).hear("a cheap hotel near the zoo", session)

Names, numbers, values and cues are looked for in plain text; where they stand to each other says
what they mean.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.schema import SlotKind
from crosstalk.pipelines.assistant.asking import QUESTION_MARKS, Questions
from crosstalk.pipelines.assistant.heard import Heard
from crosstalk.pipelines.assistant.names import Mention, NameFinder, Place
from crosstalk.pipelines.assistant.phrases import Phrasebook
from crosstalk.pipelines.assistant.plain import plain, tidy
from crosstalk.pipelines.assistant.quantities import Quantities
from crosstalk.pipelines.assistant.relating import Near, Relations
from crosstalk.pipelines.assistant.sentences import Leaning
from crosstalk.pipelines.assistant.session import Asked, Session
from crosstalk.pipelines.assistant.utterance import ORDINALS, Named, Span, Utterance, opened
from crosstalk.pipelines.assistant.vocabulary import TERMS, Spotted, Vocabulary
from crosstalk.pipelines.assistant.wanting import Wants

NAME_EXPECTED: Final = (Asked.NAME, Asked.PLACE, Asked.NEAR, Asked.DEPARTURE, Asked.DESTINATION)
"""Questions that are answered with a name, so that a part of one is enough."""
LONGEST_ANSWER: Final = 5
"""Words of an answer that is a name."""
CLOSE: Final = 6
"""Characters between a word for "near" and what it belongs to."""
BESIDE: Final = 1
"""Characters between a name and the word that says what it is."""
MOST_DOUBTS: Final = 5
"""Places to choose from where it is not clear which was meant."""


class Listener:
    """Understands one world in one language by its words."""

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
        self._relations = Relations(world.schema, book)
        self._wants = Wants(world)
        self._questions = Questions(world.schema)

    def hear(self, text: str, session: Session) -> Heard:
        shown = tidy(text)
        words = plain(shown)
        said = self._spot(words, session)
        near = self._relations.near(said, session)
        ride, ends = self._relations.ride(said, session, bool(near.targets))
        targets = [] if ride else self._targets(said, near.used)
        used = [*near.used, *ends.used]
        names = [each for each in said.names if each.sure and each not in used]
        named = [place[0] for each in names for place in each.places]
        focus = [*targets, *named] or [each.domain for each in said.values]
        wishes, asked = self._questions.turned(
            said, shown, session, self._wants.find(said, focus, session)
        )
        wanted = [domain for domain, _, _ in wishes if domain]
        if near.place and wanted and not asked:  # "anything free near it?"
            near = Near(dict.fromkeys(wanted, near.place))
        # who asks what is near something wants to hear of several, and goes on about that thing
        lists = near.targets and not wishes and self._questions.is_question(said, shown)
        about = [place[0] for place in near.targets.values() if place] if lists else focus
        asked = [*self._questions.find(said, about, session, wishes), *asked]
        if near.asked and not asked and not self._questions.is_question(said, shown):
            wishes.append(("", SlotKind.NEARBY, ""))  # "near the zoo": what is to be near it?
        asked = asked or near.asked
        forgets = said.has("dontcare")
        expected = bool(asked or near.targets or ride)
        places, doubtful = self._places(said, used, targets, expected, session)
        cues = [each.key for each in said.moves]
        cues += ["distance"] * near.compared + ["listing"] * bool(lists)
        if near.used:  # others than the place named, not others than those offered
            cues = [cue for cue in cues if cue != "another"]
        return Heard(
            text=shown,
            plain=words,
            cues=frozenset(cues),
            domains=tuple(targets),
            places=places,
            doubtful=doubtful,
            wishes=tuple(wishes),
            asked=() if forgets else tuple(dict.fromkeys(asked)),
            near=near.targets,
            ride=ride,
            ends=ends.places,
            dropped=tuple(asked) if forgets else (),
            unwanted=tuple((each.domain, each.slot, each.value) for each in said.unwanted),
            unexplained=said.unexplained,
        )

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

    # What stands in the text

    def _spot(self, words: str, session: Session) -> Utterance:
        asked = session.question.asked if session.question else None
        expected = asked in NAME_EXPECTED and len(words.split()) <= LONGEST_ANSWER
        found = [each for each in self._names.find(words) if not self._is_value(each, words)]
        mentions = [each for each in found if each.sure] or [
            each
            for each in found
            if expected or self._may_be_name(words, words[each.start : each.end])
        ]
        text, names = opened(words, mentions, self.quantities)
        values = [each for vocabulary in self._vocabularies for each in vocabulary.find(text)]
        kinds = list(self._spot_kinds(text))
        said = Utterance(text, names, values, kinds, self.quantities.find(text), self._book)
        said.names += [named for each in kinds if (named := self._only(each))]
        said.kinds = [each for each in kinds if not self._only(each)]
        said.domains = [each for each in said.domains if not _titles(each, said.names)]
        values = self._fitting(said, session)
        said.unwanted = [each for each in values if said.takes_back(each)]
        said.values = [each for each in values if each not in said.unwanted]
        return said

    def _is_value(self, mention: Mention, words: str) -> bool:
        """Whether what resembles a name is a value, word for word."""
        text = words[mention.start : mention.end]
        return mention.share < 1 and any(
            each.alone and each.end - each.start == len(text)
            for vocabulary in self._vocabularies
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

    def _only(self, kind: Spotted) -> Named | None:
        """The one place of a kind, where there is but one: `the zoo`."""
        places = self._kinds[kind.domain, kind.value]
        first = places[0][1] if places else ""
        if not places or any(first not in name for _, name in places):
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

    # What it is about

    def _targets(self, said: Utterance, used: Sequence[object]) -> list[str]:
        """Domains of places that are sought, in order."""
        found = [each.key for each in said.domains if each not in used]
        found += [each.domain for each in said.kinds]
        return list(dict.fromkeys(key for key in found if key in self._places_of))

    def _places(
        self,
        said: Utterance,
        used: Sequence[object],
        targets: Sequence[str],
        expected: bool,
        session: Session,
    ) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
        """Places named for their own sake, and those of which one was meant."""
        places: list[Place] = []
        doubtful: list[Place] = []
        alone = not (targets or said.values or said.kinds or said.quantities)
        for each in said.names:
            if each in used or not (each.sure or expected or alone):
                continue
            meant = self._meant(each, targets, session)
            if len(meant) == 1:
                places += meant
            else:
                doubtful += meant[:MOST_DOUBTS]
        return tuple(dict.fromkeys(places)), tuple(dict.fromkeys(doubtful))

    def _meant(self, named: Named, targets: Sequence[str], session: Session) -> tuple[Place, ...]:
        """What a name means: of the domains named, of the focus, of the last list, or anything."""
        named_too = tuple(place for place in named.places if place[0] in targets)
        focused = tuple(place for place in named.places if place[0] == session.focus)
        listed = tuple(place for place in named.places if place in session.listed)
        if named_too:
            return named_too
        for few in (focused, listed):
            if len(few) == 1:
                return few
        return named.places


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
