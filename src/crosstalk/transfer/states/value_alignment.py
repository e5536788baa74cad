"""Which English value a value of another language is: by derived forms, vectors and numbers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from crosstalk.corpora.multiwoz_labels import ANY, NONE, normalised
from crosstalk.language.state_words import StateWords
from crosstalk.training.boosting import Matrix
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states.form_evidence import unit_length
from crosstalk.transfer.states.ontology import PLACES, Ontology
from crosstalk.transfer.states.state_slots import StateSlot
from crosstalk.transfer.transfer_corpora import SOURCE

NEAR: Final = 0.5
"""From which cosine two values may be one."""
FORM: Final = 1.0
"""What a form of the English value in the foreign one adds to their cosine."""
DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)?")
NUMBERS: Final = 1.0
"""What the same numbers in both add; a share of it where only some are the same."""
CHOICES: Final = ("yes", "no", "free")


def align_values(
    ontology: Ontology,
    values: Mapping[str, Iterable[str]],
    words: StateWords,
    encoder: CachedEncoder | None,
) -> dict[str, list[tuple[str, str]]]:
    """Slot key -> English value and foreign value, one to one; the others stay by themselves."""
    found = {}
    for slot in ontology.slots:
        foreign = sorted(
            {normalised(slot.key, each, english=False) for each in values.get(slot.key, ())}
        )
        foreign = [each for each in foreign if each not in (ANY, NONE)]
        english = _english(slot, ontology)
        if foreign and english and slot.kind not in ("number", "time"):
            scores = _scores(slot, english, foreign, words, encoder)
            least = -1.0 if slot.kind == "choice" else NEAR
            rows, columns = linear_sum_assignment(-scores)
            found[slot.key] = [
                (english[row], foreign[column])
                for row, column in zip(rows, columns, strict=True)
                if scores[row, column] >= least
            ]
    return found


def _english(slot: StateSlot, ontology: Ontology) -> list[str]:
    if slot.kind == "choice":
        return list(CHOICES)
    return sorted(set(ontology.labels[SOURCE].get(slot.key, {}).values()))


def _scores(
    slot: StateSlot,
    english: Sequence[str],
    foreign: Sequence[str],
    words: StateWords,
    encoder: CachedEncoder | None,
) -> Matrix:
    scores = np.zeros((len(english), len(foreign)), np.float32)
    if encoder is not None:
        scores += unit_length(encoder.vectors(english)) @ unit_length(encoder.vectors(foreign)).T
    forms = words.values.get(PLACES if slot.kind == "place" else slot.topic, {})
    for row, value in enumerate(english):
        for column, name in enumerate(foreign):
            said = max((len(form) for form in forms.get(value, ()) if form in name), default=0)
            scores[row, column] += FORM * said / max(len(name), 1)
            scores[row, column] += NUMBERS * _shared_numbers(value, name)
    return scores


def _shared_numbers(one: str, other: str) -> float:
    """The share of the numbers in digits of two values that both have."""
    first, second = (set(DIGITS.findall(each)) for each in (one, other))
    return len(first & second) / len(first | second) if first and second else 0.0
