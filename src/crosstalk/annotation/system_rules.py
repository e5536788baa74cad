"""What systems do, from what users write down afterwards, what was selected, and the words."""

from collections.abc import Iterator

from crosstalk.annotation.keywords import MISFIT, REFUSAL
from crosstalk.annotation.rules import Knowledge, Rule, manners_of
from crosstalk.annotation.scenes import Change, SystemScene
from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.mentions import (
    mentioned_terms,
    mentions,
    mentions_number,
    numbers_in,
)
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Cell, Row

NUMBERS = (SlotKind.NUMBER, SlotKind.RATING)


def answered(scene: SystemScene, know: Knowledge) -> Iterator[Act]:
    """What a user fills in after the turn was told in it."""
    for change in scene.changes:
        if change.before.is_open and not _is_place(change, know):
            yield from _told(change)


def corrected(scene: SystemScene, know: Knowledge) -> Iterator[Act]:
    """A wish that a user exchanges after the turn, for what was offered instead.

    Some users do so turns later; then the turn does not have the number.
    """
    for change in scene.changes:
        if not change.before.is_open and not _is_place(change, know):
            is_number = know.is_kind(change.after.domain, change.after.slot, *NUMBERS)
            for act in _told(change):
                if (
                    not is_number
                    or not numbers_in(act.value)
                    or mentions_number(scene.text, act.value)
                ):
                    yield act


def offered(scene: SystemScene, know: Knowledge) -> Iterator[Act]:
    """Selected places in the words: one is told, several are recommended."""
    for domain in know.database.world.schema.places:
        names = _offers(scene, domain)
        intent = RECOMMEND if len(names) > 1 else INFORM
        for name in names:
            yield Act(intent, domain.key, domain.name_slot.key if domain.name_slot else "", name)


def described(scene: SystemScene, know: Knowledge) -> Iterator[Act]:
    """What the words tell about the one selected place without having been asked."""
    known = {(change.after.domain, change.after.slot) for change in scene.changes if change.news}
    for domain in know.database.world.schema.places:
        row = _only_row(scene, know, domain)
        for slot in domain.slots if row else ():
            if row and slot.kind in know.keywords.habits.unasked:
                for act in _described(scene.text, know, domain, slot, row):
                    if (act.domain, act.slot) not in known:
                        yield act


def refused(scene: SystemScene, know: Knowledge) -> Iterator[Act]:
    """Words of refusal, and a search that was changed."""
    if know.keywords.says(Speaker.SYSTEM, REFUSAL, scene.text):
        for domain in _searched_again(scene, know):
            yield Act(NO_OFFER, domain)


def unfit(scene: SystemScene, know: Knowledge) -> Iterator[Act]:
    """Words that say that nothing meets the wishes, where no search tells whose."""
    says_so = know.keywords.says(Speaker.SYSTEM, MISFIT, scene.text)
    if says_so and not _searched_again(scene, know):
        for domain in _wished_for(scene, know):
            yield Act(NO_OFFER, domain)


def _told(change: Change) -> Iterator[Act]:
    for value in change.news:
        yield Act(INFORM, change.after.domain, change.after.slot, value)


def _is_place(change: Change, know: Knowledge) -> bool:
    """Names and ends of rides are for the user to choose; `offered` sees what was said."""
    each = change.after
    return know.is_kind(each.domain, each.slot, SlotKind.NAME, SlotKind.ENDPOINT)


def _offers(scene: SystemScene, domain: Domain) -> list[str]:
    selected = dict.fromkeys(scene.last.get(domain.key).selected)
    return [name for name in selected if mentions(scene.text, name)]


def _only_row(scene: SystemScene, know: Knowledge, domain: Domain) -> Row | None:
    selected = set(scene.last.get(domain.key).selected)
    return know.database.find(domain.key, selected.pop()) if len(selected) == 1 else None


def _described(text: str, know: Knowledge, domain: Domain, slot: Slot, row: Row) -> Iterator[Act]:
    cell, language = row.get(slot.key), know.database.world.language
    if slot.kind is SlotKind.SERVICES:
        told = mentioned_terms(text, know.services[domain.key, slot.key])
        for service in cell if isinstance(cell, tuple) else ():
            if service in told:
                yield Act(INFORM, domain.key, f"{slot.key}{SERVICE_MARK}{service}", language.yes)
    elif cell is not None and not _is_passed_over(know, slot, cell):
        for value in answer(language, domain, row, slot.key):
            if mentions(text, value) or (slot.kind in NUMBERS and mentions_number(text, value)):
                yield Act(INFORM, domain.key, slot.key, value)


def _is_passed_over(know: Knowledge, slot: Slot, cell: Cell) -> bool:
    """Numbers that a corpus never has acts for where nobody asked."""
    habits = know.keywords.habits
    if not isinstance(cell, int | float):
        return False
    is_whole = slot.kind is SlotKind.RATING and cell == int(cell)
    return (is_whole and not habits.whole_ratings) or (cell == 0 and not habits.free)


def _searched_again(scene: SystemScene, know: Knowledge) -> list[str]:
    return [
        domain.key
        for domain in know.database.world.schema.places
        if scene.first.get(domain.key).slots != scene.last.get(domain.key).slots
    ]


def _wished_for(scene: SystemScene, know: Knowledge) -> list[str]:
    """The place domains of which the user wished something in the turn before."""
    ticked = {
        change.after.domain
        for change in scene.asked
        if change.is_ticked and not change.goal.is_open
    }
    return [domain.key for domain in know.database.world.schema.places if domain.key in ticked]


SYSTEM_RULES: tuple[Rule[SystemScene], ...] = (
    Rule("answered", "the user filled it in afterwards", answered),
    Rule("corrected", "the user exchanged a wish for it afterwards", corrected),
    Rule("offered", "a selected place is named", offered),
    Rule("described", "the words hold a value of a selected place", described),
    Rule("refused", "a refusal, and the search was changed", refused),
    Rule("unfit", "the words say that nothing fits", unfit),
    Rule("manners", "a phrase greets, welcomes, parts", manners_of(Speaker.SYSTEM)),
)
