"""Requests and pages of a study's participants: arriving, questionnaires, the end, their data."""

from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response
from pydantic import StringConstraints
from sqlalchemy import Connection
from starlette.responses import RedirectResponse

from crosstalk.collection.events import Role
from crosstalk.collection.pay import amount
from crosstalk.collection.questionnaires import Questionnaire, to_page
from crosstalk.collection.study import Moment, Outcome, Study
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import Rejection
from crosstalk.web.account_routes import EmptyBody, RequestBody, logged_in
from crosstalk.web.accounts import worker_record
from crosstalk.web.collect.participation import (
    Step,
    answer,
    end_visit,
    next_step,
    questions_of,
    settle_visit,
)
from crosstalk.web.collect.payments import Earnings, earnings, stored_plan
from crosstalk.web.collect.room_records import credit, own_dialogues
from crosstalk.web.collect.site import OurSite, Site, SiteRules, Transaction
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.rate_limits import take
from crosstalk.web.sessions import AnyVisitor, AnyWorker
from crosstalk.web.store import message_store, study_store
from crosstalk.web.store.attempts import AttemptLimit, Place
from crosstalk.web.store.role_store import roles_of
from crosstalk.web.store.study_store import Arrival
from crosstalk.web.store.worker_store import (
    Worker,
    add_worker,
    begin_session,
    find_worker,
    worker_named,
)

router = APIRouter(prefix="/api", responses=POSSIBLE)
pages = APIRouter(include_in_schema=False)
Plain = dict[str, Any]
Identifier = Annotated[str, StringConstraints(max_length=200)]
MAY_RETURN = frozenset({Outcome.NOBODY_CAME, Outcome.PARTNER_LEFT, Outcome.FULL})
"""Outcomes after which somebody may come again."""


UNKNOWN_CLIENTS: Final = 10
"""Clients that cannot be told apart bring as many new participants together as so many."""
CROWD: Final = "many people have come from your network; please wait and follow the link again"


class ArrivalBody(RequestBody):
    study: Identifier
    participant: Identifier
    submission: Identifier = ""


class AnswersBody(RequestBody):
    questionnaire: Identifier
    moment: Moment
    room: int = 0
    answers: dict[Identifier, str | list[str]]


def _study(site: Site, key: str) -> Study:
    if site.study is None or site.study.key != key:
        raise Rejection("unknown_study", "there is no such study here")
    return site.study


@router.post("/arrive")
def arrive(
    body: ArrivalBody, visitor: AnyVisitor, site: OurSite, request: Request, response: Response
) -> Plain:
    """Begin or resume a visit: ids of a platform's link are the proof."""
    study = _study(site, body.study)
    platform = study.platform
    given = {platform.participant: body.participant, platform.submission: body.submission}
    participant, submission = study.read_ids(given)
    task = partial(
        _arrive,
        study=study,
        participant=participant,
        submission=submission,
        here=visitor.worker.id if visitor.worker else None,
        interface=visitor.interface,
        client=request.state.client_address,
    )
    return logged_in(request, response, *site.submit(task).result())


def _arrive(
    transaction: Transaction,
    study: Study,
    participant: str,
    submission: str,
    here: int | None,
    interface: str,
    client: str,
) -> tuple[Worker, str]:
    """The participant's worker and a new session; raises TooFast if a client sends too many.

    The same link leads to the same account. Another submission of the same person counts only from
    the browser that is logged in as that person, and only if the earlier one came to nothing.
    """
    connection, now = transaction.connection, transaction.now
    earlier = study_store.arrivals_of(connection, study.key, participant)
    same = next((each for each in earlier if each.submission == submission), None)
    if same is None and earlier and earlier[-1].outcome not in MAY_RETURN:
        raise Rejection("been_here", "you have taken part in this study already")
    if earlier and here != earlier[-1].worker and not (same and submission):
        raise Rejection("been_here", "this participant came with another browser")
    if earlier:
        worker = find_worker(connection, earlier[-1].worker)
        assert worker is not None  # arrivals point to workers
        if worker.blocked:
            raise Rejection("blocked", "your account is blocked")
    else:
        take(connection, [_newcomer(client, transaction.site.rules)], now, says=CROWD)
        number = len(study_store.arrivals(connection, study.key)) + 1
        while worker_named(connection, f"{study.key} {number}"):  # somebody has chosen this name
            number += 1
        worker = add_worker(
            connection,
            name=f"{study.key} {number}",
            password="",
            interface=interface,
            now=now,
            admin=False,
        )
    if same is None:
        people = study.table.quota.people
        is_full = people is not None and study_store.places_taken(connection, study.key) >= people
        study_store.add_arrival(connection, study.key, worker.id, participant, submission, now)
        if is_full:
            visit = study_store.arrival_of(connection, worker.id)
            assert visit is not None  # added just now
            study_store.decide(connection, visit.id, Outcome.FULL, now)
    return worker, begin_session(connection, worker.id, now)


