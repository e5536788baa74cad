"""Segmentation of an utterance into parts that are each about one domain.

`A hotel near the zoo, and is there a bar?` has two. Anchors are the words for domains and kinds of
places; a part ends at a sentence, a mark or an *and* between two anchors. Questions about a place
that is known are parts of their own.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from crosstalk.dialogue.schema import SlotKind
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.number_slots import COUNTED
from crosstalk.system.nlu.rules.polarity import Polarities, Polarity
from crosstalk.system.nlu.rules.segments import NearPlace, ReadingRules, UtteranceSegment, key_of
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    DOMAIN,
    KIND,
    MARKS,
    NAME,
    SLOT,
    VALUE,
    Hit,
    Utterance,
)

WISH_OPENS: Final = 4
"""Characters after a mark in which another constraint begins, in a language without spaces."""
DONE: Final = 12
"""Characters between a word for a domain and one that says it comes first: `dinner is over`."""
OPENS: Final = 4
"""Characters at the beginning of a sentence in which it goes on with the one before."""


class Segmenter:
    """Divides one utterance into parts that are each about one domain."""

    def __init__(
        self,
        rules: ReadingRules,
        said: Utterance,
        context: TurnContext,
        polarity: Polarities,
        used: set[Hit],
    ) -> None:
        """`used`: hits that mean something else already, such as the places of a ride."""
        self._rules = rules
        self._schema = rules.schema
        self._said = said
        self._context = context
        self._polarity = polarity
        self._used = used
        self._places = {domain.key for domain in rules.schema.places}

    def segments(self, nears: Sequence[NearPlace]) -> list[UtteranceSegment]:
        """The parts of the utterance in order, each with the places it shall be near."""
        anchors = self._anchors()
        cuts = [0]
        heads: list[Hit | None] = [anchors[0] if anchors else None]
        for one, other in pairwise(anchors):
            head = heads[-1] or one
            if key_of(other) == key_of(head) and not self._asks_around(one, other):
                continue
            cut = self._cut(one.end, other.start)
            if cut is not None:
                cuts.append(cut)
                heads.append(other)
        ends = [*cuts[1:], len(self._said.text)]
        segments = [UtteranceSegment(*each) for each in zip(cuts, ends, heads, strict=True)]
        segments = questions_apart(
            self._said, segments, nears, bool(self._context.last.get(self._context.place_domain))
        )
        segments = [part for segment in segments for part in self._by_sentences(segment)]
        self._share(segments)
        for near in nears:
            for segment in self._near_to(near, segments):
                segment.near.append(near)
        self._share_near(segments)
        return segments

    def _share(self, segments: Sequence[UtteranceSegment]) -> None:
        """`A hotel and a bar, both under 100`: what follows *both* is said of each of them."""
        last = segments[-1]
        anchored = [segment for segment in segments if segment.anchor]
        behind = last.anchor.end if last.anchor else last.end
        cues = [cue for cue in self._said.cues("both") if behind <= cue.start < last.end]
        if len(anchored) < 2 or not cues:
            return
        for segment in anchored:
            segment.is_one_of_several = True
            if segment is not last:
                segment.shared = (cues[0].start, last.end)

    def _near_to(
        self, near: NearPlace, segments: Sequence[UtteranceSegment]
    ) -> list[UtteranceSegment]:
        """The segments that a place nearby is said of.

        It is said of all where it comes before them (`near the zoo I need a hotel and a bar`),
        after *both*, or at the end of an enumeration: `a hotel and a bar near the zoo`.
        """
        here = next(segment for segment in segments if segment.holds(near.cue))
        holding = [segment for segment in segments if segment.holds(near.cue)]
        holding += [
            each
            for each in enumerated(self._said, self._polarity, segments, here)
            if each not in holding
        ]
        searched = [segment for segment in segments if segment.anchor]
        if len(searched) < 2 or not near.source or near.source.kind != NAME:
            return holding
        first, last = searched[0], searched[-1]
        before = first.anchor is not None and near.cue.end <= first.anchor.start
        if before and self._said.sentence(near.cue.start)[1] >= last.start:
            return searched
        others = [segment for segment in searched if segment is not last]
        if last in holding and not any(
            has_constraint(self._said, each) or each.near for each in others
        ):
            return searched
        return holding

    def _asks_around(self, one: Hit, other: Hit) -> bool:
        """Whether a sentence asks what else of a domain is near the place wanted before it."""
        start, end = self._said.sentence(other.start)
        wishes = any(
            start <= hit.start < end and hit.kind in (VALUE, AMOUNT, NAME)
            for hit in self._said.hits
        )
        near = self._said.has_in(start, end, "near", "around") and self._said.is_asked(other.start)
        return near and not wishes and one.end <= start and self._wishes_before(start)

    def _wishes_before(self, end: int) -> bool:
        kinds = (VALUE, AMOUNT)
        return any(hit.kind in kinds and hit.end <= end for hit in self._said.hits)

    def _share_near(self, segments: Sequence[UtteranceSegment]) -> None:
        """`Which hotels and restaurants are nearby`: one word for *near*, said of both."""
        for one, other in (*pairwise(segments), *pairwise(reversed(segments))):
            nears = [near for near in one.near if near.place and not near.closer]
            if nears and not other.near and self._is_listed_with(one, other):
                other.near += nears

    def _is_listed_with(self, one: UtteranceSegment, other: UtteranceSegment) -> bool:
        """Whether a part is only a word for a domain, in the same question as another one."""
        if one.anchor is None or other.anchor is None or not self._said.is_asked(one.anchor.start):
            return False
        same = self._said.sentence(one.anchor.start) == self._said.sentence(other.anchor.start)
        kinds = (VALUE, AMOUNT, NAME, SLOT, KIND)
        hits = [hit for hit in self._said.hits if other.holds(hit) and hit not in self._used]
        return same and not any(hit.kind in kinds for hit in hits)

    def _by_sentences(self, segment: UtteranceSegment) -> list[UtteranceSegment]:
        """Sentences that ask for a slot and name no domain are parts by themselves."""
        if segment.anchor is None:
            return [segment]
        parts: list[UtteranceSegment] = []
        start = segment.start
        while start < segment.end:
            end = min(max(self._said.sentence(start)[1], start + 1), segment.end)
            hits = [hit for hit in self._said.hits if start <= hit.start < end]
            here = start <= segment.anchor.start < end
            anchor = None if not here and self._asks_alone(hits, segment) else segment.anchor
            if parts and parts[-1].anchor is anchor:
                parts[-1] = UtteranceSegment(parts[-1].start, end, anchor)
            else:
                parts.append(UtteranceSegment(start, end, anchor))
            start = end
        return parts

    def _asks_alone(self, hits: Sequence[Hit], segment: UtteranceSegment) -> bool:
        """Whether a sentence with these hits asks of a place, and names no domain."""
        counted = [hit for hit in hits if hit.kind == AMOUNT and hit.key in COUNTED]
        kinds = {hit.kind for hit in hits if hit not in self._used and hit not in counted}
        if kinds & {DOMAIN, KIND, AMOUNT} or not segment.anchor:
            return False
        if NAME in kinds:
            return SLOT in kinds and self._said.is_asked(hits[0].start)
        values = [hit for hit in hits if hit.kind == VALUE]
        if not values:
            return SLOT in kinds and not any(hit.key == "anyone" for hit in hits)
        asked = self._said.is_asked(values[0].start) and not self._picks_out(hits)
        follows = segment.anchor.end <= hits[0].start
        return asked and all(
            hit.domain != key_of(segment.anchor) or (follows and self._is_service(hit))
            for hit in values
        )

    def _picks_out(self, hits: Sequence[Hit]) -> bool:
        """Whether a place is searched for that has something: `is there one with a pool?`."""
        return any(hit.kind == CUE and hit.key in ("anyone", "another", "which") for hit in hits)

    def _is_service(self, hit: Hit) -> bool:
        domain = self._schema.domain(hit.domain)
        slot = domain.slot(hit.key) if domain else None
        return slot is not None and slot.kind is SlotKind.SERVICES

    def _anchors(self) -> list[Hit]:
        found = [h for h in self._said.of(DOMAIN) if h.key in self._places and h not in self._used]
        kinds = [
            h
            for h in self._said.of(KIND)
            if h not in self._used and self._polarity.of(h) is Polarity.WANTED
        ]
        found = [hit for hit in found if not self._is_title(hit)]
        found = [hit for hit in found if not self._is_put_off(hit)] or found
        found = [hit for hit in found if not is_done(self._said, hit, [*found, *kinds])]
        if self._rules.grammar.near_follows:
            found = [hit for hit in found if not is_nearness(self._said, hit, [*found, *kinds])]
        meant = [hit for hit in found if not self._polarity.negator_before(hit)]
        found = meant if meant or kinds else found  # not a hotel, a restaurant
        return sorted([*found, *kinds], key=lambda hit: hit.start)

    def _is_put_off(self, word: Hit) -> bool:
        """`Food can wait`: whether what a word names is to be discussed later."""
        return self._said.has_in(*self._said.clause(word.start), "later")

    def _is_title(self, word: Hit) -> bool:
        """Whether a word only says what a name beside it is: `the restaurant Golden Pleat`."""
        return any(
            min(abs(each.start - word.end), abs(word.start - each.end)) <= 1
            and any(place[0] == word.key for place in each.places)
            for each in self._said.of(NAME)
        )

    def _cut(self, start: int, end: int) -> int | None:
        """Where one part ends and the next begins: a sentence, or the first joint with no value
        after it.
        """
        sentence, _ = self._said.sentence(end)
        if sentence > start:
            return sentence
        joints = [at for at in range(start, end) if self._said.text[at] in MARKS]
        joints += [cue.start for cue in self._said.cues("and") if start <= cue.start < end]
        joints += [end] * self._said.text.startswith(self._rules.grammar.joined_and, end)
        for joint in sorted(joints):
            content = (VALUE, AMOUNT, NAME)
            behind = [h for h in self._said.hits if joint < h.start < end and h.kind in content]
            if not behind:
                return joint
        return self._cut_before_wish(joints, end) if self._rules.grammar.near_follows else None

    def _cut_before_wish(self, joints: Sequence[int], end: int) -> int | None:
        """The last mark after which another constraint begins, where constraints precede the noun.

        Or else the last mark, where all that is wanted follows it.
        """
        keys = ("and", "search", "another", "indefinite")
        marks = [at for at in joints if self._said.text[at] in MARKS]
        opening = [at for at in marks if self._said.has_in(at, at + WISH_OPENS, *keys)]
        content = (VALUE, AMOUNT, NAME)
        last = max(marks, default=None)
        if last is None or opening:
            return max(opening, default=None)
        found = [hit.start for hit in self._said.hits if hit.kind in content]
        wished = [at for at in found if min(joints) < at < end]
        return last if all(at > last for at in wished) else None


def has_constraint(said: Utterance, segment: UtteranceSegment) -> bool:
    """Whether a segment has a value, a number or a slot."""
    kinds = (VALUE, AMOUNT, SLOT)
    return any(segment.holds(hit) and hit.kind in kinds for hit in said.hits)


def enumerated(
    said: Utterance,
    polarity: Polarities,
    segments: Sequence[UtteranceSegment],
    here: UtteranceSegment,
) -> list[UtteranceSegment]:
    """A segment and those whose domains are named in one enumeration with its own."""
    found, at = [here], segments.index(here)
    for one, other in pairwise(segments[at:]):
        if one.anchor is None or other.anchor is None:
            break
        listed = polarity.lists(one.anchor, other.anchor)
        if not listed and not _asks_as_well(said, one.anchor, other.anchor):
            break
        found.append(other)
    return found


def _asks_as_well(said: Utterance, one: Hit, other: Hit) -> bool:
    """`Is there a bar nearby? And a restaurant?`: the second goes on with the first."""
    between = [hit for hit in said.hits if one.end <= hit.start and hit.end <= other.start]
    start, _ = said.sentence(other.start)
    opens = said.has_in(start, start + OPENS, "and", "too")
    asked = said.is_asked(one.start) and said.is_asked(other.start)
    return opens and asked and one.end <= start and all(hit.kind == CUE for hit in between)


def questions_apart(
    said: Utterance,
    segments: Sequence[UtteranceSegment],
    nears: Sequence[NearPlace],
    discussed: bool,
) -> list[UtteranceSegment]:
    """`What is the address, and what is there to eat nearby?`: what is asked first is apart.

    It belongs to what was searched for before, or else to the place named or under discussion
    (`discussed`: whether there is one).
    """
    parts: list[UtteranceSegment] = []
    for segment in segments:
        cut = _end_of_questions(said, segment, nears, bool(parts) or discussed)
        if not cut:
            parts.append(segment)
            continue
        before = parts.pop() if parts else UtteranceSegment(segment.start, cut)
        parts.append(UtteranceSegment(before.start, cut, before.anchor))
        parts.append(UtteranceSegment(cut, segment.end, segment.anchor))
    return parts


def _end_of_questions(
    said: Utterance, segment: UtteranceSegment, nears: Sequence[NearPlace], known: bool
) -> int:
    """Where questions end that stand before a search nearby; 0: there are none."""
    anchor = segment.anchor
    around = [near.cue for near in nears if segment.holds(near.cue) and not near.source]
    around += [near.cue for near in nears if segment.holds(near.cue) and near.place]
    asked = _asked(said, segment, anchor) if anchor else []
    if anchor is None or not around or not asked:
        return 0
    end = min(around[0].start, anchor.start)
    joints = [at for at in range(asked[-1].end, end) if said.text[at] in MARKS]
    joints += [cue.start for cue in said.cues("and") if asked[-1].end <= cue.start < end]
    cut = min(joints, default=0)
    before = [hit for hit in said.hits if segment.start <= hit.start < cut]
    named = any(hit.end <= asked[0].start for hit in said.of(NAME))
    wishes = any(_is_wish(hit, key_of(anchor)) for hit in before)
    return cut if (known or named) and not wishes else 0


def _asked(said: Utterance, segment: UtteranceSegment, anchor: Hit) -> list[Hit]:
    """What may be asked of another place than the one that is searched for, in order."""
    values = [hit for hit in said.of(VALUE) if hit.domain != key_of(anchor)]
    found = [hit for hit in (*said.of(SLOT), *values) if segment.holds(hit)]
    return sorted([hit for hit in found if hit.end <= anchor.start], key=lambda hit: hit.start)


def _is_wish(hit: Hit, key: str) -> bool:
    return hit.kind in (KIND, AMOUNT) or (hit.kind == VALUE and hit.domain == key)


def is_done(said: Utterance, word: Hit, anchors: Sequence[Hit]) -> bool:
    """Whether a word says what comes first, before something else: `after dinner`."""
    follows = any(key_of(each) != word.key and each.start > word.end for each in anchors)
    start, end = said.clause(word.start)
    before = said.has_in(max(start, word.start - DONE), word.start + 1, "after")
    behind = said.has_in(word.end, min(end, word.end + DONE), "done")
    return follows and (before or behind)


def is_nearness(said: Utterance, word: Hit, anchors: Sequence[Hit]) -> bool:
    """Whether a word only says near what something else is: `那个景点的周边有什么餐馆`."""
    behind = [
        cue.end
        for cue in said.cues("near", "around")
        if 0 <= cue.start - word.end <= 1 and not said.has_in(word.end, cue.start, "and")
    ]
    _, end = said.clause(word.start)
    return any(
        max(behind) <= each.start < end and key_of(each) != word.key
        for each in (anchors if behind else ())
    )
