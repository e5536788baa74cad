"""Bringing the files of a dataset into the data folder, from wherever they come.

Files that are there already are left alone: the right ones are done, and one that differs from the
published file may be somebody's work.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from crosstalk.corpora.catalogue import RemoteFile
from crosstalk.corpora.digests import Standing, difference, standing
from crosstalk.errors import FileProblem


class State(Enum):
    """What became of a file."""

    OBTAINED = "obtained"
    PRESENT = "present"
    """It was there before."""
    DIFFERENT = "different"
    """What is there, or what was offered, is not the published file."""
    MISSING = "missing"
    """The folder it should come from does not have it."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one file."""

    file: RemoteFile
    state: State
    verified: bool = False
    """Whether a published digest was compared."""
    note: str = ""
    """What is wrong with it, in words."""

    @property
    def is_fine(self) -> bool:
        return self.state in (State.OBTAINED, State.PRESENT)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "dataset": self.file.dataset,
            "file": self.file.place,
            "state": self.state.value,
            "verified": self.verified,
            "note": self.note,
        }


Source = Callable[[RemoteFile, Path], FileOutcome]
"""Puts a file where it belongs; `fetch.Downloader.fetch` and `local.copier` are such."""


def obtain(files: Iterable[RemoteFile], folder: Path, source: Source) -> Iterator[FileOutcome]:
    """Each file in turn; what is right already is not asked for again."""
    for file in files:
        target = folder / file.place
        match standing(target, file):
            case Standing.ABSENT:
                yield source(file, target)
            case Standing.DIFFERENT:
                note = f"{target} is left as it is: {difference(target, file)}"
                yield FileOutcome(file, State.DIFFERENT, note=note)
            case found:
                yield FileOutcome(file, State.PRESENT, verified=found is Standing.VERIFIED)


def refuse_none_found(outcomes: Sequence[FileOutcome]) -> None:
    """Raise where a folder has none of the files."""
    if all(outcome.state is State.MISSING for outcome in outcomes):
        names = "\n".join(f"  {outcome.file.place}" for outcome in outcomes[:5])
        raise FileProblem(
            f"none of the files is there; these and their like were looked for:\n{names}",
            remedy="A data folder, a clone of the repository, or the files themselves will do.",
        )
