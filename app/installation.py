"""This installation's database, opened for a command: what an operator must mend is told in one line.

Only what lies outside the code is translated; a mistake of ours keeps its trace.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError

from app.db import Database, sqlite_module
from app.errors import NoSpaceError, SetupError
from app.yaml_tree import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.settings import Settings

BUSY = "another process has held it for long; end that one, or wait"
# Words of a message -> how to mend it.
MEND_SQLITE = {
    "readonly": "let this user write the file and in its folder, or set BENCHCARD_DATA",
    "unable to open": "let this user write in its folder, or set BENCHCARD_DATA",
    "full": "free some space on its disk",
    "disk i/o": "look at its disk: space, quota, file system",
    "not a database": "move it away, or put a copy made by `benchcard backup` in its place",
    "malformed": "move it away, or put a copy made by `benchcard backup` in its place",
    "locked": BUSY,
    "": "look at the file and its disk",
}
MEND_POSTGRESQL = {
    "lock timeout": BUSY,
    "no space": "free some space on its server's disk",
    "disk is full": "free some space on its server's disk",
    "": "see that the server runs and that BENCHCARD_DATABASE_URL names it, a user and a database",
}


@contextmanager
def opened(settings: Settings) -> Iterator[Database]:
    """The database, closed afterwards. Raises SettingError for a wrong URL, SetupError for what does not work."""
    database = Database(settings.url())
    try:
        yield database
    except NoSpaceError as error:
        raise SetupError(_told(database, "database or disk is full")) from error
    except DBAPIError as error:
        if not _is_outside(error):
            raise
        raise SetupError(_told(database, str(error.orig))) from error
    except (sqlite3.Error, sqlite_module().Error) as error:  # met below SQLAlchemy
        raise SetupError(_told(database, str(error))) from error
    finally:
        database.close()


@contextmanager
def made_ready(settings: Settings) -> Iterator[Database]:
    """The same with the newest tables, folders made where there are none. No other start runs meanwhile."""
    with opened(settings) as database:
        _make_folder(settings.data)  # result files lie there, whatever the database is
        if database.is_sqlite:
            _make_folder(Path(str(database.url.database)).parent)
        with database.alone():
            database.migrate()
            yield database


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        is_file = isinstance(error, FileExistsError | NotADirectoryError)
        what = "a file stands in its way" if is_file else error.strerror
        msg = f"the data folder {folder} cannot be made: {what}; name another by BENCHCARD_DATA"
        raise SetupError(msg) from error


def _is_outside(error: DBAPIError) -> bool:
    """Whether the machine is to blame: all that comes while connecting, and what is no error of a statement."""
    return isinstance(error, OperationalError) or type(error) is DatabaseError or error.statement is None


def _told(database: Database, message: str) -> str:
    said = shown(" ".join(message.split()), 300)
    known = MEND_SQLITE if database.is_sqlite else MEND_POSTGRESQL
    mend = next(mend for word, mend in known.items() if word in said.lower())
    return f"{database.place()} cannot be used: {said}; {mend}"
