"""Runs migrations: on the connection of app.db, or from the `alembic` command on the configured database."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

import app.accounts.tables
import app.cards.tables
import app.claims.tables
import app.jobs.tables
import app.replay.tables
import app.results.tables  # noqa: F401 (all six declare tables)
from app.installation import opened
from app.settings import read_settings


def run() -> None:
    connection = context.config.attributes.get("connection")
    if connection is None:
        settings = read_settings()
        settings.data.mkdir(parents=True, exist_ok=True)
        with opened(settings) as database, database.migration_connection() as own:
            context.config.attributes["connection"] = own
            run()
        return
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,  # app.db opens real transactions on SQLite too
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
