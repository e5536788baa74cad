"""What a reply says of a place that no slot holds: the district it lies in.

    for claim in district_remarks(reader, scanned, place): ...

Remarks stand beside the claims of a reading. A wrong one is among an agent's false claims; no
question of a user is answered by one, so that no verdict rests on them.
"""

from collections.abc import Iterator
from typing import Final

from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.claims import Claim, TableCheck, Verdict
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.reply_state import unholed

OTHER: Final = "other"
"""Stands for the slot that a world does not have."""
_WHERE: Final = (Found.ADDRESS, Found.STATION, Found.CAR, Found.PLATE)


def slotless(place: Place, item: Item, quote: str) -> Claim:
    """A remark that no table can decide: opening hours of a place without such a column."""
    return Claim(*place, OTHER, quote, Verdict.UNDECIDABLE, quote, item.start, item.end)


def district_remarks(check: TableCheck, scanned: Scanned, place: Place) -> Iterator[Claim]:
    """The districts that a sentence says a place lies in, where it says no address."""
    told = scanned.sentence.is_asked or scanned.of(*_WHERE)
    if not scanned.districts or told:
        return
    for name, start, end in scanned.districts:
        if _is_near(check, scanned, start):
            continue
        here = slice(start - scanned.sentence.start, end - scanned.sentence.start)
        verdict = _lies_in(check, place, name)
        yield Claim(*place, OTHER, name, verdict, scanned.sentence.text[here], start, end)


def _is_near(check: TableCheck, scanned: Scanned, at: int) -> bool:
    """Whether the clause at a position says what something is near to."""
    clauses = zip(scanned.clauses, scanned.clause_words, strict=True)
    words = next((unholed(said) for (a, b), said in clauses if a <= at < b), "")
    return any(check.scanner.words.has(cue, words) for cue in ("near", "near_of"))


def _lies_in(check: TableCheck, place: Place, district: str) -> Verdict:
    """Whether an address ends in a district; undecidable where it names none."""
    row = check.row(*place)
    cell = plain(str((row or {}).get(check.facts.slot_of(place[0], "address")) or ""))
    if cell.endswith(plain(district)):
        return Verdict.TRUE
    named = any(cell.endswith(other) for other in check.facts.districts)
    return Verdict.FALSE if named else Verdict.UNDECIDABLE
