"""Stage 2: editors at work on one file, each on their own dialogues, every save durable.

    queue = EditingQueue(Path("work.json"), editors=["ana", "ben"])
    queue.save(Save("MUL1", 0, text, values, revision=0), editor="ana")

Safe from any thread. Nothing here knows of the web.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError, Rejection
from crosstalk.language.normalize import comparable
from crosstalk.translation.appendix_a import encoded, read_segments, write_segments
from crosstalk.translation.checks import TranslationFinding, check_segment
from crosstalk.translation.consistency import Inconsistency, inconsistencies
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.journal import Event, journal_folder
from crosstalk.translation.people import NOBODY, assign, changes, current_editors, refuse_names
from crosstalk.translation.segments import Pairs, Segment, by_dialogue, matched
from crosstalk.translation.work import edit_event, joined, with_changes
from crosstalk.translation.work_queues import Key, WorkQueue, refuse_text, worked

log = logging.getLogger(__name__)
BY_HAND: Final = "by_hand"
"""A turn that was changed in the file while the pages were open: a page that shows it is old."""


@dataclass(frozen=True, slots=True)
class Save:
    """What an editor wants to be kept."""

    dialogue: str
    turn: int
    text: str
    values: Pairs
    revision: int
    """How often the turn had been saved when the editor began; a save between is not undone."""
    seconds: float = 0.0
    client: str = ""
    """The page's own number: the same save sent twice counts once."""


