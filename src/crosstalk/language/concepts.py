"""Concepts: the phrases of a book that are pointed out to the reader, and what each may mean."""

import re
from collections.abc import Iterator
from typing import Final

from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.language.units import units

Concept = tuple[str, str]
"""What kind of thing is said, and which."""
_HOLES: Final = re.compile(r"\{[^}]*\}")


def everyday(book: TrainingPhrases) -> Iterator[str]:
    """All there is in a book besides names of values, without the holes."""
    say, ask = book.say, book.ask
    several = [say.greet, say.thank, say.bye, say.nothing, say.before, say.after, say.correction]
    several += [ask.frames, ask.of, book.near.place, book.near.there]
    several += [*book.want.values(), *book.rides.values(), *book.near.the.values()]
    for asked in ask.slots.values():
        several += [asked.nouns, asked.say]
    for domain in book.domains.values():
        several += [domain.words, domain.it, domain.find, domain.go]
    for phrases in several:
        for phrase in phrases:
            yield _HOLES.sub(" ", phrase)


def concepts(book: TrainingPhrases) -> Iterator[tuple[str, Concept]]:
    """Phrases worth pointing out to the reader, and what each may mean."""
    for act, phrases in (
        ("greet", book.say.greet),
        ("thank", book.say.thank),
        ("bye", book.say.bye),
        ("correction", book.say.correction),
    ):
        yield from ((phrase, ("say", act)) for phrase in phrases)
    for key, domain in book.domains.items():
        yield from ((word, ("domain", key)) for word in domain.words)
    for slot, asked in book.ask.slots.items():
        for phrase in (*asked.nouns, *asked.say):
            yield from ((part, ("ask", slot)) for part in _solid(phrase))
    for phrase in (*book.near.place, *book.near.there):
        yield from ((part, ("near", "place")) for part in _solid(phrase, least=1))
    for number, alias in enumerate(book.values):
        for phrase in (*alias.say, *alias.adj):
            yield phrase, ("value", " ".join([*alias.slots, str(number)]))
    for kind in ("below", "above", "about", "money", "points"):
        for phrase in getattr(book.numbers, kind):
            yield from ((part, ("number", kind)) for part in _solid(phrase, least=1))
    yield from ((word, ("number", "word")) for word in book.numbers.words)


def _solid(phrase: str, *, least: int = 2) -> Iterator[str]:
    """The stretches of a phrase between its holes that are long enough to mean something."""
    parts = [part.strip() for part in _HOLES.split(phrase)]
    if len(parts) == 1:
        yield phrase
    else:
        yield from (part for part in parts if len(units(part)) >= least)
