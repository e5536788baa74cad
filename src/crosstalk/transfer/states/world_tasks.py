"""States of a world that has several languages, learnt in English and tracked in another.

    values = WorldValues("harbour", schema, called, renderings)
    task = world_task(values, "ar", english, texts, data)
    run = TransferRun(task, tables=False)

Slots are the fields of the world's query form; a list (dishes, services) has one slot per term. The
dialogues are files of the world in both languages; of the target's only the texts are read. The
values of the target are a list in no order: `renderings`, which say what means what, are asked for
by the score alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.multiwoz_labels import NONE, normalised
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Domain, Schema, Slot
from crosstalk.dialogue.states import SystemState
from crosstalk.language.state_words import STEM, StateWords, words_of
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states import ontology as ontologies
from crosstalk.transfer.states.ontology import Ontology, Pairs
from crosstalk.transfer.states.state_dialogues import slot_key, state_turns, with_states
from crosstalk.transfer.states.state_files import (
    UnknownLabels,
    forms_after_users,
    refuse_no_turns,
    refuse_other_language,
)
from crosstalk.transfer.states.state_slots import StateSlot, form_slot
from crosstalk.transfer.states.transfer_tasks import TransferTask
from crosstalk.transfer.states.value_alignment import align_values
from crosstalk.transfer.transfer_corpora import SOURCE

as_it_is: Final = partial(normalised, english=False)
"""The spelling of labels: nothing is mended, as they come from tables."""


@dataclass(frozen=True, slots=True)
class WorldValues:
    """What a world has in both languages."""

    name: str
    schema: Schema
    called: Mapping[str, str]
    """Key of a domain or slot -> what it is called in English."""
    renderings: Mapping[str, Mapping[str, str]]
    """Key of a form's slot (`hotel-price`) -> value in English -> value in the target language."""

    def form(self) -> Iterator[tuple[Domain, Slot]]:
        for domain in self.schema:
            yield from ((domain, slot) for slot in domain.form)

    def slots(self, *, terms: bool) -> tuple[StateSlot, ...]:
        """The slots of the form; with `terms`, one for each term of a list."""
        found = []
        for domain, slot in self.form():
            plain = form_slot(domain.key, slot)
            said = self.renderings.get(plain.key, {}) if terms and slot.kind.is_list else None
            if said is None:
                found.append(plain)
            else:
                found += [replace(plain, name=term_name(plain, term)) for term in said]
        return tuple(found)


def term_name(slot: StateSlot, term: str) -> str:
    """The name of the slot of one term: `services breakfast`."""
    return f"{slot.name} {as_it_is(slot.key, term)}"


