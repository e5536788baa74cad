"""Stage 2, post-editing: the queue of one file, in which each editor has their own dialogues.

    queue = EditingQueue(Path("work.json"), editors=["ana", "ben"])
    queue.save(EditRequest("MUL1", 0, text, values, revision=0), editor="ana")

Every save is durable when it is acknowledged. Safe from any thread; independent of the website.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError, Rejection
from crosstalk.language.normalize import comparable
from crosstalk.translation.appendix_files import read_segments, segment_record, write_segments
from crosstalk.translation.checks import TranslationFinding, check_segment
from crosstalk.translation.glossary import Glossary, Inconsistency, inconsistencies
from crosstalk.translation.journal import (
    NOBODY,
    Event,
    assign_dialogues,
    current_editors,
    editor_changes,
    journal_folder,
    refuse_names,
)
from crosstalk.translation.translation_segments import Pairs, Segment, by_dialogue, matched
from crosstalk.translation.work import (
    Key,
    WorkQueue,
    capped_seconds,
    edit_event,
    merge_journal,
    refuse_text,
    with_term_events,
)

log = logging.getLogger(__name__)
MOST_DOUBTS: Final = 5
"""Doubts that are told at once."""
BY_HAND: Final = "by_hand"
"""Event of a turn that was changed in the file while the pages were open."""


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One save of an editor."""

    dialogue: str
    turn: int
    text: str
    values: Pairs
    revision: int
    """The turn's revision when the editor opened it; a save in between is not overwritten."""
    seconds: float = 0.0
    client: str = ""
    """Id given by the page: the same save sent twice counts once."""


