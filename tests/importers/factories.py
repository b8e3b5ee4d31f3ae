"""Result trees in the shapes of formats that need a data centre to produce: exact field names, invented values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.results.importers import Imported, ImportReport, read

if TYPE_CHECKING:
    from decimal import Decimal

DATA = Path(__file__).parent / "data"
FIXTURES = sorted(DATA.iterdir())


def fixture(name: str) -> ImportReport:
    return read(name, (DATA / name).read_bytes())


def imported(tree: Any, name: str = "result.json") -> list[Imported]:
    """The cards of a tree; the test fails where the file has a problem."""
    report = read(name, json.dumps(tree).encode())
    assert not report.problems, report.problems
    return list(report.imported)


def figures(one: Imported) -> dict[tuple[str, str | None], Decimal]:
    card = one.card
    assert card.metric
    assert card.result
    found = {(card.metric.axis, None): card.result.value}
    return found | {(figure.axis, figure.statistic): figure.value for figure in card.also or ()}


def said(one: Imported, trap: str) -> str:
    return " | ".join(warned.message for warned in one.warnings if warned.trap == trap)


def vllm(**changes: Any) -> dict[str, Any]:
    return {
        "date": "20261017-120000",
        "backend": "openai",
        "model_id": "some/model",
        "num_prompts": 100,
        "request_rate": "inf",
        "max_concurrency": 8,
        "duration": 20.0,
        "completed": 100,
        "failed": 0,
        "total_input_tokens": 102400,
        "total_output_tokens": 12800,
        "request_throughput": 5.0,
        "output_throughput": 640.0,
        "total_token_throughput": 5760.0,
        "mean_ttft_ms": 80.5,
        "median_ttft_ms": 79.0,
        "p99_ttft_ms": 120.25,
        "mean_tpot_ms": 11.9,
        "mean_itl_ms": 11.9,
        **changes,
    }


def sglang(**changes: Any) -> dict[str, Any]:
    return {
        "backend": "sglang",
        "dataset_name": "random-ids",
        "request_rate": 4.0,
        "max_concurrency": 8,
        "random_input_len": 1024,
        "random_output_len": 128,
        "random_range_ratio": 1.0,
        "duration": 25.0,
        "completed": 100,
        "total_input_tokens": 102400,
        "total_output_tokens": 12800,
        "total_output_tokens_retokenized": 12790,
        "request_throughput": 4.0,
        "input_throughput": 4096.0,
        "output_throughput": 512.0,
        "total_throughput": 4608.0,
        "mean_ttft_ms": 60.0,
        "mean_tpot_ms": 9.0,
        "mean_itl_ms": 9.0,
        "concurrency": 7.5,
        "accept_length": None,
        **changes,
    }


def row(**changes: Any) -> dict[str, Any]:
    return {
        "hw": "b200-cluster",
        "conc": 32,
        "image": "vllm/vllm-openai:v0.33.0",
        "model": "some/model",
        "framework": "vllm",
        "precision": "fp8",
        "spec_decoding": "none",
        "disagg": False,
        "isl": 1024,
        "osl": 1024,
        "is_multinode": False,
        "tp": 8,
        "pp": 1,
        "pcp_size": 1,
        "ep": 8,
        "dp_attention": "true",
        "tput_per_gpu": 400.0,
        "output_tput_per_gpu": 200.0,
        "input_tput_per_gpu": 200.0,
        "mean_ttft": 0.25,
        "mean_tpot": 0.02,
        "p90_tpot": 0.025,
        "std_tpot": 0.002,
        "std_intvty": 500.0,
        "mean_intvty": 50.0,
        **changes,
    }


def agentx(**changes: Any) -> dict[str, Any]:
    times = {"mean": 0.02, "p50": 0.018, "p75": 0.02, "p90": 0.025, "p95": 0.03, "std": 0.004}
    speeds = {"mean": 50.0, "p50": 55.5, "p75": 50.0, "p90": 40.0, "p95": 33.3, "std": 9.0}
    return {
        **{key: row()[key] for key in ("hw", "image", "model", "framework", "precision", "tp", "ep", "disagg")},
        "conc": 64,
        "spec_decoding": "mtp",
        "scenario_type": "agentic-coding",
        "num_requests_total": 500,
        "num_requests_successful": 480,
        "request_accounting": {"records_total": 500, "records_profiled": 480, "records_error_dropped": 20},
        "dataset": {"name": "some/traces"},
        "request_metrics": {
            "qps": {"mean": 3.5},
            "latency": {
                "ttft": {"mean": 1.5, "p50": 1.2, "p90": 3.0},
                "e2el": {"mean": 12.0},
                "itl": times,
                "tpot": times,
                "intvty": speeds,
                "e2e_norm_intvty": {"p90": 30.5},
            },
            "tokens": {
                "input": {"mean": 150000.0, "p50": 142016.0},
                "output_actual": {"mean": 400.0, "p50": 300.0},
                "output_expected": {"mean": 500.0},
            },
            "throughput": {
                "output": {"tokens_per_second": 1600.0},
                "total": {"tokens_per_second": 640000.0},
                "duration_seconds": 1800.0,
                "per_gpu": {"total_tput_tps": 80000.0, "output_tput_tps": 200.0, "input_tput_tps": 79800.0},
            },
        },
        "server_metrics": {"cache": {"gpu_cache_hit_rate": 0.9, "overall_cache_hit_rate": 0.965}},
        **changes,
    }


def report_02(tool: str, **latency: dict[str, Any]) -> dict[str, Any]:
    engine = {
        "kind": "inference_engine",
        "tool": "vllm",
        "tool_version": "0.33.0",
        "role": "replica",
        "replicas": 1,
        "model": {"name": "some/model"},
        "accelerator": {"model": "H200", "count": 8, "parallelism": {"tp": 8, "dp": 1, "pp": 1, "ep": 1}},
    }
    load = {
        "tool": tool,
        "tool_version": "1",
        "source": "random",
        "rate_qps": 10.0,
        "concurrency": 64,
        "input_seq_len": {"distribution": "fixed", "value": 1000},
        "output_seq_len": {"distribution": "fixed", "value": 100},
    }
    aggregate = {
        "requests": {"total": 100, "failures": 2, "output_length": {"units": "count", "mean": 50.0}},
        "latency": latency,
        "throughput": {"output_token_rate": {"units": "tokens/s", "mean": 480.0}, "request_rate": {"mean": 9.6}},
    }
    native = {"args": {"--tensor-parallel-size": 8, "--enforce-eager": None, "--kv": {"role": "both"}}}
    return {
        "version": "0.2.1",
        "run": {"uid": "1", "time": {"start": "2026-11-05T18:00:42Z"}},
        "scenario": {"stack": [{"standardized": engine, "native": native}], "load": {"standardized": load}},
        "results": {"request_performance": {"aggregate": aggregate}},
    }


def report_01() -> dict[str, Any]:
    accelerator = {"model": "H100", "count": 4, "parallelism": {"tp": 4, "pp": 1, "dp": 1, "ep": 1}}
    return {
        "version": "0.1",
        "scenario": {
            "host": {"accelerator": [accelerator], "type": ["replica"]},
            "platform": {"engine": [{"name": "vllm", "version": "0.10.0"}]},
            "model": {"name": "some/model", "quantization": "fp8"},
            "load": {"name": "vllm-benchmark"},
        },
        "metrics": {
            "time": {"duration": 20.0, "start": 1760000000.5},
            "requests": {"total": 10, "failures": 0, "output_length": {"units": "count", "mean": 0}},
            "latency": {
                "time_to_first_token": {"units": "ms", "mean": 40.5, "p99": 0},
                "time_per_output_token": {"units": "s/token", "mean": 0.0125},
                "inter_token_latency": {"units": "ms/token", "mean": 30.0},
            },
            "throughput": {"output_tokens_per_sec": 250.0, "total_tokens_per_sec": 1250.5, "requests_per_sec": 0.5},
        },
    }


MLPERF_HEADER = (
    "Organization,Availability,Division,SystemName,Platform,Model,Scenario,Result,Accuracy,number_of_nodes,"
    "host_processor_model_name,accelerator_model_name,total_accelerators,Location,framework,notes,errors,version,"
    "inferred,Units,weight_data_types"
)


def mlperf_row(**changes: str) -> str:
    cells = {
        "Organization": "Somebody",
        "Availability": "available",
        "Division": "closed",
        "SystemName": "System",
        "Platform": "8xH200",
        "Model": "llama2-70b-99",
        "Scenario": "Offline",
        "Result": "1000.50",
        "Accuracy": "ROUGE1: 44.4",
        "number_of_nodes": "1",
        "host_processor_model_name": "CPU",
        "accelerator_model_name": "H200",
        "total_accelerators": "8",
        "Location": "closed/Somebody/results",
        "framework": "vLLM 0.9.0.2.dev108+g71faa1880 ROCm 7",
        "errors": "0",
        "version": "v6.0",
        "inferred": "0",
        "Units": "Tokens/s",
        "weight_data_types": "fp8",
    } | changes
    return ",".join(cells.get(name, "") for name in MLPERF_HEADER.split(","))
