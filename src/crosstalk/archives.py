"""Safe reading of zip files, which may lie about their contents."""

import io
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

from crosstalk.errors import FileProblem

MAX_ZIP_RATIO = 200
"""JSON corpora pack about 1:30; a member that unpacks to more than 200 times is a bomb."""
MAX_ZIP_MEMBERS = 10_000
BUFFER = 1 << 16
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
"""A zip with members, and one without; a zip cut short still starts so, and is reported as one."""
UNPACKING = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What the standard library raises over a damaged zip (NotImplementedError is a RuntimeError)."""


@dataclass(frozen=True, slots=True)
class ZipMember:
    """One file in a zip of many."""

    archive: Path
    name: str

    def __str__(self) -> str:
        return f"{self.archive}/{self.name}"


@contextmanager
def unpacked(path: Path, raw: io.BufferedReader) -> Iterator[BinaryIO]:
    """The only member of a zip; refuses anything else."""
    with _in_words(path):
        archive = zipfile.ZipFile(raw)
    with archive:
        member = _only_member(path, archive)
        with _in_words(path):
            packed = archive.open(member)
        limit = MAX_ZIP_RATIO * max(os.fstat(raw.fileno()).st_size, 1024)
        with packed, io.BufferedReader(_Unpacking(path, packed, limit), BUFFER) as content:
            _refuse_unfit_content(path, content.peek(4)[:4])
            yield content


def members(path: Path) -> list[str]:
    """The names of the files in a zip of many, such as a chat export."""
    with _in_words(path), zipfile.ZipFile(path) as archive:
        files = [member for member in archive.infolist() if not _is_litter(member)]
    for member in files:
        refuse_unsafe_member(path, member)
    return [member.filename for member in files]


@contextmanager
def open_member(path: Path, name: str) -> Iterator[BinaryIO]:
    """One file in a zip of many; raises an error if it unpacks to too much data."""
    with _in_words(path):
        archive = zipfile.ZipFile(path)
    with archive:
        with _in_words(path):
            packed = archive.open(name)
        limit = MAX_ZIP_RATIO * max(archive.getinfo(name).compress_size, 1024)
        with packed, io.BufferedReader(_Unpacking(path, packed, limit), BUFFER) as content:
            yield content


class _Unpacking(io.RawIOBase):
    """The bytes of a member while it unpacks; checks real sizes and explains damage."""

    def __init__(self, path: Path, packed: IO[bytes], limit: int) -> None:
        self._path = path
        self._packed = packed
        self._limit = limit
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _in_words(self._path):
            piece = self._packed.read(len(buffer))
        self._left -= len(piece)
        if self._left < 0:
            raise FileProblem(
                f"{self._path}: the zip unpacks to more than {self._limit:,} bytes",
                remedy="Do not use this file.",
            )
        buffer[: len(piece)] = piece
        return len(piece)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except UNPACKING as error:
        raise FileProblem(
            f"{path}: the zip cannot be unpacked: {str(error) or 'it ends too early'}",
            remedy="It may have been cut short; fetch or pack it again.",
        ) from error


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = archive.infolist()
    if len(members) > MAX_ZIP_MEMBERS:
        raise FileProblem(
            f"{path}: the zip holds {len(members):,} members; one is expected",
            remedy="Unpack it and give the file you mean.",
        )
    for member in members:
        refuse_unsafe_member(path, member)
    files = [member for member in members if not _is_litter(member)]
    if len(files) != 1:
        names = ", ".join(member.filename for member in files[:5]) or "none"
        raise FileProblem(
            f"{path}: the zip holds {len(files)} files ({names}); exactly one is expected",
            remedy="Unpack it and give the file you mean.",
        )
    return files[0]


def _is_litter(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a folder or a file that operating systems add."""
    return member.filename.startswith("__MACOSX/") or member.filename.endswith(("/", ".DS_Store"))


def _refuse_unfit_content(path: Path, start: bytes) -> None:
    if not start:
        raise FileProblem(f"{path}: the file in the zip is empty", remedy="Fetch or pack it again.")
    if start in ZIP_STARTS:
        raise FileProblem(
            f"{path}: the zip holds another zip", remedy="Unpack it and give the file you mean."
        )


def refuse_unsafe_member(path: Path, member: zipfile.ZipInfo) -> None:
    """Raise for names outside the folder, links, and members that unpack to too much data."""
    name = PurePosixPath(member.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or re.match("[A-Za-z]:", str(name)):
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
