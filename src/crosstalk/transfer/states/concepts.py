"""Concepts: what a word says of a state, in any language; found in English texts.

    ConceptFinder(ontology).of("a cheap hotel")  ->  {("price", "cheap"), ("cue", "hotel")}

A concept is a value of a topic (the id of the ontology) or a cue. English words come from the
English word table and the ontology; names of all slots have one topic.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from crosstalk.language.state_words import STEM, FormFinder, StateWords
from crosstalk.training.boosting import Matrix
from crosstalk.transfer.states.ontology import PLACES, Ontology
from crosstalk.transfer.transfer_corpora import SOURCE

Concept = tuple[str, str]
"""The topic of a slot and a value id, or `CUE` and the name of the cue."""
CUE: Final = "cue"


class ConceptFinder:
    """Says which concepts an English text speaks of."""

    def __init__(self, ontology: Ontology) -> None:
        self.words: StateWords = ontology.words(SOURCE)
        forms: dict[str, dict[Concept, None]] = defaultdict(dict)
        for slot in ontology.slots:
            for form, id in ontology.forms[SOURCE].get(slot.key, {}).items():
                topic = PLACES if slot.kind == "place" else slot.topic
                forms[form][topic, id] = None
        for cue, said in self.words.cues.items():
            for form in said:
                forms[form][CUE, cue] = None
        self.concepts: list[Concept] = sorted({each for found in forms.values() for each in found})
        self._places = {each: place for place, each in enumerate(self.concepts)}
        self._finder = FormFinder(self.words, forms)
        self.forms = [form.removesuffix(STEM) for form in forms]
        """The English wordings of all concepts."""

    def of(self, text: str) -> set[Concept]:
        found = self._finder.find(self.words.tokens(text))
        return {each for match in found for each in match.what}

    def table(self, texts: Sequence[str]) -> Matrix:
        """A row per text and a column per concept: 1 where the text speaks of it."""
        rows = np.zeros((len(texts), len(self.concepts)), np.float32)
        for row, text in enumerate(texts):
            for each in self.of(text):
                rows[row, self._places[each]] = 1
        return rows
