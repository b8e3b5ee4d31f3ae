"""Benchcard's client and other load tools on one server, each held against that server's own counters. Pure.

    [{point, load, concurrency, clients: [{client, version, runs: [{repeat, reasons, NAME..., streams,
      referee: {NAME..., core_tpot_ms}, apart: {NAME: share}, tool_cores, server_cores}], NAME..., streams,
      apart: {NAME: share}, worst, within, why: [{rule, NUMBER...}]}], closest}]

The referee of a run is what it added to the counters: tokens generated, and the means of TTFT and end-to-end latency
as the server stamps them. Its TPOT is the time between those two over the tokens after the first, as every client
defines it. `core_tpot_ms` is the TPOT that the server states itself, where it states one: vLLM's core stamps that,
before its front end has passed the tokens on. Its rate is the concurrency times the generated tokens over the sum of
end-to-end latencies (Little's law): what the server delivers while all streams are under way. `streams` is how many
were under way in the mean of a tool's whole run, by its own numbers (Little's law again). `apart` is the tool's number
over the referee's, minus 1; of several runs the median. TTFT is shown and not judged: a client cannot see a first
token before it has crossed the server's HTTP layer, which is milliseconds of few.

`closest` is None where a client has fewer than three usable runs: one run against five proves nothing.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from app.compare.reproduction import FEWEST
from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.protocol.outcome import Report, ToolRun
    from app.protocol.plan import BenchTool

Json = dict[str, Any]
OURS = "benchcard"
JUDGED = ("output_tokens", "output_tok_s", "tpot_ms", "e2e_ms")
SHOWN = (*JUDGED, "ttft_ms")
AGREES = 0.02  # the share within which a number is the referee's
BUSY = 0.95  # of a core: what uses it is the limit
MOST_RESULT = 64 << 20  # bytes of what a tool wrote


def finite(value: Any) -> float | None:
    """A number that somebody else wrote; None where it is none, or infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one client says of one run. Times are means over its requests; None is not stated."""

    requests: int | None
    output_tokens: float | None
    duration_s: float | None
    output_tok_s: float | None
    ttft_ms: float | None
    tpot_ms: float | None
    e2e_ms: float | None


def of_tool(tool: BenchTool, data: bytes) -> Reading:
    """What a tool's result file says. ValueError: it is no result of it."""
    try:
        found = json.loads(data.decode().strip().rpartition("\n")[2]) if tool == "sglang_bench" else json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    requests = finite(found.get("completed"))
    return Reading(
        requests=int(requests) if requests is not None else None,
        output_tokens=finite(found.get("total_output_tokens")),
        duration_s=finite(found.get("duration")),
        output_tok_s=finite(found.get("output_throughput")),
        ttft_ms=finite(found.get("mean_ttft_ms")),
        tpot_ms=finite(found.get("mean_tpot_ms")),
        e2e_ms=finite(found.get("mean_e2el_ms" if tool == "vllm_bench" else "mean_e2e_latency_ms")),
    )


def of_ours(run: Json) -> Reading:
    """What Benchcard's own run says (app.jobs.numbers)."""
    return Reading(
        requests=run["requests"],
        output_tokens=finite(run["output_tokens"]),
        duration_s=finite(run["duration_s"]),
        output_tok_s=finite(run["output_tok_s"]),
        ttft_ms=mean_ms(run, "ttft_ms"),
        tpot_ms=mean_ms(run, "tpot_ms"),
        e2e_ms=mean_ms(run, "e2e_ms"),
    )


def mean_ms(run: Json, name: str) -> float | None:
    """The mean of a distribution of Benchcard's own run; None where it is withheld, or a failure makes it infinite."""
    return finite((run[name] or {}).get("mean"))


def agreement(report: Report, sets: Sequence[Json], results: Mapping[str, bytes]) -> list[Json]:
    """Every point with every client. `sets`: Benchcard's own numbers; `results`: part -> what a tool wrote there."""
    return [_point(report, item, results) for item in sets]


def _point(report: Report, item: Json, results: Mapping[str, bytes]) -> Json:
    concurrency = report.plan.points[item["point"]].concurrency or 1
    theirs = [run for run in report.tool_runs if run.point == item["point"]]
    cores = {run.repeat: run.server_cores for run in report.runs if run.point == item["point"]}
    ours = [_our_run(run, concurrency, cores.get(run["repeat"], ())) for run in item["runs"]]
    clients = [_client(OURS, report.machine.benchcard, ours)]
    for tool in report.plan.tools:
        of_tool = [run for run in theirs if run.tool == tool]
        runs = [_their_run(run, concurrency, results) for run in of_tool]
        clients.append(_client(tool, of_tool[0].version if of_tool else None, runs))
    for client in clients:
        client["why"] = list(_why(client, clients[0], concurrency, polls=_polls(report)))
    return {**{name: item[name] for name in ("point", "load")}, "concurrency": concurrency, "clients": clients,
            "closest": _closest(clients)}  # fmt: skip


def _polls(report: Report) -> bool:
    """Whether a core that the server uses whole says nothing: SGLang's scheduler polls, with work or without."""
    return any(side.launch is not None and side.launch.engine == "sglang" for side in report.plan.sides)


def _closest(clients: Sequence[Json]) -> str | None:
    if any(client["usable"] < FEWEST or client["worst"] is None for client in clients):
        return None
    found: str = min(clients, key=lambda client: abs(client["apart"][client["worst"]]))["client"]
    return found


