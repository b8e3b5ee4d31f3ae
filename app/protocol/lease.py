"""How a runner takes a job, keeps it and gives it back. All times on the wire are durations from the answer on.

    POST /api/v1/runner/lease                       LeaseRequest -> LeaseReply
    POST /api/v1/runner/jobs/{id}/start             Start        -> Renewal    within `ack_s`, else it is free again
    POST /api/v1/runner/jobs/{id}/heartbeat         Heartbeat    -> Renewal
    PUT  /api/v1/runner/jobs/{id}/log?epoch=&offset=         bytes -> Stored   same bytes again: the same answer
    PUT  /api/v1/runner/jobs/{id}/parts/{name}?epoch=        bytes -> Stored   with Content-Digest: sha-256=:BASE64:
    POST /api/v1/runner/jobs/{id}/finish            Finish       -> Finished

Every message of an attempt carries its epoch. After the lease was lost, `start` and `heartbeat` answer 409
`lease_lost`; log and parts are still taken, as evidence on the attempt's own record; `finish` notes the end there and
answers 409 `lease_lost`, for it can never become the job's result. A gap in the log is 409 `log_gap` with the expected
offset as `error.expected`, other bytes in an offset or a part that is there already are 422
`other_bytes`. 409 `incomplete` has one detail for each thing that is missing: field `parts.NAME`, or `log` with the
size that is there as `error.expected`. After its end is on record an attempt takes no further bytes (409 `conflict`).

A runner's name belongs to the token that used it first, until that one is revoked: another token is answered 403.
A log has at most `MOST_LOG` bytes, a part `MOST_PART`, an attempt `MOST_PARTS` parts.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from app.protocol.launch import FlagName
from app.protocol.outcome import Outcome
from app.protocol.plan import Address, BenchTool, Plan
from app.protocol.wire import Digest, Key, Name, Seconds, Tally, Text, Wire

MOST_LOG = 6 << 20
MOST_PIECE = 1 << 20  # of a log, in one request
MOST_PART = 512 << 20
MOST_PARTS = 4000

Phase = Literal["preparing", "starting", "warming", "measuring", "stopping", "uploading"]


class Gpu(Wire):
    name: Text
    memory_mib: Tally
    driver: Text | None = None


class EngineHere(Wire):
    """An engine that is installed at the runner, for its CPU or its GPUs."""

    name: Literal["vllm", "sglang"]
    version: Text
    device: Literal["cpu", "cuda"]


class Capabilities(Wire):
    """What a runner has, and what its own policy lets run there. `models` are those that it starts without asking,
    `engines` those that it starts at all, `attach` the addresses that it may measure; `approved`: whether it starts
    what a maintainer has approved. One that does not state its policy may yet refuse a job that it is given."""

    gpus: tuple[Gpu, ...] = ()
    cpus: Tally
    memory_mib: Tally
    engines: tuple[EngineHere, ...] = ()
    models: tuple[Text, ...] = ()
    attach: tuple[Address, ...] = ()
    wall_s: Seconds  # the longest attempt that it takes
    approved: bool = True
    denied_flags: tuple[FlagName, ...] = ()  # that nobody sets there
    max_gpus: Tally | None = None  # that it gives to one job
    tools: tuple[BenchTool, ...] = ()  # that Benchcard's client can be held against


class LeaseRequest(Wire):
    """Asked again under the same request id, it has the same answer. A boot id that is new for this runner ends what
    an earlier process of the same name had taken. One process has one job: while it has not begun the one that it was
    given it is given the same again, and once it has begun 409 `conflict` names it. A runner in quarantine asks too,
    to be seen, and gets nothing."""

    runner: Name
    boot_id: Key
    request_id: Key
    version: Text  # of Benchcard
    capabilities: Capabilities
    draining: bool = False
    quarantine: Text | None = None  # why this runner may measure nothing


class Placement(Wire):
    """Where a part of the job runs: GPUs of one node."""

    node: Literal[0] = 0
    gpus: Tally


class Assignment(Wire):
    """A job taken. `approved` lists the digests of launches that a maintainer has approved."""

    job_id: Name
    epoch: Annotated[int, Field(ge=1)]
    plan: Plan
    approved: tuple[Digest, ...] = ()
    placements: tuple[Placement, ...]
    lease_s: Seconds
    ack_s: Seconds
    beat_s: Seconds


class LeaseReply(Wire):
    """`assignment` is None where there is nothing to do; ask again after `wait_s`, give or take half of it."""

    assignment: Assignment | None = None
    wait_s: Seconds
    drain: bool = False


class Start(Wire):
    epoch: Annotated[int, Field(ge=1)]
    request_id: Key


class Heartbeat(Wire):
    """`done` of `total` steps; `note` is one line for people."""

    epoch: Annotated[int, Field(ge=1)]
    phase: Phase
    done: Tally = 0
    total: Tally = 0
    note: Text = ""

    @model_validator(mode="after")
    def _no_more_than_all(self) -> Self:
        if self.done > self.total:
            raise ValueError(f"{self.done} of {self.total} steps cannot be done: `done` is at most `total`")
        return self


class Renewal(Wire):
    """The lease holds for `lease_s` more, counted from when the message was sent."""

    lease_s: Seconds
    cancel: bool = False
    drain: bool = False


class Stored(Wire):
    """`size` bytes of the log or the part are there."""

    size: Tally


class Log(Wire):
    """The whole log as it was sent; `dropped` bytes were left out between its beginning and its end."""

    size: Tally
    sha256: Digest
    dropped: Tally = 0


class Finish(Wire):
    """Taken only when every part of `parts` (name -> SHA-256) and the log are there: else 409 `incomplete`."""

    epoch: Annotated[int, Field(ge=1)]
    request_id: Key
    outcome: Outcome
    parts: Annotated[dict[Name, Digest], Field(max_length=MOST_PARTS)]
    log: Log


class Finished(Wire):
    """The end is on record; nothing of the attempt needs to be kept at the runner."""

    state: Literal["succeeded", "failed", "cancelled", "queued"]  # of the job: queued where it will be tried again
