"""The numbers a site is run by."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """Seconds, unless said otherwise."""

    exchanges: int = 50
    """Pairs of turns in a dialogue at most; the longest in CrossWOZ has 23."""
    grace: float = 120
    """From losing somebody to calling them gone."""
    patience: float = 60
    """Waiting in the lobby before a way out is offered."""
    stay: float = 60
    """How long a place in the queue is kept for somebody who has closed the page."""
    silence: float = 15
    """A server not heard of for so long is dead, and its people are away."""
    training: bool = True
    """Whether real tasks come after the training stage only."""
    pause: float = 1.0
    """What a machine takes before it answers, so that people can read."""
