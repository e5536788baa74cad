"""The wizard's form and what it finds: fields by slot kind, result lists, detail cards.

Typed values are kept in the notation of the world's language pack.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from crosstalk.collection.events import Slots
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.schema import Band, Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.errors import Rejection
from crosstalk.language.number_forms import forms_of, read_bounds, say_band
from crosstalk.worlds.conditions import several
from crosstalk.worlds.display import say_cell
from crosstalk.worlds.tables import Row

MOST_ROWS: Final = 50
"""Maximum number of rows shown; the count is always given."""


def results(context: WorldContext, domain: str, slots: Slots) -> dict[str, Any]:
    """The result list as pages show it."""
    found, asked = context.search(domain, slots), context.database.domain(domain)
    shown = zip(found.names[:MOST_ROWS], found.rows, strict=False)
    place = asked.kind is DomainKind.PLACE
    return {
        "domain": domain,
        "slots": dict(slots),
        "count": len(found.rows),
        "rows": [
            {
                "name": name,
                "line": context.line(domain, name) if place else _ride(context, asked, row),
            }
            for name, row in shown
        ],
    }


def _ride(context: WorldContext, domain: Domain, row: Row) -> list[str]:
    """Stations of a metro ride, or the car of a taxi ride."""
    told = [slot for slot in domain.of_kind(SlotKind.STATION, SlotKind.TEXT) if slot.key in row]
    return [" ".join(say_cell(context.pack, domain, slot, row[slot.key])) for slot in told]


def card(context: WorldContext, domain: str, name: str) -> dict[str, Any]:
    """The detail card of an entity: all its slots, and what is nearby."""
    asked = context.domain(domain)
    row = context.database.find(domain, name) if asked else None
    if asked is None or row is None:
        raise Rejection("unknown_entity", f"there is no {domain} called {name!r}")
    return {
        "domain": domain,
        "name": name,
        "rows": [
            {
                "slot": slot.key,
                "slot_name": context.pack.slot_name(domain, slot.key),
                "texts": list(say_cell(context.pack, asked, slot, row.get(slot.key))),
            }
            for slot in asked.slots
            if slot.kind is not SlotKind.NEARBY
        ],
        "nearby": [
            _near(context, row, slot.key, slot.target) for slot in asked.of_kind(SlotKind.NEARBY)
        ],
    }


def _near(context: WorldContext, row: Row, key: str, target: str) -> dict[str, Any]:
    cell = row.get(key)
    return {
        "slot": key,
        "domain": target,
        "domain_name": context.pack.domain_name(target),
        "names": list(cell) if isinstance(cell, tuple) else [],
    }


LONGEST_VALUE: Final = 200
MOST_TERMS: Final = 20
CONTROLS: Final[Mapping[SlotKind, str]] = {
    SlotKind.CATEGORY: "choice",
    SlotKind.DURATION: "choice",
    SlotKind.NUMBER: "range",
    SlotKind.RATING: "least",
    SlotKind.LIST: "several",
    SlotKind.SERVICES: "several",
}
"""Everything else is typed as text."""
NUMBERS: Final = (SlotKind.NUMBER, SlotKind.RATING)
MOST_CHOICES: Final = 500


def written_tab(context: WorldContext, domain_key: str, slots: Mapping[str, Any]) -> Slots:
    """All fields of a tab in form order, from the values a page sent."""
    domain = context.domain(domain_key)
    if domain is None:
        raise Rejection("unknown_domain", f"there is no domain {domain_key!r}")
    fields = {slot.key: slot for slot in domain.form}
    for key in slots:
        if key not in fields:
            raise Rejection("unknown_slot", f"{domain_key} cannot be searched by {key!r}")
    return tuple(
        (key, written(context, domain, slot, slots.get(key, ""))) for key, slot in fields.items()
    )


def written(context: WorldContext, domain: Domain, slot: Slot, value: Any) -> SlotValue:
    """One field as the form stores it: text, or several terms."""
    match value:
        case str():
            text = clean(value)
            return _field_number(context, domain, slot, text) if slot.kind in NUMBERS else text
        case list() if slot.kind.is_list:
            return _terms(context, value)
        case dict() if slot.kind in NUMBERS:
            return _field_band(context, domain, slot, dict(value))
    raise _bad(slot.key, value)


def clean(text: str) -> str:
    """The value on one line; raises Rejection if it is too long or not text."""
    plain = " ".join(text.split())
    if len(plain) > LONGEST_VALUE or not is_sound(plain):
        raise Rejection("bad_value", f"a value is one line of at most {LONGEST_VALUE} characters")
    return plain


def is_sound(text: str) -> bool:
    """Whether a text has neither control characters nor lone surrogates."""
    return not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text)


def clean_all(values: list[Any]) -> tuple[str, ...]:
    if len(values) > MOST_TERMS or not all(isinstance(each, str) for each in values):
        raise Rejection("bad_value", f"expected at most {MOST_TERMS} texts")
    return several(tuple(dict.fromkeys(clean(each) for each in values)))


def _terms(context: WorldContext, values: list[Any]) -> SlotValue:
    terms, mark = clean_all(values), context.pack.term_separator
    if not terms:
        return ""
    return mark.join(terms) if mark else terms


def _field_number(context: WorldContext, domain: Domain, slot: Slot, text: str) -> str:
    """As typed if it is a form of the language pack; a bare number is put into such a form."""
    forms = forms_of(context.pack, domain.key, slot)
    bounds = read_bounds(forms, text) if text else None
    if text and bounds is None:
        raise Rejection("bad_value", f"{slot.key}: {text!r} says no number")
    if bounds is None or not text.replace(".", "", 1).isdecimal():
        return text
    high = bounds.high if slot.kind is SlotKind.NUMBER else None
    return say_band(forms, Band(bounds.low, high))


def _field_band(context: WorldContext, domain: Domain, slot: Slot, bounds: dict[str, Any]) -> str:
    low, high = bounds.pop("low", None), bounds.pop("high", None)
    ends = [end for end in (low, high) if end is not None]
    if bounds or any(not _is_number(end) for end in ends):
        raise _bad(slot.key, {"low": low, "high": high, **bounds})
    if not ends:
        return ""
    if low is not None and high is not None and low > high:
        low, high = high, low
    return say_band(forms_of(context.pack, domain.key, slot), Band(low, high))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e9


def _bad(slot: str, value: Any) -> Rejection:
    return Rejection("bad_value", f"{slot}: {str(value)[:80]!r} is not what this field holds")


def bounds_of(
    context: WorldContext, form: SystemState
) -> dict[str, dict[str, dict[str, float | None]]]:
    """Domain -> slot -> lower and upper bound of the numbers in the form, for range controls."""
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for tab in form:
        for key, value in tab.constraints.items():
            slot = context.slot(tab.domain, key)
            if slot is None or slot.kind not in NUMBERS or not isinstance(value, str):
                continue
            if bounds := read_bounds(forms_of(context.pack, tab.domain, slot), value):
                ends = {"low": bounds.low, "high": bounds.high}
                found.setdefault(tab.domain, {})[key] = ends
    return found


def described_world(context: WorldContext) -> dict[str, Any]:
    """The form as JSON for pages: fields, names and controls."""
    pack = context.pack
    return {
        "world": context.world.name,
        "language": pack.code,
        "direction": pack.direction,
        "nothing": pack.nothing,
        "yes": pack.yes,
        "no": pack.no,
        "domains": [_domain(context, domain) for domain in context.world.schema],
    }


def _domain(context: WorldContext, domain: Domain) -> dict[str, Any]:
    return {
        "key": domain.key,
        "name": context.pack.domain_name(domain.key),
        "kind": domain.kind.value,
        "fields": [_field(context, domain, slot) for slot in domain.form],
        "shown": [
            {"slot": slot.key, "name": _label(context, domain, slot), "kind": slot.kind.value}
            for slot in domain.slots
        ],
    }


def _field(context: WorldContext, domain: Domain, slot: Slot) -> dict[str, Any]:
    return {
        "slot": slot.key,
        "name": _label(context, domain, slot),
        "kind": slot.kind.value,
        "control": CONTROLS.get(slot.kind, "text"),
        "choices": _choices(context, domain, slot),
        "unit": _unit(context, domain, slot),
        "target": slot.target,
    }


def _label(context: WorldContext, domain: Domain, slot: Slot) -> str:
    return context.pack.slot_name(domain.key, slot.key)


def _unit(context: WorldContext, domain: Domain, slot: Slot) -> str:
    if slot.kind not in NUMBERS:
        return ""
    return forms_of(context.pack, domain.key, slot).exact.replace("{value}", "").strip()


def _choices(context: WorldContext, domain: Domain, slot: Slot) -> list[str]:
    """The values in the table, for fields that take one of a few words, or terms; for numbers,
    the words that stand for some of them: free, not free.
    """
    if slot.kind in NUMBERS:
        forms = forms_of(context.pack, domain.key, slot)
        return [word for word in (forms.free, forms.not_free) if word]
    if slot.kind in (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT):
        return []
    found: set[str] = set()
    for row in context.world.tables.get(domain.key, ()):
        cell = row.get(slot.key)
        found.update((cell,) if isinstance(cell, str) else cell if isinstance(cell, tuple) else ())
    return sorted(found)[:MOST_CHOICES]
