"""Polarity and alternatives: whether a value is wanted, excluded or no longer matters; *or*.

`A museum or a garden`, `lamb or duck` are one constraint that either value meets.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.schema import EITHER, SERVICE_MARK
from crosstalk.language.names import Place
from crosstalk.language.phrases import Grammar
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    DOMAIN,
    HARD,
    KIND,
    NAME,
    SLOT,
    SOFT,
    VALUE,
    Hit,
    Utterance,
)

CLOSE: Final = 16
"""Characters between two alternatives: `, or perhaps a `."""

Meant = tuple[Hit, Sequence[Act]]
Kinds = Mapping[tuple[str, str], Sequence[Place]]
"""Domain and word for a kind of places -> the places that are called so."""


def with_kinds(said: Utterance, name_slots: dict[str, str]) -> list[Hit]:
    """The hits; the one place of a kind is that kind beside another one: `a museum or a zoo`."""
    kinds = [hit for hit in said.hits if hit.kind == KIND]
    return [
        replace(hit, kind=KIND, key=name_slots[hit.domain], places=())
        if hit.kind == NAME and hit.value and _has_alternative(said, hit, kinds)
        else hit
        for hit in said.hits
    ]


def with_chains(said: Utterance, name_slots: dict[str, str], kinds: Kinds) -> list[Hit]:
    """The hits; a name that several houses have is their kind where any of them is searched for."""
    looked_for = said.has("search", "opener", "anyone") and not said.of(SLOT)
    return [_chain(hit, name_slots, kinds) if looked_for else hit for hit in said.hits]


def _chain(hit: Hit, name_slots: dict[str, str], kinds: Kinds) -> Hit:
    keys = {key for key, _ in hit.places}
    domain = keys.pop() if hit.kind == NAME and len(keys) == 1 else ""
    words = [word for key, word in kinds if key == domain]
    shared = [word for word in words if all(word in name for _, name in hit.places)]
    word = max(shared, key=len, default="")
    one = len(hit.places) == 1 and hit.places[0][1] != word
    if not word or one or len(kinds[domain, word]) == 1:
        return hit
    return replace(hit, kind=KIND, domain=domain, key=name_slots[domain], value=word, places=())


def _has_alternative(said: Utterance, hit: Hit, kinds: Sequence[Hit]) -> bool:
    pairs = [sorted((hit, kind), key=lambda each: each.start) for kind in kinds]
    return any(hit.domain == kind.domain for kind in kinds) and any(
        _joint(said, *pair) == "or" for pair in pairs
    )


def _joint(said: Utterance, one: Hit, other: Hit) -> str:
    """What joins two hits: `or`, a comma, or nothing that makes alternatives of them."""
    between = said.text[one.end : other.start]
    if len(between) > CLOSE or HARD in between or said.has_in(one.end, other.start, "and", "but"):
        return ""
    if any(hit.kind != "cue" and one.end <= hit.start < other.start for hit in said.hits):
        return ""
    if said.has_in(one.end, other.start, "or"):
        return "or"
    return SOFT if between.strip() == SOFT else ""


def joined(said: Utterance, meant: Sequence[Meant]) -> Iterator[Act]:
    """The acts of values, those of alternatives as one act."""
    runs: list[list[Meant]] = []
    for each in sorted(meant, key=lambda pair: pair[0].start):
        if runs and _continues(said, runs[-1][-1], each):
            runs[-1].append(each)
        else:
            runs.append([each])
    for run in runs:
        joints = [_joint(said, a[0], b[0]) for a, b in pairwise(run)]
        if "or" in joints:
            yield _either([acts[0] for _, acts in run])
        else:
            yield from (act for _, acts in run for act in acts)


def _continues(said: Utterance, one: Meant, other: Meant) -> bool:
    (before, acts), (hit, more) = one, other
    wanted = len(acts) == len(more) == 1 and acts[0].intent == more[0].intent == INFORM
    same = (before.domain, before.key) == (hit.domain, hit.key)
    return wanted and same and bool(_joint(said, before, hit))


def _either(acts: Sequence[Act]) -> Act:
    first = acts[0]
    slot, mark, _ = first.slot.partition(SERVICE_MARK)
    if mark:
        services = dict.fromkeys(act.slot.partition(SERVICE_MARK)[2] for act in acts)
        return replace(first, slot=slot + mark + EITHER.join(services))
    return replace(first, value=EITHER.join(dict.fromkeys(act.value for act in acts)))


REACH: Final = 32
REACH_UNSPACED: Final = 10
"""Characters between a negation and what it governs."""
BEHIND: Final = 8
"""Characters between a value and a phrase such as *doesn't matter*."""
FAR_BEHIND: Final = 24
"""The same where the phrase ends the clause and nothing else known stands between."""
ANSWERED: Final = 12
"""Characters after a *no* in which a constraint begins that it does not govern."""
NEXT: Final = 3
"""Characters after an enumeration in which a word sums it up: `these`."""
SHORT: Final = 4
"""Letters of a *no* that is an answer and governs nothing."""


