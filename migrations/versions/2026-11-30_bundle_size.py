"""The size of an imported bundle's file."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("measurement", sa.Column("bundle_size", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("measurement", "bundle_size")
