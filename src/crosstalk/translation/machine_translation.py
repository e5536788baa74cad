"""Stage 1, machine translation: a corpus becomes a file of records for editors.

    segments = start_translation(Path("corpus.jsonl"), Path("work.json"), StartOptions("de"))

Values are translated together with their utterance, as marks that the translator carries along, or
each by itself, as the paper did. A form from the glossary replaces either. The provenance of every
text and value is kept in the record.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.language.normalize import comparable
from crosstalk.translation.appendix_files import write_segments
from crosstalk.translation.glossary import Glossary, read_glossary, table_rows
from crosstalk.translation.journal import journal_folder, read_events
from crosstalk.translation.parallel_corpora import with_edits, with_translations
from crosstalk.translation.translation_segments import Pairs, Segment, is_label, segments_of
from crosstalk.translation.translators.interface import (
    Cache,
    Marked,
    Passage,
    Rendering,
    Translator,
    build_translator,
    mark,
    translate_all,
    unmark,
)
from crosstalk.translation.work import read_work

CARRIED: Final = "utterance"
UNTRANSLATED: Final = "untranslated"
"""Sources of a value's form, besides those that the translator names."""
Progress = Callable[[int, int], None]


def translate_segments(
    segments: Sequence[Segment],
    translator: Translator,
    languages: tuple[str, str],
    *,
    together: bool = True,
    glossary: Glossary | None = None,
    cache: Cache | None = None,
    progress: Progress = lambda done, all: None,
) -> list[Segment]:
    """The segments with machine translations; their `extras` record the provenance."""
    marked = [
        mark(segment.utterance, segment.values) if together else Marked(segment.utterance, {})
        for segment in segments
    ]
    passages = [Passage(each.text) for each in marked]
    for segment, each in zip(segments, marked, strict=True):
        passages += _alone(segment.values, each)
    kept = Cache(None) if cache is None else cache  # an empty one is falsy
    found = translate_all(passages, translator, languages, kept, progress)
    found |= _lost_marks(segments, marked, found, translator, languages, kept)
    terms = glossary or Glossary()
    return [
        _translated(segment, each, found, translator.name, terms, together)
        for segment, each in zip(segments, marked, strict=True)
    ]


def _alone(values: Pairs, marked: Marked) -> list[Passage]:
    """Values that are not marked in their utterance."""
    inside = set(marked.marks.values())
    return [
        Passage(value, slot)
        for number, (slot, value) in enumerate(values)
        if number not in inside and not is_label(value)
    ]


def _lost_marks(
    segments: Sequence[Segment],
    marked: Sequence[Marked],
    found: dict[Passage, Rendering],
    translator: Translator,
    languages: tuple[str, str],
    cache: Cache,
) -> dict[Passage, Rendering]:
    """Translate by themselves the values whose marks are missing from the translation."""
    passages = []
    for segment, each in zip(segments, marked, strict=True):
        kept = unmark(found[Passage(each.text)].text)[1]
        lost = [number for count, number in each.marks.items() if count not in kept]
        passages += [
            Passage(segment.values[number][1], segment.values[number][0]) for number in lost
        ]
    return translate_all(passages, translator, languages, cache)


def _translated(
    segment: Segment,
    marked: Marked,
    found: dict[Passage, Rendering],
    name: str,
    glossary: Glossary,
    together: bool,
) -> Segment:
    rendering = found[Passage(marked.text)]
    text, inside = unmark(rendering.text)
    carried = {number: inside[count] for count, number in marked.marks.items() if count in inside}
    values = []
    hows = {}
    for number, (slot, value) in enumerate(segment.values):
        form, how = _form(slot, value, carried.get(number), found, glossary)
        if how == CARRIED and _is_left(form, rendering):
            how = UNTRANSLATED
        values.append((slot, form))
        hows[slot] = how
    provenance: dict[str, Any] = {"translator": name, "how": rendering.how}
    provenance["values"] = "together" if together else "alone"
    if hows:
        provenance["value_sources"] = hows
    if left := [word for word in rendering.untranslated if word.strip()]:
        provenance["untranslated"] = left
    extras = {**segment.extras, "provenance": provenance}
    return replace(segment, machine=text.strip(), machine_values=tuple(values), extras=extras)


def _form(
    slot: str,
    value: str,
    carried: str | None,
    found: dict[Passage, Rendering],
    glossary: Glossary,
) -> tuple[str, str]:
    """A value's form and where it comes from."""
    if is_label(value):
        return value, "label"
    if (wanted := glossary.translate(slot, value)) is not None:
        return wanted, "glossary"
    if carried is not None:
        return carried, CARRIED
    alone = found[Passage(value, slot)]
    return alone.text, alone.how if not alone.untranslated else UNTRANSLATED


def _is_left(form: str, rendering: Rendering) -> bool:
    """Whether the utterance carried a value along without translating it."""
    return any(comparable(form) in comparable(words) for words in rendering.untranslated)


CORPUS: Final = "corpus:"
"""Marks a translation that exists already, in place of a translator."""
VALUES: Final = ("together", "alone")
TABLES: Final = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Languages, translator and its resources."""

    target: str
    source: str | None = None
    """None: the language that the corpus names."""
    translator: str = "offline"
    """A name that `build_translator` knows, or `corpus:FILE`."""
    model: str = ""
    """The model to request from an endpoint."""
    timeout: float = 60.0
    """Timeout of one request in seconds."""
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
    """Number of dialogues to translate; None: all."""
    plain: bool = False
    """The fields of Appendix A and no others."""

    def cache_of(self, out: Path) -> Path:
        """The cache of finished translations, from which an interrupted run resumes."""
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
        done = _machine_translated(segments, (source, target), options, glossary, out, progress)
    if options.edited is not None:
        done = _with_edits(done, options.edited)
    write_segments(done, out, plain=options.plain)
    return done


def _refuse_to_lose(out: Path) -> None:
    """Raise InputError if the output holds edits."""
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


def _machine_translated(
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
