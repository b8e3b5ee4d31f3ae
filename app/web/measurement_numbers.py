"""The numbers of a measurement, as app.jobs.numbers computed them -> what its page shows of them. Pure."""

from __future__ import annotations

from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

from app.jobs.agreement import finite, mean_ms
from app.jobs.best import no_p90
from app.protocol.english import counted
from app.protocol.reasons import REQUESTS, said
from app.protocol.unseen import visible
from app.web.agreement_points import percent_apart
from app.web.axes_example import shown
from app.web.contexts import Fact
from app.web.measurement_contexts import OverRepeats, RunLine, SetLine
from app.web.state import address
from runners.load.statistics import ENOUGH
from runners.referee import TIMES, finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json = dict[str, Any]
# Key -> heading. Of a distribution its median; a key with a dot is looked up in there.
COLUMNS = {
    "ttft_ms": "TTFT, median, ms",
    "tpot_ms": "TPOT, median, ms",
    "event_gap_ms": "event gap, median, ms",
    "output_tok_s": "output, tok/s",
    "per_gpu.output_tok_s": "output per GPU, tok/s",
    "interactivity_p90_slow": "P90 interactivity, slow tail, tok/s/user",
    "requests_s": "requests/s",
}
REFEREE_COLUMNS = (
    "tokens generated",
    "TTFT, mean, ms",
    "TPOT, mean, ms",
    "end to end, mean, ms",
    "client: lag P99, processor",
)
RUN_COLUMNS = {
    "ttft_ms": "TTFT, median, ms",
    "tpot_ms": "TPOT, median, ms",
    "output_tok_s": "output, tok/s",
    "requests": "requests",
    "failed": "failed",
}
P90S = ("interactivity_p90_slow",)  # columns that are a percentile of requests
WITHHELD = "withheld"


def _number(given: Any) -> float | None:
    """The one number of an entry: infinity is written as text."""
    if isinstance(given, dict):
        given = given.get("median")
    return None if given is None else float(given)


def side_name(side: str, labels: Mapping[str, str]) -> str:
    return f"Server {side.upper()}: {labels[side]}, " if len(labels) > 1 else ""


def set_lines(numbers: Json, labels: Mapping[str, str]) -> tuple[SetLine, ...]:
    """One line a load and server. `labels`: what each side is, by its name."""
    return tuple(
        SetLine(
            heading=f"{side_name(item['side'], labels)}{item['load']}",
            label=item["label"],
            cells=tuple(_cell(item, key) for key in COLUMNS),
            reasons=tuple(_why_no_result(item)),
        )
        for item in numbers["sets"]
    )


def told_at_runs(numbers: Json) -> set[str]:
    """The reasons that the table of runs tells, as sets and verdicts repeat them."""
    return {said(reason) for item in numbers["sets"] for reason in _of_runs(item)}


def unplaced(numbers: Json) -> list[str]:
    """Why the whole is no result besides what its loads and runs tell."""
    ends = tuple(f": {reason}" for item in numbers["sets"] for reason in item["reasons"])
    return [said(reason) for reason in numbers["reasons"] if not reason.endswith(ends)]


def _of_runs(item: Json) -> list[str]:
    return [f"run {run['repeat']}: {reason}" for run in item["runs"] for reason in run["reasons"]]


def _why_no_result(item: Json) -> Iterator[str]:
    """A run's own reasons stand in the table of runs, once."""
    bad = [str(run["repeat"]) for run in item["runs"] if run["reasons"]]
    if bad:
        yield f"no result: repeat {', '.join(bad)}; why stands at the run below"
    yield from (said(reason) for reason in item["reasons"] if reason not in _of_runs(item))


def _cell(item: Json, key: str) -> OverRepeats:
    name = key.rpartition(".")[2]
    of_gpu = key.startswith("per_gpu.")
    number = _number((item["per_gpu"] or {}).get(name) if of_gpu else item[name])
    if number is None:
        return OverRepeats(WITHHELD if item["reasons"] else "not stated", "")
    between = item["spread"].get(name)
    share = item["gpus"] if of_gpu else 1
    if name in P90S and (why := no_p90(item)):
        return OverRepeats(why, "of each run")
    if between is None:
        return OverRepeats(shown(number), "one run, so no interval")
    if between["interval"] and len(item["runs"]) >= ENOUGH:
        low, high = (end / share for end in between["interval"])
        return OverRepeats(shown(number), f"{shown(low)} to {shown(high)}, 95 %")
    low, high = (float(between[end]) / share for end in ("lowest", "highest"))
    return OverRepeats(shown(number), f"{shown(low)} to {shown(high)}")


def referee_lines(numbers: Json, labels: Mapping[str, str]) -> tuple[SetLine, ...]:
    """One line a load whose server showed counters: means of times by the server with the client's beside them, how
    the client fared, and where the two disagree."""
    return tuple(
        _refereed(item, f"{side_name(item['side'], labels)}{item['load']}")
        for item in numbers["sets"]
        if any(run["referee"] for run in item["runs"])
    )


