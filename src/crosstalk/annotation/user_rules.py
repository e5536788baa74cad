"""What users do, from what they tick in their table and from what they say."""

from collections.abc import Iterator

from crosstalk.annotation.rules import Knowledge, Rule, manners_of
from crosstalk.annotation.scenes import Change, UserScene, values_of
from crosstalk.dialogue.acts import INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.dialogue.schema import SERVICE_MARK, SlotKind
from crosstalk.language.mentions import mentions


def asked(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    for change in scene.changes:
        if change.is_ticked and change.after.is_open:
            yield Act(REQUEST, change.after.domain, change.after.slot, "")


def wished(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    """A question that is ticked with its answer beside it was never asked, and is no wish."""
    for change in scene.changes:
        is_name = know.is_kind(change.after.domain, change.after.slot, SlotKind.NAME)
        if change.is_ticked and not is_name and not change.goal.is_open:
            for value in values_of(change.after):
                yield Act(INFORM, change.after.domain, change.after.slot, value)


def near(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    for change in scene.changes:
        if change.is_ticked:
            yield from _selection(scene, know, change)


def asked_again(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    """A question that was ticked before, is still open, and is called by its name."""
    language = know.database.world.language
    for each in _unsettled(scene, know):
        if each.is_open and mentions(scene.text, language.slot_name(each.domain, each.slot)):
            yield Act(REQUEST, each.domain, each.slot, "")


def wished_again(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    """A wish ticked before whose value is said once more, while nothing else is being done."""
    busy = _ticked(scene)
    for change in scene.changes:
        each = change.after
        at_hand = not busy or each.subgoal in busy
        if change.before.expressed and not change.goal.is_open and at_hand:
            for value in values_of(each):
                if _says_again(scene.text, know, each, value):
                    yield Act(INFORM, each.domain, each.slot, value)


def carried_on(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    """What is unsettled in a part of the goal that the user goes on about; a habit of corpora."""
    if not know.keywords.habits.carried:
        return
    busy = _ticked(scene)
    for change in scene.changes:
        each = change.after
        if not change.before.expressed or each.subgoal not in busy:
            continue
        if know.is_kind(each.domain, each.slot, SlotKind.ENDPOINT):
            for value in values_of(each):
                yield Act(INFORM, each.domain, each.slot, value)
        elif know.is_kind(each.domain, each.slot, SlotKind.NAME) and each.is_open:
            yield Act(REQUEST, each.domain, each.slot, "")
        else:
            yield from _selection(scene, know, change)


def named(scene: UserScene, know: Knowledge) -> Iterator[Act]:
    """A place of the table in the words; the two ends of a ride are told as such."""
    ends = {
        value
        for change in scene.changes
        if change.is_ticked
        and know.is_kind(change.after.domain, change.after.slot, SlotKind.ENDPOINT)
        for value in values_of(change.after)
    }
    for change in scene.changes:
        each = change.after
        if know.is_kind(each.domain, each.slot, SlotKind.NAME):
            for name in values_of(each):
                if name not in ends and mentions(scene.text, name):
                    yield Act(INFORM, each.domain, each.slot, name)


def _selection(scene: UserScene, know: Knowledge, change: Change) -> Iterator[Act]:
    """Nearness that is still to be resolved; a user who has learned that nothing is near it may
    all the same say so.
    """
    place, target = change.after.value, change.after.domain
    if not isinstance(place, Reference) or not place.nearby:
        return
    source = _domain_of(scene, place.subgoal)
    hopes = know.keywords.habits.near_nothing or not _none_near(scene, know, place.subgoal, target)
    if source and hopes:
        yield Act(SELECT, target, know.database.world.language.source, source)


def _ticked(scene: UserScene) -> frozenset[int]:
    """The sub-goals of which something was said in this turn."""
    return frozenset(change.after.subgoal for change in scene.changes if change.is_ticked)


def _unsettled(scene: UserScene, know: Knowledge) -> Iterator[SemanticTuple]:
    for change in scene.changes:
        each = change.after
        if change.before.expressed and not know.is_kind(each.domain, each.slot, SlotKind.NAME):
            yield each


def _says_again(text: str, know: Knowledge, each: SemanticTuple, value: str) -> bool:
    slot, language = know.slot(each.domain, each.slot), know.database.world.language
    if slot is None or slot.kind in (SlotKind.NAME, SlotKind.ENDPOINT):
        return False
    if slot.kind is SlotKind.SERVICES:
        service = each.slot.removeprefix(slot.key + SERVICE_MARK)
        return value == language.yes and mentions(text, service)
    return value != language.nothing and mentions(text, value)


def _domain_of(scene: UserScene, subgoal: int) -> str:
    return next((each.domain for each in scene.state if each.subgoal == subgoal), "")


def _none_near(scene: UserScene, know: Knowledge, subgoal: int, target: str) -> bool:
    nothing = know.database.world.language.nothing
    return any(
        nothing in values_of(each)
        for each in scene.state
        if each.subgoal == subgoal and _leads_to(know, each.domain, each.slot, target)
    )


def _leads_to(know: Knowledge, domain: str, slot: str, target: str) -> bool:
    found = know.slot(domain, slot)
    return found is not None and found.kind is SlotKind.NEARBY and found.target == target


USER_RULES: tuple[Rule[UserScene], ...] = (
    Rule("asked", "a question of the table was ticked", asked),
    Rule("wished", "a wish of the table was ticked", wished),
    Rule("near", "a wish for a place near another was ticked", near),
    Rule("asked again", "an open question is named once more", asked_again),
    Rule("wished again", "a wish is said once more", wished_again),
    Rule("carried on", "unsettled, and the user goes on about it (a habit)", carried_on),
    Rule("named", "a place of the table is named", named),
    Rule("manners", "a phrase greets, thanks, parts", manners_of(Speaker.USER)),
)
