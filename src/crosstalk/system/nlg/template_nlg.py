"""Generation from templates: each value is said once, in as few sentences as the templates allow.

    TemplateNLG(keys, bank, AnyTemplate(), pack).say(acts, Random(1))

Acts that no template says together are divided into the fewest groups that templates can say
(`fewest_groups`). A chooser decides which template of a group is said: a random one, or the most
central one (`MostCentral`).
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import Final, Protocol, TypeVar

from crosstalk.dialogue.acts import EXCLUDE, GENERAL, INFORM, RECOMMEND, REQUEST, Act
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.language.tokenize import wording
from crosstalk.language.writing import writing_of
from crosstalk.system.nlg.act_keys import PART, ActKeys, SpokenAct
from crosstalk.system.nlg.template_bank import Hole, Template, TemplateBank, Unit, values_of

Item = TypeVar("Item")

Weight = Callable[[tuple[Item, ...]], float]
"""How well templates say a set of units together; 0: not at all."""

AT_ONCE: Final = 10
"""Most units that are divided together: 10 have 1,024 subsets."""


def fewest_groups(units: Sequence[Item], weight: Weight[Item]) -> list[tuple[Item, ...]]:
    """The units in the fewest sets that templates can say; of equal numbers, the higher weight.

    A unit without any template stands alone. Sets come in the order of their first units.
    """
    if len(units) > AT_ONCE:
        return [*fewest_groups(units[:AT_ONCE], weight), *fewest_groups(units[AT_ONCE:], weight)]
    weights = {subset: weight(_members(units, subset)) for subset in range(1, 1 << len(units))}
    best: dict[int, tuple[int, float, int]] = {0: (0, 0.0, 0)}
    for done in range(1, 1 << len(units)):
        best[done] = min(_ways(done, weights, best))
    pieces, left = [], (1 << len(units)) - 1
    while left:
        piece = best[left][2]
        pieces.append(piece)
        left &= ~piece
    return [_members(units, piece) for piece in sorted(pieces, key=lambda piece: piece & -piece)]


def _ways(
    done: int, weights: dict[int, float], best: dict[int, tuple[int, float, int]]
) -> list[tuple[int, float, int]]:
    """How to say the units of `done`: sets, their weights (negative: less is better), last set."""
    ways, lowest, subset = [], done & -done, done
    while subset:
        alone = subset == lowest
        if subset & lowest and (weights[subset] or alone):
            sets, worth, _ = best[done & ~subset]
            ways.append((sets + 1, worth - weights[subset], subset))
        subset = (subset - 1) & done
    return ways


def _members(units: Sequence[Item], subset: int) -> tuple[Item, ...]:
    return tuple(unit for at, unit in enumerate(units) if subset >> at & 1)


Gram = tuple[str, ...]
"""Words in a row; a hole counts as one, and is written as in a template."""

_ORDERS: Final = (1, 2, 3, 4)


class Chooser(Protocol):
    """Chooses among the templates of one group, repetitions included."""

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        """One of the templates; `group` always has the same ones."""
        ...

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        """The templates, each once, the best first."""
        ...


@dataclass(frozen=True, slots=True)
class AnyTemplate:
    """A random template; for hand-written ones."""

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        return rng.choice(templates)

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        return rng.sample(distinct := list(dict.fromkeys(templates)), len(distinct))


@dataclass(frozen=True, slots=True)
class InOrder:
    """The first template; for banks whose templates are ranked."""

    def choose(self, group: Hashable, templates: Sequence[Template], rng: Random) -> Template:
        return templates[0]

    def rank(self, group: Hashable, templates: Sequence[Template], rng: Random) -> list[Template]:
        return list(templates)


@dataclass(frozen=True)
class MostCentral:
    """The template that shares most n-grams with the others of its group (minimum Bayes risk).

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
        """The gain of a template, given as its n-grams by length."""
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
    """Words and holes, without white space."""
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


Piece = tuple[Unit, ...]
"""What one template says."""
Pick = Callable[[Hashable, Sequence[Template]], Template]
"""One of the templates of a group."""


