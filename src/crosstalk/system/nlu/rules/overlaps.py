"""The longest match wins: what lies inside it, or reaches into it, is dropped."""

from collections.abc import Iterable, Iterator, Sequence

from crosstalk.language.patterns import FIRST_HOLE, LAST_HOLE
from crosstalk.language.phrases import Phrasebook
from crosstalk.system.nlu.rules.cues import LIGHT, NEGATIONS, NUMBERED, TRANSPARENT, WEAK
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    DOMAIN,
    GROUP,
    KIND,
    NAME,
    SLOT,
    VALUE,
    Hit,
    meet,
    within,
)


def resolved(book: Phrasebook, text: str, fixed: list[Hit], candidates: list[Hit]) -> list[Hit]:
    names = [hit for hit in fixed if hit.kind == NAME]
    amounts = [hit for hit in fixed if hit.kind == AMOUNT]
    candidates = [hit for hit in candidates if not _is_decimal(text, hit)]
    exact = [hit for hit in candidates if hit.kind in (VALUE, GROUP) and hit.alone]
    exact += [hit for hit in candidates if hit.kind == CUE and hit.key in NUMBERED]
    amounts = [
        hit
        for hit in amounts
        if not any(meet(hit, other) and _holds_number(text, other) for other in exact)
    ]
    kept: list[Hit] = [*names, *amounts]
    loose: list[Hit] = []
    candidates = [hit for hit in candidates if hit.alone]
    turned = {hit.amount.negated for hit in amounts if hit.amount}
    negations = [hit for hit in candidates if hit.kind == CUE and hit.key in NEGATIONS]
    negations = [hit for hit in negations if hit.start not in turned]
    weak = [hit for hit in candidates if hit.kind == CUE and hit.key in WEAK]
    candidates = [hit for hit in candidates if not (hit.kind == CUE and hit.key in LIGHT)]
    for hit in sorted(candidates, key=lambda hit: _rank(text, hit)):
        if _is_loose(book, text, hit, candidates):
            loose.append(hit)
        elif all(not meet(hit, other) or _same(hit, other) for other in kept):
            kept.append(hit)
    drops = [hit for hit in negations if hit.key == "drop"]
    kept = [hit for hit in kept if not _is_part_of_drop(hit, drops)]
    inside = [hit for hit in weak if not any(within(hit, other) for other in kept)]
    return [*kept, *loose, *inside, *_negations(negations, candidates, kept)]


def _negations(
    negations: Iterable[Hit], candidates: Iterable[Hit], kept: Sequence[Hit]
) -> Iterator[Hit]:
    """Negations are heard inside of phrases that say no more than they do: `I don't want`."""
    solid = [hit for hit in kept if not (hit.kind == CUE and hit.key in TRANSPARENT)]
    solid += [hit for hit in candidates if hit.kind == CUE and hit.key == "not_negator"]
    for hit in negations:
        if not any(within(hit, other) or _is(hit, other) for other in solid):
            yield hit


def _is_part_of_drop(hit: Hit, drops: Iterable[Hit]) -> bool:
    """Whether a correction is the beginning of a phrase that takes a wish back: `instead of`."""
    corrects = hit.kind == CUE and hit.key in ("correction", "replace")
    return corrects and any(within(hit, drop) for drop in drops)


def _is_loose(book: Phrasebook, text: str, hit: Hit, candidates: Iterable[Hit]) -> bool:
    """Whether a phrase has a gap, or a cue a word for a domain in it: `which hotels`."""
    if any(FIRST_HOLE <= letter <= LAST_HOLE for letter in text[hit.start : hit.end]):
        return True
    if hit.kind in (SLOT, DOMAIN) and book.gapped.fullmatch(text, hit.start, hit.end):
        return True
    return hit.kind == CUE and any(
        other.kind in (DOMAIN, KIND)
        and hit.start <= other.start
        and other.end <= hit.end
        and other.end - other.start < hit.end - hit.start
        for other in candidates
    )


def _same(one: Hit, other: Hit) -> bool:
    return (one.start, one.end) == (other.start, other.end) and other.kind != NAME


def _is(one: Hit, other: Hit) -> bool:
    return (one.start, one.end) == (other.start, other.end) and other.key == "not_negator"


def _rank(text: str, hit: Hit) -> tuple[bool, int, bool, int]:
    """Values with a number in them come first, then what is longer: `5 star`, not `star hotel`."""
    numbered = hit.kind == VALUE and _holds_number(text, hit)
    return not numbered, hit.start - hit.end, hit.kind != VALUE, hit.start


def _is_decimal(text: str, hit: Hit) -> bool:
    """Whether a phrase begins amid a number: the *5 stars* of 4.5 stars."""
    before = text[max(0, hit.start - 2) : hit.start]
    return text[hit.start].isdigit() and before[-1:] == "." and before[:1].isdigit()


def _holds_number(text: str, hit: Hit) -> bool:
    return any(letter.isdigit() for letter in text[hit.start : hit.end]) or hit.kind == GROUP
