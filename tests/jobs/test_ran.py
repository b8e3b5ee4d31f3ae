"""What a report says was run is said in the catalogue's words, and nothing that it says stops the verdict."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from app.compare.conditions import COMPARED
from app.jobs.as_card import as_card
from app.jobs.judged import judged
from app.jobs.numbers import compute
from app.protocol.outcome import Report
from tests.compare.factories import row
from tests.jobs.runs import attempt, plan
from tests.jobs.test_judged import SAME

if TYPE_CHECKING:
    from pathlib import Path

DRAFTING = {"speculative-config": {"method": "mtp", "num_speculative_tokens": 3}}
SIMULATED = "VLLM_SIMULATE_ACC_LEN"


def judge(
    folder: Path, *, machine: dict[str, Any] | None = None, side: dict[str, Any] | None = None, **launch: Any
) -> Any:
    """The verdict and the card of a measurement whose report says this."""
    report, traces = attempt(folder, plan(**launch))
    said = report.model_dump(mode="json")
    said["machine"] |= machine or {}
    said["sides"][0] |= side or {}
    report = Report.model_validate_json(Report.model_validate(said, strict=False).model_dump_json())
    numbers = compute(report, traces, report.plan)
    found = judged(row(**SAME), report, numbers)
    return found, as_card(report, numbers["sets"][0], None, "tpot", date(2026, 11, 30))


@pytest.mark.parametrize("version", ["", "+cpu", " ", "1\n2", "x" * 4000])
def test_an_engine_version_that_is_none_is_the_planned_one_or_different(tmp_path: Path, version: str) -> None:
    found, card = judge(tmp_path, side={"engine_version": version})
    assert found.status in ("within", "different_setup")
    assert card.engine.version


@pytest.mark.parametrize("forced", ["abc", "1e999", "", "-3", "0", "NaN", "9" * 400, "3.5"])
def test_a_simulated_length_that_is_no_number_is_not_stated(tmp_path: Path, forced: str) -> None:
    _, card = judge(tmp_path, flags=DRAFTING, env={SIMULATED: forced})
    assert card.speculation.acceptance == "simulated"
    assert str(card.speculation.accept_length) == ("3.5" if forced == "3.5" else "None")


@pytest.mark.parametrize(
    ("keys", "length"),
    [({"synthetic_acceptance_length": 3.5}, "3.5"), ({"synthetic_acceptance_length": 2}, "2"),
     ({"synthetic_acceptance_rates": [1, 0.5, 0.25]}, "2.75"), ({"synthetic_acceptance_rates": ["x"]}, "None"),
     ({}, "None")],
)  # fmt: skip
def test_vllms_own_synthetic_acceptance_is_simulated_and_no_measured_one(
    tmp_path: Path, keys: dict[str, Any], length: str
) -> None:
    config = {**DRAFTING["speculative-config"], "rejection_sample_method": "synthetic", **keys}
    _, card = judge(tmp_path, flags={"speculative-config": config})
    assert card.speculation.acceptance == "simulated"
    assert str(card.speculation.accept_length) == length


def test_an_acceptance_that_nobody_set_is_measured(tmp_path: Path) -> None:
    config = {**DRAFTING["speculative-config"], "rejection_sample_method": "block"}
    _, card = judge(tmp_path, flags={"speculative-config": config})
    assert card.speculation.acceptance == "measured"


@pytest.mark.parametrize("size", [-5, 0, True, 2**52, "2", {"a": 1}])
def test_a_size_that_is_none_is_not_stated(tmp_path: Path, size: Any) -> None:
    _, card = judge(tmp_path, flags={"tensor-parallel-size": size, "enable-expert-parallel": True})
    assert card.parallelism.tp == 1


@pytest.mark.parametrize(
    "config",
    [{"method": ""}, {"method": " "}, {"method": {"a": [1]}, "num_speculative_tokens": 10**15}, {"method": 3},
     {"method": "m" * 3000, "num_speculative_tokens": True}, {}],
)  # fmt: skip
def test_a_speculation_that_is_none_has_no_name(tmp_path: Path, config: Any) -> None:
    _, card = judge(tmp_path, flags={"speculative-config": config})
    assert card.speculation is None


@pytest.mark.parametrize(
    ("machine", "launch"),
    [({"gpus": [{"name": "", "memory_mib": 1}]}, {}), ({"gpus": [{"name": " ", "memory_mib": 1}]}, {}),
     ({"gpus": [], "processor": ""}, {"gpus": 0}), ({"gpus": [], "processor": "y" * 4000}, {"gpus": 0})],
    ids=["gpu", "blank", "cpu", "long"],
)  # fmt: skip
def test_a_machine_without_a_name_is_not_stated(tmp_path: Path, machine: Any, launch: Any) -> None:
    _, card = judge(tmp_path, machine=machine, **launch)
    assert card.hardware.accelerator is None


@pytest.mark.parametrize("flags", [{"dtype": "", "kv-cache-dtype": {"a": 1}, "quantization": 5}, {"dtype": "z" * 3000}])
def test_odd_types_stop_nothing(tmp_path: Path, flags: Any) -> None:
    judge(tmp_path, flags=flags)


def test_what_no_card_can_say_is_left_to_the_report(tmp_path: Path) -> None:
    _, card = judge(tmp_path, side={"argv": ["", "x" * 5000], "env": {"": "y" * 5000}})
    assert card.launch is None
    assert card.engine.name == "vLLM"


def test_numbers_of_more_digits_than_any_measurement_compare(tmp_path: Path) -> None:
    state = COMPARED["acceptance"].state
    lengths = ("3." + "1" * 60, "3." + "1" * 61)
    one, two = (row(**SAME, acceptance={"kind": "simulated", "target": length}) for length in lengths)
    assert state(one, two) == "differs"
    assert state(one, one) == "equal"
