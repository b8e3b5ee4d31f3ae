from __future__ import annotations

from dataclasses import replace

import numpy as np

from runners.load import cadence, plan, processes, selfcheck
from runners.load.cadence import Cadence
from runners.load.connect import read_url
from runners.load.plan import Source, Workload
from runners.load.schedule import Closed
from runners.load.selfcheck import Check
from runners.load.verdict import Client
from runners.load.wire import Dialect
from tests.runners.load.script import MS

GOOD = Check(1000, 1000, 20, 22, 0.001, Client(1, 1, 1, 0, 0.1))


def silent(*_: object) -> None:
    """Progress that nobody watches."""


def test_a_scripted_stream_is_counted_without_a_fault_and_its_writes_are_stamped() -> None:
    with cadence.serving(Cadence(0.002, 12)) as server:
        target = read_url(server.url)
        shots = plan.requests(target, Dialect("m"), Workload(7, 12), range(10), Source(0))
        ran = processes.run(processes.plan(target, Closed(5), shots, 60.0), 1, silent)
        sent = server.stop()
    assert [row.failure for row in ran.rows] == [None] * 10
    assert [len(times) for times in sent] == [12] * 10
    assert all((np.diff(times) >= 0).all() for times in sent)


def test_an_event_has_the_size_of_an_engines() -> None:
    first = cadence.events_of(Cadence(0.01, 3), 100)[0]
    assert abs(len(first) - len(b"15e\r\n\r\n") - cadence.EVENT_BYTES) <= 1


def test_a_check_measures_what_was_sent() -> None:
    found = selfcheck.check(4, 200, 1)
    assert found.events_s == 200
    assert found.sent_events_s <= 201
    assert found.gap_seen_ms > 0
    assert found.gap_sent_ms * MS > 0


def test_a_client_that_sees_the_cadence_may_measure_it() -> None:
    assert GOOD.reasons == []


def test_a_client_that_sees_longer_gaps_or_another_tpot_may_not() -> None:
    for seen in (replace(GOOD, gap_seen_ms=31), replace(GOOD, tpot_error=0.006)):
        (reason,) = seen.reasons
        assert reason.rule == "above_client_ceiling"
        assert "1,000 events/s" in reason.message


def test_a_scripted_server_that_was_too_slow_proves_nothing() -> None:
    assert replace(GOOD, sent_events_s=800, gap_seen_ms=90).reasons == []
