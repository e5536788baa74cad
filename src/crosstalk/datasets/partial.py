"""What has arrived of a file so far, so that a download goes on where it stopped.

`NAME.part` holds the bytes, `NAME.part.json` the address they came from and the server's mark of
that version (its ETag). Both go when the file is complete.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from crosstalk.errors import OutputError
from crosstalk.files import cannot_write, making_folder, writing


class Partial:
    """The unfinished copy of `target`."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._note = target.with_name(target.name + ".part.json")

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def version(self, url: str) -> str:
        """The server's mark of what the bytes are a part of; empty when it is not known."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            return str(note["version"]) if note["url"] == url else ""
        except (OSError, ValueError, TypeError, LookupError):
            return ""

    def restart(self, url: str, version: str) -> None:
        with self._in_words():
            self.path.write_bytes(b"")
        with writing(self._note) as note:
            json.dump({"url": url, "version": version}, note)

    @contextmanager
    def appending(self) -> Iterator[BinaryIO]:
        with self._in_words(), self.path.open("ab") as raw:
            yield raw

    def finish(self) -> None:
        with self._in_words():
            with self.path.open("ab") as raw:
                os.fsync(raw.fileno())
            self.path.replace(self.target)
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Empty it; the file itself stays while it is held, for the lock is on it."""
        with self._in_words():
            self.path.write_bytes(b"")
        self._note.unlink(missing_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs away: two of them writing one file would spoil it for both."""
        with ExitStack() as afterwards:
            with self._in_words():
                afterwards.enter_context(making_folder(self.target.parent))
                raw = afterwards.enter_context(self.path.open("ab"))
            self._lock(raw)
            afterwards.callback(self._leave_nothing_empty)
            yield

    def _leave_nothing_empty(self) -> None:
        if self.size == 0:
            self.path.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    def _lock(self, raw: BinaryIO) -> None:
        with contextlib.suppress(ImportError):  # Windows keeps others away by itself
            import fcntl

            try:
                fcntl.flock(raw, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputError(
                    f"{self.target} is being fetched by another run",
                    remedy="Wait for it, or end it first.",
                ) from error

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(self.target, error) from error
