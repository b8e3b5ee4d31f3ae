"""Benchcard's own numbers of one run, by the definitions of the axes page (version 1 of each). Pure.

A failed request is infinitely slow: it stands as infinity among the times and as 0 among the rates of requests, it
brings infinite gaps into the pools of gaps, and it adds no tokens while its time stays in the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from runners.load import chunks
from runners.load.count import UNKNOWN
from runners.load.statistics import Distribution, Floats, distribution, percentile
from runners.load.trace import MISSING

if TYPE_CHECKING:
    from runners.load.trace import Trace

MS = 1e6  # ns
S = 1e9


@dataclass(frozen=True, slots=True)
class PerRequest:
    """One entry a request; NaN where the number is not defined (a failed request; token events at one instant only,
    between which no time was seen)."""

    ttft_ms: Floats
    ttfa_ms: Floats  # to the first event of the answer, which reasoning is not
    e2e_ms: Floats
    tpot_ms: Floats
    tokens: npt.NDArray[np.int64]
    first_tokens: npt.NDArray[np.int64]  # tokens of the first token event; 1 where events have unknown lengths
    token_events: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Metrics:
    """The numbers of a run. Times in ms, rates in tok/s; None where the trace cannot say."""

    requests: int
    failed: int
    at_once: int  # requests of several token events that all arrived at one instant
    together: float  # share of the token events after a request's first that arrived with the one before
    output_tokens: int
    input_tokens: int | None
    ttft_ms: Distribution | None
    ttfa_ms: Distribution | None
    e2e_ms: Distribution | None
    tpot_ms: Distribution | None
    decode_tok_s: Distribution | None
    event_gap_ms: Distribution | None
    token_itl_ms: Distribution | None
    queue_ms: Distribution | None
    output_tok_s: float
    total_tok_s: float | None
    requests_s: float
    peak_output_tok_s: float | None
    duration_s: float
    in_flight_mean: float
    in_flight_peak: int
    interactivity_p90_slow: float | None
    interactivity_p90_fast: float | None
    interactivity_e2e: float | None
    tokens_per_event: dict[int, int] | None


def per_request(trace: Trace) -> PerRequest:
    """Each request's own numbers."""
    size = len(trace)
    first, last, answer = (np.full(size, np.nan) for _ in range(3))
    tokens, first_tokens, events = (np.zeros(size, np.int64) for _ in range(3))
    carries = trace.event_tokens != 0
    answers = (trace.event_marks & (chunks.TEXT | chunks.TOOL)) != 0
    for request in np.flatnonzero(trace.ok).tolist():
        part = trace.events(request)
        times = trace.event_ns[part][carries[part]]
        lengths = trace.event_tokens[part][carries[part]]
        first[request], last[request] = times[0], times[-1]
        events[request] = len(times)
        tokens[request] = trace.numbers["output_tokens"][request]
        first_tokens[request] = 1 if lengths[0] == UNKNOWN else lengths[0]
        answered = trace.event_ns[part][answers[part]]
        answer[request] = answered[0] if len(answered) else np.nan
    sent = trace.numbers["sent_ns"].astype(np.float64)
    after_first = np.where((last > first) & (tokens > first_tokens), tokens - first_tokens, np.nan)
    return PerRequest(
        ttft_ms=(first - sent) / MS,
        ttfa_ms=(answer - sent) / MS,
        e2e_ms=(last - sent) / MS,
        tpot_ms=(last - first) / MS / after_first,
        tokens=tokens,
        first_tokens=first_tokens,
        token_events=events,
    )


def measure(trace: Trace) -> Metrics:
    """All numbers of a run."""
    each = per_request(trace)
    failed = int((~trace.ok).sum())
    gaps, per_token = event_gaps(trace)
    tpot, e2e_per_token = _known(each.tpot_ms), _known(each.e2e_ms / np.maximum(each.tokens, 1))
    seconds = _window(trace)
    inputs = trace.numbers["prompt_tokens"][trace.ok]
    input_tokens = None if (inputs == MISSING).any() else int(inputs.sum())
    output_tokens = int(each.tokens.sum())
    slow = int((~trace.ok & (_asked(trace) > 1)).sum())  # of one token nobody could have a TPOT
    return Metrics(
        requests=len(trace),
        failed=failed,
        at_once=int(((each.token_events > 1) & (each.e2e_ms == each.ttft_ms)).sum()),
        together=float((gaps == 0).mean()) if len(gaps) else 0.0,
        output_tokens=output_tokens,
        input_tokens=input_tokens,
        ttft_ms=distribution(_with_failures(_known(each.ttft_ms), failed)),
        ttfa_ms=distribution(_with_failures(_known(each.ttfa_ms), failed)) if _reasons(trace) else None,
        e2e_ms=distribution(_with_failures(_known(each.e2e_ms), failed)),
        tpot_ms=distribution(_with_failures(tpot, slow)),
        decode_tok_s=distribution(_rates(tpot, slow)),
        event_gap_ms=distribution(_with_failures(gaps, _missing_gaps(trace, each, failed))),
        token_itl_ms=None
        if per_token is None
        else distribution(_with_failures(per_token, int(np.maximum(_asked(trace) - 1, 1)[~trace.ok].sum()))),
        queue_ms=distribution(_queued(trace)),
        output_tok_s=_over(output_tokens, seconds),
        total_tok_s=None if input_tokens is None else _over(input_tokens + output_tokens, seconds),
        requests_s=_over(len(trace) - failed, seconds),
        peak_output_tok_s=_peak(trace, seconds),
        duration_s=seconds,
        in_flight_mean=_in_flight_mean(trace, seconds),
        in_flight_peak=_in_flight_peak(trace),
        interactivity_p90_slow=_inverse(_percentile(_with_failures(tpot, slow), 90)),
        interactivity_p90_fast=_percentile(_rates(tpot, slow), 90),
        interactivity_e2e=_inverse(_percentile(_with_failures(e2e_per_token, failed), 90)),
        tokens_per_event=_event_sizes(trace),
    )