def _newcomer(client: str, rules: SiteRules) -> Place:
    """Where an arrival counts: ids can be invented, and each takes a place of the study."""
    most = rules.newcomers if client else rules.newcomers * UNKNOWN_CLIENTS
    return AttemptLimit("newcomers", most, 3600), client


@router.post("/questionnaire")
def answer_questionnaire(body: AnswersBody, worker: AnyWorker, site: OurSite) -> Plain:
    study = site.study
    if study is None or body.questionnaire not in study.questionnaires:
        raise Rejection("unknown_questionnaire", "this study has no such questionnaire")
    step = Step("questionnaire", body.questionnaire, body.moment, body.room)
    site.submit(partial(answer, worker=worker.id, given=body.answers, step=step)).result()
    return {}


@router.post("/decline")
def decline(body: EmptyBody, worker: AnyWorker, site: OurSite) -> Plain:
    """Take no part after reading the consent."""
    site.submit(partial(end_visit, worker=worker.id, outcome=Outcome.NO_CONSENT)).result()
    return {}


@router.post("/leave-study")
def leave_study(body: EmptyBody, worker: AnyWorker, site: OurSite) -> Plain:
    site.submit(partial(end_visit, worker=worker.id, outcome=Outcome.WITHDREW)).result()
    return {}


@router.get("/my-data")
def my_data(worker: AnyWorker, site: OurSite, response: Response) -> Plain:
    """Everything that is kept of the worker who asks."""
    response.headers["Content-Disposition"] = 'attachment; filename="my-data.json"'

    def look(connection: Connection) -> Plain:
        visit = study_store.arrival_of(connection, worker.id)
        granted, paid, _ = study_store.booked(connection, worker.id)
        return {
            "account": {**worker_record(worker), "credit": credit(connection, worker)},
            "study": _visit_record(visit) if visit else None,
            "answers": study_store.all_answers(connection, worker.id),
            "messages": message_store.received(connection, worker.id),
            "roles": sorted(roles_of(connection, worker)),
            "payments": {"bonuses": granted, "paid": paid},
            "dialogues": [
                {**each, "said": _said(site, each["room"], each["role"])}
                for each in own_dialogues(connection, worker.id)
            ],
        }

    return site.store.read(look)


def _visit_record(visit: Arrival) -> Plain:
    return {
        "study": visit.study,
        "participant": visit.participant,
        "submission": visit.submission,
        "outcome": visit.outcome.value if visit.outcome else None,
        "waited": visit.waited,
    }


def _said(site: Site, room: int, role: str) -> list[str]:
    log, own = site.log(room), Speaker.USER if role == Role.USER else Speaker.SYSTEM
    turns = log.room.conversation.turns if log else ()
    return [turn.text for turn in turns if turn.speaker is own]


@pages.get("/study/{key}")
def study_page(key: Annotated[str, Path(max_length=60)], page: AnyPage, site: OurSite) -> Response:
    study = site.study
    if study is None or study.key != key:
        return page.problem(404)
    if page.visitor.worker and page.visitor.worker.admin:
        return page("study_preview.html", study=study, **_texts(study, page))
    wrong = study.wrong_id(page.request.query_params)
    ids = ("", "") if wrong else study.read_ids(page.request.query_params)
    return page(
        "study.html",
        study=study,
        participant=ids[0],
        submission=ids[1],
        wrong=wrong,
        **_texts(study, page),
    )


def _texts(study: Study, page: AnyPage) -> Plain:
    language = page.language
    asked = {moment: [to_page(each, language) for each in study.asked(moment)] for moment in Moment}
    texts = {kind: study.text(kind, language) for kind in ("welcome", "consent", "thanks")}
    return {"texts": texts, "asked": asked}


@pages.get("/questionnaire")
def questionnaire_page(page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    study = site.study

    def look(connection: Connection) -> tuple[Step, Questionnaire | None]:
        step = next_step(site, connection, worker)
        if study is None or step.stage != "questionnaire":
            return step, None
        return step, questions_of(study, connection, worker.id, step)

    step, asked = site.store.read(look)
    if asked is None:
        return RedirectResponse("/lobby", 303)
    return page(
        "questionnaire.html",
        sections=("study",),
        asked=to_page(asked, page.language),
        step=step,
        study=study,
    )


@pages.get("/done")
def done_page(page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    visit = site.submit(partial(settle_visit, worker=worker.id)).result()
    study = site.study
    if visit is None or study is None or visit.outcome is None:
        return RedirectResponse("/lobby", 303)
    back = study.outcome_link(
        visit.outcome, participant=visit.participant, submission=visit.submission
    )
    rates = study.table.pay

    def look(connection: Connection) -> Earnings:
        return earnings(connection, stored_plan(connection), worker.id)

    def money(minor: int) -> str:
        return f"{amount(minor, rates.decimals)} {rates.currency}"

    return page(
        "done.html",
        sections=("study",),
        study=study,
        earned=site.store.read(look),
        money=money,
        outcome=visit.outcome.value,
        code=study.table.codes.get(visit.outcome, ""),
        back=back,
        thanks=study.text("thanks", page.language),
    )