def _our_run(run: Json, concurrency: int, cores: Sequence[float]) -> Json:
    reading = of_ours(run)
    own = (run["client"] or {}).get("cpu_share")
    found = {"repeat": run["repeat"], "reasons": run["reasons"], "tool_cores": own}
    return found | _held(reading, run["referee"], concurrency) | {"server_cores": _usual(cores, reading.duration_s)}


def _their_run(run: ToolRun, concurrency: int, results: Mapping[str, bytes]) -> Json:
    reasons, reading = list(run.reasons), Reading(*[None] * 7)
    if run.result is None:
        reasons.append("no_result: " + F_("the tool wrote no result"))
    elif not reasons:
        try:
            reading = of_tool(run.tool, results[run.result])
        except KeyError:
            reasons.append("no_result: " + F_("there is no part `{result}`").format(result=run.result))
        except ValueError as error:
            reasons.append(
                "unreadable: "
                + F_("`{result}` cannot be read: {error}").format(result=run.result, error=str(error)[:200])
            )
    usual = {name: _usual(getattr(run, name), reading.duration_s) for name in ("tool_cores", "server_cores")}
    return {"repeat": run.repeat, "reasons": reasons} | _held(reading, run.referee, concurrency) | usual


def _held(reading: Reading, referee: Json | None, concurrency: int) -> Json:
    """A reading against the counters of the same run."""
    truth = _truth(referee or {}, concurrency, reading.requests)
    said = asdict(reading)
    apart = {name: said[name] / truth[name] - 1 for name in SHOWN if said[name] is not None and truth[name]}
    return {**said, "streams": _streams(reading), "referee": truth, "apart": apart}


def _streams(reading: Reading) -> float | None:
    if not reading.requests or not reading.e2e_ms or not reading.duration_s:
        return None
    return reading.requests * reading.e2e_ms / 1000 / reading.duration_s


def _truth(referee: Json, concurrency: int, requests: int | None) -> dict[str, float | None]:
    tokens, ttft_ms, e2e_ms, core_tpot_ms = (
        finite(referee.get(name)) for name in ("generated_tokens", "ttft_ms", "e2e_ms", "tpot_ms")
    )
    rate, tpot_ms = None, core_tpot_ms
    if tokens is not None and e2e_ms and requests:
        rate = concurrency * tokens / (requests * e2e_ms / 1000)
        if ttft_ms is not None and tokens > requests:
            tpot_ms = (e2e_ms - ttft_ms) / (tokens / requests - 1)
    times = {"ttft_ms": ttft_ms, "tpot_ms": tpot_ms, "e2e_ms": e2e_ms, "core_tpot_ms": core_tpot_ms}
    return {"output_tokens": tokens, "output_tok_s": rate, **times}


def _client(name: str, version: str | None, runs: Sequence[Json]) -> Json:
    usable = [run for run in runs if not run["reasons"]]
    apart = {key: _middle(run["apart"].get(key) for run in usable) for key in SHOWN}
    judged = {key: abs(share) for key in JUDGED if (share := apart[key]) is not None}
    worst = max(judged, key=lambda key: judged[key]) if judged else None
    return {
        "client": name,
        "version": version,
        "runs": list(runs),
        "usable": len(usable),
        **{key: _middle(run[key] for run in usable) for key in (*SHOWN, "streams", "tool_cores", "server_cores")},
        "referee": {key: _middle(run["referee"][key] for run in usable) for key in (*SHOWN, "core_tpot_ms")},
        "apart": apart,
        "worst": worst,
        "within": worst is not None and judged[worst] <= AGREES,
    }


def _why(client: Json, ours: Json, concurrency: int, *, polls: bool) -> Iterator[Json]:
    """What the runs themselves show of why a client is apart, or its server slower than under Benchcard's: a rule and
    the numbers that it is about."""
    referee, cores, server_cores = client["referee"], client["tool_cores"], client["server_cores"]
    if _parts(client, "output_tokens"):
        yield {"rule": "miscounts", "counted": client["output_tokens"], "generated": referee["output_tokens"]}
    if _parts(client, "e2e_ms"):
        yield {
            "rule": "latency",
            "apart_ms": client["e2e_ms"] - referee["e2e_ms"],
            "first_token_ms": _difference(client["ttft_ms"], referee["ttft_ms"]),
        }
    if _parts(client, "output_tok_s") and (client["streams"] or concurrency) < (1 - AGREES) * concurrency:
        yield {"rule": "window", "streams": client["streams"], "concurrency": concurrency}
    if cores is not None and cores >= BUSY:
        yield {"rule": "client_busy", "cores": cores}
    rate, usual = referee["output_tok_s"], ours["referee"]["output_tok_s"]
    if client is not ours and rate and usual and abs(rate / usual - 1) > AGREES:
        yield {"rule": "other_rate", "output_tok_s": rate, "under_benchcard_tok_s": usual}
    if server_cores is not None and server_cores >= BUSY and not polls:
        yield {"rule": "server_busy", "cores": server_cores}
    core, seen = referee["core_tpot_ms"], referee["tpot_ms"]
    if core and seen and abs(core / seen - 1) > AGREES:
        yield {"rule": "core_ahead", "core_tpot_ms": core, "tpot_ms": seen}


def _parts(client: Json, name: str) -> bool:
    share = client["apart"][name]
    return share is not None and abs(share) > AGREES


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _usual(cores: Sequence[float], duration_s: float | None) -> float | None:
    """The median over the last seconds, as many as the run had: before them a tool starts, and the server waits. None
    of a run of fewer than three: its seconds are those of the tool's end too."""
    if duration_s is None or duration_s <= FEWEST - 1 or not cores:
        return None
    return median(cores[-math.ceil(duration_s) :])


def _middle(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
