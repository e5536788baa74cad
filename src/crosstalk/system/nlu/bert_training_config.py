"""How BERTNLU is trained: the published settings, and those for a small encoder from nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BertTraining:
    """The published settings, for an encoder that was trained before."""

    steps: int = 40_000
    batch: int = 20
    """Utterances a step and process, drawn with replacement."""
    rate: float = 3e-5
    """At the start; falls in a straight line to nothing."""
    warm_up: int = 0
    """Steps in which the rate first rises."""
    dropout: float = 0.1
    clip: float = 1.0
    longest: int = 60
    """Wordpieces of an utterance in training."""
    check_every: int = 1_000
    patience: int = 10
    """Checks without a better F1 that end it; the paper goes through all steps."""
    neighbours: int = 20
    """Utterances of a length are put together among so many batches, which spares padding; 1 is
    published."""
    dialogue_share: tuple[float, float] = (1.0, 1.0)
    """Of what is drawn at the start and at the end; the rest are filled templates."""


FROM_NOTHING = BertTraining(
    steps=3_000,
    batch=32,
    rate=1.5e-3,
    warm_up=300,
    check_every=500,
    dialogue_share=(0.1, 0.7),
)
"""For a small encoder with random weights, on one core."""
