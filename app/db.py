"""The database: how it is opened, read, written, migrated and copied. The only module that commits.

Readers see one unchanging state for as long as their block lasts and cannot write. Writers are served one at a time
in the order in which they came: with SQLite's own waiting a writer can starve for seconds. Neither is ever held open
while a response is being sent.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool
from sqlmodel import Session, SQLModel, create_engine

from app.errors import InvalidInputError, NoSpaceError, SettingError, SetupError
from app.settings import ROOT
from app.yaml_tree import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from sqlalchemy import URL, Connection, Engine, Row, Select

try:
    import fcntl
except ImportError:  # not a Unix
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")

SAFE_SQLITE = (3, 51, 3)  # older ones can lose data when the write-ahead log is reset
READERS = 8  # connections
TURN = ".turn"  # what the file in which writers wait has behind the database's name
LONGEST_START_S = 300  # how long a start waits for another one
CONNECT_S = 10  # how long PostgreSQL is waited for

PRAGMAS = (
    "busy_timeout=10000",  # first: the switch to WAL has to wait, too
    "journal_mode=WAL",
    "synchronous=FULL",  # an acknowledged write survives a power cut
    "trusted_schema=OFF",
    "mmap_size=0",
    "cache_size=-1000",  # KB of pages a connection; the system's own cache holds the rest
    "journal_size_limit=67108864",
)

# Constraints get names that a migration can refer to, the same on both databases.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def sqlite_module() -> ModuleType:
    """The newest SQLite at hand: the interpreter's own where it is sound, else the one of pysqlite3."""
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        try:
            return importlib.import_module("pysqlite3.dbapi2")
        except ImportError:
            pass  # /healthz warns
    return sqlite3