class EditingQueue(WorkQueue):
    """One file, open for editing."""

    def __init__(
        self,
        path: Path,
        *,
        languages: tuple[str, str],
        editors: Sequence[str] = (),
        without: Sequence[str] = (),
        glossary: Glossary | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`without`: who edits no longer; what was theirs goes to the others."""
        refuse_names(editors)
        self.source, self.target = languages
        segments = read_segments(path)
        super().__init__(path, journal_folder(path), clock)
        try:
            self.editors = self._known_editors(editors, without)
            self._open(segments, glossary or Glossary())
        except BaseException:
            self._journal.close()
            raise

    def _open(self, segments: Sequence[Segment], glossary: Glossary) -> None:
        work = joined(segments, self._journal.events)
        self._remember_files()
        self.conflicts = work.conflicts
        self._segments = {segment.key: segment for segment in work.segments}
        self._revisions: dict[Key, int] = {}
        self._clients: dict[str, Key] = {}
        for event in self._journal.events:
            self._count(event)
        self._glossary = with_changes(glossary, self._journal.events)
        self._assign()
        self._dirty = bool(work.segments != tuple(segments) or work.conflicts)

    def _known_editors(self, coming: Sequence[str], leaving: Sequence[str]) -> tuple[str, ...]:
        events = changes(current_editors(self._journal.events), coming, leaving)
        self._journal.append(*({**event, "at": self._now()} for event in events))
        return current_editors(self._journal.events) or (NOBODY,)

    def _assign(self) -> None:
        """Dialogues stay with whoever has begun them and is here; the others are shared out."""
        sizes = {id: len(turns) for id, turns in by_dialogue(list(self._segments.values())).items()}
        self.dialogues = tuple(sizes)
        begun = {
            str(event["dialogue"]): str(event["owner"])
            for event in self._journal.events
            if event["event"] == "edit" and event.get("owner") in self.editors
        }
        self._owners = assign(sizes, self.editors, begun)

    @property
    def people(self) -> tuple[str, ...]:
        return self.editors

    @property
    def languages(self) -> tuple[str, str]:
        return self.source, self.target

    # Looking

    def owner(self, dialogue: str) -> str:
        return self._owners[dialogue]

    def segments(self, dialogue: str) -> list[Segment]:
        with self._lock:
            return [each for each in self._segments.values() if each.dialogue == dialogue]

    def all_segments(self) -> list[Segment]:
        with self._lock:
            return list(self._segments.values())

    def revision(self, key: Key) -> int:
        with self._lock:
            return self._revisions.get(key, 0)

    def progress(self) -> dict[str, tuple[int, int]]:
        """Dialogue to turns that are finished, and all."""
        found = {dialogue: [0, 0] for dialogue in self.dialogues}
        for segment in self.all_segments():
            found[segment.dialogue][0] += segment.finished
            found[segment.dialogue][1] += 1
        return {dialogue: (done, all) for dialogue, (done, all) in found.items()}

    @property
    def glossary(self) -> Glossary:
        return self._glossary

    def inconsistencies(self) -> list[Inconsistency]:
        return inconsistencies(self.all_segments(), self._glossary)

    def looked_at(self, key: Key, text: str, values: Pairs) -> Segment:
        """A turn as it would be with these texts."""
        return self._known(key).with_edit(text, values)

    def findings(self, segment: Segment) -> list[TranslationFinding]:
        return list(check_segment(segment, self.source, self.target, self._glossary))

    def records(self) -> Iterable[dict[str, Any]]:
        return map(encoded, self.all_segments())

    # Changing

    def save(self, save: Save, editor: str, *, coordinator: bool = False) -> int:
        """The turn's new revision, once it is on the disk."""
        key = save.dialogue, save.turn
        with self._lock:
            before = self._known(key)
            owner = self._owners[save.dialogue]
            if owner != editor and not coordinator:
                raise Rejection("not_yours", "this dialogue is somebody else's")
            if save.client and save.client in self._clients:
                return self._revisions[key]
            if save.revision != self._revisions.get(key, 0):
                raise Rejection("changed_meanwhile", "this turn was saved in another window")
            _refuse_texts(before, save)
            about: Event = {"editor": editor, "owner": owner, "at": self._now()}
            about |= {"seconds": worked(save.seconds), "id": save.client}
            event = edit_event(before, save.text, save.values, **about)
            self._keep([event])
            return self._revisions[key]

    def set_form(self, slot: str, source: str, form: str, editor: str) -> None:
        """One form for a value from now on; an empty one takes it out of the glossary."""
        refuse_text(form)
        event = {"event": "term", "slot": slot, "source": comparable(source), "form": form.strip()}
        with self._lock:
            self._journal.append({**event, "editor": editor, "at": self._now()})
            self._glossary = with_changes(self._glossary, [event])

    def unify(self, slot: str, source: str, form: str, editor: str) -> int:
        """The form into the glossary and into every edited turn; how many were changed.

        An utterance that says the old form literally, and once, says the new one afterwards.
        """
        self.set_form(slot, source, form, editor)
        with self._lock:
            events = []
            for segment in self._segments.values():
                after = _unified(segment, slot, comparable(source), form.strip())
                if after is not None:
                    about = {"editor": editor, "owner": self._owners[segment.dialogue]}
                    moment = {"at": self._now(), "seconds": 0.0, "id": ""}
                    text, values = after
                    events.append(edit_event(segment, text, values, **about, **moment))
            self._keep(events)
            return len(events)

    def files(self) -> tuple[Path, ...]:
        return (self.path,)

    def _write(self, file: Path) -> None:
        write_segments(self._segments.values(), file)

    def _read_again(self, file: Path) -> None:
        """The file's text stands; records that are new to us come last, in nobody's way."""
        work = joined(read_segments(file), self._journal.events)
        changed = [each for each in work.segments if self._segments.get(each.key) != each]
        moment = self._now()
        events = [
            {"event": BY_HAND, "dialogue": each.dialogue, "turn": each.turn, "at": moment}
            for each in changed
        ]
        self._journal.append(*events)
        for event in events:
            self._count(event)
        for key in work.conflicts:
            log.warning("dialogue %s, turn %d: changed in %s too; its text stands", *key, file)
        self.conflicts += work.conflicts
        self._segments |= {each.key: each for each in changed}
        self._assign()

    def _known(self, key: Key) -> Segment:
        found = self._segments.get(key)
        if found is None:
            raise Rejection("unknown_turn", f"there is no turn {key[1]} in dialogue {key[0]}")
        return found

    def _keep(self, events: Sequence[Event]) -> None:
        self._journal.append(*events)
        for event in events:
            key = str(event["dialogue"]), int(event["turn"])
            values = tuple((slot, value) for slot, value in event["values"])
            self._segments[key] = self._segments[key].with_edit(event["text"], values)
            self._count(event)
            self._dirty = True

    def _count(self, event: Event) -> None:
        if event["event"] in ("edit", BY_HAND):
            key = str(event["dialogue"]), int(event["turn"])
            self._revisions[key] = self._revisions.get(key, 0) + 1
            if event.get("id"):
                self._clients[str(event["id"])] = key


def _refuse_texts(before: Segment, save: Save) -> None:
    if not save.text.strip() and before.utterance.strip():
        raise Rejection("empty_text", "there is no translation")
    refuse_text(save.text)
    wanted, given = [slot for slot, _ in before.values], [slot for slot, _ in save.values]
    if sorted(wanted) != sorted(given):
        raise Rejection("bad_value", "the values are not those of this turn's slots")
    for _, value in save.values:
        refuse_text(value)


def _unified(segment: Segment, slot: str, source: str, form: str) -> tuple[str, Pairs] | None:
    """Text and values with the new form; None where nothing changes or nobody has edited."""
    if segment.edited is None or segment.edited_values is None:
        return None
    text, values, changed = segment.edited, [], False
    forms = matched(segment.values, segment.edited_values)
    for (key, value), there in zip(segment.values, forms, strict=True):
        old = there or ""
        if key == slot and comparable(value) == source and old != form:
            changed = True
            if old and text.count(old) == 1 and form not in text:
                text = text.replace(old, form)
            old = form
        values.append((key, old))
    return (text, tuple(values)) if changed else None


def open_queue(
    path: Path,
    languages: tuple[str, str],
    editors: Sequence[str] = (),
    glossary: Glossary | None = None,
    without: Sequence[str] = (),
) -> EditingQueue:
    queue = EditingQueue(
        path, languages=languages, editors=editors, without=without, glossary=glossary
    )
    if not queue.dialogues:
        queue.close()
        raise InputError(f"{path} has no utterance", remedy="Give a file that has some.")
    return queue


def with_forms(segment: Segment, glossary: Glossary) -> Segment:
    """What an editor begins with: the machine's text, values in the glossary's form."""
    if segment.finished:
        return segment
    given = matched(segment.values, segment.machine_values)
    values = tuple(
        (slot, glossary.translate(slot, value) or form or "")
        for (slot, value), form in zip(segment.values, given, strict=True)
    )
    return replace(segment, edited=segment.text, edited_values=values)
