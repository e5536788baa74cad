"""What comes next for a worker: consent, questionnaires, training, lobby, room, the end of a study.

    next_step(site, connection, worker)       # Step("questionnaire", "sus", Moment.AFTER)
    end_visit(transaction, worker.id, Outcome.WITHDREW)

Pages lead to the next step, and the lobby lets only those in whose step it is.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from crosstalk.collection.questionnaires import Questionnaire
from crosstalk.collection.rooms import Room
from crosstalk.collection.study import Moment, Outcome, Study, digest
from crosstalk.errors import Rejection
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store import attendance, study_store
from crosstalk.web.store.room_store import free_goals
from crosstalk.web.store.study_store import CONSENT, NO_ROOM, Arrival
from crosstalk.web.store.worker_store import Worker, change_worker, find_worker

LOBBY: Final = "lobby"
WRONG: Final = " wrong"
"""Added to an exercise's key: the number of wrong answers."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a worker does next."""

    stage: str
    """room, done, consent, questionnaire, training, waiting or lobby."""
    questionnaire: str = ""
    moment: Moment = Moment.BEFORE
    room: int = NO_ROOM


def next_step(site: Site, connection: Connection, worker: Worker) -> Step:
    room = attendance.room_of(connection, worker.id)
    if room is not None:
        return Step("room", room=room)
    visit = visit_of(site, connection, worker.id)
    if visit is not None and visit.outcome is not None:
        return Step("done")
    if not worker.consented or not _has_agreed(site.study, connection, worker):
        return Step("consent")
    if asked := _next_questionnaire(site, connection, worker, visit):
        return asked
    if site.rules.training and not worker.trained:
        return Step("training")
    if visit is not None and site.study and _is_complete(site.study, connection, worker):
        return Step("done")
    waits = attendance.waiting(connection, worker.id) is not None
    return Step("waiting" if waits else LOBBY)


def visit_of(site: Site, connection: Connection, worker: int) -> Arrival | None:
    """The worker's visit to the study that the site serves; None if they were invited."""
    found = study_store.arrival_of(connection, worker)
    return found if found and site.study and found.study == site.study.key else None


def _has_agreed(study: Study | None, connection: Connection, worker: Worker) -> bool:
    """Whether a worker has agreed to the study's present text; administrators need not."""
    texts = study.texts.get(CONSENT, {}) if study else {}
    if not texts or worker.admin:
        return True
    return study_store.has_agreed(connection, worker.id, set(map(digest, texts.values())))


def _next_questionnaire(
    site: Site, connection: Connection, worker: Worker, visit: Arrival | None
) -> Step | None:
    study = site.study
    if study is None or worker.admin:
        return None
    answered = study_store.answered(connection, worker.id)
    finished = study_store.finished_rooms(connection, worker.id)
    due = [(Moment.BEFORE, NO_ROOM), *((Moment.AFTER_ROOM, room) for room in finished[-1:])]
    if visit is not None and len(finished) >= study.table.quota.dialogues:
        due.append((Moment.AFTER, NO_ROOM))
    for moment, room in due:
        for name in study.table.questionnaires.get(moment, ()):
            step = Step("questionnaire", name, moment, room)
            asked = questions_of(study, connection, worker.id, step)
            if asked.questions and (moment.value, room, name) not in answered:
                return step
    return None


def questions_of(study: Study, connection: Connection, worker: int, step: Step) -> Questionnaire:
    """The questionnaire of a step, with the questions for the worker's side in the room."""
    role = study_store.role_in(connection, worker, step.room) if step.room != NO_ROOM else ""
    return study.questionnaires[step.questionnaire].for_role(role)


def _is_complete(study: Study, connection: Connection, worker: Worker) -> bool:
    done = len(study_store.finished_rooms(connection, worker.id))
    return done >= study.table.quota.dialogues


def refuse_unready(transaction: Transaction, worker: Worker) -> None:
    """Raise Rejection unless the lobby is the worker's next step."""
    step = next_step(transaction.site, transaction.connection, worker)
    if step.stage in (LOBBY, "waiting"):
        return
    if step.stage == "room":
        raise Rejection("in_a_room", "you are in a room already")
    if step.stage == "done":
        raise Rejection("study_over", "your part of the study is over; thank you")
    raise Rejection("not_ready", "consent, questionnaires and training come first")


def give_consent(transaction: Transaction, worker: int, language: str) -> Worker:
    """Record an agreement, with the version of the study's text that was agreed to."""
    study = transaction.site.study
    text = study.text(CONSENT, language) if study else ""
    if text:
        kept = study_store.keep_text(
            transaction.connection, CONSENT, language, text, transaction.now
        )
        study_store.agree(transaction.connection, worker, kept, transaction.now)
    study_store.touch(transaction.connection, worker, transaction.now)
    return change_worker(transaction.connection, worker, consented=transaction.now)