class Database:
    """One SQLite file or one PostgreSQL database, by its URL. Raises SettingError for another URL.

    `waited` is told how many seconds each write stood in the queue.
    """

    def __init__(self, url: str, waited: Callable[[float], None] | None = None) -> None:
        self._waited = waited
        self.url = _with_driver(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._readers = _engine(self.url, begin="BEGIN", pragmas=(*PRAGMAS, "foreign_keys=ON", "query_only=ON"))
        self._writers = _engine(self.url, begin="BEGIN IMMEDIATE", pragmas=(*PRAGMAS, "foreign_keys=ON"), size=1)
        self._turn = _Turn(Path(f"{self.url.database}{TURN}") if self.is_sqlite else None)
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session on one unchanging state. Keep it short; a write through it raises."""
        with Session(self._readers) as session:
            yield session

    def first(self, statement: Select[Any], values: dict[str, Any]) -> Row[Any] | None:
        """The first row of one statement, past the object mapper: for what every request asks."""
        with self._readers.connect() as connection:
            return connection.execute(statement, values).first()

    @contextmanager
    def read_existing(self) -> Iterator[Session]:
        """The same where there must be a database already. Raises InvalidInputError: asking would make an empty one."""
        if self.is_sqlite and not Path(str(self.url.database)).exists():
            msg = f"there is no database at {self.url.database}"
            raise InvalidInputError(msg)
        with self.read() as session:
            yield session

    def write(self, work: Callable[[Session], T]) -> T:
        """Run `work` as one transaction, after all writes asked for before it. Commits, or rolls back and raises.

        Raises NoSpaceError where the disk is full.
        """
        return self._queue.submit(self._transaction, work, perf_counter()).result()

    def _transaction(self, work: Callable[[Session], T], asked: float) -> T:
        if self._waited:
            self._waited(perf_counter() - asked)
        try:
            with self._turn, _Writing(self._writers, expire_on_commit=False) as session:
                result = work(session)
                session.commit()
                return result
        except DBAPIError as error:
            if _is_full(error):
                msg = "the server's disk is full; nothing was saved. Try again when there is room"
                raise NoSpaceError(msg) from error
            raise

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One process at a time in this block; the others wait. A start holds it while it migrates and loads.

        PostgreSQL has locks of an own kind for this; with SQLite a second, empty file is locked, as the first one has
        to stay open for the work.
        """
        if self.is_sqlite:
            file = f"{self.url.database}.starting"
            with closing(sqlite_module().connect(file, timeout=LONGEST_START_S, isolation_level=None)) as lock:
                lock.execute("BEGIN EXCLUSIVE")
                yield
            return
        with _engine(self.url, begin="BEGIN IMMEDIATE", pragmas=(), pool=False).begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LONGEST_START_S}s'")
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7301422)")
            yield

    def place(self) -> str:
        """Which database it is, for people; never its password."""
        if self.is_sqlite:
            return f"the database {self.url.database}"
        return f"the PostgreSQL database {self.url.set(drivername='postgresql', query={}).render_as_string()}"

    def migrate(self) -> None:
        """Bring the tables to the newest revision. Raises SetupError where they are of a newer Benchcard."""
        config = _alembic()
        with self.migration_connection() as connection:
            self._refuse_newer(connection, ScriptDirectory.from_config(config))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def _refuse_newer(self, connection: Connection, known: ScriptDirectory) -> None:
        for found in set(MigrationContext.configure(connection).get_current_heads()) - _revisions(known):
            msg = (
                f"{self.place()} was made by a newer Benchcard: this one does not know its revision {found}. "
                "Install the newer one, or put a copy made by `benchcard backup` before the update in its place"
            )
            raise SetupError(msg)

    @contextmanager
    def migration_connection(self) -> Iterator[Connection]:
        """One transaction for all revisions: a failed migration leaves the database as it was.

        Foreign keys are off meanwhile: SQLite rebuilds a table by dropping it, and that must delete no child rows.
        """
        with _engine(self.url, begin="BEGIN IMMEDIATE", pragmas=PRAGMAS, pool=False).begin() as connection:
            if not self.is_sqlite:  # two servers that start at once migrate one after the other
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7301421)")
            yield connection
            check_foreign_keys(connection)

    def backup(self, file: Path) -> None:
        """Copy a live SQLite database to `file`, complete as of one moment (`cp` would miss rows).

        The copy gets its name when it is whole. Raises InvalidInputError where there is nothing to copy or nowhere to
        put it.
        """
        if not self.is_sqlite:
            msg = "this copies SQLite databases; use pg_dump for PostgreSQL"
            raise InvalidInputError(msg)
        live = Path(str(self.url.database))
        for wrong, msg in (
            (not live.exists(), f"there is no database at {live}"),
            (not file.parent.is_dir(), f"there is no folder {file.parent}"),
            (file.resolve() == live.resolve(), f"{file} is the database itself"),
        ):
            if wrong:
                raise InvalidInputError(msg)
        part = file.with_name(file.name + ".part")
        with self._readers.connect() as connection:
            try:
                part.unlink(missing_ok=True)
                with closing(sqlite_module().connect(part)) as target:
                    connection.connection.driver_connection.backup(target)  # type: ignore[union-attr]
                part.replace(file)
            except (OSError, sqlite_module().Error) as error:
                msg = f"{file} cannot be written: {error}; choose another place"
                raise InvalidInputError(msg) from error

    def version(self) -> str:
        """The database's name and version, for people."""
        if self.is_sqlite:
            return f"SQLite {sqlite_module().sqlite_version}"
        with self.read() as session:
            return f"PostgreSQL {session.connection().exec_driver_sql('SHOW server_version').scalar_one()}"

    def warnings(self) -> list[str]:
        """What an operator must mend."""
        found = sqlite_module().sqlite_version_info
        if self.is_sqlite and found < SAFE_SQLITE:
            wanted = ".".join(map(str, SAFE_SQLITE))
            return [
                f"SQLite {'.'.join(map(str, found))} can lose data in WAL mode: install pysqlite3 ({wanted} or newer)"
            ]
        return []

    def close(self) -> None:
        """Finish the writes asked for, then close every connection."""
        self._queue.shutdown()
        self._turn.close()
        self._writers.dispose()
        self._readers.dispose()


