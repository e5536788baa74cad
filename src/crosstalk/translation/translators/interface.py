"""Machine translation: the interface of translators, value marks, the cache, and their names.

    translator = build_translator("offline", "en", "de", glossary=glossary)
    translate_all([Passage("Two nights, please.")], translator, ("en", "de"), Cache(None))

Values are translated inside their utterance with marks that a translator carries along:
`mark("Two nights from friday", (("hotel-day", "friday"),))` gives
`Two nights from <v1>friday</v1>`. The cache is keyed by content and synced to disk after every
batch, so an interrupted run resumes; a line that a crash cut off is ignored.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from crosstalk.errors import InputError
from crosstalk.files import cannot_write, parse_json, read_bytes
from crosstalk.language.writing import writing_of
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.translation_segments import Pairs, is_label


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to translate: an utterance, or the value of a slot."""

    text: str
    slot: str = ""
    """Empty: an utterance."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The translation of a passage."""

    text: str
    how: str
    """Its origin: model, memory, glossary or copied."""
    untranslated: tuple[str, ...] = ()
    """Words that were left unchanged."""


class Translator(Protocol):
    """Translates passages from one language to another."""

    @property
    def name(self) -> str:
        """Identifies the output: kind, model, digest of its tables; part of the cache key."""
        ...

    @property
    def batch(self) -> int:
        """Number of passages per call."""
        ...

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        """One rendering for each passage, in their order."""
        ...


MARK: Final = re.compile(r"<\s*(/?)\s*[vV]\s*(\d+)\s*>")
_MARKED: Final = re.compile(r"<\s*[vV]\s*(\d+)\s*>(.*?)<\s*/\s*[vV]\s*\1\s*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marked:
    """An utterance with its values marked."""

    text: str
    marks: dict[int, int]
    """Number of a mark -> position of its value."""


def mark(utterance: str, values: Pairs) -> Marked:
    """Mark the values that occur literally in the utterance; longest first, without overlap."""
    if MARK.search(utterance):  # the text has such brackets itself: no marks rather than wrong ones
        return Marked(utterance, {})
    order = sorted(range(len(values)), key=lambda number: -len(values[number][1]))
    taken: list[tuple[int, int, int]] = []
    for number in order:
        value = values[number][1]
        if is_label(value):
            continue
        spans = (match.span() for match in _pattern(value).finditer(utterance))
        free = next((span for span in spans if not _overlaps(span, taken)), None)
        if free is not None:
            taken.append((*free, number))
    text, marks, last = "", dict[int, int](), 0
    for count, (start, end, number) in enumerate(sorted(taken), start=1):
        text += f"{utterance[last:start]}<v{count}>{utterance[start:end]}</v{count}>"
        marks[count], last = number, end
    return Marked(text + utterance[last:], marks)


def _pattern(value: str) -> re.Pattern[str]:
    middle = r"\s+".join(map(re.escape, value.split()))
    before = r"(?<!\w)" if value[:1].isascii() else ""
    after = r"(?!\w)" if value[-1:].isascii() else ""
    return re.compile(before + middle + after, re.IGNORECASE)


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end, _ in taken)


def unmark(text: str) -> tuple[str, dict[int, str]]:
    """The text without marks, and the content of each complete pair of marks."""
    found = {int(number): MARK.sub("", inner).strip() for number, inner in _MARKED.findall(text)}
    return MARK.sub("", text), {number: inner for number, inner in found.items() if inner}


class Cache:
    """Renderings by translator, languages and text."""

    def __init__(self, path: Path | None) -> None:
        """`path` None: in memory only."""
        self._path = path
        self._known: dict[str, Rendering] = {}
        self._torn = False
        if path is not None and path.is_file():
            raw = read_bytes(path)
            self._torn = bool(raw) and not raw.endswith(b"\n")
            for line in raw.splitlines():
                self._remember(line)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: str) -> Rendering | None:
        return self._known.get(key)

    def add(self, renderings: Iterable[tuple[str, Rendering]]) -> None:
        lines = []
        for key, each in renderings:
            self._known[key] = each
            record = {"key": key, "text": each.text, "how": each.how}
            left = {"untranslated": list(each.untranslated)} if each.untranslated else {}
            lines.append(json.dumps({**record, **left}, ensure_ascii=False) + "\n")
        if self._path is not None and lines:
            self._append("".join(lines))

    def _append(self, text: str) -> None:
        assert self._path is not None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write("\n" * self._torn + text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._torn = False

    def _remember(self, line: bytes) -> None:
        try:
            record: Any = parse_json(line)
            known = Rendering(record["text"], record["how"], tuple(record.get("untranslated", ())))
            self._known[record["key"]] = known
        except (ValueError, KeyError, TypeError, AttributeError):
            return


def cache_key(translator: str, source: str, target: str, passage: Passage) -> str:
    parts = json.dumps([translator, source, target, passage.slot, passage.text])
    return hashlib.sha256(parts.encode()).hexdigest()


def translate_all(
    passages: Sequence[Passage],
    translator: Translator,
    languages: tuple[str, str],
    cache: Cache,
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> dict[Passage, Rendering]:
    """Translate each distinct passage once; those in the cache are not translated again."""
    wanted = dict.fromkeys(passages)
    keys = {each: cache_key(translator.name, *languages, each) for each in wanted}
    missing = [each for each in wanted if cache.get(keys[each]) is None]
    done = len(wanted) - len(missing)
    progress(done, len(wanted))
    for chunk in _chunks(missing, translator.batch):
        renderings = translator.translate(chunk)
        cache.add(
            (keys[each], rendering) for each, rendering in zip(chunk, renderings, strict=True)
        )
        done += len(chunk)
        progress(done, len(wanted))
    found = {each: cache.get(keys[each]) for each in wanted}
    return {each: rendering for each, rendering in found.items() if rendering is not None}


def _chunks(passages: Sequence[Passage], size: int) -> Iterable[Sequence[Passage]]:
    return (passages[start : start + size] for start in range(0, len(passages), size))


KNOWN: Final = "offline, transformers:FOLDER, ctranslate2:FOLDER, openai:URL or corpus:FILE"


def build_translator(
    name: str,
    source: str,
    target: str,
    *,
    glossary: Glossary,
    pairs: Iterable[tuple[str, str]] = (),
    model: str = "",
    timeout: float = 60.0,
) -> Translator:
    """A translator by name: offline, transformers:FOLDER, ctranslate2:FOLDER or openai:URL.

    `pairs` is the translation memory of `offline`; `model` is requested from an endpoint.
    """
    kind, _, place = name.partition(":")
    if kind == "offline" and not place:
        from crosstalk.translation.translators.offline import OfflineTranslator

        return OfflineTranslator(glossary, pairs, writing_of(source).yes_no)
    if kind in ("transformers", "ctranslate2") and place:
        from crosstalk.translation.translators import local_models

        if kind == "transformers":
            return local_models.TransformersTranslator(Path(place), source, target)
        return local_models.CTranslate2Translator(Path(place), source, target)
    if kind == "openai" and place:
        from crosstalk.translation.translators.endpoint import EndpointConfig, EndpointTranslator

        if not model:
            raise InputError(
                "an endpoint is asked for a model, and none is named", remedy="Give --model NAME."
            )
        return EndpointTranslator(EndpointConfig(place, model, timeout), source, target)
    raise InputError(f"unknown translator {name!r}", remedy=f"Choose {KNOWN}.")
