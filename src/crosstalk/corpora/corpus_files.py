"""The files of a corpus: one file, several in a zip or a folder, or the dialogues of a run folder.

    corpus_files(Path("dev.zip")).sources  # the four files of dialogues in it, not the schema

In a zip or folder of many files, those with dialogues are the corpus; schemas, databases and other
files beside them are left alone.
"""

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from crosstalk.archives import ZIP_STARTS, ZipMember, members
from crosstalk.corpora.recognition import Match, best_match, recognise_source
from crosstalk.errors import FileProblem, FormatError, InputError
from crosstalk.files import Source, open_plain, sha256_of

FOLDERS: Final = {
    "dialogues.jsonl": "native",
    "dialogues.parquet": "parquet",
    "dialogues.json": "convlab",
    "data.zip": "convlab",
}
"""File name in a corpus folder -> its format."""
RUN_CARD: Final = "run.json"
RUN_DIALOGUES: Final = "dialogues"
SUFFIXES: Final = (".json", ".jsonl", ".parquet", ".tsv")
PACKED: Final = (".gz", ".zip")
"""Endings of packed files; a packed file beside its unpacked one is left alone."""
MOST: Final = 2000
"""Files of a corpus; a folder with more is not one."""
DEEPEST: Final = 4
"""Folders inside each other that are searched."""


@dataclass(frozen=True, slots=True)
class CorpusFiles:
    """The files with the dialogues of a corpus, and their format."""

    format: str
    sources: tuple[Source, ...]
    is_run: bool = False
    """Whether they are those of a run folder, whose last line may be incomplete."""


def corpus_files(path: Path, format: str | None = None) -> CorpusFiles:
    """The files of the corpus at a path; `format` if it is not to be recognised."""
    if path.is_dir():
        return _in_folder(path, format)
    if _has_several_members(path):
        named = [name for name in members(path) if _may_be_corpus(name)]
        twice = {each for each in named if each.endswith(PACKED) and _unpacked(each) in named}
        return _fitting(
            path, [ZipMember(path, name) for name in named if name not in twice], format
        )
    return CorpusFiles(format or recognise_source(path), (path,))


def _in_folder(folder: Path, format: str | None) -> CorpusFiles:
    if (folder / RUN_CARD).is_file() and (folder / RUN_DIALOGUES).is_dir():
        shards = sorted((folder / RUN_DIALOGUES).glob("*.jsonl"))
        return CorpusFiles("native", tuple(shards), is_run=True)
    for name in FOLDERS:
        if (folder / name).is_file():
            return corpus_files(folder / name, format)
    found = [each for each in _walk(folder) if _may_be_corpus(each.name)]
    packed = {each for each in found if each.suffix in PACKED and each.with_suffix("") in found}
    if not found or len(found) > MOST:
        raise _no_corpus(folder)
    return _fitting(folder, sorted(set(found) - packed), format)


def _may_be_corpus(name: str) -> bool:
    """By its ending; a zip that is not called like the file in it may hold anything."""
    return _unpacked(name).endswith(SUFFIXES)


def _unpacked(name: str) -> str:
    """The name without the ending of a packed file."""
    return next((name.removesuffix(each) for each in PACKED if name.endswith(each)), name)


def _walk(folder: Path, depth: int = 0) -> list[Path]:
    """The files in a folder and those below it, except hidden folders and runs."""
    found: list[Path] = []
    for each in sorted(folder.iterdir()):
        if each.name.startswith((".", "__")) or len(found) > MOST:
            continue
        if each.is_file():
            found.append(each)
        elif each.is_dir() and depth < DEEPEST and not (each / RUN_CARD).is_file():
            found += _walk(each, depth + 1)
    return found


def _fitting(path: Path, candidates: Sequence[Source], format: str | None) -> CorpusFiles:
    """Those of several files that have dialogues, if all of them are of one format."""
    matches: dict[Source, Match] = {}
    problems: list[str] = []
    for source in candidates:
        try:
            matches[source] = best_match(source)
        except InputError as problem:
            problems.append(problem.message)
    formats = _by_format(matches)
    if format:
        formats = {format: formats.get(format) or list(candidates)}
    if len(formats) > 1:
        told = "; ".join(f"{name}: {each[0]}" for name, each in formats.items())
        raise FormatError(
            f"{path}: it holds dialogues in several formats ({told})",
            remedy="Give one of these files, or the folder that holds those of one format.",
        )
    if not formats:
        if path.is_dir():
            raise _no_corpus(path, problems)
        raise FormatError("\n".join([f"{path}: none of its files is a corpus", *problems[:5]]))
    ((name, sources),) = formats.items()
    return CorpusFiles(name, tuple(sources))


def _by_format(matches: Mapping[Source, Match]) -> dict[str, list[Source]]:
    """Format -> files: those with dialogues if any has some, and whole ones if any are whole."""
    filled = {source: each for source, each in matches.items() if not each.empty} or matches
    whole = {each.format.name for each in filled.values() if not each.signature.excerpts}
    found: dict[str, list[Source]] = {}
    for source, each in filled.items():
        if each.format.name not in whole or not each.signature.excerpts:
            found.setdefault(each.format.name, []).append(source)
    return found


def _no_corpus(folder: Path, problems: list[str] | None = None) -> FileProblem:
    seen = "".join(f"\n{problem}" for problem in (problems or [])[:5])
    return FileProblem(
        f"{folder} is a directory without a corpus{seen}",
        remedy="Give a file, a run folder, or a folder that holds files of dialogues; "
        f"the usual names are {', '.join(FOLDERS)}.",
    )


def _has_several_members(path: Path) -> bool:
    try:
        with open_plain(path) as raw:
            if raw.read(4) not in ZIP_STARTS:
                return False
        return zipfile.is_zipfile(path) and len(members(path)) > 1
    except (OSError, FileProblem, ValueError):
        return False  # opening the file says what is wrong with it


def beside(source: Source, name: str) -> Source | None:
    """The file of this name in the folder of a source, or in the folder above it."""
    if isinstance(source, Path):
        places = (source.parent / name, source.parent.parent / name)
        return next((place for place in places if place.is_file()), None)
    folder = PurePosixPath(source.name).parent
    known = set(members(source.archive))
    wanted = (str(folder / name), str(folder.parent / name))
    return next((ZipMember(source.archive, each) for each in wanted if each in known), None)


def corpus_digest(path: Path) -> str:
    """SHA-256 of a corpus: of its file, or of the digests of its files in order."""
    if path.is_file():
        return sha256_of(path)
    sources = corpus_files(path).sources
    files = list(dict.fromkeys(s.archive if isinstance(s, ZipMember) else s for s in sources))
    if len(files) == 1:
        return sha256_of(files[0])
    joined = "\n".join(sha256_of(file) for file in files)
    return hashlib.sha256(joined.encode()).hexdigest()
