"""Descriptions of goals: one paragraph per sub-goal, with the phrases of the language pack."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.actions import Action, is_reference
from crosstalk.dialogue.goals import (
    ArgumentValue,
    Reference,
    SemanticTuple,
    Tuples,
    Value,
    WantedAction,
    subgoals,
)
from crosstalk.dialogue.languages import GoalPhrases, LanguagePack
from crosstalk.dialogue.schema import NOT_MARK, SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.errors import InputError, WorldError
from crosstalk.worlds.tables import World


def describe(tuples: Tuples, world: World, actions: Sequence[WantedAction] = ()) -> tuple[str, ...]:
    """The paragraphs of a goal, in the language the world was loaded in."""
    return Describer(world).describe(tuples, actions)


SUBGOAL_MARK: Final = re.compile(r"\(id=(\d+)\)|（id=(\d+)）|(?<![A-Za-z])id=(\d+)")
CIRCLED_ONE: Final = ord("①")
CIRCLED: Final = 20
"""As many numbers have a character of their own in a circle."""


def for_people(description: Iterable[str]) -> list[str]:
    """A goal's paragraphs with sub-goals as ① and ②, as tables on pages number them."""
    return [SUBGOAL_MARK.sub(_circled, paragraph) for paragraph in description]


def _circled(mark: re.Match[str]) -> str:
    number = int(next(filter(None, mark.groups())))
    return chr(CIRCLED_ONE + number - 1) if 1 <= number <= CIRCLED else f"({number})"


class Describer:
    """Describes goals of one world; built once for many goals."""

    def __init__(self, world: World) -> None:
        phrases = world.language.goal
        if phrases is None:
            raise WorldError(
                f"world {world.name} has no goal sentences in {world.language.name}",
                remedy=f"Write them under [goal] in languages/{world.language.code}.toml.",
            )
        self._world = world.name
        self._schema = world.schema
        self._pack = world.language
        self._phrases = phrases
        self._by_domain = {
            domain.key: _DomainDescriber(
                domain, world.language, phrases, {slot.key: slot for slot in domain.slots}
            )
            for domain in world.schema
        }

    def describe(self, tuples: Tuples, actions: Sequence[WantedAction] = ()) -> tuple[str, ...]:
        """One paragraph a sub-goal, then one for each thing to be done."""
        found = (
            self._of_domain(group[0].domain).paragraph(number, group)
            for number, group in subgoals(tuples)
        )
        return (*found, *map(self._action, actions))

    def _action(self, wanted: WantedAction) -> str:
        sentence = self._phrases.do.get(wanted.action)
        action = self._schema.action(wanted.action)
        if sentence is None or action is None:
            raise WorldError(
                f"world {self._world} has no goal sentence for {wanted.action!r}",
                remedy=f"Write it under [goal.do] in languages/{self._pack.code}.toml.",
            )
        first, *others = wanted.wishes
        changes = self._listed(action, {k: v for k, v in first.items() if k in action.optional})
        marks = {key: self._value(value) for key, value in first.items()} | {"changes": changes}
        sentences = [sentence.format_map(marks)]
        for other in others:
            differing = {key: value for key, value in other.items() if first.get(key) != value}
            values = self._listed(action, differing)
            sentences.append(self._phrases.instead.format_map({"values": values}))
        sentences += [self._phrases.forbidden] if wanted.forbidden else []
        return self._phrases.sentence_space.join(filter(None, sentences))

    def _listed(self, action: Action, values: Mapping[str, ArgumentValue]) -> str:
        """`date 2026-06-04, time 19:30`: slots and values, in no grammatical case."""
        named = [
            f"{self._pack.slot_name(action.domain, key)} {self._value(value)}"
            for key, value in values.items()
        ]
        return enumeration(named, self._phrases)

    def _value(self, value: ArgumentValue) -> str:
        if is_reference(value):
            return self._phrases.given
        return f"id={value.subgoal}" if isinstance(value, Reference) else str(value)

    def _of_domain(self, domain: str) -> "_DomainDescriber":
        if domain not in self._by_domain:
            raise InputError(
                f"the goal has a domain {domain!r} that world {self._world} has not",
                remedy=f"Its domains are: {', '.join(self._by_domain)}.",
            )
        return self._by_domain[domain]


