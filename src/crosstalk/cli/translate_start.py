"""`crosstalk translate start`: a corpus becomes a file for editors, translated by a machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, progress_bar, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.translation.glossary import Glossary
    from crosstalk.translation.segments import Segment

CORPUS = "corpus:"

Target = Annotated[str, typer.Option("--to", metavar="CODE", help="Language to translate into.")]
Source = Annotated[
    str | None, typer.Option("--from", metavar="CODE", help="Language of the corpus, if unsaid.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the records go (JSON).")]
Machine = Annotated[
    str,
    typer.Option(
        "--translator",
        help="offline, transformers:FOLDER, ctranslate2:FOLDER, openai:URL, or corpus:FILE: "
        "a translation that exists already.",
    ),
]
Model = Annotated[str, typer.Option("--model", help="The model an endpoint is asked for.")]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for one answer.")]
GlossaryFile = Annotated[
    Path | None, typer.Option("--glossary", metavar="FILE", help="JSON, CSV or TSV: one form each.")
]
MemoryFiles = Annotated[
    list[Path] | None,
    typer.Option("--memory", metavar="FILE", help="Finished translations, or source and target."),
]
Values = Annotated[
    str,
    typer.Option("--values", help="together: with their utterance; alone: as the paper did."),
]
Split = Annotated[str, typer.Option("--split", help="Name of the split, for quality control.")]
CacheFile = Annotated[
    Path | None, typer.Option("--cache", metavar="FILE", help="Default: beside the output.")
]
Edited = Annotated[
    Path | None,
    typer.Option("--edited", metavar="CORPUS", help="Take over a corpus somebody has edited."),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="The first dialogues only.")]
Plain = Annotated[bool, typer.Option("--plain", help="The fields of Appendix A and no others.")]


def start(
    corpus: options.Corpus,
    to: Target,
    out: Out,
    source: Source = None,
    translator: Machine = "offline",
    model: Model = "",
    timeout: Timeout = 60.0,
    glossary: GlossaryFile = None,
    memory: MemoryFiles = None,
    values: Values = "together",
    edited: Edited = None,
    split: Split = "",
    cache: CacheFile = None,
    limit: Limit = None,
    plain: Plain = False,
    as_json: options.AsJson = False,
) -> None:
    """Translate a corpus by machine, for people to edit: one record an utterance (Appendix A).

    An interrupted run is gone on with by the same command: what was translated is in the cache.
    """
    from crosstalk.translation.appendix_a import write_segments
    from crosstalk.translation.new_segments import segments_of

    if values not in ("together", "alone"):
        raise InputError(f"--values {values!r}", remedy="Choose together or alone.")
    _refuse_to_lose(out)
    dialogues = _read(corpus, limit)
    here = source or _language(dialogues, corpus)
    if here == to:
        raise InputError(f"the corpus is in {to!r} already", remedy="Give another --to, or --from.")
    terms = _glossary(glossary)
    segments = segments_of(dialogues, source=here, target=to, split=split)
    if translator.startswith(CORPUS):
        done = _taken_over(segments, Path(translator.removeprefix(CORPUS)))
    else:
        pairs = [pair for file in memory or () for pair in _memory(file)]
        place = cache or out.with_name(f"{out.name.removesuffix('.json')}.cache.jsonl")
        done = _translated(
            segments,
            (here, to),
            (translator, model, timeout),
            terms,
            pairs,
            place,
            together=values == "together",
        )
    if edited is not None:
        done = _with_edits(done, edited)
    write_segments(done, out, plain=plain)
    _tell(done, out, as_json)


def _refuse_to_lose(out: Path) -> None:
    """Editors' work is not written over."""
    from crosstalk.translation.journal import journal_folder, read_events
    from crosstalk.translation.work import read_work

    if not out.exists():
        if read_events(journal_folder(out)):
            raise InputError(
                f"{journal_folder(out)} has edits of a file that is gone",
                remedy="Move the folder away, or choose another --out.",
            )
        return
    done = sum(segment.finished for segment in read_work(out).segments)
    if done:
        raise InputError(
            f"{out} has {done:,} edited utterances, which would be lost",
            remedy="Choose another --out, or move the file away.",
        )


