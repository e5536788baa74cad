"""How actions are talked about: sentences of both sides, details, and what people say for them.

    words = load_action_words(folder, pack)
    words.sentences("Done", "book_room")   ->  ("Your room is booked.",)
    words.detail("book_room", "people", "count", 3)   ->  "for {value} people"

`data/<code>/actions.toml` has what every world needs; `actions/<code>.toml` in a world's folder
adds sentences for its actions and arguments. A language without either is talked to in bare words.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.language.file_rules import Keys, Names, Placeholders
from crosstalk.language.world_files import ACTIONS, world_file
from crosstalk.language.writing import DATA, primary
from crosstalk.toml_files import read_model

FILE: Final = "actions.toml"
OTHER: Final = "other"
"""The key of a detail for all values that have no form of their own, and of all arguments."""
BARE_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "Do": ("{Does}: {details}.",),
    "Do+bare": ("{Does}.",),
    "Inform": ("{details}.",),
    "Affirm": ("{Yes}.",),
    "Deny": ("{No}.",),
    "Ask": ("{slots}?",),
    "Confirm": ("{Does}: {details}?",),
    "Done": ("{Does}: {yes}.",),
    "Given": ("{Slot}: {value}.",),
    "Recall": ("{Does}: {details}.",),
    "Recall+none": ("{No}.",),
    "Refuse": ("{No}. {reason}",),
    "Denied": ("{No}.",),
}
"""Sentences of languages that have none."""
ACTION_INTENTS: Final = (
    *("Do", "Inform", "Affirm", "Deny"),
    *("Ask", "Confirm", "Done", "Given", "Refuse", "Denied", "Recall"),
)
"""What `[sentences]` are for; `Given` tells one thing that an action gives, `Denied` answers no,
`Recall` tells what was done before."""
SENTENCE_KEYS: Final = ("bare", "again", "instead", "several", "changes", "none")
"""What a sentence may be for, beside an action, an argument or a kind: see docs/worlds.md."""
CHANGED: Final = "changed"
"""Key of the detail for what is optional: what a change is about."""
_PLACEHOLDERS: Final = ("does", "details", "together", "slot", "slots", "domain", "value", "reason")
Detail = str | dict[str, str]
"""One text with `{value}`, or value -> text, with `other` for all others."""


class ActionWordsFile(BaseModel):
    """A file of words for actions; every part may be missing."""

    model_config = ConfigDict(extra="forbid")

    comma: str = ""
    """Between details."""
    sentences: Annotated[
        dict[str, list[str]],
        Keys(Names.ACTION_SENTENCE),
        Placeholders(optional=(*_PLACEHOLDERS, *map(str.capitalize, _PLACEHOLDERS))),
    ] = {}
    """Intent, alone or with an action or argument (`Done+book_room`, `Ask+people`) -> sentences."""
    details: Annotated[dict[str, Detail], Keys(Names.ARGUMENT)] = {}
    """Argument (or `action.argument`), or kind of slot -> how it is said in a list of details."""
    synonyms: list[list[str]] = []
    """Groups of words in names of actions that mean the same: book, reserve."""
    phrases: Annotated[dict[str, list[str]], Keys(Names.ACTION)] = {}
    """Action -> how people ask for it, as patterns (`book* ... table`)."""
    recall: list[str] = []
    """How people ask what has been done so far, as patterns."""
    more: list[str] = []
    """Words by which people add to a number: one *more* night, *another* night."""
    otherwise: list[str] = []
    """Words by which people correct what was read back or done: *after all*."""


@dataclass(frozen=True, slots=True)
class ActionWords:
    """Sentences and details of one language in one world."""

    comma: str = ", "
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    details: Mapping[str, Detail] = field(default_factory=dict)
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    synonyms: tuple[tuple[str, ...], ...] = ()
    recall: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()

    def sentences(self, intent: str, *keys: str) -> tuple[str, ...]:
        """The sentences of the first key that has any, else those of the intent alone."""
        names = [*(f"{intent}+{key}" for key in keys if key), intent]
        return next((self.said[name] for name in names if self.said.get(name)), ())

    def detail(self, action: str, argument: str, kind: str, value: object) -> str:
        """How an argument with a value is said: by its name, else by its kind."""
        found = next(self._details(action, argument, kind), "{slot}: {value}")
        return found if isinstance(found, str) else found.get(str(value), found.get(OTHER, ""))

    def forms(self, action: str, argument: str, kind: str) -> Iterator[tuple[str, str]]:
        """All forms of an argument as (value, text); the value is empty where it is filled in."""
        found = next(self._details(action, argument, kind), "{slot}: {value}")
        for value, text in found.items() if isinstance(found, dict) else [(OTHER, found)]:
            yield "" if value == OTHER else value, text

    def _details(self, action: str, argument: str, kind: str) -> Iterator[Detail]:
        keys = (f"{action}.{argument}", argument, kind, OTHER)
        return (self.details[key] for key in keys if key in self.details)


@lru_cache(maxsize=32)
def load_action_words(folder: Path, pack_code: str) -> ActionWords:
    """The words of a language for the actions of a world; raises WorldError in words."""
    ours = _read(DATA, f"{primary(pack_code)}/{FILE}")
    theirs = _read(folder, world_file(folder, ACTIONS, pack_code))
    said = {**BARE_WORDS, **ours.sentences, **theirs.sentences}
    return ActionWords(
        theirs.comma or ours.comma or ", ",
        {key: tuple(sentences) for key, sentences in said.items()},
        {**ours.details, **theirs.details},
        {key: tuple(phrases) for key, phrases in theirs.phrases.items()},
        tuple(tuple(group) for group in (*theirs.synonyms, *ours.synonyms)),
        (*theirs.recall, *ours.recall),
        (*theirs.more, *ours.more),
        (*theirs.otherwise, *ours.otherwise),
    )


def argument_keys(schema: Schema) -> set[str]:
    """What details may be for: arguments, what actions give, `action.argument`, kinds, `other`."""
    arguments = [(action.key, name) for action in schema.actions for name in action.arguments]
    given = {each.key for action in schema.actions for each in action.gives}
    names = {name for _, name in arguments} | {f"{action}.{name}" for action, name in arguments}
    return {*names, *given, *SlotKind, OTHER, CHANGED}


def words_of(folder: Path | None, pack: LanguagePack) -> ActionWords:
    """The same for a world that may have no folder."""
    return load_action_words(folder or DATA / "none", pack.code)


def _read(folder: Path, name: str) -> ActionWordsFile:
    if not (folder / name).is_file():
        return ActionWordsFile()
    return read_model(folder, name, ActionWordsFile)[0]
