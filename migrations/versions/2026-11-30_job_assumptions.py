"""What a job's plan had to take for granted; unknown of the jobs that are there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("job", sa.Column("assumptions", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("job", "assumptions")