def enumeration(items: Sequence[str], phrases: GoalPhrases) -> str:
    """`a, b and c`, with the language's own marks."""
    if len(items) < 2:
        return "".join(items)
    return phrases.comma.join(items[:-1]) + phrases.last_comma + items[-1]


@dataclass(frozen=True, slots=True)
class _DomainDescriber:
    """Describes sub-goals of one domain."""

    domain: Domain
    pack: LanguagePack
    phrases: GoalPhrases
    slots: Mapping[str, Slot]
    """The domain's slots by key, which is faster than `domain.slot`."""

    def paragraph(self, number: int, group: Tuples) -> str:
        opening: list[Value] = []
        wants, asks = list[str](), list[str]()
        for each in group:
            slot = self.slots.get(each.slot) or self.domain.slot(each.slot)
            if each.is_open:
                asks.append(self._asked(each, slot))
            elif slot is not None and slot.kind in (SlotKind.NAME, SlotKind.ENDPOINT):
                opening.append(each.value)
            else:
                wants.append(self._want(each, slot))
        sentences = [self._opening(number, opening), *wants, *self._closing(asks)]
        return self.phrases.sentence_space.join(sentences)

    def _opening(self, number: int, told: list[Value]) -> str:
        """The first sentence: the name, or the ends of a ride."""
        match told:
            case [Reference(subgoal=start, nearby=False), Reference(subgoal=end, nearby=False)]:
                marks = {"id": number, "from": start, "to": end}
                return self._sentence("ride", self.domain.key, marks)
            case [Reference(subgoal=other, nearby=True)]:
                return self._sentence("near", self.domain.key, {"id": number, "other": other})
            case [str(name)]:
                return self._sentence("named", self.domain.key, {"id": number, "name": name})
        return self._sentence("some", self.domain.key, {"id": number})

    def _want(self, each: SemanticTuple, slot: Slot | None) -> str:
        if each.is_exclusion:
            return self._want_not(each)
        key = f"{self.domain.key}.{slot.key if slot else each.slot}"
        value = _service(each, slot) or self._value(each.value)
        return self._sentence("want", key, {"value": value})

    def _want_not(self, each: SemanticTuple) -> str:
        """The sentence of an exclusion; `services (spa): no.` if the language has none."""
        slot = self.pack.slot_name(self.domain.key, each.slot.removeprefix(NOT_MARK))
        sentence = self.phrases.want_not or f"{{slot}} ({{value}}): {self.pack.no}."
        return self._filled(sentence, "want_not", {"slot": slot, "value": self._value(each.value)})

    def _asked(self, each: SemanticTuple, slot: Slot | None) -> str:
        service = _service(each, slot)
        if service:
            return self._filled(self.phrases.whether, "whether", {"service": service})
        return self.pack.slot_name(self.domain.key, each.slot)

    def _closing(self, asks: list[str]) -> list[str]:
        slots = enumeration(asks, self.phrases)
        return [self._sentence("ask", self.domain.key, {"slots": slots})] if asks else []

    def _value(self, value: Value) -> str:
        if isinstance(value, Reference):
            return f"id={value.subgoal}"
        return value if isinstance(value, str) else enumeration(value, self.phrases)

    def _sentence(self, section: str, key: str, marks: Mapping[str, object]) -> str:
        sentences: Mapping[str, str] = getattr(self.phrases, section)
        if key not in sentences:
            raise self._problem(f"{section}.{key}", "is missing", marks)
        return self._filled(sentences[key], f"{section}.{key}", marks)

    def _filled(self, sentence: str, key: str, marks: Mapping[str, object]) -> str:
        try:
            return sentence.format_map(marks)
        except (KeyError, ValueError, IndexError) as error:
            raise self._problem(key, f"cannot be filled in: {sentence!r}", marks) from error

    def _problem(self, key: str, problem: str, marks: Mapping[str, object]) -> WorldError:
        known = ", ".join(f"{{{mark}}}" for mark in marks)
        return WorldError(
            f"languages/{self.pack.code}.toml: the sentence goal.{key} {problem}",
            remedy=f"Write it there; it may use {known}.",
        )


def _service(each: SemanticTuple, slot: Slot | None) -> str:
    """The service of `<slot>-<service>`; empty for any other slot."""
    if slot is None or slot.kind is not SlotKind.SERVICES:
        return ""
    return each.slot.removeprefix(slot.key + SERVICE_MARK)
