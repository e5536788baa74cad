"""A plain system for the end-to-end figures: the response to the most similar training turn.

    bank = ResponseBank.of(training_dialogues, tables)
    bank.responses(dialogue_with_predicted_states)

A turn is described by its domain, the number of rows that its state finds, what the user asks for,
what was booked, and the words of the user and of the system before. The best of the nearest
training responses is the one that is most like the others. The answered turn itself is not read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.evaluation.multiwoz.delexicalise import Delexicaliser
from crosstalk.evaluation.multiwoz.responses import (
    Response,
    State,
    gold_state,
    with_estimated_domains,
)
from crosstalk.evaluation.multiwoz.spellings import placeholder
from crosstalk.evaluation.multiwoz.venue_tables import VenueTables

ASKED: Final = {
    "phone": r"\bphone|\bnumber\b|contact",
    "address": r"address|where is it|located",
    "postcode": r"post ?code|zip",
    "reference": r"\breference|confirmation|\bbook (?:it|that|a room|a table)|\breserv",
    "trainid": r"train id|\btrain number|\bid\b",
    "price": r"how much|price of|\bfee\b|\bcost",
    "time": r"travel time|how long|arrival time|departure time|what time",
}
"""What users ask for, and how they put it."""
OFFERS: Final = {"restaurant": "NAME", "hotel": "NAME", "attraction": "NAME", "train": "TRAINID"}
NEEDED: Final = {
    "restaurant": {"bookpeople", "bookday", "booktime"},
    "hotel": {"bookpeople", "bookday", "bookstay"},
    "train": {"bookpeople"},
}
"""What a booking needs; a taxi is booked as soon as it is asked for."""
NEAREST: Final = 30


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each likeness counts; chosen on val."""

    before: float = 0.3
    """Words of the system before, against those of the user."""
    rows: float = 0.2
    booked: float = 0.3
    grown: float = 0.1
    answers: float = 0.25
    """For each thing asked for that the response tells."""
    offer: float = 0.3
    """If rows are found and none has been offered yet."""
    overlong: float = 0.05
    """Off, for each slot that was not asked for beyond the fourth."""


@dataclass(frozen=True, slots=True)
class TurnSituation:
    """What is known before the system answers."""

    domain: str
    rows: int
    """0, 1, 2 (two to five) or 3 (more)."""
    asked: frozenset[str]
    booked: bool
    """Whether all that a booking needs has been told."""
    grown: bool
    """Whether the user has told something new."""
    user: str
    before: str


