"""The journal of a work in progress: one line an event, on the disk before anybody is answered.

It stands beside the file it belongs to, in `NAME.edits/`. A line that a crash cut off was never
acknowledged and is taken out when the journal is opened again.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import cannot_write

FILE: Final = "journal.jsonl"
SECRET: Final = "secret"
Event = dict[str, Any]


def journal_folder(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix('.json')}.edits")


def read_events(folder: Path) -> list[Event]:
    """Every event that was acknowledged; none where there is no journal."""
    file = folder / FILE
    return list(_events(file, file.read_bytes())) if file.is_file() else []


def _events(file: Path, raw: bytes) -> Iterator[Event]:
    for number, line in enumerate(raw[: raw.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise FormatError(
                "this line is no event",
                place=Place(str(file), number),
                remedy="Restore the journal from a copy, or take the line out.",
            )
        yield event


class Journal:
    """Open for writing, by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise cannot_write(file, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise InputError(
                f"{folder}: another server is at work on this file",
                remedy="Stop it first, or send people to the address it printed.",
            ) from None
        raw = file.read_bytes()
        self.events = list(_events(file, raw))
        os.ftruncate(self._file, raw.rfind(b"\n") + 1)

    def append(self, *events: Event) -> None:
        """Durable when this returns; if it raises, nothing of it was written."""
        lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
        end = os.fstat(self._file).st_size
        try:
            _write(self._file, lines.encode())
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, end)  # half a line must not become the next one's beginning
            raise cannot_write(self.folder / FILE, error) from error
        self.events += events

    def secret(self, *, renew: bool = False) -> str:
        """What links are made from: as long as it stays, they do."""
        file = self.folder / SECRET
        if renew or not file.is_file():
            beside = file.with_suffix(".part")
            beside.unlink(missing_ok=True)
            handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "w") as text:
                text.write(secrets.token_hex(32))
            beside.replace(file)
        return file.read_text(encoding="ascii").strip()

    def close(self) -> None:
        os.close(self._file)


def _write(file: int, raw: bytes) -> None:
    while raw:
        raw = raw[os.write(file, raw) :]
