"""What a runner is at work on is found without a look at all that it has done."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_job_runner", table_name="job")
    op.create_index("ix_job_runner", "job", ["runner", "state"])


def downgrade() -> None:
    op.drop_index("ix_job_runner", table_name="job")
    op.create_index("ix_job_runner", "job", ["runner"])
