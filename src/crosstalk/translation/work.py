"""A translation in progress: the file of Appendix A and its journal, as one thing.

    work = read_work(Path("work.json"))        # what everybody has done, saved or not yet settled

Saves go to the journal first. Settling writes the file anew; until then, and after a crash, the
file is old and the journal knows better. A file that somebody changed by hand meanwhile wins where
both changed the same turn, and that is told.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.language.identify import guess_language
from crosstalk.translation.appendix_a import read_segments
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.journal import Event, journal_folder, read_events
from crosstalk.translation.segments import Pairs, Segment

SETTLED: Final = "settled"
State = tuple[str | None, Pairs | None]


@dataclass(frozen=True, slots=True)
class Work:
    """Everything as it stands."""

    segments: tuple[Segment, ...]
    events: tuple[Event, ...] = ()
    conflicts: tuple[tuple[str, int], ...] = ()
    """Turns that were changed both in the file and on the pages; the file's text stands."""


def read_work(path: Path) -> Work:
    return joined(read_segments(path), read_events(journal_folder(path)))


def work_languages(
    segments: Sequence[Segment], source: str | None = None, target: str | None = None
) -> tuple[str, str]:
    """What was given, or what the records say, or what they look like; sources are English."""
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
    """What all of the records say; empty where they differ."""
    found = {str(segment.extras.get(field, "")) for segment in segments}
    return found.pop() if len(found) == 1 else ""


def joined(segments: Sequence[Segment], events: Sequence[Event]) -> Work:
    """The segments after the edits that the file does not have yet."""
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
    """`about`: editor, seconds, moment, and the page's own number of the save."""
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
    """Raise where an utterance waits for its editor; `state` says what such utterances are."""
    waiting = [segment for segment in segments if not segment.finished]
    if waiting:
        raise InputError(
            f"{len(waiting):,} of {len(segments):,} utterances {state}, the first in dialogue "
            f"{waiting[0].dialogue}, turn {waiting[0].turn}",
            remedy=remedy,
        )


def terms_of(events: Iterable[Event]) -> dict[tuple[str, str], str]:
    """The glossary's changes, the last of each."""
    return {
        (str(event["slot"]), str(event["source"])): str(event["form"])
        for event in events
        if event["event"] == "term"
    }


def with_changes(glossary: Glossary, events: Iterable[Event]) -> Glossary:
    terms = {**glossary.terms, **terms_of(events)}
    return Glossary({key: form for key, form in terms.items() if form})


def digest(path: Path) -> str:
    """Of what the file says; empty where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


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
