"""Checks of dialogue acts (order, speaker, shape) and of the fields of the database form."""

from crosstalk.corpora.crosswoz_schema import FileSpelling, crosswoz_spelling
from crosstalk.corpora.slot_checks import Finding, Findings
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
from crosstalk.dialogue.schema import NOT_MARK, DomainKind, Schema, SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState

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
"""Broken rules, each with a message."""


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
    """The problem with the four fields of an act; empty if there is none."""
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
    """Check that the tuples ticked in the first turn are those of its acts.

    Later turns are not checked: names that the system offered are ticked without being said.
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
    """The tuple that an act ticks; an exclusion is a constraint on `!<slot>`."""
    if act.intent == EXCLUDE:
        return INFORM, act.domain, NOT_MARK + act.slot
    return act.intent, act.domain, act.slot


Filled = dict[tuple[str, str], SlotValue]
KINDS = {
    SlotKind.NUMBER: "an amount",
    SlotKind.RATING: "a rating",
    SlotKind.DURATION: "a duration",
    SlotKind.CATEGORY: "a type of hotel",
}


def check_form_fields(dialogue: Dialogue) -> Findings:
    """CrossWOZ: each form has all five tabs, each tab all its fields, in order."""
    spelling = crosswoz_spelling(dialogue)
    if spelling is None:
        return
    shape = [(domain.key, [slot.key for slot in domain.form]) for domain in spelling.schema]
    for number, turn in enumerate(dialogue.turns):
        for field, form in _forms(turn):
            if [tab.domain for tab in form] != [domain for domain, _ in shape]:
                message = f"the tabs are not {', '.join(domain for domain, _ in shape)}"
                yield Finding("form fields", message, field, number)
                continue
            for tab, (domain, slots) in zip(form, shape, strict=True):
                if [slot for slot, _ in tab.slots] != slots:
                    message = f"the fields are not {', '.join(slots)}"
                    yield Finding("form fields", message, f"{field}.{domain}", number)


def check_form_values(dialogue: Dialogue) -> Findings:
    """CrossWOZ: numbers, ratings, durations and types as the form spells them.

    Values stay in the form from turn to turn; a mistake is reported once, where it was typed.
    """
    spelling = crosswoz_spelling(dialogue)
    if spelling is None:
        return
    before: Filled = {}
    for number, turn in enumerate(dialogue.turns):
        for field, form in _forms(turn):
            for tab in form:
                for slot, message in _spelling_errors(tab, before, spelling):
                    yield Finding("form value", message, f"{field}.{tab.domain}.{slot}", number)
            before = {(tab.domain, slot): value for tab in form for slot, value in tab.slots}


def check_missing(dialogue: Dialogue) -> Findings:
    """CrossWOZ: fields that every released dialogue has."""
    if crosswoz_spelling(dialogue) is None:
        return
    goal = dialogue.goal
    whole = {
        "workers": bool(dialogue.workers),
        "goal": goal is not None,
        "type": goal is None or goal.type is not None,
        "description": goal is None or bool(goal.description),
        "final_goal": dialogue.final_goal is not None,
    }
    for field, is_there in whole.items():
        if not is_there:
            yield Finding("missing field", "is missing", field)
    for number, turn in enumerate(dialogue.turns):
        user = turn.speaker is Speaker.USER
        if user and turn.user_state is None:
            yield Finding("missing field", "is missing", "user_state", number)
        if not user and (turn.first_query is None or turn.last_query is None):
            field = "first_query" if turn.first_query is None else "last_query"
            yield Finding("missing field", "is missing", field, number)


def _forms(turn: Turn) -> list[tuple[str, SystemState]]:
    forms = (("first_query", turn.first_query), ("last_query", turn.last_query))
    return [(name, form) for name, form in forms if form is not None]


def _spelling_errors(
    tab: DomainState, before: Filled, spelling: FileSpelling
) -> list[tuple[str, str]]:
    domain = spelling.schema.domain(tab.domain)
    found = []
    for name, value in tab.slots:
        slot = domain.slot(name) if domain else None
        if not value or slot is None or before.get((tab.domain, name)) == value:
            continue
        if message := _spelling_error(str(value), slot.kind, spelling):
            found.append((name, message))
    return found


def _spelling_error(value: str, kind: SlotKind, spelling: FileSpelling) -> str:
    """The problem with a value of the form; empty if there is none."""
    pattern = spelling.patterns.get(kind)
    if pattern and not pattern.fullmatch(value):
        kinds = pattern.pattern.replace("|", ", ") if kind is SlotKind.CATEGORY else ""
        expected = f"one of {kinds}" if kinds else f"{KINDS[kind]} as the form spells it"
        return f"{value!r} is not {expected}{_other_field(value, spelling)}"
    if kind in (SlotKind.NAME, SlotKind.ENDPOINT, SlotKind.NEARBY):
        other = _other_field(value, spelling)
        return f"{value!r} is not a name{other}" if other else ""
    return ""


def _other_field(value: str, spelling: FileSpelling) -> str:
    """A hint at the field in which the value would be valid."""
    for kind, pattern in spelling.patterns.items():
        if pattern.fullmatch(value):
            return f"; it looks like {KINDS[kind]}"
    return ""
