"""Rules about the database form: its fields, and how wizards fill them in."""

from crosstalk.corpora.crosswoz_words import FileSpelling, crosswoz_spelling
from crosstalk.corpora.violations import Finding, Findings
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState

Filled = dict[tuple[str, str], SlotValue]
KINDS = {
    SlotKind.NUMBER: "an amount",
    SlotKind.RATING: "a rating",
    SlotKind.DURATION: "a duration",
    SlotKind.CATEGORY: "a type of hotel",
}


def check_form_fields(dialogue: Dialogue) -> Findings:
    """CrossWOZ: each form has all five tabs, each tab its fields, in order."""
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

    A form is carried on from turn to turn; a slip is told once, where it was typed.
    """
    spelling = crosswoz_spelling(dialogue)
    if spelling is None:
        return
    before: Filled = {}
    for number, turn in enumerate(dialogue.turns):
        for field, form in _forms(turn):
            for tab in form:
                for slot, message in _slips(tab, before, spelling):
                    yield Finding("form value", message, f"{field}.{tab.domain}.{slot}", number)
            before = {(tab.domain, slot): value for tab in form for slot, value in tab.slots}


def check_missing(dialogue: Dialogue) -> Findings:
    """What every released CrossWOZ dialogue has."""
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


def _slips(tab: DomainState, before: Filled, spelling: FileSpelling) -> list[tuple[str, str]]:
    domain = spelling.schema.domain(tab.domain)
    found = []
    for name, value in tab.slots:
        slot = domain.slot(name) if domain else None
        if not value or slot is None or before.get((tab.domain, name)) == value:
            continue
        if message := _slip(str(value), slot.kind, spelling):
            found.append((name, message))
    return found


def _slip(value: str, kind: SlotKind, spelling: FileSpelling) -> str:
    """What is wrong with a value of the form, or nothing."""
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
    """Where the value would have belonged."""
    for kind, pattern in spelling.patterns.items():
        if pattern.fullmatch(value):
            return f"; it looks like {KINDS[kind]}"
    return ""
