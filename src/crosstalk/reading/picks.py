"""Which of the places offered last a user means by a property: *the cheapest*, *the free one*.

picked_by_property(user_text, acts, offers, reader)
"""

from collections.abc import Iterable, Iterator, Sequence

from crosstalk.dialogue.acts import INFORM, LEAST, LESS, SORT, STEP, Act
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.claims import Verdict
from crosstalk.reading.items import Found, Item
from crosstalk.reading.prose import Prose
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import Question

PROPERTIES = (Found.VALUE, Found.FREE, Found.AMOUNT)


def picked_by_property(
    text: str,
    acts: Sequence[Act],
    asked: Iterable[Question],
    offers: Sequence[Place],
    reader: ProseReader,
) -> Place | None:
    """The one of several places that leads their ranking, or that alone has what the user says."""
    domains = {domain for domain, _ in offers}
    if len(offers) < 2 or len(domains) > 1:
        return None
    if _compares(text, reader):
        return None
    ranked = [act for act in acts if act.intent == SORT or _steps_among(act, text, reader)]
    return _by_rank(ranked, offers, reader) or _by_value(text, acts, asked, offers, reader)


def _compares(text: str, reader: ProseReader) -> bool:
    """Whether a question is about several places, not the choice of one."""
    asked = (plain(each.text) for each in Prose.of(text).sentences if each.is_asked)
    cues = [cue for key in ("both", "among") if (cue := reader.scanner.book.cues.get(key))]
    return any(cue.search(words) for words in asked for cue in cues)


def _steps_among(act: Act, text: str, reader: ProseReader) -> bool:
    """Whether a comparative means one of the places offered: *the one that costs less*."""
    asked = any(each.is_asked for each in Prose.of(text).sentences)
    return act.intent == STEP and not asked and reader.words.has("the_one", plain(text))


def _by_rank(acts: Iterable[Act], offers: Sequence[Place], reader: ProseReader) -> Place | None:
    """The first of the offers in every order that the user asks for; none where two are alike."""
    domain = offers[0][0]
    found: Place | None = None
    for act in acts:
        if act.domain != domain:
            continue
        cells = [(reader.check.row(*place) or {}).get(act.slot) for place in offers]
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        best = (min if act.value in (LEAST, LESS) else max)(numbers, default=None)
        firsts = [place for place, cell in zip(offers, cells, strict=True) if cell == best]
        if best is None or len(firsts) > 1 or found not in (None, firsts[0]):
            return None
        found = firsts[0]
    return found


def _by_value(
    text: str,
    acts: Iterable[Act],
    asked: Iterable[Question],
    offers: Sequence[Place],
    reader: ProseReader,
) -> Place | None:
    """The only one of the offers of which all is true that the user states of it."""
    domain = reader.check.domain(offers[0][0])
    if any(_wishes_elsewhere(act, domain.key, reader) for act in acts):
        return None
    told = [
        (slot, item)
        for item in _stated(text, reader)
        if (slot := reader.check.slot_for(domain, item)) and (domain.key, slot) not in asked
    ]
    fits = [
        place
        for place in offers
        if (row := reader.check.row(*place)) is not None
        and all(
            reader.check.verdict(domain, row, slot, item, False) is Verdict.TRUE
            for slot, item in told
        )
    ]
    return fits[0] if told and len(fits) == 1 else None


def _wishes_elsewhere(act: Act, domain: str, reader: ProseReader) -> bool:
    """Whether an act states a wish about a place of another domain, other than where it is."""
    other = reader.world.schema.domain(act.domain) if act.intent == INFORM else None
    slot = other.slot(act.slot) if other and other.key != domain else None
    return slot is not None and slot.kind is not SlotKind.NEARBY


def _stated(text: str, reader: ProseReader) -> Iterator[Item]:
    """Values and numbers in the sentences of a turn that ask nothing."""
    for sentence in Prose.of(text).sentences:
        if not sentence.is_asked:
            scanned = reader.scanner.scan(sentence)
            yield from (item for item in scanned.of(*PROPERTIES) if item.whole)
