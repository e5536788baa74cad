"""Names of methods become extractors here."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from crosstalk.chatlogs.conversation_threads import MIN_CONFIDENCE, Extractor
from crosstalk.chatlogs.paper_extraction import PaperExtractor, PaperRules, PaperVariant
from crosstalk.errors import InputError

LINKER_MODEL = "linker"


class ExtractionMethod(StrEnum):
    """How conversations are told apart."""

    PREVIOUS = "previous"
    """Every line answers the one before: a baseline."""
    PAPER = "paper"
    """The Ubuntu Dialogue Corpus: pairs of names."""
    RULES = "rules"
    """Every line is linked to one before it, by rules."""
    LINKS = "links"
    """Every line is linked to one before it, by a trained model."""


SILENCE = {ExtractionMethod.PAPER: 60, ExtractionMethod.RULES: 120, ExtractionMethod.LINKS: 120}
"""Minutes of silence that end a conversation. Of 58,526 answers that people wrote down 99.9 % came
within an hour; a pair of names says less than a link, so that it is cut sooner."""


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """A method and its switches: plain data, so that every worker can build the same."""

    method: ExtractionMethod = ExtractionMethod.LINKS
    rules: PaperRules = field(default=PaperRules())
    """Its silence holds for all methods."""
    models: Path | None = None
    sure: float = MIN_CONFIDENCE
    """Dialogues whose links are less trusted than this are dropped."""

    def record(self) -> dict[str, Any]:
        """What a run folder remembers of it."""
        if self.method is not ExtractionMethod.PAPER:
            links = {"sure": self.sure, "silence": self.rules.silence}
            return {"method": self.method.value} | links
        rules = asdict(self.rules) | {"bots": sorted(self.rules.bots)}
        return {"method": self.method.value, "rules": rules}

    @property
    def least_sure(self) -> float:
        """The paper's procedure says nothing of how sure it is."""
        return self.sure if self.by_links else 0.0

    @property
    def by_links(self) -> bool:
        """Whether there are conversations of many people; the paper has only pairs."""
        return self.method is not ExtractionMethod.PAPER

    @property
    def by_month(self) -> bool:
        """Whether conversations end, so that months can be worked on apart."""
        return self.method is not ExtractionMethod.PAPER or self.rules.silence is not None


def build_settings(
    method: str,
    reading: str = PaperVariant.OVERLAP,
    question_chain: bool = False,
    silence: int | None = None,
    models: Path | None = None,
    sure: float = MIN_CONFIDENCE,
) -> ExtractionSettings:
    """The settings behind names; `silence` in minutes, None: as the method has it, 0: never."""
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
    """Tells trained linkers apart; nothing where none is used."""
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