@dataclass(frozen=True, slots=True)
class WorldTask(TransferTask):
    """One world in two of its languages."""

    values: WorldValues = field(kw_only=True)

    def source(self) -> list[Dialogue]:
        read = [each for file in self.source_files for each in self.read(file, SOURCE)]
        return self._drawn(read)

    def read(
        self, path: Path, language: str, unknown: UnknownLabels | None = None
    ) -> list[Dialogue]:
        found = unknown or UnknownLabels()
        dialogues = []
        for each in read_corpus(path, strict=False):
            states = [self._state(form, language, found) for form in forms_after_users(each)]
            dialogues.append(with_states(replace(each, language=language), states))
        turns = [turn for each in dialogues for turn in state_turns(each)]
        refuse_no_turns(path, turns)
        found.silent += sum(not turn.user.strip() for turn in turns)
        refuse_other_language(path, turns, language)
        return dialogues

    def name_for(self, test: Path) -> str:
        return self.name

    def ontology(self, source: Iterable[Dialogue]) -> Ontology:
        return ontologies.build(
            self.slots, self._listed(), language=self.target,
            pairs=self._of_terms({key: list(said.items()) for key, said in self._all.items()}),
            spelling=as_it_is,
        )  # fmt: skip

    def english_ontology(self, source: Iterable[Dialogue]) -> Ontology:
        return ontologies.build(
            self.slots, self._listed(), derived=(self._english_words(),), spelling=as_it_is
        )

    def own_values(self) -> dict[str, list[str]]:
        return {key: sorted(set(said.values())) for key, said in self._all.items()}

    def reading_ontology(
        self, source: Iterable[Dialogue], words: StateWords, encoder: CachedEncoder | None
    ) -> Ontology:
        plain = self.values.slots(terms=False)
        values = {key: list(said) for key, said in self._all.items()}
        english = ontologies.build(plain, values, spelling=as_it_is)
        pairs = align_values(english, self.own_values(), words, encoder)
        return ontologies.build(
            self.slots, self._listed(), language=self.target, pairs=self._of_terms(pairs),
            native=self.own_values(), derived=(self._english_words(), words), spelling=as_it_is,
        )  # fmt: skip

    @property
    def _all(self) -> Mapping[str, Mapping[str, str]]:
        return self.values.renderings

    def _listed(self) -> dict[str, list[str]]:
        """All values of the world, by slot; dialogues add none."""
        said = self._of_terms({key: list(pairs.items()) for key, pairs in self._all.items()})
        return {key: [english for english, _ in pairs] for key, pairs in said.items()}

    def _of_terms(self, pairs: Pairs) -> dict[str, list[tuple[str, str]]]:
        """Pairs by slot of the task: a term of a list goes to its own slot."""
        known = {slot.key for slot in self.slots}
        found: dict[str, list[tuple[str, str]]] = {}
        for slot in self.values.slots(terms=False):
            for english, foreign in pairs.get(slot.key, ()):
                own = slot_key(slot.domain, term_name(slot, english))
                key = slot.key if slot.key in known else own
                found.setdefault(key, []).append((english, foreign))
        return found

    def _english_words(self) -> StateWords:
        """English words of states, and what the world calls its domains and slots."""
        words = words_of(SOURCE)
        cues = dict(words.cues)
        for domain, slot in self.values.form():
            plain = form_slot(domain.key, slot)
            for cue, key in ((domain.key, domain.key), (plain.topic, slot.key)):
                said = (self.values.called.get(key, key).lower() + STEM, key.lower() + STEM)
                cues[cue] = tuple(dict.fromkeys((*cues.get(cue, ()), *said)))
        return replace(words, cues=cues)

    def _state(self, form: SystemState, language: str, unknown: UnknownLabels) -> dict[str, str]:
        known, found = {slot.key for slot in self.slots}, {}
        for tab in form:
            for slot, value in tab.constraints.items():
                for key, said in self._labels(tab.domain, slot, value, language):
                    label = as_it_is(key, said)
                    if key in known and label != NONE:
                        found[key] = label
                    elif key not in known:
                        unknown.slots[key] += 1
        return found

    def _labels(
        self, domain: str, slot: str, value: str | tuple[str, ...], language: str
    ) -> Iterator[tuple[str, str]]:
        """Slot key and value; the key of a term has its English name."""
        schema = self.values.schema.domain(domain)
        held = schema.slot(slot) if schema else None
        if held is None or isinstance(value, str):
            yield slot_key(domain, slot.lower()), value if isinstance(value, str) else value[0]
            return
        whole = form_slot(domain, held)
        for term in value:
            english = term if language == SOURCE else self._translated(whole.key, term)
            yield slot_key(domain, term_name(whole, english)), term

    def _translated(self, key: str, term: str) -> str:
        said = self._all.get(key, {})
        return next((english for english, own in said.items() if own == term), term)


def world_task(
    values: WorldValues, target: str, english: Path, texts: Path, data: Path
) -> WorldTask:
    """The task of a world: English dialogues with states, and texts of the target language."""
    name = f"{values.name} ({target})"
    slots = values.slots(terms=True)
    return WorldTask(name, slots, target, (english,), (), (), data, (texts,), values=values)
