"""Disentanglement methods by name, their settings, and the extractor that each builds."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from crosstalk.chatlogs.conversation_threads import MIN_CONFIDENCE, Extractor
from crosstalk.chatlogs.paper_extraction import PaperExtractor, PaperRules, PaperVariant
from crosstalk.errors import InputError

LINKER_MODEL = "linker"


class ExtractionMethod(StrEnum):
    """How conversations are separated."""

    PREVIOUS = "previous"
    """Baseline: every line answers the one before."""
    PAPER = "paper"
    """The heuristic of the Ubuntu Dialogue Corpus: pairs of names."""
    RULES = "rules"
    """Every line is linked to an earlier one, by rules."""
    LINKS = "links"
    """Every line is linked to an earlier one, by a trained model."""


SILENCE = {ExtractionMethod.PAPER: 60, ExtractionMethod.RULES: 120, ExtractionMethod.LINKS: 120}
"""Minutes of silence that end a conversation. Of 58,526 annotated answers 99.9 % came within an
hour; a pair of names is weaker evidence than a link, so that it ends sooner."""


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """A method and its options: plain data, so that every worker can build the same extractor."""

    method: ExtractionMethod = ExtractionMethod.LINKS
    rules: PaperRules = field(default=PaperRules())
    """Options of the paper's method; `silence` holds for all methods."""
    models: Path | None = None
    sure: float = MIN_CONFIDENCE
    """Minimum mean link confidence of a dialogue."""

    def record(self) -> dict[str, Any]:
        """Return what `run.json` stores."""
        if self.method is not ExtractionMethod.PAPER:
            links = {"sure": self.sure, "silence": self.rules.silence}
            return {"method": self.method.value} | links
        rules = asdict(self.rules) | {"bots": sorted(self.rules.bots)}
        return {"method": self.method.value, "rules": rules}

    @property
    def least_sure(self) -> float:
        """The threshold for links; 0 for the paper's method, which has no confidence."""
        return self.sure if self.by_links else 0.0

    @property
    def by_links(self) -> bool:
        """Whether conversations may have many people; the paper's method has pairs only."""
        return self.method is not ExtractionMethod.PAPER

    @property
    def by_month(self) -> bool:
        """Whether conversations end, so that months can be processed separately."""
        return self.method is not ExtractionMethod.PAPER or self.rules.silence is not None


def build_settings(
    method: str,
    reading: str = PaperVariant.OVERLAP,
    question_chain: bool = False,
    silence: int | None = None,
    models: Path | None = None,
    sure: float = MIN_CONFIDENCE,
) -> ExtractionSettings:
    """Check names and build settings; `silence` in minutes, None: the default, 0: never."""
    if method not in list(ExtractionMethod):
        raise InputError(
            f"there is no method called {method!r}", remedy=f"Known: {', '.join(ExtractionMethod)}."
        )
    if reading not in list(PaperVariant):
        raise InputError(
            f"there is no reading called {reading!r}", remedy=f"Known: {', '.join(PaperVariant)}."
        )
    minutes = SILENCE.get(ExtractionMethod(method), 0) if silence is None else silence
    rules = PaperRules(PaperVariant(reading), question_chain, 60 * minutes or None)
    return ExtractionSettings(ExtractionMethod(method), rules, models, sure)


def linker_digest(settings: ExtractionSettings) -> str:
    """Return the digest of the trained linker's card; empty for other methods."""
    from crosstalk.files import sha256_of
    from crosstalk.model_folders import CARD, find_model

    if settings.method is not ExtractionMethod.LINKS:
        return ""
    return sha256_of(find_model(LINKER_MODEL, settings.models) / CARD)


def build_extractor(settings: ExtractionSettings) -> Extractor:
    if settings.method is ExtractionMethod.PAPER:
        return PaperExtractor(settings.rules)
    from crosstalk.chatlogs.linking.link_extractor import LinkExtractor, PreviousLinker, RuleLinker

    silence = settings.rules.silence
    match settings.method:
        case ExtractionMethod.PREVIOUS:
            return LinkExtractor(PreviousLinker())
        case ExtractionMethod.RULES:
            return LinkExtractor(RuleLinker(), silence=silence)
        case ExtractionMethod.LINKS:
            from crosstalk.chatlogs.linking.trained_linker import TrainedLinker
            from crosstalk.model_folders import find_model

            linker = TrainedLinker.load(find_model(LINKER_MODEL, settings.models))
            return LinkExtractor(linker, silence=silence)
