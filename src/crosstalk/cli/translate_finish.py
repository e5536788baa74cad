"""`crosstalk translate finish`: the edited translation as a corpus that every command reads."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, warn
from crosstalk.cli.translate_options import (
    GlossaryFile,
    SourceCode,
    TargetCode,
    WorkFile,
    opened_in,
    some,
)
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.translation.glossary import Glossary
    from crosstalk.translation.segments import Segment
    from crosstalk.translation.work import Work

SHOWN = 5
CorpusFile = Annotated[
    Path, typer.Option("--corpus", help="The corpus that gets the texts: source, or translated.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="The finished corpus.")]
Format = Annotated[str, typer.Option("--format", help="native, multiwoz, crosswoz, convlab ...")]
Unedited = Annotated[
    bool, typer.Option("--unedited", help="Take the machine's text where nobody has edited.")
]


def finish(
    file: WorkFile,
    corpus: CorpusFile,
    out: Out,
    format: Format = "native",
    glossary: GlossaryFile = None,
    source: SourceCode = None,
    target: TargetCode = None,
    unedited: Unedited = False,
    as_json: options.AsJson = False,
) -> None:
    """Put the edited texts and values into the corpus they come from.

    Values of states and acts that no turn has are looked up in the glossary, by default that of
    the translation itself; what has no form stays as it is and is named.
    """
    from crosstalk.formats.corpus import read_corpus, write_corpus
    from crosstalk.translation.finished_corpus import finisher

    work, segments, here, there = opened_in(file, source, target)
    _refuse_unfinished(segments, unedited)
    finishing = finisher(segments, _terms(segments, work, glossary), here, there)
    finished = list(finishing.finish(read_corpus(corpus)))
    if not finished:
        raise InputError(
            f"{corpus} has none of the dialogues of {file}",
            remedy="Give the corpus that the translation was started from.",
        )
    write_corpus(finished, out, to=format)
    left = finishing.untranslated
    unknown = sorted(finishing.segments.keys() - {dialogue.id for dialogue in finished})
    if as_json:
        names = [{"slot": slot, "value": value, "times": n} for (slot, value), n in left.items()]
        about = {"untranslated": names, "not_in_corpus": unknown}
        print_json({"file": str(out), "dialogues": len(finished), **about})
        return
    warn(f"{len(finished):,} dialogues in {there} in {out}")
    if unknown:
        warn(f"left out: {some(unknown)} of the translation, which {corpus} does not have")
    _tell_untranslated(left)


def _terms(segments: "list[Segment]", work: "Work", glossary: Path | None) -> "Glossary":
    """The commonest form of each value, what the coordinator set, and what the file wants."""
    from crosstalk.translation.glossary import glossary_of, read_glossary
    from crosstalk.translation.work import with_changes

    terms = with_changes(glossary_of(segments), work.events)
    return terms.with_terms(read_glossary(glossary).terms) if glossary is not None else terms


def _tell_untranslated(left: Counter[tuple[str, str]]) -> None:
    for (slot, value), times in left.most_common(SHOWN):
        warn(f"{slot}: {value!r} has no translation, {times:,} times")
    if len(left) > SHOWN:
        warn(f"... and {len(left) - SHOWN:,} more values; a --glossary gives them a form")


def _refuse_unfinished(segments: "list[Segment]", unedited: bool) -> None:
    waiting = [segment for segment in segments if not segment.finished]
    if waiting and not unedited:
        raise InputError(
            f"{len(waiting):,} of {len(segments):,} utterances are not edited, the first in "
            f"dialogue {waiting[0].dialogue}, turn {waiting[0].turn}",
            remedy="Let the editors finish, or give --unedited to take the machine's text there.",
        )
