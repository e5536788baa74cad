"""Features of candidates: numbers that mean the same in every language.

The order of `feature_names` is part of trained models.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from crosstalk.corpora.multiwoz_labels import ANY
from crosstalk.training.boosting import Matrix
from crosstalk.transfer.states.state_candidates import (
    SlotCandidate,
    StateHistory,
    TokenizedUtterance,
    ValueMention,
)
from crosstalk.transfer.states.state_slots import StateSlot

CUES: Final = (
    "hotel", "restaurant", "attraction", "train", "taxi", "leave", "arrive", "before", "after",
    "from", "to", "at", "people", "nights", "stars", "day", "clock", "price", "area", "food",
    "kind", "internet", "parking", "free", "book", "any", "same", "no", "yes", "thanks", "ask",
    "change", "want", "offer", "sorry", "done", "also", "nearby",
)  # fmt: skip
NEAR: Final = (
    "leave", "arrive", "before", "after", "from", "to", "at", "people", "nights", "stars", "any",
    "no", "same", "hotel", "restaurant", "attraction", "train", "taxi", "change", "book", "area",
    "price", "food", "want", "ask", "free", "nearby",
)  # fmt: skip
FAR: Final = 15.0
"""Greatest distance of a cue, in words; farther cues count as absent."""
KINDS: Final = ("word", "place", "number", "time", "choice")


@dataclass(frozen=True, slots=True)
class SlotPriors:
    """How often each slot was set to each value in the training dialogues."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)

    def share(self, slot: str, value: str) -> float:
        known = self.counts.get(slot, {})
        return known.get(value, 0) / (1 + sum(known.values()))


def feature_names(directed: bool) -> list[str]:
    """The names of the columns, in order."""
    turn = [f"user {cue}" for cue in CUES] + [f"system {cue}" for cue in CUES]
    turn += [
        "turn",
        "user length",
        "user asks",
        "system asks",
        "user mentions",
        "domains named",
        "foreign",
    ]
    slot = ["slot", "kind", "held", "held any", "filled", "last domain", "user domain",
            "system domain", "domain age", "other domain", "user topic", "system topic",
            "system asked", "values said", "values offered", "system questions"]  # fmt: skip
    value = ["habit", "said", "offered", "copied", "named", "is any", "is yes", "is no",
             "heard age", "copies", "held elsewhere", "inside", "length", "place", "last said",
             "rivals", "yes to offer", "slots open", "slots of domain", "said count", "topic near",
             "domain near", "any near topic", "offered last", "clause alone",
             "domain nearest"]  # fmt: skip
    value += [f"near {cue}" for cue in NEAR] + [f"clause {cue}" for cue in NEAR]
    if directed:
        value += [f"before {cue}" for cue in NEAR] + [f"after {cue}" for cue in NEAR]
    return turn + slot + value


