"""Failed sign-ins are counted, and forgotten after a minute."""

from __future__ import annotations

import datetime as dt

import pytest

from app.accounts.throttle import MOST, REMEMBERED, Throttle
from app.errors import TooManyError
from tests.conftest import StillClock


def test_an_address_may_fail_a_few_times_a_minute() -> None:
    clock = StillClock()
    throttle = Throttle(clock)
    for _ in range(MOST):
        throttle.check("a")
        throttle.failed("a")
    with pytest.raises(TooManyError) as refused:
        throttle.check("a")
    assert refused.value.retry_after == 61
    throttle.check("b")
    clock.moment += dt.timedelta(minutes=1)
    throttle.check("a")


def test_what_is_remembered_has_an_end() -> None:
    throttle = Throttle(StillClock())
    for number in range(REMEMBERED + MOST):
        throttle.failed("first" if number < MOST else str(number))
    throttle.check("first")
