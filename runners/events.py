"""What the machine hears and what it wants done: its events and actions. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.protocol.lease import Assignment, Capabilities, Finish, Phase
    from runners.calls import Answer, Call, Held

Reason = Literal["cancelled", "runner_stopped", "runner_lost"]


@dataclass(frozen=True, slots=True)
class Me:
    """What the runner says of itself."""

    runner: str
    boot_id: str
    version: str
    capabilities: Capabilities


# Events


@dataclass(frozen=True, slots=True)
class Answered:
    call: Call
    answer: Answer
    sent_at: float


@dataclass(frozen=True, slots=True)
class Progress:
    phase: Phase
    done: int = 0
    total: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class LogGrew:
    size: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The executor is through, and the end is on disk."""

    held: Held
    finish: Finish


@dataclass(frozen=True, slots=True)
class Terminated:
    """Somebody asks the runner to stop: the first time after its job, the second time with it."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    reason: str | None


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Event = Answered | Progress | LogGrew | Ended | Terminated | Quarantined | Tick

# Actions


@dataclass(frozen=True, slots=True)
class Ask:
    call: Call


@dataclass(frozen=True, slots=True)
class Begin:
    assignment: Assignment


@dataclass(frozen=True, slots=True)
class Halt:
    reason: Reason


@dataclass(frozen=True, slots=True)
class Forget:
    """The app has it all: nothing of the attempt needs to be kept."""

    held: Held


@dataclass(frozen=True, slots=True)
class SetAside:
    """The app will never take it: it stays on disk, out of the way."""

    held: Held
    why: str


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the runner's own log."""

    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    status: int
    why: str


Action = Ask | Begin | Halt | Forget | SetAside | Note | Exit


@dataclass(slots=True)
class Left:
    """An attempt of an earlier process that the app does not have yet."""

    held: Held
    finish: Finish
    beat_s: float
