"""Quality control of translations: agreement of two annotators, and how much both accept.

    report = judge_agreement([Pair("MUL1", "de", "dev", (True, True), (True, None)), ...])

Every figure is a function of a table of two answers, yes and no. Cohen's kappa is undefined (None)
if both annotators gave one and the same answer throughout. It is 0 if only one annotator varies,
and if both are constant and differ. If almost all answers are yes, kappa is low even for good
agreement; prevalence, bias, PABAK and AC1 show that. Intervals are bootstrap percentiles over
dialogues.

The paper: both accept 99 % of utterances, kappa .824 (dev) and .838 (test); it does not say how
they were pooled.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from crosstalk.errors import InputError
from crosstalk.evaluation.kappa import (
    Bootstrap,
    Figure,
    Statistic,
    cohen,
    count_ratings,
    gwet,
    pabak,
)
from crosstalk.evaluation.scores import FloatArray
from crosstalk.translation.control import JudgementPair, pair_files, pair_judgements
from crosstalk.translation.error_marks import ErrorMark, exact_f1, letters_f1, penalty

Answer = bool | None
FIGURES: Final = ("accepted", "agreement", "kappa", "prevalence", "bias", "pabak", "ac1")
UNDEFINED: Final = "both annotators always gave the same answer: kappa is 0/0 and not defined"


@dataclass(frozen=True, slots=True)
class Pair:
    """The answers of two annotators about one utterance."""

    dialogue: str
    language: str
    split: str
    acceptable: tuple[Answer, Answer]
    values_match: tuple[Answer, Answer]
    has_values: bool = True
    marks: tuple[tuple[ErrorMark, ...], tuple[ErrorMark, ...]] = ((), ())

    @property
    def both(self) -> tuple[Answer, Answer]:
        """Yes to both questions; without values, yes to the first."""
        return self._both(0), self._both(1)

    def _both(self, who: int) -> Answer:
        first, second = self.acceptable[who], self.values_match[who]
        if first is None or (second is None and self.has_values):
            return None
        return first and second is not False


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Agreement about one question."""

    units: int
    """Utterances that both answered."""
    table: tuple[int, int, int, int]
    """Both yes; only the first; only the second; both no."""
    accepted: Figure
    """Percent with yes of both."""
    agreement: Figure
    """Percent with the same answer."""
    kappa: Figure
    """Cohen's kappa; None if both annotators gave one and the same answer throughout."""
    prevalence: Figure
    """(Both yes - both no) / all; 1 if all answers are yes."""
    bias: Figure
    """(Yes of the first - yes of the second) / all."""
    pabak: Figure
    """Prevalence- and bias-adjusted kappa: twice the agreement minus one."""
    ac1: Figure
    """Gwet's AC1."""

    def record(self) -> dict[str, Any]:
        """As JSON; if kappa is undefined, with the reason."""
        record: dict[str, Any] = {
            "units": self.units,
            "table": dict(zip(("yes_yes", "yes_no", "no_yes", "no_no"), self.table, strict=True)),
            **{name: getattr(self, name).record(12, 6) for name in FIGURES},
        }
        if self.units and self.kappa.value is None:
            record["kappa"]["undefined"] = UNDEFINED
        return record


@dataclass(frozen=True, slots=True)
class ControlReport:
    """All questions over some utterances."""

    dialogues: int
    utterances: int
    acceptable: QuestionAgreement
    values_match: QuestionAgreement
    values_where_any: QuestionAgreement
    """The second question, only for utterances with values."""
    both: QuestionAgreement

    def record(self) -> dict[str, Any]:
        """As JSON."""
        questions = {name: getattr(self, name).record() for name in QUESTIONS}
        return {"dialogues": self.dialogues, "utterances": self.utterances, **questions}


@dataclass(frozen=True, slots=True)
class MarkReport:
    """What two annotators marked as errors, and how far they agree about it."""

    utterances: int
    """Those that both have answered."""
    marked: tuple[int, int]
    """Utterances with a mark."""
    marks: tuple[int, int]
    points: tuple[float, float]
    """Points an utterance: minor errors 1, major ones 5, critical ones 25."""
    exact: float | None
    """F1 of marks with the same start, end and category; None if nobody marked anything."""
    letters: float | None
    """F1 of marked letters with their categories."""

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def judge_marks(pairs: Iterable[Pair]) -> MarkReport:
    both = [pair.marks for pair in pairs if None not in pair.acceptable]
    sides = [[marks[side] for marks in both] for side in (0, 1)]
    marked = [sum(map(bool, side)) for side in sides]
    marks = [sum(map(len, side)) for side in sides]
    points = [sum(map(penalty, side)) / len(side) if side else 0.0 for side in sides]
    return MarkReport(
        len(both),
        (marked[0], marked[1]),
        (marks[0], marks[1]),
        (points[0], points[1]),
        exact_f1(both),
        letters_f1(both),
    )


