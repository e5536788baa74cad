"""What the tracker from words learns besides its trees: words, rewordings, relaxations, style."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.system.dst.candidates import Rewordings
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.habits import naming
from crosstalk.system.dst.style import Style, learn_style
from crosstalk.system.dst.training import common_words, learn_rewordings


@dataclass(frozen=True, slots=True)
class WordsKnowledge:
    """Learned from dialogues, kept in `knowledge.json`."""

    words: tuple[str, ...] = ()
    """Words whose presence in the utterance is a feature."""
    answer_words: tuple[str, ...] = ()
    """Words whose presence in the answer before is one."""
    rewordings: Rewordings = field(default_factory=dict)
    relaxations: Rewordings = field(default_factory=dict)
    """(domain, slot, value in the form) -> what wizards make of it when nothing is found."""
    style: Style = field(default_factory=Style)

    def to_json(self) -> dict[str, Any]:
        return {
            "words": list(self.words),
            "answer words": list(self.answer_words),
            "rewordings": _listed(self.rewordings),
            "relaxations": _listed(self.relaxations),
            "style": self.style.to_json(),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "WordsKnowledge":
        return cls(
            tuple(told["words"]),
            tuple(told["answer words"]),
            _read(told["rewordings"]),
            _read(told["relaxations"]),
            Style.from_json(told["style"]),
        )


def _listed(rewordings: Rewordings) -> list[list[Any]]:
    return [[*said, list(typed)] for said, typed in rewordings.items()]


def _read(told: Iterable[Sequence[Any]]) -> Rewordings:
    return {(domain, slot, said): tuple(typed) for domain, slot, said, typed in told}


UsualWords = tuple[tuple[str, ...], tuple[str, ...]]


def learn_knowledge(
    dialogues: Sequence[Dialogue], schema: Schema, language: LanguagePack, words: UsualWords
) -> WordsKnowledge:
    """`words`: as `usual_words` finds them; all trees of a training must have the same."""
    samples = [
        each for dialogue in dialogues for each in style_samples(dialogue, schema, language.yes)
    ]
    return WordsKnowledge(
        *words,
        learn_rewordings(dialogues, schema),
        learn_relaxations(dialogues, schema, language.yes),
        learn_style(samples),
    )


def usual_words(dialogues: Sequence[Dialogue], language: LanguagePack) -> UsualWords:
    """Of users, of answers."""
    said = (turn.text for dialogue in dialogues for turn in dialogue.user_turns)
    answered = (turn.text for dialogue in dialogues for turn in dialogue.system_turns)
    return common_words(said, language.code), common_words(answered, language.code, most=40)


def learn_relaxations(
    dialogues: Iterable[Dialogue], schema: Schema, yes: str, *, least: int = 2
) -> Rewordings:
    """What wizards change a field to, at least twice, when users have said nothing about it."""
    typed: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for dialogue in dialogues:
        before: SystemState | None = None
        for user, system in zip(dialogue.turns[0::2], dialogue.turns[1::2], strict=False):
            if before and system.first_query:
                heard = UserActs(user, schema, yes)
                for domain, slot, old, new in _changes(before, system.first_query, schema):
                    if not heard.informed.get((domain, slot)):
                        typed[domain, slot, old][new] += 1
            before = system.first_query
    kept = {old: tuple(v for v, n in found.items() if n >= least) for old, found in typed.items()}
    return {old: values for old, values in kept.items() if values}


def _changes(
    before: SystemState, after: SystemState, schema: Schema
) -> Iterator[tuple[str, str, str, str]]:
    """Domain, slot, old and new value of fields, other than names, that hold something else now."""
    for domain in schema.places:
        for slot in domain.form:
            old, new = (str(form.get(domain.key).get(slot.key)) for form in (before, after))
            if old and new and old != new and slot is not domain.name_slot:
                yield domain.key, slot.key, old, new


def style_samples(
    dialogue: Dialogue, schema: Schema, yes: str
) -> Iterator[tuple[Sequence[str], bool]]:
    """Wherever a name on the table might be typed: the answers before, and whether it was."""
    discourse = Discourse(schema, yes)
    answers: list[str] = []
    for user, system in zip(dialogue.turns[0::2], dialogue.turns[1::2], strict=False):
        heard = UserActs(user, schema, yes)
        for domain in schema.places if system.first_query and answers else ():
            assert system.first_query is not None
            for habit in naming(discourse, heard, domain.key, system.first_query):
                yield tuple(answers), habit.startswith("types")
        discourse.add(user, system)
        answers.append(system.text)
