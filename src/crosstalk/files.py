"""Safe reading and writing of files: errors explain themselves, and no file is half-written.

Reads plain and gzipped files and zips with one member (as corpora are released); writes beside the
target and renames, so that an interrupted run leaves what was there before. Only plain files are
read: a pipe, a device or a loop of links is refused before it is opened. Lines, nesting and what a
compressed file unpacks to are bounded. A file that is being read is not replaced (`protecting`).
"""

import csv
import errno
import hashlib
import io
import json
import os
import secrets
import stat
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, TextIO

from crosstalk.archives import (
    GZIP_START,
    ZIP_STARTS,
    ZipMember,
    gunzipped,
    open_packed_member,
    refuse_unsafe_member,
    unpacked,
)
from crosstalk.errors import FileProblem, OutputError

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every zip member, so that the same content gives the same bytes."""

MAX_LINE = 16 << 20
"""Bytes of one line of a text or table; the longest line of the corpora we read has 0.3 MB."""
MAX_NESTING = 200
"""Lists and objects inside one another in a JSON file; corpora need twelve."""

Source = Path | ZipMember
"""A file, or a file in a zip of many."""

__all__ = [
    "STRICT",
    "Source",
    "bounded_lines",
    "cannot_write",
    "csv_rows",
    "making_folder",
    "open_binary",
    "open_plain",
    "open_text",
    "parse_json",
    "polars_sources",
    "protecting",
    "read_bytes",
    "read_json",
    "read_text",
    "refuse_unsafe_member",
    "writing",
    "writing_binary",
]


@contextmanager
def open_binary(path: Source) -> Iterator[BinaryIO]:
    """The bytes of a file, plain or gzipped, of the one member of a zip, or of one of several.

    A member may be packed again: zips of repositories hold zips of one file.
    """
    if isinstance(path, ZipMember):
        with open_packed_member(path) as member:
            yield member
        return
    with open_plain(path) as raw:
        start = raw.peek(4)[:4]
        if start in ZIP_STARTS:
            with unpacked(path, raw) as member:
                yield member
        elif start.startswith(GZIP_START):
            with gunzipped(path, raw) as member:
                yield member
        else:
            yield raw


def polars_sources(paths: Sequence[Path]) -> list[Path] | list[bytes]:
    """The files as Polars takes them: their contents where a name has bytes that are no UTF-8."""
    try:
        "".join(map(str, paths)).encode()
    except UnicodeEncodeError:
        return [path.read_bytes() for path in paths]
    return list(paths)


@contextmanager
def open_text(path: Source, *, longest_line: int | None = MAX_LINE) -> Iterator[TextIO]:
    """The UTF-8 text of a file, or of the one member of a zip; a byte order mark is dropped.

    Refuses a line of more bytes than `longest_line`; give None for JSON, which may be one line.
    """
    with ExitStack() as opened:
        raw = opened.enter_context(open_binary(path))
        if longest_line:
            raw = bounded_lines(raw, path, longest=longest_line)
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise (_not_utf8(path) or error) from error
        finally:
            if not text.closed:
                text.detach()


def bounded_lines(raw: BinaryIO, path: Source | str, *, longest: int = MAX_LINE) -> BinaryIO:
    """The same bytes; raises FileProblem once a line is longer, before it fills the memory.

    Whoever takes the lines of a file one by one reads them through this, or through `open_text`.
    """
    return io.BufferedReader(_BoundedLines(path, raw, longest), CHUNK)


def read_text(path: Source, *, longest_line: int | None = MAX_LINE) -> str:
    """The whole text of a file; refuses a line of more bytes than `longest_line`."""
    with open_text(path, longest_line=longest_line) as text:
        return text.read()


def read_bytes(path: Path) -> bytes:
    """The bytes of a plain file as they lie on disk; it may be empty."""
    with open_plain(path, may_be_empty=True) as raw:
        return raw.read()


def read_json(path: Source) -> Any:
    """A whole JSON file; use the streaming readers for corpora. Refuses what `parse_json` does."""
    try:
        return parse_json(read_text(path, longest_line=None))
    except json.JSONDecodeError as error:
        problem = f" at line {error.lineno}, column {error.colno}: {error.msg}"
    except ValueError as error:
        problem = f": {error}"
    raise FileProblem(
        f"{path}: not valid JSON{problem}",
        remedy="Check that the file is complete; if it was downloaded, fetch it again.",
    )


def shown(path: Path | str) -> str:
    r"""A file name as text: bytes that are not UTF-8 become \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def parse_json(text: str | bytes) -> Any:
    """A JSON text as a value; raises ValueError in words.

    Refuses what the standard library lets through: NaN, Infinity and numbers too large to hold, a
    field given twice, and nesting that recursive code could not follow.
    """
    try:
        value = json.loads(text, **STRICT)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _refuse_deep(value)
    return value


