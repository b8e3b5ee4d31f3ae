"""What an attempt sends of itself: its log, its parts, its end. Inside the caller's transaction.

Bytes are on the disk before a row says that they are there, so nothing that was acknowledged is ever missing. An
attempt that has lost its job may still send: what it saw is kept as evidence, and never becomes the result.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.errors import ConflictError, IncompleteError, LogGapError, OtherBytesError, TooLargeError
from app.jobs.ends import ended
from app.jobs.leases import UPDATE_ATTEMPT, attempt_of, is_current
from app.jobs.states import TERMINAL
from app.protocol.lease import MOST_LOG, MOST_PARTS, Finish

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

    from sqlmodel import Session

    from app.jobs.logs import Logs
    from app.results.files import Kept

PART = SQLModel.metadata.tables["attempt_part"]
PARTS = sa.select(PART.c.name, PART.c.sha256, PART.c.size).where(
    PART.c.job_id == sa.bindparam("job"), PART.c.epoch == sa.bindparam("of_epoch")
)
ENDED = "the end of this attempt is on record; it takes no more"


def append_log(session: Session, logs: Logs, attempt_id: tuple[str, int], offset: int, data: bytes, token: str) -> int:
    """Add a piece of an attempt's log; one that is there already changes nothing. Returns the log's size.

    Raises LogGapError, OtherBytesError, TooLargeError, NoSpaceError, and what `attempt_of` does.
    """
    job_id, epoch = attempt_id
    _, attempt, _ = attempt_of(session, job_id, epoch, token)
    size: int = attempt.log_size
    if offset > size:
        message = f"the log has {size} bytes, the piece begins at {offset}; send what lies between"
        raise LogGapError(message, size)
    known = data[: size - offset]
    if known != logs.read(job_id, epoch, offset, len(known)):
        raise OtherBytesError(f"the log has other bytes from {offset} on; what was taken once is not changed")
    rest = data[len(known) :]
    if not rest:
        return size
    if attempt.finish is not None:
        raise ConflictError(ENDED)
    if size + len(rest) > MOST_LOG:
        raise TooLargeError(f"a log here has at most {MOST_LOG // 1024**2} MB")
    logs.write(job_id, epoch, size, rest)
    row = {"job": job_id, "of_epoch": epoch, "log_size": size + len(rest)}
    UPDATE_ATTEMPT.run(session, row)
    return size + len(rest)


def add_part(session: Session, job_id: str, epoch: int, name: str, kept: Kept, token: str) -> int:
    """List a file that is kept as a part of an attempt. Returns its size. Raises as `refuse_part` does."""
    if not refuse_part(session, (job_id, epoch), name, kept.sha256, token):
        row = {"job_id": job_id, "epoch": epoch, "name": name, "sha256": kept.sha256, "size": kept.size}
        session.connection().execute(sa.insert(PART), row)
    return kept.size


def refuse_part(session: Session, attempt_id: tuple[str, int], name: str, sha256: str, token: str) -> bool:
    """Whether that part is there already. It is asked before the bytes come and before they are kept, so that nothing
    is left of what is refused.

    Raises OtherBytesError where the part is there with another digest, ConflictError where the attempt takes no more,
    TooLargeError for too many parts, and what `attempt_of` does.
    """
    _, attempt, _ = attempt_of(session, *attempt_id, token)
    here = parts_of(session, *attempt_id)
    if name in here:
        if here[name].sha256 != sha256:
            raise OtherBytesError(f"the part `{name}` is there with other bytes; what was taken once is not changed")
        return True
    if attempt.finish is not None:
        raise ConflictError(ENDED)
    if len(here) >= MOST_PARTS:
        raise TooLargeError(f"an attempt has at most {MOST_PARTS} parts")
    return False


def finish(session: Session, logs: Logs, job_id: str, message: Finish, token: str, now: dt.datetime) -> str | None:
    """Put an attempt's end on record; sent again it has the same answer. Returns the job's state, None where the job
    was no longer this attempt's: to refuse that by an error would undo the record.

    An expired lease that nobody has taken away may still end: the epoch alone tells whether the job is this
    attempt's, and what an outage of the server kept waiting is not lost.

    Raises IncompleteError, OtherBytesError where another end is on record, and what `attempt_of` does.
    """
    job, attempt, _ = attempt_of(session, job_id, message.epoch, token)
    if attempt.finish is not None:
        if not is_same(Finish.model_validate_json(attempt.finish), message):
            raise OtherBytesError("another end of this attempt is on record")
        return None if attempt.answer is None else str(attempt.answer)
    missing = list(_missing(session, logs, attempt, message))
    if missing:
        raise IncompleteError(missing, attempt.log_size)
    answer = ended(session, job, message.outcome, now) if is_current(job, message.epoch) else None
    said = {"finish": message.model_dump_json(), "answer": answer, **_of_log(message)}
    if answer is not None:
        said |= _of_end(message, answer, now)
    UPDATE_ATTEMPT.run(session, {"job": job_id, "of_epoch": message.epoch, **said})
    return answer


def is_same(first: Finish, again: Finish) -> bool:
    """Whether it is one end, whatever id it was sent under: a runner that was restarted may not know the id."""
    return first.model_copy(update={"request_id": again.request_id}) == again


def parts_of(session: Session, job_id: str, epoch: int) -> dict[str, Any]:
    rows = session.connection().execute(PARTS, {"job": job_id, "of_epoch": epoch}).all()
    return {row.name: row for row in rows}


def _missing(session: Session, logs: Logs, attempt: sa.Row[Any], message: Finish) -> Iterator[dict[str, object]]:
    here = parts_of(session, attempt.job_id, attempt.epoch)
    for name, sha256 in message.parts.items():
        if name not in here:
            yield {"field": f"parts.{name}", "message": f"the part `{name}` is not here"}
        elif here[name].sha256 != sha256:
            yield {"field": f"parts.{name}", "message": f"the part `{name}` is here with other bytes"}
    if attempt.log_size != message.log.size:
        yield {"field": "log", "message": f"the log has {attempt.log_size} of {message.log.size} bytes"}
    elif _digest(logs, attempt) != message.log.sha256:
        yield {"field": "log", "message": "the log is here with other bytes"}


def _digest(logs: Logs, attempt: sa.Row[Any]) -> str:
    return hashlib.sha256(logs.read(attempt.job_id, attempt.epoch, 0, attempt.log_size)).hexdigest()


def _of_log(message: Finish) -> dict[str, Any]:
    return {"log_sha256": message.log.sha256, "log_dropped": message.log.dropped}


def _of_end(message: Finish, answer: str, now: dt.datetime) -> dict[str, Any]:
    outcome = message.outcome
    told = {"state": outcome.state, "failure": outcome.failure, "message": outcome.message}
    return {**told, "ended_at": now, "is_result": answer in TERMINAL}
