"""Scores of dialogue extraction from chat logs, on days with annotated reply links."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log2
from typing import Any, Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from crosstalk.chatlogs.annotated_days import AnnotatedDay, annotated_from, components
from crosstalk.chatlogs.answers import article_of
from crosstalk.chatlogs.conversation_threads import (
    FEWEST_TURNS,
    MIN_ANSWER_CONFIDENCE,
    MIN_CONFIDENCE,
    Extractor,
    Thread,
    count_turns,
    is_confident,
    speakers,
)
from crosstalk.evaluation.scores import Hits, Share, bootstrap

Labels = Sequence[int]
"""The conversation number of each line."""


@dataclass(frozen=True, slots=True)
class Separation:
    """Clustering of lines into conversations, compared with the annotated one; sums that add."""

    lines: int = 0
    overlap: int = 0
    """Lines in the best one-to-one matching of conversations."""
    guessed_entropy: float = 0.0
    """Sum of n log2 n over conversations of n lines; these sums give pooled entropies."""
    true_entropy: float = 0.0
    joint_entropy: float = 0.0
    exact: Hits = field(default=Hits())

    @classmethod
    def of(cls, guessed: Labels, true: Labels) -> "Separation":
        joint = Counter(zip(guessed, true, strict=True))
        ours, theirs = Counter(guessed), Counter(true)
        return cls(
            len(true),
            _best_overlap(joint, ours, theirs),
            _n_log_n(ours),
            _n_log_n(theirs),
            _n_log_n(joint),
            _exact(joint, ours, theirs),
        )

    def __add__(self, other: "Separation") -> "Separation":
        return Separation(
            self.lines + other.lines,
            self.overlap + other.overlap,
            self.guessed_entropy + other.guessed_entropy,
            self.true_entropy + other.true_entropy,
            self.joint_entropy + other.joint_entropy,
            self.exact + other.exact,
        )

    @property
    def variation(self) -> float | None:
        """100 (1 - VI / log2 n) over the lines of all files; 100 is perfect."""
        if self.lines < 2:
            return None
        # H(X|Y) + H(Y|X) = 2 H(X,Y) - H(X) - H(Y), with H = log2 n - (sum of n_i log2 n_i) / n
        conditional = self.guessed_entropy + self.true_entropy - 2 * self.joint_entropy
        return 100 * (1 - conditional / self.lines / log2(self.lines))

    @property
    def one_to_one(self) -> float | None:
        return 100 * self.overlap / self.lines if self.lines else None


def _n_log_n(sizes: Counter[int] | Counter[tuple[int, int]]) -> float:
    return sum(size * log2(size) for size in sizes.values())


def _best_overlap(joint: Counter[tuple[int, int]], ours: Counter[int], theirs: Counter[int]) -> int:
    rows = {label: row for row, label in enumerate(ours)}
    columns = {label: column for column, label in enumerate(theirs)}
    shared = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for (guess, truth), lines in joint.items():
        shared[rows[guess], columns[truth]] = lines
    return int(shared[linear_sum_assignment(shared, maximize=True)].sum())


def _exact(joint: Counter[tuple[int, int]], ours: Counter[int], theirs: Counter[int]) -> Hits:
    """Conversations of more than one line that were found exactly."""
    right = sum(
        lines > 1 and lines == ours[guess] == theirs[truth]
        for (guess, truth), lines in joint.items()
    )
    guessed = sum(size > 1 for size in ours.values())
    true = sum(size > 1 for size in theirs.values())
    return Hits(right, guessed - right, true - right)


@dataclass(frozen=True, slots=True)
class TwoPerson:
    """Extracted dialogues of two people and at least three turns, compared with the true ones.

    Those whose links are trusted too little to be kept do not count.
    """

    exact_or_prefix: Share = field(default=Share())
    """Dialogues that equal a true conversation or a prefix of one."""
    purity: Share = field(default=Share())
    """Lines that belong to the true conversation of most lines of their dialogue."""
    true_start: Share = field(default=Share())

    def __add__(self, other: "TwoPerson") -> "TwoPerson":
        return TwoPerson(
            self.exact_or_prefix + other.exact_or_prefix,
            self.purity + other.purity,
            self.true_start + other.true_start,
        )


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Articles of `logs answers`, each day by itself, compared with the annotated conversations."""

    in_thread: Share = field(default=Share())
    """Articles of which all answer lines are in the true conversation of the question."""
    question: Share = field(default=Share())
    """Articles of which all question lines are in one true conversation."""

    def __add__(self, other: "AnswerScores") -> "AnswerScores":
        return AnswerScores(self.in_thread + other.in_thread, self.question + other.question)


