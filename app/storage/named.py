"""Which files the database's rows name. Everything else that copies, counts or removes files asks here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.results.files import relative

Ask = Callable[[str], Iterable[Any]]  # SQL -> rows; of a session, or of a copy that no server has open

FILES, LOGS, RUNNER = "files", "logs", "runner"  # folders in the data folder; no row names what is in the last
NAMING = {  # table -> its statement for (sha256, size) of files
    "result_import": "SELECT sha256, size FROM result_import",
    "attempt_part": "SELECT sha256, size FROM attempt_part",
    "measurement": "SELECT bundle_sha256, bundle_size FROM measurement WHERE bundle_sha256 IS NOT NULL",
}
BEFORE_SIZES = "SELECT bundle_sha256, NULL FROM measurement WHERE bundle_sha256 IS NOT NULL"  # revision 0004
LOGGED = "SELECT job_id, epoch, log_size FROM attempt"


@dataclass(frozen=True)
class NamedFile:
    """A file that a row names, by its place in the data folder.

    `sha256` is that of its bytes; None for a log, which grows: its first `size` bytes are acknowledged and stay.
    `size` is None where an older database does not keep it.
    """

    place: str
    size: int | None
    sha256: str | None

    @property
    def has_bytes(self) -> bool:
        """False for a log of which nothing has come."""
        return self.sha256 is not None or self.size != 0


def named_files(ask: Ask, tables: Mapping[str, Collection[str]]) -> list[NamedFile]:
    """Every file that a row names, once. `tables` are those that the database has, with their columns; an older one has
    fewer of both."""
    found: dict[str, NamedFile] = {}
    for table in NAMING.keys() & tables.keys():
        statement = NAMING[table] if table != "measurement" or "bundle_size" in tables[table] else BEFORE_SIZES
        for sha256, size in ask(statement):
            place = f"{FILES}/{relative(sha256)}"
            found[place] = NamedFile(place, size, sha256)
    if "attempt" in tables:
        for job_id, epoch, size in ask(LOGGED):
            place = f"{LOGS}/{job_id}/{epoch}.log"
            found[place] = NamedFile(place, size, None)
    return [found[place] for place in sorted(found)]
