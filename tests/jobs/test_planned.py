"""A trace of another run than the plan's is never taken for it, whatever the report says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.jobs.numbers import compute
from tests.jobs.runs import CLIENT, attempt, digest, plan, write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from app.protocol.plan import Plan

WORK = {"input_tokens": 8, "output_tokens": 11, "turns": 1, "prefix_tokens": 0, "think_s": 0.0}


def reasons(folder: Path, of: Plan, **meta: Any) -> list[str]:
    """What the numbers of the plan say where its first trace says `meta` of itself."""
    report, traces = attempt(folder, of)
    first = traces["a-0-1.parquet"]
    table = pq.read_table(first)
    said = json.loads(table.schema.metadata[b"benchcard"]) | meta
    pq.write_table(table.replace_schema_metadata({b"benchcard": json.dumps(said).encode()}), first)
    found: list[str] = compute(report, traces, of)["sets"][0]["reasons"]
    return found


def test_a_trace_of_the_planned_point_is_its_run(tmp_path: Path) -> None:
    assert reasons(tmp_path, plan()) == []


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({"seed": 8}, "the trace has seed 8, the plan 7"),
        ({"seed": True}, "the trace has seed True, the plan 7"),
        ({"seed": None}, "the trace does not say its seed; the plan wants 7"),
        ({"repeat": 2}, "the trace has repeat 2, the plan 1"),
        ({"load": {"kind": "closed", "concurrency": 4}}, "the trace has concurrency 4, the plan 2"),
        ({"load": {"kind": "open", "concurrency": 2}}, "the trace has load `open`, the plan `closed`"),
        ({"load": []}, "the trace does not say its load; the plan wants `closed`"),
        ({"workload": WORK | {"input_tokens": 9}}, "the trace has input tokens a request 9, the plan 8"),
        ({"workload": WORK | {"turns": 2}}, "the trace has turns a request 2, the plan 1"),
        ({"workload": WORK | {"prefix_tokens": 4}}, "the trace has shared prefix tokens 4, the plan 0"),
        ({"asked": {"continuous": False}}, "the trace asked for token counts at the end, the plan with each event"),
        ({"asked": None}, "the trace does not say whether token counts were asked for with each event"),
    ],
)
def test_what_the_client_was_told_must_be_what_the_plan_says(tmp_path: Path, meta: dict[str, Any], said: str) -> None:
    assert f"run 1: other_work: {said}" in reasons(tmp_path, plan(), **meta)


def at_end(of: Plan) -> Plan:
    return of.model_copy(update={"points": (of.points[0].model_copy(update={"counting": "at_end"}),)})


def test_counts_with_each_event_are_no_run_of_a_point_that_is_counted_at_the_end(tmp_path: Path) -> None:
    assert reasons(tmp_path / "whole", at_end(plan())) == []
    (found,) = reasons(tmp_path, at_end(plan()), asked={"usage": True, "continuous": True})
    assert found == "run 1: other_work: the trace asked for token counts with each event, the plan at the end"


def test_a_server_that_refused_to_count_with_each_event_is_no_reason(tmp_path: Path) -> None:
    asked = {"usage": True, "continuous": False}
    assert reasons(tmp_path, plan(), asked=asked, refused="unknown field return_token_ids") == []


def test_each_point_of_a_sweep_has_prompts_of_its_own(tmp_path: Path) -> None:
    of = plan(points=(1, 2))
    report, traces = attempt(tmp_path, of)
    write_trace(traces["a-1-1.parquet"], 4, 2, 20.0, 10.0, seed=7)
    found = compute(report, traces, of)["reasons"]
    assert found == ["side a, concurrency 2: run 1: other_work: the trace has seed 7, the plan 8"]


@pytest.mark.parametrize(("streams", "said"), [(4, "has 4 requests under way at once, the plan 2"), (1, "")])
def test_more_requests_at_once_than_planned_are_told(tmp_path: Path, streams: int, said: str) -> None:
    of = plan()
    report, traces = attempt(tmp_path, of)
    write_trace(traces["a-0-1.parquet"], 4, streams, 20.0, 10.0, load={"kind": "closed", "concurrency": 2})
    found = compute(report, traces, of)["sets"][0]["reasons"]
    assert found == ([f"run 1: other_work: the trace {said}"] if said else [])


def test_a_load_that_was_never_reached_is_told(tmp_path: Path) -> None:
    of = plan(points=(8,))
    report, traces = attempt(tmp_path, of)
    write_trace(traces["a-0-1.parquet"], 8, 2, 20.0, 10.0, load={"kind": "closed", "concurrency": 8})
    (found,) = compute(report, traces, of)["sets"][0]["reasons"]
    assert found == "run 1: other_work: the trace never has more than 2 requests under way, the plan 8"


def test_more_requests_than_planned_are_told(tmp_path: Path) -> None:
    of = plan()
    report, traces = attempt(tmp_path, of)
    write_trace(traces["a-0-1.parquet"], 6, 2, 20.0, 10.0)
    (found,) = compute(report, traces, of)["sets"][0]["reasons"]
    assert found == "run 1: other_work: the trace has 6 requests, the plan 4"


def test_one_trace_under_two_names_is_one_run(tmp_path: Path) -> None:
    of = plan(sides=2)
    report, traces = attempt(tmp_path, of)
    traces["b-0-2.parquet"].write_bytes(traces["a-0-2.parquet"].read_bytes())
    assert digest(traces["b-0-2.parquet"]) == digest(traces["a-0-2.parquet"])
    found = compute(report, traces, of)
    assert found["reasons"] == ["twice: the traces `a-0-2.parquet`, `b-0-2.parquet` are the same bytes"]


@pytest.mark.parametrize(
    "meta",
    [b"null", b"5", b"[1]", b"[" * 100_000, b"\xff", b"{}", b'{"format": null}', b'{"format": 1, "client": "abc"}',
     b'{"format": 1, "client": {"processes": "a"}}', b'{"format": 1, "seed": ' + b"9" * 5000 + b"}",
     b'{"format": 1, "load": {"kind": {"a": [1]}}, "workload": 3, "asked": [], "counting": [1], "endpoint": {}}'],
)  # fmt: skip
def test_whatever_a_trace_says_of_itself_is_a_reason_and_no_error(tmp_path: Path, meta: bytes) -> None:
    report, traces = attempt(tmp_path, plan())
    first = traces["a-0-1.parquet"]
    pq.write_table(pq.read_table(first).replace_schema_metadata({b"benchcard": meta}), first)
    (found,) = compute(report, traces, plan())["sets"]
    assert all(reason.startswith("run 1: ") for reason in found["reasons"])
    assert found["valid"] is False
    json.dumps(found, allow_nan=False)


COLUMNS: list[tuple[str, str, pa.Array]] = [
    ("sent_ns-1", "sent_ns", pa.array(["a"] * 4)),
    ("sent_ns-2", "sent_ns", pa.array([[1]] * 4)),
    ("sent_ns-3", "sent_ns", pa.array([{"a": 1}] * 4)),
    ("sent_ns-4", "sent_ns", pa.array([1.5] * 4)),
    ("message-1", "message", pa.array([b"\xff"] * 4)),
    ("failure-1", "failure", pa.array([5] * 4)),
    ("failure-2", "failure", pa.array(["of no kind"] * 4)),
    ("message-2", "message", pa.array(["x" * 70_000] * 4)),
    ("event_ns-1", "event_ns", pa.array([1] * 4)),
    ("event_ns-2", "event_ns", pa.array([[[1]]] * 4)),
    ("event_ns-3", "event_ns", pa.array([None] * 4, pa.list_(pa.int64()))),
    ("event_tokens-1", "event_tokens", pa.array([[1]] * 4, pa.list_(pa.int32()))),
    ("event_tokens-2", "event_tokens", pa.array([[10**8] + [1] * 10] * 4, pa.list_(pa.int32()))),
    ("asked_tokens-1", "asked_tokens", pa.array([2**62] * 4)),
    ("turn-1", "turn", pa.array([2**62] * 4)),
    ("input_tokens-1", "input_tokens", pa.array([None] * 4, pa.int64())),
    ("scheduled_ns-1", "scheduled_ns", pa.array([1, 2, 3, 4])),
    ("session-1", "session", pa.array([1] * 4)),
]
OTHER_TABLES: dict[str, Any] = {
    **{
        name: lambda table, column=column, values=values: table.set_column(
            table.column_names.index(column), column, values
        )
        for name, column, values in COLUMNS
    },
    "twice": lambda table: table.append_column("sent_ns", table.column("sent_ns")),
    "no-row": lambda table: table.slice(0, 0),
    "no-column": lambda table: table.drop_columns(["event_ns"]),
}


@pytest.mark.parametrize("change", [pytest.param(change, id=name) for name, change in OTHER_TABLES.items()])
def test_whatever_columns_a_trace_has_is_a_reason_and_no_error(tmp_path: Path, change: Any) -> None:
    report, traces = attempt(tmp_path, plan())
    first = traces["a-0-1.parquet"]
    table = pq.read_table(first)
    pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), first)
    (found,) = compute(report, traces, plan())["sets"]
    assert found["reasons"]
    assert all(reason.startswith("run 1: ") for reason in found["reasons"])
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("client", [CLIENT | {"lag_share": -1.0}, CLIENT | {"more": 1}, CLIENT | {"cpu_share": True}])
def test_a_client_that_could_not_be_is_unknown(tmp_path: Path, client: dict[str, Any]) -> None:
    assert "client_unknown" in reasons(tmp_path, plan(), client=client)[0]
