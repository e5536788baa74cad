"""Reads and writes corpora in any format; `recognise` finds the format of a file.

    for dialogue in read_corpus(Path("val.json.zip")): ...

Each format has a module with `read_<format>` and `write_<format>`, imported when it is used.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FileProblem, FormatError, InputError, OutputError, Place
from crosstalk.files import open_binary

if TYPE_CHECKING:
    from crosstalk.corpora.chat import LookUps

Reader = Callable[[Path], Iterator[Dialogue]]
Writer = Callable[[Iterable[Dialogue], Path], None]

FORMATS = ("crosswoz", "native", "parquet", "convlab", "multiwoz", "chat")
FOLDERS = {
    "dialogues.jsonl": "native",
    "dialogues.parquet": "parquet",
    "dialogues.json": "convlab",
}
"""File name in a corpus folder -> its format."""
NATIVE_FIELDS = frozenset(
    {"id", "turns", "goal", "final_goal", "workers", "language", "world", "extras"}
)
HEAD = 1 << 18
"""Bytes that `recognise` reads: more than the goal and first turns of any known dialogue."""


def read_corpus(
    path: Path, *, format: str | None = None, strict: bool = True
) -> Iterator[Dialogue]:
    """The dialogues of a file in any of our formats, one by one.

    What the format does not allow is always an error. So are, if `strict`, ids that appear twice,
    references to sub-goals that do not exist, and domains or slots that CrossWOZ does not have.
    """
    from crosstalk.corpora.corpus_check import refuse_broken

    read = reader(format or recognise(path))
    seen: set[str] = set()
    for dialogue in read(corpus_file(path)):
        if strict:
            _refuse_repeated(dialogue.id, seen, path)
            refuse_broken(dialogue, str(path))
        yield dialogue


def _refuse_repeated(id: str, seen: set[str], path: Path) -> None:
    if id in seen:
        raise FormatError(
            "this id has appeared before",
            place=Place(str(path), dialogue=id, field="id"),
            remedy="Give each dialogue an id of its own.",
        )
    seen.add(id)


def find_dialogue(path: Path, *, id: str | None = None, nth: int = 1) -> Dialogue:
    """The dialogue with an id, or the nth one (from 1); raises if there is none."""
    dialogues = read_corpus(path, strict=False)
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
    dialogues: Iterable[Dialogue], path: Path, *, to: str, lookups: "LookUps | None" = None
) -> None:
    """Write the whole corpus or nothing; a name that ends in `.zip` is compressed if possible.

    `lookups`: answers of the worlds' tables, for `to="chat"`; other formats do not need them.
    """
    write = writer(to)
    if to == "chat":
        from crosstalk.corpora.chat import write_chat

        write = partial(write_chat, lookups=lookups)
    try:
        write(dialogues, path)
    except RecursionError as error:
        raise OutputError(f"{path}: a dialogue's extras are nested too deeply") from error


def reader(format: str) -> Reader:
    if format == "crosswoz":
        from crosstalk.corpora.crosswoz import read_crosswoz

        return read_crosswoz
    if format == "native":
        from crosstalk.corpora.native import read_native

        return read_native
    if format == "parquet":
        from crosstalk.corpora.parquet import read_parquet

        return read_parquet
    if format == "convlab":
        from crosstalk.corpora.convlab import read_convlab

        return read_convlab
    if format == "multiwoz":
        from crosstalk.corpora.multiwoz import read_multiwoz

        return read_multiwoz
    if format == "chat":
        from crosstalk.corpora.chat import read_chat

        return read_chat
    raise unknown_format(format)


def writer(format: str) -> Writer:
    if format == "crosswoz":
        from crosstalk.corpora.crosswoz import write_crosswoz

        return write_crosswoz
    if format == "native":
        from crosstalk.corpora.native import write_native

        return write_native
    if format == "parquet":
        from crosstalk.corpora.parquet import write_parquet

        return write_parquet
    if format == "convlab":
        from crosstalk.corpora.convlab import write_convlab

        return write_convlab
    if format == "multiwoz":
        from crosstalk.corpora.multiwoz import write_multiwoz

        return write_multiwoz
    if format == "chat":
        from crosstalk.corpora.chat import write_chat

        return write_chat
    raise unknown_format(format)


def unknown_format(format: str) -> InputError:
    return InputError(f"unknown format {format!r}", remedy=f"Choose one of {', '.join(FORMATS)}.")


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
    """The format of a file, from its content, also inside a zip."""
    file = corpus_file(path)
    with open_binary(file) as raw:
        head = raw.read(HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    format = _recognise_text(head.decode("utf-8-sig", errors="replace").lstrip())
    if format is None:
        raise FormatError(
            f"{path}: not a corpus in a format we know",
            remedy=f"Known formats: {', '.join(FORMATS)}. Check that this is the right file.",
        )
    return format


def _recognise_text(head: str) -> str | None:
    if re.match(r'\[\s*(\{\s*"|\])', head):
        return "convlab"
    keyed = re.match(r'\{\s*(?:"((?:[^"\\]|\\.)*)"\s*:\s*\{|\})', head)
    if keyed and keyed[1] not in NATIVE_FIELDS:
        return "multiwoz" if _first(head, "log", "messages", "sys-usr") == "log" else "crosswoz"
    if re.match(r'\{\s*"', head):
        return "chat" if re.search(r'"messages"\s*:\s*\[\s*\{\s*"role"', head) else "native"
    return None


def _first(head: str, *keys: str) -> str | None:
    """Which of the keys appears first."""
    found = re.search(rf'"({"|".join(keys)})"\s*:', head)
    return found[1] if found else None
