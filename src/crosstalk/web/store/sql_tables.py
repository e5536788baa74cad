"""The tables, the same in SQLite and PostgreSQL.

`events` is the source of truth about rooms. `rooms` and `seats` are derived from it, for lists and
timers and to keep each worker in one room at a time. Times are seconds since 1970.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

METADATA = MetaData()

SETTINGS = Table(
    "settings",
    METADATA,
    Column("key", String(60), primary_key=True),
    Column("value", Text, nullable=False),
)

WORKERS = Table(
    "workers",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(60), nullable=False),
    Column("folded", String(120), nullable=False, unique=True),  # no two names in other cases
    Column("password", Text, nullable=False),
    Column("admin", Boolean, nullable=False),
    Column("interface", String(8), nullable=False),
    Column("consented", Double),
    Column("trained", Double),
    Column("training", Text, nullable=False),
    Column("blocked", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("waits", Integer, nullable=False),
    Column("created", Double, nullable=False),
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("token", String(64), primary_key=True),  # a digest: a stolen store lets nobody in
    Column("worker", ForeignKey("workers.id"), nullable=False),
    Column("expires", Double, nullable=False),
    Index("sessions_of", "worker"),
)

LINKS = Table(
    "links",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("kind", String(12), nullable=False),
    Column("label", String(120), nullable=False),
    Column("uses_left", Integer, nullable=False),
    Column("used", Integer, nullable=False),
    Column("created", Double, nullable=False),
)

GOALS = Table(
    "goals",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(200), nullable=False, unique=True),
    Column("type", String(8), nullable=False),
    Column("record", Text, nullable=False),
    Column("state", String(8), nullable=False),
    Column("room", Integer),
    Index("goals_free", "state", "number"),
)

ROOMS = Table(
    "rooms",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("goal", String(200), nullable=False),
    Column("type", String(8), nullable=False),
    Column("status", String(10), nullable=False),
    Column("ending", String(20)),
    Column("user", Integer),
    Column("wizard", Integer),
    Column("machine", Boolean, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("opened", Double, nullable=False),
    Column("changed", Double, nullable=False),
    Column("deadline", Double),
    Column("review", String(10), nullable=False),
    Column("problem", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("note_for", String(8)),  # the side that the note is for; none: both
    Column("reason", String(20)),  # why it was returned
    Column("reviewer", Integer),  # who judged it last
    Index("rooms_by_status", "status", "review", "id"),
    Index("rooms_due", "deadline"),
    Index("rooms_of_user", "user"),
    Index("rooms_of_wizard", "wizard"),
)

SEATS = Table(
    "seats",
    METADATA,
    Column("worker", ForeignKey("workers.id"), primary_key=True, autoincrement=False),
    Column("room", ForeignKey("rooms.id"), nullable=False),
    Index("seats_of", "room"),
)
"""Workers in open rooms; the primary key allows one room per worker."""

CREDITS = Table(
    "credits",
    METADATA,
    Column("worker", Integer, primary_key=True, autoincrement=False),
    Column("room", Integer, primary_key=True, autoincrement=False),
    Column("role", String(8), primary_key=True),
    Column("turns", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("left", Boolean, nullable=False),
    Index("credits_of", "room"),
)
"""Credited work per worker and room; it stays credited even if the dialogue is returned."""

EVENTS = Table(
    "events",
    METADATA,
    Column("room", ForeignKey("rooms.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("client", String(80)),
    Column("body", Text, nullable=False),
    Index("events_once", "room", "client", unique=True),
)

OPINIONS = Table(
    "opinions",
    METADATA,
    Column("room", ForeignKey("rooms.id"), primary_key=True),
    Column("expert", Integer, primary_key=True, autoincrement=False),  # 0: what was settled on
    Column("body", Text, nullable=False),
    Column("done", Boolean, nullable=False),
    Column("changed", Double, nullable=False),
)
"""Expert annotations of collected dialogues."""

EXPORT_RECORDS = Table(
    "pieces",
    METADATA,
    Column("room", ForeignKey("rooms.id"), primary_key=True, autoincrement=False),
    Column("kind", String(20), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("version", String(40), nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
"""Finished dialogues, with acts, as export files contain them; made once, when they finish."""

LOBBY = Table(
    "lobby",
    METADATA,
    Column("worker", ForeignKey("workers.id"), primary_key=True, autoincrement=False),
    Column("role", String(8), nullable=False),
    Column("since", Double, nullable=False),
    Column("absent", Double),  # since when the page is closed
)

PRESENCE = Table(
    "presence",
    METADATA,
    Column("worker", ForeignKey("workers.id"), primary_key=True, autoincrement=False),
    Column("server", String(40), nullable=False),
)

SERVERS = Table(
    "servers",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("seen", Double, nullable=False),
)

ARRIVALS = Table(
    "arrivals",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("study", String(40), nullable=False),
    Column("worker", ForeignKey("workers.id"), nullable=False),
    Column("participant", String(200), nullable=False),
    Column("submission", String(200), nullable=False),
    Column("arrived", Double, nullable=False),
    Column("outcome", String(20)),  # none yet: taking part
    Column("decided", Double),
    Column("waited", Double, nullable=False),
    Column("seen", Double),  # the last sign of life
    Index("arrivals_once", "study", "participant", "submission", unique=True),
    Index("arrivals_of", "worker"),
)
"""Participants of studies, as their platform's link named them."""

