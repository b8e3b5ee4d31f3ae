"""Two deployments are shown on every axis that their source gives for both."""

from __future__ import annotations

from typing import Any

from app.compare.verdict import compare
from tests.compare.factories import ROUND, row

VLLM = {"conditions.engine.name": "vLLM", "conditions.parallelism": "TP4"}
OUTPUT = {"axis": "output_throughput", "unit": "tok/s", "statistic": None}
TTFT = {"axis": "ttft", "unit": "ms", "statistic": "mean"}


def both(ttft_vllm: str = "1181.48", ttft_sglang: str = "3311.67", **more: Any) -> list[Any]:
    return [
        row(id="vllm-output", value="7272.20", **OUTPUT, **VLLM),
        row(id="sglang-output", value="7955.07", **OUTPUT),
        row(id="vllm-ttft", value=ttft_vllm, **TTFT, **VLLM, **more),
        row(id="sglang-ttft", value=ttft_sglang, **TTFT, **more),
    ]


def axes(a: Any, b: Any, others: list[Any]) -> list[tuple[str, str, str, bool]]:
    return [(item.axis, item.a, item.b, item.opposite) for item in compare(a, b, others).other_axes]


def test_the_other_axis_is_shown_with_the_order_that_it_gives() -> None:
    rows = both()
    found = compare(rows[0], rows[1], rows)
    (entry,) = found.other_axes
    assert (entry.axis, entry.a, entry.b, entry.opposite) == ("ttft", "vllm-ttft", "sglang-ttft", True)
    assert entry.message == (
        "mean TTFT, time to first token: 1,181.48 ms against 3,311.67 ms; "
        "it puts these two deployments in the opposite order to output throughput of the deployment."
    )
    assert found.summary.endswith("; by TTFT, time to first token their order is the opposite one.")


def test_two_axes_that_agree_say_so_and_leave_the_summary_alone() -> None:
    rows = both(ttft_vllm="4000")
    found = compare(rows[0], rows[1], rows)
    assert "in the same order as output throughput" in found.other_axes[0].message
    assert "order" not in found.summary


def test_equal_values_and_axes_without_direction_give_no_order() -> None:
    rows = both(ttft_vllm="3311.67")
    assert compare(rows[0], rows[1], rows).other_axes[0].message.endswith("3,311.67 ms against 3,311.67 ms.")


def test_two_axes_of_one_deployment_show_another_deployment_on_both() -> None:
    rows = both()
    assert axes(rows[1], rows[3], rows) == [
        ("output_throughput", "sglang-output", "vllm-output", False),
        ("ttft", "sglang-ttft", "vllm-ttft", True),
    ]


def test_two_axes_of_two_deployments_are_completed() -> None:
    rows = both()
    assert axes(rows[0], rows[3], rows) == [
        ("ttft", "vllm-ttft", "sglang-ttft", False),
        ("output_throughput", "vllm-output", "sglang-output", False),
    ]


def test_numbers_of_another_round_load_or_statistic_are_no_companions() -> None:
    first = {**ROUND, "id": "post/first"}
    for more in ({"round_place": first}, {"conditions.load.concurrency": "64"}, {"round_place": None}):
        rows = both(**more)
        assert axes(rows[0], rows[1], rows) == []
    rows = both()
    rows[2] = rows[2].model_copy(update={"statistic": "P90"})
    assert axes(rows[0], rows[1], rows) == []


def test_of_several_numbers_that_fit_the_exact_one_is_taken() -> None:
    rows = both()
    silent = row(id="vllm-ttft-unknown", value="1", **TTFT, **VLLM, **{"conditions.dtypes.kv": None})
    assert axes(rows[0], rows[1], [*rows, silent]) == [("ttft", "vllm-ttft", "sglang-ttft", True)]
    assert axes(rows[0], rows[1], [rows[3], silent]) == [("ttft", "vllm-ttft-unknown", "sglang-ttft", True)]


def test_without_rounds_only_equal_conditions_make_one_deployment() -> None:
    rows = [item.model_copy(update={"round_place": None}) for item in both()]
    assert axes(rows[0], rows[1], rows) == [("ttft", "vllm-ttft", "sglang-ttft", True)]
    rows[2] = row(id="vllm-ttft", value="1", round_place=None, **TTFT, **VLLM, **{"conditions.dtypes.kv": None})
    assert axes(rows[0], rows[1], rows) == []


def test_ratios_and_other_sources_have_no_companions() -> None:
    rows = both()
    other = {**row().source.model_dump(), "id": "other"}
    rows[2] = row(id="vllm-ttft", value="1", source=other, **TTFT, **VLLM)
    assert axes(rows[0], rows[1], rows) == []
    assert compare(row(kind="ratio", unit="x"), row(id="b", kind="ratio", unit="x"), both()).other_axes == ()
