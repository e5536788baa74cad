"""A wizard's habits, as earlier turns of the same dialogue show them."""

from collections import Counter

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.system.dst.memory import Heard, Memory

HABITS = (
    "types names said",
    "skips names said",
    "types names meant",
    "skips names meant",
    "keeps old",
    "clears old",
    "relaxes",
)


def habits_of(schema: Schema, yes: str, history: tuple[Turn, ...]) -> Counter[str]:
    """How often each habit was seen: does this wizard type names that are on the table already,
    clear what is no longer asked for, search again with less?
    """
    seen: Counter[str] = Counter()
    memory = Memory(schema, yes)
    for user, system in zip(history[0::2], history[1::2], strict=False):
        heard = Heard(user, schema, yes)
        if memory.form and system.first_query:
            for domain in schema.places:
                seen.update(naming(memory, heard, domain.key, system.first_query))
                seen.update(_clearing(memory, heard, domain.key, system.first_query))
        memory.add(user, system)
        if (
            memory.first_form
            and memory.form
            and not memory.first_form.same_constraints(memory.form)
        ):
            seen["relaxes"] += 1
    return seen


def naming(memory: Memory, heard: Heard, key: str, typed: SystemState) -> list[str]:
    name = memory.names.get(key, "")
    said = heard.informed.get((key, name), [])
    written = typed.get(key).get(name)
    if said and said[0] in memory.mentioned[key]:
        return ["types names said" if written == said[0] else "skips names said"]
    if not said and memory.last.get(key) and key in heard.asked:
        return ["types names meant" if written == memory.last[key] else "skips names meant"]
    return []


def _clearing(memory: Memory, heard: Heard, key: str, typed: SystemState) -> list[str]:
    assert memory.form is not None
    informed = heard.slots(key)
    old = [slot for slot in memory.form.get(key).constraints if slot not in informed]
    if not old or all(slot == memory.names.get(key) for slot in informed):
        return []
    kept = any(typed.get(key).get(slot) for slot in old)
    return ["keeps old" if kept else "clears old"]
