"""Stage 1 begins: a corpus becomes a file of records for editors, translated by a machine.

segments = start_translation(Path("corpus.jsonl"), Path("work.json"), StartOptions("de"))
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.translation.appendix_a import write_segments
from crosstalk.translation.glossary import Glossary, read_glossary, table_rows
from crosstalk.translation.journal import journal_folder, read_events
from crosstalk.translation.machine import Progress, translate_segments
from crosstalk.translation.parallel import with_edits, with_translations
from crosstalk.translation.segments import Segment
from crosstalk.translation.translators.build import build_translator
from crosstalk.translation.translators.cache import Cache
from crosstalk.translation.values import segments_of
from crosstalk.translation.work import read_work

CORPUS: Final = "corpus:"
"""Marks a translation that exists already, in place of a translator."""
VALUES: Final = ("together", "alone")
TABLES: Final = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Into which language, by which machine, and what it is given."""

    target: str
    source: str | None = None
    """None: the language that the corpus names."""
    translator: str = "offline"
    """A name of `translators/build.py`, or `corpus:FILE`."""
    model: str = ""
    """The one that an endpoint is asked for."""
    timeout: float = 60.0
    """Seconds for one answer."""
    glossary: Path | None = None
    memory: tuple[Path, ...] = ()
    """Finished translations, or tables of source and target."""
    values: str = "together"
    """`together` with their utterance, or `alone`, as the paper did."""
    edited: Path | None = None
    """A corpus that somebody has edited already."""
    split: str = ""
    cache: Path | None = None
    """None: beside the output."""
    limit: int | None = None
    """The first dialogues only."""
    plain: bool = False
    """The fields of Appendix A and no others."""

    def cache_of(self, out: Path) -> Path:
        """Where finished translations are kept, for a run that is interrupted."""
        return self.cache or out.with_name(f"{out.name.removesuffix('.json')}.cache.jsonl")


def start_translation(
    corpus: Path,
    out: Path,
    options: StartOptions,
    progress: Progress = lambda done, total: None,
) -> list[Segment]:
    """Translate a corpus by machine and write one record an utterance; edits are never lost."""
    if options.values not in VALUES:
        raise InputError(f"--values {options.values!r}", remedy="Choose together or alone.")
    _refuse_to_lose(out)
    dialogues = _read(corpus, options.limit)
    source, target = options.source or _language(dialogues, corpus), options.target
    if source == target:
        raise InputError(
            f"the corpus is in {target!r} already", remedy="Give another --to, or --from."
        )
    glossary = read_glossary(options.glossary) if options.glossary else Glossary()
    segments = segments_of(dialogues, source=source, target=target, split=options.split)
    if options.translator.startswith(CORPUS):
        done = _taken_over(segments, Path(options.translator.removeprefix(CORPUS)))
    else:
        done = _translated(segments, (source, target), options, glossary, out, progress)
    if options.edited is not None:
        done = _with_edits(done, options.edited)
    write_segments(done, out, plain=options.plain)
    return done


def _refuse_to_lose(out: Path) -> None:
    """Editors' work is not written over."""
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


def _read(corpus: Path, limit: int | None) -> list[Dialogue]:
    found = list(islice(read_corpus(corpus), limit))
    if not found:
        raise InputError(f"{corpus} has no dialogue", remedy="Give a corpus that has some.")
    return found


def _language(dialogues: list[Dialogue], corpus: Path) -> str:
    found = {dialogue.language for dialogue in dialogues}
    if len(found) == 1 and (code := found.pop()):
        return code
    raise InputError(f"{corpus} does not say its language", remedy="Give --from CODE, such as en.")


def read_memory(file: Path) -> Iterator[tuple[str, str]]:
    """Source and target texts of a table, or of a translation in progress."""
    if file.suffix.lower() in TABLES:
        for _, _, source, target in table_rows(file):
            yield source, target
        return
    for segment in read_work(file).segments:
        if segment.text:
            yield segment.utterance, segment.text


def _translated(
    segments: list[Segment],
    languages: tuple[str, str],
    options: StartOptions,
    glossary: Glossary,
    out: Path,
    progress: Progress,
) -> list[Segment]:
    translator = build_translator(
        options.translator,
        *languages,
        glossary=glossary,
        pairs=[pair for file in options.memory for pair in read_memory(file)],
        model=options.model,
        timeout=options.timeout,
    )
    return translate_segments(
        segments,
        translator,
        languages,
        together=options.values == "together",
        glossary=glossary,
        cache=Cache(options.cache_of(out)),
        progress=progress,
    )


def _taken_over(segments: list[Segment], file: Path) -> list[Segment]:
    translated = {dialogue.id: dialogue for dialogue in read_corpus(file)}
    origin = {"provenance": {"translator": f"{CORPUS}{file.name}", "values": "corpus"}}
    return [
        replace(segment, extras={**segment.extras, **origin})
        for segment in with_translations(segments, translated, file=str(file))
    ]


def _with_edits(segments: list[Segment], file: Path) -> list[Segment]:
    found = with_edits(segments, {dialogue.id: dialogue for dialogue in read_corpus(file)})
    if not found:
        raise InputError(
            f"{file} shares no dialogue with the corpus", remedy="Give the edited dialogues of it."
        )
    return found