class TemplateNLG:
    """Says acts with templates of a bank."""

    def __init__(
        self, keys: ActKeys, bank: TemplateBank, chooser: Chooser, language: LanguagePack
    ) -> None:
        self._keys = keys
        self._bank = bank
        self._chooser = chooser
        self._language = language
        self._divisions: dict[Piece, list[Piece]] = {}

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        def pick(group: Hashable, templates: Sequence[Template]) -> Template:
            return self._chooser.choose(group, templates, rng)

        spoken, units = self._units(acts)
        return self._sentences(spoken, self._divide(units), pick)

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        """Different wordings: the one of `say` first, act by act last."""
        spoken, units = self._units(acts)
        seen = {first := self.say(acts, rng)}
        yield first
        for number in range(1, most):
            text = self._sentences(spoken, self._divide(units), self._nth(number, rng))
            if text not in seen:
                seen.add(text)
                yield text
        if len(units) > 1:
            apart = sorted(((unit,) for unit in units), key=self._place)
            yield self._sentences(spoken, apart, self._nth(0, rng))

    def _nth(self, number: int, rng: Random) -> Pick:
        """Picks the n-th best template, counting on from the first after the last."""

        def pick(group: Hashable, templates: Sequence[Template]) -> Template:
            ranked = self._chooser.rank(group, templates, rng)
            return ranked[number % len(ranked)]

        return pick

    def _units(self, acts: Sequence[Act]) -> tuple[tuple[SpokenAct, ...], Piece]:
        spoken = self._keys.in_order(acts)
        return spoken, tuple(Counter(each.key for each in spoken).items())

    def _sentences(self, spoken: Sequence[SpokenAct], pieces: Sequence[Piece], pick: Pick) -> str:
        sentences: list[str] = []
        told: set[str] = set()
        for piece in pieces:
            about = {_domain(key) for key, _ in piece}
            ours = [each for each in spoken if each.key in dict(piece)]
            sentences += self._say_piece(piece, ours, bool(about & told), pick)
            told |= about
        return self._joined(sentences)

    def _divide(self, units: Piece) -> list[Piece]:
        if units not in self._divisions:
            at_once = not units or self._bank.find(units)
            pieces = [units] if at_once else fewest_groups(units, self._weight)
            self._divisions[units] = sorted(pieces, key=self._place) if units else pieces
        return self._divisions[units]

    def _place(self, piece: Piece) -> tuple[int, bool]:
        """Where a piece stands among the others: of equal ones, those that name a place first."""
        return self._keys.stage(piece[0][0]), not any(self._keys.names(key) for key, _ in piece)

    def _weight(self, units: Piece) -> float:
        """How often the bank says these units together; 1 for a hundred templates or more."""
        return min(1.0, self._bank.count(units) / 100)

    def _say_piece(
        self, piece: Piece, spoken: Sequence[SpokenAct], continuing: bool, pick: Pick
    ) -> list[str]:
        templates = self._bank.find(piece, continuing=continuing)
        if templates:
            return [pick((piece, continuing), templates).fill(values_of(spoken))]
        if len(spoken) > 1:
            return [
                sentence
                for each in spoken
                for sentence in self._say_piece(((each.key, 1),), [each], continuing, pick)
            ]
        if all(each.act.intent == GENERAL for each in spoken) and (least := self._bank.find(())):
            return [pick(((), continuing), least).fill({})]
        return [self._plain(each.act) for each in spoken]

    def _plain(self, act: Act) -> str:
        """For acts without any template: the names of domain and slot, and the value."""
        pack = self._language
        slot, _, service = act.slot.partition(SERVICE_MARK)
        if act.intent == EXCLUDE:
            return f"{pack.domain_name(act.domain)}, {pack.slot_name(act.domain, slot)} " + (
                f"({act.value}): {pack.no}"
            )
        if act.intent not in (INFORM, RECOMMEND, REQUEST):
            return PART.join((act.intent, pack.domain_name(act.domain), act.value))
        name = f"{pack.domain_name(act.domain)}, {pack.slot_name(act.domain, slot)}"
        if service:
            name = f"{name}: {service}"
        return f"{name}?" if act.intent == REQUEST else f"{name}: {act.value}"

    def _joined(self, sentences: Sequence[str]) -> str:
        if len(sentences) == 1:
            return sentences[0]
        space = self._language.goal.sentence_space if self._language.goal else " "
        return space.join(self._ended(sentence.strip()) for sentence in sentences)

    def _ended(self, sentence: str) -> str:
        """The sentence with a full stop where it ends in a letter or digit."""
        if sentence and unicodedata.category(sentence[-1])[0] in "LN":
            return sentence + writing_of(self._language.code).full_stop
        return sentence


def _domain(key: str) -> str:
    return key.split(PART)[1]
