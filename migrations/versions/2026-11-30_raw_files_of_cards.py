"""Which files a card names as its raw data and which traces a measurement was computed from, so that each finds the
other; read out of what is stored already."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    card_raw = _table("card_raw", "card")
    measurement_trace = _table("measurement_trace", "measurement")
    newest = (
        "SELECT card_revision.card_id, card_revision.document FROM card_revision "
        "JOIN card ON card.id = card_revision.card_id AND card.revision = card_revision.revision"
    )
    here = op.get_bind()
    for card, document in here.execute(sa.text(newest)).all():
        named = json.loads(document).get("raw") or ()
        _fill(card_raw, "card_id", card, {item["sha256"] for item in named})
    for measurement, numbers in here.execute(sa.text("SELECT id, numbers FROM measurement")).all():
        runs = [run for of_set in json.loads(numbers)["sets"] for run in of_set["runs"]]
        _fill(measurement_trace, "measurement_id", measurement, {run["trace_sha256"] for run in runs} - {None})


def downgrade() -> None:
    op.drop_table("measurement_trace")
    op.drop_table("card_raw")


def _table(name: str, of: str) -> sa.Table:
    made = op.create_table(
        name,
        sa.Column(f"{of}_id", sa.String(), sa.ForeignKey(f"{of}.id", name=f"fk_{name}_{of}_id_{of}"), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint(f"{of}_id", "sha256", name=f"pk_{name}"),
    )
    op.create_index(f"ix_{name}_sha256", name, ["sha256"])
    return made


def _fill(table: sa.Table, column: str, of: str, digests: set[str]) -> None:
    op.bulk_insert(table, [{column: of, "sha256": digest} for digest in sorted(digests)])
