"""LangCC: web text, cleaned as published, for MLM in one language or several.

Mono-CC is the target alone, Bi-CC English and the target, Multi-CC all five languages.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.errors import InputError
from crosstalk.language.writing import writing_of
from crosstalk.transfer.transfer_corpora import CODES


def text_files(folder: Path) -> dict[str, Path]:
    """Return text files by language code; files not named after one are ignored.

    Names are such as `en.txt` or CC-100's `zh-Hans.txt`.
    """
    found: dict[str, Path] = {}
    for file in sorted(folder.glob("*.txt")):
        start = re.split("[^a-z]", file.name.lower())[0]
        if len(start) == 2:
            found.setdefault(CODES.get(start, start), file)
    return found


def chosen_files(files: Mapping[str, Path], mix: str, languages: Sequence[str]) -> dict[str, Path]:
    """Return the files of the languages; for the mix `multi`, all files."""
    if missing := [each for each in languages if each not in files]:
        here = ", ".join(file.name for file in files.values())
        raise InputError(
            f"--mix {mix}: there is no text in {' and '.join(missing)}: found {here}",
            remedy=f"Give a folder that holds {' and '.join(f'{each}.txt' for each in languages)}, "
            "one line a segment.",
        )
    return dict(files) if mix == "multi" else {each: files[each] for each in languages}


LEAST: Final = 30
"""A line has more words than this (characters in languages without spaces)."""
URL: Final = "[URL]"
QUOTES: Final = re.compile("[\"\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019`\u2026]|''|\\.\\.\\.+")
ADDRESS: Final = re.compile(
    r"[(\[<{]?\s*(?:(?:https?|ftp)://\S+|www\.\S+|(?<![\w@.-])[\w-]+(?:\.[\w-]+)*"
    r"\.(?:com|org|net|edu|gov|info|io|de|ru|cn|uk|eu|ar|co)\b(?![@-]|\.\w)(?:/\S*)?)\s*[)\]>}]?",
    re.IGNORECASE,
)
MERGED: Final = re.compile(r"\[URL\](?:[\s/]*\[URL\])+")
MAIL: Final = re.compile(r"\S+@\S+")


@dataclass(frozen=True, slots=True)
class CorpusSizes:
    """Published sizes: lines read, lines kept for training and test, lines trained on."""

    lines: int = 500_000
    train: int = 200_000
    test: int = 10_000
    learnt: int = 100_000


def is_long(line: str, language: str) -> bool:
    length = len(line.split()) if writing_of(language).spaced else len(line)
    return length > LEAST


def clean(line: str, language: str) -> str:
    """Remove quotes, replace URLs, remove e-mail; empty if too little remains."""
    text = "".join(each for each in line if unicodedata.category(each) != "Cc" or each.isspace())
    text = QUOTES.sub(" ", text)
    text = ADDRESS.sub(f" {URL} ", text)
    text = MERGED.sub(URL, text.replace("/", " "))
    text = re.sub(r"\.{2,}", ".", text)
    text = MAIL.sub(" ", text).replace("_", " ")
    text = " ".join(text.split())
    if not writing_of(language).spaced:
        text = text.replace(" ", "")
    return text if len(text) > LEAST and text != URL else ""


def plain(text: str) -> str:
    """Lower-case and strip accents, as the published tokeniser does; `[URL]` stays."""
    spread = unicodedata.normalize("NFD", text.lower())
    bare = "".join(each for each in spread if unicodedata.category(each) != "Mn")
    return unicodedata.normalize("NFC", bare).replace(URL.lower(), URL)


def cleaned_lines(lines: Iterable[str], language: str, sizes: CorpusSizes) -> Iterator[str]:
    stripped = (line.strip() for line in lines)
    long = (line for line in stripped if is_long(line, language))
    for line in islice(long, sizes.lines):
        if text := clean(line, language):
            yield text


def parted(
    lines: Sequence[str], sizes: CorpusSizes, *, seed: int = 10
) -> tuple[list[str], list[str]]:
    """Shuffle and split nine to one."""
    order = list(lines)
    Random(seed).shuffle(order)
    cut = len(order) * 9 // 10
    return order[:cut][: sizes.train], order[cut:][: sizes.test]


def mixed(
    corpora: Mapping[str, Iterable[str]], *, sizes: CorpusSizes | None = None, seed: int = 10
) -> tuple[list[str], list[str]]:
    """Build Mono-, Bi- or Multi-CC: training and held-out lines of the given languages."""
    sizes = sizes or CorpusSizes()
    train, test = list[str](), list[str]()
    for language, lines in sorted(corpora.items()):
        cleaned = [plain(each) for each in cleaned_lines(lines, language, sizes)]
        more, held = parted(cleaned, sizes, seed=seed)
        train += more[: sizes.learnt]
        test += held
    Random(seed).shuffle(train)
    return train, test
