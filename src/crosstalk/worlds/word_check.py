"""What is wrong with the words of a world: `assistant/<code>.toml` and `phrases/<code>.toml`.

The models of these files say what their keys name and which placeholders their texts hold
(`language/file_rules.py`); here that is compared with the domains, slots and tables of the world.
"""

import string
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel

from crosstalk.dialogue.schema import NUMBERS, SlotKind
from crosstalk.language.action_words import (
    ACTION_INTENTS,
    SENTENCE_KEYS,
    ActionWordsFile,
    argument_keys,
)
from crosstalk.language.file_rules import (
    FilledByGenerator,
    KeyFound,
    MayBeBlank,
    Names,
    Placeholders,
    Separators,
    TextsFound,
    found_in,
)
from crosstalk.language.phrases import CUES_OF_WORLDS, FORMER_KEYS, PhraseFile, package_phrases
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.language.world_files import ACTIONS, ASSISTANT, PHRASES, world_file
from crosstalk.problems import Problem, did_you_mean
from crosstalk.toml_files import Location, TomlFile, parse_model, read_toml
from crosstalk.worlds.queries import ends_of
from crosstalk.worlds.tables import World

MODELS: dict[str, type[BaseModel]] = {
    ACTIONS: ActionWordsFile,
    ASSISTANT: PhraseFile,
    PHRASES: TrainingPhrases,
}
"""Kinds of files that are checked here, as their loaders read them."""
CLOSE = 0.84
"""Similarity from which a new topic is taken for a slip of a known one."""


def check_words(folder: Path, code: str, world: World) -> Iterator[Problem]:
    """All problems of one language; `world` is the world in that language."""
    for kind, model in MODELS.items():
        name = world_file(folder, kind, code)
        if not (folder / name).is_file():
            continue
        file = read_toml(folder, name)
        if isinstance(file, Problem):
            yield file
            continue
        if not file.data:
            yield file.problem((), "it is empty", "Fill it, or remove it.")
        problems: list[Problem] = []
        read = parse_model(model, file, problems)
        yield from problems
        if read is not None:
            yield from WordCheck(read, file, world).problems()