def csv_rows(path: Source, lines: Iterable[str], *, delimiter: str = ",") -> Iterator[list[str]]:
    """The rows of a table in CSV or TSV; what the csv module cannot read is said with its line."""
    rows = csv.reader(lines, delimiter=delimiter)
    try:
        yield from rows
    except csv.Error as error:
        raise FileProblem(
            f"{path}, line {rows.line_num}: not a table: {error}",
            remedy="Look for a quotation mark that is never closed.",
        ) from error


def sha256_of(path: Path, *, may_be_empty: bool = False) -> str:
    """The digest of a file's bytes as they lie on disk, zipped or not."""
    with open_plain(path, may_be_empty=may_be_empty) as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


@contextmanager
def writing(path: Path, *, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A text file that appears under its name only when all of it has been written.

    What the encoding lacks, such as the odd bytes of a file name, is written as JSON escapes it.
    """
    with (
        _beside(path) as beside,
        beside.open("w", encoding=encoding, errors="backslashreplace", newline="") as text,
    ):
        yield text
        _to_disk(text)


@contextmanager
def writing_binary(path: Path) -> Iterator[BinaryIO]:
    """Like `writing`, for bytes."""
    with _beside(path) as beside, beside.open("wb") as raw:
        yield raw
        _to_disk(raw)


@contextmanager
def writing_packed(path: Path) -> Iterator[TextIO]:
    """A text file, or a zip of one member named like the zip without `.zip`."""
    if path.suffix != ".zip":
        with writing(path) as file:
            yield file
        return
    member = zipfile.ZipInfo(path.stem, date_time=ZIP_DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    with (
        writing_binary(path) as raw,
        zipfile.ZipFile(raw, "w") as archive,
        archive.open(member, "w", force_zip64=True) as inside,
        io.TextIOWrapper(inside, encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        yield file


@contextmanager
def protecting(paths: Iterable[Path]) -> Iterator[None]:
    """Refuse to replace these files while the block runs: what a command reads, it may not lose."""
    found = {identity for path in paths if (identity := _identity(path))}
    token = _PROTECTED.set(_PROTECTED.get() | found)
    try:
        yield
    finally:
        _PROTECTED.reset(token)


_PROTECTED: ContextVar[frozenset[tuple[int, int]]] = ContextVar("files", default=frozenset())
"""Device and inode of each file that is protected."""


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


@contextmanager
def making_folder(folder: Path) -> Iterator[None]:
    """Create a missing folder, and remove it again if it stays empty."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):
                place.rmdir()
        raise


def cannot_write(path: Path, error: OSError) -> OutputError:
    """The error of the operating system in words."""
    remedies = {
        errno.ENOSPC: "Free some space, or write to another disk.",
        errno.EDQUOT: "Free some space, or write to another disk.",
        errno.EFBIG: "Raise the limit on file sizes, or write to another disk.",
        errno.EACCES: "Choose a folder you may write to.",
        errno.EPERM: "Choose a folder you may write to.",
        errno.EROFS: "Choose a folder you may write to.",
        errno.ENOTDIR: "A part of the path is a file; choose another folder.",
        errno.EEXIST: "A part of the path is a file; choose another folder.",
        errno.ENAMETOOLONG: "Choose a shorter name.",
        errno.ENXIO: "Nobody reads from this pipe: begin with that, or write to a file.",
        errno.ELOOP: "The links lead in a circle; give the name of a real file.",
    }
    return OutputError(
        f"{path}: cannot be written: {error.strerror or error}; nothing was changed",
        remedy=remedies.get(error.errno or 0, "Choose another place to write to."),
    )


# Reading


CHUNK = 1 << 16


@contextmanager
def open_plain(path: Path, *, may_be_empty: bool = False) -> Iterator[io.BufferedReader]:
    """The bytes of a plain file as they lie on disk; refuses everything else before opening it."""
    refuse_unreadable(path)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise _cannot_read(path, error) from error
    with raw:
        if not may_be_empty and not raw.peek(1):
            raise FileProblem(f"{path}: the file is empty", remedy="Check where it came from.")
        yield raw


def refuse_unreadable(path: Path, *, may_be_folder: bool = False) -> None:
    """Raise for what is not a plain file, before opening it: a pipe would wait for ever."""
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise _cannot_read(path, error) from error
    mode = found.st_mode
    if stat.S_ISDIR(mode):
        if may_be_folder:
            return
        raise FileProblem(f"{path} is a directory", remedy="Give the name of a file inside it.")
    if not stat.S_ISREG(mode) or found.st_dev == _kernels():
        raise FileProblem(
            f"{path} is not a plain file",
            remedy="Write what it holds to a file, and give the name of that.",
        )


@cache
def _kernels() -> int | None:
    """The device of files that the kernel makes up: some of them never end, or wait for events."""
    try:
        return Path("/proc").stat().st_dev if os.path.ismount("/proc") else None
    except OSError:
        return None


def _cannot_read(path: Path, error: OSError | ValueError) -> FileProblem:
    if isinstance(error, FileNotFoundError):
        return FileProblem(f"{path}: no such file", remedy="Check the path.")
    if isinstance(error, PermissionError):
        return FileProblem(
            f"{path}: you may not read this file",
            remedy="Ask its owner, or change its permissions.",
        )
    if "\0" in str(path):
        return FileProblem(
            f"{str(path)!r}: a name cannot hold a NUL character", remedy="Check the path."
        )
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return FileProblem(
            f"{path}: the links lead in a circle", remedy="Give the name of a real file."
        )
    said = error.strerror if isinstance(error, OSError) else None
    return FileProblem(f"{path}: cannot be read: {said or error}", remedy="Check the path.")


def _not_utf8(path: Source) -> FileProblem | None:
    """Position of the first byte that is not UTF-8; None if there is none."""
    offset = 0
    with open_binary(path) as raw:
        for number, line in enumerate(raw, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                byte, offset = line[error.start], offset + error.start
                return FileProblem(
                    f"{path}: line {number}, byte {offset:,}: {byte:#04x} is not UTF-8 text",
                    remedy="Save the file as UTF-8 and try again.",
                )
            offset += len(line)
    return None


class _BoundedLines(io.RawIOBase):
    """The bytes of a file, as long as no line is longer than a limit."""

    def __init__(self, path: Source | str, raw: BinaryIO, longest: int) -> None:
        self._path = path
        self._raw = raw
        self._longest = longest
        self._line = 1
        self._since = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._raw.read(min(len(buffer), CHUNK))
        first = piece.find(b"\n")
        self._since += len(piece) if first < 0 else first
        if self._since > self._longest:
            raise FileProblem(
                f"{self._path}: line {self._line} has more than {self._longest >> 20} MiB",
                remedy="Give a text or a table with an entry on each line.",
            )
        if first >= 0:
            self._line += piece.count(b"\n")
            self._since = len(piece) - piece.rfind(b"\n") - 1
        buffer[: len(piece)] = piece
        return len(piece)


def _refuse_deep(value: Any) -> None:
    """Raise ValueError for values nested deeper than `MAX_NESTING`; goes level by level."""
    level = [value]
    for _ in range(MAX_NESTING):
        level = [
            child
            for each in level
            if isinstance(each, (dict, list))
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise ValueError("it is nested too deeply")


def _finite(number: str) -> float:
    value = float(number)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {number[:40]} is too large")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in value if keys.count(key) > 1)
        raise ValueError(f"the field {twice!r} appears twice in one object")
    return value


STRICT: Final[Mapping[str, Any]] = {
    "parse_constant": _no_constant,
    "parse_float": _finite,
    "object_pairs_hook": _no_duplicates,
}
"""Options of the standard library's JSON decoder, for all that is read strictly."""


# Writing


def _to_disk(file: IO[Any]) -> None:
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # pipes and devices have no disk
            raise


PIPE_SECONDS: Final = 5.0
"""How long somebody may take to open the other end of a pipe."""


@contextmanager
def _reader_of(path: Path, mode: int) -> Iterator[None]:
    """Hold a pipe open; raises OSError if nobody reads from it, where opening it would wait."""
    if not stat.S_ISFIFO(mode):
        yield
        return
    ends = time.monotonic() + PIPE_SECONDS
    while True:
        try:
            held = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() > ends:
                raise
            time.sleep(0.05)
    try:
        yield
    finally:
        os.close(held)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A temporary file next to `path`, renamed on success and removed on failure."""
    mode = _mode(path)
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a directory", remedy="Give the name of a file to write.")
    if mode and not stat.S_ISREG(mode):  # /dev/stdout, /dev/null, a pipe: nothing to rename
        with _in_words(path, beside=path), _reader_of(path, mode):
            yield path
        return
    with ExitStack() as afterwards:
        with _in_words(path):
            target = _behind_links(path)
            _refuse_protected(target)
            afterwards.enter_context(making_folder(target.parent))
            beside = afterwards.enter_context(_temporary(target))
        with _in_words(path, beside=beside):
            yield beside
        with _in_words(path):
            beside.replace(target)


@contextmanager
def _in_words(path: Path, *, beside: Path | None = None) -> Iterator[None]:
    """Errors of writing, in words; with `beside`, only those that do not name another file.

    A writer may read other files while it writes, and their errors are not ours.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if beside and error.filename not in (None, str(beside)):
            raise
        raise cannot_write(path, error) from error


def _refuse_protected(path: Path) -> None:
    found = _identity(path)
    if found and found in _PROTECTED.get():
        raise OutputError(
            f"{path} is a file that this command reads; it would be lost",
            remedy="Write to another file, then move it.",
        )


def _mode(path: Path) -> int:
    """The mode of the file at `path`; 0 if there is none."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _behind_links(path: Path) -> Path:
    """The target of a link: the link stays, its target is replaced."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "the name holds a NUL character")
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """A new file with the permissions of the old one, gone afterwards unless it was renamed.

    40 characters of the name, at most 160 bytes, keep it under the 255 bytes that a name may have.
    """
    beside = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        yield beside
    finally:
        beside.unlink(missing_ok=True)
