"""Coming in: invitations, names and passwords, the one-time administrator link."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, select

from crosstalk.collection.forms import is_sound
from crosstalk.collection.refusals import Refusal
from crosstalk.web import passwords
from crosstalk.web.site import Site, Work
from crosstalk.web.store import people
from crosstalk.web.store.people import ADMIN_LINK, INVITATION, Worker
from crosstalk.web.store.tables import CREDITS, ROOMS, SETTINGS
from crosstalk.web.throttle import Throttle

LONGEST_NAME: Final = 40
ADMIN_NAME: Final = "admin"


@dataclass(slots=True)
class Gate:
    """Remembers who tried too often. Others, from elsewhere or with other names, notice nothing."""

    by_name: Throttle
    by_address: Throttle
    joins: Throttle

    @staticmethod
    def of(site: Site) -> "Gate":
        return Gate(
            by_name=Throttle(10, 300, site.clock),
            by_address=Throttle(30, 300, site.clock),
            joins=Throttle(60, 600, site.clock),
        )


def log_in(site: Site, gate: Gate, address: str, name: str, password: str) -> tuple[Worker, str]:
    """The worker and a new session's token."""
    folded = tidy(name).casefold()
    key = f"{address} {folded}"
    if gate.by_name.wait(key) or gate.by_address.wait(address):
        raise Refusal("too_fast", "too many wrong tries; please wait some minutes")
    known = site.store.read(lambda connection: people.worker_named(connection, folded))
    if not passwords.is_right(known.password if known else "", password) or known is None:
        gate.by_name.count(key)
        gate.by_address.count(address)
        raise Refusal("wrong_password", "name or password is wrong")
    if known.blocked:
        raise Refusal("blocked", "your account is blocked")
    gate.by_name.forget(key)
    return known, _session(site, known)


def _session(site: Site, worker: Worker) -> str:
    return site.submit(
        lambda work: people.begin_session(work.connection, worker.id, work.now)
    ).result()


def join(
    site: Site,
    gate: Gate,
    address: str,
    *,
    invitation: str,
    name: str,
    password: str,
    interface: str,
) -> tuple[Worker, str]:
    """A new account by invitation."""
    if gate.joins.wait(address):
        raise Refusal("too_fast", "too many new accounts; please wait some minutes")
    gate.joins.count(address)
    name = good_name(name)
    digest = passwords.hashed(good_password(password))

    def task(work: Work) -> tuple[Worker, str]:
        people.use_link(work.connection, INVITATION, invitation)
        worker = people.add_worker(
            work.connection,
            name=name,
            password=digest,
            interface=interface,
            now=work.now,
            admin=False,
        )
        return worker, people.begin_session(work.connection, worker.id, work.now)

    return site.submit(task).result()


def enter(site: Site, token: str, interface: str) -> tuple[Worker, str]:
    """The administrator by the one-time link; makes the account on first use."""

    def task(work: Work) -> tuple[Worker, str]:
        people.use_link(work.connection, ADMIN_LINK, token)
        worker = people.worker_named(work.connection, ADMIN_NAME)
        if worker is None:
            worker = people.add_worker(
                work.connection,
                name=ADMIN_NAME,
                password="",
                interface=interface,
                now=work.now,
                admin=True,
            )
        return worker, people.begin_session(work.connection, worker.id, work.now)

    return site.submit(task).result()


def admin_link(site: Site) -> str:
    """A new one-time link; earlier ones stop working."""

    def task(work: Work) -> str:
        people.revoke_links(work.connection, ADMIN_LINK)
        return people.add_link(work.connection, ADMIN_LINK, "", 1, work.now)[1]

    return site.submit(task).result()


def change_password(site: Site, worker: Worker, password: str) -> str:
    """All other sessions end; the token of a new one."""
    digest = passwords.hashed(good_password(password))

    def task(work: Work) -> str:
        people.change_worker(work.connection, worker.id, password=digest)
        people.end_sessions(work.connection, worker.id)
        return people.begin_session(work.connection, worker.id, work.now)

    return site.submit(task).result()


def tidy(name: str) -> str:
    plain = " ".join(name.split())
    if not is_sound(plain):
        raise Refusal("bad_name", "the name holds characters that are no text")
    return plain


def good_name(name: str) -> str:
    plain = tidy(name)
    if not 1 <= len(plain) <= LONGEST_NAME:
        raise Refusal("bad_name", f"a name has 1 to {LONGEST_NAME} characters")
    if plain.casefold() in (ADMIN_NAME, "machine"):
        raise Refusal("name_taken", f"the name {plain!r} is taken")
    return plain


def good_password(password: str) -> str:
    if not passwords.SHORTEST <= len(password) <= passwords.LONGEST:
        raise Refusal("weak_password", f"a password has at least {passwords.SHORTEST} characters")
    return password


def site_secret(work: Work) -> str:
    """What tokens against forged requests are signed with; the same on every server."""
    wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == "secret")
    known = work.connection.execute(wanted).scalar_one_or_none()
    if known is None:
        known = people.token()
        work.connection.execute(SETTINGS.insert().values(key="secret", value=known))
    return known


def told_worker(worker: Worker) -> dict[str, Any]:
    return {
        "id": worker.id,
        "name": worker.name,
        "admin": worker.admin,
        "interface": worker.interface,
        "consented": worker.consented,
        "trained": worker.trained,
        "blocked": worker.blocked,
    }


def credit(connection: Connection, worker: Worker) -> dict[str, int]:
    """Everything somebody is paid for."""
    own = select(func.count(), func.coalesce(func.sum(CREDITS.c.turns), 0)).where(
        CREDITS.c.worker == worker.id
    )
    dialogues, turns = connection.execute(own).one()
    return {"turns": int(turns), "dialogues": dialogues, "waits": worker.waits}


def own_dialogues(connection: Connection, worker: int, limit: int = 100) -> list[dict[str, Any]]:
    """What somebody has taken part in, newest first."""
    wanted = (
        select(
            CREDITS.c.room,
            CREDITS.c.role,
            CREDITS.c.turns,
            ROOMS.c.status,
            ROOMS.c.review,
            ROOMS.c.note,
            ROOMS.c.opened,
        )
        .join(ROOMS, ROOMS.c.id == CREDITS.c.room)
        .where(CREDITS.c.worker == worker)
        .order_by(CREDITS.c.room.desc())
        .limit(limit)
    )
    return [
        {
            "room": row.room,
            "role": row.role,
            "turns": row.turns,
            "status": row.status,
            "review": row.review,
            "note": row.note,
            "at": row.opened,
        }
        for row in connection.execute(wanted)
    ]
