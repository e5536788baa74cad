"""Roles, claims of reviewers, messages to workers; for whom a note is; when participants were seen.

Experts move from the settings into the table of roles.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "006"
down_revision = "005"


def upgrade() -> None:
    op.create_table(
        "roles",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("by", sa.Integer()),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.PrimaryKeyConstraint("worker", "role"),
    )
    op.create_table(
        "claims",
        sa.Column("room", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("worker", sa.Integer(), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"]),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.PrimaryKeyConstraint("room"),
    )
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sender", sa.Integer()),
        sa.Column("worker", sa.Integer()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("messages_to", "messages", ["worker"])
    op.create_table(
        "message_reads",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.ForeignKeyConstraint(["message"], ["messages.id"]),
        sa.PrimaryKeyConstraint("worker", "message"),
    )
    op.add_column("rooms", sa.Column("note_for", sa.String(length=8)))
    op.add_column("rooms", sa.Column("reason", sa.String(length=20)))
    op.add_column("rooms", sa.Column("reviewer", sa.Integer()))
    op.add_column("arrivals", sa.Column("seen", sa.Double()))
    _move_experts()


def _move_experts() -> None:
    settings = sa.table("settings", sa.column("key"), sa.column("value"))
    roles = sa.table("roles", sa.column("worker"), sa.column("role"), sa.column("at"))
    workers = sa.table("workers", sa.column("id"))
    connection = op.get_bind()
    found = connection.execute(
        sa.select(settings.c.value).where(settings.c.key == "panel")
    ).scalar()
    if found is None:
        return
    panel = json.loads(found)
    known = set(connection.execute(sa.select(workers.c.id)).scalars())
    rows = [
        {"worker": each, "role": "expert", "at": 0.0} for each in panel["experts"] if each in known
    ]
    if rows:
        connection.execute(sa.insert(roles), rows)
    value = json.dumps({"rooms": panel["rooms"]})
    connection.execute(settings.update().where(settings.c.key == "panel").values(value=value))
