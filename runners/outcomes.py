"""Failed outcomes, made from what went wrong. Pure."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from app.protocol.outcome import Outcome

if TYPE_CHECKING:
    from app.protocol.outcome import Failure

MESSAGE = 4000  # characters
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def failed(failure: Failure, message: str) -> Outcome:
    """With the message as the wire takes it: no control characters, and not more than fits."""
    plain = "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in message)
    return Outcome(state="failed", failure=failure, message=plain[:MESSAGE])


def of_disk(error: OSError) -> Outcome:
    """What was to be kept could not be written, or another thing of the system failed."""
    if error.errno in _FULL:
        return failed("disk_full", f"the runner's disk is full: {error}")
    return failed("runner_error", f"{type(error).__name__}: {error}")
