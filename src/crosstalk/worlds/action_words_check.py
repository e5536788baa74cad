"""What a language lacks for the days and actions of its world, and what their rows get wrong."""

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.actions import ENTITY, Action, argument_slot
from crosstalk.dialogue.schema import BROUGHT, Schema, SlotKind
from crosstalk.language.times import DAYS
from crosstalk.language.world_files import policy_file
from crosstalk.problems import Problem, did_you_mean
from crosstalk.toml_files import Location, TomlFile
from crosstalk.worlds.action_events import REASONS
from crosstalk.worlds.language_pack import LoadedLanguage, listed
from crosstalk.worlds.table_files import TableFile


def check_action_words(
    folder: Path, spoken: LoadedLanguage, schema: Schema, *, is_base: bool
) -> Iterator[Problem]:
    """Names, sentences and the policy that a language needs for the actions of a world."""
    pack, file = spoken.pack, spoken.file

    def minor(at: Location, message: str, remedy: str) -> Problem:
        return replace(file.problem(at, message, remedy), fatal=False)

    if _has_days(schema) and len(pack.days) != len(DAYS):
        message = f"`days` has {len(pack.days)} names, and slots hold days of the week"
        yield minor(("days",), message, 'Write days = ["Monday", ..., "Sunday"].')
    needed: dict[str, set[str]] = {
        "actions": {action.key for action in schema.actions},
        "refusals": {reason for action in schema.actions for reason in action.refusals},
        "rules": {rule.key for rule in schema.rules},
    }
    for section, keys in needed.items():
        given: Mapping[str, str] = getattr(pack, section)
        for key in sorted(keys - given.keys()):
            message = f"there is no `{key}` under [{section}]"
            yield minor((section,), message, f'Add {key} = "..." under [{section}].')
        allowed = keys | (set(REASONS) if section == "refusals" else set())
        for key in sorted(given.keys() - allowed):
            message = f"`{key}` under [{section}] is nothing this world has"
            yield minor((section, key), message, did_you_mean(key, allowed))
    yield from check_goal_sentences(spoken, schema)
    yield from _claims(spoken, schema)
    if not is_base:
        yield from _choices(spoken, schema)
    name = policy_file(folder, pack.code)
    if schema.actions and not (folder / name).is_file():
        remedy = "Say what an agent may and may not do; it gets the text with its instructions."
        message = "the world has actions, and no policy in this language"
        yield Problem(file=name, message=message, remedy=remedy, fatal=False)


def _has_days(schema: Schema) -> bool:
    domains = [*schema, *(table.domain for table in schema.changing)]
    return any(domain.of_kind(SlotKind.DAY) for domain in domains)


def placeholders(action: Action) -> set[str]:
    """What the sentence of a wish for an action may hold: `{changes}` lists what is optional."""
    return {*action.needs, *({"changes"} if action.optional else ())}


