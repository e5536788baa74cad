"""Expert annotations: which dialogues are annotated again and by whom, storage, adjudication.

Tables, URLs and error codes call such an annotation an opinion.
"""

import json
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from sqlalchemy import Connection, delete, insert, select

from crosstalk.annotation.adjudication import CellChoice
from crosstalk.annotation.decisions import decisions
from crosstalk.annotation.expert_sample import sample
from crosstalk.annotation.label_states import Verdicts, choices_of, label_states, with_labels
from crosstalk.annotation.settlement import settle
from crosstalk.collection.export import TurnAnnotation, annotated_dialogue, dialogue_of
from crosstalk.collection.rooms import Status
from crosstalk.corpora.record_encoding import decode_dialogue, encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import Rejection
from crosstalk.web.collect.corpus_export import Annotate
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.sessions import needs
from crosstalk.web.store.role_store import Permission, StaffRole, give, holders
from crosstalk.web.store.room_store import Log
from crosstalk.web.store.sql_tables import OPINIONS, ROOMS, SETTINGS
from crosstalk.web.store.worker_store import Worker

PANEL: Final = "panel"
SETTLED: Final = 0
"""In place of an expert's id: the adjudicated annotation."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Which dialogues are annotated again, and by whom."""

    rooms: tuple[int, ...] = ()
    experts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredAnnotation:
    """One expert's annotation of one room."""

    body: dict[str, Any]
    done: bool


def read_panel(connection: Connection) -> Panel:
    wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == PANEL)
    found = connection.execute(wanted).scalar()
    experts = holders(connection, StaffRole.EXPERT)
    if found is None:
        return Panel(experts=experts)
    return Panel(tuple(json.loads(found)["rooms"]), experts)


def write_panel(connection: Connection, panel: Panel) -> None:
    value = json.dumps({"rooms": panel.rooms})
    connection.execute(delete(SETTINGS).where(SETTINGS.c.key == PANEL))
    connection.execute(insert(SETTINGS).values(key=PANEL, value=value))


def finished_rooms(connection: Connection) -> list[int]:
    """Rooms that can be annotated again: finished and not returned by a reviewer."""
    wanted = select(ROOMS.c.id).where(
        ROOMS.c.status == Status.FINISHED.value, ROOMS.c.review != "returned"
    )
    return list(connection.execute(wanted.order_by(ROOMS.c.id)).scalars())


def took_part(connection: Connection, worker: int, rooms: tuple[int, ...]) -> set[int]:
    own = (ROOMS.c.user == worker) | (ROOMS.c.wizard == worker)
    return set(connection.execute(select(ROOMS.c.id).where(ROOMS.c.id.in_(rooms), own)).scalars())


def read_annotation(connection: Connection, room: int, expert: int) -> StoredAnnotation | None:
    wanted = select(OPINIONS).where(OPINIONS.c.room == room, OPINIONS.c.expert == expert)
    row = connection.execute(wanted).first()
    return StoredAnnotation(json.loads(row.body), row.done) if row else None


def write_annotation(
    connection: Connection, room: int, expert: int, body: dict[str, Any], done: bool, now: float
) -> None:
    same = (OPINIONS.c.room == room) & (OPINIONS.c.expert == expert)
    connection.execute(delete(OPINIONS).where(same))
    values = {"body": json.dumps(body, ensure_ascii=False), "done": done, "changed": now}
    connection.execute(insert(OPINIONS).values(room=room, expert=expert, **values))


def states(connection: Connection) -> dict[tuple[int, int], bool]:
    """(room, expert) -> whether the annotation is complete."""
    rows = connection.execute(select(OPINIONS.c.room, OPINIONS.c.expert, OPINIONS.c.done))
    return {(row.room, row.expert): row.done for row in rows}


COLLECTED: Final = "collected"
"""In place of an expert's id: the annotation by the workers themselves."""


AnyExpert = Annotated[Worker, Depends(needs(Permission.ANNOTATE))]


def annotate_of(request: Request) -> Annotate:
    annotate: Annotate = request.app.state.annotate
    return annotate


def draw(transaction: Transaction, share: float, seed: int) -> int:
    """Draw a new sample; annotations of other dialogues are kept."""
    finished = finished_rooms(transaction.connection)
    if not finished:
        raise Rejection("no_dialogues", "no dialogue is complete yet")
    panel = read_panel(transaction.connection)
    rooms = tuple(sample(finished, share, Random(seed)))
    write_panel(transaction.connection, replace(panel, rooms=rooms))
    return len(rooms)


def appoint(transaction: Transaction, expert: int, appointed: bool, by: int) -> None:
    give(transaction.connection, expert, StaffRole.EXPERT, appointed, by, transaction.now)


def sampled_log(site: Site, room: int) -> Log:
    """A finished room of the sample; raises Rejection for any other."""
    log = site.log(room) if room in site.store.read(read_panel).rooms else None
    if log is None or log.room.status is not Status.FINISHED:
        raise Rejection("unknown_room", f"room {room} is not in the sample")
    return log


def own_log(site: Site, expert: Worker, room: int) -> Log:
    """A dialogue of the sample that the expert took no part in."""
    log = sampled_log(site, room)
    if log.room.role_of(expert.id) is not None:
        raise Rejection("not_yours", "you took part in this dialogue")
    return log


