"""What a reply says of one place against others: *X is cheaper*, *A is better rated than B*.

    for claim in comparison_remarks(check, scanned, spoken): ...

No slot holds it, but the tables may settle it: it is true if the cell of the place beats those of
all others it is held against, false if it beats none, undecidable if a cell is empty.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.reading.claims import Claim, TableCheck, Verdict
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.remarks import OTHER
from crosstalk.reading.reply_state import unholed

MEASURES: Final = (
    ("cheaper", SlotKind.NUMBER, -1),
    ("dearer", SlotKind.NUMBER, 1),
    ("better_rated", SlotKind.RATING, 1),
    ("worse_rated", SlotKind.RATING, -1),
)
"""Cue, kind of slot, and whether more (1) or less (-1) wins."""


def comparison_remarks(
    check: TableCheck, scanned: Scanned, spoken: Sequence[Place]
) -> Iterator[Claim]:
    """The comparisons of a sentence that names the place; `spoken` are the others spoken of."""
    if scanned.sentence.is_asked:
        return
    words = check.scanner.words
    negator = check.scanner.book.cues.get("negator")
    for number, clause in enumerate(map(unholed, scanned.clause_words)):
        names = [item for item in scanned.of(Found.NAME) if item.clause == number and item.whole]
        if not names or (negator and negator.search(clause)):
            continue
        subject, rivals = _compared(check, scanned, names, spoken)
        for cue, kind, way in MEASURES:
            if subject and rivals and words.has(cue, clause):
                yield _claim(check, scanned, number, subject, rivals, kind, way)
                break


def _compared(
    check: TableCheck, scanned: Scanned, names: Sequence[Item], spoken: Sequence[Place]
) -> tuple[Place | None, list[Place]]:
    """The place that a clause is about, and those it is held against."""
    behind = [item for item in names if _follows_than(check, scanned, item)]
    free = [item.places[0] for item in names if item not in behind]
    subject = free[0] if len(set(free)) == 1 else None
    others = [item.places[0] for item in behind] or spoken
    rivals = [each for each in dict.fromkeys(others) if subject and each[0] == subject[0]]
    return subject, [each for each in rivals if each != subject]


def _follows_than(check: TableCheck, scanned: Scanned, item: Item) -> bool:
    """Whether *than* stands before a name, with nothing but an article between."""
    than = check.scanner.book.cues.get("than")
    head = unholed(scanned.plain[: item.at]).split(" ")
    articles = check.scanner.facts.writing.articles
    while head and (not head[-1] or head[-1] in articles):
        head.pop()
    said = " ".join(head)
    return than is not None and any(found.end() == len(said) for found in than.finditer(said))


def _claim(
    check: TableCheck,
    scanned: Scanned,
    clause: int,
    subject: Place,
    rivals: Sequence[Place],
    kind: SlotKind,
    way: int,
) -> Claim:
    start, end = scanned.clauses[clause]
    sentence = scanned.sentence
    quote = sentence.text[start - sentence.start : end - sentence.start].strip(" ,;，；、،؛")
    start += sentence.text[start - sentence.start :].find(quote)
    slot = next((slot.key for slot in check.domain(subject[0]).of_kind(kind)), "")
    verdict = _verdict(check, slot, subject, rivals, way)
    return Claim(*subject, OTHER, quote, verdict, quote, start, start + len(quote))


def _verdict(
    check: TableCheck, slot: str, subject: Place, rivals: Sequence[Place], way: int
) -> Verdict:
    cells = [(check.row(*place) or {}).get(slot) for place in (subject, *rivals)]
    numbers = [way * cell for cell in cells if isinstance(cell, int | float)]
    if len(numbers) < len(cells):
        return Verdict.UNDECIDABLE
    wins = [numbers[0] > other for other in numbers[1:]]
    if all(wins):
        return Verdict.TRUE
    return Verdict.UNDECIDABLE if any(wins) else Verdict.FALSE
