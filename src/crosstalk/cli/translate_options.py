"""Options that several `translate` commands share."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.output import warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.translation.segments import Segment
    from crosstalk.translation.work import Work

WorkFile = Annotated[
    Path, typer.Argument(help="Records of Appendix A, as `translate start` writes.")
]
SourceCode = Annotated[
    str | None, typer.Option("--from", metavar="CODE", help="Source language, if unsaid.")
]
TargetCode = Annotated[
    str | None, typer.Option("--to", metavar="CODE", help="Target language, if unsaid.")
]
GlossaryFile = Annotated[
    Path | None, typer.Option("--glossary", metavar="FILE", help="JSON, CSV or TSV: one form each.")
]
Rate = Annotated[float, typer.Option("--rate", min=0, help="What an hour costs.")]


def some(ids: Sequence[str]) -> str:
    """Dialogues by their number and the first of their names."""
    return f"dialogue {ids[0]}" if len(ids) == 1 else f"{len(ids):,} dialogues ({ids[0]} ...)"


def opened(file: Path) -> "Work":
    """The file with its journal; what was changed on both sides is told."""
    from crosstalk.translation.work import read_work

    work = read_work(file)
    for dialogue, turn in work.conflicts[:3]:
        warn(
            f"dialogue {dialogue}, turn {turn}: changed in the file and on the pages; "
            "the file's text stands, the other is in the journal"
        )
    return work


def opened_in(
    file: Path, source: str | None, target: str | None
) -> "tuple[Work, list[Segment], str, str]":
    """The file, its segments, and the languages they are from and to."""
    work = opened(file)
    segments = list(work.segments)
    return work, segments, *languages(segments, source, target)


def languages(
    segments: "list[Segment] | tuple[Segment, ...]", source: str | None, target: str | None
) -> tuple[str, str]:
    """What was given, or what the records say, or what they look like; sources are English."""
    from crosstalk.language.identify import guess_language

    some = segments[:200]
    utterances = " ".join(segment.utterance for segment in some)
    here = source or _said(some, "source") or guess_language(utterances) or "en"
    _refuse_several(segments, target)
    there = target or _said(some, "language") or guess_language(" ".join(s.text for s in some))
    if not there:
        raise InputError("the target language is unknown", remedy="Give --to CODE, such as de.")
    return here, there


def _refuse_several(segments: "list[Segment] | tuple[Segment, ...]", target: str | None) -> None:
    found = sorted({segment.language for segment in segments if segment.language})
    if len(found) > 1 and target is None:
        raise InputError(
            f"the records are in several languages: {', '.join(found)}",
            remedy="Make a file for each, or say with --to which one all of them are in.",
        )


def _said(segments: "list[Segment] | tuple[Segment, ...]", field: str) -> str:
    found = {str(segment.extras.get(field, "")) for segment in segments}
    return found.pop() if len(found) == 1 else ""
