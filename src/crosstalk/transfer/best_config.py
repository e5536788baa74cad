"""Settings of our own retriever."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BestConfig:
    """What a retriever was learnt with; `weights` by language, as they were fitted."""

    source: str
    width: int = 256
    """Numbers kept of a turn."""
    directions: int = 250
    """Canonical directions."""
    ridge: float = 0.06
    noise: float = 1.0
    """How much of the covariance of translation is added to both sides."""
    hidden: int = 384
    """Of the head."""
    steps: int = 1500
    has_head: bool = True
    languages: tuple[str, ...] = ()
    """Whose translation noise is known."""
    weights: dict[str, list[float]] = field(default_factory=dict)
    plain: list[float] = field(default_factory=list)
    """Weights of the overlaps where there is no encoder."""
    seed: int = 1
