"""Divisions of an utterance: questions before a search, domains in one breath, what comes first."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from crosstalk.system.nlu.rules.polarity import Polarities
from crosstalk.system.nlu.rules.segments import Near, UtteranceSegment, key_of
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    KIND,
    MARKS,
    NAME,
    SLOT,
    VALUE,
    Hit,
    Utterance,
)

DONE: Final = 12
"""Characters between a word for a domain and one that says it comes first: `dinner is over`."""
OPENS: Final = 4
"""Characters at the beginning of a sentence in which it goes on with the one before."""


def enumerated(
    said: Utterance,
    polarity: Polarities,
    segments: Sequence[UtteranceSegment],
    here: UtteranceSegment,
) -> list[UtteranceSegment]:
    """A segment and those whose domains are named in one breath with its own."""
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
    said: Utterance, segments: Sequence[UtteranceSegment], nears: Sequence[Near], discussed: bool
) -> list[UtteranceSegment]:
    """`What is the address, and what is there to eat nearby?`: what is asked first is apart.

    It belongs to what was looked for before, or else to the place named or under discussion
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
    said: Utterance, segment: UtteranceSegment, nears: Sequence[Near], known: bool
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
    """What may be asked of another place than the one that is looked for, in order."""
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
