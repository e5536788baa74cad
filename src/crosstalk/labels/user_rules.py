"""Rules about turns of the user: ticks, words, acts, and what was written down."""

from collections.abc import Iterator

from crosstalk.dialogue.acts import INFORM, REQUEST, SELECT
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.dialogue.schema import NUMBERS, SERVICE_MARK, Slot, SlotKind
from crosstalk.labels.findings import Finding
from crosstalk.labels.turn_evidence import Change, values_of
from crosstalk.labels.turn_views import TurnView
from crosstalk.labels.word_traces import WordTraces
from crosstalk.worlds.truth import Truth

UNASKED = (SlotKind.STATION, SlotKind.ENDPOINT)
NAMES = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT)


def ticked_not_said(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U2: not in this turn, nor in one before it."""
    for at in view.ticked:
        change = view.changes[at]
        if change.goal.is_open or view.is_reference(at) or _is_ride(words, change):
            continue
        for value in wordings(change.after, words):
            if not _said_so_far(view, words, change.after, value):
                yield _cell("U2", view, at, value)


def said_not_ticked(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U3."""
    said = {
        (each.domain, each.slot.split(SERVICE_MARK)[0], value)
        for each in view.state
        if each.expressed
        for value in wordings(each, words)
    }
    taken = {act.value for act in view.acts}
    taken |= {value for at in view.ticked for value in wordings(view.changes[at].after, words)}
    found: set[tuple[str, str, str]] = set()
    for at, change in enumerate(view.changes):
        each = change.after
        if each.expressed or change.goal.is_open or view.is_reference(at) or each.is_open:
            continue
        if _is_ride(words, change) or not _is_talked_about(view, words, each.domain):
            continue
        for value in wordings(each, words):
            key = (each.domain, each.slot.split(SERVICE_MARK)[0], value)
            if value in taken or key in said | found or _is_in_a_name(view, words, value):
                continue
            if words.clearly_says(view.text, each.domain, each.slot, value):
                found.add(key)
                yield _cell("U3", view, at, value)


def ticked_without_act(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U4."""
    if not view.is_labelled:
        return
    acts = {(act.domain, act.slot) for act in view.acts}
    for at in view.ticked:
        change = view.changes[at]
        each = change.after
        if _is_told_with_ride(words, change):
            continue
        if view.is_reference(at):
            if not any(
                act.intent in (SELECT, INFORM) and act.domain == each.domain for act in view.acts
            ):
                yield _cell("U4", view, at, "")
        elif each.value != change.goal.value and not change.goal.is_open:
            continue  # exchanged for what was offered
        elif (each.domain, each.slot) not in acts and not _was_named(view, words, change):
            yield _cell("U4", view, at, _shown(each))


def asked_not_in_words(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U5."""
    for at in view.ticked:
        change = view.changes[at]
        slot = words.slot(change.after.domain, change.after.slot)
        if slot is None or not change.goal.is_open:
            continue
        if slot.kind in UNASKED or _is_told_with_ride(words, change):
            continue
        if not _may_be_asked(view, words, at, slot):
            yield _cell("U5", view, at, "")


def _may_be_asked(view: TurnView, words: WordTraces, at: int, slot: Slot) -> bool:
    each = view.changes[at].after
    domain = words.world.schema.domain(each.domain)
    assert domain is not None
    answered = values_of(each)
    if any(words.has_trace(view.text, each.domain, each.slot, value) for value in answered):
        return True
    if slot.kind is SlotKind.NAME:
        return _may_ask_name(view, words, at)
    if slot.kind is SlotKind.NEARBY:
        return _may_ask_near(view, words, at, slot)
    if each.domain in words.world.rides:
        return words.asks(view.text, domain, each.slot)
    if not _is_begun(view, at) and not words.is_about(each.domain, view.text):
        return False
    if slot.kind is SlotKind.SERVICES and each.slot != slot.key:
        service = each.slot.removeprefix(slot.key + SERVICE_MARK)
        return words.has_trace(view.text, each.domain, each.slot, service)
    return words.asks(view.text, domain, each.slot)


def _is_begun(view: TurnView, at: int) -> bool:
    """Whether something else of a cell's sub-goal is ticked."""
    subgoal = view.changes[at].after.subgoal
    others = (change.after for cell, change in enumerate(view.changes) if cell != at)
    return any(each.subgoal == subgoal and each.expressed for each in others)


def _may_ask_name(view: TurnView, words: WordTraces, at: int) -> bool:
    each = view.changes[at].after
    others = [view.changes[cell].after for cell in view.ticked if cell != at]
    if any(other.subgoal == each.subgoal for other in others):
        return True
    if _is_begun(view, at) and words.looks_for(view.text):
        return True
    near = [slot for other in others if (slot := words.slot(other.domain, other.slot))]
    if any(slot.kind is SlotKind.NEARBY and slot.target == each.domain for slot in near):
        return False
    return words.is_about(each.domain, view.text)


def _may_ask_near(view: TurnView, words: WordTraces, at: int, slot: Slot) -> bool:
    each = view.changes[at].after
    if not words.cue("near", view.text) and slot.target == each.domain:
        return False
    if not words.is_about(slot.target, view.text):
        return False
    if not _is_begun(view, at) and not words.is_about(each.domain, view.text):
        return False
    for cell in view.ticked:
        other = view.changes[cell].after
        kind = words.slot(other.domain, other.slot)
        if cell == at or kind is None or other.subgoal == each.subgoal:
            continue
        if kind.kind is SlotKind.NEARBY and kind.target == slot.target and _is_begun(view, cell):
            return False
        if view.is_reference(cell) and other.domain == slot.target:
            return False
    return True


def act_of_unticked(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U6."""
    for act in view.acts:
        cells = [
            (at, change)
            for at, change in enumerate(view.changes)
            if (change.after.domain, change.after.slot) == (act.domain, act.slot)
        ]
        slot = words.slot(act.domain, act.slot)
        if act.intent not in (INFORM, REQUEST) or slot is None or not cells:
            continue
        if act.intent == INFORM and slot.kind in NAMES:
            continue
        if any(change.after.expressed for _, change in cells):
            continue
        yield _cell("U6", view, cells[0][0], act.value)


def unknown_name(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U7."""
    for at, change in enumerate(view.changes):
        slot = words.slot(change.after.domain, change.after.slot)
        if slot is None or slot.kind is not SlotKind.NAME:
            continue
        for name in change.news:
            if name != words.pack.nothing and not is_known(words, change.after.domain, name):
                yield _cell("U7", view, at, name)


def never_told(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U8."""
    told = "\n".join(view.texts_of(Speaker.SYSTEM))
    for at, change in enumerate(view.changes):
        each = change.after
        slot = words.slot(each.domain, each.slot)
        if slot is None or slot.kind is SlotKind.SERVICES or not told:
            continue
        for value in change.news:
            if value == words.pack.nothing or words.has_trace(told, each.domain, each.slot, value):
                continue
            if not _was_said_by_user(view, words, each, value):
                yield _cell("U8", view, at, value)


def _was_said_by_user(view: TurnView, words: WordTraces, each: SemanticTuple, value: str) -> bool:
    said = "\n".join((view.text, *view.texts_of(Speaker.USER)))
    return words.has_trace(said, each.domain, each.slot, value)


def denied_by_row(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U9."""
    truth = words.truth
    for at, change in enumerate(view.changes):
        each = change.after
        place = view.name_of(each.subgoal, words.name_slots)
        domain = words.world.schema.domain(each.domain)
        if not change.news or place is None or domain is None or place[0] != each.domain:
            continue
        slot = domain.slot(each.slot)
        row = truth.entity(*place)
        if row is None or slot is None or slot.kind is SlotKind.NAME:
            continue
        if not change.goal.is_open and slot.kind not in NUMBERS:
            continue
        value = each.value
        if isinstance(value, Reference) or values_of(each) == (words.pack.nothing,):
            continue
        if not truth.is_right(domain, row, each.slot, value) and not _nearly(
            truth, words, at, view
        ):
            yield _cell("U9", view, at, _shown(each))


def _nearly(truth: Truth, words: WordTraces, at: int, view: TurnView) -> bool:
    """Whether a value is part of what the row says, or says the same in other words."""
    each = view.changes[at].after
    place = view.name_of(each.subgoal, words.name_slots)
    assert place is not None
    return words.row_says(place, each.slot, values_of(each)) or (
        not view.changes[at].goal.is_open
        and truth.meets(place[0], truth.entity(*place) or {}, each.slot, each.value)
    )


def named_without_act(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U10: a place of the user's table, named, in a turn with labels."""
    if not view.is_labelled:
        return
    said = {act.value for act in view.acts}
    ends = {
        value
        for each in view.state
        if (slot := words.slot(each.domain, each.slot)) and slot.kind is not SlotKind.NAME
        for value in values_of(each)
    }
    for at, change in enumerate(view.changes):
        each = change.after
        if words.name_slots.get(each.domain) != each.slot or not isinstance(each.value, str):
            continue
        if each.value in said | ends or (each.domain, each.value) not in words.names(view.text):
            continue
        yield _cell("U10", view, at, each.value)


def asked_not_ticked(view: TurnView, words: WordTraces) -> Iterator[Finding]:
    """U11: of the sub-goal at hand, by its name, or by a word and an answer written down next."""
    at_hand = _at_hand(view)
    open_now = {
        (each.domain, each.slot)
        for at, each in enumerate(view.state)
        if each.expressed and (each.is_open or at in view.ticked)
    }
    open_now |= {(act.domain, act.slot) for act in view.acts}
    for at, change in enumerate(view.changes):
        each = change.after
        slot = words.slot(each.domain, each.slot)
        if each.expressed or not each.is_open or slot is None or slot.kind in UNASKED:
            continue
        if each.subgoal not in at_hand or (each.domain, each.slot) in open_now:
            continue
        told = view.following[at].after
        written = not told.is_open and not told.expressed
        alone = not any(view.changes[one].goal.is_open for one in view.ticked)
        plainly = words.names_slot(view.text, each.domain, slot) or (
            alone and words.is_question(view.text)
        )
        if (plainly and _asks_surely(view, words, each)) or (
            written and _asks_perhaps(view, words, each, at)
        ):
            yield _cell("U11", view, at, "")


def _at_hand(view: TurnView) -> frozenset[int]:
    """The sub-goals of this turn's ticks; without any, that of the last tick before."""
    ticked = frozenset(view.changes[at].after.subgoal for at in view.ticked)
    return ticked or frozenset(filter(None, (view.last_subgoal,)))


def _asks_perhaps(view: TurnView, words: WordTraces, each: SemanticTuple, at: int) -> bool:
    slot = words.slot(each.domain, each.slot)
    domain = words.world.schema.domain(each.domain)
    if slot is None or domain is None:
        return False
    if slot.kind is SlotKind.NAME:
        return words.looks_for(view.text) and words.is_about(each.domain, view.text)
    if slot.kind is SlotKind.NEARBY:
        return words.cue("near", view.text) and words.is_about(slot.target, view.text)
    return words.clearly_asks(view.text, domain, slot)


def _asks_surely(view: TurnView, words: WordTraces, each: SemanticTuple) -> bool:
    slot = words.slot(each.domain, each.slot)
    domain = words.world.schema.domain(each.domain)
    if slot is None or domain is None:
        return False
    if slot.kind is SlotKind.SERVICES and each.slot != slot.key:
        service = each.slot.removeprefix(slot.key + SERVICE_MARK)
        return words.clearly_says(view.text, each.domain, each.slot, service)
    if slot.kind is SlotKind.NEARBY:
        wished = any(not view.changes[at].goal.is_open for at in view.ticked)
        return not (wished or _is_near_told(view, words)) and (
            words.cue("near", view.text)
            and words.is_question(view.text)
            and words.is_about(slot.target, view.text)
        )
    if slot.kind is SlotKind.NAME:
        return False
    return words.clearly_asks(view.text, domain, slot)


def _is_near_told(view: TurnView, words: WordTraces) -> bool:
    """Whether an act or a tick already says what *near* is about."""
    told = {(act.domain, act.slot) for act in view.acts if act.intent != SELECT}
    told |= {(view.changes[at].after.domain, view.changes[at].after.slot) for at in view.ticked}
    near = any(
        (slot := words.slot(*each)) is not None and slot.kind is SlotKind.NEARBY for each in told
    )
    chosen = any(act.intent == SELECT for act in view.acts)
    return near or chosen or any(view.is_reference(at) for at in view.ticked)


def is_known(words: WordTraces, domain: str, name: str) -> bool:
    return words.truth.entity(domain, name) is not None


def wordings(each: SemanticTuple, words: WordTraces) -> tuple[str, ...]:
    """The texts by which a wish is said."""
    slot = words.slot(each.domain, each.slot)
    if slot is not None and slot.kind is SlotKind.SERVICES and each.slot != slot.key:
        return (each.slot.removeprefix(slot.key + SERVICE_MARK),)
    return values_of(each)


def _said_so_far(view: TurnView, words: WordTraces, each: SemanticTuple, value: str) -> bool:
    slot = words.slot(each.domain, each.slot)
    by_name = slot is not None and slot.kind in NAMES
    before = view.words_before if by_name else view.question
    return words.has_trace(f"{view.text}\n{before}", each.domain, each.slot, value)


def _is_told_with_ride(words: WordTraces, change: Change) -> bool:
    """Whether a ride was told whole, and its car or station ticked as it was written down."""
    return _is_ride(words, change) and change.before.is_open and not change.after.is_open


def _is_ride(words: WordTraces, change: Change) -> bool:
    return change.after.domain in words.world.rides


def _is_talked_about(
    view: TurnView, words: WordTraces, domain: str, *, alone: bool = False
) -> bool:
    """Whether a turn is about a domain: by words, by what is ticked, or as the one before was.

    `alone`: and about no other one.
    """
    ours = {each.key for each in words.world.schema if words.is_about(each.key, view.text)}
    busy = view.busy | {act.domain for act in view.acts}
    about = ours | (busy & {each.key for each in words.world.schema})
    if not about:
        return True
    return domain in about and (not alone or domain in busy or about == {domain})


def _is_in_a_name(view: TurnView, words: WordTraces, value: str) -> bool:
    """Whether a value is only said as part of a place's name."""
    rest = view.text
    for _, name in words.names(view.text):
        rest = rest.replace(name, "\n")
    return value in view.text and value not in rest


def _was_named(view: TurnView, words: WordTraces, change: Change) -> bool:
    slot = words.slot(change.after.domain, change.after.slot)
    return slot is not None and slot.kind in NAMES


def _shown(each: SemanticTuple) -> str:
    return ", ".join(values_of(each))


def _cell(rule: str, view: TurnView, at: int, value: str) -> Finding:
    each = view.changes[at].after
    return Finding(rule, view.number, each.domain, each.slot, value, at)


RULES = (
    ticked_not_said,
    said_not_ticked,
    ticked_without_act,
    asked_not_in_words,
    act_of_unticked,
    unknown_name,
    never_told,
    denied_by_row,
    named_without_act,
    asked_not_ticked,
)
