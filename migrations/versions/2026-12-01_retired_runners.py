"""When a runner was taken out of service, and by whom."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runner", sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("runner", sa.Column("retired_by", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("runner", "retired_by")
    op.drop_column("runner", "retired_at")
