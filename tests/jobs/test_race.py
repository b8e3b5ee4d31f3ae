"""Processes that drain one queue at once: no job is given out twice, and none of them fails."""

from __future__ import annotations

from bench.leases import race


def test_a_job_is_given_to_one_of_many_processes(database_url: str) -> None:
    found = race(database_url, jobs=60, processes=3)
    assert (found.jobs, found.doubled, found.errors) == (60, 0, [])
