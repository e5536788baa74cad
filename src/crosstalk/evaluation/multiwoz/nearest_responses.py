"""A plain system for the end-to-end figures: the response to the most similar training turn.

    bank = ResponseBank.of(training_dialogues, tables)
    bank.responses(dialogue_with_predicted_states)

A turn is described by its domain, the number of rows that its state finds, what the user asks for,
what was booked, and the words of the user and of the system before. The best of the nearest
training responses is the one that is most like the others. The answered turn itself is not read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
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
from crosstalk.evaluation.multiwoz.spellings import placeholder, placeholders
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
MANY: Final = 100
"""Turns from which on a word counts only if it stands in two of them."""
FACTS: Final = ("rows", "booked", "grown")
"""Fields of a situation that are compared."""
PLACEHOLDERS: Final = placeholders()
NEAREST: Final = 30
"""Responses of which the one is chosen that is most like the others."""
FEW: Final = 4
"""Slots that a response may tell without having been asked."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each likeness counts; set once by hand, not tuned."""

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
    """Off, for each slot beyond `FEW` that was not asked for."""


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


@dataclass(frozen=True, slots=True)
class _Group:
    """The training turns of one domain, as arrays."""

    texts: Sequence[str]
    """The responses."""
    user: csr_matrix
    before: csr_matrix
    response: csr_matrix
    facts: NDArray[np.int64]
    """Columns of `FACTS`."""
    holds: NDArray[np.bool_]
    """Which placeholders a response has, columns of `PLACEHOLDERS`."""


@dataclass(frozen=True, slots=True)
class ResponseBank:
    """Training turns with their responses, by domain."""

    tables: VenueTables
    delexicaliser: Delexicaliser
    words: TfidfVectorizer
    groups: Mapping[str, _Group]
    """Domain -> its turns, turns without a domain first."""
    weights: Weights = Weights()

    @classmethod
    def of(
        cls, dialogues: Sequence[Dialogue], tables: VenueTables, weights: Weights | None = None
    ) -> "ResponseBank":
        """From dialogues with states; responses in the words of the wizards."""
        values = Delexicaliser.of(tables)
        turns = [pair for each in dialogues for pair in _turns(each, tables, values)]
        rarest = 2 if len(turns) >= MANY else 1
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=rarest, token_pattern=r"[\w\[\]']+")
        words.fit([turn.user for turn, _ in turns])
        domains = {turn.domain for turn, _ in turns}
        groups = {
            domain: _group([pair for pair in turns if pair[0].domain == domain], words)
            for domain in sorted(domains)
        }
        return cls(tables, values, words, groups, weights or Weights())

    @property
    def size(self) -> int:
        return sum(len(group.texts) for group in self.groups.values())

    def responses(self, dialogue: Dialogue) -> tuple[Response, ...]:
        """One response per system turn, by the states of the dialogue, which may be predicted."""
        found = []
        offered: dict[str, Mapping[str, str]] = {}
        for situation, state in _situations(dialogue, self.tables, self.delexicaliser):
            domain = situation.domain
            searched = _searched(state.get(domain, {}))
            is_new = domain in OFFERS and offered.get(domain) != searched
            text = self._nearest(situation, wants_offer=bool(situation.rows) and is_new)
            if OFFERS.get(domain) in _placeholders(text):
                offered[domain] = searched
            found.append(Response(text, state))
        return tuple(found)

    def _nearest(self, situation: TurnSituation, *, wants_offer: bool) -> str:
        group = self.groups.get(situation.domain) or next(iter(self.groups.values()))
        said = self.words.transform([situation.user, situation.before])
        score = _likeness(group.user, said[0])
        score += self.weights.before * _likeness(group.before, said[1])
        facts = [int(getattr(situation, name)) for name in FACTS]
        score += (group.facts == facts) @ [getattr(self.weights, name) for name in FACTS]
        score += self._fit(group.holds, situation, wants_offer=wants_offer)
        best = np.argsort(-score, kind="stable")[:NEAREST]
        chosen = group.response[best]
        alike = np.asarray((chosen @ chosen.T).sum(axis=1)).ravel() / len(best)
        return group.texts[int(best[np.argmax(score[best] + alike)])]

    def _fit(
        self, holds: NDArray[np.bool_], situation: TurnSituation, *, wants_offer: bool
    ) -> NDArray[np.float64]:
        """What a response gains by telling what is asked for, and by an offer where one is due."""
        asked = np.isin(PLACEHOLDERS, [placeholder(slot) for slot in situation.asked])
        told = holds @ asked.astype(float)
        others = holds.sum(axis=1) - told
        fit = self.weights.answers * told - self.weights.overlong * np.maximum(0, others - FEW)
        if wants_offer:
            fit += self.weights.offer * holds[:, PLACEHOLDERS.index(OFFERS[situation.domain])]
        return np.asarray(fit)


def _group(turns: Sequence[tuple[TurnSituation, str]], words: TfidfVectorizer) -> _Group:
    texts = [text for _, text in turns]
    held = [_placeholders(text) for text in texts]
    return _Group(
        texts,
        words.transform([turn.user for turn, _ in turns]),
        words.transform([turn.before for turn, _ in turns]),
        words.transform(texts),
        np.array([[int(getattr(turn, name)) for name in FACTS] for turn, _ in turns]),
        np.array([[name in each for name in PLACEHOLDERS] for each in held]),
    )


def _likeness(rows: csr_matrix, one: csr_matrix) -> NDArray[np.float64]:
    return np.asarray((rows @ one.T).todense()).ravel()


def _placeholders(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(placeholder, re.findall(r"\[(\w+)\]", text))))


def _searched(slots: Mapping[str, str]) -> Mapping[str, str]:
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
