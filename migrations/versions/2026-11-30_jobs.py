"""Jobs, their attempts, runners, approvals and measurements."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _jobs()
    _attempts()
    _runners()
    _measurements()


def downgrade() -> None:
    for table in ("measurement", "approval", "runner", "attempt_part", "attempt", "job"):
        op.drop_table(table)


def _jobs() -> None:
    op.create_table(
        "job",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("plan", sa.String(), nullable=False),
        sa.Column("needs", sa.String(), nullable=False),
        sa.Column("asks", sa.String(), nullable=False),
        sa.Column("claim_id", sa.String(), nullable=True),
        sa.Column("card_id", sa.String(), nullable=True),
        sa.Column("requested_by", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("runner", sa.String(), nullable=True),
        sa.Column("boot_id", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancelled_by", sa.String(), nullable=True),
        sa.Column("phase", sa.String(), nullable=True),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure", sa.String(), nullable=True),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("runner_failures", sa.String(), nullable=False),
        sa.CheckConstraint("attempts >= 0 AND epoch >= attempts", name=op.f("ck_job_every_attempt_has_its_epoch")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_job")),
        sa.UniqueConstraint("id", name=op.f("uq_job_id")),
    )
    op.create_index(op.f("ix_job_card_id"), "job", ["card_id"])
    op.create_index(op.f("ix_job_claim_id"), "job", ["claim_id"])
    op.create_index("ix_job_leased", "job", ["state", "lease_until"])
    op.create_index("ix_job_needed", "job", ["state", "needs"])
    op.create_index("ix_job_queue", "job", ["state", "rank", "number"])
    op.create_index(op.f("ix_job_runner"), "job", ["runner"])


def _attempts() -> None:
    op.create_table(
        "attempt",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("runner", sa.String(), nullable=False),
        sa.Column("boot_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("leased_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("failure", sa.String(), nullable=True),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("is_result", sa.Boolean(), nullable=False),
        sa.Column("finish", sa.String(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("log_size", sa.Integer(), nullable=False),
        sa.Column("log_sha256", sa.String(), nullable=True),
        sa.Column("log_dropped", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("log_size >= 0 AND log_dropped >= 0", name=op.f("ck_attempt_sizes_are_not_negative")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_attempt_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", "epoch", name=op.f("pk_attempt")),
        sa.UniqueConstraint("runner", "request_id", name="one_lease_a_request"),
    )
    op.create_table(
        "attempt_part",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_attempt_part_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", "epoch", "name", name=op.f("pk_attempt_part")),
    )
    op.create_index(op.f("ix_attempt_part_sha256"), "attempt_part", ["sha256"])


def _runners() -> None:
    op.create_table(
        "runner",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_id", sa.String(), nullable=False),
        sa.Column("boot_id", sa.String(), nullable=False),
        sa.Column("earlier_boots", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("capabilities", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("draining", sa.Boolean(), nullable=False),
        sa.Column("trouble", sa.String(), nullable=True),
        sa.Column("drain_asked", sa.Boolean(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("quarantined_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("quarantine", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_runner")),
    )
    op.create_table(
        "approval",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("launch", sa.String(), nullable=False),
        sa.Column("asked_by", sa.String(), nullable=False),
        sa.Column("approved_by", sa.String(), nullable=False),
        sa.Column("approver", sa.String(), nullable=False),
        sa.Column("approved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approval")),
    )
    op.create_index(op.f("ix_approval_digest"), "approval", ["digest"])


def _measurements() -> None:
    op.create_table(
        "measurement",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=True),
        sa.Column("bundle_sha256", sa.String(), nullable=True),
        sa.Column("claim_id", sa.String(), nullable=True),
        sa.Column("card_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("numbers", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("trust", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_measurement_job_id_job")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_measurement")),
        sa.UniqueConstraint("bundle_sha256", name=op.f("uq_measurement_bundle_sha256")),
        sa.UniqueConstraint("id", name=op.f("uq_measurement_id")),
        sa.UniqueConstraint("job_id", "epoch", name="one_measurement_an_attempt"),
    )
    op.create_index(op.f("ix_measurement_card_id"), "measurement", ["card_id"])
    op.create_index(op.f("ix_measurement_claim_id"), "measurement", ["claim_id"])
