"""Finished dialogues are kept as exports write them."""

import sqlalchemy as sa
from alembic import op

revision = "003"
down_revision = "002"


def upgrade() -> None:
    op.create_table(
        "finished",
        sa.Column("room", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(length=40), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"]),
        sa.PrimaryKeyConstraint("room"),
    )