ASKING: Final = ("search", "opener", "but", "near", "correction", "negator")
"""Cues that say something of their own between a value and a phrase after it."""


NEARNESS: Final = ("near", "near_weak", "closer", "around")
"""Cues of which a negation may be a part: `far from`."""


class Polarity(StrEnum):
    """How a value is meant."""

    WANTED = "wanted"
    EXCLUDED = "excluded"
    DROPPED = "dropped"


class Polarities:
    """The polarity of each value of an utterance; an enumeration shares that of its first."""

    def __init__(self, said: Utterance, grammar: Grammar, negates: Callable[[str], bool]) -> None:
        """`negates`: whether a text begins with a negation."""
        self._said = said
        self._negates = negates
        self._grammar = grammar
        self._reach = REACH if grammar.spaced else REACH_UNSPACED
        self._spans: dict[tuple[int, int], Polarity] = {}
        governed = [hit for hit in said.hits if hit.kind in (VALUE, KIND, NAME, SLOT)]
        alone = list({(hit.start, hit.end): hit for hit in governed}.values())
        previous: Hit | None = None
        for hit in alone:
            self._set(hit, self._judge(hit, previous))
            previous = hit
        self._spread_back(alone)

    def of(self, hit: Hit) -> Polarity:
        return self._spans.get((hit.start, hit.end), Polarity.WANTED)

    def _set(self, hit: Hit, polarity: Polarity) -> None:
        self._spans[hit.start, hit.end] = polarity

    def negator_before(self, hit: Hit) -> bool:
        """Whether a negation directly precedes a hit, except for an article, or overlaps it."""
        return any(
            (
                0 <= hit.start - cue.end <= 2 + self._article(cue.end, hit.start)
                or (cue.start <= hit.start <= cue.end <= hit.end and hit.key in NEARNESS)
            )
            and cue is not hit
            and not self._is_harmless(cue)
            for cue in self._said.cues("negator", "instead_of")
        )

    def _article(self, start: int, end: int) -> int:
        """Letters of an article that stands between, and a space."""
        between = self._said.text[start:end].strip()
        articles = self._said.cues("indefinite", "definite")
        found = any(start <= cue.start and cue.end <= end for cue in articles)
        return len(between) + 1 if found and " " not in between else 0

    def is_dropped(self, cue: Hit) -> bool:
        """Whether what a cue says no longer matters: `it need not be near the zoo`."""
        return self._precedes("drop", cue)

    def is_refused(self, hit: Hit) -> bool:
        """Whether words that withdraw a constraint can also exclude: `leave out the fish`."""
        if self._follows("after_negator", hit):
            return True
        negators = {(cue.start, cue.end) for cue in self._said.cues("negator")}
        drops = [cue for cue in self._said.cues("drop") if cue.end <= hit.start]
        return bool(drops) and (drops[-1].start, drops[-1].end) in negators

    def _judge(self, hit: Hit, previous: Hit | None) -> Polarity:
        if hit.kind != SLOT and self._precedes("except", hit):
            return Polarity.EXCLUDED
        if self._follows("suffices", hit):
            return Polarity.WANTED
        if self._follows("after_drop", hit) or (hit.kind == SLOT and self._is_indifferent(hit)):
            return Polarity.DROPPED
        if self._precedes("drop", hit) or self._precedes("instead_of", hit):
            return Polarity.DROPPED
        if hit.kind != SLOT and (
            self._precedes("negator", hit)
            or self._follows("after_negator", hit)
            or self._is_absent(hit)
        ):
            waived = self._follows("waived", hit)  # no parking needed, without a pool is fine
            return Polarity.DROPPED if waived else Polarity.EXCLUDED
        before = self.of(previous) if previous else Polarity.WANTED
        waived = self._follows("waived", hit)  # no duck then, noodles are fine
        if self._negates(self._said.text[hit.start : hit.end]):
            return Polarity.WANTED  # no fish and meatless
        if previous and before is not Polarity.WANTED and self._continues(previous, hit):
            return Polarity.WANTED if waived else before
        return Polarity.WANTED

    def _is_absent(self, hit: Hit) -> bool:
        """`Where there is a pool not`: a *no* directly after a value, that ends the clause."""
        _, end = self._said.clause(hit.start)
        return not self._said.is_asked(hit.start) and any(
            0 <= cue.start - hit.end <= 1 and not self._said.text[cue.end : end].strip()
            for cue in self._said.cues("no")
        )

    def _is_indifferent(self, hit: Hit) -> bool:
        """`Any price is fine`, `I don't mind about the rating`."""
        start, end = self._said.clause(hit.start)
        return self._said.has_in(start, end, "dontcare")

    def _precedes(self, key: str, hit: Hit) -> bool:
        start, _ = self._said.clause(hit.start)
        cues = [cue for cue in self._said.cues(key) if start <= cue.start and cue.end <= hit.start]
        cues = [cue for cue in cues if not self._is_answer(cue) and not self._is_harmless(cue)]
        cues = [cue for cue in cues if not self._is_or(cue, start)]
        return bool(cues) and self._governs(cues[-1], hit)

    def _governs(self, cue: Hit, hit: Hit) -> bool:
        if hit.start - cue.end > self._reach:
            return False
        between = self._between(cue.end, hit.start)
        if any(each.kind in (VALUE, KIND, NAME, AMOUNT) for each in between):
            return False
        return not self._said.has_in(
            cue.end, hit.start, "but", "near", "closer", "from", "correction"
        )

    def _is_harmless(self, cue: Hit) -> bool:
        """Arabic *ma*, which is *not* and *what*; the *no* of *no, I mean*."""
        return any(
            cue.start < other.end and other.start < cue.end
            for other in self._said.cues("not_negator")
        ) or any(
            other.start <= cue.start and cue.end < other.end
            for other in self._said.cues("correction")
        )

    def _is_or(self, cue: Hit, start: int) -> bool:
        """Whether a negation only joins what stands before it, which is not negated."""
        joins = any(o.start <= cue.start and cue.end <= o.end for o in self._said.cues("or"))
        before = [
            hit for hit in self._between(start, cue.start) if (hit.start, hit.end) in self._spans
        ]
        return joins and bool(before) and self.of(before[-1]) is Polarity.WANTED

    def _is_answer(self, cue: Hit) -> bool:
        """A *no* at the beginning that answers something: `no I want a pool`."""
        start, _ = self._said.sentence(cue.start)
        opens = not self._said.text[start : cue.start].strip()
        answers = any(
            each.start == cue.start and each.end == cue.end for each in self._said.cues("no")
        )
        said = self._said.cues("search", "opener", "correction")
        wants = any(
            cue.end <= each.start < cue.end + ANSWERED
            and not any(h.kind in (VALUE, KIND, NAME) for h in self._between(cue.end, each.start))
            for each in said
        )
        return opens and answers and wants and cue.end - cue.start <= SHORT

    def _follows(self, key: str, hit: Hit) -> bool:
        _, end = self._said.clause(hit.start)
        for cue in self._said.cues(key):
            if hit.end <= cue.start < end and cue.start - hit.end <= self._behind(hit, cue, end):
                between = self._between(hit.end, cue.start)
                if not any(self._parts(each, hit) for each in between):
                    return True
        return False

    def _behind(self, hit: Hit, cue: Hit, end: int) -> int:
        """How far after a value a phrase may stand: `spa and all that stuff I don't need`."""
        last = not self._said.text[cue.end : end].strip()
        between = self._between(hit.end, cue.start)
        others = [each for each in between if each.kind != CUE or each.key in ASKING]
        others = [each for each in others if (each.kind, each.key) != (DOMAIN, hit.domain)]
        return FAR_BEHIND if last and not others and self._reach == REACH else BEHIND

    def _parts(self, between: Hit, hit: Hit) -> bool:
        """Whether something stands between a value and a phrase that is not about the value."""
        if between.kind == SLOT:
            return between.key.rpartition(".")[2] != hit.key  # no fish on the menu
        return between.kind in (VALUE, KIND, AMOUNT, NAME)

    def _spread_back(self, governed: Sequence[Hit]) -> None:
        """`Churches, temples and the like neither`: what follows an enumeration is about all."""
        spread: set[Hit] = set()
        for hit, following in reversed(list(pairwise(governed))):
            negated = self.of(following)
            behind = any(self._follows(key, following) for key in ("after_negator", "after_drop"))
            comma = SOFT in self._said.text[hit.end : following.start]
            joined = not comma or self._said.has_in(hit.end, following.start, "and", "or", "too")
            joined = joined or self._said.has_in(following.end, following.end + NEXT, "among")
            joined = (joined and not self._is_but(hit, following)) or self._is_clause(hit)
            changes = self.of(hit) is Polarity.WANTED and negated is not Polarity.WANTED
            if not changes or not self.lists(hit, following):
                continue
            if (behind and joined) or following in spread:
                self._set(hit, negated)
                spread.add(hit)

    def _is_but(self, one: Hit, other: Hit) -> bool:
        """Whether two values are set against each other: `with a pool, but no sauna`."""
        joins = self._said.cues("and")
        return any(
            one.end <= cue.start < other.start
            and not any(each.start <= cue.start and cue.end < each.end for each in joins)
            for cue in self._said.cues("but")
        )

    def _is_clause(self, hit: Hit) -> bool:
        """Whether a value is all that stands between two marks: `spa, sauna, I need none`."""
        start, end = self._said.clause(hit.start)
        return self._said.text[start:end].strip() == self._said.text[hit.start : hit.end]

    def _continues(self, previous: Hit, hit: Hit) -> bool:
        """Whether a value goes on with the enumeration before it: `no museums or churches`."""
        said = self._said
        if not self._is_joined(previous, hit) or self._precedes("instead_of", previous):
            return False  # instead of duck lamb
        if said.has_in(previous.end, hit.start, "or"):
            return hit.start - previous.end <= self._reach
        if said.has_in(previous.end, hit.start, "indefinite", "search", "near", "but"):
            return False
        comma = said.text.find(SOFT, previous.end, hit.start)
        if comma >= 0 and hit.kind == previous.kind == NAME:
            return False  # not the zoo, the aquarium
        if comma >= 0 and said.has_in(previous.end, comma, "and", "too"):
            return False  # no duck then, lamb
        return self.lists(previous, hit)

    def _is_joined(self, one: Hit, other: Hit) -> bool:
        """Whether something joins two values: a mark, a word, or *and* written with the second."""
        text = self._said.text
        joined = text.startswith(self._grammar.joined_and, other.start)
        return bool(text[one.end : other.start].strip()) or joined or not self._grammar.spaced

    def lists(self, one: Hit, other: Hit) -> bool:
        """Whether only words such as *and* stand between two values."""
        text = list(self._said.text[one.end : other.start])
        for cue in self._said.cues("and", "or", "too", "definite"):
            for at in range(max(cue.start, one.end), min(cue.end, other.start)):
                text[at - one.end] = " "
        left = "".join(text).replace(SOFT, " ").split()
        return not left

    def _between(self, start: int, end: int) -> list[Hit]:
        return [hit for hit in self._said.hits if start <= hit.start and hit.end <= end]
