"""A job's states and what leads from one to the next: this table is the only place that knows. Pure.

A cancel of a job that a runner has is only noted (`cancel_requested_at`): the next heartbeat tells the runner, whose
answer is the event `stop`. A state without a way out is never left again.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal, get_args

from app.errors import ConflictError

if TYPE_CHECKING:
    from app.protocol.outcome import Failure

State = Literal["awaiting_approval", "queued", "leased", "running", "succeeded", "failed", "cancelled"]
Event = Literal[
    "approve",  # a maintainer has approved every launch, or some runner starts it unasked
    "withdraw",  # neither holds any more
    "lease",
    "start",
    "beat",  # the runner says how far it is
    "retry",  # the attempt is over, another one may follow
    "refuse",  # the runner's own policy does not let it run there, or something is missing there
    "succeed",
    "fail",
    "cancel",  # somebody asks
    "stop",  # the runner has stopped, or is gone
]
STATES: tuple[State, ...] = get_args(State)

NEXT: dict[tuple[State, Event], State] = {
    ("awaiting_approval", "approve"): "queued",
    ("awaiting_approval", "cancel"): "cancelled",
    ("queued", "withdraw"): "awaiting_approval",
    ("queued", "cancel"): "cancelled",
    ("queued", "lease"): "leased",
    ("leased", "start"): "running",
    ("leased", "retry"): "queued",
    ("leased", "refuse"): "queued",
    ("leased", "fail"): "failed",
    ("leased", "cancel"): "leased",
    ("leased", "stop"): "cancelled",
    ("running", "start"): "running",  # the answer to the first one was lost
    ("running", "beat"): "running",
    ("running", "retry"): "queued",
    ("running", "refuse"): "queued",
    ("running", "succeed"): "succeeded",
    ("running", "fail"): "failed",
    ("running", "cancel"): "running",
    ("running", "stop"): "cancelled",
}
ACTIVE: tuple[State, ...] = ("leased", "running")  # a runner has it
TERMINAL = tuple(state for state in STATES if all(state != left for left, _ in NEXT))

BEAT = dt.timedelta(seconds=15)
LEASE = dt.timedelta(seconds=90)
ACKNOWLEDGED = dt.timedelta(seconds=30)  # from the lease to the start
POLL = dt.timedelta(seconds=5)
MOST_ATTEMPTS = 3
MOST_FAILURES = 3  # of the machine, in a row: then the runner is in quarantine
APPROVED_FOR = dt.timedelta(days=7)
PLANNED: tuple[Failure, ...] = ("runner_stopped",)  # ends of a machine's making that say nothing against the machine


def after(state: State, event: Event) -> State:
    """The state that follows. Raises ConflictError where the event cannot be."""
    following = NEXT.get((state, event))
    if following is None:
        raise ConflictError(f"the job is {state.replace('_', ' ')}; it can no longer {event}")
    return following


def over(attempts: int, *, cancel: bool) -> Event:
    """What becomes of a job whose attempt ended by the machine's fault, or was lost."""
    if cancel:
        return "stop"
    return "retry" if attempts < MOST_ATTEMPTS else "fail"