class _Turn:
    """The processes that write to one SQLite file wait here in a queue of the system. SQLite's own waiting sleeps and
    tries again, ever longer: of eight writers one can wait for a second while the others take turns.

    Nothing depends on it for being right, and where the system has no such lock SQLite's waiting is left.
    """

    def __init__(self, file: Path | None) -> None:
        """None: a database that orders its writers itself."""
        self._file = file if fcntl is not None else None
        self._opened: int | None = None

    def __enter__(self) -> None:
        if self._file is not None:
            if self._opened is None:
                self._opened = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._opened, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            fcntl.flock(self._opened, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._opened is not None:
            os.close(self._opened)
            self._opened = None


class _Writing(Session):
    """A session of one transaction. Its connection is looked up once: SQLAlchemy would do so for every statement, at a
    third of the statement's own cost."""

    _found: Connection | None = None

    def connection(self, *args: Any, **options: Any) -> Connection:
        if self._found is None or args or options:
            self._found = super().connection(*args, **options)
        return self._found


def known_revisions() -> set[str]:
    """The revisions of the tables that this Benchcard can bring up to date."""
    return _revisions(ScriptDirectory.from_config(_alembic()))


def _alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations").replace("%", "%%"))
    return config


def _revisions(known: ScriptDirectory) -> set[str]:
    return {script.revision for script in known.walk_revisions()}


def check_foreign_keys(connection: Connection) -> None:
    """Refuse a migration that leaves a reference to nothing (SQLite does not look while foreign keys are off)."""
    if connection.dialect.name == "sqlite":
        broken = connection.execute(text("PRAGMA foreign_key_check")).all()
        if broken:
            msg = f"the migration left {len(broken)} reference(s) to nothing, the first in table {broken[0][0]}"
            raise RuntimeError(msg)


def _is_full(error: DBAPIError) -> bool:
    return "disk is full" in str(error.orig) or getattr(error.orig, "sqlstate", None) == "53100"  # SQLite, PostgreSQL


def _with_driver(url: str) -> URL:
    """The URL with the driver that is installed. What it says is repeated nowhere: it may hold a password."""
    form = "postgresql://USER:PASSWORD@HOST/DATABASE, or leave it unset for SQLite in the data folder"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        msg = f"BENCHCARD_DATABASE_URL is no database URL: write {form}"
        raise SettingError(msg) from error
    kind = parsed.get_backend_name()
    if kind == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        msg = f"BENCHCARD_DATABASE_URL begins with `{shown(kind)}:`, which Benchcard does not know: write {form}"
        raise SettingError(msg)
    if not parsed.database or parsed.database == ":memory:" or parsed.query:
        msg = "BENCHCARD_DATABASE_URL names no SQLite file: write sqlite:///FILE, or set BENCHCARD_DATA alone"
        raise SettingError(msg)
    return parsed.set(drivername="sqlite")


def _engine(url: URL, *, begin: str, pragmas: tuple[str, ...], size: int = READERS, pool: bool = True) -> Engine:
    # What people wrote, and hashes of secrets, stand in statements' values: an error's text in a log shows none.
    options: dict[str, Any] = {"hide_parameters": True}
    options |= {"pool_size": size, "max_overflow": 0} if pool else {"poolclass": NullPool}
    if url.get_backend_name() == "sqlite":
        # isolation_level None: the driver opens no transaction behind our back; `begin` says which kind it is.
        engine = create_engine(url, module=sqlite_module(), connect_args={"isolation_level": None}, **options)

        @event.listens_for(engine, "connect")
        def _prepare(connection: sqlite3.Connection, _record: object) -> None:
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine
    reading = {"postgresql_readonly": True, "isolation_level": "REPEATABLE READ"} if begin == "BEGIN" else {}
    if "connect_timeout" not in url.query:
        options["connect_args"] = {"connect_timeout": CONNECT_S}
    return create_engine(url, execution_options=reading, pool_pre_ping=True, **options)
