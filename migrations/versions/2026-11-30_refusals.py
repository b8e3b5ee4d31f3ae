"""Whether a job's launches are approved, which runners refused it, and how many of a measurement's runs are results."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

JOB = sa.table("job", sa.column("state", sa.String()), sa.column("approved", sa.Boolean()))
MEASUREMENT = sa.table(
    "measurement",
    sa.column("number", sa.Integer()),
    sa.column("numbers", sa.String()),
    sa.column("runs", sa.Integer()),
    sa.column("usable", sa.Integer()),
)


def upgrade() -> None:
    op.add_column("job", sa.Column("approved", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(sa.update(JOB).where(JOB.c.state != "awaiting_approval").values(approved=True))
    op.create_table(
        "refusal",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("runner", sa.String(), nullable=False),
        sa.Column("boot_id", sa.String(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_refusal_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", "runner", name=op.f("pk_refusal")),
    )
    for name in ("runs", "usable"):
        op.add_column("measurement", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    _count()


def downgrade() -> None:
    for name in ("runs", "usable"):
        op.drop_column("measurement", name)
    op.drop_table("refusal")
    op.drop_column("job", "approved")


def _count() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(MEASUREMENT.c.number, MEASUREMENT.c.numbers)).all():
        runs = [run for of_set in json.loads(row.numbers)["sets"] for run in of_set["runs"]]
        counted = {"runs": len(runs), "usable": sum(run["valid"] for run in runs)}
        connection.execute(sa.update(MEASUREMENT).where(MEASUREMENT.c.number == row.number).values(counted))