@dataclass(frozen=True)
class ResponseBank:
    """Training turns with their responses."""

    tables: VenueTables
    delexicaliser: Delexicaliser
    situations: Sequence[TurnSituation]
    texts: Sequence[str]
    weights: Weights = Weights()
    _index: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, dialogues: Sequence[Dialogue], tables: VenueTables, weights: Weights | None = None
    ) -> "ResponseBank":
        """From dialogues with states; answers in the words of the wizards."""
        words = Delexicaliser.of(tables)
        turns = [pair for each in dialogues for pair in _turns(each, tables, words)]
        bank = cls(
            tables, words, [turn for turn, _ in turns], [text for _, text in turns],
            weights or Weights(),
        )  # fmt: skip
        bank._learn()
        return bank

    def _learn(self) -> None:
        index = self._index
        index["words"] = TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"[\w\[\]']+")
        index["user"] = index["words"].fit_transform([each.user for each in self.situations])
        index["before"] = index["words"].transform([each.before for each in self.situations])
        index["response"] = index["words"].transform(self.texts)
        index["holds"] = [_placeholders(text) for text in self.texts]
        for name in ("rows", "booked", "grown"):
            index[name] = np.array([int(getattr(each, name)) for each in self.situations])
        index["places"] = _places([each.domain for each in self.situations])

    def responses(self, dialogue: Dialogue) -> tuple[Response, ...]:
        """One response per system turn, with the states of the dialogue as predicted."""
        found = []
        offered: dict[str, State] = {}
        for situation, state in _situations(dialogue, self.tables, self.delexicaliser):
            about = state.get(situation.domain, {})
            wants_offer = bool(
                situation.rows
                and situation.domain in OFFERS
                and offered.get(situation.domain) != _searched(about)
            )
            text = self._nearest(situation, wants_offer)
            if OFFERS.get(situation.domain) in _placeholders(text):
                offered[situation.domain] = _searched(about)
            found.append(Response(text, state))
        return tuple(found)

    def _nearest(self, situation: TurnSituation, wants_offer: bool) -> str:
        index, weights = self._index, self.weights
        places = index["places"].get(situation.domain, index["places"][""])
        said = index["words"].transform([situation.user, situation.before])
        score = _likeness(index["user"][places], said[0])
        score += weights.before * _likeness(index["before"][places], said[1])
        for name in ("rows", "booked", "grown"):
            same = index[name][places] == int(getattr(situation, name))
            score += getattr(weights, name) * same
        asked = {placeholder(slot) for slot in situation.asked}
        offer = OFFERS.get(situation.domain, "")
        score += np.array(
            [self._fit(index["holds"][at], asked, offer, wants_offer) for at in places]
        )
        best = np.argsort(-score, kind="stable")[:NEAREST]
        chosen = index["response"][places[best]]
        alike = np.asarray((chosen @ chosen.T).sum(axis=1)).ravel() / len(best)
        return self.texts[places[best[int(np.argmax(score[best] + alike))]]]

    def _fit(self, holds: frozenset[str], asked: set[str], offer: str, wants_offer: bool) -> float:
        weights = self.weights
        fit = weights.answers * len(holds & asked)
        if wants_offer and offer in holds:
            fit += weights.offer
        return fit - weights.overlong * max(0, len(holds - asked) - 4)


def _likeness(rows: csr_matrix, one: csr_matrix) -> Any:
    return np.asarray((rows @ one.T).todense()).ravel()


def _places(domains: Sequence[str]) -> dict[str, Any]:
    return {
        domain: np.array([at for at, each in enumerate(domains) if each == domain])
        for domain in {*domains, ""}
    }


def _placeholders(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(placeholder, re.findall(r"\[(\w+)\]", text))))


def _searched(slots: Mapping[str, str]) -> Mapping[str, Any]:
    return {slot: value for slot, value in slots.items() if not slot.startswith("book")}


def _turns(
    dialogue: Dialogue, tables: VenueTables, words: Delexicaliser
) -> list[tuple[TurnSituation, str]]:
    answers = [words.text(turn.text).strip() for turn in dialogue.system_turns]
    situations = (each for each, _ in _situations(dialogue, tables, words))
    return list(zip(situations, answers, strict=True))


def _situations(
    dialogue: Dialogue, tables: VenueTables, words: Delexicaliser
) -> list[tuple[TurnSituation, State]]:
    """Of every system turn; the texts of later turns are not read."""
    states = [gold_state(turn.first_query) for turn in dialogue.system_turns]
    active = with_estimated_domains(tuple(Response("", state) for state in states))
    users = [turn.text for turn in dialogue.turns if turn.speaker is Speaker.USER]
    said = ["", *(turn.text for turn in dialogue.system_turns)]
    found = []
    earlier: State = {}
    for number, (state, response) in enumerate(zip(states, active, strict=True)):
        domain = (response.domains or ("",))[0]
        about = response.constraints.get(domain, {})
        rows = len(tables.find(domain, about)) if domain in OFFERS else 0
        user = users[number].lower() if number < len(users) else ""
        booked = {slot for slot in state.get(domain, {}) if slot.startswith("book")}
        found.append(
            (
                TurnSituation(
                    domain,
                    0 if not rows else 1 if rows == 1 else 2 if rows <= 5 else 3,
                    frozenset(slot for slot, form in ASKED.items() if re.search(form, user)),
                    domain in NEEDED and booked >= NEEDED[domain],
                    state != earlier,
                    words.text(user),
                    words.text(said[number]),
                ),
                state,
            )
        )
        earlier = state
    return found
