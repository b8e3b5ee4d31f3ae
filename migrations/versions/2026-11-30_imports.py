"""Result files of other tools, with what was read in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "result_import",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_result_import")),
    )
    op.create_table(
        "result_import_card",
        sa.Column("card_id", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["card_id"], ["card.id"], name=op.f("fk_result_import_card_card_id_card")),
        sa.ForeignKeyConstraint(
            ["sha256"], ["result_import.sha256"], name=op.f("fk_result_import_card_sha256_result_import")
        ),
        sa.PrimaryKeyConstraint("card_id", name=op.f("pk_result_import_card")),
    )
    op.create_index(op.f("ix_result_import_card_sha256"), "result_import_card", ["sha256"])


def downgrade() -> None:
    op.drop_table("result_import_card")
    op.drop_table("result_import")
