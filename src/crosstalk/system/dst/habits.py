"""A wizard's habits, as earlier turns of the same dialogue show them."""

from collections import Counter

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.system.dst.discourse import Discourse, UserActs

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
    discourse = Discourse(schema, yes)
    for user, system in zip(history[0::2], history[1::2], strict=False):
        heard = UserActs(user, schema, yes)
        if discourse.form and system.first_query:
            for domain in schema.places:
                seen.update(naming(discourse, heard, domain.key, system.first_query))
                seen.update(_clearing(discourse, heard, domain.key, system.first_query))
        discourse.add(user, system)
        if (
            discourse.first_form
            and discourse.form
            and not discourse.first_form.same_constraints(discourse.form)
        ):
            seen["relaxes"] += 1
    return seen


def naming(discourse: Discourse, heard: UserActs, key: str, typed: SystemState) -> list[str]:
    name = discourse.names.get(key, "")
    said = heard.informed.get((key, name), [])
    written = typed.get(key).get(name)
    if said and said[0] in discourse.mentioned[key]:
        return ["types names said" if written == said[0] else "skips names said"]
    if not said and discourse.last.get(key) and key in heard.asked:
        return ["types names meant" if written == discourse.last[key] else "skips names meant"]
    return []


def _clearing(discourse: Discourse, heard: UserActs, key: str, typed: SystemState) -> list[str]:
    assert discourse.form is not None
    informed = heard.slots(key)
    old = [slot for slot in discourse.form.get(key).constraints if slot not in informed]
    if not old or all(slot == discourse.names.get(key) for slot in informed):
        return []
    kept = any(typed.get(key).get(slot) for slot in old)
    return ["keeps old" if kept else "clears old"]
