"""What a runner asks of the app, and what can come of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.protocol.lease import Finish, Finished, Heartbeat, LeaseReply, LeaseRequest, Renewal, Start, Stored


@dataclass(frozen=True, slots=True)
class Held:
    """One attempt: a job under one epoch."""

    job_id: str
    epoch: int

    def __str__(self) -> str:
        return f"{self.job_id} (attempt {self.epoch})"


@dataclass(frozen=True, slots=True)
class AskLease:
    request: LeaseRequest


@dataclass(frozen=True, slots=True)
class AskStart:
    held: Held
    start: Start


@dataclass(frozen=True, slots=True)
class Beat:
    held: Held
    beat: Heartbeat


@dataclass(frozen=True, slots=True)
class SendLog:
    """The log's bytes from `offset` on, as many as one call takes."""

    held: Held
    offset: int


@dataclass(frozen=True, slots=True)
class SendPart:
    held: Held
    name: str


@dataclass(frozen=True, slots=True)
class AskFinish:
    held: Held
    finish: Finish


Call = AskLease | AskStart | Beat | SendLog | SendPart | AskFinish


@dataclass(frozen=True, slots=True)
class Said:
    """The app took the call."""

    value: LeaseReply | Renewal | Stored | Finished


@dataclass(frozen=True, slots=True)
class Unheard:
    """Nothing usable came back, and the app may have taken the call all the same: it is to be made again as it was."""

    why: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The app, or the runner's own disk (status 0), says no. `expected` is the offset that a log goes on at."""

    status: int
    code: str
    message: str
    expected: int | None = None

    @property
    def of_the_token(self) -> bool:
        """A token that was revoked may be valid again; nothing of the call itself was refused."""
        return self.status in {401, 403}

    def __str__(self) -> str:
        return f"{self.message} (status {self.status}, {self.code})" if self.status else self.message


Answer = Said | Unheard | Refused


FIRST_S = 1.0


@dataclass(slots=True)
class Retry:
    """When to ask next: after 1, 2, 4 ... seconds of failures, give or take half, and at most `most` seconds."""

    most: float
    at: float = 0.0
    failures: int = 0

    def good(self, at: float) -> None:
        self.at, self.failures = at, 0

    def failed(self, now: float, dice: float) -> None:
        """`dice` is a number from 0 to 1."""
        self.at = now + min(self.most, FIRST_S * 2.0 ** min(self.failures, 10)) * (0.5 + dice)
        self.failures += 1
