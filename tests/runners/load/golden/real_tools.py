"""Other load tools' own code on written-down streams, under a clock that shows the time of each write.

Runs in a tool's own environment, started by `make_golden.py` as `... real_tools TOOL SOURCE < scenarios.json`.
SOURCE is a folder with the tool's sources where its package is not imported as a whole. Prints {scenario: {completed,
failed, values}} with the tool's numbers under the names that Benchcard gives them.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import importlib
import importlib.util
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.runners.load.golden.standins import Clock, Content, Session, Write, parts_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

Found = dict[str, Any]


def common() -> dict[str, Any]:
    modules = {name: importlib.import_module(name) for name in ("json", "sys", "traceback", "warnings", "os")}
    return {
        **modules,
        "np": importlib.import_module("numpy"),
        "dataclass": dataclasses.dataclass,
        "field": dataclasses.field,
        "TERM_PLOTLIB_AVAILABLE": False,
        "MILLISECONDS_TO_SECONDS_CONVERSION": 1000,
    }


def nameless(found: Any, names: list[str], pattern: str) -> dict[str, float]:
    return {
        f"{statistic}_{name}_ms": getattr(found, pattern.format(statistic, name))
        for statistic in ("mean", "median")
        for name in names
    }


def letters(text: str, **_: object) -> Any:
    """A tokenizer of one token a letter."""
    return SimpleNamespace(input_ids=list(text))


def vllm(scenario: Found, source: Path) -> Found:
    spec = importlib.util.spec_from_file_location("functions", source / "vllm/benchmarks/lib/endpoint_request_func.py")
    assert spec is not None
    assert spec.loader is not None
    functions: Any = importlib.util.module_from_spec(spec)
    sys.modules["functions"] = functions
    spec.loader.exec_module(functions)
    functions.time = clock = Clock()
    serve = parts_of(source / "vllm/benchmarks/serve.py", {"BenchmarkMetrics", "calculate_metrics"}, common())
    send = (
        functions.async_request_openai_chat_completions
        if scenario["chat"]
        else functions.async_request_openai_completions
    )
    path = "chat/completions" if scenario["chat"] else "completions"
    outputs = []
    for writes in scenario["requests"]:
        clock.now = 0
        asked = functions.RequestFuncInput("", f"http://x/v1/{path}", 8, scenario["asked"], "m")
        outputs.append(asyncio.run(send(asked, Session(clock, writes))))
    requests = [SimpleNamespace(prompt_len=8)] * len(outputs)
    found, _ = serve.calculate_metrics(requests, outputs, scenario["seconds"], letters, [99], {})
    values = nameless(found, ["ttft", "tpot", "itl", "e2el"], "{}_{}_ms")
    values |= {
        f"p99_{name}_ms": getattr(found, f"percentiles_{name}_ms")[0][1] for name in ("ttft", "tpot", "itl", "e2el")
    }
    for name in ("request_throughput", "output_throughput", "total_token_throughput"):
        values[name] = getattr(found, name)
    return {"completed": found.completed, "failed": found.failed, "values": values}


SGLANG = {
    "RequestFuncInput", "RequestFuncOutput", "BenchmarkMetrics", "calculate_metrics", "remove_prefix",
    "_record_server_prompt_len", "get_request_headers", "get_auth_headers", "_combine_openai_chat_content",
    "async_request_openai_completions", "async_request_openai_chat_completions",
}  # fmt: skip


def sglang(scenario: Found, source: Path) -> Found:
    clock = Clock()
    args = SimpleNamespace(disable_stream=False, disable_ignore_eos=False, return_logprob=False, top_logprobs_num=0)
    given = {**common(), "time": clock, "args": args, "_ROUTING_KEY_HEADER": "x", "tqdm": None}
    given["remove_prefix"] = lambda text, prefix: text.removeprefix(prefix)
    given["PreTrainedTokenizerBase"] = given["DatasetRow"] = Any
    module = parts_of(source / "sglang/benchmark/serving.py", SGLANG, given)
    chat = scenario["chat"]
    send = module.async_request_openai_chat_completions if chat else module.async_request_openai_completions
    url = "http://x/v1/chat/completions" if chat else "http://x/v1/completions"
    outputs = []
    for writes in scenario["requests"]:
        clock.now = 0
        session = Session(clock, writes)
        module._create_bench_client_session = lambda session=session: session
        asked = module.RequestFuncInput("", url, 8, scenario["asked"], "m", "", None, {})
        outputs.append(asyncio.run(send(asked)))
    tokenizer = SimpleNamespace(encode=lambda text, **_: list(text))
    if not any(output.success for output in outputs):  # its statistics fail without any success
        return {"completed": 0, "failed": len(outputs), "values": {}}
    found, _ = module.calculate_metrics(None, outputs, scenario["seconds"], tokenizer, "sglang-oai")
    values = nameless(found, ["ttft", "tpot", "itl", "e2e_latency"], "{}_{}_ms")
    values |= {f"p99_{name}_ms": getattr(found, f"p99_{name}_ms") for name in ("ttft", "tpot", "itl", "e2e_latency")}
    for name in ("request_throughput", "output_throughput"):
        values[name] = getattr(found, name)
    return {"completed": found.completed, "failed": len(outputs) - found.completed, "values": values}


INFERENCEX = {
    "RequestFuncInput", "RequestFuncOutput", "BenchmarkMetrics", "calculate_metrics",
    "async_request_openai_completions", "async_request_openai_chat_completions",
}  # fmt: skip


def inferencex(scenario: Found, source: Path) -> Found:
    clock = Clock()
    given = {**common(), "time": clock, "tqdm": None, "aiohttp": SimpleNamespace(ClientSession=None)}
    functions = parts_of(source / "backend_request_func.py", INFERENCEX, given)
    serve = parts_of(source / "benchmark_serving.py", INFERENCEX, given)
    chat = scenario["chat"]
    send = functions.async_request_openai_chat_completions if chat else functions.async_request_openai_completions
    url = "http://x/v1/chat/completions" if chat else "http://x/v1/completions"
    outputs = []
    for writes in scenario["requests"]:
        clock.now = 0
        asked = functions.RequestFuncInput("", url, 8, scenario["asked"], "m")
        outputs.append(asyncio.run(send(asked, session=Session(clock, writes))))
    requests = [("", 8, scenario["asked"])] * len(outputs)
    found, _ = serve.calculate_metrics(requests, outputs, scenario["seconds"], letters, None, [90, 99], {})
    values = nameless(found, ["ttft", "tpot", "itl", "e2el"], "{}_{}_ms")
    for name in ("ttft", "tpot", "itl", "e2el"):
        for percent, value in getattr(found, f"percentiles_{name}_ms"):
            values[f"p{percent}_{name}_ms"] = value
    for name in ("request_throughput", "output_throughput", "total_token_throughput"):
        values[name] = getattr(found, name)
    return {"completed": found.completed, "failed": len(outputs) - found.completed, "values": values}


def inference_perf(scenario: Found, _: Path) -> Found:
    parser: Any = importlib.import_module("inference_perf.apis.streaming_parser")
    apis: Any = importlib.import_module("inference_perf.apis")
    base: Any = importlib.import_module("inference_perf.reportgen.base")
    clock = Clock()
    parser.time = clock
    tokenizer = SimpleNamespace(count_tokens=lambda text, **_: len(text))
    config = SimpleNamespace(streaming=True)
    chat: Any = importlib.import_module("inference_perf.apis.chat")
    metrics = []
    for writes in scenario["requests"]:
        clock.now = 0
        reply = SimpleNamespace(content=Content(clock, writes))
        request = chat.ChatCompletionAPIData(messages=[]) if scenario["chat"] else apis.CompletionAPIData(prompt="x")
        info = asyncio.run(request.process_response(reply, config, tokenizer))
        begun = Clock.epoch
        metrics.append(
            apis.RequestLifecycleMetric(
                scheduled_time=begun, start_time=begun, end_time=clock.time(), request_data="", info=info, error=None
            )
        )
    given = base.summarize_requests(metrics, [50, 90, 99], tokenizer=tokenizer, use_server_output_tokens=True)
    values: dict[str, float | None] = {}
    for name, summary in given.successes["latency"].items():
        for statistic in ("mean", "median", "p90", "p99"):
            values[f"{name} {statistic}"] = summary[statistic] * 1000 if summary else None
    values |= {name: given.successes["throughput"][name] for name in ("output_tokens_per_sec", "requests_per_sec")}
    return {"completed": given.successes["count"], "failed": given.failures["count"], "values": values}


def guidellm(scenario: Found, _: Path) -> Found:
    http: Any = importlib.import_module("guidellm.backends.openai.http")
    httpx: Any = importlib.import_module("httpx")
    schemas: Any = importlib.import_module("guidellm.schemas")
    args: Any = importlib.import_module("guidellm.schemas.backends.openai_http")
    http.time = clock = Clock()
    path = "/v1/chat/completions" if scenario["chat"] else "/v1/completions"
    backend = http.OpenAIHTTPBackend(args.OpenAIHTTPBackendArgs(target="http://x", model="m", request_format=path))
    good, failed = [], 0

    class Body(httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, writes: list[Write]) -> None:
            self.content = Content(clock, writes)

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self.content.iter_any()

    async def one(writes: list[Write]) -> Any:
        transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Body(writes)))
        backend._async_client = httpx.AsyncClient(transport=transport)
        asked = schemas.GenerationRequest(columns={"text_column": ["x"]})
        begun = schemas.RequestInfo(request_id=asked.request_id)
        said = [found async for found in backend.resolve(asked, begun)]
        reply, info = said[-1]
        info.timings.resolve_start, info.timings.resolve_end = Clock.epoch, clock.time()
        return reply.compile_stats(asked, info)

    for writes in scenario["requests"]:
        clock.now = 0
        try:
            good.append(asyncio.run(one(writes)))
        except Exception:
            failed += 1
    return {"completed": len(good), "failed": failed, "values": guidellm_values(schemas, good)}


def guidellm_values(schemas: Any, good: list[Any]) -> dict[str, float | None]:
    weights = {
        "time_to_first_token_ms": lambda stats: (stats.time_to_first_token_ms, 1.0),
        "time_per_output_token_ms": lambda stats: (stats.time_per_output_token_ms, stats.output_tokens or 0.0),
        "inter_token_latency_ms": lambda stats: (stats.inter_token_latency_ms, (stats.output_tokens or 1.0) - 1.0),
        "request_latency": lambda stats: (stats.request_latency, 1.0),
    }
    values: dict[str, float | None] = {}
    for name, weighted in weights.items():
        pairs = [pair for pair in map(weighted, good) if pair[0] is not None]
        found = schemas.DistributionSummary.from_values(pairs)
        said = {"mean": found.mean, "median": found.median, "p90": found.percentiles.p90, "p99": found.percentiles.p99}
        values |= {f"{name} {statistic}": value if pairs else None for statistic, value in said.items()}
    return values


def genai_bench(scenario: Found, _: Path) -> Found:
    module: Any = importlib.import_module("genai_bench.user.openai_user")
    requests: Any = importlib.import_module("requests")
    collectors: Any = importlib.import_module("genai_bench.metrics.aggregated_metrics_collector")
    single: Any = importlib.import_module("genai_bench.metrics.request_metrics_collector")
    module.time = clock = Clock()
    user = SimpleNamespace(
        _get_usage_info=module.OpenAIUser._get_usage_info,
        _get_reasoning_content_chunk=module.OpenAIUser._get_reasoning_content_chunk,
        environment=SimpleNamespace(sampler=SimpleNamespace(get_token_length=lambda text, **_: len(text))),
    )
    gathered = collectors.AggregatedMetricsCollector()
    failed = 0
    for writes in scenario["requests"]:
        clock.now = 0
        reply = requests.Response()
        reply.status_code = 200
        reply.raw = SimpleNamespace(stream=lambda *_, writes=writes, **__: reads(clock, writes))
        try:
            found = module.OpenAIUser.parse_chat_response(user, reply, clock.monotonic(), 8, 0.0)
            assert found.status_code == 200
            collector = single.RequestMetricsCollector()
            collector.calculate_metrics(found)
            gathered.add_single_request_metrics(collector.metrics)
        except Exception:
            failed += 1
    values: dict[str, float | None] = {}
    with contextlib.suppress(ValueError):  # no request with a TPOT
        gathered.aggregate_metrics_data(Clock.epoch, Clock.epoch + scenario["seconds"], None, None)
    for name in ("ttft", "tpot", "e2e_latency", "output_inference_speed"):
        stats = getattr(gathered.aggregated_metrics.stats, name)
        scale = 1 if name == "output_inference_speed" else 1000
        for statistic in ("mean", "p50", "p90", "p99"):
            value = getattr(stats, statistic)
            values[f"stats.{name}.{statistic}"] = None if value is None else value * scale
    return {"completed": len(gathered.all_request_metrics), "failed": failed, "values": values}


def reads(clock: Clock, writes: list[Write]) -> Iterator[bytes]:
    for at, data in writes:
        clock.now = at
        yield data


def aiperf(scenario: Found, _: Path) -> Found:
    sse: Any = importlib.import_module("aiperf.transports.sse_utils")
    models: Any = importlib.import_module("aiperf.common.models")
    types = "aiperf.metrics.types."
    sse.time = clock = Clock()
    name = "openai_chat" if scenario["chat"] else "openai_completions"
    module: Any = importlib.import_module(f"aiperf.endpoints.{name}")
    endpoint = (module.ChatEndpoint if scenario["chat"] else module.CompletionsEndpoint).__new__(
        module.ChatEndpoint if scenario["chat"] else module.CompletionsEndpoint
    )
    metrics = {
        tag: getattr(importlib.import_module(types + file), kind)()
        for tag, file, kind in (
            ("output_sequence_length", "output_sequence_length_metric", "OutputSequenceLengthMetric"),
            ("time_to_first_token", "ttft_metric", "TTFTMetric"),
            ("request_latency", "request_latency_metric", "RequestLatencyMetric"),
            ("inter_token_latency", "inter_token_latency_metric", "InterTokenLatencyMetric"),
            ("inter_chunk_latency", "inter_chunk_latency_metric", "InterChunkLatencyMetric"),
            (
                "output_token_throughput_per_user",
                "output_token_throughput_metrics",
                "OutputTokenThroughputPerUserMetric",
            ),
        )
    }
    endpoint.is_enabled_for = lambda _: False
    series: dict[str, list[float]] = {tag: [] for tag in metrics}
    failed = 0
    for writes in scenario["requests"]:
        clock.now = 0
        try:
            record = asyncio.run(aiperf_record(sse, models, endpoint, clock, writes))
            assert record.valid
        except Exception:
            failed += 1
            continue
        aiperf_add(series, metrics, record)
    return {"completed": len(scenario["requests"]) - failed, "failed": failed, "values": aiperf_values(series)}


async def aiperf_record(sse: Any, models: Any, endpoint: Any, clock: Clock, writes: list[Write]) -> Any:
    begun = clock.perf_counter_ns()
    messages = await sse.AsyncSSEStreamReader(Content(clock, writes).iter_any()).read_complete_stream()
    parsed = [found for message in messages if (found := endpoint.parse_response(message)) is not None]
    used = [found.usage for found in parsed if found.usage]
    tokens = (
        used[-1]["completion_tokens"] if used else len("".join(found.data.get_text() for found in parsed if found.data))
    )
    request = models.RequestRecord(timestamp_ns=begun, start_perf_ns=begun, end_perf_ns=clock.perf_counter_ns())
    return models.ParsedResponseRecord(
        request=request, responses=parsed, token_counts=models.TokenCounts(output=tokens)
    )


def aiperf_add(series: dict[str, list[float]], metrics: dict[str, Any], record: Any) -> None:
    results = importlib.import_module("aiperf.metrics.metric_dicts").MetricRecordDict()
    for tag, metric in metrics.items():
        with contextlib.suppress(Exception):  # NoMetricValue
            value = metric._parse_record(record, results)
            results[tag] = value
            series[tag] += value if isinstance(value, list) else [value]


def aiperf_values(series: dict[str, list[float]]) -> dict[str, float | None]:
    np: Any = importlib.import_module("numpy")
    values: dict[str, float | None] = {}
    for tag, found in series.items():
        if tag == "output_sequence_length":
            continue
        scale = 1 if tag.endswith("per_user") else 1e6
        for statistic, percent in (("avg", None), ("p50", 50), ("p90", 90), ("p99", 99)):
            if tag == "inter_chunk_latency" and percent is not None:
                continue  # a t-digest there, exact only in the mean
            value = None
            if found:
                value = float(np.mean(found) if percent is None else np.percentile(found, percent)) / scale
            values[f"{tag} {statistic}"] = value
    return values


TOOLS = {
    "vllm": vllm,
    "sglang": sglang,
    "inferencex": inferencex,
    "guidellm": guidellm,
    "aiperf": aiperf,
    "inference-perf": inference_perf,
    "genai-bench": genai_bench,
}


def main() -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    name, source = sys.argv[1], Path(sys.argv[2])
    found = {}
    with Path(os.devnull).open("w") as quiet, contextlib.redirect_stdout(quiet):
        for title, scenario in json.load(sys.stdin).items():
            if name == "genai-bench" and not scenario["chat"]:
                continue
            scenario["requests"] = [
                [(at, base64.b64decode(data)) for at, data in writes] for writes in scenario["requests"]
            ]
            found[title] = TOOLS[name](scenario, source)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
