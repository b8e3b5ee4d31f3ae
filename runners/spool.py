"""What the runner keeps on disk: attempts until the app has acknowledged their end, and why it may measure nothing.

attempts/JOB-EPOCH/assignment.json   as it was taken
                   attempt.log       bounded; grows while the attempt goes on
                   parts/            report.json and traces
                   finish.json       the end, once there is one
refused/JOB-EPOCH/                   the same, where the app will never take it; `why.txt` says why
quarantine.txt                       the reason, until the owner clears it
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from typing import TYPE_CHECKING, BinaryIO

from pydantic import ValidationError

from app.protocol.lease import Assignment, Finish, Log
from runners.calls import Held
from runners.events import Left
from runners.outcomes import failed, of_disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.protocol.outcome import Outcome

LOG = "attempt.log"
PARTS = "parts"
CHUNK = 1 << 18  # bytes of the log in one call
_FINISH, _ASSIGNMENT = "finish.json", "assignment.json"
_READ = 1 << 20


class SpoolError(Exception):
    """The data folder cannot be used."""


class Spool:
    """One runner's folder. A second process on the same folder is refused."""

    def __init__(self, folder: Path) -> None:
        """SpoolError: it cannot be written, or is another runner's."""
        self._folder = folder
        try:
            self._attempts.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / "lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise SpoolError(f"{folder}: another runner uses this data folder") from None
        except OSError as error:
            raise SpoolError(f"{folder}: {error.strerror}") from error

    def close(self) -> None:
        self._lock.close()

    @property
    def _attempts(self) -> Path:
        return self._folder / "attempts"

    def folder(self, held: Held) -> Path:
        return self._attempts / f"{held.job_id}-{held.epoch}"

    def begin(self, assignment: Assignment) -> Path:
        """The folder of a new attempt. OSError: the disk is full."""
        folder = self.folder(Held(assignment.job_id, assignment.epoch))
        shutil.rmtree(folder, ignore_errors=True)
        (folder / PARTS).mkdir(parents=True)
        _write(folder / _ASSIGNMENT, assignment.model_dump_json())
        return folder

    def finish(self, held: Held, request_id: str, outcome: Outcome, dropped: int) -> Finish:
        """Write the end down. Where the disk is full, the end is `disk_full` and its parts are given up for room."""
        folder = self.folder(held)
        try:
            made = _finish(folder, held, request_id, outcome, dropped)
            _write(folder / _FINISH, made.model_dump_json())
        except OSError as error:
            shutil.rmtree(folder / PARTS, ignore_errors=True)
            made = _finish(folder, held, request_id, of_disk(error), dropped)
            if folder.exists():
                _try(lambda: _write(folder / _FINISH, made.model_dump_json()))
        return made

    def left(self, fresh: Callable[[], str]) -> list[Left]:
        """Every attempt that the app does not have yet, the oldest first; one that was cut off gets its end here."""
        found = []
        for folder in sorted(self._attempts.iterdir(), key=lambda path: path.stat().st_mtime):
            try:
                taken = Assignment.model_validate_json((folder / _ASSIGNMENT).read_bytes())
            except (OSError, ValidationError):
                self._put_aside(folder, "it holds no assignment that this version reads")
                continue
            held = Held(taken.job_id, taken.epoch)
            found.append(Left(held, self._finished(held, fresh), taken.beat_s))
        return found

    def _finished(self, held: Held, fresh: Callable[[], str]) -> Finish:
        folder = self.folder(held)
        try:
            return Finish.model_validate_json((folder / _FINISH).read_bytes())
        except (OSError, ValidationError):
            # What it left may still be printing its last words: the log is what stands there now.
            _try(lambda: _freeze(folder / LOG))
            lost = failed("runner_lost", "the runner was ended while this attempt went on")
            return self.finish(held, fresh(), lost, 0)

    def log(self, held: Held, offset: int) -> bytes:
        """The log's next bytes. OSError: it cannot be read."""
        with (self.folder(held) / LOG).open("rb") as file:
            file.seek(offset)
            return file.read(CHUNK)

    def part(self, held: Held, name: str) -> Path:
        return self.folder(held) / PARTS / name

    def forget(self, held: Held) -> None:
        shutil.rmtree(self.folder(held), ignore_errors=True)

    def set_aside(self, held: Held, why: str) -> None:
        self._put_aside(self.folder(held), why)

    def _put_aside(self, folder: Path, why: str) -> None:
        refused = self._folder / "refused"
        refused.mkdir(exist_ok=True)
        shutil.rmtree(refused / folder.name, ignore_errors=True)
        folder.rename(refused / folder.name)
        _try(lambda: _write(refused / folder.name / "why.txt", f"{why}\n"))

    @property
    def quarantine(self) -> str | None:
        """Why this runner may measure nothing."""
        return quarantine_of(self._folder)

    def set_quarantine(self, reason: str) -> None:
        _write(self._folder / "quarantine.txt", f"{reason}\n")


def quarantine_of(folder: Path) -> str | None:
    """The reason that is kept in a runner's data folder."""
    file = folder / "quarantine.txt"
    return (file.read_text().strip() or "not stated") if file.exists() else None


def clear_quarantine(folder: Path) -> None:
    """The owner has looked at the machine; a runner that is running notices."""
    (folder / "quarantine.txt").unlink(missing_ok=True)


def digest(file: Path) -> bytes:
    """SHA-256 of a file."""
    with file.open("rb") as opened:
        return _digest(opened)


def _digest(file: BinaryIO) -> bytes:
    found = hashlib.sha256()
    while data := file.read(_READ):
        found.update(data)
    return found.digest()


def _finish(folder: Path, held: Held, request_id: str, outcome: Outcome, dropped: int) -> Finish:
    parts = folder / PARTS
    log = folder / LOG
    names = sorted(path.name for path in parts.iterdir()) if parts.exists() else []
    written = log.exists()
    return Finish(
        epoch=held.epoch,
        request_id=request_id,
        outcome=outcome,
        parts={name: digest(parts / name).hex() for name in names},
        log=Log(
            size=log.stat().st_size if written else 0,
            sha256=digest(log).hex() if written else hashlib.sha256().hexdigest(),
            dropped=dropped,
        ),
    )


def _freeze(log: Path) -> None:
    """A copy in the log's place, which nobody writes to."""
    copy = log.with_name("kept.log")
    shutil.copyfile(log, copy)
    copy.rename(log)


def _write(file: Path, text: str) -> None:
    """All of it or nothing, also after a power cut."""
    made = file.with_name(f".{file.name}.new")
    with made.open("w") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    made.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _try(action: Callable[[], object]) -> None:
    """What may fail without harm: a full disk, a file that is not there."""
    try:
        action()
    except OSError:
        return
