"""A translation in progress: the file of Appendix A together with its journal.

    work = read_work(Path("work.json"))        # the file plus the edits that it does not have yet

Saves go to the journal first; `WorkQueue.write_files` then rewrites the file and records a
`settled` event. Until then, and after a crash, the journal is newer than the file. If a turn was
changed both in the file (by hand) and on the pages, the file wins and the turn is reported as a
conflict. `WorkQueue` is what editors (stage 2) and annotators (stage 3) have in common.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError, Rejection
from crosstalk.files import sha256_of
from crosstalk.language.writing import guess_language
from crosstalk.translation.appendix_files import read_segments
from crosstalk.translation.checks import CONTROL
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.journal import (
    Effort,
    Event,
    Journal,
    efforts,
    journal_folder,
    read_events,
)
from crosstalk.translation.translation_segments import Pairs, Segment

SETTLED: Final = "settled"
State = tuple[str | None, Pairs | None]


@dataclass(frozen=True, slots=True)
class Work:
    """Segments with all edits applied, and the journal they come from."""

    segments: tuple[Segment, ...]
    events: tuple[Event, ...] = ()
    conflicts: tuple[tuple[str, int], ...] = ()
    """Turns that were changed both in the file and on the pages; the file's text is kept."""


def read_work(path: Path) -> Work:
    return merge_journal(read_segments(path), read_events(journal_folder(path)))


def work_languages(
    segments: Sequence[Segment], source: str | None = None, target: str | None = None
) -> tuple[str, str]:
    """(source, target): as given, else as the records say, else guessed; source defaults to en."""
    some = segments[:200]
    utterances = " ".join(segment.utterance for segment in some)
    here = source or _said(some, "source") or guess_language(utterances) or "en"
    found = sorted({segment.language for segment in segments if segment.language})
    if len(found) > 1 and target is None:
        raise InputError(
            f"the records are in several languages: {', '.join(found)}",
            remedy="Make a file for each, or say with --to which one all of them are in.",
        )
    there = target or _said(some, "language") or guess_language(" ".join(s.text for s in some))
    if not there:
        raise InputError("the target language is unknown", remedy="Give --to CODE, such as de.")
    return here, there


def _said(segments: Sequence[Segment], field: str) -> str:
    """The value of a field that all records share; empty where they differ."""
    found = {str(segment.extras.get(field, "")) for segment in segments}
    return found.pop() if len(found) == 1 else ""


def merge_journal(segments: Sequence[Segment], events: Sequence[Event]) -> Work:
    """Apply the edits that the file does not have yet; conflicting ones are listed instead."""
    pending: dict[tuple[str, int], list[Event]] = {}
    for event in after_settling(events):
        if event["event"] == "edit":
            pending.setdefault((event["dialogue"], event["turn"]), []).append(event)
    done: list[Segment] = []
    conflicts = []
    for segment in segments:
        chain = pending.get(segment.key, [])
        state = (segment.edited, segment.edited_values)
        if not chain or state in {*map(_before, chain), *map(_after, chain)}:
            done.append(_with(segment, _after(chain[-1]) if chain else state))
        else:
            done.append(segment)
            conflicts.append(segment.key)
    return Work(tuple(done), tuple(events), tuple(conflicts))


def after_settling(events: Sequence[Event]) -> Sequence[Event]:
    last = max((n for n, event in enumerate(events) if event["event"] == SETTLED), default=-1)
    return events[last + 1 :]


def edit_event(before: Segment, text: str, values: Pairs, **about: Any) -> Event:
    """The journal event of an edit; `about`: editor, owner, seconds, time and client id."""
    was = None if before.edited is None else before.edited
    had = before.edited_values
    return {
        "event": "edit",
        "dialogue": before.dialogue,
        "turn": before.turn,
        "text": text,
        "values": [list(pair) for pair in values],
        "before": {"text": was, "values": None if had is None else [list(pair) for pair in had]},
        **about,
    }


def refuse_unedited(segments: Sequence[Segment], state: str, remedy: str) -> None:
    """Raise InputError if an utterance is not edited; `state` completes the message."""
    waiting = [segment for segment in segments if not segment.finished]
    if waiting:
        raise InputError(
            f"{len(waiting):,} of {len(segments):,} utterances {state}, the first in dialogue "
            f"{waiting[0].dialogue}, turn {waiting[0].turn}",
            remedy=remedy,
        )


def terms_of(events: Iterable[Event]) -> dict[tuple[str, str], str]:
    """(slot, source) -> form, from the glossary events; the last event of each term counts."""
    return {
        (str(event["slot"]), str(event["source"])): str(event["form"])
        for event in events
        if event["event"] == "term"
    }


def with_term_events(glossary: Glossary, events: Iterable[Event]) -> Glossary:
    terms = {**glossary.terms, **terms_of(events)}
    return Glossary({key: form for key, form in terms.items() if form})


def digest(path: Path) -> str:
    """SHA-256 of a file's content; empty if there is no file."""
    return sha256_of(path, may_be_empty=True) if path.is_file() else ""


def _pairs(raw: Any) -> Pairs | None:
    return None if raw is None else tuple((str(slot), str(value)) for slot, value in raw)


def _before(event: Event) -> State:
    before = event["before"]
    return before["text"], _pairs(before["values"])


def _after(event: Event) -> State:
    return event["text"], _pairs(event["values"])


def _with(segment: Segment, state: State) -> Segment:
    text, values = state
    if text is None or values is None:
        return segment
    return segment.with_edit(text, values)


LONGEST: Final = 8000
"""Maximum number of characters of a text; the longest utterance we know has 1,100."""
IDLE: Final = 900.0
"""Maximum number of seconds counted for one save; more means the editor was away."""
Key = tuple[str, int]


class WorkQueue(ABC):
    """Files that several people work on; every change is durable; safe from any thread."""

    dialogues: tuple[str, ...] = ()
    """Ids in the order of the file."""

    def __init__(self, path: Path, journal: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._journal = Journal(journal)
        self._dirty = False
        """Whether the journal holds changes that the files do not have."""
        self._digests: dict[Path, str] = {}
        """Digests of the files as last read or written."""

    @property
    @abstractmethod
    def people(self) -> tuple[str, ...]:
        """Names of the people who have access."""

    @property
    @abstractmethod
    def languages(self) -> tuple[str, str]:
        """Source and target."""

    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """Files that are written from the journal."""

    @abstractmethod
    def _read_again(self, file: Path) -> None:
        """Merge a file that somebody else has changed."""

    @abstractmethod
    def _write(self, file: Path) -> None:
        """Write the current state of one file."""

    def write_files(self) -> None:
        """Bring the files up to date with the journal.

        Changes that somebody else made to the files are merged first, even if there is nothing to
        write.
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
        """Merge a file if it was changed; a deleted one is simply written again."""
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
        """Folder of the journal, the accounts and the secret."""
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


def capped_seconds(seconds: float) -> float:
    """Working time reported by a page, limited to 0..IDLE."""
    return round(min(max(seconds, 0.0), IDLE), 1)