def _refereed(item: Json, heading: str) -> SetLine:
    runs = [run for run in item["runs"] if run["referee"]]
    told = [finding(name, [_times(run, name) for run in runs]) for name in TIMES]
    generated = sum(finite(run["referee"].get("generated_tokens")) or 0 for run in runs)
    seen = sum(run["output_tokens"] or 0 for run in runs)
    cells = [OverRepeats(f"{generated:,.0f}", f"client: {seen:,.0f}")]
    cells += [_beside([_times(run, name) for run in runs]) for name in TIMES]
    lag, busy = (max(_of_client(run, name) for run in runs) for name in ("lag_p99_ms", "cpu_share"))
    cells.append(OverRepeats(f"{lag:.1f} ms", f"{busy * 100:.0f} % of a core"))
    return SetLine(heading, item["label"], tuple(cells), tuple(text for text in told if text))


def _times(run: Json, name: str) -> tuple[float | None, float | None, float]:
    """A mean in ms by the server and by the client, and that one's lag."""
    return finite(run["referee"].get(name)), mean_ms(run, name), _of_client(run, "lag_p99_ms")


def _of_client(run: Json, name: str) -> float:
    return float((run["client"] or {}).get(name, 0.0))


def _beside(pairs: Sequence[tuple[float | None, float | None, float]]) -> OverRepeats:
    """Medians of the runs in which both are known: a failed request leaves the client no mean of its run."""
    both = [(told, seen) for told, seen, _ in pairs if told is not None and seen is not None]
    server = [told for told, _ in both] or [told for told, _, _ in pairs if told is not None]
    if not server:
        return OverRepeats("not stated", "")
    middle = median(server)
    if not both or not middle:
        return OverRepeats(shown(middle), "client: not stated")
    seen = median(own for _, own in both)
    of = "" if len(both) == len(pairs) else f", {len(both)} of {len(pairs)} runs"
    return OverRepeats(shown(middle), f"client: {shown(seen)} ({percent_apart(seen / middle - 1)}){of}")


def ratios(numbers: Json) -> Iterator[Fact]:
    """Server B over server A, of the pairs of runs that were made one after the other."""
    for item in numbers["ratios"]:
        for key, heading in RUN_COLUMNS.items():
            found = item.get(key)
            if found is None:
                continue
            yield Fact(
                f"{heading.partition(',')[0]}, B / A", f"{found['median']:.3f}x at {item['load']}, {_extent(found)}"
            )


def _extent(ratio: Json) -> str:
    """How far the ratios of the pairs reach."""
    pairs, interval = ratio["pairs"], ratio["interval"]
    if interval and len(pairs) >= ENOUGH:
        return f"95 % interval of the median {interval[0]:.3f} to {interval[1]:.3f}"
    if len(pairs) == 1:
        return "one pair, so no interval"
    return f"pairs from {min(pairs):.3f} to {max(pairs):.3f}"


def runs_of(numbers: Json) -> list[tuple[Json, Json]]:
    """Every run with its set, in the order in which the page counts them."""
    return [(item, run) for item in numbers["sets"] for run in item["runs"]]


def twin_of(runs: Sequence[tuple[Json, Json]], place: int) -> int | None:
    """The place, from 1, of the run of the same load and repeat on the other server, if both are results."""
    item, run = runs[place - 1]
    wanted = (item["point"], run["repeat"])
    twins = (
        number
        for number, (other, its) in enumerate(runs, 1)
        if other["side"] != item["side"] and (other["point"], its["repeat"]) == wanted and its["valid"]
    )
    return next(twins, None) if run["valid"] else None


def first_shown(runs: Sequence[tuple[Json, Json]]) -> int:
    """The place, from 1, of the run that a page shows unasked: the first that is a result."""
    return next((place for place, (_, run) in enumerate(runs, 1) if run["valid"]), 1)


def run_lines(
    url: str, runs: Sequence[tuple[Json, Json]], labels: Mapping[str, str], chosen: int
) -> tuple[RunLine, ...]:
    places = count(1)
    first: dict[str, str] = {}  # reasons -> the first run that has them
    return tuple(
        RunLine(
            number=str(place),
            heading=f"{side_name(item['side'], labels)}{item['load']}, repeat {run['repeat']}",
            url=address(url, [("run", str(place))]) + "#run",
            chosen=place == chosen,
            cells=tuple(_run_cell(run, key) for key in RUN_COLUMNS),
            why=_why(run, str(place), first),
            failures=tuple(_failure(item, run) for item in run.get("failures", ())),
        )
        for place, (item, run) in zip(places, runs, strict=False)
    )


def _why(run: Json, place: str, first: dict[str, str]) -> str:
    """Why a run is no result; what was told of a run before is not told again."""
    told = "; ".join(map(said, run["reasons"]))
    of = first.setdefault(told, place)
    return told if of == place or not told else f"the same as run {of}"


def _failure(item: Json, run: Json) -> str:
    """A kind of failed request, how often, and what was said when it first happened."""
    first = f" (first: {visible(item['first'])})" if item["first"] else ""
    return f"{item['count']} of {counted(run['requests'], 'request')}: {REQUESTS[item['kind']]}{first}"


def _run_cell(run: Json, key: str) -> str:
    number = _number(run[key])
    if number is None:
        return WITHHELD if run["reasons"] else "not stated"
    return f"{number:,.0f}" if key in ("requests", "failed") else shown(number)
