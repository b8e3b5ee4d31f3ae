"""What the templates of jobs and runners are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.card_contexts import FilterSelect
    from app.web.contexts import Fact, Link, Shell, Trouble


@dataclass(frozen=True, slots=True)
class Age:
    """How long ago something was: when the page was made `text` held; a browser counts on from `seconds`."""

    text: str
    seconds: int
    at: str  # the same as a moment


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job in the list. `state` names the shape of `word`; `dummy` where it runs on random weights."""

    url: str
    state: str
    word: str
    progress: str
    kind: str
    what: str
    dummy: bool
    about: Link | None  # the claim or the card that it measures again
    by: str
    age: Age
    runner: str


@dataclass(frozen=True, slots=True)
class JobResults:
    """The part of the list's page that a filter changes."""

    template: ClassVar[str] = "jobs/_results.html"

    count: str
    lines: tuple[JobLine, ...]
    troubles: tuple[Trouble, ...]
    filtered: bool
    first_url: str
    next_url: str
    json_url: str


@dataclass(frozen=True, slots=True)
class JobListPage:
    template: ClassVar[str] = "jobs/index.html"

    shell: Shell
    filters: tuple[FilterSelect, ...]
    runners: str  # in a sentence
    results: JobResults


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is. `url` is asked again every `every_s` seconds, "" once nothing moves any more, or once a job has
    waited so long that the page has `stopped` looking."""

    template: ClassVar[str] = "jobs/_progress.html"

    phase: str
    done: int
    total: int
    said: str  # the same in words
    note: str
    beat: Age | None  # when it was last heard of
    cancelling: str
    stopped: str
    url: str
    every_s: int


@dataclass(frozen=True, slots=True)
class LogTail:
    """A piece of a log as text, and where the next one is asked for; "" once the log is over."""

    template: ClassVar[str] = "jobs/_log.html"

    text: str
    url: str
    every_s: int


@dataclass(frozen=True, slots=True)
class LogPart:
    """The log of the newest attempt on the job's page. `left_out` says what of it is not shown."""

    tail: LogTail
    left_out: str
    whole: Link


@dataclass(frozen=True, slots=True)
class FileLine:
    name: str
    size: str
    sha256: str
    url: str


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """One lease of a job. `role` says that it is the result, or evidence only."""

    number: str
    runner: str
    state: str
    word: str
    role: str
    leased: str
    ended: str
    failure: str
    log: Link | None
    files: tuple[FileLine, ...]


@dataclass(frozen=True, slots=True)
class FailureTold:
    """Why a job failed: in plain words, what can be done, and the runner's own message."""

    what: str
    remedy: str
    message: str


@dataclass(frozen=True, slots=True)
class RunnerLack:
    """A runner that does not take a waiting job, and every reason."""

    name: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a job is not taken yet: in a sentence, and by runner."""

    said: str
    runners: tuple[RunnerLack, ...]


@dataclass(frozen=True, slots=True)
class JobLive:
    """What changes while a job is under way."""

    template: ClassVar[str] = "jobs/_moved.html"

    state: str
    word: str
    told: str  # the state in a sentence
    began: Age | None  # of what runs
    result: Link | None
    approve: Link | None
    cancel_url: str
    progress: Progress | None
    waiting: Waiting | None
    failure: FailureTold | None
    log: LogPart | None
    attempts: tuple[AttemptLine, ...]
    reload_url: str


@dataclass(frozen=True, slots=True)
class SidePart:
    """One server of a plan."""

    heading: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class JobPage:
    template: ClassVar[str] = "jobs/detail.html"

    shell: Shell
    id: str
    heading: str
    dummy: str
    about: tuple[Fact, ...]
    plan: tuple[Fact, ...]
    sides: tuple[SidePart, ...]
    assumptions: tuple[str, ...]
    assumed: str  # said where there are none to list
    exact: Link
    json_url: str
    live: JobLive


@dataclass(frozen=True, slots=True)
class LogPage:
    """An attempt's log, a piece a page."""

    template: ClassVar[str] = "jobs/log.html"

    shell: Shell
    heading: str
    job_url: str
    place: str
    text: str
    first_url: str
    next_url: str
    last_url: str
    raw_url: str


@dataclass(frozen=True, slots=True)
class CancelPage:
    template: ClassVar[str] = "jobs/cancel.html"

    shell: Shell
    heading: str
    job_url: str
    loses: str
    trouble: str
    sign_in_url: str
    may: bool


@dataclass(frozen=True, slots=True)
class RunnerLine:
    """A runner. `state` names the shape of `word`."""

    name: str
    state: str
    word: str
    why: str
    seen: Age
    version: str
    gpus: str
    cpus: str
    engines: str
    models: str
    attach: str
    wall: str
    jobs: tuple[Link, ...]
    drain: str  # what the button says, "" where there is none
    drain_on: bool
    may_retire: bool


@dataclass(frozen=True, slots=True)
class RetiredLine:
    """A runner that was taken out of service."""

    name: str
    told: str
    back: str  # what the button says, "" where there is none


@dataclass(frozen=True, slots=True)
class RunnerList:
    """The runners as they stand; asked for again every `every_s` seconds, 0 where none of them is heard of."""

    template: ClassVar[str] = "runners/_list.html"

    runners: tuple[RunnerLine, ...]
    retired: tuple[RetiredLine, ...]
    every_s: int


@dataclass(frozen=True, slots=True)
class RunnersPage:
    template: ClassVar[str] = "runners/index.html"

    shell: Shell
    trouble: str
    list: RunnerList
    json_url: str