QUESTIONS: Final = ("acceptable", "values_match", "values_where_any", "both")
Tables = FloatArray
"""Samples by four: counts of yes-yes, yes-no, no-yes, no-no."""


def judge_agreement(pairs: Sequence[Pair], bootstrap: Bootstrap | None = None) -> ControlReport:
    by = bootstrap or Bootstrap()
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(f"{pair.language}\n{pair.split}\n{pair.dialogue}", []).append(pair)
    dialogues = list(groups.values())

    def question(answers: Callable[[Pair], tuple[Answer, Answer]]) -> QuestionAgreement:
        return _question([[answers(pair) for pair in group] for group in dialogues], by)

    return ControlReport(
        len(dialogues),
        len(pairs),
        question(lambda pair: pair.acceptable),
        question(lambda pair: pair.values_match),
        question(lambda pair: pair.values_match if pair.has_values else (None, None)),
        question(lambda pair: pair.both),
    )


def read_pairs(places: Sequence[Path]) -> tuple[list[Pair], list[str]]:
    """The answers of two annotators in files or folders, and notes on what was left out."""
    pairs: list[Pair] = []
    left_out: list[str] = []
    for files in pair_files(places):
        found, missing = pair_judgements(*files)
        left_out += missing
        pairs += map(_pair, found)
    if not pairs:
        raise InputError(
            "the two share no utterance", remedy="Give files that were drawn together."
        )
    return pairs, left_out


def _pair(both: JudgementPair) -> Pair:
    first, second = both.first, both.second
    return Pair(
        first.dialogue,
        both.language,
        both.split,
        (first.acceptable, second.acceptable),
        (first.values_match, second.values_match),
        first.has_values,
        (first.marks, second.marks),
    )


def by_group(pairs: Iterable[Pair], bootstrap: Bootstrap | None = None) -> dict[str, ControlReport]:
    """Reports by language, by split, and by both."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        names = dict.fromkeys(filter(None, (pair.language, pair.split)))
        for name in (*names, *([" ".join(names)] if len(names) > 1 else [])):
            groups.setdefault(name, []).append(pair)
    return {name: judge_agreement(found, bootstrap) for name, found in sorted(groups.items())}


def _question(
    groups: Sequence[Sequence[tuple[Answer, Answer]]], by: Bootstrap
) -> QuestionAgreement:
    tables = np.array([_table(group) for group in groups], dtype=np.float64).reshape(-1, 4)
    ratings = count_ratings([[(unit, 1) for unit in group] for group in groups], 2)

    def figure(measure: Callable[[Tables], FloatArray]) -> Figure:
        return _figure(lambda weights: measure(weights @ tables), len(groups), by)

    total = tables.sum(axis=0).astype(int)
    return QuestionAgreement(
        int(total.sum()),
        (int(total[0]), int(total[1]), int(total[2]), int(total[3])),
        figure(lambda table: 100 * _share(table, 0)),
        figure(lambda table: 100 * _share(table, 0, 3)),
        _figure(lambda weights: cohen(ratings, weights), len(groups), by),
        figure(lambda table: _share(table, 0) - _share(table, 3)),
        figure(lambda table: _share(table, 1) - _share(table, 2)),
        _figure(lambda weights: pabak(ratings, weights), len(groups), by),
        _figure(lambda weights: gwet(ratings, weights), len(groups), by),
    )


def _figure(statistic: Statistic, groups: int, by: Bootstrap) -> Figure:
    """The figure; without an interval if it is undefined in all bootstrap samples."""
    found = by.figure(statistic, groups)
    if found.value is None and groups:
        value = float(statistic(np.ones((1, groups)))[0])
        return found if np.isnan(value) else Figure(value)
    return found


def _table(answers: Iterable[tuple[Answer, Answer]]) -> list[int]:
    counts = [0, 0, 0, 0]
    for first, second in answers:
        if first is not None and second is not None:
            counts[2 * (not first) + (not second)] += 1
    return counts


def _share(tables: Tables, *cells: int) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = tables[:, list(cells)].sum(axis=1) / tables.sum(axis=1)
    return found