def check_goal_sentences(spoken: LoadedLanguage, schema: Schema) -> Iterator[Problem]:
    """Sentences of wishes that are not there or leave something out, or cannot be filled in."""
    phrases = spoken.pack.goal
    if phrases is None:
        return
    for action in schema.actions:
        at: Location = ("goal", "do", action.key)
        sentence = phrases.do.get(action.key)
        if sentence is None:
            message = f"there is no sentence `{action.key}` under [goal.do]"
            remedy = f"Add one with {listed(placeholders(action))} in it."
            yield replace(spoken.file.problem(at, message, remedy), fatal=False)
            continue
        remedy = f"Its placeholders are {listed(placeholders(action))}."
        try:
            found = {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
        except ValueError as error:
            yield spoken.file.problem(at, f"{sentence!r} cannot be filled in: {error}", remedy)
            continue
        for name in sorted(found - placeholders(action)):
            message = f"{sentence!r} has the placeholder {{{name}}}, which nobody fills"
            if name in action.optional:
                message = f"{sentence!r} has the placeholder {{{name}}}, which is optional"
                remedy = "Put {changes} in its place: it lists what is optional and wanted."
            yield spoken.file.problem(at, message, remedy)
        if left_out := placeholders(action) - found:
            message = f"{sentence!r} leaves out {listed(left_out)}, which people are not told then"
            remedy = "Put it into the sentence: what is done otherwise is judged as wrong."
            yield replace(spoken.file.problem(at, message, remedy), fatal=False)
    for key in sorted(phrases.do.keys() - {action.key for action in schema.actions}):
        message = f"`{key}` under [goal.do] is no action of this world"
        remedy = did_you_mean(key, (action.key for action in schema.actions))
        problem = spoken.file.problem(("goal", "do", key), message, remedy)
        yield replace(problem, fatal=False)


def _claims(spoken: LoadedLanguage, schema: Schema) -> Iterator[Problem]:
    """Actions and arguments that the phrases about what was done name, and nobody has."""
    actions = {action.key for action in schema.actions}
    arguments = {name for action in schema.actions for name in action.arguments}
    for number, claims in enumerate(spoken.pack.claims):
        for key in claims.actions:
            if key not in actions:
                message = f"`{key}` under [[claims]] is no action of this world"
                at: Location = ("claims", number, "actions")
                yield replace(
                    spoken.file.problem(at, message, did_you_mean(key, actions)), fatal=False
                )
    for key in sorted(spoken.pack.counts.keys() - arguments):
        message = f"`{key}` under [counts] is no argument of an action"
        problem = spoken.file.problem(("counts", key), message, did_you_mean(key, arguments))
        yield replace(problem, fatal=False)


def _choices(spoken: LoadedLanguage, schema: Schema) -> Iterator[Problem]:
    """Values that users choose from and the language has no word for."""
    arguments = {
        (slot.key, value)
        for action in schema.actions
        for name in action.arguments
        if name != ENTITY and (slot := argument_slot(schema, action, name))
        for value in slot.values
    }
    for key, value in sorted(arguments):
        if value not in spoken.pack.values.get(key, {}):
            message = f"{value!r} of `{key}` has no rendering in {spoken.pack.name}"
            remedy = f'Add {value} = "..." under [values.{key}].'
            yield replace(spoken.file.problem(("values", key), message, remedy), fatal=False)


def check_changing_rows(
    files: Sequence[TableFile], tables: Sequence[TableFile]
) -> Iterator[Problem]:
    """Rows at the start that name places nobody has."""
    names = {
        file.table.domain.key: {str(row[slot.key]) for row, _ in file}
        for file in tables
        if (slot := file.table.domain.name_slot)
    }
    for file in files:
        for slot in file.table.domain.of_kind(SlotKind.NAME):
            known = names.get(slot.target, set())
            for row, line in file:
                name = str(row[slot.key])
                if name not in known:
                    message = f"there is no {slot.target} called {name!r}"
                    remedy = did_you_mean(name, known, "Correct it.", is_text=True)
                    yield Problem(
                        file=file.name, line=line, slot=slot.key, message=message, remedy=remedy
                    )


def check_brought(
    schema: Schema, file: TomlFile, changing: Sequence[TableFile]
) -> Iterator[Problem]:
    """Arguments that users bring along and for which goals have nothing to give."""
    held = {(each.table.domain.key, key) for each in changing for row, _ in each for key in row}
    for number, action in enumerate(schema.actions):
        given = {
            each.key
            for other in schema.actions
            if set(other.tables) & set(action.tables)
            for each in other.gives
        }
        for name in action.needs:
            slot = argument_slot(schema, action, name)
            if slot is None or slot.kind not in BROUGHT or slot.examples or name in given:
                continue
            if not any((table, name) in held for table in action.tables):
                message = f"no goal can have `{action.key}` done: nothing says what `{name}` may be"
                remedy = (
                    f"Give the column examples of what users bring along: "
                    f'{name} = {{ kind = "{slot.kind}", examples = ["...", "..."] }}.'
                )
                at: Location = ("actions", number, "needs")
                yield replace(file.problem(at, message, remedy), fatal=False)


def check_days(tables: Sequence[TableFile], week: Sequence[str]) -> Iterator[Problem]:
    """Days that the base language does not call so."""
    for file in tables if week else ():
        for slot in file.table.domain.of_kind(SlotKind.DAY):
            for row, line in file:
                if row[slot.key] is not None and row[slot.key] not in week:
                    message = f"{row[slot.key]!r} is no day of the week"
                    remedy = f"Write one of {', '.join(week)}."
                    yield Problem(
                        file=file.name, line=line, slot=slot.key, message=message, remedy=remedy
                    )
