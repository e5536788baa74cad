"""Workers, their sessions and their login links in the store."""

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from crosstalk.errors import Rejection
from crosstalk.web.store.sql_tables import LINKS, SESSIONS, WORKERS

ADMIN_LINK: Final = "admin"
INVITATION: Final = "invitation"
PERSONAL_LINK: Final = "personal"
RESET: Final = "reset"
"""A link to a new password; its label is the worker's number."""
UNLIMITED: Final = 2**31 - 1
"""Uses of a permanent link; reset at every start of a server."""
DAY: Final = 86400.0


@dataclass(frozen=True, slots=True)
class Worker:
    """A person with an account."""

    id: int
    name: str
    password: str
    """A digest; empty if no password is set."""
    admin: bool
    interface: str
    consented: bool
    trained: bool
    training: Mapping[str, int]
    """Exercise -> whether it was answered correctly; also the numbers of wrong answers."""
    blocked: bool
    note: str
    waits: int


@dataclass(frozen=True, slots=True)
class Link:
    """A login link or invitation."""

    kind: str
    label: str
    """Whose it is, or what it is for."""


def token() -> str:
    """A random token of 256 bits."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def add_worker(
    connection: Connection, *, name: str, password: str, interface: str, now: float, admin: bool
) -> Worker:
    values = {
        "name": name,
        "folded": name.casefold(),
        "password": password,
        "admin": admin,
        "interface": interface,
        "consented": now if admin else None,
        "trained": now if admin else None,
        "training": "{}",
        "blocked": False,
        "note": "",
        "waits": 0,
        "created": now,
    }
    try:
        row = connection.execute(insert(WORKERS).values(values).returning(WORKERS)).one()
    except IntegrityError:
        raise Rejection("name_taken", f"the name {name!r} is taken") from None
    return worker_of(row)


def worker_of(row: Row[Any]) -> Worker:
    return Worker(
        id=row.id,
        name=row.name,
        password=row.password,
        admin=row.admin,
        interface=row.interface,
        consented=row.consented is not None,
        trained=row.trained is not None,
        training=json.loads(row.training),
        blocked=row.blocked,
        note=row.note,
        waits=row.waits,
    )


def find_worker(connection: Connection, id: int) -> Worker | None:
    row = connection.execute(select(WORKERS).where(WORKERS.c.id == id)).one_or_none()
    return worker_of(row) if row else None


def worker_named(connection: Connection, name: str) -> Worker | None:
    wanted = select(WORKERS).where(WORKERS.c.folded == name.casefold())
    row = connection.execute(wanted).one_or_none()
    return worker_of(row) if row else None


def names(connection: Connection) -> Sequence[str]:
    return connection.execute(select(WORKERS.c.name)).scalars().all()


def change_worker(connection: Connection, id: int, **values: Any) -> Worker:
    changed = update(WORKERS).where(WORKERS.c.id == id).values(values).returning(WORKERS)
    row = connection.execute(changed).one_or_none()
    if row is None:
        raise Rejection("unknown_worker", f"there is no worker {id}")
    return worker_of(row)


def begin_session(connection: Connection, worker: int, now: float, *, days: float = 14) -> str:
    """The token of a new session; only its digest is stored."""
    new = token()
    connection.execute(delete(SESSIONS).where(SESSIONS.c.expires < now))
    values = {"token": digest(new), "worker": worker, "expires": now + days * DAY}
    connection.execute(insert(SESSIONS).values(values))
    return new


def session_worker(connection: Connection, token: str, now: float) -> Worker | None:
    wanted = (
        select(WORKERS)
        .join(SESSIONS, SESSIONS.c.worker == WORKERS.c.id)
        .where(SESSIONS.c.token == digest(token), SESSIONS.c.expires >= now)
    )
    row = connection.execute(wanted).one_or_none()
    return worker_of(row) if row else None


def session_states(connection: Connection, tokens: Collection[str], now: float) -> dict[str, bool]:
    """Session -> whether its worker is blocked, of those of these sessions that have not ended."""
    wanted = (
        select(SESSIONS.c.token, WORKERS.c.blocked)
        .join(WORKERS, SESSIONS.c.worker == WORKERS.c.id)
        .where(SESSIONS.c.token.in_([digest(each) for each in tokens]), SESSIONS.c.expires >= now)
    )
    found = {row.token: row.blocked for row in connection.execute(wanted)}
    return {each: found[digest(each)] for each in tokens if digest(each) in found}


def end_session(connection: Connection, token: str) -> None:
    connection.execute(delete(SESSIONS).where(SESSIONS.c.token == digest(token)))


def end_sessions(connection: Connection, worker: int) -> None:
    connection.execute(delete(SESSIONS).where(SESSIONS.c.worker == worker))


def add_link(
    connection: Connection, kind: str, label: str, uses: int, now: float
) -> tuple[int, str]:
    """(id, token) of a new link; only the token's digest is stored."""
    new = token()
    return _insert_link(connection, digest(new), kind, label, uses, now), new


