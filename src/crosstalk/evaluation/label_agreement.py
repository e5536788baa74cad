"""Agreement of two annotators label by label: per act, slot of a state, and kind of operation.

    found = label_agreement(match(annotations).among("a", "b"))
    for label in found.labels: print(label.name, label.kappa)

An act (intent, domain, slot) is present or absent in each turn of its side. A slot of a state has
some content, perhaps none, in each turn for which both have that state. Operations are what
annotators do (`annotation/operations.py`); they count as the same with turn and value.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crosstalk.annotation.adjudication import AnnotatedField, act_values
from crosstalk.annotation.operations import OperationKind, Tracks, comparable
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.evaluation.agreement import EMPTY, states_of
from crosstalk.evaluation.alpha_distances import interval_alpha
from crosstalk.evaluation.kappa import (
    Unit,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pabak_of,
)
from crosstalk.evaluation.scores import Hits, rounded, wilson
from crosstalk.language.gazetteer import numbers_in

Pairs = Iterable[Sequence[Dialogue]]
"""Dialogues, each in the versions of the two."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement about one label."""

    part: str
    """acts or states."""
    name: tuple[str, ...]
    """Intent, domain, slot; or domain, slot."""
    units: int
    """Turns of its side; turns with that state."""
    used: int
    """Units to which one of the two gave the label, or some content."""
    same: int
    """Units in which the two have the same."""
    kappa: float | None
    """Cohen's; None if both gave one and the same throughout."""
    pabak: float | None
    ac1: float | None
    alpha: float | None
    """Krippendorff's, nominal."""
    interval_alpha: float | None = None
    """Krippendorff's for numbers, over units in which both have one."""

    @property
    def agreement(self) -> float:
        """Percent of units in which the two have the same."""
        return 100 * self.same / self.units if self.units else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `agreement`; units count as independent, which they are not
        quite: states are carried on.
        """
        return wilson(self.same, self.units)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "part": self.part,
            "label": list(self.name),
            "units": self.units,
            "used": self.used,
            "agreement": {
                "value": rounded(self.agreement, 4),
                "interval": [round(limit, 4) for limit in self.interval],
            },
            "cohen": rounded(self.kappa, 4),
            "pabak": rounded(self.pabak, 4),
            "ac1": rounded(self.ac1, 4),
            "alpha": rounded(self.alpha, 4),
            "alpha_interval": rounded(self.interval_alpha, 4),
        }


@dataclass(frozen=True, slots=True)
class LabelTable:
    """All labels of two annotators, and their operations."""

    labels: tuple[LabelAgreement, ...]
    operations: dict[OperationKind, Hits]
    """Operations of the second compared with the first's; F1 is the same both ways."""

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "labels": [each.record() for each in self.labels],
            "operations": {
                str(kind): {
                    "both": hits.right,
                    "only_a": hits.missed,
                    "only_b": hits.wrong,
                    "f1": rounded(hits.f1, 4),
                }
                for kind, hits in self.operations.items()
            },
        }


def label_agreement(pairs: Pairs) -> LabelTable:
    """Every label that either of two annotators used, most used first within its part."""
    several = list(pairs)
    found = [*_acts(several), *_states(several)]
    kinds = (kind for kind in OperationKind if kind is not OperationKind.ACT)
    operations = {kind: Hits() for kind in kinds}
    for left, right in several:
        ours, theirs = operations_of(left, right)
        for kind in operations:
            operations[kind] += Hits.of(
                [each for each in theirs if each[0] is kind],
                [each for each in ours if each[0] is kind],
            )
    return LabelTable(tuple(found), {kind: hits for kind, hits in operations.items() if _any(hits)})


def _any(hits: Hits) -> bool:
    return bool(hits.right or hits.wrong or hits.missed)