def _reasons(trace: Trace) -> bool:
    """Whether any reasoning came: only then the answer begins later than the first token."""
    return bool((trace.event_marks & chunks.REASONING).any())


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _with_failures(values: Floats, failed: int) -> Floats:
    return np.concatenate((values, np.full(failed, np.inf)))


def _rates(tpot_ms: Floats, failed: int) -> Floats:
    """Rates of the streams, of which a failed request has 0."""
    return np.concatenate((1000 / tpot_ms, np.zeros(failed)))


def _percentile(values: Floats, percent: float) -> float | None:
    return percentile(np.sort(values), percent) if len(values) else None


def _inverse(milliseconds: float | None) -> float | None:
    if milliseconds is None:
        return None
    return 1000 / milliseconds if milliseconds else float("inf")


def _over(amount: float, seconds: float) -> float:
    return amount / seconds if seconds > 0 else 0.0


def _asked(trace: Trace) -> npt.NDArray[np.int64]:
    return trace.numbers["asked_tokens"]


def _owners(trace: Trace) -> npt.NDArray[np.int64]:
    """The request of each event."""
    return np.repeat(np.arange(len(trace)), np.diff(trace.offsets))


def event_gaps(trace: Trace) -> tuple[Floats, Floats | None]:
    """Event gaps of the successful requests in ms, and per-token shares of them: None where lengths are unknown."""
    owners = _owners(trace)
    chosen = (trace.event_tokens != 0) & trace.ok[owners]
    times, lengths, whose = trace.event_ns[chosen], trace.event_tokens[chosen], owners[chosen]
    inside = whose[1:] == whose[:-1]
    gaps = (np.diff(times) / MS)[inside]
    counts = lengths[1:][inside]
    if (lengths == UNKNOWN).any():
        return gaps, None
    return gaps, np.repeat(gaps / counts, counts)


def _missing_gaps(trace: Trace, each: PerRequest, failed: int) -> int:
    """How many gaps failed requests would have brought: as many as the successful ones had on average, at least one."""
    if not failed:
        return 0
    usual = each.token_events[trace.ok] - 1
    return failed * max(1, round(float(usual.mean()))) if len(usual) else failed


def _sent(trace: Trace) -> npt.NDArray[np.bool_]:
    sent: npt.NDArray[np.bool_] = trace.numbers["sent_ns"] != MISSING
    return sent


def _ends(trace: Trace) -> npt.NDArray[np.int64]:
    """The last token event of each successful request, the end of the exchange of each failed one."""
    ends = trace.numbers["ended_ns"].copy()
    owners = _owners(trace)
    carries = (trace.event_tokens != 0) & trace.ok[owners]
    ends[trace.ok] = 0
    np.maximum.at(ends, owners[carries], trace.event_ns[carries])
    return ends


def _window(trace: Trace) -> float:
    """Seconds from the first request's bytes to the last token event of the last, the time of failed ones included."""
    sent = _sent(trace)
    if not sent.any():
        return 0.0
    return float(_ends(trace).max() - trace.numbers["sent_ns"][sent].min()) / S


def _queued(trace: Trace) -> Floats:
    """Time between the moment an open loop wanted a request sent and the moment it was."""
    known = (trace.numbers["scheduled_ns"] != MISSING) & _sent(trace)
    late: Floats = (trace.numbers["sent_ns"] - trace.numbers["scheduled_ns"])[known] / MS
    return late


def _peak(trace: Trace, seconds: float) -> float | None:
    """Tokens in the fullest of equal parts of the run, each about a second long, so that it is never below the mean."""
    chosen = (trace.event_tokens != 0) & trace.ok[_owners(trace)]
    if not chosen.any() or (trace.event_tokens[chosen] == UNKNOWN).any() or seconds <= 0:
        return None
    parts = max(1, round(seconds))
    start = trace.numbers["sent_ns"][_sent(trace)].min()
    place = ((trace.event_ns[chosen] - start) / S / seconds * parts).astype(np.int64)
    filled = np.bincount(np.minimum(place, parts - 1), weights=trace.event_tokens[chosen])
    return float(filled.max()) * parts / seconds


def _in_flight_mean(trace: Trace, seconds: float) -> float:
    sent = _sent(trace)
    busy = (trace.numbers["ended_ns"] - trace.numbers["sent_ns"])[sent].sum()
    return _over(float(busy) / S, seconds)


def _in_flight_peak(trace: Trace) -> int:
    sent = _sent(trace)
    starts, ends = trace.numbers["sent_ns"][sent], trace.numbers["ended_ns"][sent]
    times = np.concatenate((ends, starts))
    steps = np.repeat((-1, 1), (len(ends), len(starts)))
    # At one and the same time an end comes before a start.
    order = np.argsort(times, kind="stable")
    return int(np.cumsum(steps[order]).max(initial=0))


def _event_sizes(trace: Trace) -> dict[int, int] | None:
    """How many token events carried how many tokens."""
    chosen = trace.event_tokens[(trace.event_tokens != 0) & trace.ok[_owners(trace)]]
    if (chosen == UNKNOWN).any():
        return None
    sizes, counts = np.unique(chosen, return_counts=True)
    return dict(zip(sizes.tolist(), counts.tolist(), strict=True))
