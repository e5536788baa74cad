"""Settings of our own retriever."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BestConfig:
    """What a retriever was learnt with; `weights` as they were fitted."""

    source: str
    width: int = 256
    """Numbers of a view that canonical correlations look at."""
    directions: int = 300
    """Canonical directions."""
    ridge: float = 0.06
    noise: float = 1.0
    """How much of the covariance of translation is added to both sides."""
    hidden: int = 384
    """Of each member of the head."""
    out: int = 256
    steps: int = 1680
    """Of the head, 512 exchanges each: eighteen times over all of them."""
    weights: dict[str, list[float]] = field(default_factory=dict)
    """By the source language, and `OTHERS` for every other one."""
    plain: list[float] = field(default_factory=list)
    """Weights of the overlaps where there is no encoder."""
    seed: int = 1


OTHERS = "others"
