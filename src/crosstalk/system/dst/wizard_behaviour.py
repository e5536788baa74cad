"""How the wizard of a dialogue fills in forms, as its earlier turns show; wizards differ in that.

Some type the name of the place under discussion into the form, most do not. A place near the top of
the results can be ticked there; one far down has to be searched for by name, and how far down is
far differs too. `wizard_counts` and `typed_name_features` read earlier forms. `TypingStyle`, for
trackers that see no forms, predicts the same from the wording of earlier answers: letters, pairs of
letters and punctuation tell the two groups of wizards apart.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from crosstalk.dialogue.dialogues import Turn, exchanges
from crosstalk.dialogue.schema import Domain, Schema
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row

MANY = 99
"""Results beyond this number count as out of sight."""


def matching_rows(
    database: Database, domain: Domain, constraints: Mapping[str, SlotValue]
) -> tuple[Row, ...]:
    """The rows that meet all constraints except the name."""
    name = domain.name_slot.key if domain.name_slot else ""
    rest = {key: value for key, value in constraints.items() if key != name and value}
    return database.search(domain.key, rest)


def result_position(database: Database, domain: Domain, form: SystemState, name: SlotValue) -> int:
    """The position of a place in the results of a form, from 0; `MANY` if it is out of sight."""
    assert domain.name_slot is not None
    rows = matching_rows(database, domain, form.get(domain.key).constraints)[:MANY]
    names = [row[domain.name_slot.key] for row in rows]
    return names.index(name) if name in names else MANY


WIZARD_COUNTS = (
    "types names said",
    "skips names said",
    "types names meant",
    "skips names meant",
    "keeps old",
    "clears old",
    "relaxes",
)


def wizard_counts(schema: Schema, yes: str, history: tuple[Turn, ...]) -> Counter[str]:
    """How often this wizard typed known names, cleared old constraints, or relaxed a search."""
    seen: Counter[str] = Counter()
    discourse = Discourse(schema, yes)
    for user, system in exchanges(history):
        heard = UserActs(user, schema, yes)
        if discourse.form and system.first_query:
            for domain in schema.places:
                seen.update(name_typing(discourse, heard, domain.key, system.first_query))
                seen.update(_clearing(discourse, heard, domain.key, system.first_query))
        discourse.add(user, system)
        if (
            discourse.first_form
            and discourse.form
            and not discourse.first_form.same_constraints(discourse.form)
        ):
            seen["relaxes"] += 1
    return seen


def name_typing(discourse: Discourse, heard: UserActs, key: str, typed: SystemState) -> list[str]:
    name = discourse.names.get(key, "")
    said = heard.informed.get((key, name), [])
    written = typed.get(key).get(name)
    if said and said[0] in discourse.mentioned[key]:
        return ["types names said" if written == said[0] else "skips names said"]
    if not said and discourse.last.get(key) and key in heard.asked:
        return ["types names meant" if written == discourse.last[key] else "skips names meant"]
    return []


def _clearing(discourse: Discourse, heard: UserActs, key: str, typed: SystemState) -> list[str]:
    assert discourse.form is not None
    informed = heard.slots(key)
    old = [slot for slot in discourse.form.get(key).constraints if slot not in informed]
    if not old or all(slot == discourse.names.get(key) for slot in informed):
        return []
    kept = any(typed.get(key).get(slot) for slot in old)
    return ["keeps old" if kept else "clears old"]


@dataclass(frozen=True, slots=True)
class NameTyping:
    """One exchange about a known place whose name was not in the form."""

    typed: bool
    place: int
    """Its position among the results of the form before (`result_position`)."""


def typed_name_features(database: Database, history: tuple[Turn, ...]) -> Features:
    """Features of the names typed in earlier exchanges; -1 without any."""
    seen = list(_name_typings(database, history))
    typed = [each.place for each in seen if each.typed]
    skipped = [each.place for each in seen if not each.typed]
    return {
        "last name typed": int(seen[-1].typed) if seen else -1,
        "last name's place": seen[-1].place if seen else -1,
        "first place typed": min(typed, default=-1),
        "last place skipped": max(skipped, default=-1),
    }


def _name_typings(database: Database, history: tuple[Turn, ...]) -> Iterator[NameTyping]:
    world = database.world
    discourse = Discourse(world.schema, world.language.yes)
    for user, system in exchanges(history):
        heard = UserActs(user, world.schema, world.language.yes)
        if discourse.form and system.first_query:
            for domain in world.schema.places:
                yield from _name_typing_in(database, discourse, heard, domain, system.first_query)
        discourse.add(user, system)


def _name_typing_in(
    database: Database, discourse: Discourse, heard: UserActs, domain: Domain, typed: SystemState
) -> Iterator[NameTyping]:
    assert discourse.form is not None
    slot = discourse.names.get(domain.key, "")
    said = heard.informed.get((domain.key, slot), [])
    name = said[0] if said else discourse.last.get(domain.key, "")
    if (
        name_typing(discourse, heard, domain.key, typed)
        and discourse.form.get(domain.key).get(slot) != name
    ):
        place = result_position(database, domain, discourse.form, name)
        yield NameTyping(typed.get(domain.key).get(slot) == name, place)


LEAST_ANSWERS = 5
"""Fewest answers with a letter or pair of letters that is used."""
MOST_NGRAMS = 2500
PENALTY_SCALE = 1.0
"""Inverse weight of the L2 penalty; 0.1 and 10 classify no better on CrossWOZ val."""


@dataclass(frozen=True, slots=True)
class TypingStyle:
    """Logistic regression over letters and pairs of letters (TF-IDF) of a wizard's answers."""

    weights: Mapping[str, float] = field(default_factory=dict)
    rarity: Mapping[str, float] = field(default_factory=dict)
    bias: float = 0.0

    def likelihood(self, texts: Sequence[str]) -> float:
        """How likely a wizard who wrote these answers types names; the bias alone without any."""
        found = _scaled(texts, self.rarity)
        return 1 / (1 + exp(-self.bias - sum(self.weights[gram] * x for gram, x in found.items())))

    def to_json(self) -> dict[str, Any]:
        grams = [[gram, weight, self.rarity[gram]] for gram, weight in self.weights.items()]
        return {"bias": self.bias, "grams": grams}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "TypingStyle":
        grams = told["grams"]
        weights = {gram: weight for gram, weight, _ in grams}
        return cls(weights, {gram: rarity for gram, _, rarity in grams}, told["bias"])