def operations_of(*versions: Dialogue) -> list[set[tuple[Hashable, ...]]]:
    """What each annotator did: kind, cell, place, value."""
    tracks = Tracks.of(*versions)
    found: list[set[tuple[Hashable, ...]]] = [set() for _ in versions]
    for subject in tracks.subjects:
        places = tracks.at.of(subject.kind)
        for number, done in enumerate(found):
            before = comparable(tracks.start(subject))
            for place, value in zip(places, tracks.track(number, subject), strict=True):
                now = comparable(value)
                if now != before:
                    done.add((subject.kind, subject.cell, place, now))
                before = now
    return found


def _acts(pairs: Sequence[Sequence[Dialogue]]) -> Iterator[LabelAgreement]:
    turns: Counter[Speaker] = Counter()
    given: dict[tuple[Speaker, tuple[str, str, str]], Counter[Unit]] = {}
    for left, right in pairs:
        for one, other in zip(left.turns, right.turns, strict=True):
            turns[one.speaker] += 1
            ours, theirs = act_values(one.acts), act_values(other.acts)
            for label in {**ours, **theirs}:
                units = given.setdefault((one.speaker, label), Counter())
                units[label in ours, label in theirs] += 1
    for (side, label), units in sorted(given.items(), key=lambda each: -each[1].total()):
        units[False, False] = turns[side] - units.total()
        yield _about("acts", label, units, (False, False))


def _states(pairs: Sequence[Sequence[Dialogue]]) -> Iterator[LabelAgreement]:
    given: dict[tuple[str, str], Counter[Unit]] = {}
    turns: Counter[AnnotatedField] = Counter()
    for left, right in pairs:
        for one, other in zip(left.turns, right.turns, strict=True):
            ours, theirs = states_of(one), states_of(other)
            for part in ours.keys() & theirs.keys():
                turns[part] += 1
                for cell in {**ours[part], **theirs[part]}:
                    contents = ours[part].get(cell, EMPTY), theirs[part].get(cell, EMPTY)
                    label = _slot(part, cell, left)
                    given.setdefault(label, Counter())[contents] += 1
    for label, units in sorted(given.items(), key=lambda each: -_used(each[1], (EMPTY, EMPTY))):
        if _used(units, (EMPTY, EMPTY)):
            yield _about("states", label, units, (EMPTY, EMPTY))


def _slot(part: AnnotatedField, cell: tuple[str, ...], dialogue: Dialogue) -> tuple[str, str]:
    """Domain and slot of a cell; rows of the user's table know them from the goal."""
    if part is not AnnotatedField.USER_STATE:
        return cell[0], cell[1]
    number = int(cell[0]) - 1
    rows = next((turn.user_state for turn in dialogue.turns if turn.user_state), ())
    return (rows[number].domain, rows[number].slot) if number < len(rows) else ("", cell[0])


def _used(units: Counter[Unit], nothing: Unit) -> int:
    return units.total() - units[nothing]


def _about(part: str, name: tuple[str, ...], units: Counter[Unit], nothing: Unit) -> LabelAgreement:
    each = list(units.elements())
    categories = len({rating for unit in units for rating in unit})
    numbers = [unit for unit in map(_numbers, each) if None not in unit]
    return LabelAgreement(
        part,
        name,
        units.total(),
        _used(units, nothing),
        sum(times for (first, second), times in units.items() if first == second),
        cohen_kappa(each),
        pabak_of(each),
        gwet_ac1(each, categories),
        krippendorff_alpha(each),
        interval_alpha(numbers) if part == "states" and len(numbers) > 1 else None,
    )


def _numbers(unit: Unit) -> tuple[float | None, ...]:
    return tuple(map(_number, unit))


def _number(content: Hashable) -> float | None:
    """The one number of a content; of a row of the table, that of its value."""
    if isinstance(content, tuple) and len(content) == 2 and isinstance(content[1], bool):
        content = content[0]
    found = numbers_in(content) if isinstance(content, str) else frozenset()
    try:
        return float(next(iter(found))) if len(found) == 1 else None
    except ValueError:
        return None
