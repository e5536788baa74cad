"""Studies: participants of platforms, agreements, answers, payments."""

import sqlalchemy as sa
from alembic import op

revision = "005"
down_revision = "004"


def upgrade() -> None:
    op.create_table(
        "arrivals",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("study", sa.String(length=40), nullable=False),
        sa.Column("worker", sa.Integer(), nullable=False),
        sa.Column("participant", sa.String(length=200), nullable=False),
        sa.Column("submission", sa.String(length=200), nullable=False),
        sa.Column("arrived", sa.Double(), nullable=False),
        sa.Column("outcome", sa.String(length=20)),
        sa.Column("decided", sa.Double()),
        sa.Column("waited", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    names = ["study", "participant", "submission"]
    op.create_index("arrivals_once", "arrivals", names, unique=True)
    op.create_index("arrivals_of", "arrivals", ["worker"])
    op.create_table(
        "study_texts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("made", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    names = ["kind", "language", "digest"]
    op.create_index("study_texts_once", "study_texts", names, unique=True)
    op.create_table(
        "agreements",
        sa.Column("worker", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.ForeignKeyConstraint(["text"], ["study_texts.id"]),
        sa.PrimaryKeyConstraint("worker", "text"),
    )
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("worker", sa.Integer(), nullable=False),
        sa.Column("moment", sa.String(length=20), nullable=False),
        sa.Column("room", sa.Integer(), nullable=False),
        sa.Column("text", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("failed_checks", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.ForeignKeyConstraint(["text"], ["study_texts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("answers_of", "answers", ["worker", "moment", "room"])
    op.create_table(
        "payments",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("worker", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("minor", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("batch", sa.Integer()),
        sa.ForeignKeyConstraint(["worker"], ["workers.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("payments_of", "payments", ["worker"])
    op.create_table(
        "batches",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("made", sa.Double(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
