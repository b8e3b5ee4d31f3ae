"""Sources with their revisions, claims, and the catalogue's version.

The first tables: what the catalogue files hold, so laid out that filters and sort orders read short columns.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    state = op.create_table(
        "catalogue_state",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_catalogue_state_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalogue_state")),
    )
    op.bulk_insert(state, [{"id": 1, "version": 0}])
    _sources()
    _claims()


def _sources() -> None:
    op.create_table(
        "source",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("url_seen_cited", sa.Boolean(), nullable=False),
        sa.Column("date", sa.String(), nullable=True),
        sa.Column("publisher", sa.String(), nullable=False),
        sa.Column("interest", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("retrieved", sa.String(), nullable=False),
        sa.Column("last_checked", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("rows_hash", sa.String(), nullable=False),
        sa.Column("loaded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_source_revision_counts_from_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source")),
    )
    op.create_table(
        "source_revision",
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=True),
        sa.Column("loaded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("source_id", "revision", name=op.f("pk_source_revision")),
    )


def _claims() -> None:
    op.create_table(
        "claim",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("date", sa.Integer(), nullable=False),
        sa.Column("engine", sa.String(), nullable=True),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("axis", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("hardware", sa.String(), nullable=True),
        sa.Column("acceptance", sa.String(), nullable=False),
        sa.Column("stated_in", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("caveats", sa.String(), nullable=False),
        sa.Column("sort_group", sa.Integer(), nullable=False),
        sa.Column("sort_value", sa.Float(), nullable=True),
        sa.Column("search", sa.String(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.CheckConstraint("rank BETWEEN 0 AND 999", name=op.f("ck_claim_rank_in_range")),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_claim_source_id_source")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_claim")),
        sa.UniqueConstraint("id", name=op.f("uq_claim_id")),
    )
    op.create_index(op.f("ix_claim_source_id"), "claim", ["source_id"])


def downgrade() -> None:
    op.drop_table("claim")
    op.drop_table("source_revision")
    op.drop_table("source")
    op.drop_table("catalogue_state")
