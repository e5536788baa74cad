"""Parallel text: aligned lines of two languages, each with its document.

It reads subtitles as OPUS packs them (two aligned text files and an `.ids` file whose first column
is `<language>/<year>/<film>/<subtitle>.xml.gz`), and dialogues in two languages, where the dialogue
is the document. Subtitles of a language pair are tens of millions of lines: they stay on the disk.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path, PurePosixPath
from sys import intern
from typing import Final

from crosstalk.archives import members, open_member
from crosstalk.errors import InputError
from crosstalk.files import bounded_lines, open_text
from crosstalk.transfer.specialisation.lines_on_disk import LinesOnDisk
from crosstalk.transfer.transfer_corpora import DialogueTexts

FILM: Final = 2
"""Index of the film in the path of an OPUS document."""


@dataclass(frozen=True, slots=True)
class ParallelText:
    """Aligned lines and the document of each."""

    source: Sequence[str]
    target: Sequence[str]
    documents: Sequence[str]
    languages: tuple[str, str]

    def __len__(self) -> int:
        return len(self.source)

    def side(self, number: int) -> Sequence[str]:
        return self.target if number else self.source

    def alone(self) -> "ParallelText":
        """Return the target on both sides, for RS-Mono."""
        second = self.languages[1]
        return ParallelText(self.target, self.target, self.documents, (second, second))

    def spans(self) -> list[range]:
        """Return the line range of each document, in order."""
        found, start = [], 0
        for _, lines in groupby(self.documents):
            size = sum(1 for _ in lines)
            found.append(range(start, start + size))
            start += size
        return found


@dataclass(frozen=True, slots=True)
class DocumentLookup:
    """Finds the document of a line."""

    spans: Sequence[range]
    starts: Sequence[int]

    @classmethod
    def of(cls, parallel: ParallelText) -> "DocumentLookup":
        spans = parallel.spans()
        return cls(spans, [span.start for span in spans])

    def span(self, line: int) -> range:
        return self.spans[bisect_right(self.starts, line) - 1]


def film_of(path: str) -> str:
    parts = PurePosixPath(path).parts
    return parts[FILM] if len(parts) > FILM else path


ARCHIVES: Final = "*.txt.zip"
"""How OPUS packs the three files of a language pair."""


def has_subtitles(folder: Path) -> bool:
    return any(folder.glob("*.ids")) or any(
        name.endswith(".ids") for zipped in folder.glob(ARCHIVES) for name in members(zipped)
    )


def read_subtitles(folder: Path, source: str, target: str) -> ParallelText:
    """Read the aligned files of a language pair; a folder must hold exactly one set.

    The files lie in the folder, or in a zip as OPUS packs them. Regions do not count: `zh_cn` is
    `zh`.
    """
    ids = [each for each in _all_ids(folder) if set(_pair(each[1])) == {source, target}]
    if len(ids) != 1:
        raise InputError(
            f"{folder}: {len(ids)} files such as OpenSubtitles.{source}-{target}.ids are here; "
            "one is expected",
            remedy="Give a folder with NAME.xx-yy.xx, NAME.xx-yy.yy and NAME.xx-yy.ids.",
        )
    place, name = ids[0]
    codes = {code.partition("_")[0]: code for code in _codes(name)}
    stem = name.removesuffix("ids")
    sides = [LinesOnDisk(_lines(place, stem + codes[language])) for language in (source, target)]
    # one string for all lines of a film
    documents = [intern(film_of(line.split("\t")[0])) for line in _lines(place, name)]
    _refuse_unequal(folder, [len(sides[0]), len(sides[1]), len(documents)])
    return ParallelText(sides[0], sides[1], documents, (source, target))


def _refuse_unequal(folder: Path, lengths: Sequence[int]) -> None:
    if len(set(lengths)) > 1:
        told = ", ".join(map(str, lengths))
        raise InputError(
            f"{folder}: the files are not aligned: they have {told} lines",
            remedy="Unpack them again; line 1 of each file belongs together, and so on.",
        )


def _all_ids(folder: Path) -> list[tuple[Path, str]]:
    """Every `.ids` file: the folder, or the zip, that holds it, and its name there."""
    plain = [(folder, each.name) for each in sorted(folder.glob("*.ids"))]
    zips = sorted(folder.glob(ARCHIVES))
    packed = [(each, name) for each in zips for name in members(each) if name.endswith(".ids")]
    return plain or packed


def _codes(name: str) -> list[str]:
    """The language codes in a name such as `OpenSubtitles.en-zh_cn.ids`."""
    parts = name.split(".")
    return parts[-2].split("-") if len(parts) > 1 else []


def _pair(name: str) -> list[str]:
    return [code.partition("_")[0] for code in _codes(name)]


def _lines(place: Path, name: str) -> Iterator[str]:
    if place.is_dir():
        with open_text(place / name) as text:
            yield from (line.rstrip("\r\n") for line in text)
        return
    with open_member(place, name) as raw:
        text = TextIOWrapper(bounded_lines(raw, place / name), "utf-8", newline="\n")
        yield from (line.rstrip("\r\n") for line in text)


def index_of(documents: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the published index: first and last line of each document, from 0."""
    found: dict[str, dict[str, int]] = {}
    for number, path in enumerate(documents):
        name = path.removesuffix(".gz").removesuffix(".xml")
        found.setdefault(name, {"start": number, "end": number})["end"] = number
    return found


def parallel_dialogues(
    source: Sequence[DialogueTexts], target: Sequence[DialogueTexts], languages: tuple[str, str]
) -> ParallelText:
    """Align dialogues turn by turn; pairs of different length are left out."""
    rows = list(_side_by_side(source, target))
    if not rows:
        raise InputError(
            f"no dialogue is the same in {languages[0]} and {languages[1]}",
            remedy="Give two translations of one corpus.",
        )
    ids, first, second = zip(*rows, strict=True)
    return ParallelText(first, second, ids, languages)


def _side_by_side(
    source: Sequence[DialogueTexts], target: Sequence[DialogueTexts]
) -> Iterator[tuple[str, str, str]]:
    by_id = {dialogue.id: dialogue for dialogue in target}
    pairs = [(dialogue, by_id[dialogue.id]) for dialogue in source if dialogue.id in by_id]
    if not pairs and len(source) == len(target):  # text files: ids name the file, order tells
        pairs = list(zip(source, target, strict=True))
    for one, other in pairs:
        if len(one.texts) == len(other.texts):
            yield from ((one.id, *both) for both in zip(one.texts, other.texts, strict=True))
