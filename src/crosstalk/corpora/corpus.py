"""Reads and writes corpora in any format; `recognise` finds the format of a file.

    for dialogue in read_corpus(Path("val.json.zip")): ...

`formats.py` lists the formats, `recognition.py` tells them apart, `corpus_files.py` finds the files
of a corpus in zips and folders.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.corpora.corpus_files import FOLDERS, CorpusFiles, corpus_files
from crosstalk.corpora.formats import WRITTEN, Reader, Writer, find_format
from crosstalk.corpora.split_lists import released_splits
from crosstalk.corpora.split_names import SPLIT, name_without_endings, split_of
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FileProblem, FormatError, InputError, OutputError, Place
from crosstalk.files import Source

if TYPE_CHECKING:
    from crosstalk.corpora.chat import LookUps
    from crosstalk.corpora.convlab import RowOf
    from crosstalk.corpora.convlab_ontology import ListedSlot, Word
    from crosstalk.corpora.corpus_check import SchemaOf

FORMATS = WRITTEN
"""The formats that `write_corpus` knows; `formats.known_formats` lists those that are read."""
OWN_SPLITS = ("native", "parquet", "convlab", "chat")
"""Formats whose dialogues tell their split themselves, if they have one."""


def read_corpus(
    path: Path, *, format: str | None = None, strict: bool = True
) -> Iterator[Dialogue]:
    """The dialogues of a file, zip, folder or run folder in any of our formats, one by one.

    `format`: a name, or `package.module:FORMAT`; None: recognised by the content. What the format
    does not allow is always an error. So are, if `strict`, ids that appear twice, references to
    sub-goals that do not exist, and domains or slots that CrossWOZ does not have.
    """
    from crosstalk.corpora.corpus_check import refuse_broken

    files = corpus_files(path, format)
    seen: dict[str, Source] = {}
    for source in files.sources:
        for dialogue in _read(files, source):
            if files.format not in WRITTEN and seen.get(dialogue.id, source) != source:
                dialogue = _renamed(dialogue, source, seen)
            if strict:
                _refuse_repeated(dialogue.id, seen, source)
                refuse_broken(dialogue, str(source))
            seen[dialogue.id] = source
            yield dialogue


def _read(files: CorpusFiles, source: Source) -> Iterator[Dialogue]:
    """The dialogues of one of the files, with the split they belong to."""
    if files.is_run:
        from crosstalk.corpora.native import read_native

        return read_native(source, whole=True)
    dialogues = find_format(files.format).read(source)
    if files.format in OWN_SPLITS:
        return dialogues
    listed = released_splits(source)
    several = files.format not in WRITTEN or len(files.sources) > 1
    named = split_of(source) if several and not listed else ""
    return (_in_split(each, listed(each.id) if listed else named) for each in dialogues)


def _in_split(dialogue: Dialogue, split: str) -> Dialogue:
    if not split or SPLIT in dialogue.extras:
        return dialogue
    return replace(dialogue, extras={**dialogue.extras, SPLIT: split})


def _renamed(dialogue: Dialogue, source: Source, seen: Mapping[str, Source]) -> Dialogue:
    """With its split or file in the id, as other files of the corpus have that id too."""
    names = filter(None, (dialogue.extras.get(SPLIT), name_without_endings(source)))
    ids = [f"{name}-{dialogue.id}" for name in names]
    return replace(dialogue, id=next((each for each in ids if each not in seen), ids[-1]))


def _refuse_repeated(id: str, seen: Mapping[str, Source], path: Source) -> None:
    if id in seen:
        raise FormatError(
            "this id has appeared before",
            place=Place(str(path), dialogue=id, field="id"),
            remedy="Give each dialogue an id of its own.",
        )


def find_dialogue(
    path: Path, *, id: str | None = None, nth: int = 1, format: str | None = None
) -> Dialogue:
    """The dialogue with an id, or the nth one (from 1); raises if there is none."""
    dialogues = read_corpus(path, format=format, strict=False)
    if id is None:
        found = next(islice(dialogues, nth - 1, None), None)
        wanted = f"has fewer than {nth} dialogues"
    else:
        found = next((dialogue for dialogue in dialogues if dialogue.id == id), None)
        wanted = f"has no dialogue with the id {id!r}"
    if found is None:
        raise InputError(f"{path} {wanted}", remedy="`crosstalk data show FILE` shows the first.")
    return found


def write_corpus(
    dialogues: Iterable[Dialogue],
    path: Path,
    *,
    to: str,
    lookups: "LookUps | None" = None,
    schema_of: "SchemaOf | None" = None,
    row_of: "RowOf | None" = None,
    listed: "Mapping[Word, ListedSlot] | None" = None,
    arguments: str = "object",
    weights: bool = False,
) -> None:
    """Write the whole corpus or nothing; a name that ends in `.zip` is compressed if possible.

    `lookups`: answers of the worlds' tables, for `to="chat"`; `arguments`: whether those of its
    tool calls are written as an `object` or as JSON `text`. `schema_of`: slots of the worlds and
    their kinds, `row_of`: rows of their tables, `listed`: slots of the corpus's own schema file,
    for `to="convlab"`. Other formats need none of them.
    """
    write = writer(to)
    if to == "chat":
        from crosstalk.corpora.chat import write_chat

        write = partial(write_chat, lookups=lookups, arguments=arguments, weights=weights)
    if to == "convlab" and schema_of:
        from crosstalk.corpora.convlab import write_convlab

        write = partial(write_convlab, schema_of=schema_of, row_of=row_of, listed=listed)
    try:
        write(dialogues, path)
    except RecursionError as error:
        raise OutputError(f"{path}: a dialogue's extras are nested too deeply") from error


def reader(format: str) -> Reader:
    return find_format(format).read


def writer(format: str) -> Writer:
    found = find_format(format) if format in WRITTEN or ":" in format else None
    if found is None or found.write is None:
        raise InputError(
            f"unknown format {format!r}" if found is None else f"{format} can only be read",
            remedy=f"Choose one of {', '.join(WRITTEN)}.",
        )
    return found.write


def corpus_file(path: Path) -> Path:
    """The file itself, or the file inside a corpus folder."""
    if not path.is_dir():
        return path
    for name in FOLDERS:
        if (path / name).is_file():
            return path / name
    raise FileProblem(
        f"{path} is a directory without a corpus",
        remedy=f"Give a file, or a folder that holds one of {', '.join(FOLDERS)}.",
    )


def recognise(path: Path) -> str:
    """The format of a corpus, from its content, also inside a zip or a folder."""
    return corpus_files(path).format
