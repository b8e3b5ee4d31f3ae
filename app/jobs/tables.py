"""How jobs lie in the database. Tables only store: everything in them was validated before.

Logs and parts are files (app.jobs.logs, app.results.files); a row says what of them was acknowledged.
"""

from __future__ import annotations

import datetime as dt

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

import app.db  # noqa: F401 (names constraints before the first table is declared)


class JobTable(SQLModel, table=True):
    """A job as it is now. `epoch` grows with every lease, and whoever writes for a job names the one that it has."""

    __tablename__ = "job"
    __table_args__ = (
        CheckConstraint("attempts >= 0 AND epoch >= attempts", name="every_attempt_has_its_epoch"),
        Index("ix_job_queue", "state", "rank", "number"),
        Index("ix_job_needed", "state", "needs"),
        Index("ix_job_leased", "state", "lease_until"),
        Index("ix_job_runner", "runner", "state"),
    )

    number: int | None = Field(default=None, primary_key=True)  # the order in which jobs came
    id: str = Field(unique=True)
    kind: str
    state: str  # app.jobs.states
    plan: str  # a Plan as JSON
    needs: str  # Needs in their one spelling: equal needs are equal text
    assumptions: str | None  # JSON: sentences; None: asked for before they were kept
    asks: str  # JSON: digests of its launches that a maintainer must approve, but for runners that list its models
    approved: bool  # all of them, when that was last looked at
    claim_id: str | None = Field(index=True)
    card_id: str | None = Field(index=True)
    requested_by: str
    owner: str  # the token of whoever asked for it
    rank: int  # minus its priority: the lower is taken first
    created_at: dt.datetime
    epoch: int
    attempts: int  # those that count; a runner in quarantine gives back what it took
    runner: str | None
    boot_id: str | None
    lease_until: dt.datetime | None
    cancel_requested_at: dt.datetime | None
    cancelled_by: str | None
    phase: str | None
    done: int = Field(sa_type=BigInteger)
    total: int = Field(sa_type=BigInteger)
    note: str
    beat_at: dt.datetime | None
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    failure: str | None
    message: str
    runner_failures: str  # JSON: runner -> attempts of this job that failed there by the machine's fault


class AttemptTable(SQLModel, table=True):
    """One lease of a job, for ever. At most one of a job's attempts is its result."""

    __tablename__ = "attempt"
    __table_args__ = (
        UniqueConstraint("runner", "request_id", name="one_lease_a_request"),
        CheckConstraint("log_size >= 0 AND log_dropped >= 0", name="sizes_are_not_negative"),
    )

    job_id: str = Field(primary_key=True, foreign_key="job.id")
    epoch: int = Field(primary_key=True)
    runner: str
    boot_id: str
    request_id: str  # of the lease
    leased_at: dt.datetime
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    state: str  # leased | running | lost | succeeded | failed | cancelled
    failure: str | None
    message: str
    is_result: bool
    finish: str | None  # the Finish as it was sent, also where it came too late
    answer: str | None  # the job's state as that was answered
    log_size: int  # bytes that were acknowledged
    log_sha256: str | None  # of the whole log, once it is known
    log_dropped: int = Field(sa_type=BigInteger)


class RefusalTable(SQLModel, table=True):
    """A job that a runner gave back because its own policy does not let it run, or because it lacks what that needs:
    that process is not given it again."""

    __tablename__ = "refusal"

    job_id: str = Field(primary_key=True, foreign_key="job.id")
    runner: str = Field(primary_key=True)
    boot_id: str
    message: str


class AttemptPartTable(SQLModel, table=True):
    """A file of an attempt; its bytes lie in app.results.files."""

    __tablename__ = "attempt_part"

    job_id: str = Field(primary_key=True, foreign_key="job.id")
    epoch: int = Field(primary_key=True)
    name: str = Field(primary_key=True)
    sha256: str = Field(index=True)
    size: int = Field(sa_type=BigInteger)


class RunnerTable(SQLModel, table=True):
    """A runner as it was last seen. Its name belongs to the token that used it first, until that is revoked."""

    __tablename__ = "runner"

    name: str = Field(primary_key=True)
    token_id: str
    boot_id: str
    earlier_boots: str  # JSON: the processes that this one took the place of
    version: str
    capabilities: str  # Capabilities as JSON
    seen_at: dt.datetime
    draining: bool  # it says so itself
    trouble: str | None  # why it says that it may measure nothing
    drain_asked: bool  # by a maintainer
    failures: int  # attempts in a row that failed by the machine's fault
    quarantined_at: dt.datetime | None
    quarantine: str | None  # why the server gives it nothing
    retired_at: dt.datetime | None  # a maintainer took it out of service; the row stays, since jobs name it
    retired_by: str | None


class ApprovalTable(SQLModel, table=True):
    """A launch that a maintainer allowed, byte for byte, until it expires or is revoked."""

    __tablename__ = "approval"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(index=True)
    launch: str  # its canonical text
    asked_by: str
    approved_by: str
    approver: str  # the token
    approved_at: dt.datetime
    expires_at: dt.datetime
    revoked_at: dt.datetime | None
    revoked_by: str | None


class MeasurementTable(SQLModel, table=True):
    """What an attempt found, or what a bundle from elsewhere holds. Numbers are computed here, from the traces."""

    __tablename__ = "measurement"
    __table_args__ = (UniqueConstraint("job_id", "epoch", name="one_measurement_an_attempt"),)

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    job_id: str | None = Field(foreign_key="job.id")
    epoch: int | None
    bundle_sha256: str | None = Field(unique=True)
    bundle_size: int | None = Field(sa_type=BigInteger)
    claim_id: str | None = Field(index=True)
    card_id: str | None = Field(index=True)
    kind: str
    report: str  # a Report as JSON
    numbers: str  # JSON
    verdict: str | None  # JSON
    runs: int  # repeats that its report tells of
    usable: int  # of them those that are results
    trust: str  # "runner" | "verified from trace"
    created_at: dt.datetime
    created_by: str


class MeasurementTraceTable(SQLModel, table=True):
    """A trace that a measurement's numbers were computed from, also of a bundle, whose bytes lie inside it."""

    __tablename__ = "measurement_trace"

    measurement_id: str = Field(primary_key=True, foreign_key="measurement.id")
    sha256: str = Field(primary_key=True, index=True)
