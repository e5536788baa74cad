"""The finished corpus: the dialogues of a corpus with translated texts and values.

The corpus is either the source, where all values are replaced, or a machine translation of it,
where only edited values are. Values of states and acts are looked up by slot; those without a
translation stay unchanged and are counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from crosstalk.dialogue.acts import NOTHING, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.errors import FormatError, Place
from crosstalk.language.normalize import comparable
from crosstalk.translation.glossary import Glossary, glossary_of, read_glossary
from crosstalk.translation.translation_segments import (
    ABBREVIATED,
    ASKED,
    PUBLISHED,
    Segment,
    by_dialogue,
    is_label,
    paired,
    slot_key,
)
from crosstalk.translation.work import Work, refuse_unedited, with_term_events


@dataclass(slots=True)
class Finisher:
    """Puts translations into dialogues and counts values without one."""

    segments: Mapping[str, Sequence[Segment]]
    glossary: Glossary
    target: str
    source: str = ""
    untranslated: Counter[tuple[str, str]] = field(default_factory=Counter)

    def finish(self, dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
        """The translated dialogues, in the order of the translation; others are left out."""
        known = {each.id: each for each in dialogues if each.id in self.segments}
        for id, turns in self.segments.items():
            if id in known:
                yield self._dialogue(known[id], turns)

    def _dialogue(self, dialogue: Dialogue, segments: Sequence[Segment]) -> Dialogue:
        _refuse_missing(dialogue, segments)
        there = dialogue.language == self.target
        words = _DialogueValues(self, dialogue, there)
        turns = []
        for turn, segment in zip(dialogue.turns, segments, strict=True):
            words.hear(segment)
            turns.append(words.turn(turn, segment.text))
        goal = dialogue.goal
        final = dialogue.final_goal
        return replace(
            dialogue,
            turns=tuple(turns),
            goal=None if goal is None else words.goal(goal),
            final_goal=None if final is None else words.tuples(final),
            language=self.target,
        )


def finisher(segments: Sequence[Segment], glossary: Glossary, source: str, target: str) -> Finisher:
    return Finisher(by_dialogue(segments), glossary, target, source)


@dataclass(frozen=True, slots=True)
class Finished:
    """A corpus with translated texts and values."""

    dialogues: tuple[Dialogue, ...]
    untranslated: Counter[tuple[str, str]]
    """(slot, value) without a form -> number of occurrences left unchanged."""
    not_in_corpus: tuple[str, ...]
    """Translated dialogues that the corpus does not have."""


def finish_corpus(
    work: Work,
    languages: tuple[str, str],
    corpus: Iterable[Dialogue],
    *,
    glossary: Path | None = None,
    unedited: bool = False,
) -> Finished:
    """Put the edited texts and values of a translation into the corpus they come from.

    A value that no turn has takes the form of the glossary file, else what the coordinator set,
    else the commonest form of the translation.
    """
    segments = work.segments
    if not unedited:
        remedy = "Let the editors finish, or give --unedited to take the machine's text there."
        refuse_unedited(segments, "are not edited", remedy)
    terms = with_term_events(glossary_of(segments), work.events)
    if glossary is not None:
        terms = terms.with_terms(read_glossary(glossary).terms)
    finishing = finisher(segments, terms, *languages)
    done = tuple(finishing.finish(corpus))
    unknown = sorted(finishing.segments.keys() - {dialogue.id for dialogue in done})
    return Finished(done, finishing.untranslated, tuple(unknown))


def _refuse_missing(dialogue: Dialogue, segments: Sequence[Segment]) -> None:
    given = [segment.turn for segment in segments]
    for number in range(len(dialogue.turns)):
        if number not in given:
            raise FormatError(
                "this turn has no translation",
                place=Place(dialogue=dialogue.id, turn=number),
                remedy="Add its record to the file; `crosstalk translate check` lists all gaps.",
            )
    if len(given) > len(dialogue.turns):
        raise FormatError(
            f"the translation has a turn {given[-1]}, the dialogue ends before it",
            place=Place(dialogue=dialogue.id),
            remedy="Give the corpus that the translation was started from.",
        )


class _DialogueValues:
    """Translations of the values of one dialogue, from its turns so far and the glossary."""

    def __init__(self, finisher: Finisher, dialogue: Dialogue, there: bool) -> None:
        self._finisher = finisher
        self._published = dialogue.world == PUBLISHED
        self._there = there
        """Whether the dialogue already is in the target language."""
        self._said: dict[tuple[str, str], str] = {}
        self._anywhere: dict[str, str] = {}

    def hear(self, segment: Segment) -> None:
        known = segment.machine_values if self._there else segment.values
        for slot, value, form in paired(known, segment.text_values):
            self._said[slot, comparable(value)] = form
            self._anywhere[comparable(value)] = form

    def turn(self, turn: Turn, text: str) -> Turn:
        state = turn.user_state
        return replace(
            turn,
            text=text,
            acts=self._acts(turn.acts),
            user_state=None if state is None else self.tuples(state),
            first_query=self._query(turn.first_query),
            last_query=self._query(turn.last_query),
        )

    def goal(self, goal: Goal) -> Goal:
        """The goal with translated tuples; its description is not translated."""
        return replace(goal, tuples=self.tuples(goal.tuples))

    def tuples(self, tuples: Tuples) -> Tuples:
        return tuple(self._tuple(each) for each in tuples)

    def _tuple(self, each: SemanticTuple) -> SemanticTuple:
        if isinstance(each.value, Reference):
            return each
        value = self._value(each.domain, each.slot, each.value)
        return replace(each, slot=self._slot(each.domain, each.slot), value=value)

    def _query(self, state: SystemState | None) -> SystemState | None:
        return None if state is None else SystemState(tuple(map(self._tab, state)))

    def _tab(self, tab: DomainState) -> DomainState:
        slots = tuple(
            (slot, _as_state(self._value(tab.domain, slot, value))) for slot, value in tab.slots
        )
        selected = tuple(self._name(tab.domain, name) for name in tab.selected)
        return replace(tab, slots=slots, selected=selected)

    def _name(self, domain: str, name: str) -> str:
        """The name of a selected result, translated."""
        form = self._anywhere.get(comparable(name))
        return form or self._finisher.glossary.translate(slot_key(domain, "name"), name) or name

    def _slot(self, domain: str, slot: str) -> str:
        """The translated slot key; services are part of the key, as in `services-heating`."""
        kind, mark, service = slot.partition(SERVICE_MARK)
        form = self._finisher.glossary.translate(slot_key(domain, kind), service) if mark else None
        return f"{kind}{mark}{form}" if form else slot

    def _acts(self, acts: tuple[Act, ...]) -> tuple[Act, ...]:
        """Translated acts; sorted if they were sorted before."""
        translated = tuple(map(self._act, acts))
        return tuple(sorted(translated)) if list(acts) == sorted(acts) else translated

    def _act(self, act: Act) -> Act:
        if NOTHING in (act.slot, act.value) or (act.intent == SELECT and not self._published):
            return act
        named = replace(act, slot=self._slot(act.domain, act.slot))
        if act.value in (ASKED, ""):
            return named
        slot = ABBREVIATED.get(act.slot.lower(), act.slot) if self._published else act.slot
        return replace(named, value=self._form(act.domain, slot, act.value))

    def _value(self, domain: str, slot: str, value: Value | SlotValue) -> Value:
        if isinstance(value, Reference):
            return value
        if isinstance(value, str):
            return self._form(domain, slot, value)
        return tuple(self._form(domain, slot, term) for term in value)

    def _form(self, domain: str, slot: str, value: str) -> str:
        if is_label(value):
            return value
        key, source = slot_key(domain, slot), comparable(value)
        known = self._said.get((key, source))
        if known is not None:
            return known
        if self._there:  # names of slots are translated too: the value alone must do
            return self._anywhere.get(source, value)
        form = self._finisher.glossary.translate(key, value)
        if form is None:
            if not value.replace(":", "").replace(".", "").isdecimal():
                self._finisher.untranslated[key, value] += 1
            return value
        return form


def _as_state(value: Value) -> SlotValue:
    assert not isinstance(value, Reference), "forms hold texts"
    return value