class WordCheck:
    """Looks through one file of words."""

    def __init__(self, read: BaseModel, file: TomlFile, world: World) -> None:
        self._read = read
        self._file = file
        self._world = world
        self._schema = world.schema

    def problems(self) -> Iterator[Problem]:
        for found in found_in(self._read):
            if isinstance(found, KeyFound):
                yield from self._key(found)
            else:
                yield from self._texts(found)
        if isinstance(self._read, PhraseFile):
            yield from self._absent(self._read)
            if self._read.system:
                remedy = f"Move its sentences to templates/{self._world.language.code}.toml."
                yield self._minor(("system",), "nothing reads [system] of this file", remedy)
        if isinstance(self._read, TrainingPhrases):
            yield from self._aliases(self._read)

    def _minor(self, at: Location, message: str, remedy: str, text: str = "") -> Problem:
        return replace(self._file.problem(at, message, remedy, text=text), fatal=False)

    # Keys

    def _key(self, found: KeyFound) -> Iterator[Problem]:
        table = ".".join(map(str, found.at[:-1]))
        if not found.key.strip():
            yield self._minor(found.at, f"a key of [{table}] is blank", "Write it, or remove it.")
        elif found.names is Names.TOPIC:
            near = get_close_matches(found.key, self._topics, n=1, cutoff=CLOSE)
            if near and found.key not in self._topics:
                remedy = f"Did you mean `{near[0]}`? A topic of your own needs another name."
                yield self._minor(found.at, f"`{found.key}` is no topic of the package", remedy)
        elif found.names is not Names.PHRASE:
            known, holds = self._known(found)
            if not holds(found.key):
                message = f"`{found.key}` under [{table}] is no {found.names} of this world"
                yield self._minor(found.at, message, self._remedy(found, known))

    def _remedy(self, found: KeyFound, known: Collection[str]) -> str:
        if found.names not in (Names.VALUE, Names.NAME_PART):
            return did_you_mean(found.key, known)
        near = did_you_mean(found.key, known, "Correct or remove it.")
        return f"{near} If no row is meant to have it, add it to `{found.at[-2]}` under [absent]."

    def _known(self, found: KeyFound) -> tuple[Collection[str], Callable[[str], bool]]:
        """The words that may stand there, for suggestions, and whether a key is one of them."""
        around = str(found.at[-2]) if len(found.at) > 1 else ""
        match found.names:
            case Names.VALUE:
                values = self._values(around)
                return values, lambda key: self._is_held(key, values, around)
            case Names.NAME_PART:
                names = self._names(around)
                return names, lambda key: self._is_held(key, names, around)
            case Names.TERM:
                return self._terms, lambda key: key in self._terms
            case Names.ANSWER:
                return self._answers, self._is_answer
        words = self._fixed[found.names]
        return words, lambda key: key in words

    @cached_property
    def _fixed(self) -> dict[Names, set[str]]:
        pairs = [(domain.key, slot.key) for domain in self._schema for slot in domain.slots]
        arguments = {slot.key for table in self._schema.changing for slot in table.columns}
        columns = {slot for _, slot in pairs} | arguments
        files = package_phrases()
        return {
            Names.DOMAIN: {domain.key for domain in self._schema},
            Names.RIDE: {domain.key for domain in self._schema.rides},
            Names.COLUMN: columns,
            Names.SLOT: columns | {f"{domain}.{slot}" for domain, slot in pairs},
            Names.CUE: {cue for each in files for cue in each.all_cues} | CUES_OF_WORLDS,
            Names.FORMER_ANSWER: set(FORMER_KEYS),
            Names.ACTION: {action.key for action in self._schema.actions},
            Names.ARGUMENT: argument_keys(self._schema),
            Names.ACTION_SENTENCE: self._action_sentences,
        }

    @property
    def _action_sentences(self) -> set[str]:
        """Intents of acts about actions, alone and with what they may be about."""
        actions = {action.key for action in self._schema.actions}
        about = {*actions, *argument_keys(self._schema), *SENTENCE_KEYS}
        return {*ACTION_INTENTS, *(f"{intent}+{key}" for intent in ACTION_INTENTS for key in about)}

    @cached_property
    def _topics(self) -> set[str]:
        return {topic for each in package_phrases() for topic in each.unsupported}

    @cached_property
    def _answers(self) -> set[str]:
        return {key for each in package_phrases() for key in each.answers}

    def _is_answer(self, key: str) -> bool:
        """Answers of the package, also for one kind of slots or one topic."""
        intent, _, rest = key.partition("+")
        own = self._read.unsupported if isinstance(self._read, PhraseFile) else {}
        particular = {*SlotKind, *self._topics, *own}
        return key in self._answers or (intent in self._answers and rest in particular)

    # Values

    def _values(self, slot: str) -> list[str]:
        """What the tables hold in a slot of any domain, or in `domain.slot`."""
        domain, _, key = slot.rpartition(".")
        domains = [domain] if domain else [each.key for each in self._schema]
        given = [each for table in self._schema.changing for each in table.columns]
        chosen = [text for each in given if each.key == key for text in each.values]
        return [*(text for each in domains for text in self._world.texts(each, key)), *chosen]

    def _names(self, domain: str) -> list[str]:
        found = self._schema.domain(domain)
        return self._world.texts(domain, found.name_slot.key) if found and found.name_slot else []

    def _is_held(self, key: str, texts: list[str], around: str) -> bool:
        """Whether a text of the tables has the key in it, or the file says that none does."""
        known = any(key.casefold() in text.casefold() for text in texts)
        read = self._read
        is_declared = isinstance(read, PhraseFile) and (
            key in read.members or key in read.absent.get(around, ())
        )
        return known or is_declared or not self._world.tables

    @cached_property
    def _terms(self) -> set[str]:
        assert isinstance(self._read, PhraseFile)
        named = {value for values in self._read.values.values() for value in values}
        kinds = (SlotKind.LIST, SlotKind.SERVICES, SlotKind.CATEGORY)
        columns = self._world.columns(*kinds)
        return named | {text for column in columns for text in column.texts}

    def _absent(self, read: PhraseFile) -> Iterator[Problem]:
        """Only keys that have words, and that really stand in no table, are named there."""
        for around, keys in read.absent.items():
            words = {**read.values.get(around, {}), **read.kinds.get(around, {})}
            if around not in read.values and around not in read.kinds:
                known = {*read.values, *read.kinds}
                message = f"`{around}` has no words under [values] or [kinds]"
                yield self._minor(("absent", around), message, did_you_mean(around, known))
                continue
            held = [*self._values(around), *self._names(around)]
            for key in keys:
                if key not in words:
                    message = f"{key!r} has no words under [values.{around}] or [kinds.{around}]"
                    yield self._minor(("absent", around), message, did_you_mean(key, words), key)
                elif any(key.casefold() in text.casefold() for text in held):
                    message = f"{key!r} is named as absent, and the tables hold it"
                    yield self._minor(("absent", around), message, "Remove it from [absent].", key)

    def _aliases(self, read: TrainingPhrases) -> Iterator[Problem]:
        for number, alias in enumerate(read.values):
            for slot, value in alias.slots.items():
                at = ("values", number, "slots", slot)
                kinds = self._kinds(slot)
                if kinds & NUMBERS:
                    if not _is_range(value):
                        message = f"{value!r} is no range of `{slot}`"
                        yield self._minor(at, message, 'Write "10..20", "..20" or "10..".')
                elif kinds and not self._is_held(value, self._values(slot), slot):
                    message = f"no table has {value!r} in `{slot}`"
                    yield self._minor(
                        at, message, did_you_mean(value, self._values(slot), "Correct it.")
                    )

    def _kinds(self, key: str) -> set[SlotKind]:
        """The kinds of the slots that `slot` or `domain.slot` names."""
        return {
            slot.kind
            for domain in self._schema
            for slot in domain.slots
            if key in (slot.key, f"{domain.key}.{slot.key}")
        }

    # Texts

    def _texts(self, found: TextsFound) -> Iterator[Problem]:
        where = ".".join(map(str, found.at))
        if not found.texts:
            yield self._minor(
                found.at, f"the list {where} is empty", "Fill it, or remove the line."
            )
        marks = {type(mark) for mark in found.marks}
        if Separators in marks:
            return
        for text, count in Counter(found.texts).items():
            if not text.strip():
                if MayBeBlank not in marks:
                    message = f"a text of {where} is blank"
                    yield self._minor(found.at, message, "Write it, or remove it.")
            elif count > 1:
                message = f"{text!r} stands in {where} {count} times"
                yield self._minor(found.at, message, "Keep one.", text)
        if FilledByGenerator not in marks:
            yield from self._placeholders(found)

    def _placeholders(self, found: TextsFound) -> Iterator[Problem]:
        rule = next((mark for mark in found.marks if isinstance(mark, Placeholders)), None)
        needed = Counter(rule.needed if rule else ())
        optional = set(rule.optional if rule else ())
        if rule and rule.ends_of_ride:
            ride = self._schema.domain(str(found.at[-1]))
            optional = set(ends_of(ride)) if ride in self._schema.rides and ride else set()
        for text in found.texts:
            names = _placeholders_in(text)
            wrong = [name for name in names if name not in needed and name not in optional]
            missing = needed - Counter(names)
            if wrong or missing:
                said = ", ".join(f"{{{name}}}" for name in (*wrong, *missing))
                problem = "has" if wrong else "lacks"
                expected = [*needed.elements(), *sorted(optional)]
                listed = ", ".join(f"{{{name}}}" for name in expected) or "none"
                remedy = f"Its placeholders are {listed}."
                yield self._minor(found.at, f"{text!r} {problem} {said}", remedy, text)


def _placeholders_in(text: str) -> list[str]:
    try:
        return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:  # a brace that is not closed
        return [text]


def _is_range(value: str) -> bool:
    low, dots, high = value.partition("..")
    try:
        ends = [float(end) for end in (low, high) if end]
    except ValueError:
        return False
    return bool(dots and ends) and ends == sorted(ends)
