"""The numbers of a measurement, as app.jobs.numbers computed them -> what its page shows of them. Pure."""

from __future__ import annotations

import re
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

from app.jobs.adding_up import does_not_add_up
from app.jobs.agreement import finite, mean_ms
from app.jobs.best import no_p90
from app.jobs.numbers import load_said
from app.language import N_, _, number
from app.protocol.english import counted
from app.protocol.reasons import REQUESTS, said
from app.protocol.unseen import visible
from app.web.agreement_points import percent_apart
from app.web.axes_example import shown
from app.web.contexts import Fact
from app.web.measurement_contexts import OverRepeats, RunLine, RunsPart, SetLine
from app.web.state import address
from app.web.wording import again
from runners.load.statistics import ENOUGH
from runners.referee import TIMES, finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json = dict[str, Any]
# Key -> heading. Of a distribution its median; a key with a dot is looked up in there.
COLUMNS = {
    "ttft_ms": N_("TTFT, median, ms"),
    "tpot_ms": N_("TPOT, median, ms"),
    "event_gap_ms": N_("event gap, median, ms"),
    "output_tok_s": N_("output, tok/s"),
    "per_gpu.output_tok_s": N_("output per GPU, tok/s"),
    "interactivity_p90_slow": N_("P90 interactivity, slow tail, tok/s/user"),
    "requests_s": N_("requests/s"),
}
REFEREE_COLUMNS = (
    N_("tokens generated"),
    N_("prompt tokens from cache"),
    N_("preemptions"),
    N_("TTFT, mean, ms"),
    N_("TPOT, mean, ms"),
    N_("end to end, mean, ms"),
    N_("client: lag P99, processor"),
)
RUN_COLUMNS = {
    "ttft_ms": N_("TTFT, median, ms"),
    "tpot_ms": N_("TPOT, median, ms"),
    "output_tok_s": N_("output, tok/s"),
    "requests": N_("requests"),
    "failed": N_("failed"),
}
# What a server adds to its counters in a run, of each run.
COUNTER_COLUMNS = {"cached_tokens": N_("prompt tokens from cache"), "preemptions": N_("preemptions")}
NOT_BY_ENGINE = N_("not stated by this engine")
LEFT_OUT = {"vllm": N_("its core stamps TPOT, without the time in which its front end passes tokens on")}
P90S = ("interactivity_p90_slow",)  # columns that are a percentile of requests
WITHHELD = N_("withheld")
USAGE = re.compile(r"usage says (\d+)")  # as the client notes it of a stream without a token


def _number(given: Any) -> float | None:
    """The one number of an entry: infinity is written as text."""
    if isinstance(given, dict):
        given = given.get("median")
    return None if given is None else float(given)


def side_name(side: str, labels: Mapping[str, str]) -> str:
    """With a comma and a blank behind it, where there are several."""
    if len(labels) < 2:
        return ""
    return _("Server {letter}: {label}").format(letter=side.upper(), label=labels[side]) + ", "


def set_lines(numbers: Json, labels: Mapping[str, str]) -> tuple[SetLine, ...]:
    """One line a load and server. `labels`: what each side is, by its name."""
    return tuple(
        SetLine(
            heading=f"{side_name(item['side'], labels)}{load_said(item['load'])}",
            label=_label(item),
            cells=tuple(_cell(item, key) for key in COLUMNS),
            reasons=tuple(_why_no_result(item)),
        )
        for item in numbers["sets"]
    )


def _label(item: Json) -> str:
    """Over how many runs it is a median, as runners.report says it in English."""
    runs = len(item["runs"])
    return _("one run") if runs == 1 else _("median of {runs} runs").format(runs=runs)


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
        yield _("no result: repeat {repeats}; why stands at the run below").format(repeats=", ".join(bad))
    yield from (said(reason) for reason in item["reasons"] if reason not in _of_runs(item))


