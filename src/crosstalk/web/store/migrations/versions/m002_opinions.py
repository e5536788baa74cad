"""Experts annotate some dialogues again."""

import sqlalchemy as sa
from alembic import op

revision = "002"
down_revision = "001"


def upgrade() -> None:
    op.create_table(
        "opinions",
        sa.Column("room", sa.Integer(), nullable=False),
        sa.Column("expert", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("changed", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"]),
        sa.PrimaryKeyConstraint("room", "expert"),
    )
