"""Files of datasets in the data folder: comparing them with the published ones, and copying them.

`obtain` brings every missing file into the data folder, from a `FileSource`: the network
(download.py) or a folder (`copier`, for `crosstalk fetch NAME --from DIR`). Files that are there
already are never replaced: one that differs from the published file may be somebody's work.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Any

from crosstalk.corpora.catalogue import RemoteFile
from crosstalk.errors import FileProblem
from crosstalk.files import writing_binary


class FileStatus(Enum):
    """A file on disk compared with the published one."""

    ABSENT = "absent"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    """Present, of the right size if that is known; no digest was published."""
    DIFFERENT = "different"


def file_status(path: Path, file: RemoteFile) -> FileStatus:
    if not path.is_file():
        return FileStatus.ABSENT
    if difference(path, file):
        return FileStatus.DIFFERENT
    return FileStatus.VERIFIED if file.has_digest else FileStatus.UNVERIFIED


def difference(path: Path, file: RemoteFile) -> str:
    """How the file on disk differs from the published one; empty if it does not."""
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        return f"it has {size:,} bytes, the published file {file.size:,}"
    if file.blob and (found := _digest(path, "sha1", b"blob %d\0" % size)) != file.blob:
        return f"its git blob id is {found}, that of the published file {file.blob}"
    if file.sha256 and (found := _digest(path, "sha256")) != file.sha256:
        return f"its SHA-256 is {found}, that of the published file {file.sha256}"
    return ""


def _digest(path: Path, algorithm: str, before: bytes = b"") -> str:
    """Hex digest of `before` and the bytes of the file; git prepends type and size."""
    digest = hashlib.new(algorithm, before, usedforsecurity=algorithm != "sha1")
    try:
        with path.open("rb") as raw:
            while piece := raw.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise FileProblem(
            f"{path}: cannot be read: {error.strerror}", remedy="Check its permissions."
        ) from error
    return digest.hexdigest()


class FetchResult(Enum):
    """The result of fetching a file."""

    OBTAINED = "obtained"
    PRESENT = "present"
    """It was already there."""
    DIFFERENT = "different"
    """The file found is not the published one."""
    MISSING = "missing"
    """The source folder does not have it."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The result of fetching one file."""

    file: RemoteFile
    state: FetchResult
    verified: bool = False
    """Whether a published digest was compared."""
    note: str = ""
    """Description of the problem, if there is one."""

    @property
    def is_fine(self) -> bool:
        return self.state in (FetchResult.OBTAINED, FetchResult.PRESENT)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "dataset": self.file.dataset,
            "file": self.file.place,
            "state": self.state.value,
            "verified": self.verified,
            "note": self.note,
        }


FileSource = Callable[[RemoteFile, Path], FileOutcome]
"""Puts a file into its place: `copier(folder)`, or `Downloader.fetch` of download.py."""


def obtain(files: Iterable[RemoteFile], folder: Path, source: FileSource) -> Iterator[FileOutcome]:
    """Fetch every file that is not in the folder yet."""
    for file in files:
        target = folder / file.place
        match file_status(target, file):
            case FileStatus.ABSENT:
                yield source(file, target)
            case FileStatus.DIFFERENT:
                note = f"{target} is left as it is: {difference(target, file)}"
                yield FileOutcome(file, FetchResult.DIFFERENT, note=note)
            case found:
                yield FileOutcome(file, FetchResult.PRESENT, verified=found is FileStatus.VERIFIED)


def refuse_none_found(outcomes: Sequence[FileOutcome]) -> None:
    """Raise if a folder has none of the files."""
    if all(outcome.state is FetchResult.MISSING for outcome in outcomes):
        names = "\n".join(f"  {outcome.file.place}: {outcome.note}" for outcome in outcomes[:5])
        raise FileProblem(
            f"none of the files is there; these and their like were looked for:\n{names}",
            remedy="A data folder, a clone of the repository, or the files themselves will do.",
        )


def copier(source: Path) -> FileSource:
    """A source that copies files from a folder if they are the published ones."""
    if not source.is_dir():
        raise FileProblem(f"{source} is not a folder", remedy="Give a folder with --from DIR.")

    def copy(file: RemoteFile, target: Path) -> FileOutcome:
        wrong = ""
        for candidate in _candidates(source, file):
            found = difference(candidate, file)
            if not found:
                _copy(candidate, target)
                return FileOutcome(file, FetchResult.OBTAINED, verified=file.has_digest)
            wrong = wrong or f"{candidate} is not taken: {found}"
        if wrong:
            return FileOutcome(file, FetchResult.DIFFERENT, note=wrong)
        return FileOutcome(file, FetchResult.MISSING, note=f"{source} does not have it")

    return copy


def _candidates(source: Path, file: RemoteFile) -> Iterator[Path]:
    """Where the file may be: a data folder, the dataset's folder, a clone, or a flat folder."""
    names = [file.place, file.to, file.path, PurePosixPath(file.path).name]
    yield from (source / name for name in dict.fromkeys(names) if (source / name).is_file())


def _copy(source: Path, target: Path) -> None:
    try:
        raw = source.open("rb")
    except OSError as error:
        raise FileProblem(
            f"{source}: cannot be read: {error.strerror}", remedy="Check its permissions."
        ) from error
    with raw, writing_binary(target) as copy:
        shutil.copyfileobj(raw, copy)
