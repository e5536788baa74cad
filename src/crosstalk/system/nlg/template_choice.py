"""Which template of a group to say: any of them, or the one that most people's words support."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import Final, Protocol

from crosstalk.language.tokenize import wording
from crosstalk.system.nlg.templates import Hole, Template

Gram = tuple[str, ...]
"""Words in a row; a hole counts as one, and is written as in a template."""

_ORDERS: Final = (1, 2, 3, 4)


class Chooser(Protocol):
    """Chooses among the templates of one group, each as often as it was said."""

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        """One of the templates; `group` always has the same ones."""
        ...

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        """The templates, each once, the one to be said first in front."""
        ...


@dataclass(frozen=True, slots=True)
class AnyTemplate:
    """Each saying is as likely as the next: for templates written by hand."""

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        return rng.choice(templates)

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        return rng.sample(distinct := list(dict.fromkeys(templates)), len(distinct))


@dataclass(frozen=True, slots=True)
class InOrder:
    """For templates that stand in the order of their rank already."""

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        return templates[0]

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        return list(templates)


@dataclass(frozen=True)
class MostCentral:
    """The template expected to share most n-grams with what other people say (minimum Bayes risk).

    The gain of a template is BLEU's, made linear around the precision that is usual: every n-gram
    is worth the chance that somebody else says it too, less that usual precision; and words that a
    template is shorter than the others cost, as they do under a brevity penalty. Chances come from
    the group itself, the template's own saying left out. The constants were chosen on CrossWOZ's
    val; scores there move by less than .005 when they change by a fifth.
    """

    language: str
    usual: tuple[float, ...] = (0.95, 0.88, 0.80, 0.72)
    """The precision of 1- to 4-grams that a template must reach to gain anything."""
    others: tuple[float, float] = (0.2, 0.85)
    """So many other people answer at once: a * n ** b where n said something in training. A corpus
    a tenth as large has a tenth of them, but they copy from themselves."""
    brevity: float = 0.6
    """What a missing word costs, in words."""

    _ranked: dict[Hashable, list[Template]] = field(default_factory=dict, init=False, repr=False)

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        return self.rank(group, templates, rng)[0]

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        if group not in self._ranked:
            self._ranked[group] = self.ranked(templates)
        return self._ranked[group]

    def ranked(self, templates: Sequence[Template]) -> list[Template]:
        """Each once, most central first; of equal ones, the one that came first."""
        sayings = Counter(templates)
        tokens = {template: tokenise(template, self.language) for template in sayings}
        said = {template: all_grams(tokens[template]) for template in sayings}
        group = _Group(sayings, said, self)
        return sorted(sayings, key=lambda template: -group.gain(said[template]))


class _Group:
    def __init__(
        self, sayings: Counter[Template], said: dict[Template, list[list[Gram]]], by: MostCentral
    ) -> None:
        self._by = by
        self._size = sayings.total()
        self._others = max(1.0, by.others[0] * self._size ** by.others[1])
        sayers: Counter[Gram] = Counter()
        self._lengths: Counter[int] = Counter()
        for template, count in sayings.items():
            self._lengths[len(said[template][0])] += count
            for gram in set(chain.from_iterable(said[template])):
                sayers[gram] += count
        self._chance = {gram: self._said_again(count) for gram, count in sayers.items()}

    def gain(self, said: list[list[Gram]]) -> float:
        """Of a template, given as its n-grams by length."""
        total = 0.0
        for grams, usual in zip(said, self._by.usual, strict=True):
            total += sum(self._chance[gram] for gram in grams) / usual - max(1, len(grams))
        length = len(said[0])
        return total / len(said) - self._by.brevity * (self._closest_length(length) - length)

    def _said_again(self, count: int) -> float:
        """The chance that one of the others says what `count` people said in training."""
        share = (count - 1) / max(1, self._size - 1)
        return float(1 - (1 - share) ** self._others)

    def _closest_length(self, length: int) -> float:
        """The expected length of what comes closest in length among the others."""
        expected, before, nearer = 0.0, 1.0, 0
        for other in sorted(self._lengths, key=lambda other: (abs(other - length), other)):
            nearer += self._lengths[other] - (other == length)
            still = (1 - nearer / max(1, self._size - 1)) ** self._others
            expected += other * (before - still)
            before = still
        return expected + length * before


def tokenise(template: Template, language: str) -> Gram:
    """Words and holes; white space is no word."""
    tokens: list[str] = []
    for part in template.parts:
        if isinstance(part, Hole):
            tokens.append(f"[{part.key}{part.number}]")
        else:
            tokens += wording(part, language)
    return tuple(tokens)


def all_grams(tokens: Gram) -> list[list[Gram]]:
    """The n-grams of each length."""
    return [[tokens[at : at + n] for at in range(len(tokens) - n + 1)] for n in _ORDERS]
