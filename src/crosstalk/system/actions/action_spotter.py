"""Which action a text asks for: by the phrases of its world, else by the words of its name.

ActionSpotter(ActionLanguage(world)).find("could you book us a table")   ->  [book_table]
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.dialogue.actions import Action
from crosstalk.language.normalize import plain
from crosstalk.language.patterns import pattern
from crosstalk.language.writing import writing_of
from crosstalk.system.actions.action_language import ActionLanguage

SHORTEST: Final = 4
"""Letters that two words must have in common at their beginning to be one word."""
COMPOUND: Final = 6
"""Letters of a word that may be the end of a longer one: *Busfahrscheine*."""
ALIKE: Final = 0.7
"""Share of the longer word that the common beginning must be."""

PARTLY: Final = 0.6
"""Share of the words of a name that is enough for an action on what was done before."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way of asking for an action."""

    action: Action
    said: re.Pattern[str]
    letters: int
    """Letters of the phrase: a longer one says more."""


class ActionSpotter:
    """Finds the actions that texts of one language ask for."""

    def __init__(self, language: ActionLanguage) -> None:
        self._language = language
        self._code = language.pack.code

    def find(self, text: str) -> list[Action]:
        """The actions whose phrases or names say most of a text; several if it is undecided."""
        words = plain(text)
        scores: dict[Action, int] = {}
        for way in self._ways:
            if way.said.search(words):
                scores[way.action] = max(scores.get(way.action, 0), way.letters)
        for action, letters in self._named(words):
            scores[action] = max(scores.get(action, 0), letters)
        best = max(scores.values(), default=0)
        return [action for action, score in scores.items() if score == best]

    def partly(self, text: str) -> list[Action]:
        """Actions most words of whose names are in a text: `cancel the room`."""
        if not writing_of(self._code).spaced:
            return []
        said = plain(text).split()
        shares = {
            action: sum(any(_alike(each, word) for word in said) for each in name) / len(name)
            for action, name in self._names.items()
            if len(name) > 2
        }
        best = max(shares.values(), default=0)
        return [action for action, share in shares.items() if share == best >= PARTLY]

    def names_thing(self, action: Action, text: str) -> bool:
        """Whether a text has a word of the action's name that is of its tables alone: *tickets*."""
        said = plain(text).split()
        return any(_alike(each, word) for each in self._things[action] for word in said)

    @cached_property
    def _things(self) -> dict[Action, list[str]]:
        """Words of names, without those that actions on other tables have too: *book*."""
        return {
            action: [
                word
                for word in name
                if not any(
                    any(_alike(word, each) for each in others)
                    and not set(action.tables) & set(other.tables)
                    for other, others in self._names.items()
                )
            ]
            for action, name in self._names.items()
        }

    def by_verb(self, text: str) -> list[Action]:
        """The actions whose own word, or one that means the same, is in a text: `cancel it`."""
        words = plain(text)
        said = words.split() if writing_of(self._code).spaced else []
        return [
            action
            for action, (own, same) in self._verbs.items()
            if any(_alike(each, word) for each in own for word in said)
            or (same and same.search(words))
        ]

    @cached_property
    def _verbs(self) -> dict[Action, tuple[list[str], re.Pattern[str] | None]]:
        """What tells actions on the same tables apart: *cancel* of *cancel a room*; synonyms."""
        groups = self._language.words.synonyms
        verbs: dict[Action, tuple[list[str], re.Pattern[str] | None]] = {}
        for action in self._language.world.schema.actions:
            name = plain(self._language.does(action))
            own = [word for word in self._names[action] if not self._is_shared(action, word)]
            own = [word for word in own if not self._names_domain(action, word)] or own
            same = [each for group in groups if _has_any(name, own, group) for each in group]
            verbs[action] = own, (pattern(same, self._code) if same else None)
        return verbs

    def _names_domain(self, action: Action, word: str) -> bool:
        """Whether a word is what an action is about by the name of its domain: *book a tour*."""
        if not action.domain:
            return False
        names = plain(self._language.pack.domain_name(action.domain)).split()
        book = self._language.book
        called = book.domains.get(action.domain) if book else None
        return any(_alike(word, each) for each in names) or bool(called and called.fullmatch(word))

    def _is_shared(self, action: Action, word: str) -> bool:
        """Whether a word says what an action is about, not what is done with it."""
        return any(
            _alike(word, each)
            for other, others in self._names.items()
            if other != action and set(action.tables) & set(other.tables)
            for each in others
        )

    @cached_property
    def _ways(self) -> tuple[_Way, ...]:
        """Phrases of the world, and the names of actions word for word."""
        schema, phrases = self._language.world.schema, self._language.words.phrases
        return tuple(
            _Way(action, pattern([phrase], self._code), len(_letters(phrase)))
            for action in schema.actions
            for phrase in (self._language.does(action), *phrases.get(action.key, ()))
        )

    def _named(self, words: str) -> Iterator[tuple[Action, int]]:
        """Actions all words of whose names are in a text, in any order and inflected."""
        if not writing_of(self._code).spaced:
            return
        said = words.split()
        for action, name in self._names.items():
            if len(name) > 1 and all(any(_alike(each, word) for word in said) for each in name):
                yield action, sum(map(len, name))

    @cached_property
    def _names(self) -> dict[Action, tuple[str, ...]]:
        """Words of names that say something; names of one such word are found as a whole alone."""
        book = self._language.book
        small = book.cues.get("small") if book else None
        articles = set(writing_of(self._code).articles)
        return {
            action: tuple(
                word
                for word in plain(self._language.does(action)).split()
                if word not in articles and not (small and small.fullmatch(word))
            )
            for action in self._language.world.schema.actions
        }


def _has_any(name: str, words: Sequence[str], group: Sequence[str]) -> bool:
    """Whether a name of an action has one of the words that mean the same."""
    said = [plain(each) for each in group]
    return any(each in words for each in said) or (not words and any(each in name for each in said))


def _letters(phrase: str) -> str:
    return plain(phrase.replace("...", " "))


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, by their common beginning."""
    common = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    shorter, longer = sorted((one, other), key=len)
    is_part = len(shorter) >= COMPOUND and longer.endswith(shorter)
    alike = common >= SHORTEST and common >= ALIKE * max(len(one), len(other))
    return one == other or is_part or alike