STUDY_TEXTS = Table(
    "study_texts",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(60), nullable=False),  # consent, or a questionnaire's name
    Column("language", String(40), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("made", Double, nullable=False),
    Index("study_texts_once", "kind", "language", "digest", unique=True),
)
"""Every version of what participants have agreed to or answered."""

AGREEMENTS = Table(
    "agreements",
    METADATA,
    Column("worker", ForeignKey("workers.id"), primary_key=True, autoincrement=False),
    Column("text", ForeignKey("study_texts.id"), primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
)

ANSWERS = Table(
    "answers",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("worker", ForeignKey("workers.id"), nullable=False),
    Column("moment", String(20), nullable=False),
    Column("room", Integer, nullable=False),  # 0: about no room
    Column("text", ForeignKey("study_texts.id"), nullable=False),
    Column("at", Double, nullable=False),
    Column("body", Text, nullable=False),
    Column("failed_checks", Integer, nullable=False),
    Index("answers_of", "worker", "moment", "room"),
)

PAYMENTS = Table(
    "payments",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("worker", ForeignKey("workers.id"), nullable=False),
    Column("kind", String(10), nullable=False),  # bonus: granted; paid: a line of a batch
    Column("minor", Integer, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("batch", Integer),
    Index("payments_of", "worker"),
)
"""The ledger that decides what is paid: a line stands in at most one batch."""

BATCHES = Table(
    "batches",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("made", Double, nullable=False),
    Column("state", String(10), nullable=False),  # drawn, sent or failed
    Column("body", Text, nullable=False),  # the payment file, byte by byte
)

ROLES = Table(
    "roles",
    METADATA,
    Column("worker", ForeignKey("workers.id"), primary_key=True, autoincrement=False),
    Column("role", String(20), primary_key=True),
    Column("by", Integer),
    Column("at", Double, nullable=False),
)
"""What people are besides workers; administrators have a column of their own in `workers`."""

CLAIMS = Table(
    "claims",
    METADATA,
    Column("room", ForeignKey("rooms.id"), primary_key=True, autoincrement=False),
    Column("worker", ForeignKey("workers.id"), nullable=False),
    Column("until", Double, nullable=False),
)
"""Dialogues that a reviewer is looking at."""

MESSAGES = Table(
    "messages",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("sender", Integer),
    Column("worker", Integer),  # none: everybody
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("messages_to", "worker"),
)

MESSAGE_READS = Table(
    "message_reads",
    METADATA,
    Column("worker", ForeignKey("workers.id"), primary_key=True, autoincrement=False),
    Column("message", ForeignKey("messages.id"), primary_key=True, autoincrement=False),
)

ATTEMPTS = Table(
    "attempts",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),  # a digest: names and addresses are not kept
    Column("expires", Double, nullable=False),
    Index("attempts_of", "key", "expires"),
    Index("attempts_over", "expires"),
)
"""What counts against limits, such as wrong passwords, until it no longer does."""

PASSING = (SESSIONS, PRESENCE, SERVERS, LOBBY, EXPORT_RECORDS, CLAIMS, ATTEMPTS)
"""Tables that backups leave out: transient state, and what can be derived again."""
