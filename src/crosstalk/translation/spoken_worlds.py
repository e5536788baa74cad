"""A world's dialogues in another of its languages: the same acts and states, spoken anew.

Tables and language packs know every value in every language, so that a simulated dialogue in one
of them gives a parallel corpus that needs no translator: the ideal that tests measure against.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from crosstalk.dialogue.acts import GENERAL, NOTHING, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, SlotKind
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import InputError
from crosstalk.goals.describe import describe
from crosstalk.language.normalize import comparable
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.system.nlg.generator import Generator
from crosstalk.translation.glossary import ANY, Glossary
from crosstalk.translation.values import slot_key
from crosstalk.worlds.display import say_cell
from crosstalk.worlds.tables import World

Renderings = dict[str, str]


class WorldTranslator:
    """Carries whole dialogues from one language of a world into another."""

    def __init__(self, source: World, target: World) -> None:
        self._source, self._target = source, target
        self._values = {domain.key: _renderings(domain, source, target) for domain in source.schema}
        self._names = {
            here: there
            for domain in source.schema.places
            for slot in domain.of_kind(SlotKind.NAME, SlotKind.STATION)
            for here, there in self._values[domain.key].get(slot.key, {}).items()
        }

    def translate(self, dialogue: Dialogue, voices: Mapping[Speaker, Generator]) -> Dialogue:
        """The same dialogue, its words said by the voices; the id decides which words."""
        rng = Random(f"words {dialogue.id} {self._target.language.code}")
        goal, final = dialogue.goal, dialogue.final_goal
        return replace(
            dialogue,
            turns=tuple(self._turn(turn, voices, rng) for turn in dialogue.turns),
            goal=None if goal is None else self._goal(goal),
            final_goal=None if final is None else self._tuples(final),
            language=self._target.language.code,
        )

    def glossary(self) -> Glossary:
        """Every value of the world with its one form."""
        here, there = self._source.language, self._target.language
        terms = {(ANY, comparable(here.yes)): there.yes, (ANY, comparable(here.no)): there.no}
        for domain, slots in self._values.items():
            for slot, said in slots.items():
                key = slot_key(domain, slot)
                terms |= {(key, comparable(source)): form for source, form in said.items()}
        return Glossary(terms)

    def _turn(self, turn: Turn, voices: Mapping[Speaker, Generator], rng: Random) -> Turn:
        acts = tuple(map(self._act, turn.acts))  # unsorted: they pair with the source's
        state = turn.user_state
        return replace(
            turn,
            text=voices[turn.speaker].say(acts, rng),
            acts=acts,
            user_state=None if state is None else self._tuples(state),
            first_query=self._query(turn.first_query),
            last_query=self._query(turn.last_query),
        )

    def _act(self, act: Act) -> Act:
        if act.intent == GENERAL or act.slot == NOTHING:
            return act
        if act.intent == SELECT:
            return replace(act, slot=self._target.language.source)
        slot = self._slot(act.domain, act.slot)
        return replace(act, slot=slot, value=self._text(act.domain, act.slot, act.value))

    def _goal(self, goal: Goal) -> Goal:
        tuples = self._tuples(goal.tuples)
        told = describe(tuples, self._target) if self._target.language.goal else ()
        return Goal(tuples, goal.type, told)

    def _tuples(self, tuples: Tuples) -> Tuples:
        return tuple(map(self._tuple, tuples))

    def _tuple(self, each: SemanticTuple) -> SemanticTuple:
        slot = self._slot(each.domain, each.slot)
        value = each.value
        if isinstance(value, str):
            value = self._text(each.domain, each.slot, value)
        elif not isinstance(value, Reference):
            value = tuple(self._text(each.domain, each.slot, term) for term in value)
        return replace(each, slot=slot, value=value)

    def _query(self, state: SystemState | None) -> SystemState | None:
        return None if state is None else SystemState(tuple(map(self._tab, state)))

    def _tab(self, tab: DomainState) -> DomainState:
        slots = tuple(
            (
                slot,
                self._text(tab.domain, slot, value)
                if isinstance(value, str)
                else tuple(self._text(tab.domain, slot, term) for term in value),
            )
            for slot, value in tab.slots
        )
        selected = tuple(self._names.get(name, name) for name in tab.selected)
        return replace(tab, slots=slots, selected=selected)

    def _slot(self, domain: str, key: str) -> str:
        """Services are named in the slot."""
        found = self._domain(domain).slot(key)
        if found is None or found.kind is not SlotKind.SERVICES or key == found.key:
            return key
        service = key.removeprefix(found.key + SERVICE_MARK)
        said = self._values[domain].get(found.key, {}).get(service, service)
        return f"{found.key}{SERVICE_MARK}{said}"

    def _domain(self, key: str) -> Domain:
        found = self._source.schema.domain(key)
        if found is None:
            raise InputError(
                f"world {self._source.name} has no domain {key!r}",
                remedy="Give dialogues of this world.",
            )
        return found

    def _text(self, domain: str, key: str, text: str) -> str:
        if not text or text == NOTHING:
            return text
        slot = self._domain(domain).slot(key)
        known = self._values[domain].get(slot.key if slot else key, {})
        said = known.get(text) or self._names.get(text)
        if said is None:
            here, there = self._source.language, self._target.language
            manners = {here.yes: there.yes, here.no: there.no, here.nothing: there.nothing}
            said = manners.get(text)
        if said is None:
            raise InputError(
                f"{domain}.{key}: {text!r} is no value of world {self._source.name} in "
                f"{self._source.language.name}",
                remedy="Give dialogues that were simulated in this world.",
            )
        return said


def in_order(dialogue: Dialogue) -> Dialogue:
    """With the acts of every turn sorted, as corpora have them."""
    turns = (replace(turn, acts=tuple(sorted(turn.acts))) for turn in dialogue.turns)
    return replace(dialogue, turns=tuple(turns))


def _renderings(domain: Domain, source: World, target: World) -> dict[str, Renderings]:
    """By slot: what the source says, and what the target says for it."""
    found: dict[str, Renderings] = {}
    for slot in domain.slots:
        here, there = (forms_of(world.language, domain.key, slot) for world in (source, target))
        said = {say_band(here, band): say_band(there, band) for band in slot.bands}
        if domain.key in source.tables:
            cells = zip(
                _said(domain, slot.key, source), _said(domain, slot.key, target), strict=True
            )
            said |= dict(cells)
        found[slot.key] = said
    return found


def _said(domain: Domain, key: str, world: World) -> Iterator[str]:
    slot = domain.slot(key)
    for row in world.tables[domain.key]:
        if slot is not None:
            yield from say_cell(world.language, domain, slot, row.get(key))
