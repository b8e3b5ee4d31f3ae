"""A job that is cancelled in any phase of its attempt ends there, and nothing of it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.cancel import cancelled
from tests.runners.phases import FREE, PHASES, TAKEN, WITH_ENGINE

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cancel_in_any_phase_leaves_no_process_and_frees_the_gpu(tmp_path: Path) -> None:
    found = list(cancelled(tmp_path))
    assert [item.phase for item in found] == list(PHASES)
    assert [item.state for item in found[:-1]] == ["cancelled"] * (len(PHASES) - 1)
    assert found[-1].state == "succeeded", "it had ended, and its end was on its way"
    assert [item.phase for item in found if item.before_mib == TAKEN] == list(WITH_ENGINE)
    assert [item.after_mib for item in found] == [FREE] * len(PHASES)
