"""The journal of a translation in progress: events, and what follows from them.

    journal = Journal(journal_folder(Path("work.json")))
    efforts(journal.events)             # time and cost by person
    current_editors(journal.events)

One JSON line per event, synced to disk before the client is answered. The journal is in the folder
`NAME.edits/` beside its file. A line that a crash cut off was never acknowledged; it is removed
when the journal is opened again.
"""

import fcntl
import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import cannot_write, parse_json, read_bytes
from crosstalk.language.confusables import look_alike

FILE: Final = "journal.jsonl"
SECRET: Final = "secret"
Event = dict[str, Any]


def journal_folder(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix('.json')}.edits")


def read_events(folder: Path) -> list[Event]:
    """All acknowledged events; empty where there is no journal."""
    file = folder / FILE
    return list(_events(file, read_bytes(file))) if file.is_file() else []


def _events(file: Path, raw: bytes) -> Iterator[Event]:
    for number, line in enumerate(raw[: raw.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            event = parse_json(line)
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
        raw = read_bytes(file)
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
        """The secret that personal links are derived from; renewing it invalidates them."""
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


@dataclass(frozen=True, slots=True)
class Effort:
    """One person's work; efforts add up.

    The paper reports 1,083 person-hours at 16 $ an hour for four languages, 17,328 $.
    """

    saves: int = 0
    utterances: int = 0
    """Distinct utterances; saving one again does not count."""
    seconds: float = 0.0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(
            self.saves + other.saves,
            self.utterances + other.utterances,
            self.seconds + other.seconds,
        )

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    def cost(self, rate: float) -> float:
        return self.hours * rate

    def record(self, rate: float) -> dict[str, float]:
        """As JSON."""
        return {
            "utterances": self.utterances,
            "saves": self.saves,
            "hours": round(self.hours, 4),
            "cost": round(self.cost(rate), 2),
        }


def efforts(events: Iterable[Event]) -> dict[str, Effort]:
    """Effort by person, in the order of their first event."""
    found: dict[str, Effort] = {}
    seen: set[tuple[str, str, int]] = set()
    for event in events:
        if event["event"] not in ("edit", "judge"):
            continue
        who = str(event["editor"])
        place = (who, str(event["dialogue"]), int(event["turn"]))
        seconds = float(event.get("seconds", 0.0))
        found[who] = found.get(who, Effort()) + Effort(1, int(place not in seen), seconds)
        seen.add(place)
    return found


NAME: Final = re.compile(r"[\w][\w\- ]{0,39}")


def refuse_names(names: Sequence[str]) -> None:
    for name in names:
        if not NAME.fullmatch(name):
            raise InputError(
                f"{name!r} is no name for a person here",
                remedy="Use 1 to 40 letters, digits, spaces and hyphens.",
            )
    for one, other in combinations(names, 2):
        if look_alike(one, other):
            raise InputError(
                f"two people have one name, or names that look alike: {one!r} and {other!r}",
                remedy="Give each a name of their own.",
            )


CAME: Final = "editor"
LEFT: Final = "left"
NOBODY: Final = "editor"
"""The editor's name if none was given; not recorded, so that names given later replace it."""


def current_editors(events: Iterable[Event]) -> tuple[str, ...]:
    """Names of editors who have joined and not left, in the order in which they joined."""
    here: dict[str, None] = {}
    for event in events:
        if event["event"] == CAME:
            here[str(event["name"])] = None
        elif event["event"] == LEFT:
            here.pop(str(event["name"]), None)
    return tuple(here)


def editor_changes(
    before: Sequence[str], coming: Sequence[str], leaving: Sequence[str]
) -> list[Event]:
    """Events for editors who join and leave; raises InputError if one who leaves is unknown."""
    refuse_names([*before, *(name for name in coming if name not in before)])
    for name in leaving:
        if name not in before:
            raise InputError(
                f"{name} is no editor of this file",
                remedy=f"Its editors are {', '.join(before) or 'not named yet'}.",
            )
    events = [{"event": CAME, "name": name} for name in coming if name not in before]
    return events + [{"event": LEFT, "name": name} for name in leaving]


def all_editors_ever(events: Sequence[Event]) -> set[str]:
    """Everybody who was an editor or saved something; none of them may judge the translation."""
    return {str(event["name"]) for event in events if event["event"] == CAME} | set(efforts(events))


def assign_dialogues(
    sizes: Mapping[str, int], editors: Sequence[str], kept: Mapping[str, str]
) -> dict[str, str]:
    """Dialogue -> editor: `kept` ones stay, others go to the editor with the fewest turns so far.

    Deterministic: dialogues are assigned in file order.
    """
    if not editors:
        return dict(kept)
    load = dict.fromkeys(editors, 0)
    given = {dialogue: name for dialogue, name in kept.items() if dialogue in sizes}
    for dialogue, name in given.items():
        if name in load:
            load[name] += sizes[dialogue]
    for dialogue, size in sizes.items():
        if dialogue not in given:
            least = min(editors, key=lambda name: load[name])
            given[dialogue] = least
            load[least] += size
    return given