def keep(site: Site, expert: Worker, room: int, body: dict[str, Any], done: bool) -> None:
    """Store an annotation; one that cannot be converted to a dialogue is rejected at once, and
    one with turns that nobody has looked at cannot be done.
    """
    log = own_log(site, expert, room)
    annotated_dialogue(site.context, room, log.room, turn_annotations(body))
    turns = log.room.conversation.turns
    unseen = len(turns) - sum(turn["state"] != UNSEEN for turn in body["turns"])
    if done and unseen:
        raise Rejection("unseen_turns", f"{unseen} turns have not been looked at")
    written = partial(write_annotation, room=room, expert=expert.id, body=body, done=done)
    site.store.write(partial(written, now=site.clock())).result()


UNSEEN, NOTHING_SAID, SAID = "unseen", "nothing", "said"
"""States of a turn: not looked at, nothing in it, something in it."""


def turn_annotations(body: dict[str, Any]) -> list[TurnAnnotation]:
    """What a page sent about the turns; stores of earlier versions have no states."""
    return [
        TurnAnnotation(
            ticks=tuple(turn["ticks"]),
            values={int(cell): value for cell, value in turn["values"].items()},
            dropped=tuple(turn.get("dropped", ())),
            first=turn["first"],
            last=turn["last"],
            selected=turn["selected"],
        )
        if turn.get("state", SAID) == SAID
        else TurnAnnotation()
        for turn in body["turns"]
    ]


@dataclass(frozen=True, slots=True)
class Versions:
    """All complete annotations of one dialogue, with acts, by annotator."""

    dialogues: dict[str, Dialogue]
    settled: Dialogue | None
    made: dict[str, Any]
    """How it was settled."""

    def pair(self, left: str, right: str) -> tuple[Dialogue, Dialogue]:
        for name in (left, right):
            if name not in self.dialogues:
                raise Rejection("unknown_opinion", f"there is no annotation by {name!r}")
        return self.dialogues[left], self.dialogues[right]


def versions(site: Site, annotate: Annotate, panel: Panel, room: int) -> Versions:
    log = sampled_log(site, room)
    found = {COLLECTED: annotate(dialogue_of(room, log.room))}
    for expert in everybody(site, panel):
        kept = site.store.read(partial(read_annotation, room=room, expert=expert))
        if kept is not None and kept.done:
            said = annotated_dialogue(site.context, room, log.room, turn_annotations(kept.body))
            found[str(expert)] = annotate(said)
    return Versions(found, settled_version(site, room), made_verdicts(site, room))


def everybody(site: Site, panel: Panel) -> list[int]:
    """Appointed experts, and everybody else who has begun an annotation."""
    begun = {expert for _, expert in site.store.read(states)} - {SETTLED}
    return sorted({*panel.experts, *begun})


def settled_version(site: Site, room: int) -> Dialogue | None:
    kept = site.store.read(partial(read_annotation, room=room, expert=SETTLED))
    return decode_dialogue(_dialogue_record(kept.body)) if kept else None


def _dialogue_record(body: dict[str, Any]) -> dict[str, Any]:
    """The settled dialogue; stores of earlier versions hold nothing else."""
    record: dict[str, Any] = body.get("dialogue", body)
    return record


def made_verdicts(site: Site, room: int) -> dict[str, Any]:
    """What was decided when the room was last settled: left, right, verdicts; empty if not yet."""
    kept = site.store.read(partial(read_annotation, room=room, expert=SETTLED))
    return {name: each for name, each in kept.body.items() if name in MADE} if kept else {}


MADE: Final = ("left", "right", "verdicts")


def decide(
    site: Site,
    annotate: Annotate,
    room: int,
    pair: tuple[Dialogue, Dialogue],
    verdicts: Verdicts,
    finished: bool,
    told: dict[str, Any],
) -> int:
    """Settle on one version of two; return how much is undecided.

    `finished`: nothing may be undecided. `told`: the verdicts as a page sends them, kept for it.
    """
    by_default = None if finished else CellChoice.LEFT
    settled = settle(*pair, choices_of(verdicts), otherwise=by_default, derive=annotate)
    marked = with_labels(settled, label_states(*pair, settled, verdicts))
    unmade = [each for each in decisions(*pair, acts=False) if each.key not in verdicts]
    body = {**told, "dialogue": encode_dialogue(marked)}
    written = partial(
        write_annotation, room=room, expert=SETTLED, body=body, done=not unmade, now=site.clock()
    )
    site.store.write(written).result()
    return len(unmade)


def all_versions(site: Site, annotate: Annotate) -> dict[str, list[Dialogue]]:
    """Every finished annotation of the sample, by annotator: `collected`, experts, `settled`."""
    panel = site.store.read(read_panel)
    finished = {room for (room, _), done in site.store.read(states).items() if done}
    found: dict[str, list[Dialogue]] = {}
    for room in sorted(finished.intersection(panel.rooms)):
        kept = versions(site, annotate, panel, room)
        settled = {"settled": kept.settled} if kept.settled else {}
        for name, dialogue in {**kept.dialogues, **settled}.items():
            found.setdefault(name, []).append(dialogue)
    return found
