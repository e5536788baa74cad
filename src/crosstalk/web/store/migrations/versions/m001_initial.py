"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "001"
down_revision = None


def upgrade() -> None:
    _people()
    _work()
    _now()


def _people() -> None:
    op.create_table(
        "settings",
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("folded", sa.String(length=120), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("admin", sa.Boolean(), nullable=False),
        sa.Column("interface", sa.String(length=8), nullable=False),
        sa.Column("consented", sa.Double(), nullable=True),
        sa.Column("trained", sa.Double(), nullable=True),
        sa.Column("training", sa.Text(), nullable=False),
        sa.Column("blocked", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("waits", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("folded"),
    )
    op.create_table(
        "sessions",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("worker", sa.Integer(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["worker"],
            ["workers.id"],
        ),
        sa.PrimaryKeyConstraint("token"),
    )
    op.create_index("sessions_of", "sessions", ["worker"], unique=False)
    op.create_table(
        "links",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("label", sa.String(length=120), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token"),
    )


def _work() -> None:
    op.create_table(
        "goals",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("type", sa.String(length=8), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("room", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("goals_free", "goals", ["state", "number"], unique=False)
    op.create_table(
        "rooms",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("goal", sa.String(length=200), nullable=False),
        sa.Column("type", sa.String(length=8), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("ending", sa.String(length=20), nullable=True),
        sa.Column("user", sa.Integer(), nullable=True),
        sa.Column("wizard", sa.Integer(), nullable=True),
        sa.Column("machine", sa.Boolean(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("changed", sa.Double(), nullable=False),
        sa.Column("deadline", sa.Double(), nullable=True),
        sa.Column("review", sa.String(length=10), nullable=False),
        sa.Column("problem", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("rooms_by_status", "rooms", ["status", "review", "id"], unique=False)
    op.create_index("rooms_due", "rooms", ["deadline"], unique=False)
    op.create_index("rooms_of_user", "rooms", ["user"], unique=False)
    op.create_index("rooms_of_wizard", "rooms", ["wizard"], unique=False)
    op.create_table(
        "seats",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["room"],
            ["rooms.id"],
        ),
        sa.ForeignKeyConstraint(
            ["worker"],
            ["workers.id"],
        ),
        sa.PrimaryKeyConstraint("worker"),
    )
    op.create_index("seats_of", "seats", ["room"], unique=False)
    op.create_table(
        "credits",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("left", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("worker", "room", "role"),
    )
    op.create_index("credits_of", "credits", ["room"], unique=False)
    op.create_table(
        "events",
        sa.Column("room", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("client", sa.String(length=80), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["room"],
            ["rooms.id"],
        ),
        sa.PrimaryKeyConstraint("room", "seq"),
    )
    op.create_index("events_once", "events", ["room", "client"], unique=True)


def _now() -> None:
    op.create_table(
        "lobby",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("absent", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["worker"],
            ["workers.id"],
        ),
        sa.PrimaryKeyConstraint("worker"),
    )
    op.create_table(
        "presence",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("server", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["worker"],
            ["workers.id"],
        ),
        sa.PrimaryKeyConstraint("worker"),
    )
    op.create_table(
        "servers",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
