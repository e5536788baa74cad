"""Responses to user acts beyond the published ones: one function per response.

Each takes the context of one domain and returns a `DomainResponse`, or None if it does not apply.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from crosstalk.dialogue.acts import (
    AFFIRM,
    AMONG,
    ANOTHER,
    ASK,
    COMPARE,
    CONFIRM,
    COUNT,
    DENY,
    DIFFERENCE,
    EXCLUDE,
    FACT,
    HALF,
    INFORM,
    LEAST,
    LIST,
    MOST,
    MULTIPLY,
    NO_MORE,
    NO_OFFER,
    NO_RECORD,
    NO_STEP,
    NOTHING,
    PICK,
    PRODUCT,
    RECOMMEND,
    SORT,
    STEP,
    TIE,
    UNSUPPORTED,
    WHICH,
    WINNER,
    Act,
)
from crosstalk.dialogue.schema import NOT_MARK, Slot, SlotKind
from crosstalk.language.number_forms import forms_of, read_bounds, say_number
from crosstalk.language.opening_hours import is_wish
from crosstalk.system.dst.search_tracker import step_band
from crosstalk.system.policy.policy import MOST_IN_A_LIST, DomainContext
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row, texts

MOST_FACTS = 3
"""Most services named for each of several places."""


@dataclass(frozen=True, slots=True)
class DomainResponse:
    """The acts about one domain, and the places they are about."""

    acts: tuple[Act, ...]
    rows: tuple[Row, ...] = ()


def first_response(context: DomainContext) -> DomainResponse | None:
    """The first response that applies; None if the user said published acts only."""
    for response in RESPONSE_RULES:
        found = response(context)
        if found is not None:
            return found
    return None


def compare(context: DomainContext) -> DomainResponse | None:
    """The value of each place, and which of them has the least or the most."""
    wanted = context.acts(COMPARE)
    if not wanted:
        return None
    act = wanted[0]
    rows = _compared(context, act)
    slot = context.domain.slot(act.slot)
    if slot is None or len(rows) < 2:
        return DomainResponse((Act(ASK, context.key, "place", ""),))
    if act.slot != slot.key:
        return _compare_services(context, rows, act.slot)
    if slot.kind is SlotKind.NEARBY:
        return _compare_nearness(context, rows, slot)
    facts = [fact for row in rows for fact in _facts(context, row, slot.key)]
    cells = [(row, context.database.measure(row.get(slot.key))) for row in rows]
    known = [(row, cell) for row, cell in cells if cell is not None]
    if len(known) < min(len(rows), 2):
        return DomainResponse(tuple(facts), rows)
    best = (max if _way(context, slot) == MOST else min)(cell for _, cell in known)
    winners = [row for row, cell in known if cell == best]
    if len(winners) > 1:
        value = answer(context.pack, context.domain, winners[0], slot.key)[0]
        return DomainResponse((*facts, Act(TIE, context.key, slot.key, value)), rows)
    if any(not _is_name(context, key) for key in context.asked):  # the cheaper one's address
        return offer(context, winners[0])
    if questions := context.acts(CONFIRM):
        told = [each for ask in questions for each in _confirmed(context, winners[0], ask)]
        return DomainResponse((context.named_act(winners[0]), *told), (winners[0],))
    return DomainResponse(
        (*facts, Act(WINNER, context.key, slot.key, context.name(winners[0]))), (winners[0],)
    )


def differ(context: DomainContext) -> DomainResponse | None:
    """The value of each of two places, and by how much they differ."""
    wanted = context.acts(DIFFERENCE)
    if not wanted:
        return None
    rows = _compared(context, wanted[0])
    slot = context.domain.slot(wanted[0].slot)
    if slot is None or len(rows) < 2:
        return DomainResponse((Act(ASK, context.key, "place", ""),))
    facts = [fact for row in rows for fact in _facts(context, row, slot.key)]
    cells = [cell for row in rows if isinstance(cell := row.get(slot.key), int | float)]
    if len(cells) == len(rows):
        number = round(max(cells) - min(cells), 2)
        value = say_number(forms_of(context.pack, context.key, slot), number)
        facts.append(Act(DIFFERENCE, context.key, slot.key, value))
    return DomainResponse(tuple(facts), rows)


def _compare_services(context: DomainContext, rows: tuple[Row, ...], key: str) -> DomainResponse:
    """Which of several places have a service; a single one becomes the place under discussion."""
    having = tuple(row for row in rows if context.has(row, key))
    if len(having) == 1:
        return DomainResponse((Act(WINNER, context.key, key, context.name(having[0])),), having)
    return DomainResponse(tuple(fact for row in rows for fact in _facts(context, row, key)), rows)


def _compare_nearness(context: DomainContext, rows: tuple[Row, ...], slot: Slot) -> DomainResponse:
    """The only one of several places that is near another; distances are not known."""
    name = next(iter(context.heard.informed.get((context.key, slot.key), [])), "")
    near = tuple(row for row in rows if _is_near(context, row, slot, name))
    if len(near) == 1:
        return DomainResponse((Act(WINNER, context.key, slot.key, context.name(near[0])),), near)
    return DomainResponse((Act(UNSUPPORTED, context.key, "distance", ""),), rows)


def _way(context: DomainContext, slot: Slot) -> str:
    ways = [act.value for act in context.acts(SORT) if act.slot == slot.key]
    return ways[0] if ways else MOST if slot.kind is SlotKind.RATING else LEAST


def _compared(context: DomainContext, act: Act) -> tuple[Row, ...]:
    """The places to be compared: those named in the act, or those spoken of together last."""
    names = [name for name in act.value.split(AMONG) if name and name != NOTHING]
    places = [name for domain, name in context.discourse.listed if domain == context.key]
    recent = [name for domain, name in context.discourse.recent if domain == context.key]
    if len(names) < 2:
        others = [name for name in recent if name not in names]
        names = [*names, *others[:1]] if names else places if len(places) > 1 else recent[:2]
    found = (context.database.find(context.key, name) for name in dict.fromkeys(names))
    return tuple(row for row in found if row is not None)


def _facts(context: DomainContext, row: Row, key: str) -> Iterator[Act]:
    """A slot of one of several places."""
    slot, name = context.domain.slot(key), context.name(row)
    if slot is None or row.get(slot.key) in (None, "", ()):
        yield Act(NO_RECORD, context.key, key, name)
        return
    values = answer(context.pack, context.domain, row, key)[:MOST_FACTS]
    if key != slot.key:
        values = (context.pack.yes if context.has(row, key) else context.pack.no,)
    goal = context.pack.goal
    yield Act(FACT, context.key, key, name + AMONG + (goal.comma if goal else ", ").join(values))


def tell_several(context: DomainContext) -> DomainResponse | None:
    """What was asked, of each of several places that were named."""
    rows = [context.database.find(context.key, name) for name in dict.fromkeys(context.named)]
    known = tuple(row for row in rows if row is not None)
    asked = [key for key in context.asked if not _is_name(context, key)]
    if len(known) < 2 or not asked or context.acts(MULTIPLY):
        return None
    return DomainResponse(
        tuple(act for row in known for key in asked for act in _facts(context, row, key))
    )


def _is_name(context: DomainContext, key: str) -> bool:
    slot = context.domain.slot(key)
    return slot is not None and slot.kind is SlotKind.NAME


def confirm(context: DomainContext) -> DomainResponse | None:
    """Yes or no, and what the tables say about it."""
    questions = context.acts(CONFIRM)
    if not questions:
        return None
    row = context.current
    if row is None:
        return DomainResponse((Act(ASK, context.key, "place", ""),))
    acts = [act for question in questions for act in _confirmed(context, row, question)]
    denied = {act.slot for act in acts if act.intent == DENY and _is_text(context, act.slot)}
    acts = [act for act in acts if not (act.intent == AFFIRM and act.slot in denied)]
    acts += [act for key in context.asked for act in context.tell(row, key)]
    told = context.asked and context.name(row) in context.named
    new = [context.named_act(row)] if told else []
    return DomainResponse((*new, *acts), (row,))


def _is_text(context: DomainContext, key: str) -> bool:
    """Whether a slot has one text that all questions are about, such as opening hours."""
    slot = context.domain.slot(key)
    return slot is not None and slot.kind is SlotKind.TEXT


def _confirmed(context: DomainContext, row: Row, question: Act) -> Iterator[Act]:
    slot = context.domain.slot(question.slot)
    if slot is None or (row.get(slot.key) in (None, "") and slot.kind is not SlotKind.NEARBY):
        yield Act(NO_RECORD, context.key, question.slot, context.name(row))
        return
    if slot.kind is SlotKind.TEXT and not is_wish(question.value):
        yield from context.tell(row, slot.key)
        return
    holds = _holds(context, row, slot, question.value)
    yield Act(AFFIRM if holds else DENY, context.key, slot.key, question.value)
    if slot.kind not in (SlotKind.LIST, SlotKind.NEARBY, SlotKind.SERVICES):
        yield from context.tell(row, slot.key)
    elif slot.kind is SlotKind.LIST and holds:
        for text in texts(row.get(slot.key)):
            if _holds(context, {slot.key: (text,)}, slot, question.value):
                yield Act(INFORM, context.key, slot.key, text)


def _holds(context: DomainContext, row: Row, slot: Slot, value: str) -> bool:
    if slot.kind is SlotKind.NEARBY:
        return _is_near(context, row, slot, value)
    if slot.kind.is_number:
        bounds = read_bounds(forms_of(context.pack, context.key, slot), value)
        cell = row.get(slot.key)
        return bounds is not None and isinstance(cell, int | float) and bounds.hold(cell)
    return not context.database.unmet(context.key, row, {slot.key: value})


def _is_near(context: DomainContext, row: Row, slot: Slot, name: str) -> bool:
    """Whether one of the two places lists the other as near."""
    other = context.database.find(slot.target, name)
    back = context.database.world.schema.domain(slot.target)
    lists = [
        cell
        for each in (back.of_kind(SlotKind.NEARBY) if back else ())
        if each.target == context.key
        for cell in texts(other.get(each.key) if other else None)
    ]
    return name in texts(row.get(slot.key)) or context.name(row) in lists


def multiply(context: DomainContext) -> DomainResponse | None:
    """A price times how many nights or people."""
    wanted, row = context.acts(MULTIPLY), context.current
    if not wanted:
        return None
    if row is None:
        return DomainResponse((Act(ASK, context.key, "place", ""),))
    slot, number = context.domain.slot(wanted[0].slot), float(wanted[0].value)
    cell = _sum(context, slot.key if slot else "") or (row.get(slot.key) if slot else None)
    if slot is None or not isinstance(cell, int | float):
        return DomainResponse(
            (Act(NO_RECORD, context.key, wanted[0].slot, context.name(row)),), (row,)
        )
    if not cell:
        return DomainResponse(tuple(context.tell(row, slot.key)), (row,))  # nothing, however many
    total = say_number(forms_of(context.pack, context.key, slot), cell * number)
    return DomainResponse((Act(PRODUCT, context.key, slot.key, total),), (row,))


def _sum(context: DomainContext, key: str) -> float | None:
    """What several named places cost together; None for a single one."""
    rows = [context.database.find(context.key, name) for name in dict.fromkeys(context.named)]
    cells = [row.get(key) for row in rows if row]
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    return sum(numbers) if len(rows) > 1 and len(numbers) == len(rows) else None


def count(context: DomainContext) -> DomainResponse | None:
    """How many places meet all wishes; names too where they are wanted or few."""
    if not context.acts(COUNT):
        return None
    rows = context.rows()
    if not rows:
        return DomainResponse((Act(NO_OFFER, context.key),))
    acts = [Act(COUNT, context.key, NOTHING, str(len(rows)))]
    if context.acts(LIST) or len(rows) == 1:
        acts += [context.named_act(row, RECOMMEND) for row in rows[:MOST_IN_A_LIST]]
    return DomainResponse(tuple(acts), rows[:1] if len(rows) == 1 else ())


def list_names(context: DomainContext) -> DomainResponse | None:
    """Several places that meet all wishes."""
    wanted = context.acts(LIST)
    rows = context.rows() if wanted else ()
    if context.acts(ANOTHER):
        rows = tuple(row for row in rows if context.name(row) not in _offered(context))
    around = _around(context) if wanted and not context.acts(ANOTHER, SORT) else None
    if around is not None:
        return around
    if len(rows) < 2:
        alone = wanted and not context.acts(ANOTHER) and not context.heard.slots(context.key)
        return offer(context, rows[0]) if rows and alone else None
    number = next((int(act.value) for act in wanted if act.value.isdigit()), MOST_IN_A_LIST)
    shown = rows[: max(1, min(number, 2 * MOST_IN_A_LIST))]
    more = [Act(COUNT, context.key, NOTHING, str(len(rows)))] if len(rows) > len(shown) else []
    if len(shown) == 1:
        return DomainResponse((*more, context.named_act(shown[0])), shown)
    if ranked := context.acts(SORT):
        return DomainResponse(
            tuple(act for row in shown for act in _facts(context, row, ranked[0].slot))
        )
    return DomainResponse((*more, *(context.named_act(row, RECOMMEND) for row in shown)), shown)


def _around(context: DomainContext) -> DomainResponse | None:
    """Where nearness is the only wish: the places that the other one lists as near."""
    wishes = context.tab.constraints
    slot = context.domain.slot(next(iter(wishes), ""))
    if len(wishes) != 1 or slot is None or slot.kind is not SlotKind.NEARBY:
        return None
    name = str(wishes[slot.key])
    near, row = context.database.domain(slot.target), context.database.find(slot.target, name)
    listings = [each for each in near.of_kind(SlotKind.NEARBY) if each.target == context.key]
    if near.name_slot is None or row is None or not listings or not listings[0].request:
        return None
    values = answer(context.pack, near, row, listings[0].key)[:MOST_IN_A_LIST]
    acts = [Act(INFORM, near.key, listings[0].key, value) for value in values]
    if context.discourse.current.get(near.key) != name:
        acts.insert(0, Act(INFORM, near.key, near.name_slot.key, name))
    return DomainResponse(tuple(acts))


def which(context: DomainContext) -> DomainResponse | None:
    """Those of the places named together that meet what is asked."""
    if not context.acts(WHICH):
        return None
    said = [slot for slot in context.heard.slots(context.key) if not _is_name(context, slot)]
    said += [NOT_MARK + act.slot for act in context.acts(EXCLUDE)]
    wishes = {key: value for key, value in context.tab.constraints.items() if key in said}
    names = [name for domain, name in context.discourse.listed if domain == context.key]
    rows = [row for name in names if (row := context.database.find(context.key, name))]
    found = tuple(r for r in rows if not context.database.unmet(context.key, r, wishes))
    if not found:
        return DomainResponse((Act(NO_OFFER, context.key),))
    intent = RECOMMEND if len(found) > 1 else INFORM
    return DomainResponse(tuple(context.named_act(row, intent) for row in found), found)


def another(context: DomainContext) -> DomainResponse | None:
    """A place that was not offered before."""
    if not context.acts(ANOTHER):
        return None
    rows = context.rows()
    fresh = [row for row in rows if context.name(row) not in _offered(context)]
    if not fresh:
        return DomainResponse((Act(NO_MORE if rows else NO_OFFER, context.key),))
    return offer(context, fresh[0])


def _offered(context: DomainContext) -> set[str]:
    last = context.discourse.current.get(context.key, "")
    return {*context.discourse.offered_since.get(context.key, ()), last}


def step(context: DomainContext) -> DomainResponse | None:
    """Something that has less or more of a number than the place under discussion."""
    wanted = context.acts(STEP)
    if not wanted:
        return None
    way, _, other = wanted[0].value.partition(AMONG)
    slot, row = context.domain.slot(wanted[0].slot), context.current
    row = context.database.find(context.key, other) if other else row
    base = row.get(slot.key) if slot and row else None
    known = isinstance(base, int | float)
    if slot and known and not _is_stepped(context, slot, way, base):
        return DomainResponse((Act(NO_STEP, context.key, slot.key, way),))
    rows = [each for each in context.rows() if each is not row]
    if not rows and wanted[0].value == HALF:
        return DomainResponse((Act(NO_STEP, context.key, wanted[0].slot, HALF),))
    return offer(context, rows[0], wanted[0].slot) if rows else None


def _is_stepped(context: DomainContext, slot: Slot, way: str, base: object) -> bool:
    """Whether the tracker could set a bound beyond the value of the place under discussion."""
    band = step_band(context.database, context.tab, context.domain, slot, way, base)
    return band is not None


def sort(context: DomainContext) -> DomainResponse | None:
    """The place that comes first in the order wanted, with the number that makes it the first."""
    wanted = context.acts(SORT)
    rows = context.rows() if wanted and context.tab.order else ()
    if not rows or not wanted:
        return None
    place = next((int(act.value) for act in context.acts(PICK) if act.value.isdigit()), 1)
    return offer(context, rows[min(place, len(rows)) - 1], wanted[0].slot)


def offer(context: DomainContext, row: Row, *told: str) -> DomainResponse:
    """One place by its name, with some of its slots and what was asked for."""
    keys = [*told, *(key for key in context.asked if not _is_name(context, key))]
    facts = [act for key in dict.fromkeys(keys) for act in context.tell(row, key)]
    return DomainResponse((context.named_act(row), *facts), (row,))


def pick(context: DomainContext) -> DomainResponse | None:
    """Answers a pick of a place that the last list does not have."""
    if not context.acts(PICK):
        return None
    return DomainResponse((Act(ASK, context.key, "place", ""),))


RESPONSE_RULES: Sequence[Callable[[DomainContext], DomainResponse | None]] = (
    compare,
    differ,
    which,
    tell_several,
    confirm,
    multiply,
    count,
    list_names,
    another,
    step,
    sort,
    pick,
)
"""In this order: of several acts in one turn, the first rule that applies decides."""
