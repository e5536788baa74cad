"""Safe reading of zip and tar files, which may lie about their contents.

An archive of many members stays open while its members are read: opening one of 3,000 anew for
each of them would read its table of contents 3,000 times.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import struct
import tarfile
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from crosstalk.errors import FileProblem

MAX_ZIP_RATIO = 200
"""JSON corpora pack about 1:30; a member that unpacks to more than 200 times is a bomb."""
MAX_ZIP_MEMBERS = 10_000
BUFFER = 1 << 16
GZIP_START = b"\x1f\x8b"
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
"""A zip with members, and one without; a zip cut short still starts so, and is reported as one."""
UNPACKING = (
    zipfile.BadZipFile,
    tarfile.TarError,
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
def unpacked(path: Path, raw: IO[bytes]) -> Iterator[BinaryIO]:
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


ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
TARS = ARCHIVES[1:]


def is_archive(name: str) -> bool:
    """Whether a file is an archive of many, by its name."""
    return name.lower().endswith(ARCHIVES)


def without_archive_suffix(path: Path) -> Path:
    """The path without `.zip`, `.tar.gz` and the like."""
    ending = max((each for each in ARCHIVES if path.name.lower().endswith(each)), key=len)
    return path.with_name(path.name[: -len(ending)])


def members(path: Path) -> list[str]:
    """The names of the files in an archive of many, such as a chat export."""
    with _in_words(path, _kind(path)):
        archive = _opened(path)
    return archive.names()


@contextmanager
def open_member(path: Path, name: str) -> Iterator[BinaryIO]:
    """One file in an archive of many; raises an error if it unpacks to too much data."""
    kind = _kind(path)
    with _in_words(path, kind):
        archive = _opened(path)
        small = archive.read(name) if archive.size(name) <= BUFFER else None
        packed, size = archive.open(name) if small is None else (io.BytesIO(small), 0)
    if small is not None:  # the layers below cost more than a small member does
        yield io.BufferedReader(cast(Any, packed))
        return
    unpacking = _Unpacking(path, packed, MAX_ZIP_RATIO * max(size, 1024), kind)
    with packed, io.BufferedReader(unpacking, BUFFER) as content:
        yield content


@contextmanager
def open_packed_member(member: ZipMember) -> Iterator[BinaryIO]:
    """One file in an archive of many, unpacked if it is a zip of one file or gzipped."""
    with ExitStack() as opened:
        content = opened.enter_context(open_member(member.archive, member.name))
        start = cast(io.BufferedReader, content).peek(4)[:4]
        if start in ZIP_STARTS:
            plain = opened.enter_context(tempfile.TemporaryFile())
            shutil.copyfileobj(content, plain)
            plain.seek(0)
            content = opened.enter_context(unpacked(Path(str(member)), plain))
        elif start.startswith(GZIP_START):
            content = opened.enter_context(gunzipped(member.archive, content))
        yield content


class _ZipOfMany:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._zip = zipfile.ZipFile(path)

    def names(self) -> list[str]:
        files = [member for member in self._zip.infolist() if not _is_litter(member)]
        for member in files:
            refuse_unsafe_member(self._path, member)
        return [member.filename for member in files]

    def size(self, name: str) -> int:
        return self._zip.getinfo(name).file_size

    def read(self, name: str) -> bytes:
        return self._zip.read(name)

    def open(self, name: str) -> tuple[IO[bytes], int]:
        """A member, and its packed size."""
        return self._zip.open(name), self._zip.getinfo(name).compress_size


class _TarOfMany:
    """A tar, unpacked once to a temporary file: packed ones can only be read from the beginning."""

    def __init__(self, path: Path) -> None:
        self._path = path
        plain = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the tar)
        weakref.finalize(self, plain.close)
        with _plain_tar(path) as packed:
            limit = MAX_ZIP_RATIO * max(path.stat().st_size, 1024)
            unpacking = _Unpacking(path, packed, limit, "tar")
            with io.BufferedReader(unpacking, BUFFER) as content:
                shutil.copyfileobj(content, plain)
        plain.seek(0)
        self._tar = tarfile.TarFile(fileobj=plain)
        self._files = {each.name: each for each in self._tar.getmembers() if each.isreg()}

    def names(self) -> list[str]:
        for name in self._files:
            _refuse_unsafe_name(self._path, name)
        return [name for name in self._files if not name.endswith(".DS_Store")]

    def size(self, name: str) -> int:
        return self._files[name].size

    def read(self, name: str) -> bytes:
        return self.open(name)[0].read()

    def open(self, name: str) -> tuple[IO[bytes], int]:
        member = self._files[name]
        content = self._tar.extractfile(member)
        assert content is not None, "a regular file"
        return content, member.size


def _plain_tar(path: Path) -> IO[bytes]:
    """The bytes of a tar, unpacked."""
    name = path.name.lower()
    if name.endswith("gz"):
        return cast(IO[bytes], gzip.open(path))
    if name.endswith("bz2"):
        return cast(IO[bytes], bz2.open(path))
    return cast(IO[bytes], lzma.open(path)) if name.endswith("xz") else path.open("rb")


def _opened(path: Path) -> _ZipOfMany | _TarOfMany:
    about = path.stat()
    return _archive(path, about.st_mtime_ns, about.st_size, os.getpid())


@lru_cache(maxsize=4)
def _archive(path: Path, changed: int, size: int, process: int) -> _ZipOfMany | _TarOfMany:
    """An open archive; a changed file is opened anew, and each process has its own place in it."""
    return _TarOfMany(path) if path.name.lower().endswith(TARS) else _ZipOfMany(path)


@contextmanager
def gunzipped(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    """The content of a gzip, at `path` or in the archive there; refuses too much data."""
    limit = MAX_ZIP_RATIO * max(path.stat().st_size, 1024)
    with gzip.GzipFile(fileobj=raw) as packed:
        unpacking = _Unpacking(path, cast(IO[bytes], packed), limit, "gzip")
        with io.BufferedReader(unpacking, BUFFER) as content:
            yield content


class _Unpacking(io.RawIOBase):
    """The bytes of a member while it unpacks; checks real sizes and explains damage."""

    def __init__(self, path: Path, packed: IO[bytes], limit: int, kind: str = "zip") -> None:
        self._kind = kind
        self._path = path
        self._packed = packed
        self._limit = limit
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _in_words(self._path, self._kind):
            piece = self._packed.read(len(buffer))
        self._left -= len(piece)
        if self._left < 0:
            raise FileProblem(
                f"{self._path}: the {self._kind} unpacks to more than {self._limit:,} bytes",
                remedy="Do not use this file.",
            )
        buffer[: len(piece)] = piece
        return len(piece)


@contextmanager
def _in_words(path: Path, kind: str = "zip") -> Iterator[None]:
    try:
        yield
    except UNPACKING as error:
        raise FileProblem(
            f"{path}: the {kind} cannot be unpacked: {str(error) or 'it ends too early'}",
            remedy="It may have been cut short; fetch or pack it again.",
        ) from error


def _kind(path: Path) -> str:
    return "tar" if path.name.lower().endswith(TARS) else "zip"


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
    _refuse_unsafe_name(path, member.filename)
    if stat.S_ISLNK(member.external_attr >> 16):
        problem = f"has a symbolic link, {member.filename!r}"
    elif member.file_size > MAX_ZIP_RATIO * max(member.compress_size, 1024):
        problem = (
            f"has a member that unpacks to {member.file_size:,} bytes from {member.compress_size:,}"
        )
    else:
        return
    raise FileProblem(f"{path}: the zip {problem}", remedy="Do not use this file.")


def _refuse_unsafe_name(path: Path, given: str) -> None:
    name = PurePosixPath(given.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or re.match("[A-Za-z]:", str(name)):
        raise FileProblem(
            f"{path}: the {_kind(path)} has a member named {given!r}, which points outside the "
            "archive",
            remedy="Do not use this file.",
        )