def _read(corpus: Path, limit: int | None) -> "list[Dialogue]":
    from itertools import islice

    from crosstalk.formats.corpus import read_corpus

    found = list(islice(read_corpus(corpus), limit))
    if not found:
        raise InputError(f"{corpus} has no dialogue", remedy="Give a corpus that has some.")
    return found


def _language(dialogues: "list[Dialogue]", corpus: Path) -> str:
    found = {dialogue.language for dialogue in dialogues}
    if len(found) == 1 and (code := found.pop()):
        return code
    raise InputError(f"{corpus} does not say its language", remedy="Give --from CODE, such as en.")


def _glossary(file: Path | None) -> "Glossary":
    from crosstalk.translation.glossary import Glossary, read_glossary

    return Glossary() if file is None else read_glossary(file)


def _memory(file: Path) -> Iterator[tuple[str, str]]:
    from crosstalk.translation.glossary import table_rows
    from crosstalk.translation.work import read_work

    if file.suffix.lower() in (".csv", ".tsv", ".txt"):
        for _, _, source, target in table_rows(file):
            yield source, target
        return
    for segment in read_work(file).segments:
        if segment.text:
            yield segment.utterance, segment.text


def _taken_over(segments: "list[Segment]", file: Path) -> "list[Segment]":
    from dataclasses import replace

    from crosstalk.formats.corpus import read_corpus
    from crosstalk.translation.parallel import with_translations

    translated = {dialogue.id: dialogue for dialogue in read_corpus(file)}
    origin = {"provenance": {"translator": f"{CORPUS}{file.name}", "values": "corpus"}}
    return [
        replace(segment, extras={**segment.extras, **origin})
        for segment in with_translations(segments, translated, file=str(file))
    ]


def _with_edits(segments: "list[Segment]", file: Path) -> "list[Segment]":
    from crosstalk.formats.corpus import read_corpus
    from crosstalk.translation.parallel import with_edits

    found = with_edits(segments, {dialogue.id: dialogue for dialogue in read_corpus(file)})
    if not found:
        raise InputError(
            f"{file} shares no dialogue with the corpus", remedy="Give the edited dialogues of it."
        )
    return found


def _translated(
    segments: "list[Segment]",
    languages: tuple[str, str],
    machine: tuple[str, str, float],
    glossary: "Glossary",
    pairs: list[tuple[str, str]],
    place: Path,
    *,
    together: bool,
) -> "list[Segment]":
    from crosstalk.translation.machine import translate_segments
    from crosstalk.translation.translators.build import build_translator
    from crosstalk.translation.translators.cache import Cache

    name, model, timeout = machine
    translator = build_translator(
        name, *languages, glossary=glossary, pairs=pairs, model=model, timeout=timeout
    )
    with progress_bar("Translating") as progress, _told_when_stopped(place):
        return translate_segments(
            segments,
            translator,
            languages,
            together=together,
            glossary=glossary,
            cache=Cache(place),
            progress=progress,
        )


@contextmanager
def _told_when_stopped(place: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        warn(f"stopped; the same command goes on with what is in {place}")
        raise


def _tell(segments: "list[Segment]", out: Path, as_json: bool) -> None:
    left = sum(bool(segment.untranslated) for segment in segments)
    dialogues = len({segment.dialogue for segment in segments})
    done = sum(segment.finished for segment in segments)
    if as_json:
        print_json(
            {
                "file": str(out),
                "dialogues": dialogues,
                "utterances": len(segments),
                "incomplete": left,
                "edited": done,
            }
        )
        return
    warn(f"{dialogues:,} dialogues, {len(segments):,} utterances in {out}")
    if left:
        warn(f"{left:,} of them have words that nobody translated; editors see which")
    warn(f"`crosstalk translate edit {out}` opens them for editors")
