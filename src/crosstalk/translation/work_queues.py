"""What the queues of editors and of annotators have in common: a journal, a lock, an end."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Final

from crosstalk.errors import InputError, Rejection
from crosstalk.translation.checks import CONTROL
from crosstalk.translation.effort import Effort, efforts
from crosstalk.translation.journal import Journal
from crosstalk.translation.work import SETTLED, digest

LONGEST: Final = 8000
"""Characters of a text: the longest utterance we know has 1,100."""
IDLE: Final = 900.0
"""Seconds that one save can have taken at most; longer is somebody who went away."""
Key = tuple[str, int]


class WorkQueue(ABC):
    """A work that people do together, every step of it durable; safe from any thread."""

    def __init__(self, path: Path, journal: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._journal = Journal(journal)
        self._dirty = False
        """Whether the journal knows something that the files do not."""
        self._digests: dict[Path, str] = {}
        """The files as we read or wrote them last."""

    @property
    @abstractmethod
    def people(self) -> tuple[str, ...]:
        """Who works here."""

    @property
    @abstractmethod
    def languages(self) -> tuple[str, str]:
        """Source and target."""

    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """What is written from the journal."""

    @abstractmethod
    def _read_again(self, file: Path) -> None:
        """Take in what somebody else wrote into a file."""

    @abstractmethod
    def _write(self, file: Path) -> None:
        """One file as it stands now."""

    def write_files(self) -> None:
        """The files as they stand now; until then the journal is what knows.

        What somebody else wrote into them is taken in first, also where nothing is to be written.
        """
        with self._lock:
            for file in self.files():
                self._take_in(file)
            if not self._dirty:
                return
            for file in self.files():
                self._write(file)
            self._journal.append({"event": SETTLED, "at": self._now()})
            self._remember_files()
            self._dirty = False

    def _remember_files(self) -> None:
        self._digests = {file: digest(file) for file in self.files()}

    def _take_in(self, file: Path) -> None:
        """A file that is gone is only written anew."""
        now = digest(file)
        if now in ("", self._digests.get(file)):
            return
        try:
            self._read_again(file)
            self._digests[file] = now
        except InputError as error:
            raise InputError(
                f"{error.message}; it was changed while the pages were open and is left as it is",
                remedy=f"Nothing is lost: what was saved is in {self._journal.folder}. "
                "Mend the file; the pages take it in, also when they are started anew.",
            ) from error

    def efforts(self) -> dict[str, Effort]:
        with self._lock:
            return efforts(self._journal.events)

    @property
    def folder(self) -> Path:
        """Where the journal is, and whatever else belongs to the work."""
        return self._journal.folder

    def secret(self, *, renew: bool = False) -> str:
        return self._journal.secret(renew=renew)

    def close(self) -> None:
        try:
            self.write_files()
        finally:
            self._journal.close()

    def _now(self) -> float:
        return round(self._clock(), 3)


def refuse_text(text: str) -> None:
    if len(text) > LONGEST:
        raise Rejection("too_long", f"a text has at most {LONGEST} characters")
    if CONTROL.search(text):
        raise Rejection("unreadable", "the text has characters that cannot be read")


def worked(seconds: float) -> float:
    """What a page says it took, within reason."""
    return round(min(max(seconds, 0.0), IDLE), 1)
