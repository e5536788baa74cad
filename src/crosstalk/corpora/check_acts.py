"""Rules about dialogue acts: their order, and who may say what in which shape."""

from crosstalk.corpora.crosswoz_words import crosswoz_spelling
from crosstalk.corpora.violations import Finding, Findings
from crosstalk.dialogue.acts import (
    EXCLUDE,
    GENERAL,
    INFORM,
    NO_OFFER,
    NOTHING,
    PUBLISHED,
    RECOMMEND,
    REQUEST,
    SELECT,
    SYSTEM_INTENTS,
    USER_INTENTS,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference
from crosstalk.dialogue.schema import NOT_MARK, DomainKind, Schema

GENERALS = {
    Speaker.USER: ("greet", "thank", "bye", "yes", "no", "help", "repeat", "restart", "dontcare"),
    Speaker.SYSTEM: (
        "greet",
        "thank",
        "welcome",
        "reqmore",
        "bye",
        "help",
        "restart",
        "misunderstood",
    ),
}
ONLY = {
    **dict.fromkeys(USER_INTENTS - SYSTEM_INTENTS, Speaker.USER),
    **dict.fromkeys(SYSTEM_INTENTS - USER_INTENTS, Speaker.SYSTEM),
}
"""Intents that only one side has."""
TOLD = (INFORM, REQUEST, EXCLUDE)
INTENTS = tuple(sorted(USER_INTENTS | SYSTEM_INTENTS))
NEVER_NEAR = {("酒店", "酒店"), ("Hotel", "Hotel")}
"""No hotel of CrossWOZ has a hotel nearby."""


def check_acts(dialogue: Dialogue, schema: Schema) -> Findings:
    spelling = crosswoz_spelling(dialogue)
    for number, turn in enumerate(dialogue.turns):
        for rule, message in _order(turn):
            yield Finding(rule, message, "acts", number)
        for position, act in enumerate(turn.acts):
            for rule, message in _problems(act, turn.speaker, schema):
                yield Finding(rule, f"{act}: {message}", f"acts[{position}]", number)
            if spelling and act.intent == SELECT and act.slot != spelling.source:
                message = f"{act}: the slot of Select is {spelling.source}"
                yield Finding("act shape", message, f"acts[{position}]", number)


Problems = list[tuple[str, str]]
"""Rules that are broken, with words for each."""


def _order(turn: Turn) -> Problems:
    found = []
    if turn.acts != in_order(turn.acts):
        found.append(("acts order", "the acts are not sorted"))
    if len(set(turn.acts)) < len(turn.acts):
        twice = next(act for act in turn.acts if turn.acts.count(act) > 1)
        found.append(("acts twice", f"{twice} stands there twice"))
    return found


def _problems(act: Act, speaker: Speaker, schema: Schema) -> Problems:
    if act.intent not in INTENTS:
        return [("act intent", f"unknown intent; known are {', '.join(INTENTS)}")]
    found = []
    if speaker is not ONLY.get(act.intent, speaker):
        found.append(("act speaker", f"only the {ONLY[act.intent]} may say this"))
    if message := _wrong_shape(act, speaker, schema):
        found.append(("act shape", message))
    return found


def _wrong_shape(act: Act, speaker: Speaker, schema: Schema) -> str:
    """What is wrong with the four fields of an act, or nothing."""
    empty = act.slot == NOTHING and act.value == NOTHING
    domain = schema.domain(act.domain)
    if act.intent not in PUBLISHED:
        return ""
    if act.intent == GENERAL:
        if act.domain not in GENERALS[speaker]:
            return f"the {speaker} says one of {', '.join(GENERALS[speaker])}"
        return "" if empty else "slot and value are none"
    if act.intent == NO_OFFER:
        if domain and domain.kind is not DomainKind.PLACE:
            return "only places can be wanting"
        return "" if empty else "slot and value are none"
    if act.intent == REQUEST:
        return "the value of a request is empty" if act.value else ""
    if act.intent == SELECT:
        return "no hotel is near a hotel" if (act.domain, act.value) in NEVER_NEAR else ""
    name = domain.name_slot if domain else None
    if act.intent == RECOMMEND and name and act.slot != name.key:
        return "only names are recommended"
    return "" if act.value else "nothing is said: the value is empty"


def check_first_turn(dialogue: Dialogue) -> Findings:
    """What the user ticks in the first turn is what the acts of that turn say.

    Later turns are looser: names that the system has offered are ticked without being said.
    """
    first = dialogue.turns[0] if dialogue.turns else None
    if dialogue.goal is None or first is None or not first.acts or first.user_state is None:
        return
    said = {_ticks(act) for act in first.acts if act.intent in TOLD}
    selected = {act.domain for act in first.acts if act.intent == SELECT}
    for number, each in enumerate(first.user_state):
        word = (REQUEST if each.is_open else INFORM, each.domain, each.slot)
        near = isinstance(each.value, Reference) and each.value.nearby
        if each.expressed and not (each.domain in selected if near else word in said):
            message = f"{each.domain}-{each.slot} is ticked, but no act says it"
            yield Finding("first turn", message, f"user_state[{number}]", 0)
    ticked = {(each.domain, each.slot) for each in first.user_state if each.expressed}
    for number, act in enumerate(first.acts):
        if act.intent in TOLD and _ticks(act)[1:] not in ticked:
            yield Finding("first turn", f"{act} is said, but not ticked", f"acts[{number}]", 0)


def _ticks(act: Act) -> tuple[str, str, str]:
    """The word for a tuple that an act says: exclusions are wishes about `!<slot>`."""
    if act.intent == EXCLUDE:
        return INFORM, act.domain, NOT_MARK + act.slot
    return act.intent, act.domain, act.slot