def fit_typing_style(samples: Sequence[tuple[Sequence[str], bool]]) -> TypingStyle:
    """Logistic regression from (answers before, whether the name was typed)."""
    seen = Counter(gram for texts, _ in samples for gram in _grams(texts))
    kept = sorted(
        (gram for gram in seen if seen[gram] >= LEAST_ANSWERS), key=lambda g: (-seen[g], g)
    )[:MOST_NGRAMS]
    rarity = {gram: round(log(len(samples) / seen[gram]) + 1, 4) for gram in kept}
    if not samples:
        return TypingStyle()
    matrix = _matrix([_scaled(texts, rarity) for texts, _ in samples], kept)
    weights, bias = _logistic(matrix, np.array([float(label) for _, label in samples]))
    return TypingStyle(dict(zip(kept, weights, strict=True)), rarity, bias)


def _grams(texts: Iterable[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        found.update(text)
        found.update(map("".join, pairwise(text)))
    return found


def _scaled(texts: Iterable[str], rarity: Mapping[str, float]) -> dict[str, float]:
    found = {
        gram: (1 + log(count)) * rarity[gram]
        for gram, count in _grams(texts).items()
        if gram in rarity
    }
    length = sqrt(sum(x * x for x in found.values())) or 1.0
    return {gram: x / length for gram, x in found.items()}


def _matrix(rows: Sequence[Mapping[str, float]], kept: Sequence[str]) -> csr_matrix:
    column = {gram: number for number, gram in enumerate(kept)}
    values = [x for row in rows for x in row.values()]
    columns = [column[gram] for row in rows for gram in row]
    starts = np.cumsum([0, *map(len, rows)])
    return csr_matrix((values, columns, starts), shape=(len(rows), len(kept)))


def _logistic(matrix: csr_matrix, labels: np.ndarray) -> tuple[list[float], float]:
    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        weights, bias = point[:-1], point[-1]
        margin = matrix @ weights + bias
        signed = np.where(labels > 0, -margin, margin)
        total = np.logaddexp(0, signed).sum() + weights @ weights / (2 * PENALTY_SCALE)
        error = 1 / (1 + np.exp(-margin)) - labels
        slope = np.append(matrix.T @ error + weights / PENALTY_SCALE, error.sum())
        return float(total), slope

    found = minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return [round(float(x), 4) for x in found[:-1]], round(float(found[-1]), 4)