class StateFeatureMaker:
    """Describes the candidates of a turn."""

    def __init__(self, slots: tuple[StateSlot, ...], *, directed: bool) -> None:
        self._slots = slots
        self._number = {slot.key: number for number, slot in enumerate(slots)}
        self._domains = list(dict.fromkeys(slot.domain for slot in slots if slot.domain))
        self._directed = directed

    def rows(
        self,
        found: Sequence[SlotCandidate],
        system: TokenizedUtterance,
        user: TokenizedUtterance,
        history: StateHistory,
        priors: SlotPriors,
        *,
        foreign: bool,
    ) -> Matrix:
        """`priors`: from other dialogues than this one; its own would reveal the labels.

        `foreign`: whether the user speaks another language than English.
        """
        turn = [*self._turn(system, user, history), float(foreign)]
        by_slot: dict[str, list[float]] = {}
        rows = []
        for each in found:
            key = each.slot.key
            if key not in by_slot:
                by_slot[key] = list(self._slot(each.slot, system, user, history))
            habit = priors.share(key, each.value)
            value = self._value(each, found, system, user, history)
            rows.append([*turn, *by_slot[key], habit, *value])
        return np.array(rows, dtype=np.float32).reshape(len(rows), -1)

    def _turn(
        self, system: TokenizedUtterance, user: TokenizedUtterance, history: StateHistory
    ) -> Iterator[float]:
        for said in (user, system):
            yield from (float(cue in said.cues) for cue in CUES)
        yield history.turn
        yield len(user.tokens) * user.step
        yield user.asks
        yield system.asks
        yield len(user.mentions)
        yield sum(domain in user.cues for domain in self._domains)

    def _slot(
        self,
        slot: StateSlot,
        system: TokenizedUtterance,
        user: TokenizedUtterance,
        history: StateHistory,
    ) -> Iterator[float]:
        held = history.state.get(slot.key)
        domain = slot.domain
        yield self._number[slot.key]
        yield KINDS.index(slot.kind)
        yield held is not None
        yield held == ANY
        yield sum(key.startswith(domain) for key in history.state)
        yield history.domain == domain
        yield domain in user.cues
        yield domain in system.cues
        yield history.turn - history.spoken.get(domain, -9)
        yield any(each in user.cues for each in self._domains if each != domain)
        yield slot.topic in user.cues
        yield slot.topic in system.cues
        yield slot.topic in system.cues and system.asks
        yield len(user.values_of(slot.key))
        yield len(system.values_of(slot.key))
        yield sum(each.topic in system.cues for each in self._slots if each.domain == domain)

    def _value(
        self,
        each: SlotCandidate,
        found: Sequence[SlotCandidate],
        system: TokenizedUtterance,
        user: TokenizedUtterance,
        history: StateHistory,
    ) -> list[float]:
        slot, value, said = each.slot, each.value, each.said
        heard = history.heard.get(slot.key, {}).get(value)
        rivals = [other for other in found if other.slot.key == slot.key and other.said]
        others = [key for key, held in history.state.items() if held == value and key != slot.key]
        last = max((other.said.start for other in rivals if other.said), default=-1)
        spot = said or each.offered
        text = user if said else system
        row = [
            said is not None,
            each.offered is not None,
            bool(each.copied),
            each.named,
            value == ANY,
            value == "yes",
            value == "no",
            9 if heard is None else history.turn - heard,
            len(each.copied),
            len(others),
            bool(spot and spot.inside),
            (spot.end - spot.start) * text.step if spot else 0,
            spot.start / max(len(text.tokens), 1) if spot else -1,
            bool(said and said.start == last),
            len(rivals),
            bool(each.offered and "yes" in user.cues),
            self._open(spot, history),
            self._of_domain(spot, history.domain),
            sum(m.values.get(slot.key) == value for m in user.mentions),
            near(text, spot, slot.topic),
            near(text, spot, slot.domain),
            self._any_near(user, slot),
            bool(each.offered and each.offered.end * 2 > len(system.tokens)),
            self._alone(text, spot),
            self._nearest(text, spot, slot.domain),
        ]
        row += [near(text, spot, cue) for cue in NEAR]
        row += [in_clause(text, spot, cue) for cue in NEAR]
        if self._directed:
            row += [near(text, spot, cue, side=-1) for cue in NEAR]
            row += [near(text, spot, cue, side=1) for cue in NEAR]
        return [float(cell) for cell in row]

    def _open(self, spot: ValueMention | None, history: StateHistory) -> int:
        """How many slots that the mention could fill are still empty."""
        return sum(slot not in history.state for slot in spot.values) if spot else -1

    def _of_domain(self, spot: ValueMention | None, domain: str) -> int:
        return sum(slot.startswith(domain) for slot in spot.values) if spot and domain else -1

    def _any_near(self, user: TokenizedUtterance, slot: StateSlot) -> float:
        """How near a word for `any` stands to a word for the slot."""
        places = user.cues.get("any", ())
        topics = user.cues.get(slot.topic, ())
        return min(
            (abs(a - b) * user.step for a in places for b in topics), default=FAR if places else 99
        )

    def _alone(self, text: TokenizedUtterance, spot: ValueMention | None) -> bool:
        if spot is None:
            return False
        clause = text.clauses[spot.start]
        return sum(text.clauses[m.start] == clause for m in text.mentions) == 1

    def _nearest(self, text: TokenizedUtterance, spot: ValueMention | None, domain: str) -> float:
        """Whether the nearest domain word is of the slot's domain (1) or another (0); -1: none."""
        if spot is None:
            return -1
        distances = {each: near(text, spot, each) for each in self._domains}
        best = min(distances.values(), default=FAR)
        return -1 if best >= FAR else float(distances.get(domain) == best)


def near(text: TokenizedUtterance, spot: ValueMention | None, cue: str, *, side: int = 0) -> float:
    """Words between a mention and the nearest cue; on one side of it only, if a side is given."""
    if spot is None:
        return FAR
    best = FAR
    for place in text.cues.get(cue, ()):
        gap = spot.start - place if place < spot.start else place - spot.end + 1
        if (
            spot.start <= place < spot.end
            or (side < 0 < place - spot.start + 1)
            or (side > 0 and place < spot.end)
        ):
            continue
        best = min(best, gap * text.step)
    return best


def in_clause(text: TokenizedUtterance, spot: ValueMention | None, cue: str) -> bool:
    if spot is None:
        return False
    clause = text.clauses[spot.start]
    return any(text.clauses[place] == clause for place in text.cues.get(cue, ()))
