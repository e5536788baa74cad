"""Questions and their answers in the conversations of a log, as articles with provenance.

A conversation that somebody opens with a question gives at most one article: what its asker says
before anybody answers, or when asked back, and what one of the others answers. Questions, greetings
and bots are no answers. How sure an article is follows from the links between its lines.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from rapidfuzz import fuzz

from crosstalk.chatlogs.conversation_threads import Thread, ThreadLine
from crosstalk.chatlogs.linking.line_columns import BOT_NAME, WORDS, WordKind

ASKS: Final = re.compile(r"[?？؟]")
ASKING: Final = frozenset((WORDS[WordKind.ASKING] + " " + WORDS[WordKind.TROUBLE]).split())
THANKS: Final = frozenset(WORDS[WordKind.THANKS].split())
SMALL_TALK: Final = frozenset(
    " ".join(
        WORDS[kind] for kind in (WordKind.GREETING, WordKind.THANKS, WordKind.SHORT_ANSWER)
    ).split()
)
FEWEST_WORDS: Final = 4
"""A question and an answer of fewer words tell a later reader nothing."""
CONTINUED_FOR: Final = 10 * 60
"""Seconds within which an answer goes on."""
ALIKE: Final = 90
"""Questions whose words are alike to so many of 100 are one."""
RAREST: Final = 3
WORD: Final = re.compile(r"\w[\w./+'-]*\w|\w")


@dataclass(frozen=True, slots=True)
class Article:
    """A question and its answer, with the lines that they come from."""

    channel: str
    conversation: str
    question: Thread
    answer: Thread
    confidence: float
    """The probability that all its lines belong together, by the links between them."""
    thanked: bool = False
    """Whether the asker thanked for the answer."""
    also: tuple["Article", ...] = ()
    """The same question in other conversations."""

    @property
    def asked(self) -> str:
        return _text(self.question)

    @property
    def answered(self) -> str:
        return _text(self.answer)

    @property
    def rank(self) -> tuple[float, bool, int]:
        """The surest article is the highest."""
        return self.confidence, self.thanked, -self.question[0].message.time


def _text(lines: Thread) -> str:
    return "\n".join(line.text for line in lines)


def article_of(thread: Thread, channel: str = "", name: str = "") -> Article | None:
    """Return the question that opens a conversation and its surest answer; None without one."""
    asker = thread[0].speaker
    trust = _trust(thread)
    opening = _question(thread, asker)
    if not opening or _is_bot(asker):
        return None
    found = []
    for added, answer in _answers(thread, asker, _orders(opening)):
        question = (*opening, *added)
        sure = min(trust[line.order] for line in (*question[1:], *answer))
        thanked = _is_thanked(thread, asker, answer)
        if _is_enough(answer, thanked):
            found.append(Article(channel, name, question, answer, sure, thanked))
    return max(found, key=_worth, default=None)


def _is_enough(answer: Thread, thanked: bool) -> bool:
    """Tell whether a reader learns something: from any word at all if the asker gave thanks."""
    words = [word for word in words_of(_text(answer)) if word not in SMALL_TALK]
    return len(words) >= (1 if thanked else FEWEST_WORDS)


def _worth(article: Article) -> tuple[bool, float, int]:
    """Of several answers one that the asker thanks for is the best, then the surest."""
    return article.thanked, article.confidence, len(article.answered)


def _trust(thread: Thread) -> dict[int, float]:
    """Return the probability of the links that lead from each line to the first."""
    trust: dict[int, float] = {}
    for line in thread:
        sure = 1.0 if line.confidence is None else line.confidence
        trust[line.order] = trust.get(line.parent, 1.0) * (sure if trust else 1.0)
    return trust


def _question(thread: Thread, asker: str) -> Thread:
    """Return what the asker says before anybody else; empty if it asks nothing."""
    lines: list[ThreadLine] = []
    for line in thread:
        if line.speaker != asker:
            break
        lines.append(line)
    words = words_of(_text(tuple(lines)))
    is_asked = ASKS.search(_text(tuple(lines))) or not ASKING.isdisjoint(words)
    return tuple(lines) if is_asked and len(words) >= FEWEST_WORDS else ()


def _answers(thread: Thread, asker: str, asked: set[int]) -> Iterator[tuple[Thread, Thread]]:
    """Yield the answer of each person, after what the asker adds when that person asks back."""
    own: dict[str, list[ThreadLine]] = {}
    added: dict[str, list[ThreadLine]] = {}
    for line in thread:
        person = line.speaker
        if person == asker:
            for helper, lines in own.items():
                if all(map(_asks, lines)) and line.parent in _orders(lines):
                    added.setdefault(helper, []).append(line)
        elif not _is_bot(person):
            said, open_lines = own.get(person), asked | _orders(added.get(person, ()))
            if said is None and line.parent in asked:
                own[person] = [line]
            elif said is not None and _goes_on(said, line, open_lines):
                said.append(line)
    for person, lines in own.items():
        told = tuple(line for line in lines if not _asks(line))
        if told and (told[0] == lines[0] or person in added):
            yield tuple(added.get(person, ())), told


def _asks(line: ThreadLine) -> bool:
    return ASKS.search(line.text) is not None


def _orders(lines: Iterable[ThreadLine]) -> set[int]:
    return {line.order for line in lines}


def _goes_on(said: list[ThreadLine], line: ThreadLine, open_lines: set[int]) -> bool:
    soon = line.message.time - said[-1].message.time <= CONTINUED_FOR
    return soon and (line.parent in open_lines or line.parent == said[-1].order)


def _is_thanked(thread: Thread, asker: str, answer: Thread) -> bool:
    answered = _orders(answer)
    return any(
        line.speaker == asker
        and line.parent in answered
        and not THANKS.isdisjoint(words_of(line.text))
        for line in thread
    )


def _is_bot(person: str) -> bool:
    return bool(BOT_NAME.match(person))


def words_of(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def ranked(articles: Iterable[Article]) -> list[Article]:
    """Return the articles by how sure they are, each question once."""
    best = sorted(articles, key=lambda each: each.rank, reverse=True)
    words = {id(each): frozenset(words_of(each.asked)) - SMALL_TALK for each in best}
    frequency: dict[str, int] = {}
    for those in words.values():
        for word in those:
            frequency[word] = frequency.get(word, 0) + 1
    kept: list[list[Article]] = []
    by_word: dict[str, list[int]] = {}
    for article in best:
        rarest = sorted(words[id(article)], key=lambda word: (frequency[word], word))[:RAREST]
        near = sorted({place for word in rarest for place in by_word.get(word, ())})
        same = next((place for place in near if _is_same(kept[place][0], article)), None)
        if same is not None:
            kept[same].append(article)
            continue
        for word in rarest:
            by_word.setdefault(word, []).append(len(kept))
        kept.append([article])
    return [replace(first, also=tuple(others)) for first, *others in kept]


def _is_same(one: Article, other: Article) -> bool:
    return fuzz.token_sort_ratio(one.asked.casefold(), other.asked.casefold()) >= ALIKE
