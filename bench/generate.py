"""Claims in any number, made by varying the real catalogue; the same number always gives the same claims."""

from __future__ import annotations

import random
import sqlite3
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

from app.catalogue.folder import read_catalogue
from app.catalogue.rows import rows
from app.catalogue.store import record
from app.claims.store import columns, insert_claims, put_source, raise_version
from app.claims.wording import headline
from app.clock import SystemClock
from app.db import Database
from app.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.catalogue.load import LoadedSource
    from app.claims.schema import ClaimRow

SEED = 20261129
BATCH = 2000
ENGINES = ("vLLM", "SGLang", "TensorRT-LLM", "llama.cpp", None)
MODELS = tuple(
    f"{family}-{size}" for family in ("Atlas", "Borealis", "Cedar", "Delta") for size in ("8B", "70B", "400B")
)
GPUS = ("GB300", "GB200", "B300", "B200", "H200", "H100", "MI355X", None)
# What the table page shows of a claim: Datasette gets these, one column each, and nothing of the rest.
SHOWN = (
    "id", "headline", "title", "value", "unit", "engine", "model", "axis", "kind", "scope", "hardware", "parallelism",
    "baseline", "acceptance", "caveats", "stated_in", "locator", "status", "source", "date", "rank",
)  # fmt: skip
INDEXED = ("engine", "model", "axis", "kind", "hardware", "source", "rank")


def build(folder: Path, count: int) -> None:
    """Write `count` claims into folder/benchcard.db for us and into folder/claims.db for Datasette."""
    database = Database(f"sqlite:///{folder / 'benchcard.db'}")
    database.migrate()
    loaded = read_catalogue(Settings().catalogue)
    now = SystemClock().now()
    for item in loaded:
        database.write(lambda session, item=item: put_source(session, record(item), (), now))  # type: ignore[misc]
    peer = _peer(folder / "claims.db")
    made = generate(loaded, count)
    while batch := list(islice(made, BATCH)):
        stored = [columns(row, row.model_dump_json()) for row in batch]
        database.write(lambda session, stored=stored: insert_claims(session, stored))  # type: ignore[misc]
        peer.executemany(f"INSERT INTO claims VALUES ({', '.join('?' * len(SHOWN))})", map(_shown, batch))
    database.write(raise_version)
    database.close()
    for name in INDEXED:
        peer.execute(f"CREATE INDEX by_{name} ON claims ({name})")
    peer.execute("ANALYZE")
    peer.commit()
    peer.close()


def generate(loaded: list[LoadedSource], count: int) -> Iterator[ClaimRow]:
    """Real claims over and over, each time with another number, engine, model, GPU and rank."""
    chance = random.Random(SEED)
    sources = [item.source for item in loaded]
    real = [row for source in sources for row in rows(source, sources)]
    for number in range(count):
        row = real[number % len(real)]
        value = None if row.value is None else row.value * Decimal(chance.randint(50, 200)) / 100
        given = row.conditions
        conditions = given.model_copy(
            update={
                "engine": given.engine.model_copy(update={"name": chance.choice(ENGINES)}),
                "model": given.model.model_copy(update={"id": chance.choice(MODELS)}),
                "hardware": given.hardware.model_copy(update={"accelerator": chance.choice(GPUS)}),
            }
        )
        changed = {
            "id": f"{row.id[:60]}-{number}",
            "value": value,
            "conditions": conditions,
            "rank": chance.randint(0, 999),
        }
        varied = row.model_copy(update=changed)
        yield varied.model_copy(update={"headline": headline(varied)})


def _peer(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file)
    types = {"value": "REAL", "rank": "INTEGER", "id": "TEXT PRIMARY KEY"}
    declared = ", ".join(f"{name} {types.get(name, 'TEXT')}" for name in SHOWN)
    connection.execute(f"CREATE TABLE claims ({declared})")
    return connection


def _shown(row: ClaimRow) -> list[Any]:
    given = row.conditions
    values: dict[str, Any] = {
        **{name: getattr(row, name) for name in ("id", "headline", "title", "unit", "axis", "kind", "scope")},
        **{name: getattr(row, name) for name in ("stated_in", "locator", "rank")},
        "value": None if row.value is None else float(row.value),
        "engine": given.engine.name,
        "model": given.model.id,
        "hardware": given.hardware.accelerator,
        "parallelism": given.parallelism,
        "baseline": row.baseline.text,
        "acceptance": row.acceptance.kind,
        "caveats": "; ".join(caveat.kind for caveat in row.caveats),
        "status": row.reproduction.status,
        "source": row.source.title,
        "date": row.source.date,
    }
    return [values[name] for name in SHOWN]
