"""Safe reading and writing of files: errors explain themselves, and no file is half-written.

Reads plain and gzipped files and zips with one member (as corpora are released); writes beside the
target and renames, so that an interrupted run leaves what was there before.
"""

import errno
import gzip
import hashlib
import io
import json
import os
import secrets
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

from crosstalk.archives import (
    ZIP_STARTS,
    ZipMember,
    open_member,
    refuse_unsafe_member,
    unpacked,
)
from crosstalk.errors import FileProblem, OutputError

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every zip member, so that the same content gives the same bytes."""

GZIP_START = b"\x1f\x8b"

Source = Path | ZipMember
"""A file, or a file in a zip of many."""

__all__ = [
    "Source",
    "cannot_write",
    "making_folder",
    "open_binary",
    "open_text",
    "read_json",
    "read_text",
    "refuse_unsafe_member",
    "writing",
    "writing_binary",
]


@contextmanager
def open_binary(path: Source) -> Iterator[BinaryIO]:
    """The bytes of a file, plain or gzipped, of the one member of a zip, or of one of several."""
    if isinstance(path, ZipMember):
        with open_member(path.archive, path.name) as member:
            yield member
        return
    with _readable(path) as raw:
        start = raw.peek(4)[:4]
        if start in ZIP_STARTS:
            with unpacked(path, raw) as member:
                yield member
        elif start.startswith(GZIP_START):
            with _gunzipped(path, raw) as member:
                yield member
        else:
            yield raw


@contextmanager
def _gunzipped(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    try:
        with gzip.GzipFile(fileobj=raw) as member:
            yield cast(BinaryIO, member)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileProblem(
            f"{path}: the gzip is damaged or cut off ({error})",
            remedy="Fetch or copy the file anew.",
        ) from error


@contextmanager
def open_text(path: Source) -> Iterator[TextIO]:
    """The UTF-8 text of a file, or of the one member of a zip; a byte order mark is dropped."""
    with open_binary(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise (_not_utf8(path) or error) from error
        finally:
            if not text.closed:
                text.detach()


def read_text(path: Source) -> str:
    with open_text(path) as text:
        return text.read()


def read_json(path: Source) -> Any:
    """A whole JSON file; use the streaming readers for corpora.

    Refuses what the standard library lets through: NaN and Infinity, and a field given twice.
    """
    try:
        return json.loads(
            read_text(path), parse_constant=_no_constant, object_pairs_hook=_no_duplicates
        )
    except json.JSONDecodeError as error:
        problem = f" at line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        problem = ": it is nested too deeply"
    except ValueError as error:
        problem = f": {error}"
    raise FileProblem(
        f"{path}: not valid JSON{problem}",
        remedy="Check that the file is complete; if it was downloaded, fetch it again.",
    )


def sha256_of(path: Path) -> str:
    """The digest of a file's bytes as they lie on disk, zipped or not."""
    with _readable(path) as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


@contextmanager
def writing(path: Path, *, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A text file that appears under its name only when all of it has been written."""
    with _beside(path) as beside, beside.open("w", encoding=encoding, newline="") as text:
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
        io.TextIOWrapper(inside, encoding="utf-8", newline="") as file,
    ):
        yield file


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
        errno.ELOOP: "The links lead in a circle; give the name of a real file.",
    }
    return OutputError(
        f"{path}: cannot be written: {error.strerror or error}; nothing was changed",
        remedy=remedies.get(error.errno or 0, "Choose another place to write to."),
    )


# Reading


@contextmanager
def _readable(path: Path) -> Iterator[io.BufferedReader]:
    _refuse_unreadable(path)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise _cannot_read(path, error) from error
    with raw:
        if not raw.peek(1):
            raise FileProblem(f"{path}: the file is empty", remedy="Check where it came from.")
        yield raw


def _refuse_unreadable(path: Path) -> None:
    """Raise for what is not a plain file, before opening it: a pipe would wait for ever."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise _cannot_read(path, error) from error
    if stat.S_ISDIR(mode):
        raise FileProblem(f"{path} is a directory", remedy="Give the name of a file inside it.")
    if not stat.S_ISREG(mode):
        raise FileProblem(
            f"{path} is not a plain file",
            remedy="Write what it holds to a file, and give the name of that.",
        )


def _cannot_read(path: Path, error: OSError | ValueError) -> FileProblem:
    if isinstance(error, FileNotFoundError):
        return FileProblem(f"{path}: no such file", remedy="Check the path.")
    if isinstance(error, PermissionError):
        return FileProblem(
            f"{path}: you may not read this file",
            remedy="Ask its owner, or change its permissions.",
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


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in value if keys.count(key) > 1)
        raise ValueError(f"the field {twice!r} appears twice in one object")
    return value


# Writing


def _to_disk(file: IO[Any]) -> None:
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # pipes and devices have no disk
            raise


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A temporary file next to `path`, renamed on success and removed on failure."""
    mode = _mode(path)
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a directory", remedy="Give the name of a file to write.")
    if mode and not stat.S_ISREG(mode):  # /dev/stdout, /dev/null, a pipe: nothing to rename
        with _in_words(path, beside=path):
            yield path
        return
    with ExitStack() as afterwards:
        with _in_words(path):
            target = _behind_links(path)
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
