"""Requests (`/api/admin`) and pages (`/admin`) of administrators."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import Field, StringConstraints
from starlette.responses import Response, StreamingResponse

from crosstalk.collection.events import Decision
from crosstalk.collection.wizard_form import is_sound
from crosstalk.errors import Rejection
from crosstalk.goals.goal_files import sample_stored_goals
from crosstalk.goals.sampler import goal_sampler
from crosstalk.web.account_routes import EmptyBody, RequestBody
from crosstalk.web.collect import jobs, settings
from crosstalk.web.collect.corpus_export import ENDINGS, exported
from crosstalk.web.collect.live_statistics import LiveStatistics, length_chart
from crosstalk.web.collect.room_records import overview, room_lines, worker_lines
from crosstalk.web.collect.site import OurSite, Site, Transaction
from crosstalk.web.collect.startup import goals_from_lines, missing_goals
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import AnyAdmin, needs_admin
from crosstalk.web.store import worker_store
from crosstalk.web.store.role_store import GRANTED, StaffRole, all_roles, give
from crosstalk.web.store.room_store import count_goals, goal_page

router = APIRouter(prefix="/api/admin", responses=POSSIBLE, dependencies=[Depends(needs_admin)])
pages = APIRouter(prefix="/admin", include_in_schema=False, dependencies=[Depends(needs_admin)])
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Wanted = Annotated[int | None, Query(ge=1, le=2**31 - 1)]
Limit = Annotated[int, Query(ge=1, le=200)]
Note = Annotated[str, StringConstraints(max_length=2000)]
Plain = dict[str, Any]
LINES = 50
RECENT = 8
CHUNK = 256 * 1024
"""Characters per chunk of a download."""


class CloseBody(RequestBody):
    note: Note = ""


class WorkerBody(RequestBody):
    blocked: bool | None = None
    trained: bool | None = None
    note: Note | None = None


class RoleBody(RequestBody):
    role: Literal["reviewer", "payer", "expert"]
    given: bool


class GoalsBody(RequestBody):
    count: Annotated[int, Field(ge=1, le=10_000)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    lines: str | None = None
    """As long as the setting `upload` lets a request be."""


class SettingBody(RequestBody):
    name: Annotated[str, StringConstraints(max_length=40)]
    value: Annotated[str, StringConstraints(max_length=40)]
    """Empty: what this page had set is removed."""


class InvitationBody(RequestBody):
    label: Annotated[str, StringConstraints(max_length=100)] = ""
    uses: Annotated[int, Field(ge=1, le=10_000)] = 1


def sound(text: str) -> str:
    if not is_sound(text.replace("\n", "").replace("\t", "")):
        raise Rejection("bad_value", "the text holds characters that are no text")
    return text


@router.get("/overview")
def get_overview(site: OurSite) -> Plain:
    return site.store.read(partial(overview, site))


@router.post("/rooms/{room}/close")
def close(room: Number, body: CloseBody, site: OurSite) -> Plain:
    task = partial(jobs.close, room=room, note=sound(body.note))
    return {"seq": site.submit(task).result().seq}


@router.get("/workers")
def workers(site: OurSite) -> Plain:
    return {"workers": site.store.read(worker_lines)}


@router.post("/workers/{worker}")
def change_worker(worker: Number, body: WorkerBody, admin: AnyAdmin, site: OurSite) -> Plain:
    values: Plain = {}
    if body.blocked is not None:
        if worker == admin.id:
            raise Rejection("not_yourself", "administrators cannot block themselves")
        values["blocked"] = body.blocked
    if body.trained is not None:
        values["trained"] = site.clock() if body.trained else None
    if body.note is not None:
        values["note"] = sound(body.note)
    _change(site, worker, values)
    if body.blocked:
        site.session_ended(worker)
    return site.store.read(lambda connection: worker_lines(connection, worker))[0]


@router.post("/workers/{worker}/role")
def change_role(worker: Number, body: RoleBody, admin: AnyAdmin, site: OurSite) -> Plain:
    """Give a role to a worker, or take it away."""
    if not site.store.read(lambda connection: worker_store.find_worker(connection, worker)):
        raise Rejection("unknown_worker", f"there is no worker {worker}")
    role = StaffRole(body.role)

    def task(transaction: Transaction) -> None:
        give(transaction.connection, worker, role, body.given, admin.id, transaction.now)

    site.submit(task).result()
    return {"roles": site.store.read(all_roles).get(worker, [])}


def _change(site: Site, worker: int, values: Plain) -> None:
    if values:
        site.store.write(partial(worker_store.change_worker, id=worker, **values)).result()
    elif not site.store.read(lambda connection: worker_store.find_worker(connection, worker)):
        raise Rejection("unknown_worker", f"there is no worker {worker}")


@router.get("/goals")
def goals(
    site: OurSite,
    state: Literal["pool", "taken", "done"] | None = None,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Limit = 50,
) -> Plain:
    found = site.store.read(
        lambda connection: goal_page(connection, state=state, after=after, limit=limit)
    )
    return {"goals": found, "next": found[-1]["number"] if len(found) == limit else None}


@router.post("/goals")
def more_goals(body: GoalsBody, site: OurSite) -> Plain:
    if body.lines is not None:
        return {"added": missing_goals(site, goals_from_lines(body.lines, site.context.world))}
    sampler = goal_sampler(site.context.world)
    records = sample_stored_goals(sampler, body.count or 0, seed=body.seed)
    return {"added": missing_goals(site, records)}


@router.get("/invitations")
def invitations(site: OurSite) -> Plain:
    return {"invitations": site.store.read(worker_store.invitations)}


@router.post("/invitations")
def invite(body: InvitationBody, site: OurSite) -> Plain:
    label = sound(body.label)
    link = partial(worker_store.add_link, kind=worker_store.INVITATION, label=label, uses=body.uses)
    number, token = site.store.write(partial(link, now=site.clock())).result()
    return {"id": number, "token": token, "link": f"/join/{token}"}


@router.post("/invitations/{invitation}/revoke")
def revoke(invitation: Number, body: EmptyBody, site: OurSite) -> Plain:
    task = partial(worker_store.revoke_links, kind=worker_store.INVITATION, id=invitation)
    revoked = site.store.write(task).result()
    if not revoked:
        raise Rejection("unknown_invitation", f"there is no invitation {invitation}")
    return {}


def sources_of(request: Request) -> settings.Settings:
    sources: settings.Settings = request.app.state.settings
    return sources


Sources = Annotated[settings.Settings, Depends(sources_of)]


@router.post("/settings")
def change_setting(body: SettingBody, site: OurSite, sources: Sources) -> Plain:
    """Keep a setting, and apply it on this server unless a flag or the environment has it."""
    value = body.value.strip()
    if value:
        settings.known(body.name, "settings page").read(value, "settings page")
    else:
        settings.known(body.name, "settings page")
    site.store.write(partial(settings.store_setting, name=body.name, value=value)).result()
    stored = site.store.read(settings.stored_settings)
    site.rules = sources.rules(stored)
    chosen = sources.chosen(stored)[body.name]
    return {"name": body.name, "value": chosen.text, "source": chosen.source}


@router.get("/export", response_class=StreamingResponse)
def export(
    site: OurSite,
    request: Request,
    to: Literal["crosswoz", "native", "chat", "csv"] = "native",
    review: Decision | None = None,
) -> StreamingResponse:
    """A streamed download."""
    name = f"{site.context.world.name}-{to}.{ENDINGS[to]}"
    kinds = {"csv": "text/csv; charset=utf-8", "crosswoz": "application/json"}
    return StreamingResponse(
        in_chunks(exported(site.store, to, request.app.state.parts.annotate, review=review)),
        media_type=kinds.get(to, "application/jsonl"),
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def in_chunks(parts: Iterable[str]) -> Iterator[bytes]:
    """Join dialogues to chunks, since each chunk costs a switch of threads."""
    waiting, size = list[str](), 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= CHUNK:
            yield "".join(waiting).encode()
            waiting, size = [], 0
    yield "".join(waiting).encode()


def counting(request: Request) -> LiveStatistics:
    counting: LiveStatistics = request.app.state.counting
    return counting


@router.get("/statistics")
def statistics(counts: Annotated[LiveStatistics, Depends(counting)]) -> Plain:
    """The counts so far; `counting` is true while they are incomplete."""
    return counts.told()


@router.get("/figure.svg", response_class=Response)
def figure(counts: Annotated[LiveStatistics, Depends(counting)]) -> Response:
    policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(counts.figure(), media_type="image/svg+xml", headers=policy)


@pages.get("")
def start(page: AnyPage, site: OurSite) -> Response:
    def look(connection: Any) -> dict[str, Any]:
        return {
            "counts": overview(site, connection),
            "running": room_lines(connection, {"status": "open"}, None, LINES),
            "recent": room_lines(connection, {"status": "finished"}, None, RECENT),
            "invitations": worker_store.invitations(connection),
        }

    seen = site.store.read(look)
    welcome = "welcome" in page.request.query_params
    return page(
        "admin/overview.html",
        welcome=welcome,
        world=site.context.world.name,
        has_study=site.study is not None,
        **seen,
    )


@pages.get("/workers")
def workers_page(page: AnyPage, site: OurSite) -> Response:
    lines = site.store.read(worker_lines)
    return page(
        "admin/workers.html",
        lines=lines,
        training=site.rules.training,
        roles=site.store.read(all_roles),
        granted=[role.value for role in GRANTED],
    )


@pages.get("/goals")
def goals_page(
    page: AnyPage,
    site: OurSite,
    state: Literal["pool", "taken", "done", ""] = "",
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:
    found = site.store.read(partial(goal_page, state=state or None, after=after, limit=LINES))
    counts = site.store.read(count_goals)
    more = found[-1]["number"] if len(found) == LINES else None
    return page(
        "admin/goals.html",
        lines=found,
        counts=counts,
        state=state,
        more=more,
        upload=site.rules.upload,
    )


@pages.get("/invitations")
def invitations_page(page: AnyPage, site: OurSite) -> Response:
    lines = site.store.read(worker_store.invitations)
    return page("admin/invitations.html", sections=("admin",), lines=lines)


@pages.get("/settings")
def settings_page(page: AnyPage, site: OurSite, sources: Sources) -> Response:
    stored = site.store.read(settings.stored_settings)
    chosen = sources.chosen(stored)
    lines = [
        {
            "name": each.name,
            "value": chosen[each.name].text,
            "source": chosen[each.name].source.replace(" ", "_"),
            "stored": stored.get(each.name, ""),
            "expected": "true / false" if each.flag else f"{each.low:g} – {each.high:g}",
        }
        for each in settings.KNOWN
    ]
    return page("admin/settings.html", lines=lines)


@pages.get("/statistics")
def statistics_page(
    page: AnyPage,
    counts: Annotated[LiveStatistics, Depends(counting)],
) -> Response:
    chart = length_chart(counts.counts()[0])
    return page("admin/statistics.html", told=counts.told(), chart=chart)
