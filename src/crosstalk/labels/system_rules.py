"""Rules about turns of the system: searches, selections, acts and words."""

from collections.abc import Iterator

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND
from crosstalk.dialogue.goals import Reference
from crosstalk.dialogue.schema import NUMBERS, Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.labels.field_words import is_word_of
from crosstalk.labels.findings import Finding
from crosstalk.labels.spoken_facts import told_against_rows
from crosstalk.labels.turn_views import TurnView
from crosstalk.labels.user_rules import wordings
from crosstalk.labels.word_traces import WordTraces, is_near_miss
from crosstalk.language.normalize import tight
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.worlds.conditions import several, terms
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import name_key

PLACES = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT)


def no_word_of_field(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S1: once a field, where a value is typed, not where it stays."""
    seen = set[tuple[str, str, str]]()
    for form, earlier in ((view.first, view.before), (view.last, view.first)):
        for domain, slot, value in _new_values(words, form, earlier):
            typed = _terms(words, slot, value)
            wrong = " ".join(each for each in typed if not is_word_of(words, domain, slot, each))
            if wrong and (domain.key, slot.key, wrong) not in seen:
                seen.add((domain.key, slot.key, wrong))
                yield Finding("S1", view.number, domain.key, slot.key, wrong)


def wished_by_nobody(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S2."""
    said = f"{view.words_before}\n{view.text}"
    for domain, slot, value in _new_values(words, view.first, view.before):
        if domain.kind is not DomainKind.PLACE:
            continue
        for term in _terms(words, slot, value):
            if not is_word_of(words, domain, slot, term) or slot.kind in PLACES:
                continue  # S1 says so; places are taken over from selections
            if words.has_trace(said, domain.key, slot.key, term):
                continue
            if not _is_wished(view, words, domain, slot, term):
                yield Finding("S2", view.number, domain.key, slot.key, term)


def _is_wished(view: TurnView, words: WordTraces, domain: Domain, slot: Slot, term: str) -> bool:
    """Whether a ticked cell of the user's wants it."""
    for change in view.changes:
        each = change.after
        if not each.expressed or each.domain != domain.key:
            continue
        if words.slot(each.domain, each.slot) is slot and any(
            _same(words, domain, slot, term, wish) for wish in wordings(each, words)
        ):
            return True
    return False


def missing_from_search(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S3."""
    if not view.searched and not (view.acts or words.names(view.text)):
        return  # the wizard asks back
    for domain, slot, wish, cell in _wishes(view, words):
        tab = view.first.get(domain.key)
        held = tab.constraints.get(slot.key, "")
        name = tab.constraints.get(name_key(domain))
        if name and slot.kind is not SlotKind.NAME:
            continue
        if any(_same(words, domain, slot, term, wish) for term in _terms(words, slot, held)):
            continue
        if _needs_no_search(view, words, domain, slot, wish):
            continue
        yield Finding("S3", view.number, domain.key, slot.key, wish, cell)


def _wishes(view: TurnView, words: WordTraces) -> Iterator[tuple[Domain, Slot, str, int | None]]:
    """What the user ticked or said in the turn before, of places."""
    seen = set[tuple[str, str, str]]()
    for at in view.ticked:
        change = view.changes[at]
        each = change.after
        domain, slot = words.world.schema.domain(each.domain), words.slot(each.domain, each.slot)
        if domain is None or slot is None or domain.kind is not DomainKind.PLACE:
            continue
        if change.goal.is_open or isinstance(each.value, Reference) or not slot.search:
            continue
        if slot.kind in PLACES and slot.kind is not SlotKind.NEARBY:
            continue
        for wish in wordings(each, words):
            if (domain.key, slot.key, wish) not in seen:
                seen.add((domain.key, slot.key, wish))
                yield domain, slot, wish, at


def _needs_no_search(
    view: TurnView, words: WordTraces, domain: Domain, slot: Slot, wish: str
) -> bool:
    """Whether the wish picks from what was found before, or asks about the place at hand."""
    if view.first.get(domain.key).constraints != view.before.get(domain.key).constraints:
        return False
    chosen = [name for place, name in view.chosen if place == domain.key]
    rows = [words.database.find(domain.key, name) for name in chosen]
    value: SlotValue = (wish,) if slot.kind.is_list else wish
    return any(row and not words.database.unmet(domain.key, row, {slot.key: value}) for row in rows)


def named_not_selected(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S6: neither selected here or before, nor known from what was said, nor part of an answer."""
    known = view.selected | view.chosen
    known_names = {name for _, name in known}
    text = words.without_cells(view.text, view.selected)
    typed = {value for tab in view.last for value in tab.constraints.values()}
    told = {act.value for act in view.acts if act.slot not in words.name_slots.values()}
    earlier = view.words_before
    named = {
        (act.domain, act.value)
        for act in view.acts
        if act.intent in (INFORM, RECOMMEND) and act.slot == words.name_slots.get(act.domain)
    }
    found = words.names(text)
    spots = {name for _, name in found}
    for name in sorted(spots):
        domains = [domain for domain, each in found if each == name]
        if name in known_names or name in typed or any(name in value for value in told):
            continue
        offered = any((domain, name) in named for domain in domains)
        if not offered and words.was_named(earlier, name):
            continue
        if _is_part(name, known_names):
            continue
        if not offered and any(_is_near(words, name, domain, known) for domain in domains):
            continue
        yield Finding("S6", view.number, domains[0], words.name_slots[domains[0]], name)


def _is_part(name: str, names: set[str]) -> bool:
    return any(name in each or each in name for each in names)


def _is_near(words: WordTraces, name: str, domain: str, places: frozenset[tuple[str, str]]) -> bool:
    return any(
        row.get(words.name_slots[domain]) == name
        for place, chosen in places
        if words.database.find(place, chosen)
        for row in words.database.nearby(place, chosen, domain)
    )


def selected_not_named(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S7: complained about only if nobody ever named it."""
    before = view.words_before
    for domain, name in sorted(view.selected - view.chosen):
        if not words.database.find(domain, name) or words.was_named(before, name):
            continue
        if not words.names_trace(view.text, name):
            yield Finding("S7", view.number, domain, words.name_slots[domain], name)


def act_not_in_words(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S8."""
    for act in view.acts:
        slot = words.slot(act.domain, act.slot)
        if act.intent not in (INFORM, RECOMMEND) or slot is None or not act.value:
            continue
        if act.value == words.pack.nothing or act.value in (words.pack.yes, words.pack.no):
            continue
        if not words.has_trace(view.text, act.domain, act.slot, act.value):
            yield Finding("S8", view.number, act.domain, act.slot, act.value)


def denied_by_selection(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S9: of a domain with one selected place."""
    for act in view.acts:
        domain = words.world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if act.intent != INFORM or domain is None or slot is None or slot.kind in PLACES[::2]:
            continue
        names = [name for place, name in view.selected if place == domain.key]
        if len(names) != 1 or act.value == words.pack.nothing:
            continue
        row = words.database.find(domain.key, names[0])
        if row is None or words.truth.is_right(domain, row, act.slot, act.value):
            continue
        if words.row_says((domain.key, names[0]), act.slot, (act.value,)):
            continue
        if slot.kind is SlotKind.NAME or _is_of_another(view, words, domain, act.slot, act.value):
            continue
        yield Finding("S9", view.number, act.domain, act.slot, act.value)


def denied_without_act(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S9: of what no act tells."""
    told = {(act.domain, act.slot) for act in view.acts}
    for finding in told_against_rows(view, words):
        if (finding.domain, finding.slot) not in told:
            yield finding


def _is_of_another(view: TurnView, words: WordTraces, domain: Domain, key: str, value: str) -> bool:
    """Whether the words name another place that has this value."""
    others = {name for place, name in words.names(view.text) if place == domain.key}
    others -= {name for place, name in view.selected if place == domain.key}
    return any(words.row_says((domain.key, name), key, (value,)) for name in others)


def silent_misfit(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S10."""
    if any(act.intent == NO_OFFER for act in view.acts) or words.refuses(view.text):
        return
    for domain in _changed_in_turn(view, words):
        first = view.first.get(domain.key)
        if first.constraints == view.before.get(domain.key).constraints:
            continue
        if _tells_change(view, words, domain):
            continue
        if not _finds(words, first) and _finds(words, view.last.get(domain.key)):
            yield Finding("S10", view.number, domain.key)


def _tells_change(view: TurnView, words: WordTraces, domain: Domain) -> bool:
    """Whether an act tells what the place has instead of what was searched for first."""
    first = view.first.get(domain.key).constraints
    last = view.last.get(domain.key).constraints
    changed = {key for key in first if first[key] != last.get(key)}
    told = {
        slot.key
        for act in view.acts
        if act.domain == domain.key and (slot := domain.slot(act.slot)) is not None
    }
    return bool(changed & told)


def misfit_though_found(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S11."""
    for act in view.acts:
        domain = words.world.schema.domain(act.domain)
        if act.intent != NO_OFFER or domain is None or domain.kind is not DomainKind.PLACE:
            continue
        first, last = view.first.get(domain.key), view.last.get(domain.key)
        if not first.constraints or first.constraints != last.constraints:
            continue
        chosen = [name for place, name in view.selected if place == domain.key]
        if _finds(words, first) and chosen and any(words.names_trace(view.text, n) for n in chosen):
            yield Finding("S11", view.number, domain.key)


def nothing_and_silent(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S12."""
    if any(act.intent == NO_OFFER for act in view.acts) or words.refuses(view.text):
        return
    for domain in words.world.schema.places:
        last = view.last.get(domain.key)
        if last.constraints == view.before.get(domain.key).constraints or not last.constraints:
            continue
        name = last.constraints.get(name_key(domain))
        if isinstance(name, str) and words.database.find(domain.key, name):
            continue
        if any(place == domain.key for place, _ in view.selected) or domain.key not in view.busy:
            continue  # what was selected came from another search
        if not _finds(words, last):
            yield Finding("S12", view.number, domain.key)


def told_without_act(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """S13: texts of the one selected place, such as phone, address, hours."""
    if not view.acts and not view.is_labelled:
        return
    said = {(act.domain, act.slot) for act in view.acts}
    for domain in words.world.schema.places:
        names = [name for place, name in view.selected if place == domain.key]
        row = words.database.find(domain.key, names[0]) if len(names) == 1 else None
        for slot in domain.of_kind(SlotKind.TEXT) if row else ():
            if row is None or (domain.key, slot.key) in said:
                continue
            for value in answer(words.pack, domain, row, slot.key):
                if words.clearly_says(view.text, domain.key, slot.key, value):
                    yield Finding("S13", view.number, domain.key, slot.key, value)


def _changed_in_turn(view: TurnView, words: WordTraces) -> Iterator[Domain]:
    for domain in words.world.schema.places:
        if view.first.get(domain.key).constraints != view.last.get(domain.key).constraints:
            yield domain


def _finds(words: WordTraces, tab: DomainState) -> bool:
    return bool(words.conjunctive.search(tab.domain, tab.constraints))


def _new_values(
    words: WordTraces, form: SystemState, earlier: SystemState
) -> Iterator[tuple[Domain, Slot, SlotValue]]:
    for tab in form:
        domain = words.world.schema.domain(tab.domain)
        for key, value in tab.constraints.items() if domain else ():
            slot = domain.slot(key) if domain else None
            if domain and slot and earlier.get(tab.domain).constraints.get(key) != value:
                yield domain, slot, value


def _terms(words: WordTraces, slot: Slot, value: SlotValue) -> tuple[str, ...]:
    if slot.kind.is_list:
        return tuple(each for each in terms(words.pack, value) if each)
    return tuple(each for each in several(value) if each)


def _same(words: WordTraces, domain: Domain, slot: Slot, held: str, wish: str) -> bool:
    """Whether a field holds a wish, in whatever words."""
    if slot.kind in NUMBERS:
        forms = forms_of(words.pack, domain.key, slot)
        one, other = read_bounds(forms, held), read_bounds(forms, wish)
        return (
            one is not None
            and other is not None
            and (
                one == other
                or words.rows_of(domain, slot, held) == words.rows_of(domain, slot, wish)
            )
        )
    one_text, other_text = tight(held), tight(wish)
    return one_text in other_text or other_text in one_text or is_near_miss(held, wish)


RULES = (
    no_word_of_field,
    wished_by_nobody,
    missing_from_search,
    named_not_selected,
    selected_not_named,
    act_not_in_words,
    denied_by_selection,
    denied_without_act,
    silent_misfit,
    misfit_though_found,
    nothing_and_silent,
    told_without_act,
)
