"""Recognises the format of a file by its first dialogue.

    recognise_source(Path("dialogues_001.json"))  # "sgd"

A format fits if the head of the file (`file_head.py`) has every field that one of the format's
signatures needs; of several, the one with most fields wins.
"""

from dataclasses import dataclass
from typing import Any, Final

from crosstalk.corpora.file_head import Head, Shape, has_field, head_of
from crosstalk.corpora.formats import Format, Signature, find_format, known_formats, recognisable
from crosstalk.errors import FormatError
from crosstalk.files import Source

EMPTY: Final = {Shape.LIST: "convlab", Shape.BY_ID: "crosswoz"}
"""The format of a file without dialogues."""
GOALS: Final = "This looks like a file of goals; `crosstalk goals stats` counts it. "


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a signature fits the head of a file."""

    signature: Signature
    found: int = 0
    """Needed and usual fields that are there."""
    missing: tuple[str, ...] = ()
    """Needed fields that are not."""
    shape_fits: bool = True

    @property
    def fits(self) -> bool:
        return self.shape_fits and not self.missing

    @property
    def is_close(self) -> bool:
        return self.found > 0 and len(self.missing) <= len(self.signature.needs) / 2

    @property
    def lacks(self) -> str:
        """What is missing, in words."""
        wants = "" if self.shape_fits else f"is {' or '.join(self.signature.shapes)}"
        lacks = f"lacks {', '.join(self.missing)}" if self.missing else ""
        return " and ".join(filter(None, (wants, lacks)))


@dataclass(frozen=True, slots=True)
class Match:
    """A format, and how well one of its signatures fits the head of a file."""

    format: Format
    fit: Fit
    empty: bool = False
    """Whether the file holds no dialogues."""

    @property
    def signature(self) -> Signature:
        return self.fit.signature


def recognise_source(source: Source) -> str:
    """The name of the format of a file; raises FormatError with what came close."""
    return best_match(source).format.name


def best_match(source: Source) -> Match:
    """The format that a file fits, and by which of its signatures; raises FormatError."""
    seen = head_of(source)
    known = (seen.empty and EMPTY[seen.empty]) or (Shape.PARQUET in seen.views and "parquet")
    if known:
        format = find_format(known)
        return Match(format, Fit(format.signature), empty=seen.empty is not None)
    matches = [
        Match(format, fit_of(signature, seen))
        for format in recognisable()
        for signature in (format.signature, *format.others)
    ]
    fitting = [each for each in matches if each.fit.fits]
    if not fitting:
        raise _unknown(source, seen, matches)
    return max(fitting, key=lambda each: each.fit.found)


def fit_of(signature: Signature, head: Head) -> Fit:
    """How well a signature fits the head of a file, in the shape that fits best."""
    shapes = [each for each in signature.shapes if each in head.views]
    views = [head.views[each] for each in shapes] or list(head.views.values())[:1] or [{}]
    tried = [_compared(signature, document, bool(shapes)) for document in views]
    return min(tried, key=lambda each: (len(each.missing), -each.found))


def _compared(signature: Signature, document: Any, shape_fits: bool) -> Fit:
    missing = tuple(field for field in signature.needs if not has_field(document, field))
    usual = sum(has_field(document, field) for field in signature.usual)
    found = len(signature.needs) - len(missing) + usual
    return Fit(signature, found, missing, shape_fits)


def _unknown(source: Source, head: Head, matches: list[Match]) -> FormatError:
    close = sorted(
        (each for each in matches if each.fit.is_close),
        key=lambda each: (not each.fit.shape_fits, len(each.fit.missing), -each.fit.found),
    )
    told = "; ".join(f"{each.format.name} ({each.fit.lacks})" for each in close[:3])
    goals = GOALS if any("tuples" in document for document in head.views.values()) else ""
    return FormatError(
        f"{source}: not a corpus in a format we know: it holds {head.description}"
        + (f". Closest: {told}" if told else ""),
        remedy=f"{goals}Known formats: {', '.join(known_formats())}. "
        "If it is one of them, name it with --from; docs/formats.md lists what each needs.",
    )
