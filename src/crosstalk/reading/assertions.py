"""What a reply asserts of a place that no table can settle: praise, padding, invented attributes.

    for claim in assertion_remarks(check, scanned, place, reply): ...

A stretch of a clause that no name, number or value of the tables covers is an assertion where it
has a word for what no column holds (*a cosy atmosphere*), or where words nobody knows follow a verb
that tells of a place (*offers ballroom dancing*). Such claims are undecidable: they answer nothing
and accuse nobody.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.claims import Claim, TableCheck
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.positions import letters_in_place
from crosstalk.reading.remarks import slotless
from crosstalk.reading.reply_state import unholed
from crosstalk.reading.words import JudgingWords

TRIMMED: Final = " \t\n,;:.!?，。、；：！？،؛\"'«»“”„*_()（）-–—"
"""Signs at the ends of a stretch that are no part of what it says."""
_LED_TO: Final = (Found.VALUE, Found.NAME)
"""What the words right before it belong to: *a famous* soup, *not far from* the zoo."""
_WORDS: Final = (Found.DOMAIN, Found.SLOT)
"""Words that say what is spoken of; they tell nothing themselves."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a clause between two things that the tables know."""

    start: int
    end: int
    leads: bool
    """It ends at a value, a name or a district: its last words belong to that."""
    told: bool
    """A verb that tells of a place stands before it in its clause."""


def assertion_remarks(
    check: TableCheck, scanned: Scanned, place: Place, reply: str
) -> Iterator[Claim]:
    """Claims without a slot that a sentence makes of a place; neighbouring stretches make one."""
    if scanned.sentence.is_asked:
        return
    words = check.scanner.words
    scanned = _of_place(check, scanned, place)
    waiting: Claim | None = None
    for number, clause in enumerate(map(unholed, scanned.clause_words)):
        if any(words.has(cue, clause) for cue in ("courteous", "denying", "lacking", "refusing")):
            continue
        for stretch in _stretches(words, scanned, number, reply):
            found = _asserted(words, scanned, stretch, reply)
            if found is None:
                continue
            claim = slotless(place, found, reply[found.start : found.end])
            goes_on = waiting is not None and _goes_on(scanned, waiting, claim)
            if waiting is not None and goes_on:
                end = claim.end
                quote = reply[waiting.start : end]
                waiting = replace(waiting, end=end, quote=quote, value=quote)
                continue
            if waiting is not None:
                yield waiting
            waiting = claim
    if waiting is not None:
        yield waiting


def _of_place(check: TableCheck, scanned: Scanned, place: Place) -> Scanned:
    """A sentence without the values of slots that the place's tables do not have."""
    domain = check.domain(place[0])
    items = (
        item
        for item in scanned.items
        if item.found not in (Found.VALUE, Found.FREE) or check.slot_for(domain, item)
    )
    return replace(scanned, items=tuple(items))


def _stretches(words: JudgingWords, scanned: Scanned, clause: int, reply: str) -> Iterator[Stretch]:
    """The parts of a clause that nothing known covers; a telling verb begins another."""
    start, end = scanned.clauses[clause]
    known = sorted(
        (max(start, item.start), min(end, item.end), item.found in _LED_TO)
        for item in scanned.items
        if item.found not in _WORDS and item.start < end and start < item.end
    )
    known += [(a, b, True) for _, a, b in scanned.districts if start <= a < end]
    at, told = start, False
    for begin, stop, leads in [*sorted(known), (end, end, False)]:
        for a, b in _parted(words, reply, at, begin) if at < begin else ():
            told = told or words.has("telling", plain(reply[a:b]))
            yield Stretch(a, b, leads and b == begin, told)
        at = max(at, stop)


def _parted(words: JudgingWords, reply: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a part of a reply before each verb that tells of a place."""
    shown, places = letters_in_place(reply[start:end])
    cuts = [start + places[a] for a, _ in words.spans("telling", shown) if a]
    ends = [start, *cuts, end]
    yield from pairwise(ends)


def _asserted(words: JudgingWords, scanned: Scanned, stretch: Stretch, reply: str) -> Item | None:
    """The part of a stretch that asserts something, without the verb that tells it."""
    text = reply[stretch.start : stretch.end]
    shown, places = letters_in_place(text.replace("-", " "))
    verbs = words.spans("telling", shown)
    begin = places[verbs[-1][1] - 1] + 1 if verbs else 0
    told = stretch.told and _is_strange(scanned, text[begin:])
    if stretch.leads or not (told or words.spans("beyond_tables", shown)):
        return None
    lead = len(text[begin:]) - len(text[begin:].lstrip(TRIMMED))
    start = stretch.start + begin + lead
    end = stretch.start + len(text.rstrip(TRIMMED))
    if start >= end:  # the verb itself says it: `famous for` at the end
        start = stretch.start + len(text) - len(text.lstrip(TRIMMED))
    return Item(Found.VALUE, start, end, 0) if start < end else None


def _is_strange(scanned: Scanned, text: str) -> bool:
    """Whether a text has words that mean nothing to the phrase book."""
    said = plain(text)
    return any(word in said for word in scanned.unexplained)


def _goes_on(scanned: Scanned, before: Claim, claim: Claim) -> bool:
    """Whether nothing known stands between two assertions."""
    return not any(
        before.end <= item.start < claim.start for item in scanned.items if item.found not in _WORDS
    )
