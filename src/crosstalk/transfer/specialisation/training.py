"""Specialising an encoder: lessons, pace, judgement, all by the name of the objective.

mlm and tlm are judged by the loss on held-out text, rs-x and rs-mono by weighted F1 on held-out
rows, tod by the loss on held-out dialogues.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.training.progress import Progress
from crosstalk.training.transformer_encoders import TransformerEncoder
from crosstalk.transfer.corpora import DialogueTexts
from crosstalk.transfer.specialisation.names import OBJECTIVES
from crosstalk.transfer.specialisation.objectives import (
    MaskedWords,
    RightResponse,
    SpokenTurn,
    TalkObjective,
)
from crosstalk.transfer.specialisation.selection import Row
from crosstalk.transfer.training_steps import Pace, TrainingSetup, learn

import torch  # isort: skip

JUDGED_AT_ONCE: Final = 32
MOST_JUDGED: Final = 2_000
"""Held-out instances that are judged at every check."""


@dataclass(frozen=True, slots=True)
class ObjectiveData:
    """What one objective learns from, and what is held out: texts, rows or dialogues."""

    learnt: Sequence[Any]
    held_out: Sequence[Any]


def published_pace(objective: str, instances: int) -> Pace:
    """As published: up to 30 passes (300 for tod), judged once a pass, and patience.

    Of hidden words, a loss must fall by 0.0001 to be called better.
    """
    if objective == "tod":
        return Pace(300 * instances // 8, 2500, 5e-5, batch=2, gathered=4, patience=15)
    hidden_words = objective in ("mlm", "tlm")
    batch, least = (4, 1e-4) if hidden_words else (8, 0.0)
    once = max(instances // (batch * 4), 1)
    return Pace(30 * once, once, 1e-5, batch, patience=3, least_gain=least, gathered=4)


def corrected_pace(objective: str, instances: int) -> Pace:
    """The same sizes; for tod a batch of 8, so that a context sees seven false responses, not one.

    The published batch of 2 with four gathered gives each context a single one.
    """
    pace = published_pace(objective, instances)
    return replace(pace, batch=8, gathered=1) if objective == "tod" else pace


def nano_pace(objective: str) -> Pace:
    """For an encoder from nothing: one to three minutes of one core."""
    if objective in ("mlm", "tlm"):
        return Pace(1200, 200, 2e-3, batch=24, patience=3, warm_up=100)
    if objective == "tod":
        return Pace(600, 100, 2e-3, batch=12, patience=3, warm_up=50)
    return Pace(1200, 200, 1e-3, batch=24, patience=4, warm_up=100)


def pace_of(objective: str, *, nano: bool, published: bool, instances: int) -> Pace:
    if nano:
        return nano_pace(objective)
    return (published_pace if published else corrected_pace)(objective, instances)


def said(talk: DialogueTexts) -> list[SpokenTurn]:
    """As published, the system is first, with nothing to say."""
    turns = [
        SpokenTurn("[SYS]" if place % 2 else "[USR]", text) for place, text in enumerate(talk.texts)
    ]
    return [SpokenTurn("[SYS]", ""), *turns]


def specialise(
    encoder: TransformerEncoder,
    objective: str,
    lessons: ObjectiveData,
    pace: Pace,
    course: TrainingSetup,
) -> Progress:
    """Changes the encoder; the best check remains. The score is minus the loss, or F1."""
    torch.manual_seed(course.seed)
    return teach(build(encoder, objective), objective, lessons, pace, course)


def teach(
    module: "MaskedWords | RightResponse | TalkObjective",
    objective: str,
    lessons: ObjectiveData,
    pace: Pace,
    course: TrainingSetup,
) -> Progress:
    """The same with a module whose head is wanted afterwards."""
    if not lessons.learnt or not lessons.held_out:
        raise InputError(
            f"{objective}: {len(lessons.learnt)} instances to learn from and "
            f"{len(lessons.held_out)} to judge by are too few",
            remedy="Give more text.",
        )
    progress = learn(
        module,
        lambda rng: _batch(objective, lessons.learnt, pace.batch, rng),
        lambda: judge(module, objective, lessons.held_out),
        pace,
        replace(course, part=objective),
    )
    if not math.isfinite(progress.best_score):
        raise InputError(
            f"{objective}: the loss is no number any more: nothing was learnt",
            remedy=f"Learn more slowly: --rate below {pace.rate:g}.",
        )
    return progress


def build(
    encoder: TransformerEncoder, objective: str
) -> MaskedWords | RightResponse | TalkObjective:
    if objective in ("mlm", "tlm"):
        return MaskedWords(encoder)
    if objective in ("rs-x", "rs-mono"):
        return RightResponse(encoder)
    if objective == "tod":
        return TalkObjective(encoder)
    raise InputError(
        f"there is no objective called {objective!r}", remedy=f"Known: {', '.join(OBJECTIVES)}."
    )


def _batch(objective: str, learnt: Sequence[Any], size: int, rng: Random) -> Any:
    drawn = rng.sample(learnt, min(size, len(learnt)))
    return _shaped(objective, drawn, rng)


def _shaped(objective: str, drawn: Sequence[Any], rng: Random) -> Any:
    if objective in ("mlm", "tlm"):
        return drawn, rng
    if objective == "tod":
        return [said(talk) for talk in drawn], rng
    return [(row.context, row.response, row.label) for row in drawn]


def judge(
    module: MaskedWords | RightResponse | TalkObjective, objective: str, held_out: Sequence[Any]
) -> float:
    """The same instances, with the same words hidden, at every check."""
    judged = held_out[:MOST_JUDGED]
    if isinstance(module, RightResponse):
        return weighted_f1(module, judged)
    rng = Random(0)
    losses = [float(module(_shaped(objective, some, rng))) * len(some) for some in _chunks(judged)]
    return -sum(losses) / len(judged)


def perplexity(encoder: TransformerEncoder, texts: Sequence[str]) -> float:
    """Of hidden word pieces; lower is better, the size of the vocabulary is knowing nothing."""
    encoder.network.eval()
    with torch.no_grad():
        return math.exp(-judge(MaskedWords(encoder), "mlm", texts))


def weighted_f1(module: RightResponse, rows: Sequence[Row]) -> float:
    """F1 of right and of wrong rows, weighted by how many there are; in percent."""
    found: list[int] = []
    for some in _chunks(rows):
        logits = module.logits([(row.context, row.response) for row in some])
        found += logits.argmax(1).tolist()
    return 100 * _weighted(found, [row.label for row in rows])


def _weighted(found: Sequence[int], gold: Sequence[int]) -> float:
    total = 0.0
    for label in (0, 1):
        right = sum(f == g == label for f, g in zip(found, gold, strict=True))
        said_so, true = sum(f == label for f in found), sum(g == label for g in gold)
        total += (2 * right / (said_so + true) if said_so + true else 0.0) * true
    return total / len(gold)


def _chunks(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[at : at + JUDGED_AT_ONCE] for at in range(0, len(items), JUDGED_AT_ONCE)]
