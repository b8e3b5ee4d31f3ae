"""How one attempt's evidence comes to the app: its log while it grows; after its end the parts, and then the end. Pure.

Everything may be sent twice: the same bytes have the same answer. So whatever was not heard is sent again as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from app.protocol.lease import Stored
from runners.calls import AskFinish, Refused, Retry, Said, SendLog, SendPart, Unheard

if TYPE_CHECKING:
    from app.protocol.lease import Finish
    from runners.calls import Answer, Held

LOG_EVERY_S = 2.0  # while it grows
ROUNDS = 3  # of sending everything once more, after the app refused something
MOST_S = 60.0

Sending = SendLog | SendPart | AskFinish


class Delivery:
    """`over` is set when nothing is left to do: `done`, or `refused` with the reason in `why`."""

    def __init__(self, held: Held, finish: Finish | None = None) -> None:
        self.held = held
        self.retry = Retry(MOST_S)
        self.over: Literal["done", "refused"] | None = None
        self.why = ""
        self._size = 0  # of the log, as far as it is written
        self._sent = 0
        self._silent = False  # the log was refused while it grew: it is tried once more at the end
        self._finish: Finish | None = None
        self._missing: list[str] = []
        self._rounds = 0
        if finish is not None:
            self.close(finish)

    @property
    def open(self) -> bool:
        """Whether the attempt is still going on."""
        return self._finish is None

    def grew(self, size: int) -> None:
        self._size = max(self._size, size)

    def close(self, finish: Finish) -> None:
        """The attempt is over, and this is its end."""
        self._finish = finish
        self._size = finish.log.size
        self._missing = sorted(finish.parts)
        self._silent = False
        self.retry.good(0.0)

    def next(self) -> Sending | None:
        """What is to be sent once `retry.at` has come; None where there is nothing."""
        if self.over is not None:
            return None
        if self._sent < self._size and not self._silent:
            return SendLog(self.held, self._sent)
        if self._finish is None:
            return None
        return SendPart(self.held, self._missing[0]) if self._missing else AskFinish(self.held, self._finish)

    def answered(self, call: Sending, answer: Answer, now: float, dice: float) -> str | None:
        """Take the answer in; returns what a reader of the runner's own log should know."""
        if isinstance(answer, Unheard):
            return self._again(answer.why, now, dice)
        if isinstance(answer, Said):
            return self._taken(call, answer, now, dice)
        if answer.of_the_token:
            return self._again(str(answer), now, dice)
        return self._denied(call, answer, now, dice)

    def _taken(self, call: Sending, answer: Said, now: float, dice: float) -> str | None:
        match call, answer.value:
            case SendLog(offset=offset), Stored(size=size):
                return self._stored(offset, size, now, dice)
            case SendPart(name=name), _:
                self._missing = [part for part in self._missing if part != name]
                self.retry.good(now)
            case AskFinish(), _:
                self.over = "done"
        return None

    def _denied(self, call: Sending, refused: Refused, now: float, dice: float) -> str:
        match call, refused.code:
            case SendLog(), "log_gap" if refused.expected is not None and refused.expected <= self._size:
                self._sent = refused.expected
                return self._again(f"the log goes on at byte {refused.expected}", now, dice)
            case AskFinish(), "lease_lost":
                self.over = "done"
                return "its lease was lost: what was sent is kept as evidence, not as the result"
        if refused.code == "conflict" and not self.open and not isinstance(call, AskFinish):
            self._sent, self._missing = self._size, []  # the end is on record, and its answer was lost
            return str(refused)
        if self.open:
            self._silent, self._sent = True, 0
            return f"the log is refused for now: {refused}"
        return self._once_more(str(refused), now, dice)

    def _stored(self, offset: int, size: int, now: float, dice: float) -> str | None:
        if size <= offset:
            return self._again(f"the app holds {size} bytes of the log after it was sent from byte {offset}", now, dice)
        if size > self._size and self._finish is not None:
            return self._once_more(f"the app holds a longer log, of {size} bytes", now, dice)
        self._sent = size
        self.retry.good(now + LOG_EVERY_S if self.open else now)
        return None

    def _again(self, why: str, now: float, dice: float) -> str:
        self.retry.failed(now, dice)
        return why

    def _once_more(self, why: str, now: float, dice: float) -> str:
        """Send everything again: what was refused once for a reason that passes is not lost for it."""
        assert self._finish is not None
        if self._rounds == ROUNDS:
            self.over, self.why = "refused", why
            return why
        self._rounds += 1
        self._sent, self._missing = 0, sorted(self._finish.parts)
        return self._again(f"refused, and everything is sent once more: {why}", now, dice)
