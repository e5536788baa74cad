"""Files that were fetched elsewhere, taken over from a folder: `crosstalk fetch NAME --from DIR`.

The folder may be another data folder, a clone of the repository, or a heap of downloaded files.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from crosstalk.corpora.catalogue import RemoteFile
from crosstalk.corpora.digests import difference
from crosstalk.corpora.obtain import FileOutcome, Source, State
from crosstalk.errors import FileProblem
from crosstalk.files import writing_binary


def copier(source: Path) -> Source:
    """Copies from `source` what proves to be the published file."""
    if not source.is_dir():
        raise FileProblem(f"{source} is not a folder", remedy="Give a folder with --from DIR.")

    def copy(file: RemoteFile, target: Path) -> FileOutcome:
        wrong = ""
        for candidate in _candidates(source, file):
            found = difference(candidate, file)
            if not found:
                _copy(candidate, target)
                return FileOutcome(file, State.OBTAINED, verified=file.has_digest)
            wrong = wrong or f"{candidate} is not taken: {found}"
        if wrong:
            return FileOutcome(file, State.DIFFERENT, note=wrong)
        return FileOutcome(file, State.MISSING, note=f"{source} does not have it")

    return copy


def _candidates(source: Path, file: RemoteFile) -> Iterator[Path]:
    """As in a data folder, in the dataset's own folder, in a clone, or all files in one place."""
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
