"""Second opinions: who may give them, and what is made of them."""

from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from crosstalk.annotation.adjudication import CellChoice, Difference, differences, settle
from crosstalk.annotation.sampling import sample
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.opinions import TurnOpinion, as_dialogue
from crosstalk.collection.rooms import Status
from crosstalk.corpora.encoding import decode_dialogue, encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import Rejection
from crosstalk.web.collect.exports import Annotate
from crosstalk.web.collect.site import OurSite, Site, Transaction
from crosstalk.web.sessions import AnyWorker, NotAllowed
from crosstalk.web.store import opinions
from crosstalk.web.store.opinions import SETTLED, Panel
from crosstalk.web.store.people import Worker
from crosstalk.web.store.room_log import Log

COLLECTED: Final = "collected"
"""Stands for an expert in what the workers themselves have annotated."""


def needs_expert(worker: AnyWorker, site: OurSite) -> Worker:
    if not worker.admin and worker.id not in site.store.read(opinions.read_panel).experts:
        raise NotAllowed
    return worker


AnyExpert = Annotated[Worker, Depends(needs_expert)]


def annotate_of(request: Request) -> Annotate:
    annotate: Annotate = request.app.state.annotate
    return annotate


def draw(transaction: Transaction, share: float, seed: int) -> int:
    """Chooses the dialogues anew; what was said of others is kept."""
    finished = opinions.finished_rooms(transaction.connection)
    if not finished:
        raise Rejection("no_dialogues", "no dialogue is complete yet")
    panel = opinions.read_panel(transaction.connection)
    rooms = tuple(sample(finished, share, Random(seed)))
    opinions.write_panel(transaction.connection, replace(panel, rooms=rooms))
    return len(rooms)


def appoint(transaction: Transaction, expert: int, appointed: bool) -> None:
    panel = opinions.read_panel(transaction.connection)
    others = tuple(each for each in panel.experts if each != expert)
    experts = (*others, expert) if appointed else others
    opinions.write_panel(transaction.connection, replace(panel, experts=experts))


def sampled_log(site: Site, room: int) -> Log:
    """A room of the sample; others are nobody's business."""
    log = site.log(room) if room in site.store.read(opinions.read_panel).rooms else None
    if log is None or log.room.status is not Status.FINISHED:
        raise Rejection("unknown_room", f"room {room} is not in the sample")
    return log


def keep(site: Site, expert: Worker, room: int, body: dict[str, Any], done: bool) -> None:
    """An opinion that cannot be read is refused at once, not when it is compared."""
    log = sampled_log(site, room)
    if log.room.role_of(expert.id) is not None:
        raise Rejection("not_yours", "you took part in this dialogue")
    as_dialogue(site.context, room, log.room, turn_opinions(body))
    written = partial(opinions.write_opinion, room=room, expert=expert.id, body=body, done=done)
    site.store.write(partial(written, now=site.clock())).result()


def turn_opinions(body: dict[str, Any]) -> list[TurnOpinion]:
    return [
        TurnOpinion(
            ticks=tuple(turn["ticks"]),
            values={int(cell): value for cell, value in turn["values"].items()},
            first=turn["first"],
            last=turn["last"],
            selected=turn["selected"],
        )
        for turn in body["turns"]
    ]


@dataclass(frozen=True, slots=True)
class Versions:
    """Every annotation there is of one dialogue, with acts, by who made it."""

    dialogues: dict[str, Dialogue]
    settled: Dialogue | None

    def pair(self, left: str, right: str) -> tuple[Dialogue, Dialogue]:
        for name in (left, right):
            if name not in self.dialogues:
                raise Rejection("unknown_opinion", f"there is no annotation by {name!r}")
        return self.dialogues[left], self.dialogues[right]


def versions(site: Site, annotate: Annotate, panel: Panel, room: int) -> Versions:
    log = sampled_log(site, room)
    found = {COLLECTED: annotate(dialogue_of(room, log.room))}
    for expert in everybody(site, panel):
        kept = site.store.read(partial(opinions.read_opinion, room=room, expert=expert))
        if kept is not None and kept.done:
            said = as_dialogue(site.context, room, log.room, turn_opinions(kept.body))
            found[str(expert)] = annotate(said)
    return Versions(found, settled_version(site, room))


def everybody(site: Site, panel: Panel) -> list[int]:
    """Appointed experts, and whoever else has given an opinion."""
    begun = {expert for _, expert in site.store.read(opinions.states)} - {SETTLED}
    return sorted({*panel.experts, *begun})


def settled_version(site: Site, room: int) -> Dialogue | None:
    kept = site.store.read(partial(opinions.read_opinion, room=room, expert=SETTLED))
    return decode_dialogue(kept.body) if kept else None


def decide(
    site: Site, room: int, pair: tuple[Dialogue, Dialogue], choices: dict[str, CellChoice]
) -> Dialogue:
    """One version of two; `choices` are by the words of each difference's key."""
    found = list(differences(*pair))
    made = {each.key: choices[name(each)] for each in found if name(each) in choices}
    settled = settle(*pair, made)
    body = encode_dialogue(settled)
    written = partial(opinions.write_opinion, room=room, expert=SETTLED, body=body, done=True)
    site.store.write(partial(written, now=site.clock())).result()
    return settled


def name(difference: Difference) -> str:
    """A difference in a form: unlike its words, the same in every language."""
    key = difference.key
    return "\x1f".join((str(key.turn), key.part.value, *key.cell))