def _insert_link(
    connection: Connection, digest: str, kind: str, label: str, uses: int, now: float
) -> int:
    values = {
        "token": digest,
        "kind": kind,
        "label": label,
        "uses_left": uses,
        "used": 0,
        "created": now,
    }
    inserted = insert(LINKS).values(values).returning(LINKS.c.id)
    number: int = connection.execute(inserted).scalar_one()
    return number


def find_link(connection: Connection, token: str) -> Link | None:
    """Kind and label of a link; None if it does not exist or is used up."""
    wanted = select(LINKS.c.kind, LINKS.c.label).where(
        LINKS.c.token == digest(token), LINKS.c.uses_left > 0
    )
    row = connection.execute(wanted).one_or_none()
    return Link(row.kind, row.label) if row else None


def is_admin_token(connection: Connection, token: str, label: str) -> bool:
    """Whether a token is that of the newest administrator's link, used or not, or of a personal
    link of this label.
    """
    newest = select(func.max(LINKS.c.id)).where(LINKS.c.kind == ADMIN_LINK).scalar_subquery()
    personal = and_(LINKS.c.kind == PERSONAL_LINK, LINKS.c.label == label, LINKS.c.uses_left > 0)
    wanted = select(LINKS.c.id).where(
        LINKS.c.token == digest(token), or_(LINKS.c.id == newest, personal)
    )
    return connection.execute(wanted).one_or_none() is not None


def use_link(connection: Connection, token: str, *kinds: str) -> Link:
    """Use a link of these kinds once; raises Rejection if it does not exist or is used up."""
    used = (
        update(LINKS)
        .where(LINKS.c.token == digest(token), LINKS.c.kind.in_(kinds), LINKS.c.uses_left > 0)
        .values(uses_left=LINKS.c.uses_left - 1, used=LINKS.c.used + 1)
        .returning(LINKS.c.kind, LINKS.c.label)
    )
    row = connection.execute(used).one_or_none()
    if row is None:
        raise void_link()
    return Link(row.kind, row.label)


def revoke_resets(connection: Connection, worker: int) -> None:
    """Void all links to a new password for a worker."""
    theirs = and_(LINKS.c.kind == RESET, LINKS.c.label == str(worker))
    connection.execute(update(LINKS).where(theirs).values(uses_left=0))


def use_reset(connection: Connection, token: str, since: float) -> Worker:
    """Use a link to a new password that was made since then; raises Rejection if it is void."""
    made = select(LINKS.c.created).where(LINKS.c.token == digest(token), LINKS.c.created >= since)
    if connection.execute(made).one_or_none() is None:
        raise void_link()
    worker = find_worker(connection, int(use_link(connection, token, RESET).label))
    if worker is None:
        raise void_link()
    return worker


def void_link() -> Rejection:
    return Rejection("bad_invitation", "this link is not valid, or has been used up")


def keep_personal_links(connection: Connection, links: Mapping[str, str], now: float) -> None:
    """Make these (name -> token) the only personal links; sessions of removed links end."""
    wanted = {digest(token): name for name, token in links.items()}
    personal = LINKS.c.kind == PERSONAL_LINK
    known = {row.token: row.label for row in connection.execute(select(LINKS).where(personal))}
    for void in known.keys() - wanted.keys():
        worker = worker_named(connection, known[void])
        if worker is not None:
            end_sessions(connection, worker.id)
        connection.execute(delete(LINKS).where(LINKS.c.token == void))
    connection.execute(update(LINKS).where(personal).values(uses_left=UNLIMITED))
    for new in wanted.keys() - known.keys():
        _insert_link(connection, new, PERSONAL_LINK, wanted[new], UNLIMITED, now)


def revoke_links(connection: Connection, kind: str, id: int | None = None) -> int:
    dead = update(LINKS).where(LINKS.c.kind == kind).values(uses_left=0)
    return connection.execute(dead if id is None else dead.where(LINKS.c.id == id)).rowcount


def invitations(connection: Connection) -> list[dict[str, Any]]:
    wanted = select(LINKS).where(LINKS.c.kind == INVITATION).order_by(LINKS.c.id.desc())
    return [
        {
            "id": row.id,
            "label": row.label,
            "uses_left": row.uses_left,
            "used": row.used,
            "at": row.created,
        }
        for row in connection.execute(wanted)
    ]