def untranslated_words(segment: Segment) -> list[str]:
    """Words that the machine could not translate and that still stand in the text."""
    text = comparable(segment.text)
    return [word for word in segment.untranslated if comparable(word) in text]


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
        """`without`: editors who leave; their dialogues go to the others."""
        refuse_names(editors)
        self.source, self.target = languages
        segments = read_segments(path)
        super().__init__(path, journal_folder(path), clock)
        try:
            self.editors = self._known_editors(editors, without)
            self._open(segments, glossary or Glossary())
        except BaseException:  # also Ctrl-C: the journal is closed, and the error goes on
            self._journal.close()
            raise

    def _open(self, segments: Sequence[Segment], glossary: Glossary) -> None:
        work = merge_journal(segments, self._journal.events)
        self._remember_files()
        self.conflicts = work.conflicts
        self._segments = {segment.key: segment for segment in work.segments}
        self._revisions: dict[Key, int] = {}
        self._doubts: dict[Key, tuple[Segment, list[str]]] = {}
        self._clients: dict[str, Key] = {}
        for event in self._journal.events:
            self._count(event)
        self._glossary = with_term_events(glossary, self._journal.events)
        self._assign()
        self._dirty = bool(work.segments != tuple(segments) or work.conflicts)

    def _known_editors(self, coming: Sequence[str], leaving: Sequence[str]) -> tuple[str, ...]:
        events = editor_changes(current_editors(self._journal.events), coming, leaving)
        self._journal.append(*({**event, "at": self._now()} for event in events))
        return current_editors(self._journal.events) or (NOBODY,)

    def _assign(self) -> None:
        """Dialogues stay with the editor who began them; the others are divided."""
        sizes = {id: len(turns) for id, turns in by_dialogue(list(self._segments.values())).items()}
        self.dialogues = tuple(sizes)
        begun = {
            str(event["dialogue"]): str(event["owner"])
            for event in self._journal.events
            if event["event"] == "edit" and event.get("owner") in self.editors
        }
        self._owners = assign_dialogues(sizes, self.editors, begun)

    @property
    def people(self) -> tuple[str, ...]:
        return self.editors

    @property
    def languages(self) -> tuple[str, str]:
        return self.source, self.target

    # Reading

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
        """Dialogue -> (finished turns, all turns)."""
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

    def preview(self, key: Key, text: str, values: Pairs) -> Segment:
        """The segment as it would be after an edit; nothing is saved."""
        return self._known(key).with_edit(text, values)

    def findings(self, segment: Segment) -> list[TranslationFinding]:
        return list(check_segment(segment, self.source, self.target, self._glossary))

    def doubts(self, segment: Segment) -> list[str]:
        """What is probably not finished in a text: problems that the checks find (a value that is
        missing, a lost number), and words that the machine left and nobody has translated.
        """
        known = self._doubts.get(segment.key)
        if known is None or known[0] is not segment:
            told = [
                finding.what or finding.slot or finding.code.value
                for finding in self.findings(segment)
                if finding.is_problem
            ]
            known = segment, list(dict.fromkeys([*told, *untranslated_words(segment)]))
            self._doubts[segment.key] = known
        return known[1]

    def doubtful(self) -> dict[str, tuple[int, int]]:
        """Dialogue -> (finished turns with doubts, unfinished turns with doubts)."""
        found = {dialogue: [0, 0] for dialogue in self.dialogues}
        for segment in self.all_segments():
            found[segment.dialogue][not segment.finished] += bool(self.doubts(segment))
        return {dialogue: (done, open) for dialogue, (done, open) in found.items()}

    def records(self) -> Iterable[dict[str, Any]]:
        return map(segment_record, self.all_segments())

    # Changing

    def save(
        self, save: EditRequest, editor: str, *, coordinator: bool = False, asks: bool = False
    ) -> int:
        """The turn's new revision, once it is on the disk.

        `asks`: refuse a text in which something seems to be missing (`doubts`), for a page to ask.
        """
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
            if asks and (doubts := self.doubts(before.with_edit(save.text, save.values))):
                raise Rejection("doubtful", "; ".join(doubts[:MOST_DOUBTS]))
            about: Event = {"editor": editor, "owner": owner, "at": self._now()}
            about |= {"seconds": capped_seconds(save.seconds), "id": save.client}
            event = edit_event(before, save.text, save.values, **about)
            self._keep([event])
            return self._revisions[key]

    def set_form(self, slot: str, source: str, form: str, editor: str) -> None:
        """Set the glossary's form of a value; an empty form removes the term."""
        refuse_text(form)
        event = {"event": "term", "slot": slot, "source": comparable(source), "form": form.strip()}
        with self._lock:
            self._journal.append({**event, "editor": editor, "at": self._now()})
            self._glossary = with_term_events(self._glossary, [event])

    def unify(self, slot: str, source: str, form: str, editor: str) -> int:
        """Set a form in the glossary and in all edited turns; returns how many were changed.

        The utterance is changed too if it contains the old form exactly once.
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
        """The file's text is kept; records that are new to us are added at the end."""
        work = merge_journal(read_segments(file), self._journal.events)
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


def _refuse_texts(before: Segment, save: EditRequest) -> None:
    if not save.text.strip() and before.utterance.strip():
        raise Rejection("empty_text", "there is no translation")
    refuse_text(save.text)
    wanted, given = [slot for slot, _ in before.values], [slot for slot, _ in save.values]
    if sorted(wanted) != sorted(given):
        raise Rejection("bad_value", "the values are not those of this turn's slots")
    for _, value in save.values:
        refuse_text(value)


def _unified(segment: Segment, slot: str, source: str, form: str) -> tuple[str, Pairs] | None:
    """Text and values with the new form; None if nothing changes or the turn is not edited."""
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
    """What an editor starts from: the machine's text, with values in the glossary's form."""
    if segment.finished:
        return segment
    given = matched(segment.values, segment.machine_values)
    values = tuple(
        (slot, glossary.translate(slot, value) or form or "")
        for (slot, value), form in zip(segment.values, given, strict=True)
    )
    return replace(segment, edited=segment.text, edited_values=values)