@dataclass(frozen=True, slots=True)
class LinkScores:
    """Sums over days."""

    link: Hits = field(default=Hits())
    separation: Separation = field(default=Separation())
    two_person: TwoPerson = field(default=TwoPerson())
    answers: AnswerScores = field(default=AnswerScores())
    by_day: tuple["LinkScores", ...] = ()
    """For intervals; empty for one day."""
    problems: tuple[str, ...] = ()
    """Messages about lines that could not be read."""

    def __add__(self, other: "LinkScores") -> "LinkScores":
        return LinkScores(
            self.link + other.link,
            self.separation + other.separation,
            self.two_person + other.two_person,
            self.answers + other.answers,
            problems=self.problems + other.problems,
        )

    def record(self) -> dict[str, Any]:
        """In percent, as JSON."""
        separation, two = self.separation, self.two_person
        return {
            "lines": separation.lines,
            "link": _three(self.link),
            "vi": separation.variation,
            "one_to_one": separation.one_to_one,
            "exact": _three(separation.exact),
            "two_person": {
                "dialogues": two.true_start.total,
                "exact_or_prefix": two.exact_or_prefix.percent,
                "purity": two.purity.percent,
                "true_start": two.true_start.percent,
            },
            "answers": {
                "articles": self.answers.in_thread.total,
                "answer_in_thread": self.answers.in_thread.percent,
                "question_in_thread": self.answers.question.percent,
            },
            "intervals": {name: bootstrap(self.by_day, read) for name, read in FIGURES.items()},
            "interval": f"95 %, bootstrap over the {len(self.by_day)} days",
            "problems": list(self.problems),
        }


FIGURES: Final[Mapping[str, Callable[[LinkScores], float | None]]] = {
    "link_f": lambda scores: scores.link.f1,
    "vi": lambda scores: scores.separation.variation,
    "one_to_one": lambda scores: scores.separation.one_to_one,
    "exact_f": lambda scores: scores.separation.exact.f1,
    "exact_or_prefix": lambda scores: scores.two_person.exact_or_prefix.percent,
    "purity": lambda scores: scores.two_person.purity.percent,
    "true_start": lambda scores: scores.two_person.true_start.percent,
    "answer_in_thread": lambda scores: scores.answers.in_thread.percent,
}


def _three(hits: Hits) -> dict[str, float | None]:
    return {"p": hits.precision, "r": hits.recall, "f": hits.f1}


def judge(
    days: Iterable[AnnotatedDay], make: Callable[[], Extractor], *, sure: float = MIN_CONFIDENCE
) -> LinkScores:
    """Score each day separately, with a new extractor."""
    by_day = tuple(judge_day(day, make(), sure=sure) for day in days)
    return replace(sum(by_day, LinkScores()), by_day=by_day)


def judge_day(
    day: AnnotatedDay, extractor: Extractor, *, sure: float = MIN_CONFIDENCE
) -> LinkScores:
    messages = list(day.messages)
    threads = [*extractor.day(messages), *extractor.end()]
    span = range(annotated_from(day.links), max((line for line, _ in day.links), default=-1) + 1)
    size = len(messages)
    true = _labels(size, day.links, span)
    guessed = _labels(size, _within(threads), span)
    return LinkScores(
        Hits.of(_links(threads, span), [link for link in day.links if link[0] in span]),
        Separation.of(guessed, true),
        _two_person(threads, dict(zip(span, true, strict=True)), sure),
        _answers(threads, dict(zip(span, true, strict=True))),
        problems=day.problems,
    )


def _links(threads: Iterable[Thread], span: range) -> set[tuple[int, int]]:
    """The link of each annotated line; system lines and lines in no thread link to themselves."""
    parents = {line.order: line.parent for thread in threads for line in thread}
    return {(at, parents[at] if parents.get(at, -1) >= 0 else at) for at in span}


def _within(threads: Iterable[Thread]) -> Iterator[tuple[int, int]]:
    for thread in threads:
        yield from pairwise(line.order for line in thread)


def _labels(size: int, links: Iterable[tuple[int, int]], span: range) -> list[int]:
    """Conversation numbers in the annotated span; earlier lines are cut off."""
    inside = [link for link in links if min(link) >= span.start]
    return components(size, inside)[span.start : span.stop]


def _two_person(threads: Iterable[Thread], true: dict[int, int], sure: float) -> TwoPerson:
    whole: dict[int, list[int]] = {}
    for at, label in true.items():
        whole.setdefault(label, []).append(at)
    total = TwoPerson()
    for thread in threads:
        inside = tuple(line for line in thread if line.order in true)
        is_dialogue = len(speakers(inside)) == 2 and count_turns(inside) >= FEWEST_TURNS
        if is_dialogue and is_confident(inside, sure):
            total += _one([line.order for line in inside], true, whole)
    return total


def _answers(threads: Iterable[Thread], true: dict[int, int]) -> AnswerScores:
    total = AnswerScores()
    for article in filter(None, map(article_of, threads)):
        lines = (*article.question, *article.answer)
        if article.confidence < MIN_ANSWER_CONFIDENCE or any(
            line.order not in true for line in lines
        ):
            continue
        label = true[article.question[0].order]
        in_thread = all(true[line.order] == label for line in article.answer)
        question = all(true[line.order] == label for line in article.question)
        total += AnswerScores(Share(int(in_thread), 1), Share(int(question), 1))
    return total


def _one(lines: list[int], true: dict[int, int], whole: dict[int, list[int]]) -> TwoPerson:
    labels = [true[at] for at in lines]
    label = max(set(labels), key=labels.count)
    conversation = whole[label]
    return TwoPerson(
        Share(int(lines == conversation[: len(lines)]), 1),
        Share(labels.count(label), len(lines)),
        Share(int(lines[0] == conversation[0]), 1),
    )
