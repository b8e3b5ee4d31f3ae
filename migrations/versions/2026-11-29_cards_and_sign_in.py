"""Bench cards with their revisions, who may write, and the answers kept for retries.

A claim belongs to a source or to a card, so that the table's one index, filter and comparison serve both. The claim
table is rebuilt on SQLite, which cannot change a column in place; its rows are copied.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _cards()
    _claims_of_cards()
    _accounts()
    _replies()


def _cards() -> None:
    op.create_table(
        "card",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("engine", sa.String(), nullable=True),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("hardware", sa.String(), nullable=True),
        sa.Column("axis", sa.String(), nullable=True),
        sa.Column("repeats", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("completeness", sa.Integer(), nullable=False),
        sa.Column("retracted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("retracted_by", sa.String(), nullable=True),
        sa.Column("retraction", sa.String(), nullable=True),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_card_revision_counts_from_one")),
        sa.CheckConstraint(
            "(retracted_at IS NULL) = (retraction IS NULL)", name=op.f("ck_card_retracted_with_a_reason")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_card")),
        sa.UniqueConstraint("id", name=op.f("uq_card_id")),
    )
    op.create_index(op.f("ix_card_repeats"), "card", ["repeats"])
    op.create_table(
        "card_revision",
        sa.Column("card_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("findings", sa.String(), nullable=False),
        sa.Column("axis_version", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["card_id"], ["card.id"], name=op.f("fk_card_revision_card_id_card")),
        sa.PrimaryKeyConstraint("card_id", "revision", name=op.f("pk_card_revision")),
    )


def _claims_of_cards() -> None:
    with op.batch_alter_table("claim") as claim:
        claim.add_column(sa.Column("card_id", sa.String(), nullable=True))
        claim.alter_column("source_id", existing_type=sa.String(), nullable=True)
        claim.create_foreign_key(op.f("fk_claim_card_id_card"), "card", ["card_id"], ["id"])
        claim.create_unique_constraint(op.f("uq_claim_card_id"), ["card_id"])
        claim.create_check_constraint(
            op.f("ck_claim_of_a_source_or_a_card"), "(source_id IS NULL) <> (card_id IS NULL)"
        )


def _accounts() -> None:
    op.create_table(
        "token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("hash", name=op.f("uq_token_hash")),
    )
    op.create_table(
        "session",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("token_id", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_session_token_id_token")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_session")),
    )
    op.create_table(
        "sign_in_link",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sign_in_link")),
    )


def _replies() -> None:
    op.create_table(
        "reply",
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("location", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("actor", "key", name=op.f("pk_reply")),
    )
    op.create_index(op.f("ix_reply_created_at"), "reply", ["created_at"])


def downgrade() -> None:
    op.execute("DELETE FROM claim WHERE source_id IS NULL")
    with op.batch_alter_table("claim") as claim:
        claim.drop_constraint(op.f("ck_claim_of_a_source_or_a_card"), type_="check")
        claim.drop_constraint(op.f("uq_claim_card_id"), type_="unique")
        claim.drop_constraint(op.f("fk_claim_card_id_card"), type_="foreignkey")
        claim.drop_column("card_id")
        claim.alter_column("source_id", existing_type=sa.String(), nullable=False)
    for table in ("reply", "sign_in_link", "session", "token", "card_revision", "card"):
        op.drop_table(table)
