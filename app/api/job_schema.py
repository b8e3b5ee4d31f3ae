"""The shapes of the API's jobs, measurements and runners. The typed client reads them too."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from app.api.schema import Cursor, Limit, Name, digits
from app.jobs.choices import Choices
from app.jobs.matching import Needs
from app.jobs.rows import Standing
from app.jobs.states import State
from app.protocol.engines.start import Start
from app.protocol.launch import Launch
from app.protocol.lease import Capabilities
from app.protocol.plan import JobKind, Plan
from app.protocol.policy.decide import Decision
from app.protocol.wire import Wire

Epoch = Annotated[int | None, Field(ge=1, le=10**9, description="of the attempt; the newest unless it is given")]
Given = Annotated[str | None, Field(max_length=200, pattern=r"^[\x21-\x7e]+$")]


class SubmitJob(Wire):
    """What to measure: a plan as it is, a card, or a claim to reproduce."""

    plan: Plan | None = None
    card_id: Given = None
    claim_id: Given = None
    choices: Choices | None = None  # for a card or a claim: over what it states, or where it states nothing
    accelerator: Annotated[str | None, Field(max_length=100, pattern=r"^[\x20-\x7e]+$")] = None
    priority: Annotated[
        int,
        Field(
            ge=-100,
            le=100,
            description="the higher is taken first; -100 to 100, and above 0 needs the scope `maintain`",
        ),
    ] = 0

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if [self.plan, self.card_id, self.claim_id].count(None) != 2:
            raise ValueError("a job is asked for by a plan, a card_id or a claim_id, one of them")
        if self.choices is not None and self.plan is not None:
            raise ValueError("a plan is run as it is: choices belong to a card_id or a claim_id")
        return self


class JobListQuery(BaseModel):
    """Filters by column: one may be given several times (any of its values); different ones must all hold."""

    state: list[State] = []
    kind: list[JobKind] = []
    runner: list[Name] = []
    claim_id: list[Name] = []
    card_id: list[Name] = []
    cursor: Cursor = None
    limit: Limit = 50


class MeasurementListQuery(BaseModel):
    claim_id: list[Name] = []
    card_id: list[Name] = []
    kind: list[JobKind] = []
    cursor: Cursor = None
    limit: Limit = 50


class LogQuery(BaseModel):
    offset: Annotated[int, Field(ge=0, le=2**31, description="byte to begin at"), BeforeValidator(digits)] = 0
    epoch: Annotated[Epoch, BeforeValidator(digits)] = None


class _Read(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class JobItem(_Read):
    """A job in a list."""

    id: str
    kind: JobKind
    state: State
    claim_id: str | None
    card_id: str | None
    requested_by: str
    priority: int = Field(description="the higher is taken first")
    created_at: dt.datetime
    attempts: int = Field(description="that count; at most 3")
    epoch: int = Field(description="of the newest attempt; 0 where there was none")
    runner: str | None
    phase: str | None = Field(description="while it runs")
    done: int = Field(description="steps; of a job that failed or was cancelled, how far it came")
    total: int
    note: str
    beat_at: dt.datetime | None = Field(description="when its runner was last heard of")
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    cancel_requested_at: dt.datetime | None
    cancelled_by: str | None
    runs: int | None = Field(description="repeats that were measured; null where nothing was")
    usable: int | None = Field(description="of them those that are results: a job that succeeded may have none")
    failure: str | None = Field(description="its class")
    message: str


class JobList(BaseModel):
    items: list[JobItem]
    total: int
    next: str | None


class Part(_Read):
    name: str
    sha256: str
    size: int = Field(description="bytes")


class Attempt(_Read):
    """One lease of a job. The one that is its result is marked; the others are evidence."""

    number: int = Field(description="1 for the first")
    epoch: int = Field(description="names it in every address; grows, and leaves gaps")
    runner: str
    leased_at: dt.datetime
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    state: Literal["leased", "running", "lost", "succeeded", "failed", "cancelled"]
    failure: str | None
    message: str
    is_result: bool
    finish: dict[str, Any] | None = Field(description="its end as the runner told it, also where that came too late")
    log_size: int
    log_dropped: int
    parts: list[Part]


class Approval(_Read):
    """A launch that a maintainer approved, byte for byte."""

    id: int
    digest: str = Field(description="SHA-256 of `launch`")
    launch: str = Field(
        description="canonical JSON of the launch and of its start: argv and environment as they would run"
    )
    asked_by: str
    approved_by: str
    approved_at: dt.datetime
    expires_at: dt.datetime
    revoked_at: dt.datetime | None
    revoked_by: str | None


class ApprovalList(BaseModel):
    items: list[Approval]


class ChangedLine(_Read):
    kind: Literal["same", "old", "new"]
    text: str


class LaunchToApprove(_Read):
    digest: str
    launch: Launch
    start: Start | None = Field(
        description="exactly what would run: `{PLACE}` in a word that names a place is filled in by the runner, and a "
        "word with `only_with` is left out where nothing is given for that; null where it cannot be started"
    )
    trouble: str = Field(description="why it cannot be started")
    approval: Approval | None = Field(description="null where it still has to be approved")
    decision: Decision = Field(description="every part of it, with the answer and the reason")
    before: Approval | None = Field(description="the newest approval of another start with this engine and model")
    changes: list[ChangedLine] = Field(description="what would run now against that, line by line")


class JobDetail(JobItem):
    """A job with all that is known of it."""

    plan: Plan
    assumptions: list[str] | None = Field(
        description="what nobody stated, or was chosen against what is stated; null where that was not kept"
    )
    needs: Needs
    launches: list[LaunchToApprove] = Field(
        description="what runs only with a maintainer's approval, but on a runner whose own list names its model"
    )
    tries: list[Attempt]
    measurement_id: str | None
    lacking: dict[str, list[str]] = Field(
        description="while it waits, by runner: why that one would not take it; an empty list where it would"
    )


class RunnerItem(_Read):
    """A runner as it was last seen."""

    name: str
    version: str = Field(description="of Benchcard")
    capabilities: Capabilities
    seen_at: dt.datetime
    draining: bool = Field(description="it says itself that it takes no more")
    drain_asked: bool = Field(description="a maintainer said so")
    trouble: str | None = Field(description="why it says itself that it may measure nothing")
    failures: int = Field(description="attempts in a row that failed by the machine's fault")
    quarantined_at: dt.datetime | None
    quarantine: str | None = Field(description="why it is given nothing until a maintainer lets it take jobs again")
    retired_at: dt.datetime | None = Field(description="when a maintainer took it out of service")
    retired_by: str | None
    jobs: list[str]
    standing: Standing = Field(
        description="free and busy: it is up, seen within 90 s and taking jobs; away: not seen for that long; "
        "quarantined: it is given nothing, or says itself that it may measure nothing"
    )


class RunnerList(BaseModel):
    items: list[RunnerItem]


class MeasurementItem(_Read):
    """What an attempt found, or what a bundle from elsewhere holds."""

    id: str
    job_id: str | None
    epoch: int | None
    bundle_sha256: str | None
    claim_id: str | None
    card_id: str | None
    kind: str
    status: str = Field(description="the verdict's; without one `measured`, or `no_result` where no load has a number")
    verdict: dict[str, Any] | None = Field(description="null where there is no claim to compare with")
    trust: str = Field(description="`runner`, or `verified from trace`")
    created_at: dt.datetime
    created_by: str


class MeasurementList(BaseModel):
    items: list[MeasurementItem]
    total: int
    next: str | None


class MeasurementDetail(MeasurementItem):
    checked: list[str] = Field(description="of an imported bundle: what was found to be so before it was taken")
    on_trust: list[str] = Field(description="of an imported bundle: what could not be checked")
    report: dict[str, Any] = Field(description="what was started, and which trace is which run")
    numbers: Any = Field(description="computed from the traces")
    parts: list[Part]


class BestQuery(BaseModel):
    above: Annotated[
        float,
        Field(gt=0, le=10**7, allow_inf_nan=False, description="P90 interactivity in tok/s/user that a load exceeds"),
    ]


class BestLoad(_Read):
    """A measured load: medians over its repeats, with the lowest and highest of these; null where there was one run."""

    load: str
    repeats: int
    total: float = Field(description="input and output tokens, tok/s per GPU; of the whole machine where it has no GPU")
    total_range: tuple[float, float] | None
    output: float = Field(description="the same of output tokens alone")
    output_range: tuple[float, float] | None
    interactivity: float = Field(description="P90 interactivity, the slow tail, in tok/s/user")
    interactivity_range: tuple[float, float] | None
    ttft_ms: float | None = Field(description="median")
    requests: int = Field(description="of all runs")
    failed: int = Field(description="of them; their tokens are in no throughput")
    counted_at_end: bool = Field(description="whether tokens were asked for once a request, not with each event")


class BestAnswer(_Read):
    """The best measured load above a speed."""

    above: float
    per_gpu: bool = Field(description="whether throughput is per GPU, or of the whole machine because it has none")
    best: BestLoad | None = Field(description="null where no measured load is above the limit")
    text: str = Field(description="the answer in a sentence")
    left_out: list[str] = Field(description="loads without a number to ask for, and why")