def _cell(item: Json, key: str) -> OverRepeats:
    name = key.rpartition(".")[2]
    of_gpu = key.startswith("per_gpu.")
    number = _number((item["per_gpu"] or {}).get(name) if of_gpu else item[name])
    if number is None:
        return OverRepeats(_(WITHHELD) if item["reasons"] else _("not stated"), "")
    between = item["spread"].get(name)
    share = item["gpus"] if of_gpu else 1
    if name in P90S and (why := no_p90(item)):
        return OverRepeats(again(why), _("of each run"))
    if between is None:
        return OverRepeats(shown(number), _("one run, so no interval"))
    if between["interval"] and len(item["runs"]) >= ENOUGH:
        low, high = (end / share for end in between["interval"])
        return OverRepeats(shown(number), _("{low} to {high}, 95 %").format(low=shown(low), high=shown(high)))
    low, high = (float(between[end]) / share for end in ("lowest", "highest"))
    return OverRepeats(shown(number), _("{low} to {high}").format(low=shown(low), high=shown(high)))


def referee_lines(numbers: Json, labels: Mapping[str, str]) -> tuple[SetLine, ...]:
    """One line a load whose server showed counters: means of times by the server with the client's beside them, how
    the client fared, and where the two disagree."""
    return tuple(
        _refereed(item, f"{side_name(item['side'], labels)}{load_said(item['load'])}")
        for item in numbers["sets"]
        if any(run["referee"] for run in item["runs"])
    )


def _refereed(item: Json, heading: str) -> SetLine:
    runs = [run for run in item["runs"] if run["referee"]]
    told = [again(finding(name, [_times(run, name) for run in runs]) or "") for name in TIMES]
    generated = sum(finite(run["referee"].get("generated_tokens")) or 0 for run in runs)
    seen = sum(run["output_tokens"] or 0 for run in runs)
    cells = [OverRepeats(number(generated, ",.0f"), _("client: {seen}").format(seen=number(seen, ",.0f")))]
    cells += [_counted(runs, "cached_tokens", _prompts(runs)), _counted(runs, "preemptions", "")]
    cells += [_beside([_times(run, name) for run in runs]) for name in TIMES]
    lag, busy = (max(_of_client(run, name) for run in runs) for name in ("lag_p99_ms", "cpu_share"))
    cells.append(
        OverRepeats(f"{number(lag, '.1f')} ms", _("{share} % of a core").format(share=number(busy * 100, ".0f")))
    )
    return SetLine(heading, _label(item), tuple(cells), (*(text for text in told if text), *_left_out(runs)))


def _counted(runs: Sequence[Json], name: str, below: str) -> OverRepeats:
    """A count of all runs together; an engine that does not count it says nothing of any."""
    found = [finite(run["referee"].get(name)) for run in runs]
    if None in found:
        return OverRepeats(_(NOT_BY_ENGINE), "")
    return OverRepeats(number(sum(value or 0 for value in found), ",.0f"), below)


def _prompts(runs: Sequence[Json]) -> str:
    sent = sum(finite(run["referee"].get("prompt_tokens")) or 0 for run in runs)
    return _("of {count}").format(count=number(sent, ",.0f"))


def _left_out(runs: Sequence[Json]) -> Iterator[str]:
    """What of the server's own end-to-end latency its own TTFT and TPOT do not account for."""
    found = does_not_add_up(runs)
    if found is None:
        return
    names = ("ttft_ms", "tpot_ms", "parts_ms", "e2e_ms")
    means = {name: shown(getattr(found, name)) for name in names} | {"tokens": number(found.tokens, ",.0f")}
    apart = {"apart": shown(abs(found.missing_ms)), "share": number(abs(found.missing_ms) / found.e2e_ms * 100, ".0f")}
    text = _(
        "The server's own means do not add up: a TTFT of {ttft_ms} ms and {tokens} more tokens at a TPOT of "
        "{tpot_ms} ms make {parts_ms} ms, and its end-to-end latency is {e2e_ms} ms"
    ).format(**means)
    if found.missing_ms < 0:
        yield _("{said}; that is {apart} ms ({share} %) too much").format(said=text, **apart)
        return
    text = _("{said}; {apart} ms of it ({share} %) are in neither").format(said=text, **apart)
    why = LEFT_OUT.get(str(runs[0]["referee"].get("engine")))
    yield f"{text}: {_(why)}" if why else text


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
        return OverRepeats(_("not stated"), "")
    middle = median(server)
    if not both or not middle:
        return OverRepeats(shown(middle), _("client: not stated"))
    seen = median(own for _, own in both)
    client = _("client: {seen} ({apart})").format(seen=shown(seen), apart=percent_apart(seen / middle - 1))
    if len(both) < len(pairs):
        client += ", " + _("{count} of {runs}").format(count=len(both), runs=counted(len(pairs), "run"))
    return OverRepeats(shown(middle), client)


