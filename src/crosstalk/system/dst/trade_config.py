"""How TRADE is trained: the published settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TradeTraining:
    """All published, but for the limit on epochs, which the patience seldom lets it reach."""

    hidden: int = 100
    """Of word vectors, encoder and decoder alike."""
    dropout: float = 0.2
    """Also the share of words that are made unknown."""
    batch: int = 4
    rate: float = 1e-3
    lowest_rate: float = 1e-4
    halve_after: int = 1
    """Epochs without a better score after which, at the next one, the rate is halved."""
    teach: float = 0.5
    """Share of batches in which each word follows the true one."""
    clip: float = 10.0
    epochs: int = 200
    patience: int = 6
    longest: int = 10
    """Words of a value; longer ones cannot be said."""
    say_none: bool = True
    """Whether empty fields learn to say "none", which their gate makes needless."""


QUICK = TradeTraining(batch=32, rate=2e-3, say_none=False)
"""For a processor: the same network, an epoch in a tenth of the time."""
