"""What is read of jobs: frozen records. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from app.results.bundle import CHECKED, on_trust_of_any

if TYPE_CHECKING:
    import datetime as dt

    from app.jobs.changed import Changed
    from app.jobs.matching import Needs
    from app.protocol.engines.start import Start
    from app.protocol.launch import Launch
    from app.protocol.lease import Capabilities
    from app.protocol.plan import Plan
    from app.protocol.policy.decide import Decision


Standing = Literal["free", "busy", "draining", "away", "quarantined", "retired"]


@dataclass(frozen=True)
class JobRow:
    """A job in a list. `priority`: the higher goes first; `lease_until` None where no runner has it; `approved`: every
    launch is, where one needs it; else only a runner that starts it unasked takes it."""

    number: int
    id: str
    kind: str
    state: str
    plan: Plan
    claim_id: str | None
    card_id: str | None
    requested_by: str
    owner: str
    priority: int
    created_at: dt.datetime
    epoch: int
    attempts: int
    approved: bool
    runner: str | None
    lease_until: dt.datetime | None
    cancel_requested_at: dt.datetime | None
    cancelled_by: str | None
    phase: str | None
    done: int
    total: int
    note: str
    beat_at: dt.datetime | None
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    failure: str | None
    message: str
    runs: int | None  # repeats that were measured; None where nothing was
    usable: int | None  # of them those that are results

    @property
    def is_empty(self) -> bool:
        """Whether it ran to its end and has nothing to show for it."""
        return self.state == "succeeded" and self.usable == 0


@dataclass(frozen=True)
class PartRow:
    """A file of an attempt; `size` in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class AttemptRow:
    """One lease of a job. `number` counts them from 1, epochs leave gaps; `finish`: its end as the runner told it, also
    where that came too late."""

    number: int
    epoch: int
    runner: str
    leased_at: dt.datetime
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    state: str
    failure: str | None
    message: str
    is_result: bool
    finish: dict[str, Any] | None
    log_size: int
    log_dropped: int
    parts: tuple[PartRow, ...]


@dataclass(frozen=True)
class ApprovalRow:
    """A launch that was approved, byte for byte."""

    id: int
    digest: str
    launch: str
    asked_by: str
    approved_by: str
    approved_at: dt.datetime
    expires_at: dt.datetime
    revoked_at: dt.datetime | None
    revoked_by: str | None


@dataclass(frozen=True)
class LaunchRow:
    """A launch of a job's plan that needs approval: the one that it has now, and why it needs one, part by part.
    `start` is exactly what would run; None where nothing can, as `trouble` says. `before` is the newest approval of
    another start with this engine and model, and `changes` what is different since."""

    digest: str
    launch: Launch
    start: Start | None
    trouble: str
    approval: ApprovalRow | None
    decision: Decision
    before: ApprovalRow | None
    changes: tuple[Changed, ...]


@dataclass(frozen=True)
class JobDetail:
    """A job with all that is known of it. `assumptions`: what its plan takes for granted, None where that was not kept.
    `lacking`: by runner, why it would not take the job."""

    row: JobRow
    plan: Plan
    assumptions: tuple[str, ...] | None
    needs: Needs
    launches: tuple[LaunchRow, ...]
    attempts: tuple[AttemptRow, ...]
    measurement_id: str | None
    lacking: dict[str, list[str]]


@dataclass(frozen=True)
class JobPage:
    items: tuple[JobRow, ...]
    total: int
    next: str | None


@dataclass(frozen=True)
class LogPiece:
    """Bytes of a log from `offset` on; `size` is that of the log now, `ended` whether it grows no more."""

    epoch: int
    offset: int
    data: bytes
    size: int
    ended: bool


@dataclass(frozen=True)
class RunnerRow:
    """A runner as it was last seen: when it asked for work, or when its job's heartbeat came. `trouble`: why it says
    itself that it may measure nothing. `standing` is how it stands now."""

    name: str
    boot_id: str
    version: str
    capabilities: Capabilities
    seen_at: dt.datetime
    draining: bool
    drain_asked: bool
    trouble: str | None
    failures: int
    quarantined_at: dt.datetime | None
    quarantine: str | None
    retired_at: dt.datetime | None
    retired_by: str | None
    jobs: tuple[str, ...]  # that it has now
    standing: Standing

    @property
    def is_up(self) -> bool:
        """Whether it takes jobs, now or after the one that it has."""
        return self.standing in ("free", "busy")


@dataclass(frozen=True)
class MeasurementRow:
    """What an attempt found, or what a bundle holds. `numbers` and `verdict` as they were computed here."""

    number: int
    id: str
    job_id: str | None
    epoch: int | None
    bundle_sha256: str | None
    bundle_size: int | None
    claim_id: str | None
    card_id: str | None
    kind: str
    report: dict[str, Any]
    numbers: Any
    verdict: dict[str, Any] | None
    runs: int  # repeats that the report tells of
    usable: int  # of them those that are results
    trust: str
    created_at: dt.datetime
    created_by: str
    parts: tuple[PartRow, ...]

    @property
    def status(self) -> str:
        """The verdict's; without a claim `measured`, or `no_result` where no load of it has a number."""
        if self.verdict is not None:
            return str(self.verdict["status"])
        return "measured" if any(item["valid"] for item in self.numbers["sets"]) else "no_result"

    @property
    def checked(self) -> tuple[str, ...]:
        """Of a bundle from elsewhere: what was found to be so before it was taken."""
        return CHECKED if self.bundle_sha256 else ()

    @property
    def on_trust(self) -> tuple[str, ...]:
        """Of a bundle from elsewhere: what nobody here could check."""
        return on_trust_of_any() if self.bundle_sha256 else ()


@dataclass(frozen=True)
class MeasurementPage:
    items: tuple[MeasurementRow, ...]
    total: int
    next: str | None
