"""Opening and writing files safely: every surprise becomes words, nothing is half-written.

Reads plain files and zips with one member (as corpora are released); writes beside the target
and renames, so that an interrupted run leaves what was there before.
"""

import errno
import io
import json
import os
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, TextIO

from crosstalk.errors import FileProblem, OutputError

MAX_ZIP_RATIO = 200
"""JSON corpora pack about 1:30; a member that unpacks to more than 200 times is a bomb."""
MAX_ZIP_MEMBERS = 10_000


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, or of the one member of a zip."""
    with _readable(path) as raw:
        if not zipfile.is_zipfile(raw):
            raw.seek(0)
            yield raw
            return
        raw.seek(0)
        with _unpacked(path, raw) as member:
            yield member


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """The UTF-8 text of a file, or of the one member of a zip."""
    with open_binary(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise FileProblem(
                f"{path}: not UTF-8 text (byte {error.object[error.start]:#04x})",
                remedy="Save the file as UTF-8 and try again.",
            ) from error
        finally:
            text.detach()


def read_text(path: Path) -> str:
    with open_text(path) as text:
        return text.read()


def read_json(path: Path) -> Any:
    """A whole JSON file; use the streaming readers for corpora."""
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileProblem(
            f"{path}: not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}",
            remedy="Check that the file is complete; if it was downloaded, fetch it again.",
        ) from error


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


def _to_disk(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A temporary file next to `path`, renamed on success and removed on failure."""
    if path.is_dir():
        raise OutputError(f"{path} is a directory", remedy="Give the name of a file to write.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise _cannot_write(path, error) from error
    beside = Path(name)
    try:
        beside.chmod(0o666 & ~_umask())
        yield beside
        beside.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, error: OSError) -> OutputError:
    remedies = {
        errno.ENOSPC: "Free some space, or write to another disk.",
        errno.EACCES: "Choose a folder you may write to.",
        errno.EROFS: "Choose a folder you may write to.",
        errno.ENOTDIR: "A part of the path is a file; choose another folder.",
        errno.EEXIST: "A part of the path is a file; choose another folder.",
    }
    return OutputError(
        f"{path}: cannot be written: {error.strerror or error}; nothing was changed",
        remedy=remedies.get(error.errno or 0, ""),
    )


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    try:
        raw = path.open("rb")
    except FileNotFoundError as error:
        raise FileProblem(f"{path}: no such file", remedy="Check the path.") from error
    except IsADirectoryError as error:
        raise FileProblem(
            f"{path} is a directory", remedy="Give the name of a file inside it."
        ) from error
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror or error}") from error
    with raw:
        if raw.seekable() and raw.read(1) == b"":
            raise FileProblem(f"{path}: the file is empty", remedy="Check where it came from.")
        raw.seek(0)
        yield raw


@contextmanager
def _unpacked(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    """The one member of a zip, after refusing what no corpus needs."""
    try:
        with zipfile.ZipFile(raw) as archive:
            member = _only_member(path, archive)
            with archive.open(member) as unpacked:
                yield io.BufferedReader(unpacked)  # type: ignore[type-var]
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileProblem(
            f"{path}: the zip cannot be unpacked: {error}", remedy="Fetch or pack it again."
        ) from error


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = archive.infolist()
    if len(members) > MAX_ZIP_MEMBERS:
        raise FileProblem(f"{path}: the zip holds {len(members)} members; one is expected")
    for member in members:
        refuse_unsafe_member(path, member)
    files = [member for member in members if not member.is_dir() and not _is_litter(member)]
    if len(files) != 1:
        names = ", ".join(member.filename for member in files[:5]) or "none"
        raise FileProblem(
            f"{path}: the zip holds {len(files)} files ({names}); exactly one is expected",
            remedy="Unpack it and give the file you mean.",
        )
    return files[0]


def _is_litter(member: zipfile.ZipInfo) -> bool:
    """What some systems leave in every zip they make."""
    return member.filename.startswith("__MACOSX/") or member.filename.endswith(".DS_Store")


def refuse_unsafe_member(path: Path, member: zipfile.ZipInfo) -> None:
    """Raise for names that leave the folder, links, and members that unpack without measure."""
    name = PurePosixPath(member.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in member.filename.split("/")[0]:
        problem = f"has a member named {member.filename!r}, which points outside the archive"
    elif stat.S_ISLNK(member.external_attr >> 16):
        problem = f"has a symbolic link, {member.filename!r}"
    elif member.file_size > MAX_ZIP_RATIO * max(member.compress_size, 1024):
        problem = (
            f"has a member that unpacks to {member.file_size:,} bytes from {member.compress_size:,}"
        )
    else:
        return
    raise FileProblem(f"{path}: the zip {problem}", remedy="Do not use this file.")