def answer(transaction: Transaction, worker: int, given: Mapping[str, object], step: Step) -> None:
    """Record the answers to the questionnaire that is the worker's next step.

    The last one of a study completes the visit. Raises Rejection where an answer is none.
    """
    site, connection = transaction.site, transaction.connection
    known = find_worker(connection, worker)
    if known is None or site.study is None or next_step(site, connection, known) != step:
        raise Rejection("not_asked", "this questionnaire has been answered; load the page again")
    questionnaire = site.study.questionnaires[step.questionnaire]
    asked = questions_of(site.study, connection, worker, step)
    answers = asked.read_answers(given)
    text = study_store.keep_text(
        connection, step.questionnaire, "all", questionnaire.record(), transaction.now
    )
    study_store.add_answers(
        connection,
        worker,
        step.moment.value,
        step.room,
        text,
        answers,
        asked.failed_checks(answers),
        transaction.now,
    )
    study_store.touch(connection, worker, transaction.now)


def settle_visit(transaction: Transaction, worker: int) -> Arrival | None:
    """The visit of a worker whose next step is the end; completed now if nothing ended it."""
    site, connection = transaction.site, transaction.connection
    known, visit = find_worker(connection, worker), visit_of(site, connection, worker)
    if known is None or visit is None or next_step(site, connection, known).stage != "done":
        return None
    study_store.decide(connection, visit.id, Outcome.COMPLETED, transaction.now)
    return study_store.arrival_of(connection, worker)


def end_visit(transaction: Transaction, worker: int, outcome: Outcome) -> None:
    """End a visit before it is complete; raises Rejection from a room, or without a visit.

    Who leaves since the partner left, or since no goals are left, gets the code for that.
    """
    connection = transaction.connection
    if attendance.room_of(connection, worker) is not None:
        raise Rejection("in_a_room", "leave the room first")
    visit = visit_of(transaction.site, connection, worker)
    if visit is None:
        raise Rejection("no_study", "you take part in no study")
    if outcome is Outcome.WITHDREW:
        outcome = _reason_to_leave(transaction, worker)
    attendance.dequeue(connection, worker)
    transaction.lobby = True
    study_store.decide(connection, visit.id, outcome, transaction.now)


def time_out(transaction: Transaction) -> None:
    """End the visits of participants who have closed the page for too long."""
    site, connection = transaction.site, transaction.connection
    if site.study is None:
        return
    before = transaction.now - site.rules.absence
    for visit in study_store.absent(connection, site.study.key, before):
        study_store.decide(connection, visit.id, Outcome.TIMED_OUT, transaction.now)
        if attendance.dequeue(connection, visit.worker):
            transaction.lobby = True


def missed(transaction: Transaction, worker: int, item: str) -> bool:
    """Count a wrong answer to an exercise; returns whether it ended the participant's visit."""
    site, connection = transaction.site, transaction.connection
    study_store.touch(connection, worker, transaction.now)
    visit, known = visit_of(site, connection, worker), find_worker(connection, worker)
    if not site.rules.tries or visit is None or known is None or known.training.get(item):
        return False
    wrong = known.training.get(f"{item}{WRONG}", 0) + 1
    training = {**known.training, f"{item}{WRONG}": wrong}
    change_worker(connection, worker, training=json.dumps(training))
    if wrong < site.rules.tries:
        return False
    end_visit(transaction, worker, Outcome.NOT_TRAINED)
    return True


def _reason_to_leave(transaction: Transaction, worker: int) -> Outcome:
    if _was_left(transaction, worker):
        return Outcome.PARTNER_LEFT
    if not free_goals(transaction.connection, 1):
        return Outcome.NOBODY_CAME
    return Outcome.WITHDREW


def _was_left(transaction: Transaction, worker: int) -> bool:
    """Whether the partner, and not this worker, left their last room before it was finished."""
    last = study_store.last_room(transaction.connection, worker)
    if last is None:
        return False
    room: Room = transaction.log(last).room
    role = room.role_of(worker)
    return role is not None and room.seat(role.other).is_lost and not room.seat(role).is_lost


def credit_waiting(transaction: Transaction, *workers: int) -> None:
    """Add the time since they began to wait to their visits; before they leave the queue."""
    for worker in workers:
        if waiting := attendance.waiting(transaction.connection, worker):
            seconds = transaction.now - waiting.since
            study_store.add_waiting(transaction.connection, worker, seconds)