def ratios(numbers: Json) -> Iterator[Fact]:
    """Server B over server A, of the pairs of runs that were made one after the other."""
    for item in numbers["ratios"]:
        for key, heading in RUN_COLUMNS.items():
            found = item.get(key)
            if found is None:
                continue
            yield Fact(
                f"{_(heading).partition(',')[0]}, B / A",
                _("{ratio}x at {load}, {extent}").format(
                    ratio=number(found["median"], ".3f"), load=load_said(item["load"]), extent=_extent(found)
                ),
            )


def _extent(ratio: Json) -> str:
    """How far the ratios of the pairs reach."""
    pairs, interval = ratio["pairs"], ratio["interval"]
    if interval and len(pairs) >= ENOUGH:
        return _("95 % interval of the median {low} to {high}").format(
            low=number(interval[0], ".3f"), high=number(interval[1], ".3f")
        )
    if len(pairs) == 1:
        return _("one pair, so no interval")
    return _("pairs from {low} to {high}").format(low=number(min(pairs), ".3f"), high=number(max(pairs), ".3f"))


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


def runs_part(
    url: str, runs: Sequence[tuple[Json, Json]], labels: Mapping[str, str], chosen: int, *, asked: bool
) -> RunsPart:
    """Folded unless a run is no result, which is told there, or one was `asked` for."""
    lines = _run_lines(url, runs, labels, chosen)
    any_why = any(line.why for line in lines)
    folded = _("{runs}, each by itself").format(runs=counted(len(runs), "run"))
    if failed := sum(1 for line in lines if line.failures):
        folded = _("{runs}; requests failed in {count} of them").format(runs=folded, count=failed)
    return RunsPart(
        said=folded,
        open=any_why or asked,
        any_why=any_why,
        columns=tuple(map(_, (*RUN_COLUMNS.values(), *COUNTER_COLUMNS.values()))),
        lines=lines,
    )


def _run_lines(
    url: str, runs: Sequence[tuple[Json, Json]], labels: Mapping[str, str], chosen: int
) -> tuple[RunLine, ...]:
    places = count(1)
    first: dict[str, str] = {}  # reasons -> the first run that has them
    return tuple(
        RunLine(
            number=str(place),
            heading=side_name(item["side"], labels)
            + _("{load}, repeat {repeat}").format(load=load_said(item["load"]), repeat=run["repeat"]),
            url=address(url, [("run", str(place))]) + "#run",
            chosen=place == chosen,
            cells=(
                *(_run_cell(run, key) for key in RUN_COLUMNS),
                *(_counter_cell(run, key) for key in COUNTER_COLUMNS),
            ),
            why=_why(run, str(place), first),
            failures=tuple(_failure(item, run) for item in run.get("failures", ())),
        )
        for place, (item, run) in zip(places, runs, strict=False)
    )


def _why(run: Json, place: str, first: dict[str, str]) -> str:
    """Why a run is no result; what was told of a run before is not told again."""
    told = "; ".join(map(said, run["reasons"]))
    of = first.setdefault(told, place)
    return told if of == place or not told else _("the same as run {number}").format(number=of)


def _failure(item: Json, run: Json) -> str:
    """A kind of failed request, how often, and what was said when it first happened."""
    counted_by = USAGE.fullmatch(item["first"])
    known = _("the server's usage says {tokens} tokens").format(tokens=counted_by[1]) if counted_by else ""
    first = _(" (of the first: {first})").format(first=known or visible(item["first"])) if item["first"] else ""
    return _("{count} of {requests}: {requests_2}{first}").format(
        count=item["count"],
        requests=counted(run["requests"], "request"),
        requests_2=_(REQUESTS[item["kind"]]),
        first=first,
    )


def _counter_cell(run: Json, key: str) -> OverRepeats:
    if not run["referee"]:
        return OverRepeats(_("not stated"), "")
    return _counted([run], key, "")


def _run_cell(run: Json, key: str) -> OverRepeats:
    value = _number(run[key])
    if value is None:
        return OverRepeats(_(WITHHELD) if run["reasons"] else _("not stated"), "")
    return OverRepeats(number(value, ",.0f") if key in ("requests", "failed") else shown(value), "")
