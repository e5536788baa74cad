"""Rules that derive acts: users' from what they tick in their table and say, systems' from what
users write down afterwards, what was selected, and the text.

Each rule has a name and a reason; `crosstalk annotate evaluate --rules` prints its precision.
"""

from collections.abc import Iterator

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.labels.turn_evidence import (
    Change,
    Rule,
    RuleContext,
    SystemEvidence,
    UserEvidence,
    general_acts_of,
    values_of,
)
from crosstalk.language.gazetteer import (
    mentioned_terms,
    mentions,
    mentions_number,
    numbers_in,
)
from crosstalk.language.keywords import MISFIT, REFUSAL
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Cell, Row


def asked(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    for change in evidence.changes:
        if change.is_ticked and change.after.is_open:
            yield Act(REQUEST, change.after.domain, change.after.slot, "")


def wished(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    """Constraints ticked in this turn; a question ticked with its answer is not one."""
    for change in evidence.changes:
        is_name = context.is_kind(change.after.domain, change.after.slot, SlotKind.NAME)
        if change.is_ticked and not is_name and not change.goal.is_open:
            for value in values_of(change.after):
                yield Act(INFORM, change.after.domain, change.after.slot, value)


def near(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    for change in evidence.changes:
        if change.is_ticked:
            yield from _selection(evidence, context, change)


def asked_again(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    """Questions ticked before that are still open and whose slot is named."""
    language = context.database.world.language
    for each in _unsettled(evidence, context):
        if each.is_open and mentions(evidence.text, language.slot_name(each.domain, each.slot)):
            yield Act(REQUEST, each.domain, each.slot, "")


def wished_again(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    """Constraints ticked before whose value is said again, in the sub-goal at hand."""
    busy = _ticked(evidence)
    for change in evidence.may_be_said_again:
        each = change.after
        at_hand = not busy or each.subgoal in busy
        if change.before.expressed and not change.goal.is_open and at_hand:
            for value in values_of(each):
                if _says_again(evidence.text, context, each, value):
                    yield Act(INFORM, each.domain, each.slot, value)


def carried_on(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    """Unsettled tuples of the sub-goal at hand, in corpora that annotate them again."""
    if not context.keywords.style.carried:
        return
    busy = _ticked(evidence)
    for change in evidence.may_be_said_again:
        each = change.after
        if not change.before.expressed or each.subgoal not in busy:
            continue
        if context.is_kind(each.domain, each.slot, SlotKind.ENDPOINT):
            for value in values_of(each):
                yield Act(INFORM, each.domain, each.slot, value)
        elif context.is_kind(each.domain, each.slot, SlotKind.NAME) and each.is_open:
            yield Act(REQUEST, each.domain, each.slot, "")
        else:
            yield from _selection(evidence, context, change)


def named(evidence: UserEvidence, context: RuleContext) -> Iterator[Act]:
    """Names of the table in the text, except those of the ends of a ride."""
    ends = {
        value
        for change in evidence.changes
        if change.is_ticked
        and context.is_kind(change.after.domain, change.after.slot, SlotKind.ENDPOINT)
        for value in values_of(change.after)
    }
    for change in evidence.changes:
        each = change.after
        if context.is_kind(each.domain, each.slot, SlotKind.NAME):
            for name in values_of(each):
                if name not in ends and mentions(evidence.text, name):
                    yield Act(INFORM, each.domain, each.slot, name)


def _selection(evidence: UserEvidence, context: RuleContext, change: Change) -> Iterator[Act]:
    """A Select act for a reference that is not resolved yet.

    If the user knows that nothing is near the other place, the annotation style decides.
    """
    place, target = change.after.value, change.after.domain
    if not isinstance(place, Reference) or not place.nearby:
        return
    source = _domain_of(evidence, place.subgoal)
    hopes = context.keywords.style.near_nothing or not _none_near(
        evidence, context, place.subgoal, target
    )
    if source and hopes:
        yield Act(SELECT, target, context.database.world.language.source, source)


def _ticked(evidence: UserEvidence) -> frozenset[int]:
    """The sub-goals with tuples ticked in this turn."""
    return frozenset(change.after.subgoal for change in evidence.changes if change.is_ticked)


def _unsettled(evidence: UserEvidence, context: RuleContext) -> Iterator[SemanticTuple]:
    for change in evidence.may_be_said_again:
        each = change.after
        if change.before.expressed and not context.is_kind(each.domain, each.slot, SlotKind.NAME):
            yield each


def _says_again(text: str, context: RuleContext, each: SemanticTuple, value: str) -> bool:
    slot, language = context.slot(each.domain, each.slot), context.database.world.language
    if slot is None or slot.kind in (SlotKind.NAME, SlotKind.ENDPOINT):
        return False
    if slot.kind is SlotKind.SERVICES:
        service = each.slot.removeprefix(slot.key + SERVICE_MARK)
        return value == language.yes and mentions(text, service)
    return value != language.nothing and mentions(text, value)


def _domain_of(evidence: UserEvidence, subgoal: int) -> str:
    return next((each.domain for each in evidence.state if each.subgoal == subgoal), "")


def _none_near(evidence: UserEvidence, context: RuleContext, subgoal: int, target: str) -> bool:
    nothing = context.database.world.language.nothing
    return any(
        nothing in values_of(each)
        for each in evidence.state
        if each.subgoal == subgoal and _leads_to(context, each.domain, each.slot, target)
    )


def _leads_to(context: RuleContext, domain: str, slot: str, target: str) -> bool:
    found = context.slot(domain, slot)
    return found is not None and found.kind is SlotKind.NEARBY and found.target == target


USER_RULES: tuple[Rule[UserEvidence], ...] = (
    Rule("asked", "a question of the table was ticked", asked),
    Rule("wished", "a wish of the table was ticked", wished),
    Rule("near", "a wish for a place near another was ticked", near),
    Rule("asked again", "an open question is named once more", asked_again),
    Rule("wished again", "a wish is said once more", wished_again),
    Rule("carried on", "unsettled, and the user goes on about it (a habit)", carried_on),
    Rule("named", "a place of the table is named", named),
    Rule("manners", "a phrase greets, thanks, parts", general_acts_of(Speaker.USER)),
)


NUMBERS = (SlotKind.NUMBER, SlotKind.RATING)


def answered(evidence: SystemEvidence, context: RuleContext) -> Iterator[Act]:
    """Values that the user fills in after the turn."""
    for change in evidence.changes:
        if change.before.is_open and not _is_place(change, context):
            yield from _told(change)


def corrected(evidence: SystemEvidence, context: RuleContext) -> Iterator[Act]:
    """Constraints that the user replaces after the turn by what was offered instead.

    Some users do so turns later; a number must therefore be in the text.
    """
    for change in evidence.changes:
        if not change.before.is_open and not _is_place(change, context):
            is_number = context.is_kind(change.after.domain, change.after.slot, *NUMBERS)
            for act in _told(change):
                if (
                    not is_number
                    or not numbers_in(act.value)
                    or mentions_number(evidence.text, act.value)
                ):
                    yield act


def offered(evidence: SystemEvidence, context: RuleContext) -> Iterator[Act]:
    """Selected entities named in the text: one is informed, several are recommended."""
    for domain in context.database.world.schema.places:
        names = _offers(evidence, domain)
        intent = RECOMMEND if len(names) > 1 else INFORM
        for name in names:
            yield Act(intent, domain.key, domain.name_slot.key if domain.name_slot else "", name)


def described(evidence: SystemEvidence, context: RuleContext) -> Iterator[Act]:
    """Values of the one selected entity that the text has without being asked."""
    known = {(change.after.domain, change.after.slot) for change in evidence.changes if change.news}
    for domain in context.database.world.schema.places:
        row = _only_row(evidence, context, domain)
        for slot in domain.slots if row else ():
            if row and slot.kind in context.keywords.style.unasked:
                for act in _described(evidence.text, context, domain, slot, row):
                    if (act.domain, act.slot) not in known:
                        yield act


def refused(evidence: SystemEvidence, context: RuleContext) -> Iterator[Act]:
    """A refusal in the text, and a query that was changed."""
    if context.keywords.says(Speaker.SYSTEM, REFUSAL, evidence.text):
        for domain in _searched_again(evidence, context):
            yield Act(NO_OFFER, domain)


def unfit(evidence: SystemEvidence, context: RuleContext) -> Iterator[Act]:
    """A text that says that nothing fits, without a changed query to tell the domain."""
    says_so = context.keywords.says(Speaker.SYSTEM, MISFIT, evidence.text)
    if says_so and not _searched_again(evidence, context):
        for domain in _wished_for(evidence, context):
            yield Act(NO_OFFER, domain)


def _told(change: Change) -> Iterator[Act]:
    for value in change.news:
        yield Act(INFORM, change.after.domain, change.after.slot, value)


def _is_place(change: Change, context: RuleContext) -> bool:
    """Whether a change is a name or an end of a ride, which `offered` handles."""
    each = change.after
    return context.is_kind(each.domain, each.slot, SlotKind.NAME, SlotKind.ENDPOINT)


def _offers(evidence: SystemEvidence, domain: Domain) -> list[str]:
    selected = dict.fromkeys(evidence.last.get(domain.key).selected)
    return [name for name in selected if mentions(evidence.text, name)]


def _only_row(evidence: SystemEvidence, context: RuleContext, domain: Domain) -> Row | None:
    selected = set(evidence.last.get(domain.key).selected)
    return context.database.find(domain.key, selected.pop()) if len(selected) == 1 else None


def _described(
    text: str, context: RuleContext, domain: Domain, slot: Slot, row: Row
) -> Iterator[Act]:
    cell, language = row.get(slot.key), context.database.world.language
    if slot.kind is SlotKind.SERVICES:
        told = mentioned_terms(text, context.services[domain.key, slot.key])
        for service in cell if isinstance(cell, tuple) else ():
            if service in told:
                yield Act(INFORM, domain.key, f"{slot.key}{SERVICE_MARK}{service}", language.yes)
    elif cell is not None and not _is_passed_over(context, slot, cell):
        for value in answer(language, domain, row, slot.key):
            if mentions(text, value) or (slot.kind in NUMBERS and mentions_number(text, value)):
                yield Act(INFORM, domain.key, slot.key, value)


def _is_passed_over(context: RuleContext, slot: Slot, cell: Cell) -> bool:
    """Numbers that the annotation style has no acts for unless asked."""
    style = context.keywords.style
    if not isinstance(cell, int | float):
        return False
    is_whole = slot.kind is SlotKind.RATING and cell == int(cell)
    return (is_whole and not style.whole_ratings) or (cell == 0 and not style.free)


def _searched_again(evidence: SystemEvidence, context: RuleContext) -> list[str]:
    return [
        domain.key
        for domain in context.database.world.schema.places
        if evidence.first.get(domain.key).slots != evidence.last.get(domain.key).slots
    ]


def _wished_for(evidence: SystemEvidence, context: RuleContext) -> list[str]:
    """The place domains with a constraint ticked in the turn before."""
    ticked = {
        change.after.domain
        for change in evidence.asked
        if change.is_ticked and not change.goal.is_open
    }
    return [domain.key for domain in context.database.world.schema.places if domain.key in ticked]


SYSTEM_RULES: tuple[Rule[SystemEvidence], ...] = (
    Rule("answered", "the user filled it in afterwards", answered),
    Rule("corrected", "the user exchanged a wish for it afterwards", corrected),
    Rule("offered", "a selected place is named", offered),
    Rule("described", "the words hold a value of a selected place", described),
    Rule("refused", "a refusal, and the search was changed", refused),
    Rule("unfit", "the words say that nothing fits", unfit),
    Rule("manners", "a phrase greets, welcomes, parts", general_acts_of(Speaker.SYSTEM)),
)
